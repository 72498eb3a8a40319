// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Timer of the requester: the local ACK timeout (IBTA 9.7.6.1.3) and the delay
 * that an RNR NAK requests (9.7.5.2.8). model_requester_timed_out() in
 * requester_window.c handles a timeout.
 *
 * Each acknowledgment restarts the ACK timeout. A restart changes only
 * model_requester.deadline_ns; when the timer fires before that time, it is
 * armed again.
 */

#include "core/device.h"
#include "transport/conn.h"

/* The maximum of the standard, 4 * 4.096 us, since a peer may be software. */
#define ACK_TIMEOUT_UNIT_NS	(4 * 4096ULL)
/* Shorter timeouts are rounded up to this value, as the standard allows. */
#define ACK_TIMEOUT_MIN_NS	1000000ULL

/*
 * If the timer fires later than its deadline by more than this, the process was
 * not running. The timeout is then delayed by this much, so that frames which
 * have arrived in the meantime are handled first.
 */
#define ACK_TIMEOUT_LATE_NS	1000000ULL

/* Delay of each code of an RNR NAK, in units of 10 us. */
static const u32 rnr_timers[32] = {
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256,
	384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384,
	24576, 32768, 49152,
};

/**
 * model_rnr_timer_ns() - convert the code of an RNR NAK to a delay
 * @code: 0 to 31; higher bits are ignored
 *
 * Return: nanoseconds.
 */
u64 model_rnr_timer_ns(u8 code)
{
	return rnr_timers[code & 31] * 10000ULL;
}

static u64 now_ns(const struct model_qp *qp)
{
	return model_loop_now(qp->dev->params.loop);
}

static void arm(struct model_qp *qp, u64 deadline_ns)
{
	if (model_timer_arm(qp->dev->params.loop, &qp->tp->req.timer, deadline_ns))
		model_device_fatal(qp->dev, XRDMA_FATAL_INTERNAL);
}

static void fired(void *opaque)
{
	struct model_qp *qp = opaque;
	struct model_requester *req = &qp->tp->req;

	if (!qp->dev->live)
		return;
	if (req->rnr_wait) {
		req->rnr_wait = false;
		model_qp_activate(qp);
	} else if (!req->deadline_ns) {
		return;
	} else if (req->deadline_ns > now_ns(qp)) {
		arm(qp, req->deadline_ns);
	} else if (req->timer.deadline_ns + ACK_TIMEOUT_LATE_NS < now_ns(qp)) {
		req->deadline_ns = now_ns(qp) + ACK_TIMEOUT_LATE_NS;
		arm(qp, req->deadline_ns);
	} else {
		req->timed_out(qp);
	}
}

/**
 * model_requester_timer_init() - set the functions of the timer
 * @qp: the queue pair
 * @timed_out: called when the ACK timeout has passed
 */
void model_requester_timer_init(struct model_qp *qp,
				void (*timed_out)(struct model_qp *qp))
{
	qp->tp->req.timed_out = timed_out;
	qp->tp->req.timer.fn = fired;
	qp->tp->req.timer.opaque = qp;
}

/**
 * model_requester_timer_start() - start or restart the ACK timeout
 * @qp: the queue pair
 *
 * Ends the ACK timeout if no packet is unacknowledged, or if the send queue
 * waits for a page.
 */
void model_requester_timer_start(struct model_qp *qp)
{
	struct model_requester *req = &qp->tp->req;
	u64 timeout_ns = ACK_TIMEOUT_UNIT_NS << qp->attr.timeout;

	if (!qp->attr.timeout || req->una_psn == req->max_psn ||
	    model_qp_waits(qp, MODEL_WAIT_REQUESTER)) {
		req->deadline_ns = 0;
		return;
	}
	if (timeout_ns < ACK_TIMEOUT_MIN_NS)
		timeout_ns = ACK_TIMEOUT_MIN_NS;
	req->deadline_ns = now_ns(qp) + timeout_ns;
	if (req->rnr_wait)
		return;
	if (!model_timer_armed(&req->timer) ||
	    req->timer.deadline_ns > req->deadline_ns)
		arm(qp, req->deadline_ns);
}

/**
 * model_requester_timer_cancel() - cancel the timer
 * @qp: the queue pair
 */
void model_requester_timer_cancel(struct model_qp *qp)
{
	qp->tp->req.deadline_ns = 0;
	model_timer_cancel(qp->dev->params.loop, &qp->tp->req.timer);
}

/**
 * model_requester_rnr_wait() - stop sending for the delay of an RNR NAK
 * @qp: the queue pair
 * @code: timer code of the RNR NAK, 0 to 31; higher bits are ignored
 */
void model_requester_rnr_wait(struct model_qp *qp, u8 code)
{
	qp->tp->req.rnr_wait = true;
	qp->tp->req.deadline_ns = 0;
	arm(qp, now_ns(qp) + model_rnr_timer_ns(code));
}
