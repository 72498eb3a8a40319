// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the tables of paged regions (xrdma_sparse.h): after each step, a walk
 * of the tables finds what a reference (sparse_scene.h) has for each page; the
 * range of retracted entries, the calls of the callbacks and the counts of the
 * tables are exact. Random sequences of steps, and cases one by one.
 */

#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include "sparse_scene.h"

/* Random steps; fewer outside of UML, since the machine may be emulated */
#define SPARSE_STEPS		(IS_ENABLED(CONFIG_UML) ? 10000 : 500)
#define SPARSE_SEED		0x78726d62

/* ---- helpers --------------------------------------------------------------- */

static struct sparse_scene *new_scene(struct kunit *test)
{
	struct sparse_scene *s = kunit_kcalloc(test, 1, sizeof(*s), GFP_KERNEL);
	u8 *memory = kunit_kcalloc(test, 2 * (SCENE_BLOCKS + 1),
				   SCENE_TABLE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	KUNIT_ASSERT_NOT_NULL(test, memory);
	scene_init(s, memory);
	return s;
}

static void expect_right(struct kunit *test, struct sparse_scene *s)
{
	scene_check(s);
	if (s->wrong)
		KUNIT_FAIL_AND_ABORT(test, "step %u: %s", s->step, s->wrong);
}

/* Retract a range, and reap it if a command was necessary. */
static void take(struct kunit *test, struct sparse_scene *s, u64 from, u64 to,
		 bool expect)
{
	bool any = scene_retract(s, &from, &to);

	KUNIT_EXPECT_EQ(test, any, expect);
	expect_right(test, s);
	if (any)
		scene_reap(s, from, to);
	expect_right(test, s);
}

static void expect_counts(struct kunit *test,
			  const struct xrdma_sparse_table *table, u32 used,
			  u32 retracted)
{
	KUNIT_EXPECT_EQ(test, table->used, used);
	KUNIT_EXPECT_EQ(test, table->retracted, retracted);
}

/* ---- random sequences ------------------------------------------------------ */

static u32 random_below(struct rnd_state *rnd, u32 below)
{
	return prandom_u32_state(rnd) % below;
}

/* A few pages after each other, each of them perhaps */
static void random_map_pages(struct rnd_state *rnd, struct sparse_scene *s,
			     u32 block)
{
	u32 first = random_below(rnd, SCENE_PAGES);
	u32 num = random_below(rnd, 4) ? random_below(rnd, 8) :
		  random_below(rnd, SCENE_PAGES);
	u32 i;

	scene_link(s, block);
	for (i = first; i < first + num && i < SCENE_PAGES; i++)
		if (random_below(rnd, 4))
			scene_map_page(s, block, i, random_below(rnd, 2));
}

static void random_map(struct rnd_state *rnd, struct sparse_scene *s)
{
	u32 block = random_below(rnd, SCENE_BLOCKS);

	if (!random_below(rnd, 3))
		scene_map_huge(s, block, random_below(rnd, 2));
	else
		random_map_pages(rnd, s, block);
}

static void random_take(struct kunit *test, struct rnd_state *rnd,
			struct sparse_scene *s)
{
	u64 from = scene_offset(random_below(rnd, SCENE_BLOCKS),
				random_below(rnd, SCENE_PAGES));
	u64 to = scene_offset(random_below(rnd, SCENE_BLOCKS),
			      random_below(rnd, SCENE_PAGES));
	bool any;

