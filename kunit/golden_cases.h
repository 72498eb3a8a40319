/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Golden cases: each example of the device specification, built with the
 * headers of the contract and xrdma_encode.h. KUnit, and the tests of a device
 * in software, compare the results with the bytes in the specification
 * (golden.h). This file uses neither driver, nor device, nor test framework.
 */

#ifndef XRDMA_GOLDEN_CASES_H
#define XRDMA_GOLDEN_CASES_H

#include "xrdma_encode.h"
#include "xrdma_xlat.h"
#include "golden.h"
#include "golden_make.h"
#include "golden_eth.h"
#include "golden_net.h"
#include "golden_odp.h"

#define XRDMA_GOLDEN_MAX	128

static void golden_make_root(void *out)
{
	*(__le64 *)out = cpu_to_le64(golden_root_value());
}

static void golden_make_mtt_block(void *out)
{
	*(__le64 *)out = cpu_to_le64(xrdma_make_mtt_block(0x40200000));
}

static void golden_make_mtt_table(void *out)
{
	*(__le64 *)out = cpu_to_le64(xrdma_make_mtt_table(0x7ffe1000));
}

static void golden_make_mpt_entry(void *out)
{
	u32 key = xrdma_make_key(1, 0x5a);
	u64 ctrl = xrdma_make_mpt_ctrl(XRDMA_MPT_VALID, XRDMA_MPT_MR, key,
				       0x123456,
				       XRDMA_ACCESS_LOCAL_WRITE |
				       XRDMA_ACCESS_REMOTE_WRITE |
				       XRDMA_ACCESS_REMOTE_READ |
				       XRDMA_ACCESS_REMOTE_ATOMIC);

	*(struct xrdma_mpt_entry *)out = (struct xrdma_mpt_entry) {
		.ctrl = cpu_to_le64(ctrl),
		.iova = cpu_to_le64(0x7f0012345678ULL),
		.length = cpu_to_le64(1ULL << 30),
		.root = cpu_to_le64(golden_root_value()),
		.offset = cpu_to_le32(0x145678),
		.bound = cpu_to_le32(2),
	};
}

static void golden_make_mpt_window(void *out)
{
	u32 key = xrdma_make_key(1, 0xa5);
	u64 ctrl = xrdma_make_mpt_ctrl(XRDMA_MPT_VALID, XRDMA_MPT_MW_2, key,
				       0x321,
				       XRDMA_ACCESS_REMOTE_WRITE |
				       XRDMA_ACCESS_REMOTE_READ);

	*(struct xrdma_mpt_entry *)out = (struct xrdma_mpt_entry) {
		.ctrl = cpu_to_le64(ctrl),
		.iova = cpu_to_le64(0x10000),
		.length = cpu_to_le64(4096),
		.qpn = cpu_to_le32(0xabcde),
		.parent = cpu_to_le32(0x112233),
		.window_base = cpu_to_le64(0x2000),
	};
}

static void golden_make_mpt_device_memory(void *out)
{
	u32 key = xrdma_make_key(1, 0x11);
	u64 ctrl = xrdma_make_mpt_ctrl(XRDMA_MPT_VALID, XRDMA_MPT_MR, key,
				       0x321,
				       XRDMA_ACCESS_LOCAL_WRITE |
				       XRDMA_ACCESS_REMOTE_READ |
				       XRDMA_ACCESS_ZERO_BASED);

	*(struct xrdma_mpt_entry *)out = (struct xrdma_mpt_entry) {
		.ctrl = cpu_to_le64(ctrl | XRDMA_MPT_DEVICE),
		.length = cpu_to_le64(8192),
		.offset = cpu_to_le32(0x3000),
	};
}

static void golden_make_mpt_free_window(void *out)
{
	u32 key = xrdma_make_key(1, 0xa5);
	u64 ctrl = xrdma_make_mpt_ctrl(XRDMA_MPT_FREE, XRDMA_MPT_MW_2, key,
				       0x321, 0);

	*(struct xrdma_mpt_entry *)out = (struct xrdma_mpt_entry) {
		.ctrl = cpu_to_le64(ctrl),
	};
}

