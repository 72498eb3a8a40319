// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA fast-register regions: their tables, filled by the consumer's page
 * lists, and what a work request needs to register them. Must not know queues:
 * registration itself is between xrdma_post.c and the device.
 *
 * A region has two sets of tables, both made in advance. A new page list goes
 * into the set that the last registration did not use: so a peer that still
 * has the old key, not invalidated yet, does not see the new pages.
 */

#include <linux/dma-mapping.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include "xrdma_verbs.h"

/**
 * struct xrdma_frmr - fast-register region
 * @mr: the region. Its mtt owns all tables, and describes what was mapped last;
 *	a root of 0: nothing.
 * @max_pages: pages that a set has room for
 * @num_pages: of them mapped last
 * @num_tables: tables of a set: those of level 1, then, if these are more than
 *	one, the one of level 2 that leads to them
 * @set: of what was mapped last: 0 or 1
 * @posted: of what was registered last
 * @tables: of both sets; their private word holds the bus address
 */
struct xrdma_frmr {
	struct xrdma_mr mr;
	u32 max_pages;
	u32 num_pages;
	u32 num_tables;
	u8 set;
	u8 posted;
	struct page *tables[];
};

static struct xrdma_frmr *to_xfrmr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct xrdma_frmr, mr.ibmr);
}

/* ---- tables ------------------------------------------------------------ */

static struct page **xrdma_frmr_tables(struct xrdma_frmr *frmr)
{
	return &frmr->tables[frmr->set * frmr->num_tables];
}

/* The table of level 2 is written once: its tables never change. */
static void xrdma_frmr_link_tables(struct xrdma_dev *xdev, struct page **tables,
				   u32 num_leaves)
{
	struct page *top = tables[num_leaves];
	__le64 *entries = page_address(top);
	u32 i;

	for (i = 0; i < num_leaves; i++)
		entries[i] = cpu_to_le64(xrdma_make_mtt_table(page_private(tables[i])));
	dma_sync_single_for_device(xrdma_to_dev(xdev), page_private(top),
				   XRDMA_MTT_TABLE_SIZE, DMA_TO_DEVICE);
}

static int xrdma_frmr_alloc_tables(struct xrdma_dev *xdev,
				   struct xrdma_frmr *frmr)
{
	u32 i;

	for (i = 0; i < 2 * frmr->num_tables; i++) {
		frmr->tables[i] = xrdma_mtt_alloc_table(xdev, &frmr->mr.mtt);
		if (!frmr->tables[i])
			return -ENOMEM;
	}
	if (frmr->num_tables == 1)
		return 0;
	for (i = 0; i < 2 * frmr->num_tables; i += frmr->num_tables)
		xrdma_frmr_link_tables(xdev, &frmr->tables[i],
				       frmr->num_tables - 1);
	return 0;
}

static struct xrdma_frmr *xrdma_frmr_alloc(struct xrdma_dev *xdev,
					   u32 max_pages)
{
	u32 num_leaves = DIV_ROUND_UP(max_pages, XRDMA_MTT_ENTRIES);
	u32 num_tables = num_leaves + (num_leaves > 1);
	struct xrdma_frmr *frmr;

	frmr = kzalloc(struct_size(frmr, tables, 2 * num_tables), GFP_KERNEL);
	if (!frmr)
		return NULL;
	xrdma_mtt_init(&frmr->mr.mtt);
	frmr->max_pages = max_pages;
	frmr->num_tables = num_tables;
	/* what is mapped first goes into set 0 */
	frmr->posted = 1;
	if (!xrdma_frmr_alloc_tables(xdev, frmr))
		return frmr;
	xrdma_mtt_free(xdev, &frmr->mr.mtt);
	kfree(frmr);
	return NULL;
}

/* ---- mapping ----------------------------------------------------------- */

static int xrdma_frmr_set_page(struct ib_mr *ibmr, u64 addr)
{
	struct xrdma_frmr *frmr = to_xfrmr(ibmr);
	u32 n = frmr->num_pages;
	__le64 *table;

	if (n == frmr->max_pages)
		return -ENOMEM;
	table = page_address(xrdma_frmr_tables(frmr)[n / XRDMA_MTT_ENTRIES]);
	table[n % XRDMA_MTT_ENTRIES] = cpu_to_le64(xrdma_make_mtt_block(addr));
	frmr->num_pages++;
	return 0;
}

/* What was written before, the device sees from now on. */
static void xrdma_frmr_sync(struct xrdma_dev *xdev, struct xrdma_frmr *frmr)
{
	struct page **tables = xrdma_frmr_tables(frmr);
	u32 i;

	for (i = 0; i < frmr->num_pages; i += XRDMA_MTT_ENTRIES)
		dma_sync_single_for_device(xrdma_to_dev(xdev),
					   page_private(tables[i / XRDMA_MTT_ENTRIES]),
					   XRDMA_MTT_TABLE_SIZE, DMA_TO_DEVICE);
}

