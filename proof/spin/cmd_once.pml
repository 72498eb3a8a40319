/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Sections "Commands" and "Reset": each command is answered or fails, once, also
 * when the device dies, is reset and is removed.
 *
 * Driver: xrdma_cmdq_exec(), xrdma_cmdq_post_locked(), xrdma_cmdq_poll(),
 * xrdma_cmdq_accept_locked(), xrdma_cmdq_release(), xrdma_cmdq_abort() in
 * xrdma_cmdq.c; xrdma_fatal() in xrdma_health.c; xrdma_hw_silence() in
 * xrdma_reset.c; xrdma_life_end(), xrdma_core_stop() in xrdma_life.c;
 * xrdma_eqs_stop() in xrdma_eq.c. Device: model_cmdq_poll(), reply_later(),
 * model_cmdq_reset() in model/core/cmdq.c.
 *
 * Three callers share a ring of one entry. The device answers at once, late, never,
 * or once twice. A caller that no reply, no abort and no time limit
 * of the cause of death ends is an invalid end state: after the death of the
 * device, nobody may have to wait for the time limit.
 *
 * mutant: WITHOUT_order_of_writel - the device reads an entry not yet written
 * mutant: WITHOUT_dead_check_in_post - a command is posted after the abort
 * mutant: WITHOUT_dead_before_abort - a command is posted after the abort
 * mutant: WITHOUT_abort - commands in flight wait for their time limit
 * mutant: WITHOUT_waiting_test - a reply that comes twice ends a command twice
 * mutant: WITHOUT_generation - a late reply ends another command
 * mutant: WITHOUT_wake_of_release - a caller waits for room forever
 * mutant: WITHOUT_wake_of_abort - a caller waits for room forever
 * mutant: WITHOUT_waiter_kept - an entry that the device has not read is overwritten
 * mutant: WITHOUT_unregister - a caller uses the ring when it is freed
 * mutant: WITHOUT_eqs_stop - the interrupt uses the ring when it is freed
 * mutant: WITHOUT_keys_stop_first - the INVALIDATE of xrdma_keys_shrink_work()
 *	waits for its time limit
 */
#define CALLERS	3
#define ENTRY	0		/* the entry of the command ring: its id */
#define LOCS	1
#include "memory.inc"
mtype = { none, answered, failed };

bool lock;			/* xrdma_cmdq.lock */
bool busy, waiting, done;	/* the waiter */
byte id;			/* its generation */
mtype err = none;
byte pi, doorbell, read;	/* read: entries that the device has read */
byte asleep;			/* one bit for each caller; in xrdma_cmdq.space */
bool dead, quiet, freed;
bool irq, irq_off, handling;	/* of vector 0 */
chan replies = [4] of { byte };	/* the reply ring: arm_eq.pml has its barriers */
byte running = CALLERS;
bool worker_runs = true;	/* caller 0, if it is the work of the key table */

active proctype memory()
{
end:	do DRAIN(ENTRY) od
}

inline finish_locked(how)		/* xrdma_cmdq_finish_locked() */
{
	assert(!done);
	waiting = false; err = how; done = true
}

#ifdef WITHOUT_waiting_test
#define NAMED(rsp)	(id == rsp)
#elif defined(WITHOUT_generation)
#define NAMED(rsp)	waiting
#else
#define NAMED(rsp)	(waiting && id == rsp)
#endif

inline poll(rsp)			/* xrdma_cmdq_poll() */
{
	atomic { !lock -> assert(!freed);
		do
		:: !dead && len(replies) > 0 ->
			replies?rsp;
			if		/* xrdma_cmdq_accept_locked() */
			:: NAMED(rsp) -> finish_locked(answered); assert(id == rsp)
			:: else
			fi
		:: else -> break
		od;
		rsp = 0
	}
}

inline abort()				/* xrdma_cmdq_abort() */
{
	atomic { !lock -> assert(!freed);
		if :: waiting -> finish_locked(failed) :: else fi
	}
#ifndef WITHOUT_wake_of_abort
	asleep = 0
#endif
}

inline fatal()				/* xrdma_fatal() */
{
#ifdef WITHOUT_dead_before_abort
	abort(); dead = true
#else
	atomic { first = !dead; dead = true }
#ifndef WITHOUT_abort
	if :: first -> abort() :: else fi;
#endif
	first = false
#endif
}

active [CALLERS] proctype caller()	/* xrdma_cmdq_exec() */
{
	byte rsp, mine, me = _pid - 1;
	bool first;
	do				/* wait_event(): xrdma_cmdq_post() */
	:: atomic { !lock -> assert(!freed); asleep = asleep | (1 << me);
#ifndef WITHOUT_dead_check_in_post
		if :: dead -> goto out :: else fi;
#endif
		if
		:: !busy ->
			busy = true; waiting = true; id++;
			done = false; err = none; mine = id;
			assert(dead || pi == read);
			STORE(ENTRY, mine);
			pi++; lock = true; break
		:: else
		fi
	   }
	   !(asleep & (1 << me))
	od;
#ifndef WITHOUT_order_of_writel
	!pending[ENTRY];
#endif
	atomic { doorbell = pi; lock = false }
	if				/* xrdma_cmdq_wait() */
	:: done
	:: !dead && !done ->	/* the time limit */
		poll(rsp);
		if
		:: done
		:: else ->
#ifdef WITHOUT_waiter_kept
			atomic { !lock -> waiting = false; busy = false }
			asleep = 0;
#endif
			fatal();	/* xrdma_cmd_timed_out() */
			goto out
		fi
	fi;
	atomic { !lock -> assert(!freed);	/* xrdma_cmdq_release() */
		assert(err != none && id == mine);
		waiting = false; busy = false;
#ifndef WITHOUT_wake_of_release
		asleep = 0;
#endif
	}
out:	atomic { running--; worker_runs = worker_runs && me }
}

active proctype interrupt()		/* xrdma_eq_interrupt() of vector 0 */
{
	byte rsp;
	do
	:: atomic { irq && !irq_off -> irq = false; handling = true }
		poll(rsp); handling = false
	:: freed -> break
	od
}

active proctype device()
{
	byte late; bool twice;
	do
	:: d_step { !quiet && read < doorbell && !late ->
		late = mem[ENTRY]; assert(late == id || dead); read++ }
	:: d_step { !quiet && late && len(replies) < 4 ->
		replies!late; late = 0; irq = true }
	:: d_step { !quiet && late && !twice && len(replies) < 4 ->
		replies!late; twice = true; irq = true }
	:: d_step { quiet -> late = 0; irq = false }
		break		/* model_cmdq_reset() */
	od
}

active proctype life()			/* a death, or none; then xrdma_life_end() */
{
	bool first;
	if :: fatal() :: skip fi;	/* xrdma_watchdog_check() */
#ifndef WITHOUT_unregister
	running == worker_runs;		/* ib_unregister_device() */
#ifndef WITHOUT_keys_stop_first
	running == 0;			/* xrdma_keys_stop() */
#endif
#endif
	dead = true; quiet = true;	/* xrdma_core_stop(): xrdma_hw_silence() */
#ifndef WITHOUT_eqs_stop
	irq_off = true; !handling;	/* xrdma_eqs_stop() */
#endif
#ifdef WITHOUT_keys_stop_first
	running == 0;			/* xrdma_keys_stop() */
#endif
	freed = true			/* xrdma_cmdq_destroy() */
}
