// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Datagram queue pairs: see wire_ud.h.
 */
#include <string.h>

#include "tests/lib/wire_ud.h"

const u8 wire_group_4[16] = { [10] = 0xff, 0xff, 239, 129, 2, 3 };
const u8 wire_group_6[16] = { 0xff, 0x0e, [12] = 1, 2, 3, 4 };

void wire_modify_ud(struct wire_qp *qp, u8 state, u32 mask, u32 value)
{
	struct xrdma_cmd_modify_qp p = {
		.qpn = cpu_to_le32(qp->qpn),
		.mask = cpu_to_le32(XRDMA_QPM_STATE | mask),
		.attr = { .state = state },
	};

	if (mask & XRDMA_QPM_QKEY)
		p.attr.qkey = cpu_to_le32(value);
	if (mask & XRDMA_QPM_SQ_PSN)
		p.attr.sq_psn = cpu_to_le32(value);
	assert_int_equal(model_qp_modify(qp->host->dev, &p), XRDMA_CMD_OK);
}

void wire_create_ud(struct wire_env *env, int host, u8 type, u32 srqn,
		    struct wire_qp *qp)
{
	wire_create_qp_on(env, host, type, srqn ? XRDMA_QP_SRQ : 0, 4, srqn,
			  qp);
	wire_modify_ud(qp, XRDMA_QPS_INIT,
		       XRDMA_QPM_PKEY_INDEX | XRDMA_QPM_QKEY, WIRE_QKEY);
	wire_modify_ud(qp, XRDMA_QPS_RTR, 0, 0);
	wire_modify_ud(qp, XRDMA_QPS_RTS, XRDMA_QPM_SQ_PSN, 0xffffff);
}

struct xrdma_av wire_av(const struct wire_host *to, u8 gid_index)
{
	const struct model_gid *gid = model_gid_get(to->dev, gid_index);
	struct xrdma_av av = {
		.sgid_index = gid_index,
		.hop_limit = 64,
		.traffic_class = 0x20,
	};

	memcpy(av.dgid, gid->gid, sizeof(av.dgid));
	memcpy(av.dmac, gid->mac, sizeof(av.dmac));
	return av;
}

struct xrdma_av wire_group_av(const u8 *gid, u8 gid_index)
{
	static const u8 mac_4[6] = { 0x01, 0x00, 0x5e, 0x01, 0x02, 0x03 };
	static const u8 mac_6[6] = { 0x33, 0x33, 0x01, 0x02, 0x03, 0x04 };
	struct xrdma_av av = { .sgid_index = gid_index, .hop_limit = 1 };

	memcpy(av.dgid, gid, sizeof(av.dgid));
	memcpy(av.dmac, gid[0] == 0xff ? mac_6 : mac_4, sizeof(av.dmac));
	return av;
}

void wire_post_ud(struct wire_qp *qp, const struct wire_dgram *d)
{
	u8 *wqe = wire_sq_entry(qp);
	u32 bytes = sizeof(struct xrdma_sq_wqe) + sizeof(d->av);
	const struct xrdma_sq_wqe hdr = {
		.opcode = d->opcode,
		.flags = d->flags,
		.num_sge = cpu_to_le16(d->num_sge),
		.imm = cpu_to_be32(d->imm),
		.dqpn = cpu_to_le32(d->dqpn),
		.qkey = cpu_to_le32(d->qkey),
		.wr_id = cpu_to_le64(d->wr_id),
	};
	u32 len = d->inline_data ? d->num_sge : d->num_sge * sizeof(*d->sges);

	memcpy(wqe + sizeof(hdr), &d->av, sizeof(d->av));
	if (d->inline_data)
		memcpy(wqe + bytes, d->inline_data, len);
	else if (len)
		memcpy(wqe + bytes, d->sges, len);
	wire_sq_post(qp, hdr, bytes + len);
}

u8 wire_mcast(struct wire_qp *qp, const u8 *gid, bool attach)
{
	struct xrdma_cmd_mcast p = { .qpn = cpu_to_le32(qp->qpn) };

	memcpy(p.gid, gid, sizeof(p.gid));
	return attach ? model_mcast_attach(qp->host->dev, &p) :
			model_mcast_detach(qp->host->dev, &p);
}
