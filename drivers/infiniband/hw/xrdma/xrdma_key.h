/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA keys: functions of xrdma_key.c, which allocates keys and writes their
 * entries, and of xrdma_key_table.c, which allocates the memory of the key
 * table.
 */

#ifndef XRDMA_KEY_H
#define XRDMA_KEY_H

#include <linux/types.h>

struct dentry;
struct device;
struct xrdma_keys;
struct xrdma_mpt_entry;

/* xrdma_key.c */
int xrdma_key_alloc(struct xrdma_keys *keys, u32 *key);
int xrdma_key_alloc_free(struct xrdma_keys *keys, u8 type, u32 pdn, u32 *key);
void xrdma_key_free(struct xrdma_keys *keys, u32 index);
void xrdma_key_publish(struct xrdma_keys *keys, u32 index,
		       const struct xrdma_mpt_entry *entry);
void xrdma_key_add_rights(struct xrdma_keys *keys, u32 index, u16 access);
void xrdma_key_read(struct xrdma_keys *keys, u32 index,
		    struct xrdma_mpt_entry *entry);

/* xrdma_key_table.c */
struct xrdma_keys *xrdma_keys_create(struct device *dev,
				     int (*fence)(void *context), void *context);
int xrdma_keys_open(struct xrdma_keys *keys, u32 log_max_keys);
void xrdma_keys_stop(struct xrdma_keys *keys);
void xrdma_keys_destroy(struct xrdma_keys *keys);
void xrdma_keys_show(struct xrdma_keys *keys, struct dentry *dir);
u64 xrdma_keys_root(const struct xrdma_keys *keys);

#endif /* XRDMA_KEY_H */
