/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA translation tables: from a list of pieces of bus memory to what key
 * entries and commands name. xrdma_mtt.c builds and frees them, xrdma_xlat.h has
 * the arithmetic.
 */

#ifndef XRDMA_MTT_H
#define XRDMA_MTT_H

#include <linux/list.h>
#include "xrdma_hw.h"

struct page;
struct sg_table;
struct xrdma_dev;

/**
 * struct xrdma_mtt - a translation that has been built
 * @root: for key entries and commands
 * @offset: position of the first byte
 * @tables: pages of tables, in order of allocation; their private word holds
 *	the bus address
 * @num_tables: of them
 * @blocks: blocks by level of their entry; [0] is the block of the root
 * @leaf_shift: log2 of a block at level 1 (and 0)
 * @level: levels of tables
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
				   struct xrdma_mtt *mtt);
int xrdma_mtt_build(struct xrdma_dev *xdev, struct xrdma_mtt *mtt,
		    struct sg_table *sgt, u64 first, u64 length, bool queue);
void xrdma_mtt_free(struct xrdma_dev *xdev, struct xrdma_mtt *mtt);

#endif /* XRDMA_MTT_H */
