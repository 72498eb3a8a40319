/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Flow rules: what a frame that is not RoCE looks like, and which rules match
 * it, in which order. Must not know how frames travel or are delivered.
 */
#ifndef MODEL_FLOW_H
#define MODEL_FLOW_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "xrdma_hw.h"

struct model_device;
struct model_qp;
struct model_rss;

#define MODEL_MAX_FLOWS		1024

/**
 * struct model_flow - flow rule
 * @rule: value and mask
 * @number: number
 * @priority: the lowest wins
 * @copy: the frame goes on
 * @qp: who gets it; NULL: @rss
 * @rss: who gets it
 * @link: its place in the order of rules
 */
struct model_flow {
	struct xrdma_flow_rule rule;
	u32 number;
	u16 priority;
	bool copy;
	struct model_qp *qp;
	struct model_rss *rss;
	TAILQ_ENTRY(model_flow) link;
};

TAILQ_HEAD(model_flow_list, model_flow);

/**
 * struct model_flows - all rules
 * @rules: by number
 * @order: by priority, then by age
 */
struct model_flows {
	struct model_flow *rules[MODEL_MAX_FLOWS];
	struct model_flow_list order;
};

enum xrdma_cmd_status
model_flow_create(struct model_device *dev,
		  const struct xrdma_cmd_create_flow *p);
enum xrdma_cmd_status model_flow_destroy(struct model_device *dev, u32 number);
bool model_flow_matches(const struct model_flow *flow,
			const struct xrdma_flow_fields *fields);
void model_flows_init(struct model_device *dev);
void model_flows_reset(struct model_device *dev);

#endif /* MODEL_FLOW_H */
