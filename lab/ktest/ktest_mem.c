// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory for regions: allocates pieces in random order, maps them for DMA,
 * fills them and checks their contents. Registration is in ktest_rig.c
 * (ktest_reg()).
 */

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "ktest.h"

static u64 ktest_mem_size(const struct ktest_mem *mem)
{
	return (u64)PAGE_SIZE << mem->order;
}

static int ktest_mem_add(struct ktest *t, struct ktest_mem *mem, unsigned int i)
{
	struct scatterlist *sg = &mem->sg[i];
	struct page *page;
	u64 dma;

	page = alloc_pages(GFP_KERNEL | __GFP_NOWARN, mem->order);
	if (!page)
		return -ENOMEM;
	/* mapped one by one: an IOMMU would make one mapping contiguous */
	dma = ib_dma_map_page(t->dev, page, 0, ktest_mem_size(mem),
			      DMA_BIDIRECTIONAL);
	if (ib_dma_mapping_error(t->dev, dma)) {
		__free_pages(page, mem->order);
		return -EIO;
	}
	mem->piece[i] = page_address(page);
	sg_set_page(sg, page, ktest_mem_size(mem), 0);
	sg_dma_address(sg) = dma;
	sg_dma_len(sg) = ktest_mem_size(mem);
	return 0;
}

static void ktest_mem_swap(struct ktest_mem *mem, unsigned int i,
			   unsigned int j)
{
	struct scatterlist *a = &mem->sg[i], *b = &mem->sg[j];
	struct page *page = sg_page(a);
	dma_addr_t dma = sg_dma_address(a);

	swap(mem->piece[i], mem->piece[j]);
	sg_set_page(a, sg_page(b), ktest_mem_size(mem), 0);
	sg_dma_address(a) = sg_dma_address(b);
	sg_set_page(b, page, ktest_mem_size(mem), 0);
	sg_dma_address(b) = dma;
}

/**
 * ktest_mem_alloc() - allocate memory in pieces, and map them for DMA
 * @t: the case
 * @mem: filled in; the caller calls ktest_mem_free() also after a failure
 * @order: log2 of the number of pages of a piece
 * @num: number of pieces
 *
 * Return: 0, -ENOMEM or -EIO.
 */
int ktest_mem_alloc(struct ktest *t, struct ktest_mem *mem, unsigned int order,
		    unsigned int num)
{
	unsigned int i;
	int err = 0;

	mem->order = order;
	mem->num = num;
	mem->piece = kvcalloc(num, sizeof(*mem->piece), GFP_KERNEL);
	mem->sg = kvcalloc(num, sizeof(*mem->sg), GFP_KERNEL);
	if (!mem->piece || !mem->sg)
		return -ENOMEM;
	sg_init_table(mem->sg, num);
	for (i = 0; i < num && !err; i++)
		err = ktest_mem_add(t, mem, i);
	for (i = 1; i < num && !err; i++)
		ktest_mem_swap(mem, i, get_random_u32_below(i + 1));
	return err;
}

/**
 * ktest_mem_free() - unmap and free the memory of ktest_mem_alloc()
 * @t: the case
 * @mem: the memory, or all zero
 */
void ktest_mem_free(struct ktest *t, struct ktest_mem *mem)
{
	unsigned int i;

	for (i = 0; mem->piece && mem->sg && i < mem->num; i++) {
		if (!mem->piece[i])
			continue;
		ib_dma_unmap_page(t->dev, sg_dma_address(&mem->sg[i]),
				  ktest_mem_size(mem), DMA_BIDIRECTIONAL);
		free_pages((unsigned long)mem->piece[i], mem->order);
	}
	kvfree(mem->sg);
	kvfree(mem->piece);
	memset(mem, 0, sizeof(*mem));
}

/**
 * ktest_mem_fill() - set each byte to a value
 * @mem: the memory
 * @value: the value
 */
void ktest_mem_fill(struct ktest_mem *mem, u8 value)
{
	unsigned int i;

	for (i = 0; i < mem->num; i++)
		memset(mem->piece[i], value, ktest_mem_size(mem));
}

/* Whether a piece has its part of the data, and @elsewhere in other bytes */
static bool ktest_piece_holds(const u8 *piece, u64 start, u64 size, u64 off,
			      const u8 *data, u32 len, u8 elsewhere)
{
	u64 from = clamp(off, start, start + size);
	u64 to = clamp(off + len, start, start + size);

	if (memchr_inv(piece, elsewhere, from - start))
		return false;
	if (memcmp(piece + (from - start), data + (from - off), to - from))
		return false;
	return !memchr_inv(piece + (to - start), elsewhere, start + size - to);
}

/**
 * ktest_mem_holds() - compare all bytes of the memory
 * @mem: the memory
 * @off: offset of the data in the memory, in bytes
 * @data: expected data
 * @len: length of @data in bytes
 * @elsewhere: expected value of each byte outside of the data
 *
 * Return: true if all bytes are as expected.
 */
bool ktest_mem_holds(const struct ktest_mem *mem, u64 off, const u8 *data,
		     u32 len, u8 elsewhere)
{
	u64 size = ktest_mem_size(mem);
	unsigned int i;

	for (i = 0; i < mem->num; i++) {
		bool in = off < (i + 1) * size && off + len > i * size;

		if (!ktest_piece_holds(mem->piece[i], i * size, size,
				       in ? off : i * size, data, in ? len : 0,
				       elsewhere))
			return false;
	}
	return true;
}
