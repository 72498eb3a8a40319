/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Sections "Rings that the device writes" and "Shadow doorbells", "Arming", and
 * section "Event queues": an event queue, its vector, and events that wait for room.
 *
 * Driver: xrdma_eq_process(), xrdma_eq_consume(), xrdma_eq_arm(),
 * xrdma_eq_handle_rest(), xrdma_eq_interrupt() in xrdma_eq.c. Device: model_event(),
 * write_one(), fire(), model_eq_arm(), has_room(), model_eqs_retry() in
 * model/core/event.c.
 *
 * A message of the vector that arrives while its handler runs makes the handler
 * run once more, as Linux does for MSI-X. The handler takes up to BUDGET entries
 * with the lock held, and leaves the rest to a work item on another CPU. A lost
 * interrupt leaves entries in the ring or events without room: an invalid end
 * state.
 *
 * variant: DOORBELL
 *
 * DOORBELL is the base contract, as in arm_cq.pml: a doorbell arms, and the vector may
 * be raised before the entry arrives.
 *
 * mutant: WITHOUT_release_of_own - the handler reads an entry not yet written
 * mutant: WITHOUT_rmb_after_own - the handler loads the entry before its phase
 * mutant: WITHOUT_mb_before_ci - the device overwrites an entry that is being read
 * mutant: WITHOUT_mb_after_arm - handler and device both read old values
 * mutant: WITHOUT_look_after_arm - an entry before the arming is overlooked
 * mutant: WITHOUT_more - nobody handles the entries that the budget leaves
 * mutant: WITHOUT_lock - handler and work item take the same entry
 * mutant: WITHOUT_ci - events wait for room forever
 * mutant: WITHOUT_index - a doorbell arms for entries that are written after it came
 * mutant: WITHOUT_sequence - an arm word that has fired arms nothing
 * mutant: WITHOUT_fence_before_arm - device and handler both read old values
 * mutant: WITHOUT_retry - the device does not look for room again
 */
#define LOG_DEPTH	1
#define DEPTH		2
#define ENTRIES		4
#define BUDGET		2
#define SLOT(i)		((i) & (DEPTH - 1))
#define PHASE(i)	(!(((i) >> LOG_DEPTH) & 1))	/* xrdma_ring_phase() */

#define BODY	0		/* of the device: entries without their phase */
#define OWN	2		/* of the device: phases */
#define ARM	4		/* of the driver */
#define CI	5		/* of the driver */
#define LOCS	6
#include "memory.inc"

#define VALID	(LOAD(OWN + SLOT(ci)) == PHASE(ci))	/* xrdma_eq_pending() */

bool irq = true;		/* the vector was raised; first: xrdma_eq_init() */
bool more;			/* xrdma_eq.rest is queued */
bool lock;			/* xrdma_eq.lock; its holder uses ci and arm */
byte ci, arm;
byte handled;
chan db = [1] of { byte };	/* doorbell on its way to the device */

active proctype memory()
{
	d_step { mem[OWN] = !PHASE(0); mem[OWN + 1] = !PHASE(1) }
end:	do
	DRAIN(BODY) DRAIN(BODY + 1) DRAIN(OWN) DRAIN(OWN + 1)
	DRAIN(ARM) DRAIN(CI)
	od
}

/* xrdma_eq_process() */
inline process()
{
#ifndef WITHOUT_lock
	atomic { !lock -> lock = true }
#endif
	budget = BUDGET;
	do
	:: /* xrdma_eq_consume() */
		do
		:: budget > 0 ->
#ifdef WITHOUT_rmb_after_own
			body = LOAD(BODY + SLOT(ci));
#endif
			if
			:: VALID
			:: else -> break
			fi;
#if !defined(WITHOUT_rmb_after_own) && !defined(WITHOUT_mb_before_ci)
			body = LOAD(BODY + SLOT(ci));	/* after dma_rmb() */
#endif
#ifndef WITHOUT_mb_before_ci
			assert(body == ci + 1 && handled == ci);
			handled++;		/* xrdma_eq_handle() */
#endif
			d_step { body = 0; ci++; budget-- }
		:: else -> break
		od;
#ifndef WITHOUT_ci
		if
		:: budget < BUDGET -> STORE(CI, ci)
		:: else
		fi;
#endif
#ifdef WITHOUT_mb_before_ci
		do
		:: handled < ci ->
			assert(LOAD(BODY + SLOT(handled)) == handled + 1);
			handled++
		:: else -> break
		od;
#endif
		if
		:: budget == 0 ->
#ifndef WITHOUT_more
			more = true;		/* queue_work() */
#endif
			break
		:: else
		fi;
		/* xrdma_eq_arm(); its dma_wmb() has no effect that this device sees */
#if defined(WITHOUT_sequence) || defined(DOORBELL)
		arm = 1;
#else
		arm++;
#endif
#ifdef DOORBELL
		db ! ci;
#else
		STORE(ARM, arm);
#ifndef WITHOUT_mb_after_arm
		!pending[ARM] && !pending[CI];		/* mb() */
#endif
#endif
#ifndef WITHOUT_look_after_arm
		if
		:: VALID
		:: else -> break
		fi
#else
		break
#endif
	od;
	lock = false;
	budget = 0
}

active proctype interrupt()
{
	byte budget, body;
	do
	:: atomic { irq -> irq = false } process()	/* xrdma_eq_interrupt() */
	:: handled == ENTRIES && !irq -> break
	od
}

active proctype work()
{
	byte budget, body;
	do
	:: atomic { more -> more = false } process()	/* xrdma_eq_handle_rest() */
	:: handled == ENTRIES && !more -> break
	od
}

active proctype device()
{
	byte pi, fired, seen, index;

end:	do
	/* has_room(); without room, model_eqs_retry() by a timer */
#ifdef WITHOUT_retry
	:: pi < ENTRIES && pi - LOAD(CI) >= DEPTH -> break
#endif
	:: pi < ENTRIES && pi - LOAD(CI) < DEPTH ->
		/* write_one() */
		STORE(BODY + SLOT(pi), pi + 1);
#ifndef WITHOUT_release_of_own
		!pending[BODY] && !pending[BODY + 1];
#endif
		STORE(OWN + SLOT(pi), PHASE(pi));
		pi++;
		/* fire() */
#ifndef DOORBELL
#ifndef WITHOUT_fence_before_arm
		!pending[OWN] && !pending[OWN + 1];
#endif
		seen = LOAD(ARM);
#endif
		if
		:: seen != fired -> fired = seen; irq = true
		:: else
		fi
	:: db ? index ->			/* model_eq_arm() */
		if
#ifndef WITHOUT_index
		:: pi > index -> d_step { irq = true; fired = seen }
#endif
		:: else -> d_step { fired = 0; seen = 1 }
		fi;
		index = 0
	od
}
