// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responses to the requester: acknowledgments, NAKs, data of READs, results
 * of atomics (IBTA 9.7.5.1, 9.7.7.2). A response acknowledges all packets
 * before its own; where that includes a READ or an atomic of which the
 * response is missing, it was lost, and the requester goes back.
 */

#include <string.h>

#include "core/device.h"
#include "packet/pkt.h"
#include "transport/conn.h"

static bool alive(const struct xrdma_qp *qp)
{
	return qp->state == XRDMA_QPS_RTS || qp->state == XRDMA_QPS_SQD;
}

static bool has_response(const struct xrdma_req_entry *e)
{
	return xrdma_req_has_response(e->kind);
}

/* What was not acknowledged before is now: retries count from anew. */
static void progress(struct xrdma_qp *qp, u32 una_psn)
{
	struct xrdma_requester *req = &qp->tp->req;

	req->una_psn = una_psn;
	req->retries = qp->attr.retry_cnt;
	req->rnr_retries = qp->attr.rnr_retry;
	req->recovering = false;
}

static void complete(struct xrdma_qp *qp, const struct xrdma_req_entry *e)
{
	u32 byte_len = 0;

	if (has_response(e)) {
		qp->tp->req.rd_atomic--;
		byte_len = e->length;
	}
	progress(qp, xrdma_psn_add(e->last_psn, 1));
	xrdma_qp_complete_send(qp, qp->sq.ci, &e->wqe, byte_len);
}

/* Go back, unless that has been done already for this packet. */
static void retry(struct xrdma_qp *qp)
{
	struct xrdma_requester *req = &qp->tp->req;

	if (req->rnr_wait ||
	    (req->recovering && req->recover_psn == req->una_psn))
		return;
	xrdma_qp_stat_add(qp, XRDMA_STAT_RETRANSMITS, 1);
	if (!req->retries) {
		xrdma_requester_fail(qp, XRDMA_WC_RETRY_EXC_ERR, 0);
		return;
	}
	req->retries--;
	req->recovering = true;
	req->recover_psn = req->una_psn;
	xrdma_requester_go_back(qp);
}

/*
 * Acknowledge all packets before @psn, which has been sent or would be next.
 * Return: the entry at the head of the window then; NULL if there is none, or
 * if a response is missing, for which it has gone back.
 */
static struct xrdma_req_entry *ack_before(struct xrdma_qp *qp, u32 psn)
{
	struct xrdma_req_entry *e;

