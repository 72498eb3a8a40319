// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA spans of paged regions: creates and frees spans of 1 GiB and their
 * tables, and takes pages from the device when the mappings of the process
 * change, or when the exporter of a dma-buf moves the memory. Regions are
 * created in xrdma_odp.c, pages are mapped in xrdma_odp_map.c and
 * xrdma_odp_dmabuf.c. The arithmetic of the tables is in xrdma_sparse.h.
 *
 * A span is created when a page in it is looked up for the first time, and its
 * tables when the first page is mapped. Both are freed with the region.
 *
 * The kernel does not pin the pages of a paged region. Before the mapping of a
 * page changes, it calls xrdma_span_invalidate(), and the page may be used for
 * another purpose when this function returns. So the function returns only
 * after the device has answered INVALIDATE_RANGE, or has been silenced. The
 * function may run while the kernel reclaims memory. It therefore allocates
 * nothing, and waits at most XRDMA_RANGE_TIMEOUT_MS of xrdma_cmd_exec.c for the
 * device before it resets the device. The same holds for xrdma_odp_zap(), after
 * which the exporter of a dma-buf moves the memory.
 *
 * If the device can neither be asked nor silenced, it may access the pages for
 * ever. Then the span keeps its pages: each gets a reference, and stays mapped for
 * DMA, so that the kernel gives it to nobody else.
 */

#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include "xrdma_cmd.h"
#include "xrdma_ibdev.h"
#include "xrdma_mr.h"
#include "xrdma_mtt.h"
#include "xrdma_odp.h"

/*
 * Flags of allocations while a page is mapped: they neither call the OOM killer
 * nor wait for long. If one fails, the device waits.
 */
#define XRDMA_SPAN_GFP	(__GFP_NORETRY | __GFP_NOWARN)

static struct device *xrdma_odp_dma(struct xrdma_odp *odp)
{
	return xrdma_to_dev(&odp->xib->hw);
}

/* ---- tables ---------------------------------------------------------------- */

/**
 * xrdma_odp_alloc_table() - allocate an empty table of level 2 or 1
 * @xib: the device
 *
 * The memory is charged to the active memory cgroup. If that is full, the
 * allocation fails: the device can wait, no process has to be killed.
 *
 * Context: may sleep.
 * Return: the table or NULL.
 */
struct xrdma_sparse_table *xrdma_odp_alloc_table(struct xrdma_ibdev *xib)
{
	struct device *dev = xrdma_to_dev(&xib->hw);
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | XRDMA_SPAN_GFP;
	struct xrdma_sparse_table *table;
	dma_addr_t dma;

	table = kzalloc_obj(*table, gfp);
	if (!table)
		return NULL;
	table->entry = (__le64 *)__get_free_page(gfp);
	table->slot = (unsigned long *)__get_free_page(gfp);
	if (!table->entry || !table->slot)
		goto err_free;
	dma = dma_map_page(dev, virt_to_page(table->entry), 0,
			   XRDMA_MTT_TABLE_SIZE, DMA_TO_DEVICE);
	if (dma_mapping_error(dev, dma))
		goto err_free;
	table->dma = dma;
	return table;

err_free:
	free_page((unsigned long)table->slot);
	free_page((unsigned long)table->entry);
	kfree(table);
	return NULL;
}

/**
 * xrdma_odp_free_table() - free a table of level 2 or 1
 * @xib: the device, which does not use the table any more
 * @table: the table without entries, or NULL
 *
 * Context: may sleep. Allocates nothing.
 */
void xrdma_odp_free_table(struct xrdma_ibdev *xib,
			  struct xrdma_sparse_table *table)
{
	if (!table)
		return;
	dma_unmap_page(xrdma_to_dev(&xib->hw), table->dma, XRDMA_MTT_TABLE_SIZE,
		       DMA_TO_DEVICE);
	free_page((unsigned long)table->slot);
	free_page((unsigned long)table->entry);
	kfree(table);
}

