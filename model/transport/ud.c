// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Datagram queue pairs, including the GSI (IBTA 9.8.3, 10.2.5, annex A17.4). A
 * send entry is one packet, and completes when the packet has been sent.
 *
 * model_qp.attr.av has the address vector of the last datagram, so that the
 * network headers are made again only if the next datagram has another one. The
 * loop over the send queue is in sends.c, multicast groups are in core/mcast.c.
 */
#include <errno.h>
#include <string.h>

#include "core/device.h"
#include "packet/pkt.h"
#include "transport/conn.h"
#include "transport/room.h"
#include "transport/sends.h"
#include "transport/tx.h"
#include "transport/ud.h"

#define GRH_BYTES	40
#define GSI_QKEY	0x80010000U
#define QKEY_IS_OWN	0x80000000U /* in an entry: use the QP's Q_Key */

/**
 * struct datagram - a send entry
 * @wqe: first 32 bytes of the entry
 * @av: address vector of the entry
 * @sgl: scatter-gather list; if the data are inline, @sgl.sge is their address
 * @len: bytes of data
 */
struct datagram {
	const struct xrdma_sq_wqe *wqe;
	const struct xrdma_av *av;
	struct model_sgl sgl;
	u64 len;
};

static u32 own_qkey(const struct model_qp *qp)
{
	return qp->type == XRDMA_QP_GSI ? GSI_QKEY : le32_to_cpu(qp->attr.qkey);
}

/* The source GID is not checked here: model_tx_end() drops the packet. */
static bool address_ok(const struct model_qp *qp, const struct datagram *d)
{
	return le32_to_cpu(d->wqe->dqpn) <= XRDMA_QPN_MASK &&
	       model_av_ok(qp->dev, d->av);
}

/* Return: enum xrdma_wc_status. */
static u8 check_data(const struct model_qp *qp, struct datagram *d)
{
	u32 room = model_sq_bytes(qp, d->wqe) - sizeof(*d->wqe) -
		   sizeof(*d->av);

	if (d->wqe->flags & XRDMA_WQE_INLINE) {
		d->len = d->sgl.num;
		if (d->len > room || d->len > MODEL_MAX_INLINE)
			return XRDMA_WC_LOC_LEN_ERR;
	} else {
		if (d->sgl.num > MODEL_MAX_SGE ||
		    d->sgl.num * sizeof(*d->sgl.sge) > room)
			return XRDMA_WC_LOC_QP_OP_ERR;
		d->len = model_sgl_length(&d->sgl);
	}
	return d->len > model_port_path_mtu(qp->dev) ? XRDMA_WC_LOC_LEN_ERR :
						       XRDMA_WC_SUCCESS;
}

/* Fill in @d from the entry @wqe and check it. Return: enum xrdma_wc_status. */
static u8 parse(struct model_qp *qp, const struct xrdma_sq_wqe *wqe,
		struct datagram *d)
{
	d->wqe = wqe;
	d->av = (const struct xrdma_av *)(wqe + 1);
	d->sgl.sge = (const struct xrdma_sge *)(d->av + 1);
	d->sgl.waiter = &qp->waiters[MODEL_WAIT_REQUESTER];
	d->sgl.num = le16_to_cpu(wqe->num_sge);
	d->sgl.opcode = wqe->opcode;
	if ((wqe->opcode != XRDMA_OP_SEND &&
	     wqe->opcode != XRDMA_OP_SEND_IMM) ||
	    !address_ok(qp, d))
		return XRDMA_WC_LOC_QP_OP_ERR;
	return check_data(qp, d);
}

/* Set the destination of the following packets. */
static void set_path(struct model_qp *qp, const struct datagram *d)
{
	if (qp->attr.dest_qpn == d->wqe->dqpn &&
	    !memcmp(&qp->attr.av, d->av, sizeof(*d->av)))
		return;
	qp->attr.dest_qpn = d->wqe->dqpn;
	qp->attr.av = *d->av;
	qp->tp->tx.valid = false;
}

static void make_pkt(struct model_qp *qp, const struct datagram *d,
		     struct model_pkt *pkt)
{
	bool imm = d->wqe->opcode == XRDMA_OP_SEND_IMM;
	u32 qkey = le32_to_cpu(d->wqe->qkey);

	model_pkt_init(pkt, MODEL_BTH_UD | (imm ? MODEL_BTH_SEND_ONLY_IMM :
					    MODEL_BTH_SEND_ONLY),
		       le32_to_cpu(d->wqe->dqpn), qp->tp->req.psn);
	pkt->solicited = d->wqe->flags & XRDMA_WQE_SOLICITED;
	pkt->imm = d->wqe->imm;
	pkt->qkey = qkey & QKEY_IS_OWN ? own_qkey(qp) : qkey;
	pkt->sqpn = qp->qpn;
	pkt->len = d->len;
}

