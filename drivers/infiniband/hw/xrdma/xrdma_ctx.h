/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA user contexts: xrdma_ctx.c has doorbell pages and mappings,
 * xrdma_ctx_keys.c the keys that end with a context.
 */

#ifndef XRDMA_CTX_H
#define XRDMA_CTX_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

struct ib_uverbs_file;
struct p2pdma_provider;
struct phys_vec;
struct xrdma_mr;
struct xrdma_mw;

/**
 * struct xrdma_mmap_entry - pages of a BAR that a process may map
 * @entry: known to ib_core; lives as long as a mapping does
 * @phys: their physical address
 * @device_memory: they are memory; else a page of doorbells
 */
struct xrdma_mmap_entry {
	struct rdma_user_mmap_entry entry;
	phys_addr_t phys;
	bool device_memory;
};

/**
 * struct xrdma_ucontext - user context
 * @ibuc: verbs object
 * @db_page: number of its doorbell page
 * @db_entry: the same page, for ib_core
 * @lock: protects @windows and @regions
 * @windows: struct xrdma_mw
 * @regions: struct xrdma_mr, but for those of dma-bufs
 * @revoked: it ends, and the keys of all @windows and @regions have been
 *	invalidated
 */
struct xrdma_ucontext {
	struct ib_ucontext ibuc;
	u32 db_page;
	struct rdma_user_mmap_entry *db_entry;
	spinlock_t lock; /* windows, regions */
	struct list_head windows;
	struct list_head regions;
	bool revoked;
};

static inline struct xrdma_ucontext *to_xucontext(struct ib_ucontext *ibuc)
{
	return container_of(ibuc, struct xrdma_ucontext, ibuc);
}

/* xrdma_ctx.c */
extern const struct uapi_definition xrdma_uapi_defs[];
extern const struct ib_device_ops xrdma_export_ops;
int xrdma_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata);
void xrdma_dealloc_ucontext(struct ib_ucontext *ibuc);
int xrdma_query_ucontext(struct ib_ucontext *ibuc,
			 struct uverbs_attr_bundle *attrs);
int xrdma_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma);
void xrdma_mmap_free(struct rdma_user_mmap_entry *entry);
int xrdma_mmap_get_pfns(struct rdma_user_mmap_entry *entry,
			struct phys_vec *phys,
			struct p2pdma_provider **provider);
struct rdma_user_mmap_entry *
xrdma_pgoff_to_mmap_entry(struct ib_ucontext *ibuc, off_t offset);
void xrdma_disassociate_ucontext(struct ib_ucontext *ibuc);
void xrdma_ufile_hw_cleanup(struct ib_uverbs_file *ufile);

/* xrdma_ctx_keys.c */
void xrdma_ctx_keys_init(struct xrdma_ucontext *uc);
void xrdma_ctx_add_region(struct ib_pd *ibpd, struct xrdma_mr *mr);
void xrdma_ctx_add_window(struct ib_pd *ibpd, struct xrdma_mw *mw);
void xrdma_ctx_drop(struct ib_pd *ibpd, struct list_head *entry);
int xrdma_ctx_inval(struct ib_pd *ibpd, u32 index);
void xrdma_ctx_leave(struct ib_ucontext *ibuc);

#endif /* XRDMA_CTX_H */
