// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA posting to queue pairs of the kernel: writes the entries of a list of
 * work requests into a ring, updates the record once, and rings the doorbell at
 * most once. Requests are encoded in xrdma_wqe.c, completions are in
 * xrdma_poll.c, posting to shared receive queues is in xrdma_srq_post.c.
 *
 * Context of all functions: any, also with interrupts off.
 */

#include <rdma/xrdma-ring.h>
#include "xrdma_flush.h"
#include "xrdma_ibdev.h"
#include "xrdma_post.h"
#include "xrdma_qp.h"
#include "xrdma_wq.h"
#include "xrdma_wqe.h"

/* ---- rings -------------------------------------------------------------- */

/*
 * Ring the doorbell of a queue pair. If the device is dead, wake the consumers
 * instead: when they poll, the entries complete with a flush error.
 */
static void xrdma_notify_device(struct xrdma_qp *qp)
{
	if (xrdma_dead(qp->xdev))
		xrdma_flush_dead(xdev_to_xibdev(qp->xdev));
	else
		xrdma_write_doorbell(qp->xdev, XRDMA_DB_SQ,
				     xrdma_make_sq_db(qp->qpn, qp->sq.pi));
}

/**
 * xrdma_publish_sq() - hand the entries before @qp->sq.pi to the device
 * @qp: kernel queue pair
 * @old_pi: producer index of the previous call
 *
 * Context: any; @qp->sq_lock is held, or the caller is the only producer.
 */
void xrdma_publish_sq(struct xrdma_qp *qp, u32 old_pi)
{
	struct xrdma_qp_rec *rec = qp->rec;
	u32 pi = qp->sq.pi;

	/* orders the writes of the entries before that of the index */
	dma_wmb();
	WRITE_ONCE(rec->sq_pi, cpu_to_le32(pi));
	if (xrdma_shadow_db(qp->xdev) && !xrdma_dead(qp->xdev)) {
		/*
		 * Orders the write of sq_pi before the read of sq_event: a
		 * device that stops polling writes sq_event before it reads
		 * sq_pi, so that either the driver rings or the device sees pi.
		 */
		mb();
		if (!xrdma_db_needed(le32_to_cpu(READ_ONCE(rec->sq_event)),
				     pi, old_pi))
			return;
	}
	xrdma_notify_device(qp);
}

/* ---- entries ---------------------------------------------------------------- */

static int xrdma_post_one_send(struct xrdma_qp *qp, const struct ib_send_wr *wr)
{
	struct xrdma_wq *sq = &qp->sq;
	struct xrdma_sq_wqe *wqe;
	u32 pi = sq->pi;
	int err;

	if (!xrdma_wq_room(sq))
		return -ENOMEM;
	wqe = xrdma_sq_entry(sq);
	err = xrdma_make_send(qp, wqe, wr);
	if (err)
		return err;
	xrdma_sq_pass(sq, wqe);
	sq->wr_id[xrdma_ring_slot(pi, sq->log_depth)] = wr->wr_id;
	/* orders the write of wr_id before that of pi, for xrdma_flush_wq() */
	smp_store_release(&sq->pi, pi + 1);
	return 0;
}

static int xrdma_post_one_recv(struct xrdma_qp *qp, const struct ib_recv_wr *wr)
{
	struct xrdma_wq *rq = &qp->rq;
	u32 pi = rq->pi;

	if (wr->num_sge < 0 || wr->num_sge > rq->max_sge)
		return -EINVAL;
	if (!xrdma_wq_room(rq))
		return -ENOMEM;

	xrdma_make_recv(xrdma_rq_entry(rq, pi), wr, wr->wr_id);
	rq->wr_id[xrdma_ring_slot(pi, rq->log_depth)] = wr->wr_id;
	/* orders the write of wr_id before that of pi, for xrdma_flush_wq() */
	smp_store_release(&rq->pi, pi + 1);
	return 0;
}

/**
 * xrdma_publish_rq() - hand the entries before @qp->rq.pi to the device
 * @qp: kernel queue pair
 *
 * Context: any; @qp->rq_lock is held, or the caller is the only producer.
 */
void xrdma_publish_rq(struct xrdma_qp *qp)
{
	/* orders the writes of the entries before that of the index */
	dma_wmb();
	WRITE_ONCE(qp->rec->rq_pi, cpu_to_le32(qp->rq.pi));
}

/* ---- verbs ------------------------------------------------------------------ */

/**
 * xrdma_post_send() - ib_device_ops.post_send
 * @ibqp: queue pair of the kernel
 * @wr: list of requests
 * @bad_wr: on error: the first request that was not posted
 *
 * A queue pair in state ERR accepts requests, which complete with a flush
 * error: consumers drain a queue pair that way.
 *
 * Context: any.
 * Return: 0, -EINVAL for a request or a state that is not allowed, -EOPNOTSUPP
 * for an operation that is not supported, -ENOMEM when the ring is full. The
 * requests before @bad_wr have been posted.
 */
int xrdma_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		    const struct ib_send_wr **bad_wr)
{
	struct xrdma_qp *qp = to_xqp(ibqp);
	unsigned long flags;
	u32 old_pi;
	int err = 0;

	if (READ_ONCE(qp->state) < XRDMA_QPS_RTS) {
		*bad_wr = wr;
		return -EINVAL;
	}

	spin_lock_irqsave(&qp->sq_lock, flags);
	old_pi = qp->sq.pi;
	for (; wr; wr = wr->next) {
		err = xrdma_post_one_send(qp, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	if (qp->sq.pi != old_pi)
		xrdma_publish_sq(qp, old_pi);
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	return err;
}

/**
 * xrdma_post_recv() - ib_device_ops.post_recv
 * @ibqp: queue pair of the kernel
 * @wr: list of requests
 * @bad_wr: on error: the first request that was not posted
 *
 * The device reads the receive index when a message arrives. A queue pair in
 * state ERR gets no messages: the doorbell makes the device flush new receives
 * at once; without it the device flushes them within 64 ms.
 *
 * Context: any.
 * Return: 0, -EINVAL for a request or a state that is not allowed, -ENOMEM
 * when the ring is full. The requests before @bad_wr have been posted.
 */
int xrdma_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		    const struct ib_recv_wr **bad_wr)
{
	struct xrdma_qp *qp = to_xqp(ibqp);
	u8 state = READ_ONCE(qp->state);
	unsigned long flags;
	int err = 0;

	if (state == XRDMA_QPS_RESET || !qp->rq.log_stride) {
		*bad_wr = wr;
		return -EINVAL;
	}

	spin_lock_irqsave(&qp->rq_lock, flags);
	for (; wr; wr = wr->next) {
		err = xrdma_post_one_recv(qp, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	xrdma_publish_rq(qp);
	spin_unlock_irqrestore(&qp->rq_lock, flags);

	if (state == XRDMA_QPS_ERR || xrdma_dead(qp->xdev))
		xrdma_notify_device(qp);
	return err;
}
