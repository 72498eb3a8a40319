// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Congestion control of a queue pair: the effect of received notifications, and
 * the time at which the queue pair may send. The rate is computed in dcqcn.c;
 * notifications are sent in transport/cnp.c.
 */
#include "core/cc.h"
#include "core/device.h"

#define NS_PER_SEC	1000000000ULL

static void timer_fired(void *opaque)
{
	struct model_qp *qp = opaque;

	if (qp->dev->live)
		qp->cc.resume(qp);
}

/**
 * model_cc_init() - initialize congestion control of a queue pair, at line rate
 * @qp: the queue pair, in RESET
 * @resume: called when the queue pair may send again, after model_cc_wait()
 */
void model_cc_init(struct model_qp *qp, void (*resume)(struct model_qp *qp))
{
	qp->cc = (struct model_cc_state) {
		.resume = resume,
		.timer = { .fn = timer_fired, .opaque = qp },
	};
}

/**
 * model_cc_stop() - return to line rate
 * @qp: the queue pair
 */
void model_cc_stop(struct model_qp *qp)
{
	model_timer_cancel(qp->dev->params.loop, &qp->cc.timer);
	qp->cc.rp = (struct model_dcqcn) { 0 };
}

/**
 * model_cc_notified() - handle a received congestion notification
 * @qp: the queue pair that the notification names; model_cc_applies()
 */
void model_cc_notified(struct model_qp *qp)
{
	const struct model_cc_conf *conf = &qp->dev->cc;
	u64 now_ns = model_device_clock(qp->dev);

	if (!conf->rp)
		return;
	model_qp_stat_add(qp, XRDMA_STAT_CNP_HANDLED, 1);
	if (!qp->cc.rp.slowed)
		qp->cc.next_ns = now_ns;
	model_dcqcn_notify(&qp->cc.rp, &conf->params, now_ns);
}

/**
 * model_cc_wait() - check whether a slowed queue pair has to wait
 * @qp: the queue pair, with model_cc_state.rp.slowed set
 *
 * Return: true if the queue pair may not send now; model_cc_state.resume() is
 * called when it may.
 */
bool model_cc_wait(struct model_qp *qp)
{
	struct model_cc_state *cc = &qp->cc;
	struct model_loop *loop = qp->dev->params.loop;
	u64 now_ns = model_device_clock(qp->dev);

	model_dcqcn_elapse(&cc->rp, &qp->dev->cc.params, now_ns);
	if (!cc->rp.slowed || cc->next_ns <= now_ns)
		return false;
	if (!model_timer_armed(&cc->timer) &&
	    model_timer_arm(loop, &cc->timer, cc->next_ns))
		model_device_fatal(qp->dev, XRDMA_FATAL_INTERNAL);
	return true;
}

/**
 * model_cc_account() - account for a packet that a slowed queue pair has sent
 * @qp: the queue pair, with model_cc_state.rp.slowed set
 * @bytes: size of the frame
 */
void model_cc_account(struct model_qp *qp, u32 bytes)
{
	struct model_cc_state *cc = &qp->cc;
	u64 now_ns = model_device_clock(qp->dev);

	if (cc->next_ns + MODEL_CC_BURST_NS < now_ns)
		cc->next_ns = now_ns - MODEL_CC_BURST_NS;
	cc->next_ns += bytes * NS_PER_SEC / cc->rp.rate;
	model_dcqcn_sent(&cc->rp, &qp->dev->cc.params, bytes);
}
