// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Event queues as objects: CREATE_EQ, DESTROY_EQ, reset. event.c writes the
 * events.
 */
#include <stdlib.h>
#include <rdma/xrdma-ring.h>

#include "core/device.h"
#include "core/eq.h"
#include "xrdma_xlat.h"

static enum xrdma_cmd_status check_params(struct model_device *dev,
					  const struct xrdma_cmd_create_eq *p)
{
	u64 root = le64_to_cpu(p->root);
	u32 eqn = le32_to_cpu(p->eqn);
	u64 size;

	if (eqn >= MODEL_MAX_EQ || dev->eqs[eqn])
		return XRDMA_CMD_BAD_NUMBER;
	if (p->log_depth < XRDMA_EQ_LOG_MIN ||
	    p->log_depth > XRDMA_EQ_LOG_MAX || p->reserved ||
	    le16_to_cpu(p->vector) >= dev->params.vectors)
		return XRDMA_CMD_BAD_PARAM;
	size = xrdma_cq_rec_offset(p->log_depth) + sizeof(struct xrdma_cq_rec);
	if (!xrdma_root_ok(root) || !xrdma_root_covers(root, size - 1))
		return XRDMA_CMD_BAD_PARAM;
	return XRDMA_CMD_OK;
}

/* Check that the memory is within reach, and that the ring is zeroed. */
static enum xrdma_cmd_status check_memory(struct model_device *dev,
					  struct model_eq *eq, u32 eqn)
{
	if (model_mem_probe(dev, &eq->ring, true) ||
	    model_mem_probe(dev, &eq->rec, false))
		return XRDMA_CMD_BAD_DMA;
	if (model_mem_is_zero(dev, &eq->ring))
		return XRDMA_CMD_OK;
	model_dev_herr(dev, RING_DIRTY, "EQ %u", eqn);
	return XRDMA_CMD_BAD_PARAM;
}

/**
 * model_eq_create - CREATE_EQ
 * @dev: the device
 * @p: body of the command
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_eq_create(struct model_device *dev,
				      const struct xrdma_cmd_create_eq *p)
{
	enum xrdma_cmd_status status = check_params(dev, p);
	struct model_eq *eq;
	u64 ring_size;

	if (status)
		return status;
	ring_size = xrdma_cq_rec_offset(p->log_depth);
	eq = calloc(1, sizeof(*eq));
	if (!eq)
		return XRDMA_CMD_NO_RESOURCE;
	model_mem_init(&eq->ring, le64_to_cpu(p->root), 0, ring_size, 0);
	model_mem_init(&eq->rec, le64_to_cpu(p->root), ring_size,
		       sizeof(struct xrdma_cq_rec), 0);
	status = check_memory(dev, eq, le32_to_cpu(p->eqn));
	if (status) {
		free(eq);
		return status;
	}
	eq->eqn = le32_to_cpu(p->eqn);
	eq->vector = le16_to_cpu(p->vector);
	eq->log_depth = p->log_depth;
	TAILQ_INIT(&eq->pending);
	dev->eqs[eq->eqn] = eq;
	return XRDMA_CMD_OK;
}

static void eq_free(struct model_device *dev, struct model_eq *eq)
{
	dev->eqs[eq->eqn] = NULL;
	free(eq->waiting);
	free(eq);
}

/**
 * model_eq_destroy - DESTROY_EQ
 * @dev: the device
 * @eqn: number
 *
 * Events that wait for room in the queue are lost.
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_eq_destroy(struct model_device *dev, u32 eqn)
{
	struct model_eq *eq = model_eq_get(dev, eqn);

	if (!eq)
		return XRDMA_CMD_BAD_NUMBER;
	if (eq->users)
		return XRDMA_CMD_BUSY;
	eq_free(dev, eq);
	return XRDMA_CMD_OK;
}

/**
 * model_eqs_reset - destroy all event queues
 * @dev: the device; its CQs are destroyed
 */
void model_eqs_reset(struct model_device *dev)
{
	u32 i;

	for (i = 0; i < MODEL_MAX_EQ; i++)
		if (dev->eqs[i])
			eq_free(dev, dev->eqs[i]);
	dev->eqs_stalled = false;
}
