/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Translated host memory: the walk of translation tables, and accesses to the
 * memory. Device memory and the null key have the same interface.
 *
 * A struct model_mem describes a piece of host memory with a translation root:
 * a ring, a record, a region, the key table. It caches the result of its last
 * walk, with pointers into guest memory. The cached result is discarded when
 * model_device.epoch changes, which happens whenever a DMA mapping is removed,
 * and when the owner of the struct model_mem is invalidated or destroyed.
 * Checks of keys are in core/access.c.
 */
#ifndef MODEL_XLAT_H
#define MODEL_XLAT_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct model_device;

/* Kinds of translated memory, struct model_mem.flags. */
#define MODEL_MEM_IDENTITY	0x1 /* no tables: positions are bus addresses */
#define MODEL_MEM_SPARSE	0x2 /* missing translations are no host error */
#define MODEL_MEM_DEVICE	0x4 /* no tables: positions are in device memory */
#define MODEL_MEM_PAGED		0x8 /* paged region: translations may miss */
#define MODEL_MEM_NULL		0x10 /* no memory: reads zeros, drops writes */

/**
 * struct model_mem - a piece of host memory and its last walk
 * @root: XRDMA_ROOT_*, CPU order; unused with MODEL_MEM_IDENTITY, _DEVICE and
 *	_NULL
 * @base: position (bus address with MODEL_MEM_IDENTITY) of the first byte
 * @size: bytes
 * @flags: MODEL_MEM_*
 * @use: enum model_pcie_use of model_mem_read() and model_mem_write()
 * @missed: PAGED: the last model_mem_ptr() failed because a translation misses
 * @miss_pos: position that misses, if @missed
 * @run_read: the run may be read
 * @run_write: the run may be written
 * @epoch: value of model_device.epoch for which @run and @table are valid
 * @run_off: offset of the last run of bytes that are contiguous in this process
 * @run_len: length of the run in bytes; 0: no run
 * @run: pointer to the first byte of the run
 * @run_addr: bus address of the first byte of the run
 * @table_index: number of the last table of level 1, from the start of the
 *	translation
 * @table: pointer to that table, or NULL
 * @table_addr: bus address of that table
 *
 * model_mem_init() initializes the structure, with MODEL_PCIE_DATA; other files
 * only set @use, and read @flags, @missed and @miss_pos.
 */
struct model_mem {
	u64 root;
	u64 base;
	u64 size;
	u8 flags;
	u8 use;
	bool missed;
	bool run_read;
	bool run_write;
	u64 miss_pos;
	u64 epoch;
	u64 run_off;
	u64 run_len;
	u8 *run;
	u64 run_addr;
	u64 table_index;
	const __le64 *table;
	u64 table_addr;
};

void model_mem_init(struct model_mem *mem, u64 root, u64 base, u64 size,
		    u8 flags);
void model_mem_forget(struct model_mem *mem);
bool model_mem_caches(const struct model_mem *mem, u64 addr, u64 len);
void *model_mem_ptr(struct model_device *dev, struct model_mem *mem, u64 off,
		    size_t *len, bool write);
void model_mem_count(struct model_device *dev, const struct model_mem *mem,
		     bool write, size_t len);
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
