// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The responder of unreliable connections, which sends no answers (IBTA 9.8).
 * It drops a message if a packet of the message is missing or refused, or has
 * to wait for a page; the next message uses the receive entry then.
 *
 * The requester of unreliable connections is in requester.c. Functions that
 * both kinds of responders use are in responder_op.c.
 */
#include "core/device.h"
#include "packet/pkt.h"
#include "transport/answer.h"
#include "transport/conn.h"
#include "transport/responder.h"
#include "transport/uc.h"

/*
 * The memory of the receive entry is not accessible, an error of the local
 * host: complete the receive in error, move the queue pair to ERR.
 */
static bool recv_failed(struct model_qp *qp, u16 reason)
{
	const struct xrdma_rq_wqe *wqe = (void *)qp->tp->resp.mem->recv;
	const struct model_recv_done done = {
		.status = XRDMA_WC_LOC_PROT_ERR,
		.opcode = XRDMA_OP_RECV,
		.wr_id = wqe->wr_id,
		.vendor_err = reason,
	};

	model_qp_complete_recv(qp, &done);
	model_qp_error(qp, 0);
	return false;
}

/* Execute a packet of a SEND. Return: false if the message must be dropped. */
static bool take_send(struct model_qp *qp, const struct model_pkt *pkt)
{
	struct model_responder *resp = &qp->tp->resp;
	struct model_sgl sgl;
	u64 end;
	int reason;

	if (pkt->op.flags & MODEL_PKT_FIRST) {
		if (model_qp_read_rq(qp, resp->mem->recv))
			return false;
		resp->received = 0;
	}
	model_responder_sgl(qp, &sgl);
	end = (u64)resp->received + pkt->len;
	if (end > model_sgl_length(&sgl) || end > MODEL_MSG_MAX)
		return false;
	reason = model_sgl_scatter(qp, &sgl, resp->received, pkt->payload,
				   pkt->len);
	if (reason == MODEL_MISS)
		return false;
	if (reason)
		return recv_failed(qp, reason);
	resp->received += pkt->len;
	if (pkt->op.flags & MODEL_PKT_LAST)
		model_responder_done(qp, pkt, XRDMA_OP_RECV);
	return true;
}

static struct model_access_req access_of(const struct model_qp *qp, u64 len)
{
	return (struct model_access_req) {
		.qp = qp,
		.addr = qp->tp->resp.va,
		.len = len,
		.key = qp->tp->resp.rkey,
		.expected = qp->tp->resp.left,
		.rights = XRDMA_ACCESS_REMOTE_WRITE,
		.remote = true,
		.opcode = XRDMA_OP_WRITE,
	};
}

/* The first packet of a WRITE has the range of the message: check access. */
static bool begin_write(struct model_qp *qp, const struct model_pkt *pkt)
{
	struct model_access_req req;
	struct model_target target;

	qp->tp->resp.va = pkt->va;
	qp->tp->resp.rkey = pkt->rkey;
	qp->tp->resp.left = pkt->dma_len;
	qp->tp->resp.received = 0;
	req = access_of(qp, pkt->dma_len);
	return pkt->dma_len <= MODEL_MSG_MAX &&
	       !model_access_check(qp->dev, &req, &target);
}

/* Execute a packet of a WRITE. Return: false if the message must be dropped. */
static bool take_write(struct model_qp *qp, const struct model_pkt *pkt)
{
	struct model_responder *resp = &qp->tp->resp;
	bool imm = pkt->op.hdrs & MODEL_HDR_IMM;
	bool last = pkt->op.flags & MODEL_PKT_LAST;
	struct model_access_req req;

	if (pkt->op.flags & MODEL_PKT_FIRST && !begin_write(qp, pkt))
		return false;
	if (last ? pkt->len != resp->left : pkt->len >= resp->left)
		return false;
	if (imm && model_qp_read_rq(qp, resp->mem->recv))
		return false;
	req = access_of(qp, pkt->len);
	if (model_access_write(qp->dev, &req, pkt->payload))
		return false;
	resp->va += pkt->len;
	resp->left -= pkt->len;
	resp->received += pkt->len;
	if (pkt->op.flags & MODEL_PKT_FIRST)
		model_qp_stat_add(qp, XRDMA_STAT_RX_WRITES, 1);
	if (imm)
		model_responder_done(qp, pkt, XRDMA_OP_RECV_WRITE_IMM);
	return true;
}

/* Return: true if @pkt is the next packet of its message, or a first packet. */
static bool in_message(const struct model_qp *qp, const struct model_pkt *pkt)
{
	u16 kind = pkt->op.flags & (MODEL_PKT_SEND | MODEL_PKT_WRITE);
	u32 mtu = model_qp_mtu(qp);

	if (!(pkt->op.flags & MODEL_PKT_LAST) ? pkt->len != mtu :
						pkt->len > mtu)
		return false;
	if (pkt->op.flags & MODEL_PKT_FIRST)
		return true;
	return kind == qp->tp->resp.message && pkt->psn == qp->tp->resp.psn && pkt->len;
}

/**
 * model_uc_request() - handle a received request packet
 * @qp: the queue pair, in RTR, RTS, SQD or SQE
 * @pkt: the packet
 *
 * A first packet begins a message even if the previous message is incomplete.
 *
 * Return: MODEL_RX_OK, or why it was dropped.
 */
enum model_rx model_uc_request(struct model_qp *qp, const struct model_pkt *pkt)
{
	u16 kind = pkt->op.flags & (MODEL_PKT_SEND | MODEL_PKT_WRITE);
	struct model_responder *resp = &qp->tp->resp;
	bool goes_on = in_message(qp, pkt);

	if (pkt->psn != resp->psn)
		model_qp_stat_add(qp, XRDMA_STAT_OUT_OF_SEQUENCE, 1);
	resp->psn = model_psn_add(pkt->psn, 1);
	if (goes_on)
		goes_on = kind == MODEL_PKT_SEND ? take_send(qp, pkt) :
						   take_write(qp, pkt);
	resp->message = goes_on && !(pkt->op.flags & MODEL_PKT_LAST) ? kind : 0;
	return goes_on ? MODEL_RX_OK : MODEL_RX_UNEXPECTED;
}
