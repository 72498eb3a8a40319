/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA memory windows: struct xrdma_mw, and functions of xrdma_mw.c.
 */

#ifndef XRDMA_MW_H
#define XRDMA_MW_H

#include <linux/list.h>
#include <rdma/ib_verbs.h>

/**
 * struct xrdma_mw - memory window
 * @ibmw: verbs object; the consumer chooses the key byte of its key
 * @ctx_entry: entry in xrdma_ucontext.windows, but for windows of the kernel
 * @key_index: index of the key entry
 */
struct xrdma_mw {
	struct ib_mw ibmw;
	struct list_head ctx_entry;
	u32 key_index;
};

static inline struct xrdma_mw *to_xmw(struct ib_mw *ibmw)
{
	return container_of(ibmw, struct xrdma_mw, ibmw);
}

/* xrdma_mw.c */
int xrdma_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);
int xrdma_dealloc_mw(struct ib_mw *ibmw);

#endif /* XRDMA_MW_H */
