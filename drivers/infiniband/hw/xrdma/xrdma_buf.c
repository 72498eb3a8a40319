// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA ring memory of the kernel: allocates fragments of coherent memory, and
 * makes them one contiguous buffer for the device by a translation
 * (xrdma_mtt.c). Rings in the memory of a process are in xrdma_ubuf.c. The
 * layout of a buffer is in the files of the queues: xrdma_eq.c, xrdma_cq.c,
 * xrdma_kqp.c and xrdma_srq.c.
 *
 * The CPU accesses a buffer by xrdma_buf_at(). Fragments have at most the size
 * that the page allocator can usually provide, and the last fragment is only as
 * long as necessary, so that the record behind a ring costs one page.
 */

#include <linux/dma-mapping.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include "xrdma_buf.h"
#include "xrdma_dev.h"
#include "xrdma_mtt.h"

/* log2 of the bytes of the largest fragment */
#define XRDMA_BUF_SHIFT_MAX	(PAGE_SHIFT + PAGE_ALLOC_COSTLY_ORDER)

static size_t xrdma_buf_frag_size(const struct xrdma_buf *buf, u32 i)
{
	return min(1UL << buf->shift, buf->size - ((size_t)i << buf->shift));
}

/*
 * Allocate a buffer of fragments of 1 << @shift bytes, without a translation.
 * Return: the buffer or NULL.
 */
static struct xrdma_buf *xrdma_buf_alloc_frags(struct xrdma_dev *xdev,
					       size_t size, u8 shift, gfp_t gfp)
{
	u32 num = DIV_ROUND_UP(size, 1UL << shift);
	struct xrdma_buf *buf;
	u32 i;

	buf = kvzalloc_flex(*buf, frag, num);
	if (!buf)
		return NULL;
	buf->num = num;
	buf->size = size;
	buf->shift = shift;
	xrdma_mtt_init(&buf->mtt);
	for (i = 0; i < num; i++) {
		struct xrdma_buf_frag *frag = &buf->frag[i];

		frag->cpu = dma_alloc_coherent(xrdma_to_dev(xdev),
					       xrdma_buf_frag_size(buf, i),
					       &frag->dma, gfp | __GFP_NOWARN);
		if (!frag->cpu) {
			xrdma_buf_free(xdev, buf);
			return NULL;
		}
	}
	return buf;
}

static int xrdma_buf_translate(struct xrdma_dev *xdev, struct xrdma_buf *buf)
{
	struct scatterlist *sg;
	struct sg_table sgt;
	unsigned int i;
	int err;

	err = sg_alloc_table(&sgt, buf->num, GFP_KERNEL);
	if (err)
		return err;
	for_each_sgtable_dma_sg(&sgt, sg, i) {
		sg_dma_address(sg) = buf->frag[i].dma;
		sg_dma_len(sg) = xrdma_buf_frag_size(buf, i);
	}
	err = xrdma_mtt_build(xdev, &buf->mtt, &sgt, 0, buf->size, true);
	sg_free_table(&sgt);
	return err;
}

/**
 * xrdma_buf_alloc() - allocate memory that driver and device share
 * @xdev: the device
 * @size: size in bytes, 1 or more; rounded up to whole pages
 *
 * If the kernel's memory is too fragmented for large fragments, each fragment
 * is one page.
 *
 * Context: may sleep.
 * Return: the zeroed buffer, which xrdma_buf_free() frees; or NULL.
 */
struct xrdma_buf *xrdma_buf_alloc(struct xrdma_dev *xdev, size_t size)
{
	struct xrdma_buf *buf;
	u8 shift;

	size = PAGE_ALIGN(size);
	shift = min_t(u8, ilog2(size), XRDMA_BUF_SHIFT_MAX);
	buf = xrdma_buf_alloc_frags(xdev, size, shift,
				    GFP_KERNEL | __GFP_NORETRY);
	if (!buf)
		buf = xrdma_buf_alloc_frags(xdev, size, PAGE_SHIFT, GFP_KERNEL);
	if (buf && xrdma_buf_translate(xdev, buf)) {
		xrdma_buf_free(xdev, buf);
		return NULL;
	}
	return buf;
}

/**
 * xrdma_buf_free() - free a buffer of xrdma_buf_alloc()
 * @xdev: the device, which does not access the memory any more
 * @buf: the buffer, or NULL
 *
 * Context: may sleep.
 */
void xrdma_buf_free(struct xrdma_dev *xdev, struct xrdma_buf *buf)
{
	u32 i;

	if (!buf)
		return;
	xrdma_mtt_free(xdev, &buf->mtt);
	for (i = 0; i < buf->num && buf->frag[i].cpu; i++)
		dma_free_coherent(xrdma_to_dev(xdev),
				  xrdma_buf_frag_size(buf, i),
				  buf->frag[i].cpu, buf->frag[i].dma);
	kvfree(buf);
}
