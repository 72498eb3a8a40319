/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copies of request packets that have arrived before an earlier one, which may
 * have been lost. responder.c decides which packets are kept, and executes them
 * when the earlier one has arrived. parked.h has the packets that wait for a
 * page.
 */
#ifndef MODEL_EARLY_H
#define MODEL_EARLY_H

#include <linux/types.h>
#include <stdbool.h>

#include "transport/parked.h"

/*
 * Largest distance of the PSN of an early packet from the expected PSN: the
 * window of the requester.
 */
#define MODEL_EARLY_MAX		2048

/**
 * struct model_early - early packets of a queue pair
 * @pkts: the packets, in the order of their PSNs, which all differ
 */
struct model_early {
	struct model_parked_pkts pkts;
};

void model_early_init(struct model_qp *qp);
bool model_early_keep(struct model_qp *qp, const struct model_pkt *pkt);
struct model_parked_pkt *model_early_take(struct model_qp *qp, u32 psn);
bool model_early_any(const struct model_qp *qp);
void model_early_clear(struct model_qp *qp);

#endif /* MODEL_EARLY_H */
