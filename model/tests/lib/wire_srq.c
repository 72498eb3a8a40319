// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues: see wire_srq.h.
 */
#include <string.h>

#include "tests/lib/wire_srq.h"

static void make_ring(struct wire_srq *srq, u8 log_depth)
{
	u8 leaf = log_depth + WIRE_RQ_STRIDE_LOG + 1;
	u64 addr;

	if (leaf < XRDMA_LEAF_SHIFT_MIN)
		leaf = XRDMA_LEAF_SHIFT_MIN;
	addr = wire_alloc(srq->host, 1ULL << leaf, 1ULL << leaf);
	memset(wire_ptr(srq->host, addr), 0, 1ULL << leaf);
	srq->log_depth = log_depth;
	srq->root = xrdma_make_root(addr, 0, leaf);
	srq->ring = wire_ptr(srq->host, addr);
	srq->rec = (void *)(srq->ring +
			    (1ULL << (log_depth + WIRE_RQ_STRIDE_LOG)));
}

void wire_create_srq(struct wire_host *host, u8 log_depth, u32 xrcd, u32 cqn,
		     struct wire_srq *srq)
{
	struct xrdma_cmd_create_srq p = {
		.srqn = cpu_to_le32(host->next_number),
		.pd = cpu_to_le32(WIRE_PD),
		.xrcd = cpu_to_le32(xrcd),
		.cqn = cpu_to_le32(cqn),
		.log_depth = log_depth,
		.log_stride = WIRE_RQ_STRIDE_LOG,
	};

	memset(srq, 0, sizeof(*srq));
	srq->host = host;
	srq->srqn = host->next_number++;
	make_ring(srq, log_depth);
	p.root = cpu_to_le64(srq->root);
	assert_int_equal(model_srq_create(host->dev, &p), XRDMA_CMD_OK);
	srq->srq = model_srq_get(host->dev, srq->srqn);
}

u8 wire_modify_srq(struct wire_srq *srq, u32 mask, u32 limit)
{
	const struct xrdma_cmd_modify_srq p = {
		.srqn = cpu_to_le32(srq->srqn),
		.mask = cpu_to_le32(mask),
		.limit = cpu_to_le32(limit),
	};

	return model_srq_modify(srq->host->dev, &p);
}

/* MODIFY_SRQ: resize to a ring with copies of the entries before @pi. */
u8 wire_resize_srq(struct wire_srq *srq, u8 log_depth, u32 pi)
{
	struct xrdma_cmd_modify_srq p = {
		.srqn = cpu_to_le32(srq->srqn),
		.mask = cpu_to_le32(XRDMA_SRQM_RESIZE),
		.log_depth = log_depth,
	};
	struct wire_srq old = *srq;
	u32 i = le32_to_cpu(old.rec->ci);
	u8 status;

	make_ring(srq, log_depth);
	for (; i != pi; i++)
		memcpy(srq->ring + (xrdma_ring_slot(i, log_depth) <<
				    WIRE_RQ_STRIDE_LOG),
		       old.ring + (xrdma_ring_slot(i, old.log_depth) <<
				   WIRE_RQ_STRIDE_LOG),
		       1 << WIRE_RQ_STRIDE_LOG);
	srq->rec->pi = cpu_to_le32(pi);
	p.root = cpu_to_le64(srq->root);
	status = model_srq_modify(srq->host->dev, &p);
	if (status)
		*srq = old;
	return status;
}

void wire_post_srq(struct wire_srq *srq, u64 wr_id,
		   const struct xrdma_sge *sges, u16 num)
{
	wire_put_recv(srq->ring, srq->log_depth, &srq->rec->pi, wr_id, sges,
		      num);
}
