// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of opcodes, headers and ICRC: golden bytes, public vectors, truncated
 * and malformed frames.
 */

#include <linux/array_size.h>
#include <rdma/xrdma-abi.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* needs the headers above */
#include <cmocka.h>

#include "base/bytes.h"
#include "packet/icrc.h"
#include "packet/net.h"
#include "packet/pkt.h"

/*
 * A UC SEND ONLY of 22 bytes with IPv4, and the CNP of a network card, both
 * with their ICRC, from the tests of scapy's RoCE layer.
 */
static const u8 uc_send[] = {
	0x24, 0x8a, 0x07, 0xa8, 0xfa, 0x22, 0x24, 0x8a, 0x07, 0xa8, 0xfa, 0x22,
	0x08, 0x00,
	0x45, 0x01, 0x00, 0x40, 0x04, 0x78, 0x40, 0x00, 0x40, 0x11, 0xb4, 0xd5,
	0xc0, 0xa8, 0x00, 0x07, 0xc0, 0xa8, 0x00, 0x07,
	0xc0, 0x00, 0x12, 0xb7, 0x00, 0x2c, 0xac, 0xa2,
	0x24, 0x60, 0xff, 0xff, 0x00, 0x00, 0x00, 0xd3, 0x00, 0xcf, 0x17, 0x10,
	0x46, 0x30, 0x81, 0x8b, 0xe2, 0x89, 0x35, 0xd9, 0x0e, 0x9a, 0x95, 0x50,
	0x54, 0x01, 0xbe, 0x88, 0x5e, 0x50, 0x00, 0x00,
	0x78, 0xf3, 0x53, 0xf3,
};

static const u8 cnp[] = {
	0xe4, 0x1d, 0x2d, 0xab, 0x2b, 0xc2, 0x7c, 0xfe, 0x90, 0x64, 0x3b, 0x32,
	0x08, 0x00,
	0x45, 0xc2, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0x40, 0x11, 0x91, 0x61,
	0x0a, 0x00, 0x11, 0x01, 0x0a, 0x00, 0x12, 0x01,
	0x00, 0x00, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00,
	0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00,
	0x82, 0xfd, 0x00, 0x2a,
};

