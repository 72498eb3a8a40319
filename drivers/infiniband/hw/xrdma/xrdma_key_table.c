// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA key table: its memory, and how it grows. Must not know how keys are
 * drawn: xrdma_key.c does.
 *
 * The table is the array of key entries that the device translates with two
 * levels: one directory, tables, pages of 64 entries. It grows a page at a
 * time and never shrinks; the device sees a page as soon as its table names
 * it, without being told.
 */

#include <linux/debugfs.h>
#include <linux/dma-mapping.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include "xrdma_key.h"

#define XRDMA_KEY_GROWTH_MIN	4096

/* ---- growth ---------------------------------------------------------- */

static int xrdma_keys_add_chunk(struct xrdma_keys *keys, u32 number)
{
	struct xrdma_key_chunk *chunk;

	chunk = kvzalloc_obj(*chunk);
	if (!chunk)
		return -ENOMEM;
	chunk->table = dma_alloc_coherent(keys->dev, XRDMA_MTT_TABLE_SIZE,
					  &chunk->table_dma, GFP_KERNEL);
	if (!chunk->table) {
		kvfree(chunk);
		return -ENOMEM;
	}
	keys->chunks[number] = chunk;
	/* the device may follow the entry at once: to a table of zeros */
	dma_wmb();
	WRITE_ONCE(keys->dir[number],
		   cpu_to_le64(xrdma_make_mtt_table(chunk->table_dma)));
	return 0;
}

/* One page of entries more; all of them invalid. */
static int xrdma_keys_add_page(struct xrdma_keys *keys)
{
	u32 number = keys->size >> XRDMA_KEY_CHUNK_LOG;
	u32 page = xrdma_key_bit(keys->size) >> XRDMA_KEY_PAGE_LOG;
	struct xrdma_key_chunk *chunk;
	struct xrdma_mpt_entry *mem;
	dma_addr_t dma;
	int err;

	lockdep_assert_held(&keys->growth);

	if (!keys->chunks[number]) {
		err = xrdma_keys_add_chunk(keys, number);
		if (err)
			return err;
	}
	chunk = keys->chunks[number];
	mem = dma_alloc_coherent(keys->dev, XRDMA_PAGE_SIZE, &dma, GFP_KERNEL);
	if (!mem)
		return -ENOMEM;
	chunk->pages[page] = mem;
	/* the device may follow the entry at once: to invalid key entries */
	dma_wmb();
	WRITE_ONCE(chunk->table[page], cpu_to_le64(xrdma_make_mtt_block(dma)));
	return 0;
}

/* Grows by a quarter; by what there is memory for, if that is anything. */
static int xrdma_keys_grow_locked(struct xrdma_keys *keys)
{
	u32 start = keys->size;
	u32 step = max_t(u32, start / 4, XRDMA_KEY_GROWTH_MIN);
	u32 end = start + min(step, keys->limit - start);
	int err = 0;

	lockdep_assert_held(&keys->growth);

	while (keys->size < end) {
		err = xrdma_keys_add_page(keys);
		if (err)
			break;
		/* pairs with xrdma_keys_size() */
		smp_store_release(&keys->size,
				  keys->size + BIT(XRDMA_KEY_PAGE_LOG));
		cond_resched();
	}
	return keys->size > start ? 0 : err;
}

/* Less than a quarter is free: drawing takes long, guessing gets easier. */
static bool xrdma_keys_tight(struct xrdma_keys *keys, u32 size)
{
	return size < keys->limit &&
	       percpu_counter_read_positive(&keys->used) > size - size / 4;
}

/**
 * xrdma_keys_keep_ample() - grow in time
 * @keys: the table
 * @size: indexes that the caller has seen
 *
 * If that fails, or another does it already, there are others.
 *
 * Context: may sleep.
 */
void xrdma_keys_keep_ample(struct xrdma_keys *keys, u32 size)
{
	if (!xrdma_keys_tight(keys, size) || !mutex_trylock(&keys->growth))
		return;
	if (keys->size == size)
		xrdma_keys_grow_locked(keys);
	mutex_unlock(&keys->growth);
}

/**
 * xrdma_keys_grow() - add indexes to a table that has none free
 * @keys: the table
 * @size: indexes that the caller has seen
 *
 * Context: may sleep.
 * Return: 0: there are more than @size; -ENOSPC: there can be no more; -ENOMEM.
 */
int xrdma_keys_grow(struct xrdma_keys *keys, u32 size)
{
	int err = 0;

	mutex_lock(&keys->growth);
	if (keys->size >= keys->limit)
		err = -ENOSPC;
	else if (keys->size == size)
		err = xrdma_keys_grow_locked(keys);
	mutex_unlock(&keys->growth);
	return err;
}

/* ---- the table ------------------------------------------------------- */

