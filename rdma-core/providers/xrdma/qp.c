// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: creates, modifies, queries and destroys queue pairs. Sizes
 * and buffers of their rings are in qp_size.c, the table that leads from a QPN
 * to its queue pair in qp_table.c. Queue pairs of another process are opened in
 * xrc.c, those with an indirection table are created by a command of rwq.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ring.h"
#include "xrdma-abi.h"

/* ---- creation -------------------------------------------------------- */

/* Create a queue pair without an indirection table in the driver. */
static int xrdma_cmd_create_qp(struct ibv_context *ibctx, struct xrdma_qp *qp,
			       const struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_qp_init_attr_ex uverbs_attr = *attr;
	struct xrdma_cmd_create_qp_resp resp = {};
	struct xrdma_cmd_create_qp cmd = {};
	int err;

	uverbs_attr.comp_mask &= IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_XRCD;
	cmd.buf_addr = (uintptr_t)qp->buf.addr;
	cmd.log_sq_depth = xrdma_wq_log_depth(&qp->sq);
	cmd.sq_units = qp->sq.units;
	cmd.log_rq_depth = xrdma_wq_log_depth(&qp->rq);
	cmd.log_rq_stride = qp->rq.log_stride;
	if (!qp->ops)
		memset(&uverbs_attr.cap, 0, sizeof(uverbs_attr.cap));
	if (!qp->rq.depth) {
		uverbs_attr.cap.max_recv_wr = 0;
		uverbs_attr.cap.max_recv_sge = 0;
	}
	err = ibv_cmd_create_qp_ex(ibctx, &qp->verbs_qp, &uverbs_attr,
				   &cmd.ibv_cmd, sizeof(cmd), &resp.ibv_resp,
				   sizeof(resp));
	if (err)
		return err;

	qp->qpn = resp.drv_payload.qpn;
	return 0;
}

/*
 * Create a queue pair in the driver, and enter it in the table of queue pairs.
 * Return: 0 or an errno.
 */
static int xrdma_register_qp(struct ibv_context *ibctx, struct xrdma_qp *qp,
			     struct ibv_qp_init_attr_ex *attr)
{
	int err;

	if (attr->comp_mask & IBV_QP_INIT_ATTR_IND_TABLE)
		err = xrdma_cmd_create_rss(ibctx, qp, attr);
	else
		err = xrdma_cmd_create_qp(ibctx, qp, attr);
	if (err)
		return err;

	err = xrdma_insert_qp(to_xctx(ibctx), qp);
	if (err)
		ibv_cmd_destroy_qp(&qp->verbs_qp.qp);
	return err;
}

static int xrdma_setup_qp(struct ibv_context *ibctx, struct xrdma_qp *qp,
			  struct xrdma_pd *pd, struct ibv_qp_init_attr_ex *attr)
{
	bool extended = attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	int err;

	err = xrdma_size_qp(to_xctx(ibctx), qp, attr);
	if (err)
		return err;
	if (extended) {
		err = xrdma_setup_wr(qp, attr->send_ops_flags);
		if (err)
			return err;
	}
	if (qp->ops) {
		err = xrdma_alloc_rings(qp, pd);
		if (err)
			goto err_free_bound_mws;
	}
	err = xrdma_register_qp(ibctx, qp, attr);
	if (err)
		goto err_free_buf;
	xrdma_alloc_slot(to_xctx(ibctx), qp);
	if (extended)
		qp->verbs_qp.comp_mask |= VERBS_QP_EX;
	return 0;

err_free_buf:
	xrdma_free_buf(&qp->buf);
err_free_bound_mws:
	free(qp->bound_mws);
	return err;
}

/* Set the members that follow from context, domain and attributes. */
static void xrdma_init_qp(struct xrdma_context *ctx, struct xrdma_qp *qp,
			  struct xrdma_pd *pd,
			  const struct ibv_qp_init_attr_ex *attr)
{
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_IND_TABLE))
		qp->ops = xrdma_qp_ops(attr->qp_type);
	qp->datagram = attr->qp_type == IBV_QPT_UD;
	qp->xrc = attr->qp_type == IBV_QPT_XRC_SEND;
	qp->db = ctx->db + XRDMA_DB_SQ;
	qp->shadow_db = ctx->shadow_db;
	qp->force_flags = attr->sq_sig_all ? IBV_SEND_SIGNALED : 0;
	xrdma_lock_init(&qp->sq.lock, ctx, pd);
	xrdma_lock_init(&qp->rq.lock, ctx, pd);
}

static struct ibv_qp *xrdma_new_qp(struct ibv_context *ibctx,
				   struct ibv_qp_init_attr_ex *attr)
{
	struct xrdma_pd *pd = NULL;
	struct xrdma_qp *qp;
	int err;

	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;

	if (attr->comp_mask & IBV_QP_INIT_ATTR_PD)
		pd = to_xpd(attr->pd);
	xrdma_init_qp(to_xctx(ibctx), qp, pd, attr);
	err = xrdma_setup_qp(ibctx, qp, pd, attr);
	if (err) {
		free(qp);
		errno = err;
		return NULL;
	}
	xrdma_report_cap(qp, &attr->cap);
	return &qp->verbs_qp.qp;
}

