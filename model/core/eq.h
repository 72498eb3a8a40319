/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Event queues: completion events, asynchronous events, fault records.
 *
 * An event queue never overflows. Without room, completion events wait on
 * @pending, asynchronous events on @waiting, and fault records are dropped and
 * counted. eq.c creates and destroys event queues, event.c writes events.
 */
#ifndef MODEL_EQ_H
#define MODEL_EQ_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "core/xlat.h"
#include "xrdma_hw.h"

struct model_cq;

#define MODEL_MAX_EQ			64
/* Largest number of waiting asynchronous events; one more makes it fatal. */
#define MODEL_EQ_MAX_WAITING		65536

TAILQ_HEAD(model_cq_list, model_cq);

/**
 * struct model_eq - event queue
 * @ring: entries of the queue
 * @rec: struct xrdma_cq_rec of the queue
 * @eqn: number of the queue
 * @vector: MSI-X vector
 * @pi: number of entries written, modulo 2^32
 * @ci: consumer index of the host, as last read from the record
 * @arm: without shadow doorbells: arm word that the last doorbell made
 * @fired: arm word for which the vector was last raised
 * @users: number of CQs whose events are written to this queue; 1 for the
 *	queue of page faults
 * @log_depth: log2 of the number of entries
 * @dead: the queue is out of reach or corrupt; no more events are written
 * @pending: CQs whose event waits for room
 * @waiting: asynchronous events that wait for room; EQ 0 only
 * @num_waiting: number of events in @waiting
 * @max_waiting: number of events that fit in @waiting
 * @lost: number of fault records dropped since the last one that was written
 */
struct model_eq {
	struct model_mem ring;
	struct model_mem rec;
	u32 eqn;
	u32 vector;
	u32 pi;
	u32 ci;
	u32 arm;
	u32 fired;
	u32 users;
	u8 log_depth;
	bool dead;
	struct model_cq_list pending;
	struct xrdma_eqe *waiting;
	u32 num_waiting;
	u32 max_waiting;
	u32 lost;
};

enum xrdma_cmd_status model_eq_create(struct model_device *dev,
				      const struct xrdma_cmd_create_eq *p);
enum xrdma_cmd_status model_eq_destroy(struct model_device *dev, u32 eqn);
bool model_eq_arm(struct model_device *dev, struct model_eq *eq, u32 index);
void model_eq_comp(struct model_device *dev, struct model_cq *cq);
void model_event(struct model_device *dev, u8 event, u32 number);
bool model_eq_fault(struct model_device *dev, struct xrdma_eqe *record);
bool model_eq_page_fault(struct model_device *dev, struct model_eq *eq,
			 struct xrdma_eqe *event);
void model_eq_forget(struct model_cq *cq);
void model_eqs_retry(struct model_device *dev);
void model_eqs_reset(struct model_device *dev);

#endif /* MODEL_EQ_H */
