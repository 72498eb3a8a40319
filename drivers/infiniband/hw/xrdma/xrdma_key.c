// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA keys: allocates keys at random, frees them, and writes key entries. The
 * contents of entries are chosen by the callers, xrdma_mr.c, xrdma_frmr.c and
 * xrdma_mw.c. xrdma_key_table.c allocates the memory of the key table, and
 * xrdma_inval.c ends the device's use of a key.
 *
 * Keys are unpredictable. The index of a new key has a uniform distribution
 * over all free indexes, and the table grows before few indexes are free. The
 * key byte has a uniform distribution over the values that differ from the last
 * key byte of the index.
 *
 * A freed index cannot be allocated again at once: it rests. It waits in a
 * magazine of the CPU, then in a FIFO that all CPUs share,
 * xrdma_keys.rest_fifo, until XRDMA_KEY_REST other indexes have been freed. The
 * FIFO has at most half as many entries as the device supports indexes, so the
 * wait is shorter if the device supports less than 2^14.
 *
 * Allocation takes no lock: to set the bit of an index in a bitmap, by an
 * atomic operation, allocates the index.
 */

#include <linux/bitfield.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include "xrdma_encode.h"
#include "xrdma_key.h"
#include "xrdma_key_table.h"

/* Random indexes that the driver tries before it searches for a free one */
#define XRDMA_KEY_DRAWS		32

/* ---- allocation ------------------------------------------------------ */

static bool xrdma_key_claim(struct xrdma_keys *keys, u32 index)
{
	struct xrdma_key_chunk *chunk = xrdma_key_chunk(keys, index);
	u32 bit = xrdma_key_bit(index);

	if (test_bit(bit, chunk->used) || test_and_set_bit(bit, chunk->used))
		return false;
	atomic_inc(&xrdma_key_piece(keys, index)->in_use);
	return true;
}

/*
 * Allocate the first free index from @place to the end of its piece. Return: 0:
 * none.
 */
static u32 xrdma_key_search_piece(struct xrdma_keys *keys, u32 place)
{
	u32 index = xrdma_key_at(keys, place);
	u32 base = round_down(index, XRDMA_KEY_CHUNK_SIZE);
	u32 bit = xrdma_key_bit(index);
	u32 end = round_down(bit, XRDMA_KEY_PIECE_SIZE) + XRDMA_KEY_PIECE_SIZE;

	for_each_clear_bit_from(bit, xrdma_key_chunk(keys, index)->used, end)
		if (xrdma_key_claim(keys, base + bit))
			return base + bit;
	return 0;
}

/*
 * Allocate the next free index from @place on, with wraparound. Return: 0:
 * none.
 */
static u32 xrdma_key_search(struct xrdma_keys *keys, u32 size, u32 place)
{
	/* one more, to search the beginning of the first piece last */
	u32 pieces = (size >> XRDMA_KEY_PIECE_LOG) + 1;
	u32 index = 0;

	while (pieces-- && !index) {
		index = xrdma_key_search_piece(keys, place);
		place = round_down(place, XRDMA_KEY_PIECE_SIZE) +
			XRDMA_KEY_PIECE_SIZE;
		if (place == size)
			place = 0;
	}
	return index;
}

/*
 * Allocate one of the free indexes at places below @size, each with the same
 * probability. The caller holds the RCU read lock, so that the piece of the
 * index is not freed. Return: the index; 0: none is free.
 */
static u32 xrdma_key_draw(struct xrdma_keys *keys, u32 size)
{
	unsigned int draws;
	u32 index, place;

	for (draws = 0; draws < XRDMA_KEY_DRAWS; draws++) {
		place = get_random_u32_below(size);
		index = xrdma_key_at(keys, place);
		if (xrdma_key_claim(keys, index))
			return index;
	}
	/* nearly all indexes are in use */
	return xrdma_key_search(keys, size, place);
}

static u8 xrdma_key_new_byte(struct xrdma_keys *keys, u32 index)
{
	return (*xrdma_key_last_byte(keys, index) + 1 +
		get_random_u32_below(U8_MAX)) & U8_MAX;
}

/**
 * xrdma_key_alloc() - allocate a key
 * @keys: the key table
 * @key: output: the key. Its entry is invalid, and only the caller may write it
 *
 * Context: may sleep, but only when no index is free. Takes no lock otherwise.
 * Return: 0; -ENOSPC: all indexes are in use or at rest; -ENOMEM; -EINTR: the
 * calling process has been killed.
 */
int xrdma_key_alloc(struct xrdma_keys *keys, u32 *key)
{
	u32 size, index;
	int err;

	for (;;) {
		rcu_read_lock();
		size = xrdma_keys_size(keys);
		index = xrdma_key_draw(keys, size);
		rcu_read_unlock();
		xrdma_keys_start_growth(keys, size);
		if (index)
			break;
		err = xrdma_keys_grow(keys, size);
		if (err)
			return err;
	}
	percpu_counter_inc(&keys->used);
	*key = xrdma_make_key(index, xrdma_key_new_byte(keys, index));
	return 0;
}

/* ---- freeing --------------------------------------------------------- */

/*
 * Append the indexes of a magazine to the FIFO of resting indexes, and replace
 * them in the magazine by the oldest indexes of the FIFO.
 */
static void xrdma_keys_exchange(struct xrdma_keys *keys,
				struct xrdma_key_magazine *mag)
{
	u32 i;

