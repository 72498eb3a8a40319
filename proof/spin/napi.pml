/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Section "Rings that the device writes", "Arming": the netdev's completion queue
 * and NAPI, up to the end of the queue.
 *
 * Driver: xrdma_napi_poll(), xrdma_eth_arm(), xrdma_rx_comp(), xrdma_eth_stop(),
 * xrdma_eth_destroy() in xrdma_eth.c; xrdma_cq_arm(), xrdma_cq_completion(),
 * xrdma_cq_disable() in xrdma_cq.c. Device: as in arm_cq.pml, which has the
 * barriers of entries and phases. Kernel: napi_schedule(),
 * napi_complete_done(), napi_disable(), netif_napi_del() of net/core/dev.c.
 *
 * Two CPUs poll. xrdma_napi_poll() arms the queue after napi_complete_done() has
 * given the NAPI up, so one CPU may arm while the other one polls and arms. Lost
 * wake-ups leave entries in the ring: an invalid end state. With CLOSES, in a
 * second verification, the netdev is closed at any time. With DOORBELL, in a third
 * one, a doorbell arms the queue, as in arm_cq.pml.
 *
 * variant: DOORBELL
 * variant: CLOSES
 * mutant: WITHOUT_index - a doorbell arms for entries that are written after it came
 * mutant: WITHOUT_lock - two CPUs arm with one sequence number
 * mutant: WITHOUT_mb_after_arm - CPU and device both read old values
 * mutant: WITHOUT_look_after_arm - an entry before the arming is overlooked
 * mutant: WITHOUT_schedule_of_missed - an entry that was seen is left there
 * mutant: WITHOUT_fence_before_arm - device and CPU both read old values
 * mutant: WITHOUT_napi_disable - a poll begins when the queue is gone
 * mutant: WITHOUT_synchronize_net - a CPU that has given up arms a freed queue
 * mutant: WITHOUT_xa_store_null - a handler finds a queue that is gone
 * mutant: WITHOUT_eqs_sync - a handler that runs uses a freed queue
 */
#define LOG_DEPTH	1
#define DEPTH		2
#ifdef CLOSES
#define ENTRIES		2
#define OVER		freed
#else
#define ENTRIES		3
#define OVER		(ci == ENTRIES)
#endif
#define BUDGET		2
#define SLOT(i)		((i) & (DEPTH - 1))
#define PHASE(i)	(!(((i) >> LOG_DEPTH) & 1))	/* xrdma_ring_phase() */

#define OWN	0		/* of the device: phases */
#define ARM	2		/* of the CPU that holds the lock */
#define LOCS	3
#include "memory.inc"

byte ci, arm;			/* struct xrdma_cq; rec->ci follows ci at once */
bool armed;
bool lock;			/* xrdma_cq.lock */
bool event;			/* CQ_COMP in the event queue */
bool handling;			/* xrdma_eq.lock: the handler of an event runs */
bool sched, missed_bit, disabled;	/* napi_struct.state */
bool softirq;			/* the NAPI is on the list of a CPU */
byte polling;			/* CPUs in a soft interrupt of the NAPI */
bool found = true;		/* xrdma_ibdev.cqs has the queue */
bool freed;
chan db = [1] of { byte };	/* doorbell on its way to the device */

#define USE	assert(!freed)

active proctype memory()
{
	d_step { mem[OWN] = !PHASE(0); mem[OWN + 1] = !PHASE(1) }
end:	do
	DRAIN(OWN) DRAIN(OWN + 1) DRAIN(ARM)
	od
}

/* napi_schedule(), its first call of xrdma_eth_start() included */
inline schedule()
{
	atomic {
		if
		:: disabled
		:: !disabled && !sched -> sched = true; softirq = true
		:: !disabled && sched ->
			missed_bit = true
		fi
	}
}

active [2] proctype cpu()
{
	byte work, index, scan;
	bool more;

	do
	:: atomic { softirq -> softirq = false; polling++ }
poll:		work = 0;
		do			/* xrdma_rx_poll() */
		:: work < BUDGET ->
			atomic {
				USE;
				if
				:: LOAD(OWN + SLOT(ci)) == PHASE(ci) ->
					ci++; work++
				:: else -> break
				fi
			}
		:: else -> break
		od;
		atomic {
			if
			:: work == BUDGET -> work = 0; goto poll
			:: else -> work = 0
			fi
		}
		atomic {			/* napi_complete_done() */
			if
			:: missed_bit -> missed_bit = false; goto poll
			:: else -> sched = false
			fi
		}
		/* xrdma_eth_arm() */
#ifndef WITHOUT_lock
		atomic { !lock -> lock = true; USE }
#endif
#ifdef DOORBELL
		index = ci;			/* xrdma_cq_written() */
		scan = index;
		do
		:: scan - index < DEPTH && LOAD(OWN + SLOT(scan)) == PHASE(scan) ->
			scan++
		:: else -> break
		od;
		armed = true;
		db ! scan;
		scan = 0;
#else
		index = arm + 1;
		atomic { arm = index; armed = true }
		STORE(ARM, index);
#ifndef WITHOUT_mb_after_arm
		!pending[ARM];
#endif
#endif
#ifndef WITHOUT_look_after_arm
		index = ci;			/* xrdma_cq_next() */
		USE;
		more = (LOAD(OWN + SLOT(index)) == PHASE(index));
#endif
		atomic { lock = false; index = 0 }
#ifndef WITHOUT_schedule_of_missed
		if
		:: more -> schedule()
		:: else
		fi;
#endif
		atomic { more = false; polling-- }
	:: OVER && !softirq -> break
	od
}

/* The vector of the event queue: xrdma_cq_completion() */
active proctype handler()
{
	bool cq, was;

	schedule();			/* xrdma_eth_start() */
	do
	:: atomic { event -> event = false; handling = true }
		cq = found;		/* xa_load() */
		if
		:: cq ->
			d_step { USE; was = armed; armed = false }	/* xchg() */
			if
			:: was -> USE; schedule()	/* xrdma_rx_comp() */
			:: else
			fi
		:: else
		fi;
		d_step { cq = false; was = false; handling = false }
	:: OVER && !event -> break
	od
}

active proctype device()
{
	byte pi, fired, seen, index;

end:	do
	:: pi < ENTRIES && pi - ci < DEPTH && !freed ->
		STORE(OWN + SLOT(pi), PHASE(pi));	/* write_entry() */
		pi++;
#ifndef DOORBELL
#ifndef WITHOUT_fence_before_arm
		!pending[OWN] && !pending[OWN + 1];
#endif
		seen = LOAD(ARM);			/* written() */
#endif
		if
		:: seen != fired -> fired = seen; event = true
		:: else
		fi
	:: db ? index ->				/* model_cq_arm() */
		if
#ifndef WITHOUT_index
		:: pi > index -> d_step { event = true; fired = seen }
#endif
		:: else -> d_step { fired = 0; seen = 1 }
		fi;
		index = 0
	od
}

#ifdef CLOSES
active proctype closer()
{
#ifndef WITHOUT_napi_disable
	disabled = true;		/* xrdma_eth_stop(): napi_disable() */
	atomic { !sched -> sched = true }
#endif
#ifndef WITHOUT_synchronize_net
	polling == 0;			/* xrdma_eth_destroy(): netif_napi_del() */
#endif
#ifndef WITHOUT_xa_store_null
	found = false;			/* xrdma_cq_disable(): xa_store_irq() */
#endif
#ifndef WITHOUT_eqs_sync
	!handling;			/* xrdma_eqs_sync() */
#endif
	freed = true			/* xrdma_kcq_free() */
}
#endif
