/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Scatter-gather lists: copies between packets and the local memory that a work
 * queue entry names. Every call checks each entry that it accesses, by
 * core/access.c.
 */
#ifndef MODEL_SGL_H
#define MODEL_SGL_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "xrdma_hw.h"

struct model_qp;
struct model_waiter;

/**
 * struct model_sgl - local memory of a work request
 * @sge: entries, as in the work queue entry
 * @waiter: part of the queue pair that waits if a translation misses; NULL:
 *	the access cannot wait
 * @num: number of entries in @sge
 * @opcode: enum xrdma_wqe_opcode, for fault records
 */
struct model_sgl {
	const struct xrdma_sge *sge;
	struct model_waiter *waiter;
	u16 num;
	u8 opcode;
};

u64 model_sgl_length(const struct model_sgl *sgl);
int model_sgl_check(struct model_qp *qp, const struct model_sgl *sgl,
		    u16 rights, bool *paged);
int model_sgl_probe(struct model_qp *qp, const struct model_sgl *sgl, u64 *off);
int model_sgl_gather(struct model_qp *qp, const struct model_sgl *sgl, u64 off,
		     void *buf, size_t len);
int model_sgl_scatter(struct model_qp *qp, const struct model_sgl *sgl,
		      u64 off, const void *buf, size_t len);

#endif /* MODEL_SGL_H */
