/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA numbers that users look at: counters, parameters, and the state of
 * objects. Must not change any object.
 */

#ifndef XRDMA_STATS_H
#define XRDMA_STATS_H

#include "xrdma_verbs.h"

#define XRDMA_NUM_DESCS		(XRDMA_NUM_STATS + XRDMA_NUM_FAULTS)

/* xrdma_stats.c */
extern const struct rdma_stat_desc xrdma_stat_descs[XRDMA_NUM_DESCS];
int xrdma_read_stats(struct xrdma_ibdev *xib, u64 *values);

/* xrdma_port_stats.c */
struct rdma_hw_stats *xrdma_alloc_hw_port_stats(struct ib_device *ibdev,
						u32 port);
int xrdma_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		       u32 port, int index);

/* xrdma_counter.c: counter sets, bound to queue pairs */
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

/* xrdma_cc.c: parameters of congestion control */
int xrdma_cc_create(struct xrdma_ibdev *xib);
void xrdma_cc_destroy(struct xrdma_ibdev *xib);

/* xrdma_restrack.c */
int xrdma_fill_res_mr_entry(struct sk_buff *msg, struct ib_mr *ibmr);
int xrdma_fill_res_mr_entry_raw(struct sk_buff *msg, struct ib_mr *ibmr);
int xrdma_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *ibqp);
int xrdma_fill_res_cq_entry(struct sk_buff *msg, struct ib_cq *ibcq);
int xrdma_fill_res_srq_entry(struct sk_buff *msg, struct ib_srq *ibsrq);

#endif /* XRDMA_STATS_H */
