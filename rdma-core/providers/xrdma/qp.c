// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: queue pairs: their rings, their life, and the table in which
 * a poller finds them. Must not know: what an entry of a ring looks like
 * beyond its size.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "xrdma-abi.h"
#include "xrdma.h"

#define XRDMA_SQ_LOG_STRIDE_MIN	6
#define XRDMA_RQ_LOG_STRIDE_MIN	5
#define XRDMA_LOG_STRIDE_MAX	10

/* Any entry holds these, whatever the capacities. */
static_assert(sizeof(struct xrdma_sq_wqe) + sizeof(struct xrdma_atomic_seg) +
	      sizeof(struct xrdma_sge) <= 1 << XRDMA_SQ_LOG_STRIDE_MIN,
	      "an atomic has one scatter-gather entry");
static_assert(sizeof(struct xrdma_sq_wqe) + sizeof(struct xrdma_bind_seg) <=
	      1 << XRDMA_SQ_LOG_STRIDE_MIN, "a bind has none");

/* ---- table of queue pairs -------------------------------------------- */

/**
 * xrdma_find_qp() - queue pair of a number
 * @ctx: context
 * @qpn: from a completion
 *
 * Context: lock of a completion queue that still holds an entry of @qpn; its
 * leaf therefore stays.
 *
 * Return: the queue pair or NULL.
 */
struct xrdma_qp *xrdma_find_qp(struct xrdma_context *ctx, uint32_t qpn)
{
	struct xrdma_qp_leaf *leaf;

	leaf = ctx->qp_table[qpn >> XRDMA_QP_LEAF_SHIFT &
			     (XRDMA_QP_TABLE_SIZE - 1)];
	return leaf ? leaf->qp[qpn & (XRDMA_QP_LEAF_SIZE - 1)] : NULL;
}

/* Under qp_mutex. */
static int xrdma_insert_qp(struct xrdma_context *ctx, struct xrdma_qp *qp)
{
	struct xrdma_qp_leaf **slot, *leaf;

	slot = &ctx->qp_table[qp->qpn >> XRDMA_QP_LEAF_SHIFT];
	if (!*slot) {
		leaf = calloc(1, sizeof(*leaf));
		if (!leaf)
			return ENOMEM;
		*slot = leaf;
	}
	(*slot)->users++;
	(*slot)->qp[qp->qpn & (XRDMA_QP_LEAF_SIZE - 1)] = qp;
	return 0;
}

/* Under qp_mutex. */
static void xrdma_remove_qp(struct xrdma_context *ctx, struct xrdma_qp *qp)
{
	struct xrdma_qp_leaf **slot, *leaf;

	slot = &ctx->qp_table[qp->qpn >> XRDMA_QP_LEAF_SHIFT];
	leaf = *slot;
	leaf->qp[qp->qpn & (XRDMA_QP_LEAF_SIZE - 1)] = NULL;
	if (!--leaf->users) {
		*slot = NULL;
		free(leaf);
	}
}

/* ---- sizes ----------------------------------------------------------- */

static uint8_t xrdma_log_stride(size_t bytes, uint8_t min)
{
	uint8_t log = xrdma_log2_ceil(bytes);

	return log > min ? log : min;
}

/*
 * Chooses depth and stride; what the stride has room for is granted. A payload
 * is scatter-gather entries or inline bytes, at the same place.
 */
static int xrdma_size_sq(const struct xrdma_context *ctx, struct xrdma_qp *qp,
			 const struct ibv_qp_cap *cap)
{
	struct xrdma_wq *sq = &qp->sq;
	size_t payload;

	if (cap->max_send_wr > ctx->max_qp_wr ||
	    cap->max_send_sge > ctx->max_sge ||
	    cap->max_inline_data > ctx->max_inline)
		return EINVAL;

	payload = cap->max_send_sge * sizeof(struct xrdma_sge);
	if (payload < cap->max_inline_data)
		payload = cap->max_inline_data;
	sq->log_stride = xrdma_log_stride(sizeof(struct xrdma_sq_wqe) + payload,
					  XRDMA_SQ_LOG_STRIDE_MIN);
	if (sq->log_stride > XRDMA_LOG_STRIDE_MAX)
		return EINVAL;

	payload = (1UL << sq->log_stride) - sizeof(struct xrdma_sq_wqe);
	sq->max_sge = xrdma_min(payload / sizeof(struct xrdma_sge),
				ctx->max_sge);
	qp->max_inline = xrdma_min(payload, ctx->max_inline);
	sq->depth = 1U << xrdma_log2_ceil(cap->max_send_wr);
	return 0;
}

