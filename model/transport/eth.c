// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Raw packet queue pairs, receiving: a receive has a whole Ethernet frame,
 * without the frame check sequence. This file selects the queue pairs that
 * receive a frame. Sending is in eth_tx.c, merging of frames in eth_gro.c, flow
 * rules are in core/flow.c, RSS tables in core/rss.c.
 */

#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "core/device.h"
#include "packet/checksum.h"
#include "packet/flow_fields.h"
#include "transport/conn.h"
#include "transport/eth.h"
#include "transport/eth_gro.h"
#include "transport/rx.h"
#include "wire/wire.h"

#define TAG_OFFSET	12 /* of a VLAN tag in a frame */
#define ETH_P_VLAN	0x8100
/* Longest time that frames wait for a receive entry, with XRDMA_PORT_PAUSE */
#define PAUSE_MAX_NS	1000000000ULL

/**
 * struct arrival - a frame to be delivered
 * @frame: the frame
 * @len: bytes of @frame
 * @options: XRDMA_PORT_CSUM, XRDMA_PORT_VLAN and XRDMA_PORT_GRO apply; other flags
 *	are ignored
 * @mss: @frame is several frames with @mss bytes of TCP payload; 0: it is one
 * @sums_ok: XRDMA_PORT_CSUM is set, and the checksums are right
 * @taken_ns: time at which the device took the frame from the wire
 */
struct arrival {
	const u8 *frame;
	u32 len;
	u32 options;
	u16 mss;
	bool sums_ok;
	u64 taken_ns;
};

/**
 * model_eth_take_fault() - check whether a test has requested a fault
 * @qp: the queue pair
 * @fault: the fault
 *
 * Return: true, once, if a test has requested @fault and @qp is the kernel's.
 */
bool model_eth_take_fault(const struct model_qp *qp, enum model_eth_fault fault)
{
	struct model_device *dev = qp->dev;

	if (dev->eth_fault != fault || !(qp->flags & XRDMA_QP_KERNEL))
		return false;
	dev->eth_fault = MODEL_ETH_FAULT_NONE;
	return true;
}

/* Return: true if the VLAN tag of a frame is removed. */
static bool untag(const struct arrival *in)
{
	return in->options & XRDMA_PORT_VLAN &&
	       in->len >= MODEL_ETH_BYTES + MODEL_VLAN_BYTES &&
	       model_get16(in->frame + TAG_OFFSET) == ETH_P_VLAN;
}

static u32 cut_bytes(const struct arrival *in)
{
	return untag(in) ? MODEL_VLAN_BYTES : 0;
}

/* Write a frame to memory. Return: as model_sgl_scatter(). */
static int store(struct model_qp *qp, const struct model_sgl *sgl,
		 const struct arrival *in)
{
	const u8 *rest = in->frame + TAG_OFFSET + cut_bytes(in);
	int reason = model_sgl_scatter(qp, sgl, 0, in->frame, TAG_OFFSET);

	if (reason)
		return reason;
	return model_sgl_scatter(qp, sgl, TAG_OFFSET, rest,
				 in->frame + in->len - rest);
}

/* Write to the completion what the host does not have to do any more. */
static void report(struct model_qp *qp, struct model_recv_done *done,
		   const struct arrival *in)
{
	if (done->status)
		return;
	if (untag(in)) {
		done->flags |= XRDMA_CQE_VLAN;
		done->vlan_tci = model_get16(in->frame + TAG_OFFSET + 2);
	}
	if (in->sums_ok)
		done->flags |= XRDMA_CQE_CSUM;
	if (in->mss)
		done->flags |= XRDMA_CQE_GRO;
	done->mss = in->mss;
	if (model_eth_take_fault(qp, MODEL_ETH_FAULT_MERGED)) {
		done->flags |= XRDMA_CQE_GRO;
		done->mss = 1;
	}
}

static struct model_sgl entry_sgl(const struct xrdma_rq_wqe *wqe)
{
	return (struct model_sgl) {
		.sge = (const struct xrdma_sge *)(wqe + 1),
		.num = le16_to_cpu(wqe->num_sge),
		.opcode = XRDMA_OP_RECV,
	};
}

/*
 * Fill the receive @wqe. Return: MODEL_RX_ETHERNET; MODEL_RX_OVERRUN if the
 * queue pair went into ERR; MODEL_RX_PAGE_FAULT if the memory misses, and the
 * entry remains the next one.
 */
