// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA page faults: maps the pages that the device reports as missing, and
 * answers. Pages are mapped in xrdma_odp_map.c, answers are written in
 * xrdma_resume.c. Page faults are not errors: refused accesses are in
 * xrdma_fault.c.
 *
 * Each page fault is handled by a work item of its own, since one that waits for
 * a disk must not delay those of other processes. The device reports one page
 * fault for each 2 MiB, and limits their number.
 *
 * A page fault maps more pages than necessary if the message is going to access
 * them: the first one of a sequence XRDMA_ODP_WINDOW_MIN bytes, each further one
 * twice as much as the one before, up to XRDMA_ODP_WINDOW_MAX bytes. A page fault
 * continues a sequence if it is where the pages end that were mapped before, or
 * in the pages that were mapped ahead last.
 *
 * After the answer to a page fault that continues a sequence, a work item of the
 * region maps pages ahead, even if the message ends earlier: a stream of messages
 * goes on there. The first run maps XRDMA_ODP_WINDOW_MAX bytes, each further one
 * of the same sequence twice as much, up to XRDMA_ODP_AHEAD_MAX. If the device
 * gets to a page before the work item, the page fault waits for 2 MiB at most, and
 * the work item runs once more.
 *
 * A page fault in a dma-buf maps all of the 1 GiB around it, since the exporter
 * maps the dma-buf as a whole.
 */

#include <linux/bitmap.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include "xrdma_ibdev.h"
#include "xrdma_mr.h"
#include "xrdma_odp.h"
#include "xrdma_resume.h"

#define XRDMA_ODP_WINDOW_MIN	SZ_64K
#define XRDMA_ODP_WINDOW_MAX	SZ_4M
#define XRDMA_ODP_AHEAD_MAX	SZ_32M

/**
 * struct xrdma_page_fault - a page fault in progress
 * @work: runs xrdma_page_fault_work()
 * @dev: page faults of the device
 * @eqe: the event
 */
struct xrdma_page_fault {
	struct work_struct work;
	struct xrdma_odp_dev *dev;
	struct xrdma_eqe eqe;
};

/**
 * struct xrdma_odp_dev - page faults of a device
 * @xib: the device
 * @workers: runs the work items
 * @regions: struct xrdma_odp by key index
 * @lock: protects @busy
 * @busy: bitmap of the entries of @faults in use
 * @num: number of entries in @faults
 * @faults: page faults
 */
struct xrdma_odp_dev {
	struct xrdma_ibdev *xib;
	struct workqueue_struct *workers;
	struct xarray regions;
	spinlock_t lock; /* busy */
	unsigned long *busy;
	u32 num;
	struct xrdma_page_fault faults[] __counted_by(num);
};

/* ---- regions --------------------------------------------------------------- */

/**
 * xrdma_odp_publish() - make a paged region known to the handler of page faults
 * @odp: memory of the region
 * @key_index: index of its key, which the device does not know yet
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int xrdma_odp_publish(struct xrdma_odp *odp, u32 key_index)
{
	return xa_err(xa_store(&odp->xib->odp->regions, key_index, odp,
			       GFP_KERNEL_ACCOUNT));
}

/**
 * xrdma_odp_unpublish() - undo xrdma_odp_publish()
 * @odp: memory of the region
 * @key_index: index of its key
 *
 * Context: process.
 */
void xrdma_odp_unpublish(struct xrdma_odp *odp, u32 key_index)
{
	xa_erase(&odp->xib->odp->regions, key_index);
}

/**
 * xrdma_odp_get() - look up a paged region, and take a reference
 * @xib: the device, which has on-demand paging
 * @key_index: key index
 *
 * Context: process.
 * Return: memory of the region, for xrdma_odp_put(); NULL: no paged region has
 * this index.
 */
struct xrdma_odp *xrdma_odp_get(struct xrdma_ibdev *xib, u32 key_index)
{
	struct xrdma_odp *odp;

