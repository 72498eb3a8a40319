/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA provider: access to words that the device shares, and to rings: the
 * address of an entry, whether a work queue has room, whether a completion was
 * written, and the release of consumed entries to device and posters. The
 * arithmetic of indexes is in <rdma/xrdma-ring.h>. Entries are written in post.c,
 * wr.c and recv.c, with wqe.h; completions are read in poll.c.
 */

#ifndef XRDMA_PROVIDER_RING_H
#define XRDMA_PROVIDER_RING_H

#include <util/udma_barrier.h>

#include "xrdma.h"

/**
 * xrdma_load_le32() - read a word that the device writes
 * @word: word in host memory
 *
 * The word is read once. Later accesses are not ordered after this read.
 *
 * Return: the value of the word.
 */
static inline uint32_t xrdma_load_le32(__le32 *word)
{
	uint32_t raw = atomic_load_explicit((_Atomic(uint32_t) *)word,
					    memory_order_relaxed);

	return le32toh((__force __le32)raw);
}

/**
 * xrdma_store_le32() - write a word that the device reads
 * @word: word in host memory
 * @value: value to write
 *
 * The word is written once, after all earlier reads and writes of host memory
 * by this thread.
 */
static inline void xrdma_store_le32(__le32 *word, uint32_t value)
{
	atomic_store_explicit((_Atomic(uint32_t) *)word,
			      (__force uint32_t)htole32(value),
			      memory_order_release);
}

/**
 * xrdma_wq_full() - has a work queue no free entry?
 * @wq: locked queue
 *
 * Return: true if an entry at the producer index would overwrite one that the
 * device may still read.
 */
static inline bool xrdma_wq_full(struct xrdma_wq *wq)
{
	/* pairs with the release in xrdma_release_consumed() */
	uint32_t ci = atomic_load_explicit(&wq->ci, memory_order_acquire);

	return xrdma_ring_used(wq->pi, ci) >= wq->depth;
}

/**
 * xrdma_rq_entry() - address of an entry of a receive queue
 * @rq: queue
 * @index: index of the entry
 *
 * Return: the address.
 */
static inline void *xrdma_rq_entry(const struct xrdma_wq *rq, uint32_t index)
{
	return rq->ring + ((size_t)(index & (rq->depth - 1)) << rq->log_stride);
}

/**
 * xrdma_sq_at() - address of an entry of a send queue
 * @sq: queue
 * @place: place of the entry
 *
 * Return: the address.
 */
static inline void *xrdma_sq_at(const struct xrdma_wq *sq, uint32_t place)
{
	return sq->ring + (size_t)place * XRDMA_SQ_UNIT;
}

/**
 * xrdma_sq_entry() - address of the entry at the producer index
 * @sq: locked queue
 *
 * Return: the address.
 */
static inline void *xrdma_sq_entry(const struct xrdma_wq *sq)
{
	return xrdma_sq_at(sq, sq->place);
}

/**
 * xrdma_sq_pass() - advance the place of the next entry
 * @sq: locked queue
 * @units: units of the entry that was written there
 */
static inline void xrdma_sq_pass(struct xrdma_wq *sq, uint32_t units)
{
	sq->place = xrdma_sq_next(sq->place, units, sq->units * sq->depth);
}

/**
 * xrdma_wq_log_depth() - depth of a work queue, as commands give it
 * @wq: queue
 *
 * Return: log2 of the number of entries; 0 also if the queue does not exist.
 */
static inline uint8_t xrdma_wq_log_depth(const struct xrdma_wq *wq)
{
	return xrdma_log2_ceil(wq->depth);
}

/**
 * xrdma_refresh_srq() - free the entries that the device has consumed
 * @srq: shared receive queue, whose xrdma_wq.lock is held
 */
static inline void xrdma_refresh_srq(struct xrdma_srq *srq)
{
	uint32_t ci = xrdma_load_le32(&srq->rec->ci);

	/* The read of ci comes before writes to the entries that it frees. */
	udma_from_device_barrier();
	atomic_store_explicit(&srq->wq.ci, ci, memory_order_relaxed);
}

