/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA translation: which shape of tables a list of contiguous pieces of bus
 * memory needs, which blocks they hold, and how a position is looked up.
 * Pure layer: no locks, no allocation, no device; also compiles in user space.
 *
 * A translation maps positions, not addresses. The first byte of a region
 * stands at a position (its "offset") that is congruent to its bus address
 * modulo the largest block in use, whatever its IOVA is; so huge pages stay
 * whole at any IOVA. A block never spans two pieces, so pieces that touch shall
 * come as one. Building takes two passes over the pieces, seldom three:
 *
 *	struct xrdma_xlat x = {};
 *
 *	xrdma_xlat_begin_measure(&x);
 *	each piece: xrdma_xlat_survey(&x, addr, len);	(not for queues: position 0)
 *	if (x.moved)	(and for queues)
 *		xrdma_xlat_begin_measure(&x);
 *		each piece: xrdma_xlat_measure(&x, addr, len);
 *	xrdma_xlat_finish(&x);
 *	pos = x.start;
 *	each piece, until it is used up:
 *		shift = xrdma_xlat_block(&x, pos, addr, len), write its entry,
 *		step = xrdma_xlat_step(pos, len, shift)
 */

#ifndef XRDMA_XLAT_H
#define XRDMA_XLAT_H

#include <linux/bitfield.h>
#include "xrdma_hw.h"

/* The smallest block that is worth a position: one table less. */
#define XRDMA_XLAT_HUGE_SHIFT	(XRDMA_LEAF_SHIFT_MIN + XRDMA_MTT_BITS)

/**
 * struct xrdma_xlat - shape of a translation
 * @start: position of the first byte of the first piece
 * @total: bytes measured
 * @votes: blocks of 2 MiB that @start keeps whole, less those that it does not
 * @giga_votes: likewise for 1 GiB
 * @mask: bits that a leaf may not span: where addresses and positions differ,
 *	and where pieces meet
 * @big_shift: log2 of the largest aligned block that lies whole in one piece
 * @leaf_shift: log2 of the size of a leaf block
 * @level: levels of tables, 0 to XRDMA_ROOT_MAX_LEVEL
 * @moved: @start is another than what was measured with
 *
 * @start, @leaf_shift and @level are final after xrdma_xlat_finish().
 */
struct xrdma_xlat {
	u64 start;
	u64 total;
	u64 votes;
	u64 giga_votes;
	u64 mask;
	u8 big_shift;
	u8 leaf_shift;
	u8 level;
	bool moved;
};

/* Aligned blocks that lie whole in a piece */
static inline u64 xrdma_xlat_count(u64 addr, u64 len, u8 shift)
{
	u64 skip = -addr & ((1ULL << shift) - 1);

	return len > skip ? (len - skip) >> shift : 0;
}

/* A voice of a majority vote; false: the majority is with another now */
static inline bool xrdma_xlat_vote(u64 *votes, u64 weight, bool agrees)
{
	bool stays = agrees || weight <= *votes;

	if (agrees)
		*votes += weight;
	else
		*votes = stays ? *votes - weight : weight - *votes;
	return stays;
}

/*
 * Lets positions follow the largest blocks. A piece votes with the aligned
 * blocks of 2 MiB that it holds, and, among those that agree on these, with
 * those of 1 GiB. So small pages that follow each other by chance do not cut up
 * the huge ones.
 */
static inline void xrdma_xlat_align(struct xrdma_xlat *x, u64 addr, u64 len)
{
	u64 start = (addr - x->total) & ((1ULL << XRDMA_LEAF_SHIFT_MAX) - 1);
	u64 giga, huge;
	bool agrees;

	if (!x->total)
		x->start = start;
	else if (!(len >> XRDMA_XLAT_HUGE_SHIFT))
		return; /* no vote: most pieces of fragmented memory */
	giga = xrdma_xlat_count(addr, len, XRDMA_LEAF_SHIFT_MAX);
	huge = xrdma_xlat_count(addr, len, XRDMA_XLAT_HUGE_SHIFT);
	agrees = !((start ^ x->start) & ((1ULL << XRDMA_XLAT_HUGE_SHIFT) - 1));
	if (!xrdma_xlat_vote(&x->votes, huge, agrees)) {
		x->start = start;
		x->giga_votes = giga;
	} else if (agrees && !xrdma_xlat_vote(&x->giga_votes, giga,
					      start == x->start)) {
		x->start = start;
	}
}

/* log2 of the largest aligned block in [pos, pos + len), up to @max. */
static inline u8 xrdma_xlat_whole_shift(u64 pos, u64 len, u8 max)
{
	u8 shift;

	for (shift = max; shift > XRDMA_LEAF_SHIFT_MIN; shift--) {
		u64 size = 1ULL << shift;
		u64 skip = -pos & (size - 1);

		if (skip < len && len - skip >= size)
			return shift;
	}
	return XRDMA_LEAF_SHIFT_MIN;
}

