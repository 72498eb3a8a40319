// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of malformed frames, over IPv4, over IPv6 and with a VLAN tag: each
 * kind of error, and each single bit of a packet flipped. malformed_rig.c makes
 * and checks the frames. Valid frames that do not fit their queue pair are in
 * test_rx.c.
 */
#include <string.h>

#include "base/bytes.h"
#include "packet/icrc.h"
#include "tests/transport/malformed_rig.h"

static void cut_off(struct rig *r)
{
	struct frame f;
	u32 len;

	rig_good_frame(r, &f);
	for (len = f.len; len--; ) {
		f.len = len;
		rig_dropped(r, &f, len < MODEL_ETH_BYTES ? MODEL_RX_RUNT : RIG_ANY);
	}
}

static void truncated_at_every_byte(void **state)
{
	rig_each_family(state, cut_off);
}

/* Length fields and ICRC are valid; the operation's headers are missing. */
static void cut_short(struct rig *r)
{
	struct model_opcode op;
	struct model_pkt pkt;
	struct frame f;
	u32 opcode, len;

	for (opcode = 0; opcode < 256; opcode++) {
		if (!model_opcode_get(opcode, &op))
			continue;
		pkt = rig_pkt(r, opcode);
		for (len = MODEL_BTH_BYTES; len < op.hdr_len; len++) {
			rig_frame(r, &pkt, &f);
			rig_resize(&f, f.bth + len + MODEL_ICRC_BYTES);
			rig_dropped(r, &f, len % 4 ? MODEL_RX_UDP_LENGTH :
						 MODEL_RX_SIZE);
		}
	}
}

static void headers_cut_short(void **state)
{
	rig_each_family(state, cut_short);
}

static void without_bth(struct rig *r)
{
	struct frame f;
	u32 len;

	for (len = 0; len < MODEL_BTH_BYTES + MODEL_ICRC_BYTES; len++) {
		rig_good_frame(r, &f);
		f.len = f.bth + len;
		rig_put_ip_length(&f, MODEL_UDP_BYTES + len);
		rig_put_udp_length(&f, MODEL_UDP_BYTES + len);
		rig_fix_sum(&f);
		rig_dropped(r, &f, MODEL_RX_UDP_LENGTH);
	}
}

static void too_short_for_a_packet(void **state)
{
	rig_each_family(state, without_bth);
}

static void versions(struct rig *r)
{
	struct frame f;
	u32 v;

	for (v = 0; v < 16; v++) {
		rig_good_frame(r, &f);
		if (f.data[f.l3] >> 4 == (int)v)
			continue;
		f.data[f.l3] = v << 4 | (f.data[f.l3] & 0x0f);
		rig_fix(&f);
		rig_dropped(r, &f, MODEL_RX_IP_VERSION);
	}
	for (v = 1; v < 16; v++) {
		rig_good_frame(r, &f);
		f.data[f.bth + 1] |= v;
		rig_fix(&f);
		rig_dropped(r, &f, MODEL_RX_BTH_VERSION);
	}
}

static void wrong_versions(void **state)
{
	rig_each_family(state, versions);
}

static void ip_lengths(struct rig *r)
{
	struct frame f;
	u32 right, len;

	rig_good_frame(r, &f);
	right = f.len - f.udp;
	for (len = 0; len < right + 200; len++) {
		if (len == right)
			continue;
		rig_good_frame(r, &f);
		rig_put_ip_length(&f, len);
		rig_fix(&f);
		rig_dropped(r, &f, len > right || (f.is_ipv4 && len < 8) ?
			MODEL_RX_IP_LENGTH : MODEL_RX_UDP_LENGTH);
	}
	/* IPv4: the length includes the header, and may be less than that */
	for (len = 0; f.is_ipv4 && len < MODEL_IPV4_BYTES; len++) {
		rig_good_frame(r, &f);
		model_put16(f.data + f.l3 + 2, len);
		rig_fix(&f);
		rig_dropped(r, &f, MODEL_RX_IP_LENGTH);
	}
}

static void udp_lengths(struct rig *r)
{
	struct frame f;
	u32 right, len;

	rig_good_frame(r, &f);
	right = f.len - f.udp;
	for (len = 0; len < 65536; len += len < right + 99 ? 1 : 4321) {
		if (len == right)
			continue;
		rig_good_frame(r, &f);
		rig_put_udp_length(&f, len);
		rig_fix(&f);
		rig_dropped(r, &f, MODEL_RX_UDP_LENGTH);
	}
}

