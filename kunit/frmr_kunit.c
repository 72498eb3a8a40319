// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of fast-register regions (xrdma_frmr.c): the reference walker
 * (xlat_walk.h) reads the tables for random page lists of each page size; the
 * number of tables; the segment of REG_MR. There is no device: the tests write
 * the key entry that a device writes for REG_MR and LOCAL_INV.
 */

#include <kunit/device.h>
#include <kunit/test.h>
#include <linux/dma-mapping.h>
#include <linux/random.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include "xrdma_frmr.h"
#include "xrdma_ibdev.h"
#include "xrdma_key.h"
#include "xrdma_mr.h"
#include "xrdma_pd.h"
#include "xlat_walk.h"

/* Random lists; fewer outside of UML, since the machine may be emulated */
#define FRMR_LISTS		(IS_ENABLED(CONFIG_UML) ? 8000 : 2000)
#define FRMR_LOOKUPS		16
#define FRMR_PIECES		64
#define FRMR_PDN		0x321

/**
 * struct frmr_test - device, region and page list of a test
 * @pdev: PCI function of which only DMA works
 * @xib: RDMA device
 * @pd: protection domain of the region
 * @mr: the region; NULL: none
 * @sg: page list, an array of pieces
 * @num: number of pieces in @sg
 * @at: offset of each piece from the first byte of the list, in bytes; the last
 *	element in use, @at[@num], is the length of the list
 */
struct frmr_test {
	struct pci_dev pdev;
	struct xrdma_ibdev xib;
	struct xrdma_pd pd;
	struct ib_mr *mr;
	struct scatterlist sg[FRMR_PIECES];
	u32 num;
	u64 at[FRMR_PIECES + 1];
};

static void frmr_test_release(struct device *dev)
{
}

static int frmr_test_init(struct kunit *test)
{
	struct frmr_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	struct device *dev;

	KUNIT_ASSERT_NOT_NULL(test, t);
	dev = &t->pdev.dev;
	device_initialize(dev);
	dev->release = frmr_test_release;
	dev->dma_mask = &t->pdev.dma_mask;
	test->priv = t;
	KUNIT_ASSERT_EQ(test, 0,
			dma_set_mask_and_coherent(dev, DMA_BIT_MASK(64)));
	t->xib.hw.pdev = &t->pdev;
	t->xib.hw.caps.flags = XRDMA_CAP_FAST_REG;
	t->xib.keys = xrdma_keys_create(dev, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->xib.keys);
	KUNIT_ASSERT_EQ(test, 0, xrdma_keys_open(t->xib.keys, 16));
	t->pd.ibpd.device = &t->xib.ibdev;
	t->pd.pdn = FRMR_PDN;
	return 0;
}

/*
 * Free the region, but not its key. xrdma_dereg_mr() would send INVALIDATE to
 * the device, which does not exist.
 */
static void region_close(struct frmr_test *t)
{
	if (IS_ERR_OR_NULL(t->mr))
		return;
	xrdma_mtt_free(&t->xib.hw, &to_xmr(t->mr)->mtt);
	kfree(to_xmr(t->mr));
	t->mr = NULL;
}

static void frmr_test_exit(struct kunit *test)
{
	struct frmr_test *t = test->priv;

	if (!t)
		return;
	region_close(t);
	if (!IS_ERR_OR_NULL(t->xib.keys))
		xrdma_keys_destroy(t->xib.keys);
	put_device(&t->pdev.dev);
}

/* Allocate a region, and set the fields that ib_alloc_mr() sets. */
static void region_open(struct kunit *test, u32 pages)
{
	struct frmr_test *t = test->priv;

	region_close(t);
	t->mr = xrdma_alloc_mr(&t->pd.ibpd, IB_MR_TYPE_MEM_REG, pages);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->mr);
	t->mr->device = &t->xib.ibdev;
	t->mr->pd = &t->pd.ibpd;
	t->mr->type = IB_MR_TYPE_MEM_REG;
}

