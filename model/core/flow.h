/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Flow rules: what a frame that is not RoCE looks like, and which rules match
 * it, in which order. Must not know how frames travel or are delivered.
 */
#ifndef XRDMA_MODEL_FLOW_H
#define XRDMA_MODEL_FLOW_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "xrdma_hw.h"

struct xrdma_device;
struct xrdma_qp;
struct xrdma_rss;

#define XRDMA_MAX_FLOWS		1024

/**
 * struct xrdma_flow - flow rule
 * @rule: value and mask
 * @number: number
 * @priority: the lowest wins
 * @copy: the frame goes on
 * @qp: who gets it; NULL: @rss
 * @rss: who gets it
 * @link: its place in the order of rules
 */
struct xrdma_flow {
	struct xrdma_flow_rule rule;
	u32 number;
	u16 priority;
	bool copy;
	struct xrdma_qp *qp;
	struct xrdma_rss *rss;
	TAILQ_ENTRY(xrdma_flow) link;
};

TAILQ_HEAD(xrdma_flow_list, xrdma_flow);

/**
 * struct xrdma_flows - all rules
 * @rules: by number
 * @order: by priority, then by age
 */
struct xrdma_flows {
	struct xrdma_flow *rules[XRDMA_MAX_FLOWS];
	struct xrdma_flow_list order;
};

enum xrdma_cmd_status
xrdma_flow_create(struct xrdma_device *dev,
		  const struct xrdma_cmd_create_flow *p);
enum xrdma_cmd_status xrdma_flow_destroy(struct xrdma_device *dev, u32 number);
bool xrdma_flow_matches(const struct xrdma_flow *flow,
			const struct xrdma_flow_fields *fields);
void xrdma_flows_init(struct xrdma_device *dev);
void xrdma_flows_reset(struct xrdma_device *dev);

#endif /* XRDMA_MODEL_FLOW_H */
