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
#ifndef XRDMA_MODEL_CHAOS_H
#define XRDMA_MODEL_CHAOS_H

#include <linux/types.h>
#include <stdbool.h>

#include "base/control.h"
#include "xrdma_hw.h"

/**
 * enum xrdma_chaos_target - what may be spoilt
 * @XRDMA_CHAOS_CQE: completions
 * @XRDMA_CHAOS_EQE: events
 * @XRDMA_CHAOS_REPLY: replies to commands, also such that never come
 * @XRDMA_CHAOS_BODY: what replies say, but not of which command nor its status
 * @XRDMA_CHAOS_STATS: values of counters
 * @XRDMA_CHAOS_WQE: send entries in the ring of the host, when they complete
 * @XRDMA_CHAOS_TARGETS: number of targets
 */
enum xrdma_chaos_target {
	XRDMA_CHAOS_CQE,
	XRDMA_CHAOS_EQE,
	XRDMA_CHAOS_REPLY,
	XRDMA_CHAOS_BODY,
	XRDMA_CHAOS_STATS,
	XRDMA_CHAOS_WQE,
	XRDMA_CHAOS_TARGETS,
};

/**
 * struct xrdma_chaos - state of the madness
 * @rng: of the generator; 0 before the first use
 * @rate: of a thousand, by target
 * @done: how many were spoilt, by target
 */
struct xrdma_chaos {
	u64 rng;
	u32 rate[XRDMA_CHAOS_TARGETS];
	u64 done[XRDMA_CHAOS_TARGETS];
};

unsigned int xrdma_chaos_cqe(struct xrdma_chaos *chaos, struct xrdma_cqe *cqe);
bool xrdma_chaos_eqe(struct xrdma_chaos *chaos, struct xrdma_eqe *eqe);
unsigned int xrdma_chaos_reply(struct xrdma_chaos *chaos,
			       struct xrdma_rsp *rsp);
bool xrdma_chaos_wqe(struct xrdma_chaos *chaos, void *wqe, size_t len);
void xrdma_chaos_stats(struct xrdma_chaos *chaos, __le64 *values, u32 count);
int xrdma_chaos_add_control(struct xrdma_chaos *chaos,
			    struct xrdma_control *control);

#endif /* XRDMA_MODEL_CHAOS_H */
