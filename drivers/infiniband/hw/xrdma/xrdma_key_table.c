// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA key table: allocates and frees the memory of the table, which grows
 * before all keys are in use, and shrinks when few are. Allocation of keys is
 * in xrdma_key.c.
 *
 * The table is an array of key entries, which the device finds by two levels of
 * translation tables: one directory of level 2, tables of level 1, pages of 64
 * entries. The array grows and shrinks by pieces of 8 pages. The device can use
 * a page as soon as the bus address of the page is in a table; no command is
 * necessary. Before the driver frees a page, it waits until the device has
 * answered a command to drop its cache of the tables.
 *
 * A work item grows the table before it is full. Only a caller that finds no
 * free index adds a piece itself, and only one, so that callers rarely wait for
 * growth.
 *
 * Another work item frees pieces when few indexes are in use. Indexes in use
 * are spread over the whole table, so any piece may be freed, not only the last
 * one. xrdma_keys.order lists the pieces that have memory.
 */

#include <linux/debugfs.h>
#include <linux/dma-mapping.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include "xrdma_key.h"
#include "xrdma_key_table.h"
#include "xrdma_xlat.h"

#define XRDMA_KEY_FIRST		4096	/* indexes of the smallest table */
#define XRDMA_KEY_SHRINK_BATCH	64	/* pieces that one work item frees */
/*
 * Delay of shrinking, in jiffies: shortly after a process has freed its keys,
 * another process may need as many.
 */
#define XRDMA_KEY_SHRINK_DELAY	HZ

static_assert(XRDMA_KEY_FIRST % XRDMA_KEY_PIECE_SIZE == 0);

/* ---- pieces ---------------------------------------------------------- */

static u32 xrdma_keys_num_pieces(const struct xrdma_keys *keys)
{
	return keys->size >> XRDMA_KEY_PIECE_LOG;
}

static struct xrdma_key_piece *xrdma_keys_piece(struct xrdma_keys *keys,
						u32 number)
{
	return xrdma_key_piece(keys, number << XRDMA_KEY_PIECE_LOG);
}

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
	get_random_bytes(chunk->last_byte, sizeof(chunk->last_byte));
	keys->chunks[number] = chunk;
	/* order the zeros in the table before the entry that points to it */
	dma_wmb();
	WRITE_ONCE(keys->dir[number],
		   cpu_to_le64(xrdma_make_mtt_table(chunk->table_dma)));
	return 0;
}

/*
 * Write the table entries of a piece: the addresses of its pages if @map, else
 * invalid entries.
 */
static void xrdma_keys_map_piece(struct xrdma_keys *keys, u32 number, bool map)
{
	u32 first = number << XRDMA_KEY_PIECE_LOG;
	struct xrdma_key_chunk *chunk = xrdma_key_chunk(keys, first);
	__le64 *entry = chunk->table +
			(xrdma_key_bit(first) >> XRDMA_KEY_PAGE_LOG);
	dma_addr_t dma = xrdma_keys_piece(keys, number)->dma;
	u32 pages = XRDMA_KEY_PIECE_SIZE >> XRDMA_KEY_PAGE_LOG;
	u32 i;

	/* order the invalid key entries before the addresses of their pages */
	dma_wmb();
	for (i = 0; i < pages; i++, dma += XRDMA_PAGE_SIZE)
		WRITE_ONCE(entry[i],
			   map ? cpu_to_le64(xrdma_make_mtt_block(dma)) : 0);
}

static void xrdma_keys_set_pieces(struct xrdma_keys *keys, u32 num)
{
	lockdep_assert_held(&keys->resize);

	/* pairs with xrdma_keys_size() */
	smp_store_release(&keys->size, num << XRDMA_KEY_PIECE_LOG);
}

