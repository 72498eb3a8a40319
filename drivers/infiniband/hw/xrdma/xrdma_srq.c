// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA shared receive queues: creates, changes and destroys them for users and
 * for the kernel's consumers, and delivers their events. Posting and the tags
 * of requests are in xrdma_srq_post.c.
 */

#include <linux/log2.h>
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/xrdma-ring.h>
#include "xrdma_buf.h"
#include "xrdma_cmd.h"
#include "xrdma_cq.h"
#include "xrdma_ibdev.h"
#include "xrdma_pd.h"
#include "xrdma_quarantine.h"
#include "xrdma_srq.h"
#include "xrdma_ubuf.h"
#include "xrdma_wq.h"

/* ---- numbers and events ------------------------------------------------ */

/* Allocate a number. Lookups of the number find NULL until the queue exists. */
static int xrdma_srq_reserve(struct xrdma_ibdev *xib, struct xrdma_srq *srq)
{
	struct xa_limit limit = XA_LIMIT(1, xib->hw.caps.max_srq - 1);
	int err;

	err = xa_alloc_cyclic_irq(&xib->srqs, &srq->srqn, NULL, limit,
				  &xib->next_srqn, GFP_KERNEL);
	if (err == -EBUSY)
		return -ENOMEM;
	return min(err, 0);
}

/*
 * The limit stays 0: ibv_create_srq() ignores it, xrdma_modify_srq() sets it.
 */
static int xrdma_srq_enable(struct xrdma_ibdev *xib, struct xrdma_srq *srq,
			    u64 root)
{
	const struct ib_srq *ibsrq = &srq->ibsrq;
	struct xrdma_cmd_create_srq cmd = {
		.root = cpu_to_le64(root),
		.pd = cpu_to_le32(to_xpd(ibsrq->pd)->pdn),
		.log_depth = srq->rq.log_depth,
		.log_stride = srq->rq.log_stride,
	};
	int err;

	spin_lock_init(&srq->lock);
	mutex_init(&srq->modify_lock);
	refcount_set(&srq->refs, 1);
	init_completion(&srq->free);

	err = xrdma_srq_reserve(xib, srq);
	if (err)
		goto err_mutex;

	cmd.srqn = cpu_to_le32(srq->srqn);
	if (ibsrq->srq_type == IB_SRQT_XRC) {
		cmd.xrcd = cpu_to_le32(to_xxrcd(ibsrq->ext.xrc.xrcd)->xrcdn);
		cmd.cqn = cpu_to_le32(to_xcq(ibsrq->ext.cq)->cqn);
	}
	err = xrdma_cmd_create_srq(&xib->hw, &cmd);
	if (err)
		goto err_number;

	xa_store_irq(&xib->srqs, srq->srqn, srq, GFP_KERNEL);
	return 0;

err_number:
	xa_erase_irq(&xib->srqs, srq->srqn);
err_mutex:
	mutex_destroy(&srq->modify_lock);
	return err;
}

/**
 * xrdma_srq_get() - look up a queue, and take a reference to it
 * @xib: the device
 * @srqn: any number
 *
 * Context: any.
 * Return: the queue, which stays valid until xrdma_srq_put(), or NULL.
 */
struct xrdma_srq *xrdma_srq_get(struct xrdma_ibdev *xib, u32 srqn)
{
	struct xrdma_srq *srq;
	unsigned long flags;

	xa_lock_irqsave(&xib->srqs, flags);
	srq = xa_load(&xib->srqs, srqn);
	if (srq)
		refcount_inc(&srq->refs);
	xa_unlock_irqrestore(&xib->srqs, flags);
	return srq;
}

/**
 * xrdma_srq_put() - drop the reference that xrdma_srq_get() has taken
 * @srq: the queue
 *
 * Context: any.
 */
void xrdma_srq_put(struct xrdma_srq *srq)
{
	if (refcount_dec_and_test(&srq->refs))
		complete(&srq->free);
}

/*
 * When this function returns, no event handler of the queue runs or will start.
 * If the DESTROY command fails, the number stays allocated, since the device
 * may still use it.
 */
static int xrdma_srq_disable(struct xrdma_ibdev *xib, struct xrdma_srq *srq)
{
	int err;

	xa_store_irq(&xib->srqs, srq->srqn, NULL, GFP_KERNEL);
	err = xrdma_cmd_destroy_srq(&xib->hw, srq->srqn);
	if (!err)
		xa_erase_irq(&xib->srqs, srq->srqn);
	xrdma_srq_put(srq);
	wait_for_completion(&srq->free);
	mutex_destroy(&srq->modify_lock);
	return err;
}

