// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Congestion control: the parameters of the device. The state of queue pairs is
 * in cc_qp.c.
 */
#include "core/cc.h"
#include "core/device.h"

#define NS_PER_US	1000ULL
#define BYTES_PER_MBIT	125000ULL
#define THRESHOLD_MAX	31
#define ALPHA_ONE	1024

static bool legal(const struct xrdma_cc *set)
{
	u32 threshold = le32_to_cpu(set->threshold);
	u16 alpha_g = le16_to_cpu(set->alpha_g);

	return !(le32_to_cpu(set->flags) & ~(XRDMA_CC_RP | XRDMA_CC_NP)) &&
	       set->min_rate && set->time_reset && set->byte_reset &&
	       threshold && threshold <= THRESHOLD_MAX && set->alpha_timer &&
	       alpha_g && alpha_g < ALPHA_ONE &&
	       le16_to_cpu(set->initial_alpha) <= ALPHA_ONE && !set->reserved;
}

static void apply(struct model_cc_conf *conf, const struct xrdma_cc *set)
{
	struct model_dcqcn_params *p = &conf->params;

	conf->set = *set;
	conf->rp = le32_to_cpu(set->flags) & XRDMA_CC_RP;
	conf->np = le32_to_cpu(set->flags) & XRDMA_CC_NP;
	conf->cnp_interval_ns = le32_to_cpu(set->cnp_interval) * NS_PER_US;
	p->line_rate = MODEL_LINK_SPEED * BYTES_PER_MBIT;
	p->min_rate = le32_to_cpu(set->min_rate) * BYTES_PER_MBIT;
	p->ai_rate = le32_to_cpu(set->ai_rate) * BYTES_PER_MBIT;
	p->hai_rate = le32_to_cpu(set->hai_rate) * BYTES_PER_MBIT;
	p->time_reset_ns = le32_to_cpu(set->time_reset) * NS_PER_US;
	p->byte_reset = le32_to_cpu(set->byte_reset);
	p->threshold = le32_to_cpu(set->threshold);
	p->alpha_timer_ns = le32_to_cpu(set->alpha_timer) * NS_PER_US;
	p->alpha_g = le16_to_cpu(set->alpha_g);
	p->initial_alpha = le16_to_cpu(set->initial_alpha);
	p->reduce_period_ns = le32_to_cpu(set->reduce_period) * NS_PER_US;
}

/**
 * model_cc_reset() - set the default parameters
 * @dev: the device; it has no queue pairs
 */
void model_cc_reset(struct model_device *dev)
{
	/* The defaults of many network cards */
	const struct xrdma_cc defaults = {
		.flags = cpu_to_le32(XRDMA_CC_RP | XRDMA_CC_NP),
		.min_rate = cpu_to_le32(10),
		.ai_rate = cpu_to_le32(5),
		.hai_rate = cpu_to_le32(50),
		.time_reset = cpu_to_le32(300),
		.byte_reset = cpu_to_le32(32767),
		.threshold = cpu_to_le32(5),
		.alpha_timer = cpu_to_le32(55),
		.alpha_g = cpu_to_le16(4),
		.initial_alpha = cpu_to_le16(ALPHA_ONE),
		.reduce_period = cpu_to_le32(4),
		.cnp_interval = cpu_to_le32(50),
	};

	apply(&dev->cc, &defaults);
}

/**
 * model_cc_applies() - check whether a queue pair has congestion control
 * @qp: the queue pair
 *
 * Return: true if the type of the queue pair is RC, UC or XRC.
 */
bool model_cc_applies(const struct model_qp *qp)
{
	switch (qp->type) {
	case XRDMA_QP_RC:
	case XRDMA_QP_UC:
	case XRDMA_QP_XRC_INI:
	case XRDMA_QP_XRC_TGT:
		return true;
	default:
		return false;
	}
}

/* If reaction points were disabled, return the queue pair to line rate. */
static void changed(struct model_qp *qp)
{
	struct model_loop *loop = qp->dev->params.loop;

	if (qp->dev->cc.rp)
		return;
	qp->cc.rp = (struct model_dcqcn) { 0 };
	if (model_timer_armed(&qp->cc.timer))
		model_timer_arm(loop, &qp->cc.timer, model_loop_now(loop));
}

/**
 * model_cc_modify() - MODIFY_CC
 * @dev: the device
 * @set: body of the command
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_cc_modify(struct model_device *dev,
				      const struct xrdma_cc *set)
{
	u32 qpn;

	if (!legal(set))
		return XRDMA_CMD_BAD_PARAM;
	apply(&dev->cc, set);
	for (qpn = 0; qpn < MODEL_MAX_QP; qpn++)
		if (dev->qps[qpn] && model_cc_applies(dev->qps[qpn]))
			changed(dev->qps[qpn]);
	return XRDMA_CMD_OK;
}
