// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * xrdma_sparse.h: the tables of a paged region. All theorems are about one span of
 * any contents that fulfils the invariant legal(), which each function keeps; so they
 * hold after any number of calls.
 *
 * Tables have 2 entries here instead of 512: a block of level 2 has 8 KiB, a span
 * 16 KiB. CBMC needs too long for larger tables. The code of the header depends on the
 * number of entries only through XRDMA_MTT_ENTRIES and XRDMA_MTT_BITS.
 *
 * CBMC: --unwind 3 --slice-formula --unwindset return_all.0:5,return_all.1:5
 */

#include "proof.h"
#include "xrdma_hw.h"

#undef XRDMA_MTT_ENTRIES
#define XRDMA_MTT_ENTRIES	2
#undef XRDMA_MTT_BITS
#define XRDMA_MTT_BITS		1

#include "xrdma_sparse.h"

#define N		2
#define PAGE		0x1000ULL
#define BLOCK		(N * PAGE)
#define SPAN		(N * BLOCK)

/* Bits of an entry, and its address */
#define V		1
#define B		2
#define W		4
#define ADDR(entry)	((entry) >> 12 << 12)

/* A span: the tables of level 2 and 1 with their entries and slots */
static struct xrdma_sparse_table top, leaf[N];
static __le64 top_entry[N], leaf_entry[N][N];
static unsigned long top_slot[N], leaf_slot[N][N];

/* Entries and slots before the call */
static __le64 old_top[N], old_leaf[N][N];
static unsigned long old_top_slot[N], old_leaf_slot[N][N];

/* Is the entry of level 2 a table? */
static bool is_table(u32 i)
{
	return top_slot[i] && !(top_entry[i] & B);
}

/* An entry is legal, a slot says whether it is in use. */
static bool legal_block(u64 entry, unsigned long slot, u64 size)
{
	return slot ? (entry & 0xfff & ~(u64)(V | W)) == B &&
		      !(ADDR(entry) & (size - 1)) : !entry;
}

static bool counts_exact(const struct xrdma_sparse_table *table)
{
	u32 i, used = 0, retracted = 0;

	for (i = 0; i < N; i++) {
		used += table->slot[i] != 0;
		retracted += table->slot[i] && !(table->entry[i] & V);
	}
	return table->used == used && table->retracted == retracted;
}

/* A table in the span: legal blocks; a retracted one has no other than retracted. */
static bool legal_leaf(u32 i)
{
	u32 j;

	for (j = 0; j < N; j++)
		if (!legal_block(leaf_entry[i][j], leaf_slot[i][j], PAGE))
			return false;
	return counts_exact(&leaf[i]) &&
	       (top_entry[i] & V || leaf[i].used == leaf[i].retracted);
}

static bool legal(void)
{
	u32 i;

	for (i = 0; i < N; i++) {
		if (!is_table(i)) {
			if (!legal_block(top_entry[i], top_slot[i], BLOCK))
				return false;
		} else if (top_slot[i] != (unsigned long)&leaf[i] ||
			   (top_entry[i] & ~(u64)V) != leaf[i].dma ||
			   !legal_leaf(i)) {
			return false;
		}
	}
	return counts_exact(&top);
}

/*
 * Any span that fulfils the invariant, and whose entries i of level 2 are tables exactly
 * if bit i of the shape is set. CBMC needs long if it does not know what an entry is.
 */
static void start_of(u32 shape)
{
	u32 i, j;

	for (i = 0; i < N; i++) {
		leaf[i].entry = leaf_entry[i];
		leaf[i].slot = leaf_slot[i];
		leaf[i].dma = nondet_u64() << 12;
		leaf[i].used = nondet_u32();
		leaf[i].retracted = nondet_u32();
		top_entry[i] = nondet_u64();
		top_slot[i] = nondet_u64();
		if (shape & BIT(i)) {
			top_slot[i] = (unsigned long)&leaf[i];
			top_entry[i] = leaf[i].dma | (nondet_truth() ? V : 0);
		}
		for (j = 0; j < N; j++) {
			leaf_entry[i][j] = nondet_u64();
			leaf_slot[i][j] = nondet_u64();
			old_leaf[i][j] = leaf_entry[i][j];
			old_leaf_slot[i][j] = leaf_slot[i][j];
		}
		old_top[i] = top_entry[i];
		old_top_slot[i] = top_slot[i];
	}
	top.entry = top_entry;
	top.slot = top_slot;
	top.used = nondet_u32();
	top.retracted = nondet_u32();
	for (i = 0; i < N; i++)
		ASSUME(is_table(i) == !!(shape & BIT(i)));
	ASSUME(legal());
}

