// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The opcode table. An operation means the same in every transport that has
 * it, so the table has one line for each operation, and one for each transport
 * that says which operations are its own and what it adds to their headers.
 */

#include "packet/opcode.h"

struct op_info {
	const char *name;
	u16 flags;
	u16 hdrs;
	u8 len;
};

#define F_REQ		(XRDMA_PKT_REQUEST)
#define F_RESP		(XRDMA_PKT_RESPONSE)
#define F_SEND		(XRDMA_PKT_REQUEST | XRDMA_PKT_PAYLOAD | XRDMA_PKT_SEND)
#define F_WRITE		(XRDMA_PKT_REQUEST | XRDMA_PKT_PAYLOAD | XRDMA_PKT_WRITE)
#define F_READ_RESP	(XRDMA_PKT_RESPONSE | XRDMA_PKT_PAYLOAD | XRDMA_PKT_READ)
#define F_ATOMIC	(XRDMA_PKT_REQUEST | XRDMA_PKT_ATOMIC | XRDMA_PKT_ONLY)

static const struct op_info ops[XRDMA_BTH_OP + 1] = {
	[XRDMA_BTH_SEND_FIRST] = {
		"SEND_FIRST", F_SEND | XRDMA_PKT_FIRST, 0, 0 },
	[XRDMA_BTH_SEND_MIDDLE] = {
		"SEND_MIDDLE", F_SEND, 0, 0 },
	[XRDMA_BTH_SEND_LAST] = {
		"SEND_LAST", F_SEND | XRDMA_PKT_LAST, 0, 0 },
	[XRDMA_BTH_SEND_LAST_IMM] = {
		"SEND_LAST_IMM", F_SEND | XRDMA_PKT_LAST,
		XRDMA_HDR_IMM, XRDMA_IMM_BYTES },
	[XRDMA_BTH_SEND_ONLY] = {
		"SEND_ONLY", F_SEND | XRDMA_PKT_ONLY, 0, 0 },
	[XRDMA_BTH_SEND_ONLY_IMM] = {
		"SEND_ONLY_IMM", F_SEND | XRDMA_PKT_ONLY,
		XRDMA_HDR_IMM, XRDMA_IMM_BYTES },
	[XRDMA_BTH_WRITE_FIRST] = {
		"WRITE_FIRST", F_WRITE | XRDMA_PKT_FIRST,
		XRDMA_HDR_RETH, XRDMA_RETH_BYTES },
	[XRDMA_BTH_WRITE_MIDDLE] = {
		"WRITE_MIDDLE", F_WRITE, 0, 0 },
	[XRDMA_BTH_WRITE_LAST] = {
		"WRITE_LAST", F_WRITE | XRDMA_PKT_LAST, 0, 0 },
	[XRDMA_BTH_WRITE_LAST_IMM] = {
		"WRITE_LAST_IMM", F_WRITE | XRDMA_PKT_LAST,
		XRDMA_HDR_IMM, XRDMA_IMM_BYTES },
	[XRDMA_BTH_WRITE_ONLY] = {
		"WRITE_ONLY", F_WRITE | XRDMA_PKT_ONLY,
		XRDMA_HDR_RETH, XRDMA_RETH_BYTES },
	[XRDMA_BTH_WRITE_ONLY_IMM] = {
		"WRITE_ONLY_IMM", F_WRITE | XRDMA_PKT_ONLY,
		XRDMA_HDR_RETH | XRDMA_HDR_IMM,
		XRDMA_RETH_BYTES + XRDMA_IMM_BYTES },
	[XRDMA_BTH_READ_REQUEST] = {
		"READ_REQUEST", F_REQ | XRDMA_PKT_READ | XRDMA_PKT_ONLY,
		XRDMA_HDR_RETH, XRDMA_RETH_BYTES },
	[XRDMA_BTH_READ_RESP_FIRST] = {
		"READ_RESP_FIRST", F_READ_RESP | XRDMA_PKT_FIRST,
		XRDMA_HDR_AETH, XRDMA_AETH_BYTES },
	[XRDMA_BTH_READ_RESP_MIDDLE] = {
		"READ_RESP_MIDDLE", F_READ_RESP, 0, 0 },
	[XRDMA_BTH_READ_RESP_LAST] = {
		"READ_RESP_LAST", F_READ_RESP | XRDMA_PKT_LAST,
		XRDMA_HDR_AETH, XRDMA_AETH_BYTES },
	[XRDMA_BTH_READ_RESP_ONLY] = {
		"READ_RESP_ONLY", F_READ_RESP | XRDMA_PKT_ONLY,
		XRDMA_HDR_AETH, XRDMA_AETH_BYTES },
	[XRDMA_BTH_ACK] = {
		"ACK", F_RESP | XRDMA_PKT_ONLY,
		XRDMA_HDR_AETH, XRDMA_AETH_BYTES },
	[XRDMA_BTH_ATOMIC_ACK] = {
		"ATOMIC_ACK", F_RESP | XRDMA_PKT_ATOMIC | XRDMA_PKT_ONLY,
		XRDMA_HDR_AETH | XRDMA_HDR_ATOMIC_ACK,
		XRDMA_AETH_BYTES + XRDMA_ATOMIC_ACK_BYTES },
	[XRDMA_BTH_CMP_SWAP] = {
		"CMP_SWAP", F_ATOMIC, XRDMA_HDR_ATOMIC, XRDMA_ATOMIC_BYTES },
	[XRDMA_BTH_FETCH_ADD] = {
		"FETCH_ADD", F_ATOMIC, XRDMA_HDR_ATOMIC, XRDMA_ATOMIC_BYTES },
	[XRDMA_BTH_SEND_LAST_INV] = {
		"SEND_LAST_INV", F_SEND | XRDMA_PKT_LAST,
		XRDMA_HDR_IETH, XRDMA_IETH_BYTES },
	[XRDMA_BTH_SEND_ONLY_INV] = {
		"SEND_ONLY_INV", F_SEND | XRDMA_PKT_ONLY,
		XRDMA_HDR_IETH, XRDMA_IETH_BYTES },
	[XRDMA_BTH_FLUSH] = {
		"FLUSH", F_REQ | XRDMA_PKT_FLUSH | XRDMA_PKT_ONLY,
		XRDMA_HDR_FETH | XRDMA_HDR_RETH,
		XRDMA_FETH_BYTES + XRDMA_RETH_BYTES },
	[XRDMA_BTH_ATOMIC_WRITE] = {
		"ATOMIC_WRITE", F_REQ | XRDMA_PKT_PAYLOAD |
		XRDMA_PKT_ATOMIC_WRITE | XRDMA_PKT_ONLY,
		XRDMA_HDR_RETH, XRDMA_RETH_BYTES },
};

