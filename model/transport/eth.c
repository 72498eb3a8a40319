// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Raw packet queue pairs: a SEND or a receive has a whole Ethernet frame,
 * without the frame check sequence. This file sends the frames, and selects
 * the queue pairs that receive a frame.
 *
 * A SEND completes at once, so the requester's only state is
 * model_requester.next. The loop over the send queue is in sends.c, flow rules
 * are in core/flow.c, RSS tables in core/rss.c.
 */

#include <errno.h>
#include <string.h>

#include "core/device.h"
#include "packet/flow_fields.h"
#include "transport/conn.h"
#include "transport/eth.h"
#include "transport/rx.h"
#include "transport/sends.h"
#include "wire/wire.h"

#define ETH_ZLEN	60 /* shortest frame in bytes, without check sequence */
/* Longest time that frames wait for a receive entry, with XRDMA_PORT_PAUSE */
#define PAUSE_MAX_NS	1000000000ULL

static u32 max_frame(const struct model_device *dev)
{
	return MODEL_ETH_BYTES + MODEL_VLAN_BYTES + dev->port.mtu;
}

static bool wqe_ok(const struct model_qp *qp, const struct xrdma_sq_wqe *wqe)
{
	u32 room = (1U << qp->sq.log_stride) - sizeof(*wqe);
	u32 num = le16_to_cpu(wqe->num_sge);

	if (wqe->opcode != XRDMA_OP_SEND ||
	    wqe->flags & ~(XRDMA_WQE_SIGNALED | XRDMA_WQE_FENCE |
			   XRDMA_WQE_SOLICITED | XRDMA_WQE_INLINE))
		return false;
	if (wqe->flags & XRDMA_WQE_INLINE)
		return num <= room && num <= MODEL_MAX_INLINE;
	return num <= MODEL_MAX_SGE && num * sizeof(struct xrdma_sge) <= room;
}

/* Return: bytes of the frame that @wqe describes. */
static u64 frame_length(const struct xrdma_sq_wqe *wqe,
			const struct model_sgl *sgl)
{
	if (wqe->flags & XRDMA_WQE_INLINE)
		return le16_to_cpu(wqe->num_sge);
	return model_sgl_length(sgl);
}

static int fill(struct model_qp *qp, const struct xrdma_sq_wqe *wqe,
		const struct model_sgl *sgl, struct model_frame *frame)
{
	int reason = 0;

	if (wqe->flags & XRDMA_WQE_INLINE)
		memcpy(frame->data, wqe + 1, frame->len);
	else
		reason = model_sgl_gather(qp, sgl, 0, frame->data, frame->len);
	if (frame->len < ETH_ZLEN) {
		memset(frame->data + frame->len, 0, ETH_ZLEN - frame->len);
		frame->len = ETH_ZLEN;
	}
	return reason;
}

/* Return: true, once, if a test has requested @fault and @qp is the port's. */
static bool take_fault(const struct model_qp *qp, enum model_eth_fault fault)
{
	struct model_device *dev = qp->dev;

	if (dev->eth_fault != fault || qp->qpn != dev->port.eth_qpn)
		return false;
	dev->eth_fault = MODEL_ETH_FAULT_NONE;
	return true;
}

/*
 * Fill the receive @wqe. Return: MODEL_RX_ETHERNET; MODEL_RX_OVERRUN if the
 * queue pair went into ERR; MODEL_RX_PAGE_FAULT if the memory misses, and the
 * entry remains the next one.
 */
static enum model_rx receive(struct model_qp *qp,
			     const struct xrdma_rq_wqe *wqe, const u8 *frame,
			     u32 len)
{
	const struct model_sgl sgl = {
		.sge = (const struct xrdma_sge *)(wqe + 1),
		.num = le16_to_cpu(wqe->num_sge),
		.opcode = XRDMA_OP_RECV,
	};
	struct model_recv_done done = {
		.opcode = XRDMA_OP_RECV,
		.wr_id = wqe->wr_id,
		.byte_len = len,
	};
	int reason;

	if (take_fault(qp, MODEL_ETH_FAULT_RECEIVE)) {
		done.status = XRDMA_WC_LOC_PROT_ERR;
	} else if (model_sgl_length(&sgl) < len) {
		done.status = XRDMA_WC_LOC_LEN_ERR;
	} else {
		reason = model_sgl_scatter(qp, &sgl, 0, frame, len);
		if (reason == MODEL_MISS)
			return MODEL_RX_PAGE_FAULT;
		if (reason) {
			done.status = XRDMA_WC_LOC_PROT_ERR;
			done.vendor_err = reason;
		}
	}
	memcpy(done.smac, frame + 6, sizeof(done.smac));
	model_qp_complete_recv(qp, &done);
	if (!done.status)
		return MODEL_RX_ETHERNET;
	model_qp_error(qp, 0);
	return MODEL_RX_OVERRUN;
}

