// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The shape of a translation that xrdma_xlat.h computes from any number of
 * pieces. The proof is by induction: pieces_limit_the_mask is the step for one
 * more piece, finish_keeps_limits is about the end of the pass, and the theorems
 * about blocks are about any one of the pieces, of which they use only what
 * these two theorems say. The walk of the device is in xlat_walk.c.
 *
 * A piece begins at some number of bytes behind the first byte, its place. Its
 * position is its place plus x.start.
 *
 * CBMC: --unwind 24
 */

#include "proof.h"
#include "xrdma_xlat.h"

/* More bytes than any address space of a process has, as all of one region */
#define TOTAL_MAX	((1ULL << 48) - (1ULL << 30))

/**
 * struct piece - one piece of a list
 * @addr: bus address, a multiple of 4 KiB
 * @len: number of bytes
 * @place: number of bytes of all earlier pieces
 * @last: no piece follows
 */
struct piece {
	u64 addr;
	u64 len;
	u64 place;
	bool last;
};

/* Has @value only zeros below bit @shift? */
static bool aligned_to(u64 value, u8 shift)
{
	return !(value & ((1ULL << shift) - 1));
}

/* A shape in the middle of a pass */
static struct xrdma_xlat any_shape(void)
{
	struct xrdma_xlat x;

	x.moved = false;
	ASSUME(x.start < 1ULL << 30 && aligned_to(x.start, 12));
	ASSUME(x.total <= TOTAL_MAX);
	ASSUME(aligned_to(x.mask, 12));
	ASSUME(x.big_shift >= 12 && x.big_shift <= 30);
	return x;
}

/* A piece of a list that has been measured completely */
static struct piece any_piece(const struct xrdma_xlat *x)
{
	u64 pos, end;
	struct piece p;

	p.last = nondet_truth();
	ASSUME(aligned_to(p.addr, 12) && aligned_to(p.place, 12));
	ASSUME(p.len && p.len <= TOTAL_MAX && p.place <= TOTAL_MAX);
	ASSUME(p.addr + p.len - 1 >= p.addr);
	ASSUME(p.last ? p.place + p.len == x->total :
			aligned_to(p.len, 12) && p.place + p.len < x->total);
	/* what pieces_limit_the_mask says of this piece and of the next one */
	pos = x->start + p.place;
	end = pos + p.len;
	ASSUME(!((p.addr ^ pos) & ~x->mask));
	ASSUME(!p.place || !(pos & ~x->mask));
	ASSUME(p.last || !(end & ~x->mask));
	return p;
}

/* What finish_keeps_limits says of a shape before and after the end of a pass */
static bool keeps_limits(const struct xrdma_xlat *before,
			 const struct xrdma_xlat *x)
{
	u8 leaf = x->leaf_shift;
	u32 bits = leaf + 9U * x->level;
	u64 last = x->start + x->total - 1;

	return leaf >= 12 && leaf <= 30 && x->level <= 4 &&
	       aligned_to(before->mask, leaf) && x->start <= before->start &&
	       aligned_to(before->start ^ x->start, leaf) &&
	       (bits > 63 || last >> bits == 0) && x->mask == before->mask &&
	       (!x->level || last >> (bits - 9)) &&
	       x->total == before->total && x->big_shift == before->big_shift;
}

/*
 * Theorem: One more piece adds its length to the total, never clears a bit of
 *	the mask, and sets each bit in which its address and its position
 *	differ and, unless it is the first piece, each bit of its position; the
 *	size of the largest block never shrinks and is at most 1 GiB.
 * Holds for: all inputs, so for any number of pieces.
 * Assumes: at most 2^48 - 2^30 bytes before the piece; start, total and address
 *	are multiples of 4 KiB.
 */
static void pieces_limit_the_mask(void)
{
	const struct xrdma_xlat before = any_shape();
	struct xrdma_xlat x = before;
	u64 addr = nondet_u64();
	u64 len = nondet_u64();
	u64 pos = before.start + before.total;

	ASSUME(len && len <= TOTAL_MAX);
	ASSUME(aligned_to(addr, 12) && aligned_to(before.total, 12));
	xrdma_xlat_measure(&x, addr, len);
	REACHABLE(x.big_shift > before.big_shift);
	REACHABLE(x.mask != before.mask && before.total);
	PROVE(x.start == before.start && x.total == before.total + len);
	PROVE(!(before.mask & ~x.mask));
	PROVE(!((addr ^ pos) & ~x.mask));
	PROVE(!before.total || !(pos & ~x.mask));
	PROVE(aligned_to(x.mask, 12));
	PROVE(x.big_shift >= before.big_shift && x.big_shift <= 30);
}

