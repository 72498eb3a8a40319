// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the size of the key table (xrdma_key_table.c): when it grows and
 * shrinks, by how much, and whether a caller or a work item changes the size.
 * Tests of the allocation of keys are in key_kunit.c.
 */

#include <kunit/device.h>
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/dma-mapping.h>
#include <linux/kthread.h>
#include <linux/sched/signal.h>
#include <linux/vmalloc.h>
#include "xlat_walk.h"
#include "xrdma_key.h"
#include "xrdma_key_table.h"

#define GROWTH_LOG_LIMIT	16
/* Indexes of a new table (XRDMA_KEY_FIRST) */
#define GROWTH_FIRST		4096
/* Indexes of a piece (XRDMA_KEY_PIECE_SIZE) */
#define GROWTH_PIECE		512
/* Error that is allowed in the approximate count of used indexes */
#define GROWTH_ROUGH		128
/* Keys that a test allocates, and then frees to make the table shrink */
#define SHRINK_KEYS		30000
/* Keys that are not freed before the table shrinks */
#define SHRINK_STAY		20
/* Frees until an index is reused (XRDMA_KEY_REST) */
#define SHRINK_REST		4096
/* Bytes of a key entry */
#define SHRINK_ENTRY_SIZE	64

/**
 * struct growth_test - key table, and what the tests record about it
 * @dev: device for whose DMA the table is allocated
 * @keys: the table
 * @err: result of xrdma_keys_grow() in grow_killed()
 * @done: completed when @err is set
 * @fences: number of calls of fence()
 * @fence_err: return value of fence()
 * @size_at_fence: number of entries that the device could find in the last call
 *	of fence()
 * @key: keys that draw_many() has allocated
 */
struct growth_test {
	struct device *dev;
	struct xrdma_keys *keys;
	int err;
	struct completion done;
	u32 fences;
	int fence_err;
	u32 size_at_fence;
	u32 key[SHRINK_KEYS];
};

/* Does the device find an entry for the index? */
static bool device_finds(struct growth_test *t, u32 index)
{
	struct walk w = { .dev = t->dev, .root = xrdma_keys_root(t->keys) };

	w.level = w.root & 7;
	w.leaf = w.root >> 3 & 0x3f;
	return walk_lookup(&w, (u64)SHRINK_ENTRY_SIZE * index) != WALK_NOWHERE;
}

/* Return the number of entries that the device finds, in pages of 64. */
static u32 device_size(struct growth_test *t)
{
	u32 size = 0, index;

	for (index = 0; index < BIT(GROWTH_LOG_LIMIT); index += 64)
		size += device_finds(t, index) ? 64 : 0;
	return size;
}

static int fence(void *context)
{
	struct growth_test *t = context;

	t->fences++;
	t->size_at_fence = device_size(t);
	return t->fence_err;
}

static int growth_test_init(struct kunit *test)
{
	struct growth_test *t = vzalloc(sizeof(*t));

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	t->dev = kunit_device_register(test, "xrdma_growth");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->dev);
	KUNIT_ASSERT_EQ(test, 0, dma_coerce_mask_and_coherent(t->dev,
							      DMA_BIT_MASK(64)));
	t->keys = xrdma_keys_create(t->dev, fence, t);
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
	vfree(t);
}

static void draw(struct kunit *test, u32 num)
{
	struct growth_test *t = test->priv;
	u32 key;

	while (num--)
		KUNIT_ASSERT_EQ(test, 0, xrdma_key_alloc(t->keys, &key));
}

/* The work item schedules itself again until the table is large enough. */
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
	/* the size has changed since the caller read it: nothing is added */
	KUNIT_EXPECT_EQ(test, 0, xrdma_keys_grow(t->keys, GROWTH_FIRST));
	KUNIT_EXPECT_EQ(test, t->keys->size, GROWTH_FIRST + GROWTH_PIECE);
}

static void the_table_grows_before_it_is_full(struct kunit *test)
{
	struct growth_test *t = test->priv;
	u32 used;

	/* far below 3/4, since the count of used indexes is approximate */
	draw(test, GROWTH_FIRST / 2);
	await_growth(t);
	KUNIT_EXPECT_EQ(test, t->keys->size, GROWTH_FIRST);
	draw(test, GROWTH_FIRST * 3 / 8);
	await_growth(t);
	used = GROWTH_FIRST * 7 / 8;
	/*
	 * The work item may have ended on another CPU before the last key was
	 * drawn. Then not 3/8 of the indexes are free, but at least 1/4.
	 */
	KUNIT_EXPECT_GE(test, t->keys->size / 4 * 3 + GROWTH_ROUGH, used);
	KUNIT_EXPECT_LE(test, t->keys->size, used / 5 * 8 + GROWTH_PIECE);
}

