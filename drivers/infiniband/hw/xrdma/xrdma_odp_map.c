// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA mapping of pages of paged regions: looks up the pages of the process, and
 * writes the entries of the tables by which the device finds them. When to map
 * what is decided by xrdma_odp_fault.c and xrdma_odp_verbs.c; pages that are not
 * present are brought into memory by xrdma_page_in.c; pages are taken from the
 * device in xrdma_span.c. Memory of a dma-buf is mapped in xrdma_odp_dmabuf.c.
 *
 * hmm_range_fault() finds the pages without pinning them. Their mapping may
 * change before the entries are written. The sequence number of the span's MMU
 * notifier, compared under the lock of the span, tells whether it did: then the
 * pages are looked up again. After the comparison the notifier waits for the
 * lock, finds the entries, and takes the pages from the device.
 *
 * Only xrdma_window_enter() uses the region and the device. All that comes before
 * it may wait for any time: see xrdma_odp.h.
 *
 * All memory that is allocated on the way is charged to the memory cgroup of the
 * process whose memory is mapped: page faults are handled in kernel threads,
 * whose own memory cgroup is the root.
 */

#include <linux/dma-mapping.h>
#include <linux/hmm.h>
#include <linux/memcontrol.h>
#include <linux/memremap.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include "xrdma_ibdev.h"
#include "xrdma_mr.h"
#include "xrdma_odp.h"
#include "xrdma_persistent.h"

/* Largest number of bytes that are looked up and mapped together */
#define XRDMA_ODP_WINDOW	(2 * XRDMA_HUGE_SIZE)
#define XRDMA_ODP_WINDOW_PAGES		(XRDMA_ODP_WINDOW >> PAGE_SHIFT)
/* A window that is not aligned touches one table more. */
#define XRDMA_ODP_TABLES	(XRDMA_ODP_WINDOW / XRDMA_HUGE_SIZE + 1)
/* Number of times that pages are looked up before the device has to wait */
#define XRDMA_ODP_TRIES		64

/**
 * enum xrdma_window_stage - what has been brought into memory
 * @XRDMA_WINDOW_NOTHING: nothing
 * @XRDMA_WINDOW_FIRST: the first page that was missing, and, if the process uses
 *	huge pages, 2 MiB with it
 * @XRDMA_WINDOW_ALL: all pages of the window, as far as that was possible
 */
enum xrdma_window_stage {
	XRDMA_WINDOW_NOTHING,
	XRDMA_WINDOW_FIRST,
	XRDMA_WINDOW_ALL,
};

/**
 * struct xrdma_odp_window - pages of one span that are mapped together
 * @span: the span
 * @from: offset in the span of the first page
 * @to: offset in the span of the end
 * @need: offset in the span of the end of the pages that must be present
 * @stage: what has been brought into memory
 * @flags: enum xrdma_odp_map_flags
 * @seq: sequence number of the notifier before the pages were looked up
 * @pfns: the pages, as hmm_range_fault() returns them
 * @spare: empty tables of level 1
 * @num_spare: number of tables in @spare
 * @mapped: number of pages that were mapped
 */
struct xrdma_odp_window {
	struct xrdma_span *span;
	u64 from;
	u64 to;
	u64 need;
	enum xrdma_window_stage stage;
	u32 flags;
	unsigned long seq;
	unsigned long *pfns;
	struct xrdma_sparse_table *spare[XRDMA_ODP_TABLES];
	u32 num_spare;
	u32 mapped;
};

static u32 xrdma_window_pages(const struct xrdma_odp_window *w)
{
	return (w->to - w->from) >> PAGE_SHIFT;
}

/* The page at @offset, which is in the window */
static unsigned long xrdma_window_pfn(const struct xrdma_odp_window *w,
				      u64 offset)
{
	return w->pfns[(offset - w->from) >> PAGE_SHIFT];
}

static unsigned long xrdma_hmm_pfn(unsigned long hmm_pfn)
{
	return hmm_pfn & ~HMM_PFN_FLAGS;
}

