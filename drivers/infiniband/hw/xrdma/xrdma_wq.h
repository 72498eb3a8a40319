/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA rings of work requests, of queue pairs and of shared receive queues:
 * entries and indexes. The encoding of an entry is in xrdma_wqe.h.
 */

#ifndef XRDMA_WQ_H
#define XRDMA_WQ_H

#include <linux/types.h>
#include <asm/barrier.h>
#include <rdma/xrdma-ring.h>
#include "xrdma_buf.h"

/**
 * struct xrdma_wq - ring of work requests
 * @buf: memory of the ring, of a kernel queue
 * @offset: position of the ring in @buf in bytes, a multiple of the entry size
 * @wr_id: wr_id of each entry; the wr_id in a completion is not used, since the
 *	device may have changed it
 * @pi: producer index; protected by sq_lock or rq_lock of the queue pair, or by
 *	the lock of the shared receive queue
 * @done: index after the last entry whose completion has been polled; protected
 *	by the lock of the CQ
 * @ci: consumer index: entries before it may be overwritten; written by
 *	xrdma_wq_release(), read by xrdma_wq_room()
 * @log_depth: log2 of the number of entries
 * @log_stride: log2 of the size of an entry in bytes; 0: there is no ring
 * @max_sge: scatter-gather entries that fit an entry
 */
struct xrdma_wq {
	const struct xrdma_buf *buf;
	u32 offset;
	u64 *wr_id;
	u32 pi;
	u32 done;
	u32 ci;
	u8 log_depth;
	u8 log_stride;
	u8 max_sge;
};

static inline void *xrdma_wq_entry(const struct xrdma_wq *wq, u32 index)
{
	u32 slot = xrdma_ring_slot(index, wq->log_depth);

	return xrdma_buf_at(wq->buf, wq->offset + (slot << wq->log_stride));
}

/* For the producer. Return: number of entries that may be written. */
static inline u32 xrdma_wq_room(const struct xrdma_wq *wq)
{
	/*
	 * Pairs with xrdma_wq_release(): the poller's reads of wr_id precede
	 * the producer's writes of the entries.
	 */
	return xrdma_ring_free(wq->pi, smp_load_acquire(&wq->ci),
			       wq->log_depth);
}

/*
 * For the poller: entries up to @last have completed. The producer may
 * overwrite them after xrdma_wq_release(). Return: the wr_id of @last.
 */
static inline u64 xrdma_wq_consume(struct xrdma_wq *wq, u32 last)
{
	wq->done = last + 1;
	return wq->wr_id[xrdma_ring_slot(last, wq->log_depth)];
}

/* For the poller: the producer may overwrite the completed entries. */
static inline void xrdma_wq_release(struct xrdma_wq *wq)
{
	/* pairs with xrdma_wq_room(): reads of wr_id precede this write */
	smp_store_release(&wq->ci, wq->done);
}

#endif /* XRDMA_WQ_H */
