/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA flush of the requests that a dead device has not completed: prototypes
 * of xrdma_flush.c. The operation FLUSH, which makes data persistent at the peer,
 * is in include/rdma/xrdma-flush.h.
 */

#ifndef XRDMA_FLUSH_H
#define XRDMA_FLUSH_H

#include <asm/barrier.h>
#include "xrdma_ibdev.h"

struct ib_wc;
struct xrdma_cq;

/**
 * xrdma_flushing() - do requests complete in software?
 * @xib: the device
 *
 * Context: any.
 * Return: true after xrdma_flush_begin(), when xrdma_writes_ended() is true:
 * consumers free the memory of requests that have completed.
 */
static inline bool xrdma_flushing(const struct xrdma_ibdev *xib)
{
	/*
	 * pairs with xrdma_flush_begin(): later reads see all entries of the
	 * device
	 */
	return smp_load_acquire(&xib->flushing);
}

/* xrdma_flush.c */
void xrdma_flush_init(struct xrdma_ibdev *xib);
void xrdma_flush_exit(struct xrdma_ibdev *xib);
void xrdma_flush_begin(struct xrdma_ibdev *xib);
void xrdma_flush_wait(struct xrdma_ibdev *xib);
void xrdma_flush_dead(struct xrdma_ibdev *xib);
int xrdma_flush_poll(struct xrdma_cq *cq, int num, struct ib_wc *wc);
bool xrdma_flush_pending(struct xrdma_cq *cq);

#endif /* XRDMA_FLUSH_H */
