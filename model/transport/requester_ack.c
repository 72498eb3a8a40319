// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Handles responses that the requester receives: acknowledgments, NAKs, data of
 * READs, results of atomics (IBTA 9.7.5.1, 9.7.7.2). A response acknowledges
 * all packets before its own. If one of these is a READ or an atomic whose
 * response has not been received, that response was lost, and the requester
 * sends the request again.
 *
 * Timeouts are in requester_timer.c, completion and retries in
 * requester_window.c.
 */

#include <string.h>

#include "core/device.h"
#include "packet/pkt.h"
#include "transport/conn.h"

static bool can_send(const struct model_qp *qp)
{
	return qp->state == XRDMA_QPS_RTS || qp->state == XRDMA_QPS_SQD;
}

static bool has_response(const struct model_req_entry *e)
{
	return model_req_has_response(e->kind);
}

/* Packets up to @una_psn are now acknowledged: reset the retry counters. */
static void progress(struct model_qp *qp, u32 una_psn)
{
	struct model_requester *req = &qp->tp->req;

	model_pace_acked(&req->pace, model_psn_add(una_psn, -req->una_psn));
	req->una_psn = una_psn;
	req->retries = qp->attr.retry_cnt;
	req->rnr_retries = qp->attr.rnr_retry;
	req->recovering = false;
}

static void complete(struct model_qp *qp, const struct model_req_entry *e)
{
	u32 byte_len = 0;

	if (has_response(e)) {
		qp->tp->req.rd_atomic--;
		byte_len = e->length;
	}
	progress(qp, model_psn_add(e->last_psn, 1));
	model_qp_complete_send(qp, &e->wqe, byte_len);
}

/*
 * Begin a retry from una_psn. Return: false if one is in progress, or if no retry
 * is left.
 */
static bool begin_retry(struct model_qp *qp)
{
	struct model_requester *req = &qp->tp->req;

	if (req->rnr_wait ||
	    (req->recovering && req->recover_psn == req->una_psn))
		return false;
	model_qp_stat_add(qp, XRDMA_STAT_RETRANSMITS, 1);
	if (!req->retries) {
		model_requester_fail(qp, XRDMA_WC_RETRY_EXC_ERR, 0);
		return false;
	}
	req->retries--;
	req->recovering = true;
	req->recover_psn = req->una_psn;
	model_pace_lost(&req->pace);
	return true;
}

/* Send again from una_psn. */
static void retry(struct model_qp *qp)
{
	if (begin_retry(qp))
		model_requester_go_back(qp);
}

/*
 * Acknowledge all packets before @psn, which is at most max_psn. Return: the
 * oldest entry in flight after that; NULL if there is none, or if a response is
 * missing and a retry has been started.
 */
static struct model_req_entry *ack_before(struct model_qp *qp, u32 psn)
{
	struct model_req_entry *e;

	while (can_send(qp) && qp->sq.ci != qp->tp->req.next) {
		e = model_requester_entry(qp, qp->sq.ci);
		if (e->kind == MODEL_REQ_FAILED)
			return e;
		if (model_psn_diff(psn, e->last_psn) <= 0) {
			if (!has_response(e) &&
			    model_psn_diff(psn, qp->tp->req.una_psn) > 0)
				progress(qp, psn);
			return e;
		}
		if (has_response(e)) {
			retry(qp);
			return NULL;
		}
		complete(qp, e);
	}
	return NULL;
}

/*
 * Fail the oldest entry in flight, whose response has an opcode that is not one of its
 * responses, or a code that is reserved (IBTA 9.9.2). Return: MODEL_RX_OK.
 */
static enum model_rx bad_response(struct model_qp *qp)
{
	model_requester_fail(qp, XRDMA_WC_BAD_RESP_ERR, 0);
	return MODEL_RX_OK;
}

/* Fail the queue pair: after this NAK the responder is in ERR. */
static void fatal_nak(struct model_qp *qp, u8 value)
{
	static const u8 status[] = {
		[MODEL_NAK_INVALID] = XRDMA_WC_REM_INV_REQ_ERR,
		[MODEL_NAK_ACCESS] = XRDMA_WC_REM_ACCESS_ERR,
		[MODEL_NAK_OPERATION] = XRDMA_WC_REM_OP_ERR,
	};

	if (value == MODEL_NAK_INVALID)
		model_qp_stat_add(qp, XRDMA_STAT_REQ_REMOTE_INVALID, 1);
	if (value == MODEL_NAK_ACCESS)
		model_qp_stat_add(qp, XRDMA_STAT_REQ_REMOTE_ACCESS, 1);
	model_requester_fail(qp, status[value], 0);
}

