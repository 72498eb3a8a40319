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
 * @qpn: from a completion of its send or receive queue
 *
 * Context: lock of a completion queue that still holds that entry; the leaf of
 * @qpn therefore stays.
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

/**
 * xrdma_insert_qp() - enter a queue pair into the table
 * @ctx: context
 * @qp: with its number
 *
 * Context: qp_mutex.
 *
 * Return: 0 or ENOMEM.
 */
int xrdma_insert_qp(struct xrdma_context *ctx, struct xrdma_qp *qp)
{
	struct xrdma_qp_leaf **slot, *leaf;

	slot = &ctx->qp_table[qp->qpn >> XRDMA_QP_LEAF_SHIFT];
	if (!*slot) {
		leaf = calloc(1, sizeof(*leaf));
		if (!leaf)
			return ENOMEM;
		*slot = leaf;
	}
	(*slot)->users++;
	(*slot)->qp[qp->qpn & (XRDMA_QP_LEAF_SIZE - 1)] = qp;
	return 0;
}

/**
 * xrdma_remove_qp() - take a queue pair out of the table
 * @ctx: context
 * @qp: in the table
 *
 * Context: qp_mutex; no completion queue holds an entry of it.
 */
void xrdma_remove_qp(struct xrdma_context *ctx, struct xrdma_qp *qp)
{
	struct xrdma_qp_leaf **slot, *leaf;

	slot = &ctx->qp_table[qp->qpn >> XRDMA_QP_LEAF_SHIFT];
	leaf = *slot;
	leaf->qp[qp->qpn & (XRDMA_QP_LEAF_SIZE - 1)] = NULL;
	if (!--leaf->users) {
		*slot = NULL;
		free(leaf);
	}
}
