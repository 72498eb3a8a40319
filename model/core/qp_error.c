// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Transitions of a queue pair to the error states ERR and SQE, and flushing:
 * entries posted in these states complete with WR_FLUSH_ERR.
 *
 * All other transitions are in qp_modify.c, failed sends in qp_queue.c.
 */
#include "core/device.h"
#include "core/qp.h"
#include "core/srq.h"

static bool in_error(const struct model_qp *qp)
{
	return qp->state == XRDMA_QPS_ERR;
}

/**
 * model_qp_fetch() - read the producer index of a work queue
 * @qp: the queue pair
 * @wq: send queue or receive queue of @qp; may be a queue that does not exist
 *
 * Return: 1 if model_wq.pi has changed, 0 if not; -EFAULT if the index is
 * corrupt or out of reach; then the queue pair is in ERR.
 */
int model_qp_fetch(struct model_qp *qp, struct model_wq *wq)
{
	bool exists = wq->log_stride || wq->units;
	int moved = exists ? model_wq_fetch(qp, wq) : 0;

	if (moved < 0)
		model_qp_error(qp, XRDMA_EVENT_QP_FATAL);
	return moved;
}

static bool flush_sq(struct model_qp *qp)
{
	struct xrdma_sq_wqe wqe;

	if (model_qp_fetch(qp, &qp->sq) < 0)
		return false;
	while (qp->sq.ci != qp->sq.pi) {
		if (model_sq_read(qp, qp->sq.place, &wqe, sizeof(wqe)))
			return false;
		model_qp_push_send(qp, &wqe, XRDMA_WC_WR_FLUSH_ERR, 0, 0);
	}
	return true;
}

static bool flush_rq(struct model_qp *qp)
{
	struct model_recv_done done = {
		.status = XRDMA_WC_WR_FLUSH_ERR,
		.opcode = XRDMA_OP_RECV,
	};
	struct xrdma_rq_wqe wqe;

	if (!qp->rq.log_stride || model_qp_fetch(qp, &qp->rq) < 0)
		return false;
	while (qp->rq.ci != qp->rq.pi) {
		if (model_rq_read(qp, &wqe, sizeof(wqe)))
			return false;
		done.wr_id = wqe.wr_id;
		model_qp_complete_recv(qp, &done);
	}
	return true;
}

/* Flush the entry that the queue pair has taken from a shared receive queue. */
static bool flush_taken(struct model_qp *qp)
{
	const struct model_recv_done done = {
		.status = XRDMA_WC_WR_FLUSH_ERR,
		.opcode = XRDMA_OP_RECV,
		.wr_id = qp->taken_wr_id,
	};

	if (!qp->taken)
		return false;
	model_qp_complete_recv(qp, &done);
	return true;
}

/**
 * model_qp_flush - complete all posted entries with WR_FLUSH_ERR
 * @qp: the queue pair, in ERR or SQE; in SQE only the send queue is flushed
 *
 * A queue that is corrupt or out of reach is not flushed.
 *
 * Return: true if an entry was flushed.
 */
bool model_qp_flush(struct model_qp *qp)
{
	u32 sq_ci = qp->sq.ci;
	u32 rq_ci = qp->rq.ci;
	bool taken = in_error(qp) && flush_taken(qp);

	if (qp->broken)
		return taken;
	qp->broken = !flush_sq(qp);
	if (in_error(qp) && qp->rq.log_stride)
		qp->broken |= !flush_rq(qp);
	return taken || qp->sq.ci != sq_ci || qp->rq.ci != rq_ci;
}

/**
 * model_qp_stop_flushing() - remove a queue pair from model_device.errors
 * @qp: the queue pair, about to leave ERR or SQE
 */
void model_qp_stop_flushing(struct model_qp *qp)
{
	if (qp->on_errors)
		TAILQ_REMOVE(&qp->dev->errors, qp, error_link);
	qp->on_errors = false;
}

/**
 * model_qp_quiesce - end all activity of a queue pair
 * @qp: the queue pair, before ERR, RESET or destruction
 */
void model_qp_quiesce(struct model_qp *qp)
{
	u32 i;

	model_qp_deactivate(qp);
	for (i = 0; i < MODEL_WAIT_SIDES; i++)
		model_pager_cancel(&qp->waiters[i]);
	qp->ops->stop(qp, false);
	model_qp_stop_flushing(qp);
}