/* No entry is retracted, as before each retraction. */
static bool none_retracted(void)
{
	u32 i;

	for (i = 0; i < N; i++)
		if (is_table(i) && leaf[i].retracted)
			return false;
	return !top.retracted;
}

/* The entry of the block by which the device translates a position, or 0 */
static u64 walk(u64 pos, const __le64 *of_top, __le64 of_leaf[N][N])
{
	u64 entry = of_top[pos / BLOCK];

	if (!(entry & V) || entry & B)
		return entry & V ? entry : 0;
	entry = of_leaf[pos / BLOCK][pos / PAGE % N];
	return entry & V ? entry : 0;
}

/* The retraction of any range. Return: the range has grown at both ends. */
static bool retract_of(u32 shape)
{
	u64 from = nondet_u64(), to = nondet_u64(), pos = nondet_u64();
	u64 first = from, end = to, before, after;
	u32 i = nondet_u32(), j = nondet_u32();
	bool any;

	start_of(shape);
	ASSUME(none_retracted());
	ASSUME(!(from & (PAGE - 1)) && !(to & (PAGE - 1)));
	ASSUME(from < to && to <= SPAN && pos < SPAN && i < N && j < N);
	any = xrdma_sparse_retract(&top, &first, &end);
	PROVE(legal());
	PROVE(first <= from && end >= to && end <= SPAN);
	PROVE(first == from || first == from / BLOCK * BLOCK);
	PROVE(end == to || end == (to - 1) / BLOCK * BLOCK + BLOCK);
	before = walk(pos, old_top, old_leaf);
	after = walk(pos, top_entry, leaf_entry);
	if (pos >= from && pos < to)
		PROVE(!after);
	else if (pos < first || pos >= end || !(old_top[pos / BLOCK] & B))
		PROVE(after == before);
	else
		PROVE(after == before || !after);
	PROVE(any == !none_retracted());
	PROVE(top_entry[i] == old_top[i] || (top_entry[i] | V) == old_top[i]);
	PROVE(leaf_entry[i][j] == old_leaf[i][j] ||
	      (leaf_entry[i][j] | V) == old_leaf[i][j]);
	PROVE(top_slot[i] == old_top_slot[i]);
	PROVE(leaf_slot[i][j] == old_leaf_slot[i][j]);
	return first < from && end > to;
}

/*
 * Theorem: After the retraction of a range, no position of the range is translated;
 *	the range that is reported contains the range, and grows only to the
 *	bounds of blocks of level 2; each position outside of the reported range
 *	is translated as before, and each other position of the reported range
 *	too, unless a block of level 2 or an empty table covers it. An entry
 *	keeps its address and its rights. "true" is returned exactly if an entry
 *	was retracted. A table is retracted only if it has no other entries.
 * Holds for: all contents of a span, all ranges; tables of 2 entries, any number of
 *	calls.
 * Assumes: no entry is retracted before, as xrdma_span_remove() does one removal at
 *	a time.
 * Form: long
 * Solver: cadical
 */
static void retracted_is_not_translated(void)
{
	REACHABLE(retract_of(nondet_u32()) && leaf[1].used == 2);
}

/*
 * Theorem: The same as retracted_is_not_translated, if no entry of level 2 is a table.
 * Holds for: as retracted_is_not_translated.
 * Assumes: as retracted_is_not_translated.
 */
static void retracted_block_is_not_translated(void)
{
	REACHABLE(retract_of(0) && top.retracted == 2);
}

/*
 * Theorem: The same as retracted_is_not_translated, if the first entry of level 2 is a
 *	table, and the second one is none.
 * Holds for: as retracted_is_not_translated.
 * Assumes: as retracted_is_not_translated.
 */
