/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA rings of work requests, of queue pairs and of shared receive queues:
 * entries and indexes. The encoding of an entry is in xrdma_wqe.h.
 */

#ifndef XRDMA_WQ_H
#define XRDMA_WQ_H

#include <linux/string.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <rdma/xrdma-ring.h>
#include "xrdma_buf.h"

/**
 * struct xrdma_wq - ring of work requests
 * @buf: memory of the ring, of a kernel queue
 * @offset: position of the ring in @buf in bytes: send ring: a multiple of
 *	XRDMA_SQ_UNIT; other rings: of the size of an entry
 * @spare: send ring of a kernel queue: memory of @units units, in which the producer
 *	writes an entry that may cross the end of a page
 * @wr_id: wr_id of each entry; the wr_id in a completion is not used, since the
 *	device may have changed it
 * @pi: producer index; protected by sq_lock or rq_lock of the queue pair, or by
 *	the lock of the shared receive queue
 * @place: send ring: place of the entry at @pi in units; protected as @pi
 * @done: index after the last entry whose completion has been polled; protected
 *	by the lock of the CQ
 * @ci: consumer index: entries before it may be overwritten; written by
 *	xrdma_wq_release(), read by xrdma_wq_room()
 * @log_depth: log2 of the number of entries
 * @log_stride: other rings: log2 of the size of an entry in bytes; 0: there is no
 *	ring
 * @units: send ring: units of the longest entry; 0: there is no ring
 * @max_sge: scatter-gather entries that fit an entry
 */
struct xrdma_wq {
	const struct xrdma_buf *buf;
	u32 offset;
	void *spare;
	u64 *wr_id;
	u32 pi;
	u32 place;
	u32 done;
	u32 ci;
	u8 log_depth;
	u8 log_stride;
	u8 units;
	u8 max_sge;
};

static inline bool xrdma_wq_exists(const struct xrdma_wq *wq)
{
	return wq->log_stride || wq->units;
}

static inline void *xrdma_rq_entry(const struct xrdma_wq *rq, u32 index)
{
	u32 slot = xrdma_ring_slot(index, rq->log_depth);

	return xrdma_buf_at(rq->buf, rq->offset + (slot << rq->log_stride));
}

/*
 * For the producer. Return: where to write the next send entry, with room for the longest
 * one; the ring, or the spare memory.
 */
static inline void *xrdma_sq_entry(const struct xrdma_wq *sq)
{
	u32 at = sq->offset + sq->place * XRDMA_SQ_UNIT;

	if (xrdma_buf_is_whole(sq->buf, at, sq->units * XRDMA_SQ_UNIT))
		return xrdma_buf_at(sq->buf, at);
	return sq->spare;
}

/*
 * For the producer, before it increments @pi: @wqe, which xrdma_sq_entry() has returned,
 * is written, with its length.
 */
static inline void xrdma_sq_pass(struct xrdma_wq *sq,
				 const struct xrdma_sq_wqe *wqe)
{
	u32 at = sq->offset + sq->place * XRDMA_SQ_UNIT;
	u32 units = xrdma_wqe_units(wqe->flags), i;

	for (i = 0; wqe == sq->spare && i < units; i++)
		memcpy(xrdma_buf_at(sq->buf, at + i * XRDMA_SQ_UNIT),
		       sq->spare + i * XRDMA_SQ_UNIT, XRDMA_SQ_UNIT);
	sq->place = xrdma_sq_next(sq->place, units,
				  (u32)sq->units << sq->log_depth);
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
