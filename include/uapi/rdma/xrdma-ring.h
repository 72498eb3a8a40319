/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR Linux-OpenIB) */
/*
 * XRDMA rings: limits of their sizes, and the arithmetic of their indexes,
 * phases, doorbells, arm words and buffers. The driver, the provider and a
 * device in software compute all of these with the functions of this file.
 *
 * Layouts of entries and records are in xrdma-abi.h. Reading a record or an
 * entry, memory barriers and the doorbell's write are left to the caller.
 *
 * Every argument and every result is in the byte order of the processor.
 * Indexes count entries since the ring was created, modulo 2^32. The number of
 * entries of a ring, its depth, is a power of two.
 */

#ifndef XRDMA_RING_USER_H
#define XRDMA_RING_USER_H

#include <rdma/xrdma-abi.h>

/* ---- limits ---------------------------------------------------------- */

/*
 * Send entries have a length in units. A stride is the bytes of a receive entry:
 * the limits of its log2 are those of queue pairs, work queues and shared receive
 * queues.
 */
#define XRDMA_SQ_UNIT			64 /* bytes of a unit of send entries */
#define XRDMA_SQ_UNITS_MAX		16 /* highest sq_units */
#define XRDMA_WQE_UNITS_SHIFT		4 /* lowest bit of the length in flags */
#define XRDMA_RQ_LOG_STRIDE_MIN		5 /* lowest log_rq_stride */
#define XRDMA_LOG_STRIDE_MAX		10 /* highest log2 of a stride */
#define XRDMA_CQ_LOG_MIN		4 /* lowest log_depth of a CQ */

/* ---- indexes --------------------------------------------------------- */

/**
 * xrdma_ring_slot() - place of an entry in its ring
 * @index: index of the entry
 * @log_depth: log2 of the number of entries
 *
 * Return: 0 to (1 << @log_depth) - 1.
 */
static inline __u32 xrdma_ring_slot(__u32 index, __u8 log_depth)
{
	return index & ((1U << log_depth) - 1);
}

/**
 * xrdma_ring_used() - number of entries between consumer and producer
 * @pi: producer index
 * @ci: consumer index; the caller checks that it is at most a depth behind @pi
 *
 * Return: number of entries.
 */
static inline __u32 xrdma_ring_used(__u32 pi, __u32 ci)
{
	return pi - ci;
}

/**
 * xrdma_ring_free() - number of entries that may still be produced
 * @pi: producer index
 * @ci: consumer index
 * @log_depth: log2 of the number of entries
 *
 * Return: number of entries.
 */
static inline __u32 xrdma_ring_free(__u32 pi, __u32 ci, __u8 log_depth)
{
	return (1U << log_depth) - xrdma_ring_used(pi, ci);
}

/**
 * xrdma_ring_low() - low 16 bits of an index, which a completion has
 * @index: index of the entry
 *
 * Return: the wqe_index of the completion.
 */
static inline __u16 xrdma_ring_low(__u32 index)
{
	return index & 0xffff;
}

/**
 * xrdma_ring_unwind_index() - index of which a completion has the low 16 bits
 * @ci: consumer index, at most 2^16 - 1 behind the result
 * @low: wqe_index of the completion
 *
 * Return: the index of the entry.
 */
static inline __u32 xrdma_ring_unwind_index(__u32 ci, __u16 low)
{
	return ci + xrdma_ring_low(low - ci);
}

/* ---- send entries ------------------------------------------------------ */

/**
 * xrdma_sq_units() - units that a send entry needs
 * @bytes: bytes of the entry
 *
 * Return: number of units.
 */
static inline __u32 xrdma_sq_units(__u32 bytes)
{
	return (bytes + XRDMA_SQ_UNIT - 1) / XRDMA_SQ_UNIT;
}

/**
 * xrdma_wqe_length() - length of a send entry as its flags have it
 * @units: units of the entry, 1 to XRDMA_SQ_UNITS_MAX
 *
 * Return: bits 7:4 of the flags; the other bits are 0.
 */
static inline __u8 xrdma_wqe_length(__u32 units)
{
	return (units - 1) << XRDMA_WQE_UNITS_SHIFT;
}

/**
 * xrdma_wqe_units() - units of a send entry
 * @flags: flags of the entry
 *
 * Return: 1 to XRDMA_SQ_UNITS_MAX.
 */
static inline __u32 xrdma_wqe_units(__u8 flags)
{
	return (flags >> XRDMA_WQE_UNITS_SHIFT) + 1;
}

/**
 * xrdma_sq_next() - place of the send entry behind another one
 * @place: place of the other entry in units, less than @ring
 * @units: units of the other entry, at most @ring
 * @ring: units of the ring without its tail: sq_units << log_sq_depth
 *
 * An entry that begins before the end of the ring continues in the tail.
 *
 * Return: the place in units.
 */
static inline __u32 xrdma_sq_next(__u32 place, __u32 units, __u32 ring)
{
	__u32 next = place + units;

	return next < ring ? next : next - ring;
}

/* ---- phases ---------------------------------------------------------- */

/* Phase bit of the last word of a completion, an event or a reply */
#define XRDMA_CQE_PHASE			0x1

