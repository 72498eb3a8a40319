/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA ring memory of the kernel: struct xrdma_buf, access to its parts, and
 * safe reading of entries that the device writes. xrdma_buf.c allocates and
 * frees ring memory; rings in the memory of a process are in xrdma_ubuf.h.
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
 * struct xrdma_buf - memory that driver and device share: rings with record
 * @mtt: translation of the fragments; the first byte is at position 0
 * @size: size in bytes, a multiple of the page size
 * @shift: log2 of the bytes of a fragment; the last fragment may be shorter
 * @num: number of fragments
 * @held: entry in xrdma_quarantine.bufs, after the owner has released the
 *	buffer
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
 * xrdma_buf_at() - convert an offset in a buffer to a kernel address
 * @buf: the buffer
 * @offset: offset in bytes. The caller accesses no byte beyond the page of
 *	@offset
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
 * xrdma_buf_is_whole() - is a part of a buffer contiguous in the kernel's memory?
 * @buf: the buffer
 * @offset: offset of the part in bytes
 * @size: size of the part in bytes, not 0
 *
 * Context: any.
 * Return: true if the part may be accessed at xrdma_buf_at().
 */
static inline bool xrdma_buf_is_whole(const struct xrdma_buf *buf,
				      size_t offset, size_t size)
{
	return offset >> buf->shift == (offset + size - 1) >> buf->shift;
}

/**
 * xrdma_read_entry() - copy an entry of a ring that the device writes
 * @copy: where the copy goes
 * @entry: entry of the ring. A misbehaving device may write to it at any time
 * @size: size of the entry in bytes, a multiple of 8
 *
 * Each word is read once, so that the caller uses the same values that it has
 * checked. The caller has read the phase of the entry before, and a barrier
 * orders that read before this copy.
 *
 * Context: any.
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