static void psn_arithmetic_wraps(void **state)
{
	static const struct {
		u32 a;
		u32 b;
		s32 diff;
	} cases[] = {
		{ 0, 0, 0 }, { 1, 0, 1 }, { 0, 1, -1 },
		{ 0, 0xffffff, 1 }, { 0xffffff, 0, -1 },
		{ 5, 0xfffffb, 10 }, { 0xfffffb, 5, -10 },
		{ 0x7fffff, 0, 0x7fffff }, { 0x800000, 0, -0x800000 },
		{ 0x800001, 0, -0x7fffff },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(model_psn_diff(cases[i].a, cases[i].b),
				 cases[i].diff);
	assert_int_equal(model_psn_add(0xffffff, 1), 0);
	assert_int_equal(model_psn_add(0, -1), 0xffffff);
	assert_int_equal(model_psn_add(0xfffff0, 0x20), 0x10);
}

static void opcodes_are_those_of_the_standard(void **state)
{
	static const struct {
		u8 opcode;
		const char *name;
		u8 hdr_len;
		u16 flags;
	} cases[] = {
		{ 0x00, "SEND_FIRST", 12, MODEL_PKT_SEND | MODEL_PKT_FIRST },
		{ 0x01, "SEND_MIDDLE", 12, MODEL_PKT_SEND },
		{ 0x05, "SEND_ONLY_IMM", 16, MODEL_PKT_SEND | MODEL_PKT_ONLY },
		{ 0x06, "WRITE_FIRST", 28, MODEL_PKT_WRITE | MODEL_PKT_FIRST },
		{ 0x09, "WRITE_LAST_IMM", 16, MODEL_PKT_WRITE | MODEL_PKT_LAST },
		{ 0x0b, "WRITE_ONLY_IMM", 32, MODEL_PKT_WRITE | MODEL_PKT_ONLY },
		{ 0x0c, "READ_REQUEST", 28, MODEL_PKT_READ | MODEL_PKT_ONLY },
		{ 0x0e, "READ_RESP_MIDDLE", 12, MODEL_PKT_READ },
		{ 0x10, "READ_RESP_ONLY", 16, MODEL_PKT_READ | MODEL_PKT_ONLY },
		{ 0x11, "ACK", 16, MODEL_PKT_ONLY },
		{ 0x12, "ATOMIC_ACK", 24, MODEL_PKT_ATOMIC | MODEL_PKT_ONLY },
		{ 0x13, "CMP_SWAP", 40, MODEL_PKT_ATOMIC | MODEL_PKT_ONLY },
		{ 0x17, "SEND_ONLY_INV", 16, MODEL_PKT_SEND | MODEL_PKT_ONLY },
		{ 0x1c, "FLUSH", 32, MODEL_PKT_FLUSH | MODEL_PKT_ONLY },
		{ 0x1d, "ATOMIC_WRITE", 28,
		  MODEL_PKT_ATOMIC_WRITE | MODEL_PKT_ONLY },
		{ 0x2b, "WRITE_ONLY_IMM", 32, MODEL_PKT_WRITE | MODEL_PKT_ONLY },
		{ 0x64, "SEND_ONLY", 20, MODEL_PKT_SEND | MODEL_PKT_ONLY },
		{ 0x65, "SEND_ONLY_IMM", 24, MODEL_PKT_SEND | MODEL_PKT_ONLY },
		{ 0x81, "CNP", 28, MODEL_PKT_CNP | MODEL_PKT_ONLY },
		{ 0xa4, "SEND_ONLY", 16, MODEL_PKT_SEND | MODEL_PKT_ONLY },
		{ 0xb1, "ACK", 16, MODEL_PKT_ONLY },
	};
	const u16 shape = MODEL_PKT_SEND | MODEL_PKT_WRITE | MODEL_PKT_READ |
			  MODEL_PKT_ATOMIC | MODEL_PKT_CNP | MODEL_PKT_FLUSH |
			  MODEL_PKT_ATOMIC_WRITE | MODEL_PKT_ONLY;
	struct model_opcode op;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(model_opcode_get(cases[i].opcode, &op));
		assert_string_equal(model_opcode_name(cases[i].opcode),
				    cases[i].name);
		assert_int_equal(op.hdr_len, cases[i].hdr_len);
		assert_int_equal(op.flags & shape, cases[i].flags);
	}
}

static void opcodes_that_do_not_exist_are_unknown(void **state)
{
	static const u8 unknown[] = {
		0x15, 0x18, 0x1b, 0x1e, 0x1f, 0x2c, 0x36, 0x3f, 0x40, 0x54,
		0x60, 0x63, 0x66, 0x80, 0x82, 0x9f, 0xb5, 0xc0, 0xff,
	};
	struct model_opcode op;
	unsigned int n = 0;
	size_t i;
	int opcode;

	(void)state;
	for (i = 0; i < sizeof(unknown); i++) {
		assert_false(model_opcode_get(unknown[i], &op));
		assert_string_equal(model_opcode_name(unknown[i]), "unknown");
	}
	for (opcode = 0; opcode < 256; opcode++)
		n += model_opcode_get(opcode, &op);
	/* opcodes: RC and XRC 25 each, UC 12, UD 2, CNP 1 */
	assert_int_equal(n, 25 + 25 + 12 + 2 + 1);
}

static void icrc_matches_public_vectors(void **state)
{
	struct model_net net;

	(void)state;
	assert_int_equal(model_net_parse(&net, uc_send, sizeof(uc_send)),
			 MODEL_RX_OK);
	assert_int_equal(net.bth, 42);
	assert_int_equal(net.end, sizeof(uc_send));
	assert_true(model_icrc_ok(uc_send, net.l3, net.bth, net.end));
	assert_int_equal(model_icrc(uc_send, net.l3, net.bth, net.end),
			 0xf353f378);

	assert_int_equal(model_net_parse(&net, cnp, sizeof(cnp)), MODEL_RX_OK);
	assert_true(model_icrc_ok(cnp, net.l3, net.bth, net.end));
}

