// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Sends packets of a queue pair: network headers, transport headers and ICRC
 * around a payload that the caller writes. Raw Ethernet frames are sent in
 * eth.c. The wire is in wire/wire.c.
 */

#include <string.h>

#include "core/device.h"
#include "packet/icrc.h"
#include "transport/conn.h"
#include "transport/tx.h"
#include "wire/wire.h"

static void path_of(const struct model_qp *qp, const struct model_gid *gid,
		    struct model_path *path)
{
	const struct xrdma_av *av = &qp->attr.av;

	memcpy(path->sgid, gid->gid, sizeof(path->sgid));
	memcpy(path->dgid, av->dgid, sizeof(path->dgid));
	memcpy(path->smac, gid->mac, sizeof(path->smac));
	memcpy(path->dmac, av->dmac, sizeof(path->dmac));
	path->flow_label = le32_to_cpu(av->flow_label);
	path->sport = le16_to_cpu(av->udp_sport);
	path->vlan_tci = gid->vlan_tci;
	path->tclass = av->traffic_class;
	if (qp->tp->tx.ecn)
		path->tclass = (path->tclass & ~MODEL_ECN_MASK) |
			       MODEL_ECN_ECT0;
	path->hop_limit = av->hop_limit;
	path->has_vlan = gid->flags & XRDMA_GID_VLAN;
	path->is_ipv4 = gid->flags & XRDMA_GID_IPV4;
	if (!path->sport)
		path->sport = model_udp_sport(path->flow_label, qp->qpn,
					      le32_to_cpu(qp->attr.dest_qpn));
}

/*
 * Return: the network headers, made again if the GID, the address vector or the
 * ECN setting has changed; NULL if the source GID does not exist.
 */
static const struct model_net_template *headers(struct model_qp *qp)
{
	const struct model_gid *gid = model_gid_get(qp->dev,
						    qp->attr.av.sgid_index);
	bool ecn = qp->dev->cc.rp && model_cc_applies(qp);
	struct model_path path;

	if (!gid)
		return NULL;
	if (qp->tp->tx.valid && qp->tp->tx.ecn == ecn &&
	    !memcmp(gid, &qp->tp->tx.gid, sizeof(*gid)))
		return &qp->tp->tx.net;
	qp->tp->tx.ecn = ecn;
	path_of(qp, gid, &path);
	model_net_template(&qp->tp->tx.net, &path);
	qp->tp->tx.gid = *gid;
	qp->tp->tx.valid = true;
	return &qp->tp->tx.net;
}

/**
 * model_tx_begin() - allocate a frame and write the headers of a packet
 * @qp: the queue pair, with an address vector
 * @pkt: the packet, without its payload
 * @tx: filled in; the caller writes @pkt->len bytes to @tx->payload, then
 *	calls model_tx_end() or model_tx_cancel()
 *
 * If the source GID has been deleted, model_tx_end() drops the packet.
 *
 * Return: false if there is no buffer.
 */
bool model_tx_begin(struct model_qp *qp, const struct model_pkt *pkt,
		    struct model_tx *tx)
{
	const struct model_net_template *net = headers(qp);
	u32 roce_len = model_pkt_roce_len(pkt);

	tx->frame = model_wire_frame(qp->dev->wire);
	if (!tx->frame)
		return false;
	if (net) {
		tx->l3 = net->l3;
		tx->bth = model_net_write(net, tx->frame->data, roce_len);
	} else {
		tx->l3 = 0;
		tx->bth = MODEL_NET_MAX;
	}
	tx->frame->len = tx->bth + roce_len;
	tx->payload = model_pkt_write(pkt, tx->frame->data + tx->bth);
	return true;
}

/* Receive a sent multicast frame if the port is attached to its group. */
static void loop_back(struct model_device *dev, const struct model_frame *frame)
{
	struct model_frame *copy;

	if (!model_mcast_wanted(dev, frame->data))
		return;
	copy = model_wire_frame(dev->wire);
	if (!copy)
		return;
	copy->len = frame->len;
	memcpy(copy->data, frame->data, frame->len);
	model_frameq_push(&dev->wire->arrived, copy);
}

/**
 * model_tx_end() - write the ICRC of a packet and send it
 * @qp: the queue pair
 * @tx: the packet, from model_tx_begin(), with its payload
 */
void model_tx_end(struct model_qp *qp, struct model_tx *tx)
{
	if (!tx->l3) {
		qp->dev->wire->tx_no_gid++;
		model_tx_cancel(qp, tx);
		return;
	}
	model_icrc_write(tx->frame->data, tx->l3, tx->bth, tx->frame->len);
	model_qp_stat_add(qp, XRDMA_STAT_TX_PACKETS, 1);
	model_qp_stat_add(qp, XRDMA_STAT_TX_BYTES, tx->frame->len);
	if (qp->cc.rp.slowed)
		model_cc_account(qp, tx->frame->len);
	if (tx->frame->data[0] & 1)
		loop_back(qp->dev, tx->frame);
	model_wire_send(qp->dev->wire, tx->frame);
}

/**
 * model_tx_cancel() - free the frame of a packet without sending it
 * @qp: the queue pair
 * @tx: the packet, from model_tx_begin()
 */
void model_tx_cancel(struct model_qp *qp, struct model_tx *tx)
{
	model_frame_put(&qp->dev->wire->pool, tx->frame);
}