static void xrdma_keys_free_piece(struct xrdma_keys *keys,
				  struct xrdma_key_piece *piece)
{
	dma_free_coherent(keys->dev,
			  XRDMA_KEY_PIECE_SIZE * sizeof(struct xrdma_mpt_entry),
			  piece->entries, piece->dma);
	piece->entries = NULL;
}

/* ---- growth ---------------------------------------------------------- */

/* Add XRDMA_KEY_PIECE_SIZE indexes, with invalid entries, to the table. */
static int xrdma_keys_add_piece(struct xrdma_keys *keys, gfp_t gfp)
{
	u32 size = XRDMA_KEY_PIECE_SIZE * sizeof(struct xrdma_mpt_entry);
	u32 num = xrdma_keys_num_pieces(keys);
	struct xrdma_key_piece *piece;
	u32 number, chunk;
	int err;

	lockdep_assert_held(&keys->resize);

	number = keys->order[num];
	chunk = number >> (XRDMA_KEY_CHUNK_LOG - XRDMA_KEY_PIECE_LOG);
	if (!keys->chunks[chunk]) {
		err = xrdma_keys_add_chunk(keys, chunk, gfp);
		if (err)
			return err;
	}
	piece = xrdma_keys_piece(keys, number);
	piece->entries = dma_alloc_coherent(keys->dev, size, &piece->dma, gfp);
	if (!piece->entries)
		return -ENOMEM;
	xrdma_keys_map_piece(keys, number, true);
	xrdma_keys_set_pieces(keys, num + 1);
	return 0;
}

/*
 * Are fewer than @eighths eighths of the first @size indexes free, and may the
 * table grow?
 */
static bool xrdma_keys_few_free(struct xrdma_keys *keys, u32 size, u32 eighths)
{
	return size < keys->limit &&
	       percpu_counter_read_positive(&keys->used) >
	       size - size / 8 * eighths;
}

/*
 * Grow until three eighths of the indexes are free. Each run adds one piece, so
 * that xrdma_keys_grow() and other work items do not wait for long. No caller
 * depends on the success: without memory the work ends, and
 * xrdma_keys_start_growth() starts it again when the next key is allocated.
 */
static void xrdma_keys_growth_work(struct work_struct *work)
{
	struct xrdma_keys *keys =
		container_of(work, struct xrdma_keys, growth_work);
	int err = 0;

	mutex_lock(&keys->resize);
	if (xrdma_keys_few_free(keys, keys->size, 3))
		err = xrdma_keys_add_piece(keys, GFP_KERNEL | __GFP_NORETRY |
						 __GFP_NOWARN);
	if (!err && xrdma_keys_few_free(keys, keys->size, 3))
		schedule_work(work);
	mutex_unlock(&keys->resize);
}

/**
 * xrdma_keys_start_growth() - grow the table if less than a quarter is free
 * @keys: the table
 * @size: size of the table that the caller has read, in indexes
 *
 * When few indexes are free, random allocation needs more attempts, and an
 * attacker who guesses an index more often finds one in use.
 *
 * Context: any.
 */
void xrdma_keys_start_growth(struct xrdma_keys *keys, u32 size)
{
	if (xrdma_keys_few_free(keys, size, 2))
		schedule_work(&keys->growth_work);
}

/**
 * xrdma_keys_grow() - add indexes to a table without free ones
 * @keys: the table
 * @size: size of the table that the caller has read, in indexes
 *
 * Context: may sleep.
 * Return: 0: the size of the table is not @size any more; -ENOSPC: the table
 * has its largest size; -ENOMEM; -EINTR: the calling process has been killed.
 */
int xrdma_keys_grow(struct xrdma_keys *keys, u32 size)
{
	int err = 0;

	if (mutex_lock_killable(&keys->resize))
		return -EINTR;
	if (keys->size == size)
		err = size < keys->limit ?
		      xrdma_keys_add_piece(keys, GFP_KERNEL | __GFP_NOWARN) :
		      -ENOSPC;
	mutex_unlock(&keys->resize);
	return err;
}

