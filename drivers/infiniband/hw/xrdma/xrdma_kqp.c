// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA queue pairs whose rings are in kernel memory: those of the kernel's
 * consumers and of the netdev. Allocates the rings, and links the queue pair to
 * its completion queues. Code for all queue pairs is in xrdma_qp.c, entries are
 * in xrdma_wqe.c and xrdma_poll.c.
 */

#include <linux/log2.h>
#include <linux/rbtree.h>
#include <linux/slab.h>
#include <rdma/xrdma-ring.h>
#include "xrdma_buf.h"
#include "xrdma_cq.h"
#include "xrdma_ibdev.h"
#include "xrdma_kqp.h"
#include "xrdma_qp.h"
#include "xrdma_quarantine.h"
#include "xrdma_wq.h"

static int xrdma_kqp_size_sq(const struct xrdma_caps *caps, struct xrdma_wq *sq,
			     u32 entries, u64 bytes)
{
	if (entries > caps->max_qp_wr ||
	    bytes > XRDMA_SQ_UNITS_MAX * XRDMA_SQ_UNIT)
		return -EINVAL;
	sq->log_depth = order_base_2(max(entries, 1U));
	sq->units = xrdma_sq_units(bytes);
	return 0;
}

static int xrdma_kqp_size_rq(const struct xrdma_caps *caps, struct xrdma_wq *rq,
			     u32 entries, u32 num_sge)
{
	u64 bytes = sizeof(struct xrdma_rq_wqe) +
		    sizeof(struct xrdma_sge) * num_sge;

	if (entries > caps->max_qp_wr)
		return -EINVAL;
	rq->log_depth = order_base_2(entries);
	rq->log_stride = max_t(u32, order_base_2(bytes),
			       XRDMA_RQ_LOG_STRIDE_MIN);
	return rq->log_stride > XRDMA_LOG_STRIDE_MAX ? -EINVAL : 0;
}

static int xrdma_kqp_size(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
			  const struct xrdma_qp_init *init)
{
	const struct xrdma_caps *caps = &xib->hw.caps;
	int err;

	err = xrdma_kqp_size_sq(caps, &qp->sq, init->send_wr, init->send_bytes);
	if (!err && init->has_rq && init->recv_wr)
		err = xrdma_kqp_size_rq(caps, &qp->rq, init->recv_wr,
					init->recv_sge);
	if (err)
		return err;
	xrdma_qp_limits(caps, qp);
	return 0;
}

/**
 * xrdma_kqp_free() - free the memory of a queue pair that has been stopped
 * @xib: the device, dead or alive
 * @qp: the queue pair, after xrdma_kqp_stop()
 * @keep: the device may still access the rings: keep them until its reset
 *
 * Context: may sleep.
 */
void xrdma_kqp_free(struct xrdma_ibdev *xib, struct xrdma_qp *qp, bool keep)
{
	xrdma_buf_release(xib, qp->buf, keep);
	kvfree(qp->sq.spare);
	kvfree(qp->rq.wr_id);
	kvfree(qp->sq.wr_id);
}

static int xrdma_kqp_alloc(struct xrdma_ibdev *xib, struct xrdma_qp *qp)
{
	u64 rec = xrdma_qp_rec_offset(qp->sq.log_depth, qp->sq.units,
				      qp->rq.log_depth, qp->rq.log_stride);

	qp->sq.wr_id = kvcalloc(1 << qp->sq.log_depth, sizeof(u64),
				GFP_KERNEL);
	qp->rq.wr_id = kvcalloc(1 << qp->rq.log_depth, sizeof(u64),
				GFP_KERNEL);
	qp->sq.spare = kvcalloc(qp->sq.units, XRDMA_SQ_UNIT, GFP_KERNEL);
	if (qp->sq.wr_id && qp->rq.wr_id && qp->sq.spare)
		qp->buf = xrdma_buf_alloc(&xib->hw, rec + sizeof(*qp->rec));
	if (!qp->buf) {
		kvfree(qp->sq.spare);
		kvfree(qp->rq.wr_id);
		kvfree(qp->sq.wr_id);
		return -ENOMEM;
	}
	qp->sq.buf = qp->buf;
	qp->rq.buf = qp->buf;
	qp->sq.offset = xrdma_qp_sq_offset(qp->rq.log_depth,
					   qp->rq.log_stride);
	qp->rec = xrdma_buf_at(qp->buf, rec);
	return 0;
}

static bool xrdma_send_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct xrdma_qp, send_node)->qpn <
	       rb_entry(b, struct xrdma_qp, send_node)->qpn;
}

