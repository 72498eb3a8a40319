// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of keys (xrdma_key.c): the translation of the key table, the rest of
 * freed indexes, the distribution of random keys, and a full table. Tests of
 * the table's size are in key_growth_kunit.c.
 */

#include <kunit/device.h>
#include <kunit/test.h>
#include <linux/dma-mapping.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>
#include "xrdma_key.h"
#include "xrdma_key_table.h"
#include "xrdma_xlat.h"
#include "xlat_walk.h"

/* Frees until an index is reused (XRDMA_KEY_REST) */
#define KEY_REST		4096
/*
 * Indexes of the magazine of a CPU (XRDMA_KEY_MAGAZINE). The FIFO of indexes at
 * rest is longer than KEY_REST by this number for each CPU.
 */
#define KEY_MAGAZINE		64

/* An index is free while fewer keys than this are in use, in any table */
#define KEY_LIVELY(limit)	((limit) / 16 * 7)

#define KEY_LOG_LIMIT		16
#define KEY_LIMIT		BIT(KEY_LOG_LIMIT)
/*
 * Keys that a test allocates. Outside of UML the number is smaller, since the
 * machine may be emulated, but large enough for chi_square().
 */
#define KEY_ROUNDS		(IS_ENABLED(CONFIG_UML) ? 200000 : 20000)
#define KEY_LIVE		1000
#define KEY_THREADS		4
#define KEY_THREAD_ROUNDS	(KEY_ROUNDS / 10)
#define KEY_THREAD_KEYS		16

/**
 * struct key_test - key table, and what the tests record about its keys
 * @dev: device for whose DMA the table is allocated
 * @keys: the table
 * @rest: smallest number of frees until an index is reused
 * @used: bitmap of the indexes in use
 * @freed: by index: value of @frees when it was last freed; 0: never freed
 * @byte: by index: last key byte
 * @frees: number of frees
 * @live: keys in use
 * @num_live: number of keys in @live
 * @twice: an index was allocated while it was in use
 */
struct key_test {
	struct device *dev;
	struct xrdma_keys *keys;
	u32 rest;
	DECLARE_BITMAP(used, KEY_LIMIT);
	u32 freed[KEY_LIMIT];
	u8 byte[KEY_LIMIT];
	u32 frees;
	u32 live[KEY_LIMIT];
	u32 num_live;
	bool twice;
};

/* There is no device that caches the table. */
static int no_fence(void *context)
{
	return 0;
}

static int key_test_init(struct kunit *test)
{
	struct key_test *t = vzalloc(sizeof(*t));

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	t->dev = kunit_device_register(test, "xrdma_keys");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->dev);
	KUNIT_ASSERT_EQ(test, 0, dma_coerce_mask_and_coherent(t->dev,
							      DMA_BIT_MASK(64)));
	t->keys = xrdma_keys_create(t->dev, no_fence, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->keys);
	return 0;
}

static void key_test_exit(struct kunit *test)
{
	struct key_test *t = test->priv;

	if (t && !IS_ERR_OR_NULL(t->keys))
		xrdma_keys_destroy(t->keys);
	vfree(t);
}

static void open_keys(struct kunit *test, u32 log_limit)
{
	struct key_test *t = test->priv;

	t->rest = min(KEY_REST, KEY_LIVELY(1U << log_limit));
	KUNIT_ASSERT_EQ(test, 0, xrdma_keys_open(t->keys, log_limit));
}

/* Allocate a key, and record it as in use. */
static int draw(struct key_test *t, u32 *key)
{
	int err = xrdma_key_alloc(t->keys, key);

	if (err)
		return err;
	if (test_and_set_bit(*key >> 8, t->used))
		t->twice = true;
	t->live[t->num_live++] = *key;
	return 0;
}

/* Free a key as after INVALIDATE, which leaves the key byte in the entry. */
static void invalidate_and_free(struct key_test *t, u32 index, u8 byte)
{
	struct xrdma_mpt_entry entry = { .ctrl = cpu_to_le64(byte) };

	xrdma_key_publish(t->keys, index, &entry);
	xrdma_key_free(t->keys, index);
}

/* Free t->live[@place], whose key byte the consumer has changed to @byte. */
static void free_key_with_byte(struct key_test *t, u32 place, u8 byte)
{
	u32 index = t->live[place] >> 8;

	t->live[place] = t->live[--t->num_live];
	t->freed[index] = ++t->frees;
	t->byte[index] = byte;
	clear_bit(index, t->used);
	invalidate_and_free(t, index, byte);
}

