/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Shared receive queues: rings of receive entries for many queue pairs, with
 * their records and limits. core/qp_queue.c takes entries for queue pairs,
 * core/completion.c completes them.
 */
#ifndef MODEL_SRQ_H
#define MODEL_SRQ_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "core/wq.h"
#include "xrdma_hw.h"

struct model_cq;
struct model_device;
struct model_qp;

#define MODEL_MAX_SRQ			16384

TAILQ_HEAD(model_srq_qps, model_qp);

/**
 * struct model_srq - shared receive queue
 * @srqn: number of the queue
 * @pd: protection domain
 * @xrcd: XRC domain; 0: not for XRC
 * @cq: CQ for completions of an XRC SRQ; else NULL
 * @cq_link: link of model_cq.srqs; only with @cq
 * @wq: ring of the queue; an entry is consumed when a queue pair takes it
 * @rec: struct xrdma_srq_rec of the queue
 * @limit: raise SRQ_LIMIT when fewer entries are left; 0: no limit
 * @qps: queue pairs whose model_qp.srq is the queue: queue pairs created with it,
 *	or XRC_TGT queue pairs, whose last request named it
 * @dead: the queue is out of reach or corrupt; it is empty from now on
 */
struct model_srq {
	u32 srqn;
	u32 pd;
	u32 xrcd;
	struct model_cq *cq;
	TAILQ_ENTRY(model_srq) cq_link;
	struct model_wq wq;
	struct model_mem rec;
	u32 limit;
	struct model_srq_qps qps;
	bool dead;
};

enum xrdma_cmd_status model_srq_create(struct model_device *dev,
				       const struct xrdma_cmd_create_srq *p);
enum xrdma_cmd_status model_srq_modify(struct model_device *dev,
				       const struct xrdma_cmd_modify_srq *p);
enum xrdma_cmd_status model_srq_query(struct model_device *dev, u32 srqn,
				      struct xrdma_rsp_query_srq *rsp);
enum xrdma_cmd_status model_srq_destroy(struct model_device *dev, u32 srqn);
void model_srq_fail(struct model_device *dev, struct model_srq *srq);
void model_srq_limit_reached(struct model_device *dev, struct model_srq *srq);
int model_srq_take(struct model_device *dev, struct model_srq *srq, void *buf);
void model_srqs_reset(struct model_device *dev);

#endif /* MODEL_SRQ_H */
