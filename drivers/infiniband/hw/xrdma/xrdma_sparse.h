/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA sparse translation tables: the tables of a paged region, whose entries
 * the driver writes and retracts while the device reads them. Allocating
 * tables, mapping pages for DMA, and the commands that make the device forget
 * an entry are left to xrdma_span.c and xrdma_odp_map.c.
 * Pure layer: no locks, no allocation, no device; also compiles in user space.
 *
 * A span is 1 GiB of positions that is aligned to 1 GiB. It has one table of
 * level 2, whose entries are blocks of 2 MiB, or tables of level 1 with 512
 * blocks of 4 KiB. Offsets in this file count from the start of the span.
 *
 * Memory leaves a span in three steps:
 *
 *	xrdma_sparse_retract() clears VALID of entries, and keeps their address;
 *	the caller waits until the device does not use these entries any more;
 *	xrdma_sparse_reap() clears the entries, and passes each block and each
 *		table that is not needed any more to the caller.
 *
 * An entry between the first and the last step is called retracted.
 */

#ifndef XRDMA_SPARSE_H
#define XRDMA_SPARSE_H

#include <linux/compiler.h>
#include "xrdma_xlat.h"

/* log2 of the bytes of a block of level 2, and of a span */
#define XRDMA_HUGE_SHIFT	(XRDMA_LEAF_SHIFT_MIN + XRDMA_MTT_BITS)
#define XRDMA_SPAN_SHIFT	(XRDMA_HUGE_SHIFT + XRDMA_MTT_BITS)
#define XRDMA_HUGE_SIZE		BIT_ULL(XRDMA_HUGE_SHIFT)
#define XRDMA_SPAN_SIZE		BIT_ULL(XRDMA_SPAN_SHIFT)

/**
 * struct xrdma_sparse_table - a table of level 2 or 1
 * @entry: the page with XRDMA_MTT_ENTRIES entries that the device reads
 * @slot: array of XRDMA_MTT_ENTRIES words, one for each entry: for a block the
 *	page frame number of its first page, or any number but 0 if the memory
 *	has none; for a table the pointer to its struct xrdma_sparse_table; 0: the
 *	entry is not in use
 * @dma: bus address of @entry
 * @used: number of entries in use, with retracted entries
 * @retracted: number of retracted entries
 */
struct xrdma_sparse_table {
	__le64 *entry;
	unsigned long *slot;
	u64 dma;
	u32 used;
	u32 retracted;
};

/**
 * struct xrdma_sparse_ops - what xrdma_sparse_reap() does with retracted
 *	entries
 * @unmap: called for each block: its bus address, the page frame number of its
 *	first page, log2 of its bytes, and whether the device could write to it
 * @free: called for each table of level 1 without entries; the callback frees
 *	the table
 */
struct xrdma_sparse_ops {
	void (*unmap)(void *context, u64 addr, unsigned long pfn, u8 shift,
		      bool write);
	void (*free)(void *context, struct xrdma_sparse_table *table);
};

/* Index in the table of level 2 of the entry for an offset */
static inline u32 xrdma_sparse_top_index(u64 offset)
{
	return xrdma_xlat_index(XRDMA_LEAF_SHIFT_MIN, 2, offset);
}

/* Index in a table of level 1 of the entry for an offset */
static inline u32 xrdma_sparse_leaf_index(u64 offset)
{
	return xrdma_xlat_index(XRDMA_LEAF_SHIFT_MIN, 1, offset);
}

/* An entry in CPU byte order */
static inline u64 xrdma_sparse_entry(const struct xrdma_sparse_table *table,
				     u32 index)
{
	return le64_to_cpu(table->entry[index]);
}

/* The device may read the entry at the same time: store it at once. */
static inline void xrdma_sparse_store(struct xrdma_sparse_table *table,
				      u32 index, u64 entry)
{
	WRITE_ONCE(table->entry[index], cpu_to_le64(entry));
}

