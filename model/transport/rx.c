// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Checks received frames, and passes each valid one to the requester, the
 * responder, uc.c, ud.c or eth.c of its queue pair. A frame that fails a check
 * changes only a counter.
 *
 * Ethernet, IP and UDP headers are parsed in packet/net.c, transport headers in
 * packet/pkt.c.
 */

#include <string.h>

#include "core/device.h"
#include "packet/icrc.h"
#include "packet/pkt.h"
#include "transport/cnp.h"
#include "transport/conn.h"
#include "transport/eth.h"
#include "transport/rx.h"
#include "transport/uc.h"
#include "transport/ud.h"
#include "wire/wire.h"

/*
 * The P_Key table has only the default key. The membership bit is ignored: it
 * may be that of a full or of a limited member.
 */
static bool pkey_ok(u16 pkey)
{
	return (pkey | 0x8000) == MODEL_PKEY_DEFAULT;
}

static bool transport_ok(const struct model_qp *qp, const struct model_pkt *pkt)
{
	u8 transport = pkt->opcode & MODEL_BTH_TRANSPORT;

	if (transport == MODEL_BTH_CNP)
		return model_cc_applies(qp);
	switch (qp->type) {
	case XRDMA_QP_RC:
		return transport == MODEL_BTH_RC;
	case XRDMA_QP_UC:
		return transport == MODEL_BTH_UC;
	case XRDMA_QP_UD:
	case XRDMA_QP_GSI:
		return transport == MODEL_BTH_UD;
	case XRDMA_QP_XRC_INI:
		return transport == MODEL_BTH_XRC &&
		       pkt->op.flags & MODEL_PKT_RESPONSE;
	case XRDMA_QP_XRC_TGT:
		return transport == MODEL_BTH_XRC &&
		       pkt->op.flags & MODEL_PKT_REQUEST;
	default:
		return false;
	}
}

static bool state_ok(const struct model_qp *qp, u16 flags)
{
	switch (qp->state) {
	case XRDMA_QPS_RTR:
		return !(flags & MODEL_PKT_RESPONSE);
	case XRDMA_QPS_RTS:
	case XRDMA_QPS_SQD:
	case XRDMA_QPS_SQE:
		return true;
	default:
		return false;
	}
}

/*
 * A connection accepts packets from its peer's address to its own address, in the VLAN
 * of that address.
 */
static enum model_rx check_addresses(const struct model_qp *qp,
				     const struct model_net *net)
{
	const struct model_gid *gid = model_gid_get(qp->dev,
						    qp->attr.av.sgid_index);

	if (memcmp(net->sgid, qp->attr.av.dgid, sizeof(net->sgid)))
		return MODEL_RX_SOURCE;
	if (!gid || memcmp(net->dgid, gid->gid, sizeof(net->dgid)))
		return MODEL_RX_DESTINATION;
	return model_net_vid(net) == model_gid_vid(gid) ? MODEL_RX_OK :
							  MODEL_RX_VLAN;
}

/* A fault of inject.h: the receiver does not hear its peers. */
static bool silent(struct model_device *dev, u32 number)
{
	return dev->inject.num &&
	       model_inject_silent(&dev->inject, number,
				   model_device_clock(dev));
}

static enum model_rx to_qp(struct model_device *dev,
			   const struct model_net *net,
			   const struct model_pkt *pkt)
{
	bool datagram = (pkt->opcode & MODEL_BTH_TRANSPORT) == MODEL_BTH_UD;
	struct model_qp *qp = model_qp_get(dev, pkt->dqpn);
	enum model_rx rx;

	if (silent(dev, pkt->dqpn))
		return MODEL_RX_SILENCE;
	if (datagram && pkt->dqpn == XRDMA_QPN_MCAST)
		return model_ud_multicast(dev, net, pkt);
	if (!qp)
		return MODEL_RX_QPN;
	if (!transport_ok(qp, pkt))
		return MODEL_RX_TRANSPORT;
	if (datagram)
		return model_ud_receive(qp, net, pkt);
	if (!state_ok(qp, pkt->op.flags))
		return MODEL_RX_STATE;
	rx = check_addresses(qp, net);
	if (rx)
		return rx;
	model_set_stat_add(qp, XRDMA_STAT_RX_PACKETS, 1);
	model_set_stat_add(qp, XRDMA_STAT_RX_BYTES, net->end);
	if (pkt->op.flags & MODEL_PKT_CNP) {
		model_cc_notified(qp);
		return MODEL_RX_OK;
	}
	if ((net->tclass & MODEL_ECN_MASK) == MODEL_ECN_CE)
		model_cnp_marked(qp, pkt->pkey);
	if (pkt->op.flags & MODEL_PKT_REQUEST) {
		model_qp_comm_est(qp);
		if (qp->type == XRDMA_QP_UC)
			return model_uc_request(qp, pkt);
		return model_responder_request(qp, pkt);
	}
	return model_requester_response(qp, pkt);
}

static enum model_rx roce(struct model_device *dev, const struct model_net *net)
{
	u32 len = net->end - net->bth - MODEL_ICRC_BYTES;
	struct model_pkt pkt;
	enum model_rx rx;

	if (!model_mac_is_local(dev, net->frame) &&
	    !model_mcast_wanted(dev, net->frame))
		return MODEL_RX_FILTERED;
	if (!model_icrc_ok(net->frame, net->l3, net->bth, net->end))
		return MODEL_RX_ICRC;
	rx = model_pkt_parse(&pkt, net->frame + net->bth, len);
	if (rx)
		return rx;
	if (!pkey_ok(pkt.pkey))
		return MODEL_RX_PKEY;
	return to_qp(dev, net, &pkt);
}

static enum model_rx sort(struct model_device *dev, const u8 *frame, u32 len)
{
	struct model_net net;
	enum model_rx rx;

	if (!model_wire_carrier(dev->wire) || !dev->live ||
	    !(dev->port.flags & XRDMA_PORT_UP))
		return MODEL_RX_DOWN;
	if (silent(dev, MODEL_INJECT_PORT))
		return MODEL_RX_SILENCE;
	rx = model_net_parse(&net, frame, len);
	if (rx == MODEL_RX_ETHERNET)
		return model_eth_receive(dev, frame, len);
	if (rx)
		return rx;
	if (len > MODEL_ETH_BYTES + MODEL_VLAN_BYTES + dev->port.mtu)
		return MODEL_RX_OVERSIZED;
	model_stat_add(dev, XRDMA_STAT_RX_PACKETS, 1);
	model_stat_add(dev, XRDMA_STAT_RX_BYTES, len);
	return roce(dev, &net);
}

/**
 * model_rx_frame() - handle a received frame and count the verdict
 * @dev: the device
 * @frame: the frame, unchecked
 * @len: bytes of @frame
 *
 * Return: the verdict: MODEL_RX_OK, MODEL_RX_ETHERNET, or why it was dropped.
 */
enum model_rx model_rx_frame(struct model_device *dev, const u8 *frame, u32 len)
{
	enum model_rx rx = sort(dev, frame, len);

	model_rx_count(dev, rx);
	return rx;
}
