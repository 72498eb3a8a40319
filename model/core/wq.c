// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work queues: producer indexes, entries, completions. Their memory is the
 * consumer's, perhaps a user's, and may change while it is read: each value is
 * read once, checked, and then only the copy is used.
 */
#include <errno.h>
#include <string.h>

#include "core/device.h"
#include "core/qp.h"
#include "core/srq.h"
#include "xrdma_ring.h"

static bool in_error(const struct xrdma_qp *qp)
{
	return qp->state == XRDMA_QPS_ERR;
}

/* The queue pair's memory is out of reach or corrupt. */
static void corrupt(struct xrdma_qp *qp, const char *what, u32 value, u32 pi,
		    u32 ci)
{
	if (qp->flags & XRDMA_QP_KERNEL)
		xrdma_dev_herr(qp->dev, WQ_INDEX,
			       "QP %#x: %s %#x, was %#x, completed %#x",
			       qp->qpn, what, value, pi, ci);
	else
		qp->dev->user_errors++;
	xrdma_qp_error(qp, XRDMA_EVENT_QP_FATAL);
}

/* Look at a producer index. 1: it moved; 0: it did not; -EFAULT: QP in ERR. */
static int fetch_pi(struct xrdma_qp *qp, struct xrdma_wq *wq, u64 off,
		    const char *what)
{
	size_t len = sizeof(__le32);
	const __le32 *ptr = xrdma_mem_ptr(qp->dev, &qp->rec, off, &len, false);
	u32 pi, used;

	if (!ptr) {
		xrdma_qp_error(qp, XRDMA_EVENT_QP_FATAL);
		return -EFAULT;
	}
	pi = le32_to_cpu(__atomic_load_n(ptr, __ATOMIC_ACQUIRE));
	if (pi == wq->pi)
		return 0;
	used = xrdma_ring_used(pi, wq->ci);
	if (used > 1U << wq->log_depth ||
	    used < xrdma_ring_used(wq->pi, wq->ci)) {
		corrupt(qp, what, pi, wq->pi, wq->ci);
		return -EFAULT;
	}
	wq->pi = pi;
	return 1;
}

/**
 * xrdma_qp_fetch_sq - look at the producer index of the send queue
 * @qp: the queue pair
 *
 * Return: 1 if xrdma_wq.pi has moved, 0 if not; -EFAULT if the index is
 * corrupt: the queue pair is in ERR then, if it was not before.
 */
int xrdma_qp_fetch_sq(struct xrdma_qp *qp)
{
	if (!qp->sq.log_stride)
		return 0;
	return fetch_pi(qp, &qp->sq, offsetof(struct xrdma_qp_rec, sq_pi),
			"sq_pi");
}

static int fetch_rq(struct xrdma_qp *qp)
{
	return fetch_pi(qp, &qp->rq, offsetof(struct xrdma_qp_rec, rq_pi),
			"rq_pi");
}

static int read_entry(struct xrdma_qp *qp, struct xrdma_wq *wq, u32 index,
		      void *buf, size_t len)
{
	u64 off = (u64)xrdma_ring_slot(index, wq->log_depth) << wq->log_stride;

	return xrdma_mem_read(qp->dev, &wq->ring, off, buf, len);
}

/**
 * xrdma_qp_read_sq - copy an entry of the send queue
 * @qp: the queue pair
 * @index: of the entry, before xrdma_wq.pi
 * @buf: gets a stride of up to XRDMA_WQE_MAX bytes
 *
 * Return: 0; -EFAULT if it is out of reach: the queue pair is in ERR then.
 */
int xrdma_qp_read_sq(struct xrdma_qp *qp, u32 index, void *buf)
{
	if (!read_entry(qp, &qp->sq, index, buf, 1U << qp->sq.log_stride))
		return 0;
	xrdma_qp_error(qp, XRDMA_EVENT_QP_FATAL);
	return -EFAULT;
}

static bool rq_wqe_ok(const struct xrdma_qp *qp, const struct xrdma_rq_wqe *wqe)
{
	u8 log_stride = qp->srq ? qp->srq->wq.log_stride : qp->rq.log_stride;
	u32 max = ((1U << log_stride) - sizeof(*wqe)) /
		  sizeof(struct xrdma_sge);

	if (max > XRDMA_MAX_SGE)
		max = XRDMA_MAX_SGE;
	return le16_to_cpu(wqe->num_sge) <= max && !wqe->reserved[0] &&
	       !wqe->reserved[1] && !wqe->reserved[2];
}

static int read_own(struct xrdma_qp *qp, void *buf)
{
	if (!qp->rq.log_stride)
		return -EAGAIN;
	if (qp->rq.pi == qp->rq.ci && fetch_rq(qp) < 0)
		return -EFAULT;
	if (qp->rq.pi == qp->rq.ci)
		return -EAGAIN;
	if (!read_entry(qp, &qp->rq, qp->rq.ci, buf, 1U << qp->rq.log_stride))
		return 0;
	xrdma_qp_error(qp, XRDMA_EVENT_QP_FATAL);
	return -EFAULT;
}

