// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Congestion control of a queue pair: how notifications slow it down, and the time
 * at which it may send. Notifications that it sends are in transport/cnp.c.
 */
#include "core/cc.h"
#include "core/device.h"

#define NS_PER_SEC	1000000000ULL

static void timer_fired(void *opaque)
{
	struct xrdma_qp *qp = opaque;

	if (qp->dev->live)
		qp->cc.resume(qp);
}

/**
 * xrdma_cc_init() - start afresh
 * @qp: the queue pair, in RESET
 * @resume: called when it may send again, after xrdma_cc_wait()
 */
void xrdma_cc_init(struct xrdma_qp *qp, void (*resume)(struct xrdma_qp *qp))
{
	qp->cc = (struct xrdma_cc_state) {
		.resume = resume,
		.timer = { .fn = timer_fired, .opaque = qp },
	};
}

/**
 * xrdma_cc_stop() - return to line rate
 * @qp: the queue pair
 */
void xrdma_cc_stop(struct xrdma_qp *qp)
{
	xrdma_timer_cancel(qp->dev->params.loop, &qp->cc.timer);
	qp->cc.rp = (struct xrdma_dcqcn) { 0 };
}

/**
 * xrdma_cc_notified() - a notification has come
 * @qp: the queue pair that it names, of a connection
 */
void xrdma_cc_notified(struct xrdma_qp *qp)
{
	const struct xrdma_cc_conf *conf = &qp->dev->cc;
	u64 now_ns = xrdma_device_clock(qp->dev);

	if (!conf->rp)
		return;
	xrdma_qp_stat_add(qp, XRDMA_STAT_CNP_HANDLED, 1);
	if (!qp->cc.rp.slowed)
		qp->cc.next_ns = now_ns;
	xrdma_dcqcn_notify(&qp->cc.rp, &conf->params, now_ns);
}

/**
 * xrdma_cc_wait() - must a queue pair that is slowed wait?
 * @qp: the queue pair, its xrdma_cc_state.rp.slowed set
 *
 * Return: true if it may send no packet now; it is resumed when it may.
 */
bool xrdma_cc_wait(struct xrdma_qp *qp)
{
	struct xrdma_cc_state *cc = &qp->cc;
	struct xrdma_loop *loop = qp->dev->params.loop;
	u64 now_ns = xrdma_device_clock(qp->dev);

	xrdma_dcqcn_elapse(&cc->rp, &qp->dev->cc.params, now_ns);
	if (!cc->rp.slowed || cc->next_ns <= now_ns)
		return false;
	if (!xrdma_timer_armed(&cc->timer) &&
	    xrdma_timer_arm(loop, &cc->timer, cc->next_ns))
		xrdma_device_fatal(qp->dev, XRDMA_FATAL_INTERNAL);
	return true;
}

/**
 * xrdma_cc_account() - a queue pair that is slowed has sent a packet
 * @qp: the queue pair, its xrdma_cc_state.rp.slowed set
 * @bytes: of the frame
 */
void xrdma_cc_account(struct xrdma_qp *qp, u32 bytes)
{
	struct xrdma_cc_state *cc = &qp->cc;
	u64 now_ns = xrdma_device_clock(qp->dev);

	if (cc->next_ns + XRDMA_CC_BURST_NS < now_ns)
		cc->next_ns = now_ns - XRDMA_CC_BURST_NS;
	cc->next_ns += bytes * NS_PER_SEC / cc->rp.rate;
	xrdma_dcqcn_sent(&cc->rp, &qp->dev->cc.params, bytes);
}
