// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Device memory: allocation, reset and release. core/device.c accesses it for
 * BAR 4, core/xlat.c for keys.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/dm.h"

/**
 * model_dm_size_ok - check a size of device memory
 * @size: bytes, 0 for none
 *
 * Return: true if device memory can have this size.
 */
bool model_dm_size_ok(u64 size)
{
	return !size || (!(size & (size - 1)) && size >= MODEL_DM_MIN &&
			 size <= MODEL_DM_MAX);
}

/**
 * model_dm_init - allocate device memory
 * @dm: filled in
 * @size: bytes, 0 for none
 *
 * Return: 0, -EINVAL for an illegal size, or another negative errno.
 */
int model_dm_init(struct model_dm *dm, u64 size)
{
	if (!model_dm_size_ok(size))
		return -EINVAL;
	*dm = (struct model_dm) { .size = size, .fd = -1 };
	if (!size)
		return 0;
	dm->fd = memfd_create("device-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (dm->fd < 0)
		return -errno;
	/* a client that maps the file must not take it away from this process */
	if (!ftruncate(dm->fd, size) &&
	    !fcntl(dm->fd, F_ADD_SEALS,
		   F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		dm->mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
			       dm->fd, 0);
	if (dm->mem && dm->mem != MAP_FAILED)
		return 0;
	close(dm->fd);
	return -ENOMEM;
}

/**
 * model_dm_destroy - free device memory
 * @dm: device memory
 */
void model_dm_destroy(struct model_dm *dm)
{
	if (!dm->size)
		return;
	munmap(dm->mem, dm->size);
	close(dm->fd);
}

/**
 * model_dm_reset - zero device memory
 * @dm: device memory
 *
 * Frees the pages of the file, so unused pages take no memory.
 */
void model_dm_reset(struct model_dm *dm)
{
	if (dm->size &&
	    fallocate(dm->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
		      dm->size))
		memset(dm->mem, 0, dm->size);
}
