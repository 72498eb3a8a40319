// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: posts receive requests to a queue pair, a work queue or a
 * shared receive queue. The entries of a list are written to the ring, then one
 * store of the producer index makes them visible to the device. There is no
 * doorbell: the device reads the index when it needs an entry.
 *
 * Send requests are in post.c and wr.c, completions in poll.c.
 */

#include "ring.h"
#include "wqe.h"

/*
 * Write the entry at the producer index, which the caller then increments.
 * Return: 0 or an errno.
 */
static int xrdma_make_recv(struct xrdma_wq *rq, const struct ibv_recv_wr *wr)
{
	struct xrdma_rq_wqe *wqe;

	if (unlikely(xrdma_wq_full(rq)))
		return ENOMEM;
	if (unlikely(wr->num_sge < 0 || wr->num_sge > rq->max_sge))
		return EINVAL;

	wqe = xrdma_rq_entry(rq, rq->pi);
	wqe->num_sge = htole16(wr->num_sge);
	memset(wqe->reserved, 0, sizeof(wqe->reserved));
	wqe->wr_id = htole64(wr->wr_id);
	xrdma_make_sges((void *)(wqe + 1), wr->sg_list, wr->num_sge);
	return 0;
}

/*
 * Post to the receive queue of @qp. @state_ok: its state allows receive
 * requests.
 */
static int xrdma_post_to_rq(struct xrdma_qp *qp, bool state_ok,
			    struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct xrdma_wq *rq = &qp->rq;
	int err = 0;

	if (unlikely(!state_ok || !rq->depth)) {
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
	/* Entries are written before the index that covers them. */
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
 * Return: 0; ENOMEM: the queue is full; EINVAL: the request is invalid, the
 * queue pair has no receive queue of its own, or its state is RESET.
 */
int xrdma_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		    struct ibv_recv_wr **bad_wr)
{
	return xrdma_post_to_rq(to_xqp(ibqp), ibqp->state != IBV_QPS_RESET, wr,
				bad_wr);
}

/**
 * xrdma_post_wq_recv() - ibv_post_wq_recv()
 * @ibwq: work queue
 * @wr: list of work requests
 * @bad_wr: set on an error: the first request that was not posted
 *
 * Return: 0; ENOMEM: the queue is full; EINVAL: the request is invalid, or the
 * state of the queue is RESET.
 */
int xrdma_post_wq_recv(struct ibv_wq *ibwq, struct ibv_recv_wr *wr,
		       struct ibv_recv_wr **bad_wr)
{
	return xrdma_post_to_rq(&to_xrwq(ibwq)->qp,
				ibwq->state != IBV_WQS_RESET, wr, bad_wr);
}

/**
 * xrdma_post_srq_recv() - ibv_post_srq_recv()
 * @ibsrq: shared receive queue
 * @wr: list of work requests
 * @bad_wr: set on an error: the first request that was not posted
 *
 * Return: 0; ENOMEM: the queue is full; EINVAL: the request is invalid.
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
	/* Entries are written before the index that covers them. */
	udma_to_device_barrier();
	xrdma_store_le32(&srq->rec->pi, wq->pi);
	xrdma_unlock(&wq->lock);
	return err;
}
