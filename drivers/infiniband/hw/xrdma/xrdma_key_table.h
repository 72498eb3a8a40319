/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA key table: the structures that allocation of keys (xrdma_key.c) and the
 * memory of the table (xrdma_key_table.c) share. Only these two files and their
 * KUnit tests include this header; other files include xrdma_key.h.
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

#define XRDMA_KEY_PAGE_LOG	6	/* log2 of the entries of a page */
#define XRDMA_KEY_CHUNK_LOG	(XRDMA_KEY_PAGE_LOG + XRDMA_MTT_BITS)
#define XRDMA_KEY_CHUNK_SIZE	BIT(XRDMA_KEY_CHUNK_LOG)
#define XRDMA_KEY_CHUNKS	BIT(XRDMA_LOG_MAX_KEYS - XRDMA_KEY_CHUNK_LOG)
#define XRDMA_KEY_PIECE_LOG	9	/* log2 of the entries of a piece */
#define XRDMA_KEY_PIECE_SIZE	BIT(XRDMA_KEY_PIECE_LOG)
#define XRDMA_KEY_PIECES	(XRDMA_KEY_CHUNK_SIZE / XRDMA_KEY_PIECE_SIZE)
#define XRDMA_KEY_ALL_PIECES	BIT(XRDMA_LOG_MAX_KEYS - XRDMA_KEY_PIECE_LOG)
#define XRDMA_KEY_REST		4096	/* frees until an index is reused */
#define XRDMA_KEY_MAGAZINE	64	/* indexes of the largest magazine */

static_assert(sizeof(struct xrdma_mpt_entry) << XRDMA_KEY_PAGE_LOG ==
	      XRDMA_PAGE_SIZE);
static_assert(XRDMA_KEY_CHUNKS == XRDMA_MTT_ENTRIES);
static_assert(XRDMA_KEY_ALL_PIECES - 1 <= U16_MAX);

/**
 * struct xrdma_key_piece - unit in which key entries are allocated and freed
 * @entries: array of XRDMA_KEY_PIECE_SIZE entries; NULL: not allocated
 * @dma: bus address of @entries
 * @in_use: number of indexes in use; indexes at rest do not count, since they
 *	need no entry
 */
struct xrdma_key_piece {
	struct xrdma_mpt_entry *entries;
	dma_addr_t dma;
	atomic_t in_use;
};

/**
 * struct xrdma_key_chunk - key indexes that one table of level 1 covers; freed
 *	only with the whole key table
 * @used: bitmap of the indexes in use or at rest
 * @last_byte: last key byte of each index; a random byte, if the index has not
 *	been used yet
 * @pieces: key entries
 * @table: translation table that the device reads: bus addresses of the pages
 *	of all pieces, 64 key entries in each page
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
 * struct xrdma_key_magazine - indexes that one CPU has freed, before they enter
 *	xrdma_keys.rest_fifo
 * @lock: protects @num and @index against other tasks of the CPU
 * @num: number of indexes in @index
 * @index: the indexes
 */
struct xrdma_key_magazine {
	local_lock_t lock;
	u32 num;
	u32 index[XRDMA_KEY_MAGAZINE];
};

/**
 * struct xrdma_keys - key table
 * @dev: device that accesses the table by DMA
 * @fence: makes the device drop its cache of the tables; see
 *	xrdma_keys_create()
 * @context: argument of @fence
 * @dir: translation table of level 2, which the device reads
 * @dir_dma: bus address of @dir
 * @chunks: chunks, by the high bits of the index; NULL: not allocated
 * @order: numbers of all pieces: first the pieces with entries, @size indexes
 *	in total, then the pieces without. Written under @resize. A reader that
 *	does not hold @resize holds the RCU read lock until it has allocated the
 *	index
 * @limit: largest number of indexes that the table may have
 * @size: number of indexes that have an entry; written under @resize, with
 *	release order
 * @used: approximate number of bits set in all chunks
 * @resize: serialises growth and shrinking; protects writes of @size and @order
 * @growth_work: adds a piece before all indexes are in use
 * @shrink_work: frees pieces of which no index is in use
 * @magazines: recently freed indexes, of each CPU
 * @magazine_len: number of indexes at which a magazine is full, 1 to
 *	XRDMA_KEY_MAGAZINE
 * @lock: protects @rest_fifo and @rest_pos
 * @rest_fifo: FIFO of indexes at rest; 0: no index. To make up for the indexes
 *	that are freed before, but enter from a magazine later, it is longer
 *	than XRDMA_KEY_REST by the size of all magazines
 * @rest_len: number of entries of @rest_fifo
 * @rest_pos: position of the oldest index, which the next one replaces
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
	struct mutex resize; /* writes of size and order */
	struct work_struct growth_work;
	struct delayed_work shrink_work;
	struct xrdma_key_magazine __percpu *magazines;
	u32 magazine_len;
	spinlock_t lock; /* rest_fifo, rest_pos */
	u32 *rest_fifo;
	u32 rest_len;
	u32 rest_pos;
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
 * Convert a place, 0 to the size of the table - 1, to a key index. The caller
 * holds the RCU read lock, so that the piece of the index is not freed.
 */
static inline u32 xrdma_key_at(const struct xrdma_keys *keys, u32 place)
{
	u32 piece = READ_ONCE(keys->order[place >> XRDMA_KEY_PIECE_LOG]);

	return piece << XRDMA_KEY_PIECE_LOG |
	       (place & (XRDMA_KEY_PIECE_SIZE - 1));
}

static inline u32 xrdma_keys_size(const struct xrdma_keys *keys)
{
	/*
	 * Pairs with the release in xrdma_keys_set_pieces(): the entries of all
	 * indexes below the size exist.
	 */
	return smp_load_acquire(&keys->size);
}

/* xrdma_key_table.c: memory of the table */
void xrdma_keys_start_growth(struct xrdma_keys *keys, u32 size);
void xrdma_keys_start_shrink(struct xrdma_keys *keys);
int xrdma_keys_grow(struct xrdma_keys *keys, u32 size);

#endif /* XRDMA_KEY_TABLE_H */