static void retracted_page_is_not_translated(void)
{
	REACHABLE(retract_of(1) && top.retracted == 2);
}

/*
 * The entry that a theorem looks at: of level 2 if @in_leaf is false; how often it was
 * unmapped; how many blocks were unmapped, and how often each table was freed
 */
static u32 wi, wj, unmapped, unmaps, freed[N];
static bool in_leaf;

static void count_unmap(void *context, u64 addr, unsigned long pfn, u8 shift,
			bool write)
{
	u64 entry = in_leaf ? old_leaf[wi][wj] : old_top[wi];

	PROVE(context == &top && pfn);
	unmaps++;
	if (pfn != (in_leaf ? old_leaf_slot[wi][wj] : old_top_slot[wi]))
		return;
	unmapped++;
	PROVE(addr == ADDR(entry) && write == !!(entry & W));
	PROVE(shift == (in_leaf ? 12 : 12 + XRDMA_MTT_BITS));
}

/* The memory of the table is gone. */
static void count_free(void *context, struct xrdma_sparse_table *table)
{
	PROVE(context == &top && (table == &leaf[0] || table == &leaf[1]));
	PROVE(!table->used && !table->retracted);
	freed[table == &leaf[1]]++;
	table->entry = NULL;
	table->slot = NULL;
}

static const struct xrdma_sparse_ops ops = {
	.unmap = count_unmap,
	.free = count_free,
};

/* Is an entry of the span, before the call, a block? Is it retracted? */
static bool was_block(u32 i, u32 j, bool of_leaf)
{
	bool table = old_top_slot[i] && !(old_top[i] & B);

	return of_leaf ? table && old_leaf_slot[i][j] :
			 old_top_slot[i] && !table;
}

static bool was_retracted(u32 i, u32 j, bool of_leaf)
{
	return was_block(i, j, of_leaf) &&
	       !((of_leaf ? old_leaf[i][j] : old_top[i]) & V);
}

/* Entries are retracted only where a retraction of the range leaves them. */
static bool retracted_inside(u64 from, u64 to)
{
	u32 i;

	for (i = 0; i < N; i++) {
		if (top_slot[i] && !(top_entry[i] & V) &&
		    (i * BLOCK < from || i * BLOCK + BLOCK > to))
			return false;
		if (is_table(i) && leaf[i].retracted &&
		    (i * BLOCK + BLOCK <= from || i * BLOCK >= to))
			return false;
	}
	return true;
}

/* The number of retracted blocks, and whether a block has the page of the witness */
static u32 num_retracted(void)
{
	u32 i, j, num = 0;

	for (i = 0; i < N; i++) {
		num += was_retracted(i, 0, false);
		for (j = 0; j < N; j++)
			num += was_retracted(i, j, true);
	}
	return num;
}

static bool is_unique(unsigned long pfn)
{
	u32 i, j;

	for (i = 0; i < N; i++) {
		if (was_block(i, 0, false) && old_top_slot[i] == pfn &&
		    (in_leaf || i != wi))
			return false;
		for (j = 0; j < N; j++)
			if (was_block(i, j, true) && old_leaf_slot[i][j] == pfn &&
			    (!in_leaf || i != wi || j != wj))
				return false;
	}
	return true;
}

static void return_of(u32 shape, u64 from, u64 to)
{
	bool table, gone;

	start_of(shape);
	unmapped = 0;
	unmaps = 0;
	freed[0] = 0;
	freed[1] = 0;
	wi = nondet_u32();
	wj = nondet_u32();
	in_leaf = nondet_truth();
	ASSUME(wi < N && wj < N);
	ASSUME(retracted_inside(from, to) && was_block(wi, wj, in_leaf));
	ASSUME(is_unique(in_leaf ? old_leaf_slot[wi][wj] : old_top_slot[wi]));
	xrdma_sparse_reap(&top, from, to, &ops, &top);
	table = old_top_slot[wi] && !(old_top[wi] & B);
	gone = table && !(old_top[wi] & V);
	PROVE(unmapped == was_retracted(wi, wj, in_leaf));
	PROVE(unmaps == num_retracted() && freed[wi] == gone);
	PROVE(legal() && none_retracted());
	PROVE(gone || !in_leaf || unmapped ||
	      (leaf_entry[wi][wj] == old_leaf[wi][wj] &&
	       leaf_slot[wi][wj] == old_leaf_slot[wi][wj]));
	PROVE(gone || (!in_leaf && unmapped) ||
	      (top_entry[wi] == old_top[wi] && top_slot[wi] == old_top_slot[wi]));
}

