// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How the driver draws keys and lets freed indexes rest: xrdma_key.c, compiled
 * unchanged with the stand-ins for kernel headers in proof/include. A stub
 * stands for the random numbers of the kernel. That two CPUs never get the same
 * index rests on the atomic operation test_and_set_bit(), of which the proof
 * has the form for one thread.
 *
 * The proof compiles the code for a smaller key table, since CBMC is slow for
 * large objects: 16 chunks of 1024 indexes instead of 512 chunks of 32,768.
 * Both sizes follow from three constants of the contract. Pieces have 512
 * indexes in both.
 *
 * CBMC: -I proof/include --unwind 7 --slice-formula
 */

#include "proof.h"
#include "kernel.h"
#include "xrdma_hw.h"

#undef XRDMA_MTT_ENTRIES
#undef XRDMA_MTT_BITS
#undef XRDMA_LOG_MAX_KEYS
#define XRDMA_MTT_ENTRIES	16
#define XRDMA_MTT_BITS		4
#define XRDMA_LOG_MAX_KEYS	14

#define le64_get_bits(value, field)	FIELD_GET(field, le64_to_cpu(value))
#define le64_encode_bits(value, field)	cpu_to_le64(FIELD_PREP(field, value))

#include "xrdma_key.c"

/* Indexes that rest in the FIFO, and that a magazine has, at most */
#define REST_MAX	6
#define FREED_MAX	4

static struct xrdma_keys keys;
static struct xrdma_key_chunk chunk;
static u32 fifo[REST_MAX];
static u32 drawn;

u32 get_random_u32_below(u32 bound)
{
	PROVE(bound);
	ASSUME(drawn < bound);
	return drawn;
}

void percpu_counter_inc(struct percpu_counter *counter)
{
	(void)counter;
}

void percpu_counter_sub(struct percpu_counter *counter, long amount)
{
	(void)counter;
	(void)amount;
}

void xrdma_keys_start_growth(struct xrdma_keys *k, u32 size)
{
	(void)k;
	(void)size;
}

void xrdma_keys_start_shrink(struct xrdma_keys *k)
{
	(void)k;
}

int xrdma_keys_grow(struct xrdma_keys *k, u32 size)
{
	(void)k;
	(void)size;
	return -ENOSPC;
}

/*
 * Theorem: The byte of a new key differs from the last byte of its index, and
 *	each other byte comes from exactly one of the 255 random numbers, so all
 *	of them are equally likely.
 * Holds for: all last bytes, all random numbers.
 * Assumes: get_random_u32_below(255) gives each number below 255 with the same
 *	probability.
 * Solver: cadical
 */
static void new_bytes_differ(void)
{
	u32 index = nondet_u32() & (XRDMA_KEY_CHUNK_SIZE - 1);
	u8 last = nondet_u8(), wanted = nondet_u8();
	u8 byte;

	keys.chunks[0] = &chunk;
	chunk.last_byte[index] = last;
	drawn = nondet_u32();
	byte = xrdma_key_new_byte(&keys, index);
	REACHABLE(last == 255 && byte == 254);
	PROVE(byte != last);
	ASSUME(wanted != last);
	PROVE((byte == wanted) == (drawn == low8(wanted + 255U - last)));
}

/*
 * Theorem: An index is allocated only if it was free, is then not free, and the
 *	allocation of other indexes does not change.
 * Form: long
 * Solver: cadical
 * Holds for: all indexes of a chunk of 1024, all sets of indexes in use.
 * Assumes: nothing.
 */
static void claims_are_exclusive(void)
{
	u32 index = nondet_u32() & (XRDMA_KEY_CHUNK_SIZE - 1);
	u32 other = nondet_u32() & (XRDMA_KEY_CHUNK_SIZE - 1);
	struct xrdma_key_chunk any;
	bool was_free, other_free, claimed;

	keys.chunks[0] = &any;
	ASSUME(xrdma_key_piece(&keys, index)->in_use.counter >= 0);
	ASSUME(xrdma_key_piece(&keys, index)->in_use.counter <
	       XRDMA_KEY_PIECE_SIZE);
	was_free = !test_bit(index, any.used);
	other_free = !test_bit(other, any.used);
	claimed = xrdma_key_claim(&keys, index);
	REACHABLE(claimed);
	REACHABLE(!claimed);
	PROVE(claimed == was_free && test_bit(index, any.used));
	PROVE(other == index || other_free == !test_bit(other, any.used));
}