/*
 * Theorem: A pass that chooses the start says "moved" whenever the start has
 *	changed after the first piece, so that no piece stays measured with
 *	another start; the start is a multiple of 4 KiB below 1 GiB.
 * Holds for: all inputs, so for any number of pieces.
 * Assumes: at most 2^48 - 2^30 bytes before the piece; start, total and address
 *	are multiples of 4 KiB.
 * Solver: cadical
 */
static void changed_start_is_reported(void)
{
	const struct xrdma_xlat before = any_shape();
	struct xrdma_xlat x = before, measured;
	u64 addr = nondet_u64();
	u64 len = nondet_u64();

	ASSUME(len && len <= TOTAL_MAX);
	ASSUME(aligned_to(addr, 12) && aligned_to(before.total, 12));
	xrdma_xlat_survey(&x, addr, len);
	REACHABLE(x.moved);
	REACHABLE(!x.moved && before.total && len > 1ULL << 30);
	PROVE(x.moved == (before.total && x.start != before.start));
	PROVE(x.start < 1ULL << 30 && aligned_to(x.start, 12));
	measured = before;
	measured.start = x.start;
	xrdma_xlat_measure(&measured, addr, len);
	PROVE(x.mask == measured.mask && x.total == measured.total);
	PROVE(x.big_shift == measured.big_shift);
}

/*
 * Theorem: The end of a pass chooses a leaf of 4 KiB to 1 GiB that divides each
 *	bit of the mask, at most 4 levels, and not more than the positions
 *	need; the start changes by a multiple of the leaf.
 * Holds for: any number of pieces.
 * Assumes: 1 to 2^48 - 2^30 bytes in all.
 */
static void finish_keeps_limits(void)
{
	const struct xrdma_xlat before = any_shape();
	struct xrdma_xlat x = before;

	ASSUME(x.total);
	xrdma_xlat_finish(&x);
	REACHABLE(x.level == 4);
	REACHABLE(x.level == 0);
	REACHABLE(x.start != before.start && x.level == 2);
	PROVE(keeps_limits(&before, &x));
}

/**
 * struct head - what the last pass does at one position of a piece
 * @pos: position
 * @addr: bus address of @pos
 * @left: number of bytes from @pos to the end of the piece
 * @shift: log2 of the size of the block
 * @step: number of bytes of the piece that the block maps
 * @first: @pos is the first byte of all pieces
 */
struct head {
	u64 pos;
	u64 addr;
	u64 left;
	u8 shift;
	u64 step;
	bool first;
};

/* Any position at which a block begins: that of the piece, or of a leaf */
static struct head any_head(const struct xrdma_xlat *x, const struct piece *p)
{
	u64 done = nondet_u64();
	struct head h;

	ASSUME(done < p->len);
	h.pos = x->start + p->place + done;
	h.addr = p->addr + done;
	h.left = p->len - done;
	h.first = !p->place && !done;
	ASSUME(!done || aligned_to(h.pos, x->leaf_shift));
	h.shift = xrdma_xlat_block(x, h.pos, h.addr, h.left);
	h.step = xrdma_xlat_step(h.pos, h.left, h.shift);
	return h;
}

/*
 * Theorem: The entry of each block is legal, and maps each byte of the piece
 *	that it covers to the bus address of this byte.
 * Holds for: any number of pieces of any lengths.
 * Assumes: 1 to 2^48 - 2^30 bytes in all; theorems pieces_limit_the_mask and
 *	finish_keeps_limits.
 */
