/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packets held back on request, so that a test can do something while they are
 * in flight. Whatever came for a queue pair comes to it in the same order
 * later. Knows of a packet for which queue pair it is, and no more.
 */
#ifndef MODEL_HOLD_H
#define MODEL_HOLD_H

#include <linux/types.h>
#include <stdbool.h>

#include "wire/frame.h"

/* Rules at once. */
#define MODEL_HOLD_RULES	16
/* Frames held at most; others are lost, as on a wire. */
#define MODEL_HOLD_FRAMES	1024
/* Instead of a queue pair: every one. */
#define MODEL_HOLD_ALL		0xffffffffU

/**
 * struct model_hold_rule - packets of this queue pair are held
 * @qpn: its number, or MODEL_HOLD_ALL
 * @after: so many of them are let through first
 */
struct model_hold_rule {
	u32 qpn;
	u32 after;
};

/**
 * struct model_hold - what is held
 * @rules: which packets
 * @num: number of @rules
 * @frames: those held, the oldest first
 * @lost: packets that were too many
 */
struct model_hold {
	struct model_hold_rule rules[MODEL_HOLD_RULES];
	u32 num;
	struct model_frameq frames;
	u64 lost;
};

int model_hold_begin(struct model_hold *hold, u32 qpn, u32 after);
u32 model_hold_end(struct model_hold *hold, u32 qpn,
		   struct model_frameq *arrived);
bool model_hold_frame(struct model_hold *hold, struct model_frame_pool *pool,
		      struct model_frame *frame);

#endif /* MODEL_HOLD_H */
