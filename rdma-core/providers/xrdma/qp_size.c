// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: what a queue pair of a type can do, how large its rings are,
 * and where they lie. Must not know: the driver, the life of a queue pair.
 */

#include <errno.h>

#include "ring.h"

/* Any entry holds these, whatever the capacities. */
static_assert(sizeof(struct xrdma_sq_wqe) + sizeof(struct xrdma_atomic_seg) +
	      sizeof(struct xrdma_sge) <= 1 << XRDMA_SQ_LOG_STRIDE_MIN,
	      "an atomic has one scatter-gather entry");
static_assert(sizeof(struct xrdma_sq_wqe) + sizeof(struct xrdma_bind_seg) <=
	      1 << XRDMA_SQ_LOG_STRIDE_MIN, "a bind has none");

/* ---- operations ------------------------------------------------------ */

#define XRDMA_OPS_DATAGRAM	(BIT(IBV_WR_SEND) | \
				 BIT(IBV_WR_SEND_WITH_IMM))
#define XRDMA_OPS_UC		(XRDMA_OPS_DATAGRAM | \
				 BIT(IBV_WR_RDMA_WRITE) | \
				 BIT(IBV_WR_RDMA_WRITE_WITH_IMM) | \
				 BIT(IBV_WR_BIND_MW) | \
				 BIT(IBV_WR_LOCAL_INV))
#define XRDMA_OPS_XRC		(XRDMA_OPS_UC | \
				 BIT(IBV_WR_SEND_WITH_INV) | \
				 BIT(IBV_WR_RDMA_READ) | \
				 BIT(IBV_WR_ATOMIC_CMP_AND_SWP) | \
				 BIT(IBV_WR_ATOMIC_FETCH_AND_ADD))
#define XRDMA_OPS_RC		(XRDMA_OPS_XRC | \
				 BIT(IBV_WR_FLUSH) | \
				 BIT(IBV_WR_ATOMIC_WRITE))

/**
 * xrdma_qp_ops() - what can be posted to a queue pair
 * @type: of the queue pair
 *
 * Return: bits by enum ibv_wr_opcode; 0: nothing, or there is no such type.
 */
uint32_t xrdma_qp_ops(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_RC:
		return XRDMA_OPS_RC;
	case IBV_QPT_XRC_SEND:
		return XRDMA_OPS_XRC;
	case IBV_QPT_UC:
		return XRDMA_OPS_UC;
	case IBV_QPT_UD:
		return XRDMA_OPS_DATAGRAM;
	case IBV_QPT_RAW_PACKET:
		return BIT(IBV_WR_SEND);
	default:
		return 0;
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
	size_t head = sizeof(struct xrdma_sq_wqe);
	struct xrdma_wq *sq = &qp->sq;
	size_t payload;

	if (cap->max_send_wr > ctx->max_qp_wr ||
	    cap->max_send_sge > ctx->max_sge ||
	    cap->max_inline_data > ctx->max_inline)
		return EINVAL;

	if (qp->datagram)
		head += sizeof(struct xrdma_av);
	payload = cap->max_send_sge * sizeof(struct xrdma_sge);
	if (payload < cap->max_inline_data)
		payload = cap->max_inline_data;
	sq->log_stride = xrdma_log_stride(head + payload,
					  XRDMA_SQ_LOG_STRIDE_MIN);
	if (sq->log_stride > XRDMA_LOG_STRIDE_MAX)
		return EINVAL;

	payload = (1UL << sq->log_stride) - head;
	sq->max_sge = xrdma_min(payload / sizeof(struct xrdma_sge),
				ctx->max_sge);
	qp->max_inline = xrdma_min(payload, ctx->max_inline);
	sq->depth = 1U << xrdma_log2_ceil(cap->max_send_wr);
	return 0;
}

/**
 * xrdma_size_rq() - choose depth and stride of a ring of receive entries
 * @ctx: gives the limits
 * @rq: filled with what is granted
 * @max_wr: entries wanted
 * @max_sge: scatter-gather entries of each
 *
 * Return: 0, or EINVAL: above a limit.
 */
int xrdma_size_rq(const struct xrdma_context *ctx, struct xrdma_wq *rq,
		  uint32_t max_wr, uint32_t max_sge)
{
	size_t payload;

	if (max_wr > ctx->max_qp_wr || max_sge > ctx->max_sge)
		return EINVAL;

	payload = max_sge * sizeof(struct xrdma_sge);
	rq->log_stride = xrdma_log_stride(sizeof(struct xrdma_rq_wqe) + payload,
					  XRDMA_RQ_LOG_STRIDE_MIN);
	if (rq->log_stride > XRDMA_LOG_STRIDE_MAX)
		return EINVAL;

	payload = (1UL << rq->log_stride) - sizeof(struct xrdma_rq_wqe);
	rq->max_sge = xrdma_min(payload / sizeof(struct xrdma_sge),
				ctx->max_sge);
	rq->depth = 1U << xrdma_log2_ceil(max_wr);
	return 0;
}

/**
 * xrdma_size_qp() - choose the rings of a queue pair
 * @ctx: gives the limits
 * @qp: filled with what is granted
 * @attr: wishes, not of RSS
 *
 * A queue pair that posts has a send ring, be it of one entry. It has a receive
 * ring if it is to receive, by itself.
 *
 * Return: 0, or EINVAL: above a limit.
 */
int xrdma_size_qp(const struct xrdma_context *ctx, struct xrdma_qp *qp,
		  const struct ibv_qp_init_attr_ex *attr)
{
	const struct ibv_qp_cap *cap = &attr->cap;
	int err;

	if (!qp->ops)
		return 0;
	err = xrdma_size_sq(ctx, qp, cap);
	if (err)
		return err;
	if (qp->xrc || attr->srq)
		return 0;
	/* the limits hold, whether there will be a ring or not */
	if (!cap->max_recv_wr && cap->max_recv_sge <= ctx->max_sge)
		return 0;
	return xrdma_size_rq(ctx, &qp->rq, cap->max_recv_wr,
			     cap->max_recv_sge);
}

/**
 * xrdma_grant_cap() - tell what a queue pair has
 * @qp: its sizes are chosen
 * @cap: filled
 */
void xrdma_grant_cap(const struct xrdma_qp *qp, struct ibv_qp_cap *cap)
{
	cap->max_send_wr = qp->sq.depth;
	cap->max_recv_wr = qp->rq.depth;
	cap->max_send_sge = qp->sq.max_sge;
	cap->max_recv_sge = qp->rq.max_sge;
	cap->max_inline_data = qp->max_inline;
}

/**
 * xrdma_alloc_rings() - send ring, receive ring, record, in this order
 * @qp: its sizes are chosen; not both depths are 0
 * @pd: where it is created
 *
 * Return: 0 or an errno.
 */
int xrdma_alloc_rings(struct xrdma_qp *qp, struct xrdma_pd *pd)
{
	size_t sq_size = (size_t)qp->sq.depth << qp->sq.log_stride;
	size_t rec_offset = xrdma_qp_rec_offset(xrdma_wq_log_depth(&qp->sq),
						qp->sq.log_stride,
						xrdma_wq_log_depth(&qp->rq),
						qp->rq.log_stride);
	int err;

	err = xrdma_alloc_buf(&qp->buf, pd, rec_offset + sizeof(*qp->rec));
	if (err)
		return err;

	qp->sq.ring = qp->buf.addr;
	qp->rq.ring = qp->buf.addr + sq_size;
	qp->rec = qp->buf.addr + rec_offset;
	return 0;
}