static void growth_without_memory_is_left_for_later(struct kunit *test)
{
	struct growth_test *t = test->priv;
	u64 mask = t->dev->coherent_dma_mask;

	/* DMA allocation fails: no memory is below bus address 4 KiB */
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

/*
 * The killed thread calls xrdma_keys_grow() while the test holds the mutex that
 * growth takes.
 */
static void a_caller_that_waits_for_growth_can_be_killed(struct kunit *test)
{
	struct growth_test *t = test->priv;
	struct task_struct *thread;
	bool done = false;

	init_completion(&t->done);
	mutex_lock(&t->keys->resize);
	thread = kthread_run(grow_killed, t, "growth");
	if (!IS_ERR(thread))
		done = wait_for_completion_timeout(&t->done, 10 * HZ);
	mutex_unlock(&t->keys->resize);
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	KUNIT_EXPECT_TRUE(test, done);
	if (!done)
		wait_for_completion(&t->done);
	KUNIT_EXPECT_EQ(test, t->err, -EINTR);
}

/* ---- shrinking ------------------------------------------------------- */

static void await_shrinking(struct growth_test *t)
{
	while (flush_delayed_work(&t->keys->shrink_work))
		;
}

static u64 *entry_of(struct growth_test *t, u32 key)
{
	return (u64 *)xrdma_key_entry(t->keys, key >> 8);
}

/* Allocate SHRINK_KEYS keys, and write each key to its entry. */
static void draw_many(struct kunit *test)
{
	struct growth_test *t = test->priv;
	u32 i;

	for (i = 0; i < SHRINK_KEYS; i++) {
		KUNIT_ASSERT_EQ(test, 0, xrdma_key_alloc(t->keys, &t->key[i]));
		*entry_of(t, t->key[i]) = t->key[i];
		if (i % 1024 == 0)
			cond_resched();
	}
	await_growth(t);
}

static void free_keys(struct growth_test *t, u32 from, u32 to)
{
	for (; from < to; from++) {
		*entry_of(t, t->key[from]) &= U8_MAX;
		xrdma_key_free(t->keys, t->key[from] >> 8);
	}
}

static void pieces_in_use_stay_when_the_table_shrinks(struct kunit *test)
{
	struct growth_test *t = test->priv;
	u32 size, i;

	draw_many(test);
	size = t->keys->size;
	KUNIT_EXPECT_EQ(test, device_size(t), size);
	free_keys(t, SHRINK_STAY, SHRINK_KEYS);
	await_shrinking(t);
	/* indexes at rest, also those in magazines, are 3/8 of the size */
	KUNIT_EXPECT_LT(test, t->keys->size, size / 2);
	KUNIT_EXPECT_GE(test, t->keys->size, SHRINK_REST * 2);
	KUNIT_EXPECT_GT(test, t->fences, 0);
	KUNIT_EXPECT_EQ(test, t->size_at_fence, t->keys->size);
	KUNIT_EXPECT_EQ(test, device_size(t), t->keys->size);
	for (i = 0; i < SHRINK_STAY; i++) {
		KUNIT_EXPECT_TRUE(test, device_finds(t, t->key[i] >> 8));
		KUNIT_EXPECT_EQ(test, *entry_of(t, t->key[i]), t->key[i]);
	}
}

/*
 * Also after the table has shrunk, an index is not allocated again before
 * SHRINK_REST other indexes have been freed, and never with its last key byte.
 */
static void indexes_at_rest_stay_so_when_the_table_shrinks(struct kunit *test)
{
	struct growth_test *t = test->priv;
	u32 *freed = vzalloc(BIT(GROWTH_LOG_LIMIT) * sizeof(*freed));
	u32 seen = 0;
	u32 i, key;

	KUNIT_ASSERT_NOT_NULL(test, freed);
	draw_many(test);
	free_keys(t, 0, SHRINK_KEYS);
	for (i = 0; i < SHRINK_KEYS; i++)
		freed[t->key[i] >> 8] = i + 1;
	await_shrinking(t);
	KUNIT_EXPECT_GT(test, t->fences, 0);
	for (i = 0; i < SHRINK_KEYS; i++) {
		u32 *last;

		if (xrdma_key_alloc(t->keys, &key))
			break;
		last = &freed[key >> 8];
		if (*last) {
			KUNIT_EXPECT_LE(test, *last, SHRINK_KEYS - SHRINK_REST);
			KUNIT_EXPECT_NE(test, (u8)key, (u8)t->key[*last - 1]);
			seen++;
		}
		*last = 0;
		KUNIT_EXPECT_TRUE(test, device_finds(t, key >> 8));
		KUNIT_EXPECT_EQ(test, *entry_of(t, key) & ~(u64)U8_MAX, 0);
	}
	KUNIT_EXPECT_EQ(test, i, SHRINK_KEYS);
	KUNIT_EXPECT_GT(test, seen, SHRINK_KEYS / 4);
	vfree(freed);
}

static void a_device_that_does_not_answer_keeps_its_pages(struct kunit *test)
{
	struct growth_test *t = test->priv;
	u32 size;

	draw_many(test);
	size = t->keys->size;
	t->fence_err = -EIO;
	free_keys(t, 0, SHRINK_KEYS);
	await_shrinking(t);
	KUNIT_EXPECT_GT(test, t->fences, 0);
	KUNIT_EXPECT_LT(test, t->size_at_fence, size);
	KUNIT_EXPECT_EQ(test, t->keys->size, size);
	KUNIT_EXPECT_EQ(test, device_size(t), size);
}

/*
 * The device is silenced after xrdma_keys_stop(). A work item that called fence()
 * then would wait for the time limit of a command.
 */
static void a_stopped_table_asks_for_no_fence(struct kunit *test)
{
	struct growth_test *t = test->priv;
	u32 size;

	draw_many(test);
	size = t->keys->size;
	xrdma_keys_stop(t->keys);
	t->fences = 0;
	free_keys(t, 0, SHRINK_KEYS);
	await_shrinking(t);
	KUNIT_EXPECT_EQ(test, t->fences, 0);
	KUNIT_EXPECT_EQ(test, t->keys->size, size);
}

static int draw_and_free(void *arg)
{
	struct growth_test *t = arg;
	u32 i, key, err = 0;

	for (i = 0; !kthread_should_stop(); i++) {
		if (xrdma_key_alloc(t->keys, &key)) {
			err++;
			continue;
		}
		if (*entry_of(t, key) & ~(u64)U8_MAX)
			err++;
		*entry_of(t, key) = key;
		cond_resched();
		if (*entry_of(t, key) != key || !device_finds(t, key >> 8))
			err++;
		*entry_of(t, key) &= U8_MAX;
		xrdma_key_free(t->keys, key >> 8);
	}
	return err;
}

static void pieces_go_while_keys_are_drawn(struct kunit *test)
{
	struct growth_test *t = test->priv;
	struct task_struct *thread = kthread_run(draw_and_free, t, "shrink");
	u32 round;

	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	for (round = 0; round < 5; round++) {
		u32 size;

		draw_many(test);
		size = t->keys->size;
		free_keys(t, 0, SHRINK_KEYS);
		await_shrinking(t);
		KUNIT_EXPECT_LT(test, t->keys->size, size);
	}
	KUNIT_EXPECT_EQ(test, kthread_stop(thread), 0);
}

static struct kunit_case growth_cases[] = {
	KUNIT_CASE(a_caller_adds_one_piece),
	KUNIT_CASE(the_table_grows_before_it_is_full),
	KUNIT_CASE(growth_without_memory_is_left_for_later),
	KUNIT_CASE(a_caller_that_waits_for_growth_can_be_killed),
	KUNIT_CASE(pieces_in_use_stay_when_the_table_shrinks),
	KUNIT_CASE(indexes_at_rest_stay_so_when_the_table_shrinks),
	KUNIT_CASE(a_device_that_does_not_answer_keeps_its_pages),
	KUNIT_CASE(a_stopped_table_asks_for_no_fence),
	KUNIT_CASE(pieces_go_while_keys_are_drawn),
	{}
};

static struct kunit_suite growth_suite = {
	.name = "xrdma_key_growth",
	.init = growth_test_init,
	.exit = growth_test_exit,
	.test_cases = growth_cases,
};

kunit_test_suite(growth_suite);
