/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA rings in the memory of a process: xrdma_ubuf.c pins and translates them,
 * xrdma_quarantine.c releases them.
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
 * @umem: pinned; NULL: there are none
 * @mtt: translation of @umem
 * @spare: takes their place in quarantine, when their owner is gone
 * @held: of a @spare: in xrdma_quarantine.ubufs
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
