// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA states and attributes of queue pairs: modifies and queries them, and
 * empties the rings of a queue pair that goes to RESET. Queue pairs are created
 * in xrdma_qp_verbs.c. ib_modify_qp_is_ok() of ib_core decides which attributes
 * a transition needs and allows; the device checks the transition again.
 */

#include <rdma/ib_umem.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/xrdma-ring.h>
#include "xrdma_ah.h"
#include "xrdma_cmd.h"
#include "xrdma_cq.h"
#include "xrdma_flush.h"
#include "xrdma_ibdev.h"
#include "xrdma_qp.h"
#include "xrdma_query.h"
#include "xrdma_rss.h"
#include "xrdma_srq.h"
#include "xrdma_wq.h"

#define XRDMA_MAX_TIMEOUT	31
#define XRDMA_MAX_RETRY		7
#define XRDMA_MAX_RNR_TIMER	31

/* The contract and verbs have the same numbers for states. */
static_assert(XRDMA_QPS_RESET == (int)IB_QPS_RESET);
static_assert(XRDMA_QPS_INIT == (int)IB_QPS_INIT);
static_assert(XRDMA_QPS_RTR == (int)IB_QPS_RTR);
static_assert(XRDMA_QPS_RTS == (int)IB_QPS_RTS);
static_assert(XRDMA_QPS_SQD == (int)IB_QPS_SQD);
static_assert(XRDMA_QPS_SQE == (int)IB_QPS_SQE);
static_assert(XRDMA_QPS_ERR == (int)IB_QPS_ERR);

/* Attributes in the command MODIFY_QP. The port is missing: it is always 1. */
static const struct {
	u32 ib;
	u32 hw;
} xrdma_qp_masks[] = {
	{ IB_QP_STATE, XRDMA_QPM_STATE },
	{ IB_QP_EN_SQD_ASYNC_NOTIFY, XRDMA_QPM_SQD_NOTIFY },
	{ IB_QP_ACCESS_FLAGS, XRDMA_QPM_ACCESS },
	{ IB_QP_PKEY_INDEX, XRDMA_QPM_PKEY_INDEX },
	{ IB_QP_QKEY, XRDMA_QPM_QKEY },
	{ IB_QP_AV, XRDMA_QPM_AV },
	{ IB_QP_PATH_MTU, XRDMA_QPM_PATH_MTU },
	{ IB_QP_TIMEOUT, XRDMA_QPM_TIMEOUT },
	{ IB_QP_RETRY_CNT, XRDMA_QPM_RETRY_CNT },
	{ IB_QP_RNR_RETRY, XRDMA_QPM_RNR_RETRY },
	{ IB_QP_RQ_PSN, XRDMA_QPM_RQ_PSN },
	{ IB_QP_MAX_QP_RD_ATOMIC, XRDMA_QPM_MAX_RD_ATOMIC },
	{ IB_QP_MIN_RNR_TIMER, XRDMA_QPM_MIN_RNR_TIMER },
	{ IB_QP_SQ_PSN, XRDMA_QPM_SQ_PSN },
	{ IB_QP_MAX_DEST_RD_ATOMIC, XRDMA_QPM_MAX_DEST_RD_ATOMIC },
	{ IB_QP_DEST_QPN, XRDMA_QPM_DEST_QPN },
};

/* Rights of a queue pair. LOCAL_WRITE has no meaning for a queue pair. */
static const struct {
	u32 ib;
	u16 hw;
} xrdma_qp_access[] = {
	{ IB_ACCESS_REMOTE_WRITE, XRDMA_ACCESS_REMOTE_WRITE },
	{ IB_ACCESS_REMOTE_READ, XRDMA_ACCESS_REMOTE_READ },
	{ IB_ACCESS_REMOTE_ATOMIC, XRDMA_ACCESS_REMOTE_ATOMIC },
	{ IB_ACCESS_MW_BIND, XRDMA_ACCESS_MW_BIND },
	{ IB_ACCESS_FLUSH_GLOBAL, XRDMA_ACCESS_FLUSH_GLOBAL },
	{ IB_ACCESS_FLUSH_PERSISTENT, XRDMA_ACCESS_FLUSH_PERSISTENT },
};

