/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Stand-in for <kunit/test.h> of the Linux kernel, for user space: what the KUnit
 * suites of the pure headers use of KUnit and of other headers of the kernel, so
 * that proof/mutants runs these suites as processes. The file that includes this
 * header has one suite, and this header defines its main(). The exit status is 1
 * after the first expectation that is not met, else 0.
 */

#ifndef PROOF_KUNIT_TEST_H
#define PROOF_KUNIT_TEST_H

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/types.h>

#define __maybe_unused			__attribute__((unused))
#define IS_ENABLED(CONFIG_ANY)		1
#define GFP_KERNEL			0
#define SZ_64K				0x10000
#define SZ_2M				0x200000
#define SZ_64M				0x4000000
#define U16_MAX				0xffff
#define U32_MAX				0xffffffffU
#define U64_MAX				0xffffffffffffffffULL
#define S64_MAX				0x7fffffffffffffffLL
#define min(a, b)							\
	({ typeof(a) a_ = (a); typeof(b) b_ = (b); a_ < b_ ? a_ : b_; })
#define max(a, b)							\
	({ typeof(a) a_ = (a); typeof(b) b_ = (b); a_ > b_ ? a_ : b_; })
#define cond_resched()			((void)0)
#define strscpy(to, from, size)		snprintf(to, size, "%s", from)
#define check_add_overflow(a, b, sum)	__builtin_add_overflow(a, b, sum)

#define MODULE_DESCRIPTION(text)	_Static_assert(1, text)
#define MODULE_LICENSE(text)		_Static_assert(1, text)

/* ---- random numbers -------------------------------------------------------- */

struct rnd_state {
	u64 state;
};

static inline void prandom_seed_state(struct rnd_state *rnd, u64 seed)
{
	rnd->state = seed;
}

/* The generator splitmix64; the kernel's has other numbers. */
static inline u32 prandom_u32_state(struct rnd_state *rnd)
{
	u64 z = rnd->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return (z ^ z >> 31) >> 32;
}

/* ---- tests ----------------------------------------------------------------- */

#define KUNIT_PARAM_DESC_SIZE		128

struct kunit {
	const void *param_value;
};

struct kunit_case {
	void (*run)(struct kunit *test);
	const void *(*next)(const void *param, char *desc);
};

struct kunit_suite {
	const char *name;
	struct kunit_case *test_cases;
};

#define KUNIT_CASE(function)		{ .run = function }
#define KUNIT_CASE_PARAM(function, gen)	{ .run = function, .next = gen }

#define KUNIT_ARRAY_PARAM(name, array, get_desc)			\
	static const void *name##_gen_params(const void *param, char *desc) \
	{								\
		typeof(array) *all = &(array);				\
		typeof(&(*all)[0]) next = param ? param : *all - 1;	\
									\
		if (++next == *all + ARRAY_SIZE(*all))			\
			return NULL;					\
		get_desc(next, desc);					\
		return next;						\
	}

static inline void kunit_expect(int met, const char *what)
{
	if (met)
		return;
	printf("not met: %s\n", what);
	exit(1);
}

static inline void *kunit_kcalloc(struct kunit *test, size_t num, size_t size,
				  int flags)
{
	(void)test;
	(void)flags;
	return calloc(num, size);
}

#define KUNIT_EXPECT_EQ(test, a, b)	kunit_expect((a) == (b), #a " == " #b)
#define KUNIT_EXPECT_EQ_MSG(test, a, b, ...)				\
	KUNIT_EXPECT_EQ(test, a, b)
#define KUNIT_EXPECT_NE(test, a, b)	kunit_expect((a) != (b), #a " != " #b)
#define KUNIT_EXPECT_TRUE(test, a)	kunit_expect(!!(a), #a)
#define KUNIT_EXPECT_FALSE(test, a)	kunit_expect(!(a), "!" #a)
#define KUNIT_EXPECT_MEMEQ(test, a, b, size)				\
	kunit_expect(!memcmp(a, b, size), #a " as " #b)
#define KUNIT_ASSERT_NOT_NULL(test, a)	kunit_expect(!!(a), #a)
#define KUNIT_FAIL_AND_ABORT(test, ...)	kunit_expect(0, "no failure")

extern const struct kunit_suite *const proof_suite;

#define kunit_test_suite(suite)						\
	const struct kunit_suite *const proof_suite = &(suite)

int main(void)
{
	char desc[KUNIT_PARAM_DESC_SIZE];
	const struct kunit_case *c;

	for (c = proof_suite->test_cases; c->run; c++) {
		struct kunit test = { NULL };

		if (!c->next)
			c->run(&test);
		else
			while ((test.param_value = c->next(test.param_value, desc)))
				c->run(&test);
	}
	return 0;
}

#endif /* PROOF_KUNIT_TEST_H */