/* ---- page lists --------------------------------------------------------- */

/*
 * Make a random list of pieces of whole pages of 1 << @shift bytes. The first
 * piece may begin, and the last piece may end, inside of a page. A piece is
 * shorter than 4 GiB. About one list in eight has only one page, which needs no
 * table.
 */
static void make_list(struct frmr_test *t, u32 shift)
{
	u64 page = 1ULL << shift, skip, cut, addr, len;
	u32 longest = min_t(u64, 80, (3ULL << 30) >> shift);
	u32 i;

	t->num = 1 + get_random_u32_below(FRMR_PIECES);
	if (!get_random_u32_below(8)) {
		t->num = 1;
		longest = 1;
	}
	sg_init_table(t->sg, t->num);
	for (i = 0; i < t->num; i++) {
		addr = (get_random_u64() & ((1ULL << 47) - 1)) & -page;
		len = page * (1 + get_random_u32_below(longest));
		skip = i ? 0 : get_random_u32_below(page);
		cut = i < t->num - 1 ? 0 : get_random_u32_below(page);
		if (skip + cut >= len)
			cut = 0;
		sg_dma_address(&t->sg[i]) = addr + skip;
		sg_dma_len(&t->sg[i]) = len - skip - cut;
		t->at[i + 1] = t->at[i] + len - skip - cut;
	}
}

static int map_list(struct frmr_test *t, u32 shift)
{
	t->mr->page_size = 1U << shift;
	return xrdma_map_mr_sg(t->mr, t->sg, t->num, NULL);
}

static u64 address_of(const struct frmr_test *t, u64 at)
{
	u32 i = 0;

	while (at >= t->at[i + 1])
		i++;
	return sg_dma_address(&t->sg[i]) + (at - t->at[i]);
}

/* ---- cases -------------------------------------------------------------- */

static struct walk region_walk(const struct frmr_test *t)
{
	struct walk w = {
		.dev = (struct device *)&t->pdev.dev,
		.root = to_xmr(t->mr)->mtt.root,
	};

	w.level = w.root & 7;
	w.leaf = w.root >> 3 & 0x3f;
	return w;
}

static void check_list(struct kunit *test, u32 shift)
{
	struct frmr_test *t = test->priv;
	struct walk w = region_walk(t);
	u64 length = t->at[t->num];
	u64 offset = to_xmr(t->mr)->mtt.offset;
	u32 i;

	KUNIT_ASSERT_EQ(test, w.root & 0xe00, 0);
	KUNIT_ASSERT_EQ(test, w.leaf, shift);
	KUNIT_ASSERT_EQ(test, t->mr->length, length);
	KUNIT_ASSERT_EQ(test, t->mr->iova, sg_dma_address(t->sg));
	KUNIT_ASSERT_EQ(test, walk_lookup(&w, offset), sg_dma_address(t->sg));
	KUNIT_ASSERT_EQ(test, walk_lookup(&w, offset + length - 1),
			address_of(t, length - 1));
	for (i = 0; i < FRMR_LOOKUPS; i++) {
		u64 at = get_random_u64() % length;

		KUNIT_ASSERT_EQ(test, walk_lookup(&w, offset + at),
				address_of(t, at));
	}
}

static void lists_of_any_page_size_are_mapped(struct kunit *test)
{
	struct frmr_test *t = test->priv;
	u32 i, shift, levels = 0;

	region_open(test, XRDMA_FRMR_MAX_PAGES);
	for (i = 0; i < FRMR_LISTS; i++) {
		shift = 12 + i % 12;
		make_list(t, shift);
		if (map_list(t, shift) != t->num)
			continue;
		check_list(test, shift);
		levels |= 1U << (to_xmr(t->mr)->mtt.root & 7);
	}
	/* there were lists of the levels 0, 1 and 2 */
	KUNIT_EXPECT_EQ(test, levels, 7);
}

