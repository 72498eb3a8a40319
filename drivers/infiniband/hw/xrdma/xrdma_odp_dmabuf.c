// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA mapping of dma-bufs of paged regions: asks the exporter for the memory
 * when the device needs it, and writes the entries of the tables by which the
 * device finds it. xrdma_odp_fault.c and xrdma_odp_verbs.c decide when;
 * xrdma_dmabuf.c registers the regions, and takes the memory from the device
 * when the exporter moves it. Pages of processes are mapped in xrdma_odp_map.c.
 *
 * The exporter does not move the memory while its reservation is locked. The
 * entries are written under this lock, and the notification of a move comes
 * under this lock. So entries and mapping always agree.
 *
 * The exporter maps a dma-buf as a whole. Then a part of its memory costs no
 * more than the entries, and one page fault writes those of a whole span.
 *
 * The tables of level 1 are allocated before the reservation is locked. How many
 * are needed is known only when the memory is mapped, because 2 MiB that are
 * contiguous and aligned need none: the first try finds out.
 */

#include <linux/scatterlist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include "xrdma_ibdev.h"
#include "xrdma_mr.h"
#include "xrdma_odp.h"

/* Number of tries before the device has to wait */
#define XRDMA_DMABUF_TRIES	16
/*
 * The page frame number of each block: the memory of a dma-buf need not have
 * one, and nobody reads it.
 */
#define XRDMA_DMABUF_PFN	1
/* Number of entries of the scatterlist between two calls of cond_resched() */
#define XRDMA_DMABUF_RESCHED	1024

/**
 * struct xrdma_dmabuf_fill - entries of one span that are written together
 * @span: the span
 * @from: offset in the span of the first byte of the region
 * @to: offset in the span of the end of the region
 * @missing: number of tables of level 1 that @spare lacked
 * @missing_end: end of the last 2 MiB that lacked a table
 * @mapped: number of pages of 4 KiB whose entries were written
 * @num_spare: number of tables in @spare
 * @spare: empty tables of level 1
 */
struct xrdma_dmabuf_fill {
	struct xrdma_span *span;
	u64 from;
	u64 to;
	u32 missing;
	u64 missing_end;
	u32 mapped;
	u32 num_spare;
	struct xrdma_sparse_table *spare[XRDMA_MTT_ENTRIES];
};

static int xrdma_dmabuf_alloc_tables(struct xrdma_dmabuf_fill *f, u32 need)
{
	while (f->num_spare < need) {
		struct xrdma_sparse_table *table;

		table = xrdma_odp_alloc_table(f->span->odp->xib);
		if (!table)
			return -ENOMEM;
		f->spare[f->num_spare++] = table;
	}
	return 0;
}

static void xrdma_dmabuf_free_tables(struct xrdma_dmabuf_fill *f)
{
	while (f->num_spare)
		xrdma_odp_free_table(f->span->odp->xib,
				     f->spare[--f->num_spare]);
}

/* Write the entry of a block, unless it is there. */
static void xrdma_dmabuf_map_block(struct xrdma_dmabuf_fill *f,
				   struct xrdma_sparse_table *table, u32 index,
				   u64 addr, u8 shift)
{
	if (xrdma_sparse_present(table, index, true))
		return;
	/* the mapping allows reads and writes, the key says what is allowed */
	xrdma_sparse_map(table, index, addr, XRDMA_DMABUF_PFN, true);
	f->mapped += 1U << (shift - XRDMA_LEAF_SHIFT_MIN);
}

/*
 * Get the table of level 1 for an offset. Return: NULL: there is no spare table,
 * and the table counts as missing.
 */