#define XRDMA_QP_ACCESS_FLUSH (XRDMA_ACCESS_FLUSH_GLOBAL | \
			       XRDMA_ACCESS_FLUSH_PERSISTENT)

#define XRDMA_QP_ACCESS_FLAGS (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
			       IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC | \
			       IB_ACCESS_MW_BIND | IB_ACCESS_FLUSH_GLOBAL | \
			       IB_ACCESS_FLUSH_PERSISTENT | \
			       IB_ACCESS_ON_DEMAND | IB_ACCESS_OPTIONAL)

/* ---- checks ---------------------------------------------------------------- */

/* Refuse attributes of ib_core that this device does not have. */
static int xrdma_check_supported(const struct ib_qp_attr *attr, int mask)
{
	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	if (mask & (IB_QP_ALT_PATH | IB_QP_CAP))
		return -EOPNOTSUPP;
	if (mask & IB_QP_PATH_MIG_STATE &&
	    attr->path_mig_state != IB_MIG_MIGRATED)
		return -EOPNOTSUPP;
	return 0;
}

static bool xrdma_path_ok(struct xrdma_ibdev *xib,
			  const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_PORT && attr->port_num != 1)
		return false;
	if (mask & IB_QP_PKEY_INDEX && attr->pkey_index)
		return false;
	if (mask & IB_QP_DEST_QPN && attr->dest_qp_num > XRDMA_QPN_MASK)
		return false;
	if (mask & IB_QP_PATH_MTU && (attr->path_mtu < IB_MTU_256 ||
				      attr->path_mtu > xrdma_active_mtu(xib)))
		return false;
	return !(mask & IB_QP_AV) ||
	       xrdma_ah_attr_ok(&xib->hw.caps, &attr->ah_attr);
}

static bool xrdma_reliability_ok(const struct xrdma_caps *caps,
				 const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_TIMEOUT && attr->timeout > XRDMA_MAX_TIMEOUT)
		return false;
	if (mask & IB_QP_RETRY_CNT && attr->retry_cnt > XRDMA_MAX_RETRY)
		return false;
	if (mask & IB_QP_RNR_RETRY && attr->rnr_retry > XRDMA_MAX_RETRY)
		return false;
	if (mask & IB_QP_MIN_RNR_TIMER &&
	    attr->min_rnr_timer > XRDMA_MAX_RNR_TIMER)
		return false;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC &&
	    attr->max_rd_atomic > caps->max_rd_atomic)
		return false;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC &&
	    attr->max_dest_rd_atomic > caps->max_rd_atomic)
		return false;
	if (mask & IB_QP_ACCESS_FLAGS &&
	    attr->qp_access_flags & ~XRDMA_QP_ACCESS_FLAGS)
		return false;
	return true;
}

static int xrdma_check_modify(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
			      const struct ib_qp_attr *attr, int mask)
{
	enum ib_qp_state cur = mask & IB_QP_CUR_STATE ? attr->cur_qp_state :
							(int)qp->state;
	enum ib_qp_state next = mask & IB_QP_STATE ? attr->qp_state : cur;
	int err;

	err = xrdma_check_supported(attr, mask);
	if (err)
		return err;
	if (!ib_modify_qp_is_ok(cur, next, qp->ibqp.qp_type, mask) ||
	    !xrdma_path_ok(xib, attr, mask) ||
	    !xrdma_reliability_ok(&xib->hw.caps, attr, mask)) {
		ibdev_dbg(&xib->ibdev, "QP %u: %d to %d, attributes %#x: refused\n",
			  qp->qpn, cur, next, mask);
		return -EINVAL;
	}
	return 0;
}

/* ---- modify ----------------------------------------------------------------- */

static u16 xrdma_make_qp_access(int ib)
{
	u16 hw = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(xrdma_qp_access); i++)
		if (ib & xrdma_qp_access[i].ib)
			hw |= xrdma_qp_access[i].hw;
	return hw;
}

