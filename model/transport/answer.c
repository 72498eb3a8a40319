// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queues the answers of a responder and sends them: acknowledgments, NAKs, data
 * of READs, results of atomics.
 *
 * responder.c and responder_op.c decide which answer a request gets. tx.c makes
 * the frames.
 */

#include <string.h>

#include "core/device.h"
#include "packet/pkt.h"
#include "transport/answer.h"
#include "transport/conn.h"
#include "transport/room.h"
#include "transport/tx.h"
#include "transport/xrc.h"
#include "wire/wire.h"

static struct model_answer *answer_at(const struct model_qp *qp, u32 index)
{
	return &qp->tp->resp.mem->answers[index & (MODEL_ANSWERS - 1)];
}

static struct model_room_waiter *waiter(struct model_qp *qp)
{
	return &qp->rooms[MODEL_WAIT_ANSWERS];
}

/*
 * Append @qp to model_device.answering, the queue pairs with queued answers, unless
 * its answers wait for room on the wire.
 */
static void enqueue_qp(struct model_qp *qp)
{
	if (qp->tp->resp.queued || waiter(qp)->waits)
		return;
	qp->tp->resp.queued = true;
	TAILQ_INSERT_TAIL(&qp->dev->answering, qp, tp->resp.link);
}

static void dequeue_qp(struct model_qp *qp)
{
	if (!qp->tp->resp.queued)
		return;
	qp->tp->resp.queued = false;
	TAILQ_REMOVE(&qp->dev->answering, qp, tp->resp.link);
}

static u32 num_queued(const struct model_qp *qp)
{
	return qp->tp->resp.mem->tail - qp->tp->resp.mem->head;
}

/**
 * model_answer_room() - check whether one more answer and a fatal NAK fit
 * @qp: the queue pair
 *
 * Return: true if both fit into the queue.
 */
bool model_answer_room(const struct model_qp *qp)
{
	return num_queued(qp) + 2 <= MODEL_ANSWERS;
}

/**
 * model_answer_add() - queue an answer
 * @qp: the queue pair; model_answer_room() is true, or the answer is fatal
 * @kind: enum model_answer_kind
 * @psn: PSN of the answer's first packet
 *
 * Return: the answer, with the current MSN and the syndrome of an
 * acknowledgment; all other fields are zero.
 */
struct model_answer *model_answer_add(struct model_qp *qp, u8 kind, u32 psn)
{
	struct model_answer *answer = answer_at(qp, qp->tp->resp.mem->tail++);

	memset(answer, 0, sizeof(*answer));
	answer->kind = kind;
	answer->psn = psn;
	answer->msn = qp->tp->resp.msn;
	answer->syndrome = MODEL_AETH_ACK | MODEL_AETH_NO_CREDITS;
	enqueue_qp(qp);
	return answer;
}

/**
 * model_answer_add_rd_atomic() - queue the first answer to a READ or an atomic
 * @qp: the queue pair; model_answer_room() is true
 * @kind: MODEL_ANSWER_READ, _ATOMIC or _EMPTY
 * @psn: PSN of the answer's first packet
 *
 * The answer counts towards max_dest_rd_atomic until it has been sent.
 *
 * Return: the answer, as model_answer_add() makes it.
 */
struct model_answer *model_answer_add_rd_atomic(struct model_qp *qp, u8 kind,
						u32 psn)
{
	struct model_answer *answer = model_answer_add(qp, kind, psn);

	answer->rd_atomic = true;
	qp->tp->resp.mem->rd_atomic++;
	return answer;
}

/* Remove @answer, the oldest one, which has been sent. */
static void answered(struct model_qp *qp, const struct model_answer *answer)
{
	qp->tp->resp.mem->head++;
	qp->tp->resp.mem->rd_atomic -= answer->rd_atomic;
}

/* Return: the newest answer if it is of kind @kind, otherwise NULL. */
static struct model_answer *newest(const struct model_qp *qp, u8 kind)
{
	struct model_answer *answer = answer_at(qp, qp->tp->resp.mem->tail - 1);

	return num_queued(qp) && answer->kind == kind ? answer : NULL;
}

/**
 * model_answer_ack() - queue an acknowledgment
 * @qp: the queue pair
 * @psn: PSN of the last packet that is acknowledged
 *
 * If the queue is full, no acknowledgment is sent: the peer repeats the
 * request after its ACK timeout.
 */
void model_answer_ack(struct model_qp *qp, u32 psn)
{
	struct model_answer *answer = newest(qp, MODEL_ANSWER_ACK);

	if (answer) {
		if (model_psn_diff(psn, answer->psn) > 0)
			answer->psn = psn;
		answer->msn = qp->tp->resp.msn;
	} else if (model_answer_room(qp)) {
		model_answer_add(qp, MODEL_ANSWER_ACK, psn);
	}
}

/**
 * model_answer_nak() - queue a NAK after which the peer sends again
 * @qp: the queue pair
 * @syndrome: sequence NAK, or RNR NAK with its timer
 * @psn: the expected PSN
 *
 * If the queue is full, no NAK is sent.
 */