/**
 * xrdma_sparse_leaf() - look up the table of level 1 for an offset
 * @top: table of level 2
 * @offset: offset in the span
 *
 * Return: the table; NULL if there is none, if it is retracted, or if a block of
 * 2 MiB covers the offset.
 */
static inline struct xrdma_sparse_table *
xrdma_sparse_leaf(const struct xrdma_sparse_table *top, u64 offset)
{
	u32 index = xrdma_sparse_top_index(offset);
	u64 entry = xrdma_sparse_entry(top, index);

	if (!(entry & XRDMA_MTT_VALID) || entry & XRDMA_MTT_BLOCK)
		return NULL;
	return (struct xrdma_sparse_table *)top->slot[index];
}

/**
 * xrdma_sparse_link() - add an empty table of level 1
 * @top: table of level 2; its entry for @offset is not in use
 * @offset: offset in the span
 * @leaf: the table. The caller has ordered the writes of its zeros before this
 *	call
 */
static inline void xrdma_sparse_link(struct xrdma_sparse_table *top, u64 offset,
				     struct xrdma_sparse_table *leaf)
{
	u32 index = xrdma_sparse_top_index(offset);

	top->slot[index] = (unsigned long)leaf;
	top->used++;
	xrdma_sparse_store(top, index, xrdma_make_mtt_table(leaf->dma));
}

/**
 * xrdma_sparse_present() - can the device translate by this entry?
 * @table: table of level 2 or 1
 * @index: index of the entry
 * @write: also for a write
 *
 * Return: true if the entry is a block that is not retracted, and that the
 * device may write to if @write.
 */
static inline bool xrdma_sparse_present(const struct xrdma_sparse_table *table,
					u32 index, bool write)
{
	u64 need = XRDMA_MTT_VALID | XRDMA_MTT_BLOCK |
		   (write ? XRDMA_MTT_WRITE : 0);

	return (xrdma_sparse_entry(table, index) & need) == need;
}

/**
 * xrdma_sparse_map() - write the entry of a block
 * @table: table of level 2 or 1
 * @index: index of an entry that is not in use
 * @addr: bus address of the block, aligned to its size
 * @pfn: page frame number of its first page, not 0
 * @write: the device may write to the block
 */
static inline void xrdma_sparse_map(struct xrdma_sparse_table *table, u32 index,
				    u64 addr, unsigned long pfn, bool write)
{
	table->slot[index] = pfn;
	table->used++;
	xrdma_sparse_store(table, index, xrdma_make_mtt_block(addr) |
			   (write ? XRDMA_MTT_WRITE : 0));
}

/**
 * xrdma_sparse_allow_write() - let the device write to a block
 * @table: table of level 2 or 1
 * @index: index of an entry for which xrdma_sparse_present() is true
 */
static inline void xrdma_sparse_allow_write(struct xrdma_sparse_table *table,
					    u32 index)
{
	xrdma_sparse_store(table, index,
			   xrdma_sparse_entry(table, index) | XRDMA_MTT_WRITE);
}

static inline void xrdma_sparse_retract_one(struct xrdma_sparse_table *table,
					    u32 index)
{
	xrdma_sparse_store(table, index,
			   xrdma_sparse_entry(table, index) & ~XRDMA_MTT_VALID);
	table->retracted++;
}

/* Retract the entries from @first to @last. Return: there was a valid one. */
static inline bool xrdma_sparse_retract_leaf(struct xrdma_sparse_table *leaf,
					     u32 first, u32 last)
{
	bool any = false;
	u32 i;

	for (i = first; i <= last; i++) {
		if (!(xrdma_sparse_entry(leaf, i) & XRDMA_MTT_VALID))
			continue;
		xrdma_sparse_retract_one(leaf, i);
		any = true;
	}
	return any;
}

/* The end of the 2 MiB that contain an offset */
static inline u64 xrdma_sparse_huge_end(u64 offset)
{
	return (offset | (XRDMA_HUGE_SIZE - 1)) + 1;
}

