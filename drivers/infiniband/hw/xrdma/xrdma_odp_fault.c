// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA page faults: maps the pages that the device reports as missing, and
 * answers. Pages are mapped in xrdma_odp_map.c, answers are written in
 * xrdma_resume.c. Page faults are not errors: refused accesses are in
 * xrdma_fault.c.
 *
 * Each page fault is handled by a work item of its own, since one that waits for
 * a disk must not delay others. The work items belong to the address space whose
 * pages are missing (struct xrdma_odp_owner). If all of them are busy, the page
 * fault is answered at once with XRDMA_RESUME_LATER. So is a page fault that is in
 * progress already: the device reports it again after a second without an answer.
 * XRDMA_RESUME_LATER ends a page fault for the device, which repeats the accesses
 * after a pause that doubles. So pages that do not arrive occupy neither the
 * device nor work items that others need.
 *
 * A page fault maps more pages than necessary if the message is going to access
 * them: the first one of a sequence XRDMA_ODP_WINDOW_MIN bytes, each further one
 * twice as much as the one before, up to XRDMA_ODP_WINDOW_MAX bytes. A page fault
 * continues a sequence if it is where the pages end that were mapped before, or
 * in the pages that were mapped ahead last.
 * After the answer to a page fault that continues a sequence, a work item of the
 * region maps pages ahead, even if the message ends earlier: a stream of messages
 * goes on there. The first run maps XRDMA_ODP_WINDOW_MAX bytes, each further one
 * of the same sequence twice as much, up to XRDMA_ODP_AHEAD_MAX. If the device
 * gets to a page before the work item, the page fault waits for 2 MiB at most, and
 * the work item runs once more.
 *
 * A page fault in a dma-buf maps all of the 1 GiB around it: the exporter maps all.
 */

#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "xrdma_ibdev.h"
#include "xrdma_mr.h"
#include "xrdma_odp.h"
#include "xrdma_resume.h"

#define XRDMA_ODP_WINDOW_MIN	SZ_64K
#define XRDMA_ODP_WINDOW_MAX	SZ_4M
#define XRDMA_ODP_AHEAD_MAX	SZ_32M

/* Slots of an owner that prefetches may use; the others are for page faults */
#define XRDMA_PREFETCH_SLOTS	8
/* Time for XRDMA_ODP_WINDOW_MAX bytes of a prefetch */
#define XRDMA_PREFETCH_MS	10000
/* How often a prefetch looks whether the device is about to go */
#define XRDMA_PREFETCH_LOOK_MS	100

/**
 * struct xrdma_odp_dev - page faults of a device
 * @regions: struct xrdma_odp by key index; its lock is taken with interrupts off,
 *	and protects a region that was found from xrdma_odp_unpublish()
 * @closing: the device is about to be taken down; prefetches end
 */
struct xrdma_odp_dev {
	struct xarray regions;
	bool closing;
};

/**
 * struct xrdma_prefetch - pages that advise_mr waits for
 * @refs: the caller and the work item
 * @done: completed when @err is set
 * @flags: enum xrdma_odp_map_flags
 * @err: outcome
 */
