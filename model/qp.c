// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs as objects: creation, look-up, destruction. Their states are in
 * qp_modify.c, their work queues in wq.c.
 */
#include <linux/array_size.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "qp.h"
#include "xrdma_ring.h"
#include "xrdma_xlat.h"

/* Types that exist: the capability each needs, and who implements it. */
static const struct {
	u64 cap;
	const struct xrdma_qp_ops *ops;
} types[] = {
	[XRDMA_QP_RC] = { .ops = &xrdma_rc_ops },
	[XRDMA_QP_UC] = { .cap = XRDMA_CAP_UC, .ops = &xrdma_uc_ops },
	[XRDMA_QP_RAW] = { .cap = XRDMA_CAP_RAW_PACKET, .ops = &xrdma_raw_ops },
};

static const struct xrdma_qp_ops *type_ops(const struct xrdma_device *dev,
					   u8 type)
{
	if (type >= ARRAY_SIZE(types) ||
	    types[type].cap & ~dev->caps)
		return NULL;
	return types[type].ops;
}

/**
 * xrdma_qp_get - queue pair of a number
 * @dev: the device
 * @qpn: any number
 *
 * Return: the queue pair, or NULL.
 */
struct xrdma_qp *xrdma_qp_get(struct xrdma_device *dev, u32 qpn)
{
	return qpn < XRDMA_MAX_QP ? dev->qps[qpn] : NULL;
}

static bool rings_ok(const struct xrdma_cmd_create_qp *p)
{
	u64 root = le64_to_cpu(p->root);
	u64 size;

	if (p->log_sq_depth > XRDMA_QP_LOG_WR_MAX ||
	    p->log_sq_stride < XRDMA_SQ_LOG_STRIDE_MIN ||
	    p->log_sq_stride > XRDMA_LOG_STRIDE_MAX)
		return false;
	if (!p->log_rq_stride) {
		if (p->log_rq_depth)
			return false;
	} else if (p->log_rq_depth > XRDMA_QP_LOG_WR_MAX ||
		   p->log_rq_stride < XRDMA_RQ_LOG_STRIDE_MIN ||
		   p->log_rq_stride > XRDMA_LOG_STRIDE_MAX) {
		return false;
	}
	size = xrdma_qp_rec_offset(p->log_sq_depth, p->log_sq_stride,
				   p->log_rq_depth, p->log_rq_stride) +
	       sizeof(struct xrdma_qp_rec);
	return xrdma_root_ok(root) && xrdma_root_covers(root, size - 1);
}

static bool params_ok(const struct xrdma_device *dev,
		      const struct xrdma_cmd_create_qp *p)
{
	static const u8 zero[sizeof(p->reserved)];

	if (!type_ops(dev, p->type) ||
	    p->flags & ~(XRDMA_QP_SQ_SIG_ALL | XRDMA_QP_KERNEL))
		return false;
	/* of the types that need them, none exists yet */
	if (p->srqn || p->xrcd || memcmp(p->reserved, zero, sizeof(zero)))
		return false;
	if (le32_to_cpu(p->pd) >= XRDMA_MAX_PD ||
	    le32_to_cpu(p->db_page) >= XRDMA_NUM_DB_PAGES)
		return false;
	return rings_ok(p);
}

static enum xrdma_cmd_status check(struct xrdma_device *dev,
				   const struct xrdma_cmd_create_qp *p)
{
	u32 qpn = le32_to_cpu(p->qpn);

	if (qpn < XRDMA_QPN_FIRST || qpn >= XRDMA_MAX_QP || dev->qps[qpn] ||
	    !xrdma_cq_get(dev, le32_to_cpu(p->send_cqn)) ||
	    !xrdma_cq_get(dev, le32_to_cpu(p->recv_cqn)))
		return XRDMA_CMD_BAD_NUMBER;
	return params_ok(dev, p) ? XRDMA_CMD_OK : XRDMA_CMD_BAD_PARAM;
}