/* CNP is an opcode of its own, not an operation of a transport. */
static const struct op_info cnp = {
	"CNP", XRDMA_PKT_CNP | XRDMA_PKT_ONLY, XRDMA_HDR_CNP, XRDMA_CNP_BYTES,
};

struct transport_info {
	u32 ops;
	u16 hdrs;
	u8 len;
};

#define OPS_SEND_WRITE	GENMASK(XRDMA_BTH_WRITE_ONLY_IMM, XRDMA_BTH_SEND_FIRST)
#define OPS_RELIABLE	(GENMASK(XRDMA_BTH_FETCH_ADD, XRDMA_BTH_SEND_FIRST) | \
			 BIT(XRDMA_BTH_SEND_LAST_INV) | \
			 BIT(XRDMA_BTH_SEND_ONLY_INV) | \
			 BIT(XRDMA_BTH_FLUSH) | BIT(XRDMA_BTH_ATOMIC_WRITE))
#define OPS_DATAGRAM	(BIT(XRDMA_BTH_SEND_ONLY) | \
			 BIT(XRDMA_BTH_SEND_ONLY_IMM))

static const struct transport_info transports[8] = {
	[XRDMA_BTH_RC >> 5] = { OPS_RELIABLE, 0, 0 },
	[XRDMA_BTH_UC >> 5] = { OPS_SEND_WRITE, 0, 0 },
	[XRDMA_BTH_UD >> 5] = {
		OPS_DATAGRAM, XRDMA_HDR_DETH, XRDMA_DETH_BYTES },
	[XRDMA_BTH_CNP >> 5] = { BIT(1), 0, 0 },
	[XRDMA_BTH_XRC >> 5] = {
		OPS_RELIABLE, XRDMA_HDR_XRCETH, XRDMA_XRCETH_BYTES },
};

static const struct op_info *op_info(u8 opcode)
{
	if ((opcode & XRDMA_BTH_TRANSPORT) == XRDMA_BTH_CNP)
		return &cnp;
	return &ops[opcode & XRDMA_BTH_OP];
}

static bool opcode_exists(u8 opcode)
{
	return transports[opcode >> 5].ops >> (opcode & XRDMA_BTH_OP) & 1;
}

/**
 * xrdma_opcode_get() - facts of an opcode
 * @opcode: first byte of a BTH
 * @op: filled in
 *
 * Return: false if there is no such opcode; @op is then untouched.
 */
bool xrdma_opcode_get(u8 opcode, struct xrdma_opcode *op)
{
	const struct transport_info *transport = &transports[opcode >> 5];
	const struct op_info *info = op_info(opcode);

	if (!opcode_exists(opcode))
		return false;
	op->flags = info->flags;
	op->hdrs = info->hdrs;
	op->hdr_len = XRDMA_BTH_BYTES + info->len;
	if (info->flags & XRDMA_PKT_REQUEST) {
		op->hdrs |= transport->hdrs;
		op->hdr_len += transport->len;
	}
	return true;
}

/**
 * xrdma_opcode_name() - name of the operation of an opcode
 * @opcode: first byte of a BTH
 *
 * Return: the name without the transport, "unknown" if there is none.
 */
const char *xrdma_opcode_name(u8 opcode)
{
	return opcode_exists(opcode) ? op_info(opcode)->name : "unknown";
}
