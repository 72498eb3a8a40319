/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Golden cases of on-demand paging. Other cases are in golden_cases.h.
 */

#ifndef XRDMA_GOLDEN_ODP_H
#define XRDMA_GOLDEN_ODP_H

#include "golden_make.h"

static void golden_make_mtt_paged(void *out)
{
	u64 entry = xrdma_make_mtt_block(0x40200000) | XRDMA_MTT_WRITE;

	*(__le64 *)out = cpu_to_le64(entry);
}

static void golden_make_mpt_paged(void *out)
{
	u32 key = xrdma_make_key(1, 0x77);
	u64 ctrl = xrdma_make_mpt_ctrl(XRDMA_MPT_VALID, XRDMA_MPT_MR, key,
				       0x321,
				       XRDMA_ACCESS_LOCAL_WRITE |
				       XRDMA_ACCESS_REMOTE_WRITE);

	*(struct xrdma_mpt_entry *)out = (struct xrdma_mpt_entry) {
		.ctrl = cpu_to_le64(ctrl | XRDMA_MPT_PAGED),
		.iova = cpu_to_le64(0x7f0012345678ULL),
		.length = cpu_to_le64(1ULL << 40),
		.root = cpu_to_le64(xrdma_make_root(0x123456000ULL, 4, 12)),
		.offset = cpu_to_le32(0x12345678),
	};
}

static void golden_make_cmd_enable_odp(void *out)
{
	golden_put_cmd(out, xrdma_make_enable_odp(0x5432000, 9, 5), 16);
}

static void golden_make_cmd_invalidate_range(void *out)
{
	golden_put_cmd(out, xrdma_make_invalidate_range(0x112233, 0x7f0012345000,
							0x203000), 17);
}

static void golden_make_resume(void *out)
{
	*(struct xrdma_resume *)out = xrdma_make_resume(0x00120034,
							XRDMA_RESUME_REFUSE);
}

static void golden_make_eqe_page_fault(void *out)
{
	*(struct xrdma_eqe *)out = (struct xrdma_eqe) {
		.event = XRDMA_EVENT_PAGE_FAULT,
		.opcode = XRDMA_OP_WRITE,
		.flags = XRDMA_FAULT_REMOTE | XRDMA_FAULT_WRITE,
		.number = cpu_to_le32(0xabcde),
		.key = cpu_to_le32(0x112233),
		.pd = cpu_to_le32(0x123),
		.addr = cpu_to_le64(0x12345678),
		.length = cpu_to_le64(1024),
		.timestamp = cpu_to_le64(6000000),
		.token = cpu_to_le32(0x00120034),
		.expected = cpu_to_le64(1 << 20),
		.own = cpu_to_le32(1),
	};
}

#endif /* XRDMA_GOLDEN_ODP_H */
