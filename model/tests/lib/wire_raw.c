// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Raw packet queue pairs, and frames for tests: see wire_raw.h.
 */
#include <arpa/inet.h>
#include <string.h>

#include "tests/lib/wire_raw.h"

#define LOG_DEPTH	5

const u8 raw_dmac[6] = { 0x01, 0x50, 0x56, 0x19, 0x20, 0xa7 };
const u8 raw_smac[6] = { 0x24, 0x8a, 0x07, 0xa5, 0x28, 0xc8 };

void raw_start(struct wire_qp *qp)
{
	struct xrdma_cmd_modify_qp p = {
		.qpn = cpu_to_le32(qp->qpn),
		.mask = cpu_to_le32(XRDMA_QPM_STATE),
	};

	for (p.attr.state = XRDMA_QPS_INIT; p.attr.state <= XRDMA_QPS_RTS;
	     p.attr.state++)
		assert_int_equal(model_qp_modify(qp->host->dev, &p),
				 XRDMA_CMD_OK);
}

void raw_make(struct wire_env *env, u32 flags, struct raw *raw)
{
	wire_create_qp(env, 0, XRDMA_QP_RAW, flags, LOG_DEPTH, &raw->qp);
	raw_start(&raw->qp);
	raw->buf = wire_alloc(raw->qp.host, 2 * RAW_BUF, 4096);
	raw->key = wire_region(raw->qp.host, 300 + raw->qp.qpn, raw->buf,
			       2 * RAW_BUF, XRDMA_ACCESS_LOCAL_WRITE);
	raw->mem = wire_ptr(raw->qp.host, raw->buf);
}

/* Create a raw packet queue pair and make it the port's. */
void raw_make_nic(struct wire_env *env, struct raw *nic, u32 flags)
{
	struct xrdma_cmd_modify_port p = {
		.flags = cpu_to_le32(XRDMA_PORT_UP | flags),
		.mtu = cpu_to_le32(1500),
	};

	raw_make(env, XRDMA_QP_KERNEL, nic);
	p.eth_qpn = cpu_to_le32(nic->qp.qpn);
	memcpy(p.mac, nic->qp.host->mac, sizeof(p.mac));
	assert_int_equal(model_port_modify(nic->qp.host->dev, &p),
			 XRDMA_CMD_OK);
}

void raw_post_buffers(struct raw *raw, u32 n)
{
	struct xrdma_sge sge = wire_sge(raw->buf + RAW_BUF, RAW_BUF, raw->key);

	while (n--)
		wire_post_recv(&raw->qp, 1, &sge, 1);
}

void raw_send_frame(struct raw *raw, const u8 *frame, u32 len)
{
	struct xrdma_sge sge = wire_sge(raw->buf, len, raw->key);

	memcpy(raw->mem, frame, len);
	wire_post_send(&raw->qp, &(struct wire_wr) {
		.opcode = XRDMA_OP_SEND, .flags = XRDMA_WQE_SIGNALED,
		.sges = &sge, .num_sge = 1,
	});
}

/* Return: number of received frames. Each equals @frame, if it is not NULL. */
u32 raw_received(struct raw *raw, const u8 *frame)
{
	struct xrdma_cqe cqe;
	u32 n = 0;

	while (wire_poll_cq(&raw->qp.recv_cq, &cqe)) {
		assert_int_equal(cqe.status, XRDMA_WC_SUCCESS);
		if (frame) {
			assert_int_equal(le32_to_cpu(cqe.byte_len), RAW_FRAME);
			assert_memory_equal(raw->mem + RAW_BUF, frame, RAW_FRAME);
		}
		n++;
	}
	return n;
}

/* Make a frame as pyverbs does: checksums are 0, IPv6 lengths are wrong. */
void raw_make_ipv4(u8 *frame, const char *src, const char *dst, u8 proto,
		   u16 sport, u16 dport)
{
	wire_fill(frame, RAW_FRAME, 5);
	memcpy(frame, raw_dmac, 6);
	memcpy(frame + 6, raw_smac, 6);
	memcpy(frame + 12, "\x08\x00\x45\x20\x00\x72\x00\x00\x40\x00\x40", 11);
	frame[23] = proto;
	frame[24] = 0;
	frame[25] = 0;
	inet_pton(AF_INET, src, frame + 26);
	inet_pton(AF_INET, dst, frame + 30);
	frame[34] = sport >> 8;
	frame[35] = sport;
	frame[36] = dport >> 8;
	frame[37] = dport;
}

void raw_make_ipv6(u8 *frame, const char *src, const char *dst, u8 proto,
		   u16 sport, u16 dport)
{
	wire_fill(frame, RAW_FRAME, 6);
	memcpy(frame, raw_dmac, 6);
	memcpy(frame + 6, raw_smac, 6);
	memcpy(frame + 12, "\x86\xdd\x6a\xb1\x23\x45\x00\x72", 8);
	frame[20] = proto;
	frame[21] = 63;
	inet_pton(AF_INET6, src, frame + 22);
	inet_pton(AF_INET6, dst, frame + 38);
	frame[54] = sport >> 8;
	frame[55] = sport;
	frame[56] = dport >> 8;
	frame[57] = dport;
}

/* Insert a VLAN tag; the last 4 bytes of the frame are cut off. */
void raw_add_vlan(u8 *frame, u16 tci)
{
	memmove(frame + 16, frame + 12, RAW_FRAME - 16);
	frame[12] = 0x81;
	frame[13] = 0;
	frame[14] = tci >> 8;
	frame[15] = tci;
}