/* Store the entry of a table in a table of level 4 or 3, which is a page. */
static void xrdma_odp_store_table(struct xrdma_odp *odp, struct page *page,
				  u32 index, u64 dma)
{
	__le64 *table = page_address(page);

	/* order the zeros of the lower table before the entry */
	dma_wmb();
	WRITE_ONCE(table[index], cpu_to_le64(xrdma_make_mtt_table(dma)));
	dma_sync_single_for_device(xrdma_odp_dma(odp), page_private(page),
				   XRDMA_MTT_TABLE_SIZE, DMA_TO_DEVICE);
}

/* ---- changes of mappings --------------------------------------------------- */

/*
 * The memory of one page or huge page leaves the device. Memory of a dma-buf is
 * unmapped as a whole by its exporter, after all of it has left the device.
 *
 * The device may have written to the page after the kernel has last cleared its
 * dirty bits. The caller of the MMU notifier holds the mapping of the page until
 * the notifier returns; it may hold the lock of the page, or not. A page that the
 * span has kept may have no mapping any more, and nobody holds its lock. The kernel
 * finds written DAX memory by the entries of the page tables; its pages have no
 * dirty bit.
 */
static void xrdma_span_unmap(void *context, u64 addr, unsigned long pfn,
			     u8 shift, bool write)
{
	struct xrdma_span *span = context;
	struct page *page;

	cond_resched();
	if (!span->odp->mm)
		return;
	page = pfn_to_page(pfn);
	dma_unmap_page_attrs(xrdma_odp_dma(span->odp), addr, 1UL << shift,
			     DMA_BIDIRECTIONAL, DMA_ATTR_REQUIRE_COHERENT);
	write = write && !is_zone_device_page(page);
	if (write && span->kept)
		set_page_dirty_lock(page);
	else if (write)
		set_page_dirty(compound_head(page));
	if (span->kept)
		put_page(page);
}

static void xrdma_span_free_table(void *context,
				  struct xrdma_sparse_table *table)
{
	struct xrdma_span *span = context;

	xrdma_odp_free_table(span->odp->xib, table);
}

static const struct xrdma_sparse_ops xrdma_span_ops = {
	.unmap = xrdma_span_unmap,
	.free = xrdma_span_free_table,
};

/**
 * xrdma_span_sync() - make changes of the tables of a range visible to the
 *	device
 * @span: the span
 * @from: offset in the span of the start of the range
 * @to: offset in the span of the end of the range
 *
 * Context: any. The caller holds xrdma_span.lock, and xrdma_span.top exists.
 */
void xrdma_span_sync(struct xrdma_span *span, u64 from, u64 to)
{
	struct device *dev = xrdma_odp_dma(span->odp);
	u64 at;

	for (at = from; at < to; at = xrdma_sparse_huge_end(at)) {
		struct xrdma_sparse_table *leaf;

		leaf = xrdma_sparse_leaf(span->top, at);
		if (leaf)
			dma_sync_single_for_device(dev, leaf->dma,
						   XRDMA_MTT_TABLE_SIZE,
						   DMA_TO_DEVICE);
	}
	dma_sync_single_for_device(dev, span->top->dma, XRDMA_MTT_TABLE_SIZE,
				   DMA_TO_DEVICE);
}

/* Take a reference to each page of a table. */
static void xrdma_table_keep(const struct xrdma_sparse_table *table)
{
	u32 i;

	for (i = 0; i < XRDMA_MTT_ENTRIES; i++) {
		u64 entry = xrdma_sparse_entry(table, i);

		if (!table->slot[i])
			continue;
		if (entry & XRDMA_MTT_BLOCK)
			get_page(pfn_to_page(table->slot[i]));
		else
			xrdma_table_keep((const void *)table->slot[i]);
	}
}

static void xrdma_span_keep_locked(struct xrdma_span *span)
{
	lockdep_assert_held(&span->lock);

	if (span->kept || !span->odp->mm)
		return;
	if (span->top)
		xrdma_table_keep(span->top);
	span->kept = true;
}

