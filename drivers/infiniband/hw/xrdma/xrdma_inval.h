/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA invalidation: functions of xrdma_inval.c, which end the device's use of
 * keys by INVALIDATE commands. The keys of a user context are invalidated by
 * xrdma_ctx_keys.c.
 */

#ifndef XRDMA_INVAL_H
#define XRDMA_INVAL_H

#include <linux/types.h>

struct xrdma_ibdev;
struct xrdma_inval_batch;

/**
 * struct xrdma_inval_list - keys that one caller invalidates together
 * @xib: the device
 * @batch: keys for which no INVALIDATE has been sent yet; NULL: there are none
 * @err: errno of the first failure, or 0
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
