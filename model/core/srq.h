/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Shared receive queues: rings of receive entries that many queue pairs take
 * from. Owns their rings, records, limits; must not know packets, nor what
 * becomes of an entry that was taken.
 */
#ifndef XRDMA_MODEL_SRQ_H
#define XRDMA_MODEL_SRQ_H

#include <linux/types.h>
#include <stdbool.h>

#include "core/wq.h"
#include "xrdma_hw.h"

struct xrdma_cq;
struct xrdma_device;

#define XRDMA_MAX_SRQ			16384

/**
 * struct xrdma_srq - shared receive queue
 * @srqn: number
 * @pd: protection domain
 * @xrcd: XRC domain; 0: not for XRC
 * @cq: completions of XRC; else NULL
 * @wq: its ring; an entry is consumed when it is taken
 * @rec: its struct xrdma_srq_rec
 * @limit: with fewer entries left an event is raised; 0: none
 * @users: queue pairs created with it
 * @dead: out of reach or corrupt: it is empty from now on
 */
struct xrdma_srq {
	u32 srqn;
	u32 pd;
	u32 xrcd;
	struct xrdma_cq *cq;
	struct xrdma_wq wq;
	struct xrdma_mem rec;
	u32 limit;
	u32 users;
	bool dead;
};

enum xrdma_cmd_status xrdma_srq_create(struct xrdma_device *dev,
				       const struct xrdma_cmd_create_srq *p);
enum xrdma_cmd_status xrdma_srq_modify(struct xrdma_device *dev,
				       const struct xrdma_cmd_modify_srq *p);
enum xrdma_cmd_status xrdma_srq_query(struct xrdma_device *dev, u32 srqn,
				      struct xrdma_rsp_query_srq *rsp);
enum xrdma_cmd_status xrdma_srq_destroy(struct xrdma_device *dev, u32 srqn);
int xrdma_srq_take(struct xrdma_device *dev, struct xrdma_srq *srq, void *buf);
void xrdma_srqs_reset(struct xrdma_device *dev);

#endif /* XRDMA_MODEL_SRQ_H */
