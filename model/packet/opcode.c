// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The opcode tables. An operation has the same meaning in every transport that
 * supports it, so one table has a line for each operation. The second table has
 * a line for each transport, with the operations that the transport supports
 * and the header that the transport adds to requests.
 */

#include "packet/opcode.h"

struct op_info {
	const char *name;
	u16 flags;
	u16 hdrs;
	u8 len;
};

#define F_REQ		(MODEL_PKT_REQUEST)
#define F_RESP		(MODEL_PKT_RESPONSE)
#define F_SEND		(MODEL_PKT_REQUEST | MODEL_PKT_PAYLOAD | MODEL_PKT_SEND)
#define F_WRITE		(MODEL_PKT_REQUEST | MODEL_PKT_PAYLOAD | MODEL_PKT_WRITE)
#define F_READ_RESP	(MODEL_PKT_RESPONSE | MODEL_PKT_PAYLOAD | MODEL_PKT_READ)
#define F_ATOMIC	(MODEL_PKT_REQUEST | MODEL_PKT_ATOMIC | MODEL_PKT_ONLY)

static const struct op_info ops[MODEL_BTH_OP + 1] = {
	[MODEL_BTH_SEND_FIRST] = {
		"SEND_FIRST", F_SEND | MODEL_PKT_FIRST, 0, 0 },
	[MODEL_BTH_SEND_MIDDLE] = {
		"SEND_MIDDLE", F_SEND, 0, 0 },
	[MODEL_BTH_SEND_LAST] = {
		"SEND_LAST", F_SEND | MODEL_PKT_LAST, 0, 0 },
	[MODEL_BTH_SEND_LAST_IMM] = {
		"SEND_LAST_IMM", F_SEND | MODEL_PKT_LAST,
		MODEL_HDR_IMM, MODEL_IMM_BYTES },
	[MODEL_BTH_SEND_ONLY] = {
		"SEND_ONLY", F_SEND | MODEL_PKT_ONLY, 0, 0 },
	[MODEL_BTH_SEND_ONLY_IMM] = {
		"SEND_ONLY_IMM", F_SEND | MODEL_PKT_ONLY,
		MODEL_HDR_IMM, MODEL_IMM_BYTES },
	[MODEL_BTH_WRITE_FIRST] = {
		"WRITE_FIRST", F_WRITE | MODEL_PKT_FIRST,
		MODEL_HDR_RETH, MODEL_RETH_BYTES },
	[MODEL_BTH_WRITE_MIDDLE] = {
		"WRITE_MIDDLE", F_WRITE, 0, 0 },
	[MODEL_BTH_WRITE_LAST] = {
		"WRITE_LAST", F_WRITE | MODEL_PKT_LAST, 0, 0 },
	[MODEL_BTH_WRITE_LAST_IMM] = {
		"WRITE_LAST_IMM", F_WRITE | MODEL_PKT_LAST,
		MODEL_HDR_IMM, MODEL_IMM_BYTES },
	[MODEL_BTH_WRITE_ONLY] = {
		"WRITE_ONLY", F_WRITE | MODEL_PKT_ONLY,
		MODEL_HDR_RETH, MODEL_RETH_BYTES },
	[MODEL_BTH_WRITE_ONLY_IMM] = {
		"WRITE_ONLY_IMM", F_WRITE | MODEL_PKT_ONLY,
		MODEL_HDR_RETH | MODEL_HDR_IMM,
		MODEL_RETH_BYTES + MODEL_IMM_BYTES },
	[MODEL_BTH_READ_REQUEST] = {
		"READ_REQUEST", F_REQ | MODEL_PKT_READ | MODEL_PKT_ONLY,
		MODEL_HDR_RETH, MODEL_RETH_BYTES },
	[MODEL_BTH_READ_RESP_FIRST] = {
		"READ_RESP_FIRST", F_READ_RESP | MODEL_PKT_FIRST,
		MODEL_HDR_AETH, MODEL_AETH_BYTES },
	[MODEL_BTH_READ_RESP_MIDDLE] = {
		"READ_RESP_MIDDLE", F_READ_RESP, 0, 0 },
	[MODEL_BTH_READ_RESP_LAST] = {
		"READ_RESP_LAST", F_READ_RESP | MODEL_PKT_LAST,
		MODEL_HDR_AETH, MODEL_AETH_BYTES },
	[MODEL_BTH_READ_RESP_ONLY] = {
		"READ_RESP_ONLY", F_READ_RESP | MODEL_PKT_ONLY,
		MODEL_HDR_AETH, MODEL_AETH_BYTES },
	[MODEL_BTH_ACK] = {
		"ACK", F_RESP | MODEL_PKT_ONLY,
		MODEL_HDR_AETH, MODEL_AETH_BYTES },
	[MODEL_BTH_ATOMIC_ACK] = {
		"ATOMIC_ACK", F_RESP | MODEL_PKT_ATOMIC | MODEL_PKT_ONLY,
		MODEL_HDR_AETH | MODEL_HDR_ATOMIC_ACK,
		MODEL_AETH_BYTES + MODEL_ATOMIC_ACK_BYTES },
	[MODEL_BTH_CMP_SWAP] = {
		"CMP_SWAP", F_ATOMIC, MODEL_HDR_ATOMIC, MODEL_ATOMIC_BYTES },
	[MODEL_BTH_FETCH_ADD] = {
		"FETCH_ADD", F_ATOMIC, MODEL_HDR_ATOMIC, MODEL_ATOMIC_BYTES },
	[MODEL_BTH_SEND_LAST_INV] = {
		"SEND_LAST_INV", F_SEND | MODEL_PKT_LAST,
		MODEL_HDR_IETH, MODEL_IETH_BYTES },
	[MODEL_BTH_SEND_ONLY_INV] = {
		"SEND_ONLY_INV", F_SEND | MODEL_PKT_ONLY,
		MODEL_HDR_IETH, MODEL_IETH_BYTES },
	[MODEL_BTH_FLUSH] = {
		"FLUSH", F_REQ | MODEL_PKT_FLUSH | MODEL_PKT_ONLY,
		MODEL_HDR_FETH | MODEL_HDR_RETH,
		MODEL_FETH_BYTES + MODEL_RETH_BYTES },
	[MODEL_BTH_ATOMIC_WRITE] = {
		"ATOMIC_WRITE", F_REQ | MODEL_PKT_PAYLOAD |
		MODEL_PKT_ATOMIC_WRITE | MODEL_PKT_ONLY,
		MODEL_HDR_RETH, MODEL_RETH_BYTES },
};