/**
 * xrdma_span_keep() - keep the pages of a span
 * @span: the span of memory of a process. A device that could not be silenced may
 *	access the pages
 *
 * The pages have references until xrdma_span_retire(), and no page is added.
 *
 * Context: may sleep, for a bounded time.
 */
void xrdma_span_keep(struct xrdma_span *span)
{
	mutex_lock(&span->lock);
	xrdma_span_keep_locked(span);
	mutex_unlock(&span->lock);
}

/*
 * Wait until the device does not use the retracted entries of a range. Return:
 * false: the device could not be silenced, and may use them for ever.
 */
static bool xrdma_span_fence(struct xrdma_span *span, u64 from, u64 to)
{
	struct xrdma_odp *odp = span->odp;
	struct xrdma_ibdev *xib = odp->xib;

	atomic64_inc(&odp->stats[XRDMA_ODP_INVALIDATIONS]);
	xrdma_span_sync(span, from, to);
	if (!xrdma_cmd_invalidate_range(&xib->hw, odp->mr->key_index,
					span->pos + from, to - from))
		return true;
	ibdev_err_ratelimited(&xib->ibdev,
			      "device cannot be silenced: pages stay in use, key index %#x, position %#llx\n",
			      odp->mr->key_index, span->pos + from);
	return false;
}

/*
 * Take the pages of a range of offsets in a span from the device. If that is not
 * possible, keep the pages of the span.
 */
static void xrdma_span_zap(struct xrdma_span *span, u64 from, u64 to)
{
	lockdep_assert_held(&span->lock);

	if (!span->top || span->kept ||
	    !xrdma_sparse_retract(span->top, &from, &to))
		return;
	if (xrdma_span_fence(span, from, to))
		xrdma_sparse_reap(span->top, from, to, &xrdma_span_ops, span);
	else
		xrdma_span_keep_locked(span);
}

/**
 * xrdma_odp_zap() - take all memory of a region from the device
 * @odp: memory of a paged region
 *
 * When this function returns, the device does not use entries that the tables
 * had when it was called. The caller prevents new entries, if there must be
 * none.
 *
 * Context: may sleep, for a bounded time; allocates nothing.
 */
void xrdma_odp_zap(struct xrdma_odp *odp)
{
	struct xrdma_span *span;
	unsigned long number;

	xa_for_each(&odp->spans, number, span) {
		mutex_lock(&span->lock);
		xrdma_span_zap(span, 0, XRDMA_SPAN_SIZE);
		mutex_unlock(&span->lock);
	}
}

/* Has the device no table and no page for a range of offsets in a span? */
static bool xrdma_span_is_empty(const struct xrdma_span *span, u64 from, u64 to)
{
	u64 at;

	for (at = from; span->top && at < to; at = xrdma_sparse_huge_end(at))
		if (span->top->slot[xrdma_sparse_top_index(at)])
			return false;
	return true;
}

/*
 * Lock the span for a change of the mappings from offset @from to @to. A caller
 * that must not sleep gets the lock only if the device has nothing of the range,
 * since INVALIDATE_RANGE sleeps. Return: false: the span is not locked.
 */
static bool xrdma_span_lock(struct xrdma_span *span, bool may_sleep, u64 from,
			    u64 to)
{
	if (may_sleep) {
		mutex_lock(&span->lock);
		return true;
	}
	if (!mutex_trylock(&span->lock))
		return false;
	if (xrdma_span_is_empty(span, from, to))
		return true;
	mutex_unlock(&span->lock);
	return false;
}

/*
 * mmu_interval_notifier_ops.invalidate: the mapping of an address range is about
 * to change.
 */
