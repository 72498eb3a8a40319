// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Extended reliable connections: each request names a shared receive queue
 * (SRQ), which has the protection domain and the completion queue that a queue
 * pair of type XRC_TGT lacks. This file selects that SRQ.
 *
 * Requester (requester.c) and responder (responder.c) are those of reliable
 * connections.
 */
#include "core/device.h"
#include "packet/pkt.h"
#include "transport/conn.h"
#include "transport/xrc.h"

/* Return: the SRQ number @srqn, or NULL if requests to @qp must not name it. */
static struct model_srq *find(const struct model_qp *qp, u32 srqn)
{
	struct model_srq *srq = model_srq_get(qp->dev, srqn);

	return srq && srq->xrcd == qp->xrcd ? srq : NULL;
}

/**
 * model_xrc_request() - select the SRQ that a request names
 * @qp: the queue pair; does nothing if its type is not XRC_TGT
 * @pkt: the request, next in sequence
 *
 * All packets of a message must name the same SRQ.
 *
 * Return: false if the request must not name that SRQ.
 */
bool model_xrc_request(struct model_qp *qp, const struct model_pkt *pkt)
{
	struct model_srq *srq;

	if (qp->type != XRDMA_QP_XRC_TGT)
		return true;
	srq = find(qp, pkt->srqn);
	if (!srq || (qp->tp->resp.message && srq != qp->srq))
		return false;
	model_qp_set_srq(qp, srq);
	qp->pd = srq->pd;
	return true;
}

/**
 * model_xrc_answer() - set the protection domain for the access of an answer
 * @qp: the queue pair; does nothing if its type is not XRC_TGT
 * @srqn: number of the SRQ that the answered request named
 *
 * model_xrc_request() sets the protection domain of the next request.
 *
 * Return: false if the SRQ has been destroyed.
 */
bool model_xrc_answer(struct model_qp *qp, u32 srqn)
{
	const struct model_srq *srq;

	if (qp->type != XRDMA_QP_XRC_TGT)
		return true;
	srq = find(qp, srqn);
	if (srq)
		qp->pd = srq->pd;
	return srq;
}
