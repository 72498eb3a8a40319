// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: creates, modifies, resizes, queries and destroys shared
 * receive queues. Their depth and stride are chosen in qp_size.c, receives are
 * posted in recv.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ring.h"
#include "xrdma-abi.h"

/* Offset of the record in the buffer of a shared receive queue. */
static size_t xrdma_srq_rec_offset(const struct xrdma_wq *wq)
{
	return xrdma_qp_rec_offset(0, 0, xrdma_wq_log_depth(wq),
				   wq->log_stride);
}

static int xrdma_alloc_srq_buf(struct xrdma_buf *buf, const struct xrdma_wq *wq,
			       struct xrdma_pd *pd)
{
	return xrdma_alloc_buf(buf, pd, xrdma_srq_rec_offset(wq) +
			       sizeof(struct xrdma_srq_rec));
}

static void xrdma_use_srq_buf(struct xrdma_srq *srq,
			      const struct xrdma_buf *buf)
{
	srq->buf = *buf;
	srq->wq.ring = buf->addr;
	srq->rec = buf->addr + xrdma_srq_rec_offset(&srq->wq);
}

/* ---- creation and destruction ----------------------------------------- */

static int xrdma_cmd_create_srq(struct ibv_context *ibctx,
				struct xrdma_srq *srq,
				struct ibv_srq_init_attr_ex *attr)
{
	struct xrdma_cmd_create_srq_resp resp = {};
	struct xrdma_cmd_create_srq cmd = {};
	int err;

	cmd.buf_addr = (uintptr_t)srq->buf.addr;
	cmd.log_depth = xrdma_wq_log_depth(&srq->wq);
	cmd.log_stride = srq->wq.log_stride;
	err = ibv_cmd_create_srq_ex(ibctx, &srq->verbs_srq, attr, &cmd.ibv_cmd,
				    sizeof(cmd), &resp.ibv_resp, sizeof(resp));
	if (err)
		return err;

	srq->srqn = resp.drv_payload.srqn;
	return 0;
}

static int xrdma_setup_srq(struct ibv_context *ibctx, struct xrdma_srq *srq,
			   struct ibv_srq_init_attr_ex *attr)
{
	struct xrdma_context *ctx = to_xctx(ibctx);
	struct xrdma_pd *pd = to_xpd(attr->pd);
	struct xrdma_buf buf;
	int err;

	if (!attr->attr.max_wr)
		return EINVAL;
	err = xrdma_size_rq(ctx, &srq->wq, attr->attr.max_wr,
			    attr->attr.max_sge);
	if (err)
		return err;
	err = xrdma_alloc_srq_buf(&buf, &srq->wq, pd);
	if (err)
		return err;
	xrdma_use_srq_buf(srq, &buf);

	err = xrdma_cmd_create_srq(ibctx, srq, attr);
	if (err) {
		xrdma_free_buf(&srq->buf);
		return err;
	}
	xrdma_lock_init(&srq->wq.lock, ctx, pd);
	attr->attr.max_wr = srq->wq.depth;
	attr->attr.max_sge = srq->wq.max_sge;
	return 0;
}

/* IBV_SRQT_TM, a queue that matches tags, is not supported. */
static int xrdma_check_srq_attr(const struct ibv_srq_init_attr_ex *attr)
{
	if (attr->comp_mask & ~(IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
				IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ))
		return EOPNOTSUPP;
	if (attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE &&
	    attr->srq_type != IBV_SRQT_BASIC && attr->srq_type != IBV_SRQT_XRC)
		return EOPNOTSUPP;
	return attr->comp_mask & IBV_SRQ_INIT_ATTR_PD ? 0 : EINVAL;
}

/**
 * xrdma_create_srq_ex() - ibv_create_srq_ex()
 * @ibctx: open device
 * @attr: attributes; max_wr and max_sge are set to what the queue has
 *
 * Return: the queue, or NULL and errno.
 */
struct ibv_srq *xrdma_create_srq_ex(struct ibv_context *ibctx,
				    struct ibv_srq_init_attr_ex *attr)
{
	struct xrdma_srq *srq;
	int err;

	err = xrdma_check_srq_attr(attr);
	if (err) {
		errno = err;
		return NULL;
	}
	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return NULL;

	err = xrdma_setup_srq(ibctx, srq, attr);
	if (err) {
		free(srq);
		errno = err;
		return NULL;
	}
	srq->verbs_srq.srq.srq_context = attr->srq_context;
	srq->verbs_srq.srq.pd = attr->pd;
	return &srq->verbs_srq.srq;
}

/**
 * xrdma_create_srq() - ibv_create_srq()
 * @ibpd: protection domain
 * @attr: attributes; max_wr and max_sge are set to what the queue has
 *
 * Return: the queue, or NULL and errno.
 */
struct ibv_srq *xrdma_create_srq(struct ibv_pd *ibpd,
				 struct ibv_srq_init_attr *attr)
{
	struct ibv_srq_init_attr_ex attr_ex = {
		.srq_context = attr->srq_context,
		.attr = attr->attr,
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_BASIC,
		.pd = ibpd,
	};
	struct ibv_srq *ibsrq;

	ibsrq = xrdma_create_srq_ex(ibpd->context, &attr_ex);
	if (ibsrq)
		attr->attr = attr_ex.attr;
	return ibsrq;
}

