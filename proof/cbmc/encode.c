// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The encoders of xrdma_encode.h and xrdma_xlat.h, read back by the bits of the
 * tables of the specification. Golden bytes in kunit/ and model/tests/ check the
 * offsets of fields.
 */

#include <string.h>
#include "proof.h"
#include "xrdma_encode.h"
#include "xrdma_hw_cmd.h"
#include "xrdma_xlat.h"

/*
 * Theorem: A key holds its index in bits 31:8 and its key byte in bits 7:0; to
 *	compose a key from its two parts gives the key.
 * Holds for: all inputs.
 * Assumes: the index has at most 24 bits.
 */
static void keys_are_composed_and_taken_apart(void)
{
	u32 index = nondet_u32();
	u8 byte = nondet_u8();
	u32 key = nondet_u32();

	ASSUME(index < 1 << 24);
	REACHABLE(index == 0xffffff);
	PROVE(xrdma_make_key(index, byte) == (index << 8 | byte));
	PROVE(xrdma_key_index(xrdma_make_key(index, byte)) == index);
	PROVE(xrdma_key_byte(xrdma_make_key(index, byte)) == byte);
	PROVE(xrdma_make_key(xrdma_key_index(key), xrdma_key_byte(key)) == key);
}

/*
 * Theorem: The first word of a key entry holds key byte, state, type, rights and
 *	protection domain at their bits, and zeros in bits 63:56.
 * Holds for: all inputs.
 * Assumes: state and type have at most 4 bits, the protection domain 24.
 */
static void key_entries_hold_their_fields(void)
{
	u8 state = nondet_u8(), type = nondet_u8();
	u32 key = nondet_u32(), pd = nondet_u32();
	u16 access = nondet_u16();
	u64 ctrl = xrdma_make_mpt_ctrl(state, type, key, pd, access);

	ASSUME(state < 16 && type < 16 && pd < 1 << 24);
	REACHABLE(ctrl >> 55 == 1);
	PROVE((ctrl & 0xff) == (key & 0xff));
	PROVE((ctrl >> 8 & 0xf) == state);
	PROVE((ctrl >> 12 & 0xf) == type);
	PROVE((ctrl >> 16 & 0xffff) == access);
	PROVE((ctrl >> 32 & 0xffffff) == pd);
	PROVE(ctrl >> 56 == 0);
}

/*
 * Theorem: A root and the entries of tables hold address, level and leaf size at
 *	their bits; a root of tables is legal exactly for 1 to 4 levels and
 *	leaves of 4 KiB to 1 GiB.
 * Holds for: all inputs.
 * Assumes: the address is a multiple of 4 KiB, the level has at most 3 bits, the
 *	leaf size 6.
 */
static void roots_and_entries_hold_their_fields(void)
{
	u64 addr = nondet_u64() << 12;
	u8 level = nondet_u8(), leaf = nondet_u8();
	u64 root = xrdma_make_root(addr, level, leaf);

	ASSUME(level < 8 && leaf < 64);
	REACHABLE(level == 4 && xrdma_root_ok(root));
	PROVE((root & 7) == level && (root >> 3 & 0x3f) == leaf);
	PROVE((root & ~0xfffULL) == addr && (root & 0xe00) == 0);
	PROVE(!level || xrdma_root_ok(root) ==
			(level <= 4 && leaf >= 12 && leaf <= 30));
	PROVE(xrdma_make_mtt_block(addr) == (addr | 3));
	PROVE(xrdma_make_mtt_table(addr) == (addr | 1));
}

/*
 * Theorem: A root is legal exactly if it has no reserved bit, at most 4 levels
 *	and leaves of 4 KiB to 1 GiB, and a root without tables names a block
 *	that is aligned to its size; a root maps exactly the positions below
 *	1 << (leaf + 9 x levels).
 * Holds for: all words, all positions.
 * Assumes: nothing.
 */
static void root_checks_are_exact(void)
{
	u64 root = nondet_u64(), pos = nondet_u64();
	u8 level = root & 7, leaf = root >> 3 & 0x3f;
	bool legal = !(root & 0xe00) && level <= 4 && leaf >= 12 && leaf <= 30;

	if (legal && !level)
		legal = (root & ~0xfffULL) % (1ULL << leaf) == 0;
	REACHABLE(legal && leaf + 9 * level == 66);
	REACHABLE(legal && !xrdma_root_covers(root, pos));
	PROVE(xrdma_root_ok(root) == legal);
	ASSUME(legal);
	PROVE(xrdma_root_covers(root, pos) ==
	      (pos < (__uint128_t)1 << (leaf + 9 * level)));
}

