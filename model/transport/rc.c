// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Connections, reliable, extended reliable and unreliable: what a queue pair of
 * these types does is what its requester and its responder do. The two ends of
 * an extended one have only one of them each.
 */

#include "core/device.h"

static bool requests(const struct xrdma_qp *qp)
{
	return qp->type != XRDMA_QP_XRC_TGT;
}

static bool responds(const struct xrdma_qp *qp)
{
	return qp->type != XRDMA_QP_XRC_INI;
}

static u8 transport(u8 type)
{
	if (type == XRDMA_QP_UC)
		return XRDMA_BTH_UC;
	return type == XRDMA_QP_RC ? XRDMA_BTH_RC : XRDMA_BTH_XRC;
}

static int conn_init(struct xrdma_qp *qp)
{
	int err = 0;

	qp->tx.valid = false;
	qp->tx.transport = transport(qp->type);
	xrdma_cc_init(qp);
	if (requests(qp))
		err = xrdma_requester_init(qp);
	if (err)
		return err;
	if (responds(qp))
		err = xrdma_responder_init(qp);
	if (err)
		xrdma_requester_destroy(qp);
	return err;
}

/* Go on behind what was flushed in SQE, as UC can; the peer sees a gap. */
static void resume(struct xrdma_qp *qp)
{
	struct xrdma_requester *req = &qp->req;

	xrdma_requester_stop(qp);
	req->send_psn = req->psn;
	req->una_psn = req->psn;
	req->max_psn = req->psn;
}

static void conn_modify(struct xrdma_qp *qp, u32 mask, u8 old)
{
	qp->tx.valid = false;
	if (old == XRDMA_QPS_SQE)
		resume(qp);
	if (requests(qp))
		xrdma_requester_modify(qp, mask);
	if (responds(qp))
		xrdma_responder_modify(qp, mask);
}

static void conn_stop(struct xrdma_qp *qp, bool sq_only)
{
	if (requests(qp))
		xrdma_requester_stop(qp);
	xrdma_cc_stop(qp);
	if (responds(qp) && !sq_only)
		xrdma_responder_stop(qp);
}

static void conn_destroy(struct xrdma_qp *qp)
{
	xrdma_requester_destroy(qp);
	xrdma_responder_destroy(qp);
}

static void conn_query(const struct xrdma_qp *qp, struct xrdma_qp_attr *attr)
{
	attr->sq_psn = cpu_to_le32(qp->req.psn);
	attr->rq_psn = cpu_to_le32(qp->resp.psn);
}

#define CONN_OPS							\
	{								\
		.init = conn_init,					\
		.modify = conn_modify,					\
		.stop = conn_stop,					\
		.destroy = conn_destroy,				\
		.run = xrdma_requester_run,				\
		.idle = xrdma_requester_idle,				\
		.query = conn_query,					\
	}

const struct xrdma_qp_ops xrdma_rc_ops = CONN_OPS;
const struct xrdma_qp_ops xrdma_uc_ops = CONN_OPS;
const struct xrdma_qp_ops xrdma_xrc_ops = CONN_OPS;
