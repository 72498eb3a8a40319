/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Device memory, BAR 4: a file in memory, so that a client can map it and the
 * device accesses the same bytes by a pointer. Accesses by key are checked in
 * core/access.c.
 */
#ifndef MODEL_DM_H
#define MODEL_DM_H

#include <linux/bits.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/* Sizes: a power of two, in bytes; 0 for none. */
#define MODEL_DM_MIN		4096ULL
#define MODEL_DM_MAX		BIT_ULL(36)

/**
 * struct model_dm - device memory
 * @mem: first byte of device memory in this process
 * @size: bytes; 0: the device has no device memory
 * @fd: file that holds device memory
 */
struct model_dm {
	u8 *mem;
	u64 size;
	int fd;
};

bool model_dm_size_ok(u64 size);
int model_dm_init(struct model_dm *dm, u64 size);
void model_dm_destroy(struct model_dm *dm);
void model_dm_reset(struct model_dm *dm);

#endif /* MODEL_DM_H */