/**
 * xrdma_cqe_at() - address of an entry of a completion queue
 * @cq: queue
 * @index: index of the entry
 *
 * Return: the address.
 */
static inline struct xrdma_cqe *xrdma_cqe_at(const struct xrdma_cq *cq,
					     uint32_t index)
{
	return &cq->ring[xrdma_ring_slot(index, cq->log_depth)];
}

/**
 * xrdma_cqe_ready() - entry of a completion queue that the device has written
 * @cq: locked queue
 * @index: index of the entry, less than the depth ahead of the consumer index
 *
 * Return: the entry, or NULL if the device has not written it completely.
 */
static inline struct xrdma_cqe *xrdma_cqe_ready(const struct xrdma_cq *cq,
						uint32_t index)
{
	struct xrdma_cqe *cqe = xrdma_cqe_at(cq, index);

	if (!xrdma_ring_valid(xrdma_load_le32(&cqe->own), index, cq->log_depth))
		return NULL;

	/* The device wrote own last: read own before the rest of the entry. */
	udma_from_device_barrier();
	return cqe;
}

/**
 * xrdma_publish_ci() - write the consumer index to the record
 * @cq: locked queue; the device may overwrite the entries before @cq->ci next
 */
static inline void xrdma_publish_ci(struct xrdma_cq *cq)
{
	xrdma_store_le32(&cq->rec->ci, cq->ci);
}

/**
 * xrdma_consume() - count the work queue entries that a completion frees
 * @cq: locked queue
 * @qp: queue pair of @cqe
 * @cqe: completion of an entry that is not of a shared receive queue
 *
 * A completion of a send entry frees all send entries up to that one.
 * xrdma_release_consumed() lets posters reuse the entries.
 */
static inline void xrdma_consume(struct xrdma_cq *cq, struct xrdma_qp *qp,
				 const struct xrdma_cqe *cqe)
{
	bool send = le16toh(cqe->flags) & XRDMA_CQE_SEND;
	struct xrdma_wq *wq = send ? &qp->sq : &qp->rq;
	uint32_t oldest, num = 1;

	if (send) {
		oldest = atomic_load_explicit(&wq->ci, memory_order_relaxed) +
			 wq->consumed;
		num += xrdma_ring_unwind_index(oldest,
					       le16toh(cqe->wqe_index)) -
		       oldest;
	}
	if (!wq->consumed) {
		wq->next_consumed = cq->consumed;
		cq->consumed = wq;
	}
	wq->consumed += num;
}

/**
 * xrdma_release_consumed() - let device and posters reuse consumed entries
 * @cq: locked queue
 *
 * The consumer index of the completion queue is published before posters may
 * reuse entries of their work queues. So a request that reuses an entry finds
 * room for its completion.
 */
static inline void xrdma_release_consumed(struct xrdma_cq *cq)
{
	struct xrdma_wq *wq;
	uint32_t ci;

	xrdma_publish_ci(cq);
	for (wq = cq->consumed; wq; wq = wq->next_consumed) {
		ci = atomic_load_explicit(&wq->ci, memory_order_relaxed);
		ci += wq->consumed;
		wq->consumed = 0;
		/*
		 * Pairs with the acquire in xrdma_wq_full(): the record's ci is
		 * written before a poster reuses an entry.
		 */
		atomic_store_explicit(&wq->ci, ci, memory_order_release);
	}
	cq->consumed = NULL;
}

/**
 * xrdma_restart_wq() - empty a work queue
 * @wq: locked queue; its queue pair is in state RESET
 */
static inline void xrdma_restart_wq(struct xrdma_wq *wq)
{
	wq->pi = 0;
	wq->place = 0;
	atomic_store_explicit(&wq->ci, 0, memory_order_relaxed);
}

#endif /* XRDMA_PROVIDER_RING_H */