/**
 * xrdma_srq_event() - handle an asynchronous event of a shared receive queue
 * @xib: the device
 * @srqn: number from the event; ignored if no queue has this number
 * @event: XRDMA_EVENT_SRQ_*
 *
 * Context: any; calls the consumer's handler.
 */
void xrdma_srq_event(struct xrdma_ibdev *xib, u32 srqn, u8 event)
{
	struct ib_event ibevent = {
		.device = &xib->ibdev,
		.event = event == XRDMA_EVENT_SRQ_LIMIT ?
			 IB_EVENT_SRQ_LIMIT_REACHED : IB_EVENT_SRQ_ERR,
	};
	struct xrdma_srq *srq = xrdma_srq_get(xib, srqn);

	if (!srq)
		return;

	ibevent.element.srq = &srq->ibsrq;
	if (srq->ibsrq.event_handler)
		srq->ibsrq.event_handler(&ibevent, srq->ibsrq.srq_context);
	xrdma_srq_put(srq);
}

/* ---- sizes -------------------------------------------------------------- */

static u64 xrdma_srq_rec_offset(const struct xrdma_wq *rq)
{
	return xrdma_qp_rec_offset(0, 0, rq->log_depth, rq->log_stride);
}

static u64 xrdma_srq_size(const struct xrdma_wq *rq)
{
	return xrdma_srq_rec_offset(rq) + sizeof(struct xrdma_srq_rec);
}

/* Report the depth in entries and the scatter-gather entries of an entry. */
static void xrdma_srq_attr(const struct xrdma_wq *rq, struct ib_srq_attr *attr)
{
	attr->max_wr = 1 << rq->log_depth;
	attr->max_sge = rq->max_sge;
}

static void xrdma_srq_limits(const struct xrdma_caps *caps,
			     struct xrdma_wq *rq)
{
	u32 room = (1 << rq->log_stride) - sizeof(struct xrdma_rq_wqe);

	rq->max_sge = min_t(u32, caps->max_sge, room / sizeof(struct xrdma_sge));
}

/* ---- in kernel memory ---------------------------------------------------- */

static int xrdma_ksrq_size(const struct xrdma_caps *caps, struct xrdma_wq *rq,
			   const struct ib_srq_attr *attr)
{
	u32 bytes = sizeof(struct xrdma_rq_wqe) +
		    attr->max_sge * sizeof(struct xrdma_sge);

	rq->log_depth = order_base_2(attr->max_wr);
	rq->log_stride = max_t(u32, order_base_2(bytes),
			       XRDMA_RQ_LOG_STRIDE_MIN);
	if (rq->log_stride > XRDMA_LOG_STRIDE_MAX)
		return -EINVAL;
	xrdma_srq_limits(caps, rq);
	return 0;
}

static void xrdma_ksrq_free(struct xrdma_ibdev *xib, struct xrdma_srq *srq,
			    bool keep)
{
	xrdma_buf_release(xib, srq->buf, keep);
	kvfree(srq->tags);
}

static int xrdma_ksrq_alloc(struct xrdma_ibdev *xib, struct xrdma_srq *srq)
{
	u32 depth = 1 << srq->rq.log_depth;
	u32 i;

	srq->tags = kvcalloc(depth, sizeof(*srq->tags), GFP_KERNEL);
	if (!srq->tags)
		return -ENOMEM;
	for (i = 0; i < depth; i++)
		srq->tags[i].next = i + 1;

	srq->buf = xrdma_buf_alloc(&xib->hw, xrdma_srq_size(&srq->rq));
	if (!srq->buf) {
		kvfree(srq->tags);
		return -ENOMEM;
	}
	srq->rq.buf = srq->buf;
	srq->rec = xrdma_buf_at(srq->buf, xrdma_srq_rec_offset(&srq->rq));
	return 0;
}

static int xrdma_ksrq_create(struct xrdma_ibdev *xib, struct xrdma_srq *srq,
			     const struct ib_srq_attr *attr)
{
	int err;

	err = xrdma_ksrq_size(&xib->hw.caps, &srq->rq, attr);
	if (err)
		return err;
	err = xrdma_ksrq_alloc(xib, srq);
	if (err)
		return err;
	err = xrdma_srq_enable(xib, srq, srq->buf->mtt.root);
	if (err)
		xrdma_ksrq_free(xib, srq, xrdma_may_dma(&xib->hw));
	return err;
}

/* ---- in the memory of a process ------------------------------------------- */