static u64 xrdma_window_address(const struct xrdma_odp_window *w, u64 offset)
{
	return w->span->odp->base + w->span->pos + offset;
}

/*
 * Look up the pages that are present. The window ends before memory that no device
 * may access. Return: 0; -EFAULT: that is the first page; or an errno of
 * hmm_range_fault().
 */
static int xrdma_window_collect(struct xrdma_odp_window *w)
{
	struct xrdma_span *span = w->span;
	struct mm_struct *mm = span->odp->mm;
	struct hmm_range range = {
		.notifier = &span->notifier,
		.start = xrdma_window_address(w, w->from),
		.end = xrdma_window_address(w, w->to),
		.hmm_pfns = w->pfns,
	};
	int err;

	memset(w->pfns, 0, xrdma_window_pages(w) * sizeof(*w->pfns));
	range.notifier_seq = mmu_interval_read_begin(&span->notifier);
	w->seq = range.notifier_seq;
	mmap_read_lock(mm);
	range.end = xrdma_page_allowed(mm, range.start, range.end);
	w->to = w->from + (range.end - range.start);
	err = range.end > range.start ? hmm_range_fault(&range) : -EFAULT;
	mmap_read_unlock(mm);
	return err;
}

/*
 * If the first page of the window is a part of a huge page, make the 2 MiB of it
 * the window. Return: false if it is not, or if the region ends in these 2 MiB.
 */
static bool xrdma_window_extend(struct xrdma_odp_window *w)
{
	struct xrdma_odp *odp = w->span->odp;
	u64 from = round_down(w->from, XRDMA_HUGE_SIZE);
	u64 to = from + XRDMA_HUGE_SIZE;
	unsigned long pfn = w->pfns[0];

	if (!(pfn & HMM_PFN_VALID) ||
	    hmm_pfn_to_map_order(pfn) < XRDMA_HUGE_SHIFT - PAGE_SHIFT)
		return false;
	if (w->span->pos + from < odp->first || w->span->pos + to > odp->end)
		return false;
	w->from = from;
	w->to = to;
	return true;
}

/*
 * Look up the pages from @from to @to; if the first one is a part of a huge page,
 * all of that and nothing else.
 */
static int xrdma_window_look_up(struct xrdma_odp_window *w, u64 from, u64 to)
{
	int err;

	w->from = from;
	w->to = to;
	err = xrdma_window_collect(w);
	if (!err && xrdma_window_extend(w))
		err = xrdma_window_collect(w);
	return err;
}

/* The first page from @at to @end that misses. Return: @end if there is none. */
static u64 xrdma_window_missing(const struct xrdma_odp_window *w, u64 at, u64 end)
{
	bool write = w->flags & XRDMA_ODP_MAP_WRITE &&
		     !(w->flags & XRDMA_ODP_MAP_AHEAD);

	while (at < end && !xrdma_pfn_misses(xrdma_window_pfn(w, at), write))
		at += PAGE_SIZE;
	return at;
}

static int xrdma_window_page_in(struct xrdma_odp_window *w, u64 at, u64 end)
{
	return xrdma_page_in(w->span->odp, xrdma_window_address(w, at),
			     &w->pfns[(at - w->from) >> PAGE_SHIFT],
			     (end - at) >> PAGE_SHIFT, w->flags);
}

/*
 * Bring pages from @from on into memory if one that is needed misses, and then
 * also the others of the window: the first page alone, since it may be a part of
 * a huge page; then all. Return: 0: no page that is needed misses; -EAGAIN: the
 * pages have to be looked up again; -EFAULT: the device cannot use a page that is
 * needed; or an errno of xrdma_page_in().
 */
