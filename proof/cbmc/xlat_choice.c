// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What each function of xrdma_xlat.h computes, exactly. Most of these functions
 * choose: a translation with another start, leaf or block is correct too, but
 * has more tables or entries. That a translation is correct is proved in
 * xlat_shape.c.
 *
 * CBMC: --unwind 24
 */

#include "proof.h"
#include "xrdma_xlat.h"

/* More bytes than any address space of a process has, as all of one region */
#define TOTAL_MAX	((1ULL << 48) - (1ULL << 30))

/* Has @value only zeros below bit @shift? */
static bool aligned_to(u64 value, u8 shift)
{
	return !(value & ((1ULL << shift) - 1));
}

/* Number of aligned blocks of 1 << @shift bytes in [@addr, @addr + @len) */
static u64 blocks_in(u64 addr, u64 len, u8 shift)
{
	__uint128_t first = ((__uint128_t)addr + (1ULL << shift) - 1) >> shift;
	__uint128_t end = ((__uint128_t)addr + len) >> shift;

	return end > first ? end - first : 0;
}

/*
 * Theorem: The number of aligned blocks that a piece holds whole is exact.
 * Holds for: all pieces that end at 2^64 or below, blocks of 2 MiB and of 1 GiB,
 *	which are all that the votes count.
 * Assumes: nothing.
 */
static void count_is_exact(void)
{
	u64 addr = nondet_u64(), len = nondet_u64();
	u64 huge = xrdma_xlat_count(addr, len, 21);
	u64 giga = xrdma_xlat_count(addr, len, 30);

	ASSUME((__uint128_t)addr + len <= (__uint128_t)1 << 64);
	REACHABLE(huge > 1 && addr);
	REACHABLE(!giga && len > 1 << 30);
	PROVE(huge == blocks_in(addr, len, 21));
	PROVE(giga == blocks_in(addr, len, 30));
}

/*
 * Theorem: Votes for a candidate are added to its votes, votes against it are
 *	subtracted; a candidate loses exactly to more votes than it has, and
 *	the surplus is the votes of the next candidate.
 * Holds for: all inputs.
 * Assumes: the sum of the votes is below 2^64.
 */
static void votes_are_counted(void)
{
	u64 before = nondet_u64(), weight = nondet_u64();
	bool agrees = nondet_truth();
	u64 votes = before;
	bool stays;

	ASSUME(before + weight >= before);
	stays = xrdma_xlat_vote(&votes, weight, agrees);
	REACHABLE(!stays);
	REACHABLE(stays && !agrees);
	if (agrees)
		PROVE(stays && votes == before + weight);
	else if (weight > before)
		PROVE(!stays && votes == weight - before);
	else
		PROVE(stays && votes == before - weight);
}

/* A shape in the middle of a pass */
static struct xrdma_xlat any_shape(void)
{
	struct xrdma_xlat x;

	x.moved = nondet_truth();
	ASSUME(x.start < 1ULL << 30 && aligned_to(x.start, 12));
	ASSUME(x.total <= TOTAL_MAX);
	ASSUME(aligned_to(x.mask, 12));
	ASSUME(x.big_shift >= 12 && x.big_shift <= 30);
	return x;
}

static bool same_shape(const struct xrdma_xlat *a, const struct xrdma_xlat *b)
{
	return a->start == b->start && a->total == b->total &&
	       a->votes == b->votes && a->giga_votes == b->giga_votes &&
	       a->mask == b->mask && a->big_shift == b->big_shift &&
	       a->leaf_shift == b->leaf_shift && a->level == b->level &&
	       a->moved == b->moved;
}

/* What a piece with a start of its own, or with another one, does to a shape */
static void expect_vote(struct xrdma_xlat *x, u64 start, u64 huge, u64 giga)
{
	if ((start ^ x->start) % (1 << 21)) {
		if (huge > x->votes) {
			x->start = start;
			x->giga_votes = giga;
			x->votes = huge - x->votes;
		} else {
			x->votes -= huge;
		}
		return;
	}
	x->votes += huge;
	if (start == x->start) {
		x->giga_votes += giga;
	} else if (giga > x->giga_votes) {
		x->start = start;
		x->giga_votes = giga - x->giga_votes;
	} else {
		x->giga_votes -= giga;
	}
}

/*
 * Theorem: The first piece determines the start. A later piece of at least 2 MiB
 *	votes with its blocks of 2 MiB and, if its start agrees modulo 2 MiB,
 *	with those of 1 GiB; the start changes exactly if a vote is lost, and
 *	then to the start of this piece. A shorter piece changes nothing.
 * Holds for: all shapes, pieces and votes.
 * Assumes: theorem count_is_exact.
 */
