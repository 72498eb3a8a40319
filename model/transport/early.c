// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copies of request packets that have arrived before an earlier one, in the
 * order of their PSNs. responder.c keeps the packets and executes them; parked.c
 * copies them, and limits their memory.
 */
#include "core/device.h"
#include "packet/psn.h"
#include "transport/conn.h"
#include "transport/early.h"

/**
 * model_early_init() - initialize the list of a queue pair
 * @qp: the queue pair; it has no early packets
 */
void model_early_init(struct model_qp *qp)
{
	TAILQ_INIT(&qp->tp->resp.early.pkts);
}

/**
 * model_early_keep() - keep a packet, if there is room and memory
 * @qp: the queue pair
 * @pkt: the packet; its PSN is after the expected one
 *
 * A packet that is not kept has to be sent again by the peer.
 *
 * Return: true: the packet is kept, or was kept before; false: it is too far from
 * the expected PSN, or there is no room or no memory.
 */
bool model_early_keep(struct model_qp *qp, const struct model_pkt *pkt)
{
	struct model_parked_pkts *pkts = &qp->tp->resp.early.pkts;
	struct model_parked_pkt *before, *copy;

	if (model_psn_diff(pkt->psn, qp->tp->resp.psn) > MODEL_EARLY_MAX)
		return false;
	TAILQ_FOREACH_REVERSE(before, pkts, model_parked_pkts, link)
		if (model_psn_diff(before->pkt.psn, pkt->psn) <= 0)
			break;
	if (before && before->pkt.psn == pkt->psn) {
		model_qp_stat_add(qp, XRDMA_STAT_DUPLICATES, 1);
		return true;
	}
	copy = model_parked_copy(qp, pkt);
	if (!copy)
		return false;
	if (before)
		TAILQ_INSERT_AFTER(pkts, before, copy, link);
	else
		TAILQ_INSERT_HEAD(pkts, copy, link);
	return true;
}

/**
 * model_early_take() - remove the packet that is next
 * @qp: the queue pair
 * @psn: PSN of the next packet. Packets before it are freed: the peer has sent
 *	two different packets of one PSN
 *
 * Return: the packet, for model_parked_free(); NULL: it has not arrived.
 */
struct model_parked_pkt *model_early_take(struct model_qp *qp, u32 psn)
{
	struct model_parked_pkts *pkts = &qp->tp->resp.early.pkts;
	struct model_parked_pkt *first;

	while ((first = TAILQ_FIRST(pkts))) {
		s32 ahead = model_psn_diff(first->pkt.psn, psn);

		if (ahead > 0)
			return NULL;
		TAILQ_REMOVE(pkts, first, link);
		if (!ahead)
			return first;
		model_parked_free(qp, first);
	}
	return NULL;
}

/**
 * model_early_any() - does the queue pair have early packets?
 * @qp: the queue pair
 *
 * Return: true if it has.
 */
bool model_early_any(const struct model_qp *qp)
{
	return !TAILQ_EMPTY(&qp->tp->resp.early.pkts);
}

/**
 * model_early_clear() - free all early packets
 * @qp: the queue pair
 */
void model_early_clear(struct model_qp *qp)
{
	struct model_parked_pkts *pkts = &qp->tp->resp.early.pkts;
	struct model_parked_pkt *first;

	while ((first = TAILQ_FIRST(pkts))) {
		TAILQ_REMOVE(pkts, first, link);
		model_parked_free(qp, first);
	}
}
