/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA invalidation of keys: xrdma_inval.c.
 */

#ifndef XRDMA_INVAL_H
#define XRDMA_INVAL_H

#include <linux/types.h>

struct xrdma_ibdev;
struct xrdma_inval_batch;

/**
 * struct xrdma_inval_list - keys of one caller that end together
 * @xib: the device
 * @batch: those that have not been sent, or NULL
 * @err: first failure
 */
struct xrdma_inval_list {
	struct xrdma_ibdev *xib;
	struct xrdma_inval_batch *batch;
	int err;
};

/* xrdma_inval.c */
int xrdma_inval_create(struct xrdma_ibdev *xib);
void xrdma_inval_destroy(struct xrdma_ibdev *xib);
int xrdma_inval_key(struct xrdma_ibdev *xib, u32 index);
void xrdma_inval_list_add(struct xrdma_inval_list *list, u32 index);
int xrdma_inval_list_end(struct xrdma_inval_list *list);

#endif /* XRDMA_INVAL_H */
