// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA keys of a user context: keeps lists of a context's regions and windows,
 * and invalidates all their keys together before ib_core destroys the context.
 * Regions and windows are created in xrdma_mr_verbs.c, xrdma_dm.c and
 * xrdma_mw.c; INVALIDATE is in xrdma_inval.c.
 *
 * A process that exits may leave any number of regions, which ib_core destroys
 * one after another. An INVALIDATE for each of them would take long. So the
 * driver invalidates all keys before, by commands of XRDMA_INVAL_MAX keys.
 *
 * Regions of dma-bufs are not in these lists: the exporter of a dma-buf may
 * revoke the mapping at the same time, and must wait for INVALIDATE of just
 * that key (xrdma_dmabuf.c).
 */

#include "xrdma_ctx.h"
#include "xrdma_ibdev.h"
#include "xrdma_inval.h"
#include "xrdma_mr.h"
#include "xrdma_mw.h"

/*
 * Return the user context of a protection domain; NULL: it belongs to the
 * kernel.
 */
static struct xrdma_ucontext *xrdma_ctx_of(struct ib_pd *ibpd)
{
	return ibpd->uobject ? to_xucontext(ibpd->uobject->context) : NULL;
}

/**
 * xrdma_ctx_keys_init() - initialize the lists of a user context
 * @uc: the new user context
 */
void xrdma_ctx_keys_init(struct xrdma_ucontext *uc)
{
	spin_lock_init(&uc->lock);
	INIT_LIST_HEAD(&uc->windows);
	INIT_LIST_HEAD(&uc->regions);
}

/**
 * xrdma_ctx_add_region() - add a region to the list of its user context
 * @ibpd: protection domain of the region. If it belongs to the kernel, nothing
 *	happens
 * @mr: the region, with a key; not a region of a dma-buf
 *
 * Context: process.
 */
void xrdma_ctx_add_region(struct ib_pd *ibpd, struct xrdma_mr *mr)
{
	struct xrdma_ucontext *uc = xrdma_ctx_of(ibpd);

	if (!uc)
		return;
	spin_lock(&uc->lock);
	list_add_tail(&mr->ctx_entry, &uc->regions);
	spin_unlock(&uc->lock);
}

/**
 * xrdma_ctx_add_window() - add a window to the list of its user context
 * @ibpd: protection domain of the window. If it belongs to the kernel, nothing
 *	happens
 * @mw: the window, with a key
 *
 * Context: process.
 */
void xrdma_ctx_add_window(struct ib_pd *ibpd, struct xrdma_mw *mw)
{
	struct xrdma_ucontext *uc = xrdma_ctx_of(ibpd);

	if (!uc)
		return;
	spin_lock(&uc->lock);
	list_add_tail(&mw->ctx_entry, &uc->windows);
	spin_unlock(&uc->lock);
}

/**
 * xrdma_ctx_drop() - remove a region or window from the list of its user
 *	context
 * @ibpd: protection domain of the region or window, in the same user context as
 *	when xrdma_ctx_add_*() was called. If it belongs to the kernel, nothing
 *	happens
 * @entry: ctx_entry of the region or window
 *
 * Context: process.
 */
void xrdma_ctx_drop(struct ib_pd *ibpd, struct list_head *entry)
{
	struct xrdma_ucontext *uc = xrdma_ctx_of(ibpd);

	if (!uc)
		return;
	spin_lock(&uc->lock);
	list_del(entry);
	spin_unlock(&uc->lock);
}

/**
 * xrdma_ctx_inval() - invalidate the key of a region or window, unless
 *	xrdma_ctx_inval_all() has done so
 * @ibpd: protection domain of the region or window
 * @index: key index
 *
 * Context: may sleep, for a bounded time.
 * Return: as xrdma_inval_key(); 0 after a successful xrdma_ctx_inval_all().
 */
int xrdma_ctx_inval(struct ib_pd *ibpd, u32 index)
{
	struct xrdma_ucontext *uc = xrdma_ctx_of(ibpd);

	if (uc && uc->keys_invalidated)
		return 0;
	return xrdma_inval_key(to_xibdev(ibpd->device), index);
}

/**
 * xrdma_ctx_inval_all() - invalidate the keys of all regions and windows of a
 *	context
 * @ibuc: user context, whose objects ib_core destroys next. A second call has
 *	no effect
 *
 * If the device dies and its DMA cannot be ended, the later xrdma_ctx_inval()
 * of each region and window fails, too.
 *
 * Context: may sleep, for a bounded time. The lists do not change during the
 * call, because ib_core has locked the file of the context.
 */
void xrdma_ctx_inval_all(struct ib_ucontext *ibuc)
{
	struct xrdma_inval_list list = { .xib = to_xibdev(ibuc->device) };
	struct xrdma_ucontext *uc = to_xucontext(ibuc);
	struct xrdma_mw *mw;
	struct xrdma_mr *mr;

	if (uc->keys_invalidated)
		return;
	list_for_each_entry(mw, &uc->windows, ctx_entry)
		xrdma_inval_list_add(&list, mw->key_index);
	list_for_each_entry(mr, &uc->regions, ctx_entry)
		xrdma_inval_list_add(&list, mr->key_index);
	uc->keys_invalidated = !xrdma_inval_list_end(&list);
}
