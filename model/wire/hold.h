/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packets held back on request of a test, so that the test can act while the
 * packets are in flight. Released packets reach a queue pair in the order in
 * which they arrived. Random losses and delays are in wire/impair.c.
 */
#ifndef MODEL_HOLD_H
#define MODEL_HOLD_H

#include <linux/types.h>
#include <stdbool.h>

#include "wire/frame.h"

/* Largest number of rules. */
#define MODEL_HOLD_RULES	16
/* Largest number of held frames; further frames are lost, as on a wire. */
#define MODEL_HOLD_FRAMES	1024
/* Instead of a queue pair number: all queue pairs. */
#define MODEL_HOLD_ALL		0xffffffffU

/**
 * struct model_hold_rule - hold the packets to a queue pair
 * @qpn: number of the queue pair, or MODEL_HOLD_ALL
 * @after: number of packets to deliver before packets are held
 */
struct model_hold_rule {
	u32 qpn;
	u32 after;
};

/**
 * struct model_hold - rules for holding packets, and the held packets
 * @rules: rules that select the packets
 * @num: number of entries in @rules
 * @frames: held packets, the oldest first
 * @lost: number of packets lost because @frames had MODEL_HOLD_FRAMES packets
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
