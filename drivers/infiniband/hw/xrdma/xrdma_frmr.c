// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA fast-register regions: allocates their translation tables, fills the
 * tables from the consumer's page lists, and writes the segment of the work
 * request REG_MR. The rest of the work request is encoded in xrdma_wqe.c.
 * Functions that all regions share, and deregistration, are in xrdma_mr.c and
 * xrdma_mr_verbs.c.
 *
 * A region has tables for two page lists, set 0 and set 1. The driver writes a
 * new list to the set that the key entry does not use. So a peer that still
 * uses the old key, before its invalidation, cannot access the new pages. Lists
 * of up to 256 pages share one table, in which set 1 begins at entry 256.
 * Longer lists have separate tables.
 */

#include <linux/bitfield.h>
#include <linux/dma-mapping.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include "xrdma_encode.h"
#include "xrdma_frmr.h"
#include "xrdma_ibdev.h"
#include "xrdma_key.h"
#include "xrdma_mr.h"
#include "xrdma_mtt.h"
#include "xrdma_pd.h"
#include "xrdma_xlat.h"

/* Pages of the longest list of which two fit one table. */
#define XRDMA_FRMR_HALF		(XRDMA_MTT_ENTRIES / 2)

/**
 * struct xrdma_frmr - fast-register region
 * @mr: the region. Its mtt owns all tables, and describes the list that was
 *	mapped last; a root of 0: no list is mapped
 * @max_pages: largest number of pages of a list
 * @num_pages: number of pages of the list that was mapped last
 * @stride: number of entries of level 1 from the first of set 0 to that of set
 *	1
 * @set: set of the list that was mapped last: 0 or 1
 * @tables: tables of level 1; if a set has more than one, then one table of
 *	level 2 for each set. The private word of a page holds its bus address
 */
struct xrdma_frmr {
	struct xrdma_mr mr;
	u32 max_pages;
	u32 num_pages;
	u32 stride;
	u8 set;
	struct page *tables[];
};

static struct xrdma_frmr *to_xfrmr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct xrdma_frmr, mr.ibmr);
}

/* ---- tables ------------------------------------------------------------ */

static u32 xrdma_frmr_stride(u32 max_pages)
{
	return max_pages <= XRDMA_FRMR_HALF ?
		XRDMA_FRMR_HALF : round_up(max_pages, XRDMA_MTT_ENTRIES);
}

/* Return the number of tables of level 1 of both sets. */
static u32 xrdma_frmr_num_leaves(u32 stride)
{
	return 2 * stride / XRDMA_MTT_ENTRIES;
}

static u32 xrdma_frmr_num_tables(u32 stride)
{
	return xrdma_frmr_num_leaves(stride) +
	       (stride > XRDMA_MTT_ENTRIES ? 2 : 0);
}

/* Return the number of the first entry of a set, over all tables of level 1. */
static u32 xrdma_frmr_first(const struct xrdma_frmr *frmr, u8 set)
{
	return set * frmr->stride;
}

/* Return the bus address of the top table of a set, at @level. */
static u64 xrdma_frmr_top(const struct xrdma_frmr *frmr, u8 set, u8 level)
{
	u32 leaf = xrdma_frmr_first(frmr, set) / XRDMA_MTT_ENTRIES;

	if (level == 2)
		leaf = xrdma_frmr_num_leaves(frmr->stride) + set;
	return page_private(frmr->tables[leaf]);
}

/* Fill the table of level 2, whose entries never change. */
static void xrdma_frmr_link_tables(struct xrdma_dev *xdev,
				   struct xrdma_frmr *frmr, u8 set)
{
	u32 num = frmr->stride / XRDMA_MTT_ENTRIES;
	struct page **leaves = &frmr->tables[set * num];
	struct page *top = frmr->tables[2 * num + set];
	__le64 *entries = page_address(top);
	u32 i;

	for (i = 0; i < num; i++)
		entries[i] = cpu_to_le64(xrdma_make_mtt_table(page_private(leaves[i])));
	dma_sync_single_for_device(xrdma_to_dev(xdev), page_private(top),
				   XRDMA_MTT_TABLE_SIZE, DMA_TO_DEVICE);
}

static int xrdma_frmr_alloc_tables(struct xrdma_dev *xdev,
				   struct xrdma_frmr *frmr)
{
	u32 i;

