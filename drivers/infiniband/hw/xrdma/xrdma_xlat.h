/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA translation: computes the levels, the leaf size and the blocks of the
 * tables that map a list of contiguous pieces of bus memory, and looks up
 * positions. Allocating and writing tables is left to the driver's xrdma_mtt.c.
 * Pure layer: no locks, no allocation, no device; also compiles in user space.
 *
 * A translation maps positions, not addresses. The position of the first byte
 * of a region (its "offset") is congruent to its bus address modulo the largest
 * block in use, whatever the IOVA of the region is; so huge pages stay whole at
 * any IOVA. A block never spans two pieces, so the caller passes adjacent
 * pieces as one. Building takes two passes over the pieces, seldom three. A
 * queue always begins at position 0, so it skips the first pass (survey) and
 * always takes the second one (measure):
 *
 *	struct xrdma_xlat x = {};
 *
 *	xrdma_xlat_begin_measure(&x);
 *	each piece: xrdma_xlat_survey(&x, addr, len);
 *	if (x.moved)
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

/* Log2 of the smallest block that saves a table, and so determines @start */
#define XRDMA_XLAT_HUGE_SHIFT	(XRDMA_LEAF_SHIFT_MIN + XRDMA_MTT_BITS)

/**
 * struct xrdma_xlat - shape of a translation
 * @start: position of the first byte of the first piece
 * @total: number of bytes measured so far
 * @votes: majority vote on @start: number of 2 MiB blocks that @start keeps
 *	whole, minus those that it splits
 * @giga_votes: the same vote for 1 GiB blocks
 * @mask: address bits that a leaf block may not span: bits in which addresses
 *	and positions differ, and bits of the positions where pieces meet
 * @big_shift: log2 of the largest aligned block that one piece holds whole
 * @leaf_shift: log2 of the size of a leaf block
 * @level: number of table levels, 0 to XRDMA_ROOT_MAX_LEVEL
 * @moved: @start has changed during the pass, so the measurement is void
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

/* Number of aligned blocks of 1 << @shift bytes that a piece holds whole */
static inline u64 xrdma_xlat_count(u64 addr, u64 len, u8 shift)
{
	u64 skip = -addr & ((1ULL << shift) - 1);

	return len > skip ? (len - skip) >> shift : 0;
}

/*
 * Count @weight votes for the present candidate, or against it. Return: false
 * if the candidate has lost its majority; the caller then replaces it.
 */
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
 * Choose @start so that most of the largest blocks stay whole. Each piece votes
 * for a @start that suits it, with as many votes as it holds aligned blocks of
 * 2 MiB. Pieces whose @start agrees modulo 2 MiB vote again, with their blocks
 * of 1 GiB. Small pages that happen to be contiguous are outvoted and do not
 * split huge pages.
 */