void model_answer_nak(struct model_qp *qp, u8 syndrome, u32 psn)
{
	if (model_answer_room(qp))
		model_answer_add(qp, MODEL_ANSWER_NAK, psn)->syndrome =
			syndrome;
}

/**
 * model_answer_fatal() - queue a NAK after which the queue pair goes into ERR
 * @qp: the queue pair
 * @value: MODEL_NAK_*
 * @event: asynchronous event to raise, or 0
 * @psn: PSN of the refused packet
 *
 * The queue pair goes into ERR after this NAK has been sent; the answers that
 * are queued already are sent before it.
 */
void model_answer_fatal(struct model_qp *qp, u8 value, u8 event, u32 psn)
{
	struct model_answer *answer;

	answer = model_answer_add(qp, MODEL_ANSWER_NAK, psn);
	answer->syndrome = MODEL_AETH_NAK | value;
	answer->event = event;
	answer->fatal = true;
	qp->tp->resp.failed = true;
}

/**
 * model_answer_read_queued() - check whether a queued READ will send a PSN
 * @qp: the queue pair
 * @psn: PSN of a READ response
 *
 * Return: true if a queued READ answer has not sent that response yet.
 */
bool model_answer_read_queued(const struct model_qp *qp, u32 psn)
{
	u32 mtu = model_qp_mtu(qp);
	u32 i;

	for (i = qp->tp->resp.mem->head; i != qp->tp->resp.mem->tail; i++) {
		const struct model_answer *answer = answer_at(qp, i);
		s32 ahead = model_psn_diff(psn, answer->psn);

		if (answer->kind == MODEL_ANSWER_READ && ahead >= 0 &&
		    (u64)ahead * mtu < answer->left)
			return true;
	}
	return false;
}

/**
 * model_answer_clear() - drop all queued answers and a failed receive
 * @qp: the queue pair
 */
void model_answer_clear(struct model_qp *qp)
{
	qp->tp->resp.mem->head = 0;
	qp->tp->resp.mem->tail = 0;
	qp->tp->resp.mem->rd_atomic = 0;
	qp->tp->resp.mem->have_failed_recv = false;
	dequeue_qp(qp);
	model_room_leave(waiter(qp));
}

static void answer_pkt(const struct model_qp *qp,
		       const struct model_answer *answer, u8 opcode,
		       struct model_pkt *pkt)
{
	model_pkt_init(pkt, qp->tp->tx.transport | opcode,
		       le32_to_cpu(qp->attr.dest_qpn) & XRDMA_QPN_MASK,
		       answer->psn);
	pkt->syndrome = answer->syndrome;
	pkt->msn = answer->msn & 0xffffff;
	pkt->orig = answer->orig;
}

static u8 short_opcode(const struct model_answer *answer)
{
	switch (answer->kind) {
	case MODEL_ANSWER_ATOMIC:
		return MODEL_BTH_ATOMIC_ACK;
	case MODEL_ANSWER_EMPTY:
		return MODEL_BTH_READ_RESP_ONLY;
	default:
		return MODEL_BTH_ACK;
	}
}

static bool send_short(struct model_qp *qp, const struct model_answer *answer)
{
	struct model_pkt pkt;
	struct model_tx tx;

	answer_pkt(qp, answer, short_opcode(answer), &pkt);
	if (!model_tx_begin(qp, &pkt, &tx))
		return false;
	model_tx_end(qp, &tx);
	return true;
}

static u8 read_opcode(const struct model_answer *answer, bool last)
{
	if (last)
		return answer->begun ? MODEL_BTH_READ_RESP_LAST :
				       MODEL_BTH_READ_RESP_ONLY;
	return answer->begun ? MODEL_BTH_READ_RESP_MIDDLE :
			       MODEL_BTH_READ_RESP_FIRST;
}

/*
 * A packet of the READ @answer was refused, since the memory or the SRQ is no
 * longer accessible: replace all queued answers by a fatal NAK.
 */
static void read_refused(struct model_qp *qp, struct model_answer *answer,
			 u8 value, u8 event)
{
	u32 psn = answer->psn;

	qp->tp->resp.mem->tail = qp->tp->resp.mem->head;
	qp->tp->resp.mem->rd_atomic = 0;
	qp->tp->resp.mem->have_failed_recv = false;
	model_answer_fatal(qp, value, event, psn);
}

/*
 * Send one packet of a READ. The access to memory is checked for each packet.
 * Return: false if the wire has no room.
 */