static void free_key(struct key_test *t, u32 place)
{
	free_key_with_byte(t, place, t->live[place]);
}

/* Allocate keys until that fails. Return: the error. */
static int fill(struct key_test *t)
{
	u32 key;
	int err;

	do {
		err = draw(t, &key);
		if (t->num_live % 1024 == 0)
			cond_resched();
	} while (!err && t->num_live < KEY_LIMIT);
	return err;
}

/* ---- entries that the device reads ----------------------------------- */

static void *device_view(struct key_test *t, u32 index)
{
	struct walk w = { .dev = t->dev, .root = xrdma_keys_root(t->keys) };
	u64 addr;

	w.level = w.root & 7;
	w.leaf = w.root >> 3 & 0x3f;
	addr = walk_lookup(&w, 64ULL * index);
	if (addr == WALK_NOWHERE)
		return NULL;
	return phys_to_virt(dma_to_phys(t->dev, addr));
}

static void device_finds_what_is_published(struct kunit *test)
{
	struct key_test *t = test->priv;
	struct xrdma_mpt_entry entry, copy;
	u8 zero[8] = {};
	void *view;
	u32 key, i;

	open_keys(test, KEY_LOG_LIMIT);
	KUNIT_EXPECT_TRUE(test, xrdma_root_ok(xrdma_keys_root(t->keys)));
	for (i = 0; i < 20000; i++) {
		KUNIT_ASSERT_EQ(test, 0, draw(t, &key));
		view = device_view(t, key >> 8);
		KUNIT_ASSERT_NOT_NULL(test, view);
		KUNIT_ASSERT_MEMEQ(test, view, zero, sizeof(zero));
		get_random_bytes(&entry, sizeof(entry));
		xrdma_key_publish(t->keys, key >> 8, &entry);
		KUNIT_ASSERT_MEMEQ(test, view, &entry, sizeof(entry));
		xrdma_key_read(t->keys, key >> 8, &copy);
		KUNIT_ASSERT_MEMEQ(test, &copy, &entry, sizeof(entry));
	}
}

static void entries_that_do_not_exist_are_not_mapped(struct kunit *test)
{
	struct key_test *t = test->priv;
	u32 last = 0, i;

	open_keys(test, KEY_LOG_LIMIT);
	for (i = 0; i < KEY_LIMIT; i++)
		if (device_view(t, i))
			last = i;
	KUNIT_EXPECT_LT(test, last, KEY_LIMIT / 2);
	KUNIT_EXPECT_GE(test, last, KEY_REST - 1);
	KUNIT_EXPECT_NULL(test, device_view(t, (1 << 24) - 1));
	KUNIT_EXPECT_NULL(test, device_view(t, 1 << 24));
	KUNIT_ASSERT_EQ(test, -ENOSPC, fill(t));
	for (i = 0; i < KEY_LIMIT; i++)
		KUNIT_ASSERT_NOT_NULL(test, device_view(t, i));
	KUNIT_EXPECT_NULL(test, device_view(t, KEY_LIMIT));
}

/* ---- rest ------------------------------------------------------------ */

static void check_rest(struct kunit *test, const struct key_test *t, u32 key)
{
	u32 index = key >> 8;

	KUNIT_ASSERT_NE(test, index, 0);
	KUNIT_ASSERT_FALSE(test, t->twice);
	if (!t->freed[index])
		return;
	KUNIT_ASSERT_GE(test, t->frees - t->freed[index], t->rest);
	KUNIT_ASSERT_NE(test, (u8)key, t->byte[index]);
}

/* Allocate keys, and call @release after each, which frees some of them. */
static void draw_and_release(struct kunit *test,
			     void (*release)(struct key_test *t))
{
	struct key_test *t = test->priv;
	u32 key, i, again = 0;

	open_keys(test, KEY_LOG_LIMIT);
	for (i = 0; i < KEY_ROUNDS; i++) {
		KUNIT_ASSERT_EQ(test, 0, draw(t, &key));
		check_rest(test, t, key);
		again += t->freed[key >> 8] != 0;
		release(t);
		if (i % 1024 == 0)
			cond_resched();
	}
	/* most keys had an index that had been freed before */
	KUNIT_EXPECT_GT(test, again, KEY_ROUNDS / 2);
}

