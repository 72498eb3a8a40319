// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The device against a hostile host: how the device reads, checks and writes the key
 * entries of the host in model/core/key.c, compiled unchanged. What the walk of
 * translation tables does with an accepted entry is in xlat_walk.c, how the driver
 * encodes the first word of an entry in encode.c.
 *
 * CBMC: --unwind 2 --slice-formula
 */

#include "rules.h"
#include "device.h"
#include "core/qp.h"
#include "no_faults.h"

/* a proof executes one thread, in which each access is in order */
#define __atomic_load_n(ptr, order)		(*(ptr))
/* see __atomic_load_n() */
#define __atomic_store_n(ptr, value, order)	(*(ptr) = (value))
#define __atomic_thread_fence(order)		((void)0)

/* The proof uses one slot of the cache, since CBMC is slow for large arrays. */
#undef MODEL_KEY_CACHE
#define MODEL_KEY_CACHE				1

#include "core/key.c"

static struct model_device dev;
static u8 queue; /* the event queue of page faults; only its address is used */

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

/* The entry that the device writes, and its index */
static struct xrdma_mpt_entry written;
static u32 written_index;

void *model_mem_ptr(struct model_device *device, struct model_mem *mem, u64 off,
		    size_t *len, bool write)
{
	PROVE(device == &dev && mem == &dev.keys.mem && write);
	PROVE(*len == 64 && off == (u64)written_index * 64);
	return &written;
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
 *	that a legal root maps; the root of a paged region has tables and leaves
 *	of 4 KiB, may map less than the region, and needs ENABLE_ODP; a window or
 *	a free entry has no memory.
 * Holds for: all entries, also those that the host changes during the check; all
 *	capabilities and sizes of device memory; before and after ENABLE_ODP.
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
	dev.pager.eq = nondet_truth() ? (struct model_eq *)&queue : NULL;
	mem->size = 0;
	ASSUME((ctrl >> 8 & 0xf) != XRDMA_MPT_INVALID);
	decode(&key.e, ctrl, &host);
	ASSUME(entry_ok(&dev, &key, ctrl, &host));
	REACHABLE(e->type == XRDMA_MPT_MW_2 && e->state == XRDMA_MPT_VALID);
	REACHABLE(mem->flags == MODEL_MEM_DEVICE && mem->size > 4096);
	REACHABLE(mem->flags == MODEL_MEM_IDENTITY && mem->size);
	REACHABLE(mem->size && !mem->flags && (mem->root & 7) == 4);
	REACHABLE(mem->flags == MODEL_MEM_PAGED && mem->size >> 63);
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
	} else if (mem->flags == MODEL_MEM_PAGED) {
		PROVE(dev.pager.eq && xrdma_root_paged_ok(mem->root));
		PROVE(below(mem->base, mem->size, (__uint128_t)1 << 64));
	} else {
		PROVE(!mem->flags && xrdma_root_ok(mem->root));
		PROVE(below(mem->base, mem->size, (__uint128_t)1 << 64));
		PROVE(!mem->size ||
		      xrdma_root_covers(mem->root, mem->base + mem->size - 1));
	}
}

/*
 * Theorem: The device decodes each field of a key entry from its bits: the key byte
 *	from bits 7:0 of the first word, the state from 11:8, the type from
 *	15:12, the rights from 31:16, the protection domain from 55:32, the flag
 *	of bus addresses from 56; the other fields are those of the entry.
 * Holds for: all entries.
 * Assumes: nothing.
 */
static void entries_are_decoded_by_their_bits(void)
{
	struct xrdma_mpt_entry host;
	struct xrdma_rules_entry e;
	u64 ctrl = nondet_u64();

	decode(&e, ctrl, &host);
	REACHABLE(e.pd == 0xffffff && e.identity);
	PROVE(e.byte == (ctrl & 0xff) && e.state == (ctrl >> 8 & 0xf));
	PROVE(e.type == (ctrl >> 12 & 0xf) && e.access == (ctrl >> 16 & 0xffff));
	PROVE(e.pd == (ctrl >> 32 & 0xffffff) && e.identity == (ctrl >> 56 & 1));
	PROVE(e.iova == le64_to_cpu(host.iova));
	PROVE(e.length == le64_to_cpu(host.length));
	PROVE(e.qpn == le32_to_cpu(host.qpn));
	PROVE(e.parent == le32_to_cpu(host.parent));
	PROVE(e.bound == le32_to_cpu(host.bound));
	PROVE(e.window_base == le64_to_cpu(host.window_base));
}

/*
 * Theorem: A key entry that the device writes, after a bind, a registration or an
 *	invalidation by a work request, reads back as it was written, with the
 *	same count of windows as before; its first word is the one that the
 *	driver would write; root and offset are those of the request; bits 63:56
 *	and the reserved field stay zero.
 * Form: long
 * Solver: cadical
 * Holds for: all entries, indexes, roots and offsets.
 * Assumes: state and type have at most 4 bits, the protection domain 24; the entry
 *	does not name bus addresses; the reserved field was zero.
 */
static void written_entries_are_read_back(void)
{
	struct xrdma_rules_entry e = any_entry(), again;
	u64 root = nondet_u64();
	u32 offset = nondet_u32(), key = nondet_u32();
	struct xrdma_mpt_entry any;

	written = any;	/* not initialised: any contents */
	written.reserved = 0;
	written_index = key >> 8;
	ASSUME(e.state < 16 && e.type < 16 && e.pd < 1 << 24 && !e.identity);
	ASSUME(e.byte == (key & 0xff));
	model_key_put(&dev, written_index, &e, root, offset);
	e.bound = le32_to_cpu(any.bound);
	decode(&again, le64_to_cpu(written.ctrl), &written);
	REACHABLE(e.bound && e.state == XRDMA_MPT_VALID && root);
	PROVE(same_entry(&e, &again));
	PROVE(le64_to_cpu(written.ctrl) ==
	      xrdma_make_mpt_ctrl(e.state, e.type, key, e.pd, e.access));
	PROVE(le64_to_cpu(written.root) == root);
	PROVE(le32_to_cpu(written.offset) == offset && !written.reserved);
}
