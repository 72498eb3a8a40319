/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA memory regions of dma-bufs: functions of xrdma_dmabuf.c. Functions of
 * regions of all kinds are in xrdma_mr.h.
 */

#ifndef XRDMA_DMABUF_H
#define XRDMA_DMABUF_H

#include <rdma/ib_verbs.h>

struct ib_dmah;
struct xrdma_ibdev;
struct xrdma_mr;

/* xrdma_dmabuf.c */
struct ib_mr *xrdma_reg_user_mr_dmabuf(struct ib_pd *ibpd, u64 offset,
				       u64 length, u64 iova, int fd, int access,
				       struct ib_dmah *dmah,
				       struct uverbs_attr_bundle *attrs);
int xrdma_dmabuf_inval(struct xrdma_ibdev *xib, struct xrdma_mr *mr);
void xrdma_dmabuf_abandon(struct xrdma_mr *mr);
void xrdma_dmabuf_lock(struct xrdma_mr *mr);
void xrdma_dmabuf_unlock(struct xrdma_mr *mr);

#endif /* XRDMA_DMABUF_H */
