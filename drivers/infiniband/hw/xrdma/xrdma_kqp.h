/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA queue pairs whose rings are in kernel memory: xrdma_kqp.c.
 */

#ifndef XRDMA_KQP_H
#define XRDMA_KQP_H

#include <linux/types.h>

struct xrdma_cq;
struct xrdma_ibdev;
struct xrdma_qp;
struct xrdma_qp_init;

/* xrdma_kqp.c */
int xrdma_kqp_create(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		     const struct xrdma_qp_init *init);
int xrdma_kqp_stop(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		   struct xrdma_cq *send_cq, struct xrdma_cq *recv_cq);
void xrdma_kqp_free(struct xrdma_ibdev *xib, struct xrdma_qp *qp, bool keep);
int xrdma_kqp_destroy(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		      struct xrdma_cq *send_cq, struct xrdma_cq *recv_cq);

#endif /* XRDMA_KQP_H */
