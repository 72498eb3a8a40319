// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of what the device does with Ethernet frames instead of the host:
 * checksums, VLAN tags, division of TCP frames. test_uplink.py checks the
 * checksums and the segments with another program.
 */
#include <string.h>

#include "base/bytes.h"
#include "packet/checksum.h"
#include "tests/lib/wire_nic.h"

#define UDP		17
#define TCP		6
#define TCI		0x6064
#define PAYLOAD		5000
#define MSS		700

static struct wire_nic a, b;

/* Make two ports; the second reports what it finds out about frames. */
static void start(struct wire_env *env)
{
	wire_nic_make(env, 0, &a);
	wire_nic_make(env, 1, &b);
	wire_nic_port(b.qp.host, XRDMA_PORT_UP | XRDMA_PORT_CSUM |
		      XRDMA_PORT_VLAN | XRDMA_PORT_PAUSE, 1500, b.qp.qpn);
}

/* Bytes before the payload of a packet of TCP or UDP */
static u32 headers(bool ipv4, u8 proto)
{
	return 14 + (ipv4 ? 20 : 40) + (proto == TCP ? 20 : 8);
}

/*
 * Write a packet with @len bytes of payload to the buffer of @a, with the sum of
 * the pseudo header in the field of the checksum, and nothing else that the
 * device has to compute.
 */
static void make_packet(struct wire_env *env, bool ipv4, u8 proto, u32 len)
{
	u32 l4 = ipv4 ? 34 : 54, all = headers(ipv4, proto) + len;
	u32 sum_at = l4 + (proto == TCP ? 16 : 6);
	u8 *p = a.mem;
	u64 sum;

	memset(p, 0, l4 + 20);
	memcpy(p, env->hosts[1].mac, 6);
	memcpy(p + 6, env->hosts[0].mac, 6);
	model_put16(p + 12, ipv4 ? 0x0800 : 0x86dd);
	p[14] = ipv4 ? 0x45 : 0x60;
	wire_fill(p + (ipv4 ? 26 : 22), ipv4 ? 8 : 32, 1);
	if (ipv4) {
		model_put16(p + 16, all - 14);
		model_put16(p + 18, 0x1233);
		p[22] = 64;
		p[23] = proto;
		model_put16(p + 24, model_sum_fold(model_sum_bytes(0, p + 14, 20)));
		sum = model_sum_bytes(0, p + 26, 8);
	} else {
		model_put16(p + 18, all - 54);
		p[20] = proto;
		sum = model_sum_bytes(0, p + 22, 32);
	}
	model_put16(p + l4, 1000);
	model_put16(p + l4 + 2, 2000);
	if (proto == TCP) {
		model_put32(p + l4 + 4, 0xfffffff0);
		p[l4 + 12] = 0x50;
		p[l4 + 13] = 0x99;	/* CWR, ACK, PSH, FIN */
	} else {
		model_put16(p + l4 + 4, 8 + len);
	}
	wire_fill(p + headers(ipv4, proto), len, len);
	model_put16(p + sum_at,
		    ~model_sum_fold(sum + proto + all - l4));
}

static void send(u64 wr_id, u32 len, const struct xrdma_eth_seg *seg)
{
	struct xrdma_sge sge = wire_sge(a.buf, len, a.key);

	wire_post_send(&a.qp, &(struct wire_wr) {
		.opcode = seg ? XRDMA_OP_SEND_ETH : XRDMA_OP_SEND,
		.flags = XRDMA_WQE_SIGNALED, .wr_id = wr_id,
		.seg = seg, .sges = &sge, .num_sge = 1,
	});
}

static struct xrdma_eth_seg make_seg(bool ipv4, u8 proto)
{
	return (struct xrdma_eth_seg) {
		.flags = cpu_to_le16(XRDMA_ETH_CSUM),
		.csum_start = cpu_to_le16(ipv4 ? 34 : 54),
		.csum_offset = cpu_to_le16(proto == TCP ? 16 : 6),
	};
}

/* The checksum of the example in RFC 1071, section 3 */
static void sums_are_those_of_the_rfc(void **state)
{
	static const u8 data[] = { 0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6,
				   0xf7 };

	(void)state;
	assert_int_equal(model_sum_fold(model_sum_bytes(0, data, 8)), 0x220d);
	assert_int_equal(model_sum_fold(model_sum_bytes(0, data, 7)),
			 (u16)~(0xddf2 - 0xf7));
}