/* Return: 0, or -EINVAL if the ring of the provider is too small or invalid. */
static int xrdma_usrq_shape(const struct xrdma_caps *caps, struct xrdma_wq *rq,
			    const struct xrdma_ureq_create_srq *req,
			    u32 max_wr, u32 max_sge)
{
	if (memchr_inv(req->reserved, 0, sizeof(req->reserved)) ||
	    !PAGE_ALIGNED(req->buf_addr))
		return -EINVAL;
	if (!xrdma_ubuf_ring_ok(caps, req->log_depth, req->log_stride,
				XRDMA_RQ_LOG_STRIDE_MIN))
		return -EINVAL;

	rq->log_depth = req->log_depth;
	rq->log_stride = req->log_stride;
	xrdma_srq_limits(caps, rq);
	if (max_wr > 1U << rq->log_depth || max_sge > rq->max_sge)
		return -EINVAL;
	return 0;
}

static void xrdma_usrq_destroy(struct xrdma_ibdev *xib, struct xrdma_srq *srq)
{
	xrdma_ubuf_release(xib, &srq->user, xrdma_srq_disable(xib, srq));
}

static int xrdma_usrq_create(struct xrdma_ibdev *xib, struct xrdma_srq *srq,
			     const struct ib_srq_attr *attr,
			     struct ib_udata *udata)
{
	struct xrdma_uresp_create_srq resp = {};
	struct xrdma_ureq_create_srq req;
	int err;

	err = ib_copy_validate_udata_in(udata, req, reserved);
	if (err)
		return err;
	err = xrdma_usrq_shape(&xib->hw.caps, &srq->rq, &req, attr->max_wr,
			       attr->max_sge);
	if (err)
		return err;
	err = xrdma_ubuf_map(xib, &srq->user, req.buf_addr,
			     xrdma_srq_size(&srq->rq));
	if (err)
		return err;
	err = xrdma_srq_enable(xib, srq, srq->user.mtt.root);
	if (err) {
		xrdma_ubuf_release(xib, &srq->user, xrdma_may_dma(&xib->hw));
		return err;
	}

	resp.srqn = srq->srqn;
	err = ib_respond_udata(udata, resp);
	if (err)
		xrdma_usrq_destroy(xib, srq);
	return err;
}

/*
 * After a failed command a dead device may use either ring: the new one goes to
 * the quarantine, the old one stays in @srq->user.
 */
static int xrdma_usrq_resize(struct xrdma_ibdev *xib, struct xrdma_srq *srq,
			     struct xrdma_cmd_modify_srq *cmd,
			     const struct ib_srq_attr *attr,
			     struct ib_udata *udata)
{
	struct xrdma_ureq_create_srq req;
	struct xrdma_wq rq = {};
	struct xrdma_ubuf ubuf = {};
	int err;

	err = ib_copy_validate_udata_in(udata, req, reserved);
	if (err)
		return err;
	err = xrdma_usrq_shape(&xib->hw.caps, &rq, &req, attr->max_wr, 0);
	if (err)
		return err;
	if (rq.log_stride != srq->rq.log_stride)
		return -EINVAL;
	err = xrdma_ubuf_map(xib, &ubuf, req.buf_addr, xrdma_srq_size(&rq));
	if (err)
		return err;

	cmd->mask = cpu_to_le32(le32_to_cpu(cmd->mask) | XRDMA_SRQM_RESIZE);
	cmd->root = cpu_to_le64(ubuf.mtt.root);
	cmd->log_depth = rq.log_depth;
	err = xrdma_cmd_modify_srq(&xib->hw, cmd);
	if (!err) {
		xrdma_ubuf_swap(&srq->user, &ubuf);
		srq->rq.log_depth = rq.log_depth;
	}
	xrdma_ubuf_release(xib, &ubuf, err && xrdma_may_dma(&xib->hw));
	return err;
}

/* ---- verbs --------------------------------------------------------------- */

static int xrdma_check_srq_attr(const struct xrdma_caps *caps,
				const struct ib_srq_init_attr *init, bool user)
{
	if (!(caps->flags & XRDMA_CAP_SRQ))
		return -EOPNOTSUPP;
	/* a kernel work request cannot name the SRQ of the peer */
	if (init->srq_type == IB_SRQT_XRC ?
	    !user || !(caps->flags & XRDMA_CAP_XRC) :
	    init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	if (!init->attr.max_wr || init->attr.max_wr > caps->max_qp_wr ||
	    init->attr.max_sge > caps->max_sge)
		return -EINVAL;
	return 0;
}

/**
 * xrdma_create_srq() - ib_device_ops.create_srq
 * @ibsrq: zeroed object
 * @init: parameters; @init->attr is set to depth and limits of the ring
 * @udata: with struct xrdma_ureq_create_srq; NULL for the kernel
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP for a type that is not supported, -EINVAL for a value
 * out of range, -ENOMEM when numbers or memory run out, an errno for invalid
 * @udata, or an error of the command.
 */
int xrdma_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		     struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibsrq->device);
	struct xrdma_srq *srq = to_xsrq(ibsrq);
	int err;

	err = xrdma_check_srq_attr(&xib->hw.caps, init, udata);
	if (err)
		return err;
	if (udata)
		err = xrdma_usrq_create(xib, srq, &init->attr, udata);
	else
		err = xrdma_ksrq_create(xib, srq, &init->attr);
	if (err)
		return err;

	if (ibsrq->srq_type == IB_SRQT_XRC)
		ibsrq->ext.xrc.srq_num = srq->srqn;
	xrdma_srq_attr(&srq->rq, &init->attr);
	return 0;
}