static int xrdma_window_bring(struct xrdma_odp_window *w, u64 from)
{
	bool window = w->stage == XRDMA_WINDOW_FIRST;
	u64 need = min(w->need, w->to);
	u64 end = window ? w->to : need;
	u64 at = xrdma_window_missing(w, from, end);
	int err;

	if (w->flags & XRDMA_ODP_MAP_PRESENT || at >= end)
		return 0;
	if (xrdma_window_pfn(w, at) & HMM_PFN_ERROR && at < need)
		return -EFAULT;
	if (w->stage == XRDMA_WINDOW_NOTHING)
		end = at + PAGE_SIZE;
	err = xrdma_window_page_in(w, at, end);
	if (w->stage < XRDMA_WINDOW_ALL)
		w->stage++;
	/* without the rest of the window, the access makes progress, too */
	return err && !window ? err : -EAGAIN;
}

/* Do the 2 MiB at @offset, which are in the window, belong to one huge page? */
static bool xrdma_window_is_huge(const struct xrdma_odp_window *w, u64 offset)
{
	unsigned long pages = XRDMA_HUGE_SIZE >> PAGE_SHIFT;
	unsigned long pfn = xrdma_window_pfn(w, offset);

	return !(offset % XRDMA_HUGE_SIZE) &&
	       w->to - offset >= XRDMA_HUGE_SIZE &&
	       pfn & HMM_PFN_VALID && !(xrdma_hmm_pfn(pfn) % pages) &&
	       hmm_pfn_to_map_order(pfn) >= XRDMA_HUGE_SHIFT - PAGE_SHIFT;
}

/* Is a page present from @at to the end of its 2 MiB or of the window? */
static bool xrdma_window_has_page(const struct xrdma_odp_window *w, u64 at)
{
	u64 end = min(xrdma_sparse_huge_end(at), w->to);

	for (; at < end; at += PAGE_SIZE)
		if (xrdma_window_pfn(w, at) & HMM_PFN_VALID)
			return true;
	return false;
}

/* Allocate the tables of level 1 that the window is likely to need. */
static int xrdma_window_alloc_tables(struct xrdma_odp_window *w)
{
	u32 need = 0;
	u64 at;

	for (at = w->from; at < w->to; at = xrdma_sparse_huge_end(at)) {
		u32 index = xrdma_sparse_top_index(at);

		if (!READ_ONCE(w->span->top->slot[index]) &&
		    !xrdma_window_is_huge(w, at) &&
		    xrdma_window_has_page(w, at))
			need++;
	}
	while (w->num_spare < need) {
		struct xrdma_sparse_table *table;

		table = xrdma_odp_alloc_table(w->span->odp->xib);
		if (!table)
			return -ENOMEM;
		w->spare[w->num_spare++] = table;
	}
	return 0;
}

/*
 * Write the entry @index for the 1 << @shift bytes of a page at offset @at, which
 * is in the window, unless the entry is there. A page of the kernel may have more
 * bytes than an entry of level 1. Return: 0; -EFAULT: the device cannot use the
 * page; -ENOMEM: it cannot be mapped for DMA.
 */
static int xrdma_window_map_block(struct xrdma_odp_window *w,
				  struct xrdma_sparse_table *table, u32 index,
				  u64 at, u8 shift)
{
	struct xrdma_odp *odp = w->span->odp;
	struct device *dev = xrdma_to_dev(&odp->xib->hw);
	unsigned long hmm_pfn = xrdma_window_pfn(w, at);
	unsigned long pfn = xrdma_hmm_pfn(hmm_pfn);
	struct page *page = pfn_to_page(pfn);
	bool write = hmm_pfn & HMM_PFN_WRITE &&
		     odp->mr->access & XRDMA_ACCESS_LOCAL_WRITE;
	dma_addr_t dma;

	if (xrdma_sparse_present(table, index, false)) {
		if (write)
			xrdma_sparse_allow_write(table, index);
		return 0;
	}
	/*
	 * Memory of a PCI function needs an address of its bus, and memory that
	 * is private to a device has no address. Other memory of ZONE_DEVICE,
	 * such as persistent memory (DAX), is mapped like any other.
	 */
	if (is_pci_p2pdma_page(page) || is_device_private_page(page))
		return -EFAULT;
	if (odp->mr->access & XRDMA_ACCESS_FLUSH_PERSISTENT &&
	    !xrdma_is_persistent(page_to_phys(page) + offset_in_page(at),
				 1ULL << shift))
		return -EFAULT;
	/*
	 * The zero page stands for any number of pages that were never written
	 * to. Without the attribute, a kernel with CONFIG_DMA_API_DEBUG warns of
	 * its eighth mapping.
	 */
	dma = dma_map_page_attrs(dev, page, offset_in_page(at), 1UL << shift,
				 DMA_BIDIRECTIONAL, DMA_ATTR_REQUIRE_COHERENT);
	if (dma_mapping_error(dev, dma))
		return -ENOMEM;
	xrdma_sparse_map(table, index, dma, pfn, write);
	w->mapped += 1U << (shift - XRDMA_LEAF_SHIFT_MIN);
	return 0;
}