/* CNP is a complete opcode, not an operation of a transport. */
static const struct op_info cnp = {
	"CNP", MODEL_PKT_CNP | MODEL_PKT_ONLY, MODEL_HDR_CNP, MODEL_CNP_BYTES,
};

struct transport_info {
	u32 ops;
	u16 hdrs;
	u8 len;
};

#define OPS_SEND_WRITE	GENMASK(MODEL_BTH_WRITE_ONLY_IMM, MODEL_BTH_SEND_FIRST)
#define OPS_RELIABLE	(GENMASK(MODEL_BTH_FETCH_ADD, MODEL_BTH_SEND_FIRST) | \
			 BIT(MODEL_BTH_SEND_LAST_INV) | \
			 BIT(MODEL_BTH_SEND_ONLY_INV) | \
			 BIT(MODEL_BTH_FLUSH) | BIT(MODEL_BTH_ATOMIC_WRITE))
#define OPS_DATAGRAM	(BIT(MODEL_BTH_SEND_ONLY) | \
			 BIT(MODEL_BTH_SEND_ONLY_IMM))

static const struct transport_info transports[8] = {
	[MODEL_BTH_RC >> 5] = { OPS_RELIABLE, 0, 0 },
	[MODEL_BTH_UC >> 5] = { OPS_SEND_WRITE, 0, 0 },
	[MODEL_BTH_UD >> 5] = {
		OPS_DATAGRAM, MODEL_HDR_DETH, MODEL_DETH_BYTES },
	[MODEL_BTH_CNP >> 5] = { BIT(1), 0, 0 },
	[MODEL_BTH_XRC >> 5] = {
		OPS_RELIABLE, MODEL_HDR_XRCETH, MODEL_XRCETH_BYTES },
};

static const struct op_info *op_info(u8 opcode)
{
	if ((opcode & MODEL_BTH_TRANSPORT) == MODEL_BTH_CNP)
		return &cnp;
	return &ops[opcode & MODEL_BTH_OP];
}

static bool opcode_exists(u8 opcode)
{
	return transports[opcode >> 5].ops >> (opcode & MODEL_BTH_OP) & 1;
}

/**
 * model_opcode_get() - get the properties of an opcode
 * @opcode: first byte of a BTH
 * @op: filled in, unless the opcode is unknown
 *
 * Return: false if the opcode is unknown.
 */
bool model_opcode_get(u8 opcode, struct model_opcode *op)
{
	const struct transport_info *transport = &transports[opcode >> 5];
	const struct op_info *info = op_info(opcode);

	if (!opcode_exists(opcode))
		return false;
	op->flags = info->flags;
	op->hdrs = info->hdrs;
	op->hdr_len = MODEL_BTH_BYTES + info->len;
	if (info->flags & MODEL_PKT_REQUEST) {
		op->hdrs |= transport->hdrs;
		op->hdr_len += transport->len;
	}
	return true;
}

/**
 * model_opcode_name() - get the name of the operation of an opcode
 * @opcode: first byte of a BTH
 *
 * Return: the name without the transport, or "unknown".
 */
const char *model_opcode_name(u8 opcode)
{
	return opcode_exists(opcode) ? op_info(opcode)->name : "unknown";
}
