/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA user contexts: struct xrdma_ucontext, functions of xrdma_ctx.c
 * (doorbell pages, mmap) and of xrdma_ctx_keys.c (keys that the driver
 * invalidates when a context ends).
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
struct xrdma_ibdev;
struct xrdma_mr;
struct xrdma_mw;

/* What the pages of struct xrdma_mmap_entry are. */
enum xrdma_mmap_kind {
	XRDMA_MMAP_DOORBELLS,
	XRDMA_MMAP_PUSH,
	XRDMA_MMAP_DEVICE_MEMORY,
};

/**
 * struct xrdma_mmap_entry - pages of a BAR that a process may map
 * @entry: entry of ib_core, with a reference count; xrdma_mmap_free() is called
 *	when the last mapping has ended
 * @phys: physical address of the pages
 * @kind: what the pages are; doorbells are mapped uncached, all others
 *	write-combining
 * @db: push page: entry of the doorbell page, with a reference, so that no other
 *	context gets the two pages before both mappings have ended
 */
struct xrdma_mmap_entry {
	struct rdma_user_mmap_entry entry;
	phys_addr_t phys;
	enum xrdma_mmap_kind kind;
	struct rdma_user_mmap_entry *db;
};

/**
 * struct xrdma_ucontext - user context
 * @ibuc: verbs object
 * @db_page: number of the context's doorbell page
 * @db_entry: entry by which the process maps the doorbell page
 * @push_entry: entry by which the process maps the push page, or NULL
 * @lock: protects @windows and @regions
 * @windows: list of struct xrdma_mw
 * @regions: list of struct xrdma_mr, without regions of dma-bufs
 * @keys_invalidated: true: the context is being destroyed, and the keys of all
 *	@windows and @regions have been invalidated
 */
struct xrdma_ucontext {
	struct ib_ucontext ibuc;
	u32 db_page;
	struct rdma_user_mmap_entry *db_entry;
	struct rdma_user_mmap_entry *push_entry;
	spinlock_t lock; /* windows, regions */
	struct list_head windows;
	struct list_head regions;
	bool keys_invalidated;
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
void xrdma_ctx_revoke(struct xrdma_ibdev *xib);
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
void xrdma_ctx_inval_all(struct ib_ucontext *ibuc);

#endif /* XRDMA_CTX_H */
