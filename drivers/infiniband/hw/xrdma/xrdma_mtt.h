/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA translation tables: struct xrdma_mtt, and the functions of xrdma_mtt.c
 * that build and free tables. The arithmetic is in xrdma_xlat.h.
 */

#ifndef XRDMA_MTT_H
#define XRDMA_MTT_H

#include <linux/list.h>
#include "xrdma_hw.h"

struct page;
struct sg_table;
struct xrdma_dev;

/**
 * struct xrdma_mtt - translation of a list of pieces of bus memory
 * @root: translation root that key entries and commands contain
 * @offset: position of the first byte of the memory, in bytes
 * @tables: pages that hold tables, in order of allocation. The private word of
 *	a page holds its bus address
 * @num_tables: number of pages in @tables
 * @blocks: number of blocks, by the level of their table entries; [0] counts
 *	the block that the root itself contains
 * @leaf_shift: log2 of the bytes of a block at level 1 or 0
 * @level: number of levels of tables, 0 to XRDMA_ROOT_MAX_LEVEL
 */
struct xrdma_mtt {
	u64 root;
	u32 offset;
	struct list_head tables;
	u32 num_tables;
	u32 blocks[XRDMA_ROOT_MAX_LEVEL + 1];
	u8 leaf_shift;
	u8 level;
};

/* xrdma_mtt.c */
void xrdma_mtt_init(struct xrdma_mtt *mtt);
void xrdma_mtt_move(struct xrdma_mtt *to, struct xrdma_mtt *from);
u64 xrdma_mtt_flags(const struct xrdma_mtt *mtt);
struct page *xrdma_mtt_alloc_table(struct xrdma_dev *xdev,
				   struct xrdma_mtt *mtt, gfp_t gfp);
int xrdma_mtt_build(struct xrdma_dev *xdev, struct xrdma_mtt *mtt,
		    struct sg_table *sgt, u64 first, u64 length, bool queue);
void xrdma_mtt_free(struct xrdma_dev *xdev, struct xrdma_mtt *mtt);

#endif /* XRDMA_MTT_H */
