/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Section "Fatal state", with "Arming": requests of a device that dies complete in
 * software, and consumers that sleep are woken.
 *
 * Driver: xrdma_post_send(), xrdma_publish_sq(), xrdma_notify_device() in
 * xrdma_post.c; xrdma_poll_cq(), xrdma_req_notify_cq() in xrdma_poll.c;
 * xrdma_flush_begin(), xrdma_flush_dead(), xrdma_flush_work(),
 * xrdma_flush_poll(), xrdma_flush_pending() in xrdma_flush.c; xrdma_cq_wake() in
 * xrdma_cq.c; xrdma_on_fatal() in xrdma_events.c. Device: model_device_reset().
 *
 * The device completes some requests and dies at any time. Each request completes
 * once, in order; as flushed only if the device has not completed it, and when
 * the device has been silenced. A consumer that nobody wakes is an invalid end
 * state. Rings and indexes have no end here, and doorbells are always rung. With
 * RECEIVES the poster looks for the death after it has released the lock, as
 * xrdma_post_recv() does.
 *
 * variant: RECEIVES
 *
 * mutant: WITHOUT_silence - the device uses a request that was flushed
 * mutant: WITHOUT_retry - the same, if the device cannot be silenced at once
 * mutant: WITHOUT_flushing_read_first - an entry of the device is not seen
 * mutant: WITHOUT_mb_after_arm - consumer and work item miss each other
 * mutant: WITHOUT_look_after_arm - requests to flush are overlooked
 * mutant: WITHOUT_flush_after_post - a request posted after the flush stays
 * mutant: WITHOUT_flush_work - nobody wakes the consumer
 * mutant: WITHOUT_release_of_pi - a request is flushed before its wr_id is there
 * mutant: WITHOUT_grace_period - the store of pi reaches memory after the flush
 */
#define REQUESTS	2
#define DEVICE		1	/* requests that the device may complete */

#define WR_ID	0		/* of the poster: wr_id of entries written */
#define PI	1		/* of the poster: sq->pi */
#define OWN	2		/* of the device: completions in the ring */
#define ARMED	3		/* of the consumer: cq->armed */
#define LOCS	4
#include "memory.inc"

bool dead, silent, flushing;
bool work;			/* flush_work is queued */
bool event, woken;
bool writing;			/* the device uses the memory of a request */
bool posting;			/* the poster holds sq_lock, or rq_lock */
byte completed;			/* requests that the consumer has seen complete */
#define OVER	(completed == REQUESTS)

active proctype memory()
{
end:	do
	DRAIN(WR_ID) DRAIN(PI) DRAIN(OWN) DRAIN(ARMED)
	od
}

active proctype poster()
{
	byte pi;
	do
	:: pi < REQUESTS ->
		/* xrdma_post_one_send(), or xrdma_post_one_recv() */
		posting = true;
		pi++;
		STORE(WR_ID, pi);
#ifndef WITHOUT_release_of_pi
		!pending[WR_ID];		/* smp_store_release() */
#endif
		STORE(PI, pi);
#ifdef RECEIVES
		posting = false;
#endif
		if				/* xrdma_notify_device() */
#ifndef WITHOUT_flush_after_post
		:: dead -> !pending[PI]; work = true	/* schedule_work() */
#endif
		:: else
		fi;
		posting = false
	:: else -> break
	od
}

/* xrdma_poll_cq(), one entry; n is the number of completions */
inline poll_one()
{
	n = 0;
	if
	:: !cq_dead ->
#ifndef WITHOUT_flushing_read_first
		was_flushing = flushing;
#endif
		if				/* xrdma_poll_device() */
		:: LOAD(OWN) > completed -> n = 1; completed++
		:: else
		fi;
#ifdef WITHOUT_flushing_read_first
		was_flushing = flushing;
#endif
		cq_dead = (was_flushing && n == 0)
	:: else
	fi;
	if
	:: cq_dead && n == 0 && completed < LOAD(PI) ->	/* xrdma_flush_wq() */
		assert(LOAD(WR_ID) > completed);
		assert(LOAD(OWN) <= completed && !pending[OWN]);
		assert(!writing);
		n = 1; completed++
	:: else
	fi
}

active proctype consumer()
{
	byte n;
	bool cq_dead, was_flushing;

	do
	:: !OVER ->
		do
		:: poll_one();
			if
			:: n == 0 || OVER -> break
			:: else
			fi
		od;
		if
		:: OVER -> break
		:: else
		fi;
		/* xrdma_req_notify_cq() */
		woken = false;
		STORE(ARMED, true);
#ifndef WITHOUT_mb_after_arm
		!pending[ARMED];
#endif
		if
		:: !cq_dead && LOAD(OWN) > completed
#ifndef WITHOUT_look_after_arm
		:: flushing && completed < LOAD(PI)
#endif
		:: else -> woken
		fi
	:: else -> break
	od
}

/* xrdma_cq_completion(), and xrdma_flush_work() with xrdma_cq_wake() */
active proctype wakers()
{
	bool armed;
	do
	:: atomic { event -> event = false }
		d_step { armed = mem[ARMED]; mem[ARMED] = false }
		woken = woken || armed
#ifndef WITHOUT_flush_work
	:: atomic { work -> work = false }
		if
		:: flushing ->
			d_step { armed = mem[ARMED]; mem[ARMED] = false }
			woken = woken || armed
		:: else
		fi
#endif
	:: OVER -> break
	od
}

active proctype device()
{
	byte done;
	do
	:: atomic { !silent && done < DEVICE && LOAD(PI) > done ->
		    writing = true; done++ }
		STORE(OWN, done);	/* and the event: the consumer is armed */
		!pending[OWN];
		writing = false;
		event = true
	:: silent -> break
	od
}

/* xrdma_fatal(), then xrdma_on_fatal() */
active proctype death()
{
	dead = true;
#ifndef WITHOUT_silence
	if
	:: true
	:: true ->			/* xrdma_hw_silence() fails */
#ifdef WITHOUT_retry
		flushing = true; work = true
#endif
	fi;
	/* xrdma_hw_silence(), also by xrdma_flush_retry() */
	atomic { !writing -> silent = true }
#ifndef WITHOUT_grace_period
	!posting && !pending[WR_ID] && !pending[PI];	/* synchronize_rcu() */
#endif
	flushing = true;		/* xrdma_flush_begin() */
#else
	flushing = true;
	work = true;
	atomic { !writing -> silent = true }
#endif
	work = true
}