	if (random_below(rnd, 4))
		to = from + SCENE_PAGE * random_below(rnd, 8);
	else if (!random_below(rnd, 4))
		to = SCENE_SPAN;
	if (to <= from)
		to = from + SCENE_PAGE;
	if (to > SCENE_SPAN)
		to = SCENE_SPAN;
	any = scene_retract(s, &from, &to);
	expect_right(test, s);
	if (any)
		scene_reap(s, from, to);
}

static void random_steps_follow_the_reference(struct kunit *test)
{
	struct sparse_scene *s = new_scene(test);
	struct rnd_state rnd;

	prandom_seed_state(&rnd, SPARSE_SEED);
	for (s->step = 0; s->step < SPARSE_STEPS; s->step++) {
		switch (random_below(&rnd, 4)) {
		case 0:
			scene_allow_write(s, random_below(&rnd, SCENE_BLOCKS),
					  random_below(&rnd, SCENE_PAGES));
			break;
		case 1:
			random_map(&rnd, s);
			break;
		default:
			random_take(test, &rnd, s);
			break;
		}
		expect_right(test, s);
		if (s->step % 256 == 0)
			cond_resched();
	}
	take(test, s, 0, SCENE_SPAN, true);
	expect_counts(test, &s->top, 0, 0);
	KUNIT_EXPECT_EQ(test, s->unmaps, s->maps);
	KUNIT_EXPECT_EQ(test, s->frees, s->links);
}

/* ---- cases one by one ------------------------------------------------------ */

static void constants_and_indexes_are_those_of_the_tables(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, XRDMA_SPAN_SIZE, 1ULL << 30);
	KUNIT_EXPECT_EQ(test, XRDMA_HUGE_SIZE, 1ULL << 21);
	KUNIT_EXPECT_EQ(test, xrdma_sparse_top_index(SCENE_SPAN - 1), 511);
	KUNIT_EXPECT_EQ(test, xrdma_sparse_top_index(0x3fffff), 1);
	KUNIT_EXPECT_EQ(test, xrdma_sparse_leaf_index(0x3fffff), 511);
	KUNIT_EXPECT_EQ(test, xrdma_sparse_leaf_index(0x201000), 1);
	KUNIT_EXPECT_EQ(test, xrdma_sparse_huge_end(0), 0x200000);
	KUNIT_EXPECT_EQ(test, xrdma_sparse_huge_end(0x1fffff), 0x200000);
	KUNIT_EXPECT_EQ(test, xrdma_sparse_huge_end(0x200000), 0x400000);
}

static void retract_of_nothing_needs_no_command(struct kunit *test)
{
	struct sparse_scene *s = new_scene(test);

	take(test, s, 0, SCENE_SPAN, false);
	take(test, s, 0, SCENE_PAGE, false);
	take(test, s, 0, 0, false);
	scene_link(s, 1);
	scene_map_page(s, 1, 7, true);
	take(test, s, scene_offset(1, 0), scene_offset(1, 7), false);
	take(test, s, scene_offset(1, 8), scene_offset(2, 0), false);
	take(test, s, scene_offset(0, 0), scene_offset(1, 0), false);
	take(test, s, scene_offset(2, 0), SCENE_SPAN, false);
	take(test, s, scene_offset(1, 7), scene_offset(1, 8), true);
	take(test, s, 0, SCENE_SPAN, false);
}

static void entries_are_retracted_once(struct kunit *test)
{
	struct sparse_scene *s = new_scene(test);
	u64 from = scene_offset(0, 3), to = scene_offset(0, 5);
	u64 again = from, end = to;

	scene_link(s, 0);
	scene_map_page(s, 0, 3, true);
	scene_map_page(s, 0, 9, true);
	KUNIT_EXPECT_TRUE(test, scene_retract(s, &from, &to));
	KUNIT_EXPECT_FALSE(test, scene_retract(s, &again, &end));
	expect_counts(test, s->leaf[0].table, 2, 1);
	KUNIT_EXPECT_FALSE(test, xrdma_sparse_present(s->leaf[0].table, 3,
						      false));
	expect_right(test, s);
	scene_reap(s, from, to);
	expect_right(test, s);
	expect_counts(test, s->leaf[0].table, 1, 0);
	expect_counts(test, &s->top, 1, 0);
	KUNIT_EXPECT_EQ(test, s->unmaps, 1);
}

static void a_range_in_a_huge_page_grows_to_it(struct kunit *test)
{
	struct sparse_scene *s = new_scene(test);
	u64 from = scene_offset(3, 17), to = scene_offset(3, 18);

	scene_map_huge(s, 3, true);
	scene_map_huge(s, 2, true);
	KUNIT_EXPECT_TRUE(test, scene_retract(s, &from, &to));
	KUNIT_EXPECT_EQ(test, from, scene_offset(3, 0));
	KUNIT_EXPECT_EQ(test, to, scene_offset(3, 0) + 0x200000);
	expect_counts(test, &s->top, 2, 1);
	expect_right(test, s);
	scene_reap(s, from, to);
	expect_right(test, s);
	expect_counts(test, &s->top, 1, 0);
	KUNIT_EXPECT_EQ(test, s->unmaps, 1);
}