static void bad_lengths(void **state)
{
	rig_each_family(state, ip_lengths);
	rig_each_family(state, udp_lengths);
}

/* More pad bytes than payload, or pad bytes where no payload is allowed. */
static void pads(struct rig *r)
{
	struct model_pkt pkt;
	struct frame f;
	u32 pad;

	for (pad = 1; pad < 4; pad++) {
		pkt = rig_pkt(r, MODEL_BTH_WRITE_ONLY);
		rig_frame(r, &pkt, &f);
		f.data[f.bth + 1] |= pad << 4;
		rig_fix(&f);
		rig_dropped(r, &f, MODEL_RX_SIZE);
		pkt = rig_pkt(r, MODEL_BTH_READ_REQUEST);
		rig_frame(r, &pkt, &f);
		f.data[f.bth + 1] |= pad << 4;
		rig_resize(&f, f.len + 4);
		rig_dropped(r, &f, MODEL_RX_SIZE);
	}
	pkt = rig_pkt(r, MODEL_BTH_FETCH_ADD);
	rig_frame(r, &pkt, &f);
	rig_resize(&f, f.len + 4);
	rig_dropped(r, &f, MODEL_RX_SIZE);
}

static void bad_pads(void **state)
{
	rig_each_family(state, pads);
}

static void opcodes(struct rig *r)
{
	struct model_opcode op;
	struct model_pkt pkt;
	struct frame f;
	u32 opcode;

	for (opcode = 0; opcode < 256; opcode++) {
		bool known = model_opcode_get(opcode, &op);

		if (known && ((opcode & MODEL_BTH_TRANSPORT) == MODEL_BTH_RC ||
			      opcode == MODEL_BTH_CNP_OPCODE))
			continue;
		pkt = rig_pkt(r, known ? opcode : MODEL_BTH_WRITE_ONLY);
		rig_frame(r, &pkt, &f);
		f.data[f.bth] = opcode;
		rig_fix(&f);
		rig_dropped(r, &f, known ? MODEL_RX_TRANSPORT : MODEL_RX_OPCODE);
	}
}

static void unknown_opcodes(void **state)
{
	rig_each_family(state, opcodes);
}

static void icrcs(struct rig *r)
{
	struct frame f;
	u32 bit;

	for (bit = 0; bit < 32; bit++) {
		rig_good_frame(r, &f);
		f.data[f.len - 4 + bit / 8] ^= 1 << bit % 8;
		rig_dropped(r, &f, MODEL_RX_ICRC);
	}
	rig_good_frame(r, &f);
	memset(f.data + f.len - 4, 0, 4);
	rig_dropped(r, &f, MODEL_RX_ICRC);
}

static void wrong_icrcs(void **state)
{
	rig_each_family(state, icrcs);
}

static void qpns(struct rig *r)
{
	static const u32 foreign[] = { 0, 0x123456, 0xfffffe, 0xffffff };
	struct model_pkt pkt;
	struct frame f;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(foreign); i++) {
		pkt = rig_pkt(r, MODEL_BTH_WRITE_ONLY);
		pkt.dqpn = foreign[i];
		rig_frame(r, &pkt, &f);
		rig_dropped(r, &f, MODEL_RX_QPN);
	}
	pkt = rig_pkt(r, MODEL_BTH_WRITE_ONLY);
	pkt.pkey = 0x7ffe;
	rig_frame(r, &pkt, &f);
	rig_dropped(r, &f, MODEL_RX_PKEY);
}

static void foreign_queue_pairs(void **state)
{
	rig_each_family(state, qpns);
}

/* Change each byte of each address, one at a time. */
static void addresses(struct rig *r)
{
	struct frame f;
	u32 size, i;

	rig_good_frame(r, &f);
	size = f.is_ipv4 ? 4 : 16;
	for (i = 0; i < 2 * size; i++) {
		rig_good_frame(r, &f);
		f.data[f.udp - 2 * size + i] ^= 0x80;
		rig_fix(&f);
		rig_dropped(r, &f, i < size ? MODEL_RX_SOURCE :
					  MODEL_RX_DESTINATION);
	}
	for (i = 0; i < 6; i++) {
		rig_good_frame(r, &f);
		f.data[i] ^= 0x80;
		rig_dropped(r, &f, MODEL_RX_FILTERED);
	}
	rig_good_frame(r, &f);
	memset(f.data, 0xff, 6);
	rig_dropped(r, &f, MODEL_RX_FILTERED);
}

