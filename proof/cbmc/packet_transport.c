// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The device against hostile packets: the parser of transport headers,
 * model/packet/pkt.c, compiled unchanged. A stub stands for memcpy(): it proves
 * that the source can be read, and copies nothing, so that the fields of headers
 * have any values.
 *
 * CBMC: --unwind 4 --slice-formula
 */

#include "proof.h"
#include <linux/array_size.h>
#include <string.h>

static void check_copy(const void *to, const void *from, size_t len)
{
	PROVE(__CPROVER_r_ok(from, len) && __CPROVER_w_ok(to, len));
}

#define memcpy(to, from, len)	check_copy(to, from, len)

#include "packet/opcode.c"
#include "packet/pkt.c"

/* The longest transport headers, pad, and 16 bytes of payload */
#define PACKET_MAX	(12 + 4 + 28 + 3 + 16)

/*
 * Theorem: For any bytes behind a UDP header, the parser of the transport
 *	headers reads nothing behind the end of the packet; if it accepts the
 *	packet, then payload and pad lie behind the headers and reach exactly to
 *	the end.
 * Holds for: packets of 0 to 63 bytes, in which the longest headers and 16
 *	bytes of payload fit.
 * Assumes: nothing.
 */
static void transport_parser_stays_inside(void)
{
	u8 bytes[PACKET_MAX];
	u32 len = nondet_u32();
	const u8 *bth;
	struct model_pkt pkt;
	enum model_rx rx;

	ASSUME(len <= PACKET_MAX);
	/* the packet ends where the object ends */
	bth = bytes + PACKET_MAX - len;
	rx = model_pkt_parse(&pkt, bth, len);
	REACHABLE(len == 0);
	REACHABLE(rx == MODEL_RX_OK && pkt.op.hdr_len == 36 && pkt.len == 5);
	if (rx == MODEL_RX_OK) {
		PROVE(pkt.payload == bth + pkt.op.hdr_len);
		PROVE((u64)pkt.op.hdr_len + pkt.len <= len);
		PROVE((u64)pkt.op.hdr_len + pkt.len + 3 >= len);
	}
}