/* Likewise for the receive queue; there is none without receive requests. */
static int xrdma_size_rq(const struct xrdma_context *ctx, struct xrdma_qp *qp,
			 const struct ibv_qp_cap *cap)
{
	struct xrdma_wq *rq = &qp->rq;
	size_t payload;

	if (cap->max_recv_wr > ctx->max_qp_wr ||
	    cap->max_recv_sge > ctx->max_sge)
		return EINVAL;
	if (!cap->max_recv_wr)
		return 0;

	payload = cap->max_recv_sge * sizeof(struct xrdma_sge);
	rq->log_stride = xrdma_log_stride(sizeof(struct xrdma_rq_wqe) + payload,
					  XRDMA_RQ_LOG_STRIDE_MIN);
	if (rq->log_stride > XRDMA_LOG_STRIDE_MAX)
		return EINVAL;

	payload = (1UL << rq->log_stride) - sizeof(struct xrdma_rq_wqe);
	rq->max_sge = xrdma_min(payload / sizeof(struct xrdma_sge),
				ctx->max_sge);
	rq->depth = 1U << xrdma_log2_ceil(cap->max_recv_wr);
	return 0;
}

static int xrdma_size_qp(const struct xrdma_context *ctx, struct xrdma_qp *qp,
			 const struct ibv_qp_cap *cap)
{
	int err;

	err = xrdma_size_sq(ctx, qp, cap);
	if (err)
		return err;
	return xrdma_size_rq(ctx, qp, cap);
}

static void xrdma_grant_cap(const struct xrdma_qp *qp, struct ibv_qp_cap *cap)
{
	cap->max_send_wr = qp->sq.depth;
	cap->max_recv_wr = qp->rq.depth;
	cap->max_send_sge = qp->sq.max_sge;
	cap->max_recv_sge = qp->rq.max_sge;
	cap->max_inline_data = qp->max_inline;
}

/* Send ring, receive ring, record: as struct xrdma_ureq_create_qp says. */
static int xrdma_alloc_rings(struct xrdma_qp *qp)
{
	size_t sq_size = (size_t)qp->sq.depth << qp->sq.log_stride;
	size_t rq_size = (size_t)qp->rq.depth << qp->rq.log_stride;
	size_t rec_offset = align(sq_size + rq_size, 64);
	int err;

	err = xrdma_alloc_buf(&qp->buf, rec_offset + sizeof(*qp->rec));
	if (err)
		return err;

	qp->sq.ring = qp->buf.addr;
	qp->rq.ring = qp->buf.addr + sq_size;
	qp->rec = qp->buf.addr + rec_offset;
	return 0;
}

/* ---- life ------------------------------------------------------------ */

/* Creates the queue pair in the driver, and enters it into the table. */
static int xrdma_cmd_create_qp(struct ibv_pd *ibpd, struct xrdma_qp *qp,
			       struct ibv_qp_init_attr *attr)
{
	struct xrdma_context *ctx = to_xctx(ibpd->context);
	struct ibv_qp_init_attr_ex attr_ex = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = ibpd,
	};
	struct xrdma_cmd_create_qp_resp resp = {};
	struct xrdma_cmd_create_qp cmd = {};
	int err;

	cmd.buf_addr = (uintptr_t)qp->buf.addr;
	cmd.log_sq_depth = xrdma_log2_ceil(qp->sq.depth);
	cmd.log_sq_stride = qp->sq.log_stride;
	if (qp->rq.depth) {
		cmd.log_rq_depth = xrdma_log2_ceil(qp->rq.depth);
		cmd.log_rq_stride = qp->rq.log_stride;
	}

	/* a number is free for others only once it has left the table */
	pthread_mutex_lock(&ctx->qp_mutex);
	err = ibv_cmd_create_qp_ex(&ctx->ibv_ctx.context, &qp->verbs_qp,
				   &attr_ex, &cmd.ibv_cmd, sizeof(cmd),
				   &resp.ibv_resp, sizeof(resp));
	if (err)
		goto out;

	qp->qpn = resp.drv_payload.qpn;
	err = xrdma_insert_qp(ctx, qp);
	if (err)
		ibv_cmd_destroy_qp(&qp->verbs_qp.qp);
out:
	pthread_mutex_unlock(&ctx->qp_mutex);
	return err;
}

/* @send_ops: what will be posted the extended way, or NULL: nothing. */
static int xrdma_setup_qp(struct ibv_pd *ibpd, struct xrdma_qp *qp,
			  struct ibv_qp_init_attr *attr,
			  const uint64_t *send_ops)
{
	struct xrdma_context *ctx = to_xctx(ibpd->context);
	int err;

	err = xrdma_size_qp(ctx, qp, &attr->cap);
	if (err)
		return err;
	if (send_ops) {
		err = xrdma_setup_wr(qp, *send_ops);
		if (err)
			return err;
	}
	err = xrdma_alloc_rings(qp);
	if (err)
		goto err_free_binds;
	err = xrdma_cmd_create_qp(ibpd, qp, attr);
	if (err)
		goto err_free_buf;
	if (send_ops)
		qp->verbs_qp.comp_mask |= VERBS_QP_EX;
	return 0;

err_free_buf:
	xrdma_free_buf(&qp->buf);
err_free_binds:
	free(qp->binds);
	return err;
}

