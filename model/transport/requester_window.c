// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The window of the requester: the entries of the send queue that are in flight, and
 * the ways in which they end or are sent once more.
 *
 * Packets are sent by requester.c, responses are judged by requester_ack.c.
 */
#include "core/device.h"
#include "packet/psn.h"
#include "transport/conn.h"

static bool alive(const struct model_qp *qp)
{
	return qp->state == XRDMA_QPS_RTS || qp->state == XRDMA_QPS_SQD;
}

/**
 * model_requester_entry() - an entry of the window
 * @qp: the queue pair
 * @index: from model_wq.ci of the send queue up to model_requester.next
 *
 * Return: the entry.
 */
struct model_req_entry *model_requester_entry(struct model_qp *qp, u32 index)
{
	return &qp->tp->req.entries[index & (MODEL_REQ_WINDOW - 1)];
}

/**
 * model_requester_go_back() - send again from the oldest unacknowledged packet
 * @qp: the queue pair
 */
void model_requester_go_back(struct model_qp *qp)
{
	struct model_requester *req = &qp->tp->req;

	req->cur = qp->sq.ci;
	req->send_psn = req->una_psn;
	req->since_ackreq = 0;
	model_requester_timer_start(qp);
	model_qp_activate(qp);
}

/**
 * model_requester_fail() - the oldest entry in flight has failed
 * @qp: the queue pair; in ERR when this returns
 * @status: enum xrdma_wc_status
 * @vendor_err: enum xrdma_fault_reason
 */
void model_requester_fail(struct model_qp *qp, u8 status, u16 vendor_err)
{
	u32 index = qp->sq.ci;

	model_qp_fail_send(qp, index, &model_requester_entry(qp, index)->wqe,
			   status, vendor_err);
}

/*
 * Complete the LOCAL entries at the head of the window. Return: the one there
 * then, or NULL.
 */
static struct model_req_entry *complete_local(struct model_qp *qp)
{
	struct model_req_entry *e;

	while (alive(qp) && qp->sq.ci != qp->tp->req.next) {
		e = model_requester_entry(qp, qp->sq.ci);
		if (e->kind != MODEL_REQ_LOCAL)
			return e;
		model_qp_complete_send(qp, qp->sq.ci, &e->wqe, 0);
	}
	return NULL;
}

/**
 * model_requester_settle() - acknowledgments or refusals have come in
 * @qp: the queue pair, in RTS or SQD
 *
 * Brings the place of sending up to what is acknowledged, and completes the
 * LOCAL entries, or the FAILED one, whose turn it is.
 */
void model_requester_settle(struct model_qp *qp)
{
	struct model_requester *req = &qp->tp->req;
	struct model_req_entry *head;

	if (model_psn_diff(req->send_psn, req->una_psn) < 0)
		req->send_psn = req->una_psn;
	head = complete_local(qp);
	if ((s32)(req->cur - qp->sq.ci) < 0)
		req->cur = qp->sq.ci;
	if (head && head->kind == MODEL_REQ_FAILED)
		model_requester_fail(qp, head->status, head->vendor_err);
}

/**
 * model_requester_timed_out() - the ACK timeout has passed: go back, or fail
 * @qp: the queue pair
 */
void model_requester_timed_out(struct model_qp *qp)
{
	model_qp_stat_add(qp, XRDMA_STAT_ACK_TIMEOUTS, 1);
	qp->tp->req.deadline_ns = 0;
	qp->tp->req.recovering = false;
	if (!qp->tp->req.retries) {
		model_requester_fail(qp, XRDMA_WC_RETRY_EXC_ERR, 0);
		return;
	}
	qp->tp->req.retries--;
	model_requester_go_back(qp);
}
