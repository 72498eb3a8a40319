// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA translation tables: builds a tree of tables from a list of contiguous
 * pieces of bus memory, by the rules of xrdma_xlat.h, and frees it. The callers
 * allocate or pin the memory, and pass the root of the tree to the device:
 * xrdma_mr.c, xrdma_dmabuf.c, xrdma_frmr.c, xrdma_buf.c and xrdma_ubuf.c.
 *
 * Each table is one page. The lru field of struct page links the tables of a
 * tree, and the private word holds the bus address, so that nothing but the
 * pages is allocated.
 */

#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/sched.h>
#include "xrdma_dev.h"
#include "xrdma_mtt.h"
#include "xrdma_xlat.h"

/* Number of list entries between two calls of cond_resched(). */
#define XRDMA_MTT_RESCHED	1024

/**
 * struct xrdma_mtt_builder - state of filling the tables of a translation
 * @xdev: the device
 * @mtt: the translation
 * @x: shape of the translation, from xrdma_xlat_finish()
 * @pos: position of the next byte
 * @table: by level: the table that was last used
 * @tag: by level: high bits of the positions that @table covers
 * @top_dma: bus address of the top table
 * @next_leaf: entry for the leaf at @pos, if @leaf_room is not 0
 * @leaf_room: number of unused entries from @next_leaf to the end of its table
 */
struct xrdma_mtt_builder {
	struct xrdma_dev *xdev;
	struct xrdma_mtt *mtt;
	struct xrdma_xlat x;
	u64 pos;
	__le64 *table[XRDMA_ROOT_MAX_LEVEL + 1];
	u64 tag[XRDMA_ROOT_MAX_LEVEL + 1];
	dma_addr_t top_dma;
	__le64 *next_leaf;
	u32 leaf_room;
};

/**
 * struct xrdma_pieces - iterator over the contiguous pieces of a scatterlist
 * @addr: bus address of the current piece
 * @len: length of the current piece in bytes, may be more than 32 bits can
 *	hold; 0: the list has ended
 * @sg: first scatterlist entry behind the current piece
 * @left: number of entries from @sg to the end of the list
 */
struct xrdma_pieces {
	u64 addr;
	u64 len;
	struct scatterlist *sg;
	unsigned int left;
};

/* sg_next(), inline: a call would take a fifth of the time per page. */
static __always_inline void xrdma_pieces_skip_entry(struct xrdma_pieces *p)
{
	if (--p->left % XRDMA_MTT_RESCHED == 0)
		cond_resched();
	if (!p->left)
		return;
	p->sg++;
	if (unlikely(sg_is_chain(p->sg)))
		p->sg = sg_chain_ptr(p->sg);
}

/*
 * Merge adjacent scatterlist entries to one piece. The length of an entry
 * cannot be relied on: layers below may limit it further than this device does.
 * Inline, since it is called for each page.
 */
static __always_inline void xrdma_pieces_next(struct xrdma_pieces *p)
{
	p->len = 0;
	if (!p->left)
		return;
	p->addr = sg_dma_address(p->sg);
	do {
		p->len += sg_dma_len(p->sg);
		xrdma_pieces_skip_entry(p);
	} while (p->left && sg_dma_address(p->sg) == p->addr + p->len);
}

static struct xrdma_pieces xrdma_pieces_of(struct sg_table *sgt)
{
	struct xrdma_pieces p = { .sg = sgt->sgl, .left = sgt->nents };

	xrdma_pieces_next(&p);
	return p;
}

/**
 * xrdma_mtt_init() - initialize an empty translation
 * @mtt: the translation
 */
void xrdma_mtt_init(struct xrdma_mtt *mtt)
{
	memset(mtt, 0, sizeof(*mtt));
	INIT_LIST_HEAD(&mtt->tables);
}

/**
 * xrdma_mtt_move() - move a translation to another structure
 * @to: destination; its contents are overwritten
 * @from: source; empty afterwards
 */
void xrdma_mtt_move(struct xrdma_mtt *to, struct xrdma_mtt *from)
{
	*to = *from;
	INIT_LIST_HEAD(&to->tables);
	list_splice_init(&from->tables, &to->tables);
	xrdma_mtt_init(from);
}

/**
 * xrdma_mtt_flags() - flags of the key entry of a region
 * @mtt: translation of the region. The region does not cover all bus addresses
 *	(xrdma_get_dma_mr())
 *
 * Return: XRDMA_MPT_DEVICE for device memory, which has no root; 0 for host
 * memory.
 */
u64 xrdma_mtt_flags(const struct xrdma_mtt *mtt)
{
	return mtt->root ? 0 : XRDMA_MPT_DEVICE;
}

/**
 * xrdma_mtt_free() - free the tables of a translation
 * @xdev: the device, which does not access the tables any more
 * @mtt: the translation; empty afterwards
 *
 * Context: may sleep.
 */
