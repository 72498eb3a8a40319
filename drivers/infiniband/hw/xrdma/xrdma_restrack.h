/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA state of objects for "rdma resource show": functions of
 * xrdma_restrack.c.
 */

#ifndef XRDMA_RESTRACK_H
#define XRDMA_RESTRACK_H

struct ib_cq;
struct ib_mr;
struct ib_qp;
struct ib_srq;
struct sk_buff;

/* xrdma_restrack.c */
int xrdma_fill_res_mr_entry(struct sk_buff *msg, struct ib_mr *ibmr);
int xrdma_fill_res_mr_entry_raw(struct sk_buff *msg, struct ib_mr *ibmr);
int xrdma_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *ibqp);
int xrdma_fill_res_cq_entry(struct sk_buff *msg, struct ib_cq *ibcq);
int xrdma_fill_res_srq_entry(struct sk_buff *msg, struct ib_srq *ibsrq);

#endif /* XRDMA_RESTRACK_H */