static void start_is_voted_on(void)
{
	const struct xrdma_xlat before = any_shape();
	struct xrdma_xlat x = before, expected = before;
	u64 addr = nondet_u64(), len = nondet_u64();
	u64 start = (addr - before.total) % (1 << 30);
	u64 huge = xrdma_xlat_count(addr, len, 21);
	u64 giga = xrdma_xlat_count(addr, len, 30);

	ASSUME(aligned_to(addr, 12));
	if (!before.total)
		expected.start = start;
	if (!before.total || len >= 1 << 21)
		expect_vote(&expected, start, huge, giga);
	xrdma_xlat_align(&x, addr, len);
	REACHABLE(before.total && x.start != before.start && !giga);
	REACHABLE(x.start != before.start && x.start % (1 << 21) ==
		  before.start % (1 << 21));
	PROVE(same_shape(&x, &expected));
}

/*
 * Theorem: A pass begins with no bytes, an empty mask and blocks of 4 KiB, and
 *	keeps the start and the votes.
 * Holds for: all shapes.
 * Assumes: nothing.
 */
static void pass_begins_empty(void)
{
	const struct xrdma_xlat before = any_shape();
	struct xrdma_xlat x = before, expected = before;

	expected.total = 0;
	expected.mask = 0;
	expected.big_shift = 12;
	REACHABLE(before.total && before.mask);
	xrdma_xlat_begin_measure(&x);
	PROVE(same_shape(&x, &expected));
}

/* Is [@block, @block + 2^@shift) aligned, and inside [@pos, @pos + @len)? */
static bool holds(u64 pos, u64 len, u64 block, u8 shift)
{
	return aligned_to(block, shift) && block >= pos &&
	       block - pos <= len && len - (block - pos) >= 1ULL << shift;
}

/*
 * Theorem: The largest aligned block in a range is exact: the range holds a block
 *	of this size or the size is 4 KiB, and it holds no larger block up to
 *	the limit.
 * Holds for: all ranges that end below 2^64, limits of 4 KiB to 1 GiB.
 * Assumes: nothing.
 * Form: long
 * Solver: cadical
 */
static void whole_block_is_largest(void)
{
	u64 pos = nondet_u64(), len = nondet_u64(), any = nondet_u64();
	u8 max = nondet_u8(), other = nondet_u8();
	u64 first;
	u8 shift;

	ASSUME(max >= 12 && max <= 30 && len <= -pos - 1);
	shift = xrdma_xlat_whole_shift(pos, len, max);
	first = (pos + (1ULL << shift) - 1) >> shift << shift;
	REACHABLE(shift == max && max == 30);
	REACHABLE(shift > 12 && shift < max);
	PROVE(shift >= 12 && shift <= max);
	PROVE(shift == 12 || holds(pos, len, first, shift));
	ASSUME(other > shift && other <= max);
	PROVE(!holds(pos, len, any, other));
}

/*
 * Theorem: One more piece adds to the mask exactly the bits in which its address
 *	and its position differ and, unless it is the first piece, those of
 *	its position; the largest block grows exactly to the largest one of up
 *	to 1 GiB that the piece holds whole, aligned in positions and
 *	addresses.
 * Holds for: all shapes, pieces of up to 2^48 - 2^30 bytes.
 * Assumes: start, total and address are multiples of 4 KiB.
 */
static void measure_is_exact(void)
{
	const struct xrdma_xlat before = any_shape();
	struct xrdma_xlat x = before, expected = before;
	u64 addr = nondet_u64(), len = nondet_u64(), any = nondet_u64();
	u64 pos = before.start + before.total, first;
	u8 other = nondet_u8();

	ASSUME(aligned_to(addr, 12) && aligned_to(before.total, 12));
	ASSUME(len && len <= TOTAL_MAX);
	xrdma_xlat_measure(&x, addr, len);
	expected.mask |= (addr ^ pos) | (before.total ? pos : 0);
	expected.total += len;
	expected.big_shift = x.big_shift;
	first = (pos + (1ULL << x.big_shift) - 1) >> x.big_shift << x.big_shift;
	REACHABLE(x.big_shift == 30 && before.big_shift == 29);
	REACHABLE(x.big_shift == 22 && aligned_to(addr ^ pos, 30));
	PROVE(same_shape(&x, &expected));
	PROVE(x.big_shift == before.big_shift ||
	      (x.big_shift > before.big_shift && x.big_shift <= 30 &&
	       aligned_to(addr ^ pos, x.big_shift) &&
	       holds(pos, len, first, x.big_shift)));
	ASSUME(other > x.big_shift && other <= 30);
	PROVE(!aligned_to(addr ^ pos, other) || !holds(pos, len, any, other));
}

/*
 * Theorem: The end of a pass chooses the largest leaf of 4 KiB to 1 GiB that
 *	divides each bit of the mask and is not larger than the smallest
 *	block that covers all positions.
 * Holds for: any number of pieces.
 * Assumes: 1 to 2^48 - 2^30 bytes in all.
 */
static void common_leaf_is_largest(void)
{
	const struct xrdma_xlat x = any_shape();
	u64 last = x.start + x.total - 1;
	u8 shift, other = nondet_u8();

	ASSUME(x.total);
	shift = xrdma_xlat_common_shift(&x);
	REACHABLE(shift == 30);
	REACHABLE(shift > 12 && shift < 30 && aligned_to(x.mask, 30));
	PROVE(shift >= 12 && shift <= 30 && aligned_to(x.mask, shift));
	PROVE(shift == 12 || x.start >> (shift - 1) != last >> (shift - 1));
	ASSUME(other > shift && other <= 30);
	PROVE(!aligned_to(x.mask, other) ||
	      x.start >> (other - 1) == last >> (other - 1));
}