static void rnr_nak(struct model_qp *qp, u8 code)
{
	struct model_requester *req = &qp->tp->req;

	if (req->rnr_wait)
		return;
	model_qp_stat_add(qp, XRDMA_STAT_RNR_NAK, 1);
	if (qp->attr.rnr_retry != 7) {
		if (!req->rnr_retries) {
			model_requester_fail(qp, XRDMA_WC_RNR_RETRY_EXC_ERR, 0);
			return;
		}
		req->rnr_retries--;
	}
	model_requester_go_back(qp);
	model_requester_rnr_wait(qp, code);
}

static enum model_rx nak(struct model_qp *qp, const struct model_pkt *pkt)
{
	u8 value = pkt->syndrome & MODEL_AETH_VALUE;
	struct model_req_entry *e;

	e = ack_before(qp, pkt->psn);
	if (!e || e->kind == MODEL_REQ_FAILED)
		return MODEL_RX_OK;
	if (value > MODEL_NAK_OPERATION)
		return bad_response(qp);
	if (value == MODEL_NAK_SEQUENCE && begin_retry(qp))
		model_requester_lost(qp);
	else if (value == MODEL_NAK_SEQUENCE)
		return MODEL_RX_OK;
	else if (model_psn_diff(pkt->psn, e->first_psn) >= 0)
		fatal_nak(qp, value);
	return MODEL_RX_OK;
}

static enum model_rx ack(struct model_qp *qp, const struct model_pkt *pkt)
{
	struct model_req_entry *e;

	switch (pkt->syndrome & MODEL_AETH_KIND) {
	case MODEL_AETH_ACK:
		ack_before(qp, model_psn_add(pkt->psn, 1));
		return MODEL_RX_OK;
	case MODEL_AETH_RNR:
		e = ack_before(qp, pkt->psn);
		if (e && e->kind != MODEL_REQ_FAILED)
			rnr_nak(qp, pkt->syndrome & MODEL_AETH_VALUE);
		return MODEL_RX_OK;
	case MODEL_AETH_NAK:
		return nak(qp, pkt);
	default:
		e = ack_before(qp, pkt->psn);
		return e && e->kind != MODEL_REQ_FAILED ? bad_response(qp) :
							  MODEL_RX_OK;
	}
}

/*
 * A response is dropped, because the memory for its data, which begin at
 * @offset, misses. The wait for the memory stops the ACK timeout.
 */
static void drop_response(struct model_qp *qp, struct model_req_entry *e,
			  u64 offset)
{
	e->paged = true;
	e->probed = offset;
	qp->tp->req.refetch = true;
	qp->tp->req.deadline_ns = 0;
}

/*
 * Write the data of a response to local memory. Return: false if the queue pair
 * has failed, or if the response was dropped.
 */
static bool deliver(struct model_qp *qp, struct model_req_entry *e,
		    u64 offset, const void *from, u32 len)
{
	struct model_req_copy copy;
	struct model_sgl sgl;
	int reason;

	copy.loaded = false;
	if (!model_requester_body(qp, e, qp->sq.ci, &copy, &sgl)) {
		if (can_send(qp))
			model_requester_fail(qp, XRDMA_WC_LOC_QP_OP_ERR, 0);
		return false;
	}
	reason = model_sgl_scatter(qp, &sgl, offset, from, len);
	if (reason == MODEL_MISS)
		drop_response(qp, e, offset);
	else if (reason)
		model_requester_fail(qp, XRDMA_WC_LOC_PROT_ERR, reason);
	return !reason;
}

/*
 * Return: true if opcode and length are those that this PSN must have. A response
 * after the first one may be FIRST, if a repeated request begins there.
 */
