/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA encoding of work requests: prototypes of xrdma_wqe.c.
 */

#ifndef XRDMA_WQE_H
#define XRDMA_WQE_H

#include <linux/types.h>

struct ib_recv_wr;
struct ib_send_wr;
struct xrdma_qp;
struct xrdma_rq_wqe;
struct xrdma_sq_wqe;

/* xrdma_wqe.c */
int xrdma_make_send(struct xrdma_qp *qp, struct xrdma_sq_wqe *wqe,
		    const struct ib_send_wr *wr);
void xrdma_make_recv(struct xrdma_rq_wqe *wqe, const struct ib_recv_wr *wr,
		     u64 wr_id);

#endif /* XRDMA_WQE_H */
