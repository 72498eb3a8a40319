// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA mapping of pages of paged regions: finds the pages of the process, and
 * writes the entries of the tables by which the device finds them. When to map
 * what is decided by xrdma_odp_fault.c and xrdma_odp_verbs.c; pages are taken
 * from the device in xrdma_span.c. xrdma_odp_room.c finds out whether memory is
 * short. Memory of a dma-buf is mapped in xrdma_odp_dmabuf.c.
 *
 * hmm_range_fault() finds the pages without pinning them. Their mapping may
 * change before the entries are written. The sequence number of the span's MMU
 * notifier, compared under the lock of the span, tells whether it did: then the
 * pages are looked up again. After the comparison the notifier waits for the
 * lock, finds the entries, and takes the pages from the device.
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

/* Largest number of bytes that are looked up and mapped together */
#define XRDMA_ODP_WINDOW	(2 * XRDMA_HUGE_SIZE)
#define XRDMA_ODP_WINDOW_PAGES		(XRDMA_ODP_WINDOW >> PAGE_SHIFT)
/* A window that is not aligned touches one table more. */
#define XRDMA_ODP_TABLES	(XRDMA_ODP_WINDOW / XRDMA_HUGE_SIZE + 1)
/* Number of times that pages are looked up before the device has to wait */
#define XRDMA_ODP_TRIES		64

/**
 * struct xrdma_odp_window - pages of one span that are mapped together
 * @span: the span
 * @from: offset in the span of the first page
 * @to: offset in the span of the end
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

/* Look up the pages. Return: 0, or an errno of hmm_range_fault(). */
static int xrdma_window_collect_once(struct xrdma_odp_window *w)
{
	struct xrdma_span *span = w->span;
	struct mm_struct *mm = span->odp->mm;
	u64 start = span->odp->base + span->pos;
	struct hmm_range range = {
		.notifier = &span->notifier,
		.start = start + w->from,
		.end = start + w->to,
		.hmm_pfns = w->pfns,
	};
	int err;

	if (!(w->flags & XRDMA_ODP_MAP_PRESENT))
		range.default_flags = HMM_PFN_REQ_FAULT;
	if (w->flags & XRDMA_ODP_MAP_WRITE &&
	    !(w->flags & XRDMA_ODP_MAP_PRESENT))
		range.default_flags |= HMM_PFN_REQ_WRITE;
	memset(w->pfns, 0, xrdma_window_pages(w) * sizeof(*w->pfns));
	range.notifier_seq = mmu_interval_read_begin(&span->notifier);
	w->seq = range.notifier_seq;
	mmap_read_lock(mm);
	err = hmm_range_fault(&range);
	mmap_read_unlock(mm);
	return err;
}

/* Handle a page fault of the process for each page of the window. */
static int xrdma_window_fault_in(struct xrdma_odp_window *w)
{
	struct xrdma_odp *odp = w->span->odp;
	u64 start = odp->base + w->span->pos;
	unsigned int flags = FAULT_FLAG_REMOTE;
	int err = 0;
	u64 at;

	if (w->flags & XRDMA_ODP_MAP_WRITE)
		flags |= FAULT_FLAG_WRITE;
	mmap_read_lock(odp->mm);
	for (at = w->from; !err && at < w->to; at += PAGE_SIZE)
		err = fixup_user_fault(odp->mm, start + at, flags, NULL);
	mmap_read_unlock(odp->mm);
	return err;
}

/*
 * Look up the pages. Return: 0; -EFAULT: the process has no such page; -ENOMEM;
 * or another errno of hmm_range_fault().
 *
 * On kernels before 7.3, hmm_range_fault() returns -EFAULT for lack of memory,
 * too. fixup_user_fault() tells lack of memory from other reasons.
 */
