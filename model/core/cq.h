/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Completion queues: rings, phases, arming, moderation and overflow. The
 * contents of completions are in core/completion.c, completion events in
 * core/event.c.
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
struct model_qp;
struct model_srq;

#define MODEL_MAX_CQ			65536
#define MODEL_CQ_LOG_MAX		22

/**
 * struct model_late_cqe - completion that is not written yet; see late.h
 * @link: link of model_cq.late
 * @due_ns: time at which it is written
 * @cqe: the entry, without phase; timestamp 0: the time of the write
 */
struct model_late_cqe {
	TAILQ_ENTRY(model_late_cqe) link;
	u64 due_ns;
	struct xrdma_cqe cqe;
};

TAILQ_HEAD(model_late_cqes, model_late_cqe);
TAILQ_HEAD(model_cq_qps, model_qp);
TAILQ_HEAD(model_cq_srqs, model_srq);

/**
 * struct model_cq - completion queue
 * @dev: the device
 * @ring: entries of the queue
 * @rec: struct xrdma_cq_rec of the queue
 * @eq: event queue for the events of the queue
 * @cqn: number of the queue
 * @db_page: number of the doorbell page that may arm the queue
 * @pi: number of entries written, modulo 2^32
 * @ci: consumer index of the host, as last read from the record
 * @arm: without shadow doorbells: arm word that the last doorbell made
 * @fired: arm word for which an event was last raised
 * @urgent: index after the last entry that is solicited or failed
 * @senders: queue pairs whose sends complete in the queue
 * @receivers: queue pairs whose receives complete in the queue
 * @srqs: XRC SRQs whose receives complete in the queue
 * @log_depth: log2 of the number of entries
 * @count: moderation: number of entries for which an event waits; 0 and 1: no
 *	wait
 * @period_us: moderation: longest wait of an event, in microseconds; 0: no
 *	limit
 * @held: number of entries whose event waits
 * @timer: fires when @period_us is over
 * @dead: the queue overflowed or is out of reach; no more entries are written
 * @failed_link: link of model_device.failed_cqs
 * @event_pending: the queue is on model_eq.pending
 * @pending: link of model_eq.pending
 * @late: completions that wait, because a fault of inject.h delays them
 * @num_late: number of entries in @late
 * @late_timer: fires when the first entry of @late is due
 */
struct model_cq {
	struct model_device *dev;
	struct model_mem ring;
	struct model_mem rec;
	struct model_eq *eq;
	u32 cqn;
	u32 db_page;
	u32 pi;
	u32 ci;
	u32 arm;
	u32 fired;
	u32 urgent;
	struct model_cq_qps senders;
	struct model_cq_qps receivers;
	struct model_cq_srqs srqs;
	u8 log_depth;
	u16 count;
	u16 period_us;
	u32 held;
	struct model_timer timer;
	bool dead;
	STAILQ_ENTRY(model_cq) failed_link;
	bool event_pending;
	struct model_late_cqes late;
	u32 num_late;
	struct model_timer late_timer;
	TAILQ_ENTRY(model_cq) pending;
};

STAILQ_HEAD(model_cq_failed_list, model_cq);

enum xrdma_cmd_status model_cq_create(struct model_device *dev,
				      const struct xrdma_cmd_create_cq *p);
enum xrdma_cmd_status model_cq_resize(struct model_device *dev,
				      const struct xrdma_cmd_create_cq *p,
				      u32 *index);
enum xrdma_cmd_status model_cq_modify(struct model_device *dev,
				      const struct xrdma_cmd_modify_cq *p);
enum xrdma_cmd_status model_cq_destroy(struct model_device *dev, u32 cqn);
bool model_cq_arm(struct model_device *dev, struct model_cq *cq, u32 type,
		  u32 index);
int model_cq_push(struct model_device *dev, struct model_cq *cq,
		  const struct xrdma_cqe *tmpl);
void model_cqs_reset(struct model_device *dev);

#endif /* MODEL_CQ_H */