static int take_shared(struct xrdma_qp *qp, void *buf)
{
	const struct xrdma_rq_wqe *wqe = buf;
	int err = xrdma_srq_take(qp->dev, qp->srq, buf);

	if (err)
		return err;
	qp->taken = true;
	qp->taken_wr_id = wqe->wr_id;
	return 0;
}

/**
 * xrdma_qp_read_rq - copy the next entry of the receive queue
 * @qp: the queue pair
 * @buf: gets a stride of up to XRDMA_WQE_MAX bytes: struct xrdma_rq_wqe, found
 *	legal, and its scatter-gather entries; the same each time
 *
 * The entry stays the next one until xrdma_qp_complete_recv(); one of a shared
 * receive queue is taken out of it, and stays in @buf.
 *
 * Return: 0; -EAGAIN if none is posted; -EFAULT if it is malformed or out of
 * reach: the queue pair is in ERR then.
 */
int xrdma_qp_read_rq(struct xrdma_qp *qp, void *buf)
{
	const struct xrdma_rq_wqe *wqe = buf;
	struct xrdma_recv_done done = {
		.status = XRDMA_WC_LOC_QP_OP_ERR,
		.opcode = XRDMA_OP_RECV,
	};
	int err;

	if (qp->taken)
		return 0;
	err = qp->srq ? take_shared(qp, buf) : read_own(qp, buf);
	if (err == -EAGAIN)
		xrdma_qp_stat_add(qp, XRDMA_STAT_OUT_OF_BUFFER, 1);
	if (err)
		return err;
	if (rq_wqe_ok(qp, wqe))
		return 0;
	done.wr_id = wqe->wr_id;
	xrdma_qp_complete_recv(qp, &done);
	xrdma_qp_error(qp, 0);
	return -EFAULT;
}

/* A completion with an error; a flushed one is one too. */
static void count_error(const struct xrdma_qp *qp, u8 status,
			enum xrdma_stat errors, enum xrdma_stat flushed)
{
	xrdma_qp_stat_add(qp, errors, 1);
	if (status == XRDMA_WC_WR_FLUSH_ERR)
		xrdma_qp_stat_add(qp, flushed, 1);
}

/* A device that writes to the ring of the host, which is none of its business */
static void spoil_entry(struct xrdma_qp *qp, u32 index)
{
	struct xrdma_wq *wq = &qp->sq;
	u64 off = (u64)xrdma_ring_slot(index, wq->log_depth) << wq->log_stride;
	u8 wqe[1 << XRDMA_SQ_LOG_STRIDE_MIN];

	if (xrdma_chaos_wqe(&qp->dev->chaos, wqe, sizeof(wqe)))
		xrdma_mem_write(qp->dev, &wq->ring, off, wqe, sizeof(wqe));
}

static void push_send(struct xrdma_qp *qp, u32 index,
		      const struct xrdma_sq_wqe *wqe, u8 status,
		      u16 vendor_err, u32 byte_len)
{
	struct xrdma_cqe cqe = {
		.wr_id = wqe->wr_id,
		.byte_len = cpu_to_le32(byte_len),
		.qpn = cpu_to_le32(qp->qpn),
		.opcode = wqe->opcode,
		.status = status,
		.flags = cpu_to_le16(XRDMA_CQE_SEND),
		.vendor_err = cpu_to_le16(vendor_err),
		.wqe_index = cpu_to_le16(index),
	};

	if (status)
		count_error(qp, status, XRDMA_STAT_REQ_CQE_ERRORS,
			    XRDMA_STAT_REQ_FLUSHED);
	spoil_entry(qp, index);
	xrdma_cq_push(qp->dev, qp->send_cq, &cqe);
}

/**
 * xrdma_qp_complete_send - a send succeeded
 * @qp: the queue pair
 * @index: of the entry; all before it have been completed
 * @wqe: the copy of its first 32 bytes
 * @byte_len: for the completion: bytes read; atomics: 8
 *
 * The queue pair may be in ERR when this returns, for want of room in its CQ.
 */
void xrdma_qp_complete_send(struct xrdma_qp *qp, u32 index,
			    const struct xrdma_sq_wqe *wqe, u32 byte_len)
{
	qp->sq.ci = index + 1;
	if (wqe->flags & XRDMA_WQE_SIGNALED || qp->flags & XRDMA_QP_SQ_SIG_ALL)
		push_send(qp, index, wqe, XRDMA_WC_SUCCESS, 0, byte_len);
}

