/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Chaos: what a device that has gone mad writes to host memory. For tests of
 * drivers; without a rate nothing is touched. Events are made up beside the true
 * ones, since nobody could go on without those. Knows the layouts of entries, and
 * must not know rings, objects or what a driver makes of it.
 *
 *   {"cmd":"chaos", "what":"cqe,eqe", "rate":50, "seed":7}
 *	what: "cqe", "eqe", "reply", "body", "stats", "wqe", any of them; rate: of a
 *	thousand; a target that is not named is left alone. No "what": none is
 *	touched.
 *   section "chaos" of "stats": how many of each were spoilt
 */
#ifndef MODEL_CHAOS_H
#define MODEL_CHAOS_H

#include <linux/types.h>
#include <stdbool.h>

#include "base/control.h"
#include "xrdma_hw.h"

/**
 * enum model_chaos_target - what may be spoilt
 * @MODEL_CHAOS_CQE: completions
 * @MODEL_CHAOS_EQE: events
 * @MODEL_CHAOS_REPLY: replies to commands, also such that never come
 * @MODEL_CHAOS_BODY: what replies say, but not of which command nor its status
 * @MODEL_CHAOS_STATS: values of counters
 * @MODEL_CHAOS_WQE: send entries in the ring of the host, when they complete
 * @MODEL_CHAOS_TARGETS: number of targets
 */
enum model_chaos_target {
	MODEL_CHAOS_CQE,
	MODEL_CHAOS_EQE,
	MODEL_CHAOS_REPLY,
	MODEL_CHAOS_BODY,
	MODEL_CHAOS_STATS,
	MODEL_CHAOS_WQE,
	MODEL_CHAOS_TARGETS,
};

/**
 * struct model_chaos - state of the madness
 * @rng: of the generator; 0 before the first use
 * @rate: of a thousand, by target
 * @done: how many were spoilt, by target
 */
struct model_chaos {
	u64 rng;
	u32 rate[MODEL_CHAOS_TARGETS];
	u64 done[MODEL_CHAOS_TARGETS];
};

unsigned int model_chaos_cqe(struct model_chaos *chaos, struct xrdma_cqe *cqe);
bool model_chaos_eqe(struct model_chaos *chaos, struct xrdma_eqe *eqe);
unsigned int model_chaos_reply(struct model_chaos *chaos,
			       struct xrdma_rsp *rsp);
bool model_chaos_wqe(struct model_chaos *chaos, void *wqe, size_t len);
void model_chaos_stats(struct model_chaos *chaos, __le64 *values, u32 count);
int model_chaos_add_control(struct model_chaos *chaos,
			    struct model_control *control);

#endif /* MODEL_CHAOS_H */
