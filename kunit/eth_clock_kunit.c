// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the time of the PTP hardware clock (xrdma_eth_tstamp.c): how it follows from
 * the device clock, and when the device clock has started anew.
 */

#include <kunit/test.h>
#include <linux/time64.h>
#include "xrdma_eth_tstamp.h"

/* The rate applies to the distance from the clock of the last change. */
static void time_follows_from_the_device_clock(struct kunit *test)
{
	static const struct {
		struct xrdma_eth_rate rate;
		u64 clock;
		u64 want;
	} rows[] = {
		{ { 1000, 50, 0 }, 1000, 50 },
		{ { 1000, 50, 0 }, 1007, 57 },
		{ { 1000, 50, 0 }, 990, 40 },
		{ { 1000, 50, 1 << 16 }, 1000001000, 1000001050 },
		{ { 1000, 50, -(1 << 16) }, 1000001000, 999999050 },
		{ { 1000000000, 2000000000, 1 << 16 }, 0, 999999000 },
		{ { 1000000000, 2000000000, -(1 << 16) }, 0, 1000001000 },
		/* a part of a ppm; the largest changes */
		{ { 0, 0, 1 }, 65536000000000, 65536000001000 },
		{ { 0, 0, 100000L << 16 }, 10, 11 },
		{ { 0, 0, -(100000L << 16) }, 10, 9 },
		/* years after the last change */
		{ { 0, 0, 100000L << 16 }, 1ULL << 62, 5072854620270126694 },
		/* the device clock may begin just before its overflow */
		{ { -5ULL, 100, 0 }, 5, 110 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, rows[i].want,
				    xrdma_eth_time(&rows[i].rate,
						   rows[i].clock),
				    "row %u", i);
}

static void a_device_clock_that_starts_anew_is_found(struct kunit *test)
{
	static const struct {
		struct xrdma_eth_seen seen;
		u64 clock;
		u64 boot;
		u64 expected;
		bool want;
	} rows[] = {
		/* it was never read */
		{ { 0, 0 }, 5, 7 * NSEC_PER_SEC, 7 * NSEC_PER_SEC, false },
		/* it has gone on, at another speed, or further */
		{ { 1000, 50 }, 1100, 150, 1100, false },
		{ { 1000, 50 }, 1050, 150, 1100, false },
		{ { 1000, 50 }, 999999999999, 150, 1100, false },
		{ { 1000, 1000 }, 1000 * NSEC_PER_SEC,
		  1001 * NSEC_PER_SEC, 1001 * NSEC_PER_SEC, false },
		/* it has a lower value than before */
		{ { 1000, 50 }, 999, 150, 1100, true },
		/* a higher one, but not the time that has passed */
		{ { 5 * NSEC_PER_SEC, 1000 }, 10 * NSEC_PER_SEC,
		  3600 * NSEC_PER_SEC + 1000, 3605 * NSEC_PER_SEC, true },
		{ { 1000, 1000 }, 998 * NSEC_PER_SEC,
		  1001 * NSEC_PER_SEC, 1001 * NSEC_PER_SEC, true },
	};
	u64 expected;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		KUNIT_EXPECT_EQ_MSG(test, rows[i].want,
				    xrdma_eth_restarted(&rows[i].seen,
							rows[i].clock,
							rows[i].boot,
							&expected),
				    "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, rows[i].expected, expected, "row %u",
				    i);
	}
}

static struct kunit_case eth_clock_cases[] = {
	KUNIT_CASE(time_follows_from_the_device_clock),
	KUNIT_CASE(a_device_clock_that_starts_anew_is_found),
	{}
};

static struct kunit_suite eth_clock_suite = {
	.name = "xrdma_eth_clock",
	.test_cases = eth_clock_cases,
};

kunit_test_suite(eth_clock_suite);
