// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The arithmetic of rings, xrdma-ring.h. A ring is modelled by counters of 64
 * bits that never wrap: producer and consumer count all entries since the ring
 * was created. The functions see the low 32 bits of these counters.
 *
 * CBMC: --unwind 6
 */

#include "proof.h"
#include <rdma/xrdma-ring.h>

/**
 * struct ring - a ring at some time of its life
 * @pi: number of entries that have been produced
 * @ci: number of entries that have been consumed
 * @log: log2 of the depth
 */
struct ring {
	u64 pi;
	u64 ci;
	u8 log;
};

/* A ring of up to 2^@max_log entries, neither overrun nor underrun */
static struct ring any_ring(u8 max_log)
{
	struct ring r;

	ASSUME(r.log <= max_log);
	ASSUME(r.ci <= r.pi && r.pi - r.ci <= 1ULL << r.log);
	return r;
}

/*
 * Theorem: The numbers of used and of free entries are exact after any number of
 *	wraps of the indexes; an empty ring is never taken for a full one, nor
 *	a full one for an empty one.
 * Holds for: all rings of up to 2^31 entries.
 * Assumes: the producer is at most a depth ahead of the consumer.
 */
static void full_and_empty_differ(void)
{
	struct ring r = any_ring(31);
	u32 used = xrdma_ring_used(low32(r.pi), low32(r.ci));
	u32 room = xrdma_ring_free(low32(r.pi), low32(r.ci), r.log);

	REACHABLE(used == 1U << r.log && r.pi >> 32 != r.ci >> 32);
	REACHABLE(!used && r.pi >> 32 > 1);
	PROVE(used == r.pi - r.ci);
	PROVE(room == (1ULL << r.log) - (r.pi - r.ci));
	PROVE((used == 0) == (r.pi == r.ci));
	PROVE((room == 0) == (r.pi == r.ci + (1ULL << r.log)));
	PROVE(used != 0 || room != 0);
}

/*
 * Theorem: The slot of an entry is inside the ring; two entries that are in the
 *	ring at the same time have different slots.
 * Holds for: all rings of up to 2^31 entries.
 * Assumes: the producer is at most a depth ahead of the consumer.
 */
static void slots_are_distinct(void)
{
	struct ring r = any_ring(31);
	u64 a = nondet_u64();
	u64 b = nondet_u64();
	u32 slot = xrdma_ring_slot(low32(a), r.log);

	ASSUME(r.ci <= a && a < b && b < r.pi);
	REACHABLE(b >> 32 != a >> 32);
	PROVE(slot < 1U << r.log);
	PROVE(slot == (a & ((1ULL << r.log) - 1)));
	PROVE(slot != xrdma_ring_slot(low32(b), r.log));
}

/*
 * Theorem: A reader takes an entry for written exactly if the device has written
 *	the slot in the present lap; the word of the lap before, and in the
 *	first lap the zeroed memory, are not valid.
 * Holds for: all rings of up to 2^31 entries, in each lap.
 * Assumes: bit 0 of the last word is the phase that the device has written last.
 */
static void phase_tells_laps_apart(void)
{
	u64 index = nondet_u64();
	u32 own = nondet_u32();
	bool written = nondet_truth();
	u8 log = nondet_u8();
	u32 old, phase;
	u64 lap;

	ASSUME(log <= 31);
	lap = index >> log;
	/* what the slot has before the device writes it in this lap */
	old = lap ? xrdma_ring_phase(low32(index - (1ULL << log)), log) : 0;
	phase = xrdma_ring_phase(low32(index), log);
	ASSUME((own & 1) == (written ? phase : old));
	REACHABLE(lap == 0 && written);
	REACHABLE(index >> 32 && !written);
	PROVE(phase == (lap % 2 == 0 ? 1 : 0));
	PROVE(xrdma_ring_valid(own, low32(index), log) == written);
}

/*
 * Theorem: The index of a completed entry is found from its low 16 bits, also
 *	where the index wraps at 2^16 and at 2^32.
 * Holds for: all indexes.
 * Assumes: the entry is less than 2^16 ahead of the consumer index.
 */
