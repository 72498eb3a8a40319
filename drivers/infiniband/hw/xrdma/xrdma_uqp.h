/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA queue pairs whose rings are in the memory of a process: xrdma_uqp.c.
 */

#ifndef XRDMA_UQP_H
#define XRDMA_UQP_H

#include <linux/types.h>

struct ib_qp_cap;
struct ib_udata;
struct xrdma_ibdev;
struct xrdma_qp;
struct xrdma_qp_init;

/* xrdma_uqp.c */
int xrdma_uqp_start(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		    const struct xrdma_qp_init *init, u64 addr,
		    struct ib_udata *udata);
int xrdma_uqp_create(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		     const struct xrdma_qp_init *init,
		     const struct ib_qp_cap *want, struct ib_udata *udata);
int xrdma_uqp_destroy(struct xrdma_ibdev *xib, struct xrdma_qp *qp);

#endif /* XRDMA_UQP_H */