/*
 * The ICRC leaves out: type of service, time to live and checksum of IPv4,
 * checksum of UDP, byte 4 of the BTH.
 */
static void icrc_finds_every_bit_that_is_not_masked(void **state)
{
	static const u8 masked[] = { 15, 22, 24, 25, 40, 41, 46 };
	u8 frame[sizeof(uc_send)];
	size_t bit;

	(void)state;
	for (bit = 14 * 8; bit < sizeof(frame) * 8; bit++) {
		bool is_masked = memchr(masked, bit / 8, sizeof(masked));

		memcpy(frame, uc_send, sizeof(frame));
		frame[bit / 8] ^= 1 << bit % 8;
		if (bit / 8 == 14)	/* the IP version changes all offsets */
			continue;
		assert_int_equal(model_icrc_ok(frame, 14, 42, sizeof(frame)),
				 is_masked);
	}
}

static void parse_yields_every_field(void **state)
{
	struct model_net net;
	struct model_pkt pkt;

	(void)state;
	model_net_parse(&net, uc_send, sizeof(uc_send));
	assert_true(net.is_ipv4);
	assert_false(net.has_vlan);
	assert_int_equal(net.tclass, 1);
	assert_int_equal(net.sport, 49152);
	assert_true(model_gid_is_ipv4(net.sgid));
	assert_memory_equal(net.sgid + 12, "\xc0\xa8\x00\x07", 4);
	assert_int_equal(model_pkt_parse(&pkt, uc_send + net.bth,
					 net.end - net.bth - 4), MODEL_RX_OK);
	assert_int_equal(pkt.opcode, MODEL_BTH_UC | MODEL_BTH_SEND_ONLY);
	assert_true(pkt.migreq);
	assert_false(pkt.solicited || pkt.ackreq || pkt.fecn || pkt.becn);
	assert_int_equal(pkt.pkey, 0xffff);
	assert_int_equal(pkt.dqpn, 211);
	assert_int_equal(pkt.psn, 13571856);
	assert_int_equal(pkt.len, 18);
	assert_ptr_equal(pkt.payload, uc_send + 54);
}

static const struct model_path ipv4_path = {
	.sgid = { [10] = 0xff, 0xff, 192, 168, 77, 1 },
	.dgid = { [10] = 0xff, 0xff, 192, 168, 77, 2 },
	.smac = { 2, 0, 0, 0, 0, 1 },
	.dmac = { 2, 0, 0, 0, 0, 2 },
	.sport = 0xc123,
	.tclass = 0x68,
	.hop_limit = 64,
	.is_ipv4 = true,
};

static const struct model_path ipv6_path = {
	.sgid = { 0xfe, 0x80, [15] = 1 },
	.dgid = { 0xfe, 0x80, [15] = 2 },
	.smac = { 2, 0, 0, 0, 0, 1 },
	.dmac = { 2, 0, 0, 0, 0, 2 },
	.flow_label = 0x12345,
	.sport = 0xffff,
	.vlan_tci = 0x2064,
	.tclass = 0x02,
	.hop_limit = 255,
	.has_vlan = true,
};

/* Build a frame as transport/tx.c does. Return: bytes of the frame. */
static u32 build(u8 *frame, const struct model_path *path,
		 const struct model_pkt *pkt, u8 fill)
{
	u32 roce_len = model_pkt_roce_len(pkt);
	struct model_net_template tmpl;
	u32 bth;

	model_net_template(&tmpl, path);
	bth = model_net_write(&tmpl, frame, roce_len);
	memset(model_pkt_write(pkt, frame + bth), fill, pkt->len);
	model_icrc_write(frame, tmpl.l3, bth, bth + roce_len);
	return bth + roce_len;
}

