// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the arithmetic of translation (xrdma_xlat.h): the blocks for random
 * layouts map every byte to its address, at a size and level that the device
 * specification allows; illegal roots and entries are detected. Tests of the
 * tables that contain the blocks are in mtt_kunit.c.
 */

#include <kunit/test.h>
#include <linux/slab.h>
#include "xrdma_xlat.h"
#include "xlat_layouts.h"

/* Random layouts; fewer outside of UML, since the machine may be emulated */
#define XLAT_LAYOUTS		(IS_ENABLED(CONFIG_UML) ? 100000 : 2000)
#define XLAT_PIECES		256

/**
 * struct cut - state of the division of a layout into blocks
 * @x: shape of the layout, after xrdma_xlat_finish()
 * @pos: position of the next byte
 * @last_pos: position of the first byte of the last block
 * @last_addr: bus address of the last block
 * @last_shift: log2 of the size of the last block; 0: there is no block yet
 */
struct cut {
	struct xrdma_xlat x;
	u64 pos;
	u64 last_pos;
	u64 last_addr;
	u8 last_shift;
};

static void measure(struct xrdma_xlat *x, const struct layout *l)
{
	u32 i;

	memset(x, 0, sizeof(*x));
	xrdma_xlat_begin_measure(x);
	for (i = 0; i < l->num && !l->queue; i++)
		xrdma_xlat_survey(x, l->pieces[i].addr, l->pieces[i].len);
	if (l->queue || x->moved)
		xrdma_xlat_begin_measure(x);
	for (i = 0; i < l->num && (l->queue || x->moved); i++)
		xrdma_xlat_measure(x, l->pieces[i].addr, l->pieces[i].len);
	xrdma_xlat_finish(x);
}

/* Check a shape by the rules of the specification for roots. */
static const char *check_shape(const struct layout *l,
			       const struct xrdma_xlat *x)
{
	u8 bits = x->leaf_shift + 9 * x->level;

	if (x->total != l->total)
		return "the total is not the sum of the pieces";
	if (x->leaf_shift < 12 || x->leaf_shift > 30)
		return "the leaf is not 4 KiB to 1 GiB";
	if (x->level > 4)
		return "there are more than 4 levels";
	if (l->queue && x->start)
		return "a queue does not begin at position 0";
	if (x->start + l->first > U32_MAX)
		return "the offset does not fit a key entry";
	if ((x->start + l->total - 1) >> bits)
		return "the levels do not cover the last byte";
	if (x->level && !((x->start + l->total - 1) >> (bits - 9)))
		return "one level less would cover the last byte";
	return NULL;
}

/*
 * Check the block of 1 << @shift bytes that maps c->pos to @addr; @len: number
 * of bytes from @addr to the end of the piece.
 */
static const char *check_block(struct cut *c, u64 addr, u64 len, u8 shift)
{
	u64 size = 1ULL << shift;
	u64 begin = c->pos & ~(size - 1);
	u64 block = addr - (c->pos - begin);

	if (block & (size - 1))
		return "a block is not aligned to its size";
	if (shift < c->x.leaf_shift || (shift - c->x.leaf_shift) % 9)
		return "no level has blocks of that size";
	if (shift > c->x.leaf_shift + 9 * max(c->x.level - 1, 0))
		return "a block is above the top table";
	if (shift > c->x.leaf_shift && (begin != c->pos || len < size))
		return "a large block is not filled";
	if (c->last_shift && begin < c->last_pos + (1ULL << c->last_shift) &&
	    (begin != c->last_pos || block != c->last_addr))
		return "two blocks overlap";
	c->last_pos = begin;
	c->last_addr = block;
	c->last_shift = shift;
	return NULL;
}

static const char *cut_piece(struct cut *c, u64 addr, u64 len)
{
	const char *why = NULL;

	while (len && !why) {
		u8 shift = xrdma_xlat_block(&c->x, c->pos, addr, len);
		u64 step = xrdma_xlat_step(c->pos, len, shift);

		if (step < 1 || step > len)
			return "a step is empty or ends behind the piece";
		why = check_block(c, addr, len, shift);
		c->pos += step;
		addr += step;
		len -= step;
	}
	return why;
}