static void golden_make_cmd_set_gid(void *out)
{
	struct xrdma_cmd cmd = golden_cmd(XRDMA_CMD_SET_GID, 2);

	cmd.set_gid.index = cpu_to_le32(5);
	cmd.set_gid.flags = cpu_to_le32(XRDMA_GID_VALID | XRDMA_GID_VLAN |
					XRDMA_GID_IPV4);
	golden_put_gid(cmd.set_gid.gid);
	memcpy(cmd.set_gid.mac, golden_mac, 6);
	cmd.set_gid.vlan_tci = cpu_to_le16(0x2064);
	memcpy(out, &cmd, sizeof(cmd));
}

static void golden_make_cmd_query_stats(void *out)
{
	golden_put_cmd(out, xrdma_make_query_stats(0x1f000, 16), 3);
}

static void golden_make_cmd_create_eq(void *out)
{
	u64 root = xrdma_make_root(0x2000000, 0, 17);

	golden_put_cmd(out, xrdma_make_create_eq(1, 1, 10, root), 4);
}

static void golden_make_cmd_create_cq(void *out)
{
	golden_put_cmd(out, xrdma_make_create_cq(0x321, 2, 7, 8,
						 golden_root_value()), 5);
}

static void golden_make_cmd_create_qp(void *out)
{
	struct xrdma_cmd cmd = golden_cmd(XRDMA_CMD_CREATE_QP, 6);

	cmd.create_qp = (struct xrdma_cmd_create_qp) {
		.root = cpu_to_le64(golden_root_value()),
		.qpn = cpu_to_le32(0xabcde),
		.pd = cpu_to_le32(0x123),
		.send_cqn = cpu_to_le32(0x321),
		.recv_cqn = cpu_to_le32(0x322),
		.db_page = cpu_to_le32(7),
		.type = XRDMA_QP_RC,
		.flags = XRDMA_QP_SQ_SIG_ALL | XRDMA_QP_KERNEL,
		.log_sq_depth = 7,
		.sq_units = 5,
		.log_rq_depth = 6,
		.log_rq_stride = 6,
	};
	memcpy(out, &cmd, sizeof(cmd));
}

static void golden_make_av(void *out)
{
	static const u8 dmac[6] = { 2, 1, 2, 3, 4, 5 };
	struct xrdma_av av = {
		.udp_sport = cpu_to_le16(0xc123),
		.flow_label = cpu_to_le32(0x54321),
		.sgid_index = 1,
		.hop_limit = 64,
		.traffic_class = 0x20,
		.sl = 3,
	};

	golden_put_gid(av.dgid);
	memcpy(av.dmac, dmac, sizeof(dmac));
	memcpy(out, &av, sizeof(av));
}

static struct xrdma_qp_attr golden_qp_attr(void)
{
	struct xrdma_qp_attr attr = {
		.state = XRDMA_QPS_RTR,
		.path_mtu = 3,
		.retry_cnt = 7,
		.rnr_retry = 6,
		.timeout = 14,
		.min_rnr_timer = 12,
		.max_rd_atomic = 16,
		.max_dest_rd_atomic = 8,
		.qkey = cpu_to_le32(0x11223344),
		.rq_psn = cpu_to_le32(0xfedcba),
		.sq_psn = cpu_to_le32(0x123456),
		.dest_qpn = cpu_to_le32(0xabcdf),
		.access = cpu_to_le16(XRDMA_ACCESS_REMOTE_WRITE |
				      XRDMA_ACCESS_REMOTE_READ |
				      XRDMA_ACCESS_REMOTE_ATOMIC),
		.flags = XRDMA_QPA_SQD_NOTIFY,
	};

	golden_make_av(&attr.av);
	return attr;
}

static void golden_make_cmd_modify_qp(void *out)
{
	struct xrdma_cmd cmd = golden_cmd(XRDMA_CMD_MODIFY_QP, 7);

	cmd.modify_qp.qpn = cpu_to_le32(0xabcde);
	cmd.modify_qp.mask = cpu_to_le32(XRDMA_QPM_STATE |
		XRDMA_QPM_PATH_MTU | XRDMA_QPM_RETRY_CNT |
		XRDMA_QPM_RNR_RETRY | XRDMA_QPM_TIMEOUT |
		XRDMA_QPM_MIN_RNR_TIMER | XRDMA_QPM_MAX_RD_ATOMIC |
		XRDMA_QPM_MAX_DEST_RD_ATOMIC | XRDMA_QPM_QKEY |
		XRDMA_QPM_RQ_PSN | XRDMA_QPM_SQ_PSN | XRDMA_QPM_DEST_QPN |
		XRDMA_QPM_ACCESS | XRDMA_QPM_PKEY_INDEX |
		XRDMA_QPM_SQD_NOTIFY | XRDMA_QPM_AV);
	cmd.modify_qp.attr = golden_qp_attr();
	memcpy(out, &cmd, sizeof(cmd));
}

