// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Sends a congestion notification packet (IBTA A17.9.3) to the sender of a
 * packet that is marked CE. Received notifications are handled in core/cc_qp.c.
 */
#include "core/device.h"
#include "packet/pkt.h"
#include "transport/cnp.h"
#include "transport/tx.h"

static bool send_cnp(struct model_qp *qp, u16 pkey)
{
	struct model_pkt pkt;
	struct model_tx tx;

	model_pkt_init(&pkt, MODEL_BTH_CNP_OPCODE,
		       le32_to_cpu(qp->attr.dest_qpn) & XRDMA_QPN_MASK, 0);
	pkt.pkey = pkey;
	pkt.migreq = false;
	pkt.becn = true;
	if (!model_tx_begin(qp, &pkt, &tx))
		return false;
	model_tx_end(qp, &tx);
	return true;
}

/**
 * model_cnp_marked() - notify the sender of a received packet that is marked CE
 * @qp: the connected queue pair that received the packet
 * @pkey: P_Key of the packet, which the notification has too
 *
 * Sends at most one notification in each model_cc_conf.cnp_interval_ns.
 */
void model_cnp_marked(struct model_qp *qp, u16 pkey)
{
	const struct model_cc_conf *conf = &qp->dev->cc;
	u64 now_ns = model_device_clock(qp->dev);

	model_qp_stat_add(qp, XRDMA_STAT_ECN_MARKED, 1);
	if (!conf->np)
		return;
	if (qp->cc.cnp_sent && now_ns - qp->cc.cnp_ns < conf->cnp_interval_ns)
		return;
	if (!send_cnp(qp, pkey))
		return;
	qp->cc.cnp_sent = true;
	qp->cc.cnp_ns = now_ns;
	model_qp_stat_add(qp, XRDMA_STAT_CNP_SENT, 1);
}
