// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA key table: its memory, which indexes are in use, and what the next key
 * is. Must not know regions or windows: it hands out keys and publishes what
 * it is given.
 *
 * The table is the array of key entries that the device translates with two
 * levels: one directory, tables, pages of 64 entries. It grows a page at a
 * time and never shrinks; the device sees a page as soon as its table names
 * it, without being told.
 *
 * No key can be foreseen. The index is drawn evenly from all free ones, and
 * the table grows long before few are left. The key byte is drawn evenly from
 * those that the index did not have last. A freed index comes to rest before
 * it is drawn again: in a magazine of the CPU, then in one line that all CPUs
 * share, until XRDMA_KEY_REST others have been freed after it; in a table of
 * less than 2^14 indexes, until nearly half as many have.
 *
 * Drawing takes no lock: a bit of a bitmap, set atomically, is the claim.
 */

#include <linux/bitmap.h>
#include <linux/debugfs.h>
#include <linux/dma-mapping.h>
#include <linux/local_lock.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/percpu_counter.h>
#include <linux/random.h>
#include <linux/slab.h>
#include "xrdma_verbs.h"

#define XRDMA_KEY_PAGE_LOG	6	/* entries of a page */
#define XRDMA_KEY_CHUNK_LOG	(XRDMA_KEY_PAGE_LOG + XRDMA_MTT_BITS)
#define XRDMA_KEY_CHUNK_SIZE	BIT(XRDMA_KEY_CHUNK_LOG)
#define XRDMA_KEY_CHUNKS	BIT(XRDMA_LOG_MAX_KEYS - XRDMA_KEY_CHUNK_LOG)
#define XRDMA_KEY_REST		4096	/* frees that a freed index waits for */
#define XRDMA_KEY_MAGAZINE	64
#define XRDMA_KEY_GROWTH_MIN	4096
#define XRDMA_KEY_DRAWS		32	/* before searching */

/*
 * While an entry is invalid, its key byte is the last one, which may have been
 * the consumer's choice, and its iova this mark if there was one.
 */
#define XRDMA_KEY_USED_BEFORE	BIT_ULL(0)

static_assert(sizeof(struct xrdma_mpt_entry) << XRDMA_KEY_PAGE_LOG ==
	      XRDMA_PAGE_SIZE);
static_assert(XRDMA_KEY_CHUNKS == XRDMA_MTT_ENTRIES);

/**
 * struct xrdma_key_chunk - what one table of the second level covers
 * @used: indexes that are in use, or come to rest
 * @pages: key entries, 64 a page; those that exist
 * @table: bus addresses of @pages, for the device
 * @table_dma: bus address of @table
 */
struct xrdma_key_chunk {
	DECLARE_BITMAP(used, XRDMA_KEY_CHUNK_SIZE);
	struct xrdma_mpt_entry *pages[XRDMA_MTT_ENTRIES];
	__le64 *table;
	dma_addr_t table_dma;
};

/**
 * struct xrdma_key_magazine - indexes freed on a CPU, on their way to rest
 * @lock: keeps the CPU to itself
 * @num: of them
 * @index: the indexes
 */
struct xrdma_key_magazine {
	local_lock_t lock;
	u32 num;
	u32 index[XRDMA_KEY_MAGAZINE];
};

/**
 * struct xrdma_keys - key table
 * @dev: does the DMA
 * @dir: top table, for the device
 * @dir_dma: its bus address
 * @chunks: by the high bits of the index; those that exist
 * @limit: indexes there may be
 * @size: indexes there are; written with release order, under @growth
 * @used: bits set in all chunks, roughly
 * @growth: serialises growth
 * @magazines: one for each CPU
 * @magazine_len: indexes that fill one, up to XRDMA_KEY_MAGAZINE
 * @lock: protects @line and @line_pos
 * @line: indexes at rest, oldest at @line_pos; 0: nothing. It is longer than
 *	XRDMA_KEY_REST by what may lie in magazines: that comes in later than it
 *	was freed.
 * @line_len: its length
 * @line_pos: where the next index comes in and the oldest goes out
 */
struct xrdma_keys {
	struct device *dev;
	__le64 *dir;
	dma_addr_t dir_dma;
	struct xrdma_key_chunk *chunks[XRDMA_KEY_CHUNKS];
	u32 limit;
	u32 size;
	struct percpu_counter used;
	struct mutex growth; /* size */
	struct xrdma_key_magazine __percpu *magazines;
	u32 magazine_len;
	spinlock_t lock; /* line, line_pos */
	u32 *line;
	u32 line_len;
	u32 line_pos;
};

