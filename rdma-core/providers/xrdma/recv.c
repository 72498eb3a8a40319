// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: posting receive requests, to a queue pair, a shared receive
 * queue or a work queue: entries are built in the ring, then one store of the
 * producer index shows them to the device, which looks when it needs one. Must
 * not know: completion queues, sending.
 */

#include "ring.h"
#include "wqe.h"

/* Builds the entry at the producer index, which the caller then moves on. */
static int xrdma_make_recv(struct xrdma_wq *rq, const struct ibv_recv_wr *wr)
{
	struct xrdma_rq_wqe *wqe;

	if (unlikely(xrdma_wq_full(rq)))
		return ENOMEM;
	if (unlikely((unsigned int)wr->num_sge > rq->max_sge))
		return EINVAL;

	wqe = xrdma_wq_entry(rq, rq->pi);
	wqe->num_sge = htole16(wr->num_sge);
	memset(wqe->reserved, 0, sizeof(wqe->reserved));
	wqe->wr_id = htole64(wr->wr_id);
	xrdma_make_sges((void *)(wqe + 1), wr->sg_list, wr->num_sge);
	return 0;
}

/* Posts to a ring of a queue pair; @live: its state takes receives. */
static int xrdma_post_ring(struct xrdma_qp *qp, bool live,
			   struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct xrdma_wq *rq = &qp->rq;
	int err = 0;

	if (unlikely(!live || !rq->depth)) {
		*bad_wr = wr;
		return EINVAL;
	}

	xrdma_lock(&rq->lock);
	for (; wr; wr = wr->next) {
		err = xrdma_make_recv(rq, wr);
		if (unlikely(err)) {
			*bad_wr = wr;
			break;
		}
		rq->pi++;
	}
	/* entries before the index */
	udma_to_device_barrier();
	xrdma_store_le32(&qp->rec->rq_pi, rq->pi);
	xrdma_unlock(&rq->lock);
	return err;
}

/**
 * xrdma_post_recv() - ibv_post_recv()
 * @ibqp: queue pair
 * @wr: list of work requests
 * @bad_wr: set on an error: the first request that was not posted
 *
 * Return: 0; ENOMEM: the queue is full; EINVAL: the request is wrong, or the
 * queue pair does not receive, by itself or in its state.
 */
int xrdma_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		    struct ibv_recv_wr **bad_wr)
{
	return xrdma_post_ring(to_xqp(ibqp), ibqp->state != IBV_QPS_RESET, wr,
			       bad_wr);
}

/**
 * xrdma_post_wq_recv() - ibv_post_wq_recv()
 * @ibwq: work queue
 * @wr: list of work requests
 * @bad_wr: set on an error: the first request that was not posted
 *
 * Return: 0; ENOMEM: the queue is full; EINVAL: the request is wrong, or the
 * queue is in state RESET.
 */
int xrdma_post_wq_recv(struct ibv_wq *ibwq, struct ibv_recv_wr *wr,
		       struct ibv_recv_wr **bad_wr)
{
	return xrdma_post_ring(&to_xrwq(ibwq)->qp,
			       ibwq->state != IBV_WQS_RESET, wr, bad_wr);
}

/**
 * xrdma_post_srq_recv() - ibv_post_srq_recv()
 * @ibsrq: shared receive queue
 * @wr: list of work requests
 * @bad_wr: set on an error: the first request that was not posted
 *
 * Return: 0; ENOMEM: the queue is full; EINVAL: the request is wrong.
 */
int xrdma_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **bad_wr)
{
	struct xrdma_srq *srq = to_xsrq(ibsrq);
	struct xrdma_wq *wq = &srq->wq;
	int err = 0;

	xrdma_lock(&wq->lock);
	for (; wr; wr = wr->next) {
		if (unlikely(xrdma_wq_full(wq)))
			xrdma_refresh_srq(srq);
		err = xrdma_make_recv(wq, wr);
		if (unlikely(err)) {
			*bad_wr = wr;
			break;
		}
		wq->pi++;
	}
	/* entries before the index */
	udma_to_device_barrier();
	xrdma_store_le32(&srq->rec->pi, wq->pi);
	xrdma_unlock(&wq->lock);
	return err;
}
