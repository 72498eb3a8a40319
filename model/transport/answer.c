// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The queue of answers.
 */

#include <string.h>

#include "core/device.h"
#include "packet/pkt.h"
#include "transport/answer.h"
#include "transport/conn.h"
#include "transport/tx.h"
#include "transport/xrc.h"
#include "wire/wire.h"

static struct xrdma_answer *answer_at(const struct xrdma_qp *qp, u32 index)
{
	return &qp->tp->resp.mem->answers[index & (XRDMA_ANSWERS - 1)];
}

/* Puts a queue pair on the list of those with answers to send. */
static void queue_up(struct xrdma_qp *qp)
{
	if (qp->tp->resp.queued)
		return;
	qp->tp->resp.queued = true;
	TAILQ_INSERT_TAIL(&qp->dev->answering, qp, tp->resp.link);
}

static void leave_queue(struct xrdma_qp *qp)
{
	if (!qp->tp->resp.queued)
		return;
	qp->tp->resp.queued = false;
	TAILQ_REMOVE(&qp->dev->answering, qp, tp->resp.link);
}

static u32 waiting(const struct xrdma_qp *qp)
{
	return qp->tp->resp.mem->tail - qp->tp->resp.mem->head;
}

/**
 * xrdma_answer_room() - is there room for one more answer and a NAK?
 * @qp: the queue pair
 *
 * Return: true if there is.
 */
bool xrdma_answer_room(const struct xrdma_qp *qp)
{
	return waiting(qp) + 2 <= XRDMA_ANSWERS;
}

/**
 * xrdma_answer_add() - queue an answer
 * @qp: the queue pair, with xrdma_answer_room(); or the answer is fatal
 * @kind: enum xrdma_answer_kind
 * @psn: of its first packet
 *
 * Return: the answer, the rest of its fields zero but the MSN and a syndrome
 * that acknowledges.
 */
struct xrdma_answer *xrdma_answer_add(struct xrdma_qp *qp, u8 kind, u32 psn)
{
	struct xrdma_answer *answer = answer_at(qp, qp->tp->resp.mem->tail++);

	memset(answer, 0, sizeof(*answer));
	answer->kind = kind;
	answer->psn = psn;
	answer->msn = qp->tp->resp.msn;
	answer->syndrome = XRDMA_AETH_ACK | XRDMA_AETH_NO_CREDITS;
	queue_up(qp);
	return answer;
}

/**
 * xrdma_answer_owe() - queue the first answer to a READ or an atomic
 * @qp: the queue pair, with xrdma_answer_room()
 * @kind: enum xrdma_answer_kind
 * @psn: of its first packet
 *
 * Return: the answer, as xrdma_answer_add() makes it.
 */
struct xrdma_answer *xrdma_answer_owe(struct xrdma_qp *qp, u8 kind, u32 psn)
{
	struct xrdma_answer *answer = xrdma_answer_add(qp, kind, psn);

	answer->owed = true;
	qp->tp->resp.mem->owed++;
	return answer;
}

/* The oldest answer has been sent. */
static void answered(struct xrdma_qp *qp, const struct xrdma_answer *answer)
{
	qp->tp->resp.mem->head++;
	qp->tp->resp.mem->owed -= answer->owed;
}

/* The newest answer, if it is of this kind. */
static struct xrdma_answer *newest(const struct xrdma_qp *qp, u8 kind)
{
	struct xrdma_answer *answer = answer_at(qp, qp->tp->resp.mem->tail - 1);

	return waiting(qp) && answer->kind == kind ? answer : NULL;
}

/**
 * xrdma_answer_ack() - acknowledge what has been received
 * @qp: the queue pair
 * @psn: all packets up to this one
 *
 * Without room it is left out: the peer asks again.
 */
void xrdma_answer_ack(struct xrdma_qp *qp, u32 psn)
{
	struct xrdma_answer *answer = newest(qp, XRDMA_ANSWER_ACK);

	if (answer) {
		if (xrdma_psn_diff(psn, answer->psn) > 0)
			answer->psn = psn;
		answer->msn = qp->tp->resp.msn;
	} else if (xrdma_answer_room(qp)) {
		xrdma_answer_add(qp, XRDMA_ANSWER_ACK, psn);
	}
}

/**
 * xrdma_answer_nak() - refuse a packet for now
 * @qp: the queue pair
 * @syndrome: sequence NAK, or RNR NAK with its timer
 * @psn: the expected PSN
 */
void xrdma_answer_nak(struct xrdma_qp *qp, u8 syndrome, u32 psn)
{
	if (xrdma_answer_room(qp))
		xrdma_answer_add(qp, XRDMA_ANSWER_NAK, psn)->syndrome =
			syndrome;
}