/**
 * xrdma_keys_root() - where the device finds the table
 * @keys: the table
 *
 * Return: translation root.
 */
u64 xrdma_keys_root(const struct xrdma_keys *keys)
{
	return xrdma_make_root(keys->dir_dma, 2, XRDMA_LEAF_SHIFT_MIN);
}

/**
 * xrdma_keys_open() - make the first entries
 * @keys: the table
 * @log_max_keys: log2 of the indexes that the device knows
 *
 * Return: 0 or -ENOMEM.
 */
int xrdma_keys_open(struct xrdma_keys *keys, u32 log_max_keys)
{
	int err;

	mutex_lock(&keys->growth);
	keys->limit = 1U << log_max_keys;
	/*
	 * At most half of them rest in the line, and a sixteenth in magazines:
	 * there is one to draw while fewer than 7/16 are in use.
	 */
	keys->line_len = min(keys->line_len, keys->limit / 2);
	keys->magazine_len = clamp(keys->limit / 16 / num_possible_cpus(),
				   1U, XRDMA_KEY_MAGAZINE);
	err = xrdma_keys_grow_locked(keys);
	/* index 0 stays unused: a key of 0 means none to many */
	if (!err)
		__set_bit(0, keys->chunks[0]->used);
	mutex_unlock(&keys->growth);
	return err;
}

/**
 * xrdma_keys_show() - tell in debugfs how many entries there are
 * @keys: the table
 * @dir: gets the file "key_entries"; goes before the table
 */
void xrdma_keys_show(struct xrdma_keys *keys, struct dentry *dir)
{
	debugfs_create_u32("key_entries", 0400, dir, &keys->size);
}

static int xrdma_keys_init_rest(struct xrdma_keys *keys)
{
	int cpu;

	keys->line_len = XRDMA_KEY_REST +
			 XRDMA_KEY_MAGAZINE * num_possible_cpus();
	keys->line = kvcalloc(keys->line_len, sizeof(*keys->line), GFP_KERNEL);
	if (!keys->line)
		return -ENOMEM;
	keys->magazines = alloc_percpu(struct xrdma_key_magazine);
	if (!keys->magazines)
		goto err_line;
	for_each_possible_cpu(cpu)
		local_lock_init(&per_cpu_ptr(keys->magazines, cpu)->lock);
	if (!percpu_counter_init(&keys->used, 0, GFP_KERNEL))
		return 0;
	free_percpu(keys->magazines);
err_line:
	kvfree(keys->line);
	return -ENOMEM;
}

static void xrdma_keys_exit_rest(struct xrdma_keys *keys)
{
	percpu_counter_destroy(&keys->used);
	free_percpu(keys->magazines);
	kvfree(keys->line);
}

/**
 * xrdma_keys_create() - make a key table without entries
 * @dev: does the DMA
 *
 * Return: the table or an ERR_PTR() of -ENOMEM.
 */
struct xrdma_keys *xrdma_keys_create(struct device *dev)
{
	struct xrdma_keys *keys;

	keys = kvzalloc_obj(*keys);
	if (!keys)
		return ERR_PTR(-ENOMEM);
	keys->dev = dev;
	mutex_init(&keys->growth);
	spin_lock_init(&keys->lock);
	if (xrdma_keys_init_rest(keys))
		goto err_free;
	keys->dir = dma_alloc_coherent(dev, XRDMA_MTT_TABLE_SIZE,
				       &keys->dir_dma, GFP_KERNEL);
	if (!keys->dir)
		goto err_rest;
	return keys;

err_rest:
	xrdma_keys_exit_rest(keys);
err_free:
	kvfree(keys);
	return ERR_PTR(-ENOMEM);
}

static void xrdma_keys_free_chunk(struct xrdma_keys *keys,
				  struct xrdma_key_chunk *chunk)
{
	u32 i;

	for (i = 0; i < XRDMA_MTT_ENTRIES && chunk->pages[i]; i++)
		dma_free_coherent(keys->dev, XRDMA_PAGE_SIZE, chunk->pages[i],
				  le64_to_cpu(chunk->table[i]) & XRDMA_MTT_ADDR);
	dma_free_coherent(keys->dev, XRDMA_MTT_TABLE_SIZE, chunk->table,
			  chunk->table_dma);
	kvfree(chunk);
}

/**
 * xrdma_keys_destroy() - free a key table
 * @keys: the table; the device that knew it is quiet
 */
void xrdma_keys_destroy(struct xrdma_keys *keys)
{
	u32 i;

	for (i = 0; i < XRDMA_KEY_CHUNKS && keys->chunks[i]; i++)
		xrdma_keys_free_chunk(keys, keys->chunks[i]);
	dma_free_coherent(keys->dev, XRDMA_MTT_TABLE_SIZE, keys->dir,
			  keys->dir_dma);
	xrdma_keys_exit_rest(keys);
	kvfree(keys);
}
