/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA receive side scaling: indirection tables of work queues, and the queue
 * pairs that use them: prototypes of xrdma_rss.c.
 */

#ifndef XRDMA_RSS_H
#define XRDMA_RSS_H

#include <rdma/ib_verbs.h>

/* xrdma_rss.c */
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

#endif /* XRDMA_RSS_H */