static bool xrdma_span_invalidate(struct mmu_interval_notifier *notifier,
				  const struct mmu_notifier_range *range,
				  unsigned long seq)
{
	struct xrdma_span *span = container_of(notifier, struct xrdma_span,
					       notifier);
	u64 start = span->odp->base + span->pos;
	u64 from = round_down(max_t(u64, range->start, start) - start, PAGE_SIZE);
	u64 to = round_up(min_t(u64, range->end, start + XRDMA_SPAN_SIZE) - start,
			  PAGE_SIZE);

	if (!xrdma_span_lock(span, mmu_notifier_range_blockable(range), from, to))
		return false;
	mmu_interval_set_seq(notifier, seq);
	if (from < to)
		xrdma_span_zap(span, from, to);
	mutex_unlock(&span->lock);
	return true;
}

static const struct mmu_interval_notifier_ops xrdma_span_notifier_ops = {
	.invalidate = xrdma_span_invalidate,
};

/* ---- spans ----------------------------------------------------------------- */

/**
 * xrdma_span_retire() - take all pages of a span from the device, and free its
 *	tables
 * @span: the span of a region whose key the device does not use any more, and
 *	whose pages nobody maps any more
 *
 * The structure stays as long as xrdma_odp_hold() does: a page of the process may
 * be on its way into memory, and xrdma_odp_map.c look at the sequence number of the
 * notifier.
 *
 * Context: may sleep.
 */
void xrdma_span_retire(struct xrdma_span *span)
{
	u64 from = 0, to = XRDMA_SPAN_SIZE;

	/* before the notifier goes, which keeps the pages from being freed */
	mutex_lock(&span->lock);
	if (span->top) {
		xrdma_sparse_retract(span->top, &from, &to);
		xrdma_sparse_reap(span->top, 0, XRDMA_SPAN_SIZE,
				  &xrdma_span_ops, span);
	}
	xrdma_odp_free_table(span->odp->xib, span->top);
	span->top = NULL;
	mutex_unlock(&span->lock);
	if (span->odp->mm && !span->odp->kept)
		mmu_interval_notifier_remove(&span->notifier);
}

/* Insert the MMU notifier of a span of memory of a process. */
static int xrdma_span_watch(struct xrdma_span *span)
{
	struct xrdma_odp *odp = span->odp;
	u64 from = max(span->pos, odp->first);
	u64 to = min(span->pos + XRDMA_SPAN_SIZE, odp->end);

	return mmu_interval_notifier_insert(&span->notifier, odp->mm,
					    odp->base + from, to - from,
					    &xrdma_span_notifier_ops);
}

static struct xrdma_span *xrdma_span_alloc(struct xrdma_odp *odp, u64 pos)
{
	struct xrdma_span *span;
	int err;

	span = kzalloc_obj(*span, GFP_KERNEL_ACCOUNT | XRDMA_SPAN_GFP);
	if (!span)
		return ERR_PTR(-ENOMEM);
	span->odp = odp;
	span->pos = pos;
	mutex_init(&span->lock);
	err = odp->mm ? xrdma_span_watch(span) : 0;
	if (!err)
		return span;
	mutex_destroy(&span->lock);
	kfree(span);
	return ERR_PTR(err);
}

/* Undo xrdma_span_alloc(). */
static void xrdma_span_free(struct xrdma_span *span)
{
	if (span->odp->mm)
		mmu_interval_notifier_remove(&span->notifier);
	mutex_destroy(&span->lock);
	kfree(span);
}

/*
 * Add a span to a region that has not ended. Return: the span of the position,
 * maybe another one; or an ERR_PTR().
 */
static struct xrdma_span *xrdma_odp_add_span(struct xrdma_odp *odp,
					     struct xrdma_span *span)
{
	unsigned long number = span->pos >> XRDMA_SPAN_SHIFT;
	struct xrdma_span *old;

	if (!xrdma_odp_begin(odp))
		return ERR_PTR(-ENODEV);
	mutex_lock(&odp->grow);
	old = xa_load(&odp->spans, number);
	if (!old)
		old = xa_err(xa_store(&odp->spans, number, span,
				      GFP_KERNEL_ACCOUNT | XRDMA_SPAN_GFP)) ?
		      ERR_PTR(-ENOMEM) : span;
	mutex_unlock(&odp->grow);
	xrdma_odp_end(odp);
	return old;
}