static void a_list_that_is_too_long_is_mapped_in_part(struct kunit *test)
{
	struct frmr_test *t = test->priv;
	u32 i;

	region_open(test, 5);
	t->num = 8;
	sg_init_table(t->sg, t->num);
	for (i = 0; i < t->num; i++) {
		sg_dma_address(&t->sg[i]) = (3 + 2 * i) << 12;
		sg_dma_len(&t->sg[i]) = 4096;
		t->at[i + 1] = 4096 * (i + 1);
	}
	KUNIT_EXPECT_EQ(test, map_list(t, 12), 5);
	t->num = 5;
	check_list(test, 12);
}

static void page_sizes_that_the_device_lacks_are_refused(struct kunit *test)
{
	static const u32 sizes[] = { 0, 1, 2048, 4095, 12288, 1U << 24, 1U << 31 };
	struct frmr_test *t = test->priv;
	struct xrdma_reg_seg seg;
	u32 i;

	region_open(test, 16);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		make_list(t, 12);
		t->mr->page_size = sizes[i];
		KUNIT_EXPECT_EQ(test, -EINVAL, xrdma_map_mr_sg(t->mr, t->sg, 1,
							       NULL));
		KUNIT_EXPECT_EQ(test, -EINVAL, xrdma_frmr_make_seg(t->mr, 0,
								   &seg));
	}
}

/* Specification, "Key entries", paragraph "Who owns an entry" */
static void entry_is_published_free(struct kunit *test)
{
	struct frmr_test *t = test->priv;
	struct xrdma_mpt_entry entry, zero = {};
	u32 i;

	for (i = 0; i < 100; i++) {
		region_open(test, 1);
		KUNIT_EXPECT_EQ(test, t->mr->lkey, t->mr->rkey);
		xrdma_key_read(t->xib.keys, t->mr->lkey >> 8, &entry);
		KUNIT_EXPECT_EQ(test, le64_to_cpu(entry.ctrl),
				(u64)FRMR_PDN << 32 | 0x1100 |
				(t->mr->lkey & 0xff));
		entry.ctrl = 0;
		KUNIT_EXPECT_MEMEQ(test, &entry, &zero, sizeof(zero));
	}
}

static void tables_have_room_for_two_lists(struct kunit *test)
{
	static const struct { u32 pages, tables; } sizes[] = {
		{ 1, 1 }, { 16, 1 }, { 256, 1 }, { 257, 2 }, { 512, 2 },
		{ 513, 6 }, { 1024, 6 }, { 4096, 18 },
	};
	struct frmr_test *t = test->priv;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		region_open(test, sizes[i].pages);
		KUNIT_EXPECT_EQ(test, to_xmr(t->mr)->mtt.num_tables,
				sizes[i].tables);
	}
}

/* ---- one piece that is longer than the region --------------------------- */

static int map_piece(struct frmr_test *t, u64 addr, u32 len, u32 *offset)
{
	t->num = 1;
	sg_init_table(t->sg, 1);
	sg_dma_address(t->sg) = addr;
	sg_dma_len(t->sg) = len;
	t->mr->page_size = 4096;
	return xrdma_map_mr_sg(t->mr, t->sg, 1, offset);
}

/*
 * ib_sg_to_pages() returns 0, the number of pieces that it has mapped
 * completely, and sets the offset to the number of bytes that it has mapped.
 */
