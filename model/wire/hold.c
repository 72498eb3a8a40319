// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets held back on request.
 */
#include <errno.h>

#include "packet/net.h"
#include "wire/hold.h"

/* Destination of the packet in a frame; -1 if it is none. */
static s64 dqpn_of(const struct xrdma_frame *frame)
{
	struct xrdma_net net;
	const u8 *bth;

	if (xrdma_net_parse(&net, frame->data, frame->len) != XRDMA_RX_OK)
		return -1;
	bth = frame->data + net.bth;
	return bth[5] << 16 | bth[6] << 8 | bth[7];
}

static struct xrdma_hold_rule *find(struct xrdma_hold *hold, s64 qpn)
{
	u32 i;

	for (i = 0; i < hold->num; i++)
		if (hold->rules[i].qpn == qpn ||
		    hold->rules[i].qpn == XRDMA_HOLD_ALL)
			return &hold->rules[i];
	return NULL;
}

/**
 * xrdma_hold_begin() - hold packets from now on
 * @hold: what is held
 * @qpn: queue pair for which they are, or XRDMA_HOLD_ALL
 * @after: let so many of them through first
 *
 * Return: 0, -EEXIST if they are held already, -ENOSPC.
 */
int xrdma_hold_begin(struct xrdma_hold *hold, u32 qpn, u32 after)
{
	if (find(hold, qpn) || (qpn == XRDMA_HOLD_ALL && hold->num))
		return -EEXIST;
	if (hold->num == XRDMA_HOLD_RULES)
		return -ENOSPC;
	hold->rules[hold->num++] = (struct xrdma_hold_rule) {
		.qpn = qpn,
		.after = after,
	};
	return 0;
}

/**
 * xrdma_hold_end() - let go
 * @hold: what is held
 * @qpn: as it was held; XRDMA_HOLD_ALL: everything
 * @arrived: packets that came later; those let go are put before them
 *
 * Return: packets let go.
 */
u32 xrdma_hold_end(struct xrdma_hold *hold, u32 qpn,
		   struct xrdma_frameq *arrived)
{
	struct xrdma_frameq first = { 0 }, rest = { 0 };
	struct xrdma_hold_rule *rule = find(hold, qpn);
	struct xrdma_frame *frame;
	u32 count;

	if (qpn == XRDMA_HOLD_ALL)
		hold->num = 0;
	else if (rule && rule->qpn == qpn)
		*rule = hold->rules[--hold->num];
	while ((frame = xrdma_frameq_pop(&hold->frames)) != NULL)
		xrdma_frameq_push(find(hold, dqpn_of(frame)) ? &rest : &first,
				  frame);
	count = first.count;
	while ((frame = xrdma_frameq_pop(arrived)) != NULL)
		xrdma_frameq_push(&first, frame);
	*arrived = first;
	hold->frames = rest;
	return count;
}

/**
 * xrdma_hold_frame() - a frame has arrived
 * @hold: what is held
 * @pool: where the frame came from
 * @frame: the frame
 *
 * Return: true if it is held, or lost, and no longer the caller's.
 */
bool xrdma_hold_frame(struct xrdma_hold *hold, struct xrdma_frame_pool *pool,
		      struct xrdma_frame *frame)
{
	struct xrdma_hold_rule *rule;
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
	if (hold->frames.count < XRDMA_HOLD_FRAMES) {
		xrdma_frameq_push(&hold->frames, frame);
	} else {
		hold->lost++;
		xrdma_frame_put(pool, frame);
	}
	return true;
}
