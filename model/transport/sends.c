// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs without a connection: what their types have in common. In its turn, one
 * sends what is posted, as far as the wire has room. What an entry becomes is in ud.c
 * and eth.c.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/device.h"
#include "transport/conn.h"
#include "transport/sends.h"
#include "wire/wire.h"

/* Entries that a queue pair sends in one turn. */
#define BUDGET	64

/**
 * model_sends_init() - start afresh
 * @qp: the queue pair, in RESET
 *
 * Return: 0 or -ENOMEM.
 */
int model_sends_init(struct model_qp *qp)
{
	qp->tp = calloc(1, sizeof(*qp->tp));
	return qp->tp ? 0 : -ENOMEM;
}

/**
 * model_sends_destroy() - free what model_sends_init() allocated
 * @qp: the queue pair
 */
void model_sends_destroy(struct model_qp *qp)
{
	free(qp->tp);
	qp->tp = NULL;
}

/**
 * model_sends_stop() - end all activity, of which there is none between two turns
 * @qp: the queue pair
 * @sq_only: receives go on
 */
void model_sends_stop(struct model_qp *qp, bool sq_only)
{
	(void)qp;
	(void)sq_only;
}

/**
 * model_sends_idle() - is every entry that was taken up complete?
 * @qp: the queue pair
 *
 * Return: true if it is.
 */
bool model_sends_idle(const struct model_qp *qp)
{
	return qp->tp->req.next == qp->sq.ci;
}

/**
 * model_sends_run() - send what is posted, where nothing is acknowledged
 * @qp: a queue pair without a connection
 * @send_one: sends the entry of an index, of which it gets a copy; false if the
 *	queue pair is not to go on
 *
 * Return: true if there was work, or it waits for room: nobody would wake it.
 */
bool model_sends_run(struct model_qp *qp,
		     bool (*send_one)(struct model_qp *qp, u32 index,
				      const struct xrdma_sq_wqe *wqe))
{
	u8 wqe[MODEL_WQE_MAX] __attribute__((aligned(8)));
	unsigned int budget = BUDGET;
	u32 first = qp->tp->req.next;

	while (budget-- && qp->state == XRDMA_QPS_RTS &&
	       qp->tp->req.next != qp->sq.pi)
		if (!model_wire_room(qp->dev->wire) ||
		    model_qp_read_sq(qp, qp->tp->req.next, wqe) ||
		    !send_one(qp, qp->tp->req.next++, (void *)wqe))
			return true;
	return qp->tp->req.next != first;
}
