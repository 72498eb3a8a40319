// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA queue pairs: birth, death and events, for users, for the kernel's
 * consumers and for the netdev. Must not know states and attributes
 * (xrdma_qp_modify.c), nor what is in an entry (xrdma_post.c, xrdma_poll.c).
 */

#include <linux/log2.h>
#include "xrdma_verbs.h"

#define XRDMA_SQ_LOG_STRIDE_MIN		6 /* room to bind and to register */
#define XRDMA_RQ_LOG_STRIDE_MIN		5
#define XRDMA_LOG_STRIDE_MAX		10
#define XRDMA_QPN_MIN			2

/* ---- numbers and events ------------------------------------------------ */

/* A number without an object: lookups find nothing, nobody else gets it. */
static int xrdma_qp_reserve(struct xrdma_ibdev *xib, struct xrdma_qp *qp)
{
	struct xa_limit limit = XA_LIMIT(XRDMA_QPN_MIN,
					 xib->hw.caps.max_qp - 1);
	int err;

	err = xa_alloc_cyclic_irq(&xib->qps, &qp->qpn, NULL, limit,
				  &xib->next_qpn, GFP_KERNEL);
	if (err == -EBUSY)
		return -ENOMEM;
	return min(err, 0);
}

static int xrdma_qp_enable(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
			   struct xrdma_cmd_create_qp *cmd)
{
	int err;

	qp->xdev = &xib->hw;
	qp->state = XRDMA_QPS_RESET;
	spin_lock_init(&qp->sq_lock);
	spin_lock_init(&qp->rq_lock);
	mutex_init(&qp->modify_lock);
	refcount_set(&qp->refs, 1);
	init_completion(&qp->free);
	INIT_LIST_HEAD(&qp->send_entry);
	INIT_LIST_HEAD(&qp->recv_entry);

	err = xrdma_qp_reserve(xib, qp);
	if (err)
		goto err_mutex;

	cmd->qpn = cpu_to_le32(qp->qpn);
	cmd->log_sq_depth = qp->sq.log_depth;
	cmd->log_sq_stride = qp->sq.log_stride;
	cmd->log_rq_depth = qp->rq.log_depth;
	cmd->log_rq_stride = qp->rq.log_stride;
	err = xrdma_cmd_create_qp(&xib->hw, cmd);
	if (err)
		goto err_number;

	xa_store_irq(&xib->qps, qp->qpn, qp, GFP_KERNEL);
	return 0;

err_number:
	xa_erase_irq(&xib->qps, qp->qpn);
err_mutex:
	mutex_destroy(&qp->modify_lock);
	return err;
}

static void xrdma_qp_put(struct xrdma_qp *qp)
{
	if (refcount_dec_and_test(&qp->refs))
		complete(&qp->free);
}

/*
 * When this returns, no handler runs and none will. The number is free again
 * only if the device has let go of it, and its entries are out of the queues.
 * Of -EBUSY, windows of type 2A are bound to it, nothing has changed.
 */
static int xrdma_qp_disable(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
			    struct xrdma_cq *send_kcq,
			    struct xrdma_cq *recv_kcq)
{
	int err;

	err = xrdma_cmd_destroy_qp(&xib->hw, qp->qpn);
	if (err == -EBUSY)
		return err;
	xa_store_irq(&xib->qps, qp->qpn, NULL, GFP_KERNEL);
	if (send_kcq)
		xrdma_cq_forget(send_kcq, qp->qpn);
	if (recv_kcq)
		xrdma_cq_forget(recv_kcq, qp->qpn);
	if (!err)
		xa_erase_irq(&xib->qps, qp->qpn);
	xrdma_qp_put(qp);
	wait_for_completion(&qp->free);
	mutex_destroy(&qp->modify_lock);
	return err;
}

static const struct {
	u8 event;
	u8 ib;
} xrdma_qp_events[] = {
	{ XRDMA_EVENT_QP_FATAL, IB_EVENT_QP_FATAL },
	{ XRDMA_EVENT_QP_REQ_ERR, IB_EVENT_QP_REQ_ERR },
	{ XRDMA_EVENT_QP_ACCESS_ERR, IB_EVENT_QP_ACCESS_ERR },
	{ XRDMA_EVENT_QP_COMM_EST, IB_EVENT_COMM_EST },
	{ XRDMA_EVENT_QP_SQ_DRAINED, IB_EVENT_SQ_DRAINED },
	{ XRDMA_EVENT_QP_LAST_WQE, IB_EVENT_QP_LAST_WQE_REACHED },
};

