// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Extended reliable connections. Requester and responder are those of reliable
 * ones; all that differs is that each request names a shared receive queue,
 * which has the protection domain and the completion queue that the responding
 * queue pair lacks.
 */
#include "core/device.h"
#include "packet/pkt.h"
#include "transport/conn.h"
#include "transport/xrc.h"

/* The queue of a number, if requests to @qp may name it. */
static struct model_srq *find(const struct model_qp *qp, u32 srqn)
{
	struct model_srq *srq = model_srq_get(qp->dev, srqn);

	return srq && srq->xrcd == qp->xrcd ? srq : NULL;
}

/**
 * model_xrc_request() - turn to the queue that a request names
 * @qp: the queue pair; of other types there is nothing to do
 * @pkt: the request, next in sequence
 *
 * All packets of a message name the same.
 *
 * Return: false if there is none that it may name.
 */
bool model_xrc_request(struct model_qp *qp, const struct model_pkt *pkt)
{
	struct model_srq *srq;

	if (qp->type != XRDMA_QP_XRC_TGT)
		return true;
	srq = find(qp, pkt->srqn);
	if (!srq || (qp->tp->resp.message && srq != qp->srq))
		return false;
	qp->srq = srq;
	qp->pd = srq->pd;
	return true;
}

/**
 * model_xrc_answer() - have the protection domain that an answer needs
 * @qp: the queue pair; of other types there is nothing to do
 * @srqn: of the request that is answered
 *
 * The next request brings its own.
 *
 * Return: false if the queue is gone.
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
