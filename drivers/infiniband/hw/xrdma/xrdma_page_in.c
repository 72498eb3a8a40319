// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA page-in: brings pages of a process into memory, so that
 * xrdma_odp_map.c can map them. This file uses neither the region nor the device,
 * since a page may take any time to arrive: it may lie on a disk, on a file
 * server that does not answer, or in a range of userfaultfd(2), whose handler is
 * a process. fixup_user_fault() releases the mmap lock while it waits for such a
 * page, so that other users of the address space do not wait.
 *
 * A peer chooses the addresses that it accesses, and thereby how much memory of
 * the process is allocated. A page fault of the kernel calls the OOM killer when
 * the machine or the memory cgroup is full. The OOM killer might kill a process
 * that has nothing to do with the peer. Therefore, when the counters say that
 * memory is short, as many pages as are missing are allocated on trial first, in
 * a way that reclaims memory but kills nobody, and freed. If that fails, the
 * device has to wait, and the next trial for this process follows after a pause.
 * Pages that are present need no room, and are mapped without a trial.
 *
 * The limit of memory and swap together, which a cgroup of version 1 may have,
 * is not looked at.
 */

#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/magic.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/swap.h>
#include "xrdma_odp.h"

/*
 * Pages that the kernel charges to a memory cgroup in advance, so that a cgroup
 * with fewer pages left counts as short
 */
#define XRDMA_ROOM_CHARGED	64
/* Pages for the tables of the process, and one table of the device */
#define XRDMA_ROOM_TABLES	8
/* Pages of the machine that page faults of the device leave to others */
#define XRDMA_ROOM_RESERVE	(SZ_32M >> PAGE_SHIFT)
/* Pause after a trial that failed; doubled by each further one */
#define XRDMA_ROOM_PAUSE_MIN_MS	10
#define XRDMA_ROOM_PAUSE_MAX_MS	1000

/* ---- room ------------------------------------------------------------------ */

#ifdef CONFIG_MEMCG
/* Has the cgroup, or one above it, fewer than @num pages left? */
static bool xrdma_memcg_is_short(struct mem_cgroup *memcg, unsigned long num)
{
	for (; memcg; memcg = parent_mem_cgroup(memcg))
		if (page_counter_read(&memcg->memory) + num >
		    READ_ONCE(memcg->memory.max))
			return true;
	return false;
}
#else
static bool xrdma_memcg_is_short(struct mem_cgroup *memcg, unsigned long num)
{
	return false;
}
#endif

/* Would @num pages use up what the machine has in memory and swap? */
static bool xrdma_machine_is_short(unsigned long num)
{
	return si_mem_available() + get_nr_swap_pages() <
	       (long)(num + XRDMA_ROOM_RESERVE);
}

/*
 * Can @num pages be charged to the active memory cgroup? They are free again when
 * the function returns. Without __GFP_NORETRY, the cgroup would be full for so
 * long that another process which needs memory meanwhile calls the OOM killer.
 */
static bool xrdma_try_pages(unsigned long num)
{
	gfp_t gfp = GFP_HIGHUSER_MOVABLE | __GFP_ACCOUNT | __GFP_NORETRY |
		    __GFP_NOWARN;
	struct page *page, *next;
	LIST_HEAD(pages);

	for (; num; num--) {
		page = alloc_page(gfp);
		if (!page)
			break;
		list_add(&page->lru, &pages);
	}
	list_for_each_entry_safe(page, next, &pages, lru)
		__free_page(page);
	return !num;
}

/*
 * Make sure that @num pages can be allocated. The caller holds
 * xrdma_odp_owner.scarce until it has allocated them: nothing reserves them.
 */
static int xrdma_room_make(struct xrdma_odp_owner *owner, unsigned long num)
{
	lockdep_assert_held(&owner->scarce);

	if (owner->short_ms && time_before(jiffies, owner->short_until))
		return -ENOMEM;
	if (!xrdma_machine_is_short(num) && xrdma_try_pages(num)) {
		owner->short_ms = 0;
		return 0;
	}
	owner->short_ms = clamp(2 * owner->short_ms, XRDMA_ROOM_PAUSE_MIN_MS,
				XRDMA_ROOM_PAUSE_MAX_MS);
	owner->short_until = jiffies + msecs_to_jiffies(owner->short_ms);
	return -ENOMEM;
}

/* ---- pages ----------------------------------------------------------------- */

/**
 * xrdma_page_check() - may a page of a process be mapped for the device?
 * @mm: the address space, which the caller keeps alive (mmget())
 * @address: virtual address
 * @write: for a write
 *
 * Without this check, a peer that walks the whole address space would get a span
 * for each GiB of addresses that the process does not use.
 *
 * Context: may sleep, as long as others hold the mmap lock.
 * Return: 0; -EFAULT: the process has no mapping there that hmm_range_fault()
 * accepts; -EPERM: the mapping does not allow writes.
 */
int xrdma_page_check(struct mm_struct *mm, u64 address, bool write)
{
	struct vm_area_struct *vma;
	int err = -EFAULT;

	mmap_read_lock(mm);
	vma = vma_lookup(mm, address);
	if (vma && (vma->vm_flags & (VM_READ | VM_IO | VM_PFNMAP)) == VM_READ)
		err = write && !(vma->vm_flags & VM_WRITE) ? -EPERM : 0;
	mmap_read_unlock(mm);
	return err;
}

