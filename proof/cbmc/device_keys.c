// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The device against a hostile host: the check of key entries of the host in
 * model/core/key.c, compiled unchanged. What the walk of translation tables does
 * with an accepted entry is in xlat_walk.c.
 *
 * CBMC: --unwind 2 --slice-formula --conversion-check
 */

#include "rules.h"
#include "device.h"
#include "core/qp.h"
#include "core/key.c"

static struct model_device dev;

void model_host_error(struct model_host_errors *herr,
		      enum model_host_error_kind kind, const char *fmt, ...)
{
	(void)herr;
	(void)kind;
	(void)fmt;
}

void model_mem_init(struct model_mem *mem, u64 root, u64 base, u64 size,
		    u8 flags)
{
	mem->root = root;
	mem->base = base;
	mem->size = size;
	mem->flags = flags;
}

/* Is [@start, @start + @len) a part of [0, @limit]? */
static bool below(u64 start, u64 len, __uint128_t limit)
{
	return (__uint128_t)start + len <= limit;
}

/*
 * Theorem: For any bytes of a key entry, the device either refuses the entry, or
 *	the range of its addresses does not wrap, its type, state and rights are
 *	defined, and what the entry lets the device access is a range below
 *	2^64 of bus addresses, a range inside of device memory, or positions
 *	that a legal root maps; a window or a free entry has no memory.
 * Holds for: all entries, also those that the host changes during the check; all
 *	capabilities and sizes of device memory.
 * Assumes: the state is not INVALID; the device uses no other part of such an
 *	entry.
 */
static void hostile_entries_are_refused(void)
{
	u64 ctrl = nondet_u64();
	struct xrdma_mpt_entry host;
	struct model_key key = { .index = nondet_u32() };
	struct model_mem *mem = &key.mem;
	const struct xrdma_rules_entry *e = &key.e;

	dev.caps = nondet_u64();
	dev.dm.size = nondet_u64();
	mem->size = 0;
	ASSUME((ctrl >> 8 & 0xf) != XRDMA_MPT_INVALID);
	decode(&key.e, ctrl, &host);
	ASSUME(entry_ok(&dev, &key, ctrl, &host));
	REACHABLE(e->type == XRDMA_MPT_MW_2 && e->state == XRDMA_MPT_VALID);
	REACHABLE(mem->flags == MODEL_MEM_DEVICE && mem->size > 4096);
	REACHABLE(mem->flags == MODEL_MEM_IDENTITY && mem->size);
	REACHABLE(mem->size && !mem->flags && (mem->root & 7) == 4);
	PROVE(below(e->iova, e->length, (__uint128_t)1 << 64));
	PROVE(e->type <= XRDMA_MPT_MW_2 && !has_unknown_right(e->access));
	PROVE(e->state == XRDMA_MPT_FREE || e->state == XRDMA_MPT_VALID);
	if (e->state == XRDMA_MPT_FREE || e->type >= XRDMA_MPT_MW_1) {
		PROVE(!mem->size);
		return;
	}
	PROVE(mem->size == e->length);
	if (mem->flags == MODEL_MEM_IDENTITY) {
		PROVE(below(mem->base, mem->size, (__uint128_t)1 << 64));
	} else if (mem->flags == MODEL_MEM_DEVICE) {
		PROVE(below(mem->base, mem->size, dev.dm.size));
	} else {
		PROVE(!mem->flags && xrdma_root_ok(mem->root));
		PROVE(below(mem->base, mem->size, (__uint128_t)1 << 64));
		PROVE(!mem->size ||
		      xrdma_root_covers(mem->root, mem->base + mem->size - 1));
	}
}