/* Flush now, and let the slow timer flush entries that are posted later. */
static void start_flushing(struct model_qp *qp)
{
	struct model_device *dev = qp->dev;

	if (!qp->sq.units && !qp->rq.log_stride) {
		model_qp_flush(qp);
		return;
	}
	if (!qp->on_errors)
		TAILQ_INSERT_TAIL(&dev->errors, qp, error_link);
	qp->on_errors = true;
	model_qp_flush(qp);
	model_device_slow_work(dev);
}

static void enter(struct model_qp *qp, u8 event)
{
	model_qp_quiesce(qp);
	qp->state = XRDMA_QPS_ERR;
	if (event)
		model_event(qp->dev, event, qp->qpn);
}

/**
 * model_qp_enter_error() - move a queue pair to ERR, from any state
 * @qp: the queue pair; if it is in ERR already, it is only flushed
 * @event: enum xrdma_event to raise, or 0
 */
void model_qp_enter_error(struct model_qp *qp, u8 event)
{
	bool entered = qp->state != XRDMA_QPS_ERR;

	if (entered)
		enter(qp, event);
	start_flushing(qp);
	if (entered && (qp->srq || qp->type == XRDMA_QP_XRC_TGT))
		model_event(qp->dev, XRDMA_EVENT_QP_LAST_WQE, qp->qpn);
}

/**
 * model_qp_error - move a queue pair to ERR
 * @qp: the queue pair; in RESET nothing happens, in ERR it is only flushed
 * @event: enum xrdma_event to raise, or 0; QP_FATAL: the work queues are
 *	corrupt or out of reach, and not flushed
 *
 * Stops requester and responder and flushes both queues.
 */
void model_qp_error(struct model_qp *qp, u8 event)
{
	if (qp->state == XRDMA_QPS_RESET)
		return;
	if (event == XRDMA_EVENT_QP_FATAL)
		qp->broken = true;
	model_qp_enter_error(qp, event);
}

/**
 * model_qp_sq_error - move a queue pair to SQE
 * @qp: the queue pair, in RTS or SQD, of a type that has SQE
 *
 * Stops the requester and flushes the send queue; receives continue.
 */
void model_qp_sq_error(struct model_qp *qp)
{
	if (qp->state != XRDMA_QPS_RTS && qp->state != XRDMA_QPS_SQD)
		return;
	model_qp_deactivate(qp);
	model_pager_cancel(&qp->waiters[MODEL_WAIT_REQUESTER]);
	qp->ops->stop(qp, true);
	qp->state = XRDMA_QPS_SQE;
	start_flushing(qp);
}

static void fail_qps(struct model_cq *cq)
{
	struct model_srq *srq;
	struct model_qp *qp;

	TAILQ_FOREACH(qp, &cq->senders, send_link)
		model_qp_error(qp, 0);
	TAILQ_FOREACH(qp, &cq->receivers, recv_link)
		if (qp->send_cq != cq)
			model_qp_error(qp, 0);
	TAILQ_FOREACH(srq, &cq->srqs, cq_link)
		TAILQ_FOREACH(qp, &srq->qps, srq_link)
			model_qp_error(qp, 0);
}

/**
 * model_qps_cq_failed - move all queue pairs of a CQ to ERR
 * @dev: the device
 * @cq: the completion queue, which has overflowed or is out of reach
 *
 * A queue pair that moves to ERR is flushed, and its flushed entries may make
 * another CQ fail. The inner call for that CQ only appends it to
 * model_device.failed_cqs, and the outer call moves the queue pairs of all CQs on
 * the list. So a chain of failures needs no more stack than one failure.
 */
void model_qps_cq_failed(struct model_device *dev, struct model_cq *cq)
{
	bool inner = !STAILQ_EMPTY(&dev->failed_cqs);

	STAILQ_INSERT_TAIL(&dev->failed_cqs, cq, failed_link);
	while (!inner && (cq = STAILQ_FIRST(&dev->failed_cqs)) != NULL) {
		fail_qps(cq);
		STAILQ_REMOVE_HEAD(&dev->failed_cqs, failed_link);
	}
}