static struct xrdma_sparse_table *
xrdma_dmabuf_leaf(struct xrdma_dmabuf_fill *f, u64 offset)
{
	struct xrdma_sparse_table *top = f->span->top;
	struct xrdma_sparse_table *leaf = xrdma_sparse_leaf(top, offset);

	if (leaf)
		return leaf;
	if (!f->num_spare) {
		if (f->missing_end < xrdma_sparse_huge_end(offset))
			f->missing++;
		f->missing_end = xrdma_sparse_huge_end(offset);
		return NULL;
	}
	leaf = f->spare[--f->num_spare];
	/* order the zeros of the table before the entry that names the table */
	dma_wmb();
	xrdma_sparse_link(top, offset, leaf);
	return leaf;
}

/* Write the entries of a contiguous piece page by page. */
static void xrdma_dmabuf_fill_pages(struct xrdma_dmabuf_fill *f, u64 offset,
				    u64 addr, u64 bytes)
{
	struct xrdma_sparse_table *leaf = xrdma_dmabuf_leaf(f, offset);
	u64 at;

	if (!leaf)
		return;
	for (at = 0; at < bytes; at += XRDMA_PAGE_SIZE)
		xrdma_dmabuf_map_block(f, leaf,
				       xrdma_sparse_leaf_index(offset + at),
				       addr + at, XRDMA_LEAF_SHIFT_MIN);
}

/* Write the entries of a contiguous piece, with as few blocks as possible. */
static void xrdma_dmabuf_fill_piece(struct xrdma_dmabuf_fill *f, u64 offset,
				    u64 addr, u64 bytes)
{
	u64 part;

	for (; bytes; offset += part, addr += part, bytes -= part) {
		part = min(xrdma_sparse_huge_end(offset) - offset, bytes);
		if (part == XRDMA_HUGE_SIZE && !(addr % XRDMA_HUGE_SIZE))
			xrdma_dmabuf_map_block(f, f->span->top,
					       xrdma_sparse_top_index(offset),
					       addr, XRDMA_HUGE_SHIFT);
		else
			xrdma_dmabuf_fill_pages(f, offset, addr, part);
	}
}

/* Write the entries of the part of a piece that is in the span. */
static void xrdma_dmabuf_fill_part(struct xrdma_dmabuf_fill *f, u64 pos,
				   u64 addr, u64 bytes)
{
	u64 from = max(pos, f->span->pos + f->from);
	u64 to = min(pos + bytes, f->span->pos + f->to);

	if (from < to)
		xrdma_dmabuf_fill_piece(f, from - f->span->pos,
					addr + (from - pos), to - from);
}

/*
 * Write the entries of the span. Return: 0; -EAGAIN: tables are missing;
 * -EINVAL: the exporter maps pieces that are not aligned, or less than the
 * region.
 */
static int xrdma_dmabuf_fill_list(struct xrdma_dmabuf_fill *f,
				  struct sg_table *sgt)
{
	u64 addr = 0, bytes = 0, pos = f->span->odp->first;
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		if ((sg_dma_address(sg) | sg_dma_len(sg)) &
		    (XRDMA_PAGE_SIZE - 1))
			return -EINVAL;
		/* merge adjacent entries to a piece */
		if (sg_dma_address(sg) != addr + bytes) {
			xrdma_dmabuf_fill_part(f, pos, addr, bytes);
			pos += bytes;
			addr = sg_dma_address(sg);
			bytes = 0;
		}
		bytes += sg_dma_len(sg);
		if (i % XRDMA_DMABUF_RESCHED == 0)
			cond_resched();
	}
	xrdma_dmabuf_fill_part(f, pos, addr, bytes);
	if (pos + bytes < f->span->pos + f->to)
		return -EINVAL;
	return f->missing ? -EAGAIN : 0;
}

/*
 * Map the memory, wait until its contents have arrived, and write the entries.
 * The caller has locked the reservation.
 */
