// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Flow rules: CREATE_FLOW, DESTROY_FLOW, and the match of a rule.
 * packet/flow_fields.c parses frames, transport/eth.c applies the rules.
 */
#include <stdlib.h>
#include <string.h>

#include "core/device.h"
#include "core/flow.h"
#include "core/rss.h"

#define RULE_ALIGN	64

/* Number of 64-bit words in the fields of a rule; all words must match. */
#define FIELD_WORDS	(sizeof(struct xrdma_flow_fields) / sizeof(u64))

static bool fields_ok(const struct xrdma_flow_fields *f)
{
	static const u8 zero[sizeof(f->reserved2)];

	return !f->reserved && !memcmp(f->reserved2, zero, sizeof(zero)) &&
	       !(be32_to_cpu(f->flow_label) >> 20);
}

static bool rule_ok(const struct xrdma_flow_rule *rule)
{
	const u8 *value = (const u8 *)&rule->value;
	const u8 *mask = (const u8 *)&rule->mask;
	size_t i;

	for (i = 0; i < sizeof(rule->value); i++)
		if (value[i] & ~mask[i])
			return false;
	return fields_ok(&rule->mask);
}

static enum xrdma_cmd_status read_rule(struct model_device *dev, u64 addr,
				       struct xrdma_flow_rule *rule)
{
	if (addr % RULE_ALIGN)
		return XRDMA_CMD_BAD_PARAM;
	if (model_dma_read(dev->params.dma, addr, rule, sizeof(*rule))) {
		model_dma_failed(dev, addr, sizeof(*rule), false);
		return XRDMA_CMD_BAD_DMA;
	}
	model_dev_pcie(dev, MODEL_PCIE_COMMAND, false, sizeof(*rule));
	return rule_ok(rule) ? XRDMA_CMD_OK : XRDMA_CMD_BAD_PARAM;
}

static enum xrdma_cmd_status find_target(struct model_device *dev, u32 qpn,
					 struct model_flow *flow)
{
	flow->qp = model_qp_get(dev, qpn);
	flow->rss = model_rss_get(dev, qpn);
	if (!flow->qp && !flow->rss)
		return XRDMA_CMD_BAD_NUMBER;
	if (flow->qp && flow->qp->type != XRDMA_QP_RAW)
		return XRDMA_CMD_BAD_PARAM;
	return XRDMA_CMD_OK;
}

static enum xrdma_cmd_status fill(struct model_device *dev,
				  const struct xrdma_cmd_create_flow *p,
				  struct model_flow *flow)
{
	enum xrdma_cmd_status status;

	if (le16_to_cpu(p->flags) & ~XRDMA_FLOW_COPY)
		return XRDMA_CMD_BAD_PARAM;
	flow->number = le32_to_cpu(p->flow);
	flow->priority = le16_to_cpu(p->priority);
	flow->copy = le16_to_cpu(p->flags) & XRDMA_FLOW_COPY;
	status = find_target(dev, le32_to_cpu(p->qpn), flow);
	if (status)
		return status;
	return read_rule(dev, le64_to_cpu(p->addr), &flow->rule);
}

/* Insert after all rules whose priority has the same or a lower number. */
static void insert(struct model_flows *flows, struct model_flow *flow)
{
	struct model_flow *at;

	TAILQ_FOREACH(at, &flows->order, link)
		if (at->priority > flow->priority)
			break;
	if (at)
		TAILQ_INSERT_BEFORE(at, flow, link);
	else
		TAILQ_INSERT_TAIL(&flows->order, flow, link);
	flows->rules[flow->number] = flow;
}

/*
 * Count the rule in its target, so that the target cannot be destroyed before.
 */
static void use_target(const struct model_flow *flow, int n)
{
	if (flow->qp)
		flow->qp->steer_users += n;
	else
		flow->rss->users += n;
}

/**
 * model_flow_create - CREATE_FLOW
 * @dev: the device
 * @p: body of the command
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status
model_flow_create(struct model_device *dev,
		  const struct xrdma_cmd_create_flow *p)
{
	u32 number = le32_to_cpu(p->flow);
	enum xrdma_cmd_status status;
	struct model_flow *flow;

	if (number >= MODEL_MAX_FLOWS || dev->flows.rules[number])
		return XRDMA_CMD_BAD_NUMBER;
	flow = calloc(1, sizeof(*flow));
	if (!flow)
		return XRDMA_CMD_NO_RESOURCE;
	status = fill(dev, p, flow);
	if (status) {
		free(flow);
		return status;
	}
	insert(&dev->flows, flow);
	use_target(flow, 1);
	return XRDMA_CMD_OK;
}

/**
 * model_flow_destroy - DESTROY_FLOW
 * @dev: the device
 * @number: number of the rule
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_flow_destroy(struct model_device *dev, u32 number)
{
	struct model_flow *flow = number < MODEL_MAX_FLOWS ?
				  dev->flows.rules[number] : NULL;

	if (!flow)
		return XRDMA_CMD_BAD_NUMBER;
	use_target(flow, -1);
	TAILQ_REMOVE(&dev->flows.order, flow, link);
	dev->flows.rules[number] = NULL;
	free(flow);
	return XRDMA_CMD_OK;
}

/**
 * model_flow_matches - check whether a rule matches a frame
 * @flow: the rule
 * @fields: fields of the frame
 *
 * Return: true if all bits of the mask are equal in value and frame.
 */
bool model_flow_matches(const struct model_flow *flow,
			const struct xrdma_flow_fields *fields)
{
	u64 value[FIELD_WORDS], mask[FIELD_WORDS], frame[FIELD_WORDS];
	size_t i;

	memcpy(value, &flow->rule.value, sizeof(value));
	memcpy(mask, &flow->rule.mask, sizeof(mask));
	memcpy(frame, fields, sizeof(frame));
	for (i = 0; i < FIELD_WORDS; i++)
		if ((frame[i] & mask[i]) != value[i])
			return false;
	return true;
}

/**
 * model_flows_init - initialize the list of rules
 * @dev: the device
 */
void model_flows_init(struct model_device *dev)
{
	TAILQ_INIT(&dev->flows.order);
}

/**
 * model_flows_reset - destroy all rules
 * @dev: the device; its queue pairs and RSS objects still exist
 */
void model_flows_reset(struct model_device *dev)
{
	struct model_flow *flow;

	while ((flow = TAILQ_FIRST(&dev->flows.order)) != NULL)
		model_flow_destroy(dev, flow->number);
}