static void xrdma_make_qp_numbers(struct xrdma_qp_attr *hw,
				  const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_ACCESS_FLAGS) {
		u16 access = xrdma_make_qp_access(attr->qp_access_flags);

		hw->access = cpu_to_le16(access);
	}
	if (mask & IB_QP_QKEY)
		hw->qkey = cpu_to_le32(attr->qkey);
	if (mask & IB_QP_RQ_PSN)
		hw->rq_psn = cpu_to_le32(attr->rq_psn);
	if (mask & IB_QP_SQ_PSN)
		hw->sq_psn = cpu_to_le32(attr->sq_psn);
	if (mask & IB_QP_DEST_QPN)
		hw->dest_qpn = cpu_to_le32(attr->dest_qp_num);
	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY && attr->en_sqd_async_notify)
		hw->flags = XRDMA_QPA_SQD_NOTIFY;
	if (mask & IB_QP_AV)
		xrdma_make_av(&hw->av, &attr->ah_attr);
}

/* Fields of attributes that are not in @mask stay 0. Return: XRDMA_QPM_*. */
static u32 xrdma_make_qp_attr(struct xrdma_qp_attr *hw,
			      const struct ib_qp_attr *attr, int mask)
{
	u32 hw_mask = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(xrdma_qp_masks); i++)
		if (mask & xrdma_qp_masks[i].ib)
			hw_mask |= xrdma_qp_masks[i].hw;

	if (mask & IB_QP_STATE)
		hw->state = attr->qp_state;
	if (mask & IB_QP_PATH_MTU)
		hw->path_mtu = attr->path_mtu;
	if (mask & IB_QP_RETRY_CNT)
		hw->retry_cnt = attr->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		hw->rnr_retry = attr->rnr_retry;
	if (mask & IB_QP_TIMEOUT)
		hw->timeout = attr->timeout;
	if (mask & IB_QP_MIN_RNR_TIMER)
		hw->min_rnr_timer = attr->min_rnr_timer;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		hw->max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		hw->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	xrdma_make_qp_numbers(hw, attr, mask);
	return hw_mask;
}

/* The caller holds the producer's lock. The lock of @cq keeps pollers away. */
static void xrdma_empty_wq(struct xrdma_wq *wq, struct xrdma_cq *cq)
{
	spin_lock(&cq->lock);
	wq->pi = 0;
	wq->place = 0;
	wq->ci = 0;
	wq->done = 0;
	spin_unlock(&cq->lock);
}

/* Empty the rings of a kernel queue pair, and drop its entries in the CQs. */
static void xrdma_empty_rings(struct xrdma_qp *qp)
{
	struct xrdma_cq *send_cq = to_xcq(qp->ibqp.send_cq);
	struct xrdma_cq *recv_cq = to_xcq(qp->ibqp.recv_cq);
	struct ib_srq *ibsrq = qp->ibqp.srq;

	xrdma_cq_drop_qp(recv_cq, qp->qpn, ibsrq ? to_xsrq(ibsrq) : NULL);
	xrdma_cq_drop_qp(send_cq, qp->qpn, NULL);

	spin_lock_irq(&qp->sq_lock);
	spin_lock(&qp->rq_lock);
	xrdma_empty_wq(&qp->sq, send_cq);
	xrdma_empty_wq(&qp->rq, recv_cq);
	memset(qp->rec, 0, sizeof(*qp->rec));
	spin_unlock(&qp->rq_lock);
	spin_unlock_irq(&qp->sq_lock);
}

/*
 * End all work of a queue pair in software, since the device is dead. After the
 * transition to RESET, a consumer in the kernel gets no completion, and frees
 * the memory of its requests at once; after that to ERR, it waits for
 * completions. A process gets the event LAST_WQE only when the state changes,
 * since events that the process does not fetch take memory.
 */
static void xrdma_end_work(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
			   u8 state)
{
	if (qp->rec && state == IB_QPS_RESET)
		xrdma_flush_wait(xib);
	else
		xrdma_hw_silence(&xib->hw);
	if (qp->rec)
		xrdma_flush_dead(xib);
	/*
	 * the dead device cannot send the event that the SRQ is no longer used
	 */
	if (qp->ibqp.srq && (qp->rec || qp->state != state))
		xrdma_qp_event(xib, qp->qpn, XRDMA_EVENT_QP_LAST_WQE);
}

