// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA ring memory: one coherent buffer that host and device share, and the
 * translation root that names it in a command. Must not know what is in it.
 */

#include <linux/dma-mapping.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include "xrdma_dev.h"

/* The buffer is not aligned to its size: blocks as large as it is aligned to. */
static int xrdma_buf_make_table(struct xrdma_dev *xdev, struct xrdma_buf *buf,
				u8 leaf_shift)
{
	size_t num = DIV_ROUND_UP(buf->size, 1UL << leaf_shift);
	size_t i;

	if (num > XRDMA_MTT_ENTRIES)
		return -ENOMEM;
	buf->table = dma_alloc_coherent(xrdma_to_dev(xdev),
					XRDMA_MTT_TABLE_SIZE, &buf->table_dma,
					GFP_KERNEL);
	if (!buf->table)
		return -ENOMEM;
	for (i = 0; i < num; i++) {
		u64 addr = buf->dma + (i << leaf_shift);

		buf->table[i] = cpu_to_le64(xrdma_make_mtt_block(addr));
	}
	buf->root = xrdma_make_root(buf->table_dma, 1, leaf_shift);
	return 0;
}

static int xrdma_buf_make_root(struct xrdma_dev *xdev, struct xrdma_buf *buf)
{
	u8 want = max(order_base_2(buf->size), XRDMA_LEAF_SHIFT_MIN);
	u8 have = __ffs64(buf->dma | BIT_ULL(XRDMA_LEAF_SHIFT_MAX));

	if (have < want)
		return xrdma_buf_make_table(xdev, buf, have);
	buf->root = xrdma_make_root(buf->dma, 0, want);
	return 0;
}

/**
 * xrdma_buf_alloc() - allocate memory that the device shares
 * @xdev: the device
 * @buf: filled in
 * @size: bytes, up to 1 GiB; rounded up to whole pages
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int xrdma_buf_alloc(struct xrdma_dev *xdev, struct xrdma_buf *buf, size_t size)
{
	int err;

	memset(buf, 0, sizeof(*buf));
	buf->spare = kzalloc_obj(*buf->spare);
	if (!buf->spare)
		return -ENOMEM;
	buf->size = PAGE_ALIGN(size);
	buf->cpu = dma_alloc_coherent(xrdma_to_dev(xdev), buf->size, &buf->dma,
				      GFP_KERNEL | __GFP_NOWARN);
	err = buf->cpu ? xrdma_buf_make_root(xdev, buf) : -ENOMEM;
	if (err)
		xrdma_buf_free(xdev, buf);
	return err;
}

/**
 * xrdma_buf_free() - free what xrdma_buf_alloc() allocated
 * @xdev: the device, which knows the memory no more
 * @buf: the buffer; nothing happens if it is not allocated
 *
 * Context: may sleep.
 */
void xrdma_buf_free(struct xrdma_dev *xdev, struct xrdma_buf *buf)
{
	struct device *dev = xrdma_to_dev(xdev);

	if (buf->table)
		dma_free_coherent(dev, XRDMA_MTT_TABLE_SIZE, buf->table,
				  buf->table_dma);
	if (buf->cpu)
		dma_free_coherent(dev, buf->size, buf->cpu, buf->dma);
	kfree(buf->spare);
	memset(buf, 0, sizeof(*buf));
}
