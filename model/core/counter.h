/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Counter sets: an event of a queue pair is counted for the port, and in the
 * counter set of the queue pair if it has one. The functions that count are in
 * device.h.
 */
#ifndef MODEL_COUNTER_H
#define MODEL_COUNTER_H

#include <linux/types.h>

#include "xrdma_hw.h"

struct model_device;
struct model_qp;

/* Number of counter sets, including number 0, the counters of the port */
#define MODEL_MAX_COUNTERS	256

/**
 * struct model_counter_set - counter set
 * @stats: counters, by enum xrdma_stat
 * @users: number of queue pairs bound to the set
 */
struct model_counter_set {
	u64 stats[XRDMA_NUM_STATS];
	u32 users;
};

enum xrdma_cmd_status
model_counter_bind(struct model_device *dev,
		   const struct xrdma_cmd_bind_counter *p);
enum xrdma_cmd_status
model_counter_query(struct model_device *dev,
		    const struct xrdma_cmd_query_stats *p);
void model_counter_unbind(struct model_qp *qp);

#endif /* MODEL_COUNTER_H */
