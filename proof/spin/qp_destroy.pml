/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Section "Commands", DESTROY_QP, with "Rings that the device writes" (the host may
 * move entries): a queue pair ends while its completions are not polled.
 *
 * Driver: xrdma_kqp_stop(), xrdma_kqp_detach() in xrdma_kqp.c, xrdma_qp_disable()
 * in xrdma_qp.c; xrdma_cq_drop_qp(), xrdma_cq_gather_qp(), xrdma_cq_swap() in
 * xrdma_cq.c; xrdma_poll_device(), xrdma_fill_wc(), xrdma_find_qp() in
 * xrdma_poll.c. Device: model_qp_destroy() in model/core/qp.c, model_qp_flush() in
 * qp_error.c, write_entry() in cq.c, write_reply() in cmdq.c.
 *
 * Queue pairs 1 and 2 complete to one ring of four entries, whose second lap
 * begins in the middle. Queue pair 1 goes to ERR, is flushed and is destroyed at
 * any time. A poller never finds a completion whose queue pair is gone, which it
 * would take for a fault of the device, and finds each completion of queue pair 2,
 * in order.
 *
 * mutant: WITHOUT_fence - completions come after the driver has dropped the others
 * mutant: WITHOUT_stop - the device completes a request after it has answered
 * mutant: WITHOUT_release_of_reply - a completion arrives after the reply
 * mutant: WITHOUT_forget - a completion has no queue pair
 * mutant: WITHOUT_forget_first - the poller finds an entry before it is dropped
 * mutant: WITHOUT_own_stays - an entry gets the phase of another lap
 * mutant: WITHOUT_order_of_others - completions of queue pair 2 change places
 * mutant: WITHOUT_lock - poller and xrdma_cq_drop_qp() work on the ring at once
 * mutant: WITHOUT_rmb_after_reply - the driver loads the ring before the reply
 */
#define DEPTH		4
#define SLOT(i)		((i) & (DEPTH - 1))
#define PHASE(i)	(!(((i) >> 2) & 1))
#define FIRST		2	/* index of the first entry: the ring laps soon */
#define OF_1		2	/* requests of queue pair 1 */
#define OF_2		3	/* requests of queue pair 2 */

#define OWN	0		/* phases: of the device */
#define REPLY	4		/* of the device */
#define LOCS	5
#include "memory.inc"

/* An entry without phase: qpn << 4 | number; dma_rmb() is in arm_cq.pml. */
byte body[DEPTH];
byte ci = FIRST, rec_ci = FIRST;
bool lock;			/* xrdma_cq.lock */
bool tree = true;		/* queue pair 1 is in xrdma_cq.send_qps */
bool command, gone;
bool own[DEPTH];		/* phases as the driver sees them, if it is early */
byte seen_2;			/* completions of queue pair 2 polled */
bool ready;

#ifdef WITHOUT_lock
#define LOCKED
#else
#define LOCKED	atomic
#endif

active proctype memory()
{
	d_step {		/* slots 2 and 3 in the first lap, 0 and 1 in the second */
		mem[OWN] = PHASE(0); mem[OWN + 1] = PHASE(1);
		mem[OWN + 2] = !PHASE(2); mem[OWN + 3] = !PHASE(3);
		ready = true
	}
end:	do
	DRAIN(OWN) DRAIN(OWN + 1) DRAIN(OWN + 2) DRAIN(OWN + 3) DRAIN(REPLY)
	od
}

/* xrdma_poll_device() */
active proctype poller()
{
	ready;
	do
	:: LOCKED {
		LOAD(OWN + SLOT(ci)) == PHASE(ci) ->
		if			/* xrdma_fill_wc() */
		:: body[SLOT(ci)] >> 4 == 1 -> assert(tree && !gone)
		:: else ->
			assert(body[SLOT(ci)] == (2 << 4 | seen_2));
			seen_2++
		fi;
		ci++;
		rec_ci = ci
	   }
	:: seen_2 == OF_2 && gone -> break
	od
}

inline swap(a, b)		/* xrdma_cq_swap() */
{
	tmp = body[SLOT(a)]; body[SLOT(a)] = body[SLOT(b)]; body[SLOT(b)] = tmp;
#ifdef WITHOUT_own_stays
	tmp = mem[OWN + SLOT(a)]; mem[OWN + SLOT(a)] = mem[OWN + SLOT(b)];
	mem[OWN + SLOT(b)] = tmp;
#endif
	tmp = 0
}

#ifdef WITHOUT_rmb_after_reply
#define WRITTEN(i)	(own[SLOT(i)] == PHASE(i))
#else
#define WRITTEN(i)	(LOAD(OWN + SLOT(i)) == PHASE(i))
#endif

/* xrdma_cq_drop_qp(), xrdma_cq_gather_qp() */
inline forget()
{
	LOCKED {
		index = ci;
		do
		:: index - ci < DEPTH && WRITTEN(index) -> index++
		:: else -> break
		od;
		num = 0;
		do
		:: index != ci ->
			index--;
			if
			:: body[SLOT(index)] >> 4 == 1 -> num++
			:: body[SLOT(index)] >> 4 != 1 && num ->
#ifdef WITHOUT_order_of_others
				swap(index, ci + num)
#else
				swap(index, index + num)
#endif
			:: else
			fi
		:: else -> break
		od;
		ci = ci + num;
		rec_ci = ci;		/* xrdma_cq_update_ci() */
		num = 0; index = 0
	}
}

inline detach() { LOCKED { tree = false } }	/* xrdma_kqp_detach() */

active proctype destroyer()
{
	byte index, num, tmp;

	ready;
#ifdef WITHOUT_rmb_after_reply
	d_step { own[0] = mem[OWN]; own[1] = mem[OWN + 1];
		 own[2] = mem[OWN + 2]; own[3] = mem[OWN + 3] }
#endif
	command = true;			/* xrdma_cmd_destroy_qp() */
#ifndef WITHOUT_fence
	LOAD(REPLY);
#endif
#ifdef WITHOUT_forget_first
	detach();
#endif
#ifndef WITHOUT_forget
	forget();
#endif
#ifndef WITHOUT_forget_first
	detach();
#endif
	gone = true
}

inline push(entry)		/* write_entry(); a full ring is no subject here */
{
	pi - rec_ci < DEPTH;
	body[SLOT(pi)] = entry;
	STORE(OWN + SLOT(pi), PHASE(pi));
	pi++
}

active proctype device()
{
	byte pi = FIRST, left_1 = OF_1, done_2;
	bool stopped;

	ready;
	do
	:: left_1 && !stopped -> push(1 << 4); left_1--	/* model_qp_flush() */
	:: done_2 < OF_2 -> push(2 << 4 | done_2); done_2++
	:: command ->			/* model_qp_destroy() */
		command = false;
#ifndef WITHOUT_stop
		stopped = true;
#endif
#ifndef WITHOUT_release_of_reply
		!pending[OWN] && !pending[OWN + 1] && !pending[OWN + 2] &&
			!pending[OWN + 3];
#endif
		STORE(REPLY, true)
	:: done_2 == OF_2 && (stopped || !left_1) && gone -> break
	od
}
