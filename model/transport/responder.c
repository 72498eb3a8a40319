// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The responder of reliable connections: compares the PSN of a request packet
 * with the expected one, checks opcode and length against the message being
 * received, and answers duplicates. If a translation misses, the packet and
 * those after it wait, and are executed in the same order later. Packets after
 * one that is missing are kept until that one arrives.
 *
 * Operations are executed in responder_op.c, answers are sent in answer.c.
 * parked.c has the packets that wait for a page, early.c those that wait for an
 * earlier packet.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/device.h"
#include "packet/pkt.h"
#include "transport/answer.h"
#include "transport/conn.h"
#include "transport/room.h"
#include "transport/xrc.h"

/* Packets of a queue pair that are executed at a time after a wait. */
#define REPLAY_BUDGET	32

/**
 * model_responder_init() - allocate and clear the state of the responder
 * @qp: the queue pair, in RESET
 *
 * Return: 0 or -ENOMEM.
 */
int model_responder_init(struct model_qp *qp)
{
	struct model_resp_mem *mem = qp->tp->resp.mem;

	if (!mem)
		mem = malloc(sizeof(*mem));
	if (!mem)
		return -ENOMEM;
	memset(mem, 0, sizeof(*mem));
	memset(&qp->tp->resp, 0, sizeof(qp->tp->resp));
	qp->tp->resp.mem = mem;
	model_room_init(qp, MODEL_WAIT_ANSWERS, model_answer_resume);
	model_parked_init(qp);
	model_early_init(qp);
	return 0;
}

/**
 * model_responder_modify() - apply changed attributes
 * @qp: the queue pair
 * @mask: XRDMA_QPM_* of the attributes of @qp that have changed
 */
void model_responder_modify(struct model_qp *qp, u32 mask)
{
	if (mask & XRDMA_QPM_RQ_PSN)
		qp->tp->resp.psn = le32_to_cpu(qp->attr.rq_psn) & MODEL_PSN_MASK;
}

/**
 * model_responder_stop() - drop the message being received, the packets that
 * wait, and all answers
 * @qp: the queue pair
 */
void model_responder_stop(struct model_qp *qp)
{
	model_answer_clear(qp);
	model_parked_clear(qp);
	model_early_clear(qp);
	qp->tp->resp.message = 0;
}

/**
 * model_responder_destroy() - free what model_responder_init() allocated
 * @qp: the queue pair, stopped
 */
void model_responder_destroy(struct model_qp *qp)
{
	free(qp->tp->resp.mem);
	qp->tp->resp.mem = NULL;
}

/* A message is a FIRST, MIDDLEs and a LAST packet of one kind, or an ONLY. */
static bool in_sequence(const struct model_responder *resp,
			const struct model_opcode *op)
{
	u16 kind = op->flags & (MODEL_PKT_SEND | MODEL_PKT_WRITE);

	if (resp->message)
		return kind == resp->message && !(op->flags & MODEL_PKT_FIRST);
	return op->flags & MODEL_PKT_FIRST;
}

/*
 * All packets of a message but the last have the length of the MTU; a LAST
 * packet is not empty, an ONLY packet may be.
 */
static bool length_ok(const struct model_qp *qp, const struct model_pkt *pkt)
{
	u32 mtu = model_qp_mtu(qp);

	if (!(pkt->op.flags & MODEL_PKT_PAYLOAD))
		return true;
	if (!(pkt->op.flags & MODEL_PKT_LAST))
		return pkt->len == mtu;
	if (!(pkt->op.flags & MODEL_PKT_FIRST) && !pkt->len)
		return false;
	return pkt->len <= mtu;
}

/* Return: true if the packet was executed. */
static bool execute(struct model_qp *qp, const struct model_pkt *pkt)
{
	u16 flags = pkt->op.flags;

	if (!in_sequence(&qp->tp->resp, &pkt->op) || !length_ok(qp, pkt) ||
	    !model_xrc_request(qp, pkt))
		return model_responder_invalid(qp, pkt);
	if (flags & MODEL_PKT_SEND)
		return model_responder_send(qp, pkt);
	if (flags & MODEL_PKT_WRITE)
		return model_responder_write(qp, pkt);
	if (flags & MODEL_PKT_READ)
		return model_responder_read(qp, pkt);
	if (flags & MODEL_PKT_ATOMIC)
		return model_responder_atomic(qp, pkt);
	if (flags & MODEL_PKT_FLUSH)
		return model_responder_flush(qp, pkt);
	if (flags & MODEL_PKT_ATOMIC_WRITE)
		return model_responder_atomic_write(qp, pkt);
	return model_responder_invalid(qp, pkt);
}

static void expected(struct model_qp *qp, const struct model_pkt *pkt)
{
	struct model_responder *resp = &qp->tp->resp;
	u16 kind = pkt->op.flags & (MODEL_PKT_SEND | MODEL_PKT_WRITE);

	resp->nak_sent = false;
	if (!execute(qp, pkt))
		return;
	if (!kind)
		return;
	model_responder_pass(resp, 1);
	resp->message = pkt->op.flags & MODEL_PKT_LAST ? 0 : kind;
	if (pkt->ackreq)
		model_answer_ack(qp, pkt->psn);
}

