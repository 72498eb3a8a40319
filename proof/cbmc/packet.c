// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The device against hostile frames: the parsers of model/packet/, compiled
 * unchanged, on frames of any bytes and any length up to that of the longest
 * headers and 16 bytes of payload. The parser of transport headers is in
 * packet_transport.c.
 *
 * CBMC: --unwind 24 --object-bits 12 --slice-formula
 * Time limit: 300 s
 */

#include "proof.h"
#include <linux/array_size.h>
#include "packet/net.c"
#include "packet/opcode.c"
#include "packet/pkt.c"

/* Ethernet, VLAN, IPv6, UDP, BTH, XRCETH, AtomicETH, 16 bytes, ICRC */
#define FRAME_MAX	(MODEL_NET_MAX + 12 + 4 + 28 + 16 + 4)

void *malloc(size_t size);

/* An object of @len bytes of any values; each access outside of it is an error. */
static u8 *any_bytes(u32 len)
{
	u8 *bytes = malloc(len);

	ASSUME(bytes);
	return bytes;
}

/*
 * Theorem: For any bytes of a frame, the parser of the Ethernet, IP and UDP
 *	headers reads only inside the frame; if it accepts the frame, then a
 *	BTH and an ICRC lie behind the UDP header and inside the frame.
 * Holds for: frames of 0 to 130 bytes.
 * Assumes: nothing.
 */
static void net_parser_stays_inside(void)
{
	u32 len = nondet_u32();
	struct model_net net;
	enum model_rx rx;
	u8 *frame;

	ASSUME(len <= FRAME_MAX);
	frame = any_bytes(len);
	rx = model_net_parse(&net, frame, len);
	REACHABLE(rx == MODEL_RX_OK && net.is_ipv4);
	REACHABLE(rx == MODEL_RX_OK && !net.is_ipv4 && net.has_vlan);
	REACHABLE(rx == MODEL_RX_UDP_LENGTH);
	if (rx == MODEL_RX_OK) {
		PROVE(net.l3 + 20 <= net.l4 && net.bth == net.l4 + 8);
		PROVE(net.bth + 12 + 4 <= net.end && net.end <= len);
		PROVE((net.end - net.bth) % 4 == 0);
	}
}

/*
 * Theorem: The length of the headers of an opcode is that of the BTH and of the
 *	extension headers that follow.
 * Holds for: all opcodes.
 * Assumes: nothing.
 */
static void header_lengths_add_up(void)
{
	struct model_opcode op;
	u8 opcode = nondet_u8();
	u32 len = MODEL_BTH_BYTES;
	u32 i;

	ASSUME(model_opcode_get(opcode, &op));
	for (i = 0; i < ARRAY_SIZE(hdrs); i++)
		if (op.hdrs >> i & 1)
			len += hdrs[i].len;
	REACHABLE(len == 12 + 4 + 28);
	REACHABLE(len == 12);
	PROVE(op.hdr_len == len);
	PROVE(op.hdrs >> ARRAY_SIZE(hdrs) == 0);
}
