// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of address translation: random layouts, with the tables that the
 * functions of xrdma_xlat.h build, and malformed tables.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/core_env.h"

#define MAX_PIECES	64
#define PAGE		4096ULL

/**
 * struct piece - contiguous bus memory
 * @addr: bus address
 * @len: bytes
 */
struct piece {
	u64 addr;
	u64 len;
};

/* Return: the address at which the device has mapped guest memory @addr. */
static void *dev_ptr(struct core_env *env, u64 addr)
{
	return model_dma_ptr(env->dma, addr, 1, false);
}

static void set_entry(struct core_env *env, u64 table, u32 index, u64 entry)
{
	((__le64 *)core_ptr(env, table))[index] = cpu_to_le64(entry);
}

static u64 new_table(struct core_env *env)
{
	u64 table = core_alloc(env, PAGE, PAGE);

	memset(core_ptr(env, table), 0, PAGE);
	return table;
}

/* Write a block into the tables below @table; allocate missing tables. */
static void map_block(struct core_env *env, u64 table, u8 level, u8 leaf,
		      u64 pos, u64 addr, u8 shift)
{
	u32 index;
	u64 entry;

	for (; level > xrdma_xlat_level(leaf, shift); level--) {
		index = xrdma_xlat_index(leaf, level, pos);
		entry = le64_to_cpu(((__le64 *)core_ptr(env, table))[index]);
		if (!entry) {
			entry = xrdma_make_mtt_table(new_table(env));
			set_entry(env, table, index, entry);
		}
		table = entry & XRDMA_MTT_ADDR;
	}
	set_entry(env, table, xrdma_xlat_index(leaf, level, pos),
		  xrdma_make_mtt_block(addr & ~((1ULL << shift) - 1)));
}

static u64 build(struct core_env *env, const struct piece *pieces,
		 unsigned int n, struct xrdma_xlat *x)
{
	u64 table, pos, addr, len, step;
	unsigned int i;
	u8 shift;

	*x = (struct xrdma_xlat) {};
	xrdma_xlat_begin_measure(x);
	for (i = 0; i < n; i++)
		xrdma_xlat_survey(x, pieces[i].addr, pieces[i].len);
	if (x->moved) {
		xrdma_xlat_begin_measure(x);
		for (i = 0; i < n; i++)
			xrdma_xlat_measure(x, pieces[i].addr, pieces[i].len);
	}
	xrdma_xlat_finish(x);
	if (!x->level)
		return xrdma_make_root(pieces[0].addr &
				       ~((1ULL << x->leaf_shift) - 1), 0,
				       x->leaf_shift);
	table = new_table(env);
	pos = x->start;
	for (i = 0; i < n; i++) {
		addr = pieces[i].addr;
		for (len = pieces[i].len; len; len -= step) {
			shift = xrdma_xlat_block(x, pos, addr, len);
			step = xrdma_xlat_step(pos, len, shift);
			map_block(env, table, x->level, x->leaf_shift, pos,
				  addr, shift);
			pos += step;
			addr += step;
		}
	}
	return xrdma_make_root(table, x->level, x->leaf_shift);
}

/* Make random pieces of distinct memory below 32 MiB. Return: their bytes. */
static u64 random_pieces(struct piece *pieces, unsigned int *n)
{
	u64 addr = CORE_IOVA, total = 0;
	unsigned int i;

	*n = 1 + rand() % MAX_PIECES;
	for (i = 0; i < *n; i++) {
		addr += (rand() % 4) * PAGE;
		if (rand() % 8 == 0)
			addr = (addr + 0x1fffff) & ~0x1fffffULL;
		pieces[i].addr = addr;
		pieces[i].len = rand() % 16 ? (1 + rand() % 8) * PAGE :
			       0x200000 + (rand() % 3) * PAGE;
		if (addr + pieces[i].len > CORE_IOVA + 0x2000000)
			break;
		addr += pieces[i].len;
		total += pieces[i].len;
	}
	*n = i;
	/* the pieces of a region need not be in order of addresses */
	for (i = 0; i + 1 < *n; i += 2) {
		struct piece p = pieces[i];

		pieces[i] = pieces[i + 1];
		pieces[i + 1] = p;
	}
	return total;
}

/* Return: bus address of byte @off of the region, from the pieces alone. */
static u64 addr_of(const struct piece *pieces, u64 off)
{
	for (; off >= pieces->len; pieces++)
		off -= pieces->len;
	return pieces->addr + off;
}

static void random_layouts(void **state)
{
	struct core_env *env = *state;
	struct piece pieces[MAX_PIECES];
	unsigned int round, i, n;
	struct xrdma_xlat x;
	struct model_mem mem;
	u64 total, off, root;
	size_t len;
	u64 next = CORE_IOVA + 0x2000000;

	srand(1);
	for (round = 0; round < 200; round++) {
		total = random_pieces(pieces, &n);
		if (!total)
			continue;
		env->next = next;
		root = build(env, pieces, n, &x);
		assert_true(xrdma_root_ok(root));
		model_mem_init(&mem, root, x.start, total, 0);
		for (i = 0; i < 200; i++) {
			off = ((u64)rand() << 12 | (rand() & 0xfff)) % total;
			len = 1 + rand() % 9000;
			assert_ptr_equal(model_mem_ptr(env->dev, &mem, off,
						       &len, i & 1),
					 dev_ptr(env, addr_of(pieces, off)));
			assert_in_range(len, 1, total - off);
			assert_int_equal(addr_of(pieces, off + len - 1),
					 addr_of(pieces, off) + len - 1);
		}
		assert_int_equal(model_mem_probe(env->dev, &mem, true), 0);
	}
}

