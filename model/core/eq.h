/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Event queues: completion events, asynchronous events, fault records.
 *
 * An event queue never overflows. Without room, completion events wait with
 * their CQ, asynchronous events in the device, and fault records are dropped
 * and counted. Must not know what an event means.
 */
#ifndef XRDMA_MODEL_EQ_H
#define XRDMA_MODEL_EQ_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "core/xlat.h"
#include "xrdma_hw.h"

struct xrdma_cq;

#define XRDMA_MAX_EQ			64
#define XRDMA_EQ_LOG_MIN		6
#define XRDMA_EQ_LOG_MAX		16
/* Asynchronous events that may wait in the device; more is a dead driver. */
#define XRDMA_EQ_MAX_WAITING		65536

TAILQ_HEAD(xrdma_cq_list, xrdma_cq);

/**
 * struct xrdma_eq - event queue
 * @ring: its entries
 * @rec: its struct xrdma_cq_rec
 * @eqn: number
 * @vector: MSI-X vector
 * @pi: entries written, modulo 2^32
 * @ci: entries that the host was last seen to have consumed
 * @fired: arm word of the record for which the vector was last raised
 * @users: CQs that send their events here
 * @log_depth: log2 of the entries
 * @dead: out of reach or corrupt: nothing is written to it any more
 * @pending: CQs whose event waits for room
 * @waiting: asynchronous events that wait for room; EQ 0 only
 * @num_waiting: of @waiting
 * @max_waiting: room in @waiting
 * @lost: fault records dropped since the last one that was written
 */
struct xrdma_eq {
	struct xrdma_mem ring;
	struct xrdma_mem rec;
	u32 eqn;
	u32 vector;
	u32 pi;
	u32 ci;
	u32 fired;
	u32 users;
	u8 log_depth;
	bool dead;
	struct xrdma_cq_list pending;
	struct xrdma_eqe *waiting;
	u32 num_waiting;
	u32 max_waiting;
	u32 lost;
};

enum xrdma_cmd_status xrdma_eq_create(struct xrdma_device *dev,
				      const struct xrdma_cmd_create_eq *p);
enum xrdma_cmd_status xrdma_eq_destroy(struct xrdma_device *dev, u32 eqn);
void xrdma_eq_comp(struct xrdma_device *dev, struct xrdma_cq *cq);
void xrdma_event(struct xrdma_device *dev, u8 event, u32 number);
bool xrdma_eq_fault(struct xrdma_device *dev, struct xrdma_eqe *record);
void xrdma_eq_forget(struct xrdma_cq *cq);
void xrdma_eqs_retry(struct xrdma_device *dev);
void xrdma_eqs_reset(struct xrdma_device *dev);

#endif /* XRDMA_MODEL_EQ_H */