static void init_rings(struct xrdma_qp *qp,
		       const struct xrdma_cmd_create_qp *p)
{
	u64 sq_size = 1ULL << (p->log_sq_depth + p->log_sq_stride);
	u64 rq_size = p->log_rq_stride ?
		      1ULL << (p->log_rq_depth + p->log_rq_stride) : 0;
	u64 rec = xrdma_qp_rec_offset(p->log_sq_depth, p->log_sq_stride,
				      p->log_rq_depth, p->log_rq_stride);
	u64 root = le64_to_cpu(p->root);

	qp->sq.log_depth = p->log_sq_depth;
	qp->sq.log_stride = p->log_sq_stride;
	qp->rq.log_depth = p->log_rq_depth;
	qp->rq.log_stride = p->log_rq_stride;
	xrdma_mem_init(&qp->sq.ring, root, 0, sq_size, 0);
	xrdma_mem_init(&qp->rq.ring, root, sq_size, rq_size, 0);
	xrdma_mem_init(&qp->rec, root, rec, sizeof(struct xrdma_qp_rec), 0);
}

static struct xrdma_qp *qp_alloc(struct xrdma_device *dev,
				 const struct xrdma_cmd_create_qp *p)
{
	struct xrdma_qp *qp = calloc(1, sizeof(*qp));

	if (!qp)
		return NULL;
	qp->dev = dev;
	qp->ops = type_ops(dev, p->type);
	qp->qpn = le32_to_cpu(p->qpn);
	qp->pd = le32_to_cpu(p->pd);
	qp->db_page = le32_to_cpu(p->db_page);
	qp->type = p->type;
	qp->flags = p->flags;
	qp->state = XRDMA_QPS_RESET;
	init_rings(qp, p);
	return qp;
}

/**
 * xrdma_qp_create - CREATE_QP
 * @dev: the device
 * @p: body of the command
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status xrdma_qp_create(struct xrdma_device *dev,
				      const struct xrdma_cmd_create_qp *p)
{
	enum xrdma_cmd_status status = check(dev, p);
	struct xrdma_qp *qp;

	if (status)
		return status;
	qp = qp_alloc(dev, p);
	if (!qp)
		return XRDMA_CMD_NO_RESOURCE;
	if (xrdma_mem_probe(dev, &qp->sq.ring, false) ||
	    xrdma_mem_probe(dev, &qp->rq.ring, false) ||
	    xrdma_mem_probe(dev, &qp->rec, true)) {
		free(qp);
		return XRDMA_CMD_BAD_DMA;
	}
	if (qp->ops->init(qp)) {
		free(qp);
		return XRDMA_CMD_NO_RESOURCE;
	}
	qp->send_cq = xrdma_cq_get(dev, le32_to_cpu(p->send_cqn));
	qp->recv_cq = xrdma_cq_get(dev, le32_to_cpu(p->recv_cqn));
	qp->send_cq->users++;
	qp->recv_cq->users++;
	dev->qps[qp->qpn] = qp;
	return XRDMA_CMD_OK;
}

static void qp_free(struct xrdma_qp *qp)
{
	xrdma_qp_quiesce(qp);
	qp->ops->destroy(qp);
	qp->send_cq->users--;
	qp->recv_cq->users--;
	qp->dev->qps[qp->qpn] = NULL;
	free(qp);
}

/**
 * xrdma_qp_destroy - DESTROY_QP
 * @dev: the device
 * @qpn: number
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status xrdma_qp_destroy(struct xrdma_device *dev, u32 qpn)
{
	struct xrdma_qp *qp = xrdma_qp_get(dev, qpn);

	if (!qp)
		return XRDMA_CMD_BAD_NUMBER;
	if (dev->port.eth_qpn == qpn || qp->windows)
		return XRDMA_CMD_BUSY;
	qp_free(qp);
	return XRDMA_CMD_OK;
}

/**
 * xrdma_qps_reset - forget all queue pairs
 * @dev: the device
 */
void xrdma_qps_reset(struct xrdma_device *dev)
{
	u32 i;

	for (i = 0; i < XRDMA_MAX_QP; i++)
		if (dev->qps[i])
			qp_free(dev->qps[i]);
}