static void release_any(struct key_test *t)
{
	while (t->num_live > KEY_LIVE)
		free_key(t, get_random_u32_below(t->num_live));
}

static void no_index_is_reused_before_it_has_rested(struct kunit *test)
{
	draw_and_release(test, release_any);
}

static void release_with_any_byte(struct key_test *t)
{
	free_key_with_byte(t, 0, get_random_u8());
}

/*
 * The consumer chooses the key byte of windows and fast-register regions. The
 * next key of the index differs from that key byte, too.
 */
static void a_byte_of_the_consumer_is_the_last_one_too(struct kunit *test)
{
	draw_and_release(test, release_with_any_byte);
}

/* ---- distribution of keys -------------------------------------------- */

/*
 * Compute the chi-square statistic of counts that should be equal. Return: the
 * statistic, times 256. A uniform distribution exceeds CHI_LIMIT_N, the limit
 * for N degrees of freedom, about once in 10^9 runs.
 */
static u64 chi_square(const u32 *count, u32 cells)
{
	u64 sum = 0, total = 0;
	u32 i;

	for (i = 0; i < cells; i++)
		total += count[i];
	for (i = 0; i < cells; i++) {
		s64 diff = (s64)count[i] * cells - (s64)total;

		sum += div64_u64((u64)(diff * diff) << 8, cells * total);
	}
	return sum;
}

#define CHI_LIMIT_63		(156ULL << 8)
#define CHI_LIMIT_254		(414ULL << 8)
#define CHI_LIMIT_255		(415ULL << 8)

/*
 * Allocate and free keys until the table has stopped growing: after growth, the
 * distribution of indexes is not uniform, since all new indexes are free.
 * Return: the size of the table in indexes.
 */
static u32 settle(struct kunit *test)
{
	struct key_test *t = test->priv;
	u32 key, i, size = 0;

	open_keys(test, KEY_LOG_LIMIT);
	for (i = 0; i < 8 * KEY_REST; i++) {
		KUNIT_ASSERT_EQ(test, 0, draw(t, &key));
		free_key(t, 0);
	}
	/* the work item schedules itself again */
	while (flush_work(&t->keys->growth_work))
		;
	while (size < KEY_LIMIT && device_view(t, size))
		size++;
	return size;
}

static void indexes_cannot_be_foreseen(struct kunit *test)
{
	struct key_test *t = test->priv;
	u32 single[64] = {}, pairs[256] = {};
	u32 size = settle(test);
	u32 last = 0, key, i, cell;

	for (i = 0; i < KEY_ROUNDS; i++) {
		KUNIT_ASSERT_EQ(test, 0, draw(t, &key));
		free_key(t, 0);
		cell = (u64)(key >> 8) * 64 / size;
		single[cell]++;
		pairs[last / 4 * 16 + cell / 4]++;
		last = cell;
		if (i % 1024 == 0)
			cond_resched();
	}
	KUNIT_EXPECT_LT(test, chi_square(single, 64), CHI_LIMIT_63);
	KUNIT_EXPECT_LT(test, chi_square(pairs, 256), CHI_LIMIT_255);
}

static void key_bytes_cannot_be_foreseen(struct kunit *test)
{
	struct key_test *t = test->priv;
	u32 *bytes = kunit_kcalloc(test, 256, sizeof(*bytes), GFP_KERNEL);
	u32 *steps = kunit_kcalloc(test, 255, sizeof(*steps), GFP_KERNEL);
	u32 key, i, index;

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	KUNIT_ASSERT_NOT_NULL(test, steps);
	settle(test);
	for (i = 0; i < KEY_ROUNDS; i++) {
		KUNIT_ASSERT_EQ(test, 0, draw(t, &key));
		index = key >> 8;
		bytes[(u8)key]++;
		if (t->freed[index]) {
			u8 step = key - t->byte[index];

			KUNIT_ASSERT_NE(test, step, 0);
			steps[step - 1]++;
		}
		free_key(t, 0);
		if (i % 1024 == 0)
			cond_resched();
	}
	KUNIT_EXPECT_LT(test, chi_square(bytes, 256), CHI_LIMIT_255);
	KUNIT_EXPECT_LT(test, chi_square(steps, 255), CHI_LIMIT_254);
}

/* ---- full table ------------------------------------------------------ */