static struct xrdma_key_chunk *xrdma_key_chunk(struct xrdma_keys *keys,
					       u32 index)
{
	return keys->chunks[index >> XRDMA_KEY_CHUNK_LOG];
}

static u32 xrdma_key_bit(u32 index)
{
	return index & (XRDMA_KEY_CHUNK_SIZE - 1);
}

static struct xrdma_mpt_entry *xrdma_key_entry(struct xrdma_keys *keys,
					       u32 index)
{
	u32 bit = xrdma_key_bit(index);
	struct xrdma_mpt_entry *page;

	page = xrdma_key_chunk(keys, index)->pages[bit >> XRDMA_KEY_PAGE_LOG];
	return &page[bit & (BIT(XRDMA_KEY_PAGE_LOG) - 1)];
}

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

static u32 xrdma_keys_size(const struct xrdma_keys *keys)
{
	/* pairs with xrdma_keys_grow_locked(): the page before its indexes */
	return smp_load_acquire(&keys->size);
}

/* Less than a quarter is free: drawing takes long, guessing gets easier. */
static bool xrdma_keys_tight(struct xrdma_keys *keys, u32 size)
{
	return size < keys->limit &&
	       percpu_counter_read_positive(&keys->used) > size - size / 4;
}

/* Grow in time. If that fails, or another does it already, there are others. */
static void xrdma_keys_keep_ample(struct xrdma_keys *keys, u32 size)
{
	if (!xrdma_keys_tight(keys, size) || !mutex_trylock(&keys->growth))
		return;
	if (keys->size == size)
		xrdma_keys_grow_locked(keys);
	mutex_unlock(&keys->growth);
}

/* Nothing is free among the first @size. */
static int xrdma_keys_grow(struct xrdma_keys *keys, u32 size)
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

/* ---- drawing --------------------------------------------------------- */

static bool xrdma_key_claim(struct xrdma_keys *keys, u32 index)
{
	struct xrdma_key_chunk *chunk = xrdma_key_chunk(keys, index);
	u32 bit = xrdma_key_bit(index);

	return !test_bit(bit, chunk->used) &&
	       !test_and_set_bit(bit, chunk->used);
}

/* The first free index in [@from, @to), or 0. */
static u32 xrdma_key_search(struct xrdma_keys *keys, u32 from, u32 to)
{
	while (from < to) {
		u32 base = round_down(from, XRDMA_KEY_CHUNK_SIZE);
		u32 end = min_t(u32, to - base, XRDMA_KEY_CHUNK_SIZE);
		u32 bit;

		bit = find_next_zero_bit(xrdma_key_chunk(keys, from)->used, end,
					 from - base);
		if (bit < end && xrdma_key_claim(keys, base + bit))
			return base + bit;
		from = base + min(bit + 1, end);
	}
	return 0;
}

/* A free index below @size, any with the same probability; or 0. */
static u32 xrdma_key_draw(struct xrdma_keys *keys, u32 size)
{
	unsigned int draws;
	u32 index;

	for (draws = 0; draws < XRDMA_KEY_DRAWS; draws++) {
		index = get_random_u32_below(size);
		if (xrdma_key_claim(keys, index))
			return index;
	}
	/* nearly full, and cannot grow */
	return xrdma_key_search(keys, index, size) ?:
	       xrdma_key_search(keys, 0, index);
}

static u8 xrdma_key_new_byte(const struct xrdma_mpt_entry *entry)
{
	u8 last = le64_get_bits(entry->ctrl, XRDMA_MPT_KEY_BYTE);

	if (!(le64_to_cpu(entry->iova) & XRDMA_KEY_USED_BEFORE))
		return get_random_u8();
	return last + 1 + get_random_u32_below(U8_MAX);
}

/**
 * xrdma_key_alloc() - draw a key
 * @keys: the table
 * @key: the key; its entry is invalid and the caller's
 *
 * Context: may sleep, but only when the table grows. Takes no lock otherwise.
 * Return: 0, -ENOSPC: all indexes are in use or at rest; -ENOMEM.
 */
int xrdma_key_alloc(struct xrdma_keys *keys, u32 *key)
{
	u32 size, index;
	int err;

	for (;;) {
		size = xrdma_keys_size(keys);
		xrdma_keys_keep_ample(keys, size);
		index = xrdma_key_draw(keys, size);
		if (index)
			break;
		err = xrdma_keys_grow(keys, size);
		if (err)
			return err;
	}
	percpu_counter_inc(&keys->used);
	*key = xrdma_make_key(index,
			      xrdma_key_new_byte(xrdma_key_entry(keys, index)));
	return 0;
}