/*
 * Send MODIFY_QP. A transition to ERR or RESET succeeds even if the device is
 * dead: consumers rely on the transition to end their requests.
 */
static int xrdma_modify_hw(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
			   const struct ib_qp_attr *attr, int mask)
{
	struct xrdma_qp_attr hw = {};
	u32 hw_mask = xrdma_make_qp_attr(&hw, attr, mask);
	int err;

	/* consumers set these rights without looking at the capability */
	if (!(xib->hw.caps.flags & XRDMA_CAP_FLUSH))
		hw.access &= ~cpu_to_le16(XRDMA_QP_ACCESS_FLUSH);
	err = xrdma_cmd_modify_qp(&xib->hw, qp->qpn, hw_mask, &hw);
	if (err && xrdma_dead(&xib->hw) && mask & IB_QP_STATE &&
	    (attr->qp_state == IB_QPS_ERR || attr->qp_state == IB_QPS_RESET)) {
		xrdma_end_work(xib, qp, attr->qp_state);
		return 0;
	}
	return err;
}

/**
 * xrdma_modify_qp() - ib_device_ops.modify_qp
 * @ibqp: the queue pair
 * @attr: new values
 * @mask: enum ib_qp_attr_mask
 * @udata: no driver data in either direction; NULL for the kernel
 *
 * Context: may sleep.
 * Return: 0; -EINVAL for a transition or a value that is not allowed,
 * -EOPNOTSUPP for an attribute that the device does not have, or an error of
 * the command. An error means that nothing has changed.
 */
int xrdma_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		    struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibqp->device);
	struct xrdma_qp *qp = to_xqp(ibqp);
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;
	if (ibqp->rwq_ind_tbl)
		return xrdma_rss_modify(ibqp, attr, mask);

	mutex_lock(&qp->modify_lock);
	err = xrdma_check_modify(xib, qp, attr, mask);
	if (!err)
		err = xrdma_modify_hw(xib, qp, attr, mask);
	if (!err && mask & IB_QP_STATE) {
		WRITE_ONCE(qp->state, attr->qp_state);
		if (attr->qp_state == IB_QPS_RESET && qp->rec)
			xrdma_empty_rings(qp);
	}
	mutex_unlock(&qp->modify_lock);
	return err;
}

/* ---- query ------------------------------------------------------------------- */

static int xrdma_read_qp_access(u16 hw)
{
	int ib = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(xrdma_qp_access); i++)
		if (hw & xrdma_qp_access[i].hw)
			ib |= xrdma_qp_access[i].ib;
	return ib;
}

static void xrdma_read_qp_attr(struct ib_qp_attr *attr,
			       struct xrdma_qp_attr *hw)
{
	attr->qp_state = hw->state;
	attr->cur_qp_state = hw->state;
	attr->path_mtu = hw->path_mtu;
	attr->path_mig_state = IB_MIG_MIGRATED;
	attr->qkey = le32_to_cpu(hw->qkey);
	attr->rq_psn = le32_to_cpu(hw->rq_psn);
	attr->sq_psn = le32_to_cpu(hw->sq_psn);
	attr->dest_qp_num = le32_to_cpu(hw->dest_qpn);
	attr->qp_access_flags = xrdma_read_qp_access(le16_to_cpu(hw->access));
	attr->pkey_index = le16_to_cpu(hw->pkey_index);
	attr->en_sqd_async_notify = !!(hw->flags & XRDMA_QPA_SQD_NOTIFY);
	attr->sq_draining = !!(hw->flags & XRDMA_QPA_SQ_DRAINING);
	attr->max_rd_atomic = hw->max_rd_atomic;
	attr->max_dest_rd_atomic = hw->max_dest_rd_atomic;
	attr->min_rnr_timer = hw->min_rnr_timer;
	attr->port_num = 1;
	attr->timeout = hw->timeout;
	attr->retry_cnt = hw->retry_cnt;
	attr->rnr_retry = hw->rnr_retry;
	xrdma_read_av(&attr->ah_attr, &hw->av);
}