/* ---- shrinking ------------------------------------------------------- */

/*
 * Size of the table, in pieces, at which 3/8 of all indexes are in use or at
 * rest
 */
static u32 xrdma_keys_wanted_pieces(struct xrdma_keys *keys)
{
	u32 used = percpu_counter_read_positive(&keys->used);
	u32 wanted = DIV_ROUND_UP(used * 8 / 3, XRDMA_KEY_PIECE_SIZE);

	return max(wanted, XRDMA_KEY_FIRST >> XRDMA_KEY_PIECE_LOG);
}

static bool xrdma_keys_piece_idle(struct xrdma_keys *keys, u32 number)
{
	/*
	 * Pairs with the barrier in xrdma_key_free(): the last user has read
	 * its entry before the caller frees the piece.
	 */
	return !atomic_read_acquire(&xrdma_keys_piece(keys, number)->in_use);
}

/*
 * Withdraw up to @max idle pieces, so that no index of them can be allocated:
 * move their numbers to the end of the used part of keys->order, and shorten
 * that part.
 * Return: the number of withdrawn pieces.
 */
static u32 xrdma_keys_withdraw(struct xrdma_keys *keys, u32 max)
{
	u32 all = xrdma_keys_num_pieces(keys);
	u32 num = all;
	u32 i;

	for (i = all; i && all - num < max; i--) {
		u32 number = keys->order[i - 1];

		if (!xrdma_keys_piece_idle(keys, number))
			continue;
		num--;
		WRITE_ONCE(keys->order[i - 1], keys->order[num]);
		WRITE_ONCE(keys->order[num], number);
	}
	xrdma_keys_set_pieces(keys, num);
	return all - num;
}

/*
 * Put back the withdrawn pieces of which an index was allocated before the
 * withdrawal became visible. Return: the number of pieces still withdrawn.
 */
static u32 xrdma_keys_readmit_used(struct xrdma_keys *keys, u32 withdrawn)
{
	u32 num = xrdma_keys_num_pieces(keys);
	u32 end = num + withdrawn;
	u32 i;

	for (i = num; i < end; i++) {
		if (xrdma_keys_piece_idle(keys, keys->order[i]))
			continue;
		swap(keys->order[i], keys->order[num]);
		num++;
	}
	xrdma_keys_set_pieces(keys, num);
	return end - num;
}

static void xrdma_keys_map_withdrawn(struct xrdma_keys *keys, u32 withdrawn,
				     bool map)
{
	u32 num = xrdma_keys_num_pieces(keys);
	u32 i;

	for (i = num; i < num + withdrawn; i++)
		xrdma_keys_map_piece(keys, keys->order[i], map);
}

/*
 * Free up to @max pieces. Return: the number of freed pieces; or an errno of
 * keys->fence(), after which the table has its old size.
 */
static int xrdma_keys_shrink(struct xrdma_keys *keys, u32 max)
{
	u32 withdrawn = xrdma_keys_withdraw(keys, max);
	u32 num, i;
	int err;

	/* wait for callers that allocate an index by the old size or order */
	synchronize_rcu();
	withdrawn = xrdma_keys_readmit_used(keys, withdrawn);
	if (!withdrawn)
		return 0;
	num = xrdma_keys_num_pieces(keys);
	xrdma_keys_map_withdrawn(keys, withdrawn, false);
	err = keys->fence(keys->context);
	if (err) {
		xrdma_keys_map_withdrawn(keys, withdrawn, true);
		xrdma_keys_set_pieces(keys, num + withdrawn);
		return err;
	}
	for (i = num; i < num + withdrawn; i++)
		xrdma_keys_free_piece(keys,
				      xrdma_keys_piece(keys, keys->order[i]));
	return withdrawn;
}

/*
 * Shrink the table until three eighths of the indexes are in use or at rest.
 * Each run frees one batch of pieces. The work ends when no piece is idle, or
 * when the device does not answer; xrdma_keys_start_shrink() starts it again.
 */