static void checksums_are_completed_and_checked(void **state)
{
	static const struct {
		bool ipv4;
		u8 proto;
		u32 len;
	} cases[] = {
		{ true, UDP, 1000 }, { true, TCP, 1001 }, { false, UDP, 3 },
		{ false, TCP, 1400 }, { true, UDP, 0 },
	};
	struct wire_env *env = *state;
	struct xrdma_cqe cqe;
	u32 i, len;

	start(env);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct xrdma_eth_seg seg = make_seg(cases[i].ipv4,
						    cases[i].proto);

		make_packet(env, cases[i].ipv4, cases[i].proto, cases[i].len);
		len = headers(cases[i].ipv4, cases[i].proto) + cases[i].len;
		wire_nic_recv(&b, i);
		send(i, len, &seg);
		wire_expect_send(&a.qp, i, XRDMA_WC_SUCCESS);
		wire_expect_recv(&b.qp, i, XRDMA_WC_SUCCESS, &cqe);
		assert_int_equal(le16_to_cpu(cqe.flags), XRDMA_CQE_CSUM);
		/* the same packet without its checksum */
		wire_nic_recv(&b, 100 + i);
		send(100 + i, len, NULL);
		wire_expect_send(&a.qp, 100 + i, XRDMA_WC_SUCCESS);
		wire_expect_recv(&b.qp, 100 + i, XRDMA_WC_SUCCESS, &cqe);
		assert_int_equal(le16_to_cpu(cqe.flags), 0);
	}
}