static void xrdma_qp_deliver(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
			     u8 event)
{
	struct ib_event ibevent = {
		.device = &xib->ibdev,
		.element.qp = &qp->ibqp,
	};
	int i;

	if (!qp->ibqp.event_handler)
		return;
	for (i = 0; i < ARRAY_SIZE(xrdma_qp_events); i++) {
		if (xrdma_qp_events[i].event != event)
			continue;
		ibevent.event = xrdma_qp_events[i].ib;
		qp->ibqp.event_handler(&ibevent, qp->ibqp.qp_context);
	}
}

/**
 * xrdma_qp_event() - asynchronous event of a queue pair
 * @xib: the device
 * @qpn: as the device says; a number that is not in use is ignored
 * @event: XRDMA_EVENT_QP_*
 *
 * Context: any; calls the consumer's handler.
 */
void xrdma_qp_event(struct xrdma_ibdev *xib, u32 qpn, u8 event)
{
	struct xrdma_qp *qp;
	unsigned long flags;

	xa_lock_irqsave(&xib->qps, flags);
	qp = xa_load(&xib->qps, qpn);
	if (qp)
		refcount_inc(&qp->refs);
	xa_unlock_irqrestore(&xib->qps, flags);
	if (!qp)
		return;

	xrdma_qp_deliver(xib, qp, event);
	xrdma_qp_put(qp);
}

/* ---- sizes -------------------------------------------------------------- */

/* Bytes of a send entry before its scatter-gather entries or inline bytes */
static u32 xrdma_sq_header(u8 type)
{
	switch (type) {
	case XRDMA_QP_UD:
	case XRDMA_QP_GSI:
		return sizeof(struct xrdma_sq_wqe) + sizeof(struct xrdma_av);
	default:
		return sizeof(struct xrdma_sq_wqe);
	}
}

static void xrdma_wq_limits(const struct xrdma_caps *caps, struct xrdma_wq *wq,
			    u32 header)
{
	if (wq->log_stride)
		wq->max_sge = min_t(u32, caps->max_sge,
				    ((1 << wq->log_stride) - header) /
				    sizeof(struct xrdma_sge));
}

/* From depths and strides to what a consumer gets out of them */
static void xrdma_qp_limits(const struct xrdma_caps *caps, struct xrdma_qp *qp,
			    u8 type)
{
	u32 header = xrdma_sq_header(type);

	xrdma_wq_limits(caps, &qp->sq, header);
	xrdma_wq_limits(caps, &qp->rq, sizeof(struct xrdma_rq_wqe));
	qp->max_inline = min_t(u32, caps->max_inline,
			       (1 << qp->sq.log_stride) - header);
}

/**
 * xrdma_qp_caps() - what a consumer may post
 * @qp: queue pair
 * @cap: gets the true depths and sizes
 */
void xrdma_qp_caps(const struct xrdma_qp *qp, struct ib_qp_cap *cap)
{
	cap->max_send_wr = 1 << qp->sq.log_depth;
	cap->max_send_sge = qp->sq.max_sge;
	cap->max_inline_data = qp->max_inline;
	cap->max_recv_wr = qp->rq.log_stride ? 1 << qp->rq.log_depth : 0;
	cap->max_recv_sge = qp->rq.max_sge;
}

static int xrdma_wq_size(const struct xrdma_caps *caps, struct xrdma_wq *wq,
			 u32 entries, u32 bytes, u32 log_stride_min)
{
	if (entries > caps->max_qp_wr)
		return -EINVAL;
	wq->log_depth = order_base_2(max(entries, 1U));
	wq->log_stride = max_t(u32, order_base_2(bytes), log_stride_min);
	return wq->log_stride > XRDMA_LOG_STRIDE_MAX ? -EINVAL : 0;
}

/* ---- in kernel memory ---------------------------------------------------- */

static int xrdma_kqp_size(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
			  const struct xrdma_kqp_attr *attr)
{
	const struct xrdma_caps *caps = &xib->hw.caps;
	int err;

	err = xrdma_wq_size(caps, &qp->sq, attr->send_wr, attr->send_bytes,
			    XRDMA_SQ_LOG_STRIDE_MIN);
	if (!err && attr->recv_wr)
		err = xrdma_wq_size(caps, &qp->rq, attr->recv_wr,
				    sizeof(struct xrdma_rq_wqe) +
				    sizeof(struct xrdma_sge) * attr->recv_sge,
				    XRDMA_RQ_LOG_STRIDE_MIN);
	if (!err)
		xrdma_qp_limits(caps, qp, attr->type);
	return err;
}

