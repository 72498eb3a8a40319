/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA counter sets, bound to queue pairs: prototypes of xrdma_counter.c.
 */

#ifndef XRDMA_COUNTER_H
#define XRDMA_COUNTER_H

#include <rdma/ib_verbs.h>

struct rdma_counter;
struct xrdma_ibdev;

/* xrdma_counter.c */
extern const struct ib_device_ops xrdma_counter_ops;
int xrdma_counters_create(struct xrdma_ibdev *xib);
void xrdma_counters_destroy(struct xrdma_ibdev *xib);
int xrdma_counters_sum(struct xrdma_ibdev *xib, u64 *values);
struct rdma_hw_stats *xrdma_counter_alloc_stats(struct rdma_counter *counter);
int xrdma_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp,
			  u32 port);
int xrdma_counter_dealloc(struct rdma_counter *counter);
void xrdma_counter_init(struct rdma_counter *counter);
int xrdma_counter_unbind_qp(struct ib_qp *ibqp, u32 port);
int xrdma_counter_update_stats(struct rdma_counter *counter);

#endif /* XRDMA_COUNTER_H */
