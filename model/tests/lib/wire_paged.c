// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * On-demand paging, as a driver does it: see wire_paged.h.
 */
#include <string.h>

#include "tests/lib/wire_paged.h"

/* Allocate zeroed memory. Return: its bus address. */
static u64 zeroed(struct wire_host *host, u64 size)
{
	u64 addr = wire_alloc(host, size, size);

	memset(wire_ptr(host, addr), 0, size);
	return addr;
}

/* Create the event queue of page faults, and send ENABLE_ODP. */
void paged_start(struct wire_host *host, struct paged *paged)
{
	u64 events = zeroed(host, 1ULL << 16), ring = zeroed(host, 4096);
	const struct xrdma_cmd_create_eq eq = {
		.root = cpu_to_le64(xrdma_make_root(events, 0, 16)),
		.eqn = cpu_to_le32(PAGED_EQN),
		.vector = cpu_to_le16(2),
		.log_depth = PAGED_LOG,
	};
	struct xrdma_cmd cmd = xrdma_make_enable_odp(ring, PAGED_LOG,
						     PAGED_EQN);

	memset(paged, 0, sizeof(*paged));
	paged->host = host;
	paged->events = wire_ptr(host, events);
	paged->rec = wire_ptr(host, events + xrdma_cq_rec_offset(PAGED_LOG));
	paged->ring = wire_ptr(host, ring);
	assert_int_equal(model_eq_create(host->dev, &eq), XRDMA_CMD_OK);
	assert_int_equal(model_resume_enable(host->dev, &cmd.enable_odp),
			 XRDMA_CMD_OK);
}

/* Take the next event to @paged->last. Return: false if there is none. */
bool paged_next(struct paged *paged)
{
	const struct xrdma_eqe *at = paged->events +
				     xrdma_ring_slot(paged->ci, PAGED_LOG);

	if (!xrdma_ring_valid(le32_to_cpu(at->own), paged->ci, PAGED_LOG))
		return false;
	paged->last = *at;
	paged->rec->ci = cpu_to_le32(++paged->ci);
	assert_int_equal(at->event, XRDMA_EVENT_PAGE_FAULT);
	return true;
}

/* Take the next event, which must be that of a position. Return: its token. */
u32 paged_expect(struct paged *paged, const struct paged_region *region,
		 u64 pos, bool write)
{
	if (!paged_next(paged))
		fail_msg("no page fault, wanted %#llx", pos);
	assert_int_equal(le32_to_cpu(paged->last.key), region->index);
	assert_int_equal(le64_to_cpu(paged->last.addr), pos);
	assert_int_equal(!!(paged->last.flags & XRDMA_FAULT_WRITE), write);
	assert_int_equal(le32_to_cpu(paged->last.pd), WIRE_PD);
	return le32_to_cpu(paged->last.token);
}

void paged_expect_none(struct paged *paged)
{
	if (paged_next(paged))
		fail_msg("page fault at %#llx, wanted none",
			 le64_to_cpu(paged->last.addr));
}

void paged_answer(struct paged *paged, u32 token, u32 outcome)
{
	u32 slot = xrdma_ring_slot(paged->pi, PAGED_LOG);
	__le32 pi = cpu_to_le32(++paged->pi);

	paged->ring[slot] = xrdma_make_resume(token, outcome);
	model_device_write(paged->host->dev, XRDMA_BAR_REGS,
			   XRDMA_REG_RESUME_DB, &pi, sizeof(pi));
}

/* Expect the page fault of a position, map its page, and answer. */
void paged_serve(struct paged *paged, struct paged_region *region, u64 pos,
		 bool write)
{
	u32 token = paged_expect(paged, region, pos, write);

	paged_map(region, pos, 1, write);
	paged_answer(paged, token, XRDMA_RESUME_AGAIN);
}

/* Register a paged region with memory that is not mapped. */
void paged_region(struct wire_host *host, struct paged_region *region,
		  u32 index, u64 size)
{
	struct xrdma_mpt_entry *e = wire_ptr(host, host->mpt);
	u64 top = zeroed(host, PAGED_PAGE);
	u64 ctrl;

	memset(region, 0, sizeof(*region));
	region->host = host;
	region->index = index;
	region->key = xrdma_make_key(index, 0x5a);
	region->buf = wire_alloc(host, size, PAGED_PAGE);
	region->mem = wire_ptr(host, region->buf);
	region->addr = 0x7f0000000000ULL;
	region->top = wire_ptr(host, top);
	wire_fill(region->mem, size, index);
	e += index;
	memset(e, 0, sizeof(*e));
	e->iova = cpu_to_le64(region->addr);
	e->length = cpu_to_le64(size);
	e->root = cpu_to_le64(xrdma_make_root(top, 2, XRDMA_LEAF_SHIFT_MIN));
	ctrl = xrdma_make_mpt_ctrl(XRDMA_MPT_VALID, XRDMA_MPT_MR, region->key,
				   WIRE_PD, WIRE_ALL_RIGHTS |
				   XRDMA_ACCESS_FLUSH_GLOBAL |
				   XRDMA_ACCESS_MW_BIND);
	e->ctrl = cpu_to_le64(ctrl | XRDMA_MPT_PAGED);
}

static __le64 *entry_at(struct paged_region *region, u64 pos)
{
	__le64 *upper = &region->top[pos >> 21];
	u64 table;

	if (!*upper) {
		table = zeroed(region->host, PAGED_PAGE);
		*upper = cpu_to_le64(xrdma_make_mtt_table(table));
	}
	table = le64_to_cpu(*upper) & XRDMA_MTT_ADDR;
	return (__le64 *)wire_ptr(region->host, table) + (pos >> 12) % 512;
}

void paged_map(struct paged_region *region, u64 pos, u64 size, bool write)
{
	u64 at, entry;

	for (at = pos & ~(PAGED_PAGE - 1ULL); at < pos + size;
	     at += PAGED_PAGE) {
		entry = xrdma_make_mtt_block(region->buf + at);
		if (write)
			entry |= XRDMA_MTT_WRITE;
		*entry_at(region, at) = cpu_to_le64(entry);
	}
}

/* Unmap pages, and do what INVALIDATE_RANGE does. */
void paged_unmap(struct paged_region *region, u64 pos, u64 size)
{
	u64 at;

	for (at = pos & ~(PAGED_PAGE - 1ULL); at < pos + size; at += PAGED_PAGE)
		*entry_at(region, at) = 0;
	model_key_forget_range(region->host->dev, region->index);
}
