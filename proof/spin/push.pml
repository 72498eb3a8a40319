/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Section "Push": the host writes an entry to a slot of write-combining memory of the
 * device, in pieces that arrive in any order, and then rings a doorbell that names the
 * slot. The device executes what the host has posted.
 *
 * Host: xrdma_publish_sq() and xrdma_push() of the provider's post.c. Device:
 * model_push_write(), model_push_take() and model_push_read() in model/core/push.c,
 * ring_sq() in model/core/doorbell.c.
 *
 * The host posts ENTRIES entries to one queue pair, at most as many at a time as the
 * ring has. Each is pushed, or is posted with a doorbell that names no slot; with shadow
 * doorbells some have no doorbell, and the device reads the index at any time. An entry
 * has two words, so that a slot can be torn. Indexes are modulo 8, and an entry of a later
 * lap of the indexes differs from one of an earlier lap.
 *
 * mutant: WITHOUT_flush_of_slot - the doorbell overtakes a part of the slot
 * mutant: WITHOUT_flush_of_doorbell - the next entry overtakes the doorbell of this one
 * mutant: WITHOUT_index_in_doorbell - the device uses the slot for another entry
 * mutant: WITHOUT_drop_of_old - a push that was not used is used one lap of indexes later
 * mutant: WITHOUT_entry_in_memory - the device does not use the slot, and reads the ring
 */
#define ENTRIES	11
#define MOD(x)	((x) & 7)
#define DEPTH	2
#define SLOT(i)	(((i) & 1) * 2)	/* location of the first word of an entry in the ring */
#define WORD(n)	((n) + 1)	/* value of both words of entry number n, never 0 */

#define SQ_PI		4
#define PUSH_SLOT	5	/* and 6 */
#define LOCS		7
#include "memory.inc"

#define RING_WRITTEN	(!pending[0] && !pending[1] && !pending[2] && !pending[3])
#define PUSH_WRITTEN	(!pending[PUSH_SLOT] && !pending[PUSH_SLOT + 1])

bool shadow;			/* CTRL.SHADOW_DB */
/* a doorbell that the host has written and that has not arrived */
bool bell, bell_push;
byte bell_pi;
byte bell_at;			/* number of entries posted when the host wrote it */
/* the device: index of the last doorbell; copy of a slot; whether it has one */
byte rung_pi, pushed[2], pushed_index;
bool has_pushed;
byte done;			/* number of entries that the device has executed */

active proctype memory()
{
end:	do
	DRAIN(0) DRAIN(1) DRAIN(2) DRAIN(3) DRAIN(SQ_PI)
	/* write-combining memory: no order between the words */
	DRAIN(PUSH_SLOT) DRAIN(PUSH_SLOT + 1)
	od
}

/* A doorbell arrives: ring_sq(). Doorbells arrive in order. */
active proctype bus()
{
end:	do
	:: d_step { bell ->
		if
		:: bell_push ->		/* model_push_take() */
			pushed[0] = mem[PUSH_SLOT];
			pushed[1] = mem[PUSH_SLOT + 1];
			pushed_index = MOD(bell_pi - 1);
			has_pushed = true
		:: else
		fi;
		rung_pi = bell_pi;
		bell = false; bell_push = false; bell_pi = 0; bell_at = 0 }
	od
}

inline ring(with_push)
{
	!bell;		/* doorbells are not combined, and leave in order */
	d_step { bell_push = with_push; bell_pi = MOD(n); bell_at = n; bell = true }
}

/* xrdma_push() */
inline push()
{
#ifndef WITHOUT_flush_of_doorbell
	!bell;				/* mmio_wc_start() */
#endif
	STORE(PUSH_SLOT, WORD(n - 1));
	STORE(PUSH_SLOT + 1, WORD(n - 1));
#ifndef WITHOUT_flush_of_slot
	PUSH_WRITTEN;			/* mmio_flush_writes() */
#endif
	ring(true)
}

/* a doorbell arrives before the indexes have lapped, which takes 2^32 entries */
#define OLD_BELL	(bell && n - bell_at >= 8 - 2 * DEPTH)

active proctype host()
{
	byte n;				/* number of entries posted */

	if
	:: shadow = true
	:: shadow = false
	fi;
	do
	:: n < ENTRIES && n - done < DEPTH ->
#ifndef WITHOUT_entry_in_memory
		STORE(SLOT(n), WORD(n));
		STORE(SLOT(n) + 1, WORD(n));
#endif
		n++;
		RING_WRITTEN;		/* udma_to_device_barrier() */
		STORE(SQ_PI, MOD(n));
		/* without shadow doorbells the barrier before the doorbell */
		if
		:: push()
		:: !pending[SQ_PI] -> ring(false)
		:: shadow && !OLD_BELL	/* the device is awake */
		fi
	:: n == ENTRIES -> break
	od
}

/* the copy is of the entry that the device reads */
#ifndef WITHOUT_index_in_doorbell
#define USABLE	(has_pushed && pushed_index == MOD(done))
#else
#define USABLE	has_pushed
#endif

/* model_qp_read_sq(): the copy of the slot, or the ring */
inline execute()
{
#ifndef WITHOUT_drop_of_old
	d_step {
		if
		:: has_pushed && MOD(pushed_index - done) >= DEPTH -> has_pushed = false
		:: else
		fi
	}
#endif
	if
	:: d_step { USABLE -> first = pushed[0]; second = pushed[1]; has_pushed = false }
	:: first = LOAD(SLOT(done)); second = LOAD(SLOT(done) + 1)
	fi;
	assert(first == WORD(done) && second == WORD(done));
	d_step { done++; first = 0; second = 0 }
}

active proctype device()
{
	byte first, second;

end:	do
	:: done < ENTRIES && MOD(done) != (shadow -> LOAD(SQ_PI) : rung_pi) -> execute()
	od
}

ltl all_done { <> (done == ENTRIES) }