static void copies_cross_blocks(void **state)
{
	struct core_env *env = *state;
	struct piece pieces[] = {
		{ CORE_IOVA + 0x1005000, PAGE }, { CORE_IOVA + 0x1001000, PAGE },
	};
	struct model_mem mem;
	struct xrdma_xlat x;
	u8 data[100], back[100];
	unsigned int i;
	u64 root;

	for (i = 0; i < sizeof(data); i++)
		data[i] = i;
	root = build(env, pieces, 2, &x);
	model_mem_init(&mem, root, x.start, 2 * PAGE, 0);
	assert_int_equal(model_mem_write(env->dev, &mem, PAGE - 40, data,
					 sizeof(data)), 0);
	assert_memory_equal(core_ptr(env, CORE_IOVA + 0x1005000 + PAGE - 40),
			    data, 40);
	assert_memory_equal(core_ptr(env, CORE_IOVA + 0x1001000), data + 40,
			    60);
	assert_int_equal(model_mem_read(env->dev, &mem, PAGE - 40, back,
					sizeof(back)), 0);
	assert_memory_equal(back, data, sizeof(data));
	assert_int_equal(model_mem_read(env->dev, &mem, 2 * PAGE - 50, back,
					sizeof(back)), -EFAULT);
}

/* Translate with a table of one entry. Return: the address or NULL. */
static void *walk_one(struct core_env *env, u64 entry, u8 level, u8 flags)
{
	u64 table = new_table(env);
	struct model_mem mem;
	size_t len = 8;

	set_entry(env, table, 0, entry);
	model_mem_init(&mem, xrdma_make_root(table, level, 12), 0, PAGE,
		       flags);
	return model_mem_ptr(env->dev, &mem, 0, &len, false);
}

static void malformed_entries_are_host_errors(void **state)
{
	struct core_env *env = *state;
	u64 block = xrdma_make_mtt_block(CORE_IOVA);

	assert_non_null(walk_one(env, block, 1, 0));
	assert_null(walk_one(env, block | 1 << 2, 1, 0));
	assert_null(walk_one(env, block | 1 << 11, 1, 0));
	assert_null(walk_one(env, xrdma_make_mtt_table(CORE_IOVA), 1, 0));
	assert_null(walk_one(env, block + PAGE, 2, 0));
	core_expect(env, MODEL_HERR_MTT_ENTRY, 4);
	assert_null(walk_one(env, 0, 1, 0));
	assert_null(walk_one(env, ~1ULL, 1, 0));
	core_expect(env, MODEL_HERR_MTT_MISSING, 2);
	assert_null(walk_one(env, 0, 1, MODEL_MEM_SPARSE));
	assert_null(walk_one(env, xrdma_make_mtt_table(PAGE), 2, 0));
	assert_null(walk_one(env, xrdma_make_mtt_block(PAGE), 1, 0));
	core_expect(env, MODEL_HERR_DMA_UNMAPPED, 2);
}

static void a_sparse_entry_may_appear(void **state)
{
	struct core_env *env = *state;
	u64 table = new_table(env);
	struct model_mem mem;
	size_t len = 8;

	model_mem_init(&mem, xrdma_make_root(table, 1, 12), 0, 512 * PAGE,
		       MODEL_MEM_SPARSE);
	assert_null(model_mem_ptr(env->dev, &mem, PAGE, &len, false));
	set_entry(env, table, 1, xrdma_make_mtt_block(CORE_IOVA + PAGE));
	assert_ptr_equal(model_mem_ptr(env->dev, &mem, PAGE, &len, false),
			 dev_ptr(env, CORE_IOVA + PAGE));
}

/* After an unmap, cached translations and tables are no longer used. */
static void unmapping_forgets_walks(void **state)
{
	struct core_env *env = *state;
	u64 other = CORE_IOVA + 2 * CORE_MEM_SIZE;
	struct model_mem mem;
	size_t len = 8;

	assert_int_equal(model_dma_map(env->dma, other, PAGE,
				       MODEL_DMA_READ | MODEL_DMA_WRITE,
				       env->fd, 0), 0);
	model_mem_init(&mem, xrdma_make_root(other, 0, 12), 0, PAGE, 0);
	assert_non_null(model_mem_ptr(env->dev, &mem, 0, &len, true));
	assert_int_equal(model_dma_unmap(env->dma, other, PAGE), 0);
	assert_null(model_mem_ptr(env->dev, &mem, 0, &len, true));
	core_expect(env, MODEL_HERR_DMA_UNMAPPED, 1);
}