struct xrdma_prefetch {
	refcount_t refs;
	struct completion done;
	u32 flags;
	int err;
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
	return xa_err(xa_store_irq(&odp->xib->odp->regions, key_index, odp,
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
	xa_erase_irq(&odp->xib->odp->regions, key_index);
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

	xa_lock_irq(&xib->odp->regions);
	odp = xa_load(&xib->odp->regions, key_index);
	if (odp)
		xrdma_odp_hold(odp);
	xa_unlock_irq(&xib->odp->regions);
	return odp;
}

/* ---- slots ----------------------------------------------------------------- */

/* Is this page fault in progress already? It is one for each 2 MiB and right. */
static struct xrdma_page_fault *
xrdma_slot_find(struct xrdma_odp_owner *owner, const struct xrdma_odp *odp,
		u64 pos, bool write)
{
	unsigned int i;

	for (i = 0; i < XRDMA_OWNER_SLOTS; i++) {
		struct xrdma_page_fault *slot = &owner->faults[i];

		if (slot->odp == odp && !slot->prefetch && slot->write == write &&
		    slot->pos >> XRDMA_HUGE_SHIFT == pos >> XRDMA_HUGE_SHIFT)
			return slot;
	}
	return NULL;
}

/* Take a free slot below @num, for a region. Return: NULL: there is none. */
static struct xrdma_page_fault *xrdma_slot_take(struct xrdma_odp_owner *owner,
						struct xrdma_odp *odp,
						unsigned int num)
{
	unsigned int i;

	for (i = 0; i < num; i++) {
		if (owner->faults[i].odp)
			continue;
		xrdma_odp_hold(odp);
		owner->faults[i].odp = odp;
		return &owner->faults[i];
	}
	return NULL;
}

static void xrdma_slot_free(struct xrdma_page_fault *slot)
{
	struct xrdma_odp_owner *owner = slot->odp->owner;

	spin_lock_irq(&owner->lock);
	slot->odp = NULL;
	spin_unlock_irq(&owner->lock);
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

/* Map @window bytes, of which the access needs @need. */
static int xrdma_odp_map_window(struct xrdma_odp *odp, u64 pos, u64 need,
				u64 window, u32 flags)
{
	u64 end;
	int err = xrdma_odp_map(odp, pos, window, need, flags, &end);

	/* the work item knows where the sequence goes on */
	if (!err && !xrdma_odp_is_ahead(odp, pos))
		xrdma_odp_note(odp, pos, end);
	return err;
}

/* Map what a page fault needs, and more if possible. */
static int xrdma_odp_serve(struct xrdma_odp *odp,
			   const struct xrdma_page_fault *fault, bool follows)
{
	u64 window = follows ? 2 * READ_ONCE(odp->mapped) : XRDMA_ODP_WINDOW_MIN;
	u32 flags = fault->write ? XRDMA_ODP_MAP_WRITE : 0;
	u64 pos = fault->pos;
	u64 need, end;
	int err;

	if (pos < odp->first || pos >= odp->end || !fault->need)
		return -EFAULT;
	/* one page is progress, if the access needs more it faults again */
	need = min3(fault->need, odp->end - pos, (u64)XRDMA_ODP_WINDOW_MAX);
	window = min3(window, fault->expected, odp->end - pos);
	window = clamp(window, need, (u64)XRDMA_ODP_WINDOW_MAX);
	atomic64_inc(&odp->stats[XRDMA_ODP_FAULTS]);
	if (!odp->mm)
		return xrdma_odp_map(odp, pos, need, need, flags, &end);
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

/* Map the pages from @pos to @end. Return: end of what was mapped. */
static u64 xrdma_odp_map_ahead(struct xrdma_odp *odp, u64 pos, u64 end, u32 flags)
{
	u64 next, size;
	int err;

	/* xrdma_odp_detach() makes the number 0 */
	while (pos < end && refcount_read(&odp->users)) {
		next = min(xrdma_sparse_huge_end(pos), end);
		size = next - pos;
		mutex_lock(&odp->ahead_lock);
		err = xrdma_odp_map(odp, pos, size, size, flags, &next);
		mutex_unlock(&odp->ahead_lock);
		if (err)
			break;
		xrdma_odp_note(odp, pos, next);
		pos = next;
	}
	return pos;
}

/**
 * xrdma_odp_ahead_work() - map the pages that a sequence reaches next
 * @work: xrdma_odp.ahead. The function drops the references that
 *	xrdma_odp_start_ahead() has taken
 *
 * Context: may sleep, for any time.
 */
void xrdma_odp_ahead_work(struct work_struct *work)
{
	struct xrdma_odp *odp = container_of(work, struct xrdma_odp, ahead);
	u32 flags = READ_ONCE(odp->ahead_flags);
	u64 pos, end;

	xrdma_odp_choose_ahead(odp, &pos, &end);
	pos = xrdma_odp_map_ahead(odp, pos, end, flags);
	WRITE_ONCE(odp->ahead_end, pos);
	atomic_dec(&odp->owner->aheads);
	xrdma_odp_put(odp);
	module_put(THIS_MODULE);
}

static void xrdma_odp_start_ahead(struct xrdma_odp *odp, bool write)
{
	struct xrdma_odp_owner *owner = odp->owner;

	if (!atomic_add_unless(&owner->aheads, 1, XRDMA_OWNER_AHEADS))
		return;
	WRITE_ONCE(odp->ahead_flags, XRDMA_ODP_MAP_AHEAD |
		   (write ? XRDMA_ODP_MAP_WRITE : 0));
	xrdma_odp_hold(odp);
	if (xrdma_odp_queue(&odp->ahead))
		return;
	atomic_dec(&owner->aheads);
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

/*
 * Answer a page fault. INVALIDATE has ended the page faults of a region that has
 * ended, so those need no answer.
 */
static void xrdma_odp_answer(struct xrdma_odp *odp, u32 token, u32 outcome)
{
	if (!xrdma_odp_begin(odp))
		return;
	if (outcome == XRDMA_RESUME_LATER)
		atomic64_inc(&odp->stats[XRDMA_ODP_WAITS]);
	if (!xrdma_dead(&odp->xib->hw))
		xrdma_resume_answer(&odp->xib->hw, token, outcome);
	xrdma_odp_end(odp);
}

static void xrdma_page_fault_handle(struct xrdma_page_fault *slot)
{
	const struct xrdma_page_fault fault = *slot;
	struct xrdma_odp *odp = fault.odp;
	bool follows = xrdma_odp_follows(odp, fault.pos);
	u32 outcome = xrdma_odp_outcome(xrdma_odp_serve(odp, &fault, follows));

	/* the device may report the next page fault as soon as it is answered */
	xrdma_slot_free(slot);
	xrdma_odp_answer(odp, fault.token, outcome);
	if (follows && outcome == XRDMA_RESUME_AGAIN)
		xrdma_odp_start_ahead(odp, fault.write);
}

static void xrdma_prefetch_put(struct xrdma_prefetch *prefetch)
{
	if (refcount_dec_and_test(&prefetch->refs))
		kfree(prefetch);
}

static void xrdma_prefetch_handle(struct xrdma_page_fault *slot)
{
	struct xrdma_prefetch *prefetch = slot->prefetch;
	u64 end;

	prefetch->err = xrdma_odp_map(slot->odp, slot->pos, slot->need,
				      slot->need, prefetch->flags, &end);
	xrdma_slot_free(slot);
	complete(&prefetch->done);
	xrdma_prefetch_put(prefetch);
}

/**
 * xrdma_page_fault_work() - handle a page fault or a prefetch
 * @work: xrdma_page_fault.work. The function drops the references that the slot
 *	has, and frees the slot
 *
 * Context: may sleep, for any time.
 */
void xrdma_page_fault_work(struct work_struct *work)
{
	struct xrdma_page_fault *slot = container_of(work,
						     struct xrdma_page_fault,
						     work);
	struct xrdma_odp *odp = slot->odp;

	if (slot->prefetch)
		xrdma_prefetch_handle(slot);
	else
		xrdma_page_fault_handle(slot);
	xrdma_odp_put(odp);
	module_put(THIS_MODULE);
}

/*
 * Take a slot for a page fault; the caller holds the owner's lock. Return: 0;
 * -EALREADY: the page fault of another event with the same token has it; -EBUSY:
 * that of another token has it, or the owner has no free slot.
 */
static int xrdma_odp_start(struct xrdma_odp *odp, const struct xrdma_eqe *eqe)
{
	struct xrdma_odp_owner *owner = odp->owner;
	bool write = eqe->flags & XRDMA_FAULT_WRITE;
	u64 pos = le64_to_cpu(eqe->addr);
	u32 token = le32_to_cpu(eqe->token);
	struct xrdma_page_fault *slot;

	slot = xrdma_slot_find(owner, odp, pos, write);
	if (slot)
		return slot->token == token ? -EALREADY : -EBUSY;
	slot = xrdma_slot_take(owner, odp, XRDMA_OWNER_SLOTS);
	if (!slot)
		return -EBUSY;
	slot->pos = pos;
	slot->need = le64_to_cpu(eqe->length);
	slot->expected = le64_to_cpu(eqe->expected);
	slot->token = token;
	slot->write = write;
	slot->prefetch = NULL;
	xrdma_odp_queue(&slot->work);
	return 0;
}

/* Start the handling of a page fault of a region, or answer it. */
static void xrdma_odp_dispatch(struct xrdma_odp *odp, const struct xrdma_eqe *eqe)
{
	int err;

	spin_lock(&odp->owner->lock);
	err = xrdma_odp_start(odp, eqe);
	spin_unlock(&odp->owner->lock);
	if (err == -EBUSY)
		xrdma_odp_answer(odp, le32_to_cpu(eqe->token),
				 XRDMA_RESUME_LATER);
}

/**
 * xrdma_odp_event() - start the handling of a page fault
 * @xib: the device
 * @eqe: the event XRDMA_EVENT_PAGE_FAULT
 *
 * A page fault of a region that does not exist any more gets the answer to look
 * again: then the device refuses the access because of its key.
 *
 * Context: any; interrupts are off.
 */
void xrdma_odp_event(struct xrdma_ibdev *xib, const struct xrdma_eqe *eqe)
{
	struct xrdma_odp_dev *dev = READ_ONCE(xib->odp);
	struct xrdma_odp *odp;
	unsigned long flags;

	if (!dev)
		return;
	xa_lock_irqsave(&dev->regions, flags);
	odp = xa_load(&dev->regions, le32_to_cpu(eqe->key));
	if (odp)
		xrdma_odp_dispatch(odp, eqe);
	xa_unlock_irqrestore(&dev->regions, flags);
	if (!odp && !xrdma_dead(&xib->hw))
		xrdma_resume_answer(&xib->hw, le32_to_cpu(eqe->token),
				    XRDMA_RESUME_AGAIN);
}

/* ---- prefetches ------------------------------------------------------------ */

static int xrdma_prefetch_start(struct xrdma_odp *odp, u64 pos, u64 bytes,
				struct xrdma_prefetch *prefetch)
{
	struct xrdma_odp_owner *owner = odp->owner;
	struct xrdma_page_fault *slot;

	spin_lock_irq(&owner->lock);
	slot = xrdma_slot_take(owner, odp, XRDMA_PREFETCH_SLOTS);
	if (slot) {
		slot->pos = pos;
		slot->need = bytes;
		slot->prefetch = prefetch;
		refcount_inc(&prefetch->refs);
		xrdma_odp_queue(&slot->work);
	}
	spin_unlock_irq(&owner->lock);
	return slot ? 0 : -EBUSY;
}

/* Return: 0 or the errno that ends the prefetch, whatever becomes of the pages. */
static int xrdma_prefetch_wait(struct xrdma_odp *odp,
			       struct xrdma_prefetch *prefetch)
{
	unsigned int looks = XRDMA_PREFETCH_MS / XRDMA_PREFETCH_LOOK_MS;
	unsigned long look = msecs_to_jiffies(XRDMA_PREFETCH_LOOK_MS);
	long left;

	for (; looks; looks--) {
		left = wait_for_completion_killable_timeout(&prefetch->done,
							    look);
		if (left)
			return left > 0 ? prefetch->err : -EINTR;
		if (READ_ONCE(odp->xib->odp->closing))
			return -EIO;
	}
	return -ETIMEDOUT;
}

/**
 * xrdma_odp_prefetch() - map pages before the device needs them
 * @odp: memory of the region, to which the caller has a reference of
 *	xrdma_odp_hold(). The caller prevents that the device is freed
 * @pos: position of the first byte
 * @bytes: number of bytes, at most XRDMA_ODP_WINDOW_MAX
 * @flags: enum xrdma_odp_map_flags
 *
 * A work item maps the pages, since the caller may hold locks for which the end
 * of the device waits.
 *
 * Context: may sleep, for XRDMA_PREFETCH_MS at most.
 * Return: 0; -EBUSY: too many prefetches of this address space are in progress;
 * -ETIMEDOUT: the pages do not arrive; -EINTR: the calling process has been
 * killed; -EIO: the device is about to go; -ENOMEM; or an errno of
 * xrdma_odp_map().
 */
int xrdma_odp_prefetch(struct xrdma_odp *odp, u64 pos, u64 bytes, u32 flags)
{
	struct xrdma_prefetch *prefetch;
	int err;

	prefetch = kzalloc_obj(*prefetch, GFP_KERNEL_ACCOUNT);
	if (!prefetch)
		return -ENOMEM;
	refcount_set(&prefetch->refs, 1);
	init_completion(&prefetch->done);
	prefetch->flags = flags;
	err = xrdma_prefetch_start(odp, pos, bytes, prefetch);
	if (!err)
		err = xrdma_prefetch_wait(odp, prefetch);
	xrdma_prefetch_put(prefetch);
	return err;
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
	int err;

	err = xrdma_resume_create(&xib->hw);
	if (err || !xib->hw.resume)
		return err;
	dev = kzalloc_obj(*dev);
	if (!dev)
		return -ENOMEM;
	xa_init_flags(&dev->regions, XA_FLAGS_LOCK_IRQ);
	WRITE_ONCE(xib->odp, dev);
	return 0;
}

/**
 * xrdma_odp_close() - end the prefetches of a device that is going to be taken
 *	down
 * @xib: the device; nothing happens without on-demand paging
 *
 * Context: any.
 */
void xrdma_odp_close(struct xrdma_ibdev *xib)
{
	if (xib->odp)
		WRITE_ONCE(xib->odp->closing, true);
}

/**
 * xrdma_odp_destroy() - undo xrdma_odp_create()
 * @xib: the device, which is quiet, reports no event any more, and has no region;
 *	nothing happens without on-demand paging
 *
 * Context: may sleep.
 */
void xrdma_odp_destroy(struct xrdma_ibdev *xib)
{
	struct xrdma_odp_dev *dev = xib->odp;

	xib->odp = NULL;
	if (dev) {
		xa_destroy(&dev->regions);
		kfree(dev);
	}
	xrdma_resume_destroy(&xib->hw);
}
