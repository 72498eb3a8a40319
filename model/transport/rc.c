// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The functions that the core calls for queue pairs of types RC, UC and XRC.
 * They call the requester (requester.c) and the responder (responder.c) of the
 * queue pair; XRC_INI has only a requester, XRC_TGT only a responder.
 *
 * Received packets come from rx.c, not through these functions.
 */

#include <errno.h>
#include <stdlib.h>

#include "core/device.h"
#include "transport/answer.h"
#include "transport/conn.h"

static bool has_requester(const struct model_qp *qp)
{
	return qp->type != XRDMA_QP_XRC_TGT;
}

static bool has_responder(const struct model_qp *qp)
{
	return qp->type != XRDMA_QP_XRC_INI;
}

static u8 transport(u8 type)
{
	if (type == XRDMA_QP_UC)
		return MODEL_BTH_UC;
	return type == XRDMA_QP_RC ? MODEL_BTH_RC : MODEL_BTH_XRC;
}

/* Called by congestion control when the queue pair may send the next packet. */
static void may_send_again(struct model_qp *qp)
{
	model_qp_activate(qp);
	model_answer_resume(qp);
}

static void conn_destroy(struct model_qp *qp)
{
	model_requester_destroy(qp);
	model_responder_destroy(qp);
	free(qp->tp);
	qp->tp = NULL;
}

static int conn_init(struct model_qp *qp)
{
	int err = 0;

	qp->tp = calloc(1, sizeof(*qp->tp));
	if (!qp->tp)
		return -ENOMEM;
	qp->tp->tx.transport = transport(qp->type);
	model_cc_init(qp, may_send_again);
	if (has_requester(qp))
		err = model_requester_init(qp);
	if (!err && has_responder(qp))
		err = model_responder_init(qp);
	if (err)
		conn_destroy(qp);
	return err;
}

/*
 * UC only, from SQE to RTS: continue after the entries that were flushed. The
 * peer finds that the PSNs of those entries are missing.
 */
static void resume(struct model_qp *qp)
{
	struct model_requester *req = &qp->tp->req;

	model_requester_stop(qp);
	req->send_psn = req->psn;
	req->una_psn = req->psn;
	req->max_psn = req->psn;
}

static void conn_modify(struct model_qp *qp, u32 mask, u8 old)
{
	qp->tp->tx.valid = false;
	if (old == XRDMA_QPS_SQE)
		resume(qp);
	if (has_requester(qp))
		model_requester_modify(qp, mask);
	if (has_responder(qp))
		model_responder_modify(qp, mask);
}

static void conn_stop(struct model_qp *qp, bool sq_only)
{
	if (has_requester(qp))
		model_requester_stop(qp);
	model_cc_stop(qp);
	if (has_responder(qp) && !sq_only)
		model_responder_stop(qp);
}

static void conn_resume(struct model_qp *qp, enum model_wait_side side)
{
	switch (side) {
	case MODEL_WAIT_REQUESTER:
		model_requester_resume(qp);
		break;
	case MODEL_WAIT_RESPONDER:
		model_parked_replay(qp);
		break;
	default:
		model_answer_resume(qp);
	}
}

static void conn_query(const struct model_qp *qp, struct xrdma_qp_attr *attr)
{
	attr->sq_psn = cpu_to_le32(qp->tp->req.psn);
	attr->rq_psn = cpu_to_le32(qp->tp->resp.psn);
}

const struct model_qp_ops model_conn_ops = {
	.init = conn_init,
	.modify = conn_modify,
	.stop = conn_stop,
	.destroy = conn_destroy,
	.run = model_requester_run,
	.resume = conn_resume,
	.idle = model_requester_idle,
	.query = conn_query,
};