/**
 * xrdma_xlat_begin_measure() - before a pass that measures
 * @x: shape, zeroed before the first one
 */
static inline void xrdma_xlat_begin_measure(struct xrdma_xlat *x)
{
	x->total = 0;
	x->mask = 0;
	x->big_shift = XRDMA_LEAF_SHIFT_MIN;
}

/**
 * xrdma_xlat_measure() - collect what limits the blocks
 * @x: shape, after xrdma_xlat_begin_measure()
 * @addr: bus address of the piece, aligned to 4 KiB
 * @len: its bytes; a multiple of 4 KiB but for the last piece
 */
static inline void xrdma_xlat_measure(struct xrdma_xlat *x, u64 addr, u64 len)
{
	u64 pos = x->start + x->total;
	u64 differ = addr ^ pos;
	u8 max = XRDMA_LEAF_SHIFT_MAX;

	x->mask |= differ;
	if (x->total)
		x->mask |= pos;
	x->total += len;

	if (len >> (x->big_shift + 1) == 0)
		return;
	if (differ && __builtin_ctzll(differ) < max)
		max = __builtin_ctzll(differ);
	if (max > x->big_shift) {
		max = xrdma_xlat_whole_shift(pos, len, max);
		if (max > x->big_shift)
			x->big_shift = max;
	}
}

/**
 * xrdma_xlat_survey() - choose the first position, and measure with it
 * @x: shape, after xrdma_xlat_begin_measure()
 * @addr: bus address of the piece, aligned to 4 KiB
 * @len: its bytes; a multiple of 4 KiB but for the last piece
 *
 * If the choice changes on the way, @x->moved says that what was measured
 * before is void.
 */
static inline void xrdma_xlat_survey(struct xrdma_xlat *x, u64 addr, u64 len)
{
	u64 start = x->start;

	xrdma_xlat_align(x, addr, len);
	if (x->total && x->start != start)
		x->moved = true;
	xrdma_xlat_measure(x, addr, len);
}

/* Largest leaf that fits everything, but never larger than one that covers it. */
static inline u8 xrdma_xlat_common_shift(const struct xrdma_xlat *x)
{
	u64 span = x->start ^ (x->start + x->total - 1);
	u8 shift = XRDMA_LEAF_SHIFT_MAX;

	if (x->mask && __builtin_ctzll(x->mask) < shift)
		shift = __builtin_ctzll(x->mask);
	while (shift > XRDMA_LEAF_SHIFT_MIN && !(span >> (shift - 1)))
		shift--;
	return shift;
}

/**
 * xrdma_xlat_finish() - choose leaf size, levels and the final position
 * @x: shape that has been measured; at least one byte in total
 *
 * The leaf is the largest block that fits all pieces; where that would split
 * larger blocks which a piece holds whole, it is the next size below out of
 * 4 KiB, 2 MiB and 1 GiB instead, so that those fit the levels above.
 */
static inline void xrdma_xlat_finish(struct xrdma_xlat *x)
{
	u8 leaf = xrdma_xlat_common_shift(x);
	u8 paged = leaf - (leaf - XRDMA_LEAF_SHIFT_MIN) % XRDMA_MTT_BITS;
	u8 align;

	if (x->big_shift >= paged + XRDMA_MTT_BITS)
		leaf = paged;
	align = leaf;
	while (align + XRDMA_MTT_BITS <= x->big_shift)
		align += XRDMA_MTT_BITS;

	x->start &= (1ULL << align) - 1;
	x->leaf_shift = leaf;
	x->level = 0;
	while ((x->start + x->total - 1) >> (leaf + XRDMA_MTT_BITS * x->level))
		x->level++;
}

/**
 * xrdma_xlat_block() - last pass: which block begins here
 * @x: finished shape
 * @pos: position
 * @addr: bus address at @pos
 * @len: bytes left in the piece
 *
 * Return: log2 of the size of the block that holds @pos. It begins at @pos,
 * or, if it is a leaf, at @pos rounded down to its size.
 */
static inline u8 xrdma_xlat_block(const struct xrdma_xlat *x, u64 pos,
				  u64 addr, u64 len)
{
	u8 shift = x->leaf_shift;

	while (shift + XRDMA_MTT_BITS <= x->big_shift) {
		u64 size = 1ULL << (shift + XRDMA_MTT_BITS);

		if (((pos | addr) & (size - 1)) || len < size)
			break;
		shift += XRDMA_MTT_BITS;
	}
	return shift;
}

/**
 * xrdma_xlat_step() - bytes of a piece that one block covers
 * @pos: position
 * @len: bytes left in the piece
 * @shift: of the block that holds @pos
 *
 * Return: 1 to @len.
 */
static inline u64 xrdma_xlat_step(u64 pos, u64 len, u8 shift)
{
	u64 step = (1ULL << shift) - (pos & ((1ULL << shift) - 1));

	return step < len ? step : len;
}