static void write_request_matches_golden_bytes(void **state)
{
	static const u8 golden[] = {
		2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00,
		0x45, 0x68, 0x00, 0x44, 0x00, 0x00, 0x40, 0x00,
		0x40, 0x11, 0x1e, 0xed, 192, 168, 77, 1, 192, 168, 77, 2,
		0xc1, 0x23, 0x12, 0xb7, 0x00, 0x30, 0x00, 0x00,
		0x0b, 0xf0, 0xff, 0xff, 0x00, 0x00, 0xab, 0xcd,
		0x80, 0xff, 0xff, 0xfe,
		0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
		0x11, 0x22, 0x33, 0x44, 0x00, 0x00, 0x00, 0x01,
		0xca, 0xfe, 0xba, 0xbe,
		0x5a, 0x00, 0x00, 0x00,
	};
	u8 frame[128];
	struct model_pkt pkt;

	(void)state;
	memset(frame, 0xee, sizeof(frame));
	model_pkt_init(&pkt, MODEL_BTH_RC | MODEL_BTH_WRITE_ONLY_IMM, 0xabcd,
		       0xfffffe);
	pkt.solicited = true;
	pkt.ackreq = true;
	pkt.va = 0x0102030405060708;
	pkt.rkey = 0x11223344;
	pkt.dma_len = 1;
	memcpy(&pkt.imm, "\xca\xfe\xba\xbe", 4);
	pkt.len = 1;
	assert_int_equal(build(frame, &ipv4_path, &pkt, 0x5a),
			 sizeof(golden) + 4);
	assert_memory_equal(frame, golden, sizeof(golden));
}

static void vlan_ipv6_headers_match_golden_bytes(void **state)
{
	static const u8 golden[] = {
		2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x81, 0x00, 0x20, 0x64,
		0x86, 0xdd,
		0x60, 0x21, 0x23, 0x45, 0x00, 0x24, 0x11, 0xff,
		0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
		0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
		0xff, 0xff, 0x12, 0xb7, 0x00, 0x24, 0x00, 0x00,
		0x12, 0x40, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11,
		0x00, 0x00, 0x00, 0x07,
		0x1f, 0x00, 0x00, 0x2a,
		0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
	};
	u8 frame[128];
	struct model_pkt pkt;
	struct model_net net;

	(void)state;
	model_pkt_init(&pkt, MODEL_BTH_RC | MODEL_BTH_ATOMIC_ACK, 0x11, 7);
	pkt.syndrome = MODEL_AETH_ACK | MODEL_AETH_NO_CREDITS;
	pkt.msn = 42;
	pkt.orig = 0x8877665544332211;
	assert_int_equal(build(frame, &ipv6_path, &pkt, 0),
			 sizeof(golden) + 4);
	assert_memory_equal(frame, golden, sizeof(golden));
	assert_int_equal(model_net_parse(&net, frame, sizeof(golden) + 4),
			 MODEL_RX_OK);
	assert_true(net.has_vlan);
	assert_int_equal(net.vlan_tci, 0x2064);
	assert_true(model_icrc_ok(frame, net.l3, net.bth, net.end));
}

/* Write and parse each opcode with random fields: the fields are equal. */
static void every_packet_survives_a_round_trip(void **state)
{
	struct model_pkt out;
	struct model_pkt in;
	struct model_opcode op;
	u8 bth[256];
	int opcode;

	(void)state;
	for (opcode = 0; opcode < 256; opcode++) {
		if (!model_opcode_get(opcode, &op))
			continue;
		memset(&out, 0, sizeof(out));
		model_pkt_init(&out, opcode, random() & XRDMA_QPN_MASK,
			       random() & MODEL_PSN_MASK);
		out.solicited = random() & 1;
		out.ackreq = random() & 1;
		out.fecn = random() & 1;
		out.becn = random() & 1;
		if (op.hdrs & (MODEL_HDR_RETH | MODEL_HDR_ATOMIC)) {
			out.va = (u64)random() << 32 | random();
			out.rkey = random();
		}
		if (op.hdrs & MODEL_HDR_RETH)
			out.dma_len = random();
		if (op.hdrs & MODEL_HDR_ATOMIC) {
			out.swap_add = (u64)random() << 32;
			out.compare = (u64)random() << 31;
		}
		if (op.hdrs & MODEL_HDR_ATOMIC_ACK)
			out.orig = (u64)random() << 30;
		if (op.hdrs & MODEL_HDR_AETH) {
			out.syndrome = random();
			out.msn = random() & 0xffffff;
		}
		if (op.hdrs & MODEL_HDR_IMM)
			out.imm = random();
		if (op.hdrs & MODEL_HDR_IETH)
			out.inv_rkey = random();
		if (op.hdrs & MODEL_HDR_DETH) {
			out.qkey = random();
			out.sqpn = random() & XRDMA_QPN_MASK;
		}
		if (op.hdrs & MODEL_HDR_XRCETH)
			out.srqn = random() & XRDMA_QPN_MASK;
		if (op.hdrs & MODEL_HDR_FETH)
			out.flush = random() & 0x3f; /* the other bits are reserved */
		if (op.flags & MODEL_PKT_PAYLOAD)
			out.len = random() % 64;
		model_pkt_write(&out, bth);
		memset(&in, 0, sizeof(in));
		assert_int_equal(model_pkt_parse(&in, bth,
						 model_pkt_roce_len(&out) - 4),
				 MODEL_RX_OK);
		assert_ptr_equal(in.payload, bth + op.hdr_len);
		in.payload = NULL;
		assert_memory_equal(&in, &out, sizeof(in));
	}
}