static bool xrdma_recv_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct xrdma_qp, recv_node)->qpn <
	       rb_entry(b, struct xrdma_qp, recv_node)->qpn;
}

/*
 * Add the queue pair to its completion queues: polling then finds it for the
 * entries of the device, and for the flush of a dead device.
 */
static void xrdma_kqp_attach(struct xrdma_qp *qp, struct xrdma_cq *send_cq,
			     struct xrdma_cq *recv_cq)
{
	spin_lock_irq(&send_cq->lock);
	rb_add(&qp->send_node, &send_cq->send_qps, xrdma_send_less);
	spin_unlock_irq(&send_cq->lock);

	spin_lock_irq(&recv_cq->lock);
	rb_add(&qp->recv_node, &recv_cq->recv_qps, xrdma_recv_less);
	spin_unlock_irq(&recv_cq->lock);
}

/*
 * When this function returns, no xrdma_poll_cq() uses the queue pair or will.
 */
static void xrdma_kqp_detach(struct xrdma_qp *qp, struct xrdma_cq *send_cq,
			     struct xrdma_cq *recv_cq)
{
	spin_lock_irq(&send_cq->lock);
	rb_erase(&qp->send_node, &send_cq->send_qps);
	spin_unlock_irq(&send_cq->lock);

	spin_lock_irq(&recv_cq->lock);
	rb_erase(&qp->recv_node, &recv_cq->recv_qps);
	spin_unlock_irq(&recv_cq->lock);
}

/**
 * xrdma_kqp_create() - create a queue pair with rings in kernel memory
 * @xib: the device
 * @qp: zeroed, or the object of an ib_qp; gets its number and its limits, and
 *	state RESET
 * @init: parameters, with both completion queues
 *
 * Context: may sleep.
 * Return: 0, -EINVAL for a size out of range, -ENOMEM when numbers or memory
 * run out, or an error of the command.
 */
int xrdma_kqp_create(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		     const struct xrdma_qp_init *init)
{
	struct xrdma_cmd_create_qp cmd = {};
	int err;

	qp->type = init->type;
	qp->sig_all = init->sig_all;
	err = xrdma_kqp_size(xib, qp, init);
	if (err)
		return err;
	err = xrdma_kqp_alloc(xib, qp);
	if (err)
		return err;

	xrdma_make_create_qp(&cmd, init);
	cmd.flags |= XRDMA_QP_KERNEL;
	cmd.root = cpu_to_le64(qp->buf->mtt.root);
	err = xrdma_qp_enable(xib, qp, &cmd);
	if (err) {
		xrdma_kqp_free(xib, qp, xrdma_may_dma(&xib->hw));
		return err;
	}
	xrdma_kqp_attach(qp, init->send_cq, init->recv_cq);
	return 0;
}

/**
 * xrdma_kqp_stop() - destroy a queue pair, but keep the memory of its rings
 * @xib: the device, dead or alive
 * @qp: queue pair of xrdma_kqp_create(), to which no thread posts
 * @send_cq: completion queue of its sends
 * @recv_cq: completion queue of its receives
 *
 * The entries of the rings can still be read. The caller then calls
 * xrdma_kqp_free(), unless the error is -EBUSY.
 *
 * Context: may sleep.
 * Return: 0; -EBUSY: windows of type 2A are bound to the queue pair, nothing
 * has changed; or another error of the command: the device may still access the
 * rings and the memory that the work requests name.
 */
int xrdma_kqp_stop(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		   struct xrdma_cq *send_cq, struct xrdma_cq *recv_cq)
{
	int err = xrdma_qp_disable(xib, qp, send_cq, recv_cq);

	if (err == -EBUSY)
		return err;
	/*
	 * After xrdma_qp_disable(), which has dropped the entries of the queue
	 * pair: for an entry without a queue pair, polling declares the device
	 * dead.
	 */
	xrdma_kqp_detach(qp, send_cq, recv_cq);
	return err;
}

/**
 * xrdma_kqp_destroy() - destroy a queue pair, and free its memory
 * @xib: the device, dead or alive
 * @qp: queue pair of xrdma_kqp_create(), to which no thread posts
 * @send_cq: completion queue of its sends
 * @recv_cq: completion queue of its receives
 *
 * Rings that the device may still access are kept until its reset.
 *
 * Context: may sleep.
 * Return: as xrdma_kqp_stop().
 */
int xrdma_kqp_destroy(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		      struct xrdma_cq *send_cq, struct xrdma_cq *recv_cq)
{
	int err = xrdma_kqp_stop(xib, qp, send_cq, recv_cq);

	if (err != -EBUSY)
		xrdma_kqp_free(xib, qp, err);
	return err;
}