static void xrdma_keys_shrink_work(struct work_struct *work)
{
	struct xrdma_keys *keys = container_of(to_delayed_work(work),
					       struct xrdma_keys, shrink_work);
	u32 wanted, num;

	mutex_lock(&keys->resize);
	wanted = xrdma_keys_wanted_pieces(keys);
	num = xrdma_keys_num_pieces(keys);
	if (num > wanted &&
	    xrdma_keys_shrink(keys, min(num - wanted,
					XRDMA_KEY_SHRINK_BATCH)) > 0)
		schedule_delayed_work(&keys->shrink_work, 0);
	mutex_unlock(&keys->resize);
}

/**
 * xrdma_keys_start_shrink() - shrink the table if less than a quarter is in use
 * @keys: the table
 *
 * Context: any.
 */
void xrdma_keys_start_shrink(struct xrdma_keys *keys)
{
	u32 size = READ_ONCE(keys->size);

	if (size > XRDMA_KEY_FIRST &&
	    percpu_counter_read_positive(&keys->used) < size / 4)
		schedule_delayed_work(&keys->shrink_work,
				      XRDMA_KEY_SHRINK_DELAY);
}

/* ---- the table ------------------------------------------------------- */

/**
 * xrdma_keys_root() - translation root of the key table
 * @keys: the table
 *
 * Return: the root, for xrdma_hw_enable().
 */
u64 xrdma_keys_root(const struct xrdma_keys *keys)
{
	return xrdma_make_root(keys->dir_dma, 2, XRDMA_LEAF_SHIFT_MIN);
}

/**
 * xrdma_keys_open() - set the largest size, and add the first entries
 * @keys: the table
 * @log_max_keys: log2 of the number of key indexes that the device supports
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int xrdma_keys_open(struct xrdma_keys *keys, u32 log_max_keys)
{
	int err;

	mutex_lock(&keys->resize);
	keys->limit = 1U << log_max_keys;
	/*
	 * At most half of all indexes are in the FIFO, and about 1/16 in
	 * magazines: an index is free while fewer than 7/16 are in use.
	 */
	keys->rest_len = min(keys->rest_len, keys->limit / 2);
	keys->magazine_len = clamp(keys->limit / 16 / num_possible_cpus(),
				   1U, XRDMA_KEY_MAGAZINE);
	do
		err = xrdma_keys_add_piece(keys, GFP_KERNEL);
	while (!err && keys->size < min(XRDMA_KEY_FIRST, keys->limit));
	/* never allocate index 0: many programs take key 0 for no key */
	if (!err) {
		__set_bit(0, keys->chunks[0]->used);
		atomic_inc(&xrdma_keys_piece(keys, 0)->in_use);
	}
	mutex_unlock(&keys->resize);
	return err;
}

