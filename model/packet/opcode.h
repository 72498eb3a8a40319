/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Opcodes of the base transport header: the kind of each packet, its extension
 * headers and its place in a message (IBTA 9.2, tables 38 and 39; annex A14 for
 * XRC, A17 for CNP, A19 for FLUSH and ATOMIC WRITE).
 *
 * The headers themselves are parsed and written in packet/pkt.c.
 */
#ifndef MODEL_OPCODE_H
#define MODEL_OPCODE_H

#include <linux/bits.h>
#include <linux/types.h>

/* Transport: bits 7:5 of an opcode. */
#define MODEL_BTH_RC			0x00
#define MODEL_BTH_UC			0x20
#define MODEL_BTH_UD			0x60
#define MODEL_BTH_CNP			0x80
#define MODEL_BTH_XRC			0xa0
#define MODEL_BTH_TRANSPORT		0xe0

/* Operation: bits 4:0 of an opcode. */
enum model_bth_op {
	MODEL_BTH_SEND_FIRST		= 0x00,
	MODEL_BTH_SEND_MIDDLE		= 0x01,
	MODEL_BTH_SEND_LAST		= 0x02,
	MODEL_BTH_SEND_LAST_IMM		= 0x03,
	MODEL_BTH_SEND_ONLY		= 0x04,
	MODEL_BTH_SEND_ONLY_IMM		= 0x05,
	MODEL_BTH_WRITE_FIRST		= 0x06,
	MODEL_BTH_WRITE_MIDDLE		= 0x07,
	MODEL_BTH_WRITE_LAST		= 0x08,
	MODEL_BTH_WRITE_LAST_IMM	= 0x09,
	MODEL_BTH_WRITE_ONLY		= 0x0a,
	MODEL_BTH_WRITE_ONLY_IMM	= 0x0b,
	MODEL_BTH_READ_REQUEST		= 0x0c,
	MODEL_BTH_READ_RESP_FIRST	= 0x0d,
	MODEL_BTH_READ_RESP_MIDDLE	= 0x0e,
	MODEL_BTH_READ_RESP_LAST	= 0x0f,
	MODEL_BTH_READ_RESP_ONLY	= 0x10,
	MODEL_BTH_ACK			= 0x11,
	MODEL_BTH_ATOMIC_ACK		= 0x12,
	MODEL_BTH_CMP_SWAP		= 0x13,
	MODEL_BTH_FETCH_ADD		= 0x14,
	MODEL_BTH_SEND_LAST_INV		= 0x16,
	MODEL_BTH_SEND_ONLY_INV		= 0x17,
	MODEL_BTH_FLUSH			= 0x1c,
	MODEL_BTH_ATOMIC_WRITE		= 0x1d,
};

#define MODEL_BTH_OP			0x1f

/* Congestion notification packet: an opcode of 8 bits, for all transports. */
#define MODEL_BTH_CNP_OPCODE		0x81

/* Extension headers, in the order in which they follow the BTH. */
#define MODEL_HDR_DETH			BIT(0)
#define MODEL_HDR_XRCETH		BIT(1)
#define MODEL_HDR_FETH			BIT(2)
#define MODEL_HDR_RETH			BIT(3)
#define MODEL_HDR_ATOMIC		BIT(4)
#define MODEL_HDR_AETH			BIT(5)
#define MODEL_HDR_ATOMIC_ACK		BIT(6)
#define MODEL_HDR_IMM			BIT(7)
#define MODEL_HDR_IETH			BIT(8)
#define MODEL_HDR_CNP			BIT(9)

#define MODEL_BTH_BYTES			12
#define MODEL_DETH_BYTES		8
#define MODEL_XRCETH_BYTES		4
#define MODEL_FETH_BYTES		4
#define MODEL_RETH_BYTES		16
#define MODEL_ATOMIC_BYTES		28
#define MODEL_AETH_BYTES		4
#define MODEL_ATOMIC_ACK_BYTES		8
#define MODEL_IMM_BYTES			4
#define MODEL_IETH_BYTES		4
#define MODEL_CNP_BYTES			16

/* Kind of a packet. */
#define MODEL_PKT_REQUEST		BIT(0)
#define MODEL_PKT_RESPONSE		BIT(1)
#define MODEL_PKT_FIRST			BIT(2) /* begins a message */
#define MODEL_PKT_LAST			BIT(3) /* ends a message */
#define MODEL_PKT_PAYLOAD		BIT(4) /* may carry payload */
#define MODEL_PKT_SEND			BIT(5)
#define MODEL_PKT_WRITE			BIT(6)
#define MODEL_PKT_READ			BIT(7)
#define MODEL_PKT_ATOMIC		BIT(8)
#define MODEL_PKT_CNP			BIT(9)
#define MODEL_PKT_FLUSH			BIT(10)
#define MODEL_PKT_ATOMIC_WRITE		BIT(11)

#define MODEL_PKT_ONLY			(MODEL_PKT_FIRST | MODEL_PKT_LAST)

/**
 * struct model_opcode - properties of one opcode
 * @flags: MODEL_PKT_* bits
 * @hdrs: MODEL_HDR_* bits of the headers that follow the BTH
 * @hdr_len: bytes of the BTH and the headers in @hdrs
 */
struct model_opcode {
	u16 flags;
	u16 hdrs;
	u8 hdr_len;
};

bool model_opcode_get(u8 opcode, struct model_opcode *op);
const char *model_opcode_name(u8 opcode);

#endif /* MODEL_OPCODE_H */