/* Needs room on the wire. Return: 0, enum xrdma_fault_reason or MODEL_MISS. */
static int send_datagram(struct model_qp *qp, const struct datagram *d)
{
	struct model_pkt pkt;
	struct model_tx tx;
	int reason = 0;

	set_path(qp, d);
	make_pkt(qp, d, &pkt);
	model_tx_begin(qp, &pkt, &tx);
	if (d->wqe->flags & XRDMA_WQE_INLINE)
		memcpy(tx.payload, d->sgl.sge, d->len);
	else
		reason = model_sgl_gather(qp, &d->sgl, 0, tx.payload, d->len);
	if (reason) {
		model_tx_cancel(qp, &tx);
		return reason;
	}
	qp->tp->req.psn = model_psn_add(qp->tp->req.psn, 1);
	model_tx_end(qp, &tx);
	return 0;
}

/* Return: false if the queue pair must not send the next entry. */
static bool send_one(struct model_qp *qp, const struct xrdma_sq_wqe *wqe)
{
	const struct xrdma_av *av = (const void *)(wqe + 1);
	struct datagram d;
	int reason = 0;
	u8 status;

	if (!model_room_ask_send(qp, av->dmac)) {
		model_conn_rewind(qp);
		return false;
	}
	status = model_qp_check_send(qp, wqe);
	if (!status)
		status = parse(qp, wqe, &d);
	if (!status) {
		reason = send_datagram(qp, &d);
		if (reason == MODEL_MISS) {
			model_conn_rewind(qp);
			return false;
		}
		status = reason ? XRDMA_WC_LOC_PROT_ERR : XRDMA_WC_SUCCESS;
	}
	if (status)
		model_qp_fail_send(qp, wqe, status, reason);
	else
		model_qp_complete_send(qp, wqe, 0);
	return qp->state == XRDMA_QPS_RTS;
}

static bool ud_run(struct model_qp *qp)
{
	return model_sends_run(qp, send_one);
}

static void ud_modify(struct model_qp *qp, u32 mask, u8 old)
{
	if (mask & XRDMA_QPM_SQ_PSN)
		qp->tp->req.psn = le32_to_cpu(qp->attr.sq_psn);
	if (old == XRDMA_QPS_SQE && qp->state == XRDMA_QPS_RTS)
		model_conn_rewind(qp);
}

static void ud_query(const struct model_qp *qp, struct xrdma_qp_attr *attr)
{
	attr->sq_psn = cpu_to_le32(qp->tp->req.psn);
	attr->dest_qpn = 0;
	memset(&attr->av, 0, sizeof(attr->av));
}

const struct model_qp_ops model_ud_ops = {
	.init = model_sends_init,
	.modify = ud_modify,
	.stop = model_sends_stop,
	.destroy = model_sends_destroy,
	.run = ud_run,
	.resume = model_sends_resume,
	.idle = model_sends_idle,
	.query = ud_query,
};

static bool can_receive(const struct model_qp *qp)
{
	return qp->state == XRDMA_QPS_RTR || qp->state == XRDMA_QPS_RTS ||
	       qp->state == XRDMA_QPS_SQD || qp->state == XRDMA_QPS_SQE;
}

/* Write the 40 bytes before the data, which end with the IP header. */
static void make_grh(const struct model_net *net, u8 *grh)
{
	u32 len = net->l4 - net->l3;

	memset(grh, 0, GRH_BYTES - len);
	memcpy(grh + GRH_BYTES - len, net->frame + net->l3, len);
}

/* Return: 0, enum xrdma_fault_reason or MODEL_MISS. */
static int scatter(struct model_qp *qp, const struct model_sgl *sgl,
		   const struct model_net *net, const struct model_pkt *pkt)
{
	u8 grh[GRH_BYTES];
	int reason;

	make_grh(net, grh);
	reason = model_sgl_scatter(qp, sgl, 0, grh, sizeof(grh));
	if (reason)
		return reason;
	return model_sgl_scatter(qp, sgl, sizeof(grh), pkt->payload, pkt->len);
}

