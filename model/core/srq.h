/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Shared receive queues: rings of receive entries that many queue pairs take
 * from. Owns their rings, records, limits; must not know packets, nor what
 * becomes of an entry that was taken.
 */
#ifndef MODEL_SRQ_H
#define MODEL_SRQ_H

#include <linux/types.h>
#include <stdbool.h>

#include "core/wq.h"
#include "xrdma_hw.h"

struct model_cq;
struct model_device;

#define MODEL_MAX_SRQ			16384

/**
 * struct model_srq - shared receive queue
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
struct model_srq {
	u32 srqn;
	u32 pd;
	u32 xrcd;
	struct model_cq *cq;
	struct model_wq wq;
	struct model_mem rec;
	u32 limit;
	u32 users;
	bool dead;
};

enum xrdma_cmd_status model_srq_create(struct model_device *dev,
				       const struct xrdma_cmd_create_srq *p);
enum xrdma_cmd_status model_srq_modify(struct model_device *dev,
				       const struct xrdma_cmd_modify_srq *p);
enum xrdma_cmd_status model_srq_query(struct model_device *dev, u32 srqn,
				      struct xrdma_rsp_query_srq *rsp);
enum xrdma_cmd_status model_srq_destroy(struct model_device *dev, u32 srqn);
int model_srq_take(struct model_device *dev, struct model_srq *srq, void *buf);
void model_srqs_reset(struct model_device *dev);

#endif /* MODEL_SRQ_H */
