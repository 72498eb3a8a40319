// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA queue pairs: the code that queue pairs of users, of the kernel's
 * consumers and of the netdev share: types, numbers, events, limits, and the
 * commands CREATE_QP and DESTROY_QP. Verbs are in xrdma_qp_verbs.c, states and
 * attributes in xrdma_qp_modify.c, the memory of rings in xrdma_kqp.c and
 * xrdma_uqp.c, entries in xrdma_wqe.c and xrdma_poll.c.
 */

#include "xrdma_cmd.h"
#include "xrdma_cq.h"
#include "xrdma_ibdev.h"
#include "xrdma_qp.h"
#include "xrdma_srq.h"
#include "xrdma_wq.h"

/* ---- types --------------------------------------------------------------- */

/*
 * Only processes create XRC_INI queue pairs: a kernel work request has no field
 * for the SRQ of the peer. XRC_TGT queue pairs are shared by processes, so
 * ib_core creates them as kernel queue pairs, without udata.
 */
static const struct xrdma_qp_kind xrdma_qp_kinds[] = {
	[IB_QPT_RC] = {
		.known = true, .type = XRDMA_QP_RC, .sq = true, .rq = true,
		.srq = true, .user = true, .kernel = true,
	},
	[IB_QPT_UC] = {
		.known = true, .type = XRDMA_QP_UC, .sq = true, .rq = true,
		.srq = true, .user = true, .kernel = true,
		.cap = XRDMA_CAP_UC,
	},
	[IB_QPT_UD] = {
		.known = true, .type = XRDMA_QP_UD, .sq = true, .rq = true,
		.srq = true, .user = true, .kernel = true,
		.cap = XRDMA_CAP_UD,
	},
	[IB_QPT_GSI] = {
		.known = true, .type = XRDMA_QP_GSI, .sq = true, .rq = true,
		.kernel = true, .cap = XRDMA_CAP_UD,
	},
	[IB_QPT_XRC_INI] = {
		.known = true, .type = XRDMA_QP_XRC_INI, .sq = true,
		.user = true, .cap = XRDMA_CAP_XRC,
	},
	[IB_QPT_XRC_TGT] = {
		.known = true, .type = XRDMA_QP_XRC_TGT, .kernel = true,
		.cap = XRDMA_CAP_XRC,
	},
	[IB_QPT_RAW_PACKET] = {
		.known = true, .type = XRDMA_QP_RAW, .sq = true, .rq = true,
		.user = true, .cap = XRDMA_CAP_RAW_PACKET,
	},
};

/**
 * xrdma_qp_kind() - properties of a type of queue pairs
 * @type: type of verbs
 *
 * Context: any.
 * Return: the properties, or NULL if the driver does not have the type.
 */
const struct xrdma_qp_kind *xrdma_qp_kind(enum ib_qp_type type)
{
	if (type >= ARRAY_SIZE(xrdma_qp_kinds) || !xrdma_qp_kinds[type].known)
		return NULL;
	return &xrdma_qp_kinds[type];
}

/* ---- numbers and events ------------------------------------------------ */

/**
 * xrdma_qpn_reserve() - allocate a number of a queue pair or an RSS object
 * @xib: the device
 * @port: the object is one of the netdev
 * @qpn: gets the number, of which lookups find NULL
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM: no number is free.
 */
int xrdma_qpn_reserve(struct xrdma_ibdev *xib, bool port, u32 *qpn)
{
	u32 *next = port ? &xib->port_qpns.next : &xib->next_qpn;
	struct xa_limit limit;
	int err;

	limit = xrdma_share_limit(&xib->port_qpns, XRDMA_QPN_FIRST,
				  xib->hw.caps.max_qp, port);
	err = xa_alloc_cyclic_irq(&xib->qps, qpn, NULL, limit, next,
				  GFP_KERNEL);
	if (err == -EBUSY)
		return -ENOMEM;
	return min(err, 0);
}

/**
 * xrdma_qp_reserve() - allocate a number
 * @xib: the device
 * @qp: queue pair whose @qp->type is set; gets the number
 *
 * Lookups of the number find NULL until xrdma_qp_enable() stores the queue
 * pair.
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM: no number is free; -EBUSY: a GSI queue pair exists.
 */