/* Any range */
static void return_any(u32 shape)
{
	u32 from = nondet_u32(), to = nondet_u32();

	ASSUME(from < to && to <= N * N);
	return_of(shape, from * PAGE, to * PAGE);
}

/*
 * All ranges, one after another: with two tables, CBMC needs long if it does not know
 * which one it is in.
 */
static void return_all(u32 shape)
{
	u32 from = N * N, to;

	while (from--)
		for (to = from + 1; to <= N * N; to++)
			return_of(shape, from * PAGE, to * PAGE);
}

/*
 * Theorem: Of the retracted entries, the end of a removal passes each block to the
 *	caller once, with the bus address, the page, the size and the rights that
 *	its entry had, and each retracted table once, after its blocks; it passes
 *	nothing else. No entry is retracted afterwards, the counts are exact, and
 *	each entry that was not retracted stays as it was. Here no entry of level 2
 *	is a table.
 * Holds for: all contents of a span, all ranges; tables of 2 entries, any number of
 *	calls.
 * Assumes: entries are retracted only where a retraction of the range leaves them,
 *	see theorem retracted_is_not_translated; no two blocks have the same page.
 */
static void retracted_blocks_are_returned_once(void)
{
	return_any(0);
	REACHABLE(unmaps == 2 && unmapped);
	REACHABLE(unmaps == 1 && !unmapped);
}

/*
 * Theorem: The same as retracted_blocks_are_returned_once, if the first entry of level 2
 *	is a table, and the second one is none.
 * Holds for: as retracted_blocks_are_returned_once.
 * Assumes: as retracted_blocks_are_returned_once.
 * Form: long
 */
static void first_table_is_returned_once(void)
{
	return_any(1);
	REACHABLE(unmapped && in_leaf && freed[0]);
	REACHABLE(unmaps == 3 && !in_leaf);
}

/*
 * Theorem: The same as retracted_blocks_are_returned_once, if the second entry of
 *	level 2 is a table, and the first one is none.
 * Holds for: as retracted_blocks_are_returned_once.
 * Assumes: as retracted_blocks_are_returned_once.
 * Form: long
 */
static void second_table_is_returned_once(void)
{
	return_any(2);
	REACHABLE(unmapped && in_leaf && freed[1]);
	REACHABLE(unmaps == 3 && !in_leaf);
}

/*
 * Theorem: The same as retracted_blocks_are_returned_once, if both entries of level 2 are
 *	tables.
 * Holds for: as retracted_blocks_are_returned_once.
 * Assumes: as retracted_blocks_are_returned_once.
 * Form: long
 */
static void retracted_tables_are_returned_once(void)
{
	return_all(3);
	REACHABLE(unmaps == 4 && unmapped && freed[0] && freed[1]);
}

/*
 * Theorem: An entry that the driver writes is legal for the device, and translates the
 *	positions of the entry to the block of the caller, with the right to write
 *	exactly if the caller gives it; the right can be added later. A table is
 *	found exactly if it is not retracted. No other entry changes, and the
 *	counts are exact.
 * Holds for: all contents of a span, all positions; tables of 2 entries, any number of
 *	calls.
 * Assumes: the entry is not in use (for a right: is present); the block is aligned, as
 *	the caller says.
 */
