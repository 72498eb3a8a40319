/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Golden cases of multicast, flow rules, RSS, changes of completion queues,
 * counters, congestion control, FLUSH and datagrams, and of shared receive
 * queues except CREATE_SRQ; all others are in golden_cases.h. This file uses
 * neither driver, nor device, nor test framework.
 */

#ifndef XRDMA_GOLDEN_NET_H
#define XRDMA_GOLDEN_NET_H

#include "golden_make.h"

static void golden_make_cmd_modify_srq(void *out)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_MODIFY_SRQ);

	cmd.modify_srq = (struct xrdma_cmd_modify_srq) {
		.root = cpu_to_le64(golden_root_value()),
		.srqn = cpu_to_le32(9),
		.mask = cpu_to_le32(XRDMA_SRQM_LIMIT | XRDMA_SRQM_RESIZE),
		.limit = cpu_to_le32(100),
		.log_depth = 10,
	};
	golden_put_cmd(out, cmd, 16);
}

static void golden_make_cmd_mcast(void *out)
{
	static const u8 group[16] = {
		[10] = 0xff, 0xff, 239, 1, 2, 3
	};

	golden_put_cmd(out, xrdma_make_mcast(XRDMA_CMD_ATTACH_MCAST, 0xabcde,
					     group), 17);
}

static void golden_make_cmd_create_flow(void *out)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_CREATE_FLOW);

	cmd.create_flow = (struct xrdma_cmd_create_flow) {
		.addr = cpu_to_le64(0x20080),
		.flow = cpu_to_le32(5),
		.qpn = cpu_to_le32(0xabcde),
		.priority = cpu_to_le16(3),
		.flags = cpu_to_le16(XRDMA_FLOW_COPY),
	};
	golden_put_cmd(out, cmd, 18);
}

static void golden_make_flow_rule(void *out)
{
	struct xrdma_flow_rule rule = {
		.value.ether_type = cpu_to_be16(0x0800),
		.value.dst_port = cpu_to_be16(4000),
		.value.ip_proto = 17,
		.mask.ether_type = cpu_to_be16(0xffff),
		.mask.dst_port = cpu_to_be16(0xffff),
		.mask.ip_proto = 0xff,
	};

	memcpy(rule.value.dmac, golden_mac, 6);
	memset(rule.mask.dmac, 0xff, 6);
	golden_put_gid(rule.value.dst_ip);
	memset(rule.mask.dst_ip, 0xff, 16);
	memcpy(out, &rule, sizeof(rule));
}

static void golden_make_cmd_create_rss(void *out)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_CREATE_RSS);
	u8 i;

	cmd.create_rss.addr = cpu_to_le64(0x20100);
	cmd.create_rss.qpn = cpu_to_le32(0xabc00);
	cmd.create_rss.fields = XRDMA_RSS_SRC_IPV4 | XRDMA_RSS_DST_IPV4;
	cmd.create_rss.log_size = 3;
	for (i = 0; i < XRDMA_RSS_KEY_BYTES; i++)
		cmd.create_rss.key[i] = i;
	golden_put_cmd(out, cmd, 19);
}

static void golden_make_cmd_modify_cq(void *out)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_MODIFY_CQ);

	cmd.modify_cq.cqn = cpu_to_le32(0x321);
	cmd.modify_cq.count = cpu_to_le16(16);
	cmd.modify_cq.period = cpu_to_le16(100);
	golden_put_cmd(out, cmd, 20);
}

static void golden_make_cmd_bind_counter(void *out)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_BIND_COUNTER);

	cmd.bind_counter.qpn = cpu_to_le32(0xabcde);
	cmd.bind_counter.counter = cpu_to_le32(7);
	golden_put_cmd(out, cmd, 21);
}