/**
 * xrdma_query_qp() - ib_device_ops.query_qp
 * @ibqp: the queue pair
 * @attr: gets all attributes as the device reports them
 * @mask: not used: all attributes are filled in
 * @init_attr: gets the parameters with which the queue pair was created
 *
 * Updates @qp->state too: the device may have changed the state to ERR.
 *
 * Context: may sleep.
 * Return: 0; -EINVAL: the queue pair has been destroyed; or an error of the
 * command.
 */
int xrdma_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		   struct ib_qp_init_attr *init_attr)
{
	struct xrdma_ibdev *xib = to_xibdev(ibqp->device);
	struct xrdma_qp *qp = to_xqp(ibqp);
	struct xrdma_rsp_query_qp rsp;
	int err;

	memset(attr, 0, sizeof(*attr));
	memset(init_attr, 0, sizeof(*init_attr));
	if (ibqp->rwq_ind_tbl)
		return xrdma_rss_query(ibqp, attr, init_attr);

	if (!xrdma_qp_get_live(xib, qp))
		return -EINVAL;
	mutex_lock(&qp->modify_lock);
	err = xrdma_cmd_query_qp(&xib->hw, qp->qpn, &rsp);
	if (!err)
		WRITE_ONCE(qp->state, rsp.attr.state);
	mutex_unlock(&qp->modify_lock);
	xrdma_qp_put(qp);
	if (err)
		return err;

	xrdma_read_qp_attr(attr, &rsp.attr);
	xrdma_qp_caps(qp, &attr->cap);
	init_attr->event_handler = ibqp->event_handler;
	init_attr->qp_context = ibqp->qp_context;
	init_attr->send_cq = ibqp->send_cq;
	init_attr->recv_cq = ibqp->recv_cq;
	init_attr->srq = ibqp->srq;
	init_attr->xrcd = ibqp->xrcd;
	init_attr->cap = attr->cap;
	init_attr->sq_sig_type = qp->sig_all ? IB_SIGNAL_ALL_WR :
					       IB_SIGNAL_REQ_WR;
	init_attr->qp_type = ibqp->qp_type;
	init_attr->port_num = 1;
	return 0;
}

static int xrdma_qp_read_rec(struct xrdma_qp *qp, struct xrdma_qp_rec *rec)
{
	u64 offset = xrdma_qp_rec_offset(qp->sq.log_depth, qp->sq.units,
					 qp->rq.log_depth, qp->rq.log_stride);

	if (qp->user.umem)
		return ib_umem_copy_from(rec, qp->user.umem, offset,
					 sizeof(*rec));
	if (!qp->rec)
		return -ENOENT;
	*rec = *qp->rec;
	return 0;
}

/**
 * xrdma_qp_depth() - read producer and consumer indexes of a queue pair
 * @xib: the device
 * @qp: the queue pair, which another thread may be destroying
 * @depth: filled in
 *
 * Context: may sleep.
 * Return: 0, -ENOENT: the queue pair has been destroyed or has no rings;
 * -EFAULT; or an error of the command.
 */
int xrdma_qp_depth(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		   struct xrdma_qp_depth *depth)
{
	struct xrdma_qp *live = xrdma_qp_get(xib, qp->qpn);
	struct xrdma_rsp_query_qp rsp;
	struct xrdma_qp_rec rec;
	int err = -ENOENT;

	if (!live)
		return err;
	if (live == qp)
		err = xrdma_qp_read_rec(qp, &rec);
	if (!err)
		err = xrdma_cmd_query_qp(&xib->hw, qp->qpn, &rsp);
	xrdma_qp_put(live);
	if (err)
		return err;

	*depth = (struct xrdma_qp_depth) {
		.sq_pi = le32_to_cpu(rec.sq_pi),
		.sq_ci = le32_to_cpu(rsp.sq_ci),
		.rq_pi = le32_to_cpu(rec.rq_pi),
		.rq_ci = le32_to_cpu(rsp.rq_ci),
	};
	return 0;
}
