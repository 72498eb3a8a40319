// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs as objects: creation and destruction. States and attributes
 * are in qp_modify.c, the error states in qp_error.c, the entries of work
 * queues in qp_queue.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/xrdma-ring.h>

#include "core/device.h"
#include "core/late.h"
#include "core/qp.h"
#include "core/srq.h"
#include "xrdma_xlat.h"

/* Queues and domains of a type of queue pair. */
#define HAS_SQ		0x01 /* has a send queue */
#define MAY_LACK_SQ	0x02 /* the send queue is optional */
#define HAS_RQ		0x04 /* has receives; may have a ring of receives */
#define HAS_SRQ		0x08 /* may have a shared receive queue */
#define HAS_XRCD	0x10 /* has an XRC domain, but no protection domain */

#define HAS_ALL		(HAS_SQ | HAS_RQ | HAS_SRQ)

/* Types of queue pairs: required capability, and HAS_* bits. */
static const struct {
	u64 cap;
	u8 has;
} types[MODEL_NUM_QP_TYPES] = {
	[XRDMA_QP_RC] = { 0, HAS_ALL },
	[XRDMA_QP_UC] = { XRDMA_CAP_UC, HAS_ALL },
	[XRDMA_QP_UD] = { XRDMA_CAP_UD, HAS_ALL },
	[XRDMA_QP_GSI] = { XRDMA_CAP_UD, HAS_ALL },
	[XRDMA_QP_XRC_INI] = { XRDMA_CAP_XRC, HAS_SQ },
	[XRDMA_QP_XRC_TGT] = { XRDMA_CAP_XRC, HAS_XRCD },
	[XRDMA_QP_RAW] = { XRDMA_CAP_RAW_PACKET,
			   HAS_SQ | MAY_LACK_SQ | HAS_RQ },
};

static const struct model_qp_ops *type_ops(const struct model_device *dev,
					   u8 type)
{
	if (type >= MODEL_NUM_QP_TYPES || types[type].cap & ~dev->caps)
		return NULL;
	return dev->params.transport->qp_ops[type];
}

static bool sq_ok(const struct xrdma_cmd_create_qp *p, u8 has)
{
	if (!p->sq_units)
		return !p->log_sq_depth && (!(has & HAS_SQ) ||
					    (has & MAY_LACK_SQ &&
					     p->log_rq_stride));
	return has & HAS_SQ && p->log_sq_depth <= MODEL_QP_LOG_WR_MAX &&
	       p->sq_units <= XRDMA_SQ_UNITS_MAX;
}

static bool rq_ok(const struct xrdma_cmd_create_qp *p, u8 has)
{
	if (!p->log_rq_stride)
		return !p->log_rq_depth;
	return has & HAS_RQ && !(p->flags & XRDMA_QP_SRQ) &&
	       p->log_rq_depth <= MODEL_QP_LOG_WR_MAX &&
	       p->log_rq_stride >= XRDMA_RQ_LOG_STRIDE_MIN &&
	       p->log_rq_stride <= XRDMA_LOG_STRIDE_MAX;
}

static bool rings_ok(const struct xrdma_cmd_create_qp *p)
{
	u8 has = types[p->type].has;
	u64 root = le64_to_cpu(p->root);
	u64 size;

	if (!sq_ok(p, has) || !rq_ok(p, has))
		return false;
	if (!p->sq_units && !p->log_rq_stride)
		return !root;
	size = xrdma_qp_rec_offset(p->log_sq_depth, p->sq_units,
				   p->log_rq_depth, p->log_rq_stride) +
	       sizeof(struct xrdma_qp_rec);
	return xrdma_root_ok(root) && xrdma_root_covers(root, size - 1);
}

static bool params_ok(const struct model_device *dev,
		      const struct xrdma_cmd_create_qp *p)
{
	static const u8 zero[sizeof(p->reserved)];
	u8 flags = XRDMA_QP_SQ_SIG_ALL | XRDMA_QP_KERNEL;
	u32 xrcd = le32_to_cpu(p->xrcd);
	u8 has;

	if (!type_ops(dev, p->type) || memcmp(p->reserved, zero, sizeof(zero)))
		return false;
	has = types[p->type].has;
	if (has & HAS_SRQ && dev->caps & XRDMA_CAP_SRQ)
		flags |= XRDMA_QP_SRQ;
	if (p->flags & ~flags || (p->srqn && !(p->flags & XRDMA_QP_SRQ)))
		return false;
	if (has & HAS_XRCD ? !xrcd || xrcd > XRDMA_XRCDN_MAX || p->pd : xrcd)
		return false;
	if (le32_to_cpu(p->pd) >= MODEL_MAX_PD ||
	    le32_to_cpu(p->db_page) >= XRDMA_NUM_DB_PAGES)
		return false;
	return rings_ok(p);
}

