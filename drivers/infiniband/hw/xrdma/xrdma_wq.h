/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA rings of work requests, as queue pairs and shared receive queues have them.
 * What is written into an entry is in xrdma_wqe.h.
 */

#ifndef XRDMA_WQ_H
#define XRDMA_WQ_H

#include <linux/types.h>
#include <asm/barrier.h>
#include <rdma/xrdma-ring.h>
#include "xrdma_buf.h"

/**
 * struct xrdma_wq - one side of a kernel queue pair
 * @buf: holds the ring
 * @offset: of the ring in @buf, in bytes, a multiple of those of an entry
 * @wr_id: of each entry; what a completion says is never trusted
 * @pi: producer index, under the lock of this side
 * @done: entries whose completion has been polled, under the CQ's lock
 * @ci: consumer index: entries before it may be written again; moved by the
 *	poller, read by the producer
 * @log_depth: log2 of the entries
 * @log_stride: log2 of the bytes of an entry; 0: no queue
 * @max_sge: scatter-gather entries of an entry
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

/* Producer: entries that may be written */
static inline u32 xrdma_wq_room(const struct xrdma_wq *wq)
{
	/* pairs with xrdma_wq_release(): the poller is done with them */
	return xrdma_ring_free(wq->pi, smp_load_acquire(&wq->ci),
			       wq->log_depth);
}

/* Entries up to @last are done; the producer gets them after the CQ has room. */
static inline u64 xrdma_wq_consume(struct xrdma_wq *wq, u32 last)
{
	wq->done = last + 1;
	return wq->wr_id[xrdma_ring_slot(last, wq->log_depth)];
}

/* Poller: what is done may be written again */
static inline void xrdma_wq_release(struct xrdma_wq *wq)
{
	/* pairs with xrdma_wq_room() */
	smp_store_release(&wq->ci, wq->done);
}

#endif /* XRDMA_WQ_H */