/**
 * xrdma_destroy_srq() - ibv_destroy_srq()
 * @ibsrq: shared receive queue
 *
 * Return: 0, or an errno if the queue still exists.
 */
int xrdma_destroy_srq(struct ibv_srq *ibsrq)
{
	struct xrdma_srq *srq = to_xsrq(ibsrq);
	int err;

	err = ibv_cmd_destroy_srq(ibsrq);
	if (err)
		return err;

	xrdma_lock_destroy(&srq->wq.lock);
	xrdma_free_buf(&srq->buf);
	free(srq);
	return 0;
}

/* ---- resizing -------------------------------------------------------- */

/*
 * Copy the entries that the device has not consumed to the ring of @to in @buf,
 * then write the producer index to the new record.
 */
static void xrdma_copy_srq_entries(const struct xrdma_srq *srq,
				   const struct xrdma_wq *to, void *buf)
{
	const struct xrdma_wq *from = &srq->wq;
	struct xrdma_srq_rec *rec = buf + xrdma_srq_rec_offset(to);
	uint32_t index = atomic_load_explicit(&from->ci, memory_order_relaxed);

	for (; index != from->pi; index++)
		memcpy(xrdma_rq_entry(to, index), xrdma_rq_entry(from, index),
		       1UL << from->log_stride);
	xrdma_store_le32(&rec->pi, from->pi);
}

/*
 * Move a queue to a ring of another depth. The lock of the queue is held, so no
 * thread posts. The device may consume entries meanwhile, from the old ring
 * until the driver has replied. Return: 0 or an errno.
 */
static int xrdma_move_srq(struct xrdma_srq *srq, struct ibv_srq_attr *attr,
			  int attr_mask)
{
	struct xrdma_cmd_modify_srq cmd = {};
	struct xrdma_wq wq = {
		.log_stride = srq->wq.log_stride,
		.depth = 1U << xrdma_log2_ceil(attr->max_wr),
	};
	struct xrdma_buf buf, old = srq->buf;
	uint32_t posted;
	int err;

	xrdma_refresh_srq(srq);
	posted = srq->wq.pi - atomic_load_explicit(&srq->wq.ci,
						   memory_order_relaxed);
	if (posted > wq.depth)
		return EINVAL;
	err = xrdma_alloc_srq_buf(&buf, &wq, to_xpd(srq->verbs_srq.srq.pd));
	if (err)
		return err;
	wq.ring = buf.addr;
	xrdma_copy_srq_entries(srq, &wq, buf.addr);

	cmd.buf_addr = (uintptr_t)buf.addr;
	cmd.log_depth = xrdma_wq_log_depth(&wq);
	cmd.log_stride = wq.log_stride;
	err = ibv_cmd_modify_srq(&srq->verbs_srq.srq, attr, attr_mask,
				 &cmd.ibv_cmd, sizeof(cmd));
	if (err) {
		xrdma_free_buf(&buf);
		return err;
	}
	srq->wq.depth = wq.depth;
	xrdma_use_srq_buf(srq, &buf);
	xrdma_free_buf(&old);
	return 0;
}

static int xrdma_resize_srq(struct xrdma_srq *srq, struct ibv_srq_attr *attr,
			    int attr_mask)
{
	int err;

	if (!attr->max_wr ||
	    attr->max_wr > to_xctx(srq->verbs_srq.srq.context)->max_qp_wr)
		return EINVAL;

	xrdma_lock(&srq->wq.lock);
	err = xrdma_move_srq(srq, attr, attr_mask);
	xrdma_unlock(&srq->wq.lock);
	return err;
}

/**
 * xrdma_modify_srq() - ibv_modify_srq()
 * @ibsrq: shared receive queue
 * @attr: new attributes
 * @attr_mask: enum ibv_srq_attr_mask
 *
 * Return: 0 or an errno; EINVAL also if the posted entries do not fit.
 */
int xrdma_modify_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr,
		     int attr_mask)
{
	struct ibv_modify_srq cmd = {};

	if (attr_mask & IBV_SRQ_MAX_WR)
		return xrdma_resize_srq(to_xsrq(ibsrq), attr, attr_mask);
	return ibv_cmd_modify_srq(ibsrq, attr, attr_mask, &cmd, sizeof(cmd));
}

/* ---- queries --------------------------------------------------------- */

/**
 * xrdma_query_srq() - ibv_query_srq()
 * @ibsrq: shared receive queue
 * @attr: gets the attributes
 *
 * Return: 0 or an errno.
 */
int xrdma_query_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr)
{
	struct xrdma_srq *srq = to_xsrq(ibsrq);
	struct ibv_query_srq cmd;
	int err;

	err = ibv_cmd_query_srq(ibsrq, attr, &cmd, sizeof(cmd));
	if (err)
		return err;

	attr->max_wr = srq->wq.depth;
	attr->max_sge = srq->wq.max_sge;
	return 0;
}

/**
 * xrdma_get_srq_num() - ibv_get_srq_num()
 * @ibsrq: shared receive queue
 * @srq_num: gets the number, which an XRC peer names to send to the queue
 *
 * Return: 0.
 */
int xrdma_get_srq_num(struct ibv_srq *ibsrq, uint32_t *srq_num)
{
	*srq_num = to_xsrq(ibsrq)->srqn;
	return 0;
}