/*
 * Must no device access the memory of a mapping? That holds for secret memory,
 * of which the kernel lets nobody pin pages, and for the return addresses of a
 * shadow stack.
 */
static bool xrdma_vma_is_refused(const struct vm_area_struct *vma)
{
	const struct file *file = vma->vm_file;

	return vma->vm_flags & VM_SHADOW_STACK ||
	       (file && file_inode(file)->i_sb->s_magic == SECRETMEM_MAGIC);
}

/**
 * xrdma_page_allowed() - up to where may a device access a range?
 * @mm: the address space. The caller holds the mmap lock, and looks up the pages
 *	before it unlocks
 * @start: virtual address of the start of the range
 * @end: virtual address of its end
 *
 * Context: any.
 * Return: address of the first memory in the range that no device may access;
 * @end if there is none.
 */
u64 xrdma_page_allowed(struct mm_struct *mm, u64 start, u64 end)
{
	VMA_ITERATOR(vmi, mm, start);
	struct vm_area_struct *vma;

	for_each_vma_range(vmi, vma, end)
		if (xrdma_vma_is_refused(vma))
			return max_t(u64, vma->vm_start, start);
	return end;
}

/*
 * Is a page that is mapped ahead to be written to? Only new anonymous memory is:
 * a write to another page that the device may never access would copy the page,
 * or allocate a block of a file.
 */
static bool xrdma_page_write_ahead(struct mm_struct *mm, u64 address)
{
	struct vm_area_struct *vma = vma_lookup(mm, address);

	return vma && vma_is_anonymous(vma) && vma->vm_flags & VM_WRITE;
}

/* Handle a page fault of the process. The caller holds the mmap lock. */
static int xrdma_page_fault_in(struct mm_struct *mm, u64 address, u32 flags)
{
	unsigned int fault = FAULT_FLAG_REMOTE;
	bool write = flags & XRDMA_ODP_MAP_WRITE;
	bool unlocked = false;

	if (write && flags & XRDMA_ODP_MAP_AHEAD)
		write = xrdma_page_write_ahead(mm, address);
	if (write)
		fault |= FAULT_FLAG_WRITE;
	/* with @unlocked, the mmap lock is released while the page is read */
	return fixup_user_fault(mm, address, fault, &unlocked);
}

/* What of @num pages from @address on misses, by a look-up */
static unsigned long xrdma_pages_missing(const unsigned long *pfns,
					 unsigned long num, bool write)
{
	unsigned long i, missing = 0;

	for (i = 0; i < num; i++)
		missing += xrdma_pfn_misses(pfns[i], write);
	return missing;
}

static int xrdma_pages_fault_in(struct mm_struct *mm, u64 address,
				const unsigned long *pfns, unsigned long num,
				bool write, u32 flags)
{
	unsigned long i;
	int err = 0;

	mmap_read_lock(mm);
	for (i = 0; !err && i < num; i++)
		if (xrdma_pfn_misses(pfns[i], write))
			err = xrdma_page_fault_in(mm, address + i * PAGE_SIZE,
						  flags);
	mmap_read_unlock(mm);
	return err;
}

/**
 * xrdma_page_in() - bring pages of a process into memory
 * @odp: a region of the process, to which the caller has a reference of
 *	xrdma_odp_hold(). The caller keeps the address space alive (mmget()), and
 *	has made the memory cgroup of the process the active one
 * @address: virtual address of the first page
 * @pfns: the pages, as hmm_range_fault() has found them
 * @num: number of pages
 * @flags: enum xrdma_odp_map_flags
 *
 * The pages may be gone again when the function returns.
 *
 * Context: may sleep, for any time. The caller is not between xrdma_odp_begin()
 * and xrdma_odp_end(), and holds no lock but xrdma_odp.ahead_lock.
 * Return: 0; -ENOMEM: there is no room for the pages; -EFAULT, -EHWPOISON: the
 * process has no such page, or may not access it in this way; -EINTR: the calling
 * process has been killed.
 */
int xrdma_page_in(struct xrdma_odp *odp, u64 address, const unsigned long *pfns,
		  unsigned long num, u32 flags)
{
	bool write = flags & XRDMA_ODP_MAP_WRITE &&
		     !(flags & XRDMA_ODP_MAP_AHEAD);
	unsigned long room = xrdma_pages_missing(pfns, num, write) +
			     XRDMA_ROOM_TABLES;
	struct mem_cgroup *memcg = get_mem_cgroup_from_mm(odp->mm);
	bool scarce = xrdma_machine_is_short(room) ||
		      xrdma_memcg_is_short(memcg, room + XRDMA_ROOM_CHARGED);
	int err = 0;

	mem_cgroup_put(memcg);
	if (scarce) {
		mutex_lock(&odp->owner->scarce);
		err = xrdma_room_make(odp->owner, room);
	}
	if (!err)
		err = xrdma_pages_fault_in(odp->mm, address, pfns, num, write,
					   flags);
	if (scarce)
		mutex_unlock(&odp->owner->scarce);
	return err;
}
