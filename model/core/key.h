/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The key table: entries in host memory, read, decoded and written back.
 *
 * What is valid is cached decoded; whoever changes an entry does it here, so
 * that the cache cannot be wrong. Who may do what with an entry is not decided
 * here but in xrdma_rules.h. Must not know packets or work queue entries.
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

/* Entries of the cache of valid key entries; a power of two. */
#define MODEL_KEY_CACHE		4096

/**
 * struct model_key - key entry, decoded
 * @index: key index
 * @cached: this slot of the cache holds a valid entry
 * @e: what the rules need; state INVALID: the rest means nothing
 * @mem: its memory; unused for windows, and unless valid
 */
struct model_key {
	u32 index;
	bool cached;
	struct xrdma_rules_entry e;
	struct model_mem mem;
};

/**
 * struct model_key_table - the key table of the host, as the device sees it
 * @mem: the table, behind REG_MPT_ROOT
 * @bus: all bus addresses, for XRDMA_KEY_LOCAL_DMA
 * @cache: valid entries, direct-mapped by index
 */
struct model_key_table {
	struct model_mem mem;
	struct model_mem bus;
	struct model_key cache[MODEL_KEY_CACHE];
};

void model_keys_enable(struct model_device *dev, u64 root);
void model_keys_reset(struct model_device *dev);
void model_keys_forget_tables(struct model_device *dev);

struct model_key *model_key_get(struct model_device *dev, u32 index);
struct model_key *model_key_get_anew(struct model_device *dev, u32 index);
void model_key_put(struct model_device *dev, u32 index,
		   const struct xrdma_rules_entry *e, u64 root, u32 offset);
void model_key_bound(struct model_device *dev,
		     const struct xrdma_rules_entry *mw);
void model_key_unbound(struct model_device *dev,
		       const struct xrdma_rules_entry *mw);
bool model_key_root_ok(u64 root, u64 offset, u64 length);

enum xrdma_inval_status model_key_invalidate(struct model_device *dev,
					     u32 index);

#endif /* MODEL_KEY_H */