static void a_piece_that_is_too_long_is_mapped_in_part(struct kunit *test)
{
	struct frmr_test *t = test->priv;
	struct xrdma_reg_seg seg;
	struct walk w;
	u32 offset = 0;

	region_open(test, 5);
	KUNIT_ASSERT_EQ(test, 0, map_piece(t, 0x70000, 8 * 4096, &offset));
	KUNIT_ASSERT_EQ(test, offset, 4 * 4096);
	KUNIT_ASSERT_EQ(test, t->mr->length, offset);
	KUNIT_ASSERT_EQ(test, 0, xrdma_frmr_make_seg(t->mr, 0, &seg));
	w = region_walk(t);
	KUNIT_EXPECT_EQ(test, 0x70000 + offset - 1,
			walk_lookup(&w, le32_to_cpu(seg.offset) + offset - 1));
	KUNIT_ASSERT_EQ(test, 1, map_piece(t, 0x70000, 8 * 4096, &offset));
	KUNIT_ASSERT_EQ(test, t->mr->length, 4 * 4096);
	KUNIT_ASSERT_EQ(test, t->mr->iova, 0x74000);
	w = region_walk(t);
	KUNIT_EXPECT_EQ(test, 0x77fff,
			walk_lookup(&w, to_xmr(t->mr)->mtt.offset + 0x3fff));
}

/*
 * ib_sg_to_pages() leaves out the last page that fits: in a region of one page
 * it maps no byte of a longer piece.
 */
static void a_piece_of_which_no_byte_fits_is_refused(struct kunit *test)
{
	struct frmr_test *t = test->priv;
	struct xrdma_reg_seg seg;
	u32 offset;

	region_open(test, 1);
	offset = 0;
	KUNIT_EXPECT_GT(test, 0, map_piece(t, 0x70000, 8192, &offset));
	KUNIT_EXPECT_EQ(test, -EINVAL, xrdma_frmr_make_seg(t->mr, 0, &seg));
	offset = 5000;
	KUNIT_EXPECT_GT(test, 0, map_piece(t, 0x70000, 16384, &offset));
	KUNIT_EXPECT_EQ(test, -EINVAL, xrdma_frmr_make_seg(t->mr, 0, &seg));
}

/* ---- the registered list ------------------------------------------------ */

/*
 * Write the key entry as a device does for REG_MR, but without rights:
 * specification, "Fast registration".
 */
static void device_registers(struct frmr_test *t,
			     const struct xrdma_reg_seg *seg)
{
	struct xrdma_mpt_entry entry = {
		.ctrl = cpu_to_le64((u64)FRMR_PDN << 32 | 0x1200 |
				    (t->mr->lkey & 0xff)),
		.iova = seg->iova,
		.length = seg->length,
		.root = seg->root,
		.offset = seg->offset,
	};

	xrdma_key_publish(t->xib.keys, t->mr->lkey >> 8, &entry);
}

/*
 * Write the key entry as a device does for LOCAL_INV: specification,
 * "Invalidation by work requests".
 */
static void device_frees(struct frmr_test *t)
{
	struct xrdma_mpt_entry entry = {
		.ctrl = cpu_to_le64((u64)FRMR_PDN << 32 | 0x1100 |
				    (t->mr->lkey & 0xff)),
	};

	xrdma_key_publish(t->xib.keys, t->mr->lkey >> 8, &entry);
}

/*
 * Make a list of up to FRMR_PIECES pieces with @pages pages of 4 KiB in total.
 * All pieces but the last have the same length.
 */
static void make_full_list(struct frmr_test *t, u32 pages)
{
	u32 each = DIV_ROUND_UP(pages, FRMR_PIECES), i;

	t->num = DIV_ROUND_UP(pages, each);
	sg_init_table(t->sg, t->num);
	for (i = 0; i < t->num; i++) {
		u32 end = min((i + 1) * each, pages);

		sg_dma_address(&t->sg[i]) = (get_random_u64() >> 17) &
					    ~0xfffULL;
		sg_dma_len(&t->sg[i]) = (end - i * each) << 12;
		t->at[i + 1] = (u64)end << 12;
	}
}

static void register_list(struct kunit *test, u32 pages, u16 access,
			  struct xrdma_reg_seg *seg)
{
	struct frmr_test *t = test->priv;

