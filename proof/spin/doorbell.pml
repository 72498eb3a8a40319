/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Sections "Doorbells" and "Shadow doorbells": doorbells with a producer index, or a
 * host that skips doorbells and a device that reads the index; the device goes idle.
 *
 * Driver: xrdma_post_send(), xrdma_publish_sq(), xrdma_notify_device() in
 * xrdma_post.c, xrdma_db_needed() in xrdma-ring.h. Device: turn(), write_sq_event(),
 * deactivate_if_idle(), ring_sq() in model/core/doorbell.c, model_wq_fetch() in
 * model/core/wq.c.
 *
 * The host posts ENTRIES entries, one or two in a call. Indexes are modulo 8 and
 * wrap. The device may go idle at each turn. A doorbell that is lost leaves the
 * device idle with entries that it has not seen: an invalid end state.
 *
 * mutant: WITHOUT_wmb_before_index - the device reads an entry not yet written
 * mutant: WITHOUT_mb_before_event - host and device both read old values
 * mutant: WITHOUT_order_of_writeq - the doorbell comes before the entries
 * mutant: WITHOUT_doorbell - nobody wakes the device
 * mutant: WITHOUT_index - the doorbell wakes a device that knows no new entry
 * mutant: WITHOUT_event_write - the host compares with an index of an earlier sleep
 * mutant: WITHOUT_fence_after_event - device and host both read old values
 * mutant: WITHOUT_second_fetch - an index moved before sq_event is overlooked
 * mutant: WITHOUT_acquire_of_index - the device loads an entry before the index
 */
#define ENTRIES	4
#define FIRST	6		/* so that indexes wrap in the middle */
#define MOD(x)	((x) & 7)
#define SLOT(i)	((i) & 3)	/* location of an entry in the ring */

#define SQ_PI		4
#define SQ_EVENT	5
#define LOCS		6
#include "memory.inc"

#define ENTRIES_WRITTEN	(!pending[0] && !pending[1] && !pending[2] && !pending[3])
#define HOST_WRITTEN	(ENTRIES_WRITTEN && !pending[SQ_PI])

bool shadow;			/* CTRL.SHADOW_DB */
bool rung;			/* a write to the doorbell has arrived */
byte rung_pi = FIRST;		/* index of the last doorbell */
bool posted;			/* the host posts no more */
bool ready;			/* the record has its first values */
byte done;			/* entries that the device has read */

active proctype memory()
{
end:	do
	DRAIN(0) DRAIN(1) DRAIN(2) DRAIN(3) DRAIN(SQ_PI) DRAIN(SQ_EVENT)
	od
}

active proctype host()
{
	byte pi = FIRST, old, event, left = ENTRIES, n;

	d_step { mem[SQ_PI] = FIRST; mem[SQ_EVENT] = FIRST; ready = true }
	if
	:: shadow = true
	:: shadow = false
	fi;
	do
	:: left > 0 ->
		/* xrdma_post_send(): one or two requests in a list */
		old = pi;
		if
		:: n = 1
		:: left > 1 -> n = 2
		fi;
		do
		:: n > 0 ->
			/* xrdma_post_one_send() */
			STORE(SLOT(pi), pi + 1);
			d_step { pi = MOD(pi + 1); n--; left-- }
		:: else -> break
		od;
		/* xrdma_publish_sq() */
		/* without shadow doorbells the device does not read sq_pi, and dma_wmb() does
		 * not order the writes of the entries before the doorbell
		 */
		if
		:: shadow ->
#ifndef WITHOUT_wmb_before_index
			ENTRIES_WRITTEN;	/* dma_wmb() */
#endif
			STORE(SQ_PI, pi);
#ifndef WITHOUT_mb_before_event
			HOST_WRITTEN;		/* mb() */
#endif
			event = LOAD(SQ_EVENT);
			if			/* xrdma_db_needed() */
			:: MOD(pi - event - 1) >= MOD(pi - old) -> goto next
			:: else
			fi
		:: else
		fi;
		/* xrdma_write_doorbell() */
#ifndef WITHOUT_order_of_writeq
		HOST_WRITTEN;
#endif
#ifndef WITHOUT_doorbell
		d_step {
			rung = true;
#ifndef WITHOUT_index
			rung_pi = pi
#endif
		}
#endif
next:		skip; d_step { event = 0; old = 0 }
	:: else -> break
	od;
	posted = true
}

/* model_qp_fetch() and what the requester reads: sets moved. */
inline fetch()
{
#ifdef WITHOUT_acquire_of_index
	entry = LOAD(SLOT(seen));
#endif
	pi = (shadow -> LOAD(SQ_PI) : rung_pi);
	moved = (pi != seen);
	do
	:: seen != pi ->
#ifndef WITHOUT_acquire_of_index
		entry = LOAD(SLOT(seen));
#endif
		assert(entry == seen + 1);	/* the entry has been written */
		d_step { seen = MOD(seen + 1); entry = 0; done++ }
	:: else -> break
	od
}

active proctype device()
{
	byte pi = FIRST, seen = FIRST, entry;
	bool moved;

	ready;
idle:	/* the queue pair is not on the list of active ones */
	if
	:: atomic { rung -> rung = false }	/* ring(), model_qp_activate() */
	:: posted && done == ENTRIES -> goto end_done
	fi;
	do
	:: fetch()				/* turn() */
	:: atomic { rung -> rung = false }
	:: /* deactivate_if_idle(): quiet for long, or the loop goes to sleep */
		if
		:: shadow ->		/* write_sq_event() */
#ifndef WITHOUT_event_write
			STORE(SQ_EVENT, seen);
#endif
#ifndef WITHOUT_fence_after_event
			!pending[SQ_EVENT];
#endif
			skip
		:: else
		fi;
		moved = false;
#ifndef WITHOUT_second_fetch
		fetch();
#endif
		if
		:: moved
		:: else -> goto idle		/* model_qp_deactivate() */
		fi
	od;
end_done:
	skip
}

/* A device that stays awake sees everything too. */
ltl all_seen { <> (done == ENTRIES) }