static inline void xrdma_xlat_align(struct xrdma_xlat *x, u64 addr, u64 len)
{
	u64 start = (addr - x->total) & ((1ULL << XRDMA_LEAF_SHIFT_MAX) - 1);
	u64 giga, huge;
	bool agrees;

	if (!x->total)
		x->start = start;
	else if (!(len >> XRDMA_XLAT_HUGE_SHIFT))
		return; /* below 2 MiB, so it holds no block to vote with */
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

/* Log2 of the largest aligned block in [@pos, @pos + @len), at most @max */
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
 * xrdma_xlat_begin_measure() - begin a pass over the pieces
 * @x: shape; the caller zeroes it before the first pass
 */
static inline void xrdma_xlat_begin_measure(struct xrdma_xlat *x)
{
	x->total = 0;
	x->mask = 0;
	x->big_shift = XRDMA_LEAF_SHIFT_MIN;
}

/**
 * xrdma_xlat_measure() - add a piece to the limits on block sizes
 * @x: shape, after xrdma_xlat_begin_measure()
 * @addr: bus address of the piece, aligned to 4 KiB
 * @len: number of bytes; a multiple of 4 KiB, except for the last piece
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
 * xrdma_xlat_survey() - choose @x->start, and measure a piece with it
 * @x: shape, after xrdma_xlat_begin_measure()
 * @addr: bus address of the piece, aligned to 4 KiB
 * @len: number of bytes; a multiple of 4 KiB, except for the last piece
 *
 * If a later piece changes @x->start, the function sets @x->moved: the caller
 * has to measure all pieces again.
 */
static inline void xrdma_xlat_survey(struct xrdma_xlat *x, u64 addr, u64 len)
{
	u64 start = x->start;

	xrdma_xlat_align(x, addr, len);
	if (x->total && x->start != start)
		x->moved = true;
	xrdma_xlat_measure(x, addr, len);
}

/*
 * Log2 of the largest leaf that suits all pieces, but not larger than the
 * smallest block that covers all of them.
 */
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
 * xrdma_xlat_finish() - choose leaf size, levels and the final @x->start
 * @x: shape of pieces that have been measured; at least one byte in total
 *
 * The leaf is the largest block that suits all pieces. If a piece holds larger
 * blocks whole, the leaf is rounded down to 4 KiB, 2 MiB or 1 GiB, so that the
 * larger blocks have the size of an entry of an upper level.
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
 * xrdma_xlat_block() - size of the block at a position, for the last pass
 * @x: shape, after xrdma_xlat_finish()
 * @pos: position
 * @addr: bus address at @pos
 * @len: number of bytes left in the piece
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
 * xrdma_xlat_step() - number of bytes of a piece that one block covers
 * @pos: position
 * @len: number of bytes left in the piece
 * @shift: log2 of the size of the block that holds @pos
 *
 * Return: number of bytes, 1 to @len.
 */
static inline u64 xrdma_xlat_step(u64 pos, u64 len, u8 shift)
{
	u64 step = (1ULL << shift) - (pos & ((1ULL << shift) - 1));

	return step < len ? step : len;
}

/**
 * xrdma_xlat_level() - level of the table that holds a block's entry
 * @leaf_shift: log2 of the size of a leaf block of the translation
 * @shift: log2 of the size of the block
 *
 * Return: level, of which 1 is the lowest.
 */
static inline u8 xrdma_xlat_level(u8 leaf_shift, u8 shift)
{
	return (shift - leaf_shift) / XRDMA_MTT_BITS + 1;
}

/**
 * xrdma_xlat_shift() - size of the range that an entry of a table covers
 * @leaf_shift: log2 of the size of a leaf block of the translation
 * @level: level of the table, 1 or more
 *
 * Return: log2 of the number of bytes.
 */
static inline u8 xrdma_xlat_shift(u8 leaf_shift, u8 level)
{
	return leaf_shift + XRDMA_MTT_BITS * (level - 1);
}

/**
 * xrdma_xlat_index() - index of the table entry that covers a position
 * @leaf_shift: log2 of the size of a leaf block of the translation
 * @level: level of the table, 1 or more
 * @pos: position
 *
 * Return: index, 0 to 511.
 */
static inline u32 xrdma_xlat_index(u8 leaf_shift, u8 level, u64 pos)
{
	return (pos >> xrdma_xlat_shift(leaf_shift, level)) &
	       (XRDMA_MTT_ENTRIES - 1);
}

/**
 * xrdma_make_root() - compose a translation root
 * @addr: bus address of the top table; level 0: of the block
 * @level: number of table levels
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
 * xrdma_root_ok() - is a translation root legal?
 * @root: the root, in CPU order
 *
 * Return: false for a reserved bit that is set, an illegal level or leaf size,
 * or a block that is not aligned to its size.
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
 * xrdma_root_covers() - can a translation root map a position?
 * @root: the root, in CPU order, which xrdma_root_ok() accepts
 * @pos: position
 *
 * Return: true if @pos is below the number of bytes that the root can map.
 */
static inline bool xrdma_root_covers(u64 root, u64 pos)
{
	u8 leaf = FIELD_GET(XRDMA_ROOT_LEAF_SHIFT, root);
	u8 level = FIELD_GET(XRDMA_ROOT_LEVEL, root);
	u8 bits = leaf + XRDMA_MTT_BITS * level;

	return bits > 63 || !(pos >> bits);
}

/**
 * xrdma_make_mtt_block() - compose the translation entry of a block
 * @addr: bus address, aligned to the size of the block
 *
 * Return: the entry, in CPU order.
 */
static inline u64 xrdma_make_mtt_block(u64 addr)
{
	return (addr & XRDMA_MTT_ADDR) | XRDMA_MTT_BLOCK | XRDMA_MTT_VALID;
}

/**
 * xrdma_make_mtt_table() - compose the translation entry of a table
 * @addr: bus address of the table, aligned to 4 KiB
 *
 * Return: the entry, in CPU order.
 */
static inline u64 xrdma_make_mtt_table(u64 addr)
{
	return (addr & XRDMA_MTT_ADDR) | XRDMA_MTT_VALID;
}

/**
 * xrdma_mtt_ok() - is a translation entry legal?
 * @entry: the entry, in CPU order, with XRDMA_MTT_VALID set
 * @level: level of the table that contains the entry, 1 or more
 * @leaf_shift: log2 of the size of a leaf block of the translation
 *
 * Return: false for a reserved bit that is set, a table entry at level 1, or a
 * block that is not aligned to its size.
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

/**
 * xrdma_mtt_paged_ok() - is a translation entry of a paged region legal?
 * @entry: the entry, in CPU order, with XRDMA_MTT_VALID set
 * @level: level of the table that contains the entry, 1 or more
 *
 * The leaf of a paged region has 4 KiB.
 *
 * Return: false if xrdma_mtt_ok() is false without XRDMA_MTT_WRITE, or if the
 * entry of a table has XRDMA_MTT_WRITE.
 */
static inline bool xrdma_mtt_paged_ok(u64 entry, u8 level)
{
	if (entry & XRDMA_MTT_WRITE && !(entry & XRDMA_MTT_BLOCK))
		return false;
	return xrdma_mtt_ok(entry & ~XRDMA_MTT_WRITE, level,
			    XRDMA_LEAF_SHIFT_MIN);
}

/**
 * xrdma_root_paged_ok() - is the translation root of a paged region legal?
 * @root: the root, in CPU order
 *
 * Return: false if xrdma_root_ok() is false, if the root has no tables, or if
 * its leaf has not 4 KiB.
 */
static inline bool xrdma_root_paged_ok(u64 root)
{
	return xrdma_root_ok(root) && FIELD_GET(XRDMA_ROOT_LEVEL, root) &&
	       FIELD_GET(XRDMA_ROOT_LEAF_SHIFT, root) == XRDMA_LEAF_SHIFT_MIN;
}

#endif /* XRDMA_XLAT_H */
