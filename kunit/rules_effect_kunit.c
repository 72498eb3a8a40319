// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the protection rules (xrdma_rules.h): ranges at their limits, and
 * the changes that an operation makes to a key entry. All other rules are
 * tested in rules_kunit.c.
 */

#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include "rules_scene.h"

/* ---- ranges ---------------------------------------------------------------- */

static const u64 edges[] = {
	0, 1, 7, 8, 0xfff, 0x1000, 0x1001, 0xffffffff, 0x100000000ULL,
	S64_MAX, 1ULL << 63, -0x1001ULL, -0x1000ULL, -8ULL, -1ULL,
};

/*
 * Is the range [@addr, @addr + @len) inside of the range of the entry? Compares
 * the last bytes, and checks each sum for overflow.
 */
static bool inside(u64 iova, u64 length, u64 addr, u64 len)
{
	u64 end, last;

	if (check_add_overflow(iova, length - 1, &end) ||
	    check_add_overflow(addr, len - 1, &last))
		return false;
	return addr >= iova && last <= end;
}

static void check_range(struct kunit *test, u64 iova, u64 length)
{
	struct scene access = make_scene(ACCESS), bind = make_scene(BIND);
	int i, j;

	access.e.iova = iova;
	access.e.length = length;
	bind.mr = access.e;
	for (i = 0; i < ARRAY_SIZE(edges); i++) {
		for (j = 1; j < ARRAY_SIZE(edges); j++) {
			u64 addr = edges[i], len = edges[j];
			int expected = inside(iova, length, addr, len) ? NONE :
				       XRDMA_FAULT_RANGE;

			access.access.addr = addr;
			access.access.len = len;
			bind.bind.addr = addr;
			bind.bind.length = len;
			KUNIT_EXPECT_EQ(test, try(&access, ACCESS), expected);
			KUNIT_EXPECT_EQ(test, try(&bind, BIND), expected);
		}
	}
}

static void ranges_are_exact_and_never_wrap(struct kunit *test)
{
	struct scene reg = make_scene(REG);
	int i, j;

	for (i = 0; i < ARRAY_SIZE(edges); i++) {
		for (j = 1; j < ARRAY_SIZE(edges); j++) {
			u64 last;
			bool wraps = check_add_overflow(edges[i], edges[j] - 1,
							&last);

			KUNIT_EXPECT_EQ(test, xrdma_rules_wraps(edges[i],
								edges[j]),
					wraps);
			reg.reg.iova = edges[i];
			reg.reg.length = edges[j];
			KUNIT_EXPECT_EQ(test, try(&reg, REG),
					wraps ? XRDMA_FAULT_RANGE : NONE);
			if (!wraps)
				check_range(test, edges[i], edges[j]);
		}
	}
}

/* ---- changes to key entries ------------------------------------------------ */

static void bind_grants_a_part_of_the_region(struct kunit *test)
{
	struct scene s = make_scene(BIND);

	s.bind.addr = IOVA + 0x100;
	s.bind.length = 0x80;
	xrdma_rules_bind(&s.e, &s.mr, &s.who, &s.bind);
	KUNIT_EXPECT_TRUE(test, xrdma_rules_is_bound(&s.e));
	KUNIT_EXPECT_EQ(test, s.e.byte, BYTE + 1);
	KUNIT_EXPECT_EQ(test, s.e.access, REMOTE);
	KUNIT_EXPECT_EQ(test, s.e.qpn, QPN);
	KUNIT_EXPECT_EQ(test, s.e.parent, MR_INDEX);
	KUNIT_EXPECT_EQ(test, s.e.iova, IOVA + 0x100);
	KUNIT_EXPECT_EQ(test, s.e.length, 0x80);
	KUNIT_EXPECT_EQ(test, s.e.window_base, 0x100);

	s = make_scene(BIND);
	s.e.type = XRDMA_MPT_MW_1;
	s.bind.addr += 8;
	xrdma_rules_bind(&s.e, &s.mr, &s.who, &s.bind);
	KUNIT_EXPECT_EQ(test, s.e.qpn, 0);

	s.bind.access |= XRDMA_ACCESS_ZERO_BASED;
	xrdma_rules_bind(&s.e, &s.mr, &s.who, &s.bind);
	KUNIT_EXPECT_EQ(test, s.e.iova, 0);
	KUNIT_EXPECT_EQ(test, s.e.window_base, 8);
}

static void free_keeps_key_byte_type_and_pd(struct kunit *test)
{
	struct xrdma_rules_entry expected = {
		.state = XRDMA_MPT_FREE,
		.byte = BYTE + 3,
		.pd = PD,
	};
	struct scene s = make_scene(BIND);

	xrdma_rules_bind(&s.e, &s.mr, &s.who, &s.bind);
	xrdma_rules_free(&s.e, BYTE + 3);
	expected.type = XRDMA_MPT_MW_2;
	KUNIT_EXPECT_MEMEQ(test, &s.e, &expected, sizeof(expected));

	s = make_scene(REG);
	xrdma_rules_reg(&s.e, &s.reg);
	KUNIT_EXPECT_EQ(test, s.e.state, XRDMA_MPT_VALID);
	KUNIT_EXPECT_EQ(test, s.e.access, FULL);
	KUNIT_EXPECT_EQ(test, s.e.iova, IOVA);
	KUNIT_EXPECT_EQ(test, s.e.length, LENGTH);
	xrdma_rules_free(&s.e, BYTE + 3);
	expected.type = XRDMA_MPT_FAST_REG;
	KUNIT_EXPECT_MEMEQ(test, &s.e, &expected, sizeof(expected));
}

static void only_bound_regions_outlive_the_command(struct kunit *test)
{
	struct scene s = make_scene(END);

	s.e.bound = 1;
	KUNIT_EXPECT_EQ(test, try(&s, END), XRDMA_INVAL_BOUND);
	s.e.bound = 0;
	KUNIT_EXPECT_EQ(test, try(&s, END), XRDMA_INVAL_OK);
	s.missing = true;
	KUNIT_EXPECT_EQ(test, try(&s, END), XRDMA_INVAL_BAD_INDEX);
}

static struct kunit_case rules_effect_cases[] = {
	KUNIT_CASE(ranges_are_exact_and_never_wrap),
	KUNIT_CASE(bind_grants_a_part_of_the_region),
	KUNIT_CASE(free_keeps_key_byte_type_and_pd),
	KUNIT_CASE(only_bound_regions_outlive_the_command),
	{}
};

static struct kunit_suite rules_effect_suite = {
	.name = "xrdma_rules_effect",
	.test_cases = rules_effect_cases,
};

kunit_test_suite(rules_effect_suite);