/* Send one NAK for each gap: it makes the peer send that PSN again. */
static void report_gap(struct model_qp *qp)
{
	if (qp->tp->resp.nak_sent)
		return;
	qp->tp->resp.nak_sent = true;
	model_answer_nak(qp, MODEL_AETH_NAK | MODEL_NAK_SEQUENCE,
			 qp->tp->resp.psn);
}

static void out_of_sequence(struct model_qp *qp, const struct model_pkt *pkt)
{
	model_qp_stat_add(qp, XRDMA_STAT_OUT_OF_SEQUENCE, 1);
	model_early_keep(qp, pkt);
	report_gap(qp);
}

/* Position of a packet, see model_psn_position() */
static u64 position_of(const struct model_qp *qp, const struct model_pkt *pkt)
{
	const struct model_responder *resp = &qp->tp->resp;

	return model_psn_position(resp->position, resp->psn, pkt->psn);
}

static const struct model_kept *find_kept(const struct model_qp *qp, u8 kind,
					  u64 at)
{
	const struct model_kept *kept = qp->tp->resp.mem->kept;
	u32 i;

	for (i = 0; i < MODEL_MAX_RD_ATOMIC; i++)
		if (kept[i].kind == kind && at >= kept[i].first &&
		    at <= kept[i].last)
			return &kept[i];
	return NULL;
}

/* Read the memory again. The duplicate may request only the last part of it. */
static void duplicate_read(struct model_qp *qp, const struct model_pkt *pkt)
{
	u64 room, at = position_of(qp, pkt);
	const struct model_kept *kept = find_kept(qp, MODEL_ANSWER_READ, at);
	struct model_answer *answer;

	if (!kept || model_answer_read_queued(qp, pkt->psn))
		return;
	room = (kept->last - at + 1) * model_qp_mtu(qp);
	if (pkt->dma_len > room || !model_answer_room(qp))
		return;
	answer = model_answer_add(qp, MODEL_ANSWER_READ, pkt->psn);
	answer->srqn = pkt->srqn;
	answer->va = pkt->va;
	answer->rkey = pkt->rkey;
	answer->left = pkt->dma_len;
}

/* Send the result of the first execution; the operation is not repeated. */
static void duplicate_atomic(struct model_qp *qp, const struct model_pkt *pkt,
			     u8 kind)
{
	const struct model_kept *kept = find_kept(qp, kind, position_of(qp, pkt));

	if (kept && model_answer_room(qp))
		model_answer_add(qp, kind, pkt->psn)->orig = kept->orig;
}

/*
 * Acknowledge a duplicate of a SEND or WRITE, and the requests after it up to
 * the next one with a response of its own (READ, atomic, FLUSH, ATOMIC_WRITE):
 * that response may have been lost. To IBTA an acknowledgment beyond it is an
 * implied NAK of that request; rdma_rxe completes a READ without its data if it
 * receives an acknowledgment with the READ's PSN (rxe_comp.c, Linux 6.12).
 */
static void duplicate_message(struct model_qp *qp, const struct model_pkt *pkt)
{
	const struct model_kept *kept = qp->tp->resp.mem->kept;
	const struct model_responder *resp = &qp->tp->resp;
	u64 at = position_of(qp, pkt), end = resp->position;
	u32 i, before;

	for (i = 0; i < MODEL_MAX_RD_ATOMIC; i++)
		if (kept[i].kind && kept[i].first > at && kept[i].first < end)
			end = kept[i].first;
	before = resp->position - end + 1;
	model_answer_ack(qp, model_psn_add(resp->psn, -before));
}

static void duplicate(struct model_qp *qp, const struct model_pkt *pkt)
{
	model_qp_stat_add(qp, XRDMA_STAT_DUPLICATES, 1);
	if (pkt->op.flags & MODEL_PKT_READ)
		duplicate_read(qp, pkt);
	else if (pkt->op.flags & MODEL_PKT_ATOMIC)
		duplicate_atomic(qp, pkt, MODEL_ANSWER_ATOMIC);
	else if (pkt->op.flags & (MODEL_PKT_FLUSH | MODEL_PKT_ATOMIC_WRITE))
		duplicate_atomic(qp, pkt, MODEL_ANSWER_EMPTY);
	else
		duplicate_message(qp, pkt);
}

/*
 * Handle a packet that no other one precedes. Return: false if a translation
 * misses, and the packet has to wait.
 */
static bool handle(struct model_qp *qp, const struct model_pkt *pkt)
{
	s32 ahead = model_psn_diff(pkt->psn, qp->tp->resp.psn);

	if (ahead > 0)
		out_of_sequence(qp, pkt);
	else if (ahead < 0)
		duplicate(qp, pkt);
	else
		expected(qp, pkt);
	return !model_qp_waits(qp, MODEL_WAIT_RESPONDER);
}

static void park(struct model_qp *qp, const struct model_pkt *pkt)
{
	struct model_parked *parked = &qp->tp->resp.parked;

	parked->psn = pkt->psn;
	parked->overflow = !model_parked_add(qp, pkt);
	if (!parked->overflow)
		parked->psn = model_psn_add(pkt->psn,
					    model_responder_num_psns(qp, pkt));
}