static void golden_make_cmd_modify_cc(void *out)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_MODIFY_CC);

	cmd.modify_cc = (struct xrdma_cc) {
		.flags = cpu_to_le32(XRDMA_CC_RP | XRDMA_CC_NP),
		.min_rate = cpu_to_le32(10),
		.ai_rate = cpu_to_le32(5),
		.hai_rate = cpu_to_le32(50),
		.time_reset = cpu_to_le32(300),
		.byte_reset = cpu_to_le32(32767),
		.threshold = cpu_to_le32(5),
		.alpha_timer = cpu_to_le32(55),
		.alpha_g = cpu_to_le16(4),
		.initial_alpha = cpu_to_le16(1024),
		.reduce_period = cpu_to_le32(4),
		.cnp_interval = cpu_to_le32(50),
	};
	golden_put_cmd(out, cmd, 22);
}

static void golden_make_rsp_resize_cq(void *out)
{
	struct xrdma_rsp rsp = golden_rsp(XRDMA_CMD_RESIZE_CQ, 23, 1);

	rsp.resize_cq.index = cpu_to_le32(0x10005);
	memcpy(out, &rsp, sizeof(rsp));
}

static void golden_make_rsp_query_srq(void *out)
{
	struct xrdma_rsp rsp = golden_rsp(XRDMA_CMD_QUERY_SRQ, 24, 1);

	rsp.query_srq.limit = cpu_to_le32(16);
	rsp.query_srq.ci = cpu_to_le32(5000);
	memcpy(out, &rsp, sizeof(rsp));
}

static void golden_make_wqe_flush(void *out)
{
	*(struct xrdma_sq_wqe *)out = (struct xrdma_sq_wqe) {
		.opcode = XRDMA_OP_FLUSH,
		.flags = XRDMA_WQE_SIGNALED,
		.length = cpu_to_le32(4096),
		.remote_addr = cpu_to_le64(0x7f0099990000ULL),
		.rkey = cpu_to_le32(0x4455667e),
		.ext = cpu_to_le32(XRDMA_FLUSH_GLOBAL |
				   XRDMA_FLUSH_PERSISTENT),
		.wr_id = cpu_to_le64(12),
	};
}

static void golden_make_wqe_send_ud(void *out)
{
	*(struct xrdma_sq_wqe *)out = (struct xrdma_sq_wqe) {
		.opcode = XRDMA_OP_SEND,
		.flags = XRDMA_WQE_SIGNALED | xrdma_wqe_length(2),
		.num_sge = cpu_to_le16(1),
		.dqpn = cpu_to_le32(0x123457),
		.qkey = cpu_to_le32(0x11111111),
		.wr_id = cpu_to_le64(13),
	};
}

static void golden_make_cqe_recv_ud(void *out)
{
	static const u8 smac[6] = { 2, 1, 2, 3, 4, 5 };
	struct xrdma_cqe cqe = {
		.wr_id = cpu_to_le64(14),
		.byte_len = cpu_to_le32(40 + 256),
		.qpn = cpu_to_le32(0xabcde),
		.src_qpn = cpu_to_le32(0x123457),
		.opcode = XRDMA_OP_RECV,
		.flags = cpu_to_le16(XRDMA_CQE_GRH | XRDMA_CQE_SRQ |
				     XRDMA_CQE_VLAN | XRDMA_CQE_IPV4),
		.timestamp = cpu_to_le64(6000000),
		.vlan_tci = cpu_to_le16(0x6064),
		.sl = 3,
		.own = cpu_to_le32(XRDMA_CQE_PHASE),
	};

	memcpy(cqe.smac, smac, sizeof(smac));
	memcpy(out, &cqe, sizeof(cqe));
}

static void golden_make_srq_rec(void *out)
{
	*(struct xrdma_srq_rec *)out = (struct xrdma_srq_rec) {
		.pi = cpu_to_le32(0x20003),
		.ci = cpu_to_le32(0x20001),
	};
}

#endif /* XRDMA_GOLDEN_NET_H */
