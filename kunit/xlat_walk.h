/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Reference walker: reads translation tables by the rules of the chapter
 * "Translation" of the device specification. walk_lookup() translates one
 * position, as the device does. walk_all() compares all entries with the layout
 * (xlat_layouts.h) for which they were built. This file checks xrdma_xlat.h, so
 * it uses neither functions nor constants of that header.
 */

#ifndef XRDMA_XLAT_WALK_H
#define XRDMA_XLAT_WALK_H

#include <linux/dma-direct.h>
#include "xlat_layouts.h"

#define WALK_NOWHERE		U64_MAX

/**
 * struct walk - tables, and the layout that they should map
 * @dev: device for whose DMA the tables are mapped
 * @l: the layout
 * @root: translation root
 * @leaf: log2 of the size of a leaf block
 * @level: number of table levels
 * @start: position of the first byte of the first piece
 * @end: position behind the last byte of the last piece
 * @pos: first position that has not been checked yet
 * @piece: index of the piece at @pos
 * @inside: offset of @pos in that piece, in bytes
 * @tables: number of tables read
 * @blocks: number of blocks, by level of their entry; [0]: block of the root
 * @spare: bitmap of the levels that have an entry of a table where the entry of
 *	a block would be enough
 * @why: description of an error, or NULL
 */
struct walk {
	struct device *dev;
	const struct layout *l;
	u64 root;
	u32 leaf;
	u32 level;
	u64 start;
	u64 end;
	u64 pos;
	u32 piece;
	u64 inside;
	u32 tables;
	u32 blocks[5];
	u32 spare;
	const char *why;
};

static inline const __le64 *walk_table(const struct walk *w, u64 addr)
{
	return phys_to_virt(dma_to_phys(w->dev, addr));
}

/* Return the bus address of a position; WALK_NOWHERE: it is not mapped. */
static inline u64 walk_lookup(const struct walk *w, u64 pos)
{
	u64 addr = w->root & ~0xfffULL;
	u32 n, shift;

	if (w->leaf + 9 * w->level < 64 && pos >> (w->leaf + 9 * w->level))
		return WALK_NOWHERE;
	for (n = w->level; n; n--) {
		u64 entry;

		shift = w->leaf + 9 * (n - 1);
		entry = le64_to_cpu(walk_table(w, addr)[(pos >> shift) % 512]);
		if (!(entry & 1))
			return WALK_NOWHERE;
		addr = entry & ~0xfffULL;
		if (entry & 2)
			return addr + (pos & ((1ULL << shift) - 1));
	}
	return addr + pos;
}

/*
 * Check that the positions [w->pos, @end) have contiguous bus addresses in the
 * layout, from @addr on. Advance w->pos to @end.
 */
static inline void walk_match(struct walk *w, u64 addr, u64 end)
{
	while (w->pos < end && !w->why) {
		const struct layout_piece *p = &w->l->pieces[w->piece];
		u64 len = min(p->len - w->inside, end - w->pos);

		if (p->addr + w->inside != addr)
			w->why = "a byte is mapped to a wrong address";
		w->pos += len;
		addr += len;
		w->inside += len;
		if (w->inside == p->len) {
			w->piece++;
			w->inside = 0;
		}
	}
}

/* Check a block at @pos, whose entry has level @n; 0: block of the root. */
static inline void walk_block(struct walk *w, u64 pos, u64 addr, u32 n)
{
	u64 size = 1ULL << (w->leaf + 9 * (n ? n - 1 : 0));
	u64 from = max(pos, w->start), to = min(pos + size, w->end);

	w->blocks[n]++;
	if (addr & (size - 1))
		w->why = "a block is not aligned to its size";
	else if (from >= to)
		w->why = "a block maps nothing of the region";
	else if (n > 1 && to - from != size)
		w->why = "a large block reaches out of the region";
	else if (from != w->pos)
		w->why = "a hole, or two blocks that overlap";
	else
		walk_match(w, addr + (from - pos), to);
}

/* Could one block replace the table that maps [@pos, @pos + @size)? */
static inline bool walk_is_one_block(const struct walk *w, u64 pos, u64 size)
{
	const struct layout_piece *p = &w->l->pieces[w->piece];

	return w->pos == pos && p->len - w->inside >= size &&
	       !((p->addr + w->inside) & (size - 1));
}

static inline void walk_entries(struct walk *w, u64 addr, u64 pos, u32 n);

/* Check the table at @addr, to which an entry of level @n for @pos points. */
static inline void walk_below(struct walk *w, u64 addr, u64 pos, u32 n)
{
	if (walk_is_one_block(w, pos, 1ULL << (w->leaf + 9 * (n - 1))))
		w->spare |= 1U << n;
	walk_entries(w, addr, pos, n - 1);
}

/* Check all entries of a table of level @n whose first entry is for @pos. */
static inline void walk_entries(struct walk *w, u64 addr, u64 pos, u32 n)
{
	const __le64 *table = walk_table(w, addr);
	u64 size = 1ULL << (w->leaf + 9 * (n - 1));
	u32 i;

	w->tables++;
	for (i = 0; i < 512 && !w->why; i++, pos += size) {
		u64 entry = le64_to_cpu(table[i]);

		if (!(entry & 1))
			continue;
		if (entry & 0xffc)
			w->why = "a reserved bit of an entry is set";
		else if (entry & 2)
			walk_block(w, pos, entry & ~0xfffULL, n);
		else if (n == 1)
			w->why = "an entry of level 1 names a table";
		else if (w->pos >= w->end || w->pos >= pos + size)
			w->why = "a table that maps nothing";
		else
			walk_below(w, entry & ~0xfffULL, pos, n);
	}
}

/*
 * Check that no table could be replaced by one block. Levels at which the
 * builder has used no block are not checked: the positions that it has chosen
 * may suit a block of such a level by chance.
 */
static inline const char *walk_spare(const struct walk *w)
{
	u32 n;

	for (n = 2; n <= w->level; n++)
		if (w->spare & 1U << n && w->blocks[n])
			return "a table where one block would do";
	return NULL;
}

/**
 * walk_all() - compare a translation with its layout
 * @w: the walk; the caller sets @dev, @l and @root, and all other fields to 0
 * @start: expected position of the first byte of the first piece
 *
 * Return: description of an error, or NULL.
 */
static inline const char *walk_all(struct walk *w, u64 start)
{
	w->level = w->root & 7;
	w->leaf = w->root >> 3 & 0x3f;
	w->start = start;
	w->end = start + w->l->total;
	w->pos = start;
	if (w->root & 0xe00)
		return "a reserved bit of the root is set";
	if (w->leaf < 12 || w->leaf > 30)
		return "the leaf is not 4 KiB to 1 GiB";
	if (w->level > 4)
		return "there are more than 4 levels";
	if (w->level)
		walk_entries(w, w->root & ~0xfffULL, 0, w->level);
	else
		walk_block(w, 0, w->root & ~0xfffULL, 0);
	if (w->why)
		return w->why;
	if (w->pos != w->end)
		return "the end of the region is not mapped";
	return walk_spare(w);
}

#endif /* XRDMA_XLAT_WALK_H */
