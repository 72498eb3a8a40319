// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Entries of the work queues of a queue pair, for the transport: an entry is copied
 * and checked; one that is malformed or out of reach, and a send that fails, moves
 * the queue pair to an error state.
 *
 * Where the entries are in memory is in wq.c, their completions in completion.c.
 */
#include <errno.h>

#include "core/device.h"
#include "core/qp.h"
#include "core/srq.h"

/**
 * model_qp_read_sq - copy an entry of the send queue
 * @qp: the queue pair
 * @index: of the entry, before model_wq.pi
 * @buf: gets a stride of up to MODEL_WQE_MAX bytes
 *
 * Return: 0; -EFAULT if it is out of reach: the queue pair is in ERR then.
 */
int model_qp_read_sq(struct model_qp *qp, u32 index, void *buf)
{
	if (!model_wq_read(qp, &qp->sq, index, buf, 1U << qp->sq.log_stride))
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
	if (!model_wq_read(qp, &qp->rq, qp->rq.ci, buf, 1U << qp->rq.log_stride))
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

/**
 * model_qp_read_rq - copy the next entry of the receive queue
 * @qp: the queue pair
 * @buf: gets a stride of up to MODEL_WQE_MAX bytes: struct xrdma_rq_wqe, found
 *	legal, and its scatter-gather entries; the same each time
 *
 * The entry stays the next one until model_qp_complete_recv(); one of a shared
 * receive queue is taken out of it, and stays in @buf.
 *
 * Return: 0; -EAGAIN if none is posted; -EFAULT if it is malformed or out of
 * reach: the queue pair is in ERR then.
 */
int model_qp_read_rq(struct model_qp *qp, void *buf)
{
	const struct xrdma_rq_wqe *wqe = buf;
	struct model_recv_done done = {
		.status = XRDMA_WC_LOC_QP_OP_ERR,
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
	if (rq_wqe_ok(qp, wqe))
		return 0;
	done.wr_id = wqe->wr_id;
	model_qp_complete_recv(qp, &done);
	model_qp_error(qp, 0);
	return -EFAULT;
}

/**
 * model_qp_fail_send - a send failed
 * @qp: the queue pair
 * @index: of the entry; all before it have been completed
 * @wqe: the copy of its first 32 bytes
 * @status: enum xrdma_wc_status
 * @vendor_err: enum xrdma_fault_reason
 *
 * Completes it in error and moves the queue pair to ERR, or where its type
 * lets receives go on, to SQE: what was posted after it is flushed.
 */
void model_qp_fail_send(struct model_qp *qp, u32 index,
			const struct xrdma_sq_wqe *wqe, u8 status,
			u16 vendor_err)
{
	qp->sq.ci = index + 1;
	model_qp_push_send(qp, index, wqe, status, vendor_err, 0);
	if (qp->type == XRDMA_QP_RC || qp->type == XRDMA_QP_XRC_INI)
		model_qp_error(qp, 0);
	else
		model_qp_sq_error(qp);
}
