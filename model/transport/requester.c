// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The requester of RC, UC and XRC queue pairs: takes up entries of the send
 * queue in order and sends their packets.
 *
 * Entries are checked in requester_wqe.c, and executed in requester_local.c if
 * they send no packet. The window of entries in flight is in
 * requester_window.c, responses are handled in requester_ack.c, timers in
 * requester_timer.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/device.h"
#include "packet/pkt.h"
#include "transport/conn.h"
#include "transport/room.h"
#include "transport/tx.h"
#include "wire/wire.h"

static bool can_send(const struct model_qp *qp)
{
	return qp->state == XRDMA_QPS_RTS || qp->state == XRDMA_QPS_SQD;
}

/**
 * model_requester_init() - allocate the window and set the initial state
 * @qp: the queue pair, in RESET
 *
 * Return: 0 or -ENOMEM.
 */
int model_requester_init(struct model_qp *qp)
{
	struct model_req_entry *entries = qp->tp->req.entries;
	u32 window = 1U << qp->sq.log_depth;

	if (window > MODEL_REQ_WINDOW)
		window = MODEL_REQ_WINDOW;
	if (!entries)
		entries = calloc(window, sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	memset(&qp->tp->req, 0, sizeof(qp->tp->req));
	qp->tp->req.entries = entries;
	qp->tp->req.mask = window - 1;
	model_room_init(qp, MODEL_WAIT_REQUESTER, model_qp_activate);
	model_pace_init(&qp->tp->req.pace);
	model_requester_timer_init(qp, model_requester_timed_out);
	return 0;
}

/**
 * model_requester_modify() - apply changed attributes
 * @qp: the queue pair
 * @mask: XRDMA_QPM_* of the attributes of @qp that have changed
 */
void model_requester_modify(struct model_qp *qp, u32 mask)
{
	struct model_requester *req = &qp->tp->req;

	if (mask & XRDMA_QPM_SQ_PSN) {
		req->psn = le32_to_cpu(qp->attr.sq_psn) & MODEL_PSN_MASK;
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
 * model_requester_stop() - drop all entries in flight and stop the timer
 * @qp: the queue pair
 */
void model_requester_stop(struct model_qp *qp)
{
	struct model_requester *req = &qp->tp->req;

	model_requester_timer_cancel(qp);
	model_room_leave(&qp->rooms[MODEL_WAIT_REQUESTER]);
	req->rnr_wait = false;
	req->failed = false;
	req->refetch = false;
	req->rd_atomic = 0;
	model_conn_rewind(qp);
	req->cur = qp->sq.ci;
}

/**
 * model_requester_destroy() - free what model_requester_init() allocated
 * @qp: the queue pair, stopped
 */
void model_requester_destroy(struct model_qp *qp)
{
	free(qp->tp->req.entries);
	qp->tp->req.entries = NULL;
}

/**
 * model_requester_idle() - check whether no entry is in flight
 * @qp: the queue pair
 *
 * Return: true if every entry that has been taken up is complete.
 */
bool model_requester_idle(const struct model_qp *qp)
{
	return qp->tp->req.next == qp->sq.ci;
}

/*
 * Mark @e as failed. It completes in error as soon as all entries before it are
 * complete.
 */
static void refuse(struct model_qp *qp, struct model_req_entry *e, u8 status,
		   u16 vendor_err)
{
	if (qp->state == XRDMA_QPS_ERR)
		return;
	e->kind = MODEL_REQ_FAILED;
	e->status = status;
	e->vendor_err = vendor_err;
	qp->tp->req.failed = true;
	model_requester_settle(qp);
}

static bool must_wait(const struct model_qp *qp, const struct xrdma_sq_wqe *wqe)
{
	const struct model_requester *req = &qp->tp->req;

	/* retransmission of a lost packet may still need the key */
	if (wqe->opcode == XRDMA_OP_LOCAL_INV)
		return !model_requester_idle(qp);
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
 * Take up the next entry, and copy its bytes to @copy. Return: false if no
 * entry is posted, or if the next one must wait.
 */
static bool take_next(struct model_qp *qp, struct model_req_copy *copy)
{
	struct model_requester *req = &qp->tp->req;
	struct model_req_entry *e = model_requester_entry(qp, req->next);
	u32 place;

	if (qp->state != XRDMA_QPS_RTS || req->failed ||
	    req->next == qp->sq.pi ||
	    req->next - qp->sq.ci > req->mask)
		return false;
	copy->loaded = false;
	if (model_qp_read_sq(qp, req->next, req->next_place, copy->wqe))
		return false;
	if (must_wait(qp, (void *)copy->wqe))
		return false;
	copy->loaded = true;
	copy->index = req->next++;
	place = req->next_place;
	req->next_place = model_sq_next(qp, place, (void *)copy->wqe);
	model_requester_take(qp, copy->wqe, e);
	e->place = place;
	if (model_req_has_response(e->kind))
		req->rd_atomic++;
	if (e->kind == MODEL_REQ_FAILED)
		refuse(qp, e, e->status, e->vendor_err);
	else if (e->kind == MODEL_REQ_LOCAL)
		model_requester_settle(qp);
	return true;
}

/* Return: opcode of a packet of a SEND or a WRITE. */
static u8 message_opcode(const struct model_req_entry *e, bool first, bool last)
{
	bool imm = e->wqe.opcode == XRDMA_OP_SEND_IMM ||
		   e->wqe.opcode == XRDMA_OP_WRITE_IMM;

	if (e->wqe.opcode == XRDMA_OP_SEND_INV && last)
		return first ? MODEL_BTH_SEND_ONLY_INV :
			       MODEL_BTH_SEND_LAST_INV;
	if (e->kind == MODEL_REQ_SEND) {
		if (last)
			return (first ? MODEL_BTH_SEND_ONLY :
				MODEL_BTH_SEND_LAST) + imm;
		return first ? MODEL_BTH_SEND_FIRST : MODEL_BTH_SEND_MIDDLE;
	}
	if (last)
		return (first ? MODEL_BTH_WRITE_ONLY :
			MODEL_BTH_WRITE_LAST) + imm;
	return first ? MODEL_BTH_WRITE_FIRST : MODEL_BTH_WRITE_MIDDLE;
}

static u32 dest_qpn(const struct model_qp *qp)
{
	return le32_to_cpu(qp->attr.dest_qpn) & XRDMA_QPN_MASK;
}

/* Return: true if the packet must request an acknowledgment. */
static bool want_ack(struct model_qp *qp, bool last)
{
	struct model_requester *req = &qp->tp->req;

	if (qp->type == XRDMA_QP_UC)
		return false;
	/* slowed packets are far apart: the timeout may pass between ACKs */
	if (!last && !qp->cc.rp.slowed &&
	    req->repeat.phase != MODEL_REPEAT_SEND &&
	    ++req->since_ackreq < MODEL_REQ_ACK_EVERY)
		return false;
	req->since_ackreq = 0;
	return true;
}

/* Set the fields that the packets of all operations have. */
static void begin_pkt(const struct model_qp *qp,
		      const struct model_req_entry *e, u8 op, u32 psn,
		      struct model_pkt *pkt)
{
	model_pkt_init(pkt, qp->tp->tx.transport | op, dest_qpn(qp), psn);
	pkt->va = le64_to_cpu(e->wqe.remote_addr);
	pkt->rkey = le32_to_cpu(e->wqe.rkey);
	pkt->srqn = le32_to_cpu(e->wqe.ext);
}

/* Only messages that complete a receive solicit an event (IBTA 9.2). */
static bool solicits(const struct model_req_entry *e)
{
	return e->wqe.flags & XRDMA_WQE_SOLICITED &&
	       e->wqe.opcode != XRDMA_OP_WRITE;
}

static void message_pkt(struct model_qp *qp, const struct model_req_entry *e,
			u64 offset, struct model_pkt *pkt)
{
	u32 psn = qp->tp->req.send_psn;
	bool last = psn == e->last_psn;

	begin_pkt(qp, e, message_opcode(e, psn == e->first_psn, last), psn,
		  pkt);
	pkt->len = last ? e->length - offset : model_qp_mtu(qp);
	pkt->ackreq = want_ack(qp, last);
	pkt->solicited = last && solicits(e);
	pkt->imm = e->wqe.imm;
	pkt->inv_rkey = le32_to_cpu(e->wqe.inv_key);
	pkt->dma_len = e->length;
}

/* Copy the payload of a packet. Return: 0 or enum xrdma_fault_reason. */
static int fill(struct model_qp *qp, const struct model_req_entry *e,
		const struct model_sgl *sgl, u64 offset, void *to, u32 len)
{
	if (!(e->wqe.flags & XRDMA_WQE_INLINE))
		return model_sgl_gather(qp, sgl, offset, to, len);
	memcpy(to, (const u8 *)sgl->sge + offset, len);
	return 0;
}

/* UC: no packet is acknowledged; complete @e if its last packet was sent. */
static void complete_if_sent(struct model_qp *qp,
			     const struct model_req_entry *e)
{
	struct model_requester *req = &qp->tp->req;

	req->una_psn = req->send_psn;
	req->max_psn = req->send_psn;
	if (req->send_psn == model_psn_add(e->last_psn, 1))
		model_qp_complete_send(qp, &e->wqe, 0);
}

static void sent(struct model_qp *qp, const struct model_req_entry *e, u32 next)
{
	struct model_requester *req = &qp->tp->req;
	bool idle = !req->deadline_ns;

	if (model_psn_diff(req->send_psn, req->max_psn) < 0)
		model_qp_stat_add(qp, XRDMA_STAT_TX_RETRANSMITTED, 1);
	req->send_psn = next;
	if (next == model_psn_add(e->last_psn, 1))
		req->cur++;
	if (qp->type == XRDMA_QP_UC) {
		complete_if_sent(qp, e);
		return;
	}
	if (model_psn_diff(next, req->max_psn) > 0)
		req->max_psn = next;
	if (req->repeat.phase == MODEL_REPEAT_SEND)
		model_requester_repeated(qp);
	if (idle)
		model_requester_timer_start(qp);
}

/*
 * The memory of @e is not accessible: if a translation misses, the send queue
 * stops, and the ACK timeout with it; else @e has failed.
 */
static void no_access(struct model_qp *qp, struct model_req_entry *e,
		      int reason)
{
	if (reason == MODEL_MISS)
		qp->tp->req.deadline_ns = 0;
	else
		refuse(qp, e, XRDMA_WC_LOC_PROT_ERR, reason);
}

/*
 * Send one packet of a SEND or WRITE, unless its memory misses. Return: false
 * if there is no buffer.
 */
static bool send_message(struct model_qp *qp, struct model_req_entry *e,
			 struct model_req_copy *copy)
{
	u64 offset = (u64)model_psn_add(qp->tp->req.send_psn, -e->first_psn) *
		     model_qp_mtu(qp);
	struct model_pkt pkt;
	struct model_sgl sgl;
	struct model_tx tx;
	int reason;

	if (!model_requester_body(qp, e, qp->tp->req.cur, copy, &sgl)) {
		refuse(qp, e, XRDMA_WC_LOC_QP_OP_ERR, 0);
		return true;
	}
	message_pkt(qp, e, offset, &pkt);
	if (!model_tx_begin(qp, &pkt, &tx))
		return false;
	reason = fill(qp, e, &sgl, offset, tx.payload, pkt.len);
	if (reason) {
		model_tx_cancel(qp, &tx);
		no_access(qp, e, reason);
		return true;
	}
	model_tx_end(qp, &tx);
	sent(qp, e, model_psn_add(pkt.psn, 1));
	return true;
}

/*
 * Return: true if the device can write the response to @e to memory, from
 * @offset on; else the send queue stops, or @e has failed.
 */
static bool can_deliver(struct model_qp *qp, struct model_req_entry *e,
			struct model_req_copy *copy, u64 offset)
{
	u64 probed = e->probed > offset ? e->probed : offset;
	struct model_sgl sgl;
	int reason;

	if (!e->paged)
		return true;
	if (!model_requester_body(qp, e, qp->tp->req.cur, copy, &sgl)) {
		refuse(qp, e, XRDMA_WC_LOC_QP_OP_ERR, 0);
		return false;
	}
	reason = model_sgl_probe(qp, &sgl, &probed);
	e->probed = probed;
	if (reason)
		no_access(qp, e, reason);
	return !reason;
}

/* Number of responses of a READ that have not been requested yet. */
static u32 not_asked(const struct model_req_entry *e)
{
	return model_psn_add(e->last_psn, 1 - e->asked_psn);
}

/*
 * Request all data of a READ, or as much as the PSNs allow. A request that is sent
 * again must not ask for more than before, since the peer keeps its length.
 */
static void ask(const struct model_requester *req, struct model_req_entry *e)
{
	u32 room = model_psn_room(req->send_psn, req->una_psn);
	u32 num = not_asked(e);

	if (e->asked_psn == e->resp_psn)
		e->asked_psn = model_psn_add(e->asked_psn, num < room ? num : room);
}

/*
 * Send a request for the data of a READ that have not been received yet. A READ of so
 * many PSNs that comparisons would be ambiguous takes a second request, see ask().
 */
static bool send_read(struct model_qp *qp, struct model_req_entry *e,
		      struct model_req_copy *copy)
{
	u32 mtu = model_qp_mtu(qp);
	u64 offset = (u64)model_psn_add(e->resp_psn, -e->first_psn) * mtu;
	struct model_pkt pkt;
	struct model_tx tx;
	u64 asked;

	if (!can_deliver(qp, e, copy, offset))
		return true;
	ask(&qp->tp->req, e);
	asked = (u64)model_psn_add(e->asked_psn, -e->resp_psn) * mtu;
	begin_pkt(qp, e, MODEL_BTH_READ_REQUEST, e->resp_psn, &pkt);
	pkt.va += offset;
	pkt.dma_len = e->length - offset;
	if (pkt.dma_len > asked)
		pkt.dma_len = asked;
	if (!model_tx_begin(qp, &pkt, &tx))
		return false;
	model_tx_end(qp, &tx);
	sent(qp, e, e->asked_psn);
	return true;
}

static bool send_atomic(struct model_qp *qp, struct model_req_entry *e,
			struct model_req_copy *copy)
{
	bool swap = e->wqe.opcode == XRDMA_OP_CMP_SWAP;
	struct model_pkt pkt;
	struct model_tx tx;

	if (!can_deliver(qp, e, copy, 0))
		return true;
	begin_pkt(qp, e, swap ? MODEL_BTH_CMP_SWAP : MODEL_BTH_FETCH_ADD,
		  e->first_psn, &pkt);
	pkt.swap_add = le64_to_cpu(e->atomic.swap_add);
	pkt.compare = le64_to_cpu(e->atomic.compare);
	if (!model_tx_begin(qp, &pkt, &tx))
		return false;
	model_tx_end(qp, &tx);
	sent(qp, e, model_psn_add(e->last_psn, 1));
	return true;
}

static bool send_place(struct model_qp *qp, struct model_req_entry *e)
{
	bool flush = e->kind == MODEL_REQ_FLUSH;
	struct model_pkt pkt;
	struct model_tx tx;

	begin_pkt(qp, e, flush ? MODEL_BTH_FLUSH : MODEL_BTH_ATOMIC_WRITE,
		  e->first_psn, &pkt);
	pkt.flush = le32_to_cpu(e->wqe.ext);
	pkt.len = flush ? 0 : sizeof(e->atomic.swap_add);
	pkt.dma_len = flush ? le32_to_cpu(e->wqe.length) : pkt.len;
	if (!model_tx_begin(qp, &pkt, &tx))
		return false;
	memcpy(tx.payload, &e->atomic.swap_add, pkt.len);
	model_tx_end(qp, &tx);
	sent(qp, e, model_psn_add(e->last_psn, 1));
	return true;
}

static bool send_one(struct model_qp *qp, struct model_req_copy *copy)
{
	struct model_req_entry *e = model_requester_entry(qp, qp->tp->req.cur);

	switch (e->kind) {
	case MODEL_REQ_READ:
		return send_read(qp, e, copy);
	case MODEL_REQ_ATOMIC:
		return send_atomic(qp, e, copy);
	case MODEL_REQ_FLUSH:
	case MODEL_REQ_ATOMIC_WRITE:
		return send_place(qp, e);
	default:
		return send_message(qp, e, copy);
	}
}

/*
 * Skip the entry at model_requester.cur if it sends no packet. Return: true if
 * it was skipped, or if there is no entry.
 */
static bool skip_local(struct model_qp *qp)
{
	struct model_requester *req = &qp->tp->req;

	if (req->cur == req->next)
		return true;
	if (model_requester_entry(qp, req->cur)->kind != MODEL_REQ_LOCAL)
		return false;
	req->cur++;
	return true;
}

static bool window_open(const struct model_requester *req)
{
	bool tests_peer = req->repeat.phase == MODEL_REPEAT_WAIT &&
			  req->repeat.peer == MODEL_PEER_UNKNOWN;

	return !tests_peer && model_psn_add(req->send_psn, -req->una_psn) <
	       req->pace.window;
}

/*
 * Take up an entry if all entries in flight have been sent. Return: false if no
 * entry can be taken up, or if the entry at model_requester.cur has failed.
 */
static bool ready(struct model_qp *qp, struct model_req_copy *copy)
{
	struct model_requester *req = &qp->tp->req;

	if (req->cur == req->next && !take_next(qp, copy))
		return false;
	return req->cur == req->next ||
	       model_requester_entry(qp, req->cur)->kind != MODEL_REQ_FAILED;
}

static bool delayed_by_cc(struct model_qp *qp)
{
	return qp->cc.rp.slowed && model_cc_wait(qp);
}

/*
 * A READ takes a PSN for each response. It waits until the packets before it are
 * acknowledged, if not all of its PSNs are free, and for the responses to a request
 * of a part of it.
 */
static bool has_psns(struct model_qp *qp)
{
	const struct model_requester *req = &qp->tp->req;
	const struct model_req_entry *e = model_requester_entry(qp, req->cur);

	if (req->cur == req->next || e->kind != MODEL_REQ_READ ||
	    req->send_psn == req->una_psn)
		return true;
	if (e->asked_psn != e->resp_psn)
		return req->send_psn != e->asked_psn;
	return not_asked(e) <= model_psn_room(req->send_psn, req->una_psn);
}

/**
 * model_requester_run() - send up to MODEL_REQ_BUDGET packets
 * @qp: the queue pair, in RTS or SQD; model_wq.pi of the send queue is current
 *
 * If the wire has no room, the queue pair is woken when there is room.
 *
 * Return: true if there was work.
 */
bool model_requester_run(struct model_qp *qp)
{
	struct model_requester *req = &qp->tp->req;
	struct model_req_copy copy;
	u32 budget = MODEL_REQ_BUDGET;

	copy.loaded = false;
	while (budget && can_send(qp) && !req->rnr_wait &&
	       !model_qp_waits(qp, MODEL_WAIT_REQUESTER) &&
	       window_open(req) && !delayed_by_cc(qp) && ready(qp, &copy) &&
	       has_psns(qp)) {
		budget--;
		if (!can_send(qp) || skip_local(qp))
			continue;
		if (!model_room_ask_send(qp, qp->attr.av.dmac)) {
			budget++;
			break;
		}
		if (!send_one(qp, &copy))
			return true;
	}
	model_room_end(&qp->rooms[MODEL_WAIT_REQUESTER]);
	return budget < MODEL_REQ_BUDGET;
}
