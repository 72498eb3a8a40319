// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA queue pairs whose rings are in the memory of a process: checks the
 * rings that the provider has laid out, and maps them for the device. The
 * process posts without the driver. Code for all queue pairs is in xrdma_qp.c,
 * pinning is in xrdma_ubuf.c.
 */

#include <linux/log2.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/xrdma-ring.h>
#include "xrdma_ctx.h"
#include "xrdma_ibdev.h"
#include "xrdma_qp.h"
#include "xrdma_quarantine.h"
#include "xrdma_ubuf.h"
#include "xrdma_uqp.h"
#include "xrdma_wq.h"

static bool xrdma_user_sq_ok(const struct xrdma_caps *caps,
			     const struct xrdma_wq *sq)
{
	if (!sq->units)
		return !sq->log_depth;
	return sq->units <= XRDMA_SQ_UNITS_MAX &&
	       sq->log_depth <= ilog2(caps->max_qp_wr);
}

static bool xrdma_user_rq_ok(const struct xrdma_caps *caps,
			     const struct xrdma_wq *rq)
{
	if (!rq->log_stride)
		return !rq->log_depth;
	return xrdma_ubuf_ring_ok(caps, rq->log_depth, rq->log_stride,
				  XRDMA_RQ_LOG_STRIDE_MIN);
}

/* Has the queue pair the rings that its type needs, and no others? */
static bool xrdma_user_rings_ok(const struct xrdma_qp_init *init,
				const struct xrdma_qp *qp)
{
	if (!qp->sq.units && !(init->sq_optional && qp->rq.log_stride))
		return false;
	return init->has_rq || !qp->rq.log_stride;
}

/* Are the rings of the provider large enough for the consumer's parameters? */
static int xrdma_check_user_qp(const struct xrdma_caps *caps,
			       struct xrdma_qp *qp,
			       const struct xrdma_qp_init *init,
			       const struct ib_qp_cap *want)
{
	struct ib_qp_cap have;

	if (!xrdma_user_sq_ok(caps, &qp->sq) ||
	    !xrdma_user_rq_ok(caps, &qp->rq) ||
	    !xrdma_user_rings_ok(init, qp))
		return -EINVAL;

	xrdma_qp_limits(caps, qp);
	xrdma_qp_caps(qp, &have);
	if (want->max_send_wr > have.max_send_wr ||
	    (want->max_send_wr &&
	     (want->max_send_sge > have.max_send_sge ||
	      want->max_inline_data > have.max_inline_data)))
		return -EINVAL;
	if (init->has_rq && (want->max_recv_wr > have.max_recv_wr ||
			     (want->max_recv_wr &&
			      want->max_recv_sge > have.max_recv_sge)))
		return -EINVAL;
	return 0;
}

static int xrdma_uqp_map(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
			 u64 addr)
{
	u64 size = xrdma_qp_rec_offset(qp->sq.log_depth, qp->sq.units,
				       qp->rq.log_depth, qp->rq.log_stride) +
		   sizeof(struct xrdma_qp_rec);

	return xrdma_ubuf_map(xib, &qp->user, addr, size);
}

/**
 * xrdma_uqp_destroy() - destroy a queue pair with rings of a process or none
 * @xib: the device, dead or alive
 * @qp: queue pair of xrdma_uqp_create() or xrdma_uqp_start(), or without rings
 *
 * Context: may sleep.
 * Return: 0; -EBUSY: windows of type 2A are bound to the queue pair, nothing
 * has changed; or another error of the command: the rings are in quarantine.
 */
int xrdma_uqp_destroy(struct xrdma_ibdev *xib, struct xrdma_qp *qp)
{
	int err = xrdma_qp_disable(xib, qp, NULL, NULL);

	if (err != -EBUSY && qp->user.umem)
		xrdma_ubuf_release(xib, &qp->user, err);
	return err;
}

/**
 * xrdma_uqp_start() - pin the rings, and create the queue pair in the device
 * @xib: the device
 * @qp: queue pair whose depths, sizes and limits are set; gets its number
 * @init: parameters of the queue pair
 * @addr: address of the rings in the calling process, page-aligned
 * @udata: data of the call, which leads to the doorbell page of the context
 *
 * The caller destroys the queue pair with xrdma_uqp_destroy().
 *
 * Context: may sleep; called in the process that owns the memory.
 * Return: 0, or an error of xrdma_ubuf_map() or of the command.
 */
int xrdma_uqp_start(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		    const struct xrdma_qp_init *init, u64 addr,
		    struct ib_udata *udata)
{
	struct xrdma_ucontext *uctx =
		rdma_udata_to_drv_context(udata, struct xrdma_ucontext, ibuc);
	struct xrdma_cmd_create_qp cmd = {};
	int err;

	err = xrdma_uqp_map(xib, qp, addr);
	if (err)
		return err;
	xrdma_make_create_qp(&cmd, init);
	cmd.root = cpu_to_le64(qp->user.mtt.root);
	cmd.db_page = cpu_to_le32(uctx->db_page);
	err = xrdma_qp_enable(xib, qp, &cmd);
	if (err)
		xrdma_ubuf_release(xib, &qp->user, xrdma_may_dma(&xib->hw));
	return err;
}

/**
 * xrdma_uqp_create() - create a queue pair with rings of a process
 * @xib: the device
 * @qp: object of an ib_qp; gets its number and its limits, and state RESET
 * @init: parameters of the queue pair
 * @want: depths and sizes that the rings must at least have
 * @udata: with struct xrdma_ureq_create_qp
 *
 * Context: may sleep.
 * Return: 0, -EINVAL for a value out of range, -ENOMEM when numbers or memory
 * run out, an errno for invalid @udata, or an error of the command.
 */
int xrdma_uqp_create(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		     const struct xrdma_qp_init *init,
		     const struct ib_qp_cap *want, struct ib_udata *udata)
{
	struct xrdma_uresp_create_qp resp = {};
	struct xrdma_ureq_create_qp req;
	int err;

	err = ib_copy_validate_udata_in(udata, req, reserved);
	if (err)
		return err;
	if (req.reserved || !PAGE_ALIGNED(req.buf_addr))
		return -EINVAL;

	qp->type = init->type;
	qp->sig_all = init->sig_all;
	qp->sq.log_depth = req.log_sq_depth;
	qp->sq.units = req.sq_units;
	qp->rq.log_depth = req.log_rq_depth;
	qp->rq.log_stride = req.log_rq_stride;
	err = xrdma_check_user_qp(&xib->hw.caps, qp, init, want);
	if (err)
		return err;
	err = xrdma_uqp_start(xib, qp, init, req.buf_addr, udata);
	if (err)
		return err;

	resp.qpn = qp->qpn;
	err = ib_respond_udata(udata, resp);
	if (err)
		xrdma_uqp_destroy(xib, qp);
	return err;
}