static void xrdma_kqp_free(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
			   bool keep)
{
	if (keep)
		xrdma_quarantine_buf(xib, &qp->buf);
	else
		xrdma_buf_free(&xib->hw, &qp->buf);
	kvfree(qp->rq.wr_id);
	kvfree(qp->sq.wr_id);
}

static int xrdma_kqp_alloc(struct xrdma_ibdev *xib, struct xrdma_qp *qp)
{
	u64 rec = xrdma_qp_rec_offset(qp->sq.log_depth, qp->sq.log_stride,
				      qp->rq.log_depth, qp->rq.log_stride);
	int err = -ENOMEM;

	qp->sq.wr_id = kvcalloc(1 << qp->sq.log_depth, sizeof(u64),
				GFP_KERNEL);
	qp->rq.wr_id = kvcalloc(1 << qp->rq.log_depth, sizeof(u64),
				GFP_KERNEL);
	if (qp->sq.wr_id && qp->rq.wr_id)
		err = xrdma_buf_alloc(&xib->hw, &qp->buf,
				      rec + sizeof(*qp->rec));
	if (err) {
		kvfree(qp->rq.wr_id);
		kvfree(qp->sq.wr_id);
		return err;
	}
	qp->sq.ring = qp->buf.cpu;
	qp->rq.ring = qp->buf.cpu +
		      (1 << (qp->sq.log_depth + qp->sq.log_stride));
	qp->rec = qp->buf.cpu + rec;
	return 0;
}

/* From here on a dead device completes its work in software. */
static void xrdma_kqp_attach(struct xrdma_qp *qp, struct xrdma_cq *send_cq,
			     struct xrdma_cq *recv_cq)
{
	spin_lock_irq(&send_cq->lock);
	list_add_tail(&qp->send_entry, &send_cq->send_qps);
	spin_unlock_irq(&send_cq->lock);

	spin_lock_irq(&recv_cq->lock);
	list_add_tail(&qp->recv_entry, &recv_cq->recv_qps);
	spin_unlock_irq(&recv_cq->lock);
}

static void xrdma_kqp_detach(struct xrdma_qp *qp, struct xrdma_cq *send_cq,
			     struct xrdma_cq *recv_cq)
{
	spin_lock_irq(&send_cq->lock);
	list_del(&qp->send_entry);
	spin_unlock_irq(&send_cq->lock);

	spin_lock_irq(&recv_cq->lock);
	list_del(&qp->recv_entry);
	spin_unlock_irq(&recv_cq->lock);
}

/**
 * xrdma_kqp_create() - queue pair in kernel memory, in state RESET
 * @xib: the device
 * @qp: zeroed, or the object of an ib_qp; gets its number and its limits
 * @attr: what is needed
 *
 * Context: may sleep.
 * Return: 0, -EINVAL for a size out of range, -ENOMEM when numbers or memory
 * run out, or an error of the command.
 */
int xrdma_kqp_create(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		     const struct xrdma_kqp_attr *attr)
{
	struct xrdma_cmd_create_qp cmd = {
		.pd = cpu_to_le32(attr->pdn),
		.send_cqn = cpu_to_le32(attr->send_cq->cqn),
		.recv_cqn = cpu_to_le32(attr->recv_cq->cqn),
		.type = attr->type,
		.flags = XRDMA_QP_KERNEL,
	};
	int err;

	err = xrdma_kqp_size(xib, qp, attr);
	if (err)
		return err;
	err = xrdma_kqp_alloc(xib, qp);
	if (err)
		return err;

	qp->sig_all = attr->sig_all;
	if (attr->sig_all)
		cmd.flags |= XRDMA_QP_SQ_SIG_ALL;
	cmd.root = cpu_to_le64(qp->buf.root);
	err = xrdma_qp_enable(xib, qp, &cmd);
	if (err) {
		xrdma_kqp_free(xib, qp, xrdma_may_touch(&xib->hw));
		return err;
	}
	xrdma_kqp_attach(qp, attr->send_cq, attr->recv_cq);
	return 0;
}

/**
 * xrdma_kqp_destroy() - end of a queue pair of xrdma_kqp_create()
 * @xib: the device, dead or alive
 * @qp: the queue pair; nobody posts to it any more
 * @send_cq: its completion queue of sends
 * @recv_cq: its completion queue of receives
 *
 * Rings that the device may still touch are kept until it has been reset.
 *
 * Context: may sleep.
 * Return: 0; -EBUSY: windows of type 2A are bound to it, nothing has changed;
 * or another error of the command: then the device may still touch what its
 * work requests name.
 */
