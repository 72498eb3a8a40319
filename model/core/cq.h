/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Completion queues. Owns rings, phases, arming and overflow; must not know
 * what a completion means.
 */
#ifndef MODEL_CQ_H
#define MODEL_CQ_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "base/loop.h"
#include "core/xlat.h"
#include "xrdma_hw.h"

struct model_device;
struct model_eq;

#define MODEL_MAX_CQ			65536
#define MODEL_CQ_LOG_MAX		16

/**
 * struct model_cq - completion queue
 * @dev: the device
 * @ring: its entries
 * @rec: its struct xrdma_cq_rec
 * @eq: where its events go
 * @cqn: number
 * @pi: entries written, modulo 2^32
 * @ci: entries that the host was last seen to have consumed
 * @fired: arm word of the record for which an event was last raised
 * @users: send and receive queues attached
 * @log_depth: log2 of the entries
 * @count: moderation: an event waits for as many entries; 0 and 1: for none
 * @period_us: moderation: an event waits so long; 0: for ever
 * @held: entries whose event waits
 * @timer: ends the wait
 * @dead: it overflowed or was out of reach: no entry is written any more
 * @event_pending: it is on model_eq.pending
 * @pending: its place there
 */
struct model_cq {
	struct model_device *dev;
	struct model_mem ring;
	struct model_mem rec;
	struct model_eq *eq;
	u32 cqn;
	u32 pi;
	u32 ci;
	u32 fired;
	u32 users;
	u8 log_depth;
	u16 count;
	u16 period_us;
	u32 held;
	struct model_timer timer;
	bool dead;
	bool event_pending;
	TAILQ_ENTRY(model_cq) pending;
};

enum xrdma_cmd_status model_cq_create(struct model_device *dev,
				      const struct xrdma_cmd_create_cq *p);
enum xrdma_cmd_status model_cq_resize(struct model_device *dev,
				      const struct xrdma_cmd_create_cq *p,
				      u32 *index);
enum xrdma_cmd_status model_cq_modify(struct model_device *dev,
				      const struct xrdma_cmd_modify_cq *p);
enum xrdma_cmd_status model_cq_destroy(struct model_device *dev, u32 cqn);
int model_cq_push(struct model_device *dev, struct model_cq *cq,
		  const struct xrdma_cqe *tmpl);
void model_cqs_reset(struct model_device *dev);

#endif /* MODEL_CQ_H */
