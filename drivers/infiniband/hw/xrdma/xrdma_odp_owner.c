// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA owners of paged regions, and how long the memory of a region lives.
 *
 * Each address space with paged regions has a struct xrdma_odp_owner with its
 * page faults in progress. A page fault may wait for a page that never arrives,
 * so nothing that it holds meanwhile is shared with other address spaces. An
 * owner outlives the regions and the device as long as a page fault is in
 * progress, and a new region of the address space gets the same owner: an address
 * space cannot have more page faults in progress by registering again.
 *
 * Work items of this part of the driver hold a reference to the module. They run
 * on a queue of the module, since a queue of the device could not be destroyed
 * while a page fault waits. Page faults are handled in xrdma_odp_fault.c.
 */

#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include "xrdma_odp.h"

static DEFINE_HASHTABLE(xrdma_owners, 6);
static DEFINE_SPINLOCK(xrdma_owners_lock); /* xrdma_owners */
static struct workqueue_struct *xrdma_odp_workers;

/**
 * xrdma_odp_init() - create the work queue of page faults
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int xrdma_odp_init(void)
{
	xrdma_odp_workers = alloc_workqueue("xrdma_odp",
					    WQ_UNBOUND | WQ_HIGHPRI,
					    WQ_MAX_ACTIVE);
	return xrdma_odp_workers ? 0 : -ENOMEM;
}

/**
 * xrdma_odp_exit() - undo xrdma_odp_init()
 *
 * Work items that have dropped their reference to the module may still return
 * from their function; destroy_workqueue() waits for that.
 *
 * Context: may sleep.
 */
void xrdma_odp_exit(void)
{
	destroy_workqueue(xrdma_odp_workers);
}

/**
 * xrdma_odp_queue() - queue a work item of a region
 * @work: the work item. Its function calls module_put(THIS_MODULE) last
 *
 * Context: any.
 * Return: false: the work item is in the queue already.
 */
bool xrdma_odp_queue(struct work_struct *work)
{
	__module_get(THIS_MODULE);
	if (queue_work(xrdma_odp_workers, work))
		return true;
	module_put(THIS_MODULE);
	return false;
}

/* ---- owners ---------------------------------------------------------------- */

static struct xrdma_odp_owner *xrdma_owner_find(struct mm_struct *mm)
{
	struct xrdma_odp_owner *owner;

	lockdep_assert_held(&xrdma_owners_lock);

	hash_for_each_possible(xrdma_owners, owner, entry, (unsigned long)mm) {
		if (owner->mm != mm)
			continue;
		refcount_inc(&owner->refs);
		return owner;
	}
	return NULL;
}

static struct xrdma_odp_owner *xrdma_owner_alloc(struct mm_struct *mm,
						 work_func_t fault)
{
	struct xrdma_odp_owner *owner;
	unsigned int i;

	owner = kzalloc_obj(*owner, GFP_KERNEL_ACCOUNT);
	if (!owner)
		return NULL;
	refcount_set(&owner->refs, 1);
	owner->mm = mm;
	mmgrab(mm);
	spin_lock_init(&owner->lock);
	mutex_init(&owner->scarce);
	for (i = 0; i < XRDMA_OWNER_SLOTS; i++)
		INIT_WORK(&owner->faults[i].work, fault);
	return owner;
}

static void xrdma_owner_free(struct xrdma_odp_owner *owner)
{
	mmdrop(owner->mm);
	mutex_destroy(&owner->scarce);
	kfree(owner);
}

/**
 * xrdma_odp_owner_get() - find or create the owner for an address space
 * @mm: the address space of the current process. The owner has a reference to
 *	the structure that does not keep the address space alive
 * @fault: xrdma_page_fault_work()
 *
 * Context: may sleep.
 * Return: the owner with a reference, or NULL: out of memory.
 */
struct xrdma_odp_owner *xrdma_odp_owner_get(struct mm_struct *mm,
					    work_func_t fault)
{
	struct xrdma_odp_owner *owner, *fresh;

	spin_lock(&xrdma_owners_lock);
	owner = xrdma_owner_find(mm);
	spin_unlock(&xrdma_owners_lock);
	if (owner)
		return owner;
	fresh = xrdma_owner_alloc(mm, fault);
	if (!fresh)
		return NULL;
	spin_lock(&xrdma_owners_lock);
	owner = xrdma_owner_find(mm);
	if (!owner)
		hash_add(xrdma_owners, &fresh->entry, (unsigned long)mm);
	spin_unlock(&xrdma_owners_lock);
	if (!owner)
		return fresh;
	xrdma_owner_free(fresh);
	return owner;
}

/**
 * xrdma_odp_owner_put() - drop a reference to an owner
 * @owner: the owner
 *
 * Context: process.
 */
void xrdma_odp_owner_put(struct xrdma_odp_owner *owner)
{
	bool last;

	spin_lock(&xrdma_owners_lock);
	last = refcount_dec_and_test(&owner->refs);
	if (last)
		hash_del(&owner->entry);
	spin_unlock(&xrdma_owners_lock);
	if (last)
		xrdma_owner_free(owner);
}

/* ---- regions --------------------------------------------------------------- */

/**
 * xrdma_odp_begin() - begin a step that uses the region and the device
 * @odp: memory of the region, to which the caller has a reference of
 *	xrdma_odp_hold()
 *
 * The caller waits for nothing but the device and memory until xrdma_odp_end().
 *
 * Context: any.
 * Return: false: the region has ended, and the device may be gone.
 */
bool xrdma_odp_begin(struct xrdma_odp *odp)
{
	return refcount_inc_not_zero(&odp->users);
}

/**
 * xrdma_odp_end() - undo xrdma_odp_begin()
 * @odp: memory of the region
 *
 * Context: any.
 */
void xrdma_odp_end(struct xrdma_odp *odp)
{
	if (refcount_dec_and_test(&odp->users))
		complete(&odp->idle);
}

/**
 * xrdma_odp_hold() - take a reference to the memory of struct xrdma_odp
 * @odp: memory of the region, to which the caller has a reference
 *
 * Context: any.
 */
void xrdma_odp_hold(struct xrdma_odp *odp)
{
	refcount_inc(&odp->refs);
}

/**
 * xrdma_odp_put() - drop a reference of xrdma_odp_hold()
 * @odp: memory of the region
 *
 * Context: process.
 */
void xrdma_odp_put(struct xrdma_odp *odp)
{
	struct xrdma_span *span;
	unsigned long number;

	if (!refcount_dec_and_test(&odp->refs))
		return;
	xa_for_each(&odp->spans, number, span) {
		mutex_destroy(&span->lock);
		kfree(span);
	}
	xa_destroy(&odp->spans);
	xrdma_odp_owner_put(odp->owner);
	mutex_destroy(&odp->ahead_lock);
	mutex_destroy(&odp->grow);
	kfree(odp);
}