/*
 * Get the table of level 1 for an offset. Return: NULL: the window has no spare
 * table.
 */
static struct xrdma_sparse_table *xrdma_window_leaf(struct xrdma_odp_window *w,
						    u64 offset)
{
	struct xrdma_sparse_table *top = w->span->top;
	struct xrdma_sparse_table *leaf = xrdma_sparse_leaf(top, offset);

	if (leaf || !w->num_spare)
		return leaf;
	leaf = w->spare[--w->num_spare];
	/* order the zeros of the table before the entry that names the table */
	dma_wmb();
	xrdma_sparse_link(top, offset, leaf);
	return leaf;
}

/* Map the part of the window from @at to the end of its 2 MiB page by page. */
static int xrdma_window_map_pages(struct xrdma_odp_window *w, u64 at)
{
	u64 end = min(xrdma_sparse_huge_end(at), w->to);
	struct xrdma_sparse_table *leaf;
	int err = 0;

	if (!xrdma_window_has_page(w, at))
		return 0;
	leaf = xrdma_window_leaf(w, at);
	if (!leaf)
		return -EAGAIN;
	for (; !err && at < end; at += XRDMA_PAGE_SIZE)
		if (xrdma_window_pfn(w, at) & HMM_PFN_VALID)
			err = xrdma_window_map_block(w, leaf,
						     xrdma_sparse_leaf_index(at),
						     at, XRDMA_LEAF_SHIFT_MIN);
	dma_sync_single_for_device(xrdma_to_dev(&w->span->odp->xib->hw),
				   leaf->dma, XRDMA_MTT_TABLE_SIZE,
				   DMA_TO_DEVICE);
	return err;
}

/*
 * Map the part of the window from @at to the end of its 2 MiB: by one block if
 * it is a whole huge page and no table of level 1 is there, else page by page.
 */
static int xrdma_window_map_huge(struct xrdma_odp_window *w, u64 at)
{
	struct xrdma_sparse_table *top = w->span->top;
	u32 index = xrdma_sparse_top_index(at);
	unsigned long pfn = xrdma_window_pfn(w, at);

	if (xrdma_window_is_huge(w, at) && !xrdma_sparse_leaf(top, at))
		return xrdma_window_map_block(w, top, index, at,
					      XRDMA_HUGE_SHIFT);
	if (!xrdma_sparse_present(top, index, false))
		return xrdma_window_map_pages(w, at);
	/*
	 * The block that is there maps the same huge page: the notifier takes a
	 * block away before another page can have its address.
	 */
	if (pfn & HMM_PFN_WRITE && pfn & HMM_PFN_VALID &&
	    w->span->odp->mr->access & XRDMA_ACCESS_LOCAL_WRITE)
		xrdma_sparse_allow_write(top, index);
	return 0;
}

/*
 * Write the entries of the window. Return: 0; -EBUSY: the mapping has changed;
 * -EAGAIN: a table is missing; -EIO: the device could not be silenced; or an
 * errno of xrdma_window_map_block().
 */
