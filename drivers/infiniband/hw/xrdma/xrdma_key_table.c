// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA key table: its memory, and how it grows. Must not know how keys are
 * drawn: xrdma_key.c does.
 *
 * The table is the array of key entries that the device translates with two
 * levels: one directory, tables, pages of 64 entries. It grows by pieces of 8
 * pages and never shrinks; the device sees a page as soon as its table names
 * it, without being told.
 *
 * A work item grows it ahead of need. Only a caller that finds no free index
 * adds a piece itself, one: what growth costs is not for whoever comes next.
 */

#include <linux/debugfs.h>
#include <linux/dma-mapping.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include "xrdma_key.h"

#define XRDMA_KEY_FIRST		4096	/* indexes of a table to begin with */

static_assert(XRDMA_KEY_FIRST % XRDMA_KEY_PIECE_SIZE == 0);

/* ---- growth ---------------------------------------------------------- */

static int xrdma_keys_add_chunk(struct xrdma_keys *keys, u32 number, gfp_t gfp)
{
	struct xrdma_key_chunk *chunk;

	chunk = kvzalloc_obj(*chunk, gfp);
	if (!chunk)
		return -ENOMEM;
	chunk->table = dma_alloc_coherent(keys->dev, XRDMA_MTT_TABLE_SIZE,
					  &chunk->table_dma, gfp);
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

static void xrdma_keys_map_piece(struct xrdma_key_chunk *chunk, u32 number)
{
	u32 pages = XRDMA_KEY_PIECE_SIZE >> XRDMA_KEY_PAGE_LOG;
	u32 i;

	/* the device may follow an entry at once: to invalid key entries */
	dma_wmb();
	for (i = 0; i < pages; i++) {
		u64 addr = chunk->pieces[number].dma + i * XRDMA_PAGE_SIZE;

		WRITE_ONCE(chunk->table[number * pages + i],
			   cpu_to_le64(xrdma_make_mtt_block(addr)));
	}
}

/* XRDMA_KEY_PIECE_SIZE indexes more; the entries of all of them are invalid. */
static int xrdma_keys_add_piece(struct xrdma_keys *keys, gfp_t gfp)
{
	u32 size = XRDMA_KEY_PIECE_SIZE * sizeof(struct xrdma_mpt_entry);
	u32 number = xrdma_key_bit(keys->size) >> XRDMA_KEY_PIECE_LOG;
	u32 chunk_number = keys->size >> XRDMA_KEY_CHUNK_LOG;
	struct xrdma_key_piece *piece;
	struct xrdma_key_chunk *chunk;
	int err;

	lockdep_assert_held(&keys->growth);

	if (!keys->chunks[chunk_number]) {
		err = xrdma_keys_add_chunk(keys, chunk_number, gfp);
		if (err)
			return err;
	}
	chunk = keys->chunks[chunk_number];
	piece = &chunk->pieces[number];
	piece->entries = dma_alloc_coherent(keys->dev, size, &piece->dma, gfp);
	if (!piece->entries)
		return -ENOMEM;
	xrdma_keys_map_piece(chunk, number);
	/* pairs with xrdma_keys_size() */
	smp_store_release(&keys->size, keys->size + XRDMA_KEY_PIECE_SIZE);
	return 0;
}

/* Are fewer than @eighths of the first @size indexes free, and may it grow? */
static bool xrdma_keys_tight(struct xrdma_keys *keys, u32 size, u32 eighths)
{
	return size < keys->limit &&
	       percpu_counter_read_positive(&keys->used) >
	       size - size / 8 * eighths;
}

/*
 * Grow until three eighths are free: one piece a time, so that neither a caller
 * that needs one nor other work has to wait. Nobody depends on it, so it gives
 * up when memory is not at hand; the next key that is drawn starts it again.
 */
static void xrdma_keys_growth_work(struct work_struct *work)
{
	struct xrdma_keys *keys =
		container_of(work, struct xrdma_keys, growth_work);
	int err = 0;

	mutex_lock(&keys->growth);
	if (xrdma_keys_tight(keys, keys->size, 3))
		err = xrdma_keys_add_piece(keys, GFP_KERNEL | __GFP_NORETRY |
						 __GFP_NOWARN);
	if (!err && xrdma_keys_tight(keys, keys->size, 3))
		schedule_work(work);
	mutex_unlock(&keys->growth);
}

/**
 * xrdma_keys_keep_ample() - have the table grow when less than a quarter is free
 * @keys: the table
 * @size: indexes that the caller has seen
 *
 * The fewer indexes are free, the longer drawing takes, and the more of all
 * keys that somebody may guess are in use.
 *
 * Context: any.
 */
void xrdma_keys_keep_ample(struct xrdma_keys *keys, u32 size)
{
	if (xrdma_keys_tight(keys, size, 2))
		schedule_work(&keys->growth_work);
}

/**
 * xrdma_keys_grow() - add indexes to a table that has none free
 * @keys: the table
 * @size: indexes that the caller has seen
 *
 * Context: may sleep.
 * Return: 0: there are more than @size; -ENOSPC: there can be no more; -ENOMEM;
 * -EINTR: the caller has been killed.
 */
int xrdma_keys_grow(struct xrdma_keys *keys, u32 size)
{
	int err = 0;

	if (mutex_lock_killable(&keys->growth))
		return -EINTR;
	if (keys->size == size)
		err = size < keys->limit ?
		      xrdma_keys_add_piece(keys, GFP_KERNEL | __GFP_NOWARN) :
		      -ENOSPC;
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
	do
		err = xrdma_keys_add_piece(keys, GFP_KERNEL);
	while (!err && keys->size < min(XRDMA_KEY_FIRST, keys->limit));
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
	INIT_WORK(&keys->growth_work, xrdma_keys_growth_work);
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
	u32 size = XRDMA_KEY_PIECE_SIZE * sizeof(struct xrdma_mpt_entry);
	u32 i;

	for (i = 0; i < XRDMA_KEY_PIECES && chunk->pieces[i].entries; i++)
		dma_free_coherent(keys->dev, size, chunk->pieces[i].entries,
				  chunk->pieces[i].dma);
	dma_free_coherent(keys->dev, XRDMA_MTT_TABLE_SIZE, chunk->table,
			  chunk->table_dma);
	kvfree(chunk);
}

/**
 * xrdma_keys_stop() - have the table not grow any more
 * @keys: the table, of which no key is drawn any more
 *
 * Context: may sleep.
 */
void xrdma_keys_stop(struct xrdma_keys *keys)
{
	cancel_work_sync(&keys->growth_work);
}

/**
 * xrdma_keys_destroy() - free a key table
 * @keys: the table, of which no key is drawn any more; the device that knew it
 *	is quiet
 */
void xrdma_keys_destroy(struct xrdma_keys *keys)
{
	u32 i;

	xrdma_keys_stop(keys);
	for (i = 0; i < XRDMA_KEY_CHUNKS && keys->chunks[i]; i++)
		xrdma_keys_free_chunk(keys, keys->chunks[i]);
	dma_free_coherent(keys->dev, XRDMA_MTT_TABLE_SIZE, keys->dir,
			  keys->dir_dma);
	xrdma_keys_exit_rest(keys);
	kvfree(keys);
}
