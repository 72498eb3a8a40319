/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA key table: what drawing keys (xrdma_key.c) and the table's memory
 * (xrdma_key_table.c) share. Nobody else includes it, but for their tests.
 */

#ifndef XRDMA_KEY_H
#define XRDMA_KEY_H

#include <linux/bitmap.h>
#include <linux/local_lock.h>
#include <linux/mutex.h>
#include <linux/percpu_counter.h>
#include <linux/workqueue.h>
#include "xrdma_verbs.h"

#define XRDMA_KEY_PAGE_LOG	6	/* entries of a page */
#define XRDMA_KEY_CHUNK_LOG	(XRDMA_KEY_PAGE_LOG + XRDMA_MTT_BITS)
#define XRDMA_KEY_CHUNK_SIZE	BIT(XRDMA_KEY_CHUNK_LOG)
#define XRDMA_KEY_CHUNKS	BIT(XRDMA_LOG_MAX_KEYS - XRDMA_KEY_CHUNK_LOG)
#define XRDMA_KEY_PIECE_LOG	9	/* entries that are allocated at once */
#define XRDMA_KEY_PIECE_SIZE	BIT(XRDMA_KEY_PIECE_LOG)
#define XRDMA_KEY_PIECES	(XRDMA_KEY_CHUNK_SIZE / XRDMA_KEY_PIECE_SIZE)
#define XRDMA_KEY_REST		4096	/* frees that a freed index waits for */
#define XRDMA_KEY_MAGAZINE	64

static_assert(sizeof(struct xrdma_mpt_entry) << XRDMA_KEY_PAGE_LOG ==
	      XRDMA_PAGE_SIZE);
static_assert(XRDMA_KEY_CHUNKS == XRDMA_MTT_ENTRIES);

/**
 * struct xrdma_key_piece - key entries that were allocated at once
 * @entries: the entries, XRDMA_KEY_PIECE_SIZE; NULL: they do not exist
 * @dma: their bus address
 */
struct xrdma_key_piece {
	struct xrdma_mpt_entry *entries;
	dma_addr_t dma;
};

/**
 * struct xrdma_key_chunk - what one table of the second level covers
 * @used: indexes that are in use, or come to rest
 * @pieces: the key entries
 * @table: bus addresses of their pages, 64 entries each, for the device
 * @table_dma: bus address of @table
 */
struct xrdma_key_chunk {
	DECLARE_BITMAP(used, XRDMA_KEY_CHUNK_SIZE);
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
 * @dir: top table, for the device
 * @dir_dma: its bus address
 * @chunks: by the high bits of the index; those that exist
 * @limit: indexes there may be
 * @size: indexes there are; written with release order, under @growth
 * @used: bits set in all chunks, roughly
 * @growth: serialises growth
 * @growth_work: adds indexes before they are needed
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
	struct work_struct growth_work;
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

static inline struct xrdma_mpt_entry *
xrdma_key_entry(struct xrdma_keys *keys, u32 index)
{
	struct xrdma_key_chunk *chunk = xrdma_key_chunk(keys, index);
	u32 bit = xrdma_key_bit(index);

	return &chunk->pieces[bit >> XRDMA_KEY_PIECE_LOG]
			.entries[bit & (XRDMA_KEY_PIECE_SIZE - 1)];
}

static inline u32 xrdma_keys_size(const struct xrdma_keys *keys)
{
	/* pairs with xrdma_keys_add_piece(): the entries before their indexes */
	return smp_load_acquire(&keys->size);
}

/* xrdma_key_table.c: memory of the table */
void xrdma_keys_keep_ample(struct xrdma_keys *keys, u32 size);
int xrdma_keys_grow(struct xrdma_keys *keys, u32 size);

#endif /* XRDMA_KEY_H */
