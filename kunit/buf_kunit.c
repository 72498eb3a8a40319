// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of ring memory (xrdma_buf.c): the size and number of the fragments of a
 * buffer; the device's translation and xrdma_buf_at() lead to the same bytes; send
 * entries cross the ends of fragments (xrdma_wq.h).
 * Tests of the builder of translations are in mtt_kunit.c and mtt_cut_kunit.c.
 */

#include "mtt_scene.h"
#include "xrdma_buf.h"
#include "xrdma_wq.h"

/* Bytes of the largest fragment (XRDMA_BUF_SHIFT_MAX) */
#define BUF_FRAG_MAX		(PAGE_SIZE << PAGE_ALLOC_COSTLY_ORDER)
#define BUF_STEP		64
#define BUF_REC			128

/**
 * struct buf_case - a buffer, and the fragments that it has if a page has 4 KiB
 * @name: contents of the buffer
 * @size: requested size in bytes: rings, and their record if there is one
 * @first: size of the first fragment in bytes
 * @num: number of fragments
 */
struct buf_case {
	const char *name;
	size_t size;
	size_t first;
	u32 num;
};

static const struct buf_case buf_cases[] = {
	{ "16 completions", SZ_1K + BUF_REC, SZ_4K, 1 },
	{ "64 completions", SZ_4K + BUF_REC, SZ_8K, 1 },
	{ "256 completions", SZ_16K + BUF_REC, SZ_16K, 2 },
	{ "512 events", SZ_32K + BUF_REC, SZ_32K, 2 },
	{ "a ring that fills its pages", SZ_64K, SZ_32K, 2 },
	{ "both rings of a queue pair", SZ_128K + SZ_8K + BUF_REC, SZ_32K, 5 },
	{ "65,536 completions", SZ_4M + BUF_REC, SZ_32K, 129 },
	{ "send and receive rings of 32,768", SZ_16M + SZ_1M + BUF_REC, SZ_32K,
	  545 },
};

static void buf_case_name(const struct buf_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(buf, buf_cases, buf_case_name);

static struct xrdma_buf *make_buf(struct kunit *test)
{
	const struct buf_case *c = test->param_value;
	struct mtt_test *t = test->priv;
	struct xrdma_buf *buf = xrdma_buf_alloc(&t->xdev, c->size);

	KUNIT_ASSERT_NOT_NULL(test, buf);
	return buf;
}

static void fragments_are_small_and_waste_no_page(struct kunit *test)
{
	const struct buf_case *c = test->param_value;
	struct xrdma_buf *buf = make_buf(test);
	struct mtt_test *t = test->priv;

	KUNIT_EXPECT_LE(test, 1UL << buf->shift, BUF_FRAG_MAX);
	KUNIT_EXPECT_EQ(test, buf->size, PAGE_ALIGN(c->size));
	if (PAGE_SIZE == SZ_4K) {
		KUNIT_EXPECT_EQ(test, 1UL << buf->shift, c->first);
		KUNIT_EXPECT_EQ(test, buf->num, c->num);
	}
	xrdma_buf_free(&t->xdev, buf);
}

/*
 * The CPU writes words by xrdma_buf_at(); the walker reads the same words by
 * the translation, as the device does.
 */
static void device_and_host_find_the_same_bytes(struct kunit *test)
{
	struct xrdma_buf *buf = make_buf(test);
	struct mtt_test *t = test->priv;
	struct walk w = {
		.dev = &t->pdev.dev,
		.root = buf->mtt.root,
		.leaf = buf->mtt.leaf_shift,
		.level = buf->mtt.level,
	};
	size_t at;

	for (at = 0; at < buf->size; at += BUF_STEP) {
		__le64 *word = xrdma_buf_at(buf, at);

		KUNIT_ASSERT_NULL(test, memchr_inv(word, 0, BUF_STEP));
		*word = cpu_to_le64(at + 1);
	}
	for (at = 0; at < buf->size; at += BUF_STEP) {
		u64 addr = walk_lookup(&w, at);

		KUNIT_ASSERT_NE(test, addr, WALK_NOWHERE);
		KUNIT_ASSERT_EQ(test, le64_to_cpu(*walk_table(&w, addr)),
				at + 1);
	}
	xrdma_buf_free(&t->xdev, buf);
}

/* Send entries of 1 to 3 units, which do not begin at multiples of their length */
static void send_entries_cross_fragments(struct kunit *test)
{
	struct mtt_test *t = test->priv;
	struct xrdma_buf *buf = xrdma_buf_alloc(&t->xdev, SZ_128K);
	struct xrdma_wq sq = { .units = 3, .log_depth = 9, .offset = 64 };
	u32 i, at, place = 0, crossed = 0;
	u8 *wqe;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	sq.buf = buf;
	sq.spare = kunit_kzalloc(test, 3 * 64, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, sq.spare);
	for (i = 0; i < 3000; i++) {
		u32 units = 1 + i * i % 3;

		wqe = xrdma_sq_entry(&sq);
		memset(wqe, i, units * 64);
		wqe[1] = (units - 1) << 4;
		crossed += wqe == sq.spare;
		xrdma_sq_pass(&sq, (void *)wqe);
		for (at = 0; at < units * 64; at++)
			if (at != 1)
				KUNIT_ASSERT_EQ(test, (u8)i,
						*(u8 *)xrdma_buf_at(buf, 64 + place * 64 + at));
		place = (place + units) % (3 << 9);
		KUNIT_ASSERT_EQ(test, place, sq.place);
	}
	KUNIT_EXPECT_GT(test, crossed, 0);
	xrdma_buf_free(&t->xdev, buf);
}

static struct kunit_case buf_test_cases[] = {
	KUNIT_CASE_PARAM(fragments_are_small_and_waste_no_page, buf_gen_params),
	KUNIT_CASE_PARAM(device_and_host_find_the_same_bytes, buf_gen_params),
	KUNIT_CASE(send_entries_cross_fragments),
	{}
};

static struct kunit_suite buf_test_suite = {
	.name = "xrdma_buf",
	.init = mtt_test_init,
	.exit = mtt_test_exit,
	.test_cases = buf_test_cases,
};

kunit_test_suite(buf_test_suite);