	make_full_list(t, pages);
	KUNIT_ASSERT_EQ(test, t->num, map_list(t, 12));
	KUNIT_ASSERT_EQ(test, 0, xrdma_frmr_make_seg(t->mr, access, seg));
	KUNIT_ASSERT_EQ(test, le64_to_cpu(seg->root), region_walk(t).root);
	KUNIT_ASSERT_EQ(test, le64_to_cpu(seg->iova), t->mr->iova);
	KUNIT_ASSERT_EQ(test, le64_to_cpu(seg->length), t->mr->length);
	KUNIT_ASSERT_EQ(test, le32_to_cpu(seg->access), access);
	device_registers(t, seg);
}

/*
 * Check that the registered list does not change when @round % 4 other lists
 * are mapped. If @round & 4, each of them also gets a segment of REG_MR, which
 * the device does not execute, as if it had flushed the work request.
 */
static void check_registered_list(struct kunit *test, u32 pages, u32 round)
{
	struct frmr_test *t = test->priv, *old;
	struct xrdma_reg_seg seg, flushed;
	struct walk w;
	u32 i;

	old = kunit_kzalloc(test, sizeof(*old), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, old);
	register_list(test, pages, 0x1234, &seg);
	w = region_walk(t);
	memcpy(old->sg, t->sg, sizeof(t->sg));
	memcpy(old->at, t->at, sizeof(t->at));
	for (i = 0; i < round % 4; i++) {
		make_full_list(t, pages);
		KUNIT_ASSERT_EQ(test, t->num, map_list(t, 12));
		if (round & 4)
			KUNIT_ASSERT_EQ(test, 0, xrdma_frmr_make_seg(t->mr, 0,
								     &flushed));
	}
	for (i = 0; i < FRMR_LOOKUPS; i++) {
		u64 at = get_random_u64() % le64_to_cpu(seg.length);

		KUNIT_ASSERT_EQ(test, address_of(old, at),
				walk_lookup(&w, at + le32_to_cpu(seg.offset)));
	}
	device_frees(t);
	kunit_kfree(test, old);
}

static void new_lists_do_not_change_the_registered_one(struct kunit *test)
{
	static const u32 sizes[] = { 1, 2, 16, 256, 257, 512, 513, 4096 };
	u32 i, round;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		region_open(test, sizes[i]);
		for (round = 0; round < 24; round++)
			check_registered_list(test, sizes[i], round);
	}
}

/*
 * A new list is written to other table entries than the list that was
 * registered last: until LOCAL_INV completes, accesses to the old list may
 * continue.
 */
static void a_list_does_not_use_entries_of_the_freed_one(struct kunit *test)
{
	struct frmr_test *t = test->priv;
	struct xrdma_reg_seg seg;
	u64 first;
	u32 round;

	region_open(test, 16);
	for (round = 0; round < 8; round++) {
		register_list(test, 16, 0, &seg);
		first = le32_to_cpu(seg.offset);
		device_frees(t);
		make_full_list(t, 16);
		KUNIT_ASSERT_EQ(test, t->num, map_list(t, 12));
		KUNIT_ASSERT_NE(test, first, to_xmr(t->mr)->mtt.offset);
	}
}

static struct kunit_case frmr_cases[] = {
	KUNIT_CASE(lists_of_any_page_size_are_mapped),
	KUNIT_CASE(a_list_that_is_too_long_is_mapped_in_part),
	KUNIT_CASE(page_sizes_that_the_device_lacks_are_refused),
	KUNIT_CASE(entry_is_published_free),
	KUNIT_CASE(tables_have_room_for_two_lists),
	KUNIT_CASE(a_piece_that_is_too_long_is_mapped_in_part),
	KUNIT_CASE(a_piece_of_which_no_byte_fits_is_refused),
	KUNIT_CASE(new_lists_do_not_change_the_registered_one),
	KUNIT_CASE(a_list_does_not_use_entries_of_the_freed_one),
	{}
};

static struct kunit_suite frmr_suite = {
	.name = "xrdma_frmr",
	.init = frmr_test_init,
	.exit = frmr_test_exit,
	.test_cases = frmr_cases,
};

kunit_test_suite(frmr_suite);
