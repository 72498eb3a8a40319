// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA verbs that create and destroy queue pairs: check the parameters, and
 * call the file for the memory that the queue pair needs: rings in kernel
 * memory (xrdma_kqp.c), rings of a process (xrdma_uqp.c), or an indirection
 * table (xrdma_rss.c). Queue pairs without rings are created here. Code for all
 * queue pairs is in xrdma_qp.c, states and attributes are in xrdma_qp_modify.c.
 */

#include <rdma/uverbs_ioctl.h>
#include "xrdma_cq.h"
#include "xrdma_flush.h"
#include "xrdma_ibdev.h"
#include "xrdma_kqp.h"
#include "xrdma_pd.h"
#include "xrdma_qp.h"
#include "xrdma_rss.h"
#include "xrdma_srq.h"
#include "xrdma_uqp.h"

/* Create a queue pair without rings: XRC_TGT. */
static int xrdma_xrc_tgt_create(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
				const struct xrdma_qp_init *init)
{
	struct xrdma_cmd_create_qp cmd = {};

	qp->type = init->type;
	xrdma_make_create_qp(&cmd, init);
	return xrdma_qp_enable(xib, qp, &cmd);
}

static int xrdma_check_qp_cap(const struct xrdma_caps *caps,
			      const struct xrdma_qp_kind *kind,
			      const struct xrdma_qp_init *init,
			      const struct ib_qp_cap *cap)
{
	if (kind->sq && (cap->max_send_wr > caps->max_qp_wr ||
			 cap->max_send_sge > caps->max_sge ||
			 cap->max_inline_data > caps->max_inline))
		return -EINVAL;
	if (init->has_rq && (cap->max_recv_wr > caps->max_qp_wr ||
			     cap->max_recv_sge > caps->max_sge))
		return -EINVAL;
	return 0;
}

/* Return: -EOPNOTSUPP if driver or device do not have the type or an option. */
static int xrdma_check_qp_kind(const struct xrdma_caps *caps,
			       const struct xrdma_qp_kind *kind,
			       const struct ib_qp_init_attr *attr, bool user)
{
	if (!kind || !(user ? kind->user : kind->kernel) ||
	    kind->cap & ~caps->flags)
		return -EOPNOTSUPP;
	if (attr->create_flags || (attr->srq && !kind->srq))
		return -EOPNOTSUPP;
	return 0;
}

static void xrdma_qp_set_init(struct xrdma_qp_init *init,
			      const struct xrdma_qp_kind *kind,
			      const struct ib_qp *ibqp,
			      const struct ib_qp_init_attr *attr)
{
	const struct ib_qp_cap *cap = &attr->cap;
	u64 sge_bytes = (u64)cap->max_send_sge * sizeof(struct xrdma_sge);
	u64 send_data = max_t(u64, cap->max_inline_data, sge_bytes);

	*init = (struct xrdma_qp_init) {
		.type = kind->type,
		.pdn = ibqp->pd ? to_xpd(ibqp->pd)->pdn : 0,
		.xrcdn = attr->xrcd ? to_xxrcd(attr->xrcd)->xrcdn : 0,
		.send_cq = attr->send_cq ? to_xcq(attr->send_cq) : NULL,
		.recv_cq = attr->recv_cq ? to_xcq(attr->recv_cq) : NULL,
		.srq = attr->srq ? to_xsrq(attr->srq) : NULL,
		.sig_all = attr->sq_sig_type == IB_SIGNAL_ALL_WR,
		.sq_optional = kind->type == XRDMA_QP_RAW,
		.has_rq = kind->rq && !attr->srq,
		.send_wr = cap->max_send_wr,
		.send_bytes = xrdma_sq_header(kind->type) + send_data,
		.recv_wr = cap->max_recv_wr,
		.recv_sge = cap->max_recv_sge,
	};
}

/**
 * xrdma_create_qp() - ib_device_ops.create_qp
 * @ibqp: zeroed object; becomes a queue pair in state RESET
 * @attr: parameters; @attr->cap is set to the depths and limits of the rings
 * @udata: with struct xrdma_ureq_create_qp; NULL for the kernel
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP for a type or flag that is not supported, -EINVAL for
 * a value out of range, -ENOMEM when numbers or memory run out, or an error of
 * the command.
 */
int xrdma_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
		    struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibqp->device);
	const struct xrdma_caps *caps = &xib->hw.caps;
	const struct xrdma_qp_kind *kind = xrdma_qp_kind(attr->qp_type);
	struct xrdma_qp *qp = to_xqp(ibqp);
	struct xrdma_qp_init init;
	int err;

	if (attr->rwq_ind_tbl)
		return xrdma_rss_create(ibqp, attr, udata);
	err = xrdma_check_qp_kind(caps, kind, attr, udata);
	if (err)
		return err;
	xrdma_qp_set_init(&init, kind, ibqp, attr);
	err = xrdma_check_qp_cap(caps, kind, &init, &attr->cap);
	if (err)
		return err;

	if (udata)
		err = xrdma_uqp_create(xib, qp, &init, &attr->cap, udata);
	else if (!kind->sq && !kind->rq)
		err = xrdma_xrc_tgt_create(xib, qp, &init);
	else
		err = xrdma_kqp_create(xib, qp, &init);
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
 * Return: 0: the queue pair is destroyed; its rings are released, or in
 * quarantine if the device cannot be silenced. -EBUSY: windows of type 2A are
 * bound to the queue pair; nothing has changed. Or the error of unexpected
 * @udata.
 */
int xrdma_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibqp->device);
	struct xrdma_qp *qp = to_xqp(ibqp);
	bool kernel = qp->rec;
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;

	if (ibqp->rwq_ind_tbl)
		return xrdma_rss_destroy(ibqp);
	if (kernel)
		err = xrdma_kqp_destroy(xib, qp, to_xcq(ibqp->send_cq),
					to_xcq(ibqp->recv_cq));
	else
		err = xrdma_uqp_destroy(xib, qp);
	if (err == -EBUSY)
		return err;
	if (err && kernel)
		xrdma_flush_wait(xib);
	return 0;
}
