// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How the driver writes the entries of blocks: xrdma_mtt_fill_run() and
 * xrdma_mtt_fill_leaves() of xrdma_mtt.c, compiled unchanged with the stand-ins for
 * kernel headers in proof/include. Which blocks a piece has is in xlat_shape.c, how the
 * device reads their entries in xlat_walk.c, how the driver adds and links tables in
 * mtt_links.c.
 *
 * CBMC: -I proof/include --unwind 4 --slice-formula
 */

#include "proof.h"
#include "kernel.h"
#include "xrdma_mtt.c"

/* Entries that one call writes */
#define RUN_MAX	3

/* A run of blocks of 1 << @shift bytes whose entries are in tables of @level */
static void run_of(u8 shift, u8 level)
{
	__le64 table[4 + RUN_MAX];
	struct xrdma_mtt mtt;
	struct xrdma_mtt_builder b = { .mtt = &mtt };
	u64 block = nondet_u64() << shift;
	u64 size = 1ULL << shift;
	u64 inside = level == 1 ? nondet_u64() & (size - 1) : 0;
	u64 len = nondet_u64(), done;
	u32 other = nondet_u32();
	u32 index = nondet_u32() & 3;
	__le64 before;
	u32 i, num;

	ASSUME(other < 4 + RUN_MAX);
	before = table[other];
	ASSUME(len && len <= RUN_MAX * size - inside);
	ASSUME(level == 1 || len >= size);
	ASSUME((block | inside) + len - 1 >= block);
	b.x.leaf_shift = shift - 9 * (level - 1);
	b.pos = nondet_u64() << (shift + 9) | (u64)index << shift | inside;
	mtt.blocks[level] = 0;
	done = xrdma_mtt_fill_run(&b, table, block | inside, len, level);
	num = mtt.blocks[level];
	REACHABLE(index == 3 && num == 3);
	PROVE(num && num <= RUN_MAX && index + num <= 4 + RUN_MAX);
	PROVE(done && done <= len && inside + done <= num * size);
	PROVE(done == len || inside + done == num * size);
	PROVE(inside + done > (num - 1) * size);
	for (i = 0; i < RUN_MAX; i++)
		PROVE(i >= num ||
		      le64_to_cpu(table[index + i]) == ((block + i * size) | 3));
	PROVE(other - index < num || table[other] == before);
	PROVE(level > 1 ? !b.leaf_room :
	      b.leaf_room == XRDMA_MTT_ENTRIES - index - num &&
	      b.next_leaf == &table[index + num]);
}

/*
 * Theorem: The driver writes the entries of a run of leaves so that each byte of the
 *	run has, in the table of level 1, the entry of the leaf that holds the
 *	byte, and changes none of the other entries; the run ends with the
 *	piece, or where a leaf begins; the entries that the driver remembers for
 *	further leaves are those behind the run.
 * Holds for: leaves of 4 KiB, all positions and addresses; runs of up to 3 entries
 *	that begin in the first 4 entries of a table, of which the first 7 are
 *	modelled; an access to another entry would fail the theorem.
 * Assumes: theorem xlat_shape.blocks_map_bytes_to_themselves: the leaves are
 *	aligned.
 */
static void runs_of_pages_are_written(void)
{
	run_of(12, 1);
}

/*
 * Theorem: The same as runs_of_pages_are_written, for leaves of 64 KiB.
 * Holds for: as runs_of_pages_are_written.
 * Assumes: as runs_of_pages_are_written.
 */
static void runs_of_larger_leaves_are_written(void)
{
	run_of(16, 1);
}

/*
 * Theorem: The same as runs_of_pages_are_written, for blocks of 2 MiB among leaves
 *	of 4 KiB, which have their entries in tables of level 2.
 * Holds for: all positions and addresses; runs of up to 3 entries that begin in the
 *	first 4 entries of a table.
 * Assumes: theorems xlat_shape.blocks_map_bytes_to_themselves and
 *	blocks_are_disjoint: the blocks are aligned, begin at the position, and
 *	are not longer than the piece.
 */
static void runs_of_huge_pages_are_written(void)
{
	run_of(21, 2);
}

void cond_resched(void)
{
}

/*
 * Theorem: The fast path for pieces of one leaf each writes, from the entry that the
 *	driver remembers on, the entry of each such piece in order, until a piece
 *	has another length, the list ends or the table is full. It changes no
 *	other entry, and the next piece, the position, the remembered entry and
 *	the unused entries are those behind the leaves that are written.
 * Holds for: leaves of 4 KiB and of 2 MiB; lists of 1 to 3 pieces of any addresses and
 *	lengths; up to 3 unused entries.
 * Assumes: no two entries of the list are adjacent, since those are one piece; leaves
 *	are aligned: theorem xlat_shape.blocks_map_bytes_to_themselves.
 */
static void leaves_are_written(void)
{
	u64 addr[RUN_MAX + 1], len[RUN_MAX + 1], pos = nondet_u64(), size;
	struct scatterlist sg[RUN_MAX - 1];
	__le64 table[RUN_MAX + 1], before;
	u32 i, num = 0, room = nondet_u32(), other = nondet_u32();
	struct xrdma_mtt mtt = { .blocks[1] = 5 };
	struct xrdma_mtt_builder b = { .mtt = &mtt, .pos = pos };
	struct xrdma_pieces p;
	u8 shift = nondet_truth() ? 12 : 21;

	ASSUME(room <= RUN_MAX);
	ASSUME(p.left < RUN_MAX && other <= RUN_MAX);
	size = 1ULL << shift;
	p.sg = sg;
	addr[0] = p.addr;
	len[0] = p.len;
	for (i = 1; i < RUN_MAX; i++) {
		ASSUME(sg[i - 1].dma_length && !sg[i - 1].chain);
		addr[i] = sg[i - 1].dma_address;
		len[i] = i <= p.left ? sg[i - 1].dma_length : 0;
		ASSUME(i == 1 || addr[i] != addr[i - 1] + sg[i - 2].dma_length);
	}
	len[RUN_MAX] = 0;
	for (i = 0; i < RUN_MAX; i++)
		ASSUME(!(addr[i] & (size - 1)));
	while (num < room && len[num] == size)
		num++;
	b.x.leaf_shift = shift;
	b.next_leaf = table;
	b.leaf_room = room;
	before = table[other];
	xrdma_mtt_fill_leaves(&b, &p);
	REACHABLE(num == 3 && shift == 21);
	REACHABLE(num == 1 && room == 3 && p.len);
	for (i = 0; i < RUN_MAX; i++)
		PROVE(i >= num || le64_to_cpu(table[i]) == (addr[i] | 3));
	PROVE(other < num || table[other] == before);
	PROVE(b.next_leaf == &table[num] && b.leaf_room == room - num);
	PROVE(b.pos == pos + num * size && mtt.blocks[1] == 5 + num);
	PROVE(p.len == len[num] && (!p.len || p.addr == addr[num]));
}