static void golden_make_cmd_create_srq(void *out)
{
	struct xrdma_cmd cmd = golden_cmd(XRDMA_CMD_CREATE_SRQ, 8);

	cmd.create_srq = (struct xrdma_cmd_create_srq) {
		.root = cpu_to_le64(golden_root_value()),
		.srqn = cpu_to_le32(9),
		.pd = cpu_to_le32(0x123),
		.xrcd = cpu_to_le32(4),
		.cqn = cpu_to_le32(0x321),
		.limit = cpu_to_le32(16),
		.log_depth = 9,
		.log_stride = 6,
	};
	memcpy(out, &cmd, sizeof(cmd));
}

static void golden_make_cmd_invalidate(void *out)
{
	golden_put_cmd(out, xrdma_make_invalidate(0x5432000, 1000), 9);
}

static void golden_make_cmd_destroy_qp(void *out)
{
	golden_put_cmd(out, xrdma_make_object_cmd(XRDMA_CMD_DESTROY_QP,
						  0xabcde), 11);
}

static void golden_make_inval_word(void *out)
{
	u32 word = FIELD_PREP(XRDMA_INVAL_INDEX, 0x112233) |
		   FIELD_PREP(XRDMA_INVAL_STATUS, XRDMA_INVAL_BOUND);

	*(__le32 *)out = cpu_to_le32(word);
}

static void golden_make_rsp_query_device(void *out)
{
	static const u8 guid[8] = {
		0x02, 0xaa, 0xbb, 0xff, 0xfe, 0xcc, 0xdd, 0xee
	};
	struct xrdma_rsp rsp = golden_rsp(XRDMA_CMD_QUERY_DEVICE, 12, 1);

	rsp.query_device = (struct xrdma_rsp_query_device) {
		.fw_version = cpu_to_le64(1ULL << 32 | 2 << 16 | 3),
		.max_mr_size = cpu_to_le64(1ULL << 48),
		.max_qp = cpu_to_le32(65536),
		.max_cq = cpu_to_le32(32768),
		.max_srq = cpu_to_le32(1024),
		.max_eq = cpu_to_le32(64),
		.max_pd = cpu_to_le32(1 << 20),
		.max_gid = cpu_to_le32(64),
		.max_mcast = cpu_to_le32(128),
		.log_max_qp_wr = 15,
		.log_max_cqe = 22,
		.max_sge = 30,
		.max_rd_atomic = 16,
		.log_max_keys = 24,
		.max_mtu = cpu_to_le16(9000),
		.max_inline = cpu_to_le16(512),
		.device_memory = cpu_to_le64(1 << 20),
		.max_counters = cpu_to_le32(256),
		.max_flows = cpu_to_le32(1024),
		.log_max_rss = 7,
		.log_page_faults = 8,
	};
	memcpy(rsp.query_device.node_guid, guid, sizeof(guid));
	memcpy(out, &rsp, sizeof(rsp));
}

static void golden_make_rsp_query_port(void *out)
{
	struct xrdma_rsp rsp = golden_rsp(XRDMA_CMD_QUERY_PORT, 13, 0);

	rsp.query_port.flags = cpu_to_le32(XRDMA_PORT_UP);
	rsp.query_port.speed = cpu_to_le32(100000);
	memcpy(rsp.query_port.mac, golden_mac, 6);
	memcpy(out, &rsp, sizeof(rsp));
}

static void golden_make_rsp_query_qp(void *out)
{
	struct xrdma_rsp rsp = golden_rsp(XRDMA_CMD_QUERY_QP, 14, 1);

	rsp.query_qp.attr = golden_qp_attr();
	rsp.query_qp.sq_ci = cpu_to_le32(1000);
	rsp.query_qp.rq_ci = cpu_to_le32(2000);
	memcpy(out, &rsp, sizeof(rsp));
}

