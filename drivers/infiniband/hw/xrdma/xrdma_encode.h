/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA encoders and decoders: keys, key entries and commands, from CPU byte
 * order to that of the contract and back. Translation roots and entries are in
 * xrdma_xlat.h.
 * Pure layer: no locks, no allocation, no device; also compiles in user space.
 */

#ifndef XRDMA_ENCODE_H
#define XRDMA_ENCODE_H

#include <linux/bitfield.h>
#include "xrdma_hw.h"

/**
 * xrdma_make_key() - compose a key
 * @index: key index, 24 bits
 * @byte: key byte
 *
 * Return: the 32-bit key, which serves as lkey and as rkey.
 */
static inline u32 xrdma_make_key(u32 index, u8 byte)
{
	return FIELD_PREP(XRDMA_KEY_INDEX, index) |
	       FIELD_PREP(XRDMA_KEY_BYTE, byte);
}

/**
 * xrdma_key_index() - get the index of a key
 * @key: lkey or rkey
 *
 * Return: the key index, 24 bits.
 */
static inline u32 xrdma_key_index(u32 key)
{
	return FIELD_GET(XRDMA_KEY_INDEX, key);
}

/**
 * xrdma_key_byte() - get the key byte of a key
 * @key: lkey or rkey
 *
 * Return: the key byte, 8 bits.
 */
static inline u8 xrdma_key_byte(u32 key)
{
	return FIELD_GET(XRDMA_KEY_BYTE, key);
}

/**
 * xrdma_make_mpt_ctrl() - compose the ctrl word of a key entry
 * @state: enum xrdma_mpt_state
 * @type: enum xrdma_mpt_type
 * @key: the key; only its key byte is used
 * @pd: protection domain, 24 bits
 * @access: flags of enum xrdma_access
 *
 * Return: the word in CPU order. The caller may add XRDMA_MPT_IDENTITY,
 * XRDMA_MPT_DEVICE or XRDMA_MPT_PAGED.
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

/* A command without a body. The command ring sets the id of every command. */
static inline struct xrdma_cmd xrdma_make_cmd(u16 opcode)
{
	return (struct xrdma_cmd) { .opcode = cpu_to_le16(opcode) };
}

/**
 * xrdma_make_object_cmd() - encode a command that only names an object
 * @opcode: opcode with a body of struct xrdma_cmd_object, such as DESTROY_CQ
 * @number: number of the object
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
 * xrdma_make_invalidate() - encode INVALIDATE of a batch of keys
 * @addr: bus address of the array of key indexes
 * @count: number of key indexes, 1 to XRDMA_INVAL_MAX
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
 * xrdma_make_enable_odp() - encode ENABLE_ODP
 * @ring: bus address of the resume ring, aligned to 4 KiB
 * @log_entries: log2 of the number of entries of the resume ring
 * @eqn: number of the event queue of page faults
 *
 * Return: the command.
 */
static inline struct xrdma_cmd xrdma_make_enable_odp(u64 ring, u8 log_entries,
						     u32 eqn)
{
	return (struct xrdma_cmd) {
		.opcode = cpu_to_le16(XRDMA_CMD_ENABLE_ODP),
		.enable_odp = {
			.ring = cpu_to_le64(ring),
			.eqn = cpu_to_le32(eqn),
			.log_entries = log_entries,
		},
	};
}

/**
 * xrdma_make_invalidate_range() - encode INVALIDATE_RANGE of one range
 * @index: key index of the region
 * @pos: first position, a multiple of 4 KiB
 * @bytes: number of bytes, a multiple of 4 KiB
 *
 * Return: the command.
 */
static inline struct xrdma_cmd xrdma_make_invalidate_range(u32 index, u64 pos,
							   u64 bytes)
{
	return (struct xrdma_cmd) {
		.opcode = cpu_to_le16(XRDMA_CMD_INVALIDATE_RANGE),
		.invalidate_range = {
			.count = cpu_to_le32(1),
			.range[0] = {
				.key_index = cpu_to_le32(index),
				.pos = cpu_to_le64(pos),
				.bytes = cpu_to_le64(bytes),
			},
		},
	};
}

/**
 * xrdma_make_resume() - encode an answer to a page fault
 * @token: token of the page fault
 * @outcome: enum xrdma_resume_outcome
 *
 * Return: the entry of the resume ring.
 */
static inline struct xrdma_resume xrdma_make_resume(u32 token, u32 outcome)
{
	return (struct xrdma_resume) {
		.token = cpu_to_le32(token),
		.outcome = cpu_to_le32(outcome),
	};
}

/**
 * xrdma_make_create_eq() - encode CREATE_EQ
 * @eqn: number of the event queue
 * @vector: number of the MSI-X vector
 * @log_depth: log2 of the number of entries
 * @root: translation root of ring and record
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
 * xrdma_make_create_cq() - encode CREATE_CQ
 * @cqn: number of the completion queue
 * @eqn: number of the event queue for completion events
 * @db_page: number of the page of the doorbell BAR that may arm the queue
 * @log_depth: log2 of the number of entries
 * @root: translation root of ring and record
 *
 * Return: the command.
 */
static inline struct xrdma_cmd
xrdma_make_create_cq(u32 cqn, u32 eqn, u32 db_page, u8 log_depth, u64 root)
{
	return (struct xrdma_cmd) {
		.opcode = cpu_to_le16(XRDMA_CMD_CREATE_CQ),
		.create_cq = {
			.root = cpu_to_le64(root),
			.cqn = cpu_to_le32(cqn),
			.eqn = cpu_to_le32(eqn),
			.db_page = cpu_to_le32(db_page),
			.log_depth = log_depth,
		},
	};
}

/**
 * xrdma_make_mcast() - encode ATTACH_MCAST or DETACH_MCAST
 * @opcode: XRDMA_CMD_ATTACH_MCAST or XRDMA_CMD_DETACH_MCAST
 * @qpn: number of a datagram queue pair
 * @gid: GID of the group, 16 bytes in the byte order of the wire
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
 * xrdma_make_query_stats() - encode QUERY_STATS for the counters of the port
 * @addr: bus address of an array of @count 64-bit words, aligned to 8
 * @count: number of counters, 1 to XRDMA_NUM_STATS
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
