/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA parameters of congestion control: prototypes of xrdma_cc.c.
 */

#ifndef XRDMA_CC_H
#define XRDMA_CC_H

struct xrdma_ibdev;

/* xrdma_cc.c */
int xrdma_cc_create(struct xrdma_ibdev *xib);
void xrdma_cc_destroy(struct xrdma_ibdev *xib);

#endif /* XRDMA_CC_H */