static int xrdma_change_srq(struct xrdma_ibdev *xib, struct xrdma_srq *srq,
			    const struct ib_srq_attr *attr,
			    enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct xrdma_cmd_modify_srq cmd = {
		.srqn = cpu_to_le32(srq->srqn),
	};
	u32 depth = mask & IB_SRQ_MAX_WR ? attr->max_wr :
					   1U << srq->rq.log_depth;

	lockdep_assert_held(&srq->modify_lock);

	if (mask & IB_SRQ_MAX_WR && (!depth || depth > xib->hw.caps.max_qp_wr))
		return -EINVAL;
	if (mask & IB_SRQ_LIMIT) {
		if (attr->srq_limit > depth)
			return -EINVAL;
		cmd.mask = cpu_to_le32(XRDMA_SRQM_LIMIT);
		cmd.limit = cpu_to_le32(attr->srq_limit);
	}
	if (mask & IB_SRQ_MAX_WR)
		return xrdma_usrq_resize(xib, srq, &cmd, attr, udata);
	return xrdma_cmd_modify_srq(&xib->hw, &cmd);
}

/**
 * xrdma_modify_srq() - ib_device_ops.modify_srq
 * @ibsrq: the queue
 * @attr: new values
 * @mask: enum ib_srq_attr_mask; IB_SRQ_MAX_WR only for a queue of a process
 * @udata: struct xrdma_ureq_create_srq for IB_SRQ_MAX_WR, else no driver data;
 *	NULL for the kernel
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP for an attribute that cannot change, -EINVAL for a
 * value out of range, -ENOMEM, an errno for invalid @udata, or an error of the
 * command. An error means that nothing has changed.
 */
int xrdma_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		     enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibsrq->device);
	struct xrdma_srq *srq = to_xsrq(ibsrq);
	int err;

	if (mask & ~(IB_SRQ_MAX_WR | IB_SRQ_LIMIT) ||
	    (mask & IB_SRQ_MAX_WR && !udata))
		return -EOPNOTSUPP;
	if (!(mask & IB_SRQ_MAX_WR)) {
		err = ib_is_udata_in_empty(udata);
		if (err)
			return err;
	}
	err = ib_respond_empty_udata(udata);
	if (err || !mask)
		return err;

	mutex_lock(&srq->modify_lock);
	err = xrdma_change_srq(xib, srq, attr, mask, udata);
	mutex_unlock(&srq->modify_lock);
	return err;
}

/**
 * xrdma_query_srq() - ib_device_ops.query_srq
 * @ibsrq: the queue
 * @attr: filled in; the limit is 0 after the event SRQ_LIMIT
 *
 * Context: may sleep.
 * Return: 0, or an error of the command.
 */
int xrdma_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct xrdma_ibdev *xib = to_xibdev(ibsrq->device);
	struct xrdma_srq *srq = to_xsrq(ibsrq);
	struct xrdma_rsp_query_srq rsp;
	int err;

	mutex_lock(&srq->modify_lock);
	err = xrdma_cmd_query_srq(&xib->hw, srq->srqn, &rsp);
	if (!err) {
		xrdma_srq_attr(&srq->rq, attr);
		attr->srq_limit = le32_to_cpu(rsp.limit);
	}
	mutex_unlock(&srq->modify_lock);
	return err;
}

/**
 * xrdma_destroy_srq() - ib_device_ops.destroy_srq
 * @ibsrq: the queue; no queue pair uses it
 * @udata: no driver data in either direction; NULL for the kernel
 *
 * Context: may sleep.
 * Return: 0, or the error of unexpected @udata.
 */
int xrdma_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibsrq->device);
	struct xrdma_srq *srq = to_xsrq(ibsrq);
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;
	if (srq->rec)
		xrdma_ksrq_free(xib, srq, xrdma_srq_disable(xib, srq));
	else
		xrdma_usrq_destroy(xib, srq);
	return 0;
}
