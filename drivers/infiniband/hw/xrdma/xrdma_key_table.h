/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA key table: what drawing keys (xrdma_key.c) and the table's memory
 * (xrdma_key_table.c) share. No other file includes this header, except their tests:
 * others include xrdma_key.h.
 */

#ifndef XRDMA_KEY_TABLE_H
#define XRDMA_KEY_TABLE_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/local_lock.h>
#include <linux/mutex.h>
#include <linux/percpu_counter.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "xrdma_hw.h"

#define XRDMA_KEY_PAGE_LOG	6	/* entries of a page */
#define XRDMA_KEY_CHUNK_LOG	(XRDMA_KEY_PAGE_LOG + XRDMA_MTT_BITS)
#define XRDMA_KEY_CHUNK_SIZE	BIT(XRDMA_KEY_CHUNK_LOG)
#define XRDMA_KEY_CHUNKS	BIT(XRDMA_LOG_MAX_KEYS - XRDMA_KEY_CHUNK_LOG)
#define XRDMA_KEY_PIECE_LOG	9	/* entries that are allocated at once */
#define XRDMA_KEY_PIECE_SIZE	BIT(XRDMA_KEY_PIECE_LOG)
#define XRDMA_KEY_PIECES	(XRDMA_KEY_CHUNK_SIZE / XRDMA_KEY_PIECE_SIZE)
#define XRDMA_KEY_ALL_PIECES	BIT(XRDMA_LOG_MAX_KEYS - XRDMA_KEY_PIECE_LOG)
#define XRDMA_KEY_REST		4096	/* frees that a freed index waits for */
#define XRDMA_KEY_MAGAZINE	64

static_assert(sizeof(struct xrdma_mpt_entry) << XRDMA_KEY_PAGE_LOG ==
	      XRDMA_PAGE_SIZE);
static_assert(XRDMA_KEY_CHUNKS == XRDMA_MTT_ENTRIES);
static_assert(XRDMA_KEY_ALL_PIECES - 1 <= U16_MAX);

/**
 * struct xrdma_key_piece - key entries that are allocated and freed at once
 * @entries: the entries, XRDMA_KEY_PIECE_SIZE; NULL: they do not exist
 * @dma: their bus address
 * @in_use: indexes that are in use; those at rest need no entry
 */
struct xrdma_key_piece {
	struct xrdma_mpt_entry *entries;
	dma_addr_t dma;
	atomic_t in_use;
};

/**
 * struct xrdma_key_chunk - what one table of the second level covers; once made,
 *	it stays as long as the key table
 * @used: indexes that are in use, or at rest
 * @last_byte: the key byte that each index had last; one drawn at random if it
 *	had none
 * @pieces: the key entries
 * @table: bus addresses of their pages, 64 entries each, for the device
 * @table_dma: bus address of @table
 */
struct xrdma_key_chunk {
	DECLARE_BITMAP(used, XRDMA_KEY_CHUNK_SIZE);
	u8 last_byte[XRDMA_KEY_CHUNK_SIZE];
	struct xrdma_key_piece pieces[XRDMA_KEY_PIECES];
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
 * @fence: see xrdma_keys_create()
 * @context: argument of @fence
 * @dir: top table, for the device
 * @dir_dma: its bus address
 * @chunks: by the high bits of the index; those that exist
 * @order: numbers of all pieces: first those that have entries, of @size indexes
 *	together, then those that have none. Written under @resize; who reads it
 *	without that holds the RCU read lock until the index is claimed.
 * @limit: indexes there may be
 * @size: indexes that have an entry; written with release order, under @resize
 * @used: bits set in all chunks, roughly
 * @resize: serialises growing and shrinking
 * @growth_work: adds indexes before they are needed
 * @shrink_work: takes away pieces of which no index is in use
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
	int (*fence)(void *context);
	void *context;
	__le64 *dir;
	dma_addr_t dir_dma;
	struct xrdma_key_chunk *chunks[XRDMA_KEY_CHUNKS];
	u16 order[XRDMA_KEY_ALL_PIECES];
	u32 limit;
	u32 size;
	struct percpu_counter used;
	struct mutex resize; /* size, order */
	struct work_struct growth_work;
	struct delayed_work shrink_work;
	struct xrdma_key_magazine __percpu *magazines;
	u32 magazine_len;
	spinlock_t lock; /* line, line_pos */
	u32 *line;
	u32 line_len;
	u32 line_pos;
};

static inline struct xrdma_key_chunk *
xrdma_key_chunk(struct xrdma_keys *keys, u32 index)
{
	return keys->chunks[index >> XRDMA_KEY_CHUNK_LOG];
}

static inline u32 xrdma_key_bit(u32 index)
{
	return index & (XRDMA_KEY_CHUNK_SIZE - 1);
}

static inline struct xrdma_key_piece *
xrdma_key_piece(struct xrdma_keys *keys, u32 index)
{
	return &xrdma_key_chunk(keys, index)
			->pieces[xrdma_key_bit(index) >> XRDMA_KEY_PIECE_LOG];
}

static inline struct xrdma_mpt_entry *
xrdma_key_entry(struct xrdma_keys *keys, u32 index)
{
	return &xrdma_key_piece(keys, index)
			->entries[index & (XRDMA_KEY_PIECE_SIZE - 1)];
}

static inline u8 *xrdma_key_last_byte(struct xrdma_keys *keys, u32 index)
{
	return &xrdma_key_chunk(keys, index)->last_byte[xrdma_key_bit(index)];
}

/*
 * The index at a place from 0 to the size of the table. The caller holds the RCU
 * read lock.
 */
static inline u32 xrdma_key_at(const struct xrdma_keys *keys, u32 place)
{
	u32 piece = READ_ONCE(keys->order[place >> XRDMA_KEY_PIECE_LOG]);

	return piece << XRDMA_KEY_PIECE_LOG |
	       (place & (XRDMA_KEY_PIECE_SIZE - 1));
}

static inline u32 xrdma_keys_size(const struct xrdma_keys *keys)
{
	/* pairs with xrdma_keys_add_piece(): the entries before their indexes */
	return smp_load_acquire(&keys->size);
}

/* xrdma_key_table.c: memory of the table */
void xrdma_keys_keep_ample(struct xrdma_keys *keys, u32 size);
void xrdma_keys_keep_small(struct xrdma_keys *keys);
int xrdma_keys_grow(struct xrdma_keys *keys, u32 size);

#endif /* XRDMA_KEY_TABLE_H */