static void spoofed_and_foreign_addresses(void **state)
{
	rig_each_family(state, addresses);
}

/* IPv4 has flags and an offset; IPv6 has a fragment header. */
static void fragments(struct rig *r)
{
	struct frame f;
	u32 bit;

	rig_good_frame(r, &f);
	if (!f.is_ipv4) {
		f.data[f.l3 + 6] = 44;
		rig_fix(&f);
		rig_dropped(r, &f, MODEL_RX_STATE);
		return;
	}
	for (bit = 0; bit < 14; bit++) {
		rig_good_frame(r, &f);
		model_put16(f.data + f.l3 + 6, 1 << bit);
		rig_fix(&f);
		/* only a first fragment has a UDP header */
		rig_dropped(r, &f, bit == 13 ? MODEL_RX_FRAGMENT : MODEL_RX_STATE);
	}
	for (bit = 6; bit < 16; bit++) {
		rig_good_frame(r, &f);
		f.data[f.l3] = 0x40 | bit;
		rig_fix(&f);
		rig_dropped(r, &f, RIG_ANY);
	}
}

static void fragments_and_options(void **state)
{
	rig_each_family(state, fragments);
}

static void large(struct rig *r)
{
	u32 limit = MODEL_ETH_BYTES + MODEL_VLAN_BYTES + 1500;
	struct model_pkt pkt = rig_pkt(r, MODEL_BTH_WRITE_ONLY);
	struct frame f;

	r->p.a.host->dev->port.mtu = 1500;
	for (pkt.len = 1500; pkt.len < 4096; pkt.len += 4) {
		pkt.dma_len = pkt.len;
		rig_frame(r, &pkt, &f);
		if (f.len > limit)
			rig_dropped(r, &f, MODEL_RX_OVERSIZED);
	}
	assert_true(f.len > limit);
	rig_good_frame(r, &f);
	f.len = limit + 1; /* padding is part of the length */
	memset(f.data + 200, 0, limit);
	rig_dropped(r, &f, MODEL_RX_OVERSIZED);
}

static void oversized(void **state)
{
	rig_each_family(state, large);
}

/* Responses without a request. */
static void answers(struct rig *r)
{
	static const u8 opcodes[] = {
		MODEL_BTH_ACK, MODEL_BTH_ATOMIC_ACK, MODEL_BTH_READ_RESP_ONLY,
		MODEL_BTH_READ_RESP_FIRST, MODEL_BTH_READ_RESP_MIDDLE,
		MODEL_BTH_READ_RESP_LAST,
	};
	struct model_pkt pkt;
	struct frame f;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		pkt = rig_pkt(r, opcodes[i]);
		pkt.psn = wire_defaults.psn;
		pkt.syndrome = MODEL_AETH_NO_CREDITS;
		rig_frame(r, &pkt, &f);
		rig_dropped(r, &f, MODEL_RX_UNEXPECTED);
	}
}

static void unexpected_responses(void **state)
{
	rig_each_family(state, answers);
}

static void in_error(struct rig *r)
{
	struct frame f;

	rig_good_frame(r, &f);
	rig_dropped(r, &f, MODEL_RX_STATE);
}

static void not_receiving(struct rig *r)
{
	wire_modify_state(&r->p.a, XRDMA_QPS_ERR);
	in_error(r);
	wire_modify_state(&r->p.a, XRDMA_QPS_RESET);
	in_error(r);
}

static void states_that_do_not_receive(void **state)
{
	rig_each_family(state, not_receiving);
}

/*
 * Return: true for bits that routers and switches may change: traffic class,
 * flow label, time to live, checksums, FECN and BECN with the bits beside them.
 * The ICRC protects all other bits.
 */
static bool is_variant(const struct frame *f, u32 bit)
{
	u32 byte = bit / 8;
	u32 ip = byte - f->l3;

	if (byte == f->udp + 6 || byte == f->udp + 7 || byte == f->bth + 4)
		return true;
	if (byte >= f->udp)
		return false;
	if (f->is_ipv4)
		return ip == 1 || ip == 8 || ip == 10 || ip == 11;
	return ip == 7 || (ip >= 1 && ip <= 3) || (ip == 0 && bit % 8 < 4);
}