/**
 * xrdma_xlat_level() - level of the table that holds a block's entry
 * @leaf_shift: of the translation
 * @shift: of the block
 *
 * Return: 1 is the lowest.
 */
static inline u8 xrdma_xlat_level(u8 leaf_shift, u8 shift)
{
	return (shift - leaf_shift) / XRDMA_MTT_BITS + 1;
}

/**
 * xrdma_xlat_shift() - size that an entry of a table covers
 * @leaf_shift: of the translation
 * @level: of the table, from 1
 *
 * Return: log2 of the bytes.
 */
static inline u8 xrdma_xlat_shift(u8 leaf_shift, u8 level)
{
	return leaf_shift + XRDMA_MTT_BITS * (level - 1);
}

/**
 * xrdma_xlat_index() - entry of a table that a position falls on
 * @leaf_shift: of the translation
 * @level: of the table, from 1
 * @pos: position
 *
 * Return: 0 to 511.
 */
static inline u32 xrdma_xlat_index(u8 leaf_shift, u8 level, u64 pos)
{
	return (pos >> xrdma_xlat_shift(leaf_shift, level)) &
	       (XRDMA_MTT_ENTRIES - 1);
}

/**
 * xrdma_make_root() - translation root
 * @addr: bus address of the top table, or of the block at level 0
 * @level: levels of tables
 * @leaf_shift: log2 of the size of a leaf block
 *
 * Return: the root, in CPU order.
 */
static inline u64 xrdma_make_root(u64 addr, u8 level, u8 leaf_shift)
{
	return (addr & XRDMA_ROOT_ADDR) |
	       FIELD_PREP(XRDMA_ROOT_LEVEL, level) |
	       FIELD_PREP(XRDMA_ROOT_LEAF_SHIFT, leaf_shift);
}

/**
 * xrdma_root_ok() - does a root keep the rules?
 * @root: in CPU order
 *
 * Return: false for a reserved bit, an illegal level or leaf, or a block that
 * is not aligned to its size.
 */
static inline bool xrdma_root_ok(u64 root)
{
	u8 leaf = FIELD_GET(XRDMA_ROOT_LEAF_SHIFT, root);
	u8 level = FIELD_GET(XRDMA_ROOT_LEVEL, root);

	if (root & XRDMA_ROOT_RESERVED)
		return false;
	if (leaf < XRDMA_LEAF_SHIFT_MIN || leaf > XRDMA_LEAF_SHIFT_MAX)
		return false;
	if (level > XRDMA_ROOT_MAX_LEVEL)
		return false;
	return level || !(root & XRDMA_ROOT_ADDR & ((1ULL << leaf) - 1));
}

/**
 * xrdma_root_covers() - is a position inside what a root can map?
 * @root: in CPU order, checked by xrdma_root_ok()
 * @pos: position
 *
 * Return: true if it is.
 */
static inline bool xrdma_root_covers(u64 root, u64 pos)
{
	u8 leaf = FIELD_GET(XRDMA_ROOT_LEAF_SHIFT, root);
	u8 level = FIELD_GET(XRDMA_ROOT_LEVEL, root);
	u8 bits = leaf + XRDMA_MTT_BITS * level;

	return bits > 63 || !(pos >> bits);
}

/**
 * xrdma_make_mtt_block() - entry of a block
 * @addr: bus address, aligned to the size of the block
 *
 * Return: the entry, in CPU order.
 */
static inline u64 xrdma_make_mtt_block(u64 addr)
{
	return (addr & XRDMA_MTT_ADDR) | XRDMA_MTT_BLOCK | XRDMA_MTT_VALID;
}

/**
 * xrdma_make_mtt_table() - entry that leads to a table
 * @addr: bus address of the table, aligned to 4 KiB
 *
 * Return: the entry, in CPU order.
 */
static inline u64 xrdma_make_mtt_table(u64 addr)
{
	return (addr & XRDMA_MTT_ADDR) | XRDMA_MTT_VALID;
}

/**
 * xrdma_mtt_ok() - does a valid translation entry keep the rules?
 * @entry: in CPU order, with XRDMA_MTT_VALID
 * @level: of the table it is in, from 1
 * @leaf_shift: of the translation
 *
 * Return: false for a reserved bit, a table entry at level 1, or a block that
 * is not aligned to its size.
 */
static inline bool xrdma_mtt_ok(u64 entry, u8 level, u8 leaf_shift)
{
	u64 size = 1ULL << xrdma_xlat_shift(leaf_shift, level);

	if (entry & XRDMA_MTT_RESERVED)
		return false;
	if (!(entry & XRDMA_MTT_BLOCK))
		return level > 1;
	return !(entry & XRDMA_MTT_ADDR & (size - 1));
}

#endif /* XRDMA_XLAT_H */
