// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copies of request packets that wait for a page, the limits of their number and
 * memory, and the list of queue pairs whose wait is over. responder.c parks the
 * packets and executes them.
 */
#include <stdlib.h>
#include <string.h>

#include "core/device.h"
#include "transport/conn.h"
#include "transport/parked.h"

/**
 * model_parked_init() - initialize the list of a queue pair
 * @qp: the queue pair; no packet waits
 */
void model_parked_init(struct model_qp *qp)
{
	TAILQ_INIT(&qp->tp->resp.parked.pkts);
}

static u32 size_of(const struct model_pkt *pkt)
{
	return sizeof(struct model_parked_pkt) + pkt->len;
}

/* Return: true if a copy of @size bytes may be made for @qp. */
static bool has_room(const struct model_qp *qp, u32 size)
{
	const struct model_device *dev = qp->dev;

	return dev->parked_bytes + size <= MODEL_PARKED_BYTES &&
	       dev->parked_of_pd[qp->pd] + size <= MODEL_PARKED_BYTES_PD;
}

/**
 * model_parked_copy() - copy a packet
 * @qp: the queue pair
 * @pkt: the packet
 *
 * Return: the copy, for model_parked_free(); NULL: there is no room, or no
 * memory.
 */
struct model_parked_pkt *model_parked_copy(struct model_qp *qp,
					   const struct model_pkt *pkt)
{
	struct model_parked_pkt *parked;

	if (!has_room(qp, size_of(pkt)))
		return NULL;
	parked = malloc(size_of(pkt));
	if (!parked)
		return NULL;
	parked->pd = qp->pd;
	parked->pkt = *pkt;
	parked->pkt.payload = parked->payload;
	if (pkt->len)
		memcpy(parked->payload, pkt->payload, pkt->len);
	qp->dev->parked_bytes += size_of(pkt);
	qp->dev->parked_of_pd[parked->pd] += size_of(pkt);
	return parked;
}

/**
 * model_parked_free() - free a copy
 * @qp: the queue pair
 * @parked: the copy, in no list
 */
void model_parked_free(struct model_qp *qp, struct model_parked_pkt *parked)
{
	qp->dev->parked_bytes -= size_of(&parked->pkt);
	qp->dev->parked_of_pd[parked->pd] -= size_of(&parked->pkt);
	free(parked);
}

/**
 * model_parked_add() - copy a packet to the end of the list
 * @qp: the queue pair
 * @pkt: the packet
 *
 * Return: false if there is no room, or no memory.
 */
bool model_parked_add(struct model_qp *qp, const struct model_pkt *pkt)
{
	struct model_parked *list = &qp->tp->resp.parked;
	struct model_parked_pkt *parked;

	if (list->num == MODEL_PARKED_MAX)
		return false;
	parked = model_parked_copy(qp, pkt);
	if (!parked)
		return false;
	TAILQ_INSERT_TAIL(&list->pkts, parked, link);
	list->num++;
	return true;
}

/**
 * model_parked_take() - remove the first packet of the list
 * @qp: the queue pair
 *
 * Return: the packet, for model_parked_free() or model_parked_put_back(); NULL
 * if none waits.
 */
struct model_parked_pkt *model_parked_take(struct model_qp *qp)
{
	struct model_parked *list = &qp->tp->resp.parked;
	struct model_parked_pkt *parked = TAILQ_FIRST(&list->pkts);

	if (!parked)
		return NULL;
	TAILQ_REMOVE(&list->pkts, parked, link);
	list->num--;
	return parked;
}

/**
 * model_parked_put_back() - make a packet the first one of the list again
 * @qp: the queue pair
 * @parked: the packet, from model_parked_take()
 */
void model_parked_put_back(struct model_qp *qp, struct model_parked_pkt *parked)
{
	struct model_parked *list = &qp->tp->resp.parked;

	TAILQ_INSERT_HEAD(&list->pkts, parked, link);
	list->num++;
}

/**
 * model_parked_clear() - free all packets of the list
 * @qp: the queue pair
 */
void model_parked_clear(struct model_qp *qp)
{
	struct model_parked_pkt *parked;

	while ((parked = model_parked_take(qp)))
		model_parked_free(qp, parked);
	qp->tp->resp.parked.overflow = false;
	qp->tp->resp.parked.gap = false;
	model_parked_end_replay(qp);
}

/**
 * model_parked_replay() - append a queue pair to model_device.replaying
 * @qp: the queue pair, whose wait is over
 */
void model_parked_replay(struct model_qp *qp)
{
	if (qp->tp->resp.parked.replay)
		return;
	qp->tp->resp.parked.replay = true;
	TAILQ_INSERT_TAIL(&qp->dev->replaying, qp, tp->resp.parked.link);
}

/**
 * model_parked_end_replay() - remove a queue pair from model_device.replaying
 * @qp: the queue pair
 */
void model_parked_end_replay(struct model_qp *qp)
{
	if (!qp->tp->resp.parked.replay)
		return;
	qp->tp->resp.parked.replay = false;
	TAILQ_REMOVE(&qp->dev->replaying, qp, tp->resp.parked.link);
}
