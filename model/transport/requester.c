// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The requester: takes up entries of the send queue in order and cuts them into
 * packets. Checks of an entry are in requester_wqe.c, the window of entries in flight
 * is in requester_window.c, responses are handled in requester_ack.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/device.h"
#include "packet/pkt.h"
#include "transport/conn.h"
#include "transport/tx.h"
#include "wire/wire.h"

static bool alive(const struct xrdma_qp *qp)
{
	return qp->state == XRDMA_QPS_RTS || qp->state == XRDMA_QPS_SQD;
}

/**
 * xrdma_requester_init() - start afresh
 * @qp: the queue pair, in RESET
 *
 * Return: 0 or -ENOMEM.
 */
int xrdma_requester_init(struct xrdma_qp *qp)
{
	struct xrdma_req_entry *entries = qp->tp->req.entries;

	if (!entries)
		entries = calloc(XRDMA_REQ_WINDOW, sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	memset(&qp->tp->req, 0, sizeof(qp->tp->req));
	qp->tp->req.entries = entries;
	xrdma_requester_timer_init(qp, xrdma_requester_timed_out);
	return 0;
}

/**
 * xrdma_requester_modify() - attributes are new
 * @qp: the queue pair
 * @mask: XRDMA_QPM_*
 */
void xrdma_requester_modify(struct xrdma_qp *qp, u32 mask)
{
	struct xrdma_requester *req = &qp->tp->req;

	if (mask & XRDMA_QPM_SQ_PSN) {
		req->psn = le32_to_cpu(qp->attr.sq_psn) & XRDMA_PSN_MASK;
		req->send_psn = req->psn;
		req->max_psn = req->psn;
		req->una_psn = req->psn;
	}
	if (mask & XRDMA_QPM_RETRY_CNT)
		req->retries = qp->attr.retry_cnt;
	if (mask & XRDMA_QPM_RNR_RETRY)
		req->rnr_retries = qp->attr.rnr_retry;
}

/**
 * xrdma_requester_stop() - forget everything in flight
 * @qp: the queue pair
 */
void xrdma_requester_stop(struct xrdma_qp *qp)
{
	struct xrdma_requester *req = &qp->tp->req;

	xrdma_requester_timer_cancel(qp);
	req->rnr_wait = false;
	req->failed = false;
	req->rd_atomic = 0;
	req->next = qp->sq.ci;
	req->cur = qp->sq.ci;
}

/**
 * xrdma_requester_destroy() - free what xrdma_requester_init() allocated
 * @qp: the queue pair, stopped
 */
void xrdma_requester_destroy(struct xrdma_qp *qp)
{
	free(qp->tp->req.entries);
	qp->tp->req.entries = NULL;
}

/**
 * xrdma_requester_idle() - is nothing in flight?
 * @qp: the queue pair
 *
 * Return: true if every entry taken up is complete.
 */
bool xrdma_requester_idle(const struct xrdma_qp *qp)
{
	return qp->tp->req.next == qp->sq.ci;
}

/* It cannot go on; it fails when its turn has come. */
static void refuse(struct xrdma_qp *qp, struct xrdma_req_entry *e, u8 status,
		   u16 vendor_err)
{
	if (qp->state == XRDMA_QPS_ERR)
		return;
	e->kind = XRDMA_REQ_FAILED;
	e->status = status;
	e->vendor_err = vendor_err;
	qp->tp->req.failed = true;
	xrdma_requester_settle(qp);
}

static bool must_wait(const struct xrdma_qp *qp, const struct xrdma_sq_wqe *wqe)
{
	const struct xrdma_requester *req = &qp->tp->req;

	/* a packet that is lost may need the key once more */
	if (wqe->opcode == XRDMA_OP_LOCAL_INV)
		return !xrdma_requester_idle(qp);
	if (!req->rd_atomic)
		return false;
	if (wqe->flags & XRDMA_WQE_FENCE)
		return true;
	return (wqe->opcode == XRDMA_OP_READ ||
		wqe->opcode == XRDMA_OP_CMP_SWAP ||
		wqe->opcode == XRDMA_OP_FETCH_ADD ||
		wqe->opcode == XRDMA_OP_FLUSH ||
		wqe->opcode == XRDMA_OP_ATOMIC_WRITE) &&
	       req->rd_atomic >= qp->attr.max_rd_atomic;
}

/*
 * Take up the next entry, of which @copy gets the bytes. Return: false if there is
 * none, or it must wait.
 */
static bool take_next(struct xrdma_qp *qp, struct xrdma_req_copy *copy)
{
	struct xrdma_requester *req = &qp->tp->req;
	struct xrdma_req_entry *e = xrdma_requester_entry(qp, req->next);

	if (qp->state != XRDMA_QPS_RTS || req->failed ||
	    req->next == qp->sq.pi ||
	    req->next - qp->sq.ci >= XRDMA_REQ_WINDOW)
		return false;
	copy->loaded = false;
	if (xrdma_qp_read_sq(qp, req->next, copy->wqe))
		return false;
	if (must_wait(qp, (void *)copy->wqe))
		return false;
	copy->loaded = true;
	copy->index = req->next++;
	xrdma_requester_take(qp, copy->wqe, e);
	if (xrdma_req_has_response(e->kind))
		req->rd_atomic++;
	if (e->kind == XRDMA_REQ_FAILED)
		refuse(qp, e, e->status, e->vendor_err);
	else if (e->kind == XRDMA_REQ_LOCAL)
		xrdma_requester_settle(qp);
	return true;
}

/* Opcode of a packet of a SEND or a WRITE. */
static u8 message_opcode(const struct xrdma_req_entry *e, bool first, bool last)
{
	bool imm = e->wqe.opcode == XRDMA_OP_SEND_IMM ||
		   e->wqe.opcode == XRDMA_OP_WRITE_IMM;

	if (e->wqe.opcode == XRDMA_OP_SEND_INV && last)
		return first ? XRDMA_BTH_SEND_ONLY_INV :
			       XRDMA_BTH_SEND_LAST_INV;
	if (e->kind == XRDMA_REQ_SEND) {
		if (last)
			return (first ? XRDMA_BTH_SEND_ONLY :
				XRDMA_BTH_SEND_LAST) + imm;
		return first ? XRDMA_BTH_SEND_FIRST : XRDMA_BTH_SEND_MIDDLE;
	}
	if (last)
		return (first ? XRDMA_BTH_WRITE_ONLY :
			XRDMA_BTH_WRITE_LAST) + imm;
	return first ? XRDMA_BTH_WRITE_FIRST : XRDMA_BTH_WRITE_MIDDLE;
}

static u32 dest_qpn(const struct xrdma_qp *qp)
{
	return le32_to_cpu(qp->attr.dest_qpn) & XRDMA_QPN_MASK;
}

/* Does the peer have to answer so that this side can go on? */
static bool want_ack(struct xrdma_qp *qp, bool last)
{
	struct xrdma_requester *req = &qp->tp->req;

	if (qp->type == XRDMA_QP_UC)
		return false;
	/* packets that are far apart must not look like one that was lost */
	if (!last && !qp->cc.rp.slowed &&
	    ++req->since_ackreq < XRDMA_REQ_ACK_EVERY)
		return false;
	req->since_ackreq = 0;
	return true;
}

/* What all requests have: a first packet, and where to. */
static void begin_pkt(const struct xrdma_qp *qp,
		      const struct xrdma_req_entry *e, u8 op, u32 psn,
		      struct xrdma_pkt *pkt)
{
	xrdma_pkt_init(pkt, qp->tp->tx.transport | op, dest_qpn(qp), psn);
	pkt->va = le64_to_cpu(e->wqe.remote_addr);
	pkt->rkey = le32_to_cpu(e->wqe.rkey);
	pkt->srqn = le32_to_cpu(e->wqe.ext);
}

static void message_pkt(struct xrdma_qp *qp, const struct xrdma_req_entry *e,
			u64 offset, struct xrdma_pkt *pkt)
{
	u32 psn = qp->tp->req.send_psn;
	bool last = psn == e->last_psn;

	begin_pkt(qp, e, message_opcode(e, psn == e->first_psn, last), psn,
		  pkt);
	pkt->len = last ? e->length - offset : xrdma_qp_mtu(qp);
	pkt->ackreq = want_ack(qp, last);
	pkt->solicited = last && e->wqe.flags & XRDMA_WQE_SOLICITED;
	pkt->imm = e->wqe.imm;
	pkt->inv_rkey = le32_to_cpu(e->wqe.inv_key);
	pkt->dma_len = e->length;
}

/* Payload of a packet. Return: 0 or enum xrdma_fault_reason. */
static int fill(struct xrdma_qp *qp, const struct xrdma_req_entry *e,
		const struct xrdma_sgl *sgl, u64 offset, void *to, u32 len)
{
	if (!(e->wqe.flags & XRDMA_WQE_INLINE))
		return xrdma_sgl_gather(qp, sgl, offset, to, len);
	memcpy(to, (const u8 *)sgl->sge + offset, len);
	return 0;
}

/* Nobody will acknowledge it: it is complete when its last packet has left. */
static void sent_for_good(struct xrdma_qp *qp, const struct xrdma_req_entry *e)
{
	struct xrdma_requester *req = &qp->tp->req;

	req->una_psn = req->send_psn;
	req->max_psn = req->send_psn;
	if (req->send_psn == xrdma_psn_add(e->last_psn, 1))
		xrdma_qp_complete_send(qp, qp->sq.ci, &e->wqe, 0);
}

static void sent(struct xrdma_qp *qp, const struct xrdma_req_entry *e, u32 next)
{
	struct xrdma_requester *req = &qp->tp->req;
	bool idle = !req->deadline_ns;

	if (xrdma_psn_diff(req->send_psn, req->max_psn) < 0)
		xrdma_qp_stat_add(qp, XRDMA_STAT_TX_RETRANSMITTED, 1);
	req->send_psn = next;
	if (next == xrdma_psn_add(e->last_psn, 1))
		req->cur++;
	if (qp->type == XRDMA_QP_UC) {
		sent_for_good(qp, e);
		return;
	}
	if (xrdma_psn_diff(next, req->max_psn) > 0)
		req->max_psn = next;
	if (idle)
		xrdma_requester_timer_start(qp);
}

/* One packet of a SEND or a WRITE. Return: false for want of a buffer. */
static bool send_message(struct xrdma_qp *qp, struct xrdma_req_entry *e,
			 struct xrdma_req_copy *copy)
{
	u64 offset = (u64)xrdma_psn_add(qp->tp->req.send_psn, -e->first_psn) *
		     xrdma_qp_mtu(qp);
	struct xrdma_pkt pkt;
	struct xrdma_sgl sgl;
	struct xrdma_tx tx;
	int reason;

	if (!xrdma_requester_body(qp, e, qp->tp->req.cur, copy, &sgl)) {
		refuse(qp, e, XRDMA_WC_LOC_QP_OP_ERR, 0);
		return true;
	}
	message_pkt(qp, e, offset, &pkt);
	if (!xrdma_tx_begin(qp, &pkt, &tx))
		return false;
	reason = fill(qp, e, &sgl, offset, tx.payload, pkt.len);
	if (reason) {
		xrdma_tx_cancel(qp, &tx);
		refuse(qp, e, XRDMA_WC_LOC_PROT_ERR, reason);
		return true;
	}
	xrdma_tx_end(qp, &tx);
	sent(qp, e, xrdma_psn_add(pkt.psn, 1));
	return true;
}

/* The request for what is still missing of a READ. */
static bool send_read(struct xrdma_qp *qp, struct xrdma_req_entry *e)
{
	u64 offset = (u64)xrdma_psn_add(e->resp_psn, -e->first_psn) *
		     xrdma_qp_mtu(qp);
	struct xrdma_pkt pkt;
	struct xrdma_tx tx;

	begin_pkt(qp, e, XRDMA_BTH_READ_REQUEST, e->resp_psn, &pkt);
	pkt.va += offset;
	pkt.dma_len = e->length - offset;
	if (!xrdma_tx_begin(qp, &pkt, &tx))
		return false;
	xrdma_tx_end(qp, &tx);
	sent(qp, e, xrdma_psn_add(e->last_psn, 1));
	return true;
}

static bool send_atomic(struct xrdma_qp *qp, struct xrdma_req_entry *e)
{
	bool swap = e->wqe.opcode == XRDMA_OP_CMP_SWAP;
	struct xrdma_pkt pkt;
	struct xrdma_tx tx;

	begin_pkt(qp, e, swap ? XRDMA_BTH_CMP_SWAP : XRDMA_BTH_FETCH_ADD,
		  e->first_psn, &pkt);
	pkt.swap_add = le64_to_cpu(e->atomic.swap_add);
	pkt.compare = le64_to_cpu(e->atomic.compare);
	if (!xrdma_tx_begin(qp, &pkt, &tx))
		return false;
	xrdma_tx_end(qp, &tx);
	sent(qp, e, xrdma_psn_add(e->last_psn, 1));
	return true;
}

static bool send_place(struct xrdma_qp *qp, struct xrdma_req_entry *e)
{
	bool flush = e->kind == XRDMA_REQ_FLUSH;
	struct xrdma_pkt pkt;
	struct xrdma_tx tx;

	begin_pkt(qp, e, flush ? XRDMA_BTH_FLUSH : XRDMA_BTH_ATOMIC_WRITE,
		  e->first_psn, &pkt);
	pkt.flush = le32_to_cpu(e->wqe.ext);
	pkt.len = flush ? 0 : sizeof(e->atomic.swap_add);
	pkt.dma_len = flush ? le32_to_cpu(e->wqe.length) : pkt.len;
	if (!xrdma_tx_begin(qp, &pkt, &tx))
		return false;
	memcpy(tx.payload, &e->atomic.swap_add, pkt.len);
	xrdma_tx_end(qp, &tx);
	sent(qp, e, xrdma_psn_add(e->last_psn, 1));
	return true;
}

static bool send_one(struct xrdma_qp *qp, struct xrdma_req_copy *copy)
{
	struct xrdma_req_entry *e = xrdma_requester_entry(qp, qp->tp->req.cur);

	switch (e->kind) {
	case XRDMA_REQ_READ:
		return send_read(qp, e);
	case XRDMA_REQ_ATOMIC:
		return send_atomic(qp, e);
	case XRDMA_REQ_FLUSH:
	case XRDMA_REQ_ATOMIC_WRITE:
		return send_place(qp, e);
	default:
		return send_message(qp, e, copy);
	}
}

/* Pass an entry of which nothing is sent, or the end. Return: true if so. */
static bool skip_local(struct xrdma_qp *qp)
{
	struct xrdma_requester *req = &qp->tp->req;

	if (req->cur == req->next)
		return true;
	if (xrdma_requester_entry(qp, req->cur)->kind != XRDMA_REQ_LOCAL)
		return false;
	req->cur++;
	return true;
}

static bool window_open(const struct xrdma_requester *req)
{
	return xrdma_psn_add(req->send_psn, -req->una_psn) <
	       XRDMA_REQ_PSN_WINDOW;
}

/* Is there an entry to go on with? One that has failed ends the sending. */
static bool ready(struct xrdma_qp *qp, struct xrdma_req_copy *copy)
{
	struct xrdma_requester *req = &qp->tp->req;

	if (req->cur == req->next && !take_next(qp, copy))
		return false;
	return req->cur == req->next ||
	       xrdma_requester_entry(qp, req->cur)->kind != XRDMA_REQ_FAILED;
}

static bool held_back(struct xrdma_qp *qp)
{
	return qp->cc.rp.slowed && xrdma_cc_wait(qp);
}

/**
 * xrdma_requester_run() - send some packets
 * @qp: the queue pair, in RTS or SQD; what is posted is known
 *
 * Return: true if it sent something, or only waits for room on the wire.
 */
bool xrdma_requester_run(struct xrdma_qp *qp)
{
	struct xrdma_requester *req = &qp->tp->req;
	struct xrdma_req_copy copy;
	u32 budget = XRDMA_REQ_BUDGET;

	copy.loaded = false;
	while (budget && alive(qp) && !req->rnr_wait && window_open(req) &&
	       !held_back(qp) && ready(qp, &copy)) {
		budget--;
		if (!alive(qp) || skip_local(qp))
			continue;
		if (!xrdma_wire_room(qp->dev->wire) || !send_one(qp, &copy))
			return true;
	}
	return budget < XRDMA_REQ_BUDGET;
}