static void the_last_page_takes_its_table_along(struct kunit *test)
{
	struct sparse_scene *s = new_scene(test);
	u64 from = scene_offset(1, 4), to = scene_offset(1, 5);

	scene_link(s, 1);
	scene_map_page(s, 1, 4, false);
	scene_map_page(s, 1, 511, true);
	take(test, s, scene_offset(1, 511), scene_offset(2, 0), true);
	KUNIT_EXPECT_EQ(test, s->frees, 0);
	KUNIT_EXPECT_TRUE(test, scene_retract(s, &from, &to));
	KUNIT_EXPECT_EQ(test, from, scene_offset(1, 0));
	KUNIT_EXPECT_EQ(test, to, scene_offset(2, 0));
	KUNIT_EXPECT_TRUE(test, !xrdma_sparse_leaf(&s->top, from));
	expect_right(test, s);
	KUNIT_EXPECT_EQ(test, s->frees, 0);
	scene_reap(s, from, to);
	expect_right(test, s);
	KUNIT_EXPECT_EQ(test, s->frees, 1);
	KUNIT_EXPECT_EQ(test, s->unmaps, 2);
	expect_counts(test, &s->top, 0, 0);
}

static void an_empty_table_needs_a_command(struct kunit *test)
{
	struct sparse_scene *s = new_scene(test);

	scene_link(s, 2);
	expect_counts(test, &s->top, 1, 0);
	take(test, s, scene_offset(2, 40), scene_offset(2, 41), true);
	KUNIT_EXPECT_EQ(test, s->frees, 1);
	KUNIT_EXPECT_EQ(test, s->unmaps, 0);
}

/* From a table that remains, across a hole, to the middle of a huge page */
static void a_range_grows_at_one_end_only(struct kunit *test)
{
	struct sparse_scene *s = new_scene(test);
	u64 from = scene_offset(1, 100), to = scene_offset(6, 100);

	scene_link(s, 1);
	scene_map_page(s, 1, 99, true);
	scene_map_page(s, 1, 100, true);
	scene_map_huge(s, 6, false);
	KUNIT_EXPECT_TRUE(test, scene_retract(s, &from, &to));
	KUNIT_EXPECT_EQ(test, from, scene_offset(1, 100));
	KUNIT_EXPECT_EQ(test, to, scene_offset(7, 0));
	expect_right(test, s);
	scene_reap(s, from, to);
	expect_right(test, s);
	expect_counts(test, s->leaf[1].table, 1, 0);
	KUNIT_EXPECT_EQ(test, s->unmaps, 2);
	KUNIT_EXPECT_EQ(test, s->frees, 0);
	from = scene_offset(0, 100);
	to = scene_offset(2, 1);
	KUNIT_EXPECT_TRUE(test, scene_retract(s, &from, &to));
	KUNIT_EXPECT_EQ(test, from, scene_offset(0, 100));
	KUNIT_EXPECT_EQ(test, to, scene_offset(2, 1));
	scene_reap(s, from, to);
	expect_right(test, s);
}

static void writes_are_allowed_later(struct kunit *test)
{
	struct sparse_scene *s = new_scene(test);
	u32 huge = scene_number(5);

	scene_link(s, 4);
	scene_map_page(s, 4, 0, false);
	scene_map_page(s, 4, 1, false);
	scene_map_huge(s, 5, false);
	KUNIT_EXPECT_TRUE(test, xrdma_sparse_present(&s->top, huge, false));
	KUNIT_EXPECT_FALSE(test, xrdma_sparse_present(&s->top, huge, true));
	KUNIT_EXPECT_FALSE(test, xrdma_sparse_present(&s->top, scene_number(4),
						      false));
	scene_allow_write(s, 4, 1);
	scene_allow_write(s, 5, 0);
	KUNIT_EXPECT_TRUE(test, xrdma_sparse_present(&s->top, huge, true));
	expect_right(test, s);
	expect_counts(test, s->leaf[4].table, 2, 0);
	take(test, s, 0, SCENE_SPAN, true);
	KUNIT_EXPECT_EQ(test, s->unmaps, 3);
}

static struct kunit_case sparse_cases[] = {
	KUNIT_CASE(random_steps_follow_the_reference),
	KUNIT_CASE(constants_and_indexes_are_those_of_the_tables),
	KUNIT_CASE(retract_of_nothing_needs_no_command),
	KUNIT_CASE(entries_are_retracted_once),
	KUNIT_CASE(a_range_in_a_huge_page_grows_to_it),
	KUNIT_CASE(the_last_page_takes_its_table_along),
	KUNIT_CASE(an_empty_table_needs_a_command),
	KUNIT_CASE(a_range_grows_at_one_end_only),
	KUNIT_CASE(writes_are_allowed_later),
	{}
};

static struct kunit_suite sparse_suite = {
	.name = "xrdma_sparse",
	.test_cases = sparse_cases,
};

kunit_test_suite(sparse_suite);