struct malformed {
	const char *name;
	u16 off;
	u8 value;
	enum model_rx rx;
};

static void each_malformed_frame_has_its_verdict(void **state)
{
	static const struct malformed cases[] = {
		{ "options in IPv4", 14, 0x46, MODEL_RX_ETHERNET },
		{ "IPv4 with version 5", 14, 0x55, MODEL_RX_IP_VERSION },
		{ "IPv4 longer than the frame", 17, 0x41, MODEL_RX_IP_LENGTH },
		{ "IPv4 of 20 bytes", 17, 0x14, MODEL_RX_IP_LENGTH },
		{ "wrong checksum", 24, 0xb5, MODEL_RX_IP_CHECKSUM },
		{ "not UDP", 23, 6, MODEL_RX_ETHERNET },
		{ "other port", 37, 0xb8, MODEL_RX_ETHERNET },
		{ "other type", 13, 0x06, MODEL_RX_ETHERNET },
		{ "UDP shorter than IPv4", 39, 0x28, MODEL_RX_UDP_LENGTH },
		{ "UDP longer than IPv4", 39, 0x30, MODEL_RX_UDP_LENGTH },
	};
	u8 frame[sizeof(uc_send)];
	struct model_net net;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		memcpy(frame, uc_send, sizeof(frame));
		frame[cases[i].off] = cases[i].value;
		if (model_net_parse(&net, frame, sizeof(frame)) != cases[i].rx)
			fail_msg("%s", cases[i].name);
	}
}

/* Write the valid checksum into an IPv4 header. */
static void sum_ipv4(u8 *ip)
{
	u32 sum = 0;
	int i;

	memset(ip + 10, 0, 2);
	for (i = 0; i < 20; i += 2)
		sum += model_get16(ip + i);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	model_put16(ip + 10, ~sum);
}

static void fragments_are_refused(void **state)
{
	u8 frame[sizeof(uc_send)];
	struct model_net net;

	(void)state;
	memcpy(frame, uc_send, sizeof(frame));
	frame[20] = 0x20;	/* flag "more fragments" */
	sum_ipv4(frame + 14);
	assert_int_equal(model_net_parse(&net, frame, sizeof(frame)),
			 MODEL_RX_FRAGMENT);
	frame[20] = 0;
	frame[21] = 4;		/* a later fragment has no UDP header */
	sum_ipv4(frame + 14);
	assert_int_equal(model_net_parse(&net, frame, sizeof(frame)),
			 MODEL_RX_ETHERNET);
}

/*
 * Frames cut at every length. Each is a heap block of that length, so that the
 * address sanitizer finds a read past the end.
 */
static void truncated_frames_are_refused(void **state)
{
	struct model_net net;
	u32 len;

	(void)state;
	for (len = 0; len < sizeof(uc_send); len++) {
		u8 *frame = malloc(len ? len : 1);

		memcpy(frame, uc_send, len);
		assert_int_not_equal(model_net_parse(&net, frame, len),
				     MODEL_RX_OK);
		free(frame);
	}
}

