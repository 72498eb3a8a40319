// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Reliable connections: what a queue pair of this type does is what its
 * requester and its responder do.
 */

#include "device.h"

static int rc_init(struct xrdma_qp *qp)
{
	int err;

	qp->tx.valid = false;
	err = xrdma_requester_init(qp);
	if (err)
		return err;
	err = xrdma_responder_init(qp);
	if (err)
		xrdma_requester_destroy(qp);
	return err;
}

static void rc_modify(struct xrdma_qp *qp, u32 mask, u8 old)
{
	(void)old;
	qp->tx.valid = false;
	xrdma_requester_modify(qp, mask);
	xrdma_responder_modify(qp, mask);
}

static void rc_stop(struct xrdma_qp *qp, bool sq_only)
{
	xrdma_requester_stop(qp);
	if (!sq_only)
		xrdma_responder_stop(qp);
}

static void rc_destroy(struct xrdma_qp *qp)
{
	xrdma_requester_destroy(qp);
	xrdma_responder_destroy(qp);
}

static void rc_query(const struct xrdma_qp *qp, struct xrdma_qp_attr *attr)
{
	attr->sq_psn = cpu_to_le32(qp->req.psn);
	attr->rq_psn = cpu_to_le32(qp->resp.psn);
}

const struct xrdma_qp_ops xrdma_rc_ops = {
	.init = rc_init,
	.modify = rc_modify,
	.stop = rc_stop,
	.destroy = rc_destroy,
	.run = xrdma_requester_run,
	.idle = xrdma_requester_idle,
	.query = rc_query,
};