static void describe(const struct model_net *net, const struct model_pkt *pkt,
		     struct model_recv_done *done)
{
	done->opcode = XRDMA_OP_RECV;
	done->flags = XRDMA_CQE_GRH;
	done->byte_len = GRH_BYTES + pkt->len;
	done->src_qpn = pkt->sqpn;
	memcpy(done->smac, net->frame + 6, sizeof(done->smac));
	if (net->is_ipv4)
		done->flags |= XRDMA_CQE_IPV4;
	if (pkt->solicited)
		done->flags |= XRDMA_CQE_SOLICITED;
	if (pkt->op.hdrs & MODEL_HDR_IMM) {
		done->flags |= XRDMA_CQE_IMM;
		done->imm = pkt->imm;
	}
	if (net->has_vlan) {
		done->flags |= XRDMA_CQE_VLAN;
		done->vlan_tci = net->vlan_tci;
		done->sl = net->vlan_tci >> 13;
	}
}

/*
 * Write a datagram to the memory of the receive entry @wqe and complete it.
 * Return: false if the memory misses, and the entry remains the next one.
 */
static bool deliver(struct model_qp *qp, const struct xrdma_rq_wqe *wqe,
		    const struct model_net *net, const struct model_pkt *pkt)
{
	const struct model_sgl sgl = {
		.sge = (const struct xrdma_sge *)(wqe + 1),
		.num = le16_to_cpu(wqe->num_sge),
		.opcode = XRDMA_OP_RECV,
	};
	struct model_recv_done done = { .wr_id = wqe->wr_id };
	int reason;

	describe(net, pkt, &done);
	if (model_sgl_length(&sgl) < done.byte_len) {
		done.status = XRDMA_WC_LOC_LEN_ERR;
	} else {
		reason = scatter(qp, &sgl, net, pkt);
		if (reason == MODEL_MISS)
			return false;
		done.vendor_err = reason;
		if (reason)
			done.status = XRDMA_WC_LOC_PROT_ERR;
	}
	model_qp_complete_recv(qp, &done);
	if (done.status == XRDMA_WC_LOC_PROT_ERR)
		model_qp_error(qp, 0);
	return true;
}

static enum model_rx receive(struct model_qp *qp, const struct model_net *net,
			     const struct model_pkt *pkt)
{
	u8 *wqe = qp->tp->recv;

	if (!can_receive(qp))
		return MODEL_RX_STATE;
	if (pkt->qkey != own_qkey(qp))
		return MODEL_RX_QKEY;
	model_set_stat_add(qp, XRDMA_STAT_RX_PACKETS, 1);
	model_set_stat_add(qp, XRDMA_STAT_RX_BYTES, net->end);
	if (model_qp_read_rq(qp, wqe))
		return MODEL_RX_OVERRUN;
	return deliver(qp, (void *)wqe, net, pkt) ? MODEL_RX_OK :
						    MODEL_RX_PAGE_FAULT;
}

/**
 * model_ud_receive() - receive a datagram that is addressed to one queue pair
 * @qp: the datagram queue pair
 * @net: the headers around the packet
 * @pkt: the packet
 *
 * Return: MODEL_RX_OK, or why it was dropped.
 */
enum model_rx model_ud_receive(struct model_qp *qp,
			       const struct model_net *net,
			       const struct model_pkt *pkt)
{
	if (!model_gid_is_local(qp->dev, net->dgid))
		return MODEL_RX_DESTINATION;
	if (!model_gid_in_vlan(qp->dev, net->dgid, model_net_vid(net)))
		return MODEL_RX_VLAN;
	return receive(qp, net, pkt);
}

/**
 * model_ud_multicast() - receive a datagram that is addressed to a group
 * @dev: the device
 * @net: the headers around the packet
 * @pkt: the packet, to QPN 0xffffff
 *
 * Return: MODEL_RX_OK if a queue pair received it, or why it was dropped.
 */
enum model_rx model_ud_multicast(struct model_device *dev,
				 const struct model_net *net,
				 const struct model_pkt *pkt)
{
	const struct model_mcast_group *group = model_mcast_find(dev,
								 net->dgid);
	bool own = model_gid_is_local(dev, net->sgid);
	const struct model_mcast_member *member;
	enum model_rx rx = MODEL_RX_QPN;
	enum model_rx last;

	if (!group)
		return MODEL_RX_DESTINATION;
	if (!model_vlan_is_local(dev, model_net_vid(net)))
		return MODEL_RX_VLAN;
	TAILQ_FOREACH(member, &group->members, link) {
		/* the sender does not receive its own datagram */
		if (own && member->qp->qpn == pkt->sqpn)
			continue;
		last = receive(member->qp, net, pkt);
		if (rx != MODEL_RX_OK)
			rx = last;
	}
	return rx;
}