static void tags_are_inserted_and_removed(void **state)
{
	struct xrdma_eth_seg seg = make_seg(true, UDP);
	struct wire_env *env = *state;
	u32 len = headers(true, UDP) + 200;
	struct xrdma_cqe cqe;

	start(env);
	make_packet(env, true, UDP, 200);
	seg.flags |= cpu_to_le16(XRDMA_ETH_VLAN);
	seg.vlan_tci = cpu_to_le16(TCI);
	wire_nic_recv(&b, 1);
	send(1, len, &seg);
	wire_expect_send(&a.qp, 1, XRDMA_WC_SUCCESS);
	wire_expect_recv(&b.qp, 1, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(le16_to_cpu(cqe.flags),
			 XRDMA_CQE_CSUM | XRDMA_CQE_VLAN);
	assert_int_equal(le16_to_cpu(cqe.vlan_tci), TCI);
	assert_int_equal(le32_to_cpu(cqe.byte_len), len);
	assert_memory_equal(b.mem + WIRE_NIC_BUF + 42, a.mem + 42, 200);
	/* a port without the option gets the tag in the frame */
	wire_nic_port(b.qp.host, XRDMA_PORT_UP, 1500, b.qp.qpn);
	wire_nic_recv(&b, 2);
	send(2, len, &seg);
	wire_expect_send(&a.qp, 2, XRDMA_WC_SUCCESS);
	wire_expect_recv(&b.qp, 2, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(le16_to_cpu(cqe.flags), 0);
	assert_int_equal(le32_to_cpu(cqe.byte_len), len + 4);
	assert_int_equal(model_get32(b.mem + WIRE_NIC_BUF + 12),
			 0x81000000 | TCI);
	assert_memory_equal(b.mem + WIRE_NIC_BUF + 46, a.mem + 42, 200);
}

/* Check one frame of a divided one. Return: bytes of its payload. */
static u32 check_part(bool ipv4, u32 index, u32 done)
{
	u32 l4 = ipv4 ? 34 : 54, header = headers(ipv4, TCP);
	const u8 *p = b.mem + WIRE_NIC_BUF;
	u32 len = PAYLOAD - done < MSS ? PAYLOAD - done : MSS;
	bool last = done + len == PAYLOAD;

	assert_int_equal(model_get16(p + (ipv4 ? 16 : 18)),
			 header + len - (ipv4 ? 14 : 54));
	if (ipv4)
		assert_int_equal(model_get16(p + 18), 0x1233 + index);
	assert_int_equal(model_get32(p + l4 + 4), (u32)(0xfffffff0 + done));
	assert_int_equal(p[l4 + 13], 0x10 | (index ? 0 : 0x80) |
				     (last ? 0x09 : 0));
	assert_memory_equal(p + header, a.mem + header + done, len);
	return len;
}

static void tcp_is_divided(struct wire_env *env, bool ipv4)
{
	u32 header = headers(ipv4, TCP), done = 0, i;
	struct xrdma_eth_seg seg = make_seg(ipv4, TCP);
	struct xrdma_cqe cqe;

	start(env);
	make_packet(env, ipv4, TCP, PAYLOAD);
	seg.flags |= cpu_to_le16(XRDMA_ETH_TSO);
	seg.mss = cpu_to_le16(MSS);
	seg.header_len = cpu_to_le16(header);
	send(1, header + PAYLOAD, &seg);
	wire_expect_send(&a.qp, 1, XRDMA_WC_SUCCESS);
	for (i = 0; done < PAYLOAD; i++) {
		wire_nic_recv(&b, i);
		wire_expect_recv(&b.qp, i, XRDMA_WC_SUCCESS, &cqe);
		assert_int_equal(le16_to_cpu(cqe.flags), XRDMA_CQE_CSUM);
		done += check_part(ipv4, i, done);
		assert_int_equal(le32_to_cpu(cqe.byte_len),
				 header + (done == PAYLOAD && PAYLOAD % MSS ?
					   PAYLOAD % MSS : MSS));
	}
	assert_int_equal(done, PAYLOAD);
}

static void tcp_in_ipv4_is_divided(void **state)
{
	tcp_is_divided(*state, true);
}

static void tcp_in_ipv6_is_divided(void **state)
{
	tcp_is_divided(*state, false);
}

/* A frame of more parts than the wire has room for waits, and loses none. */
static void a_divided_frame_waits_for_room(void **state)
{
	u32 header = headers(true, TCP), parts = 10000 / 10, i;
	struct xrdma_eth_seg seg = make_seg(true, TCP);
	struct wire_env *env = *state;
	struct xrdma_cqe cqe;

	start(env);
	make_packet(env, true, TCP, 10000);
	seg.flags |= cpu_to_le16(XRDMA_ETH_TSO);
	seg.mss = cpu_to_le16(10);
	seg.header_len = cpu_to_le16(header);
	send(1, header + 10000, &seg);
	for (i = 0; i < parts; i++) {
		wire_nic_recv(&b, i);
		wire_expect_recv(&b.qp, i, XRDMA_WC_SUCCESS, &cqe);
	}
	wire_expect_send(&a.qp, 1, XRDMA_WC_SUCCESS);
	assert_int_equal(a.qp.host->dev->wire->socket.lost, 0);
	assert_int_equal(b.qp.host->dev->wire->rx_frames[MODEL_RX_OVERRUN], 0);
}

static void bad_segments_fail(void **state)
{
	static const struct {
		u16 flags;
		u16 csum_start;
		u16 csum_offset;
		u16 mss;
		u16 header_len;
		u16 vlan_tci;
		u32 reserved;
		u8 status;
	} cases[] = {
		{ 1, 34, 16, 0, 0, 0, 0, XRDMA_WC_SUCCESS },
		{ 8, 0, 0, 0, 0, 0, 0, XRDMA_WC_LOC_QP_OP_ERR },
		{ 0, 34, 0, 0, 0, 0, 0, XRDMA_WC_LOC_QP_OP_ERR },
		{ 0, 0, 16, 0, 0, 0, 0, XRDMA_WC_LOC_QP_OP_ERR },
		{ 0, 0, 0, 1, 0, 0, 0, XRDMA_WC_LOC_QP_OP_ERR },
		{ 0, 0, 0, 0, 1, 0, 0, XRDMA_WC_LOC_QP_OP_ERR },
		{ 0, 0, 0, 0, 0, 1, 0, XRDMA_WC_LOC_QP_OP_ERR },
		{ 0, 0, 0, 0, 0, 0, 1, XRDMA_WC_LOC_QP_OP_ERR },
		/* the checksum ends behind the frame of 154 bytes */
		{ 1, 137, 16, 0, 0, 0, 0, XRDMA_WC_LOC_QP_OP_ERR },
		{ 1, 136, 16, 0, 0, 0, 0, XRDMA_WC_SUCCESS },
		{ 3, 34, 16, 50, 54, 0, 0, XRDMA_WC_SUCCESS },
		{ 2, 0, 0, 50, 54, 0, 0, XRDMA_WC_LOC_QP_OP_ERR },
		{ 3, 34, 16, 0, 54, 0, 0, XRDMA_WC_LOC_QP_OP_ERR },
		{ 3, 34, 16, 50, 0, 0, 0, XRDMA_WC_LOC_QP_OP_ERR },
		{ 3, 34, 16, 50, 55, 0, 0, XRDMA_WC_LOC_QP_OP_ERR },
		{ 3, 140, 2, 50, 54, 0, 0, XRDMA_WC_LOC_QP_OP_ERR },
		{ 3, 34, 16, 1468, 54, 0, 0, XRDMA_WC_SUCCESS },
		{ 3, 34, 16, 1469, 54, 0, 0, XRDMA_WC_LOC_LEN_ERR },
	};
	struct wire_env *env = *state;
	u32 i;

	start(env);
	wire_nic_port(b.qp.host, XRDMA_PORT_UP, 1500, b.qp.qpn);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct xrdma_eth_seg seg = {
			.flags = cpu_to_le16(cases[i].flags),
			.csum_start = cpu_to_le16(cases[i].csum_start),
			.csum_offset = cpu_to_le16(cases[i].csum_offset),
			.mss = cpu_to_le16(cases[i].mss),
			.header_len = cpu_to_le16(cases[i].header_len),
			.vlan_tci = cpu_to_le16(cases[i].vlan_tci),
			.reserved = cpu_to_le32(cases[i].reserved),
		};

		make_packet(env, true, TCP, 100);
		send(i, 154, &seg);
		wire_expect_send(&a.qp, i, cases[i].status);
		if (cases[i].status)
			wire_modify_state(&a.qp, XRDMA_QPS_RTS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_those_of_the_rfc),
		WIRE_TEST(checksums_are_completed_and_checked, 2),
		WIRE_TEST(tags_are_inserted_and_removed, 2),
		WIRE_TEST(tcp_in_ipv4_is_divided, 2),
		WIRE_TEST(tcp_in_ipv6_is_divided, 2),
		WIRE_TEST(a_divided_frame_waits_for_room, 2),
		WIRE_TEST(bad_segments_fail, 2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
