// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: push. A queue pair that has a slot of the push page writes an inline
 * entry to the slot, and then rings a doorbell that names the slot, so that the device
 * need not read the entry. post.c publishes entries, and decides whether a doorbell is
 * needed. The page is mapped in xrdma.c.
 *
 * A slot belongs to one queue pair, and the lock of its send queue covers each write.
 */

#include <util/mmio.h>

#include "ring.h"
#include "wqe.h"

/* log2 of the bytes of the slot that suits the longest entry of a queue pair */
static uint8_t xrdma_slot_log(const struct xrdma_qp *qp)
{
	uint8_t log = xrdma_push_log(qp->sq.units * XRDMA_SQ_UNIT);

	return log ? log : XRDMA_PUSH_LOG_MAX;
}

/* The bits of xrdma_context.slots that stand for the first slot of this size. */
static uint64_t xrdma_slot_mask(uint8_t log)
{
	return (1ULL << (1U << (log - XRDMA_PUSH_LOG_MIN))) - 1;
}

/**
 * xrdma_alloc_slot() - give a new queue pair a slot of the push page
 * @ctx: context
 * @qp: queue pair; the length of its longest send entry is chosen. If the context has no
 *	push page, or no slot is free, the queue pair does not push.
 */
void xrdma_alloc_slot(struct xrdma_context *ctx, struct xrdma_qp *qp)
{
	uint32_t at, size = 1U << xrdma_slot_log(qp);
	uint64_t mask;

	if (!ctx->push || !qp->ops)
		return;
	pthread_mutex_lock(&ctx->qp_mutex);
	for (at = 0; at < XRDMA_DB_PAGE_SIZE; at += size) {
		mask = xrdma_slot_mask(xrdma_slot_log(qp))
		       << (at >> XRDMA_PUSH_LOG_MIN);
		if (ctx->slots & mask)
			continue;
		ctx->slots |= mask;
		qp->slot = at;
		qp->push = ctx->push + at;
		break;
	}
	pthread_mutex_unlock(&ctx->qp_mutex);
}

/**
 * xrdma_free_slot() - take the slot of a queue pair back, if it has one
 * @ctx: context
 * @qp: queue pair that posts no more
 */
void xrdma_free_slot(struct xrdma_context *ctx, struct xrdma_qp *qp)
{
	if (!qp->push)
		return;
	pthread_mutex_lock(&ctx->qp_mutex);
	ctx->slots &= ~(xrdma_slot_mask(xrdma_slot_log(qp))
			<< (qp->slot >> XRDMA_PUSH_LOG_MIN));
	pthread_mutex_unlock(&ctx->qp_mutex);
	qp->push = NULL;
}

/*
 * Decide whether the entries from @old on are pushed: one entry that fits a slot,
 * while the device has nothing else to do. Return: log2 of the bytes of the slot,
 * or 0.
 */
static uint8_t xrdma_push_size(struct xrdma_qp *qp, uint32_t old,
			       const struct xrdma_sq_wqe *wqe)
{
	if (qp->sq.pi - old != 1 ||
	    atomic_load_explicit(&qp->sq.ci, memory_order_relaxed) != old)
		return 0;
	return xrdma_push_log(xrdma_wqe_units(wqe->flags) * XRDMA_SQ_UNIT);
}

/**
 * xrdma_push() - push the only new entry, and ring the doorbell
 * @qp: queue pair with a slot, whose send queue is locked; its record has the producer
 *	index
 * @old: producer index published before; not equal to the present one
 * @wqe: one of the new entries; it has inline data
 *
 * Return: true; false: the entry is not pushed, and the caller rings the doorbell.
 */
bool xrdma_push(struct xrdma_qp *qp, uint32_t old,
		const struct xrdma_sq_wqe *wqe)
{
	uint8_t log = xrdma_push_size(qp, old, wqe);

	if (!log)
		return false;

	/* Entry and index are written to memory before the doorbell. */
	mmio_wc_start();
	mmio_memcpy_x64(qp->push, wqe,
			xrdma_wqe_units(wqe->flags) * XRDMA_SQ_UNIT);
	/* The whole slot arrives before the doorbell that makes it valid. */
	mmio_flush_writes();
	mmio_write64_le(qp->db, htole64(xrdma_make_push_db(qp->qpn, qp->sq.pi,
							   qp->slot, log)));
	/*
	 * The doorbell arrives before the next write to the slot, which another
	 * processor may do when the queue is unlocked.
	 */
	mmio_flush_writes();
	return true;
}