	for (i = 0; i < xrdma_frmr_num_tables(frmr->stride); i++) {
		frmr->tables[i] = xrdma_mtt_alloc_table(xdev, &frmr->mr.mtt, 0);
		if (!frmr->tables[i])
			return -ENOMEM;
	}
	if (frmr->stride > XRDMA_MTT_ENTRIES) {
		xrdma_frmr_link_tables(xdev, frmr, 0);
		xrdma_frmr_link_tables(xdev, frmr, 1);
	}
	return 0;
}

static struct xrdma_frmr *xrdma_frmr_alloc(struct xrdma_dev *xdev,
					   u32 max_pages)
{
	u32 stride = xrdma_frmr_stride(max_pages);
	struct xrdma_frmr *frmr;

	frmr = kzalloc(struct_size(frmr, tables, xrdma_frmr_num_tables(stride)),
		       GFP_KERNEL);
	if (!frmr)
		return NULL;
	xrdma_mtt_init(&frmr->mr.mtt);
	frmr->max_pages = max_pages;
	frmr->stride = stride;
	if (!xrdma_frmr_alloc_tables(xdev, frmr))
		return frmr;
	xrdma_mtt_free(xdev, &frmr->mr.mtt);
	kfree(frmr);
	return NULL;
}

/* ---- mapping ----------------------------------------------------------- */

/* Does the root in a key entry belong to a set? */
static bool xrdma_frmr_uses(const struct xrdma_frmr *frmr,
			    const struct xrdma_mpt_entry *entry, u8 set)
{
	u64 root = le64_to_cpu(entry->root);
	u8 level = FIELD_GET(XRDMA_ROOT_LEVEL, root);
	u32 at = le32_to_cpu(entry->offset) >>
		 FIELD_GET(XRDMA_ROOT_LEAF_SHIFT, root);

	return level &&
	       (root & XRDMA_ROOT_ADDR) == xrdma_frmr_top(frmr, set, level) &&
	       at == xrdma_frmr_first(frmr, set) % XRDMA_MTT_ENTRIES;
}

/*
 * Choose the set for the next list: the one that the key entry does not use.
 * The entry shows which set the device uses, even if requests were flushed. No
 * REG_MR can be in progress: like other drivers (mlx5), this one requires that
 * the last REG_MR has completed or been flushed before a region is mapped
 * again. A LOCAL_INV may be in progress, and accesses under the key may
 * continue until it completes. So if the entry uses neither set, the sets
 * alternate.
 */
static u8 xrdma_frmr_next_set(struct xrdma_ibdev *xib,
			      const struct xrdma_frmr *frmr)
{
	struct xrdma_mpt_entry entry;
	u8 set = !frmr->set;

	xrdma_key_read(xib->keys, frmr->mr.key_index, &entry);
	return xrdma_frmr_uses(frmr, &entry, set) ? !set : set;
}

static int xrdma_frmr_set_page(struct ib_mr *ibmr, u64 addr)
{
	struct xrdma_frmr *frmr = to_xfrmr(ibmr);
	u32 at = xrdma_frmr_first(frmr, frmr->set) + frmr->num_pages;
	__le64 *table;

	if (frmr->num_pages == frmr->max_pages)
		return -ENOMEM;
	table = page_address(frmr->tables[at / XRDMA_MTT_ENTRIES]);
	table[at % XRDMA_MTT_ENTRIES] = cpu_to_le64(xrdma_make_mtt_block(addr));
	frmr->num_pages++;
	return 0;
}

/*
 * Is at least one byte mapped? If a piece is longer than the region,
 * ib_sg_to_pages() leaves out the last page that fits. If no other page is
 * mapped, the length that it sets is 0 or has wrapped.
 */
static bool xrdma_frmr_is_mapped(const struct xrdma_frmr *frmr)
{
	const struct ib_mr *ibmr = &frmr->mr.ibmr;

	return ibmr->length &&
	       ibmr->length <= (u64)frmr->num_pages * ibmr->page_size;
}

/* Make the CPU's writes to the tables visible to the device. */
static void xrdma_frmr_sync(struct xrdma_dev *xdev, struct xrdma_frmr *frmr)
{
	u32 first = xrdma_frmr_first(frmr, frmr->set) / XRDMA_MTT_ENTRIES;
	u32 num = DIV_ROUND_UP(frmr->num_pages, XRDMA_MTT_ENTRIES);
	u32 i;

	for (i = first; i < first + num; i++)
		dma_sync_single_for_device(xrdma_to_dev(xdev),
					   page_private(frmr->tables[i]),
					   XRDMA_MTT_TABLE_SIZE, DMA_TO_DEVICE);
}

/*
 * Set root and offset for the list that was mapped. The root of a list of one
 * page contains the address of the page, without a table.
 */