static void full_table_returns_enospc_and_recovers(struct kunit *test)
{
	struct key_test *t = test->priv;
	u32 limit = 1 << 14;
	u32 rest = KEY_REST + 2 * KEY_MAGAZINE * num_possible_cpus();
	u32 key;

	open_keys(test, 14);
	KUNIT_EXPECT_EQ(test, -ENOSPC, fill(t));
	/* index 0 is never allocated */
	KUNIT_EXPECT_EQ(test, t->num_live, limit - 1);
	KUNIT_EXPECT_EQ(test, -ENOSPC, draw(t, &key));
	while (t->num_live)
		free_key(t, t->num_live - 1);
	KUNIT_EXPECT_EQ(test, -ENOSPC, fill(t));
	KUNIT_EXPECT_GE(test, t->num_live, limit - 1 - rest);
	KUNIT_EXPECT_LE(test, t->num_live, limit - 1 - KEY_REST);
	KUNIT_EXPECT_FALSE(test, t->twice);
}

struct small_case {
	const char *name;
	u32 log_limit;
};

/*
 * From the smallest table that the driver accepts to the smallest one in which
 * an index rests for KEY_REST frees
 */
static const struct small_case small_cases[] = {
	{ "2^10 keys", 10 }, { "2^11 keys", 11 }, { "2^12 keys", 12 },
	{ "2^13 keys", 13 }, { "2^14 keys", 14 },
};