static void low_bits_find_the_index(void)
{
	u64 ci = nondet_u64();
	u64 ahead = nondet_u64();
	u64 index = ci + ahead;

	ASSUME(ahead < 1 << 16);
	REACHABLE(low16(index) < low16(ci));
	REACHABLE(low32(index) < low32(ci));
	PROVE(xrdma_ring_unwind_index(low32(ci), low16(index)) == low32(index));
}

/*
 * Theorem: The rule of the doorbell is exact: it asks for a doorbell exactly if
 *	the index at which the device went idle is one of those that the
 *	producer has just left.
 * Holds for: all indexes.
 * Assumes: the producer moves by 1 to 2^31 entries; the device saw an index that
 *	the producer has published in the last 2^31 entries.
 */
static void doorbell_is_exact(void)
{
	u64 old = nondet_u64();
	u64 new = nondet_u64();
	u64 event = nondet_u64();

	ASSUME(old < new && new - old <= 1ULL << 31);
	ASSUME(event <= new && new - event <= 1ULL << 31);
	REACHABLE(event == old);
	REACHABLE(event == new);
	REACHABLE(event < old);
	PROVE(xrdma_db_needed(low32(event), low32(new), low32(old)) ==
	      (old <= event && event < new));
}

/*
 * Theorem: A doorbell has its number, the type of its arming and its index in the
 *	bits that the specification names, and zeros in the reserved bits.
 * Holds for: all numbers, types and indexes.
 * Assumes: the number has 24 bits.
 */
static void doorbells_hold_their_arguments(void)
{
	u32 number = nondet_u32(), type = nondet_u8(), index = nondet_u32();
	u64 sq = xrdma_make_sq_db(number, index), arm;

	ASSUME(number <= XRDMA_QPN_MASK);
	ASSUME(type == XRDMA_ARM_NEXT || type == XRDMA_ARM_SOLICITED);
	arm = xrdma_make_arm_db(number, type, index);
	REACHABLE(number == XRDMA_QPN_MASK && index == UINT32_MAX);
	PROVE((sq & 0xffffffff) == number && sq >> 32 == index);
	PROVE((arm & 0xffffff) == number && arm >> 32 == index);
	PROVE((arm >> 24 & 0xff) == type);
	PROVE(xrdma_db_index(sq) == index && xrdma_db_index(arm) == index);
}

/*
 * Theorem: A doorbell that names a slot has the bits of a doorbell without a slot, and
 *	size and offset of the slot in the others; the device reads the same size
 *	and offset, and the slot is inside of the push page.
 * Holds for: all queue pairs, indexes and slots.
 * Assumes: the number has 24 bits; the slot has 64, 128 or 256 bytes, and is aligned
 *	to its size.
 */
static void pushes_hold_their_slot(void)
{
	u32 number = nondet_u32(), index = nondet_u32(), at = nondet_u32();
	u8 log = nondet_u8();
	u64 db;

	ASSUME(number <= XRDMA_QPN_MASK);
	ASSUME(log >= XRDMA_PUSH_LOG_MIN && log <= XRDMA_PUSH_LOG_MAX);
	ASSUME(at < XRDMA_DB_PAGE_SIZE && at % (1U << log) == 0);
	db = xrdma_make_push_db(number, index, at, log);
	REACHABLE(at == XRDMA_DB_PAGE_SIZE - 64 && log == 6);
	REACHABLE(at == XRDMA_DB_PAGE_SIZE - 256 && log == 8);
	PROVE((db & ~0xff000000ULL) == xrdma_make_sq_db(number, index));
	PROVE(xrdma_db_push_size(db) == 1U << log);
	PROVE(xrdma_db_push_at(db) == at);
	PROVE(at + xrdma_db_push_size(db) <= XRDMA_DB_PAGE_SIZE);
	PROVE(xrdma_db_push_size(xrdma_make_sq_db(number, index)) == 0);
}

/*
 * Theorem: The slot for an entry is the smallest one that holds it; an entry of more
 *	bytes than the largest slot has none.
 * Holds for: all lengths.
 * Assumes: nothing.
 */
