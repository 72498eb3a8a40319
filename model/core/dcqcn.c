// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The reaction point of DCQCN: the rate of a sender. When a sender has returned
 * to line rate, its state is cleared, so alpha has its initial value at the
 * next notification. Queue pairs and timers are in cc_qp.c.
 */
#include "core/dcqcn.h"

static u64 min_u64(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* alpha *= 1 - g, @n times; stops when a step does not change alpha. */
static void decay(struct model_dcqcn *cc, const struct model_dcqcn_params *p,
		  u64 n)
{
	u32 less;

	while (n--) {
		less = (u64)cc->alpha * p->alpha_g / 1024;
		if (!less)
			break;
		cc->alpha -= less;
	}
}

/* Return: @degree * hai_rate, limited to a little more than the line rate. */
static u64 hyper(const struct model_dcqcn_params *p, u32 degree)
{
	if (!p->hai_rate)
		return 0;
	return p->hai_rate * min_u64(degree, p->line_rate / p->hai_rate + 1);
}

/*
 * Increase the rate after a period of the timer or of the byte counter. Return:
 * true if the rate or its target changed.
 */
static bool increase(struct model_dcqcn *cc, const struct model_dcqcn_params *p)
{
	u32 most = cc->time_steps > cc->byte_steps ? cc->time_steps :
						     cc->byte_steps;
	u32 least = cc->time_steps < cc->byte_steps ? cc->time_steps :
						      cc->byte_steps;
	u64 old_target = cc->target;
	u64 old_rate = cc->rate;

	if (least > p->threshold)
		cc->target += hyper(p, least - p->threshold);
	else if (most > p->threshold)
		cc->target += p->ai_rate;
	cc->target = min_u64(cc->target, p->line_rate);
	/* Rounded up, so that the rate reaches the target */
	cc->rate = (cc->rate + cc->target + 1) / 2;
	if (cc->rate >= p->line_rate)
		*cc = (struct model_dcqcn) { 0 };
	return cc->rate != old_rate || cc->target != old_target;
}

/* Do @n periods of the rate timer; periods without effect are only counted. */
static void recover(struct model_dcqcn *cc, const struct model_dcqcn_params *p,
		    u64 n)
{
	while (n && cc->slowed) {
		n--;
		cc->time_steps = min_u64(cc->time_steps + 1ULL, UINT32_MAX);
		if (!increase(cc, p) && cc->time_steps > p->threshold)
			break;
	}
	if (cc->slowed)
		cc->time_steps = min_u64(cc->time_steps + n, UINT32_MAX);
}

/**
 * model_dcqcn_elapse() - update the rate to the present time
 * @cc: the sender
 * @p: parameters
 * @now_ns: present time, in nanoseconds
 */
void model_dcqcn_elapse(struct model_dcqcn *cc,
			const struct model_dcqcn_params *p, u64 now_ns)
{
	u64 decays, steps;

	if (!cc->slowed)
		return;
	decays = (now_ns - cc->alpha_ns) / p->alpha_timer_ns;
	steps = (now_ns - cc->timer_ns) / p->time_reset_ns;
	cc->alpha_ns += decays * p->alpha_timer_ns;
	cc->timer_ns += steps * p->time_reset_ns;
	decay(cc, p, decays);
	recover(cc, p, steps);
}

static void first_cut(struct model_dcqcn *cc,
		      const struct model_dcqcn_params *p)
{
	*cc = (struct model_dcqcn) {
		.slowed = true,
		.rate = p->line_rate,
		.alpha = p->initial_alpha * (MODEL_DCQCN_ONE / 1024),
	};
}

static void cut(struct model_dcqcn *cc, const struct model_dcqcn_params *p)
{
	cc->target = cc->rate;
	cc->rate -= cc->rate * cc->alpha / (2 * MODEL_DCQCN_ONE);
	if (cc->rate < p->min_rate)
		cc->rate = min_u64(p->min_rate, cc->target);
	cc->alpha += (u64)(MODEL_DCQCN_ONE - cc->alpha) * p->alpha_g / 1024;
}

/**
 * model_dcqcn_notify() - cut the rate after a congestion notification
 * @cc: the sender; slowed from now on
 * @p: parameters
 * @now_ns: present time, in nanoseconds
 */
void model_dcqcn_notify(struct model_dcqcn *cc,
			const struct model_dcqcn_params *p, u64 now_ns)
{
	model_dcqcn_elapse(cc, p, now_ns);
	if (!cc->slowed)
		first_cut(cc, p);
	else if (now_ns - cc->cut_ns < p->reduce_period_ns)
		return;
	cut(cc, p);
	cc->time_steps = 0;
	cc->byte_steps = 0;
	cc->bytes = 0;
	cc->timer_ns = now_ns;
	cc->alpha_ns = now_ns;
	cc->cut_ns = now_ns;
}

/**
 * model_dcqcn_sent() - count sent bytes, and update the rate
 * @cc: the sender
 * @p: parameters
 * @bytes: bytes of a packet
 */
void model_dcqcn_sent(struct model_dcqcn *cc,
		      const struct model_dcqcn_params *p, u32 bytes)
{
	if (!cc->slowed)
		return;
	cc->bytes += bytes;
	while (cc->slowed && cc->bytes >= p->byte_reset) {
		cc->bytes -= p->byte_reset;
		cc->byte_steps = min_u64(cc->byte_steps + 1ULL, UINT32_MAX);
		increase(cc, p);
	}
}
