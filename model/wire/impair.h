/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Impairments of the wire: loss, duplication, reordering, corruption with and
 * without a correct ICRC, ECN marks, delay. The impairments of a sequence of
 * frames depend only on the seed and the probabilities, so a test can repeat
 * them.
 *
 * struct model_impair owns the frames that it delays. wire/wire.c passes frames
 * to it and routes the frames that leave it.
 */
#ifndef MODEL_IMPAIR_H
#define MODEL_IMPAIR_H

#include <linux/types.h>

#include "base/why.h"
#include "wire/frame.h"

/*
 * Largest number of frames that overtake a reordered frame; the smallest is 1
 */
#define MODEL_IMPAIR_OVERTAKE	8
/* Longest wait of a reordered frame for these frames, in nanoseconds */
#define MODEL_IMPAIR_HOLD_NS	1000000
/* Largest number of delayed and reordered frames; further frames are lost */
#define MODEL_IMPAIR_MAX_HELD	2048

/*
 * Kinds of impairment that have a probability: symbol, name in a specification
 * and in "stats". model_impair_frame() decides in this order; a lost frame gets
 * no further impairment.
 */
#define MODEL_IMPAIRMENTS(X)				\
	X(LOSS, "loss")					\
	X(CORRUPT, "corrupt")				\
	X(CORRUPT_ICRC_OK, "corrupt-icrc-ok")		\
	X(ECN, "ecn")					\
	X(DUP, "dup")					\
	X(REORDER, "reorder")

#define MODEL_IMPAIR_ENUM(symbol, name) MODEL_IMPAIR_##symbol,

/** enum model_impairment - one value per line of MODEL_IMPAIRMENTS */
enum model_impairment {
	MODEL_IMPAIRMENTS(MODEL_IMPAIR_ENUM)
	MODEL_IMPAIR_NUM
};

/**
 * struct model_impair - impairments of one direction; all zero for no
 * impairments
 * @threshold: probability of each kind, in units of 2^-32
 * @delay_ns: delay of every frame, in nanoseconds
 * @rng: state of model_prng()
 * @on: @delay_ns or a probability is not 0
 * @delayed: delayed frames, in the order in which they leave
 * @held: frames that others are to overtake
 * @count: number of times each kind was applied
 * @overflows: number of frames lost because @delayed and @held had
 *	MODEL_IMPAIR_MAX_HELD frames
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

int model_impair_parse(struct model_impair *imp, const char *spec,
		       struct model_why *why);
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