	xa_lock(&xib->odp->regions);
	odp = xa_load(&xib->odp->regions, key_index);
	if (odp)
		refcount_inc(&odp->users);
	xa_unlock(&xib->odp->regions);
	return odp;
}

/**
 * xrdma_odp_put() - drop a reference to a paged region
 * @odp: memory of the region
 *
 * Context: any.
 */
void xrdma_odp_put(struct xrdma_odp *odp)
{
	if (refcount_dec_and_test(&odp->users))
		complete(&odp->idle);
}

/* ---- page faults ----------------------------------------------------------- */

/* Is @pos among the pages of the last two runs of xrdma_odp_ahead_work()? */
static bool xrdma_odp_is_ahead(struct xrdma_odp *odp, u64 pos)
{
	return pos >= READ_ONCE(odp->ahead_from) &&
	       pos < READ_ONCE(odp->ahead_end);
}

/* Does a page fault at @pos continue a sequence? */
static bool xrdma_odp_follows(struct xrdma_odp *odp, u64 pos)
{
	return READ_ONCE(odp->mapped) &&
	       (pos == READ_ONCE(odp->next_fault) || xrdma_odp_is_ahead(odp, pos));
}

/* Note that the pages from @pos to @end have been mapped. */
static void xrdma_odp_note(struct xrdma_odp *odp, u64 pos, u64 end)
{
	WRITE_ONCE(odp->mapped, end - pos);
	WRITE_ONCE(odp->next_fault, end);
}

/*
 * Map @window bytes, or only the @need bytes without which the access does not
 * make progress.
 */
static int xrdma_odp_map_window(struct xrdma_odp *odp, u64 pos, u64 need,
				u64 window, u32 flags)
{
	int err = -EFAULT;
	u64 end;

	if (window > need)
		err = xrdma_odp_map(odp, pos, window, flags, &end);
	if (err)
		err = xrdma_odp_map(odp, pos, need, flags, &end);
	/* the work item knows where the sequence goes on */
	if (!err && !xrdma_odp_is_ahead(odp, pos))
		xrdma_odp_note(odp, pos, end);
	return err;
}

/* Map what a page fault needs, and more if possible. */
static int xrdma_odp_serve(struct xrdma_odp *odp, const struct xrdma_eqe *eqe,
			   bool follows)
{
	u64 pos = le64_to_cpu(eqe->addr);
	u64 need = le64_to_cpu(eqe->length);
	u64 window = follows ? 2 * READ_ONCE(odp->mapped) : XRDMA_ODP_WINDOW_MIN;
	u32 flags = eqe->flags & XRDMA_FAULT_WRITE ? XRDMA_ODP_MAP_WRITE : 0;
	u64 end;
	int err;

	if (pos < odp->first || pos >= odp->end || !need)
		return -EFAULT;
	/* one page is progress, if the access needs more it faults again */
	need = min3(need, odp->end - pos, (u64)XRDMA_ODP_WINDOW_MAX);
	window = min3(window, le64_to_cpu(eqe->expected), odp->end - pos);
	window = min_t(u64, window, XRDMA_ODP_WINDOW_MAX);
	atomic64_inc(&odp->stats[XRDMA_ODP_FAULTS]);
	if (!odp->mm)
		return xrdma_odp_map(odp, pos, need, flags, &end);
	if (!follows)
		WRITE_ONCE(odp->ahead_size, XRDMA_ODP_WINDOW_MAX);
	if (!xrdma_odp_is_ahead(odp, pos))
		return xrdma_odp_map_window(odp, pos, need, window, flags);
	mutex_lock(&odp->ahead_lock);
	err = xrdma_odp_map_window(odp, pos, need, window, flags);
	mutex_unlock(&odp->ahead_lock);
	return err;
}

