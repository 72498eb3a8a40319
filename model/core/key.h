/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The key table: reads, decodes and writes entries in host memory.
 *
 * The cache holds valid entries in decoded form. All changes of entries by the
 * device go through key.c, which keeps the cache up to date. The rules for the
 * use of an entry are in xrdma_rules.h, work requests that change entries in
 * core/window.c.
 */
#ifndef MODEL_KEY_H
#define MODEL_KEY_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/xlat.h"
#include "xrdma_hw.h"
#include "xrdma_rules.h"

struct model_device;

/* Number of slots in the cache of valid key entries; a power of two. */
#define MODEL_KEY_CACHE		4096

/**
 * struct model_key - key entry, decoded
 * @index: key index
 * @cached: this slot of the cache holds a valid entry
 * @e: fields for xrdma_rules.h; if its state is INVALID, the other fields are
 *	undefined
 * @mem: memory of the region; unused for windows and for entries that are not
 *	valid
 */
struct model_key {
	u32 index;
	bool cached;
	struct xrdma_rules_entry e;
	struct model_mem mem;
};

/**
 * struct model_key_table - the key table of the host
 * @mem: memory of the table, at REG_MPT_ROOT
 * @bus: all bus addresses, for XRDMA_KEY_LOCAL_DMA
 * @null: zeros at each address, for XRDMA_KEY_NULL
 * @cache: valid entries, direct-mapped by index
 * @paged: bitmap of the slots of @cache that have held a paged region
 */
struct model_key_table {
	struct model_mem mem;
	struct model_mem bus;
	struct model_mem null;
	struct model_key cache[MODEL_KEY_CACHE];
	u64 paged[MODEL_KEY_CACHE / 64];
};

void model_keys_enable(struct model_device *dev, u64 root);
void model_keys_reset(struct model_device *dev);
void model_keys_forget_tables(struct model_device *dev);

struct model_key *model_key_get(struct model_device *dev, u32 index);
struct model_key *model_key_reload(struct model_device *dev, u32 index);
void model_key_put(struct model_device *dev, u32 index,
		   const struct xrdma_rules_entry *e, u64 root, u32 offset);
void model_key_bound(struct model_device *dev,
		     const struct xrdma_rules_entry *mw);
void model_key_unbound(struct model_device *dev,
		       const struct xrdma_rules_entry *mw);
void model_key_forget_range(struct model_device *dev, u32 index);
void model_keys_check_unmap(struct model_device *dev, u64 iova, u64 len);
bool model_key_root_ok(u64 root, u64 offset, u64 length);

enum xrdma_inval_status model_key_invalidate(struct model_device *dev,
					     u32 index);

#endif /* MODEL_KEY_H */