/* Print the bytes of DMA memory that the key table takes. */
static int xrdma_key_table_bytes_show(struct seq_file *m, void *unused)
{
	struct xrdma_keys *keys = m->private;
	u64 tables = 1;
	u32 i;

	mutex_lock(&keys->resize);
	for (i = 0; i < XRDMA_KEY_CHUNKS; i++)
		tables += !!keys->chunks[i];
	seq_printf(m, "%llu\n", tables * XRDMA_MTT_TABLE_SIZE +
		   (u64)keys->size * sizeof(struct xrdma_mpt_entry));
	mutex_unlock(&keys->resize);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(xrdma_key_table_bytes);

/**
 * xrdma_keys_show() - show the size of the key table in debugfs
 * @keys: the table
 * @dir: debugfs directory that gets the files "key_entries" and
 *	"key_table_bytes". The caller removes the directory before it frees the
 *	table
 *
 * Context: may sleep.
 */
void xrdma_keys_show(struct xrdma_keys *keys, struct dentry *dir)
{
	debugfs_create_u32("key_entries", 0400, dir, &keys->size);
	debugfs_create_file("key_table_bytes", 0400, dir, keys,
			    &xrdma_key_table_bytes_fops);
}

static int xrdma_keys_init_rest(struct xrdma_keys *keys)
{
	int cpu;

	keys->rest_len = XRDMA_KEY_REST +
			 XRDMA_KEY_MAGAZINE * num_possible_cpus();
	keys->rest_fifo = kvcalloc(keys->rest_len, sizeof(*keys->rest_fifo),
				   GFP_KERNEL);
	if (!keys->rest_fifo)
		return -ENOMEM;
	keys->magazines = alloc_percpu(struct xrdma_key_magazine);
	if (!keys->magazines)
		goto err_fifo;
	for_each_possible_cpu(cpu)
		local_lock_init(&per_cpu_ptr(keys->magazines, cpu)->lock);
	if (!percpu_counter_init(&keys->used, 0, GFP_KERNEL))
		return 0;
	free_percpu(keys->magazines);
err_fifo:
	kvfree(keys->rest_fifo);
	return -ENOMEM;
}

static void xrdma_keys_exit_rest(struct xrdma_keys *keys)
{
	percpu_counter_destroy(&keys->used);
	free_percpu(keys->magazines);
	kvfree(keys->rest_fifo);
}

/**
 * xrdma_keys_create() - allocate a key table without entries
 * @dev: device that accesses the table by DMA
 * @fence: function that makes the device drop its cache of the tables that lead
 *	to key entries. It may sleep, for a bounded time. It returns 0; or an
 *	errno, and the device may still use its cache
 * @context: argument of @fence
 *
 * Context: may sleep.
 * Return: the table or an ERR_PTR() of -ENOMEM.
 */
struct xrdma_keys *xrdma_keys_create(struct device *dev,
				     int (*fence)(void *context), void *context)
{
	struct xrdma_keys *keys;
	u32 i;

	keys = kvzalloc_obj(*keys);
	if (!keys)
		return ERR_PTR(-ENOMEM);
	keys->dev = dev;
	keys->fence = fence;
	keys->context = context;
	for (i = 0; i < XRDMA_KEY_ALL_PIECES; i++)
		keys->order[i] = i;
	mutex_init(&keys->resize);
	INIT_WORK(&keys->growth_work, xrdma_keys_growth_work);
	INIT_DELAYED_WORK(&keys->shrink_work, xrdma_keys_shrink_work);
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

	for (i = 0; i < XRDMA_KEY_PIECES; i++)
		if (chunk->pieces[i].entries)
			xrdma_keys_free_piece(keys, &chunk->pieces[i]);
	dma_free_coherent(keys->dev, XRDMA_MTT_TABLE_SIZE, chunk->table,
			  chunk->table_dma);
	kvfree(chunk);
}

/**
 * xrdma_keys_stop() - stop the work items that grow and shrink the table
 * @keys: the table; no key is allocated any more
 *
 * Context: may sleep.
 */
void xrdma_keys_stop(struct xrdma_keys *keys)
{
	disable_work_sync(&keys->growth_work);
	disable_delayed_work_sync(&keys->shrink_work);
}

/**
 * xrdma_keys_destroy() - free a key table
 * @keys: the table; no key is allocated any more, and the device is quiet
 *
 * Context: may sleep.
 */
void xrdma_keys_destroy(struct xrdma_keys *keys)
{
	u32 i;

	xrdma_keys_stop(keys);
	for (i = 0; i < XRDMA_KEY_CHUNKS; i++)
		if (keys->chunks[i])
			xrdma_keys_free_chunk(keys, keys->chunks[i]);
	dma_free_coherent(keys->dev, XRDMA_MTT_TABLE_SIZE, keys->dir,
			  keys->dir_dma);
	xrdma_keys_exit_rest(keys);
	kvfree(keys);
}
