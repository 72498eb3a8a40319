// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the builder of translations (xrdma_mtt.c): the reference walker
 * (xlat_walk.h) reads its tables for random layouts (xlat_layouts.h); the
 * number of tables and blocks; regions that are refused. Tests with the same
 * memory in longer or shorter scatterlist entries are in mtt_cut_kunit.c.
 */

#include "mtt_scene.h"

/* Random layouts; fewer outside of UML, since the machine may be emulated */
#define MTT_LAYOUTS		(IS_ENABLED(CONFIG_UML) ? 100000 : 500)
#define MTT_MIXES		200
#define MTT_AREAS		64
#define MTT_AREA_PAGES		512

static void tables_map_random_layouts_and_nothing_else(struct kunit *test)
{
	struct mtt_test *t = test->priv;
	const char *why;
	u32 i;

	for (i = 0; i < MTT_LAYOUTS; i++) {
		layout_make(&t->l, i);
		KUNIT_ASSERT_EQ_MSG(test, build_layout(t), 0, "layout %u", i);
		layout_join(&t->l);
		why = check_layout(t);
		if (why)
			KUNIT_FAIL_AND_ABORT(test, "layout %u: %s", i, why);
		xrdma_mtt_free(&t->xdev, &t->mtt);
		cond_resched();
	}
}

/* ---- number of tables and blocks ------------------------------------- */

/**
 * struct cost_case - 1 GiB of pages, and the tables that map them
 * @name: name of the case
 * @page: size of each page in bytes; no two pages are adjacent
 * @skew: bus address of each page, modulo @page
 * @tables: number of tables
 * @blocks: number of blocks
 */
struct cost_case {
	const char *name;
	u64 page;
	u64 skew;
	u32 tables;
	u32 blocks;
};

static const struct cost_case cost_cases[] = {
	{ "4 KiB pages: 2 MiB + 4 KiB", SZ_4K, 0, 513, 262144 },
	{ "64 KiB pages", SZ_64K, 0, 33, 16384 },
	{ "2 MiB pages: 4 KiB", SZ_2M, 0, 1, 512 },
	{ "1 GiB page: nothing", SZ_1G, 0, 0, 1 },
	{ "one piece at an odd address", SZ_1G, SZ_4K, 1, 2 },
};

static void cost_case_name(const struct cost_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(cost, cost_cases, cost_case_name);

static void tables_depend_on_the_page_size(struct kunit *test)
{
	const struct cost_case *c = test->param_value;
	struct mtt_test *t = test->priv;
	struct scatterlist *sg;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, 0, sg_alloc_table(&t->sgt, SZ_1G / c->page,
						GFP_KERNEL));
	for_each_sgtable_dma_sg(&t->sgt, sg, i) {
		/* page numbers 0, 4, 6, 10, 12, ...: no two are adjacent */
		sg_dma_address(sg) = SZ_4G + c->page * (3 * i + (i & 1)) + c->skew;
		sg_dma_len(sg) = c->page;
	}
	KUNIT_EXPECT_EQ(test, 0, xrdma_mtt_build(&t->xdev, &t->mtt, &t->sgt, 0,
						 SZ_1G, false));
	KUNIT_EXPECT_EQ(test, t->mtt.num_tables, c->tables);
	KUNIT_EXPECT_EQ(test, all_blocks(&t->mtt), c->blocks);
	sg_free_table(&t->sgt);
}

/**
 * struct limit_case - large region, and the shape of its translation
 * @name: name of the case
 * @page: size of each page in bytes
 * @step: distance of the bus addresses of successive pages in bytes
 * @total: size of the region in bytes
 * @level: number of table levels
 * @leaf: log2 of the size of a leaf block
 *
 * Only the shape is computed. The tables for 64 GiB of 4 KiB pages would take
 * 128 MiB.
 */
struct limit_case {
	const char *name;
	u64 page;
	u64 step;
	u64 total;
	u32 level;
	u32 leaf;
};

static const struct limit_case limit_cases[] = {
	{ "1 TiB, one page of 1 GiB again and again", SZ_1G, 0, BIT_ULL(40),
	  2, 30 },
	{ "1 TiB, pages of 1 GiB", SZ_1G, 3ULL * SZ_1G, BIT_ULL(40), 2, 30 },
	{ "1 TiB, pages of 2 MiB", SZ_2M, 3 * SZ_2M, BIT_ULL(40), 3, 21 },
	{ "64 GiB, pages of 4 KiB", SZ_4K, 3 * SZ_4K, 1ULL << 36, 3, 12 },
};

