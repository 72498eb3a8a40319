// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA room for pages of paged regions: finds out whether pages of the process
 * can be allocated without the OOM killer. Pages are allocated and mapped in
 * xrdma_odp_map.c.
 *
 * A peer chooses the addresses that it accesses, and thereby how much memory of
 * the process is allocated. A page fault that hmm_range_fault() handles would,
 * like any page fault, call the OOM killer when the machine or the memory cgroup
 * is full. The OOM killer might kill a process that has nothing to do with the
 * peer. Therefore page faults of the device leave some memory of the machine to
 * others. In a memory cgroup that is short, as many pages as the page fault may
 * need are allocated on trial first, in a way that reclaims memory but kills
 * nobody, and freed. If there is no room, the device has to wait.
 *
 * The limit of memory and swap together, which a cgroup of version 1 may have,
 * is not looked at.
 */

#include <linux/list.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/swap.h>
#include "xrdma_odp.h"

/* Pages for the tables of the process and of the device */
#define XRDMA_ROOM_TABLES	64
/* Pages of the machine that page faults of the device leave to others */
#define XRDMA_ROOM_RESERVE	(SZ_32M >> PAGE_SHIFT)

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

/**
 * xrdma_room_is_short() - does xrdma_room_make() have to be called?
 * @memcg: memory cgroup of the process, or NULL
 * @num: number of pages that are going to be allocated for the process
 *
 * Context: any.
 * Return: true: the counters say that memory is short.
 */
bool xrdma_room_is_short(struct mem_cgroup *memcg, unsigned long num)
{
	num += XRDMA_ROOM_TABLES;
	return xrdma_machine_is_short(num) || xrdma_memcg_is_short(memcg, num);
}

/**
 * xrdma_room_make() - make sure that pages of a process can be allocated
 * @memcg: memory cgroup of the process, or NULL; the active one of the caller
 *	(set_active_memcg())
 * @num: number of pages that are going to be allocated for the process
 *
 * Nothing reserves the memory for the caller. If several callers want memory of
 * the same process, each of them holds xrdma_odp.scarce from this call until it
 * has allocated the pages.
 *
 * Context: may sleep. Kills no process.
 * Return: 0 or -ENOMEM.
 */
int xrdma_room_make(struct mem_cgroup *memcg, unsigned long num)
{
	num += XRDMA_ROOM_TABLES;
	if (xrdma_machine_is_short(num))
		return -ENOMEM;
	if (xrdma_memcg_is_short(memcg, num) && !xrdma_try_pages(num))
		return -ENOMEM;
	return 0;
}
