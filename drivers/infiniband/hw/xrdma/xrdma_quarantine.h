/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA quarantine: struct xrdma_quarantine, a list of memory that cannot be
 * freed yet because a dead device may still access it. The functions are in
 * xrdma_quarantine.c.
 */

#ifndef XRDMA_QUARANTINE_H
#define XRDMA_QUARANTINE_H

#include <linux/list.h>
#include <linux/spinlock.h>

struct xrdma_buf;
struct xrdma_ibdev;
struct xrdma_mr;
struct xrdma_ubuf;

/**
 * struct xrdma_quarantine - memory that a dead device may still access
 * @lock: protects all fields below
 * @regions: list of struct xrdma_mr, linked by ctx_entry
 * @ubufs: list of struct xrdma_ubuf, linked by held
 * @bufs: list of struct xrdma_buf, linked by held
 * @warned: a message in the log says that memory is in quarantine
 */
struct xrdma_quarantine {
	spinlock_t lock; /* all below */
	struct list_head regions;
	struct list_head ubufs;
	struct list_head bufs;
	bool warned;
};

void xrdma_quarantine_init(struct xrdma_quarantine *quarantine);
void xrdma_mr_release(struct xrdma_ibdev *xib, struct xrdma_mr *mr, bool keep);
void xrdma_ubuf_release(struct xrdma_ibdev *xib, struct xrdma_ubuf *ubuf,
			bool keep);
void xrdma_buf_release(struct xrdma_ibdev *xib, struct xrdma_buf *buf,
		       bool keep);
void xrdma_quarantine_release(struct xrdma_ibdev *xib);
void xrdma_quarantine_abandon(struct xrdma_ibdev *xib);

#endif /* XRDMA_QUARANTINE_H */
