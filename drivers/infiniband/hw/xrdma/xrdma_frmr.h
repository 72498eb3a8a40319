/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA fast-register regions: limits, and functions of xrdma_frmr.c. Functions
 * of regions of all kinds are in xrdma_mr.h.
 */

#ifndef XRDMA_FRMR_H
#define XRDMA_FRMR_H

#include <rdma/ib_verbs.h>

struct scatterlist;
struct xrdma_reg_seg;

/* Pages of the largest fast-register region. */
#define XRDMA_FRMR_MAX_PAGES	4096

/*
 * log2 of the largest page of a fast-register region. The offset in a key entry
 * has 32 bits, and a page list may begin at entry 256 of a table.
 */
#define XRDMA_FRMR_SHIFT_MAX	23

/* xrdma_frmr.c */
struct ib_mr *xrdma_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type,
			     u32 max_num_sg);
int xrdma_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents,
		    unsigned int *sg_offset);
int xrdma_frmr_make_seg(struct ib_mr *ibmr, u16 access,
			struct xrdma_reg_seg *seg);

#endif /* XRDMA_FRMR_H */