static void limit_case_name(const struct limit_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(limit, limit_cases, limit_case_name);

static void the_largest_regions_have_the_shape_they_should(struct kunit *test)
{
	const struct limit_case *c = test->param_value;
	u64 addr = BIT_ULL(45), at;
	struct xrdma_xlat x = {};

	xrdma_xlat_begin_measure(&x);
	for (at = 0; at < c->total; at += c->page, addr += c->step) {
		xrdma_xlat_survey(&x, addr, c->page);
		if (!(at % SZ_1G))
			cond_resched();
	}
	KUNIT_EXPECT_FALSE(test, x.moved);
	xrdma_xlat_finish(&x);
	KUNIT_EXPECT_EQ(test, x.level, c->level);
	KUNIT_EXPECT_EQ(test, x.leaf_shift, c->leaf);
	KUNIT_EXPECT_EQ(test, x.start, 0);
	KUNIT_EXPECT_EQ(test, x.total, c->total);
}

/*
 * 1,024 pages of 1 GiB, first the same page each time, then different pages:
 * two tables of level 1 and one table of level 2.
 */
static void a_tebibyte_takes_three_tables(struct kunit *test)
{
	struct mtt_test *t = test->priv;
	u64 step;
	u32 i;

	for (step = 0; step <= 2 * LAYOUT_GIB; step += 2 * LAYOUT_GIB) {
		layout_begin(&t->l, 0);
		for (i = 0; i < 1024; i++)
			layout_add(&t->l, BIT_ULL(45) + i * step, LAYOUT_GIB);
		t->l.length = t->l.total;
		KUNIT_ASSERT_EQ(test, build_layout(t), 0);
		KUNIT_EXPECT_STREQ(test, check_layout(t) ?: "", "");
		KUNIT_EXPECT_EQ(test, t->mtt.num_tables, 3);
		KUNIT_EXPECT_EQ(test, t->mtt.blocks[1], 1024);
		xrdma_mtt_free(&t->xdev, &t->mtt);
	}
}

/* Add 2 MiB of 4 KiB pages, in contiguous runs of up to @run pages. */
static void add_small_pages(struct layout *l, u32 run)
{
	u32 left = MTT_AREA_PAGES;

	while (left) {
		u32 pages = min_t(u32, left, 1 + layout_random(l, run));

		layout_add(l, layout_addr(l, LAYOUT_PAGE, 0),
			   pages * LAYOUT_PAGE);
		left -= pages;
	}
}

/*
 * Make a layout of areas of 2 MiB, each of one huge page or of small pages.
 * Return: the number of areas of small pages.
 */
static u32 make_mix(struct layout *l, u32 seed, u32 run)
{
	u32 small = 0, areas, odds;

	layout_begin(l, seed);
	areas = 1 + layout_random(l, MTT_AREAS);
	odds = 1 + layout_random(l, 9);
	while (areas--) {
		if (layout_random(l, 10) < odds) {
			add_small_pages(l, run);
			small++;
		} else {
			layout_add(l, layout_addr(l, SZ_2M, 0), SZ_2M);
		}
	}
	l->length = l->total;
	return small;
}

static void only_areas_of_small_pages_take_tables(struct kunit *test)
{
	struct mtt_test *t = test->priv;
	u32 small, areas, i;
	const char *why;

	for (i = 0; i < MTT_MIXES; i++) {
		small = make_mix(&t->l, i, MTT_AREA_PAGES - 1);
		areas = t->l.total / SZ_2M;
		KUNIT_ASSERT_EQ(test, build_layout(t), 0);
		why = check_layout(t);
		if (why)
			KUNIT_FAIL_AND_ABORT(test, "mix %u: %s", i, why);
		KUNIT_EXPECT_LE_MSG(test, t->mtt.num_tables, small + 1,
				    "mix %u", i);
		KUNIT_EXPECT_LE_MSG(test, all_blocks(&t->mtt),
				    small * MTT_AREA_PAGES + areas - small,
				    "mix %u", i);
		xrdma_mtt_free(&t->xdev, &t->mtt);
	}
}

/*
 * The first 6 MiB are small pages that happen to be contiguous, at a bus
 * address that is not aligned to 2 MiB. The builder chooses positions that keep
 * the 29 huge pages whole, not the run of small pages.
 */
static void a_long_run_of_small_pages_leaves_huge_ones_whole(struct kunit *test)
{
	struct mtt_test *t = test->priv;
	u32 i;

	layout_begin(&t->l, 0);
	layout_add(&t->l, 0x100001000, 3 * SZ_2M);
	for (i = 0; i < 29; i++)
		layout_add(&t->l, layout_addr(&t->l, SZ_2M, 0), SZ_2M);
	t->l.length = t->l.total;
	KUNIT_ASSERT_EQ(test, build_layout(t), 0);
	KUNIT_EXPECT_LE(test, t->mtt.num_tables, 4);
	KUNIT_EXPECT_LE(test, all_blocks(&t->mtt), 3 * MTT_AREA_PAGES + 29);
}

/* ---- refused regions, moved translations ----------------------------- */

static void a_region_beyond_its_pieces_is_refused(struct kunit *test)
{
	static const struct {
		u64 first, length;
		bool queue;
	} cases[] = {
		{ 0, 0x3001, false }, { 0x3000, 1, false },
		{ 0x2fff, 2, false }, { 0x2000, 0x1001, false },
		{ 1, U64_MAX, false }, { U64_MAX, 1, false },
		{ U64_MAX, 0x3001, false }, { 1, 1, true }, { 0, 0x3001, true },
	};
	struct mtt_test *t = test->priv;
	u32 i;

	layout_begin(&t->l, 0);
	layout_add(&t->l, 0x7000, 0x1000);
	layout_add(&t->l, 0x3000, 0x2000);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		t->l.first = cases[i].first;
		t->l.length = cases[i].length;
		t->l.queue = cases[i].queue;
		KUNIT_EXPECT_EQ_MSG(test, build_layout(t), -EINVAL, "case %u", i);
		KUNIT_EXPECT_TRUE(test, list_empty(&t->mtt.tables));
	}
	t->l.first = 0;
	t->l.length = 0x3000;
	t->l.queue = true;
	KUNIT_EXPECT_EQ(test, build_layout(t), 0);
}