/**
 * xrdma_sparse_retract() - retract the entries of a range
 * @top: table of level 2
 * @from: start of the range in the span, a multiple of 4 KiB; on return, start
 *	of the range that the retracted entries cover
 * @to: end of the range, likewise
 *
 * An entry that covers a part of the range is retracted too, and so is a table
 * of level 1 that has no other entries. Therefore the range may grow to
 * multiples of 2 MiB.
 *
 * Return: true if the device may have used one of the entries, so that the
 * caller must wait for the device before xrdma_sparse_reap().
 */
static inline bool xrdma_sparse_retract(struct xrdma_sparse_table *top,
					u64 *from, u64 *to)
{
	u64 at, next, end = *to;
	bool any = false;

	for (at = *from; at < end; at = next) {
		u32 index = xrdma_sparse_top_index(at);
		struct xrdma_sparse_table *leaf = xrdma_sparse_leaf(top, at);

		next = xrdma_sparse_huge_end(at);
		if (!(xrdma_sparse_entry(top, index) & XRDMA_MTT_VALID))
			continue;
		if (leaf) {
			u64 last = (next < end ? next : end) - 1;

			any |= xrdma_sparse_retract_leaf(leaf,
					xrdma_sparse_leaf_index(at),
					xrdma_sparse_leaf_index(last));
			if (leaf->used != leaf->retracted)
				continue;
		}
		xrdma_sparse_retract_one(top, index);
		any = true;
		if (next - XRDMA_HUGE_SIZE < *from)
			*from = next - XRDMA_HUGE_SIZE;
		if (next > *to)
			*to = next;
	}
	return any;
}

static inline void xrdma_sparse_reap_one(struct xrdma_sparse_table *table,
					 u32 index)
{
	xrdma_sparse_store(table, index, 0);
	table->slot[index] = 0;
	table->used--;
	table->retracted--;
}

/* Unmap the retracted block of an entry, if it is one. */
static inline void xrdma_sparse_reap_block(struct xrdma_sparse_table *table,
					   u32 index, u8 shift,
					   const struct xrdma_sparse_ops *ops,
					   void *context)
{
	u64 entry = xrdma_sparse_entry(table, index);

	if (!table->slot[index] || entry & XRDMA_MTT_VALID)
		return;
	ops->unmap(context, entry & XRDMA_MTT_ADDR, table->slot[index], shift,
		   entry & XRDMA_MTT_WRITE);
	xrdma_sparse_reap_one(table, index);
}

/**
 * xrdma_sparse_reap() - clear the retracted entries of a range
 * @top: table of level 2
 * @from: start of the range from xrdma_sparse_retract()
 * @to: end of this range
 * @ops: callbacks for the memory of the entries
 * @context: first argument of the callbacks
 *
 * The device does not use these entries any more.
 */
static inline void xrdma_sparse_reap(struct xrdma_sparse_table *top, u64 from,
				     u64 to, const struct xrdma_sparse_ops *ops,
				     void *context)
{
	u64 at;

	for (at = from; at < to; at = xrdma_sparse_huge_end(at)) {
		u32 i, index = xrdma_sparse_top_index(at);
		u64 entry = xrdma_sparse_entry(top, index);
		struct xrdma_sparse_table *leaf;

		if (!top->slot[index])
			continue;
		if (entry & XRDMA_MTT_BLOCK) {
			xrdma_sparse_reap_block(top, index, XRDMA_HUGE_SHIFT,
						ops, context);
			continue;
		}
		leaf = (struct xrdma_sparse_table *)top->slot[index];
		for (i = 0; leaf->retracted && i < XRDMA_MTT_ENTRIES; i++)
			xrdma_sparse_reap_block(leaf, i, XRDMA_LEAF_SHIFT_MIN,
						ops, context);
		if (entry & XRDMA_MTT_VALID)
			continue;
		xrdma_sparse_reap_one(top, index);
		ops->free(context, leaf);
	}
}

#endif /* XRDMA_SPARSE_H */
