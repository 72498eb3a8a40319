// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA work queues of processes, for raw packets: each is a queue pair of the
 * device that only receives. Tables of work queues are in xrdma_rss.c, queue
 * pairs with rings of a process in xrdma_uqp.c.
 */

#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>
#include "xrdma_cmd.h"
#include "xrdma_cq.h"
#include "xrdma_ibdev.h"
#include "xrdma_pd.h"
#include "xrdma_qp.h"
#include "xrdma_rwq.h"
#include "xrdma_ubuf.h"
#include "xrdma_uqp.h"
#include "xrdma_wq.h"

/* Only QP_FATAL has a counterpart among the events of a work queue. */
static void xrdma_rwq_event(struct ib_event *event, void *context)
{
	struct xrdma_rwq *rwq = context;
	struct ib_event ibevent = {
		.device = event->device,
		.event = IB_EVENT_WQ_FATAL,
		.element.wq = &rwq->ibwq,
	};

	/*
	 * the core's handler uses uobject, which the core sets after create_wq
	 */
	if (event->event == IB_EVENT_QP_FATAL &&
	    READ_ONCE(rwq->ibwq.uobject) && rwq->ibwq.event_handler)
		rwq->ibwq.event_handler(&ibevent, rwq->ibwq.wq_context);
}

static int xrdma_rwq_check(const struct xrdma_caps *caps,
			   const struct xrdma_ureq_create_wq *req,
			   const struct ib_wq_init_attr *attr)
{
	if (memchr_inv(req->reserved, 0, sizeof(req->reserved)) ||
	    !PAGE_ALIGNED(req->buf_addr))
		return -EINVAL;
	if (!xrdma_ubuf_ring_ok(caps, req->log_depth, req->log_stride,
				XRDMA_RQ_LOG_STRIDE_MIN))
		return -EINVAL;
	return !attr->max_wr || attr->max_wr > 1U << req->log_depth ? -EINVAL :
								      0;
}

static int xrdma_rwq_create(struct xrdma_ibdev *xib, struct xrdma_rwq *rwq,
			    struct ib_pd *ibpd, struct ib_wq_init_attr *attr,
			    struct ib_udata *udata)
{
	const struct xrdma_qp_init init = {
		.type = XRDMA_QP_RAW,
		.pdn = to_xpd(ibpd)->pdn,
		.recv_cq = to_xcq(attr->cq),
		.has_rq = true,
	};
	struct xrdma_qp *qp = &rwq->qp;
	struct xrdma_uresp_create_wq resp = {};
	struct xrdma_ureq_create_wq req;
	int err;

	err = ib_copy_validate_udata_in(udata, req, reserved);
	if (!err)
		err = xrdma_rwq_check(&xib->hw.caps, &req, attr);
	if (err)
		return err;

	qp->type = init.type;
	qp->rq.log_depth = req.log_depth;
	qp->rq.log_stride = req.log_stride;
	xrdma_qp_limits(&xib->hw.caps, qp);
	if (attr->max_sge > qp->rq.max_sge)
		return -EINVAL;
	err = xrdma_uqp_start(xib, qp, &init, req.buf_addr, udata);
	if (err)
		return err;
	resp.wqn = qp->qpn;
	err = ib_respond_udata(udata, resp);
	if (err) {
		xrdma_uqp_destroy(xib, qp);
		return err;
	}

	attr->max_wr = 1 << qp->rq.log_depth;
	attr->max_sge = qp->rq.max_sge;
	return 0;
}

/* ---- verbs ------------------------------------------------------------------ */

/**
 * xrdma_create_wq() - ib_device_ops.create_wq
 * @ibpd: protection domain of a process
 * @attr: parameters; max_wr and max_sge are set to depth and limit of the ring
 * @udata: with struct xrdma_ureq_create_wq
 *
 * Context: may sleep.
 * Return: the work queue, in state RESET; -EOPNOTSUPP for a type or flag that
 * is not supported, -EINVAL for a value out of range, -ENOMEM when numbers or
 * memory run out, or an error of the command.
 */