/**
 * xrdma_ring_phase() - phase that the device gives an entry
 * @index: index of the entry
 * @log_depth: log2 of the number of entries
 *
 * Return: 1 in the first lap of the ring, 0 in the second, and so on.
 */
static inline __u32 xrdma_ring_phase(__u32 index, __u8 log_depth)
{
	return !((index >> log_depth) & 1);
}

/**
 * xrdma_ring_valid() - has the device written this entry in this lap?
 * @own: last word of the entry, read once
 * @index: index of the entry that the reader expects
 * @log_depth: log2 of the number of entries
 *
 * The caller orders its reads of the rest of the entry after that of @own.
 *
 * Return: 1 if the device has written the entry, else 0.
 */
static inline int xrdma_ring_valid(__u32 own, __u32 index, __u8 log_depth)
{
	return (own & XRDMA_CQE_PHASE) == xrdma_ring_phase(index, log_depth);
}

/* ---- doorbells ------------------------------------------------------- */

/*
 * Offsets of the doorbells in a doorbell page; all other offsets are reserved. A
 * doorbell is one write of 64 bits: a number in bits 23:0 (XRDMA_QPN_MASK), an
 * index in 63:32; of a completion or event queue the type of arming in 25:24 and 0
 * in 31:26; of a send queue the slot of a push in 31:24, or 0.
 */
#define XRDMA_DB_PAGE_SIZE		4096
#define XRDMA_DB_SQ			0x00 /* entries of a send queue */
#define XRDMA_DB_CQ			0x08 /* arms a completion queue */
#define XRDMA_DB_EQ			0x10 /* arms an event queue (kernel) */
#define XRDMA_DB_TYPE_SHIFT		24   /* lowest bit of the type */

/**
 * xrdma_make_sq_db() - doorbell that makes entries of a send queue known
 * @qpn: number of the queue pair, 24 bits
 * @pi: producer index; the entries before it have been written
 *
 * Return: the 64-bit word for XRDMA_DB_SQ.
 */
static inline __u64 xrdma_make_sq_db(__u32 qpn, __u32 pi)
{
	return (__u64)pi << 32 | qpn;
}

/*
 * Slots in a push page. A slot has 64, 128 or 256 bytes and is aligned to its size;
 * its doorbell has log2 of the size, less XRDMA_PUSH_LOG_BASE, in bits 25:24, and
 * its offset, in units of the smallest slot, in 31:26.
 */
#define XRDMA_PUSH_LOG_BASE		5
#define XRDMA_PUSH_LOG_MIN		6 /* log2 of the smallest slot */
#define XRDMA_PUSH_LOG_MAX		8 /* log2 of the largest slot */
#define XRDMA_DB_PUSH_SIZE_SHIFT	24
#define XRDMA_DB_PUSH_AT_SHIFT		26

/**
 * xrdma_push_log() - size of the smallest slot for an entry
 * @bytes: bytes of the entry
 *
 * Return: log2 of the bytes of the slot; 0: the entry fits no slot.
 */
static inline __u8 xrdma_push_log(__u32 bytes)
{
	__u8 log = XRDMA_PUSH_LOG_MIN;

	while (log <= XRDMA_PUSH_LOG_MAX && bytes > 1U << log)
		log++;
	return log <= XRDMA_PUSH_LOG_MAX ? log : 0;
}

/**
 * xrdma_make_push_db() - doorbell of a send queue that names a slot
 * @qpn: number of the queue pair, 24 bits
 * @pi: producer index; the slot has the entry before it
 * @at: offset of the slot in the push page, a multiple of its size
 * @log: log2 of the bytes of the slot, XRDMA_PUSH_LOG_MIN to XRDMA_PUSH_LOG_MAX
 *
 * Return: the 64-bit word for XRDMA_DB_SQ.
 */
static inline __u64 xrdma_make_push_db(__u32 qpn, __u32 pi, __u32 at, __u8 log)
{
	__u32 size = log - XRDMA_PUSH_LOG_BASE;

	return xrdma_make_sq_db(qpn, pi) | size << XRDMA_DB_PUSH_SIZE_SHIFT |
	       at >> XRDMA_PUSH_LOG_MIN << XRDMA_DB_PUSH_AT_SHIFT;
}

/**
 * xrdma_db_push_size() - size of the slot that a doorbell names
 * @db: the 64-bit word for XRDMA_DB_SQ
 *
 * Return: number of bytes; 0: the doorbell names no slot.
 */
static inline __u32 xrdma_db_push_size(__u64 db)
{
	__u32 size = db >> XRDMA_DB_PUSH_SIZE_SHIFT & 3;

	return size ? 1U << (size + XRDMA_PUSH_LOG_BASE) : 0;
}

/**
 * xrdma_db_push_at() - offset of the slot that a doorbell names
 * @db: the 64-bit word for XRDMA_DB_SQ
 *
 * Return: offset in the push page, in bytes; the reader checks the alignment.
 */
static inline __u32 xrdma_db_push_at(__u64 db)
{
	return (db >> XRDMA_DB_PUSH_AT_SHIFT & 0x3f) << XRDMA_PUSH_LOG_MIN;
}