/**
 * xrdma_answer_fatal() - refuse a packet and give the connection up
 * @qp: the queue pair
 * @value: XRDMA_NAK_*
 * @event: asynchronous event to raise, or 0
 * @psn: of the packet
 *
 * The queue pair goes into ERR when all answers before have left, and this.
 */
void xrdma_answer_fatal(struct xrdma_qp *qp, u8 value, u8 event, u32 psn)
{
	struct xrdma_answer *answer;

	answer = xrdma_answer_add(qp, XRDMA_ANSWER_NAK, psn);
	answer->syndrome = XRDMA_AETH_NAK | value;
	answer->event = event;
	answer->fatal = true;
	qp->tp->resp.failed = true;
}

/**
 * xrdma_answer_read_waits() - is a packet of a READ still to be sent anyway?
 * @qp: the queue pair
 * @psn: its PSN
 *
 * Return: true if a READ that waits has yet to come to it.
 */
bool xrdma_answer_read_waits(const struct xrdma_qp *qp, u32 psn)
{
	u32 mtu = xrdma_qp_mtu(qp);
	u32 i;

	for (i = qp->tp->resp.mem->head; i != qp->tp->resp.mem->tail; i++) {
		const struct xrdma_answer *answer = answer_at(qp, i);
		s32 ahead = xrdma_psn_diff(psn, answer->psn);

		if (answer->kind == XRDMA_ANSWER_READ && ahead >= 0 &&
		    (u64)ahead * mtu < answer->left)
			return true;
	}
	return false;
}

/**
 * xrdma_answer_clear() - forget all answers
 * @qp: the queue pair
 */
void xrdma_answer_clear(struct xrdma_qp *qp)
{
	qp->tp->resp.mem->head = 0;
	qp->tp->resp.mem->tail = 0;
	qp->tp->resp.mem->owed = 0;
	qp->tp->resp.mem->have_done = false;
	leave_queue(qp);
}

static void answer_pkt(const struct xrdma_qp *qp,
		       const struct xrdma_answer *answer, u8 opcode,
		       struct xrdma_pkt *pkt)
{
	xrdma_pkt_init(pkt, qp->tp->tx.transport | opcode,
		       le32_to_cpu(qp->attr.dest_qpn) & XRDMA_QPN_MASK,
		       answer->psn);
	pkt->syndrome = answer->syndrome;
	pkt->msn = answer->msn & 0xffffff;
	pkt->orig = answer->orig;
}

static u8 short_opcode(const struct xrdma_answer *answer)
{
	switch (answer->kind) {
	case XRDMA_ANSWER_ATOMIC:
		return XRDMA_BTH_ATOMIC_ACK;
	case XRDMA_ANSWER_EMPTY:
		return XRDMA_BTH_READ_RESP_ONLY;
	default:
		return XRDMA_BTH_ACK;
	}
}

static bool send_short(struct xrdma_qp *qp, const struct xrdma_answer *answer)
{
	struct xrdma_pkt pkt;
	struct xrdma_tx tx;

	answer_pkt(qp, answer, short_opcode(answer), &pkt);
	if (!xrdma_tx_begin(qp, &pkt, &tx))
		return false;
	xrdma_tx_end(qp, &tx);
	return true;
}

static u8 read_opcode(const struct xrdma_answer *answer, bool last)
{
	if (last)
		return answer->begun ? XRDMA_BTH_READ_RESP_LAST :
				       XRDMA_BTH_READ_RESP_ONLY;
	return answer->begun ? XRDMA_BTH_READ_RESP_MIDDLE :
			       XRDMA_BTH_READ_RESP_FIRST;
}

/* The right to read went away in mid-READ: what follows is void. */
static void read_refused(struct xrdma_qp *qp, struct xrdma_answer *answer,
			 u8 value, u8 event)
{
	u32 psn = answer->psn;

	qp->tp->resp.mem->tail = qp->tp->resp.mem->head;
	qp->tp->resp.mem->owed = 0;
	qp->tp->resp.mem->have_done = false;
	xrdma_answer_fatal(qp, value, event, psn);
}

/*
 * One packet of a READ, which is access of its own. Return: false for want of
 * room.
 */