static int xrdma_window_apply(struct xrdma_odp_window *w)
{
	struct xrdma_span *span = w->span;
	int err = 0;
	u64 at;

	mutex_lock(&span->lock);
	if (mmu_interval_read_retry(&span->notifier, w->seq))
		err = -EBUSY;
	if (span->kept)
		err = -EIO;
	for (at = w->from; !err && at < w->to; at = xrdma_sparse_huge_end(at))
		err = xrdma_window_map_huge(w, at);
	dma_sync_single_for_device(xrdma_to_dev(&span->odp->xib->hw),
				   span->top->dma, XRDMA_MTT_TABLE_SIZE,
				   DMA_TO_DEVICE);
	mutex_unlock(&span->lock);
	return err;
}

/* Allocate the tables for the window, and write its entries. */
static int xrdma_window_write(struct xrdma_odp_window *w)
{
	int err = xrdma_span_grow(w->span);

	if (!err)
		err = xrdma_window_alloc_tables(w);
	if (!err)
		err = xrdma_window_apply(w);
	while (w->num_spare)
		xrdma_odp_free_table(w->span->odp->xib,
				     w->spare[--w->num_spare]);
	return err;
}

/*
 * Give what is present in the window to the device, if the region has not ended.
 * Return: as xrdma_window_apply(); -ENODEV: the region has ended; -ENOMEM.
 */
static int xrdma_window_enter(struct xrdma_odp_window *w)
{
	struct xrdma_odp *odp = w->span->odp;
	u64 at = w->from;
	int err;

	while (at < w->to && !xrdma_window_has_page(w, at))
		at = xrdma_sparse_huge_end(at);
	if (at >= w->to)
		return 0;
	if (!xrdma_odp_begin(odp))
		return -ENODEV;
	err = xrdma_window_write(w);
	xrdma_odp_end(odp);
	return err;
}

/*
 * Map the pages from @from to @to that are present, or only the huge page to which
 * the first one belongs. If a page before @w->need misses, bring pages into memory
 * first. The window is what was mapped.
 */
static int xrdma_window_map(struct xrdma_odp_window *w, u64 from, u64 to)
{
	unsigned int tries = XRDMA_ODP_TRIES;
	int err;

	do {
		err = xrdma_window_look_up(w, from, to);
		if (!err)
			err = xrdma_window_bring(w, from);
		if (!err)
			err = xrdma_window_enter(w);
		cond_resched();
	} while ((err == -EBUSY || err == -EAGAIN) && --tries);
	atomic64_add(w->mapped, &w->span->odp->stats[XRDMA_ODP_PAGES]);
	return err;
}

/*
 * Map pages from @pos on, up to @end or as many as are mapped together; those
 * before @need must be present then. On success, @pos is the end of what was
 * mapped, which may be behind @end.
 */
static int xrdma_odp_map_part(struct xrdma_odp *odp, u64 *pos, u64 end,
			      u64 need, u32 flags, unsigned long *pfns)
{
	struct xrdma_odp_window w = { .flags = flags, .pfns = pfns };
	u64 offset = *pos & (XRDMA_SPAN_SIZE - 1);
	int err = 0;

	if (!(flags & XRDMA_ODP_MAP_PRESENT) && *pos < need)
		err = xrdma_page_check(odp->mm, odp->base + *pos,
				       flags & XRDMA_ODP_MAP_WRITE &&
				       !(flags & XRDMA_ODP_MAP_AHEAD));
	if (err)
		return err;
	w.span = xrdma_odp_span(odp, *pos);
	if (IS_ERR(w.span))
		return PTR_ERR(w.span);
	w.need = need > w.span->pos ? need - w.span->pos : 0;
	err = xrdma_window_map(&w, offset,
			       offset + min3(end - *pos, XRDMA_SPAN_SIZE - offset,
					     XRDMA_ODP_WINDOW));
	if (!err)
		*pos = w.span->pos + w.to;
	return err;
}

/*
 * Map whole pages, and charge the tables to the owner of the memory. On success,
 * @pos is the end of what was mapped.
 */