/* A cached read translation is not used for writing, nor vice versa. */
static void rights_of_the_mapping_hold(void **state)
{
	struct core_env *env = *state;
	u64 in = CORE_IOVA + 2 * CORE_MEM_SIZE;
	u64 out = CORE_IOVA + 3 * CORE_MEM_SIZE;
	struct model_mem mem;
	size_t len = 8;

	assert_int_equal(model_dma_map(env->dma, in, PAGE, MODEL_DMA_READ,
				       env->fd, 0), 0);
	assert_int_equal(model_dma_map(env->dma, out, PAGE, MODEL_DMA_WRITE,
				       env->fd, 0), 0);
	model_mem_init(&mem, xrdma_make_root(in, 0, 12), 0, PAGE, 0);
	assert_non_null(model_mem_ptr(env->dev, &mem, 0, &len, false));
	assert_null(model_mem_ptr(env->dev, &mem, 0, &len, true));
	model_mem_init(&mem, xrdma_make_root(out, 0, 12), 0, PAGE, 0);
	assert_non_null(model_mem_ptr(env->dev, &mem, 0, &len, true));
	assert_null(model_mem_ptr(env->dev, &mem, 0, &len, false));
	core_expect(env, MODEL_HERR_DMA_ACCESS, 2);
}

static void a_dead_device_touches_nothing(void **state)
{
	struct core_env *env = *state;
	struct model_mem mem;
	size_t len = 8;

	model_mem_init(&mem, xrdma_make_root(CORE_IOVA, 0, 12), 0, PAGE, 0);
	assert_non_null(model_mem_ptr(env->dev, &mem, 0, &len, true));
	model_device_fatal(env->dev, XRDMA_FATAL_INTERNAL);
	assert_null(model_mem_ptr(env->dev, &mem, 0, &len, true));
}

/* Mappings with adjacent bus addresses but separate process addresses. */
static void a_block_in_scattered_mappings(void **state)
{
	struct core_env *env = *state;
	u64 other = CORE_IOVA + 2 * CORE_MEM_SIZE;
	struct model_mem mem;
	size_t len;
	u64 i;

	for (i = 0; i < 4; i++)
		assert_int_equal(model_dma_map(env->dma, other + i * PAGE,
					       PAGE, MODEL_DMA_READ, env->fd,
					       (3 - i) * PAGE), 0);
	model_mem_init(&mem, xrdma_make_root(other, 0, 14), 0, 4 * PAGE, 0);
	for (i = 0; i < 4; i++) {
		len = 2 * PAGE;
		assert_ptr_equal(model_mem_ptr(env->dev, &mem, i * PAGE, &len,
					       false),
				 dev_ptr(env, CORE_IOVA + (3 - i) * PAGE));
		assert_int_equal(len, PAGE);
	}
}

/*
 * A block whose pages are mappings of their own, contiguous in this process up
 * to its last page: each run takes as many mappings as one look-up finds, so
 * the walk over the block looks up no mapping again and again.
 */
static void a_block_of_many_mappings(void **state)
{
	struct core_env *env = *state;
	u64 other = CORE_IOVA + 2 * CORE_MEM_SIZE;
	u64 pages = 2 * MODEL_DMA_RUN_MAPPINGS;
	struct model_mem mem;
	size_t len;
	u64 i;

	for (i = 0; i < pages; i++)
		assert_int_equal(model_dma_map(env->dma, other + i * PAGE,
					       PAGE, MODEL_DMA_READ, env->fd,
					       (i + 1) % pages * PAGE), 0);
	model_mem_init(&mem, xrdma_make_root(other, 0, 19), 0, pages * PAGE, 0);
	len = pages * PAGE;
	assert_ptr_equal(model_mem_ptr(env->dev, &mem, 0, &len, false),
			 dev_ptr(env, CORE_IOVA + PAGE));
	assert_int_equal(len, MODEL_DMA_RUN_MAPPINGS * PAGE);
	i = len;
	len = pages * PAGE;
	assert_non_null(model_mem_ptr(env->dev, &mem, i, &len, false));
	assert_int_equal(len, (pages - MODEL_DMA_RUN_MAPPINGS - 1) * PAGE);
	assert_int_equal(model_mem_probe(env->dev, &mem, false), 0);
	len = 1;
	assert_null(model_mem_ptr(env->dev, &mem, 0, &len, true));
	core_expect(env, MODEL_HERR_DMA_ACCESS, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CORE_TEST(random_layouts, enabled),
		CORE_TEST(copies_cross_blocks, enabled),
		CORE_TEST(malformed_entries_are_host_errors, enabled),
		CORE_TEST(a_sparse_entry_may_appear, enabled),
		CORE_TEST(unmapping_forgets_walks, enabled),
		CORE_TEST(rights_of_the_mapping_hold, enabled),
		CORE_TEST(a_dead_device_touches_nothing, enabled),
		CORE_TEST(a_block_in_scattered_mappings, enabled),
		CORE_TEST(a_block_of_many_mappings, enabled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
