/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Sections "Rings that the device writes" and "Shadow doorbells", "Arming": a
 * completion queue.
 *
 * Driver: xrdma_cq_arm(), xrdma_cq_next(), xrdma_cq_update_ci(),
 * xrdma_cq_completion() in xrdma_cq.c; xrdma_poll_cq(), xrdma_req_notify_cq() in
 * xrdma_poll.c. Device: write_entry(), has_room(), written(), fire(),
 * model_cq_arm() in model/core/cq.c. The event queue is a flag here: arm_eq.pml has it.
 *
 * The consumer polls until the ring is empty, arms, looks again and sleeps until
 * its handler has run, on another CPU. A wake-up that is lost leaves it asleep:
 * an invalid end state. The consumer posts a request only when the ring has room
 * for its completion, so the device must find room when it completes the request.
 * Another queue pair has posted more requests than the ring has room for; the
 * device completes one of them only if the ring has room.
 *
 * variant: DOORBELL
 *
 * DOORBELL is the base contract: a doorbell arms, with the index of the first entry
 * that the consumer has not seen, and arrives at any later time. The other variant
 * has shadow doorbells. In DOORBELL the event may arrive before the entry.
 *
 * mutant: WITHOUT_release_of_own - the consumer reads an entry not yet written
 * mutant: WITHOUT_rmb_after_own - the consumer loads the entry before its phase
 * mutant: WITHOUT_mb_before_ci - the device overwrites an entry that is being read
 * mutant: WITHOUT_room_first - a request is posted before the CQ has room for it
 * mutant: WITHOUT_wmb_after_armed - the handler ignores the event of this arming
 * mutant: WITHOUT_mb_after_arm - consumer and device both read old values
 * mutant: WITHOUT_look_after_arm - an entry before the arming is overlooked
 * mutant: WITHOUT_index - a doorbell arms for entries that are written after it came
 * mutant: WITHOUT_sequence - an arm word that has fired arms nothing
 * mutant: WITHOUT_fence_before_arm - device and consumer both read old values
 */
#define LOG_DEPTH	1
#define DEPTH		2
#define ENTRIES		4
#define SLOT(i)		((i) & (DEPTH - 1))
#define PHASE(i)	(!(((i) >> LOG_DEPTH) & 1))	/* xrdma_ring_phase() */

#define BODY	0		/* of the device: entries without their phase */
#define OWN	2		/* of the device: phases */
#define ARM	4		/* of the consumer, like all that follow */
#define CI	5
#define ARMED	6		/* struct xrdma_cq; the handler clears it */
#define POSTED	7		/* requests that the device may complete */
#define LOCS	8
#include "memory.inc"

#define HOST_WRITTEN	(!pending[ARM] && !pending[CI] && !pending[ARMED])

bool event;			/* CQ_COMP in the event queue */
bool woken;			/* cq->comp() has run */
bool over;			/* the consumer has all entries */
chan db = [1] of { byte };	/* doorbell on its way to the device */

active proctype memory()
{
	d_step {
		mem[OWN] = !PHASE(0); mem[OWN + 1] = !PHASE(1);
		mem[POSTED] = DEPTH
	}
end:	do
	DRAIN(BODY) DRAIN(BODY + 1) DRAIN(OWN) DRAIN(OWN + 1)
	DRAIN(ARM) DRAIN(CI) DRAIN(ARMED) DRAIN(POSTED)
	od
}