static int xrdma_odp_map_range(struct xrdma_odp *odp, u64 *pos, u64 end,
			       u64 need, u32 flags, unsigned long *pfns)
{
	struct mem_cgroup *memcg = get_mem_cgroup_from_mm(odp->mm);
	struct mem_cgroup *old = set_active_memcg(memcg);
	int err = 0;

	while (!err && *pos < end) {
		err = xrdma_odp_map_part(odp, pos, end, need, flags, pfns);
		if (fatal_signal_pending(current))
			err = -EINTR;
	}
	/* what the access needs is mapped */
	if (err && *pos >= need && err != -ENODEV && err != -EINTR)
		err = 0;
	set_active_memcg(old);
	mem_cgroup_put(memcg);
	return err;
}

/*
 * Map pages of the process. @pos, @end and @need are multiples of the page size.
 * On success, @pos is the end of what was mapped.
 */
static int xrdma_odp_map_mm(struct xrdma_odp *odp, u64 *pos, u64 end, u64 need,
			    u32 flags)
{
	unsigned long *pfns;
	int err = -EFAULT;

	pfns = kvmalloc_array(XRDMA_ODP_WINDOW_PAGES, sizeof(*pfns), GFP_KERNEL);
	if (!pfns)
		return -ENOMEM;
	if (mmget_not_zero(odp->mm)) {
		err = xrdma_odp_map_range(odp, pos, end, need, flags, pfns);
		/* the last reference must not end the address space here */
		mmput_async(odp->mm);
	}
	kvfree(pfns);
	return err;
}

/* Map memory of a dma-buf, if the region has not ended. */
static int xrdma_odp_map_buf(struct xrdma_odp *odp, u64 pos, u64 end, u32 flags)
{
	int err;

	if (!xrdma_odp_begin(odp))
		return -ENODEV;
	err = xrdma_odp_map_dmabuf(odp, pos, end, flags);
	xrdma_odp_end(odp);
	return err;
}

/**
 * xrdma_odp_map() - map pages of a paged region
 * @odp: memory of the region, to which the caller has a reference of
 *	xrdma_odp_hold()
 * @pos: position of the first byte
 * @bytes: number of bytes to map, as far as they are present
 * @need: number of bytes from @pos on that must be present; if one of them is not,
 *	all @bytes are brought into memory, as far as that is possible
 * @flags: enum xrdma_odp_map_flags; with XRDMA_ODP_MAP_PRESENT nothing is needed
 * @mapped_end: output, on success: end of the pages that were mapped or are not
 *	present, at least @pos + @need, and more if a huge page ends behind it
 *
 * Context: may sleep, for any time. The caller is not between xrdma_odp_begin() and
 * xrdma_odp_end().
 * Return: 0: the device can access the pages, unless their mapping has changed
 * meanwhile; -EFAULT: a page is outside of the region, the process has no such
 * page, or may not access it in this way; -EPERM: the mapping does not allow
 * the access; -EBUSY: the mapping changes all the time; -ENODEV: the region has
 * ended; -EIO: the device could not be silenced; -ENOMEM; -EINTR: the calling
 * process has been killed; or an errno of xrdma_odp_map_dmabuf().
 */
int xrdma_odp_map(struct xrdma_odp *odp, u64 pos, u64 bytes, u64 need,
		  u32 flags, u64 *mapped_end)
{
	u64 end;

	if (check_add_overflow(pos, bytes, &end) || pos < odp->first ||
	    end > odp->end)
		return -EFAULT;
	need = round_up(pos + min(need, bytes), PAGE_SIZE);
	pos = round_down(pos, PAGE_SIZE);
	end = round_up(end, PAGE_SIZE);
	*mapped_end = end;
	if (!odp->mm)
		return xrdma_odp_map_buf(odp, pos, end, flags);
	*mapped_end = pos;
	return xrdma_odp_map_mm(odp, mapped_end, end, need, flags);
}