static int xrdma_window_collect(struct xrdma_odp_window *w)
{
	int err = xrdma_window_collect_once(w);

	if (err != -EFAULT || w->flags & XRDMA_ODP_MAP_PRESENT)
		return err;
	err = xrdma_window_fault_in(w);
	return err ? err : xrdma_window_collect_once(w);
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
 * Look up the first page of @from to @to. If it is a part of a huge page, look up
 * all of that and nothing else, because hmm_range_fault() handles a page fault for
 * each 4 KiB of what is missing. Else look up the pages from @from to @to, also
 * if the process unmaps a part of the huge page meanwhile.
 */
static int xrdma_window_look_up(struct xrdma_odp_window *w, u64 from, u64 to)
{
	bool done;
	int err;

	w->from = from;
	w->to = from + PAGE_SIZE;
	err = xrdma_window_collect(w);
	if (err)
		return err;
	done = xrdma_window_extend(w) ? !xrdma_window_collect(w) : w->to == to;
	if (done)
		return 0;
	w->from = from;
	w->to = to;
	return xrdma_window_collect(w);
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

/* Allocate the tables of level 1 that the window is likely to need. */
static int xrdma_window_alloc_tables(struct xrdma_odp_window *w)
{
	u32 need = 0;
	u64 at;

	for (at = w->from; at < w->to; at = xrdma_sparse_huge_end(at)) {
		u32 index = xrdma_sparse_top_index(at);

		if (!READ_ONCE(w->span->top->slot[index]) &&
		    !xrdma_window_is_huge(w, at))
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
	if (is_zone_device_page(page))
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
	struct xrdma_sparse_table *leaf = xrdma_window_leaf(w, at);
	int err = 0;

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
 * -EAGAIN: a table is missing; or an errno of xrdma_window_map_block().
 */
static int xrdma_window_apply(struct xrdma_odp_window *w)
{
	struct xrdma_span *span = w->span;
	int err = 0;
	u64 at;

	mutex_lock(&span->lock);
	if (mmu_interval_read_retry(&span->notifier, w->seq))
		err = -EBUSY;
	for (at = w->from; !err && at < w->to; at = xrdma_sparse_huge_end(at))
		err = xrdma_window_map_huge(w, at);
	dma_sync_single_for_device(xrdma_to_dev(&span->odp->xib->hw),
				   span->top->dma, XRDMA_MTT_TABLE_SIZE,
				   DMA_TO_DEVICE);
	mutex_unlock(&span->lock);
	return err;
}

/*
 * Look up and map the pages from @from to @to, or only the huge page to which the
 * first one belongs. The window is what was mapped.
 */
static int xrdma_window_map(struct xrdma_odp_window *w, u64 from, u64 to)
{
	unsigned int tries = XRDMA_ODP_TRIES;
	int err;

	do {
		err = xrdma_window_look_up(w, from, to);
		if (!err)
			err = xrdma_window_alloc_tables(w);
		if (!err)
			err = xrdma_window_apply(w);
		cond_resched();
	} while ((err == -EBUSY || err == -EAGAIN) && --tries);
	while (w->num_spare)
		xrdma_odp_free_table(w->span->odp->xib,
				     w->spare[--w->num_spare]);
	atomic64_add(w->mapped, &w->span->odp->stats[XRDMA_ODP_PAGES]);
	w->mapped = 0;
	return err;
}

/*
 * Has the process a mapping at a position that hmm_range_fault() accepts? Without
 * this check, a peer that walks the whole address space would get a span for each
 * GiB of addresses that the process does not use.
 */
static bool xrdma_odp_is_mapped(struct xrdma_odp *odp, u64 pos)
{
	struct vm_area_struct *vma;
	bool mapped;

	mmap_read_lock(odp->mm);
	vma = vma_lookup(odp->mm, odp->base + pos);
	mapped = vma && (vma->vm_flags & (VM_READ | VM_IO | VM_PFNMAP)) ==
		 VM_READ;
	mmap_read_unlock(odp->mm);
	return mapped;
}

/*
 * Map pages from @pos on, up to @end or as many as are mapped together. On
 * success, @pos is the end of what was mapped, which may be behind @end.
 */
static int xrdma_odp_map_part(struct xrdma_odp *odp, u64 *pos, u64 end,
			      u32 flags, unsigned long *pfns)
{
	struct xrdma_odp_window w = { .flags = flags, .pfns = pfns };
	u64 offset = *pos & (XRDMA_SPAN_SIZE - 1);
	int err;

	if (!(flags & XRDMA_ODP_MAP_PRESENT) && !xrdma_odp_is_mapped(odp, *pos))
		return -EFAULT;
	w.span = xrdma_odp_span(odp, *pos);
	if (IS_ERR(w.span))
		return PTR_ERR(w.span);
	err = xrdma_window_map(&w, offset,
			       offset + min3(end - *pos, XRDMA_SPAN_SIZE - offset,
					     XRDMA_ODP_WINDOW));
	*pos = w.span->pos + w.to;
	return err;
}

/*
 * As xrdma_odp_map_part(), but return -ENOMEM if the pages, which may have to be
 * allocated, cannot be allocated without the OOM killer.
 */
static int xrdma_odp_map_next(struct xrdma_odp *odp, u64 *pos, u64 end,
			      u32 flags, unsigned long *pfns,
			      struct mem_cgroup *memcg)
{
	unsigned long num = min(end - *pos, XRDMA_ODP_WINDOW) >> PAGE_SHIFT;
	int err;

	if (flags & XRDMA_ODP_MAP_PRESENT || !xrdma_room_is_short(memcg, num))
		return xrdma_odp_map_part(odp, pos, end, flags, pfns);
	mutex_lock(&odp->scarce);
	err = xrdma_room_make(memcg, num);
	if (!err)
		err = xrdma_odp_map_part(odp, pos, end, flags, pfns);
	mutex_unlock(&odp->scarce);
	return err;
}

/*
 * Map whole pages, and charge the tables to the owner of the memory. On success,
 * @pos is the end of what was mapped.
 */
static int xrdma_odp_map_range(struct xrdma_odp *odp, u64 *pos, u64 end,
			       u32 flags, unsigned long *pfns)
{
	struct mem_cgroup *memcg = get_mem_cgroup_from_mm(odp->mm);
	struct mem_cgroup *old = set_active_memcg(memcg);
	int err = 0;

	while (!err && *pos < end) {
		err = xrdma_odp_map_next(odp, pos, end, flags, pfns, memcg);
		if (fatal_signal_pending(current))
			err = -EINTR;
	}
	set_active_memcg(old);
	mem_cgroup_put(memcg);
	return err;
}

/*
 * Map pages of the process. @pos and @end are multiples of the page size. On
 * success, @pos is the end of what was mapped.
 */
static int xrdma_odp_map_mm(struct xrdma_odp *odp, u64 *pos, u64 end, u32 flags)
{
	unsigned long *pfns;
	int err = -EFAULT;

	pfns = kvmalloc_array(XRDMA_ODP_WINDOW_PAGES, sizeof(*pfns), GFP_KERNEL);
	if (!pfns)
		return -ENOMEM;
	if (mmget_not_zero(odp->mm)) {
		err = xrdma_odp_map_range(odp, pos, end, flags, pfns);
		mmput(odp->mm);
	}
	kvfree(pfns);
	return err;
}

/**
 * xrdma_odp_map() - map pages of a paged region
 * @odp: memory of the region, to which the caller has a reference
 * @pos: position of the first byte
 * @bytes: number of bytes
 * @flags: enum xrdma_odp_map_flags
 * @mapped_end: output, on success: end of the pages that were mapped, at least
 *	@pos + @bytes, and more if a huge page ends behind it
 *
 * Context: may sleep, as long as pages are read from disk.
 * Return: 0: the device can access the pages, unless their mapping has changed
 * meanwhile; -EFAULT: a page is outside of the region, the process has no such
 * page, or may not access it in this way; -EPERM: the mapping does not allow
 * the access; -EBUSY: the mapping changes all the time; -ENOMEM; -EINTR: the
 * calling process has been killed; or an errno of xrdma_odp_map_dmabuf().
 */
int xrdma_odp_map(struct xrdma_odp *odp, u64 pos, u64 bytes, u32 flags,
		  u64 *mapped_end)
{
	u64 end;

	if (check_add_overflow(pos, bytes, &end) || pos < odp->first ||
	    end > odp->end)
		return -EFAULT;
	pos = round_down(pos, PAGE_SIZE);
	end = round_up(end, PAGE_SIZE);
	*mapped_end = end;
	if (!odp->mm)
		return xrdma_odp_map_dmabuf(odp, pos, end, flags);
	*mapped_end = pos;
	return xrdma_odp_map_mm(odp, mapped_end, end, flags);
}