static int xrdma_check_attr_ex(const struct ibv_qp_init_attr_ex *attr)
{
	uint32_t needed = IBV_QP_INIT_ATTR_PD;

	if (attr->comp_mask & ~(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_XRCD |
				IBV_QP_INIT_ATTR_CREATE_FLAGS |
				IBV_QP_INIT_ATTR_IND_TABLE |
				IBV_QP_INIT_ATTR_RX_HASH |
				IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))
		return EOPNOTSUPP;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS &&
	    attr->create_flags)
		return EOPNOTSUPP;
	if (attr->qp_type == IBV_QPT_XRC_RECV)
		needed = IBV_QP_INIT_ATTR_XRCD;
	else if (!xrdma_qp_ops(attr->qp_type))
		return EOPNOTSUPP;
	return attr->comp_mask & needed ? 0 : EINVAL;
}

/**
 * xrdma_create_qp_ex() - ibv_create_qp_ex()
 * @ibctx: open device
 * @attr: attributes; the capacities are set to what the queue pair has
 *
 * Return: the queue pair, or NULL and errno.
 */
struct ibv_qp *xrdma_create_qp_ex(struct ibv_context *ibctx,
				  struct ibv_qp_init_attr_ex *attr)
{
	int err;

	err = xrdma_check_attr_ex(attr);
	if (err) {
		errno = err;
		return NULL;
	}
	return xrdma_new_qp(ibctx, attr);
}

/**
 * xrdma_create_qp() - ibv_create_qp()
 * @ibpd: protection domain
 * @attr: attributes; the capacities are set to what the queue pair has
 *
 * Return: the queue pair, or NULL and errno.
 */
struct ibv_qp *xrdma_create_qp(struct ibv_pd *ibpd,
			       struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex attr_ex = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = ibpd,
	};
	struct ibv_qp *ibqp;

	ibqp = xrdma_create_qp_ex(ibpd->context, &attr_ex);
	if (ibqp)
		attr->cap = attr_ex.cap;
	return ibqp;
}

/* ---- modification and destruction ------------------------------------- */

/*
 * Empty a queue pair that was modified to RESET: the device has stopped it, and
 * starts at index 0 again.
 */
static void xrdma_restart_qp(struct xrdma_qp *qp)
{
	xrdma_remove_completions(qp);

	xrdma_lock(&qp->sq.lock);
	xrdma_lock(&qp->rq.lock);
	xrdma_restart_wq(&qp->sq);
	xrdma_restart_wq(&qp->rq);
	if (qp->rec)
		memset(qp->rec, 0, sizeof(*qp->rec));
	xrdma_unlock(&qp->rq.lock);
	xrdma_unlock(&qp->sq.lock);
}

/**
 * xrdma_modify_qp() - ibv_modify_qp()
 * @ibqp: queue pair
 * @attr: new attributes
 * @attr_mask: enum ibv_qp_attr_mask
 *
 * Return: 0 or an errno.
 */
int xrdma_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
		    int attr_mask)
{
	struct ibv_modify_qp cmd = {};
	int err;

	err = ibv_cmd_modify_qp(ibqp, attr, attr_mask, &cmd, sizeof(cmd));
	if (err)
		return err;

	if (attr_mask & IBV_QP_STATE && attr->qp_state == IBV_QPS_RESET)
		xrdma_restart_qp(to_xqp(ibqp));
	return 0;
}

/**
 * xrdma_query_qp() - ibv_query_qp()
 * @ibqp: queue pair
 * @attr: gets the attributes
 * @attr_mask: enum ibv_qp_attr_mask
 * @init_attr: gets the attributes of creation
 *
 * Return: 0 or an errno.
 */
int xrdma_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
		   int attr_mask, struct ibv_qp_init_attr *init_attr)
{
	struct ibv_query_qp cmd;
	int err;

	err = ibv_cmd_query_qp(ibqp, attr, attr_mask, init_attr, &cmd,
			       sizeof(cmd));
	if (err)
		return err;

	xrdma_report_cap(to_xqp(ibqp), &init_attr->cap);
	attr->cap = init_attr->cap;
	return 0;
}

/**
 * xrdma_destroy_qp() - ibv_destroy_qp()
 * @ibqp: queue pair
 *
 * Return: 0, or an errno if the queue pair still exists.
 */
int xrdma_destroy_qp(struct ibv_qp *ibqp)
{
	struct xrdma_qp *qp = to_xqp(ibqp);
	int err;

	err = ibv_cmd_destroy_qp(ibqp);
	if (err)
		return err;

	xrdma_remove_qp(to_xctx(ibqp->context), qp);
	xrdma_free_slot(to_xctx(ibqp->context), qp);
	xrdma_lock_destroy(&qp->rq.lock);
	xrdma_lock_destroy(&qp->sq.lock);
	xrdma_free_buf(&qp->buf);
	free(qp->bound_mws);
	free(qp);
	return 0;
}
