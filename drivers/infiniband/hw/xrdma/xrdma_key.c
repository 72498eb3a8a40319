// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA keys: which indexes are in use, what the next key is, and the store that
 * makes a key entry valid. What an entry grants is decided by the callers, in
 * xrdma_mr.c, xrdma_frmr.c and xrdma_mw.c. The memory of the key table is in
 * xrdma_key_table.c.
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

#include <linux/bitfield.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include "xrdma_encode.h"
#include "xrdma_key.h"
#include "xrdma_key_table.h"

#define XRDMA_KEY_DRAWS		32	/* before searching */

/* ---- drawing --------------------------------------------------------- */

static bool xrdma_key_claim(struct xrdma_keys *keys, u32 index)
{
	struct xrdma_key_chunk *chunk = xrdma_key_chunk(keys, index);
	u32 bit = xrdma_key_bit(index);

	if (test_bit(bit, chunk->used) || test_and_set_bit(bit, chunk->used))
		return false;
	atomic_inc(&xrdma_key_piece(keys, index)->in_use);
	return true;
}

/* The first free index from @place to the end of its piece, or 0. */
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

/* A free index at @place or behind it, which goes on at place 0; or 0. */
static u32 xrdma_key_search(struct xrdma_keys *keys, u32 size, u32 place)
{
	/* the piece of @place comes last too, from its beginning */
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
 * A free one of @size indexes, any with the same probability; or 0. The caller
 * holds the RCU read lock.
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
	/* nearly full, and cannot grow */
	return xrdma_key_search(keys, size, place);
}

static u8 xrdma_key_new_byte(struct xrdma_keys *keys, u32 index)
{
	return *xrdma_key_last_byte(keys, index) + 1 +
	       get_random_u32_below(U8_MAX);
}

/**
 * xrdma_key_alloc() - draw a key
 * @keys: the table
 * @key: the key; its entry is invalid and the caller's
 *
 * Context: may sleep, but only when no index is free. Takes no lock otherwise.
 * Return: 0, -ENOSPC: all indexes are in use or at rest; -ENOMEM; -EINTR: the
 * caller has been killed.
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
		xrdma_keys_keep_ample(keys, size);
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
	xrdma_keys_keep_small(keys);
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

	/* the consumer of a window or a fast-register region may have chosen it */
	*xrdma_key_last_byte(keys, index) =
		le64_get_bits(xrdma_key_entry(keys, index)->ctrl,
			      XRDMA_MPT_KEY_BYTE);
	/* pairs with xrdma_key_piece_idle(): the entry may go after this */
	smp_mb__before_atomic();
	atomic_dec(&xrdma_key_piece(keys, index)->in_use);

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
 * xrdma_key_alloc_free() - draw a key and publish its entry as free
 * @keys: the table
 * @type: enum xrdma_mpt_type of what work requests will bind or register
 * @pdn: protection domain
 * @key: the key; its byte is the consumer's from now on
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