/* Choose the positions of a run of xrdma_odp_ahead_work(): from @pos to @end. */
static void xrdma_odp_choose_ahead(struct xrdma_odp *odp, u64 *pos, u64 *end)
{
	u64 size = READ_ONCE(odp->ahead_size);

	*pos = READ_ONCE(odp->next_fault);
	*end = min(*pos + size, odp->end);
	WRITE_ONCE(odp->ahead_size, min_t(u64, 2 * size, XRDMA_ODP_AHEAD_MAX));
	WRITE_ONCE(odp->ahead_from, *pos - min(*pos, size / 2));
	WRITE_ONCE(odp->ahead_end, *end);
}

/**
 * xrdma_odp_ahead_work() - map the pages that a sequence reaches next
 * @work: xrdma_odp.ahead. The function drops the reference to the region that
 *	the caller of queue_work() has taken
 *
 * Context: may sleep, as long as pages are read from disk.
 */
void xrdma_odp_ahead_work(struct work_struct *work)
{
	struct xrdma_odp *odp = container_of(work, struct xrdma_odp, ahead);
	u32 flags = READ_ONCE(odp->ahead_flags);
	u64 pos, next, end;
	int err;

	xrdma_odp_choose_ahead(odp, &pos, &end);
	/* xrdma_odp_detach() waits for the reference of this function */
	while (pos < end && refcount_read(&odp->users) > 1) {
		next = min(xrdma_sparse_huge_end(pos), end);
		mutex_lock(&odp->ahead_lock);
		err = xrdma_odp_map(odp, pos, next - pos, flags, &next);
		mutex_unlock(&odp->ahead_lock);
		if (err)
			break;
		xrdma_odp_note(odp, pos, next);
		pos = next;
	}
	WRITE_ONCE(odp->ahead_end, pos);
	xrdma_odp_put(odp);
}

static void xrdma_odp_start_ahead(struct xrdma_odp_dev *dev,
				  struct xrdma_odp *odp, bool write)
{
	WRITE_ONCE(odp->ahead_flags, write ? XRDMA_ODP_MAP_WRITE : 0);
	refcount_inc(&odp->users);
	if (!queue_work(dev->workers, &odp->ahead))
		xrdma_odp_put(odp);
}

/*
 * The answer for an errno. The exporter of a dma-buf may return any errno; those
 * of locks and of waits that were interrupted say nothing about the memory.
 */
static u32 xrdma_odp_outcome(int err)
{
	switch (err) {
	case 0:
		return XRDMA_RESUME_AGAIN;
	case -ENOMEM:
	case -EBUSY:
	case -EAGAIN:
	case -EINTR:
	case -ERESTARTSYS:
	case -EDEADLK:
	case -ETIMEDOUT:
		return XRDMA_RESUME_LATER;
	default:
		return XRDMA_RESUME_REFUSE;
	}
}

/* Handle the page fault of a region. Return: the outcome for the device. */
static u32 xrdma_odp_handle(struct xrdma_odp *odp, const struct xrdma_eqe *eqe,
			    bool *follows)
{
	u32 outcome;

	*follows = xrdma_odp_follows(odp, le64_to_cpu(eqe->addr));
	outcome = xrdma_odp_outcome(xrdma_odp_serve(odp, eqe, *follows));
	if (outcome == XRDMA_RESUME_LATER)
		atomic64_inc(&odp->stats[XRDMA_ODP_WAITS]);
	return outcome;
}

static void xrdma_page_fault_work(struct work_struct *work)
{
	struct xrdma_page_fault *fault = container_of(work,
						      struct xrdma_page_fault,
						      work);
	u32 token = le32_to_cpu(fault->eqe.token);
	bool write = fault->eqe.flags & XRDMA_FAULT_WRITE;
	struct xrdma_odp_dev *dev = fault->dev;
	u32 outcome = XRDMA_RESUME_AGAIN;
	bool follows = false;
	struct xrdma_odp *odp;

	odp = xrdma_odp_get(dev->xib, le32_to_cpu(fault->eqe.key));
	if (odp)
		outcome = xrdma_odp_handle(odp, &fault->eqe, &follows);
	/* the device may report the next page fault as soon as it is answered */
	clear_bit_unlock(fault - dev->faults, dev->busy);
	if (!xrdma_dead(&dev->xib->hw))
		xrdma_resume_answer(&dev->xib->hw, token, outcome);
	if (!odp)
		return;
	if (follows && outcome == XRDMA_RESUME_AGAIN)
		xrdma_odp_start_ahead(dev, odp, write);
	xrdma_odp_put(odp);
}