	while (alive(qp) && qp->sq.ci != qp->tp->req.next) {
		e = xrdma_requester_entry(qp, qp->sq.ci);
		if (e->kind == XRDMA_REQ_FAILED)
			return e;
		if (xrdma_psn_diff(psn, e->last_psn) <= 0) {
			if (!has_response(e) &&
			    xrdma_psn_diff(psn, qp->tp->req.una_psn) > 0)
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

/* The responder is in state ERR and will say nothing more. */
static void fatal_nak(struct xrdma_qp *qp, u8 value)
{
	static const u8 status[] = {
		[XRDMA_NAK_INVALID] = XRDMA_WC_REM_INV_REQ_ERR,
		[XRDMA_NAK_ACCESS] = XRDMA_WC_REM_ACCESS_ERR,
		[XRDMA_NAK_OPERATION] = XRDMA_WC_REM_OP_ERR,
	};

	if (value == XRDMA_NAK_INVALID)
		xrdma_qp_stat_add(qp, XRDMA_STAT_REQ_REMOTE_INVALID, 1);
	if (value == XRDMA_NAK_ACCESS)
		xrdma_qp_stat_add(qp, XRDMA_STAT_REQ_REMOTE_ACCESS, 1);
	xrdma_requester_fail(qp, status[value], 0);
}

static void rnr_nak(struct xrdma_qp *qp, u8 code)
{
	struct xrdma_requester *req = &qp->tp->req;

	if (req->rnr_wait)
		return;
	xrdma_qp_stat_add(qp, XRDMA_STAT_RNR_NAK, 1);
	if (qp->attr.rnr_retry != 7) {
		if (!req->rnr_retries) {
			xrdma_requester_fail(qp, XRDMA_WC_RNR_RETRY_EXC_ERR, 0);
			return;
		}
		req->rnr_retries--;
	}
	xrdma_requester_go_back(qp);
	xrdma_requester_rnr_wait(qp, code);
}

static enum xrdma_rx nak(struct xrdma_qp *qp, const struct xrdma_pkt *pkt)
{
	u8 value = pkt->syndrome & XRDMA_AETH_VALUE;
	struct xrdma_req_entry *e;

	if (value > XRDMA_NAK_OPERATION)
		return XRDMA_RX_UNEXPECTED;
	e = ack_before(qp, pkt->psn);
	if (!e || e->kind == XRDMA_REQ_FAILED)
		return XRDMA_RX_OK;
	if (value == XRDMA_NAK_SEQUENCE)
		retry(qp);
	else if (xrdma_psn_diff(pkt->psn, e->first_psn) >= 0)
		fatal_nak(qp, value);
	return XRDMA_RX_OK;
}

static enum xrdma_rx ack(struct xrdma_qp *qp, const struct xrdma_pkt *pkt)
{
	struct xrdma_req_entry *e;

	switch (pkt->syndrome & XRDMA_AETH_KIND) {
	case XRDMA_AETH_ACK:
		ack_before(qp, xrdma_psn_add(pkt->psn, 1));
		return XRDMA_RX_OK;
	case XRDMA_AETH_RNR:
		e = ack_before(qp, pkt->psn);
		if (e && e->kind != XRDMA_REQ_FAILED)
			rnr_nak(qp, pkt->syndrome & XRDMA_AETH_VALUE);
		return XRDMA_RX_OK;
	case XRDMA_AETH_NAK:
		return nak(qp, pkt);
	default:
		return XRDMA_RX_UNEXPECTED;
	}
}

/* Local memory of a response. Return: false if the queue pair has failed. */
static bool deliver(struct xrdma_qp *qp, const struct xrdma_req_entry *e,
		    u64 offset, const void *from, u32 len)
{
	struct xrdma_req_copy copy;
	struct xrdma_sgl sgl;
	int reason;

	copy.loaded = false;
	if (!xrdma_requester_body(qp, e, qp->sq.ci, &copy, &sgl)) {
		if (alive(qp))
			xrdma_requester_fail(qp, XRDMA_WC_LOC_QP_OP_ERR, 0);
		return false;
	}
	reason = xrdma_sgl_scatter(qp, &sgl, offset, from, len);
	if (reason)
		xrdma_requester_fail(qp, XRDMA_WC_LOC_PROT_ERR, reason);
	return !reason;
}

/* Is it what the responder has to send at this place? */
static bool read_response_ok(const struct xrdma_qp *qp,
			     const struct xrdma_req_entry *e, u64 offset,
			     const struct xrdma_pkt *pkt)
{
	bool last = pkt->psn == e->last_psn;
	u32 len = last ? e->length - offset : xrdma_qp_mtu(qp);

	return !!(pkt->op.flags & XRDMA_PKT_LAST) == last && pkt->len == len;
}

static enum xrdma_rx read_response(struct xrdma_qp *qp,
				   struct xrdma_req_entry *e,
				   const struct xrdma_pkt *pkt)
{
	s32 ahead = xrdma_psn_diff(pkt->psn, e->resp_psn);
	u64 offset;

	if (e->kind != XRDMA_REQ_READ ||
	    xrdma_psn_diff(pkt->psn, e->first_psn) < 0)
		return XRDMA_RX_UNEXPECTED;
	if (ahead > 0)
		retry(qp);
	if (ahead)
		return XRDMA_RX_OK;
	offset = (u64)xrdma_psn_add(pkt->psn, -e->first_psn) *
		 xrdma_qp_mtu(qp);
	if (!read_response_ok(qp, e, offset, pkt)) {
		xrdma_requester_fail(qp, XRDMA_WC_BAD_RESP_ERR, 0);
		return XRDMA_RX_OK;
	}
	if (!deliver(qp, e, offset, pkt->payload, pkt->len))
		return XRDMA_RX_OK;
	e->resp_psn = xrdma_psn_add(pkt->psn, 1);
	if (pkt->psn == e->last_psn)
		complete(qp, e);
	else
		progress(qp, e->resp_psn);
	return XRDMA_RX_OK;
}

/* FLUSH or ATOMIC_WRITE is done: a response without data says so. */
static enum xrdma_rx empty_response(struct xrdma_qp *qp,
				    struct xrdma_req_entry *e,
				    const struct xrdma_pkt *pkt)
{
	if (pkt->psn != e->first_psn)
		return XRDMA_RX_UNEXPECTED;
	if ((pkt->op.flags & XRDMA_PKT_ONLY) != XRDMA_PKT_ONLY || pkt->len)
		xrdma_requester_fail(qp, XRDMA_WC_BAD_RESP_ERR, 0);
	else
		complete(qp, e);
	return XRDMA_RX_OK;
}

static enum xrdma_rx atomic_ack(struct xrdma_qp *qp, struct xrdma_req_entry *e,
				const struct xrdma_pkt *pkt)
{
	if (e->kind != XRDMA_REQ_ATOMIC || pkt->psn != e->first_psn)
		return XRDMA_RX_UNEXPECTED;
	if (deliver(qp, e, 0, &pkt->orig, sizeof(pkt->orig)))
		complete(qp, e);
	return XRDMA_RX_OK;
}

/* A response with data: it answers the entry that comes up for it. */
static enum xrdma_rx data(struct xrdma_qp *qp, const struct xrdma_pkt *pkt)
{
	struct xrdma_req_entry *e;

	if (pkt->op.hdrs & XRDMA_HDR_AETH &&
	    (pkt->syndrome & XRDMA_AETH_KIND) != XRDMA_AETH_ACK)
		return XRDMA_RX_UNEXPECTED;
	e = ack_before(qp, pkt->psn);
	if (!e)
		return XRDMA_RX_OK;
	if (pkt->op.flags & XRDMA_PKT_ATOMIC)
		return atomic_ack(qp, e, pkt);
	if (e->kind == XRDMA_REQ_FLUSH || e->kind == XRDMA_REQ_ATOMIC_WRITE)
		return empty_response(qp, e, pkt);
	return read_response(qp, e, pkt);
}

/**
 * xrdma_requester_response() - a response packet has come
 * @qp: the queue pair, in RTS or SQD
 * @pkt: the packet
 *
 * Return: XRDMA_RX_OK, or why it was dropped.
 */
enum xrdma_rx xrdma_requester_response(struct xrdma_qp *qp,
				       const struct xrdma_pkt *pkt)
{
	struct xrdma_requester *req = &qp->tp->req;
	u32 una_psn = req->una_psn;
	enum xrdma_rx rx;

	if (xrdma_psn_diff(pkt->psn, req->max_psn) >= 0)
		return XRDMA_RX_UNEXPECTED;
	if (xrdma_psn_diff(pkt->psn, una_psn) < 0)
		return XRDMA_RX_OK;
	if (pkt->op.flags & (XRDMA_PKT_READ | XRDMA_PKT_ATOMIC))
		rx = data(qp, pkt);
	else
		rx = ack(qp, pkt);
	if (!alive(qp))
		return rx;
	xrdma_requester_settle(qp);
	if (!alive(qp))
		return rx;
	if (req->una_psn != una_psn && !req->rnr_wait)
		xrdma_requester_timer_start(qp);
	xrdma_qp_activate(qp);
	return rx;
}
