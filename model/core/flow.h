/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Flow rules: objects, their order, and the match of a rule with a frame that
 * is not RoCE. The fields of a frame are parsed in packet/flow_fields.c;
 * transport/eth.c delivers frames.
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
 * @rule: value and mask of the fields
 * @number: number of the rule
 * @priority: a rule of a lower number is matched first
 * @copy: later rules may match the frame too
 * @qp: queue pair that receives the frames; NULL: @rss receives them
 * @rss: RSS object that receives the frames, if @qp is NULL
 * @link: link of model_flows.order
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
 * @rules: rules by number
 * @order: rules in the order of matching: by priority, the oldest first
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
