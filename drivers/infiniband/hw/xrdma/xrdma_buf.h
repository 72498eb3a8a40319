/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA ring memory: coherent fragments that device and host share, and how an
 * entry that the device writes is read. xrdma_buf.c allocates and frees them; rings
 * in the memory of a process are in xrdma_ubuf.h.
 */

#ifndef XRDMA_BUF_H
#define XRDMA_BUF_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/types.h>
#include "xrdma_mtt.h"

struct xrdma_dev;

/**
 * struct xrdma_buf_frag - contiguous piece of a buffer
 * @cpu: kernel address
 * @dma: bus address
 */
struct xrdma_buf_frag {
	void *cpu;
	dma_addr_t dma;
};

/**
 * struct xrdma_buf - memory that the device shares: rings and their record
 * @mtt: translation of the fragments, from position 0
 * @size: bytes, whole pages
 * @shift: log2 of the bytes of a fragment; the last one may have fewer
 * @num: number of fragments
 * @held: entry in the quarantine, when the owner of the buffer is gone
 * @frag: the fragments
 */
struct xrdma_buf {
	struct xrdma_mtt mtt;
	size_t size;
	u32 num;
	u8 shift;
	struct list_head held;
	struct xrdma_buf_frag frag[] __counted_by(num);
};

/**
 * xrdma_buf_at() - kernel address of a part of a buffer
 * @buf: the buffer
 * @offset: of the part, in bytes; the part ends in the same page
 *
 * Context: any.
 * Return: the address.
 */
static inline void *xrdma_buf_at(const struct xrdma_buf *buf, size_t offset)
{
	return buf->frag[offset >> buf->shift].cpu +
	       (offset & ((1UL << buf->shift) - 1));
}

/**
 * xrdma_read_entry() - copy an entry of a ring that the device writes
 * @copy: gets it
 * @entry: of the ring; the device may write to it at any time, if it lies
 * @size: bytes, a multiple of 8
 *
 * Each word is read once, so that what is checked is what is used. The caller has
 * read the phase, and orders this after it.
 */
static inline void xrdma_read_entry(void *copy, const void *entry, size_t size)
{
	const u64 *from = entry;
	u64 *to = copy;

	for (; size; size -= sizeof(*to))
		*to++ = READ_ONCE(*from++);
}

/* xrdma_buf.c */
struct xrdma_buf *xrdma_buf_alloc(struct xrdma_dev *xdev, size_t size);
void xrdma_buf_free(struct xrdma_dev *xdev, struct xrdma_buf *buf);

#endif /* XRDMA_BUF_H */