/*
 * Theorem: If blocks of an upper level fit a leaf of 4 KiB, 2 MiB or 1 GiB, the
 *	leaf is rounded down to this size, else the leaf is the largest one
 *	that suits all pieces; the start is reduced modulo the largest block
 *	in use; and there are as many levels as the positions need.
 * Holds for: any number of pieces.
 * Assumes: 1 to 2^48 - 2^30 bytes in all; theorem common_leaf_is_largest.
 * Form: long
 * Solver: cadical
 */
static void finish_is_exact(void)
{
	const struct xrdma_xlat before = any_shape();
	struct xrdma_xlat x = before, expected = before;
	u8 leaf, paged, largest, bits;
	u64 last;

	ASSUME(before.total);
	leaf = xrdma_xlat_common_shift(&before);
	paged = leaf < 21 ? 12 : leaf < 30 ? 21 : 30;
	if (paged + 9 <= before.big_shift)
		leaf = paged;
	largest = leaf + 18 <= before.big_shift ? leaf + 18 :
		  leaf + 9 <= before.big_shift ? leaf + 9 : leaf;
	expected.leaf_shift = leaf;
	expected.start &= (1ULL << largest) - 1;
	last = expected.start + before.total - 1;
	xrdma_xlat_finish(&x);
	expected.level = x.level;
	bits = leaf + 9 * x.level;
	REACHABLE(largest == 30 && leaf == 12);
	REACHABLE(leaf == 20);
	PROVE(same_shape(&x, &expected));
	PROVE(bits > 63 || !(last >> bits));
	PROVE(!x.level || last >> (bits - 9));
}

/*
 * Theorem: A block is the largest one of a leaf or an entry of an upper level
 *	that begins at the position, is aligned in positions and addresses, is
 *	not longer than the piece, and not larger than the largest block in
 *	use.
 * Holds for: all positions, addresses and lengths.
 * Assumes: the leaf has 4 KiB to 1 GiB.
 */
static void block_is_largest(void)
{
	struct xrdma_xlat x = any_shape();
	u64 pos = nondet_u64(), addr = nondet_u64(), len = nondet_u64();
	u8 shift, next;

	ASSUME(x.leaf_shift >= 12 && x.leaf_shift <= 30);
	shift = xrdma_xlat_block(&x, pos, addr, len);
	next = shift + 9;
	REACHABLE(shift == 30 && x.leaf_shift == 12);
	REACHABLE(next <= x.big_shift && shift > x.leaf_shift);
	PROVE(shift >= x.leaf_shift && (shift - x.leaf_shift) % 9 == 0);
	PROVE(shift == x.leaf_shift ||
	      (shift <= x.big_shift && len >> shift &&
	       aligned_to(pos, shift) && aligned_to(addr, shift)));
	PROVE(next > x.big_shift || !(len >> next) ||
	      !aligned_to(pos, next) || !aligned_to(addr, next));
}

/*
 * Theorem: A step ends at the end of the block or, if that comes first, at the
 *	end of the piece.
 * Holds for: all positions and lengths, blocks of up to 2^57 bytes.
 * Assumes: nothing.
 */
static void step_is_exact(void)
{
	u64 pos = nondet_u64(), len = nondet_u64();
	u8 shift = nondet_u8();
	__uint128_t end;
	u64 step;

	ASSUME(shift <= 57);
	step = xrdma_xlat_step(pos, len, shift);
	end = ((__uint128_t)(pos >> shift) + 1) << shift;
	REACHABLE(step == len && pos + step < end);
	REACHABLE(step < len);
	PROVE(step == (len < end - pos ? len : end - pos));
}

/*
 * Theorem: An entry of a table of level n covers 2^(leaf + 9 x (n - 1)) bytes,
 *	the entry of a block is in a table of the level that this formula
 *	gives, and the index of an entry is the position in units of this
 *	size, modulo 512.
 * Holds for: all positions, levels 1 to 4, leaves of 4 KiB to 1 GiB.
 * Assumes: nothing.
 */
static void entries_are_placed_by_level(void)
{
	u64 pos = nondet_u64();
	u8 leaf = nondet_u8(), level = nondet_u8();
	u8 shift;

	ASSUME(leaf >= 12 && leaf <= 30 && level >= 1 && level <= 4);
	shift = xrdma_xlat_shift(leaf, level);
	REACHABLE(shift == 57 && xrdma_xlat_index(leaf, level, pos) == 127);
	REACHABLE(xrdma_xlat_index(leaf, level, pos) == 511);
	PROVE(shift == leaf + 9 * level - 9);
	PROVE(xrdma_xlat_level(leaf, shift) == level);
	PROVE(xrdma_xlat_index(leaf, level, pos) == (pos >> shift) % 512);
}