/*
 * Handle a packet while packets before it wait: let it wait too, if it is the
 * next one. A NAK for a missing packet would acknowledge those that wait, so it
 * is sent after them.
 */
static void wait_behind(struct model_qp *qp, const struct model_pkt *pkt)
{
	struct model_parked *parked = &qp->tp->resp.parked;
	s32 ahead = model_psn_diff(pkt->psn, parked->psn);

	if (model_psn_diff(pkt->psn, qp->tp->resp.psn) < 0)
		duplicate(qp, pkt);
	else if (ahead < 0)
		model_qp_stat_add(qp, XRDMA_STAT_DUPLICATES, 1);
	else if (!ahead)
		park(qp, pkt);
	else if (!model_early_keep(qp, pkt))
		parked->gap = true;
}

static bool is_parked(const struct model_qp *qp)
{
	const struct model_parked *parked = &qp->tp->resp.parked;

	return parked->num || parked->replay ||
	       model_qp_waits(qp, MODEL_WAIT_RESPONDER);
}

/* All packets that waited have been executed: send the NAK that is due. */
static void replayed(struct model_qp *qp)
{
	struct model_responder *resp = &qp->tp->resp;
	bool overflow = resp->parked.overflow;
	bool gap = resp->parked.gap;

	model_parked_clear(qp);
	if (resp->failed || resp->nak_sent)
		return;
	if (overflow) {
		resp->nak_sent = true;
		model_answer_nak(qp, MODEL_AETH_RNR | qp->attr.min_rnr_timer,
				 resp->psn);
	} else if (gap || model_early_any(qp)) {
		report_gap(qp);
	}
}

/* Execute packets of @qp, whose wait is over, until one of them waits again. */
static void replay(struct model_qp *qp)
{
	struct model_parked_pkt *parked = NULL;
	u32 budget = REPLAY_BUDGET;

	while (budget-- && !qp->tp->resp.failed &&
	       (parked = model_parked_take(qp))) {
		if (!handle(qp, &parked->pkt)) {
			model_parked_put_back(qp, parked);
			model_parked_end_replay(qp);
			return;
		}
		model_parked_free(qp, parked);
	}
	if (qp->tp->resp.parked.replay &&
	    (qp->tp->resp.failed || !qp->tp->resp.parked.num))
		replayed(qp);
}

/**
 * model_responders_replay() - execute packets that have waited, some of each
 * queue pair
 * @dev: the device
 *
 * Return: true if there was work.
 */
bool model_responders_replay(struct model_device *dev)
{
	bool any = !TAILQ_EMPTY(&dev->replaying);
	struct model_qp *qp;
	u32 n = 0;

	TAILQ_FOREACH(qp, &dev->replaying, tp->resp.parked.link)
		n++;
	while (n-- && dev->live && (qp = TAILQ_FIRST(&dev->replaying))) {
		TAILQ_REMOVE(&dev->replaying, qp, tp->resp.parked.link);
		TAILQ_INSERT_TAIL(&dev->replaying, qp, tp->resp.parked.link);
		replay(qp);
	}
	return any;
}

static void request(struct model_qp *qp, const struct model_pkt *pkt)
{
	if (is_parked(qp))
		wait_behind(qp, pkt);
	else if (!handle(qp, pkt))
		park(qp, pkt);
}

/* PSN of the packet that need not wait for an earlier one */
static u32 next_psn(const struct model_qp *qp)
{
	return is_parked(qp) ? qp->tp->resp.parked.psn : qp->tp->resp.psn;
}

/*
 * Handle the early packets that need not wait any more, and acknowledge them: the
 * peer may have requested no acknowledgment with the last of them. A NAK for the
 * next gap acknowledges those before it. Operations with a response need no
 * acknowledgment.
 */
static void catch_up(struct model_qp *qp)
{
	struct model_responder *resp = &qp->tp->resp;
	struct model_parked_pkt *early;
	u16 flags = 0;

	while (!resp->failed && (early = model_early_take(qp, next_psn(qp)))) {
		flags = early->pkt.op.flags;
		request(qp, &early->pkt);
		model_parked_free(qp, early);
	}
	if (!flags || resp->failed || is_parked(qp) || resp->nak_sent)
		return;
	if (model_early_any(qp))
		report_gap(qp);
	else if (flags & (MODEL_PKT_SEND | MODEL_PKT_WRITE))
		model_answer_ack(qp, model_psn_add(resp->psn, -1));
}

/**
 * model_responder_request() - handle a received request packet
 * @qp: the queue pair, in RTR, RTS or SQD
 * @pkt: the packet
 *
 * Return: MODEL_RX_OK, or why it was dropped.
 */
enum model_rx model_responder_request(struct model_qp *qp,
				      const struct model_pkt *pkt)
{
	if (qp->tp->resp.failed)
		return MODEL_RX_STATE;
	request(qp, pkt);
	if (model_early_any(qp))
		catch_up(qp);
	return MODEL_RX_OK;
}
