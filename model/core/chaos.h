/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Chaos: random corruption of what the device writes to host memory, for tests
 * of drivers. At a rate of 0, nothing is corrupted. A false event is written in
 * addition to the true event, since a driver cannot continue without the true
 * event. cq.c, event.c, cmdq.c, counter.c and completion.c call these functions
 * before they write to host memory.
 *
 *   {"cmd":"chaos", "what":"cqe,eqe", "rate":50, "seed":7}
 *	what: list of "cqe", "eqe", "reply", "body", "stats", "wqe"; rate:
 *	number of corrupted entries per thousand. Targets that are not named
 *	are not corrupted; without "what" no target is.
 *   section "chaos" of "stats": number of corrupted entries of each target
 */
#ifndef MODEL_CHAOS_H
#define MODEL_CHAOS_H

#include <linux/types.h>
#include <stdbool.h>

#include "base/control.h"
#include "xrdma_hw.h"

/**
 * enum model_chaos_target - kind of memory that is corrupted
 * @MODEL_CHAOS_CQE: completions
 * @MODEL_CHAOS_EQE: events
 * @MODEL_CHAOS_REPLY: replies to commands: corrupted, dropped or written twice
 * @MODEL_CHAOS_BODY: bodies of replies, without opcode, ID and status
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
 * struct model_chaos - state of the corruption
 * @rng: state of model_prng()
 * @rate: number of corrupted entries per thousand, by target
 * @done: number of corrupted entries, by target
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
