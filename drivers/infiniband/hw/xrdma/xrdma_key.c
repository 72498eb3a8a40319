// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA keys: which indexes are in use, and what the next key is. Must not know
 * regions or windows: it hands out keys and publishes what it is given. The
 * memory of the key table is in xrdma_key_table.c.
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

#include <linux/percpu.h>
#include <linux/random.h>
#include "xrdma_key.h"

#define XRDMA_KEY_DRAWS		32	/* before searching */

/*
 * While an entry is invalid, its key byte is the last one, which may have been
 * the consumer's choice, and its iova this mark if there was one.
 */
#define XRDMA_KEY_USED_BEFORE	BIT_ULL(0)

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
 * Context: may sleep, but only when no index is free. Takes no lock otherwise.
 * Return: 0, -ENOSPC: all indexes are in use or at rest; -ENOMEM; -EINTR: the
 * caller has been killed.
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
