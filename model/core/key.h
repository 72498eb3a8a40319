/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The key table: entries in host memory, read, decoded and written back.
 *
 * What is valid is cached decoded; whoever changes an entry does it here, so
 * that the cache cannot be wrong. Who may do what with an entry is not decided
 * here but in xrdma_rules.h. Must not know packets or work queue entries.
 */
#ifndef XRDMA_MODEL_KEY_H
#define XRDMA_MODEL_KEY_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/xlat.h"
#include "xrdma_hw.h"
#include "xrdma_rules.h"

struct xrdma_device;

/* Entries of the cache of valid key entries; a power of two. */
#define XRDMA_KEY_CACHE		4096

/**
 * struct xrdma_key - key entry, decoded
 * @index: key index
 * @cached: this slot of the cache holds a valid entry
 * @e: what the rules need; state INVALID: the rest means nothing
 * @mem: its memory; unused for windows, and unless valid
 */
struct xrdma_key {
	u32 index;
	bool cached;
	struct xrdma_rules_entry e;
	struct xrdma_mem mem;
};

/**
 * struct xrdma_key_table - the key table of the host, as the device sees it
 * @mem: the table, behind REG_MPT_ROOT
 * @bus: all bus addresses, for XRDMA_KEY_LOCAL_DMA
 * @cache: valid entries, direct-mapped by index
 */
struct xrdma_key_table {
	struct xrdma_mem mem;
	struct xrdma_mem bus;
	struct xrdma_key cache[XRDMA_KEY_CACHE];
};

void xrdma_keys_enable(struct xrdma_device *dev, u64 root);
void xrdma_keys_reset(struct xrdma_device *dev);
void xrdma_keys_forget_tables(struct xrdma_device *dev);

struct xrdma_key *xrdma_key_get(struct xrdma_device *dev, u32 index);
struct xrdma_key *xrdma_key_get_anew(struct xrdma_device *dev, u32 index);
void xrdma_key_put(struct xrdma_device *dev, u32 index,
		   const struct xrdma_rules_entry *e, u64 root, u32 offset);
void xrdma_key_bound(struct xrdma_device *dev,
		     const struct xrdma_rules_entry *mw);
void xrdma_key_unbound(struct xrdma_device *dev,
		       const struct xrdma_rules_entry *mw);
bool xrdma_key_root_ok(u64 root, u64 offset, u64 length);

enum xrdma_inval_status xrdma_key_invalidate(struct xrdma_device *dev,
					     u32 index);

#endif /* XRDMA_MODEL_KEY_H */
