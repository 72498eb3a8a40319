// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA memory of paged regions: creates it and frees it. Spans of 1 GiB and
 * their tables are in xrdma_span.c, pages are mapped in xrdma_odp_map.c, memory
 * of a dma-buf in xrdma_odp_dmabuf.c, page faults of the device are handled in
 * xrdma_odp_fault.c. The verbs are in xrdma_mr_verbs.c and xrdma_dmabuf.c.
 *
 * A region has a root table and, until its memory is used, nothing else.
 *
 * The position of an address is its distance from xrdma_odp.base. The base of a
 * region is a multiple of 1 GiB, so that huge pages are aligned in positions as
 * they are in addresses. A region of the whole address space has base 0. In a
 * dma-buf, offsets take the place of addresses: exporters align large pieces of
 * memory to offsets.
 */

#include <linux/cc_platform.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include "xrdma_ibdev.h"
#include "xrdma_mr.h"
#include "xrdma_mtt.h"
#include "xrdma_odp.h"

/* Levels of the tables of a region; a root of this level maps 512 GiB. */
#define XRDMA_ODP_LEVEL		3

/* Set base, first and end for a range that exists. */
static void xrdma_odp_set_range(struct xrdma_odp *odp, u64 start, u64 length)
{
	if (xrdma_odp_is_implicit(start, length)) {
		odp->end = min_t(u64, TASK_SIZE & PAGE_MASK, XRDMA_ODP_MAX_END);
		return;
	}
	odp->base = round_down(start, XRDMA_SPAN_SIZE);
	odp->first = round_down(start - odp->base, PAGE_SIZE);
	odp->end = round_up(start + length - odp->base, PAGE_SIZE);
}

/* Is the range below TASK_SIZE, or that of an implicit region? */
static bool xrdma_odp_is_user_range(u64 start, u64 length)
{
	u64 end;

	return xrdma_odp_is_implicit(start, length) ||
	       (!check_add_overflow(start, length, &end) && end <= TASK_SIZE);
}

/* Allocate the root table, which is all that a new region needs. */
static int xrdma_odp_alloc_root(struct xrdma_odp *odp, u64 start)
{
	struct xrdma_mtt *mtt = &odp->mr->mtt;
	struct page *page;

	page = xrdma_mtt_alloc_table(&odp->xib->hw, mtt, 0);
	if (!page)
		return -ENOMEM;
	mtt->level = odp->end > 1ULL << XRDMA_UPPER_SHIFT ?
		     XRDMA_ROOT_MAX_LEVEL : XRDMA_ODP_LEVEL;
	mtt->leaf_shift = XRDMA_LEAF_SHIFT_MIN;
	mtt->root = xrdma_make_root(page_private(page), mtt->level,
				    mtt->leaf_shift);
	mtt->offset = start - odp->base;
	return 0;
}

/*
 * Memory that the DMA layer would copy to bounce buffers cannot be shared with
 * the device.
 */
static bool xrdma_odp_needs_bounce(struct xrdma_ibdev *xib)
{
	return dma_addressing_limited(xrdma_to_dev(&xib->hw)) ||
	       cc_platform_has(CC_ATTR_MEM_ENCRYPT);
}

/**
 * xrdma_odp_is_possible() - can regions be paged?
 * @xib: the device
 *
 * Context: any.
 * Return: true: the device has on-demand paging, and memory needs no bounce
 * buffers.
 */
bool xrdma_odp_is_possible(struct xrdma_ibdev *xib)
{
	return xib->odp && !xrdma_odp_needs_bounce(xib);
}

/* Create the memory of a region, whose addresses or offsets exist. */
static struct xrdma_odp *xrdma_odp_new(struct xrdma_ibdev *xib,
				       struct xrdma_mr *mr, u64 start,
				       u64 length)
{
	struct xrdma_odp *odp;
	int err;

	odp = kzalloc_obj(*odp, GFP_KERNEL_ACCOUNT);
	if (!odp)
		return ERR_PTR(-ENOMEM);
	odp->xib = xib;
	odp->mr = mr;
	xrdma_odp_set_range(odp, start, length);
	err = odp->end > XRDMA_ODP_MAX_END ? -EINVAL :
	      xrdma_odp_alloc_root(odp, start);
	if (err)
		goto err_free;
	odp->owner = xrdma_odp_owner_get(current->mm, xrdma_page_fault_work);
	if (!odp->owner) {
		err = -ENOMEM;
		goto err_free;
	}
	refcount_set(&odp->refs, 1);
	refcount_set(&odp->users, 1);
	init_completion(&odp->idle);
	mutex_init(&odp->grow);
	mutex_init(&odp->ahead_lock);
	xa_init(&odp->spans);
	xa_init(&odp->uppers);
	INIT_WORK(&odp->ahead, xrdma_odp_ahead_work);
	return odp;

err_free:
	kfree(odp);
	return ERR_PTR(err);
}