static void blocks_map_bytes_to_themselves(void)
{
	const struct xrdma_xlat before = any_shape();
	const struct piece p = any_piece(&before);
	struct xrdma_xlat x;
	u64 d = nondet_u64();
	struct head h;
	u64 block, inside;
	u8 level;

	ASSUME(keeps_limits(&before, &x));
	h = any_head(&x, &p);
	inside = h.pos & ((1ULL << h.shift) - 1);
	block = h.addr - inside;
	level = xrdma_xlat_level(x.leaf_shift, h.shift);
	REACHABLE(level == 3);
	REACHABLE(inside);
	PROVE(h.step && h.step <= h.left);
	PROVE(h.shift == x.leaf_shift + 9 * (level - 1) && h.shift <= 30);
	PROVE(aligned_to(block, h.shift));
	PROVE(xrdma_mtt_ok(xrdma_make_mtt_block(block), level, x.leaf_shift));
	PROVE((xrdma_make_mtt_block(block) & ~0xfffULL) == block);
	ASSUME(d < h.step);
	PROVE(block + ((h.pos + d) & ((1ULL << h.shift) - 1)) == h.addr + d);
	PROVE((h.pos + d) >> h.shift == h.pos >> h.shift);
}

/*
 * Theorem: No two blocks share a position: each block begins at the position
 *	that the last pass has reached, except for the first leaf, and ends
 *	where the next one begins, except for the last leaf; so no entry is
 *	written twice.
 * Holds for: any number of pieces of any lengths.
 * Assumes: 1 to 2^48 - 2^30 bytes in all; theorems pieces_limit_the_mask and
 *	finish_keeps_limits.
 */
static void blocks_are_disjoint(void)
{
	const struct xrdma_xlat before = any_shape();
	const struct piece p = any_piece(&before);
	struct xrdma_xlat x;
	struct head h;
	u64 begin, end;

	ASSUME(keeps_limits(&before, &x));
	h = any_head(&x, &p);
	begin = h.pos >> h.shift << h.shift;
	end = begin + (1ULL << h.shift);
	REACHABLE(begin != h.pos);
	REACHABLE(end != h.pos + h.step);
	PROVE(begin == h.pos || (h.first && h.shift == x.leaf_shift));
	PROVE(end == h.pos + h.step || (p.last && h.step == h.left &&
					h.shift == x.leaf_shift));
	PROVE(h.step == h.left || aligned_to(h.pos + h.step, x.leaf_shift));
}

/*
 * Theorem: The root of a single block is legal, and maps each byte to its bus
 *	address; a translation without tables has one piece only.
 * Holds for: any number of pieces of any lengths.
 * Assumes: 1 to 2^48 - 2^30 bytes in all; theorems pieces_limit_the_mask and
 *	finish_keeps_limits.
 */
static void root_block_is_legal(void)
{
	const struct xrdma_xlat before = any_shape();
	const struct piece p = any_piece(&before);
	struct xrdma_xlat x;
	u64 top, root;

	ASSUME(keeps_limits(&before, &x));
	ASSUME(!x.level);
	PROVE(!p.place && p.last);
	top = p.addr - x.start;
	root = xrdma_make_root(top, 0, x.leaf_shift);
	REACHABLE(x.start);
	PROVE(xrdma_root_ok(root));
	PROVE((root & ~0xfffULL) == top);
	PROVE(xrdma_root_covers(root, x.start + x.total - 1));
}

/*
 * Theorem: A block of several leaves has its entry in a table that exists: its
 *	level is at most that of the translation.
 * Holds for: any number of pieces of any lengths.
 * Assumes: 1 to 2^48 - 2^30 bytes in all; theorem pieces_limit_the_mask; the
 *	mask of a single piece has only the bits in which its address and its
 *	position differ.
 */
static void blocks_fit_the_levels(void)
{
	const struct xrdma_xlat before = any_shape();
	const struct piece p = any_piece(&before);
	struct xrdma_xlat x = before;
	struct head h;

	ASSUME(p.len < x.total || x.mask == (p.addr ^ before.start));
	xrdma_xlat_finish(&x);
	h = any_head(&x, &p);
	REACHABLE(h.shift > x.leaf_shift && x.level == 3);
	REACHABLE(p.len == x.total && x.level == 2);
	PROVE(!x.level ||
	      xrdma_xlat_level(x.leaf_shift, h.shift) <= x.level);
	PROVE(x.level || h.shift == x.leaf_shift);
}
