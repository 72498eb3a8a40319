/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Congestion notification packets.
 */
#ifndef XRDMA_MODEL_CNP_H
#define XRDMA_MODEL_CNP_H

struct xrdma_qp;

void xrdma_cnp_marked(struct xrdma_qp *qp);

#endif /* XRDMA_MODEL_CNP_H */