static void slots_hold_their_entry(void)
{
	u32 bytes = nondet_u32();
	u8 log = xrdma_push_log(bytes);

	REACHABLE(log == 8 && bytes == 256);
	REACHABLE(!log && bytes == 257);
	PROVE((log == 0) == (bytes > 1U << XRDMA_PUSH_LOG_MAX));
	if (!log)
		return;
	PROVE(log >= XRDMA_PUSH_LOG_MIN && log <= XRDMA_PUSH_LOG_MAX);
	PROVE(bytes <= 1U << log);
	PROVE(log == XRDMA_PUSH_LOG_MIN || bytes > 1U << (log - 1));
}

/**
 * struct doorbell - producer and device of a send queue, step by step
 * @pi: what the producer has published
 * @event: what the device has published before it sleeps
 * @seen: what the device has seen
 * @asleep: the device has published @event and read @pi once more
 * @rung: the doorbell has been rung
 */
struct doorbell {
	u32 pi;
	u32 event;
	u32 seen;
	bool asleep;
	bool rung;
};

/* The device writes what it has seen, and then looks at the index once more. */
static void device_step(struct doorbell *d, u8 *step)
{
	if (*step == 0)
		d->event = d->seen;
	if (*step == 1)
		d->asleep = d->pi == d->seen;
	(*step)++;
}

/* The producer publishes its index, and then reads what the device has written. */
static void producer_step(struct doorbell *d, u8 *step, u32 new, u32 old)
{
	if (*step == 0)
		d->pi = new;
	if (*step == 1)
		d->rung = xrdma_db_needed(d->event, new, old);
	(*step)++;
}

/*
 * Theorem: No wake-up is lost: in each order of the steps of producer and
 *	device, the device has seen the new index or the doorbell is rung.
 * Holds for: all indexes, all orders of two steps of each side.
 * Assumes: each side executes its own steps in order, and its second step sees
 *	what the other side has written before (the full barriers).
 */
static void no_wake_up_is_lost(void)
{
	struct doorbell d = { .rung = false };
	u32 old = nondet_u32();
	u32 new = nondet_u32();
	u8 device = 0, producer = 0;
	u8 i;

	ASSUME(new != old && new - old <= 1U << 31);
	d.pi = old;
	d.seen = old;
	d.event = nondet_u32();
	for (i = 0; i < 4; i++) {
		bool first = nondet_truth();

		ASSUME(first ? device < 2 : producer < 2);
		if (first)
			device_step(&d, &device);
		else
			producer_step(&d, &producer, new, old);
	}
	REACHABLE(d.asleep && d.rung);
	REACHABLE(!d.asleep && !d.rung);
	PROVE(!d.asleep || d.rung);
}

/*
 * Theorem: An arm word differs from the one before it in its sequence, which
 *	advances by 1 modulo 2^30, and holds the given type.
 * Holds for: all inputs.
 * Assumes: the type fits its two bits.
 */
static void arming_advances_the_sequence(void)
{
	u32 arm = nondet_u32();
	u32 type = nondet_u32();
	u32 next = xrdma_arm_next(arm, type);

	ASSUME(type < 4);
	REACHABLE(next < arm);
	PROVE((next & 3) == type);
	PROVE((next >> 2) == ((arm >> 2) + 1) % (1U << 30));
}

/*
 * Theorem: The send ring of a queue pair begins at the first multiple of 64 behind the
 *	receive ring, which is at offset 0, and has room for as many of the longest
 *	entries as the queue is deep and for a tail that is one unit shorter than
 *	such an entry; without a send queue it has no bytes. The record begins at
 *	the first multiple of 128 behind it, so that it does not cross the end of a
 *	page; that of a completion queue begins right behind its ring.
 * Holds for: all depths up to 2^31, all strides up to 2^10 and all lengths of entries,
 *	0 for no ring.
 * Assumes: nothing.
 */
