// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The window of the requester: the entries of the send queue that are in
 * flight. Completes LOCAL and FAILED entries in order, and starts retries.
 *
 * Packets are sent in requester.c, responses are handled in requester_ack.c.
 */
#include "core/device.h"
#include "packet/psn.h"
#include "transport/conn.h"

static bool can_send(const struct model_qp *qp)
{
	return qp->state == XRDMA_QPS_RTS || qp->state == XRDMA_QPS_SQD;
}

/**
 * model_requester_entry() - look up an entry of the window
 * @qp: the queue pair
 * @index: from model_wq.ci of the send queue up to model_requester.next
 *
 * Return: the entry.
 */
struct model_req_entry *model_requester_entry(struct model_qp *qp, u32 index)
{
	return &qp->tp->req.entries[index & qp->tp->req.mask];
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
	req->repeat.phase = MODEL_REPEAT_NONE;
	model_requester_timer_start(qp);
	model_qp_activate(qp);
}

/**
 * model_requester_resume() - continue after a wait for a page
 * @qp: the queue pair
 */
void model_requester_resume(struct model_qp *qp)
{
	struct model_requester *req = &qp->tp->req;

	if (req->refetch) {
		req->refetch = false;
		/* responses to the first request cause no further retry */
		req->recovering = true;
		req->recover_psn = req->una_psn;
		model_requester_go_back(qp);
		return;
	}
	model_requester_timer_start(qp);
	model_qp_activate(qp);
}

/**
 * model_requester_fail() - complete the oldest entry in flight in error
 * @qp: the queue pair; in ERR, or SQE if it is UC, when this returns
 * @status: enum xrdma_wc_status
 * @vendor_err: enum xrdma_fault_reason
 */
void model_requester_fail(struct model_qp *qp, u8 status, u16 vendor_err)
{
	model_qp_fail_send(qp, &model_requester_entry(qp, qp->sq.ci)->wqe,
			   status, vendor_err);
}

/*
 * Complete the LOCAL entries at the head of the window. Return: the oldest
 * entry that is left in the window, or NULL.
 */
static struct model_req_entry *complete_local(struct model_qp *qp)
{
	struct model_req_entry *e;

	while (can_send(qp) && qp->sq.ci != qp->tp->req.next) {
		e = model_requester_entry(qp, qp->sq.ci);
		if (e->kind != MODEL_REQ_LOCAL)
			return e;
		model_qp_complete_send(qp, &e->wqe, 0);
	}
	return NULL;
}

/**
 * model_requester_settle() - update the window after packets were acknowledged
 * or an entry was refused or executed
 * @qp: the queue pair, in RTS or SQD
 *
 * Moves the PSN to be sent next up to the oldest unacknowledged PSN. Completes
 * LOCAL entries, and a FAILED entry, if all entries before them are complete.
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
 * model_requester_timed_out() - retry after the ACK timeout
 * @qp: the queue pair
 *
 * Fails the oldest entry in flight if no retry is left.
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
	model_pace_timed_out(&qp->tp->req.pace);
	model_requester_go_back(qp);
}
