/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packets held back on request, so that a test can do something while they are
 * in flight. Whatever came for a queue pair comes to it in the same order
 * later. Knows of a packet for which queue pair it is, and no more.
 */
#ifndef XRDMA_MODEL_HOLD_H
#define XRDMA_MODEL_HOLD_H

#include <linux/types.h>
#include <stdbool.h>

#include "wire/frame.h"

/* Rules at once. */
#define XRDMA_HOLD_RULES	16
/* Frames held at most; others are lost, as on a wire. */
#define XRDMA_HOLD_FRAMES	1024
/* Instead of a queue pair: every one. */
#define XRDMA_HOLD_ALL		0xffffffffU

/**
 * struct xrdma_hold_rule - packets of this queue pair are held
 * @qpn: its number, or XRDMA_HOLD_ALL
 * @after: so many of them are let through first
 */
struct xrdma_hold_rule {
	u32 qpn;
	u32 after;
};

/**
 * struct xrdma_hold - what is held
 * @rules: which packets
 * @num: number of @rules
 * @frames: those held, the oldest first
 * @lost: packets that were too many
 */
struct xrdma_hold {
	struct xrdma_hold_rule rules[XRDMA_HOLD_RULES];
	u32 num;
	struct xrdma_frameq frames;
	u64 lost;
};

int xrdma_hold_begin(struct xrdma_hold *hold, u32 qpn, u32 after);
u32 xrdma_hold_end(struct xrdma_hold *hold, u32 qpn,
		   struct xrdma_frameq *arrived);
bool xrdma_hold_frame(struct xrdma_hold *hold, struct xrdma_frame_pool *pool,
		      struct xrdma_frame *frame);

#endif /* XRDMA_MODEL_HOLD_H */
