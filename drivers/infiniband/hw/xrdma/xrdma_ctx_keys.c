// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA keys of a user context: which keys a context has, and that they end
 * together when the context ends. Regions and windows themselves are in
 * xrdma_mr_verbs.c, xrdma_dm.c and xrdma_mw.c, batches of INVALIDATE in
 * xrdma_inval.c.
 *
 * A process that exits may leave any number of regions, and ib_core destroys
 * them one after another. The keys of all of them are invalidated before, by
 * lists of XRDMA_INVAL_MAX keys: the cost of an exit depends on the keys of the
 * process, and not on those of others.
 *
 * Regions of dma-bufs are not among them: the owner of a dma-buf may take it
 * back at the same time, and has to wait for the fence (xrdma_dmabuf.c).
 */

#include "xrdma_ctx.h"
#include "xrdma_ibdev.h"
#include "xrdma_inval.h"
#include "xrdma_mr.h"
#include "xrdma_mw.h"

/* The user context of a protection domain, or NULL: it is the kernel's. */
static struct xrdma_ucontext *xrdma_ctx_of(struct ib_pd *ibpd)
{
	return ibpd->uobject ? to_xucontext(ibpd->uobject->context) : NULL;
}

/**
 * xrdma_ctx_keys_init() - a user context without keys
 * @uc: user context
 */
void xrdma_ctx_keys_init(struct xrdma_ucontext *uc)
{
	spin_lock_init(&uc->lock);
	INIT_LIST_HEAD(&uc->windows);
	INIT_LIST_HEAD(&uc->regions);
}

/**
 * xrdma_ctx_add_region() - a region has got its key
 * @ibpd: its protection domain, of a process or the kernel
 * @mr: the region, of any memory but a dma-buf's
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
 * xrdma_ctx_add_window() - a window has got its key
 * @ibpd: its protection domain, of a process or the kernel
 * @mw: the window
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
 * xrdma_ctx_drop() - a region or window goes
 * @ibpd: its protection domain, of the same process as when it was added, or
 *	the kernel's
 * @entry: ctx_entry of what xrdma_ctx_add_*() was called for
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
 * xrdma_ctx_inval() - fence: end all use of a region or window
 * @ibpd: its protection domain
 * @index: of its key entry
 *
 * Context: may sleep, for a bounded time.
 * Return: as xrdma_inval_key(); when the user context ends never -EBUSY.
 */
int xrdma_ctx_inval(struct ib_pd *ibpd, u32 index)
{
	struct xrdma_ucontext *uc = xrdma_ctx_of(ibpd);

	if (uc && uc->revoked)
		return 0;
	return xrdma_inval_key(to_xibdev(ibpd->device), index);
}

/**
 * xrdma_ctx_leave() - a user context ends
 * @ibuc: user context; ib_core destroys next what it has. May have been called
 *	before
 *
 * If the device dies of it, the regions and windows find that out one by one.
 *
 * Context: may sleep, for a bounded time. Nothing is added to or taken from
 * the context meanwhile: its file is locked against calls.
 */
void xrdma_ctx_leave(struct ib_ucontext *ibuc)
{
	struct xrdma_inval_list list = { .xib = to_xibdev(ibuc->device) };
	struct xrdma_ucontext *uc = to_xucontext(ibuc);
	struct xrdma_mw *mw;
	struct xrdma_mr *mr;

	if (uc->revoked)
		return;
	list_for_each_entry(mw, &uc->windows, ctx_entry)
		xrdma_inval_list_add(&list, mw->key_index);
	list_for_each_entry(mr, &uc->regions, ctx_entry)
		xrdma_inval_list_add(&list, mr->key_index);
	uc->revoked = !xrdma_inval_list_end(&list);
}
