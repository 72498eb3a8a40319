// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completions of queue pairs: makes the completion queue entry for a send
 * or a receive. Completion queues are in cq.c, failed sends
 * in qp_queue.c, flushing in qp_error.c.
 */
#include <string.h>
#include <rdma/xrdma-ring.h>

#include "core/device.h"
#include "core/inject.h"
#include "core/late.h"
#include "core/qp.h"
#include "core/srq.h"

/* Count a completion with an error; a flushed entry is counted in both. */
static void count_error(const struct model_qp *qp, u8 status,
			enum xrdma_stat errors, enum xrdma_stat flushed)
{
	model_qp_stat_add(qp, errors, 1);
	if (status == XRDMA_WC_WR_FLUSH_ERR)
		model_qp_stat_add(qp, flushed, 1);
}

/* Write a completion, unless a fault of inject.h makes it late or lost. */
static void push(struct model_qp *qp, struct model_cq *cq,
		 const struct xrdma_cqe *cqe)
{
	bool send = le16_to_cpu(cqe->flags) & XRDMA_CQE_SEND;
	struct model_injects *faults = &qp->dev->inject;
	struct model_inject fault = {};

	if (faults->num) {
		if (model_inject_step(faults, send ? MODEL_INJECT_LOST_SEND :
				      MODEL_INJECT_LOST_RECV, qp->qpn, &fault))
			return;
		model_inject_step(faults, send ? MODEL_INJECT_LATE_SEND :
				  MODEL_INJECT_LATE_RECV, qp->qpn, &fault);
	}
	model_late_push(qp->dev, cq, cqe, fault.ns);
}

/* Chaos: overwrite the completed entry in the ring of the host */
static void spoil_entry(struct model_qp *qp, u32 place)
{
	u8 wqe[XRDMA_SQ_UNIT];

	if (model_chaos_wqe(&qp->dev->chaos, wqe, sizeof(wqe)))
		model_mem_write(qp->dev, &qp->sq.ring,
				(u64)place * XRDMA_SQ_UNIT, wqe, sizeof(wqe));
}

/**
 * model_qp_push_send() - write the completion of the oldest send entry
 * @qp: the queue pair
 * @wqe: copy of the first 32 bytes of the entry
 * @status: enum xrdma_wc_status
 * @vendor_err: enum xrdma_fault_reason
 * @byte_len: @byte_len of model_qp_complete_send()
 *
 * Increments model_wq.ci first: if the CQ fails, the queue pair goes to ERR, which
 * flushes the entries from model_wq.ci on.
 */
void model_qp_push_send(struct model_qp *qp, const struct xrdma_sq_wqe *wqe,
			u8 status, u16 vendor_err, u32 byte_len)
{
	u32 index = qp->sq.ci, place = qp->sq.place;
	struct xrdma_cqe cqe = {
		.wr_id = wqe->wr_id,
		.byte_len = cpu_to_le32(byte_len),
		.qpn = cpu_to_le32(qp->qpn),
		.opcode = wqe->opcode,
		.status = status,
		.flags = cpu_to_le16(XRDMA_CQE_SEND),
		.vendor_err = cpu_to_le16(vendor_err),
		.wqe_index = cpu_to_le16(xrdma_ring_low(index)),
		.timestamp = cpu_to_le64(status ? 0 : qp->sent_ns),
	};

	if (status)
		count_error(qp, status, XRDMA_STAT_REQ_CQE_ERRORS,
			    XRDMA_STAT_REQ_FLUSHED);
	model_sq_pass(qp, wqe);
	spoil_entry(qp, place);
	push(qp, qp->send_cq, &cqe);
}

/**
 * model_qp_complete_send - complete the oldest send entry, which succeeded
 * @qp: the queue pair
 * @wqe: copy of the first 32 bytes of the entry
 * @byte_len: bytes for the completion: bytes read; atomics: 8
 *
 * On return, the queue pair is in ERR if its CQ had no room.
 */
void model_qp_complete_send(struct model_qp *qp,
			    const struct xrdma_sq_wqe *wqe, u32 byte_len)
{
	if (wqe->flags & XRDMA_WQE_SIGNALED || qp->flags & XRDMA_QP_SQ_SIG_ALL)
		model_qp_push_send(qp, wqe, XRDMA_WC_SUCCESS, 0, byte_len);
	else
		model_sq_pass(qp, wqe);
}

/* CQ for receives; NULL for an XRC queue pair whose SRQ was destroyed. */
static struct model_cq *recv_cq(const struct model_qp *qp)
{
	return qp->srq && qp->srq->cq ? qp->srq->cq : qp->recv_cq;
}

/**
 * model_qp_complete_recv - complete the next receive
 * @qp: the queue pair
 * @done: result; after an error the caller moves the queue pair to ERR
 *
 * On return, the queue pair is in ERR if its CQ had no room.
 */
void model_qp_complete_recv(struct model_qp *qp,
			    const struct model_recv_done *done)
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
		.mss = cpu_to_le16(done->mss),
		.timestamp = cpu_to_le64(done->taken_ns),
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
		push(qp, recv_cq(qp), &cqe);
}
