// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA receive side scaling: indirection tables of work queues, and the queue
 * pairs that have such a table instead of rings. CREATE_RSS copies the table to
 * the device under the number of the queue pair; the device has no state for
 * that queue pair. Work queues are in xrdma_rwq.c, the rules that choose frames
 * in xrdma_flow.c.
 */

#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>
#include "xrdma_cmd.h"
#include "xrdma_ibdev.h"
#include "xrdma_qp.h"
#include "xrdma_rss.h"

/* ---- indirection tables ----------------------------------------------------- */

/**
 * xrdma_create_rwq_ind_table() - ib_device_ops.create_rwq_ind_table
 * @table: the table, which has its work queues
 * @attr: size of the table
 * @udata: no driver data in either direction
 *
 * Context: any.
 * Return: 0, -EINVAL for a table that is too large, or the error of unexpected
 * @udata.
 */
int xrdma_create_rwq_ind_table(struct ib_rwq_ind_table *table,
			       struct ib_rwq_ind_table_init_attr *attr,
			       struct ib_udata *udata)
{
	const struct xrdma_caps *caps = &to_xibdev(table->device)->hw.caps;
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;
	return 1U << attr->log_ind_tbl_size > caps->max_rss ? -EINVAL : 0;
}

/**
 * xrdma_destroy_rwq_ind_table() - ib_device_ops.destroy_rwq_ind_table
 * @table: the table, which no queue pair uses
 *
 * Context: any.
 * Return: 0.
 */
int xrdma_destroy_rwq_ind_table(struct ib_rwq_ind_table *table)
{
	return 0;
}

/* ---- queue pairs ------------------------------------------------------------- */

static int xrdma_rss_check(const struct ib_qp_init_attr *attr,
			   const struct xrdma_ureq_create_rss *req)
{
	if (attr->qp_type != IB_QPT_RAW_PACKET || attr->create_flags)
		return -EOPNOTSUPP;
	if (attr->cap.max_send_wr || attr->srq ||
	    memchr_inv(req->reserved, 0, sizeof(req->reserved)))
		return -EINVAL;
	if (req->function != XRDMA_RSS_TOEPLITZ ||
	    req->fields & ~(u64)XRDMA_RSS_FIELDS)
		return -EOPNOTSUPP;
	return req->key_len == XRDMA_RSS_KEY_BYTES ? 0 : -EINVAL;
}

static int xrdma_rss_command(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
			     const struct ib_rwq_ind_table *table,
			     const struct xrdma_ureq_create_rss *req)
{
	struct xrdma_cmd_create_rss cmd = {
		.qpn = cpu_to_le32(qp->qpn),
		.fields = req->fields,
		.log_size = table->log_ind_tbl_size,
	};
	u32 i, num = 1U << table->log_ind_tbl_size;
	__le32 *qpns;
	int err;

	static_assert(sizeof(cmd.key) == sizeof(req->key));
	memcpy(cmd.key, req->key, sizeof(cmd.key));
	qpns = kmalloc_array(num, sizeof(*qpns), GFP_KERNEL);
	if (!qpns)
		return -ENOMEM;
	for (i = 0; i < num; i++)
		qpns[i] = cpu_to_le32(table->ind_tbl[i]->wq_num);
	err = xrdma_cmd_create_rss(&xib->hw, &cmd, qpns);
	kfree(qpns);
	return err;
}

/**
 * xrdma_rss_create() - xrdma_create_qp() with an indirection table
 * @ibqp: zeroed object; becomes a queue pair in state RESET
 * @attr: parameters
 * @udata: with struct xrdma_ureq_create_rss; NULL for the kernel
 *
 * The number of the queue pair is allocated, but lookups of it find NULL: the
 * queue pair has no events and no completions.
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP for a type, hash or field that is not supported,
 * -EINVAL for a value out of range, -ENOMEM when numbers or memory run out, or
 * an error of the command.
 */
int xrdma_rss_create(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
		     struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibqp->device);
	struct xrdma_qp *qp = to_xqp(ibqp);
	struct xrdma_ureq_create_rss req;
	struct xrdma_uresp_create_qp resp = {};
	int err;

	if (!udata || !(xib->hw.caps.flags & XRDMA_CAP_FLOW))
		return -EOPNOTSUPP;
	err = ib_copy_validate_udata_in(udata, req, key);
	if (!err)
		err = xrdma_rss_check(attr, &req);
	if (err)
		return err;

	qp->type = XRDMA_QP_RAW;
	qp->state = XRDMA_QPS_RESET;
	err = xrdma_qp_reserve(xib, qp);
	if (err)
		return err;
	err = xrdma_rss_command(xib, qp, attr->rwq_ind_tbl, &req);
	if (err) {
		xa_erase_irq(&xib->qps, qp->qpn);
		return err;
	}
	mutex_init(&qp->modify_lock);
	ibqp->qp_num = qp->qpn;

	resp.qpn = qp->qpn;
	err = ib_respond_udata(udata, resp);
	if (err)
		xrdma_rss_destroy(ibqp);
	return err;
}

/**
 * xrdma_rss_destroy() - destroy a queue pair of xrdma_rss_create()
 * @ibqp: the queue pair
 *
 * If the command fails, the number stays allocated, since the device may use
 * it.
 *
 * Context: may sleep.
 * Return: 0.
 */
int xrdma_rss_destroy(struct ib_qp *ibqp)
{
	struct xrdma_ibdev *xib = to_xibdev(ibqp->device);
	struct xrdma_qp *qp = to_xqp(ibqp);

	if (!xrdma_cmd_destroy_rss(&xib->hw, qp->qpn))
		xa_erase_irq(&xib->qps, qp->qpn);
	mutex_destroy(&qp->modify_lock);
	return 0;
}

/**
 * xrdma_rss_modify() - xrdma_modify_qp() of a queue pair of xrdma_rss_create()
 * @ibqp: the queue pair
 * @attr: new state
 * @mask: enum ib_qp_attr_mask
 *
 * The state is kept in the driver only. The states of the work queues decide
 * whether frames are received.
 *
 * Context: may sleep.
 * Return: 0, or -EINVAL.
 */
int xrdma_rss_modify(struct ib_qp *ibqp, const struct ib_qp_attr *attr,
		     int mask)
{
	struct xrdma_qp *qp = to_xqp(ibqp);
	enum ib_qp_state next;
	int err = -EINVAL;

	mutex_lock(&qp->modify_lock);
	next = mask & IB_QP_STATE ? attr->qp_state : (int)qp->state;
	if (ib_modify_qp_is_ok(qp->state, next, ibqp->qp_type, mask)) {
		WRITE_ONCE(qp->state, next);
		err = 0;
	}
	mutex_unlock(&qp->modify_lock);
	return err;
}

/**
 * xrdma_rss_query() - xrdma_query_qp() of a queue pair of xrdma_rss_create()
 * @ibqp: the queue pair
 * @attr: zeroed; gets the state
 * @init_attr: zeroed; gets type and table
 *
 * Context: any.
 * Return: 0.
 */
int xrdma_rss_query(struct ib_qp *ibqp, struct ib_qp_attr *attr,
		    struct ib_qp_init_attr *init_attr)
{
	attr->qp_state = READ_ONCE(to_xqp(ibqp)->state);
	attr->cur_qp_state = attr->qp_state;
	attr->port_num = 1;
	init_attr->qp_type = ibqp->qp_type;
	init_attr->rwq_ind_tbl = ibqp->rwq_ind_tbl;
	return 0;
}
