// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The list of active queue pairs, which the device polls. doorbell.c polls the
 * queue pairs on the list, and removes idle ones.
 */
#include "core/device.h"
#include "core/qp.h"

/**
 * model_qp_activate - poll a queue pair from now on
 * @qp: the queue pair; nothing happens unless it is in RTS or SQD, and has a
 *	send queue, or while its requester waits for room on the wire
 *
 * Called for doorbells, and by the transport when an event allows
 * model_qp_ops.run() to continue.
 */
void model_qp_activate(struct model_qp *qp)
{
	struct model_device *dev = qp->dev;

	if (!qp->sq.units || qp->rooms[MODEL_WAIT_REQUESTER].waits ||
	    (qp->state != XRDMA_QPS_RTS && qp->state != XRDMA_QPS_SQD))
		return;
	qp->last_work_ns = model_device_clock(dev);
	if (qp->active)
		return;
	qp->active = true;
	TAILQ_INSERT_TAIL(&dev->active, qp, link);
	dev->num_active++;
}

/**
 * model_qp_deactivate - stop polling a queue pair
 * @qp: the queue pair
 */
void model_qp_deactivate(struct model_qp *qp)
{
	if (!qp->active)
		return;
	qp->active = false;
	TAILQ_REMOVE(&qp->dev->active, qp, link);
	qp->dev->num_active--;
}