/**
 * xrdma_odp_span() - find the span of a position, or create it
 * @odp: memory of a paged region, to which the caller has a reference of
 *	xrdma_odp_hold(). The caller keeps the address space alive (mmget()), if
 *	there is one
 * @pos: position in the region
 *
 * Context: may sleep, as long as others hold the mmap lock. The caller of a region
 * with an address space is not between xrdma_odp_begin() and xrdma_odp_end().
 * Return: the span, which lives as long as @odp; or an ERR_PTR(): -ENODEV: the
 * region has ended; -ENOMEM, or an errno of mmu_interval_notifier_insert().
 */
struct xrdma_span *xrdma_odp_span(struct xrdma_odp *odp, u64 pos)
{
	struct xrdma_span *span = xa_load(&odp->spans, pos >> XRDMA_SPAN_SHIFT);
	struct xrdma_span *fresh;

	if (span)
		return span;
	fresh = xrdma_span_alloc(odp, round_down(pos, XRDMA_SPAN_SIZE));
	if (IS_ERR(fresh))
		return fresh;
	span = xrdma_odp_add_span(odp, fresh);
	if (span != fresh)
		xrdma_span_free(fresh);
	return span;
}

/* The page with the table of level 3 for a position */
static struct page *xrdma_odp_upper(struct xrdma_odp *odp, u64 pos)
{
	gfp_t gfp = GFP_KERNEL_ACCOUNT | XRDMA_SPAN_GFP;
	struct xrdma_mtt *mtt = &odp->mr->mtt;
	struct page *root = list_first_entry(&mtt->tables, struct page, lru);
	unsigned long number = pos >> XRDMA_UPPER_SHIFT;
	struct page *page;
	int err;

	if (mtt->level < XRDMA_ROOT_MAX_LEVEL)
		return root;
	page = xa_load(&odp->uppers, number);
	if (page)
		return page;
	err = xa_reserve(&odp->uppers, number, gfp);
	if (err)
		return ERR_PTR(err);
	page = xrdma_mtt_alloc_table(&odp->xib->hw, mtt, XRDMA_SPAN_GFP);
	if (!page) {
		xa_release(&odp->uppers, number);
		return ERR_PTR(-ENOMEM);
	}
	xa_store(&odp->uppers, number, page, gfp);
	xrdma_odp_store_table(odp, root, number % XRDMA_MTT_ENTRIES,
			      page_private(page));
	return page;
}

/* Give a span its table of level 2. */
static int xrdma_span_add_top(struct xrdma_span *span)
{
	unsigned long number = span->pos >> XRDMA_SPAN_SHIFT;
	struct xrdma_odp *odp = span->odp;
	struct xrdma_sparse_table *top;
	struct page *upper;

	upper = xrdma_odp_upper(odp, span->pos);
	if (IS_ERR(upper))
		return PTR_ERR(upper);
	top = xrdma_odp_alloc_table(odp->xib);
	if (!top)
		return -ENOMEM;
	mutex_lock(&span->lock);
	span->top = top;
	mutex_unlock(&span->lock);
	xrdma_odp_store_table(odp, upper, number % XRDMA_MTT_ENTRIES, top->dma);
	return 0;
}

/**
 * xrdma_span_grow() - give a span its table of level 2, if it has none
 * @span: the span; the caller is between xrdma_odp_begin() and xrdma_odp_end()
 *
 * Context: may sleep, for a bounded time.
 * Return: 0 or -ENOMEM.
 */
int xrdma_span_grow(struct xrdma_span *span)
{
	struct xrdma_odp *odp = span->odp;
	int err = 0;

	mutex_lock(&odp->grow);
	if (!span->top)
		err = xrdma_span_add_top(span);
	mutex_unlock(&odp->grow);
	return err;
}