struct ib_wq *xrdma_create_wq(struct ib_pd *ibpd, struct ib_wq_init_attr *attr,
			      struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibpd->device);
	struct xrdma_rwq *rwq;
	int err;

	if (attr->wq_type != IB_WQT_RQ || attr->create_flags)
		return ERR_PTR(-EOPNOTSUPP);
	rwq = kzalloc_obj(*rwq, GFP_KERNEL_ACCOUNT);
	if (!rwq)
		return ERR_PTR(-ENOMEM);
	rwq->qp.ibqp.event_handler = xrdma_rwq_event;
	rwq->qp.ibqp.qp_context = rwq;
	err = xrdma_rwq_create(xib, rwq, ibpd, attr, udata);
	if (err) {
		kfree(rwq);
		return ERR_PTR(err);
	}
	/* the core does not set these; a queue in RESET has no events yet */
	rwq->ibwq.event_handler = attr->event_handler;
	rwq->ibwq.wq_context = attr->wq_context;
	rwq->ibwq.wq_num = rwq->qp.qpn;
	rwq->ibwq.state = IB_WQS_RESET;
	return &rwq->ibwq;
}

/**
 * xrdma_destroy_wq() - ib_device_ops.destroy_wq
 * @ibwq: the work queue, which is in no table
 * @udata: no driver data in either direction
 *
 * Context: may sleep.
 * Return: 0: the ring is released, or in quarantine if the device cannot be
 * silenced. Or the error of unexpected @udata.
 */
int xrdma_destroy_wq(struct ib_wq *ibwq, struct ib_udata *udata)
{
	struct xrdma_rwq *rwq = to_xrwq(ibwq);
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;
	/* never -EBUSY: no window can be bound to a work queue */
	xrdma_uqp_destroy(to_xibdev(ibwq->device), &rwq->qp);
	kfree(rwq);
	return 0;
}

static int xrdma_rwq_modify_qp(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
			       u8 state)
{
	struct xrdma_qp_attr hw = { .state = state };

	return xrdma_cmd_modify_qp(&xib->hw, qp->qpn, XRDMA_QPM_STATE, &hw);
}

/*
 * Make the transitions of the queue pair that change the state of the work
 * queue.
 */
static int xrdma_rwq_set_state(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
			       enum ib_wq_state cur, enum ib_wq_state next)
{
	int err;

	if (next == cur)
		return 0;
	if (next == IB_WQS_RESET)
		return xrdma_rwq_modify_qp(xib, qp, XRDMA_QPS_RESET);
	if (next == IB_WQS_ERR && cur == IB_WQS_RDY)
		return xrdma_rwq_modify_qp(xib, qp, XRDMA_QPS_ERR);
	if (next != IB_WQS_RDY || cur != IB_WQS_RESET)
		return -EINVAL;

	err = xrdma_rwq_modify_qp(xib, qp, XRDMA_QPS_INIT);
	if (err)
		return err;
	err = xrdma_rwq_modify_qp(xib, qp, XRDMA_QPS_RTR);
	if (err)
		xrdma_rwq_modify_qp(xib, qp, XRDMA_QPS_RESET);
	return err;
}

/**
 * xrdma_modify_wq() - ib_device_ops.modify_wq
 * @ibwq: the work queue
 * @attr: new state, current state
 * @mask: enum ib_wq_attr_mask
 * @udata: no driver data in either direction
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP for an attribute that is not supported, -EINVAL for a
 * transition that does not exist, or an error of the command.
 */
int xrdma_modify_wq(struct ib_wq *ibwq, struct ib_wq_attr *attr, u32 mask,
		    struct ib_udata *udata)
{
	struct xrdma_qp *qp = &to_xrwq(ibwq)->qp;
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;
	if (mask & ~(u32)(IB_WQ_STATE | IB_WQ_CUR_STATE))
		return -EOPNOTSUPP;

	mutex_lock(&qp->modify_lock);
	if (mask & IB_WQ_CUR_STATE && attr->curr_wq_state != ibwq->state)
		err = -EINVAL;
	else if (mask & IB_WQ_STATE)
		err = xrdma_rwq_set_state(to_xibdev(ibwq->device), qp,
					  ibwq->state, attr->wq_state);
	if (!err && mask & IB_WQ_STATE)
		ibwq->state = attr->wq_state;
	mutex_unlock(&qp->modify_lock);
	return err;
}