/**
 * xrdma_odp_attach() - make a region a paged one, without any page
 * @xib: the device
 * @mr: the region, with an empty translation; on success the translation has
 *	a root
 * @start: virtual address in the current process
 * @length: length in bytes; U64_MAX with @start 0: all addresses below
 *	XRDMA_ODP_MAX_END
 *
 * Context: may sleep.
 * Return: 0; -EOPNOTSUPP: the device has no on-demand paging, or memory needs
 * bounce buffers; -EINVAL: no process can have this range, or no root maps it;
 * -ENOMEM.
 */
int xrdma_odp_attach(struct xrdma_ibdev *xib, struct xrdma_mr *mr, u64 start,
		     u64 length)
{
	struct xrdma_odp *odp;

	if (!xrdma_odp_is_possible(xib))
		return -EOPNOTSUPP;
	if (!xrdma_odp_is_user_range(start, length))
		return -EINVAL;
	odp = xrdma_odp_new(xib, mr, start, length);
	if (IS_ERR(odp))
		return PTR_ERR(odp);
	odp->mm = odp->owner->mm;
	mr->odp = odp;
	return 0;
}

/**
 * xrdma_odp_attach_dmabuf() - make a region of a dma-buf a paged one, without
 *	any page
 * @xib: the device; xrdma_odp_is_possible() is true
 * @mr: the region, with a dma-buf and an empty translation; on success the
 *	translation has a root
 * @offset: offset of the region in the dma-buf, in bytes
 * @length: length in bytes; the region ends inside of the dma-buf
 *
 * Context: may sleep. The caller may hold the reservation of the dma-buf, under
 * which the kernel allows allocations (dma_resv_lockdep()).
 * Return: 0; -EINVAL: no root maps the range; -ENOMEM.
 */
int xrdma_odp_attach_dmabuf(struct xrdma_ibdev *xib, struct xrdma_mr *mr,
			    u64 offset, u64 length)
{
	struct xrdma_odp *odp = xrdma_odp_new(xib, mr, offset, length);

	if (IS_ERR(odp))
		return PTR_ERR(odp);
	mr->odp = odp;
	return 0;
}

/**
 * xrdma_odp_detach() - end the handling of page faults of a region
 * @mr: the region; nothing happens if it is not a paged region
 *
 * When this function returns, no page is mapped any more. Changes of mappings
 * are still followed, until xrdma_odp_free(). The function does not wait for
 * pages of the process that are on their way into memory.
 *
 * Context: may sleep, for a bounded time.
 */
void xrdma_odp_detach(struct xrdma_mr *mr)
{
	if (!mr->odp)
		return;
	xrdma_odp_unpublish(mr->odp, mr->key_index);
	xrdma_odp_end(mr->odp);
	wait_for_completion(&mr->odp->idle);
}

/**
 * xrdma_odp_keep() - keep all pages that a device has which may access them
 * @odp: memory of a region, after xrdma_odp_detach(); the region goes into
 *	quarantine
 *
 * When this function returns, the pages have references, so that the kernel
 * gives them to nobody else, and no notifier of the kernel names the region.
 *
 * Context: may sleep, for a bounded time.
 */
void xrdma_odp_keep(struct xrdma_odp *odp)
{
	struct xrdma_span *span;
	unsigned long number;

	if (!odp->mm)
		return;
	xa_for_each(&odp->spans, number, span) {
		xrdma_span_keep(span);
		mmu_interval_notifier_remove(&span->notifier);
	}
	odp->kept = true;
}

/**
 * xrdma_odp_free() - take all pages from the device, and free the tables but
 *	those that xrdma_mtt_free() frees
 * @mr: the region, after xrdma_odp_detach(), or never published; nothing
 *	happens if it is not a paged region. The device does not use its key any
 *	more
 *
 * In a region of a dma-buf, the exporter has unmapped the memory before
 * (ib_umem_release()), and does not notify the region any more.
 *
 * Context: may sleep.
 */
void xrdma_odp_free(struct xrdma_mr *mr)
{
	struct xrdma_odp *odp = mr->odp;
	struct xrdma_span *span;
	unsigned long number;

	if (!odp)
		return;
	xa_for_each(&odp->spans, number, span)
		xrdma_span_retire(span);
	xa_destroy(&odp->uppers);
	mr->odp = NULL;
	xrdma_odp_put(odp);
}