int xrdma_qp_reserve(struct xrdma_ibdev *xib, struct xrdma_qp *qp)
{
	if (qp->type != XRDMA_QP_GSI)
		return xrdma_qpn_reserve(xib, qp->port, &qp->qpn);
	qp->qpn = XRDMA_QPN_GSI;
	return xa_insert_irq(&xib->qps, qp->qpn, NULL, GFP_KERNEL);
}

/**
 * xrdma_make_create_qp() - write type, PD, CQs, SRQ and flags of CREATE_QP
 * @cmd: zeroed; the caller writes the memory, xrdma_qp_enable() the number and
 *	the sizes of the rings
 * @init: parameters of the queue pair
 *
 * Context: any.
 */
void xrdma_make_create_qp(struct xrdma_cmd_create_qp *cmd,
			  const struct xrdma_qp_init *init)
{
	cmd->type = init->type;
	cmd->pd = cpu_to_le32(init->pdn);
	cmd->xrcd = cpu_to_le32(init->xrcdn);
	if (init->send_cq)
		cmd->send_cqn = cpu_to_le32(init->send_cq->cqn);
	if (init->recv_cq)
		cmd->recv_cqn = cpu_to_le32(init->recv_cq->cqn);
	if (init->srq) {
		cmd->flags |= XRDMA_QP_SRQ;
		cmd->srqn = cpu_to_le32(init->srq->srqn);
	}
	if (init->sig_all)
		cmd->flags |= XRDMA_QP_SQ_SIG_ALL;
}

/**
 * xrdma_qp_enable() - allocate a number, and create a queue pair in the device
 * @xib: the device
 * @qp: queue pair whose type and ring sizes are set
 * @cmd: command that xrdma_make_create_qp() has begun, with the memory; gets
 *	the number and the sizes of the rings
 *
 * When this function has succeeded, events and xrdma_qp_get() find the queue
 * pair.
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM: no number is free; -EBUSY: a GSI queue pair exists; or an
 * error of the command.
 */
