/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Opcodes of the base transport header: what each packet is, which headers it
 * carries and where in a message it stands (IBTA 9.2, tables 38 and 39; annex
 * A14 for XRC, A17 for CNP, A19 for FLUSH and ATOMIC WRITE).
 *
 * Knows nothing of packets in memory nor of queue pairs.
 */
#ifndef XRDMA_MODEL_OPCODE_H
#define XRDMA_MODEL_OPCODE_H

#include <linux/bits.h>
#include <linux/types.h>

/* Transport: bits 7:5 of an opcode. */
#define XRDMA_BTH_RC			0x00
#define XRDMA_BTH_UC			0x20
#define XRDMA_BTH_UD			0x60
#define XRDMA_BTH_CNP			0x80
#define XRDMA_BTH_XRC			0xa0
#define XRDMA_BTH_TRANSPORT		0xe0

/* Operation: bits 4:0 of an opcode. */
enum xrdma_bth_op {
	XRDMA_BTH_SEND_FIRST		= 0x00,
	XRDMA_BTH_SEND_MIDDLE		= 0x01,
	XRDMA_BTH_SEND_LAST		= 0x02,
	XRDMA_BTH_SEND_LAST_IMM		= 0x03,
	XRDMA_BTH_SEND_ONLY		= 0x04,
	XRDMA_BTH_SEND_ONLY_IMM		= 0x05,
	XRDMA_BTH_WRITE_FIRST		= 0x06,
	XRDMA_BTH_WRITE_MIDDLE		= 0x07,
	XRDMA_BTH_WRITE_LAST		= 0x08,
	XRDMA_BTH_WRITE_LAST_IMM	= 0x09,
	XRDMA_BTH_WRITE_ONLY		= 0x0a,
	XRDMA_BTH_WRITE_ONLY_IMM	= 0x0b,
	XRDMA_BTH_READ_REQUEST		= 0x0c,
	XRDMA_BTH_READ_RESP_FIRST	= 0x0d,
	XRDMA_BTH_READ_RESP_MIDDLE	= 0x0e,
	XRDMA_BTH_READ_RESP_LAST	= 0x0f,
	XRDMA_BTH_READ_RESP_ONLY	= 0x10,
	XRDMA_BTH_ACK			= 0x11,
	XRDMA_BTH_ATOMIC_ACK		= 0x12,
	XRDMA_BTH_CMP_SWAP		= 0x13,
	XRDMA_BTH_FETCH_ADD		= 0x14,
	XRDMA_BTH_SEND_LAST_INV		= 0x16,
	XRDMA_BTH_SEND_ONLY_INV		= 0x17,
	XRDMA_BTH_FLUSH			= 0x1c,
	XRDMA_BTH_ATOMIC_WRITE		= 0x1d,
};

#define XRDMA_BTH_OP			0x1f

/* Notification of congestion: a whole opcode, of no transport. */
#define XRDMA_BTH_CNP_OPCODE		0x81

/* Extension headers, in the order in which they follow the BTH. */
#define XRDMA_HDR_DETH			BIT(0)
#define XRDMA_HDR_XRCETH		BIT(1)
#define XRDMA_HDR_FETH			BIT(2)
#define XRDMA_HDR_RETH			BIT(3)
#define XRDMA_HDR_ATOMIC		BIT(4)
#define XRDMA_HDR_AETH			BIT(5)
#define XRDMA_HDR_ATOMIC_ACK		BIT(6)
#define XRDMA_HDR_IMM			BIT(7)
#define XRDMA_HDR_IETH			BIT(8)
#define XRDMA_HDR_CNP			BIT(9)

#define XRDMA_BTH_BYTES			12
#define XRDMA_DETH_BYTES		8
#define XRDMA_XRCETH_BYTES		4
#define XRDMA_FETH_BYTES		4
#define XRDMA_RETH_BYTES		16
#define XRDMA_ATOMIC_BYTES		28
#define XRDMA_AETH_BYTES		4
#define XRDMA_ATOMIC_ACK_BYTES		8
#define XRDMA_IMM_BYTES			4
#define XRDMA_IETH_BYTES		4
#define XRDMA_CNP_BYTES			16

/* What a packet is. */
#define XRDMA_PKT_REQUEST		BIT(0)
#define XRDMA_PKT_RESPONSE		BIT(1)
#define XRDMA_PKT_FIRST			BIT(2) /* begins a message */
#define XRDMA_PKT_LAST			BIT(3) /* ends a message */
#define XRDMA_PKT_PAYLOAD		BIT(4) /* may carry payload */
#define XRDMA_PKT_SEND			BIT(5)
#define XRDMA_PKT_WRITE			BIT(6)
#define XRDMA_PKT_READ			BIT(7)
#define XRDMA_PKT_ATOMIC		BIT(8)
#define XRDMA_PKT_CNP			BIT(9)
#define XRDMA_PKT_FLUSH			BIT(10)
#define XRDMA_PKT_ATOMIC_WRITE		BIT(11)

#define XRDMA_PKT_ONLY			(XRDMA_PKT_FIRST | XRDMA_PKT_LAST)

/**
 * struct xrdma_opcode - facts of one opcode
 * @flags: XRDMA_PKT_*
 * @hdrs: XRDMA_HDR_* that follow the BTH
 * @hdr_len: bytes of BTH and those headers
 */
struct xrdma_opcode {
	u16 flags;
	u16 hdrs;
	u8 hdr_len;
};

bool xrdma_opcode_get(u8 opcode, struct xrdma_opcode *op);
const char *xrdma_opcode_name(u8 opcode);

#endif /* XRDMA_MODEL_OPCODE_H */
