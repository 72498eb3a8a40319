/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA raw packets of processes: work queues, tables of them, queue pairs that
 * spread frames over such a table, and rules that say which frames. Must not
 * know how a frame is moved.
 */

#ifndef XRDMA_FLOW_H
#define XRDMA_FLOW_H

#include "xrdma_verbs.h"

/**
 * struct xrdma_rwq - work queue: to the device a raw packet queue pair that
 *	only receives
 * @ibwq: verbs object
 * @qp: the queue pair; its number is that of the work queue, and its state
 *	goes along
 */
struct xrdma_rwq {
	struct ib_wq ibwq;
	struct xrdma_qp qp;
};

/**
 * struct xrdma_flow - flow rule
 * @ibflow: verbs object
 * @number: of the rule
 */
struct xrdma_flow {
	struct ib_flow ibflow;
	u32 number;
};

static inline struct xrdma_rwq *to_xrwq(struct ib_wq *ibwq)
{
	return container_of(ibwq, struct xrdma_rwq, ibwq);
}

static inline struct xrdma_flow *to_xflow(struct ib_flow *ibflow)
{
	return container_of(ibflow, struct xrdma_flow, ibflow);
}

/* xrdma_wq.c */
struct ib_wq *xrdma_create_wq(struct ib_pd *ibpd, struct ib_wq_init_attr *attr,
			      struct ib_udata *udata);
int xrdma_destroy_wq(struct ib_wq *ibwq, struct ib_udata *udata);
int xrdma_modify_wq(struct ib_wq *ibwq, struct ib_wq_attr *attr, u32 mask,
		    struct ib_udata *udata);

/* xrdma_rss.c: queue pairs with an indirection table, and the tables */
int xrdma_create_rwq_ind_table(struct ib_rwq_ind_table *table,
			       struct ib_rwq_ind_table_init_attr *attr,
			       struct ib_udata *udata);
int xrdma_destroy_rwq_ind_table(struct ib_rwq_ind_table *table);
int xrdma_rss_create(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
		     struct ib_udata *udata);
int xrdma_rss_destroy(struct ib_qp *ibqp);
int xrdma_rss_modify(struct ib_qp *ibqp, const struct ib_qp_attr *attr,
		     int mask);
int xrdma_rss_query(struct ib_qp *ibqp, struct ib_qp_attr *attr,
		    struct ib_qp_init_attr *init_attr);

/* xrdma_flow.c */
extern const struct ib_device_ops xrdma_flow_ops;
struct ib_flow *xrdma_create_flow(struct ib_qp *ibqp,
				  struct ib_flow_attr *attr,
				  struct ib_udata *udata);
int xrdma_destroy_flow(struct ib_flow *ibflow);

#endif /* XRDMA_FLOW_H */
