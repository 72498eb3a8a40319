// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: memory for rings and records, which driver and device reach
 * too. Must not know: what is in it.
 */

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xrdma.h"

/**
 * xrdma_alloc_buf() - zeroed pages that a fork does not share
 * @buf: filled on success
 * @size: bytes needed, not 0
 *
 * Return: 0 or an errno.
 */
int xrdma_alloc_buf(struct xrdma_buf *buf, size_t size)
{
	int err;

	size = align(size, sysconf(_SC_PAGESIZE));
	buf->addr = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buf->addr == MAP_FAILED)
		return errno;

	err = ibv_dontfork_range(buf->addr, size);
	if (err) {
		munmap(buf->addr, size);
		return err;
	}
	buf->size = size;
	return 0;
}

/**
 * xrdma_free_buf() - give the pages back
 * @buf: allocated, no longer known to the device
 */
void xrdma_free_buf(struct xrdma_buf *buf)
{
	ibv_dofork_range(buf->addr, buf->size);
	munmap(buf->addr, buf->size);
}