static void truncated_packets_are_refused(void **state)
{
	struct model_opcode op;
	struct model_pkt pkt;
	int opcode;
	u32 len;

	(void)state;
	for (opcode = 0; opcode < 256; opcode++) {
		if (!model_opcode_get(opcode, &op))
			continue;
		for (len = 0; len < op.hdr_len; len++) {
			u8 *bth = calloc(1, len ? len : 1);

			if (len)
				bth[0] = opcode;
			assert_int_equal(model_pkt_parse(&pkt, bth, len),
					 MODEL_RX_SIZE);
			free(bth);
		}
	}
}

static void pad_without_payload_is_refused(void **state)
{
	u8 bth[20] = { MODEL_BTH_SEND_ONLY, 0x30 };
	struct model_pkt pkt;

	(void)state;
	assert_int_equal(model_pkt_parse(&pkt, bth, 12), MODEL_RX_SIZE);
	assert_int_equal(model_pkt_parse(&pkt, bth, 16), MODEL_RX_OK);
	assert_int_equal(pkt.len, 1);
	bth[0] = MODEL_BTH_ACK;
	bth[1] = 0;
	assert_int_equal(model_pkt_parse(&pkt, bth, 16), MODEL_RX_OK);
	assert_int_equal(model_pkt_parse(&pkt, bth, 20), MODEL_RX_SIZE);
	bth[1] = 1;
	assert_int_equal(model_pkt_parse(&pkt, bth, 16), MODEL_RX_BTH_VERSION);
	bth[0] = 0xff;
	bth[1] = 0;
	assert_int_equal(model_pkt_parse(&pkt, bth, 16), MODEL_RX_OPCODE);
}

/* Random bytes neither crash the parser nor have a valid ICRC. */
static void random_bytes_do_no_harm(void **state)
{
	struct model_net net;
	struct model_pkt pkt;
	int round;

	(void)state;
	srandom(1);
	for (round = 0; round < 200000; round++) {
		u32 len = random() % 160;
		u8 *frame = malloc(len ? len : 1);
		u32 i;

		for (i = 0; i < len; i++)
			frame[i] = random();
		/* mostly with valid headers up to UDP, to reach later checks */
		if (len > 42 && round % 4) {
			memcpy(frame, uc_send, 42);
			model_put16(frame + 16, len - 14);
			model_put16(frame + 38, len - 34);
			sum_ipv4(frame + 14);
		}
		if (!model_net_parse(&net, frame, len)) {
			model_pkt_parse(&pkt, frame + net.bth,
					net.end - net.bth - 4);
			assert_false(model_icrc_ok(frame, net.l3, net.bth,
						   net.end));
		}
		free(frame);
	}
}

/* Results of rdma_flow_label_to_udp_sport() of the Linux kernel. */
static void source_port_follows_the_hosts_rule(void **state)
{
	(void)state;
	assert_int_equal(model_udp_sport(0x12345, 0, 0), 0xe341);
	assert_int_equal(model_udp_sport(1, 5, 6), 0xc001);
	assert_int_equal(model_udp_sport(0, 17, 18), 0xc132);
	assert_int_equal(model_udp_sport(0, 17, 18),
			 model_udp_sport(0, 18, 17));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(psn_arithmetic_wraps),
		cmocka_unit_test(opcodes_are_those_of_the_standard),
		cmocka_unit_test(opcodes_that_do_not_exist_are_unknown),
		cmocka_unit_test(icrc_matches_public_vectors),
		cmocka_unit_test(icrc_finds_every_bit_that_is_not_masked),
		cmocka_unit_test(parse_yields_every_field),
		cmocka_unit_test(write_request_matches_golden_bytes),
		cmocka_unit_test(vlan_ipv6_headers_match_golden_bytes),
		cmocka_unit_test(every_packet_survives_a_round_trip),
		cmocka_unit_test(each_malformed_frame_has_its_verdict),
		cmocka_unit_test(fragments_are_refused),
		cmocka_unit_test(truncated_frames_are_refused),
		cmocka_unit_test(truncated_packets_are_refused),
		cmocka_unit_test(pad_without_payload_is_refused),
		cmocka_unit_test(random_bytes_do_no_harm),
		cmocka_unit_test(source_port_follows_the_hosts_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
