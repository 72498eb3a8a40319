/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Scatter-gather lists: copying between packets and the local memory that a
 * work queue entry names. Every call checks each entry it touches.
 */
#ifndef XRDMA_MODEL_SGL_H
#define XRDMA_MODEL_SGL_H

#include <linux/types.h>
#include <stddef.h>

#include "xrdma_hw.h"

struct xrdma_qp;

/**
 * struct xrdma_sgl - local memory of a work request
 * @sge: entries, as in the work queue entry
 * @num: how many
 * @opcode: enum xrdma_wqe_opcode, for fault records
 */
struct xrdma_sgl {
	const struct xrdma_sge *sge;
	u16 num;
	u8 opcode;
};

u64 xrdma_sgl_length(const struct xrdma_sgl *sgl);
int xrdma_sgl_check(struct xrdma_qp *qp, const struct xrdma_sgl *sgl,
		    u16 rights);
int xrdma_sgl_gather(struct xrdma_qp *qp, const struct xrdma_sgl *sgl, u64 off,
		     void *buf, size_t len);
int xrdma_sgl_scatter(struct xrdma_qp *qp, const struct xrdma_sgl *sgl,
		      u64 off, const void *buf, size_t len);

#endif /* XRDMA_MODEL_SGL_H */