int xrdma_qp_enable(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
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

	err = xrdma_qp_reserve(xib, qp);
	if (err)
		goto err_mutex;

	cmd->qpn = cpu_to_le32(qp->qpn);
	cmd->log_sq_depth = qp->sq.log_depth;
	cmd->sq_units = qp->sq.units;
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

/**
 * xrdma_qp_put() - drop the reference that xrdma_qp_get() has taken
 * @qp: the queue pair
 *
 * Context: any.
 */
void xrdma_qp_put(struct xrdma_qp *qp)
{
	if (refcount_dec_and_test(&qp->refs))
		complete(&qp->free);
}

/**
 * xrdma_qp_disable() - destroy a queue pair in the device, and end its handlers
 * @xib: the device, dead or alive
 * @qp: the queue pair
 * @send_kcq: completion queue of the sends if it is a kernel queue, else NULL
 * @recv_kcq: completion queue of the receives if it is a kernel queue, else
 *	NULL
 *
 * When this function returns, no event handler of the queue pair runs or will
 * start, and @send_kcq and @recv_kcq have no entries of it. If the command
 * fails, the number stays allocated, since the device may still use it.
 *
 * Context: may sleep.
 * Return: 0; -EBUSY: windows of type 2A are bound to it, nothing has changed;
 * or another error of the command.
 */
int xrdma_qp_disable(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		     struct xrdma_cq *send_kcq, struct xrdma_cq *recv_kcq)
{
	struct ib_srq *ibsrq = qp->ibqp.srq;
	int err;

	/* a queue pair in RESET has no windows: -EBUSY would be a device bug */
	err = xrdma_cmd_destroy_qp(&xib->hw, qp->qpn,
				   qp->state != XRDMA_QPS_RESET);
	if (err == -EBUSY)
		return err;
	/*
	 * Receives first: if both are one queue, this call drops the sends too,
	 * and it frees the entries of the SRQ.
	 */
	if (recv_kcq)
		xrdma_cq_drop_qp(recv_kcq, qp->qpn,
				 ibsrq ? to_xsrq(ibsrq) : NULL);
	if (send_kcq)
		xrdma_cq_drop_qp(send_kcq, qp->qpn, NULL);
	xa_store_irq(&xib->qps, qp->qpn, NULL, GFP_KERNEL);
	if (!err)
		xa_erase_irq(&xib->qps, qp->qpn);
	xrdma_qp_put(qp);
	wait_for_completion(&qp->free);
	mutex_destroy(&qp->modify_lock);
	return err;
}

/**
 * xrdma_qp_get() - look up a queue pair, and take a reference to it
 * @xib: the device
 * @qpn: any number
 *
 * Context: any.
 * Return: the queue pair, which stays valid until xrdma_qp_put(), or NULL.
 */
struct xrdma_qp *xrdma_qp_get(struct xrdma_ibdev *xib, u32 qpn)
{
	struct xrdma_qp *qp;
	unsigned long flags;

	xa_lock_irqsave(&xib->qps, flags);
	qp = xa_load(&xib->qps, qpn);
	if (qp)
		refcount_inc(&qp->refs);
	xa_unlock_irqrestore(&xib->qps, flags);
	return qp;
}

/**
 * xrdma_qp_get_live() - take a reference to a queue pair unless it has been
 *	destroyed
 * @xib: the device
 * @qp: the queue pair, whose structure exists
 *
 * Linux 6.12 may query a queue pair for a netlink message while another thread
 * destroys the queue pair, and after that.
 *
 * Context: any.
 * Return: true if the caller has a reference, until xrdma_qp_put(): the queue
 * pair and what it uses are not destroyed.
 */
bool xrdma_qp_get_live(struct xrdma_ibdev *xib, struct xrdma_qp *qp)
{
	struct xrdma_qp *live = xrdma_qp_get(xib, qp->qpn);

	if (live && live != qp)
		xrdma_qp_put(live);
	return live == qp;
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
 * xrdma_qp_event() - handle an asynchronous event of a queue pair
 * @xib: the device
 * @qpn: number from the event; ignored if no queue pair has this number
 * @event: XRDMA_EVENT_QP_*
 *
 * Context: any; calls the consumer's handler.
 */
void xrdma_qp_event(struct xrdma_ibdev *xib, u32 qpn, u8 event)
{
	struct xrdma_qp *qp = xrdma_qp_get(xib, qpn);

	if (!qp)
		return;

	xrdma_qp_deliver(xib, qp, event);
	xrdma_qp_put(qp);
}

/* ---- sizes -------------------------------------------------------------- */

/**
 * xrdma_sq_header() - size of the part of a send entry that precedes the data
 * @type: enum xrdma_qp_type
 *
 * Context: any.
 * Return: bytes before scatter-gather entries or inline bytes.
 */
u32 xrdma_sq_header(u8 type)
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
			    u32 bytes, u32 header)
{
	if (xrdma_wq_exists(wq))
		wq->max_sge = min_t(u32, caps->max_sge,
				    (bytes - header) /
				    sizeof(struct xrdma_sge));
}

/**
 * xrdma_qp_limits() - set max_sge and max_inline from the longest entries of the
 * rings
 * @caps: capabilities of the device
 * @qp: queue pair whose type and ring sizes are set
 *
 * Context: any.
 */
void xrdma_qp_limits(const struct xrdma_caps *caps, struct xrdma_qp *qp)
{
	u32 bytes = qp->sq.units * XRDMA_SQ_UNIT;
	u32 header = xrdma_sq_header(qp->type);

	xrdma_wq_limits(caps, &qp->sq, bytes, header);
	xrdma_wq_limits(caps, &qp->rq, 1 << qp->rq.log_stride,
			sizeof(struct xrdma_rq_wqe));
	if (qp->sq.units)
		qp->max_inline = min_t(u32, caps->max_inline, bytes - header);
}

static u32 xrdma_wq_depth(const struct xrdma_wq *wq)
{
	return xrdma_wq_exists(wq) ? 1 << wq->log_depth : 0;
}

/**
 * xrdma_qp_caps() - report depths and limits of the rings
 * @qp: queue pair
 * @cap: gets depths in entries, and the largest size of an entry
 *
 * Context: any.
 */
void xrdma_qp_caps(const struct xrdma_qp *qp, struct ib_qp_cap *cap)
{
	cap->max_send_wr = xrdma_wq_depth(&qp->sq);
	cap->max_send_sge = qp->sq.max_sge;
	cap->max_inline_data = qp->max_inline;
	cap->max_recv_wr = xrdma_wq_depth(&qp->rq);
	cap->max_recv_sge = qp->rq.max_sge;
}