/* A CQ number that is not needed is 0, or names a CQ that is not used. */
static bool cq_ok(struct model_device *dev, __le32 cqn, bool needed)
{
	return (!needed && !cqn) || model_cq_get(dev, le32_to_cpu(cqn));
}

static bool numbers_ok(struct model_device *dev,
		       const struct xrdma_cmd_create_qp *p)
{
	u32 qpn = le32_to_cpu(p->qpn);
	const struct model_srq *srq;

	if (qpn >= MODEL_MAX_QP || dev->qps[qpn] || dev->rss[qpn] ||
	    (p->type == XRDMA_QP_GSI ? qpn != XRDMA_QPN_GSI :
				       qpn < XRDMA_QPN_FIRST))
		return false;
	if (!cq_ok(dev, p->send_cqn, p->sq_units) ||
	    !cq_ok(dev, p->recv_cqn, types[p->type].has & HAS_RQ))
		return false;
	if (!(p->flags & XRDMA_QP_SRQ))
		return true;
	srq = model_srq_get(dev, le32_to_cpu(p->srqn));
	return srq && !srq->xrcd;
}

static enum xrdma_cmd_status check(struct model_device *dev,
				   const struct xrdma_cmd_create_qp *p)
{
	if (!params_ok(dev, p))
		return XRDMA_CMD_BAD_PARAM;
	return numbers_ok(dev, p) ? XRDMA_CMD_OK : XRDMA_CMD_BAD_NUMBER;
}

static void init_rings(struct model_qp *qp,
		       const struct xrdma_cmd_create_qp *p)
{
	u64 sq_size = xrdma_sq_size(p->log_sq_depth, p->sq_units);
	u64 sq = xrdma_qp_sq_offset(p->log_rq_depth, p->log_rq_stride);
	u64 rq_size = p->log_rq_stride ?
		      1ULL << (p->log_rq_depth + p->log_rq_stride) : 0;
	u64 rec = xrdma_qp_rec_offset(p->log_sq_depth, p->sq_units,
				      p->log_rq_depth, p->log_rq_stride);
	u64 root = le64_to_cpu(p->root);

	qp->sq.log_depth = p->log_sq_depth;
	qp->sq.units = p->sq_units;
	qp->rq.log_depth = p->log_rq_depth;
	qp->rq.log_stride = p->log_rq_stride;
	model_mem_init(&qp->rq.ring, root, 0, rq_size, 0);
	model_mem_init(&qp->sq.ring, root, sq, sq_size, 0);
	model_mem_init(&qp->rec, root, rec, sizeof(struct xrdma_qp_rec), 0);
	qp->sq.ring.use = MODEL_PCIE_ENTRY;
	qp->rq.ring.use = MODEL_PCIE_ENTRY;
}

static struct model_qp *qp_alloc(struct model_device *dev,
				 const struct xrdma_cmd_create_qp *p)
{
	struct model_qp *qp = calloc(1, sizeof(*qp));

	if (!qp)
		return NULL;
	qp->dev = dev;
	qp->ops = type_ops(dev, p->type);
	qp->qpn = le32_to_cpu(p->qpn);
	qp->pd = le32_to_cpu(p->pd);
	qp->xrcd = le32_to_cpu(p->xrcd);
	qp->db_page = le32_to_cpu(p->db_page);
	qp->type = p->type;
	qp->flags = p->flags;
	qp->state = XRDMA_QPS_RESET;
	model_pager_init_qp(qp);
	init_rings(qp, p);
	return qp;
}

/* Return: 0, or -EFAULT if rings or record are out of reach. */
static int probe(struct model_qp *qp)
{
	if (!qp->sq.units && !qp->rq.log_stride)
		return 0;
	if (model_mem_probe(qp->dev, &qp->sq.ring, false) ||
	    model_mem_probe(qp->dev, &qp->rq.ring, false) ||
	    model_mem_probe(qp->dev, &qp->rec, true))
		return -EFAULT;
	return 0;
}