int xrdma_kqp_destroy(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		      struct xrdma_cq *send_cq, struct xrdma_cq *recv_cq)
{
	int err = xrdma_qp_disable(xib, qp, send_cq, recv_cq);

	if (err == -EBUSY)
		return err;
	xrdma_kqp_detach(qp, send_cq, recv_cq);
	/* a reader in xrdma_poll_cq() may have found it */
	synchronize_rcu();
	xrdma_kqp_free(xib, qp, err);
	return err;
}

/* ---- verbs --------------------------------------------------------------- */

static int xrdma_create_kernel_qp(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
				  struct ib_qp_init_attr *attr)
{
	struct xrdma_kqp_attr kattr = {
		.type = XRDMA_QP_RC,
		.pdn = to_xpd(qp->ibqp.pd)->pdn,
		.send_cq = to_xcq(attr->send_cq),
		.recv_cq = to_xcq(attr->recv_cq),
		.send_wr = attr->cap.max_send_wr,
		.recv_wr = attr->cap.max_recv_wr,
		.recv_sge = attr->cap.max_recv_sge,
		.sig_all = attr->sq_sig_type == IB_SIGNAL_ALL_WR,
	};

	kattr.send_bytes = xrdma_sq_header(kattr.type) +
		max_t(u32, attr->cap.max_inline_data,
		      attr->cap.max_send_sge * sizeof(struct xrdma_sge));
	return xrdma_kqp_create(xib, qp, &kattr);
}

static bool xrdma_user_wq_ok(const struct xrdma_caps *caps,
			     const struct xrdma_wq *wq, u8 log_stride_min)
{
	return wq->log_stride >= log_stride_min &&
	       wq->log_stride <= XRDMA_LOG_STRIDE_MAX &&
	       wq->log_depth <= ilog2(caps->max_qp_wr);
}

/* Do the rings that the provider laid out hold what the consumer asked for? */
static int xrdma_check_user_qp(const struct xrdma_caps *caps,
			       struct xrdma_qp *qp,
			       const struct ib_qp_cap *want)
{
	struct ib_qp_cap have;

	if (!xrdma_user_wq_ok(caps, &qp->sq, XRDMA_SQ_LOG_STRIDE_MIN))
		return -EINVAL;
	if (qp->rq.log_stride ?
	    !xrdma_user_wq_ok(caps, &qp->rq, XRDMA_RQ_LOG_STRIDE_MIN) :
	    qp->rq.log_depth)
		return -EINVAL;

	xrdma_qp_limits(caps, qp, XRDMA_QP_RC);
	xrdma_qp_caps(qp, &have);
	if (want->max_send_wr > have.max_send_wr ||
	    want->max_send_sge > have.max_send_sge ||
	    want->max_inline_data > have.max_inline_data ||
	    want->max_recv_wr > have.max_recv_wr ||
	    (want->max_recv_wr && want->max_recv_sge > have.max_recv_sge))
		return -EINVAL;
	return 0;
}

static int xrdma_uqp_map(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
			 u64 addr)
{
	u64 size = xrdma_qp_rec_offset(qp->sq.log_depth, qp->sq.log_stride,
				       qp->rq.log_depth, qp->rq.log_stride) +
		   sizeof(struct xrdma_qp_rec);
	int err;

	qp->umem = ib_umem_get_va(&xib->ibdev, addr, size,
				  IB_ACCESS_LOCAL_WRITE);
	if (IS_ERR(qp->umem))
		return PTR_ERR(qp->umem);

	err = xrdma_mtt_build(&xib->hw, &qp->mtt, &qp->umem->sgt_append.sgt,
			      ib_umem_offset(qp->umem), size, true);
	if (err)
		ib_umem_release(qp->umem);
	return err;
}

static void xrdma_uqp_unmap(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
			    bool keep)
{
	if (keep) {
		xrdma_quarantine(xib, qp->umem, &qp->mtt);
		return;
	}
	xrdma_mtt_free(&xib->hw, &qp->mtt);
	ib_umem_release(qp->umem);
}

static int xrdma_uqp_destroy(struct xrdma_ibdev *xib, struct xrdma_qp *qp)
{
	int err = xrdma_qp_disable(xib, qp, NULL, NULL);

	if (err != -EBUSY)
		xrdma_uqp_unmap(xib, qp, err);
	return err;
}

