// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA shared receive queues of the kernel's consumers: posts requests, and
 * finds the request that a completion is of. The queues themselves are in
 * xrdma_srq.c, the encoding of an entry in xrdma_wqe.c.
 *
 * The device takes entries in order, but completes them in any order. So an
 * entry carries as its wr_id a tag: the number of a struct xrdma_srq_tag, which
 * has the consumer's wr_id. A device that lies can lose completions, or mix
 * them up, but not complete what was not posted. A tag is in use from posting
 * until the completion is polled; while a tag is free, so is an entry of the
 * ring.
 */

#include "xrdma_srq.h"
#include "xrdma_wq.h"
#include "xrdma_wqe.h"

static int xrdma_srq_post_one(struct xrdma_srq *srq,
			      const struct ib_recv_wr *wr)
{
	u32 tag = srq->free_tag;
	struct xrdma_srq_tag *place;

	if (wr->num_sge > srq->rq.max_sge)
		return -EINVAL;
	if (tag == 1U << srq->rq.log_depth)
		return -ENOMEM;
	place = &srq->tags[tag];
	srq->free_tag = place->next;
	place->wr_id = wr->wr_id;
	/* pairs with xrdma_srq_take() */
	smp_store_release(&place->posted, true);
	xrdma_make_recv(xrdma_wq_entry(&srq->rq, srq->rq.pi), wr, tag);
	srq->rq.pi++;
	return 0;
}

/**
 * xrdma_post_srq_recv() - ib_device_ops.post_srq_recv
 * @ibsrq: queue of the kernel
 * @wr: list of requests
 * @bad_wr: the first that was not posted, on error
 *
 * Context: any.
 * Return: 0, -EINVAL for a request that is not allowed, -ENOMEM when as many
 * are posted and not completed as the queue holds. What precedes @bad_wr has
 * been posted.
 */
int xrdma_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad_wr)
{
	struct xrdma_srq *srq = to_xsrq(ibsrq);
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&srq->lock, flags);
	for (; wr; wr = wr->next) {
		err = xrdma_srq_post_one(srq, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	/* entries first, then the index that covers them */
	dma_wmb();
	WRITE_ONCE(srq->rec->pi, cpu_to_le32(srq->rq.pi));
	spin_unlock_irqrestore(&srq->lock, flags);
	return err;
}

/**
 * xrdma_srq_take() - which request of a kernel queue has completed?
 * @srq: the queue
 * @tag: what the completion has as wr_id
 * @wr_id: gets that of the request
 *
 * The place is the caller's until xrdma_srq_free().
 *
 * Context: any.
 * Return: false for a completion of something that was never posted, or that
 * has been taken.
 */
bool xrdma_srq_take(struct xrdma_srq *srq, u64 tag, u64 *wr_id)
{
	struct xrdma_srq_tag *place;

	if (!srq->tags || tag >= 1U << srq->rq.log_depth)
		return false;
	place = &srq->tags[tag];
	/* queues that are polled at once may name the same place, if they lie */
	if (!xchg(&place->posted, false))
		return false;
	*wr_id = place->wr_id;
	return true;
}

/**
 * xrdma_srq_free() - from now on other requests may be posted
 * @srq: kernel queue
 * @first: a place of xrdma_srq_take(), whose @next leads to the others
 * @last: the last of them
 *
 * To be called when the completion queue has room again.
 *
 * Context: any.
 */
void xrdma_srq_free(struct xrdma_srq *srq, u32 first, u32 last)
{
	unsigned long flags;

	spin_lock_irqsave(&srq->lock, flags);
	srq->tags[last].next = srq->free_tag;
	srq->free_tag = first;
	spin_unlock_irqrestore(&srq->lock, flags);
}

/**
 * xrdma_srq_done() - take a request and let another one be posted
 * @srq: kernel queue
 * @tag: of one that has completed; nothing happens if none was posted
 *
 * Context: any.
 */
void xrdma_srq_done(struct xrdma_srq *srq, u64 tag)
{
	u64 wr_id;

	if (xrdma_srq_take(srq, tag, &wr_id))
		xrdma_srq_free(srq, tag, tag);
}