/* ---- coming to rest -------------------------------------------------- */

/*
 * Each index of the magazine takes a place in the line, and gets back the one
 * that has been there for as long as the line is.
 */
static void xrdma_keys_exchange(struct xrdma_keys *keys,
				struct xrdma_key_magazine *mag)
{
	u32 i;

	spin_lock(&keys->lock);
	for (i = 0; i < mag->num; i++) {
		swap(mag->index[i], keys->line[keys->line_pos]);
		if (++keys->line_pos == keys->line_len)
			keys->line_pos = 0;
	}
	spin_unlock(&keys->lock);
}

static void xrdma_keys_rest(struct xrdma_keys *keys,
			    struct xrdma_key_magazine *mag)
{
	u32 free = 0;
	u32 i;

	xrdma_keys_exchange(keys, mag);
	for (i = 0; i < mag->num; i++) {
		u32 index = mag->index[i];

		if (!index)
			continue;
		/* pairs with the claim: the last key byte has been written */
		clear_bit_unlock(xrdma_key_bit(index),
				 xrdma_key_chunk(keys, index)->used);
		free++;
	}
	mag->num = 0;
	percpu_counter_sub(&keys->used, free);
}

/**
 * xrdma_key_free() - give a key back
 * @keys: the table
 * @index: of the key; the device has answered the INVALIDATE of its entry,
 *	never seen it, or been reset
 *
 * The index rests for XRDMA_KEY_REST frees; in a small table, for fewer.
 *
 * Context: process.
 */
void xrdma_key_free(struct xrdma_keys *keys, u32 index)
{
	struct xrdma_key_magazine *mag;

	xrdma_key_entry(keys, index)->iova =
		cpu_to_le64(XRDMA_KEY_USED_BEFORE);

	local_lock(&keys->magazines->lock);
	mag = this_cpu_ptr(keys->magazines);
	mag->index[mag->num++] = index;
	if (mag->num == keys->magazine_len)
		xrdma_keys_rest(keys, mag);
	local_unlock(&keys->magazines->lock);
}

/* ---- entries --------------------------------------------------------- */

/**
 * xrdma_key_publish() - hand a key entry to the device
 * @keys: the table
 * @index: of an entry that is invalid and the caller's
 * @entry: what it shall say; its state is not INVALID
 *
 * A store: no command, no doorbell. The device may use the entry at once.
 *
 * Context: any.
 */
void xrdma_key_publish(struct xrdma_keys *keys, u32 index,
		       const struct xrdma_mpt_entry *entry)
{
	struct xrdma_mpt_entry *dst = xrdma_key_entry(keys, index);

	dst->iova = entry->iova;
	dst->length = entry->length;
	dst->root = entry->root;
	dst->offset = entry->offset;
	dst->qpn = entry->qpn;
	dst->parent = entry->parent;
	dst->bound = entry->bound;
	dst->window_base = entry->window_base;
	dst->reserved = entry->reserved;
	/* the device may look at the rest as soon as it sees the state */
	dma_wmb();
	WRITE_ONCE(dst->ctrl, entry->ctrl);
}

/**
 * xrdma_key_add_rights() - let a valid key grant more, without a fence
 * @keys: the table
 * @index: of a region that is valid, and stays so meanwhile
 * @access: enum xrdma_access, without XRDMA_ACCESS_ZERO_BASED
 *
 * Rights that the key has stay.
 *
 * Context: any; the caller keeps INVALIDATE of the key away.
 */
void xrdma_key_add_rights(struct xrdma_keys *keys, u32 index, u16 access)
{
	struct xrdma_mpt_entry *dst = xrdma_key_entry(keys, index);
	__le64 more = le64_encode_bits(access, XRDMA_MPT_ACCESS);

	WRITE_ONCE(dst->ctrl, dst->ctrl | more);
}

/**
 * xrdma_key_read() - look at a key entry
 * @keys: the table
 * @index: of an entry that is in use
 * @entry: the copy; what the device writes meanwhile may be torn, but a root that
 *	is not 0 goes with the offset
 *
 * Context: any.
 */
void xrdma_key_read(struct xrdma_keys *keys, u32 index,
		    struct xrdma_mpt_entry *entry)
{
	const struct xrdma_mpt_entry *src = xrdma_key_entry(keys, index);

	*entry = *src;
	/* a device that frees the entry clears the root before the offset */
	dma_rmb();
	entry->root = READ_ONCE(src->root);
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
