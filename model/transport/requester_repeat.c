// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Retries with one packet: after a sequence NAK, only the packet that was lost is
 * sent again, if the peer has kept those after it.
 *
 * IBTA lets a responder drop the packets after a lost one, and nothing in a NAK
 * says whether it does. So the first retry of a connection is a test: the
 * requester sends the lost packet, which requests an acknowledgment, and waits.
 * A peer that acknowledges later packets too has kept them. A peer that
 * acknowledges only this one has dropped them; or the next packet was lost as
 * well, which is unlikely to happen twice.
 *
 * While a request with a response of its own is in flight (READ, atomic, FLUSH,
 * ATOMIC_WRITE), a retry sends all packets again: a response may have been lost,
 * too, and the requester drops all responses after a missing one. A retry after a
 * timeout also sends all packets again.
 */
#include "core/device.h"
#include "packet/psn.h"
#include "transport/conn.h"

/*
 * Copies of the packet that are sent. A peer that keeps packets does not tell that
 * the only copy was lost as well, and the ACK timeout is long.
 */
#define COPIES	2
/*
 * Number of retries after which only the repeated packet was acknowledged. Then
 * the requester takes the peer for one that drops packets.
 */
#define TESTS	2

/**
 * model_requester_lost() - retry after a sequence NAK
 * @qp: the queue pair
 */
void model_requester_lost(struct model_qp *qp)
{
	struct model_requester *req = &qp->tp->req;
	struct model_req_repeat repeat = req->repeat;
	bool all = req->rd_atomic || repeat.peer == MODEL_PEER_DROPS;

	if (repeat.phase == MODEL_REPEAT_NONE ||
	    (repeat.phase == MODEL_REPEAT_WAIT &&
	     repeat.peer == MODEL_PEER_KEEPS)) {
		repeat.resume_psn = req->send_psn;
		repeat.resume_cur = req->cur;
	}
	model_requester_go_back(qp);
	if (all || model_psn_diff(repeat.resume_psn, req->una_psn) < 2)
		return;
	repeat.phase = MODEL_REPEAT_SEND;
	repeat.copies = COPIES;
	repeat.psn = req->una_psn;
	req->repeat = repeat;
}

/* Continue with the packet that would have been sent without the retry. */
static void resume(struct model_requester *req)
{
	req->send_psn = req->repeat.resume_psn;
	req->cur = req->repeat.resume_cur;
}

/**
 * model_requester_repeated() - a copy of the packet was sent
 * @qp: the queue pair, with a retry in the phase MODEL_REPEAT_SEND
 */
void model_requester_repeated(struct model_qp *qp)
{
	struct model_requester *req = &qp->tp->req;

	if (--req->repeat.copies) {
		req->send_psn = req->una_psn;
		req->cur = qp->sq.ci;
		return;
	}
	req->repeat.phase = MODEL_REPEAT_WAIT;
	if (req->repeat.peer == MODEL_PEER_KEEPS)
		resume(req);
}

/* The peer has acknowledged the packet that was sent again, and no other one. */
static void only_one(struct model_qp *qp)
{
	struct model_requester *req = &qp->tp->req;

	if (req->repeat.peer == MODEL_PEER_KEEPS) {
		req->recovering = true;
		req->recover_psn = req->una_psn;
		model_requester_lost(qp);
		return;
	}
	req->repeat.phase = MODEL_REPEAT_NONE;
	if (++req->repeat.dropped == TESTS)
		req->repeat.peer = MODEL_PEER_DROPS;
}

/**
 * model_requester_answered() - packets were acknowledged during a retry
 * @qp: the queue pair; the caller calls model_requester_settle() afterwards
 */
void model_requester_answered(struct model_qp *qp)
{
	struct model_requester *req = &qp->tp->req;
	struct model_req_repeat *repeat = &req->repeat;
	s32 num = model_psn_diff(req->una_psn, repeat->psn);
	bool sent = repeat->phase == MODEL_REPEAT_WAIT;

	if (repeat->phase == MODEL_REPEAT_NONE || num <= 0)
		return;
	if (sent && num == 1 && req->una_psn != req->max_psn) {
		only_one(qp);
		return;
	}
	repeat->phase = MODEL_REPEAT_NONE;
	if (sent && repeat->peer == MODEL_PEER_KEEPS)
		return;
	if (sent && num > 1)
		repeat->peer = MODEL_PEER_KEEPS;
	resume(req);
}