static void records_are_behind_rings(void)
{
	u8 sq = nondet_u8(), units = nondet_u8();
	u8 rq = nondet_u8(), rq_stride = nondet_u8();
	u64 receives = 0, sends = 0;
	u64 offset, rec;

	ASSUME(sq <= 31 && rq <= 31);
	ASSUME(units <= XRDMA_SQ_UNITS_MAX);
	ASSUME(rq_stride <= XRDMA_LOG_STRIDE_MAX);
	if (units)
		sends = ((u64)units << sq) * 64 + (units - 1) * 64;
	if (rq_stride)
		receives = 1ULL << rq << rq_stride;
	offset = xrdma_qp_sq_offset(rq, rq_stride);
	REACHABLE(offset > receives && units);
	REACHABLE(rq_stride && offset == receives);
	PROVE(offset >= receives && offset - receives < 64 && offset % 64 == 0);
	PROVE(xrdma_sq_size(sq, units) == sends);
	rec = xrdma_qp_rec_offset(sq, units, rq, rq_stride);
	PROVE(rec >= offset + sends && rec - offset - sends < 128);
	PROVE(rec % 128 == 0);
	PROVE(xrdma_cq_rec_offset(sq) == 64ULL << sq);
}

/*
 * Theorem: An entry has as few units as hold its bytes; its flags hold this length
 *	beside the four other flags.
 * Holds for: all entries of 1 to 1024 bytes, all flags.
 * Assumes: nothing.
 */
static void lengths_are_in_the_flags(void)
{
	u32 bytes = nondet_u32(), units;
	u8 flags = nondet_u8(), length;

	ASSUME(bytes && bytes <= 1024 && flags < 16);
	units = xrdma_sq_units(bytes);
	REACHABLE(units == 16 && bytes == 961);
	PROVE(units * 64 >= bytes && units * 64 - bytes < 64 && units <= 16);
	length = xrdma_wqe_length(units);
	PROVE(!(length & 15) && length >> 4 == units - 1);
	PROVE(xrdma_wqe_units(flags | length) == units);
}

/*
 * Theorem: The next entry begins where an entry ends; if that is behind the end of the
 *	ring, as far behind its begin.
 * Holds for: rings of up to 2^31 units, all places and lengths.
 * Assumes: the entry is not longer than the ring.
 */
static void entries_follow_each_other(void)
{
	u32 ring = nondet_u32(), place = nondet_u32(), units = nondet_u32();
	u32 next;

	ASSUME(ring <= 1U << 31 && place < ring && units <= ring);
	next = xrdma_sq_next(place, units, ring);
	REACHABLE(next == 0 && units < ring);
	REACHABLE(next && next < place);
	PROVE(next < ring && (next == place + units ||
			      (next == place + units - ring &&
			       place + units >= ring)));
}

/*
 * Theorem: The constants have the values of the specification: send entries of 1
 *	to 16 units of 64 bytes, receive entries of 32 to 1024 bytes, completion queues of
 *	at least 16 entries; the type of an arm word, 0 to 2, in bits 1:0, and
 *	its sequence above them; the phase in bit 0; the doorbells of send,
 *	completion and event queues at bytes 0, 8 and 16 of a page of 4096 bytes.
 * Holds for: the constants.
 * Assumes: nothing.
 */
static void constants_are_those_of_the_specification(void)
{
	REACHABLE(true);
	PROVE(XRDMA_SQ_UNIT == 64 && XRDMA_SQ_UNITS_MAX == 16);
	PROVE(XRDMA_WQE_UNITS_SHIFT == 4);
	PROVE(1 << XRDMA_RQ_LOG_STRIDE_MIN == 32);
	PROVE(1 << XRDMA_LOG_STRIDE_MAX == 1024);
	PROVE(1 << XRDMA_CQ_LOG_MIN == 16);
	PROVE(XRDMA_ARM_NONE == 0 && XRDMA_ARM_NEXT == 1);
	PROVE(XRDMA_ARM_SOLICITED == 2 && XRDMA_ARM_TYPE_MASK == 3);
	PROVE(XRDMA_ARM_SN_SHIFT == 2 && XRDMA_CQE_PHASE == 1);
	PROVE(XRDMA_DB_SQ == 0 && XRDMA_DB_CQ == 8 && XRDMA_DB_EQ == 16);
	PROVE(XRDMA_DB_PAGE_SIZE == 4096);
}