/* From the pages to what names them: position 0 is where the first begins. */
static void xrdma_frmr_finish(struct xrdma_frmr *frmr)
{
	struct xrdma_mtt *mtt = &frmr->mr.mtt;
	struct page **tables = xrdma_frmr_tables(frmr);
	u32 num = frmr->num_pages;
	u64 top;

	mtt->leaf_shift = ilog2(frmr->mr.ibmr.page_size);
	mtt->level = num == 1 ? 0 : num <= XRDMA_MTT_ENTRIES ? 1 : 2;
	mtt->offset = frmr->mr.ibmr.iova & (frmr->mr.ibmr.page_size - 1);
	memset(mtt->blocks, 0, sizeof(mtt->blocks));
	mtt->blocks[num > 1] = num;
	switch (mtt->level) {
	case 0:
		top = le64_to_cpu(*(__le64 *)page_address(tables[0])) &
		      XRDMA_MTT_ADDR;
		break;
	case 1:
		top = page_private(tables[0]);
		break;
	default:
		top = page_private(tables[frmr->num_tables - 1]);
	}
	mtt->root = xrdma_make_root(top, mtt->level, mtt->leaf_shift);
}

/**
 * xrdma_map_mr_sg() - ib_device_ops.map_mr_sg
 * @ibmr: region of xrdma_alloc_mr(); its page size is a power of two, 4 KiB to
 *	1 GiB
 * @sg: pieces, mapped for DMA; only the first may begin, and only the last may
 *	end inside of a page
 * @sg_nents: of them
 * @sg_offset: bytes to skip in the first; gets those used of the next. NULL: 0
 *
 * The region is registered by a work request, not by this.
 *
 * Context: any.
 * Return: pieces mapped, maybe less than asked for; or -EINVAL, -ENOMEM: not
 * one fits. Then nothing is mapped.
 */
int xrdma_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents,
		    unsigned int *sg_offset)
{
	struct xrdma_dev *xdev = &to_xibdev(ibmr->device)->hw;
	struct xrdma_frmr *frmr = to_xfrmr(ibmr);
	int num;

	frmr->mr.mtt.root = 0;
	if (!is_power_of_2(ibmr->page_size) ||
	    ilog2(ibmr->page_size) < XRDMA_LEAF_SHIFT_MIN ||
	    ilog2(ibmr->page_size) > XRDMA_LEAF_SHIFT_MAX)
		return -EINVAL;
	frmr->num_pages = 0;
	frmr->set = !frmr->posted;
	num = ib_sg_to_pages(ibmr, sg, sg_nents, sg_offset,
			     xrdma_frmr_set_page);
	if (num > 0) {
		xrdma_frmr_sync(xdev, frmr);
		xrdma_frmr_finish(frmr);
	}
	return num;
}

/**
 * xrdma_frmr_grant() - what a work request says of a region
 * @ibmr: the region
 * @access: enum xrdma_access
 * @seg: filled in
 *
 * The tables mapped last stay as they are until others have been registered.
 *
 * Context: any; the consumer does not map at the same time.
 * Return: 0, or -EINVAL: not of xrdma_alloc_mr(), or nothing is mapped.
 */
int xrdma_frmr_grant(struct ib_mr *ibmr, u16 access, struct xrdma_reg_seg *seg)
{
	struct xrdma_frmr *frmr;

	if (ibmr->type != IB_MR_TYPE_MEM_REG)
		return -EINVAL;
	frmr = to_xfrmr(ibmr);
	if (!frmr->mr.mtt.root)
		return -EINVAL;

	frmr->posted = frmr->set;
	frmr->mr.access = access;
	*seg = (struct xrdma_reg_seg) {
		.iova = cpu_to_le64(ibmr->iova),
		.length = cpu_to_le64(ibmr->length),
		.root = cpu_to_le64(frmr->mr.mtt.root),
		.offset = cpu_to_le32(frmr->mr.mtt.offset),
		.access = cpu_to_le32(access),
	};
	return 0;
}

/* ---- life -------------------------------------------------------------- */

/**
 * xrdma_alloc_mr() - ib_device_ops.alloc_mr
 * @ibpd: protection domain
 * @type: IB_MR_TYPE_MEM_REG
 * @max_num_sg: pages that the region shall hold, 1 to XRDMA_FRMR_MAX_PAGES
 *
 * xrdma_dereg_mr() ends it.
 *
 * Context: may sleep.
 * Return: the region, free, or an ERR_PTR(): -EOPNOTSUPP: not of that type;
 * -EINVAL; -EIO: the device is dead; -ENOSPC: no key is left; -ENOMEM.
 */
struct ib_mr *xrdma_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type,
			     u32 max_num_sg)
{
	struct xrdma_ibdev *xib = to_xibdev(ibpd->device);
	struct xrdma_frmr *frmr;
	struct xrdma_mr *mr;
	int err;

	if (type != IB_MR_TYPE_MEM_REG ||
	    !(xib->hw.caps.flags & XRDMA_CAP_FAST_REG))
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_num_sg || max_num_sg > XRDMA_FRMR_MAX_PAGES)
		return ERR_PTR(-EINVAL);
	if (xrdma_dead(&xib->hw))
		return ERR_PTR(-EIO);
	frmr = xrdma_frmr_alloc(&xib->hw, max_num_sg);
	if (!frmr)
		return ERR_PTR(-ENOMEM);
	mr = &frmr->mr;
	err = xrdma_key_alloc_free(xib->keys, XRDMA_MPT_FAST_REG,
				   to_xpd(ibpd)->pdn, &mr->ibmr.lkey);
	if (err) {
		xrdma_mtt_free(&xib->hw, &mr->mtt);
		kfree(frmr);
		return ERR_PTR(err);
	}
	mr->ibmr.rkey = mr->ibmr.lkey;
	mr->key_index = xrdma_key_index(mr->ibmr.lkey);
	return &mr->ibmr;
}
