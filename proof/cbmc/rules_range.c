// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The arithmetic of ranges of xrdma_rules.h, compared with sums of 128 bits,
 * which cannot wrap. The harnesses rules_*.c assume these theorems, so that
 * each of them needs no arithmetic of its own.
 *
 * Time limit: 600 s
 */

#include "rules.h"

/*
 * Theorem: The range check of an entry grants exactly the ranges that lie
 *	inside the range of the entry.
 * Holds for: all inputs.
 * Assumes: the range has at least 1 byte.
 * Solver: cadical
 */
static void covers_is_exact(void)
{
	const struct xrdma_rules_entry e = any_entry();
	u64 addr = nondet_u64();
	u64 len = nondet_u64();
	bool covers = xrdma_rules_covers(&e, addr, len);

	ASSUME(len);
	REACHABLE(covers && len > 1);
	REACHABLE(!covers && beyond(addr, len));
	PROVE(covers == within(addr, len, e.iova, e.length));
}

/*
 * Theorem: The check that a range wraps is true exactly for the ranges that end
 *	beyond 2^64.
 * Holds for: all inputs.
 * Assumes: nothing.
 */
static void wraps_is_exact(void)
{
	u64 start = nondet_u64();
	u64 length = nondet_u64();
	bool wraps = xrdma_rules_wraps(start, length);

	REACHABLE(wraps);
	REACHABLE(!wraps && start && length == -start);
	PROVE(wraps == beyond(start, length));
}