/*
 * Four levels with leaf blocks of 4 KiB cover 2^48 bytes. The pieces are longer
 * in total, and do not fit larger leaf blocks.
 */
static void a_region_of_five_levels_is_refused(struct kunit *test)
{
	struct mtt_test *t = test->priv;
	u64 piece = SZ_4G - LAYOUT_PAGE;
	u32 i, num = (1ULL << 48) / piece + 1;
	struct scatterlist *sg;

	KUNIT_ASSERT_EQ(test, 0, sg_alloc_table(&t->sgt, num, GFP_KERNEL));
	for_each_sgtable_dma_sg(&t->sgt, sg, i) {
		sg_dma_address(sg) = LAYOUT_PAGE;
		sg_dma_len(sg) = piece;
	}
	KUNIT_EXPECT_EQ(test, -EINVAL, xrdma_mtt_build(&t->xdev, &t->mtt,
						       &t->sgt, 0, 1, true));
	KUNIT_EXPECT_TRUE(test, list_empty(&t->mtt.tables));
	sg_free_table(&t->sgt);
}

static void a_translation_that_moves_leaves_nothing_behind(struct kunit *test)
{
	struct mtt_test *t = test->priv;
	struct xrdma_mtt to;

	layout_begin(&t->l, 0);
	layout_add(&t->l, 0x7000, 0x1000);
	layout_add(&t->l, 0x3000, 0x2000);
	t->l.length = 0x3000;
	KUNIT_ASSERT_EQ(test, build_layout(t), 0);
	KUNIT_EXPECT_FALSE(test, list_empty(&t->mtt.tables));
	xrdma_mtt_move(&to, &t->mtt);
	KUNIT_EXPECT_TRUE(test, list_empty(&t->mtt.tables));
	KUNIT_EXPECT_EQ(test, t->mtt.num_tables, 0);
	KUNIT_EXPECT_EQ(test, to.num_tables, 1);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&to.tables), 1);
	xrdma_mtt_free(&t->xdev, &to);
	KUNIT_EXPECT_TRUE(test, list_empty(&to.tables));
}

static struct kunit_case mtt_cases[] = {
	KUNIT_CASE_SLOW(tables_map_random_layouts_and_nothing_else),
	KUNIT_CASE_PARAM(tables_depend_on_the_page_size, cost_gen_params),
	KUNIT_CASE_PARAM(the_largest_regions_have_the_shape_they_should,
			 limit_gen_params),
	KUNIT_CASE(a_tebibyte_takes_three_tables),
	KUNIT_CASE(only_areas_of_small_pages_take_tables),
	KUNIT_CASE(a_long_run_of_small_pages_leaves_huge_ones_whole),
	KUNIT_CASE(a_region_beyond_its_pieces_is_refused),
	KUNIT_CASE(a_region_of_five_levels_is_refused),
	KUNIT_CASE(a_translation_that_moves_leaves_nothing_behind),
	{}
};

static struct kunit_suite mtt_suite = {
	.name = "xrdma_mtt",
	.init = mtt_test_init,
	.exit = mtt_test_exit,
	.test_cases = mtt_cases,
};

kunit_test_suite(mtt_suite);
