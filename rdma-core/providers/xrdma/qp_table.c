// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: the table in which a poller finds the queue pair, or work
 * queue, of a completion. Must not know: rings, the driver.
 */

#include <errno.h>
#include <stdlib.h>

#include "xrdma.h"

/**
 * xrdma_find_qp() - queue pair of a number
 * @ctx: context
 * @qpn: its number
 *
 * Context: qp_mutex, or lock of a completion queue that still holds an entry of
 * it; its leaf therefore stays.
 *
 * Return: the queue pair or NULL.
 */
struct xrdma_qp *xrdma_find_qp(struct xrdma_context *ctx, uint32_t qpn)
{
	struct xrdma_qp_leaf *leaf;

	leaf = ctx->qp_table[qpn >> XRDMA_QP_LEAF_SHIFT &
			     (XRDMA_QP_TABLE_SIZE - 1)];
	return leaf ? leaf->qp[qpn & (XRDMA_QP_LEAF_SIZE - 1)] : NULL;
}

static struct xrdma_qp_leaf **xrdma_leaf_slot(struct xrdma_context *ctx,
					      const struct xrdma_qp *qp)
{
	return &ctx->qp_table[qp->qpn >> XRDMA_QP_LEAF_SHIFT];
}

/* Under the mutex; the number is free. */
static int xrdma_enter_qp(struct xrdma_context *ctx, struct xrdma_qp *qp)
{
	struct xrdma_qp_leaf **slot = xrdma_leaf_slot(ctx, qp);

	if (!*slot)
		*slot = calloc(1, sizeof(**slot));
	if (!*slot)
		return ENOMEM;
	(*slot)->users++;
	(*slot)->qp[qp->qpn & (XRDMA_QP_LEAF_SIZE - 1)] = qp;
	return 0;
}

/* Under the mutex; afterwards no poller knows @qp, which is in the table. */
static void xrdma_evict_qp(struct xrdma_context *ctx, struct xrdma_qp *qp)
{
	struct xrdma_qp_leaf **slot = xrdma_leaf_slot(ctx, qp);
	struct xrdma_qp_leaf *leaf = *slot;

	xrdma_clean_cqs(qp);
	leaf->qp[qp->qpn & (XRDMA_QP_LEAF_SIZE - 1)] = NULL;
	if (!--leaf->users) {
		*slot = NULL;
		free(leaf);
	}
}

/**
 * xrdma_insert_qp() - claim the number of a queue pair
 * @ctx: context
 * @qp: new; it goes into the table if it has a record, and so completions
 *
 * The number is free in the driver, but who had it before may still wait for
 * its events in xrdma_destroy_qp() or xrdma_destroy_wq(). What that one has left
 * goes before there are completions of @qp.
 *
 * Return: 0 or ENOMEM.
 */
int xrdma_insert_qp(struct xrdma_context *ctx, struct xrdma_qp *qp)
{
	struct xrdma_qp *old;
	int err = 0;

	pthread_mutex_lock(&ctx->qp_mutex);
	old = xrdma_find_qp(ctx, qp->qpn);
	if (old)
		xrdma_evict_qp(ctx, old);
	if (qp->rec)
		err = xrdma_enter_qp(ctx, qp);
	pthread_mutex_unlock(&ctx->qp_mutex);
	return err;
}

/**
 * xrdma_remove_qp() - take out what a queue pair has left
 * @ctx: context
 * @qp: destroyed in the driver
 *
 * Nothing is left if another one has claimed its number. Afterwards @qp can be
 * freed.
 */
void xrdma_remove_qp(struct xrdma_context *ctx, struct xrdma_qp *qp)
{
	pthread_mutex_lock(&ctx->qp_mutex);
	if (xrdma_find_qp(ctx, qp->qpn) == qp)
		xrdma_evict_qp(ctx, qp);
	pthread_mutex_unlock(&ctx->qp_mutex);
}
