/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA rings in the memory of a process: struct xrdma_ubuf. xrdma_ubuf.c pins
 * and translates the rings, xrdma_quarantine.c releases them. Rings in memory
 * of the kernel are in xrdma_buf.h.
 */

#ifndef XRDMA_UBUF_H
#define XRDMA_UBUF_H

#include <linux/list.h>
#include <linux/types.h>
#include "xrdma_mtt.h"

struct ib_umem;
struct xrdma_caps;
struct xrdma_ibdev;

/**
 * struct xrdma_ubuf - rings and record in the memory of a process
 * @umem: pinned memory of the rings; NULL: there are no rings
 * @mtt: translation of @umem
 * @spare: empty structure, allocated in advance, that takes over @umem and @mtt
 *	when the rings go into quarantine; NULL in that structure itself
 * @held: entry of a @spare in xrdma_quarantine.ubufs
 */
struct xrdma_ubuf {
	struct ib_umem *umem;
	struct xrdma_mtt mtt;
	struct xrdma_ubuf *spare;
	struct list_head held;
};

/* xrdma_ubuf.c */
bool xrdma_ubuf_ring_ok(const struct xrdma_caps *caps, u8 log_depth,
			u8 log_stride, u8 log_stride_min);
int xrdma_ubuf_map(struct xrdma_ibdev *xib, struct xrdma_ubuf *ubuf, u64 addr,
		   u64 size);
void xrdma_ubuf_unmap(struct xrdma_ibdev *xib, struct xrdma_ubuf *ubuf);
void xrdma_ubuf_swap(struct xrdma_ubuf *a, struct xrdma_ubuf *b);

#endif /* XRDMA_UBUF_H */
