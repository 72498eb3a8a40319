// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The whole computation of xrdma_xlat.h for lists of one, two and three pieces,
 * as the driver calls it: both passes, the choice of the shape, and any one of
 * the blocks. These theorems use no other theorem; xlat_shape.c has those for
 * any number of pieces. The caller passes adjacent pieces as one, which no
 * theorem here needs.
 *
 * CBMC: --unwind 5 --slice-formula
 *	--unwindset xrdma_xlat_whole_shift.0:19,xrdma_xlat_common_shift.0:19
 */

#include "proof.h"
#include "xrdma_xlat.h"

#define PIECES_MAX	3
#define LEN_MAX		(2ULL << 30)

static u64 addr[PIECES_MAX], len[PIECES_MAX];

/* Has @value only zeros below bit @shift? */
static bool aligned_to(u64 value, u8 shift)
{
	return !(value & ((1ULL << shift) - 1));
}

static void any_pieces(u32 num)
{
	u32 i;

	for (i = 0; i < num; i++) {
		addr[i] = nondet_u64() << 12;
		len[i] = nondet_u32();
		ASSUME(len[i] && len[i] <= LEN_MAX);
		ASSUME(i == num - 1 || aligned_to(len[i], 12));
		ASSUME(addr[i] + len[i] - 1 >= addr[i]);
	}
}

/* The passes over all pieces, as xrdma_xlat.h describes them */
static struct xrdma_xlat shape_of(u32 num, bool queue)
{
	struct xrdma_xlat x = {};
	u32 i;

	if (!queue) {
		xrdma_xlat_begin_measure(&x);
		for (i = 0; i < num; i++)
			xrdma_xlat_survey(&x, addr[i], len[i]);
	}
	if (queue || x.moved) {
		xrdma_xlat_begin_measure(&x);
		for (i = 0; i < num; i++)
			xrdma_xlat_measure(&x, addr[i], len[i]);
	}
	xrdma_xlat_finish(&x);
	return x;
}

/*
 * The block of the last pass that begins @done bytes behind the start of a
 * piece, whose first byte has position @base.
 */
static void check_block(const struct xrdma_xlat *x, u32 num, u32 piece,
			u64 base, u64 done)
{
	u64 pos = base + done, bus = addr[piece] + done;
	u64 left = len[piece] - done;
	u8 shift = xrdma_xlat_block(x, pos, bus, left);
	u64 step = xrdma_xlat_step(pos, left, shift);
	u64 size = 1ULL << shift;
	u8 level = xrdma_xlat_level(x->leaf_shift, shift);
	u64 entry = xrdma_make_mtt_block(bus & ~(size - 1));
	u64 at = nondet_u32();

	REACHABLE(shift > x->leaf_shift || num == 1);
	PROVE(step && step <= left);
	PROVE(shift == x->leaf_shift || aligned_to(pos, shift));
	PROVE(step == left || aligned_to(pos + step, x->leaf_shift));
	/* what the entry covers, of which @step may be a part */
	PROVE(!piece || (pos & ~(size - 1)) >= base);
	PROVE(piece == num - 1 || (pos | (size - 1)) < base + len[piece]);
	if (!x->level) {
		PROVE(shift == x->leaf_shift && step == len[piece] && !done);
		PROVE(xrdma_root_ok(xrdma_make_root(bus & ~(size - 1), 0,
						    shift)));
	} else {
		PROVE(level >= 1 && level <= x->level);
		PROVE(xrdma_mtt_ok(entry, level, x->leaf_shift));
		PROVE(shift == xrdma_xlat_shift(x->leaf_shift, level));
	}
	ASSUME(at < step);
	PROVE(((pos + at) & ~(size - 1)) == (pos & ~(size - 1)));
	PROVE((entry & XRDMA_MTT_ADDR) + ((pos + at) & (size - 1)) == bus + at);
}

static void translate(u32 num)
{
	bool queue = nondet_truth();
	u32 piece = num > 1 ? nondet_u32() : 0, i;
	u64 done = nondet_u32(), base, last, root;
	struct xrdma_xlat x;

	any_pieces(num);
	x = shape_of(num, queue);
	base = x.start;
	last = x.start - 1;
	for (i = 0; i < num; i++)
		last += len[i];
	REACHABLE(x.level == 3 && queue == (num == 1));
	REACHABLE(x.level == 0 || num > 1);
	PROVE(x.level <= 3 && (!queue || !x.start));
	root = xrdma_make_root(0, x.level, x.leaf_shift);
	PROVE(xrdma_root_ok(root) && xrdma_root_covers(root, last));
	ASSUME(piece < num);
	for (i = 0; i < piece; i++)
		base += len[i];
	/* where a block begins, as check_block() shows: at a leaf */
	ASSUME(done < len[piece]);
	ASSUME(!done || aligned_to(base + done, x.leaf_shift));
	check_block(&x, num, piece, base, done);
}

/*
 * Theorem: Each byte of a piece is translated to itself: the block that holds
 *	the byte has a legal entry, in a table of a level that the translation
 *	has, which maps the position of the byte to its bus address; blocks
 *	begin where the one before has ended, and no entry covers a position of
 *	another piece; the root is legal and covers all positions, with at most
 *	3 levels.
 * Holds for: one piece of up to 2 GiB at any address; regions and queues.
 * Assumes: the address is a multiple of 4 KiB.
 */
static void one_piece(void)
{
	translate(1);
}

/*
 * Theorem: The same as one_piece, for each byte of two pieces.
 * Form: long
 * Solver: cadical
 * Holds for: two pieces of up to 2 GiB each at any addresses; regions and
 *	queues.
 * Assumes: the addresses, and the first length, are multiples of 4 KiB.
 */
static void two_pieces(void)
{
	translate(2);
}

/*
 * Theorem: The same as one_piece, for each byte of three pieces.
 * Form: long
 * Solver: cadical
 * Holds for: three pieces of up to 2 GiB each at any addresses; regions and
 *	queues.
 * Assumes: the addresses, and all lengths but the last, are multiples of 4 KiB.
 */
static void three_pieces(void)
{
	translate(3);
}
