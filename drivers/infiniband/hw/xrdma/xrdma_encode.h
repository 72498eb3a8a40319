/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA constructors and decoders, CPU order to contract order and back.
 * Pure layer: no locks, no allocation, no device; also compiles in user space.
 */

#ifndef XRDMA_ENCODE_H
#define XRDMA_ENCODE_H

#include <linux/bitfield.h>
#include "xrdma_hw.h"

/**
 * xrdma_make_key() - key from its parts
 * @index: key index, 24 bits
 * @byte: key byte
 *
 * Return: the 32-bit lkey and rkey.
 */
static inline u32 xrdma_make_key(u32 index, u8 byte)
{
	return FIELD_PREP(XRDMA_KEY_INDEX, index) |
	       FIELD_PREP(XRDMA_KEY_BYTE, byte);
}

/**
 * xrdma_key_index() - index of a key
 * @key: lkey or rkey
 *
 * Return: 24 bits.
 */
static inline u32 xrdma_key_index(u32 key)
{
	return FIELD_GET(XRDMA_KEY_INDEX, key);
}

/**
 * xrdma_key_byte() - key byte of a key
 * @key: lkey or rkey
 *
 * Return: 8 bits.
 */
static inline u8 xrdma_key_byte(u32 key)
{
	return FIELD_GET(XRDMA_KEY_BYTE, key);
}

/**
 * xrdma_make_mpt_ctrl() - first word of a key entry
 * @state: enum xrdma_mpt_state
 * @type: enum xrdma_mpt_type
 * @key: the key, of which the byte is used
 * @pd: protection domain, 24 bits
 * @access: enum xrdma_access
 *
 * Return: the word; XRDMA_MPT_IDENTITY or XRDMA_MPT_DEVICE may be added.
 */
static inline u64 xrdma_make_mpt_ctrl(u8 state, u8 type, u32 key, u32 pd,
				      u16 access)
{
	return FIELD_PREP(XRDMA_MPT_KEY_BYTE, xrdma_key_byte(key)) |
	       FIELD_PREP(XRDMA_MPT_STATE, state) |
	       FIELD_PREP(XRDMA_MPT_TYPE, type) |
	       FIELD_PREP(XRDMA_MPT_ACCESS, access) |
	       FIELD_PREP(XRDMA_MPT_PD, pd);
}

/* A command with nothing but its opcode; the ring adds the id. */
static inline struct xrdma_cmd xrdma_make_cmd(u16 opcode)
{
	return (struct xrdma_cmd) { .opcode = cpu_to_le16(opcode) };
}

/**
 * xrdma_make_object_cmd() - command that only names an object
 * @opcode: DESTROY_EQ, DESTROY_CQ, QUERY_QP, DESTROY_QP and the like
 * @number: of the object
 *
 * Return: the command.
 */
static inline struct xrdma_cmd xrdma_make_object_cmd(u16 opcode, u32 number)
{
	return (struct xrdma_cmd) {
		.opcode = cpu_to_le16(opcode),
		.object = { .number = cpu_to_le32(number) },
	};
}

/**
 * xrdma_make_invalidate() - INVALIDATE of a batch of keys
 * @addr: bus address of the array of indexes
 * @count: 1 to XRDMA_INVAL_MAX
 *
 * Return: the command.
 */
static inline struct xrdma_cmd xrdma_make_invalidate(u64 addr, u32 count)
{
	return (struct xrdma_cmd) {
		.opcode = cpu_to_le16(XRDMA_CMD_INVALIDATE),
		.invalidate = {
			.addr = cpu_to_le64(addr),
			.count = cpu_to_le32(count),
		},
	};
}

/**
 * xrdma_make_create_eq() - CREATE_EQ
 * @eqn: number
 * @vector: MSI-X vector
 * @log_depth: log2 of the entries
 * @root: translation of ring and record
 *
 * Return: the command.
 */
static inline struct xrdma_cmd
xrdma_make_create_eq(u32 eqn, u16 vector, u8 log_depth, u64 root)
{
	return (struct xrdma_cmd) {
		.opcode = cpu_to_le16(XRDMA_CMD_CREATE_EQ),
		.create_eq = {
			.root = cpu_to_le64(root),
			.eqn = cpu_to_le32(eqn),
			.vector = cpu_to_le16(vector),
			.log_depth = log_depth,
		},
	};
}

/**
 * xrdma_make_create_cq() - CREATE_CQ
 * @cqn: number
 * @eqn: event queue of its completion events
 * @log_depth: log2 of the entries
 * @root: translation of ring and record
 *
 * Return: the command.
 */
static inline struct xrdma_cmd
xrdma_make_create_cq(u32 cqn, u32 eqn, u8 log_depth, u64 root)
{
	return (struct xrdma_cmd) {
		.opcode = cpu_to_le16(XRDMA_CMD_CREATE_CQ),
		.create_cq = {
			.root = cpu_to_le64(root),
			.cqn = cpu_to_le32(cqn),
			.eqn = cpu_to_le32(eqn),
			.log_depth = log_depth,
		},
	};
}

/**
 * xrdma_make_mcast() - ATTACH_MCAST or DETACH_MCAST
 * @opcode: of either
 * @qpn: a datagram queue pair
 * @gid: of the group, 16 bytes as on the wire
 *
 * Return: the command.
 */
static inline struct xrdma_cmd xrdma_make_mcast(u16 opcode, u32 qpn,
						const u8 *gid)
{
	struct xrdma_cmd cmd = {
		.opcode = cpu_to_le16(opcode),
		.mcast = { .qpn = cpu_to_le32(qpn) },
	};

	__builtin_memcpy(cmd.mcast.gid, gid, sizeof(cmd.mcast.gid));
	return cmd;
}

/**
 * xrdma_make_query_stats() - QUERY_STATS
 * @addr: bus address of the array, aligned to 8
 * @count: counters wanted, 1 to XRDMA_NUM_STATS
 *
 * Return: the command.
 */
static inline struct xrdma_cmd xrdma_make_query_stats(u64 addr, u32 count)
{
	return (struct xrdma_cmd) {
		.opcode = cpu_to_le16(XRDMA_CMD_QUERY_STATS),
		.query_stats = {
			.addr = cpu_to_le64(addr),
			.count = cpu_to_le32(count),
		},
	};
}

#endif /* XRDMA_ENCODE_H */
