/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Fixture of the tests of translations: a device of which only DMA works, the
 * translation of a layout, and its check by the reference walker (xlat_walk.h).
 * The layouts are chosen by mtt_kunit.c and mtt_cut_kunit.c; buf_kunit.c uses
 * only the device.
 */

#ifndef XRDMA_MTT_SCENE_H
#define XRDMA_MTT_SCENE_H

#include <kunit/test.h>
#include <linux/dma-mapping.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include "xrdma_dev.h"
#include "xrdma_mtt.h"
#include "xrdma_xlat.h"
#include "xlat_walk.h"

#define MTT_LOOKUPS		8
#define MTT_PIECES		32768
/* Bytes of the longest scatterlist entry, whose length field has 32 bits */
#define MTT_ENTRY_MAX		(SZ_4G - SZ_4K)

/**
 * struct mtt_test - device, layout and translations of a test
 * @pdev: PCI function of which only DMA works
 * @xdev: device layer of @pdev
 * @mtt: translation that was built last
 * @other: another translation, to compare with @mtt
 * @l: layout
 * @sgt: scatterlist that xrdma_mtt_build() gets
 */
struct mtt_test {
	struct pci_dev pdev;
	struct xrdma_dev xdev;
	struct xrdma_mtt mtt;
	struct xrdma_mtt other;
	struct layout l;
	struct sg_table sgt;
};

static inline void mtt_test_release(struct device *dev)
{
}

static inline int mtt_test_init(struct kunit *test)
{
	struct mtt_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	device_initialize(&t->pdev.dev);
	t->pdev.dev.release = mtt_test_release;
	t->pdev.dev.dma_mask = &t->pdev.dma_mask;
	KUNIT_ASSERT_EQ(test, 0, dma_set_mask_and_coherent(&t->pdev.dev,
							   DMA_BIT_MASK(64)));
	t->xdev.pdev = &t->pdev;
	t->l.max = MTT_PIECES;
	t->l.pieces = kunit_kcalloc(test, MTT_PIECES, sizeof(*t->l.pieces),
				    GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->l.pieces);
	xrdma_mtt_init(&t->mtt);
	xrdma_mtt_init(&t->other);
	test->priv = t;
	return 0;
}

static inline void mtt_test_exit(struct kunit *test)
{
	struct mtt_test *t = test->priv;

	xrdma_mtt_free(&t->xdev, &t->mtt);
	xrdma_mtt_free(&t->xdev, &t->other);
	put_device(&t->pdev.dev);
}

/* Make t->sgt of entries of up to @cut bytes, which is a multiple of 4 KiB. */
static inline int build_sgt(struct mtt_test *t, u64 cut)
{
	const struct layout_piece *p = t->l.pieces;
	const struct layout_piece *end = p + t->l.num;
	struct scatterlist *sg;
	u32 num = 0;
	u64 at;
	int err;

	for (; p < end; p++)
		num += div64_u64(p->len + cut - 1, cut);
	err = sg_alloc_table(&t->sgt, num, GFP_KERNEL);
	if (err)
		return err;
	sg = t->sgt.sgl;
	for (p = t->l.pieces; p < end; p++) {
		for (at = 0; at < p->len; at += cut, sg = sg_next(sg)) {
			sg_dma_address(sg) = p->addr + at;
			sg_dma_len(sg) = min(p->len - at, cut);
		}
	}
	return 0;
}

static inline int build_cut(struct mtt_test *t, u64 cut)
{
	int err = build_sgt(t, cut);

	if (err)
		return err;
	err = xrdma_mtt_build(&t->xdev, &t->mtt, &t->sgt, t->l.first,
			      t->l.length, t->l.queue);
	sg_free_table(&t->sgt);
	return err;
}

static inline int build_layout(struct mtt_test *t)
{
	return build_cut(t, MTT_ENTRY_MAX);
}

static inline const char *check_counts(const struct walk *w,
				       const struct xrdma_mtt *mtt)
{
	u32 n;

	if (mtt->leaf_shift != w->leaf || mtt->level != w->level)
		return "leaf size or level differ from the root's";
	if (mtt->num_tables != w->tables)
		return "the number of tables is wrong";
	for (n = 0; n < ARRAY_SIZE(w->blocks); n++)
		if (mtt->blocks[n] != w->blocks[n])
			return "the number of blocks of a size is wrong";
	return NULL;
}

/*
 * Look up positions as the device does: random ones in the first piece, below
 * and above the layout; the last byte; the first one behind the last leaf
 * block; and the first one that the root does not cover.
 */
static inline const char *check_lookups(struct walk *w, struct layout *l)
{
	u64 leaf = 1ULL << w->leaf;
	u64 below = w->start & ~(leaf - 1);
	u64 above = (w->end + leaf - 1) & ~(leaf - 1);
	u64 top = w->leaf + 9 * w->level;
	u32 i;

	for (i = 0; i < MTT_LOOKUPS; i++) {
		u64 at = layout_random(l, l->pieces[0].len);
		u64 far = above + layout_random(l, 1ULL << 40);

		if (walk_lookup(w, w->start + at) != l->pieces[0].addr + at)
			return "lookup of a byte fails";
		if (walk_lookup(w, far) != WALK_NOWHERE)
			return "a position above the region is mapped";
		if (below && walk_lookup(w, layout_random(l, below)) !=
		    WALK_NOWHERE)
			return "a position below the region is mapped";
	}
	if (walk_lookup(w, w->end - 1) != layout_end(l) - 1)
		return "lookup of the last byte fails";
	if (walk_lookup(w, above) != WALK_NOWHERE ||
	    (top < 64 && walk_lookup(w, 1ULL << top) != WALK_NOWHERE))
		return "the position behind the region is mapped";
	return NULL;
}

/*
 * If no block is larger than a leaf block, the leaf block must be the largest
 * one that suits all pieces.
 */
static inline const char *check_leaf(const struct walk *w)
{
	u32 large = w->blocks[2] + w->blocks[3] + w->blocks[4];
	u64 mask = w->l->pieces[0].addr ^ w->start;
	u64 pos = w->start;
	u32 i;

	if (large || !w->level)
		return NULL;
	for (i = 0; i < w->l->num; i++) {
		mask |= w->l->pieces[i].addr ^ pos;
		mask |= i ? pos : 0;
		pos += w->l->pieces[i].len;
	}
	if (w->leaf < 30 && !(mask & ((2ULL << w->leaf) - 1)))
		return "a larger leaf would do";
	return NULL;
}

static inline const char *check_layout(struct mtt_test *t)
{
	struct walk w = { .dev = &t->pdev.dev, .l = &t->l };
	const char *why;

	w.root = t->mtt.root;
	if (t->mtt.offset < t->l.first)
		return "the region begins before its first piece";
	if (t->l.queue && t->mtt.offset)
		return "a queue does not begin at position 0";
	why = walk_all(&w, t->mtt.offset - t->l.first);
	if (!why)
		why = check_counts(&w, &t->mtt);
	if (!why)
		why = check_lookups(&w, &t->l);
	if (!why)
		why = check_leaf(&w);
	return why;
}

static inline u32 all_blocks(const struct xrdma_mtt *mtt)
{
	u32 sum = 0, n;

	for (n = 0; n < ARRAY_SIZE(mtt->blocks); n++)
		sum += mtt->blocks[n];
	return sum;
}

#endif /* XRDMA_MTT_SCENE_H */