static int xrdma_uqp_enable(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
			    const struct ib_qp_init_attr *attr,
			    struct ib_udata *udata)
{
	struct xrdma_ucontext *uctx =
		rdma_udata_to_drv_context(udata, struct xrdma_ucontext, ibuc);
	struct xrdma_cmd_create_qp cmd = {
		.root = cpu_to_le64(qp->mtt.root),
		.pd = cpu_to_le32(to_xpd(qp->ibqp.pd)->pdn),
		.send_cqn = cpu_to_le32(to_xcq(attr->send_cq)->cqn),
		.recv_cqn = cpu_to_le32(to_xcq(attr->recv_cq)->cqn),
		.db_page = cpu_to_le32(uctx->db_page),
		.type = XRDMA_QP_RC,
	};
	struct xrdma_uresp_create_qp resp = {};
	int err;

	qp->sig_all = attr->sq_sig_type == IB_SIGNAL_ALL_WR;
	if (qp->sig_all)
		cmd.flags |= XRDMA_QP_SQ_SIG_ALL;
	err = xrdma_qp_enable(xib, qp, &cmd);
	if (err) {
		xrdma_uqp_unmap(xib, qp, xrdma_may_touch(&xib->hw));
		return err;
	}

	resp.qpn = qp->qpn;
	err = ib_respond_udata(udata, resp);
	if (err)
		xrdma_uqp_destroy(xib, qp);
	return err;
}

static int xrdma_create_user_qp(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
				struct ib_qp_init_attr *attr,
				struct ib_udata *udata)
{
	struct xrdma_ureq_create_qp req;
	int err;

	err = ib_copy_validate_udata_in(udata, req, reserved);
	if (err)
		return err;
	if (req.reserved || !PAGE_ALIGNED(req.buf_addr))
		return -EINVAL;

	qp->sq.log_depth = req.log_sq_depth;
	qp->sq.log_stride = req.log_sq_stride;
	qp->rq.log_depth = req.log_rq_depth;
	qp->rq.log_stride = req.log_rq_stride;
	err = xrdma_check_user_qp(&xib->hw.caps, qp, &attr->cap);
	if (err)
		return err;
	err = xrdma_uqp_map(xib, qp, req.buf_addr);
	if (err)
		return err;
	return xrdma_uqp_enable(xib, qp, attr, udata);
}

static int xrdma_check_qp_attr(const struct xrdma_caps *caps,
			       const struct ib_qp_init_attr *attr)
{
	if (attr->qp_type != IB_QPT_RC || attr->srq || attr->create_flags ||
	    attr->rwq_ind_tbl)
		return -EOPNOTSUPP;
	if (attr->cap.max_send_wr > caps->max_qp_wr ||
	    attr->cap.max_recv_wr > caps->max_qp_wr ||
	    attr->cap.max_send_sge > caps->max_sge ||
	    attr->cap.max_recv_sge > caps->max_sge ||
	    attr->cap.max_inline_data > caps->max_inline)
		return -EINVAL;
	return 0;
}

/**
 * xrdma_create_qp() - ib_device_ops.create_qp
 * @ibqp: to become a queue pair, in state RESET
 * @attr: what is needed; @attr->cap is set to what was given
 * @udata: with struct xrdma_ureq_create_qp; NULL for the kernel
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP for a type or flag that does not work, -EINVAL for a
 * value out of range, -ENOMEM when numbers or memory run out, or an error of
 * the command.
 */
int xrdma_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
		    struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibqp->device);
	struct xrdma_qp *qp = to_xqp(ibqp);
	int err;

	err = xrdma_check_qp_attr(&xib->hw.caps, attr);
	if (err)
		return err;

	if (udata)
		err = xrdma_create_user_qp(xib, qp, attr, udata);
	else
		err = xrdma_create_kernel_qp(xib, qp, attr);
	if (err)
		return err;

	ibqp->qp_num = qp->qpn;
	xrdma_qp_caps(qp, &attr->cap);
	return 0;
}

/**
 * xrdma_destroy_qp() - ib_device_ops.destroy_qp
 * @ibqp: the queue pair
 * @udata: no driver data in either direction; NULL for the kernel
 *
 * Context: may sleep.
 * Return: 0: it is gone; its rings are released, or, if the device died, in
 * quarantine. -EBUSY: windows of type 2A are bound to it; nothing has changed.
 * Or the error of unexpected @udata.
 */
int xrdma_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibqp->device);
	struct xrdma_qp *qp = to_xqp(ibqp);
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;

	if (qp->umem)
		err = xrdma_uqp_destroy(xib, qp);
	else
		err = xrdma_kqp_destroy(xib, qp, to_xcq(ibqp->send_cq),
					to_xcq(ibqp->recv_cq));
	return err == -EBUSY ? err : 0;
}
