/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Impairments of the wire: loss, duplication, reordering, corruption with and
 * without a right ICRC, ECN marks, delay. Each frame passes one of these on
 * its way; the same seed and the same frames give the same fate.
 *
 * Owns the frames it holds back. Knows nothing of where frames go.
 */
#ifndef XRDMA_MODEL_IMPAIR_H
#define XRDMA_MODEL_IMPAIR_H

#include <linux/types.h>

#include "wire/frame.h"

/* A frame that is reordered is overtaken by 1 to this many others ... */
#define XRDMA_IMPAIR_OVERTAKE	8
/* ... but waits no longer than this for them. */
#define XRDMA_IMPAIR_HOLD_NS	1000000
/* Frames held back at once; more are lost, as in a switch that is full. */
#define XRDMA_IMPAIR_MAX_HELD	512

/*
 * Kinds of impairment that have a probability: symbol, name of users. They are
 * decided in this order, and loss ends it.
 */
#define XRDMA_IMPAIRMENTS(X)				\
	X(LOSS, "loss")					\
	X(CORRUPT, "corrupt")				\
	X(CORRUPT_ICRC_OK, "corrupt-icrc-ok")		\
	X(ECN, "ecn")					\
	X(DUP, "dup")					\
	X(REORDER, "reorder")

#define XRDMA_IMPAIR_ENUM(symbol, name) XRDMA_IMPAIR_##symbol,

/** enum xrdma_impairment - one per line of XRDMA_IMPAIRMENTS */
enum xrdma_impairment {
	XRDMA_IMPAIRMENTS(XRDMA_IMPAIR_ENUM)
	XRDMA_IMPAIR_NUM
};

/**
 * struct xrdma_impair - impairments of one direction; all zero is none
 * @threshold: probability of each kind, in 2^-32
 * @delay_ns: by which every frame is late
 * @rng: state of the generator; 0 is replaced
 * @on: something is set
 * @delayed: frames on their way, in order
 * @held: frames to be overtaken
 * @count: how often each kind struck
 * @overflows: frames lost for want of room in @delayed
 */
struct xrdma_impair {
	u64 threshold[XRDMA_IMPAIR_NUM];
	u64 delay_ns;
	u64 rng;
	bool on;
	struct xrdma_frameq delayed;
	struct xrdma_frameq held;
	u64 count[XRDMA_IMPAIR_NUM];
	u64 overflows;
};

int xrdma_impair_parse(struct xrdma_impair *imp, const char *spec);
const char *xrdma_impair_name(enum xrdma_impairment kind);
void xrdma_impair_frame(struct xrdma_impair *imp,
			struct xrdma_frame_pool *pool,
			struct xrdma_frame *frame, u64 now_ns,
			struct xrdma_frameq *out);
void xrdma_impair_due(struct xrdma_impair *imp, u64 now_ns,
		      struct xrdma_frameq *out);
u64 xrdma_impair_next_ns(const struct xrdma_impair *imp);
void xrdma_impair_flush(struct xrdma_impair *imp,
			struct xrdma_frame_pool *pool);

#endif /* XRDMA_MODEL_IMPAIR_H */