/*
 * Theorem: An entry of a table is legal exactly if it has no reserved bit, is no
 *	table in a table of level 1, and is no block that is not aligned to
 *	its size.
 * Holds for: all words, all levels and leaf sizes of a legal root.
 * Assumes: the entry is valid.
 */
static void entry_check_is_exact(void)
{
	u64 entry = nondet_u64();
	u8 level = nondet_u8(), leaf = nondet_u8();
	u64 addr = entry & ~0xfffULL;
	bool legal;

	ASSUME(level >= 1 && level <= 4 && leaf >= 12 && leaf <= 30);
	ASSUME(entry & 1);
	if (entry & 2)
		legal = addr % (1ULL << (leaf + 9 * (level - 1))) == 0;
	else
		legal = level > 1;
	legal = legal && !(entry & 0xffc);
	REACHABLE(legal && entry & 2 && level == 4);
	REACHABLE(legal && !(entry & 2));
	PROVE(xrdma_mtt_ok(entry, level, leaf) == legal);
}

/*
 * Theorem: The commands INVALIDATE, CREATE_EQ, CREATE_CQ, QUERY_STATS and those
 *	that name an object hold each argument in its field, and zeros in all
 *	other fields of the body and of the header.
 * Holds for: all inputs.
 * Assumes: nothing. The theorem says nothing about bytes of the command behind
 *	the body, which C leaves unspecified for a union.
 */
static void commands_hold_their_fields(void)
{
	u64 a = nondet_u64();
	u32 n = nondet_u32(), m = nondet_u32();
	u16 op = nondet_u16();
	u8 log = nondet_u8();
	struct xrdma_cmd cmd = xrdma_make_object_cmd(op, n);

	REACHABLE(a >> 63 && n >> 31);
	PROVE(cmd.opcode == op && !cmd.id && !cmd.reserved);
	PROVE(cmd.object.number == n);
	cmd = xrdma_make_invalidate(a, n);
	PROVE(cmd.opcode == XRDMA_CMD_INVALIDATE && !cmd.id && !cmd.reserved);
	PROVE(cmd.invalidate.addr == a && cmd.invalidate.count == n);
	PROVE(!cmd.invalidate.reserved);
	cmd = xrdma_make_create_eq(n, op, log, a);
	PROVE(cmd.opcode == XRDMA_CMD_CREATE_EQ && !cmd.id && !cmd.reserved);
	PROVE(cmd.create_eq.root == a && cmd.create_eq.eqn == n);
	PROVE(cmd.create_eq.vector == op && cmd.create_eq.log_depth == log);
	PROVE(!cmd.create_eq.reserved);
	cmd = xrdma_make_create_cq(n, m, ~n, log, a);
	PROVE(cmd.opcode == XRDMA_CMD_CREATE_CQ && !cmd.id && !cmd.reserved);
	PROVE(cmd.create_cq.root == a && cmd.create_cq.cqn == n);
	PROVE(cmd.create_cq.eqn == m && cmd.create_cq.log_depth == log);
	PROVE(cmd.create_cq.db_page == ~n);
	cmd = xrdma_make_query_stats(a, n);
	PROVE(cmd.opcode == XRDMA_CMD_QUERY_STATS && !cmd.id && !cmd.reserved);
	PROVE(cmd.query_stats.addr == a && cmd.query_stats.count == n);
	PROVE(!cmd.query_stats.counter);
}

/* CBMC knows memcpy(), but not the function that gcc provides. */
void *__builtin_memcpy(void *to, const void *from, size_t size)
{
	return memcpy(to, from, size);
}

/*
 * Theorem: A command without a body holds its opcode; ATTACH_MCAST and DETACH_MCAST
 *	also hold the queue pair and the 16 bytes of the GID in their order; all
 *	other fields of the header and of the body are zeros.
 * Holds for: all inputs.
 * Assumes: nothing. The theorem says nothing about bytes of the command behind
 *	the body, which C leaves unspecified for a union.
 */
