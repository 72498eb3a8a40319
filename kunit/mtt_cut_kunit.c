// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the builder of translations (xrdma_mtt.c) with the same memory in
 * longer or shorter scatterlist entries: the translation depends only on the
 * memory. All other tests of the builder are in mtt_kunit.c.
 */

#include "mtt_scene.h"

/* Random layouts; fewer outside of UML, since the machine may be emulated */
#define CUT_LAYOUTS		(IS_ENABLED(CONFIG_UML) ? 5000 : 100)
#define CUT_ENTRIES		256

/*
 * Compare two tables. Entries that point to tables may differ in the bus
 * address, all others must be equal.
 */
static bool same_table(const __le64 *a, const __le64 *b)
{
	u32 i;

	for (i = 0; i < 512; i++) {
		u64 differ = le64_to_cpu(a[i] ^ b[i]);

		if (differ && (differ & 0xfff || (le64_to_cpu(a[i]) & 3) != 1))
			return false;
	}
	return true;
}

static bool same_translation(const struct xrdma_mtt *a,
			     const struct xrdma_mtt *b)
{
	struct page *page = list_first_entry(&a->tables, struct page, lru);
	struct page *other;

	if (a->offset != b->offset || a->leaf_shift != b->leaf_shift ||
	    a->level != b->level || a->num_tables != b->num_tables ||
	    memcmp(a->blocks, b->blocks, sizeof(a->blocks)))
		return false;
	if (!a->level)
		return a->root == b->root;
	list_for_each_entry(other, &b->tables, lru) {
		if (!same_table(page_address(page), page_address(other)))
			return false;
		page = list_next_entry(page, lru);
	}
	return true;
}

/*
 * Build two translations of t->l: t->other from entries of the maximum length,
 * t->mtt from entries of at most @cut bytes.
 */
static void build_whole_and_cut(struct kunit *test, u64 cut)
{
	struct mtt_test *t = test->priv;

	xrdma_mtt_free(&t->xdev, &t->mtt);
	KUNIT_ASSERT_EQ(test, 0, build_layout(t));
	xrdma_mtt_free(&t->xdev, &t->other);
	xrdma_mtt_move(&t->other, &t->mtt);
	KUNIT_ASSERT_EQ(test, 0, build_cut(t, cut));
}

static void random_layouts_are_the_same_when_cut_up(struct kunit *test)
{
	struct mtt_test *t = test->priv;
	const char *why;
	u64 cut;
	u32 i;

	for (i = 0; i < CUT_LAYOUTS; i++) {
		layout_make(&t->l, i);
		cut = t->l.total / (1 + layout_random(&t->l, CUT_ENTRIES));
		cut = min(round_up(cut + 1, LAYOUT_PAGE), MTT_ENTRY_MAX);
		build_whole_and_cut(test, cut);
		layout_join(&t->l);
		why = check_layout(t);
		if (why)
			KUNIT_FAIL_AND_ABORT(test, "layout %u: %s", i, why);
		KUNIT_ASSERT_TRUE_MSG(test, same_translation(&t->mtt, &t->other),
				      "layout %u, cut at 0x%llx", i, cut);
		cond_resched();
	}
}

struct cut_case {
	const char *name;
	u64 addr;
	u64 len;
	u8 leaf;
	u8 level;
	u32 tables;
	u32 blocks;
};

static const struct cut_case cut_cases[] = {
	{ "a page of 1 GiB", 5 * LAYOUT_GIB, LAYOUT_GIB, 30, 0, 0, 1 },
	{ "1 GiB, 4 KiB into a huge page", 5 * LAYOUT_GIB + SZ_4K, LAYOUT_GIB,
	  30, 1, 1, 2 },
	{ "1 GiB of pages of 2 MiB", 5 * LAYOUT_GIB + SZ_2M, LAYOUT_GIB,
	  30, 1, 1, 2 },
	{ "6 GiB", 5 * LAYOUT_GIB, 6 * LAYOUT_GIB, 30, 1, 1, 6 },
	{ "6 GiB, 4 KiB into a huge page", 5 * LAYOUT_GIB + SZ_4K,
	  6 * LAYOUT_GIB, 30, 1, 1, 7 },
};

static void cut_case_name(const struct cut_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(cut, cut_cases, cut_case_name);

static void contiguous_memory_costs_the_same_when_cut_up(struct kunit *test)
{
	/* limit of SCSI hosts, odd numbers of pages, 1 GiB, longest entry */
	static const u64 cuts[] = {
		SZ_64K, 13 * SZ_4K, 4097 * SZ_4K, SZ_1G, MTT_ENTRY_MAX,
	};
	const struct cut_case *c = test->param_value;
	struct mtt_test *t = test->priv;
	u32 i;

	layout_begin(&t->l, 0);
	layout_add(&t->l, c->addr, c->len);
	t->l.length = c->len;
	for (i = 0; i < ARRAY_SIZE(cuts); i++) {
		build_whole_and_cut(test, cuts[i]);
		KUNIT_EXPECT_STREQ(test, check_layout(t) ?: "", "");
		KUNIT_EXPECT_TRUE(test, same_translation(&t->mtt, &t->other));
		KUNIT_EXPECT_EQ(test, t->mtt.leaf_shift, c->leaf);
		KUNIT_EXPECT_EQ(test, t->mtt.level, c->level);
		KUNIT_EXPECT_EQ(test, t->mtt.num_tables, c->tables);
		KUNIT_EXPECT_EQ(test, all_blocks(&t->mtt), c->blocks);
	}
}

static struct kunit_case mtt_cut_cases[] = {
	KUNIT_CASE(random_layouts_are_the_same_when_cut_up),
	KUNIT_CASE_PARAM(contiguous_memory_costs_the_same_when_cut_up,
			 cut_gen_params),
	{}
};

static struct kunit_suite mtt_cut_suite = {
	.name = "xrdma_mtt_cut",
	.init = mtt_test_init,
	.exit = mtt_test_exit,
	.test_cases = mtt_cut_cases,
};

kunit_test_suite(mtt_cut_suite);