static void golden_make_rsp_error(void *out)
{
	struct xrdma_rsp rsp = golden_rsp(XRDMA_CMD_DESTROY_CQ, 15, 1);

	rsp.status = XRDMA_CMD_BUSY;
	memcpy(out, &rsp, sizeof(rsp));
}

static void golden_make_eqe_comp(void *out)
{
	*(struct xrdma_eqe *)out = (struct xrdma_eqe) {
		.event = XRDMA_EVENT_CQ_COMP,
		.number = cpu_to_le32(0x321),
		.timestamp = cpu_to_le64(1000000),
		.own = cpu_to_le32(1),
	};
}

static void golden_make_eqe_fault(void *out)
{
	*(struct xrdma_eqe *)out = (struct xrdma_eqe) {
		.event = XRDMA_EVENT_FAULT,
		.reason = XRDMA_FAULT_RANGE,
		.opcode = XRDMA_OP_WRITE,
		.flags = XRDMA_FAULT_REMOTE | XRDMA_FAULT_WRITE,
		.number = cpu_to_le32(0xabcde),
		.key = cpu_to_le32(xrdma_make_key(0x112233, 0x5a)),
		.pd = cpu_to_le32(0x123),
		.addr = cpu_to_le64(0x7f0052345000ULL),
		.length = cpu_to_le64(4096),
		.timestamp = cpu_to_le64(2000000),
		.lost = cpu_to_le32(3),
		.own = cpu_to_le32(1),
	};
}

static void golden_make_sge(void *out)
{
	*(struct xrdma_sge *)out = (struct xrdma_sge) {
		.addr = cpu_to_le64(0x7f0012345678ULL),
		.length = cpu_to_le32(65536),
		.lkey = cpu_to_le32(0x1122335a),
	};
}

static void golden_make_sge_null(void *out)
{
	*(struct xrdma_sge *)out = (struct xrdma_sge) {
		.addr = cpu_to_le64(0x1000),
		.length = cpu_to_le32(4096),
		.lkey = cpu_to_le32(XRDMA_KEY_NULL),
	};
}

static void golden_make_wqe_write_imm(void *out)
{
	*(struct xrdma_sq_wqe *)out = (struct xrdma_sq_wqe) {
		.opcode = XRDMA_OP_WRITE_IMM,
		.flags = XRDMA_WQE_SIGNALED | XRDMA_WQE_SOLICITED,
		.num_sge = cpu_to_le16(2),
		.imm = cpu_to_be32(0xdeadbeef),
		.remote_addr = cpu_to_le64(0x7f0099990000ULL),
		.rkey = cpu_to_le32(0x4455667e),
		.wr_id = cpu_to_le64(0x0123456789abcdefULL),
	};
}

static void golden_make_wqe_bind_mw(void *out)
{
	*(struct xrdma_sq_wqe *)out = (struct xrdma_sq_wqe) {
		.opcode = XRDMA_OP_BIND_MW,
		.flags = XRDMA_WQE_SIGNALED,
		.inv_key = cpu_to_le32(0x445566a5),
		.wr_id = cpu_to_le64(9),
	};
}

static void golden_make_wqe_local_inv(void *out)
{
	*(struct xrdma_sq_wqe *)out = (struct xrdma_sq_wqe) {
		.opcode = XRDMA_OP_LOCAL_INV,
		.flags = XRDMA_WQE_FENCE,
		.inv_key = cpu_to_le32(0x44556601),
		.wr_id = cpu_to_le64(10),
	};
}

static void golden_make_atomic_seg(void *out)
{
	*(struct xrdma_atomic_seg *)out = (struct xrdma_atomic_seg) {
		.swap_add = cpu_to_le64(0x1111111122222222ULL),
		.compare = cpu_to_le64(0x3333333344444444ULL),
	};
}

