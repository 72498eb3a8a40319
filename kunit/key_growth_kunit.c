// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Growth of the key table: when it grows, by how much, and who does it.
 */

#include <kunit/device.h>
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/dma-mapping.h>
#include <linux/kthread.h>
#include <linux/sched/signal.h>
#include "xrdma_key.h"

#define GROWTH_LOG_LIMIT	16
/* Indexes of a table that has just been made */
#define GROWTH_FIRST		4096
/* Indexes that are added at once */
#define GROWTH_PIECE		512
/* By how much the count of used indexes may be wrong */
#define GROWTH_ROUGH		128

/**
 * struct growth_test - what the cases share
 * @dev: does the DMA
 * @keys: the table
 * @err: of grow_killed()
 * @done: @err is known
 */
struct growth_test {
	struct device *dev;
	struct xrdma_keys *keys;
	int err;
	struct completion done;
};

static int growth_test_init(struct kunit *test)
{
	struct growth_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	t->dev = kunit_device_register(test, "xrdma_growth");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->dev);
	KUNIT_ASSERT_EQ(test, 0, dma_coerce_mask_and_coherent(t->dev,
							      DMA_BIT_MASK(64)));
	t->keys = xrdma_keys_create(t->dev);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->keys);
	KUNIT_ASSERT_EQ(test, 0, xrdma_keys_open(t->keys, GROWTH_LOG_LIMIT));
	KUNIT_ASSERT_EQ(test, t->keys->size, GROWTH_FIRST);
	return 0;
}

static void growth_test_exit(struct kunit *test)
{
	struct growth_test *t = test->priv;

	if (t && !IS_ERR_OR_NULL(t->keys))
		xrdma_keys_destroy(t->keys);
}

static void draw(struct kunit *test, u32 num)
{
	struct growth_test *t = test->priv;
	u32 key;

	while (num--)
		KUNIT_ASSERT_EQ(test, 0, xrdma_key_alloc(t->keys, &key));
}

/* The work item starts itself again until the table is large enough. */
static void await_growth(struct growth_test *t)
{
	while (flush_work(&t->keys->growth_work))
		;
}

static void a_caller_adds_one_piece(struct kunit *test)
{
	struct growth_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, 0, xrdma_keys_grow(t->keys, GROWTH_FIRST));
	KUNIT_EXPECT_EQ(test, t->keys->size, GROWTH_FIRST + GROWTH_PIECE);
	/* somebody has been faster: there is something to draw */
	KUNIT_EXPECT_EQ(test, 0, xrdma_keys_grow(t->keys, GROWTH_FIRST));
	KUNIT_EXPECT_EQ(test, t->keys->size, GROWTH_FIRST + GROWTH_PIECE);
}

static void the_table_grows_before_it_is_full(struct kunit *test)
{
	struct growth_test *t = test->priv;
	u32 used;

	/* the count of used indexes is a rough one */
	draw(test, GROWTH_FIRST / 2);
	await_growth(t);
	KUNIT_EXPECT_EQ(test, t->keys->size, GROWTH_FIRST);
	draw(test, GROWTH_FIRST * 3 / 8);
	await_growth(t);
	used = GROWTH_FIRST * 7 / 8;
	/* the table may have grown while fewer keys were drawn, on another CPU */
	KUNIT_EXPECT_GE(test, t->keys->size / 4 * 3 + GROWTH_ROUGH, used);
	KUNIT_EXPECT_LE(test, t->keys->size, used / 5 * 8 + GROWTH_PIECE);
}

static void growth_without_memory_is_left_for_later(struct kunit *test)
{
	struct growth_test *t = test->priv;
	u64 mask = t->dev->coherent_dma_mask;

	/* no memory is that low */
	t->dev->coherent_dma_mask = DMA_BIT_MASK(12);
	draw(test, GROWTH_FIRST * 7 / 8);
	await_growth(t);
	KUNIT_EXPECT_EQ(test, t->keys->size, GROWTH_FIRST);
	t->dev->coherent_dma_mask = mask;
	draw(test, 1);
	await_growth(t);
	KUNIT_EXPECT_GT(test, t->keys->size, GROWTH_FIRST + GROWTH_PIECE);
}

static int grow_killed(void *arg)
{
	struct growth_test *t = arg;

	allow_signal(SIGKILL);
	send_sig(SIGKILL, current, 1);
	t->err = xrdma_keys_grow(t->keys, GROWTH_FIRST);
	complete(&t->done);
	return 0;
}

/* While another one grows the table, for whatever time that takes */
static void who_waits_for_growth_can_be_killed(struct kunit *test)
{
	struct growth_test *t = test->priv;
	struct task_struct *thread;
	bool done = false;

	init_completion(&t->done);
	mutex_lock(&t->keys->growth);
	thread = kthread_run(grow_killed, t, "growth");
	if (!IS_ERR(thread))
		done = wait_for_completion_timeout(&t->done, 10 * HZ);
	mutex_unlock(&t->keys->growth);
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	KUNIT_EXPECT_TRUE(test, done);
	if (!done)
		wait_for_completion(&t->done);
	KUNIT_EXPECT_EQ(test, t->err, -EINTR);
}

static struct kunit_case growth_cases[] = {
	KUNIT_CASE(a_caller_adds_one_piece),
	KUNIT_CASE(the_table_grows_before_it_is_full),
	KUNIT_CASE(growth_without_memory_is_left_for_later),
	KUNIT_CASE(who_waits_for_growth_can_be_killed),
	{}
};

static struct kunit_suite growth_suite = {
	.name = "xrdma_key_growth",
	.init = growth_test_init,
	.exit = growth_test_exit,
	.test_cases = growth_cases,
};

kunit_test_suite(growth_suite);