static bool send_read(struct model_qp *qp, struct model_answer *answer)
{
	u32 mtu = model_qp_mtu(qp);
	bool last = answer->left <= mtu;
	struct model_access_req req = {
		.qp = qp,
		.waiter = &qp->waiters[MODEL_WAIT_ANSWERS],
		.expected = answer->left,
		.addr = answer->va,
		.len = last ? answer->left : mtu,
		.key = answer->rkey,
		.rights = XRDMA_ACCESS_REMOTE_READ,
		.remote = true,
		.opcode = XRDMA_OP_READ,
	};
	struct model_pkt pkt;
	struct model_tx tx;
	int reason;

	if (!model_room_ask(waiter(qp), qp->attr.av.dmac))
		return false;
	if (!model_xrc_answer(qp, answer->srqn)) {
		read_refused(qp, answer, MODEL_NAK_INVALID,
			     XRDMA_EVENT_QP_REQ_ERR);
		return true;
	}
	answer_pkt(qp, answer, read_opcode(answer, last), &pkt);
	pkt.len = req.len;
	if (!model_tx_begin(qp, &pkt, &tx))
		return false;
	reason = model_access_read(qp->dev, &req, tx.payload);
	if (reason) {
		model_tx_cancel(qp, &tx);
		if (reason != MODEL_MISS)
			read_refused(qp, answer, MODEL_NAK_ACCESS,
				     XRDMA_EVENT_QP_ACCESS_ERR);
		return true;
	}
	model_tx_end(qp, &tx);
	answer->begun = true;
	answer->psn = model_psn_add(answer->psn, 1);
	answer->va += req.len;
	answer->left -= req.len;
	if (last)
		answered(qp, answer);
	return true;
}

/* The fatal NAK has been sent: complete the failed receive, enter ERR. */
static void fail_after_nak(struct model_qp *qp, u8 event)
{
	struct model_recv_done done = qp->tp->resp.mem->failed_recv;

	if (qp->tp->resp.mem->have_failed_recv)
		model_qp_complete_recv(qp, &done);
	model_qp_error(qp, event);
}

/* Send one packet of the oldest answer. Return: false if there is no room. */
static bool send_one(struct model_qp *qp)
{
	struct model_answer *answer = answer_at(qp, qp->tp->resp.mem->head);

	if (answer->kind == MODEL_ANSWER_READ)
		return send_read(qp, answer);
	if (!send_short(qp, answer))
		return false;
	answered(qp, answer);
	if (answer->fatal)
		fail_after_nak(qp, answer->event);
	return true;
}

/* Congestion control delays the data of READs only; other answers are small. */
static bool delayed_by_cc(struct model_qp *qp)
{
	const struct model_answer *answer = answer_at(qp, qp->tp->resp.mem->head);

	return qp->cc.rp.slowed && answer->kind == MODEL_ANSWER_READ &&
	       model_cc_wait(qp);
}

/*
 * Send up to @budget answer packets of @qp, which has been removed from
 * model_device.answering. If answers are left, @qp is appended to that list
 * again: at once, or by model_answer_resume() if congestion control delays it,
 * or if the data of a READ wait for a page or for room on the wire. Return:
 * packets sent.
 */
static u32 send_some(struct model_qp *qp, u32 budget)
{
	u32 sent = 0;

	if (budget > MODEL_ANSWER_BURST)
		budget = MODEL_ANSWER_BURST;
	while (sent < budget && num_queued(qp)) {
		if (model_qp_waits(qp, MODEL_WAIT_ANSWERS) || delayed_by_cc(qp)) {
			model_room_end(waiter(qp));
			return sent;
		}
		if (!send_one(qp))
			break;
		sent++;
	}
	model_room_end(waiter(qp));
	if (num_queued(qp))
		enqueue_qp(qp);
	return sent;
}

/**
 * model_answers_send() - send some answers of each queue pair, round robin
 * @dev: the device
 *
 * Return: true if any packet was sent.
 */
bool model_answers_send(struct model_device *dev)
{
	u32 budget = MODEL_WIRE_BUDGET;
	struct model_qp *qp;
	bool any = false;
	u32 sent;

	while (budget && (qp = TAILQ_FIRST(&dev->answering)) != NULL) {
		dequeue_qp(qp);
		sent = send_some(qp, budget);
		if (!sent && qp->tp->resp.queued)
			break;
		any |= sent;
		budget -= sent < budget ? sent : budget;
	}
	return any;
}

/**
 * model_answer_resume() - continue answers that congestion control, or a wait
 * for a page or for room on the wire, has delayed
 * @qp: the queue pair
 */
void model_answer_resume(struct model_qp *qp)
{
	if (qp->tp->resp.mem && num_queued(qp))
		enqueue_qp(qp);
}

/**
 * model_answer_send_final_nak() - send a NAK of a queue pair that is in ERR
 * @qp: the queue pair
 * @value: MODEL_NAK_*
 * @psn: PSN of the refused packet
 *
 * The NAK is sent at once, since a queue pair in ERR has no queued answers.
 */
void model_answer_send_final_nak(struct model_qp *qp, u8 value, u32 psn)
{
	const struct model_answer answer = {
		.kind = MODEL_ANSWER_NAK,
		.syndrome = MODEL_AETH_NAK | value,
		.psn = psn,
		.msn = qp->tp->resp.msn,
	};

	send_short(qp, &answer);
}