static enum model_rx receive(struct model_qp *qp,
			     const struct xrdma_rq_wqe *wqe,
			     const struct arrival *in)
{
	const struct model_sgl sgl = entry_sgl(wqe);
	struct model_recv_done done = {
		.opcode = XRDMA_OP_RECV,
		.wr_id = wqe->wr_id,
		.byte_len = in->len - cut_bytes(in),
		.taken_ns = in->taken_ns,
	};
	int reason;

	if (model_eth_take_fault(qp, MODEL_ETH_FAULT_RECEIVE)) {
		done.status = XRDMA_WC_LOC_PROT_ERR;
	} else if (model_sgl_length(&sgl) < done.byte_len) {
		done.status = XRDMA_WC_LOC_LEN_ERR;
	} else {
		reason = store(qp, &sgl, in);
		if (reason == MODEL_MISS)
			return MODEL_RX_PAGE_FAULT;
		if (reason) {
			done.status = XRDMA_WC_LOC_PROT_ERR;
			done.vendor_err = reason;
		}
	}
	memcpy(done.smac, in->frame + 6, sizeof(done.smac));
	report(qp, &done, in);
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

/* Return: true if frames of the queue pair are held. */
static bool holds(const struct model_qp *qp)
{
	return qp->tp->gro->count;
}

/* Deliver the frames that are held, if there are any, and count them. */
static void release(struct model_qp *qp)
{
	struct model_device *dev = qp->dev;
	struct model_gro *gro = qp->tp->gro;
	enum model_rx rx = MODEL_RX_STATE;
	struct arrival in;

	if (!holds(qp))
		return;
	TAILQ_REMOVE(&dev->merging, qp, tp->gro->link);
	model_gro_finish(gro);
	in = (struct arrival) {
		.frame = gro->data,
		.len = gro->len,
		.options = dev->port.flags,
		.mss = gro->count > 1 ? gro->mss : 0,
		.sums_ok = true,
		.taken_ns = gro->taken_ns,
	};
	if (dev->live && can_receive(qp))
		rx = receive(qp, (void *)qp->tp->recv, &in);
	for (; gro->count; gro->count--)
		model_rx_count(dev, rx);
}

/* Return: true if the frame was added to those that are held. */
static bool merge(struct model_qp *qp, const struct arrival *in)
{
	struct model_gro *gro = qp->tp->gro;

	if (!holds(qp) || !in->sums_ok ||
	    !model_gro_add(gro, in->frame, in->len))
		return false;
	gro->taken_ns = in->taken_ns;
	return true;
}

/*
 * Return: true if the frame, for which @wqe is posted, is held, since others may
 * follow it.
 */
static bool hold(struct model_qp *qp, const struct xrdma_rq_wqe *wqe,
		 const struct arrival *in)
{
	const struct model_sgl sgl = entry_sgl(wqe);
	u64 room = model_sgl_length(&sgl);
	struct model_gro *gro = qp->tp->gro;

	if (!(in->options & XRDMA_PORT_GRO) || !in->sums_ok)
		return false;
	if (room > XRDMA_ETH_TSO_MAX)
		room = XRDMA_ETH_TSO_MAX;
	if (!model_gro_start(gro, in->frame, in->len, room + cut_bytes(in)))
		return false;
	gro->taken_ns = in->taken_ns;
	TAILQ_INSERT_TAIL(&qp->dev->merging, qp, tp->gro->link);
	return true;
}

/*
 * Deliver or hold a frame. Frames that are held come first, if the frame does not
 * continue them. Return: MODEL_RX_ETHERNET, MODEL_RX_HELD, or why the queue pair
 * did not get the frame.
 */
static enum model_rx deliver(struct model_qp *qp, const struct arrival *in)
{
	u8 *wqe = qp->tp->recv;

	if (merge(qp, in))
		return MODEL_RX_HELD;
	release(qp);
	if (!can_receive(qp))
		return MODEL_RX_STATE;
	if (model_qp_read_rq(qp, wqe))
		return MODEL_RX_OVERRUN;
	if (hold(qp, (void *)wqe, in))
		return MODEL_RX_HELD;
	return receive(qp, (void *)wqe, in);
}

/**
 * model_eth_burst_end() - deliver all frames that are held
 * @dev: the device
 *
 * Called when the device has handled the frames that have arrived: it does not wait
 * for others.
 */
void model_eth_burst_end(struct model_device *dev)
{
	struct model_qp *qp;

	while ((qp = TAILQ_FIRST(&dev->merging)) != NULL)
		release(qp);
}

/*
 * Deliver a frame to the queue pairs that flow rules name, except to @sender.
 * Offloads of the port do not apply to it.
 * Return: true if a rule that does not copy matched, so nothing else gets the
 * frame; @rx is the result of the delivery then.
 */
static bool steer(struct model_device *dev, const struct model_qp *sender,
		  const struct arrival *in, enum model_rx *rx)
{
	struct xrdma_flow_fields fields;
	struct model_flow *flow;
	struct model_qp *qp;
	u8 have;

	if (TAILQ_EMPTY(&dev->flows.order))
		return false;
	have = model_flow_fields(&fields, in->frame, in->len);
	TAILQ_FOREACH(flow, &dev->flows.order, link) {
		if (!model_flow_matches(flow, &fields))
			continue;
		qp = flow->qp ? flow->qp :
				model_rss_pick(flow->rss, &fields, have);
		if (qp == sender)
			continue;
		*rx = deliver(qp, in);
		if (!flow->copy)
			return true;
	}
	return false;
}

/**
 * model_eth_inside() - deliver a frame that is sent inside of the device
 * @qp: the queue pair that sends
 * @frame: the frame
 *
 * Delivers the frame to a queue pair of this device, if a flow rule of another
 * queue pair matches. Frames of queue pairs of the kernel are always sent.
 *
 * Return: true if the frame must not be sent.
 */
bool model_eth_inside(struct model_qp *qp, const struct model_frame *frame)
{
	const struct arrival in = {
		.frame = frame->data,
		.len = frame->len,
		.taken_ns = qp->sent_ns,
	};
	struct model_device *dev = qp->dev;
	struct model_net net;
	enum model_rx rx;

	if (qp->flags & XRDMA_QP_KERNEL || !dev->port.link_up ||
	    model_net_parse(&net, frame->data, frame->len) !=
	    MODEL_RX_ETHERNET ||
	    !steer(dev, qp, &in, &rx))
		return false;
	model_rx_count(dev, rx);
	return true;
}

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

/*
 * Return: the queue pair of the port that gets @frame, which has an Ethernet
 * header, if the filters of the port accept it; NULL: none.
 */
static struct model_qp *port_qp(struct model_device *dev, const u8 *frame,
				u32 len)
{
	const struct model_rss *rss = model_rss_get(dev, dev->port.eth_qpn);
	struct xrdma_flow_fields fields;
	u8 have;

	if (!dev->port.eth_qpn)
		return NULL;
	if (!rss)
		return model_qp_get(dev, dev->port.eth_qpn);
	have = model_flow_fields(&fields, frame, len);
	return model_rss_pick(rss, &fields, have);
}

/* Return: true if a queue pair of the port receives the frame. */
static bool for_port(struct model_device *dev, const u8 *frame, u32 len)
{
	struct model_net net;

	return len >= MODEL_ETH_BYTES && len <= model_eth_max_frame(dev) &&
	       model_net_parse(&net, frame, len) == MODEL_RX_ETHERNET &&
	       wanted(dev, frame) && !taken(dev, frame, len);
}

/**
 * model_eth_ready() - check whether a received frame can be delivered now
 * @dev: the device
 * @frame: the frame, unchecked
 * @len: bytes of @frame
 *
 * Return: false if the frame is for a queue pair of the port, which has no
 * receive entry for it, and the host has asked for the far end to be held back;
 * for at most PAUSE_MAX_NS, since the host may have stopped.
 */
bool model_eth_ready(struct model_device *dev, const u8 *frame, u32 len)
{
	struct model_qp *qp;
	u64 now;

	if (!(dev->port.flags & XRDMA_PORT_PAUSE) || len < MODEL_ETH_BYTES)
		return true;
	qp = port_qp(dev, frame, len);
	if (!qp)
		return true;
	/* the last entry is for the frames that are held */
	if (holds(qp) && qp->rq.pi - qp->rq.ci == 1)
		release(qp);
	if (!can_receive(qp) || model_qp_has_recv(qp)) {
		qp->blocked_ns = 0;
		return true;
	}
	if (!for_port(dev, frame, len))
		return true;
	now = model_device_clock(dev);
	if (!qp->blocked_ns)
		qp->blocked_ns = now;
	return now - qp->blocked_ns >= PAUSE_MAX_NS;
}

/**
 * model_eth_receive() - deliver a received frame that is not RoCE
 * @dev: the device
 * @frame: the frame
 * @len: bytes of @frame
 *
 * model_wire.taken_ns is the time at which the device took the frame.
 *
 * Return: MODEL_RX_ETHERNET if it was delivered, or why it was dropped.
 */
enum model_rx model_eth_receive(struct model_device *dev, const u8 *frame,
				u32 len)
{
	struct arrival in = {
		.frame = frame,
		.len = len,
		.taken_ns = dev->caps & XRDMA_CAP_CLOCK ? dev->wire->taken_ns :
							  0,
	};
	struct model_qp *qp;
	enum model_rx rx;

	if (len < MODEL_ETH_BYTES)
		return MODEL_RX_RUNT;
	if (len <= model_eth_max_frame(dev) && steer(dev, NULL, &in, &rx))
		return rx;
	if (!wanted(dev, frame))
		return MODEL_RX_FILTERED;
	if (len > model_eth_max_frame(dev))
		return MODEL_RX_OVERSIZED;
	qp = port_qp(dev, frame, len);
	if (!qp)
		return MODEL_RX_STATE;
	in.options = dev->port.flags;
	in.sums_ok = in.options & XRDMA_PORT_CSUM && model_sums_ok(frame, len);
	return deliver(qp, &in);
}