/**
 * xrdma_make_arm_db() - doorbell that arms a completion or event queue
 * @number: number of the queue, 24 bits
 * @type: XRDMA_ARM_NEXT or XRDMA_ARM_SOLICITED
 * @index: index of the first entry that the host has not seen
 *
 * Return: the 64-bit word for XRDMA_DB_CQ or XRDMA_DB_EQ.
 */
static inline __u64 xrdma_make_arm_db(__u32 number, __u32 type, __u32 index)
{
	return (__u64)index << 32 | type << XRDMA_DB_TYPE_SHIFT | number;
}

/**
 * xrdma_db_index() - index in a doorbell
 * @db: the 64-bit word
 *
 * Return: the argument @pi or @index with which the word was made.
 */
static inline __u32 xrdma_db_index(__u64 db)
{
	return db >> 32;
}

/**
 * xrdma_db_needed() - must the doorbell of a send queue be rung?
 * @event: sq_event of struct xrdma_qp_rec, read after a full barrier
 * @new_pi: producer index just published
 * @old_pi: producer index before that
 *
 * The rule is that of @sq_event in struct xrdma_qp_rec. It holds only with shadow
 * doorbells.
 *
 * Return: 1 if the device went to sleep at an index in [@old_pi, @new_pi),
 * else 0.
 */
static inline int xrdma_db_needed(__u32 event, __u32 new_pi, __u32 old_pi)
{
	return new_pi - event - 1 < new_pi - old_pi;
}

/* ---- arming ---------------------------------------------------------- */

/* The arm word of a completion or event queue holds a type and a sequence. */
#define XRDMA_ARM_TYPE_MASK		0x3 /* bits of the type */
#define XRDMA_ARM_NONE			0 /* no entry raises an event */
#define XRDMA_ARM_NEXT			1 /* the next entry raises an event */
#define XRDMA_ARM_SOLICITED		2 /* a solicited or failed entry does so */
#define XRDMA_ARM_SN_SHIFT		2 /* lowest bit of the sequence */

/**
 * xrdma_arm_next() - word that arms a completion or event queue once more
 * @arm: present arm word of the record
 * @type: XRDMA_ARM_NEXT or XRDMA_ARM_SOLICITED
 *
 * Return: the new word: the next sequence number, and the given type.
 */
static inline __u32 xrdma_arm_next(__u32 arm, __u32 type)
{
	return (((arm >> XRDMA_ARM_SN_SHIFT) + 1) << XRDMA_ARM_SN_SHIFT) | type;
}

/* ---- buffers --------------------------------------------------------- */

/**
 * xrdma_sq_size() - size of a send ring with its tail
 * @log_sq_depth: log2 of the number of send entries
 * @sq_units: units of the longest send entry; 0: no send queue
 *
 * Return: number of bytes.
 */
static inline __u64 xrdma_sq_size(__u8 log_sq_depth, __u8 sq_units)
{
	__u64 units = (__u64)sq_units << log_sq_depth;

	return sq_units ? (units + sq_units - 1) * XRDMA_SQ_UNIT : 0;
}

/**
 * xrdma_qp_sq_offset() - where the send ring is in the buffer of a queue pair
 * @log_rq_depth: log2 of the number of receive entries
 * @log_rq_stride: log2 of the bytes of a receive entry; 0: no receive queue
 *
 * The receive ring is at offset 0.
 *
 * Return: offset in bytes, a multiple of 64.
 */
static inline __u64 xrdma_qp_sq_offset(__u8 log_rq_depth, __u8 log_rq_stride)
{
	__u64 size = log_rq_stride ? 1ULL << (log_rq_depth + log_rq_stride) : 0;

	return (size + 63) & ~63ULL;
}

/**
 * xrdma_qp_rec_offset() - where the record is in the buffer of a queue pair
 * @log_sq_depth: log2 of the number of send entries
 * @sq_units: units of the longest send entry; 0: no send queue
 * @log_rq_depth: log2 of the number of receive entries
 * @log_rq_stride: log2 of the bytes of a receive entry; 0: no receive queue
 *
 * The buffer of a shared receive queue or of a work queue has the layout of a
 * queue pair without a send queue.
 *
 * The record does not cross the end of a page.
 *
 * Return: offset in bytes, a multiple of 128.
 */
static inline __u64 xrdma_qp_rec_offset(__u8 log_sq_depth, __u8 sq_units,
					__u8 log_rq_depth, __u8 log_rq_stride)
{
	__u64 size = xrdma_qp_sq_offset(log_rq_depth, log_rq_stride) +
		     xrdma_sq_size(log_sq_depth, sq_units);

	return (size + 127) & ~127ULL;
}

/**
 * xrdma_cq_rec_offset() - where the record is in the buffer of a CQ or an EQ
 * @log_depth: log2 of the number of entries
 *
 * Return: offset in bytes.
 */
static inline __u64 xrdma_cq_rec_offset(__u8 log_depth)
{
	return sizeof(struct xrdma_cqe) << log_depth;
}

#endif /* XRDMA_RING_USER_H */
