// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How the driver finds or adds the tables that hold the entries of blocks:
 * xrdma_mtt_table() of xrdma_mtt.c, compiled unchanged with the stand-ins for kernel
 * headers in proof/include, on tables of tables.h. How the driver writes the entries
 * of blocks is in mtt_fill.c, how the device reads the tables in translation.c.
 *
 * CBMC: -I proof/include --unwind 4 --slice-formula
 */

#include "proof.h"
#include "kernel.h"
#include "xrdma_mtt.c"

/* Entries of a table in the model, few to keep the formula small */
#define INDEX_MAX	2

#include "tables.h"

/* Find or add the table of any level in a translation of @top levels. */
static void find_or_add(u8 top)
{
	struct xrdma_mtt mtt;
	struct xrdma_mtt_builder b;
	u8 level = nondet_u8(), at;
	__le64 *found;

	ASSUME(b.pos < 1ULL << 48 && level >= 1 && level <= top);
	any_tables(&b, &mtt, top);
	found = xrdma_mtt_table(&b, level);
	REACHABLE(found && num_added && b.table[top] == old[top].entry);
	PROVE(builder_ok(&b));
	ASSUME(found);
	PROVE(found == b.table[level]);
	for (at = level; at < top; at++)
		PROVE(is_linked(&b, at) &&
		      b.tag[at] == b.pos >> (b.x.leaf_shift + 9 * at));
}

/*
 * Theorem: For each position, the driver finds or adds the table of a level and the
 *	tables above it, so that each of these has, at the position, the entry
 *	of the table below.
 * Holds for: two levels of tables, leaves of 4 KiB; any number of calls, of which the
 *	positions never decrease; positions in the first 2 entries of each table.
 * Assumes: positions below 2^48; what the theorem says of the tables before the
 *	call, which holds without tables.
 * Form: long
 * Solver: cadical
 */
static void two_levels_are_linked(void)
{
	find_or_add(2);
}
