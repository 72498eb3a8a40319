// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How the driver writes the entries of blocks: xrdma_mtt_fill_run() of xrdma_mtt.c,
 * compiled unchanged with the stand-ins for kernel headers in proof/include. Which
 * blocks a piece has is in xlat_shape.c, how the device reads their entries in
 * xlat_walk.c, how the driver adds and links tables in mtt_links.c.
 *
 * CBMC: -I proof/include --unwind 4 --slice-formula --conversion-check
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
