// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The functions that datagram queue pairs and raw packet queue pairs share:
 * their state, and the loop that sends posted entries while the wire has room.
 * The sending of one entry is in ud.c and eth.c.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/device.h"
#include "transport/conn.h"
#include "transport/room.h"
#include "transport/sends.h"

/* Entries that a queue pair sends at most in one call of model_sends_run(). */
#define BUDGET	64

/**
 * model_sends_init() - allocate the transport's state
 * @qp: the queue pair, in RESET
 *
 * Return: 0 or -ENOMEM.
 */
int model_sends_init(struct model_qp *qp)
{
	qp->tp = calloc(1, sizeof(*qp->tp));
	if (!qp->tp)
		return -ENOMEM;
	model_room_init(qp, MODEL_WAIT_REQUESTER, model_qp_activate);
	qp->tp->recv = malloc(MODEL_WQE_MAX);
	if (qp->tp->recv)
		return 0;
	free(qp->tp);
	qp->tp = NULL;
	return -ENOMEM;
}

/**
 * model_sends_destroy() - free what model_sends_init() allocated
 * @qp: the queue pair
 */
void model_sends_destroy(struct model_qp *qp)
{
	free(qp->tp->recv);
	free(qp->tp);
	qp->tp = NULL;
}

/**
 * model_sends_stop() - do not wait for room any more; no entry is in flight
 * @qp: the queue pair
 * @sq_only: true if receives continue
 */
void model_sends_stop(struct model_qp *qp, bool sq_only)
{
	(void)sq_only;
	model_room_leave(&qp->rooms[MODEL_WAIT_REQUESTER]);
}

/**
 * model_sends_resume() - continue after a wait for a page
 * @qp: the queue pair
 * @side: part of the queue pair: only the send queue waits
 */
void model_sends_resume(struct model_qp *qp, enum model_wait_side side)
{
	(void)side;
	model_qp_activate(qp);
}

/**
 * model_sends_idle() - check whether every entry that was sent is complete
 * @qp: the queue pair
 *
 * Return: true if all of them are complete.
 */
bool model_sends_idle(const struct model_qp *qp)
{
	return qp->tp->req.next == qp->sq.ci;
}

/**
 * model_sends_run() - send posted entries, which need no acknowledgment
 * @qp: a queue pair without a connection
 * @send_one: sends the oldest entry, @wqe; returns false if the queue pair must not
 *	send the next entry. The function asks for room. If the entry has to wait
 *	for room or for a page, the function calls model_conn_rewind(), else it
 *	completes the entry.
 *
 * If the wire has no room, the queue pair is woken when there is room.
 *
 * Return: true if there was work.
 */
bool model_sends_run(struct model_qp *qp,
		     bool (*send_one)(struct model_qp *qp,
				      const struct xrdma_sq_wqe *wqe))
{
	u8 wqe[MODEL_WQE_MAX] __attribute__((aligned(8)));
	struct model_room_waiter *room = &qp->rooms[MODEL_WAIT_REQUESTER];
	struct model_requester *req = &qp->tp->req;
	unsigned int budget = BUDGET;
	u32 first = req->next;

	while (budget-- && qp->state == XRDMA_QPS_RTS &&
	       !model_qp_waits(qp, MODEL_WAIT_REQUESTER) &&
	       req->next != qp->sq.pi) {
		if (model_qp_read_sq(qp, req->next, req->next_place, wqe))
			return true;
		req->next++;
		req->next_place = model_sq_next(qp, req->next_place,
						(void *)wqe);
		if (!send_one(qp, (void *)wqe)) {
			if (room->waits)
				break;
			return true;
		}
	}
	model_room_end(room);
	return req->next != first;
}