/**
 * model_qp_set_srq - change the shared receive queue of a queue pair
 * @qp: the queue pair
 * @srq: the queue, or NULL
 */
void model_qp_set_srq(struct model_qp *qp, struct model_srq *srq)
{
	if (qp->srq == srq)
		return;
	if (qp->srq)
		TAILQ_REMOVE(&qp->srq->qps, qp, srq_link);
	qp->srq = srq;
	if (srq)
		TAILQ_INSERT_TAIL(&srq->qps, qp, srq_link);
}

/* Set the completion queues and the shared receive queue. */
static void attach(struct model_qp *qp, const struct xrdma_cmd_create_qp *p)
{
	if (qp->sq.units)
		qp->send_cq = model_cq_get(qp->dev, le32_to_cpu(p->send_cqn));
	if (types[qp->type].has & HAS_RQ)
		qp->recv_cq = model_cq_get(qp->dev, le32_to_cpu(p->recv_cqn));
	if (qp->send_cq)
		TAILQ_INSERT_TAIL(&qp->send_cq->senders, qp, send_link);
	if (qp->recv_cq)
		TAILQ_INSERT_TAIL(&qp->recv_cq->receivers, qp, recv_link);
	if (qp->flags & XRDMA_QP_SRQ)
		model_qp_set_srq(qp, model_srq_get(qp->dev,
						   le32_to_cpu(p->srqn)));
}

static void detach(struct model_qp *qp)
{
	if (qp->send_cq)
		TAILQ_REMOVE(&qp->send_cq->senders, qp, send_link);
	if (qp->recv_cq)
		TAILQ_REMOVE(&qp->recv_cq->receivers, qp, recv_link);
	model_qp_set_srq(qp, NULL);
}

/**
 * model_qp_create - CREATE_QP
 * @dev: the device
 * @p: body of the command
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_qp_create(struct model_device *dev,
				      const struct xrdma_cmd_create_qp *p)
{
	enum xrdma_cmd_status status = check(dev, p);
	struct model_qp *qp;

	if (status)
		return status;
	qp = qp_alloc(dev, p);
	if (!qp)
		return XRDMA_CMD_NO_RESOURCE;
	if (probe(qp)) {
		free(qp);
		return XRDMA_CMD_BAD_DMA;
	}
	if (qp->ops->init(qp)) {
		free(qp);
		return XRDMA_CMD_NO_RESOURCE;
	}
	attach(qp, p);
	dev->qps[qp->qpn] = qp;
	return XRDMA_CMD_OK;
}

static void qp_free(struct model_qp *qp)
{
	model_inject_forget(&qp->dev->inject, MODEL_INJECT_OF_QP, qp->qpn);
	model_qp_quiesce(qp);
	model_late_forget(qp);
	qp->ops->destroy(qp);
	model_counter_unbind(qp);
	detach(qp);
	qp->dev->qps[qp->qpn] = NULL;
	free(qp);
}

/**
 * model_qp_destroy - DESTROY_QP
 * @dev: the device
 * @qpn: number
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_qp_destroy(struct model_device *dev, u32 qpn)
{
	struct model_qp *qp = model_qp_get(dev, qpn);

	if (!qp)
		return XRDMA_CMD_BAD_NUMBER;
	if (dev->port.eth_qpn == qpn || qp->windows || qp->groups ||
	    qp->steer_users)
		return XRDMA_CMD_BUSY;
	qp_free(qp);
	return XRDMA_CMD_OK;
}

/**
 * model_qps_forget_srq - remove an XRC SRQ from the queue pairs that use it
 * @srq: the queue, before its destruction; no queue pair was created with it
 *
 * A queue pair that is in the middle of a message to the SRQ cannot complete
 * the message.
 */
void model_qps_forget_srq(struct model_srq *srq)
{
	struct model_qp *qp;

	while ((qp = TAILQ_FIRST(&srq->qps)) != NULL) {
		model_qp_set_srq(qp, NULL);
		qp->taken = false;
	}
}

/**
 * model_qps_reset - destroy all queue pairs
 * @dev: the device
 */
void model_qps_reset(struct model_device *dev)
{
	u32 i;

	for (i = 0; i < MODEL_MAX_QP; i++)
		if (dev->qps[i])
			qp_free(dev->qps[i]);
}
