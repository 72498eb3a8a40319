// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets held back on request of a test. wire/wire_control.c has the commands,
 * wire/wire.c delivers the packets.
 */
#include <errno.h>

#include "packet/net.h"
#include "wire/hold.h"

/* Return: destination QPN of the packet; -1 if the frame is not RoCEv2. */
static s64 dqpn_of(const struct model_frame *frame)
{
	struct model_net net;
	const u8 *bth;

	if (model_net_parse(&net, frame->data, frame->len) != MODEL_RX_OK)
		return -1;
	bth = frame->data + net.bth;
	return bth[5] << 16 | bth[6] << 8 | bth[7];
}

static struct model_hold_rule *find(struct model_hold *hold, s64 qpn)
{
	u32 i;

	for (i = 0; i < hold->num; i++)
		if (hold->rules[i].qpn == qpn ||
		    hold->rules[i].qpn == MODEL_HOLD_ALL)
			return &hold->rules[i];
	return NULL;
}

/**
 * model_hold_begin() - add a rule, which holds packets from now on
 * @hold: rules and held packets
 * @qpn: destination of the packets, or MODEL_HOLD_ALL
 * @after: number of packets to deliver before packets are held
 *
 * Return: 0, -EEXIST if a rule for one of these packets exists, -ENOSPC.
 */
int model_hold_begin(struct model_hold *hold, u32 qpn, u32 after)
{
	if (find(hold, qpn) || (qpn == MODEL_HOLD_ALL && hold->num))
		return -EEXIST;
	if (hold->num == MODEL_HOLD_RULES)
		return -ENOSPC;
	hold->rules[hold->num++] = (struct model_hold_rule) {
		.qpn = qpn,
		.after = after,
	};
	return 0;
}

/**
 * model_hold_end() - remove a rule and release its packets
 * @hold: rules and held packets
 * @qpn: @qpn of model_hold_begin(); MODEL_HOLD_ALL removes all rules
 * @arrived: packets that arrived later; released packets are inserted before
 *	them
 *
 * Return: number of packets released.
 */
u32 model_hold_end(struct model_hold *hold, u32 qpn,
		   struct model_frameq *arrived)
{
	struct model_frameq first = { 0 }, rest = { 0 };
	struct model_hold_rule *rule = find(hold, qpn);
	struct model_frame *frame;
	u32 count;

	if (qpn == MODEL_HOLD_ALL)
		hold->num = 0;
	else if (rule && rule->qpn == qpn)
		*rule = hold->rules[--hold->num];
	while ((frame = model_frameq_pop(&hold->frames)) != NULL)
		model_frameq_push(find(hold, dqpn_of(frame)) ? &rest : &first,
				  frame);
	count = first.count;
	while ((frame = model_frameq_pop(arrived)) != NULL)
		model_frameq_push(&first, frame);
	*arrived = first;
	hold->frames = rest;
	return count;
}

/**
 * model_hold_frame() - hold an arrived frame if a rule selects it
 * @hold: rules and held packets
 * @pool: pool of the frame
 * @frame: the frame
 *
 * Return: true if the frame is held or lost; the caller no longer owns it then.
 */
bool model_hold_frame(struct model_hold *hold, struct model_frame_pool *pool,
		      struct model_frame *frame)
{
	struct model_hold_rule *rule;
	s64 qpn;

	if (!hold->num)
		return false;
	qpn = dqpn_of(frame);
	rule = qpn < 0 ? NULL : find(hold, qpn);
	if (!rule)
		return false;
	if (rule->after) {
		rule->after--;
		return false;
	}
	if (hold->frames.count < MODEL_HOLD_FRAMES) {
		model_frameq_push(&hold->frames, frame);
	} else {
		hold->lost++;
		model_frame_put(pool, frame);
	}
	return true;
}