static void golden_make_bind_seg(void *out)
{
	*(struct xrdma_bind_seg *)out = (struct xrdma_bind_seg) {
		.addr = cpu_to_le64(0x7f0012346000ULL),
		.length = cpu_to_le64(4096),
		.mr_key = cpu_to_le32(0x1122335a),
		.new_key = cpu_to_le32(0x44556601),
		.access = cpu_to_le32(XRDMA_ACCESS_REMOTE_WRITE |
				      XRDMA_ACCESS_REMOTE_READ),
	};
}

static void golden_make_reg_seg(void *out)
{
	*(struct xrdma_reg_seg *)out = (struct xrdma_reg_seg) {
		.iova = cpu_to_le64(0x100000),
		.length = cpu_to_le64(2 << 20),
		.root = cpu_to_le64(golden_root_value()),
		.offset = cpu_to_le32(0x800),
		.access = cpu_to_le32(XRDMA_ACCESS_LOCAL_WRITE |
				      XRDMA_ACCESS_REMOTE_READ),
	};
}

static void golden_make_rq_wqe(void *out)
{
	*(struct xrdma_rq_wqe *)out = (struct xrdma_rq_wqe) {
		.num_sge = cpu_to_le16(3),
		.wr_id = cpu_to_le64(0xfedcba9876543210ULL),
	};
}

static void golden_make_cqe_recv(void *out)
{
	*(struct xrdma_cqe *)out = (struct xrdma_cqe) {
		.wr_id = cpu_to_le64(0xfedcba9876543210ULL),
		.byte_len = cpu_to_le32(1000),
		.imm = cpu_to_be32(0xdeadbeef),
		.qpn = cpu_to_le32(0xabcde),
		.opcode = XRDMA_OP_RECV,
		.flags = cpu_to_le16(XRDMA_CQE_IMM | XRDMA_CQE_SOLICITED),
		.timestamp = cpu_to_le64(3000000),
		.own = cpu_to_le32(XRDMA_CQE_PHASE),
	};
}

static void golden_make_cqe_recv_inv(void *out)
{
	*(struct xrdma_cqe *)out = (struct xrdma_cqe) {
		.wr_id = cpu_to_le64(11),
		.byte_len = cpu_to_le32(16),
		.inv_key = cpu_to_le32(0x44556601),
		.qpn = cpu_to_le32(0xabcde),
		.opcode = XRDMA_OP_RECV,
		.flags = cpu_to_le16(XRDMA_CQE_INV),
		.timestamp = cpu_to_le64(5000000),
		.own = cpu_to_le32(XRDMA_CQE_PHASE),
	};
}

static void golden_make_cqe_error(void *out)
{
	*(struct xrdma_cqe *)out = (struct xrdma_cqe) {
		.wr_id = cpu_to_le64(7),
		.qpn = cpu_to_le32(0xabcde),
		.opcode = XRDMA_OP_WRITE,
		.status = XRDMA_WC_REM_ACCESS_ERR,
		.flags = cpu_to_le16(XRDMA_CQE_SEND),
		.wqe_index = cpu_to_le16(0x1234),
		.timestamp = cpu_to_le64(4000000),
	};
}

static void golden_make_qp_rec(void *out)
{
	*(struct xrdma_qp_rec *)out = (struct xrdma_qp_rec) {
		.sq_pi = cpu_to_le32(0x10002),
		.rq_pi = cpu_to_le32(0x20003),
		.sq_event = cpu_to_le32(0x10001),
	};
}

static void golden_make_cq_rec(void *out)
{
	*(struct xrdma_cq_rec *)out = (struct xrdma_cq_rec) {
		.ci = cpu_to_le32(0x30004),
		.arm = cpu_to_le32(5 << XRDMA_ARM_SN_SHIFT |
				   XRDMA_ARM_SOLICITED),
	};
}

static void golden_make_db_sq(void *out)
{
	*(__le64 *)out = cpu_to_le64(xrdma_make_sq_db(0xabcde, 0x10002));
}

static void golden_make_db_push(void *out)
{
	*(__le64 *)out = cpu_to_le64(xrdma_make_push_db(0xabcde, 0x10002, 0x280,
							7));
}

static void golden_make_db_cq(void *out)
{
	*(__le64 *)out = cpu_to_le64(xrdma_make_arm_db(0x321,
						       XRDMA_ARM_SOLICITED,
						       0x30004));
}