/* The theorem indexes_rest_in_order for a FIFO of @len entries */
static void exchange(u32 len)
{
	struct xrdma_key_magazine mag;
	u32 queue[REST_MAX + FREED_MAX];
	u32 pos = nondet_u32(), num = nondet_u32(), i, at;

	ASSUME(pos < len && num <= FREED_MAX);
	mag.num = num;
	/* the oldest first; then those of the magazine */
	for (i = 0, at = pos; i < len; i++) {
		fifo[at] = nondet_u32();
		queue[i] = fifo[at];
		at = at + 1 < len ? at + 1 : 0;
	}
	for (i = 0; i < FREED_MAX; i++)
		queue[len + i] = mag.index[i];
	keys.rest_fifo = fifo;
	keys.rest_len = len;
	keys.rest_pos = pos;
	xrdma_keys_exchange(&keys, &mag);
	REACHABLE(len == 6 && num == 4 && pos == 5);
	REACHABLE(len == 1 && num == 4);
	PROVE(mag.num == num && keys.rest_len == len);
	PROVE(keys.rest_pos == (pos + num) % len);
	i = nondet_u32();
	PROVE(i >= num || mag.index[i] == queue[i]);
	PROVE(i >= len || fifo[(keys.rest_pos + i) % len] == queue[num + i]);
}

/*
 * Theorem: The indexes of a full magazine enter the FIFO in order, and come out
 *	of it after as many others as the FIFO has entries, not earlier and not
 *	later: each takes the place of the oldest index, which the magazine
 *	gets.
 * Holds for: FIFOs of 1 to 6 entries at any position, magazines of up to 4
 *	indexes.
 * Assumes: nothing.
 */
static void indexes_rest_in_order(void)
{
	u32 len = nondet_u32();

	/* constants, so that CBMC divides by constants */
	if (len == 1)
		exchange(1);
	else if (len == 2)
		exchange(2);
	else if (len == 3)
		exchange(3);
	else if (len == 4)
		exchange(4);
	else if (len == 5)
		exchange(5);
	else
		exchange(6);
}

/*
 * Theorem: When a magazine is flushed, exactly the indexes that come out of the
 *	FIFO become free; an index that is freed stays allocated until then.
 * Form: long
 * Solver: cadical
 * Holds for: FIFOs of 1 to 6 entries, magazines of up to 4 indexes, all of one
 *	chunk of 1024 indexes; the value 0, which is no index; indexes that are
 *	in the FIFO or in the magazine more than once.
 * Assumes: nothing.
 */
static void flushed_indexes_are_free(void)
{
	struct xrdma_key_chunk any;
	struct xrdma_key_magazine mag;
	u32 index = nondet_u32() & (XRDMA_KEY_CHUNK_SIZE - 1);
	bool used, leaves = false;
	u32 i, at, num;

	keys.chunks[0] = &any;
	keys.rest_fifo = fifo;
	keys.rest_len = nondet_u32();
	keys.rest_pos = nondet_u32();
	ASSUME(keys.rest_len && keys.rest_len <= REST_MAX);
	ASSUME(keys.rest_pos < keys.rest_len && mag.num <= FREED_MAX);
	num = mag.num;
	for (i = 0; i < REST_MAX; i++)
		fifo[i] = nondet_u32() & (XRDMA_KEY_CHUNK_SIZE - 1);
	for (i = 0; i < FREED_MAX; i++)
		mag.index[i] = nondet_u32() & (XRDMA_KEY_CHUNK_SIZE - 1);
	used = test_bit(index, any.used);
	/* the first ones come from the FIFO, the others from the magazine */
	for (i = 0; i < num; i++) {
		at = keys.rest_pos + i;
		if (i >= keys.rest_len)
			at = mag.index[i - keys.rest_len];
		else
			at = fifo[at < keys.rest_len ? at : at - keys.rest_len];
		leaves |= index && index == at;
	}
	xrdma_keys_flush_magazine(&keys, &mag);
	REACHABLE(leaves && used && num == 4 && keys.rest_len == 3);
	REACHABLE(!leaves && used && num == 4);
	PROVE(!mag.num);
	PROVE(test_bit(index, any.used) == (used && !leaves));
}
