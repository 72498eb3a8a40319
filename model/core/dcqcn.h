/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The reaction point of DCQCN (Zhu et al., Congestion Control for Large-Scale
 * RDMA Deployments, SIGCOMM 2015, figures 7 and 8): the rate of a sender as a
 * function of the notifications it receives, of time and of the bytes it sends.
 *
 * This is pure arithmetic: the caller passes the time, and a call does the
 * steps of all periods since the previous call. The queue pairs and their
 * timers are in core/cc_qp.c.
 */
#ifndef MODEL_DCQCN_H
#define MODEL_DCQCN_H

#include <linux/bits.h>
#include <linux/types.h>
#include <stdbool.h>

/* The value 1.0 of alpha, as a fixed-point number. */
#define MODEL_DCQCN_ONE		BIT(20)

/**
 * struct model_dcqcn_params - parameters; see struct xrdma_cc
 * @line_rate: rate of a sender that is not slowed, in bytes per second
 * @min_rate: lowest rate, in bytes per second
 * @ai_rate: additive increase, in bytes per second
 * @hai_rate: hyper increase, in bytes per second
 * @time_reset_ns: period of the rate timer
 * @byte_reset: period of the byte counter, in bytes
 * @threshold: number of periods of fast recovery
 * @alpha_timer_ns: period of the decay of alpha
 * @alpha_g: weight of a new mark in alpha, in units of 1/1024
 * @initial_alpha: initial value of alpha, in units of 1/1024
 * @reduce_period_ns: shortest time between two cuts
 */
struct model_dcqcn_params {
	u64 line_rate;
	u64 min_rate;
	u64 ai_rate;
	u64 hai_rate;
	u64 time_reset_ns;
	u32 byte_reset;
	u32 threshold;
	u64 alpha_timer_ns;
	u32 alpha_g;
	u32 initial_alpha;
	u64 reduce_period_ns;
};

/**
 * struct model_dcqcn - state of a sender; all zero for a sender at line rate
 * @slowed: the sender is slowed; the fields below are valid only then
 * @rate: current rate (RC), in bytes per second
 * @target: target rate (RT), in bytes per second
 * @alpha: estimate of congestion, in units of 1 / MODEL_DCQCN_ONE
 * @time_steps: number of periods of the rate timer since the last cut (T)
 * @byte_steps: number of periods of the byte counter since the last cut (BC)
 * @bytes: bytes sent in the present period of the byte counter
 * @timer_ns: time when the present period of the rate timer began
 * @alpha_ns: time when the present period of the decay began
 * @cut_ns: time when the rate was last cut
 */
struct model_dcqcn {
	bool slowed;
	u64 rate;
	u64 target;
	u32 alpha;
	u32 time_steps;
	u32 byte_steps;
	u64 bytes;
	u64 timer_ns;
	u64 alpha_ns;
	u64 cut_ns;
};

void model_dcqcn_notify(struct model_dcqcn *cc,
			const struct model_dcqcn_params *p, u64 now_ns);
void model_dcqcn_elapse(struct model_dcqcn *cc,
			const struct model_dcqcn_params *p, u64 now_ns);
void model_dcqcn_sent(struct model_dcqcn *cc,
		      const struct model_dcqcn_params *p, u32 bytes);

#endif /* MODEL_DCQCN_H */