void xrdma_mtt_free(struct xrdma_dev *xdev, struct xrdma_mtt *mtt)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, &mtt->tables, lru) {
		dma_unmap_page(xrdma_to_dev(xdev), page_private(page),
			       XRDMA_MTT_TABLE_SIZE, DMA_TO_DEVICE);
		set_page_private(page, 0);
		__free_page(page);
		cond_resched();
	}
	xrdma_mtt_init(mtt);
}

/**
 * xrdma_mtt_alloc_table() - allocate a table of a translation
 * @xdev: the device
 * @mtt: the translation; xrdma_mtt_free() frees the table
 * @gfp: flags beside GFP_KERNEL_ACCOUNT
 *
 * Context: may sleep.
 * Return: a zeroed page with its bus address in its private word, or NULL.
 */
struct page *xrdma_mtt_alloc_table(struct xrdma_dev *xdev,
				   struct xrdma_mtt *mtt, gfp_t gfp)
{
	struct device *dev = xrdma_to_dev(xdev);
	struct page *page;
	dma_addr_t dma;

	page = alloc_pages_node(dev_to_node(dev),
				GFP_KERNEL_ACCOUNT | __GFP_ZERO | gfp, 0);
	if (!page)
		return NULL;
	dma = dma_map_page(dev, page, 0, XRDMA_MTT_TABLE_SIZE, DMA_TO_DEVICE);
	if (dma_mapping_error(dev, dma)) {
		__free_page(page);
		return NULL;
	}
	set_page_private(page, dma);
	list_add_tail(&page->lru, &mtt->tables);
	mtt->num_tables++;
	cond_resched();
	return page;
}

/* Add a table for @b->pos at @level, and the entry that points to it. */
static int xrdma_mtt_add_table(struct xrdma_mtt_builder *b, u8 level)
{
	struct page *page = xrdma_mtt_alloc_table(b->xdev, b->mtt, 0);
	u8 leaf = b->x.leaf_shift;
	u64 dma;

	if (!page)
		return -ENOMEM;
	dma = page_private(page);
	b->table[level] = page_address(page);
	if (level == b->x.level) {
		b->top_dma = dma;
		return 0;
	}
	b->tag[level] = b->pos >> xrdma_xlat_shift(leaf, level + 1);
	b->table[level + 1][xrdma_xlat_index(leaf, level + 1, b->pos)] =
		cpu_to_le64(xrdma_make_mtt_table(dma));
	return 0;
}

static bool xrdma_mtt_has_table(const struct xrdma_mtt_builder *b, u8 level)
{
	if (!b->table[level])
		return false;
	return level == b->x.level ||
	       b->tag[level] ==
		       b->pos >> xrdma_xlat_shift(b->x.leaf_shift, level + 1);
}

/* Find or add the table of @level for @b->pos. Return: NULL: out of memory. */
static __le64 *xrdma_mtt_table(struct xrdma_mtt_builder *b, u8 level)
{
	u8 at;

	if (likely(xrdma_mtt_has_table(b, level)))
		return b->table[level];
	for (at = b->x.level; at >= level; at--)
		if (!xrdma_mtt_has_table(b, at) && xrdma_mtt_add_table(b, at))
			return NULL;
	return b->table[level];
}

/*
 * Write entries for blocks of the size of @level, from @addr to the end of the
 * piece or of the table. No larger block can begin before the end of the table.
 * Return: the number of bytes of the piece that the blocks cover.
 */
static u64 xrdma_mtt_fill_run(struct xrdma_mtt_builder *b, __le64 *table,
			      u64 addr, u64 len, u8 level)
{
	u8 shift = xrdma_xlat_shift(b->x.leaf_shift, level);
	u32 index = xrdma_xlat_index(b->x.leaf_shift, level, b->pos);
	u64 inside = b->pos & ((1ULL << shift) - 1);
	u64 block = addr - inside;
	u64 num = (inside + len) >> shift;
	u32 end, i;

	/* the last leaf may extend beyond the end of the piece */
	if (level == 1 && ((inside + len) & ((1ULL << shift) - 1)))
		num++;
	end = min_t(u64, index + num, XRDMA_MTT_ENTRIES);
	for (i = index; i < end; i++) {
		table[i] = cpu_to_le64(xrdma_make_mtt_block(block));
		block += 1ULL << shift;
	}
	b->mtt->blocks[level] += end - index;
	b->next_leaf = &table[end];
	b->leaf_room = level == 1 ? XRDMA_MTT_ENTRIES - end : 0;
	return min(len, block - addr);
}

static int xrdma_mtt_fill_piece(struct xrdma_mtt_builder *b, u64 addr, u64 len)
{
	while (len) {
		u8 shift = xrdma_xlat_block(&b->x, b->pos, addr, len);
		u8 level = xrdma_xlat_level(b->x.leaf_shift, shift);
		__le64 *table = xrdma_mtt_table(b, level);
		u64 done;

		if (!table)
			return -ENOMEM;
		done = xrdma_mtt_fill_run(b, table, addr, len, level);
		b->pos += done;
		addr += done;
		len -= done;
	}
	return 0;
}