static void xrdma_frmr_finish(struct xrdma_frmr *frmr)
{
	u32 first = xrdma_frmr_first(frmr, frmr->set) % XRDMA_MTT_ENTRIES;
	struct ib_mr *ibmr = &frmr->mr.ibmr;
	struct xrdma_mtt *mtt = &frmr->mr.mtt;
	u32 num = frmr->num_pages;
	u64 top;

	mtt->leaf_shift = ilog2(ibmr->page_size);
	mtt->level = num == 1 ? 0 : num <= XRDMA_MTT_ENTRIES ? 1 : 2;
	mtt->offset = ibmr->iova & (ibmr->page_size - 1);
	memset(mtt->blocks, 0, sizeof(mtt->blocks));
	mtt->blocks[num > 1] = num;
	if (mtt->level) {
		mtt->offset += first << mtt->leaf_shift;
		top = xrdma_frmr_top(frmr, frmr->set, mtt->level);
	} else {
		top = round_down(ibmr->iova, ibmr->page_size);
	}
	mtt->root = xrdma_make_root(top, mtt->level, mtt->leaf_shift);
}

/**
 * xrdma_map_mr_sg() - ib_device_ops.map_mr_sg
 * @ibmr: region of xrdma_alloc_mr(); its page size is a power of two, 4 KiB to
 *	8 MiB
 * @sg: list of pieces, mapped for DMA. Only the first piece may begin, and only
 *	the last piece may end inside of a page
 * @sg_nents: number of entries in @sg
 * @sg_offset: input: bytes to skip in the first piece; output: bytes that were
 *	mapped of the piece that did not fit. NULL: 0
 *
 * The consumer registers the region by a work request afterwards.
 *
 * Context: any.
 * Return: the number of pieces that were mapped completely, 0 to @sg_nents; or
 * -EINVAL or -ENOMEM: no byte was mapped.
 */
int xrdma_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents,
		    unsigned int *sg_offset)
{
	struct xrdma_ibdev *xib = to_xibdev(ibmr->device);
	struct xrdma_frmr *frmr = to_xfrmr(ibmr);
	int num;

	frmr->mr.mtt.root = 0;
	if (!is_power_of_2(ibmr->page_size) ||
	    ilog2(ibmr->page_size) < XRDMA_LEAF_SHIFT_MIN ||
	    ilog2(ibmr->page_size) > XRDMA_FRMR_SHIFT_MAX)
		return -EINVAL;
	frmr->num_pages = 0;
	frmr->set = xrdma_frmr_next_set(xib, frmr);
	num = ib_sg_to_pages(ibmr, sg, sg_nents, sg_offset,
			     xrdma_frmr_set_page);
	if (num < 0)
		return num;
	if (!xrdma_frmr_is_mapped(frmr))
		return -EINVAL;
	xrdma_frmr_sync(&xib->hw, frmr);
	xrdma_frmr_finish(frmr);
	return num;
}

/**
 * xrdma_frmr_make_seg() - write the segment of REG_MR that describes a
 *	region
 * @ibmr: the region
 * @access: enum xrdma_access: rights that the key will have
 * @seg: output: the segment
 *
 * Context: any. The consumer does not call xrdma_map_mr_sg() at the same time.
 * Return: 0; or -EINVAL: the region is not one of xrdma_alloc_mr(), or no list
 * is mapped.
 */
int xrdma_frmr_make_seg(struct ib_mr *ibmr, u16 access,
			struct xrdma_reg_seg *seg)
{
	struct xrdma_frmr *frmr;

	if (ibmr->type != IB_MR_TYPE_MEM_REG)
		return -EINVAL;
	frmr = to_xfrmr(ibmr);
	if (!frmr->mr.mtt.root)
		return -EINVAL;

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

/* ---- verbs ------------------------------------------------------------- */

/**
 * xrdma_alloc_mr() - ib_device_ops.alloc_mr
 * @ibpd: protection domain
 * @type: IB_MR_TYPE_MEM_REG
 * @max_num_sg: largest number of pages of the region, 1 to XRDMA_FRMR_MAX_PAGES
 *
 * xrdma_dereg_mr() frees the region.
 *
 * Context: may sleep.
 * Return: the region, with a key entry in state FREE; or an ERR_PTR():
 * -EOPNOTSUPP: another @type, or the device has no fast registration; -EINVAL:
 * @max_num_sg is out of range; -EIO: the device is dead; -ENOSPC: no key is
 * free; -ENOMEM; -EINTR: the calling process has been killed.
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