static void golden_make_db_eq(void *out)
{
	*(__le64 *)out = cpu_to_le64(xrdma_make_arm_db(3, XRDMA_ARM_NEXT, -2));
}

/**
 * struct golden_case - one example of the specification
 * @name: name of the example
 * @golden: bytes of the example
 * @size: number of bytes in @golden, at most XRDMA_GOLDEN_MAX
 * @make: writes the structure of the example to @out
 */
struct golden_case {
	const char *name;
	const u8 *golden;
	size_t size;
	void (*make)(void *out);
};

#define GOLDEN_CASE(id) \
	{ #id, xrdma_golden_##id, sizeof(xrdma_golden_##id), golden_make_##id }

static const struct golden_case golden_cases[] = {
	GOLDEN_CASE(root),
	GOLDEN_CASE(mtt_block),
	GOLDEN_CASE(mtt_table),
	GOLDEN_CASE(mtt_paged),
	GOLDEN_CASE(mpt_entry),
	GOLDEN_CASE(mpt_window),
	GOLDEN_CASE(mpt_device_memory),
	GOLDEN_CASE(mpt_free_window),
	GOLDEN_CASE(mpt_paged),
	GOLDEN_CASE(cmd_modify_port),
	GOLDEN_CASE(cmd_set_gid),
	GOLDEN_CASE(cmd_query_stats),
	GOLDEN_CASE(cmd_create_eq),
	GOLDEN_CASE(cmd_create_cq),
	GOLDEN_CASE(cmd_create_qp),
	GOLDEN_CASE(cmd_modify_qp),
	GOLDEN_CASE(cmd_create_srq),
	GOLDEN_CASE(cmd_modify_srq),
	GOLDEN_CASE(cmd_mcast),
	GOLDEN_CASE(cmd_create_flow),
	GOLDEN_CASE(flow_rule),
	GOLDEN_CASE(cmd_create_rss),
	GOLDEN_CASE(cmd_modify_cq),
	GOLDEN_CASE(cmd_bind_counter),
	GOLDEN_CASE(cmd_modify_cc),
	GOLDEN_CASE(cmd_invalidate),
	GOLDEN_CASE(cmd_enable_odp),
	GOLDEN_CASE(cmd_invalidate_range),
	GOLDEN_CASE(cmd_destroy_qp),
	GOLDEN_CASE(inval_word),
	GOLDEN_CASE(rsp_query_device),
	GOLDEN_CASE(rsp_query_port),
	GOLDEN_CASE(rsp_query_qp),
	GOLDEN_CASE(rsp_resize_cq),
	GOLDEN_CASE(rsp_query_srq),
	GOLDEN_CASE(rsp_error),
	GOLDEN_CASE(eqe_comp),
	GOLDEN_CASE(eqe_fault),
	GOLDEN_CASE(eqe_page_fault),
	GOLDEN_CASE(resume),
	GOLDEN_CASE(av),
	GOLDEN_CASE(sge),
	GOLDEN_CASE(sge_null),
	GOLDEN_CASE(wqe_write_imm),
	GOLDEN_CASE(wqe_bind_mw),
	GOLDEN_CASE(wqe_local_inv),
	GOLDEN_CASE(wqe_flush),
	GOLDEN_CASE(wqe_send_ud),
	GOLDEN_CASE(wqe_send_eth),
	GOLDEN_CASE(eth_seg),
	GOLDEN_CASE(atomic_seg),
	GOLDEN_CASE(bind_seg),
	GOLDEN_CASE(reg_seg),
	GOLDEN_CASE(rq_wqe),
	GOLDEN_CASE(cqe_recv),
	GOLDEN_CASE(cqe_recv_inv),
	GOLDEN_CASE(cqe_recv_ud),
	GOLDEN_CASE(cqe_recv_eth),
	GOLDEN_CASE(cqe_recv_gro),
	GOLDEN_CASE(cqe_error),
	GOLDEN_CASE(qp_rec),
	GOLDEN_CASE(cq_rec),
	GOLDEN_CASE(srq_rec),
	GOLDEN_CASE(db_sq),
	GOLDEN_CASE(db_push),
	GOLDEN_CASE(db_cq),
	GOLDEN_CASE(db_eq),
};

#endif /* XRDMA_GOLDEN_CASES_H */
