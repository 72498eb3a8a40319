// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Entries of the work queues of a queue pair, for the transport: copies and
 * checks entries. An entry that is malformed or out of reach, and a send that
 * fails, moves the queue pair to an error state.
 *
 * wq.c reads the memory of the queues, push.c has pushed entries; completions are in completion.c.
 */
#include <errno.h>

#include "core/device.h"
#include "core/inject.h"
#include "core/qp.h"
#include "core/srq.h"

/**
 * model_qp_read_sq - copy an entry of the send queue
 * @qp: the queue pair
 * @index: index of the entry, before model_wq.pi
 * @place: place of the entry, in units of XRDMA_SQ_UNIT bytes
 * @buf: buffer of MODEL_WQE_MAX bytes, aligned to 8
 *
 * The first unit of an entry says how many units follow.
 *
 * Return: 0; -EFAULT if the entry is out of reach; then the queue pair is in
 * ERR.
 */
int model_qp_read_sq(struct model_qp *qp, u32 index, u32 place, void *buf)
{
	int err;

	if (model_push_read(qp, index, buf))
		return 0;
	err = model_sq_read(qp, place, buf, XRDMA_SQ_UNIT);
	if (!err && model_sq_bytes(qp, buf) > XRDMA_SQ_UNIT)
		err = model_sq_read(qp, place + 1, (u8 *)buf + XRDMA_SQ_UNIT,
				    model_sq_bytes(qp, buf) - XRDMA_SQ_UNIT);
	if (!err)
		return 0;
	model_qp_error(qp, XRDMA_EVENT_QP_FATAL);
	return -EFAULT;
}

static bool rq_wqe_ok(const struct model_qp *qp, const struct xrdma_rq_wqe *wqe)
{
	u8 log_stride = qp->srq ? qp->srq->wq.log_stride : qp->rq.log_stride;
	u32 max = ((1U << log_stride) - sizeof(*wqe)) /
		  sizeof(struct xrdma_sge);

	if (max > MODEL_MAX_SGE)
		max = MODEL_MAX_SGE;
	return le16_to_cpu(wqe->num_sge) <= max && !wqe->reserved[0] &&
	       !wqe->reserved[1] && !wqe->reserved[2];
}

static int read_own(struct model_qp *qp, void *buf)
{
	if (!qp->rq.log_stride)
		return -EAGAIN;
	if (qp->rq.pi == qp->rq.ci && model_qp_fetch(qp, &qp->rq) < 0)
		return -EFAULT;
	if (qp->rq.pi == qp->rq.ci)
		return -EAGAIN;
	if (!model_rq_read(qp, buf, 1U << qp->rq.log_stride))
		return 0;
	model_qp_error(qp, XRDMA_EVENT_QP_FATAL);
	return -EFAULT;
}

static int take_shared(struct model_qp *qp, void *buf)
{
	const struct xrdma_rq_wqe *wqe = buf;
	int err = model_srq_take(qp->dev, qp->srq, buf);

	if (err)
		return err;
	qp->taken = true;
	qp->taken_wr_id = wqe->wr_id;
	return 0;
}

static u8 injected(const struct model_qp *qp, enum model_inject_kind kind)
{
	struct model_inject fault = {};

	if (qp->dev->inject.num)
		model_inject_step(&qp->dev->inject, kind, qp->qpn, &fault);
	return fault.status;
}

/**
 * model_qp_check_send() - decide whether a send must fail, whatever its operation is
 * @qp: the queue pair, which is about to execute an entry of its send queue
 * @wqe: copy of the first 32 bytes of the entry
 *
 * An entry fails if a fault of inject.h makes it fail, or if it is longer than the
 * queue allows.
 *
 * Return: the enum xrdma_wc_status with which the entry must fail, or 0.
 */
u8 model_qp_check_send(const struct model_qp *qp,
		       const struct xrdma_sq_wqe *wqe)
{
	if (xrdma_wqe_units(wqe->flags) > qp->sq.units)
		return XRDMA_WC_LOC_QP_OP_ERR;
	return injected(qp, MODEL_INJECT_SEND);
}

/* Return: XRDMA_WC_SUCCESS, or status of an entry that must not be used. */
static u8 check_rq_wqe(const struct model_qp *qp,
		       const struct xrdma_rq_wqe *wqe)
{
	return rq_wqe_ok(qp, wqe) ? injected(qp, MODEL_INJECT_RECV) :
				    XRDMA_WC_LOC_QP_OP_ERR;
}

/**
 * model_qp_read_rq - copy the next entry of the receive queue
 * @qp: the queue pair
 * @buf: buffer of MODEL_WQE_MAX bytes: a checked struct xrdma_rq_wqe and its
 *	scatter-gather entries; the caller passes the same buffer each time
 *
 * The entry remains the next entry until model_qp_complete_recv(). An entry of
 * a shared receive queue is removed from that queue; later calls return it in
 * @buf.
 *
 * Return: 0; -EAGAIN if no entry is posted; -EFAULT if the entry is malformed
 * or out of reach, or if a fault of inject.h makes it fail; then the queue pair
 * is in ERR.
 */
int model_qp_read_rq(struct model_qp *qp, void *buf)
{
	const struct xrdma_rq_wqe *wqe = buf;
	struct model_recv_done done = {
		.opcode = XRDMA_OP_RECV,
	};
	int err;

	if (qp->taken)
		return 0;
	err = qp->srq ? take_shared(qp, buf) : read_own(qp, buf);
	if (err == -EAGAIN)
		model_qp_stat_add(qp, XRDMA_STAT_OUT_OF_BUFFER, 1);
	if (err)
		return err;
	done.status = check_rq_wqe(qp, wqe);
	if (!done.status)
		return 0;
	done.wr_id = wqe->wr_id;
	model_qp_complete_recv(qp, &done);
	model_qp_error(qp, 0);
	return -EFAULT;
}

/**
 * model_qp_has_recv - check whether a receive entry is posted
 * @qp: the queue pair
 *
 * Return: false if the queue pair has a receive queue of its own, and this queue
 * is empty; else true, also if the producer index is corrupt: model_qp_read_rq()
 * fails then.
 */
bool model_qp_has_recv(struct model_qp *qp)
{
	return !qp->rq.log_stride || qp->rq.pi != qp->rq.ci ||
	       model_qp_fetch(qp, &qp->rq);
}

/**
 * model_qp_fail_send - complete the oldest send entry, which failed
 * @qp: the queue pair
 * @wqe: copy of the first 32 bytes of the entry
 * @status: enum xrdma_wc_status
 * @vendor_err: enum xrdma_fault_reason
 *
 * Completes the send with an error, and moves the queue pair to ERR, or to SQE
 * if its type has SQE. The entries posted after the send are flushed.
 */
void model_qp_fail_send(struct model_qp *qp, const struct xrdma_sq_wqe *wqe,
			u8 status, u16 vendor_err)
{
	model_qp_push_send(qp, wqe, status, vendor_err, 0);
	if (qp->type == XRDMA_QP_RC || qp->type == XRDMA_QP_XRC_INI)
		model_qp_error(qp, 0);
	else
		model_qp_sq_error(qp);
}