/**
 * xrdma_odp_event() - start the handling of a page fault
 * @xib: the device
 * @eqe: the event XRDMA_EVENT_PAGE_FAULT
 *
 * If the device reports more page faults than it may, those are ignored. The
 * device reports them again later.
 *
 * Context: any; interrupts are off.
 */
void xrdma_odp_event(struct xrdma_ibdev *xib, const struct xrdma_eqe *eqe)
{
	struct xrdma_odp_dev *dev = READ_ONCE(xib->odp);
	unsigned long flags, slot;

	if (!dev)
		return;
	spin_lock_irqsave(&dev->lock, flags);
	slot = find_first_zero_bit(dev->busy, dev->num);
	if (slot < dev->num)
		set_bit(slot, dev->busy);
	spin_unlock_irqrestore(&dev->lock, flags);
	if (slot >= dev->num)
		return;
	dev->faults[slot].eqe = *eqe;
	queue_work(dev->workers, &dev->faults[slot].work);
}

/* ---- create and destroy ---------------------------------------------------- */

/**
 * xrdma_odp_create() - prepare the handling of page faults
 * @xib: the device, with event queues. If it has no on-demand paging, nothing
 *	happens, and xrdma_ibdev.odp stays NULL
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno of a command.
 */
int xrdma_odp_create(struct xrdma_ibdev *xib)
{
	struct xrdma_odp_dev *dev;
	u32 num, slot;
	int err;

	err = xrdma_resume_create(&xib->hw);
	if (err || !xib->hw.resume)
		return err;
	num = 1U << xib->hw.caps.log_page_faults;
	dev = kvzalloc_flex(*dev, faults, num);
	if (!dev)
		return -ENOMEM;
	dev->xib = xib;
	dev->num = num;
	spin_lock_init(&dev->lock);
	xa_init(&dev->regions);
	for (slot = 0; slot < num; slot++) {
		dev->faults[slot].dev = dev;
		INIT_WORK(&dev->faults[slot].work, xrdma_page_fault_work);
	}
	dev->busy = bitmap_zalloc(num, GFP_KERNEL);
	dev->workers = alloc_workqueue("xrdma_odp", WQ_UNBOUND | WQ_HIGHPRI,
				       min_t(u32, num, WQ_MAX_ACTIVE));
	xib->odp = dev;
	return dev->busy && dev->workers ? 0 : -ENOMEM;
}

/**
 * xrdma_odp_stop() - wait until all page faults in progress have been handled
 * @xib: the device, which reports no event any more; nothing happens without
 *	on-demand paging
 *
 * Context: may sleep.
 */
void xrdma_odp_stop(struct xrdma_ibdev *xib)
{
	if (xib->odp && xib->odp->workers)
		flush_workqueue(xib->odp->workers);
}

/**
 * xrdma_odp_destroy() - undo xrdma_odp_create()
 * @xib: the device, which is quiet; nothing happens without on-demand paging
 *
 * Context: may sleep.
 */
void xrdma_odp_destroy(struct xrdma_ibdev *xib)
{
	struct xrdma_odp_dev *dev = xib->odp;

	xib->odp = NULL;
	if (dev) {
		if (dev->workers)
			destroy_workqueue(dev->workers);
		bitmap_free(dev->busy);
		xa_destroy(&dev->regions);
		kvfree(dev);
	}
	xrdma_resume_destroy(&xib->hw);
}
