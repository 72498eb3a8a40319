// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The list of active queue pairs: those that the device polls. When a queue pair is
 * put on the list is decided by its callers; doorbell.c gives each of them its turn.
 */
#include "core/device.h"
#include "core/qp.h"

/**
 * model_qp_activate - poll a queue pair from now on
 * @qp: the queue pair; nothing happens unless it is in RTS or SQD, and sends
 *
 * For doorbells, and for the transport when something happened that lets
 * model_qp_ops.run() go on.
 */
void model_qp_activate(struct model_qp *qp)
{
	struct model_device *dev = qp->dev;

	if (!qp->sq.log_stride ||
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
 * model_qp_deactivate - poll a queue pair no more
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
