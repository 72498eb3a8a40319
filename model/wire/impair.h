/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Impairments of the wire: loss, duplication, reordering, corruption with and
 * without a right ICRC, ECN marks, delay. Each frame passes one of these on
 * its way; the same seed and the same frames give the same fate.
 *
 * Owns the frames it holds back. Knows nothing of where frames go.
 */
#ifndef MODEL_IMPAIR_H
#define MODEL_IMPAIR_H

#include <linux/types.h>

#include "wire/frame.h"

/* A frame that is reordered is overtaken by 1 to this many others ... */
#define MODEL_IMPAIR_OVERTAKE	8
/* ... but waits no longer than this for them. */
#define MODEL_IMPAIR_HOLD_NS	1000000
/* Frames held back at once; more are lost, as in a switch that is full. */
#define MODEL_IMPAIR_MAX_HELD	512

/*
 * Kinds of impairment that have a probability: symbol, name of users. They are
 * decided in this order, and loss ends it.
 */
#define MODEL_IMPAIRMENTS(X)				\
	X(LOSS, "loss")					\
	X(CORRUPT, "corrupt")				\
	X(CORRUPT_ICRC_OK, "corrupt-icrc-ok")		\
	X(ECN, "ecn")					\
	X(DUP, "dup")					\
	X(REORDER, "reorder")

#define MODEL_IMPAIR_ENUM(symbol, name) MODEL_IMPAIR_##symbol,

/** enum model_impairment - one per line of MODEL_IMPAIRMENTS */
enum model_impairment {
	MODEL_IMPAIRMENTS(MODEL_IMPAIR_ENUM)
	MODEL_IMPAIR_NUM
};

/**
 * struct model_impair - impairments of one direction; all zero is none
 * @threshold: probability of each kind, in 2^-32
 * @delay_ns: by which every frame is late
 * @rng: state of the generator; 0 is replaced
 * @on: something is set
 * @delayed: frames on their way, in order
 * @held: frames to be overtaken
 * @count: how often each kind struck
 * @overflows: frames lost for want of room in @delayed
 */
struct model_impair {
	u64 threshold[MODEL_IMPAIR_NUM];
	u64 delay_ns;
	u64 rng;
	bool on;
	struct model_frameq delayed;
	struct model_frameq held;
	u64 count[MODEL_IMPAIR_NUM];
	u64 overflows;
};

int model_impair_parse(struct model_impair *imp, const char *spec);
const char *model_impair_name(enum model_impairment kind);
void model_impair_frame(struct model_impair *imp,
			struct model_frame_pool *pool,
			struct model_frame *frame, u64 now_ns,
			struct model_frameq *out);
void model_impair_due(struct model_impair *imp, u64 now_ns,
		      struct model_frameq *out);
u64 model_impair_next_ns(const struct model_impair *imp);
void model_impair_flush(struct model_impair *imp,
			struct model_frame_pool *pool);

#endif /* MODEL_IMPAIR_H */