	spin_lock(&keys->lock);
	for (i = 0; i < mag->num; i++) {
		swap(mag->index[i], keys->rest_fifo[keys->rest_pos]);
		if (++keys->rest_pos == keys->rest_len)
			keys->rest_pos = 0;
	}
	spin_unlock(&keys->lock);
}

/* Exchange a magazine with the FIFO, and make the indexes that it gets free. */
static void xrdma_keys_flush_magazine(struct xrdma_keys *keys,
				      struct xrdma_key_magazine *mag)
{
	u32 free = 0;
	u32 i;

	xrdma_keys_exchange(keys, mag);
	for (i = 0; i < mag->num; i++) {
		u32 index = mag->index[i];

		if (!index)
			continue;
		/*
		 * Pairs with test_and_set_bit() in xrdma_key_claim(): the next
		 * user of the index reads the last key byte that was written.
		 */
		clear_bit_unlock(xrdma_key_bit(index),
				 xrdma_key_chunk(keys, index)->used);
		free++;
	}
	mag->num = 0;
	percpu_counter_sub(&keys->used, free);
	xrdma_keys_start_shrink(keys);
}

/**
 * xrdma_key_free() - free a key
 * @keys: the key table
 * @index: index of the key. The device has answered INVALIDATE of its entry,
 *	has been reset, or the entry was never published
 *
 * The index is not allocated again before XRDMA_KEY_REST other indexes have
 * been freed; in a small table, fewer.
 *
 * Context: process.
 */
void xrdma_key_free(struct xrdma_keys *keys, u32 index)
{
	struct xrdma_key_magazine *mag;

	/* the consumer may have changed the byte, by BIND_MW or REG_MR */
	*xrdma_key_last_byte(keys, index) =
		le64_get_bits(xrdma_key_entry(keys, index)->ctrl,
			      XRDMA_MPT_KEY_BYTE);
	/*
	 * Pairs with the acquire in xrdma_keys_piece_idle(): the entry is read
	 * above before its piece can be freed.
	 */
	smp_mb__before_atomic();
	atomic_dec(&xrdma_key_piece(keys, index)->in_use);

	local_lock(&keys->magazines->lock);
	mag = this_cpu_ptr(keys->magazines);
	mag->index[mag->num++] = index;
	if (mag->num == keys->magazine_len)
		xrdma_keys_flush_magazine(keys, mag);
	local_unlock(&keys->magazines->lock);
}

/* ---- entries --------------------------------------------------------- */

/**
 * xrdma_key_publish() - write a key entry, so that the device can use it
 * @keys: the key table
 * @index: key index of an entry that is invalid, and that only the caller
 *	writes
 * @entry: new contents; the state is not INVALID
 *
 * No command and no doorbell is necessary: the device may use the entry as soon
 * as its state is written.
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
	/* order the writes of the other fields before that of the state */
	dma_wmb();
	WRITE_ONCE(dst->ctrl, entry->ctrl);
}

/**
 * xrdma_key_alloc_free() - allocate a key, and publish its entry in state FREE
 * @keys: the key table
 * @type: enum xrdma_mpt_type of the window or region that work requests will
 *	bind or register under this key
 * @pdn: protection domain number
 * @key: output: the key. The consumer may change the key byte afterwards
 *
 * Context: may sleep, as xrdma_key_alloc().
 * Return: 0, -ENOSPC, -ENOMEM or -EINTR.
 */
int xrdma_key_alloc_free(struct xrdma_keys *keys, u8 type, u32 pdn, u32 *key)
{
	struct xrdma_mpt_entry entry = {};
	int err;

	err = xrdma_key_alloc(keys, key);
	if (err)
		return err;
	entry.ctrl = cpu_to_le64(xrdma_make_mpt_ctrl(XRDMA_MPT_FREE, type,
						     *key, pdn, 0));
	xrdma_key_publish(keys, xrdma_key_index(*key), &entry);
	return 0;
}

/**
 * xrdma_key_add_rights() - add rights to a valid key entry
 * @keys: the key table
 * @index: key index of a region; the entry is valid
 * @access: enum xrdma_access without XRDMA_ACCESS_ZERO_BASED: rights to add
 *
 * The device may use the new rights at once. The entry keeps the rights that it
 * has, so that accesses in progress are not affected.
 *
 * Context: any. The caller makes sure that no INVALIDATE of the key is sent
 * during the call.
 */
void xrdma_key_add_rights(struct xrdma_keys *keys, u32 index, u16 access)
{
	struct xrdma_mpt_entry *dst = xrdma_key_entry(keys, index);
	__le64 more = le64_encode_bits(access, XRDMA_MPT_ACCESS);

	WRITE_ONCE(dst->ctrl, dst->ctrl | more);
}

/**
 * xrdma_key_read() - copy a key entry
 * @keys: the key table
 * @index: key index of an entry that is in use
 * @entry: output: the copy. The device may write to the entry during the copy,
 *	so the fields may not fit together; but if the root is not 0, the offset
 *	belongs to that root
 *
 * Context: any.
 */
void xrdma_key_read(struct xrdma_keys *keys, u32 index,
		    struct xrdma_mpt_entry *entry)
{
	const struct xrdma_mpt_entry *src = xrdma_key_entry(keys, index);

	*entry = *src;
	/*
	 * Order the read of the offset before that of the root. A device that
	 * frees the entry clears the root before the offset.
	 */
	dma_rmb();
	entry->root = READ_ONCE(src->root);
}