static bool send_read(struct xrdma_qp *qp, struct xrdma_answer *answer)
{
	u32 mtu = xrdma_qp_mtu(qp);
	bool last = answer->left <= mtu;
	struct xrdma_access_req req = {
		.qp = qp,
		.addr = answer->va,
		.len = last ? answer->left : mtu,
		.key = answer->rkey,
		.rights = XRDMA_ACCESS_REMOTE_READ,
		.remote = true,
		.opcode = XRDMA_OP_READ,
	};
	struct xrdma_pkt pkt;
	struct xrdma_tx tx;

	if (!xrdma_wire_room(qp->dev->wire))
		return false;
	if (!xrdma_xrc_answer(qp, answer->srqn)) {
		read_refused(qp, answer, XRDMA_NAK_INVALID,
			     XRDMA_EVENT_QP_REQ_ERR);
		return true;
	}
	answer_pkt(qp, answer, read_opcode(answer, last), &pkt);
	pkt.len = req.len;
	if (!xrdma_tx_begin(qp, &pkt, &tx))
		return false;
	if (xrdma_access_read(qp->dev, &req, tx.payload)) {
		xrdma_tx_cancel(qp, &tx);
		read_refused(qp, answer, XRDMA_NAK_ACCESS,
			     XRDMA_EVENT_QP_ACCESS_ERR);
		return true;
	}
	xrdma_tx_end(qp, &tx);
	answer->begun = true;
	answer->psn = xrdma_psn_add(answer->psn, 1);
	answer->va += req.len;
	answer->left -= req.len;
	if (last)
		answered(qp, answer);
	return true;
}

/* The NAK has left: now the queue pair fails. */
static void give_up(struct xrdma_qp *qp, u8 event)
{
	struct xrdma_recv_done done = qp->tp->resp.mem->done;

	if (qp->tp->resp.mem->have_done)
		xrdma_qp_complete_recv(qp, &done);
	xrdma_qp_error(qp, event);
}

/* Return: false for want of room. */
static bool send_one(struct xrdma_qp *qp)
{
	struct xrdma_answer *answer = answer_at(qp, qp->tp->resp.mem->head);

	if (answer->kind == XRDMA_ANSWER_READ)
		return send_read(qp, answer);
	if (!send_short(qp, answer))
		return false;
	answered(qp, answer);
	if (answer->fatal)
		give_up(qp, answer->event);
	return true;
}

/* Data of READs keep to the rate of congestion control; the rest is little. */
static bool held_back(struct xrdma_qp *qp)
{
	const struct xrdma_answer *answer = answer_at(qp, qp->tp->resp.mem->head);

	return qp->cc.rp.slowed && answer->kind == XRDMA_ANSWER_READ &&
	       xrdma_cc_wait(qp);
}

/*
 * Sends up to @budget packets of answers of a queue pair that is off the list of
 * those with answers. It is on that list again when answers are left, unless
 * congestion control puts it there later. Return: packets sent.
 */
static u32 send_some(struct xrdma_qp *qp, u32 budget)
{
	u32 sent = 0;

	if (budget > XRDMA_ANSWER_BURST)
		budget = XRDMA_ANSWER_BURST;
	while (sent < budget && waiting(qp)) {
		if (held_back(qp))
			return sent;
		if (!send_one(qp))
			break;
		sent++;
	}
	if (waiting(qp))
		queue_up(qp);
	return sent;
}

/**
 * xrdma_answers_send() - let queue pairs in turn send some of their answers
 * @dev: the device
 *
 * Return: true if any was sent.
 */
bool xrdma_answers_send(struct xrdma_device *dev)
{
	u32 budget = XRDMA_WIRE_BUDGET;
	struct xrdma_qp *qp;
	bool any = false;
	u32 sent;

	while (budget && (qp = TAILQ_FIRST(&dev->answering)) != NULL) {
		leave_queue(qp);
		sent = send_some(qp, budget);
		if (!sent && qp->tp->resp.queued)
			break;
		any |= sent;
		budget -= sent < budget ? sent : budget;
	}
	return any;
}

/**
 * xrdma_answer_resume() - congestion control lets a queue pair send again
 * @qp: the queue pair
 */
void xrdma_answer_resume(struct xrdma_qp *qp)
{
	if (qp->tp->resp.mem && waiting(qp))
		queue_up(qp);
}

/**
 * xrdma_answer_last_words() - send a NAK of a queue pair that is in ERR
 * @qp: the queue pair
 * @value: XRDMA_NAK_*
 * @psn: of the packet refused
 */
void xrdma_answer_last_words(struct xrdma_qp *qp, u8 value, u32 psn)
{
	const struct xrdma_answer answer = {
		.kind = XRDMA_ANSWER_NAK,
		.syndrome = XRDMA_AETH_NAK | value,
		.psn = psn,
		.msn = qp->tp->resp.msn,
	};

	send_short(qp, &answer);
}