static void small_case_name(const struct small_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(small, small_cases, small_case_name);

/*
 * Keys that a test of a small table allocates for each of the table's indexes.
 * Outside of UML the number is smaller, see KEY_ROUNDS, but large enough that
 * each index is free, rests and is free again in both halves of the rounds.
 */
#define KEY_SMALL_ROUNDS	(IS_ENABLED(CONFIG_UML) ? 16 : 4)

/*
 * In the first half of the rounds only one key is in use, in the second half up
 * to KEY_LIVELY().
 */
static void a_small_table_has_a_free_index(struct kunit *test)
{
	const struct small_case *c = test->param_value;
	u32 live = KEY_LIVELY(1U << c->log_limit);
	struct key_test *t = test->priv;
	u32 rounds = KEY_SMALL_ROUNDS << c->log_limit;
	u32 key, i;

	open_keys(test, c->log_limit);
	for (i = 0; i < rounds; i++) {
		KUNIT_ASSERT_EQ_MSG(test, 0, draw(t, &key), "round %u", i);
		check_rest(test, t, key);
		if (i < rounds / 2 || t->num_live == live)
			free_key(t, get_random_u32_below(t->num_live));
		if (i % 1024 == 0)
			cond_resched();
	}
	KUNIT_EXPECT_EQ(test, t->num_live, live - 1);
}

/*
 * Keys that a CPU frees before it is the next CPU's turn. The number is odd, so
 * that the size of a magazine is no multiple of it.
 */
#define KEY_TURN		13

static int free_last_keys(void *arg)
{
	struct key_test *t = arg;
	u32 i;

	for (i = 0; i < KEY_TURN && t->num_live; i++)
		free_key(t, t->num_live - 1);
	return 0;
}

/* All CPUs free keys in turn, so that all magazines contain some. */
static void no_cpu_keeps_the_keys_of_a_small_table(struct kunit *test)
{
	const struct small_case *c = test->param_value;
	struct key_test *t = test->priv;
	int cpu;

	open_keys(test, c->log_limit);
	KUNIT_EXPECT_EQ(test, -ENOSPC, fill(t));
	while (t->num_live)
		for_each_online_cpu(cpu)
			smp_call_on_cpu(cpu, free_last_keys, t, false);
	KUNIT_EXPECT_EQ(test, -ENOSPC, fill(t));
	KUNIT_EXPECT_GE(test, t->num_live, KEY_LIVELY(1U << c->log_limit));
	KUNIT_EXPECT_FALSE(test, t->twice);
}

static void keys_can_be_allocated_after_enomem(struct kunit *test)
{
	struct key_test *t = test->priv;
	u64 mask = t->dev->coherent_dma_mask;
	u32 before;

	open_keys(test, KEY_LOG_LIMIT);
	/* DMA allocation fails: no memory is below bus address 4 KiB */
	t->dev->coherent_dma_mask = DMA_BIT_MASK(12);
	KUNIT_EXPECT_EQ(test, -ENOMEM, fill(t));
	before = t->num_live;
	/* all indexes of the new table were allocated, except index 0 */
	KUNIT_EXPECT_GE(test, before, KEY_REST - 1);
	KUNIT_EXPECT_LT(test, before, KEY_LIMIT - 1);
	t->dev->coherent_dma_mask = mask;
	KUNIT_EXPECT_EQ(test, -ENOSPC, fill(t));
	KUNIT_EXPECT_EQ(test, t->num_live, KEY_LIMIT - 1);
	KUNIT_EXPECT_FALSE(test, t->twice);
}

static void table_without_memory_is_not_made(struct kunit *test)
{
	struct key_test *t = test->priv;
	u64 mask = t->dev->coherent_dma_mask;
	struct xrdma_keys *none;

	t->dev->coherent_dma_mask = DMA_BIT_MASK(12);
	none = xrdma_keys_create(t->dev, no_fence, NULL);
	KUNIT_EXPECT_TRUE(test, IS_ERR(none));
	KUNIT_EXPECT_EQ(test, PTR_ERR(none), -ENOMEM);
	KUNIT_EXPECT_EQ(test, -ENOMEM, xrdma_keys_open(t->keys, KEY_LOG_LIMIT));
	t->dev->coherent_dma_mask = mask;
}

/* ---- concurrent threads ---------------------------------------------- */

static int draw_and_free(void *arg)
{
	struct key_test *t = arg;
	u32 mine[KEY_THREAD_KEYS];
	u32 num = 0, i;
	int err = 0;

	for (i = 0; i < KEY_THREAD_ROUNDS && !err; i++) {
		err = xrdma_key_alloc(t->keys, &mine[num]);
		if (!err && test_and_set_bit(mine[num] >> 8, t->used))
			WRITE_ONCE(t->twice, true);
		num += !err;
		while (num == KEY_THREAD_KEYS ||
		       (num && (err || i == KEY_THREAD_ROUNDS - 1))) {
			clear_bit(mine[--num] >> 8, t->used);
			invalidate_and_free(t, mine[num] >> 8, mine[num]);
		}
		cond_resched();
	}
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return err;
}

/* Few indexes are free, so the threads often try to allocate the same one. */
static void threads_never_get_the_same_key(struct kunit *test)
{
	struct key_test *t = test->priv;
	u32 free = KEY_REST + 2 * KEY_MAGAZINE * num_possible_cpus() +
		   2 * KEY_THREADS * KEY_THREAD_KEYS;
	struct task_struct *threads[KEY_THREADS];
	u32 i;

	open_keys(test, 13);
	KUNIT_ASSERT_EQ(test, -ENOSPC, fill(t));
	while (free--)
		free_key(t, t->num_live - 1);
	for (i = 0; i < KEY_THREADS; i++) {
		threads[i] = kthread_run(draw_and_free, t, "keys%u", i);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, threads[i]);
	}
	for (i = 0; i < KEY_THREADS; i++)
		KUNIT_EXPECT_EQ(test, 0, kthread_stop(threads[i]));
	KUNIT_EXPECT_FALSE(test, t->twice);
	KUNIT_EXPECT_EQ(test, bitmap_weight(t->used, KEY_LIMIT), t->num_live);
}

static struct kunit_case key_cases[] = {
	KUNIT_CASE(device_finds_what_is_published),
	KUNIT_CASE(entries_that_do_not_exist_are_not_mapped),
	KUNIT_CASE(no_index_is_reused_before_it_has_rested),
	KUNIT_CASE(a_byte_of_the_consumer_is_the_last_one_too),
	KUNIT_CASE(indexes_cannot_be_foreseen),
	KUNIT_CASE(key_bytes_cannot_be_foreseen),
	KUNIT_CASE(full_table_returns_enospc_and_recovers),
	KUNIT_CASE_PARAM(a_small_table_has_a_free_index, small_gen_params),
	KUNIT_CASE_PARAM(no_cpu_keeps_the_keys_of_a_small_table,
			 small_gen_params),
	KUNIT_CASE(keys_can_be_allocated_after_enomem),
	KUNIT_CASE(table_without_memory_is_not_made),
	KUNIT_CASE(threads_never_get_the_same_key),
	{}
};

static struct kunit_suite key_suite = {
	.name = "xrdma_key",
	.init = key_test_init,
	.exit = key_test_exit,
	.test_cases = key_cases,
};

kunit_test_suite(key_suite);
