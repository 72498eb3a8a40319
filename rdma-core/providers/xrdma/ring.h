/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA provider: rings: where an entry is, whether it is free or ready, and
 * the freeing of what was consumed. Must not know: what an entry says.
 */

#ifndef XRDMA_PROVIDER_RING_H
#define XRDMA_PROVIDER_RING_H

#include <util/udma_barrier.h>

#include "xrdma.h"

/**
 * xrdma_wq_full() - is there no free entry?
 * @wq: locked
 *
 * Return: true if an entry at the producer index would overwrite one that the
 * device may still read.
 */
static inline bool xrdma_wq_full(struct xrdma_wq *wq)
{
	/* pairs with xrdma_hand_back() */
	uint32_t ci = atomic_load_explicit(&wq->ci, memory_order_acquire);

	return xrdma_ring_used(wq->pi, ci) >= wq->depth;
}

/**
 * xrdma_wq_entry() - an entry of a work queue
 * @wq: queue
 * @index: of the entry
 *
 * Return: its address.
 */
static inline void *xrdma_wq_entry(const struct xrdma_wq *wq, uint32_t index)
{
	return wq->ring + ((size_t)(index & (wq->depth - 1)) << wq->log_stride);
}

/**
 * xrdma_wq_log_depth() - depth of a work queue as the driver takes it
 * @wq: queue
 *
 * Return: log2 of the number of entries; 0 if there is no such queue.
 */
static inline uint8_t xrdma_wq_log_depth(const struct xrdma_wq *wq)
{
	return xrdma_log2_ceil(wq->depth);
}

/**
 * xrdma_refresh_srq() - see what the device has consumed
 * @srq: its ring is locked
 */
static inline void xrdma_refresh_srq(struct xrdma_srq *srq)
{
	uint32_t ci = xrdma_load_le32(&srq->rec->ci);

	/* the device has read an entry before it is overwritten */
	udma_from_device_barrier();
	atomic_store_explicit(&srq->wq.ci, ci, memory_order_relaxed);
}

/**
 * xrdma_cqe_at() - an entry of a completion queue
 * @cq: queue
 * @index: of the entry
 *
 * Return: its address.
 */
static inline struct xrdma_cqe *xrdma_cqe_at(const struct xrdma_cq *cq,
					     uint32_t index)
{
	return &cq->ring[xrdma_ring_slot(index, cq->log_depth)];
}

/**
 * xrdma_cqe_ready() - an entry of a completion queue, if it is written
 * @cq: locked
 * @index: of the entry, less than a lap after the consumer index
 *
 * Return: the entry, whole, or NULL if the device has not written it yet.
 */
static inline struct xrdma_cqe *xrdma_cqe_ready(const struct xrdma_cq *cq,
						uint32_t index)
{
	struct xrdma_cqe *cqe = xrdma_cqe_at(cq, index);

	if (!xrdma_ring_valid(xrdma_load_le32(&cqe->own), index, cq->log_depth))
		return NULL;

	/* own was written last: what is read of the entry from here is whole */
	udma_from_device_barrier();
	return cqe;
}

/**
 * xrdma_publish_ci() - show the device what was consumed
 * @cq: locked
 */
static inline void xrdma_publish_ci(struct xrdma_cq *cq)
{
	xrdma_store_le32(&cq->rec->ci, cq->ci);
}

/**
 * xrdma_consume() - note the work that a completion covers
 * @cq: locked
 * @qp: queue pair of @cqe
 * @cqe: ready, not of a shared receive queue
 *
 * It is free after xrdma_hand_back().
 */
static inline void xrdma_consume(struct xrdma_cq *cq, struct xrdma_qp *qp,
				 const struct xrdma_cqe *cqe)
{
	bool send = le16toh(cqe->flags) & XRDMA_CQE_SEND;
	struct xrdma_wq *wq = send ? &qp->sq : &qp->rq;
	uint32_t done, num = 1;

	if (send) {
		done = atomic_load_explicit(&wq->ci, memory_order_relaxed) +
		       wq->consumed;
		num += xrdma_ring_unwind_index(done, le16toh(cqe->wqe_index)) -
		       done;
	}
	if (!wq->consumed) {
		wq->next_consumed = cq->consumed;
		cq->consumed = wq;
	}
	wq->consumed += num;
}

/**
 * xrdma_hand_back() - free what was consumed
 * @cq: locked
 *
 * Entries of the ring go back to the device before those of work queues go to
 * their producers: what is posted there has room for its completion.
 */
static inline void xrdma_hand_back(struct xrdma_cq *cq)
{
	struct xrdma_wq *wq;
	uint32_t ci;

	xrdma_publish_ci(cq);
	for (wq = cq->consumed; wq; wq = wq->next_consumed) {
		ci = atomic_load_explicit(&wq->ci, memory_order_relaxed);
		ci += wq->consumed;
		wq->consumed = 0;
		/* pairs with xrdma_wq_full(): the room, then the entries */
		atomic_store_explicit(&wq->ci, ci, memory_order_release);
	}
	cq->consumed = NULL;
}

#endif /* XRDMA_PROVIDER_RING_H */
