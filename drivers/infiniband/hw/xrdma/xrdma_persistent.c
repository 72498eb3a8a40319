// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA persistent memory: tells which memory of the machine keeps its contents
 * without power. Only such memory may be registered for FLUSH to persistence,
 * which xrdma_mr.c checks for pinned memory and xrdma_odp_map.c for paged memory.
 */

#include <linux/ioport.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include "xrdma_persistent.h"

/* Kinds of persistent memory: of firmware tables of today, and of older ones */
static const unsigned long xrdma_persistent[] = {
	IORES_DESC_PERSISTENT_MEMORY, IORES_DESC_PERSISTENT_MEMORY_LEGACY,
};

static int xrdma_persistent_found(struct resource *res, void *found)
{
	*(bool *)found = true;
	return 1;
}

/**
 * xrdma_persistent_exists() - has the machine persistent memory?
 *
 * Context: may sleep.
 * Return: true: it has.
 */
bool xrdma_persistent_exists(void)
{
	bool found = false;
	int i;

	for (i = 0; i < ARRAY_SIZE(xrdma_persistent); i++)
		walk_iomem_res_desc(xrdma_persistent[i], IORESOURCE_MEM, 0, -1,
				    &found, xrdma_persistent_found);
	return found;
}

/**
 * xrdma_is_persistent() - does memory keep its contents without power?
 * @start: physical address
 * @length: length in bytes, 1 or more
 *
 * Context: any.
 * Return: true: all of the memory is persistent.
 */
bool xrdma_is_persistent(phys_addr_t start, u64 length)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(xrdma_persistent); i++)
		if (region_intersects(start, length, IORESOURCE_MEM,
				      xrdma_persistent[i]) == REGION_INTERSECTS)
			return true;
	return false;
}
