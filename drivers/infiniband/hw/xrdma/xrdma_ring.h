/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA ring arithmetic: indexes, phases, doorbell and arming rules. Pure
 * layer: no locks, no allocation, no device; also compiles in user space.
 *
 * Indexes are free-running, modulo 2^32; depths are powers of two.
 */

#ifndef XRDMA_RING_H
#define XRDMA_RING_H

#include <linux/bitfield.h>
#include "xrdma_hw.h"

/**
 * xrdma_ring_slot() - entry of the ring that an index falls on
 * @index: free-running index
 * @log_depth: log2 of the entries
 *
 * Return: 0 to (1 << @log_depth) - 1.
 */
static inline u32 xrdma_ring_slot(u32 index, u8 log_depth)
{
	return index & ((1U << log_depth) - 1);
}

/**
 * xrdma_ring_used() - entries between consumer and producer
 * @pi: producer index
 * @ci: consumer index; more than a depth behind @pi means a corrupt index,
 *	which is not checked here
 *
 * Return: number of entries.
 */
static inline u32 xrdma_ring_used(u32 pi, u32 ci)
{
	return pi - ci;
}

/**
 * xrdma_ring_free() - entries that may still be produced
 * @pi: producer index
 * @ci: consumer index
 * @log_depth: log2 of the entries
 *
 * Return: number of entries.
 */
static inline u32 xrdma_ring_free(u32 pi, u32 ci, u8 log_depth)
{
	return (1U << log_depth) - xrdma_ring_used(pi, ci);
}

/**
 * xrdma_ring_phase() - phase that the writer of an entry gives it
 * @index: free-running index of the entry
 * @log_depth: log2 of the entries
 *
 * Return: 1 in the first lap, 0 in the second, and so on.
 */
static inline u32 xrdma_ring_phase(u32 index, u8 log_depth)
{
	return !((index >> log_depth) & 1);
}

/**
 * xrdma_ring_valid() - has the device written this entry in this lap?
 * @own: last word of the entry, read once
 * @index: free-running index at which the entry is expected
 * @log_depth: log2 of the entries
 *
 * The caller orders its reads of the rest of the entry after that of @own.
 *
 * Return: true if the entry is the reader's.
 */
static inline bool xrdma_ring_valid(__le32 own, u32 index, u8 log_depth)
{
	return (le32_to_cpu(own) & XRDMA_CQE_PHASE) ==
	       xrdma_ring_phase(index, log_depth);
}

/**
 * xrdma_ring_unwind_index() - index whose low 16 bits are in a completion
 * @ci: present consumer index, at most 2^16 - 1 behind the result
 * @low: xrdma_cqe.wqe_index
 *
 * Return: the free-running index of the entry.
 */
static inline u32 xrdma_ring_unwind_index(u32 ci, u16 low)
{
	return ci + (u16)(low - (u16)ci);
}

/**
 * xrdma_db_needed() - must the doorbell be rung?
 * @event: xrdma_qp_rec.sq_event, read after a full barrier
 * @new_pi: producer index just published
 * @old_pi: producer index before that
 *
 * Source: struct xrdma_qp_rec. Only with XRDMA_CAP_SHADOW_DB.
 *
 * Return: true if the device went to sleep at an index in [@old_pi, @new_pi).
 */
static inline bool xrdma_db_needed(u32 event, u32 new_pi, u32 old_pi)
{
	return new_pi - event - 1 < new_pi - old_pi;
}

/**
 * xrdma_arm_next() - word that arms a queue once more
 * @arm: present word of the record
 * @type: XRDMA_ARM_NEXT or XRDMA_ARM_SOLICITED
 *
 * Return: the new word: another sequence number, the given type.
 */
static inline u32 xrdma_arm_next(u32 arm, u32 type)
{
	return (((arm >> XRDMA_ARM_SN_SHIFT) + 1) << XRDMA_ARM_SN_SHIFT) | type;
}

/**
 * xrdma_qp_rec_offset() - where the record of a queue pair is in its buffer
 * @log_sq_depth: log2 of the send entries
 * @log_sq_stride: log2 of the bytes of a send entry; 0: no send queue
 * @log_rq_depth: log2 of the receive entries
 * @log_rq_stride: log2 of the bytes of a receive entry; 0: no receive queue
 *
 * Return: offset in bytes, a multiple of 64.
 */
static inline u64 xrdma_qp_rec_offset(u8 log_sq_depth, u8 log_sq_stride,
				      u8 log_rq_depth, u8 log_rq_stride)
{
	u64 size = 0;

	if (log_sq_stride)
		size += 1ULL << (log_sq_depth + log_sq_stride);
	if (log_rq_stride)
		size += 1ULL << (log_rq_depth + log_rq_stride);
	return (size + 63) & ~63ULL;
}

/**
 * xrdma_cq_rec_offset() - where the record of a CQ or EQ is in its buffer
 * @log_depth: log2 of the entries
 *
 * Return: offset in bytes.
 */
static inline u64 xrdma_cq_rec_offset(u8 log_depth)
{
	return sizeof(struct xrdma_cqe) << log_depth;
}

#endif /* XRDMA_RING_H */