/* xrdma_poll_device(), one entry; sets valid */
inline poll_one()
{
#ifdef WITHOUT_rmb_after_own
	body = LOAD(BODY + SLOT(ci));
#endif
	/* xrdma_cq_next() */
	valid = (LOAD(OWN + SLOT(ci)) == PHASE(ci));
	if
	:: valid ->
#if !defined(WITHOUT_rmb_after_own) && !defined(WITHOUT_mb_before_ci)
		body = LOAD(BODY + SLOT(ci));	/* after dma_rmb() */
#endif
		ci++;
		/* xrdma_cq_update_ci(): dma_mb(), loads come before the store */
#ifdef WITHOUT_room_first
		STORE(POSTED, ci + DEPTH);
#endif
		STORE(CI, ci);
#ifdef WITHOUT_mb_before_ci
		body = LOAD(BODY + SLOT(ci - 1));
#endif
		assert(body == ci);		/* all of entry ci - 1 */
		body = 0;
#ifndef WITHOUT_room_first
		/* xrdma_wq_release(), then dma_wmb() of xrdma_post_send() */
		!pending[CI];
		STORE(POSTED, ci + DEPTH)
#endif
	:: else -> body = 0
	fi
}

active proctype consumer()
{
	byte ci, arm, body, index;
	bool valid;

	mem[POSTED] != 0;
	do
	:: ci < ENTRIES ->
		do
		:: poll_one();
			if
			:: !valid -> break
			:: else
			fi
		od;
		if
		:: ci == ENTRIES -> break
		:: else
		fi;
		/* xrdma_req_notify_cq(), xrdma_cq_arm() */
#if defined(WITHOUT_sequence) || defined(DOORBELL)
		arm = 1;
#else
		arm++;
#endif
		woken = false;
		STORE(ARMED, true);
#ifndef WITHOUT_wmb_after_armed
		!pending[ARMED];		/* dma_wmb() */
#endif
#ifdef DOORBELL
		index = ci;			/* xrdma_cq_written() */
		do
		:: index - ci < DEPTH &&
		   LOAD(OWN + SLOT(index)) == PHASE(index) -> index++
		:: else -> break
		od;
		db ! index;			/* xrdma_write_doorbell() */
		index = 0;
#else
		STORE(ARM, arm);		/* xrdma_cq_arm_record() */
#endif
#ifndef WITHOUT_mb_after_arm
		HOST_WRITTEN;			/* mb() */
#endif
#ifndef WITHOUT_look_after_arm
		if
		:: LOAD(OWN + SLOT(ci)) == PHASE(ci) -> skip	/* missed */
		:: else -> woken
		fi
#else
		woken
#endif
	:: else -> break
	od;
	over = true
}

/* xrdma_cq_completion(), on the CPU of the event queue's vector */
active proctype handler()
{
	bool armed;
	do
	:: atomic { event -> event = false }
		/* xchg(&cq->armed, false): of what this CPU sees */
		atomic { armed = mem[ARMED]; mem[ARMED] = false }
		if
		:: armed -> woken = true	/* cq->comp() */
		:: else
		fi
	:: over -> break
	od
}

active proctype device()
{
	byte pi, fired, arm, index;

end:	do
	:: pi < ENTRIES && (LOAD(POSTED) > pi || pi - LOAD(CI) < DEPTH) ->
		if				/* has_room() */
		:: LOAD(POSTED) > pi -> assert(pi - LOAD(CI) < DEPTH)
		:: pi - LOAD(CI) < DEPTH	/* overcommitted, but just now */
		fi;
		/* write_entry() */
		STORE(BODY + SLOT(pi), pi + 1);
#ifndef WITHOUT_release_of_own
		!pending[BODY] && !pending[BODY + 1];
#endif
		STORE(OWN + SLOT(pi), PHASE(pi));
		pi++;
		/* written() */
#ifndef DOORBELL
#ifndef WITHOUT_fence_before_arm
		!pending[OWN] && !pending[OWN + 1];
#endif
		arm = LOAD(ARM);
#endif
		if
		:: arm != fired -> fired = arm; event = true	/* fire() */
		:: else
		fi
	:: db ? index ->			/* model_cq_arm() */
		if
#ifndef WITHOUT_index
		:: pi > index -> d_step { event = true; fired = arm }
#endif
		:: else -> d_step { fired = 0; arm = 1 }
		fi;
		index = 0
	od
}