/**
 * xrdma_qp_fail_send - a send failed
 * @qp: the queue pair
 * @index: of the entry; all before it have been completed
 * @wqe: the copy of its first 32 bytes
 * @status: enum xrdma_wc_status
 * @vendor_err: enum xrdma_fault_reason
 *
 * Completes it in error and moves the queue pair to ERR, or where its type
 * lets receives go on, to SQE: what was posted after it is flushed.
 */
void xrdma_qp_fail_send(struct xrdma_qp *qp, u32 index,
			const struct xrdma_sq_wqe *wqe, u8 status,
			u16 vendor_err)
{
	qp->sq.ci = index + 1;
	push_send(qp, index, wqe, status, vendor_err, 0);
	if (qp->type == XRDMA_QP_RC || qp->type == XRDMA_QP_XRC_INI)
		xrdma_qp_error(qp, 0);
	else
		xrdma_qp_sq_error(qp);
}

/* Where receives complete; NULL if the queue pair has lost its XRC SRQ. */
static struct xrdma_cq *recv_cq(const struct xrdma_qp *qp)
{
	return qp->srq && qp->srq->cq ? qp->srq->cq : qp->recv_cq;
}

/**
 * xrdma_qp_complete_recv - the next receive has ended
 * @qp: the queue pair
 * @done: how; after an error the caller moves the queue pair to ERR
 *
 * The queue pair may be in ERR when this returns, for want of room in its CQ.
 */
void xrdma_qp_complete_recv(struct xrdma_qp *qp,
			    const struct xrdma_recv_done *done)
{
	struct xrdma_cqe cqe = {
		.wr_id = done->wr_id,
		.byte_len = cpu_to_le32(done->byte_len),
		.qpn = cpu_to_le32(qp->qpn),
		.src_qpn = cpu_to_le32(done->src_qpn),
		.opcode = done->opcode,
		.status = done->status,
		.flags = cpu_to_le16(done->flags),
		.vendor_err = cpu_to_le16(done->vendor_err),
		.vlan_tci = cpu_to_le16(done->vlan_tci),
		.sl = done->sl,
	};

	if (done->status)
		count_error(qp, done->status, XRDMA_STAT_RESP_CQE_ERRORS,
			    XRDMA_STAT_RESP_FLUSHED);
	if (done->flags & XRDMA_CQE_IMM)
		cqe.imm = done->imm;
	else if (done->flags & XRDMA_CQE_INV)
		cqe.inv_key = cpu_to_le32(done->inv_key);
	memcpy(cqe.smac, done->smac, sizeof(cqe.smac));
	if (qp->taken)
		cqe.flags |= cpu_to_le16(XRDMA_CQE_SRQ);
	else
		qp->rq.ci++;
	qp->taken = false;
	if (recv_cq(qp))
		xrdma_cq_push(qp->dev, recv_cq(qp), &cqe);
}

static bool flush_sq(struct xrdma_qp *qp)
{
	struct xrdma_sq_wqe wqe;
	u32 index;

	if (xrdma_qp_fetch_sq(qp) < 0)
		return false;
	/* the CQ may die, and all of this be called again below it */
	while (qp->sq.ci != qp->sq.pi) {
		index = qp->sq.ci++;
		if (read_entry(qp, &qp->sq, index, &wqe, sizeof(wqe)))
			return false;
		push_send(qp, index, &wqe, XRDMA_WC_WR_FLUSH_ERR, 0, 0);
	}
	return true;
}

static bool flush_rq(struct xrdma_qp *qp)
{
	struct xrdma_recv_done done = {
		.status = XRDMA_WC_WR_FLUSH_ERR,
		.opcode = XRDMA_OP_RECV,
	};
	struct xrdma_rq_wqe wqe;

	if (!qp->rq.log_stride || fetch_rq(qp) < 0)
		return false;
	while (qp->rq.ci != qp->rq.pi) {
		if (read_entry(qp, &qp->rq, qp->rq.ci, &wqe, sizeof(wqe)))
			return false;
		done.wr_id = wqe.wr_id;
		xrdma_qp_complete_recv(qp, &done);
	}
	return true;
}

/* What was taken from a shared receive queue is this queue pair's. */
static bool flush_taken(struct xrdma_qp *qp)
{
	const struct xrdma_recv_done done = {
		.status = XRDMA_WC_WR_FLUSH_ERR,
		.opcode = XRDMA_OP_RECV,
		.wr_id = qp->taken_wr_id,
	};

	if (!qp->taken)
		return false;
	xrdma_qp_complete_recv(qp, &done);
	return true;
}

/**
 * xrdma_qp_flush - complete all that is posted with WR_FLUSH_ERR
 * @qp: the queue pair, in ERR or SQE; in SQE only its send queue is flushed
 *
 * A queue that is corrupt or out of reach stays as it is.
 *
 * Return: true if anything was flushed.
 */
bool xrdma_qp_flush(struct xrdma_qp *qp)
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
