// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Driver and device together: xrdma_mtt_fill_piece() of the driver's xrdma_mtt.c adds
 * a piece to a translation, and the walk of the device, model/core/xlat.c, finds each
 * byte of the piece. Both files are compiled unchanged, and meet in the tables of
 * tables.h. How the driver chooses the shape of a translation is in xlat_shape.c,
 * translations of any levels and blocks are in mtt_fill.c, mtt_links.c and xlat_walk.c.
 *
 * CBMC: -I proof/include --unwind 5 --slice-formula
 */

#include "proof.h"
#include "kernel.h"
#include "device.h"
#include "xrdma_mtt.c"
#include "core/xlat.c"

/* Entries of a table in the model, few to keep the formula small */
#define INDEX_MAX	3

#include "tables.h"

#define PIECE_MAX	(2 << 12)	/* bytes of a piece */

static struct xrdma_mtt mtt;
static struct xrdma_mtt_builder b;
static struct model_device dev;

/* The level of the table that the device reads next */
static u8 next_level;

/* The device reads the tables that the driver used last, from the top. */
void *model_dma_ptr(struct model_dma *dma, u64 iova, size_t len, bool write)
{
	(void)dma;
	PROVE(!write && len == XRDMA_MTT_TABLE_SIZE && next_level);
	PROVE(b.table[next_level] && iova == address_of(&b, next_level));
	return b.table[next_level--];
}

int model_dma_check(struct model_dma *dma, u64 iova, size_t len, bool write)
{
	(void)dma;
	(void)iova;
	(void)len;
	(void)write;
	return nondet_int();
}

void model_host_error(struct model_host_errors *herr,
		      enum model_host_error_kind kind, const char *fmt, ...)
{
	(void)herr;
	(void)kind;
	(void)fmt;
}

/* The root that the driver gives the device is that of the top table. */
static bool top_ok(void)
{
	return !b.table[b.x.level] || b.top_dma == address_of(&b, b.x.level);
}

/* Add a piece to a translation of @top levels, and look for one of its bytes. */
static void fill_and_walk(u8 top)
{
	u64 addr = nondet_u64() << 12, len = nondet_u64(), at = nondet_u64();
	struct model_mem mem;
	struct place found;
	u64 first;
	u8 level;

	b.x.big_shift = 12;
	b.pos = nondet_u64() << 12;
	b.top_dma = nondet_u64();
	for (level = 1; level <= top; level++)
		b.tag[level] = nondet_u64();
	any_tables(&b, &mtt, top);
	for (level = 1; level <= top; level++)
		ASSUME(!(old[level].page.private & 4095));
	ASSUME(b.pos < 1ULL << (12 + 9 * top) && top_ok());
	ASSUME(len && len <= PIECE_MAX && at < len && addr + len - 1 >= addr);
	ASSUME(((b.pos + len - 1) >> 12 & 511) < INDEX_MAX);
	first = b.pos;
	ASSUME(!xrdma_mtt_fill_piece(&b, addr, len));
	REACHABLE(num_added == top && at >> 12);
	REACHABLE(!num_added && first);
	PROVE(b.pos == first + len && builder_ok(&b) && top_ok());
	model_mem_init(&mem, xrdma_make_root(b.top_dma, top, 12), 0, ~0ULL, 0);
	next_level = top;
	PROVE(walk(&dev, &mem, first + at, &found));
	PROVE(found.addr == addr + at && found.left == 4096 - (at & 4095));
}

/*
 * Theorem: The device's walk of the tables to which the driver has added a piece
 *	finds each byte of the piece at its bus address.
 * Holds for: one level of tables, leaves of 4 KiB; pieces of 1 to 8192 bytes at any
 *	addresses; positions in the first 3 entries of a table of any contents.
 * Form: long
 * Solver: cadical
 * Assumes: pieces and positions begin at multiples of 4 KiB; what
 *	mtt_links.two_levels_are_linked says of the tables before the call, and
 *	the root is that of the top table, both of which the theorem shows to
 *	stay true.
 */
static void pieces_are_found_by_one_level(void)
{
	fill_and_walk(1);
}

/*
 * Theorem: The same as pieces_are_found_by_one_level, for two levels of tables.
 * Holds for: as pieces_are_found_by_one_level; any number of pieces, of which the
 *	positions never decrease.
 * Assumes: as pieces_are_found_by_one_level.
 * Form: long
 * Solver: cadical
 */
static void pieces_are_found_by_two_levels(void)
{
	fill_and_walk(2);
}