/*
 * Fast path for pieces of exactly one leaf, the most frequent ones: write their
 * entries to the current table of level 1. All pieces but the first begin at a
 * leaf boundary. Stop at a piece of another size, or when the table is full.
 */
static void xrdma_mtt_fill_leaves(struct xrdma_mtt_builder *b,
				  struct xrdma_pieces *p)
{
	u64 size = 1ULL << b->x.leaf_shift;
	__le64 *leaf = b->next_leaf;
	__le64 *end = leaf + b->leaf_room;
	u32 done;

	while (leaf < end && p->len == size) {
		*leaf++ = cpu_to_le64(xrdma_make_mtt_block(p->addr));
		xrdma_pieces_next(p);
	}
	done = leaf - b->next_leaf;
	b->next_leaf = leaf;
	b->leaf_room -= done;
	b->pos += done * size;
	b->mtt->blocks[1] += done;
}

static int xrdma_mtt_fill(struct xrdma_mtt_builder *b, struct sg_table *sgt)
{
	struct xrdma_pieces p = xrdma_pieces_of(sgt);
	int err;

	b->pos = b->x.start;
	while (p.len) {
		err = xrdma_mtt_fill_piece(b, p.addr, p.len);
		if (err)
			return err;
		xrdma_pieces_next(&p);
		xrdma_mtt_fill_leaves(b, &p);
	}
	return 0;
}

/* Make the CPU's writes to the tables visible to the device. */
static void xrdma_mtt_sync(struct xrdma_dev *xdev, struct xrdma_mtt *mtt)
{
	struct page *page;

	list_for_each_entry(page, &mtt->tables, lru)
		dma_sync_single_for_device(xrdma_to_dev(xdev),
					   page_private(page),
					   XRDMA_MTT_TABLE_SIZE, DMA_TO_DEVICE);
}

static void xrdma_mtt_survey(struct xrdma_xlat *shape, struct sg_table *sgt)
{
	struct xrdma_pieces p = xrdma_pieces_of(sgt);
	struct xrdma_xlat x = {};

	xrdma_xlat_begin_measure(&x);
	for (; p.len; xrdma_pieces_next(&p))
		xrdma_xlat_survey(&x, p.addr, p.len);
	*shape = x;
}

static void xrdma_mtt_measure(struct xrdma_xlat *x, struct sg_table *sgt)
{
	struct xrdma_pieces p = xrdma_pieces_of(sgt);

	xrdma_xlat_begin_measure(x);
	for (; p.len; xrdma_pieces_next(&p))
		xrdma_xlat_measure(x, p.addr, p.len);
}

/**
 * xrdma_mtt_build() - build the translation of a list of pieces
 * @xdev: the device
 * @mtt: the new translation; empty after a failure
 * @sgt: the pieces, mapped for DMA; an entry may hold a part of a piece.
 *	Addresses and lengths are multiples of 4 KiB, but for the last length
 * @first: offset of the region from the start of the first piece, in bytes
 * @length: length of the region in bytes, 1 or more
 * @queue: true: the memory holds a ring, whose first byte must be at position
 *	0;
 *	@first is 0
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or -EINVAL: the pieces are shorter than the region, or
 * the region is larger than a translation can be.
 */
int xrdma_mtt_build(struct xrdma_dev *xdev, struct xrdma_mtt *mtt,
		    struct sg_table *sgt, u64 first, u64 length, bool queue)
{
	struct xrdma_mtt_builder b = { .xdev = xdev, .mtt = mtt };
	u64 top;
	int err;

	xrdma_mtt_init(mtt);
	if (!queue)
		xrdma_mtt_survey(&b.x, sgt);
	if (queue || b.x.moved)
		xrdma_mtt_measure(&b.x, sgt);
	if (first >= b.x.total || length > b.x.total - first ||
	    (queue && first))
		return -EINVAL;
	xrdma_xlat_finish(&b.x);
	if (b.x.level > XRDMA_ROOT_MAX_LEVEL)
		return -EINVAL;

	mtt->offset = b.x.start + first;
	mtt->leaf_shift = b.x.leaf_shift;
	mtt->level = b.x.level;
	if (!mtt->level) {
		top = sg_dma_address(sgt->sgl) - b.x.start;
		mtt->blocks[0] = 1;
	} else {
		err = xrdma_mtt_fill(&b, sgt);
		if (err) {
			xrdma_mtt_free(xdev, mtt);
			return err;
		}
		xrdma_mtt_sync(xdev, mtt);
		top = b.top_dma;
	}
	mtt->root = xrdma_make_root(top, mtt->level, mtt->leaf_shift);
	return 0;
}
