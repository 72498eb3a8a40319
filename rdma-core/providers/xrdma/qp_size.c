// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: the operations of each type of queue pair, the depth of rings
 * and the size of their entries, and the place of a queue pair's rings and record
 * in their buffer. Buffers are allocated in buf.c; queue pairs, work queues and shared
 * receive queues are created in qp.c, rwq.c and srq.c.
 */

#include <errno.h>

#include "ring.h"

/* One unit suffices for the entries that do not depend on capacities. */
static_assert(sizeof(struct xrdma_sq_wqe) + sizeof(struct xrdma_atomic_seg) +
	      sizeof(struct xrdma_sge) <= XRDMA_SQ_UNIT,
	      "an atomic has one scatter-gather entry");
static_assert(sizeof(struct xrdma_sq_wqe) + sizeof(struct xrdma_bind_seg) <=
	      XRDMA_SQ_UNIT, "a bind has none");

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
 * xrdma_qp_ops() - operations that can be posted to a queue pair
 * @type: type of the queue pair
 *
 * Return: bits by enum ibv_wr_opcode; 0: the type has no send queue, or is not
 * supported.
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

/* log2 of the stride of entries of @bytes, at least @min. */
static uint8_t xrdma_log_stride(size_t bytes, uint8_t min)
{
	uint8_t log = xrdma_log2_ceil(bytes);

	return log > min ? log : min;
}

/*
 * Choose depth and longest entry of the send queue. The capacities become what fits
 * into the longest entry. A payload is scatter-gather entries or inline bytes, at the
 * same place of the entry. Return: 0, or EINVAL if a limit is exceeded.
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
	if (head + payload > XRDMA_SQ_UNITS_MAX * XRDMA_SQ_UNIT)
		return EINVAL;

	sq->units = xrdma_sq_units(head + payload);
	payload = sq->units * XRDMA_SQ_UNIT - head;
	sq->max_sge = xrdma_min(payload / sizeof(struct xrdma_sge),
				ctx->max_sge);
	qp->max_inline = xrdma_min(payload, ctx->max_inline);
	sq->depth = 1U << xrdma_log2_ceil(cap->max_send_wr);
	return 0;
}

/**
 * xrdma_size_rq() - choose depth and stride of a ring of receive entries
 * @ctx: context with the limits
 * @rq: gets depth, stride and number of scatter-gather entries
 * @max_wr: number of entries needed
 * @max_sge: number of scatter-gather entries needed in each
 *
 * Return: 0, or EINVAL if a limit is exceeded.
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
 * xrdma_size_qp() - choose depths and sizes of entries of a queue pair
 * @ctx: context with the limits
 * @qp: gets sizes of its queues; its operations are set
 * @attr: attributes of creation
 *
 * A queue pair with operations has a send queue of at least one entry. It has a
 * receive queue if max_recv_wr is not 0, unless it has a shared receive queue
 * or its type is XRC_SEND.
 *
 * Return: 0, or EINVAL if a limit is exceeded.
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
	/* Without a receive queue, max_recv_sge is still checked. */
	if (!cap->max_recv_wr && cap->max_recv_sge <= ctx->max_sge)
		return 0;
	return xrdma_size_rq(ctx, &qp->rq, cap->max_recv_wr,
			     cap->max_recv_sge);
}

/**
 * xrdma_report_cap() - capacities of a queue pair
 * @qp: queue pair, after xrdma_size_qp()
 * @cap: gets the capacities
 */
void xrdma_report_cap(const struct xrdma_qp *qp, struct ibv_qp_cap *cap)
{
	cap->max_send_wr = qp->sq.depth;
	cap->max_recv_wr = qp->rq.depth;
	cap->max_send_sge = qp->sq.max_sge;
	cap->max_recv_sge = qp->rq.max_sge;
	cap->max_inline_data = qp->max_inline;
}

/**
 * xrdma_alloc_rings() - allocate receive ring, send ring and record
 * @qp: queue pair or work queue; its sizes are chosen, one depth is not 0
 * @pd: domain in which it is created
 *
 * The buffer contains the three in this order, see struct xrdma_ureq_create_qp.
 *
 * Return: 0 or an errno.
 */
int xrdma_alloc_rings(struct xrdma_qp *qp, struct xrdma_pd *pd)
{
	uint8_t log_rq_depth = xrdma_wq_log_depth(&qp->rq);
	size_t rec_offset = xrdma_qp_rec_offset(xrdma_wq_log_depth(&qp->sq),
						qp->sq.units, log_rq_depth,
						qp->rq.log_stride);
	int err;

	err = xrdma_alloc_buf(&qp->buf, pd, rec_offset + sizeof(*qp->rec));
	if (err)
		return err;

	qp->rq.ring = qp->buf.addr;
	qp->sq.ring = qp->buf.addr + xrdma_qp_sq_offset(log_rq_depth,
							qp->rq.log_stride);
	qp->rec = qp->buf.addr + rec_offset;
	return 0;
}
