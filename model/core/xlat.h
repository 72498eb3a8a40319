/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Translated host memory: the one walker of translation tables. Device memory
 * looks the same to those who use it.
 *
 * A struct model_mem stands for a piece of host memory behind a translation
 * root: a ring, a record, a region, the key table. It remembers its last walk.
 * What it remembers is forgotten when model_device.epoch moves on, which it
 * does whenever a DMA mapping goes; and it goes with its owner when a key is
 * invalidated or an object destroyed. Must not know keys, queues or packets.
 */
#ifndef MODEL_XLAT_H
#define MODEL_XLAT_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct model_device;

/* Kinds of translated memory, struct model_mem.flags. */
#define MODEL_MEM_IDENTITY	0x1 /* no tables: positions are bus addresses */
#define MODEL_MEM_SPARSE	0x2 /* a missing translation is no host error */
#define MODEL_MEM_DEVICE	0x4 /* no tables: positions are in device memory */

/**
 * struct model_mem - a piece of host memory and its last walk
 * @root: XRDMA_ROOT_*, CPU order; unused with MODEL_MEM_IDENTITY or _DEVICE
 * @base: position (bus address with MODEL_MEM_IDENTITY) of the first byte
 * @size: bytes
 * @flags: MODEL_MEM_*
 * @run_read: the run may be read
 * @run_write: the run may be written
 * @epoch: model_device.epoch at which what follows was found
 * @run_off: offset of the last run of bytes that are contiguous here
 * @run_len: its length; 0: none
 * @run: pointer to it
 * @table_index: position of the last table of level 1, in tables
 * @table: pointer to it, or NULL
 *
 * Set it up with model_mem_init(); nobody but xlat.c looks inside.
 */
struct model_mem {
	u64 root;
	u64 base;
	u64 size;
	u8 flags;
	bool run_read;
	bool run_write;
	u64 epoch;
	u64 run_off;
	u64 run_len;
	u8 *run;
	u64 table_index;
	const __le64 *table;
};

void model_mem_init(struct model_mem *mem, u64 root, u64 base, u64 size,
		    u8 flags);
void model_mem_forget(struct model_mem *mem);
void *model_mem_ptr(struct model_device *dev, struct model_mem *mem, u64 off,
		    size_t *len, bool write);
int model_mem_read(struct model_device *dev, struct model_mem *mem, u64 off,
		   void *buf, size_t len);
int model_mem_write(struct model_device *dev, struct model_mem *mem, u64 off,
		    const void *buf, size_t len);
int model_mem_probe(struct model_device *dev, struct model_mem *mem,
		    bool write);
bool model_mem_is_zero(struct model_device *dev, struct model_mem *mem);
void model_dma_failed(struct model_device *dev, u64 addr, size_t len,
		      bool write);

#endif /* MODEL_XLAT_H */