static struct ibv_qp *xrdma_new_qp(struct ibv_pd *ibpd,
				   struct ibv_qp_init_attr *attr,
				   const uint64_t *send_ops)
{
	struct xrdma_context *ctx = to_xctx(ibpd->context);
	struct xrdma_qp *qp;
	int err;

	if (attr->qp_type != IBV_QPT_RC || attr->srq) {
		errno = EOPNOTSUPP;
		return NULL;
	}

	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;

	xrdma_lock_init(&qp->sq.lock, ctx);
	xrdma_lock_init(&qp->rq.lock, ctx);
	qp->db = ctx->db + XRDMA_DB_SQ;
	qp->shadow_db = ctx->shadow_db;
	qp->force_flags = attr->sq_sig_all ? IBV_SEND_SIGNALED : 0;

	err = xrdma_setup_qp(ibpd, qp, attr, send_ops);
	if (err) {
		free(qp);
		errno = err;
		return NULL;
	}
	xrdma_grant_cap(qp, &attr->cap);
	return &qp->verbs_qp.qp;
}

/**
 * xrdma_create_qp() - ibv_create_qp()
 * @ibpd: protection domain
 * @attr: wishes; returns the capacities granted
 *
 * Return: the queue pair, or NULL and errno.
 */
struct ibv_qp *xrdma_create_qp(struct ibv_pd *ibpd,
			       struct ibv_qp_init_attr *attr)
{
	return xrdma_new_qp(ibpd, attr, NULL);
}

/* Of what can be asked for, only the operations to post exist. */
static int xrdma_check_attr_ex(const struct ibv_qp_init_attr_ex *attr)
{
	if (attr->comp_mask & ~(IBV_QP_INIT_ATTR_PD |
				IBV_QP_INIT_ATTR_CREATE_FLAGS |
				IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))
		return EOPNOTSUPP;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS &&
	    attr->create_flags)
		return EOPNOTSUPP;
	return attr->comp_mask & IBV_QP_INIT_ATTR_PD ? 0 : EINVAL;
}

/**
 * xrdma_create_qp_ex() - ibv_create_qp_ex()
 * @ibctx: open device
 * @attr: wishes; returns the capacities granted
 *
 * Return: the queue pair, or NULL and errno.
 */
struct ibv_qp *xrdma_create_qp_ex(struct ibv_context *ibctx,
				  struct ibv_qp_init_attr_ex *attr)
{
	const uint64_t *send_ops = NULL;
	int err;

	err = xrdma_check_attr_ex(attr);
	if (err) {
		errno = err;
		return NULL;
	}

	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
		send_ops = &attr->send_ops_flags;
	/* the extended structure begins as the plain one */
	return xrdma_new_qp(attr->pd, (struct ibv_qp_init_attr *)attr,
			    send_ops);
}

static void xrdma_clean_cqs(struct xrdma_qp *qp)
{
	struct ibv_qp *ibqp = &qp->verbs_qp.qp;

	xrdma_cq_clean(to_xcq(ibqp->send_cq), qp->qpn);
	if (ibqp->recv_cq != ibqp->send_cq)
		xrdma_cq_clean(to_xcq(ibqp->recv_cq), qp->qpn);
}

static void xrdma_restart_wq(struct xrdma_wq *wq)
{
	wq->pi = 0;
	atomic_store_explicit(&wq->ci, 0, memory_order_relaxed);
}

/* After a move to RESET: the device is quiet and starts again from nothing. */
static void xrdma_restart_qp(struct xrdma_qp *qp)
{
	xrdma_clean_cqs(qp);

	xrdma_lock(&qp->sq.lock);
	xrdma_lock(&qp->rq.lock);
	xrdma_restart_wq(&qp->sq);
	xrdma_restart_wq(&qp->rq);
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
 * @attr: filled
 * @attr_mask: enum ibv_qp_attr_mask
 * @init_attr: filled
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

	xrdma_grant_cap(to_xqp(ibqp), &init_attr->cap);
	attr->cap = init_attr->cap;
	return 0;
}

/**
 * xrdma_destroy_qp() - ibv_destroy_qp()
 * @ibqp: queue pair
 *
 * Return: 0 or an errno; then the queue pair still is.
 */
int xrdma_destroy_qp(struct ibv_qp *ibqp)
{
	struct xrdma_context *ctx = to_xctx(ibqp->context);
	struct xrdma_qp *qp = to_xqp(ibqp);
	int err;

	pthread_mutex_lock(&ctx->qp_mutex);
	err = ibv_cmd_destroy_qp(ibqp);
	if (!err) {
		xrdma_clean_cqs(qp);
		xrdma_remove_qp(ctx, qp);
	}
	pthread_mutex_unlock(&ctx->qp_mutex);
	if (err)
		return err;

	xrdma_lock_destroy(&qp->rq.lock);
	xrdma_lock_destroy(&qp->sq.lock);
	xrdma_free_buf(&qp->buf);
	free(qp->binds);
	free(qp);
	return 0;
}
