/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA work queues of processes, for raw packets: prototypes of xrdma_rwq.c.
 * Tables of work queues are in xrdma_rss.h.
 */

#ifndef XRDMA_RWQ_H
#define XRDMA_RWQ_H

#include <rdma/ib_verbs.h>
#include "xrdma_qp.h"

/**
 * struct xrdma_rwq - work queue, in the device a raw packet queue pair
 * @ibwq: verbs object; @ibwq.state is protected by @qp.modify_lock
 * @qp: the queue pair, whose send ring is not used; it has the number of the
 *	work queue, and its state in the device follows @ibwq.state
 */
struct xrdma_rwq {
	struct ib_wq ibwq;
	struct xrdma_qp qp;
};

static inline struct xrdma_rwq *to_xrwq(struct ib_wq *ibwq)
{
	return container_of(ibwq, struct xrdma_rwq, ibwq);
}

/* xrdma_rwq.c */
struct ib_wq *xrdma_create_wq(struct ib_pd *ibpd, struct ib_wq_init_attr *attr,
			      struct ib_udata *udata);
int xrdma_destroy_wq(struct ib_wq *ibwq, struct ib_udata *udata);
int xrdma_modify_wq(struct ib_wq *ibwq, struct ib_wq_attr *attr, u32 mask,
		    struct ib_udata *udata);

#endif /* XRDMA_RWQ_H */
