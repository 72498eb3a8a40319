// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA fast-register regions: allocates their tables, fills them from the
 * consumer's page lists, and says what a work request needs to register them.
 * The work request itself is encoded in xrdma_wqe.c.
 *
 * A region has room for two page lists. A new list goes where the key entry
 * does not point, so a peer that has the old key, not invalidated yet, does not
 * see the new pages. Lists of up to 256 pages share one table: that of set 1
 * begins at entry 256. Longer lists have tables of their own.
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

/* Pages of which two lists fit one table. */
#define XRDMA_FRMR_HALF		(XRDMA_MTT_ENTRIES / 2)

/**
 * struct xrdma_frmr - fast-register region
 * @mr: the region. Its mtt owns all tables, and describes what was mapped last;
 *	a root of 0: nothing.
 * @max_pages: pages that a set has room for
 * @num_pages: of them mapped last
 * @stride: entries of level 1 from the beginning of set 0 to that of set 1
 * @set: of what was mapped last: 0 or 1
 * @tables: those of level 1, then, if a set has more than one, those of level 2,
 *	one a set; their private word holds the bus address
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

/* Tables of level 1, of both sets */
static u32 xrdma_frmr_num_leaves(u32 stride)
{
	return 2 * stride / XRDMA_MTT_ENTRIES;
}

static u32 xrdma_frmr_num_tables(u32 stride)
{
	return xrdma_frmr_num_leaves(stride) +
	       (stride > XRDMA_MTT_ENTRIES ? 2 : 0);
}

/* The first entry of a set: counted over all tables of level 1 */
static u32 xrdma_frmr_first(const struct xrdma_frmr *frmr, u8 set)
{
	return set * frmr->stride;
}

/* Where a translation of a set starts */
static u64 xrdma_frmr_top(const struct xrdma_frmr *frmr, u8 set, u8 level)
{
	u32 leaf = xrdma_frmr_first(frmr, set) / XRDMA_MTT_ENTRIES;

	if (level == 2)
		leaf = xrdma_frmr_num_leaves(frmr->stride) + set;
	return page_private(frmr->tables[leaf]);
}

/* The table of level 2 is written once: its tables never change. */
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
		frmr->tables[i] = xrdma_mtt_alloc_table(xdev, &frmr->mr.mtt);
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

/* Does a key entry lead to the tables of a set? */
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
 * The set that may be overwritten. The key entry tells which one may not: it is
 * what the device translates by, whatever became of the requests that were
 * built. No request is on its way that would change this to the other set: a
 * consumer maps a region again only when its last REG_MR has completed or has
 * been flushed, as devices which read the page list then require (mlx5). A
 * LOCAL_INV may be on its way. Sets take turns where the entry leads to
 * neither, since accesses that a LOCAL_INV ends may go on until it completes.
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
 * Is any byte mapped? Of a piece that is longer than the region, ib_sg_to_pages()
 * leaves out the last page that fits. If that was the only one, the length is 0
 * or wraps.
 */
static bool xrdma_frmr_is_mapped(const struct xrdma_frmr *frmr)
{
	const struct ib_mr *ibmr = &frmr->mr.ibmr;

	return ibmr->length &&
	       ibmr->length <= (u64)frmr->num_pages * ibmr->page_size;
}

/* What was written before, the device sees from now on. */
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

/* From the pages to what names them. One page is a translation of its own. */
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
 * @sg: pieces, mapped for DMA; only the first may begin, and only the last may
 *	end inside of a page
 * @sg_nents: of them
 * @sg_offset: bytes to skip in the first; gets those used of the next. NULL: 0
 *
 * The region is registered by a work request, not by this.
 *
 * Context: any.
 * Return: pieces mapped whole, maybe less than asked for, maybe 0, if @sg_offset
 * has come further in the first; or -EINVAL, -ENOMEM: not one byte fits. Then
 * nothing is mapped.
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
 * xrdma_frmr_grant() - what a work request says of a region
 * @ibmr: the region
 * @access: enum xrdma_access
 * @seg: filled in
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
