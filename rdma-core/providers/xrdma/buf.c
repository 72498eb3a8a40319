// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: memory for rings and records, which driver and device access
 * too. It comes from mmap(), or from the application's allocator of a parent
 * domain (domain.c). Its layout is in qp_size.c, cq.c and srq.c.
 */

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xrdma.h"

/* Get pages from the system. Return: 0 or an errno. */
static int xrdma_map_pages(struct xrdma_buf *buf)
{
	buf->addr = mmap(NULL, buf->size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return buf->addr == MAP_FAILED ? errno : 0;
}

/*
 * Get pages from the allocator of the parent domain if it has one, unless the
 * allocator leaves it to the default. Return: 0 or an errno.
 */
static int xrdma_get_pages(struct xrdma_buf *buf, size_t page)
{
	struct xrdma_pd *pd = buf->domain;

	buf->from_domain = false;
	if (!pd || !pd->alloc)
		return xrdma_map_pages(buf);

	buf->addr = pd->alloc(&pd->ibv_pd, pd->context, buf->size, page, 0);
	if (buf->addr == IBV_ALLOCATOR_USE_DEFAULT)
		return xrdma_map_pages(buf);
	if (!buf->addr)
		return ENOMEM;
	memset(buf->addr, 0, buf->size);
	buf->from_domain = true;
	return 0;
}

static void xrdma_put_pages(struct xrdma_buf *buf)
{
	struct xrdma_pd *pd = buf->domain;

	if (buf->from_domain)
		pd->free(&pd->ibv_pd, pd->context, buf->addr, 0);
	else
		munmap(buf->addr, buf->size);
}

/**
 * xrdma_alloc_buf() - allocate zeroed pages that fork() does not share
 * @buf: set on success
 * @pd: domain in which the object is created, or NULL. A parent domain cannot
 *	be deallocated until the pages are freed.
 * @size: bytes needed, not 0
 *
 * Return: 0 or an errno.
 */
int xrdma_alloc_buf(struct xrdma_buf *buf, struct xrdma_pd *pd, size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct xrdma_buf new = {
		.size = align(size, page),
		.domain = pd && pd->base ? pd : NULL,
	};
	int err;

	err = xrdma_get_pages(&new, page);
	if (err)
		return err;
	err = ibv_dontfork_range(new.addr, new.size);
	if (err) {
		xrdma_put_pages(&new);
		return err;
	}
	if (new.domain)
		atomic_fetch_add(&new.domain->users, 1);
	*buf = new;
	return 0;
}

/**
 * xrdma_free_buf() - free pages
 * @buf: pages that the device no longer accesses, or a zeroed structure for
 *	which nothing was allocated
 */
void xrdma_free_buf(struct xrdma_buf *buf)
{
	if (!buf->size)
		return;
	ibv_dofork_range(buf->addr, buf->size);
	xrdma_put_pages(buf);
	if (buf->domain)
		atomic_fetch_sub(&buf->domain->users, 1);
}