static const char *cut_layout(const struct layout *l)
{
	struct cut c = {};
	const char *why;
	u32 i;

	measure(&c.x, l);
	why = check_shape(l, &c.x);
	c.pos = c.x.start;
	for (i = 0; i < l->num && !why; i++)
		why = cut_piece(&c, l->pieces[i].addr, l->pieces[i].len);
	if (!why && c.pos != c.x.start + l->total)
		return "not every byte was covered";
	return why;
}

static void blocks_map_every_byte_of_random_layouts(struct kunit *test)
{
	struct layout l = { .max = XLAT_PIECES };
	const char *why;
	u32 i;

	l.pieces = kunit_kcalloc(test, l.max, sizeof(*l.pieces), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, l.pieces);
	for (i = 0; i < XLAT_LAYOUTS; i++) {
		layout_make(&l, i);
		why = cut_layout(&l);
		if (why)
			KUNIT_FAIL_AND_ABORT(test, "layout %u: %s", i, why);
		if (i % 256 == 0)
			cond_resched();
	}
}

static void measure_one(struct xrdma_xlat *x, u64 addr, u64 len, bool queue)
{
	struct layout_piece piece;
	struct layout l = { .max = 1, .pieces = &piece, .queue = queue };

	layout_add(&l, addr, len);
	measure(x, &l);
}

static void a_piece_in_one_block_needs_no_table(struct kunit *test)
{
	struct xrdma_xlat x;
	u8 shift;

	for (shift = 12; shift <= 30; shift++) {
		measure_one(&x, 0x40000000ULL << 4, 1ULL << shift, false);
		KUNIT_EXPECT_EQ(test, x.level, 0);
		KUNIT_EXPECT_EQ(test, x.leaf_shift, shift);
		KUNIT_EXPECT_EQ(test, x.start, 0);
	}
	/* 8 KiB across a boundary of 512 MiB: a leaf block of 1 GiB fits */
	measure_one(&x, 0x5ffff000, 0x2000, false);
	KUNIT_EXPECT_EQ(test, x.level, 0);
	KUNIT_EXPECT_EQ(test, x.leaf_shift, 30);
	KUNIT_EXPECT_EQ(test, x.start, 0x1ffff000);
	/* 8 KiB across a boundary of 1 GiB: no single leaf block fits */
	measure_one(&x, 0x3ffff000, 0x2000, false);
	KUNIT_EXPECT_EQ(test, x.level, 1);
}

static void levels_follow_the_size_up_to_the_limit(struct kunit *test)
{
	struct xrdma_xlat x;
	u8 level;

	for (level = 1; level <= 4; level++) {
		/* position 0 at address 0x1000: leaf blocks have 4 KiB */
		measure_one(&x, 0x1000, 1ULL << (12 + 9 * level), true);
		KUNIT_EXPECT_EQ(test, x.leaf_shift, 12);
		KUNIT_EXPECT_EQ(test, x.level, level);
		measure_one(&x, 0x1000, (1ULL << (12 + 9 * level)) + 1, true);
		KUNIT_EXPECT_EQ(test, x.level, level + 1);
	}
}

struct rule_case {
	const char *name;
	u64 word;
	u8 level;
	u8 leaf;
	bool ok;
};

#define ROOT(level, leaf)	((u64)(leaf) << 3 | (level))