static int xrdma_dmabuf_fill_span(struct xrdma_dmabuf_fill *f, u32 flags)
{
	struct ib_umem *umem = f->span->odp->mr->umem;
	struct ib_umem_dmabuf *dmabuf = to_ib_umem_dmabuf(umem);
	int err;

	f->missing = 0;
	f->missing_end = 0;
	if (flags & XRDMA_ODP_MAP_PRESENT && !dmabuf->sgt)
		return 0;
	err = ib_umem_dmabuf_map_pages(dmabuf);
	if (err)
		return err;
	mutex_lock(&f->span->lock);
	err = xrdma_dmabuf_fill_list(f, &umem->sgt_append.sgt);
	xrdma_span_sync(f->span, f->from, f->to);
	mutex_unlock(&f->span->lock);
	return err;
}

static int xrdma_dmabuf_try_span(struct xrdma_dmabuf_fill *f, u32 flags)
{
	struct ib_umem *umem = f->span->odp->mr->umem;
	struct ib_umem_dmabuf *dmabuf = to_ib_umem_dmabuf(umem);
	unsigned int tries = XRDMA_DMABUF_TRIES;
	int err;

	do {
		/* after a move, the number of tables may be another one */
		err = xrdma_dmabuf_alloc_tables(f, f->missing);
		if (err)
			break;
		ib_umem_dmabuf_revoke_lock(dmabuf);
		err = xrdma_dmabuf_fill_span(f, flags);
		ib_umem_dmabuf_revoke_unlock(dmabuf);
	} while (err == -EAGAIN && f->missing && --tries);
	return err;
}

/* Map what the region has in one span. */
static int xrdma_dmabuf_map_span(struct xrdma_odp *odp, u64 pos, u32 flags)
{
	struct xrdma_dmabuf_fill *f;
	int err;

	if (flags & XRDMA_ODP_MAP_PRESENT &&
	    !READ_ONCE(to_ib_umem_dmabuf(odp->mr->umem)->sgt))
		return 0;
	f = kzalloc_obj(*f);
	if (!f)
		return -ENOMEM;
	f->span = xrdma_odp_span(odp, pos);
	if (IS_ERR(f->span)) {
		err = PTR_ERR(f->span);
		goto out_free;
	}
	err = xrdma_span_grow(f->span);
	if (err)
		goto out_free;
	f->from = max(f->span->pos, odp->first) - f->span->pos;
	f->to = min(f->span->pos + XRDMA_SPAN_SIZE, odp->end) - f->span->pos;
	err = xrdma_dmabuf_try_span(f, flags);
	xrdma_dmabuf_free_tables(f);
	atomic64_add(f->mapped, &odp->stats[XRDMA_ODP_PAGES]);
out_free:
	kfree(f);
	return err;
}

/**
 * xrdma_odp_map_dmabuf() - map memory of a paged region of a dma-buf
 * @odp: memory of the region; the caller is between xrdma_odp_begin() and
 *	xrdma_odp_end()
 * @pos: position of the first byte
 * @end: position of the end
 * @flags: enum xrdma_odp_map_flags; with XRDMA_ODP_MAP_PRESENT, nothing happens
 *	unless the exporter has mapped the dma-buf for this region
 *
 * The caller holds no lock of the dma-buf.
 *
 * Context: may sleep, as long as the exporter moves the memory.
 * Return: 0: the device can access the memory, unless the exporter has moved it
 * meanwhile; -EINVAL: the exporter maps memory that the device cannot use;
 * -EAGAIN: the exporter moves the memory all the time; -ENOMEM; -EINTR: the
 * calling process has been killed; or an errno of the exporter.
 */
int xrdma_odp_map_dmabuf(struct xrdma_odp *odp, u64 pos, u64 end, u32 flags)
{
	int err = 0;

	for (; !err && pos < end; pos = round_down(pos, XRDMA_SPAN_SIZE) +
					XRDMA_SPAN_SIZE) {
		err = xrdma_dmabuf_map_span(odp, pos, flags);
		if (fatal_signal_pending(current))
			err = -EINTR;
	}
	return err;
}
