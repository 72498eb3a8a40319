// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA posting to shared receive queues of the kernel: posts requests, and
 * finds the request of a completion. Queues are created and destroyed in
 * xrdma_srq.c, entries are encoded in xrdma_wqe.c.
 *
 * The device reads entries in order, but completes them in any order. So the
 * wr_id of an entry is a tag: the number of a struct xrdma_srq_tag, which has
 * the consumer's wr_id. A faulty device can lose or confuse completions, but
 * the driver recognises a completion of a request that was not posted. A tag is
 * in use from posting until the completion is polled. The ring has as many
 * entries as there are tags, so a free tag implies a free entry.
 */

#include "xrdma_srq.h"
#include "xrdma_wq.h"
#include "xrdma_wqe.h"

static int xrdma_srq_post_one(struct xrdma_srq *srq,
			      const struct ib_recv_wr *wr)
{
	u32 tag = srq->free_tag;
	struct xrdma_srq_tag *req;

	if (wr->num_sge < 0 || wr->num_sge > srq->rq.max_sge)
		return -EINVAL;
	if (tag == 1U << srq->rq.log_depth)
		return -ENOMEM;
	req = &srq->tags[tag];
	srq->free_tag = req->next;
	req->wr_id = wr->wr_id;
	/*
	 * orders the write of wr_id before that of posted, for xrdma_srq_take()
	 */
	smp_store_release(&req->posted, true);
	xrdma_make_recv(xrdma_rq_entry(&srq->rq, srq->rq.pi), wr, tag);
	srq->rq.pi++;
	return 0;
}

/**
 * xrdma_post_srq_recv() - ib_device_ops.post_srq_recv
 * @ibsrq: queue of the kernel
 * @wr: list of requests
 * @bad_wr: on error: the first request that was not posted
 *
 * Context: any.
 * Return: 0, -EINVAL for a request that is not allowed, -ENOMEM when all tags
 * are in use. The requests before @bad_wr have been posted.
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
	/* orders the writes of the entries before that of the index */
	dma_wmb();
	WRITE_ONCE(srq->rec->pi, cpu_to_le32(srq->rq.pi));
	spin_unlock_irqrestore(&srq->lock, flags);
	return err;
}

/**
 * xrdma_srq_take() - find the request of a completion
 * @srq: the queue
 * @tag: wr_id of the completion, any value
 * @wr_id: gets the wr_id of the request
 *
 * The caller owns the tag until it calls xrdma_srq_free().
 *
 * Context: any.
 * Return: false if no request with this tag is posted, or if another caller has
 * taken the tag, or if @srq is a user's queue.
 */
bool xrdma_srq_take(struct xrdma_srq *srq, u64 tag, u64 *wr_id)
{
	struct xrdma_srq_tag *req;

	if (!srq->tags || tag >= 1U << srq->rq.log_depth)
		return false;
	req = &srq->tags[tag];
	/*
	 * The device may write one tag into two completion queues, which are
	 * polled at the same time: xchg() lets one poller win. It orders the
	 * read of posted before that of wr_id.
	 */
	if (!xchg(&req->posted, false))
		return false;
	*wr_id = req->wr_id;
	return true;
}

/**
 * xrdma_srq_free() - free a list of tags
 * @srq: kernel queue
 * @first: first tag of the list, which struct xrdma_srq_tag.next links
 * @last: last tag of the list
 *
 * The caller owns the tags, and has called xrdma_cq_update_ci(): the completion
 * queue has room for the completions of the requests that are posted next.
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
 * xrdma_srq_done() - take a tag and free it
 * @srq: kernel queue
 * @tag: wr_id of a completion; nothing happens if no request with it is posted
 *
 * Context: any.
 */
void xrdma_srq_done(struct xrdma_srq *srq, u64 tag)
{
	u64 wr_id;

	if (xrdma_srq_take(srq, tag, &wr_id))
		xrdma_srq_free(srq, tag, tag);
}