static const struct rule_case root_cases[] = {
	{ "one page", 0x1000 | ROOT(0, 12), .ok = true },
	{ "one page at the end", 0xfffffffffffff000 | ROOT(0, 12), .ok = true },
	{ "reserved bit 9", 0x1200 | ROOT(0, 12) },
	{ "reserved bit 10", 0x1400 | ROOT(0, 12) },
	{ "reserved bit 11", 0x1800 | ROOT(0, 12) },
	{ "leaf of 2 KiB", 0x1000 | ROOT(1, 11) },
	{ "leaf of 0", 0x1000 | ROOT(1, 0) },
	{ "leaf of 1 GiB", 0x1000 | ROOT(1, 30), .ok = true },
	{ "leaf of 2 GiB", 0x1000 | ROOT(1, 31) },
	{ "leaf of 2^63", 0x1000 | ROOT(1, 63) },
	{ "level 4", 0x1000 | ROOT(4, 30), .ok = true },
	{ "level 5", 0x1000 | ROOT(5, 12) },
	{ "level 7", 0x1000 | ROOT(7, 12) },
	{ "2 MiB block", 0x200000 | ROOT(0, 21), .ok = true },
	{ "2 MiB block, not aligned", 0x300000 | ROOT(0, 21) },
	{ "1 GiB block, not aligned", 0x60000000 | ROOT(0, 30) },
	{ "table of 2 MiB blocks", 0x301000 | ROOT(1, 21), .ok = true },
};

static const struct rule_case entry_cases[] = {
	{ "4 KiB block", 0x1003, 1, 12, true },
	{ "table at level 1", 0x1001, 1, 12 },
	{ "table at level 2", 0x1001, 2, 12, true },
	{ "reserved bit 2", 0x1007, 1, 12 },
	{ "reserved bit 11", 0x1803, 1, 12 },
	{ "reserved bit of a table", 0x1011, 2, 12 },
	{ "2 MiB block at level 1", 0x200003, 1, 21, true },
	{ "2 MiB block at level 2", 0x200003, 2, 12, true },
	{ "2 MiB block, not aligned", 0x201003, 2, 12 },
	{ "64 KiB block, not aligned", 0x108003, 1, 16 },
	{ "1 GiB block at level 3", 0x40000003, 3, 12, true },
	{ "1 GiB block, not aligned", 0x40200003, 3, 12 },
	{ "2^57 block", 0x0200000000000003, 4, 30, true },
	{ "2^57 block, not aligned", 0x0100000000000003, 4, 30 },
};

static void rule_case_name(const struct rule_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(root, root_cases, rule_case_name);
KUNIT_ARRAY_PARAM(entry, entry_cases, rule_case_name);

static void root_keeps_the_rules(struct kunit *test)
{
	const struct rule_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, xrdma_root_ok(c->word), c->ok);
}

static void entry_keeps_the_rules(struct kunit *test)
{
	const struct rule_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, xrdma_mtt_ok(c->word, c->level, c->leaf), c->ok);
}

static void root_covers_what_its_tables_can_name(struct kunit *test)
{
	u8 level, leaf;

	for (level = 0; level <= 4; level++) {
		for (leaf = 12; leaf <= 30; leaf++) {
			u64 root = ROOT(level, leaf);
			u8 bits = leaf + 9 * level;

			KUNIT_EXPECT_TRUE(test, xrdma_root_covers(root, 0));
			KUNIT_EXPECT_EQ(test, xrdma_root_covers(root, U64_MAX),
					bits >= 64);
			if (bits >= 64)
				continue;
			KUNIT_EXPECT_TRUE(test, xrdma_root_covers(root, (1ULL << bits) - 1));
			KUNIT_EXPECT_FALSE(test, xrdma_root_covers(root, 1ULL << bits));
		}
	}
}

static struct kunit_case xlat_cases[] = {
	KUNIT_CASE(blocks_map_every_byte_of_random_layouts),
	KUNIT_CASE(a_piece_in_one_block_needs_no_table),
	KUNIT_CASE(levels_follow_the_size_up_to_the_limit),
	KUNIT_CASE_PARAM(root_keeps_the_rules, root_gen_params),
	KUNIT_CASE_PARAM(entry_keeps_the_rules, entry_gen_params),
	KUNIT_CASE(root_covers_what_its_tables_can_name),
	{}
};

static struct kunit_suite xlat_suite = {
	.name = "xrdma_xlat",
	.test_cases = xlat_cases,
};

kunit_test_suite(xlat_suite);