static void written_is_translated(void)
{
	u64 pos = nondet_u64(), other = nondet_u64(), addr = nondet_u64() << 13;
	struct xrdma_sparse_table *table = &top;
	unsigned long pfn = nondet_u64();
	bool write = nondet_truth(), add = nondet_truth();
	u32 index, i;

	start_of(nondet_u32());
	ASSUME(pos < SPAN && other < SPAN && pfn);
	i = pos / BLOCK;
	index = xrdma_sparse_top_index(pos);
	PROVE(index == i && xrdma_sparse_leaf_index(pos) == pos / PAGE % N);
	PROVE(xrdma_sparse_leaf(&top, pos) ==
	      (is_table(i) && top_entry[i] & V ? &leaf[i] : NULL));
	if (xrdma_sparse_leaf(&top, pos)) {
		table = &leaf[i];
		index = xrdma_sparse_leaf_index(pos);
		addr |= nondet_truth() ? PAGE : 0;
	}
	if (add) {
		ASSUME(xrdma_sparse_present(table, index, false));
		addr = ADDR(table->entry[index]);
		write = true;
		xrdma_sparse_allow_write(table, index);
	} else {
		ASSUME(!table->slot[index]);
		xrdma_sparse_map(table, index, addr, pfn, write);
	}
	REACHABLE(add && table == &leaf[1]);
	REACHABLE(!add && table == &top && write);
	PROVE(legal() && xrdma_sparse_present(table, index, write));
	PROVE(xrdma_sparse_present(table, index, true) == write);
	PROVE(xrdma_mtt_paged_ok(table->entry[index], table == &top ? 2 : 1));
	PROVE(walk(pos, top_entry, leaf_entry) == (addr | V | B | (write ? W : 0)));
	PROVE(other / BLOCK == i && (table == &top || other / PAGE == pos / PAGE) ?
	      1 : walk(other, top_entry, leaf_entry) ==
		  walk(other, old_top, old_leaf));
}

/*
 * Theorem: The driver takes an entry for a block that the device can use exactly if the
 *	entry is valid and no table and, for a write, permits writes.
 * Holds for: all contents of a span, all entries; tables of 2 entries.
 * Assumes: nothing.
 */
static void present_is_exact(void)
{
	u32 i = nondet_u32(), j = nondet_u32();
	bool write = nondet_truth();
	u64 need = write ? V | B | W : V | B;

	start_of(nondet_u32());
	ASSUME(i < N && j < N);
	REACHABLE(is_table(i) && top_entry[i] & V && write);
	PROVE(xrdma_sparse_present(&top, i, write) ==
	      ((top_entry[i] & need) == need));
	PROVE(!is_table(i) || !xrdma_sparse_present(&top, i, write));
	PROVE(xrdma_sparse_present(&leaf[i], j, write) ==
	      ((leaf_entry[i][j] & need) == need));
}

/*
 * Theorem: A block of level 2 has as many bytes as the entries of a table of level 1 map,
 *	and a span as many as those of a table of level 2.
 * Holds for: the constants; tables of 2 entries.
 * Assumes: nothing.
 */
static void sizes_are_those_of_tables(void)
{
	REACHABLE(true);
	PROVE(XRDMA_HUGE_SIZE == BLOCK);
	PROVE(XRDMA_SPAN_SIZE == SPAN);
	PROVE(1ULL << XRDMA_SPAN_SHIFT == SPAN);
}

/*
 * Theorem: A new table is found, its entry is legal for the device, and translates
 *	nothing; no other entry changes, and the counts are exact.
 * Holds for: all contents of a span, all positions; tables of 2 entries, any number of
 *	calls.
 * Assumes: the entry is not in use, and the table has only zeros.
 */
static void linked_table_is_empty(void)
{
	u64 pos = nondet_u64(), other = nondet_u64();
	u32 i, j;

	start_of(nondet_u32());
	ASSUME(pos < SPAN && other < SPAN);
	i = pos / BLOCK;
	for (j = 0; j < N; j++)
		ASSUME(!leaf_entry[i][j] && !leaf_slot[i][j]);
	ASSUME(!top_slot[i] && !leaf[i].used && !leaf[i].retracted);
	xrdma_sparse_link(&top, pos, &leaf[i]);
	REACHABLE(i == 1 && top.used == 2 && leaf[i].dma >> 63);
	PROVE(legal() && xrdma_sparse_leaf(&top, pos) == &leaf[i]);
	PROVE(xrdma_mtt_paged_ok(top_entry[i], 2));
	PROVE(!walk(pos, top_entry, leaf_entry));
	PROVE(other / BLOCK == i || walk(other, top_entry, leaf_entry) ==
				    walk(other, old_top, old_leaf));
}