static void multicast_commands_hold_their_fields(void)
{
	u16 op = nondet_u16();
	u32 qpn = nondet_u32();
	u8 i = nondet_u8();
	struct xrdma_cmd cmd;
	u8 gid[16];

	ASSUME(i < 16);
	cmd = xrdma_make_cmd(op);
	REACHABLE(op == XRDMA_CMD_DETACH_MCAST);
	PROVE(cmd.opcode == op && !cmd.id && !cmd.reserved);
	cmd = xrdma_make_mcast(op, qpn, gid);
	PROVE(cmd.opcode == op && !cmd.id && !cmd.reserved);
	PROVE(cmd.mcast.qpn == qpn && cmd.mcast.gid[i] == gid[i]);
	PROVE(!cmd.mcast.reserved);
}

/*
 * Theorem: The commands of on-demand paging and the answer to a page fault hold each
 *	argument in its field; INVALIDATE_RANGE names one range; all other
 *	fields of the body and of the header, and the other ranges, are zeros.
 * Holds for: all inputs.
 * Assumes: nothing. The theorem says nothing about bytes of the command behind
 *	the body, which C leaves unspecified for a union.
 */
static void paging_commands_hold_their_fields(void)
{
	u64 a = nondet_u64(), b = nondet_u64();
	u32 n = nondet_u32(), m = nondet_u32(), i = nondet_u32();
	u8 log = nondet_u8();
	struct xrdma_cmd cmd = xrdma_make_enable_odp(a, log, n);
	struct xrdma_resume answer = xrdma_make_resume(n, m);

	ASSUME(i >= 1 && i < 4);
	REACHABLE(a >> 63 && n >> 31 && i == 3);
	PROVE(cmd.opcode == 0x61 && !cmd.id && !cmd.reserved);
	PROVE(cmd.enable_odp.ring == a && cmd.enable_odp.eqn == n);
	PROVE(cmd.enable_odp.log_entries == log);
	PROVE(!cmd.enable_odp.reserved[i - 1]);
	cmd = xrdma_make_invalidate_range(n, a, b);
	PROVE(cmd.opcode == 0x62 && !cmd.id && !cmd.reserved);
	PROVE(cmd.invalidate_range.count == 1 && !cmd.invalidate_range.reserved);
	PROVE(cmd.invalidate_range.range[0].key_index == n);
	PROVE(!cmd.invalidate_range.range[0].reserved);
	PROVE(cmd.invalidate_range.range[0].pos == a);
	PROVE(cmd.invalidate_range.range[0].bytes == b);
	PROVE(!cmd.invalidate_range.range[i].key_index);
	PROVE(!cmd.invalidate_range.range[i].reserved);
	PROVE(!cmd.invalidate_range.range[i].pos);
	PROVE(!cmd.invalidate_range.range[i].bytes);
	PROVE(answer.token == n && answer.outcome == m);
}

/*
 * Theorem: A root of a paged region is legal exactly if it is a legal root with 1 to
 *	4 levels and leaves of 4 KiB; an entry of its tables is legal exactly if
 *	it has no reserved bit, has the write bit only as a block, is no table
 *	in a table of level 1, and is no block that is not aligned to its size.
 * Holds for: all words, levels 1 to 4.
 * Assumes: the entry is valid.
 */
static void paged_checks_are_exact(void)
{
	u64 root = nondet_u64(), entry = nondet_u64();
	u8 level = nondet_u8(), levels = root & 7;
	bool legal;

	ASSUME(level >= 1 && level <= 4);
	ASSUME(entry & 1);
	PROVE(xrdma_root_paged_ok(root) ==
	      (!(root & 0xe00) && levels >= 1 && levels <= 4 &&
	       (root >> 3 & 0x3f) == 12));
	REACHABLE(xrdma_root_paged_ok(root) && levels == 4);
	if (entry & 2)
		legal = entry >> 12 << 12 == entry >> (12 + 9 * (level - 1)) <<
					     (12 + 9 * (level - 1));
	else
		legal = level > 1 && !(entry & 4);
	legal = legal && !(entry & 0xff8);
	REACHABLE(legal && entry & 4 && level == 3);
	REACHABLE(legal && !(entry & 2));
	PROVE(xrdma_mtt_paged_ok(entry, level) == legal);
}