static bool read_response_ok(const struct model_qp *qp,
			     const struct model_req_entry *e, u64 offset,
			     const struct model_pkt *pkt)
{
	bool last = model_psn_add(pkt->psn, 1) == e->asked_psn;
	bool end = pkt->psn == e->last_psn;
	u32 len = end ? e->length - offset : model_qp_mtu(qp);

	if (pkt->psn == e->first_psn && !(pkt->op.flags & MODEL_PKT_FIRST))
		return false;
	return !!(pkt->op.flags & MODEL_PKT_LAST) == last && pkt->len == len;
}

static enum model_rx read_response(struct model_qp *qp,
				   struct model_req_entry *e,
				   const struct model_pkt *pkt)
{
	s32 ahead = model_psn_diff(pkt->psn, e->resp_psn);
	u64 offset;

	if (e->kind != MODEL_REQ_READ)
		return bad_response(qp);
	if (ahead > 0)
		retry(qp);
	if (ahead)
		return MODEL_RX_OK;
	offset = (u64)model_psn_add(pkt->psn, -e->first_psn) *
		 model_qp_mtu(qp);
	if (!read_response_ok(qp, e, offset, pkt))
		return bad_response(qp);
	if (!deliver(qp, e, offset, pkt->payload, pkt->len))
		return MODEL_RX_OK;
	e->resp_psn = model_psn_add(pkt->psn, 1);
	if (pkt->psn == e->last_psn)
		complete(qp, e);
	else
		progress(qp, e->resp_psn);
	return MODEL_RX_OK;
}

/* The response to a FLUSH or ATOMIC_WRITE: a READ response without data. */
static enum model_rx empty_response(struct model_qp *qp,
				    struct model_req_entry *e,
				    const struct model_pkt *pkt)
{
	if ((pkt->op.flags & MODEL_PKT_ONLY) != MODEL_PKT_ONLY || pkt->len)
		return bad_response(qp);
	complete(qp, e);
	return MODEL_RX_OK;
}

static enum model_rx atomic_ack(struct model_qp *qp, struct model_req_entry *e,
				const struct model_pkt *pkt)
{
	if (e->kind != MODEL_REQ_ATOMIC)
		return bad_response(qp);
	if (deliver(qp, e, 0, &pkt->orig, sizeof(pkt->orig)))
		complete(qp, e);
	return MODEL_RX_OK;
}

/* A READ response or an atomic response, for the oldest entry in flight. */
static enum model_rx data(struct model_qp *qp, const struct model_pkt *pkt)
{
	struct model_req_entry *e;

	e = ack_before(qp, pkt->psn);
	if (!e || e->kind == MODEL_REQ_FAILED)
		return MODEL_RX_OK;
	if (pkt->op.hdrs & MODEL_HDR_AETH &&
	    (pkt->syndrome & MODEL_AETH_KIND) != MODEL_AETH_ACK)
		return bad_response(qp);
	if (pkt->op.flags & MODEL_PKT_ATOMIC)
		return atomic_ack(qp, e, pkt);
	if (e->kind == MODEL_REQ_FLUSH || e->kind == MODEL_REQ_ATOMIC_WRITE)
		return empty_response(qp, e, pkt);
	return read_response(qp, e, pkt);
}

/**
 * model_requester_response() - handle a received response packet
 * @qp: the queue pair, in RTS or SQD
 * @pkt: the packet
 *
 * Return: MODEL_RX_OK, or why it was dropped.
 */
enum model_rx model_requester_response(struct model_qp *qp,
				       const struct model_pkt *pkt)
{
	struct model_requester *req = &qp->tp->req;
	u32 una_psn = req->una_psn;
	enum model_rx rx;

	if (model_psn_diff(pkt->psn, req->max_psn) >= 0)
		return MODEL_RX_UNEXPECTED;
	if (model_psn_diff(pkt->psn, una_psn) < 0 || req->refetch)
		return MODEL_RX_OK;
	if (pkt->op.flags & (MODEL_PKT_READ | MODEL_PKT_ATOMIC))
		rx = data(qp, pkt);
	else
		rx = ack(qp, pkt);
	if (!can_send(qp))
		return rx;
	model_requester_answered(qp);
	model_requester_settle(qp);
	if (!can_send(qp))
		return rx;
	if (req->una_psn != una_psn && !req->rnr_wait)
		model_requester_timer_start(qp);
	model_qp_activate(qp);
	return rx;
}