static bool can_receive(const struct model_qp *qp)
{
	return qp->state == XRDMA_QPS_RTR || qp->state == XRDMA_QPS_RTS ||
	       qp->state == XRDMA_QPS_SQD || qp->state == XRDMA_QPS_SQE;
}

/* Return: MODEL_RX_ETHERNET, or why the queue pair did not get the frame. */
static enum model_rx deliver(struct model_qp *qp, const u8 *frame, u32 len)
{
	u8 *wqe = qp->tp->recv;

	if (!can_receive(qp))
		return MODEL_RX_STATE;
	if (model_qp_read_rq(qp, wqe))
		return MODEL_RX_OVERRUN;
	return receive(qp, (void *)wqe, frame, len);
}

/*
 * Deliver a frame to the queue pairs that flow rules name, except to @sender.
 * Return: true if a rule that does not copy matched, so nothing else gets the
 * frame; @rx is the result of the delivery then.
 */
static bool steer(struct model_device *dev, const struct model_qp *sender,
		  const u8 *frame, u32 len, enum model_rx *rx)
{
	struct xrdma_flow_fields fields;
	struct model_flow *flow;
	struct model_qp *qp;
	u8 have;

	if (TAILQ_EMPTY(&dev->flows.order))
		return false;
	have = model_flow_fields(&fields, frame, len);
	TAILQ_FOREACH(flow, &dev->flows.order, link) {
		if (!model_flow_matches(flow, &fields))
			continue;
		qp = flow->qp ? flow->qp :
				model_rss_pick(flow->rss, &fields, have);
		if (qp == sender)
			continue;
		*rx = deliver(qp, frame, len);
		if (!flow->copy)
			return true;
	}
	return false;
}

/*
 * Deliver a frame that @qp sends to a queue pair of this device, if a flow rule
 * of another queue pair matches. Frames of the port's own queue pair are always
 * sent. Return: true if the frame must not be sent.
 */
static bool delivered_inside(struct model_qp *qp,
			     const struct model_frame *frame)
{
	struct model_device *dev = qp->dev;
	struct model_net net;
	enum model_rx rx;

	if (qp->qpn == dev->port.eth_qpn || !dev->port.link_up ||
	    model_net_parse(&net, frame->data, frame->len) !=
	    MODEL_RX_ETHERNET ||
	    !steer(dev, qp, frame->data, frame->len, &rx))
		return false;
	model_rx_count(dev, rx);
	return true;
}

/* Return: enum xrdma_wc_status. */
static u8 send_frame(struct model_qp *qp, const struct xrdma_sq_wqe *wqe,
		     int *reason)
{
	const struct model_sgl sgl = {
		.sge = (const struct xrdma_sge *)(wqe + 1),
		.waiter = &qp->waiters[MODEL_WAIT_REQUESTER],
		.num = le16_to_cpu(wqe->num_sge),
		.opcode = wqe->opcode,
	};
	struct model_frame *frame;
	u64 len;

	if (take_fault(qp, MODEL_ETH_FAULT_SEND))
		return XRDMA_WC_LOC_PROT_ERR;
	if (!wqe_ok(qp, wqe))
		return XRDMA_WC_LOC_QP_OP_ERR;
	len = frame_length(wqe, &sgl);
	if (len < MODEL_ETH_BYTES || len > max_frame(qp->dev))
		return XRDMA_WC_LOC_LEN_ERR;
	frame = model_wire_frame(qp->dev->wire);
	frame->len = len;
	*reason = fill(qp, wqe, &sgl, frame);
	if (*reason) {
		model_frame_put(&qp->dev->wire->pool, frame);
		return XRDMA_WC_LOC_PROT_ERR;
	}
	if (delivered_inside(qp, frame))
		model_frame_put(&qp->dev->wire->pool, frame);
	else
		model_wire_send(qp->dev->wire, frame);
	return XRDMA_WC_SUCCESS;
}

/* Return: false if the queue pair must not send the next entry. */
static bool send_one(struct model_qp *qp, u32 index,
		     const struct xrdma_sq_wqe *wqe)
{
	int reason = 0;
	u8 status;

	if (take_fault(qp, MODEL_ETH_FAULT_FATAL)) {
		model_qp_error(qp, XRDMA_EVENT_QP_FATAL);
		return false;
	}
	qp->stalled |= take_fault(qp, MODEL_ETH_FAULT_STALL);
	if (qp->stalled) {
		qp->sq.ci = qp->tp->req.next;
		return true;
	}
	status = model_qp_injected(qp);
	if (!status)
		status = send_frame(qp, wqe, &reason);
	/* the frame's receive may have overrun the shared CQ: QP is in ERR */
	if (qp->state != XRDMA_QPS_RTS)
		return false;
	if (reason == MODEL_MISS) {
		qp->tp->req.next = index;
		return false;
	}
	if (status)
		model_qp_fail_send(qp, index, wqe, status, reason);
	else
		model_qp_complete_send(qp, index, wqe, 0);
	return qp->state == XRDMA_QPS_RTS;
}

