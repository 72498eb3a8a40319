// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: the table in which a poller finds the queue pair or work
 * queue of a completion by its QPN. Locking is described in xrdma.h.
 * Completions of a queue pair that leaves the table are removed by cq.c.
 */

#include <errno.h>
#include <stdlib.h>

#include "xrdma.h"

/**
 * xrdma_find_qp() - look up a queue pair by its number
 * @ctx: context
 * @qpn: number of the queue pair
 *
 * Context: qp_mutex is held, or the lock of a completion queue that still holds
 * an entry of the queue pair. The latter keeps the leaf from being freed, since
 * xrdma_evict_qp() takes that lock first to remove such entries.
 *
 * Return: the queue pair, or NULL if it is not in the table.
 */
struct xrdma_qp *xrdma_find_qp(struct xrdma_context *ctx, uint32_t qpn)
{
	struct xrdma_qp_leaf *leaf;

	leaf = ctx->qp_table[qpn >> XRDMA_QP_LEAF_SHIFT &
			     (XRDMA_QP_TABLE_SIZE - 1)];
	return leaf ? leaf->qp[qpn & (XRDMA_QP_LEAF_SIZE - 1)] : NULL;
}

/* Where the first level of the table has the leaf of a queue pair. */
static struct xrdma_qp_leaf **xrdma_leaf_slot(struct xrdma_context *ctx,
					      const struct xrdma_qp *qp)
{
	return &ctx->qp_table[qp->qpn >> XRDMA_QP_LEAF_SHIFT];
}

/* Enter a queue pair whose number is not in the table. qp_mutex is held. */
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

/*
 * Remove a queue pair from the table. qp_mutex is held. Its completions are
 * removed first, so no poller finds it afterwards.
 */
static void xrdma_evict_qp(struct xrdma_context *ctx, struct xrdma_qp *qp)
{
	struct xrdma_qp_leaf **slot = xrdma_leaf_slot(ctx, qp);
	struct xrdma_qp_leaf *leaf = *slot;

	xrdma_remove_completions(qp);
	leaf->qp[qp->qpn & (XRDMA_QP_LEAF_SIZE - 1)] = NULL;
	if (!--leaf->users) {
		*slot = NULL;
		free(leaf);
	}
}

/**
 * xrdma_insert_qp() - enter a new queue pair in the table
 * @ctx: context
 * @qp: new queue pair; without a record it has no completions to be looked up,
 *	and is not entered
 *
 * An earlier queue pair with the same number may still be in the table: the
 * driver has destroyed it, but xrdma_destroy_qp() or xrdma_destroy_wq() waits
 * until the application has acknowledged its events. That queue pair and its
 * completions are removed here, before @qp can have completions.
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
 * xrdma_remove_qp() - remove a queue pair and its completions
 * @ctx: context
 * @qp: queue pair that the driver has destroyed
 *
 * If xrdma_insert_qp() has reused the number, @qp was removed then. Afterwards
 * no poller uses @qp, and the caller can free it.
 */
void xrdma_remove_qp(struct xrdma_context *ctx, struct xrdma_qp *qp)
{
	pthread_mutex_lock(&ctx->qp_mutex);
	if (xrdma_find_qp(ctx, qp->qpn) == qp)
		xrdma_evict_qp(ctx, qp);
	pthread_mutex_unlock(&ctx->qp_mutex);
}
