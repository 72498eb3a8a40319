// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Received frames. Everything that can be wrong with one before it concerns a
 * requester or a responder is found here; such a frame changes nothing but a
 * counter.
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

/* Only this key is in the table; full and limited members get along. */
static bool pkey_ok(u16 pkey)
{
	return (pkey | 0x8000) == XRDMA_PKEY_DEFAULT;
}

static bool transport_ok(const struct xrdma_qp *qp, const struct xrdma_pkt *pkt)
{
	u8 transport = pkt->opcode & XRDMA_BTH_TRANSPORT;

	if (transport == XRDMA_BTH_CNP)
		return xrdma_cc_applies(qp);
	switch (qp->type) {
	case XRDMA_QP_RC:
		return transport == XRDMA_BTH_RC;
	case XRDMA_QP_UC:
		return transport == XRDMA_BTH_UC;
	case XRDMA_QP_UD:
	case XRDMA_QP_GSI:
		return transport == XRDMA_BTH_UD;
	case XRDMA_QP_XRC_INI:
		return transport == XRDMA_BTH_XRC &&
		       pkt->op.flags & XRDMA_PKT_RESPONSE;
	case XRDMA_QP_XRC_TGT:
		return transport == XRDMA_BTH_XRC &&
		       pkt->op.flags & XRDMA_PKT_REQUEST;
	default:
		return false;
	}
}

static bool state_ok(const struct xrdma_qp *qp, u16 flags)
{
	switch (qp->state) {
	case XRDMA_QPS_RTR:
		return !(flags & XRDMA_PKT_RESPONSE);
	case XRDMA_QPS_RTS:
	case XRDMA_QPS_SQD:
	case XRDMA_QPS_SQE:
		return true;
	default:
		return false;
	}
}

/* A connection talks to one address, from one address. */
static enum xrdma_rx check_addresses(const struct xrdma_qp *qp,
				     const struct xrdma_net *net)
{
	const struct xrdma_gid *gid = xrdma_gid_get(qp->dev,
						    qp->attr.av.sgid_index);

	if (memcmp(net->sgid, qp->attr.av.dgid, sizeof(net->sgid)))
		return XRDMA_RX_SOURCE;
	if (!gid || memcmp(net->dgid, gid->gid, sizeof(net->dgid)))
		return XRDMA_RX_DESTINATION;
	return XRDMA_RX_OK;
}

static enum xrdma_rx to_qp(struct xrdma_device *dev,
			   const struct xrdma_net *net,
			   const struct xrdma_pkt *pkt)
{
	bool datagram = (pkt->opcode & XRDMA_BTH_TRANSPORT) == XRDMA_BTH_UD;
	struct xrdma_qp *qp = xrdma_qp_get(dev, pkt->dqpn);
	enum xrdma_rx rx;

	if (datagram && pkt->dqpn == XRDMA_QPN_MCAST)
		return xrdma_ud_multicast(dev, net, pkt);
	if (!qp)
		return XRDMA_RX_QPN;
	if (!transport_ok(qp, pkt))
		return XRDMA_RX_TRANSPORT;
	if (datagram)
		return xrdma_ud_receive(qp, net, pkt);
	if (!state_ok(qp, pkt->op.flags))
		return XRDMA_RX_STATE;
	rx = check_addresses(qp, net);
	if (rx)
		return rx;
	xrdma_set_stat_add(qp, XRDMA_STAT_RX_PACKETS, 1);
	xrdma_set_stat_add(qp, XRDMA_STAT_RX_BYTES, net->end);
	if (pkt->op.flags & XRDMA_PKT_CNP) {
		xrdma_cc_notified(qp);
		return XRDMA_RX_OK;
	}
	if ((net->tclass & XRDMA_ECN_MASK) == XRDMA_ECN_CE)
		xrdma_cnp_marked(qp);
	if (pkt->op.flags & XRDMA_PKT_REQUEST) {
		xrdma_qp_comm_est(qp);
		if (qp->type == XRDMA_QP_UC)
			return xrdma_uc_request(qp, pkt);
		return xrdma_responder_request(qp, pkt);
	}
	return xrdma_requester_response(qp, pkt);
}

static enum xrdma_rx roce(struct xrdma_device *dev, const struct xrdma_net *net)
{
	u32 len = net->end - net->bth - XRDMA_ICRC_BYTES;
	struct xrdma_pkt pkt;
	enum xrdma_rx rx;

	if (!xrdma_mac_is_local(dev, net->frame) &&
	    !xrdma_mcast_wanted(dev, net->frame))
		return XRDMA_RX_FILTERED;
	if (!xrdma_icrc_ok(net->frame, net->l3, net->bth, net->end))
		return XRDMA_RX_ICRC;
	rx = xrdma_pkt_parse(&pkt, net->frame + net->bth, len);
	if (rx)
		return rx;
	if (!pkey_ok(pkt.pkey))
		return XRDMA_RX_PKEY;
	return to_qp(dev, net, &pkt);
}

static enum xrdma_rx sort(struct xrdma_device *dev, const u8 *frame, u32 len)
{
	struct xrdma_net net;
	enum xrdma_rx rx;

	if (!dev->wire->cable || !dev->live ||
	    !(dev->port.flags & XRDMA_PORT_UP))
		return XRDMA_RX_DOWN;
	rx = xrdma_net_parse(&net, frame, len);
	if (rx == XRDMA_RX_ETHERNET)
		return xrdma_eth_receive(dev, frame, len);
	if (rx)
		return rx;
	if (len > XRDMA_ETH_BYTES + XRDMA_VLAN_BYTES + dev->port.mtu)
		return XRDMA_RX_OVERSIZED;
	xrdma_stat_add(dev, XRDMA_STAT_RX_PACKETS, 1);
	xrdma_stat_add(dev, XRDMA_STAT_RX_BYTES, len);
	return roce(dev, &net);
}

/**
 * xrdma_rx_frame() - handle a received frame
 * @dev: the device
 * @frame: the frame, of which nothing is known
 * @len: its bytes
 *
 * Return: what became of it; counted.
 */
enum xrdma_rx xrdma_rx_frame(struct xrdma_device *dev, const u8 *frame, u32 len)
{
	enum xrdma_rx rx = sort(dev, frame, len);

	xrdma_rx_count(dev, rx);
	return rx;
}
