/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA device memory: functions of xrdma_dm.c. Functions of regions of all
 * kinds are in xrdma_mr.h.
 */

#ifndef XRDMA_DM_H
#define XRDMA_DM_H

#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

struct xrdma_ibdev;
struct xrdma_mmap_entry;

/* xrdma_dm.c */
extern const struct uapi_definition xrdma_dm_uapi_defs[];
int xrdma_dm_create(struct xrdma_ibdev *xib);
void xrdma_dm_destroy(struct xrdma_ibdev *xib);
u64 xrdma_dm_size(const struct xrdma_ibdev *xib);
bool xrdma_dm_owns(const struct xrdma_ibdev *xib, u64 addr);
void xrdma_dm_free(struct xrdma_ibdev *xib, struct xrdma_mmap_entry *entry);
struct ib_dm *xrdma_alloc_dm(struct ib_device *ibdev, struct ib_ucontext *ibuc,
			     struct ib_dm_alloc_attr *attr,
			     struct uverbs_attr_bundle *attrs);
int xrdma_dealloc_dm(struct ib_dm *ibdm, struct uverbs_attr_bundle *attrs);
struct ib_mr *xrdma_reg_dm_mr(struct ib_pd *ibpd, struct ib_dm *ibdm,
			      struct ib_dm_mr_attr *attr,
			      struct uverbs_attr_bundle *attrs);

#endif /* XRDMA_DM_H */
