// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the pool of frame buffers: each buffer is given out once, and memory is
 * touched only for buffers that are in use at the same time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
/* needs the headers above */
#include <cmocka.h>

#include "wire/frame.h"

#define FRAMES	4096
#define PAGE	4096UL
#define PAGES	(FRAMES * sizeof(struct model_frame) / PAGE)

/* Return: number of pages of the pool that are in memory. */
static size_t resident(const struct model_frame_pool *pool)
{
	static unsigned char pages[PAGES + 1];
	uintptr_t start = (uintptr_t)pool->memory & ~(PAGE - 1);
	size_t i, num = 0;

	assert_int_equal(mincore((void *)start, PAGES * PAGE, pages), 0);
	for (i = 0; i < PAGES; i++)
		num += pages[i] & 1;
	return num;
}

/* Take and write @num frames of @pool, and give them back. */
static void use(struct model_frame_pool *pool, u32 num)
{
	struct model_frameq queue = { 0 };
	struct model_frame *frame;
	u32 i;

	for (i = 0; i < num; i++) {
		frame = model_frame_get(pool);
		assert_non_null(frame);
		memset(frame->data, 1, sizeof(frame->data));
		model_frameq_push(&queue, frame);
	}
	assert_int_equal(pool->available, FRAMES - num);
	while ((frame = model_frameq_pop(&queue)) != NULL)
		model_frame_put(pool, frame);
	assert_int_equal(pool->available, FRAMES);
}

/* A huge page may be 2 MiB, so the limit is a quarter of the pool. */
static void memory_is_touched_by_use_only(void **state)
{
	struct model_frame_pool pool;
	u32 i;

	(void)state;
	assert_int_equal(model_frame_pool_init(&pool, FRAMES), 0);
	assert_int_equal(pool.available, FRAMES);
	assert_true(resident(&pool) < PAGES / 4);
	for (i = 0; i < 1000; i++)
		use(&pool, 100);
	assert_true(resident(&pool) < PAGES / 4);
	use(&pool, FRAMES);
	assert_true(resident(&pool) > PAGES * 9 / 10);
	model_frame_pool_fini(&pool);
}

static int compare(const void *a, const void *b)
{
	const uintptr_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void each_frame_is_given_out_once(void **state)
{
	static uintptr_t frames[FRAMES];
	struct model_frame_pool pool;
	u32 i;

	(void)state;
	assert_int_equal(model_frame_pool_init(&pool, FRAMES), 0);
	use(&pool, 7);
	for (i = 0; i < FRAMES; i++)
		frames[i] = (uintptr_t)model_frame_get(&pool);
	assert_null(model_frame_get(&pool));
	assert_int_equal(pool.available, 0);
	qsort(frames, FRAMES, sizeof(*frames), compare);
	for (i = 0; i < FRAMES; i++)
		assert_int_equal(frames[i], (uintptr_t)&pool.memory[i]);
	model_frame_pool_fini(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_touched_by_use_only),
		cmocka_unit_test(each_frame_is_given_out_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
