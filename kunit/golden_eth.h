/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Golden cases of the Ethernet port: its settings, and what the device does with
 * frames; all others are in golden_cases.h. This file uses neither driver, nor
 * device, nor test framework.
 */

#ifndef XRDMA_GOLDEN_ETH_H
#define XRDMA_GOLDEN_ETH_H

#include "golden_make.h"

static void golden_make_cmd_modify_port(void *out)
{
	struct xrdma_cmd cmd = golden_cmd(XRDMA_CMD_MODIFY_PORT, 1);

	cmd.modify_port.flags = cpu_to_le32(XRDMA_PORT_UP | XRDMA_PORT_PROMISC |
					    XRDMA_PORT_PAUSE | XRDMA_PORT_CSUM |
					    XRDMA_PORT_VLAN | XRDMA_PORT_GRO);
	cmd.modify_port.mtu = cpu_to_le32(9000);
	cmd.modify_port.eth_qpn = cpu_to_le32(2);
	memcpy(cmd.modify_port.mac, golden_mac, 6);
	memcpy(out, &cmd, sizeof(cmd));
}

static void golden_make_wqe_send_eth(void *out)
{
	*(struct xrdma_sq_wqe *)out = (struct xrdma_sq_wqe) {
		.opcode = XRDMA_OP_SEND_ETH,
		.flags = XRDMA_WQE_SIGNALED | xrdma_wqe_length(2),
		.num_sge = cpu_to_le16(3),
		.wr_id = cpu_to_le64(15),
	};
}

static void golden_make_eth_seg(void *out)
{
	*(struct xrdma_eth_seg *)out = (struct xrdma_eth_seg) {
		.flags = cpu_to_le16(XRDMA_ETH_CSUM | XRDMA_ETH_TSO |
				     XRDMA_ETH_VLAN),
		.csum_start = cpu_to_le16(34),
		.csum_offset = cpu_to_le16(16),
		.mss = cpu_to_le16(1448),
		.header_len = cpu_to_le16(66),
		.vlan_tci = cpu_to_le16(0x6064),
	};
}

static void golden_make_cqe_recv_eth(void *out)
{
	*(struct xrdma_cqe *)out = (struct xrdma_cqe) {
		.byte_len = cpu_to_le32(1514),
		.qpn = cpu_to_le32(2),
		.opcode = XRDMA_OP_RECV,
		.flags = cpu_to_le16(XRDMA_CQE_VLAN | XRDMA_CQE_CSUM),
		.timestamp = cpu_to_le64(6000000),
		.smac = { 2, 1, 2, 3, 4, 5 },
		.vlan_tci = cpu_to_le16(0x6064),
		.own = cpu_to_le32(XRDMA_CQE_PHASE),
	};
}

static void golden_make_cqe_recv_gro(void *out)
{
	*(struct xrdma_cqe *)out = (struct xrdma_cqe) {
		.byte_len = cpu_to_le32(8754),
		.qpn = cpu_to_le32(2),
		.opcode = XRDMA_OP_RECV,
		.flags = cpu_to_le16(XRDMA_CQE_CSUM | XRDMA_CQE_GRO),
		.mss = cpu_to_le16(1448),
		.timestamp = cpu_to_le64(6000000),
		.smac = { 2, 1, 2, 3, 4, 5 },
		.own = cpu_to_le32(XRDMA_CQE_PHASE),
	};
}

#endif /* XRDMA_GOLDEN_ETH_H */