static bool raw_run(struct model_qp *qp)
{
	return model_sends_run(qp, send_one);
}

static void raw_modify(struct model_qp *qp, u32 mask, u8 old)
{
	(void)mask;
	if (old == XRDMA_QPS_SQE && qp->state == XRDMA_QPS_RTS)
		qp->tp->req.next = qp->sq.ci;
}

static void raw_query(const struct model_qp *qp, struct xrdma_qp_attr *attr)
{
	(void)qp;
	(void)attr;
}

const struct model_qp_ops model_raw_ops = {
	.init = model_sends_init,
	.modify = raw_modify,
	.stop = model_sends_stop,
	.destroy = model_sends_destroy,
	.run = raw_run,
	.resume = model_sends_resume,
	.idle = model_sends_idle,
	.query = raw_query,
};

static bool wanted(const struct model_device *dev, const u8 *dmac)
{
	static const u8 broadcast[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

	if (dev->port.flags & XRDMA_PORT_PROMISC ||
	    !memcmp(dmac, broadcast, sizeof(broadcast)))
		return true;
	if (dmac[0] & 1)
		return dev->port.flags & XRDMA_PORT_ALLMULTI ||
		       model_mcast_wanted(dev, dmac);
	return model_mac_is_local(dev, dmac);
}

/* Return: true if a flow rule takes the frame, so that the port does not get it. */
static bool taken(struct model_device *dev, const u8 *frame, u32 len)
{
	struct xrdma_flow_fields fields;
	struct model_flow *flow;

	if (TAILQ_EMPTY(&dev->flows.order))
		return false;
	model_flow_fields(&fields, frame, len);
	TAILQ_FOREACH(flow, &dev->flows.order, link)
		if (!flow->copy && model_flow_matches(flow, &fields))
			return true;
	return false;
}

/* Return: true if the queue pair of the port receives the frame. */
static bool for_port(struct model_device *dev, const u8 *frame, u32 len)
{
	struct model_net net;

	return len >= MODEL_ETH_BYTES && len <= max_frame(dev) &&
	       model_net_parse(&net, frame, len) == MODEL_RX_ETHERNET &&
	       wanted(dev, frame) && !taken(dev, frame, len);
}

/**
 * model_eth_ready() - check whether a received frame can be delivered now
 * @dev: the device
 * @frame: the frame, unchecked
 * @len: bytes of @frame
 *
 * Return: false if the frame is for the queue pair of the port, which has no
 * receive entry for it, and the host has asked for the far end to be held back;
 * for at most PAUSE_MAX_NS, since the host may have stopped.
 */
bool model_eth_ready(struct model_device *dev, const u8 *frame, u32 len)
{
	struct model_qp *qp = dev->port.flags & XRDMA_PORT_PAUSE ?
			      model_qp_get(dev, dev->port.eth_qpn) : NULL;
	u64 now = model_device_clock(dev);

	if (!qp || !can_receive(qp) || model_qp_has_recv(qp)) {
		dev->port.blocked_ns = 0;
		return true;
	}
	if (!for_port(dev, frame, len))
		return true;
	if (!dev->port.blocked_ns)
		dev->port.blocked_ns = now;
	return now - dev->port.blocked_ns >= PAUSE_MAX_NS;
}

/**
 * model_eth_receive() - deliver a received frame that is not RoCE
 * @dev: the device
 * @frame: the frame
 * @len: bytes of @frame
 *
 * Return: MODEL_RX_ETHERNET if it was delivered, or why it was dropped.
 */
enum model_rx model_eth_receive(struct model_device *dev, const u8 *frame,
				u32 len)
{
	struct model_qp *qp = dev->port.eth_qpn ?
			      model_qp_get(dev, dev->port.eth_qpn) : NULL;
	enum model_rx rx;

	if (len < MODEL_ETH_BYTES)
		return MODEL_RX_RUNT;
	if (len <= max_frame(dev) && steer(dev, NULL, frame, len, &rx))
		return rx;
	if (!wanted(dev, frame))
		return MODEL_RX_FILTERED;
	if (len > max_frame(dev))
		return MODEL_RX_OVERSIZED;
	if (!qp)
		return MODEL_RX_STATE;
	return deliver(qp, frame, len);
}