/* model_icrc_ok() alone: flip each bit of packets up to the largest. */
static void flips_in_icrc(struct rig *r)
{
	static const u16 sizes[] = { 0, 1, 6, 255, 1024, 4096 };
	struct model_pkt pkt = rig_pkt(r, MODEL_BTH_WRITE_ONLY);
	struct frame f;
	u32 bit, i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		pkt.len = sizes[i];
		rig_frame(r, &pkt, &f);
		for (bit = f.l3 * 8; bit < f.len * 8; bit++) {
			f.data[bit / 8] ^= 1 << bit % 8;
			if (bit / 8 == f.l3 && bit % 8 >= 4)
				; /* another IP version has other fields */
			else if (model_icrc_ok(f.data, f.l3, f.bth, f.len) !=
				 is_variant(&f, bit))
				fail_msg("byte %u, bit %u", bit / 8, bit % 8);
			f.data[bit / 8] ^= 1 << bit % 8;
		}
	}
}

static void every_flipped_bit_is_in_the_icrc(void **state)
{
	rig_each_family(state, flips_in_icrc);
}

/*
 * The device: the checksum of IP is made valid, so only the ICRC can detect the
 * flipped bit. Source MAC and priority may have any value.
 */
static void flips_on_the_wire(struct rig *r)
{
	struct model_pkt pkt = rig_pkt(r, MODEL_BTH_WRITE_ONLY);
	struct frame f;
	u32 bit;

	pkt.len = 70;
	pkt.dma_len = 70;
	rig_frame(r, &pkt, &f);
	for (bit = 0; bit < f.len * 8; bit++) {
		u32 byte = bit / 8;

		if ((byte >= 6 && byte < 12) ||
		    (f.l3 > MODEL_ETH_BYTES && byte == 14 && bit % 8 >= 4) ||
		    (byte >= f.l3 && is_variant(&f, bit)))
			continue;
		f.data[byte] ^= 1 << bit % 8;
		rig_fix_sum(&f);
		rig_dropped(r, &f, RIG_ANY);
		f.data[byte] ^= 1 << bit % 8;
	}
}

static void every_flipped_bit_is_dropped(void **state)
{
	rig_each_family(state, flips_on_the_wire);
}

/* Frames with changes that routers may make are accepted. */
static void changes_by_routers_are_accepted(struct rig *r)
{
	struct frame f;
	u32 bit;

	rig_good_frame(r, &f);
	for (bit = 0; bit < f.len * 8; bit++) {
		if (bit / 8 < f.l3 ? bit / 8 < 6 || bit / 8 >= 12 :
				     !is_variant(&f, bit))
			continue;
		f.data[bit / 8] ^= 1 << bit % 8;
		rig_fix_sum(&f);
		assert_int_equal(rig_receive(r, f.data, f.len), MODEL_RX_OK);
		f.data[bit / 8] ^= 1 << bit % 8;
	}
}

static void variant_bits_may_change(void **state)
{
	struct rig r;
	u8 gid;

	for (gid = 0; gid < RIG_FAMILIES; gid++) {
		rig_begin(state, &r, gid);
		changes_by_routers_are_accepted(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(truncated_at_every_byte, 2),
		WIRE_TEST(headers_cut_short, 2),
		WIRE_TEST(too_short_for_a_packet, 2),
		WIRE_TEST(wrong_versions, 2),
		WIRE_TEST(bad_lengths, 2),
		WIRE_TEST(bad_pads, 2),
		WIRE_TEST(unknown_opcodes, 2),
		WIRE_TEST(wrong_icrcs, 2),
		WIRE_TEST(foreign_queue_pairs, 2),
		WIRE_TEST(spoofed_and_foreign_addresses, 2),
		WIRE_TEST(fragments_and_options, 2),
		WIRE_TEST(oversized, 2),
		WIRE_TEST(unexpected_responses, 2),
		WIRE_TEST(states_that_do_not_receive, 2),
		WIRE_TEST(every_flipped_bit_is_in_the_icrc, 2),
		WIRE_TEST(every_flipped_bit_is_dropped, 2),
		WIRE_TEST(variant_bits_may_change, 2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
