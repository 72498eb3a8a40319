// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Tests of DMA mappings: ranges, rights, look-up, files, counters. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/dma.h"

#define PAGE	MODEL_DMA_PAGE_SIZE
#define RW	(MODEL_DMA_READ | MODEL_DMA_WRITE)
#define MEMORY	(64 * PAGE)

struct fixture {
	struct model_dma *dma;
	int fd;
	u8 *memory;
	unsigned int notified;
	u64 notified_bytes;
	bool readable_when_notified;
};

static void on_unmap(void *opaque, u64 iova, u64 len)
{
	struct fixture *f = opaque;

	f->notified++;
	f->notified_bytes += len;
	f->readable_when_notified = model_dma_ptr(f->dma, iova, len, false);
}

static int memory_file(u64 size)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	return fd;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->dma = model_dma_create();
	model_dma_enable(f->dma, true);
	model_dma_set_unmap_fn(f->dma, on_unmap, f);
	f->fd = memory_file(MEMORY);
	f->memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED,
			 f->fd, 0);
	assert_true(f->memory != MAP_FAILED);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	model_dma_destroy(f->dma);
	munmap(f->memory, MEMORY);
	close(f->fd);
	free(f);
	return 0;
}

static void map(struct fixture *f, u64 iova, u64 len, unsigned int rights,
		u64 offset)
{
	assert_int_equal(model_dma_map(f->dma, iova, len, rights, f->fd,
				       offset), 0);
}

static void pointer_leads_to_the_file(void **state)
{
	struct fixture *f = *state;
	u8 *ptr;

	map(f, 0x100000, 4 * PAGE, RW, 2 * PAGE);
	f->memory[3 * PAGE + 5] = 0xab;
	ptr = model_dma_ptr(f->dma, 0x100000 + PAGE + 5, 1, false);
	assert_non_null(ptr);
	assert_int_equal(*ptr, 0xab);
	ptr = model_dma_ptr(f->dma, 0x100000, 4 * PAGE, true);
	assert_non_null(ptr);
	ptr[4 * PAGE - 1] = 0xcd;
	assert_int_equal(f->memory[6 * PAGE - 1], 0xcd);
}

static void access_outside_of_mappings_fails(void **state)
{
	struct fixture *f = *state;

	map(f, 0x100000, 2 * PAGE, RW, 0);
	assert_null(model_dma_ptr(f->dma, 0xfffff, 1, false));
	assert_null(model_dma_ptr(f->dma, 0xfffff, 2, false));
	assert_null(model_dma_ptr(f->dma, 0x100000 + 2 * PAGE, 1, false));
	assert_null(model_dma_ptr(f->dma, 0x100000 + 2 * PAGE - 1, 2, false));
	assert_null(model_dma_ptr(f->dma, UINT64_MAX, 1, false));
	assert_int_equal(model_dma_check(f->dma, 0x100000, 2 * PAGE + 1, false),
			 -EFAULT);
}

static void rights_are_checked(void **state)
{
	struct fixture *f = *state;
	u8 byte = 1;

	map(f, 0, PAGE, MODEL_DMA_READ, 0);
	map(f, PAGE, PAGE, MODEL_DMA_WRITE, PAGE);
	assert_non_null(model_dma_ptr(f->dma, 0, 1, false));
	assert_null(model_dma_ptr(f->dma, 0, 1, true));
	assert_null(model_dma_ptr(f->dma, PAGE, 1, false));
	assert_non_null(model_dma_ptr(f->dma, PAGE, 1, true));
	assert_int_equal(model_dma_write(f->dma, 0, &byte, 1), -EACCES);
	assert_int_equal(model_dma_read(f->dma, PAGE, &byte, 1), -EACCES);
}

static void disabled_dma_fails(void **state)
{
	struct fixture *f = *state;
	u8 byte;

	map(f, 0, PAGE, RW, 0);
	model_dma_enable(f->dma, false);
	assert_null(model_dma_ptr(f->dma, 0, 1, false));
	assert_int_equal(model_dma_read(f->dma, 0, &byte, 1), -EPERM);
	model_dma_enable(f->dma, true);
	assert_int_equal(model_dma_read(f->dma, 0, &byte, 1), 0);
}

static void mapping_without_memory_is_not_accessible(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(model_dma_map(f->dma, 0, PAGE, RW, -1, 0), 0);
	assert_int_equal(model_dma_check(f->dma, 0, 1, false), -EFAULT);
	assert_int_equal(model_dma_map(f->dma, 0, PAGE, RW, f->fd, 0), -EEXIST);
	assert_int_equal(model_dma_unmap(f->dma, 0, PAGE), 0);
}

static void copies_cross_mappings(void **state)
{
	struct fixture *f = *state;
	u8 out[PAGE], in[PAGE];
	size_t i;

	/* mappings with adjacent bus addresses but separate memory */
	map(f, 0x10000, PAGE, RW, 8 * PAGE);
	map(f, 0x11000, PAGE, RW, 2 * PAGE);
	for (i = 0; i < sizeof(out); i++)
		out[i] = i * 7;
	assert_int_equal(model_dma_write(f->dma, 0x10800, out, PAGE), 0);
	assert_memory_equal(f->memory + 8 * PAGE + 0x800, out, 0x800);
	assert_memory_equal(f->memory + 2 * PAGE, out + 0x800, 0x800);
	assert_int_equal(model_dma_read(f->dma, 0x10800, in, PAGE), 0);
	assert_memory_equal(in, out, PAGE);
	assert_null(model_dma_ptr(f->dma, 0x10800, PAGE, true));
}

static void write_is_all_or_nothing(void **state)
{
	struct fixture *f = *state;
	u8 out[16] = { [0 ... 15] = 0x55 };

	map(f, 0x10000, PAGE, RW, 0);
	assert_int_equal(model_dma_write(f->dma, 0x10ff8, out, 16), -EFAULT);
	assert_int_equal(f->memory[0xff8], 0);
}

static void neighbours_in_memory_are_one(void **state)
{
	struct fixture *f = *state;
	u8 *ptr;

	map(f, 0x10000, PAGE, RW, 4 * PAGE);
	map(f, 0x11000, PAGE, MODEL_DMA_READ, 5 * PAGE);
	ptr = model_dma_ptr(f->dma, 0x10800, PAGE, false);
	assert_non_null(ptr);
	f->memory[5 * PAGE] = 0x77;
	assert_int_equal(ptr[0x800], 0x77);
	/* the second mapping lacks a right */
	assert_null(model_dma_ptr(f->dma, 0x10800, PAGE, true));
}

static size_t run(struct fixture *f, u64 iova, size_t len, bool write)
{
	return model_dma_run(f->dma, iova, &len, write) ? len : 0;
}

static void run_ends_with_what_is_contiguous(void **state)
{
	struct fixture *f = *state;
	size_t len = PAGE;

	map(f, 0x10000, PAGE, RW, 4 * PAGE);
	map(f, 0x11000, PAGE, RW, 5 * PAGE);
	map(f, 0x12000, PAGE, MODEL_DMA_READ, 6 * PAGE);
	map(f, 0x13000, PAGE, RW, 8 * PAGE);
	map(f, 0xfffffffffffff000ULL, PAGE, RW, 9 * PAGE);
	map(f, 0, PAGE, RW, 10 * PAGE);
	assert_ptr_equal(model_dma_run(f->dma, 0x10800, &len, true),
			 model_dma_ptr(f->dma, 0x10800, PAGE, true));
	assert_int_equal(len, PAGE);
	assert_int_equal(run(f, 0x10800, 16 * PAGE, false), 0x2800);
	assert_int_equal(run(f, 0x10800, 16 * PAGE, true), 0x1800);
	assert_int_equal(run(f, 0x13000, 16 * PAGE, false), PAGE);
	assert_int_equal(run(f, 0x12000, PAGE, true), 0);
	assert_int_equal(run(f, 0x14000, PAGE, false), 0);
	/* the last page of the address space is not next to the first one */
	assert_int_equal(run(f, 0xfffffffffffff800ULL, 2 * PAGE, true), 0x800);
}

static void run_has_a_bounded_cost(void **state)
{
	struct fixture *f = *state;
	u64 pages = MODEL_DMA_RUN_MAPPINGS + 1;
	int fd = memory_file(pages * PAGE);
	u64 i;

	for (i = 0; i < pages; i++)
		assert_int_equal(model_dma_map(f->dma, i * PAGE, PAGE, RW, fd,
					       i * PAGE), 0);
	close(fd);
	assert_int_equal(run(f, 0, pages * PAGE, false),
			 MODEL_DMA_RUN_MAPPINGS * PAGE);
	assert_int_equal(run(f, PAGE, pages * PAGE, false),
			 MODEL_DMA_RUN_MAPPINGS * PAGE);
}

static void ranges_may_not_wrap(void **state)
{
	struct fixture *f = *state;
	u64 top = -PAGE;
	u8 buf[16];

	map(f, top, PAGE, RW, 0);
	map(f, 0, PAGE, RW, PAGE);
	assert_non_null(model_dma_ptr(f->dma, UINT64_MAX, 1, false));
	assert_null(model_dma_ptr(f->dma, UINT64_MAX, 2, false));
	assert_int_equal(model_dma_read(f->dma, UINT64_MAX - 7, buf, 16),
			 -EFAULT);
	assert_int_equal(model_dma_write(f->dma, UINT64_MAX - 7, buf, 16),
			 -EFAULT);
	assert_int_equal(model_dma_map(f->dma, top, 2 * PAGE, RW, f->fd, 0),
			 -EINVAL);
	assert_int_equal(model_dma_unmap(f->dma, top, PAGE), 0);
	assert_int_equal(model_dma_stats(f->dma)->live, 1);
}

static void bad_ranges_are_refused(void **state)
{
	struct fixture *f = *state;
	struct model_dma *dma = f->dma;

	assert_int_equal(model_dma_map(dma, 0, 0, RW, f->fd, 0), -EINVAL);
	assert_int_equal(model_dma_map(dma, 1, PAGE, RW, f->fd, 0), -EINVAL);
	assert_int_equal(model_dma_map(dma, 0, PAGE + 1, RW, f->fd, 0),
			 -EINVAL);
	assert_int_equal(model_dma_map(dma, 0, 2 * PAGE, RW, f->fd,
				       MEMORY - PAGE), -EINVAL);
	assert_int_equal(model_dma_map(dma, 0, PAGE, RW, f->fd, -PAGE),
			 -EINVAL);
	assert_int_equal(model_dma_map(dma, 0, PAGE, RW, 9999, 0), -EBADF);
	assert_int_equal(model_dma_unmap(dma, 0, 0), -EINVAL);
	assert_int_equal(model_dma_unmap(dma, 1, PAGE), -EINVAL);
	assert_int_equal(model_dma_stats(dma)->maps, 0);
}

static void overlap_is_refused(void **state)
{
	struct fixture *f = *state;
	static const u64 starts[] = { 0x10, 0x11, 0x13, 0x0d };
	unsigned int i;

	map(f, 0x10 * PAGE, 4 * PAGE, RW, 0);
	for (i = 0; i < 4; i++)
		assert_int_equal(model_dma_map(f->dma, starts[i] * PAGE,
					       4 * PAGE, RW, f->fd, 0),
				 -EEXIST);
	/* the refused mappings have no effect */
	assert_null(model_dma_ptr(f->dma, 0x0f * PAGE, 1, false));
	assert_null(model_dma_ptr(f->dma, 0x14 * PAGE, 1, false));
	assert_int_equal(model_dma_stats(f->dma)->live, 1);
}

static void unmap_takes_all_in_range(void **state)
{
	struct fixture *f = *state;
	u64 i;

	for (i = 0; i < 8; i++)
		map(f, i * 4 * PAGE, PAGE, RW, i * PAGE);
	/* the range of mappings 2 to 5, with a gap on both sides */
	assert_int_equal(model_dma_unmap(f->dma, 7 * PAGE, 16 * PAGE), 0);
	for (i = 0; i < 8; i++)
		assert_int_equal(!model_dma_ptr(f->dma, i * 4 * PAGE, 1, true),
				 i >= 2 && i <= 5);
	assert_int_equal(f->notified, 4);
	assert_int_equal(f->notified_bytes, 4 * PAGE);
	assert_int_equal(model_dma_unmap(f->dma, 7 * PAGE, 16 * PAGE), 0);
	assert_int_equal(f->notified, 4);
}

static void unmap_may_not_cut(void **state)
{
	struct fixture *f = *state;

	map(f, 4 * PAGE, 4 * PAGE, RW, 0);
	assert_int_equal(model_dma_unmap(f->dma, 4 * PAGE, PAGE), -EINVAL);
	assert_int_equal(model_dma_unmap(f->dma, 7 * PAGE, PAGE), -EINVAL);
	assert_int_equal(model_dma_unmap(f->dma, 0, 5 * PAGE), -EINVAL);
	assert_int_equal(model_dma_unmap(f->dma, 5 * PAGE, 8 * PAGE), -EINVAL);
	assert_int_equal(f->notified, 0);
	assert_non_null(model_dma_ptr(f->dma, 4 * PAGE, 4 * PAGE, true));
}

static void unmap_tells_while_memory_is_there(void **state)
{
	struct fixture *f = *state;

	map(f, 0, PAGE, RW, 0);
	assert_non_null(model_dma_ptr(f->dma, 0, 1, false));
	assert_int_equal(model_dma_unmap(f->dma, 0, PAGE), 0);
	assert_int_equal(f->notified, 1);
	assert_true(f->readable_when_notified);
	assert_null(model_dma_ptr(f->dma, 0, 1, false));
}

/* A stale entry of the look-up cache would return the old page */
static void remapping_is_seen_at_once(void **state)
{
	struct fixture *f = *state;
	unsigned int i;

	for (i = 0; i < 64; i++) {
		f->memory[i * PAGE] = i;
		map(f, 0x7000, PAGE, RW, i * PAGE);
		assert_int_equal(*(u8 *)model_dma_ptr(f->dma, 0x7000, 1, false),
				 i);
		assert_int_equal(model_dma_unmap(f->dma, 0x7000, PAGE), 0);
	}
}

static void large_mappings_keep_their_edges(void **state)
{
	struct fixture *f = *state;
	const u64 gib = 1ULL << 30;
	const u64 start = gib - 3 * PAGE, len = 2 * gib + 7 * PAGE;
	int fd = memory_file(len);
	u8 *base;

	assert_int_equal(model_dma_map(f->dma, start, len, RW, fd, 0), 0);
	base = model_dma_ptr(f->dma, start, len, true);
	assert_non_null(base);
	assert_ptr_equal(model_dma_ptr(f->dma, 2 * gib + 5, 1, true),
			 base + (2 * gib + 5 - start));
	assert_null(model_dma_ptr(f->dma, start - 1, 1, false));
	assert_null(model_dma_ptr(f->dma, start + len, 1, false));
	assert_int_equal(model_dma_map(f->dma, 2 * gib, PAGE, RW, fd, 0),
			 -EEXIST);
	assert_int_equal(model_dma_unmap(f->dma, start, len), 0);
	assert_null(model_dma_ptr(f->dma, start, 1, false));
	assert_int_equal(model_dma_stats(f->dma)->live_bytes, 0);
	close(fd);
}

static void one_file_is_mapped_once(void **state)
{
	struct fixture *f = *state;
	int other = dup(f->fd);

	map(f, 0, PAGE, RW, 0);
	assert_int_equal(model_dma_map(f->dma, PAGE, PAGE, RW, other, PAGE), 0);
	close(other);
	assert_int_equal(model_dma_stats(f->dma)->files, 1);
	assert_non_null(model_dma_ptr(f->dma, 0, 2 * PAGE, true));
	/* a used file stays open; an unused one until release_files() */
	model_dma_release_files(f->dma);
	assert_int_equal(model_dma_stats(f->dma)->files, 1);
	model_dma_unmap_all(f->dma);
	assert_int_equal(model_dma_stats(f->dma)->files, 1);
	model_dma_release_files(f->dma);
	assert_int_equal(model_dma_stats(f->dma)->files, 0);
}

static void grown_file_is_reached(void **state)
{
	struct fixture *f = *state;
	int fd = memory_file(PAGE);
	u8 byte = 9;

	assert_int_equal(model_dma_map(f->dma, 0, PAGE, RW, fd, 0), 0);
	assert_int_equal(ftruncate(fd, 4 * PAGE), 0);
	assert_int_equal(model_dma_map(f->dma, 0x10000, PAGE, RW, fd, 3 * PAGE),
			 0);
	assert_int_equal(model_dma_write(f->dma, 0x10000, &byte, 1), 0);
	assert_int_equal(pread(fd, &byte, 1, 3 * PAGE), 1);
	assert_int_equal(byte, 9);
	close(fd);
}

static void read_only_file_refuses_write_mapping(void **state)
{
	struct fixture *f = *state;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", f->fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(model_dma_map(f->dma, 0, PAGE, RW, fd, 0), -EACCES);
	assert_int_equal(model_dma_map(f->dma, 0, PAGE, MODEL_DMA_READ, fd, 0),
			 0);
	assert_non_null(model_dma_ptr(f->dma, 0, 1, false));
	close(fd);
}

static void counters_add_up(void **state)
{
	struct fixture *f = *state;
	const struct model_dma_stats *stats = model_dma_stats(f->dma);
	unsigned int i;

	for (i = 0; i < 10; i++)
		map(f, i * 2 * PAGE, PAGE, RW, i * PAGE);
	assert_int_equal(model_dma_unmap(f->dma, 0, 8 * PAGE), 0);
	assert_int_equal(stats->maps, 10);
	assert_int_equal(stats->unmaps, 4);
	assert_int_equal(stats->live, 6);
	assert_int_equal(stats->live_bytes, 6 * PAGE);
	assert_int_equal(stats->peak, 10);
	model_dma_unmap_all(f->dma);
	assert_int_equal(stats->live, 0);
	assert_int_equal(stats->unmaps, 10);
}

#define MANY	300000ULL

/* An arbitrary order, as with a strict IOMMU after some time */
static u64 scattered(u64 i)
{
	return 0xfff00000ULL - (i * 7919 % MANY) * PAGE;
}

static void many_mappings_stay_fast(void **state)
{
	struct fixture *f = *state;
	clock_t start = clock();
	double seconds;
	u64 i;

	for (i = 0; i < MANY; i++)
		map(f, scattered(i), PAGE, RW, i % 64 * PAGE);
	for (i = 0; i < MANY; i++)
		assert_non_null(model_dma_ptr(f->dma, scattered(i * 31 % MANY),
					      PAGE, true));
	for (i = 0; i < MANY; i++)
		assert_int_equal(model_dma_unmap(f->dma, scattered(i), PAGE),
				 0);
	seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	print_message("%llu mappings made, used, removed: %.2f us each\n",
		      MANY, seconds * 1e6 / MANY);
	assert_int_equal(model_dma_stats(f->dma)->live, 0);
	assert_true(seconds < 30);
}

/* Compare random operations with a table of pages */
/* Files that a client has unmapped and closed do not add up. */
static void unused_files_are_bounded(void **state)
{
	struct fixture *f = *state;
	unsigned int i;
	int fd;

	assert_int_equal(model_dma_map(f->dma, 0, PAGE, RW, f->fd, 0), 0);
	for (i = 0; i < 1000; i++) {
		fd = memory_file(PAGE);
		assert_int_equal(model_dma_map(f->dma, PAGE, PAGE, RW, fd, 0), 0);
		close(fd);
		assert_int_equal(model_dma_unmap(f->dma, PAGE, PAGE), 0);
	}
	assert_in_range(model_dma_stats(f->dma)->files, 1, 64);
	assert_ptr_not_equal(model_dma_ptr(f->dma, 0, PAGE, true), NULL);
	f->memory[0] = 7;
	assert_int_equal(*(u8 *)model_dma_ptr(f->dma, 0, 1, true), 7);
}

/* The memory that the mappings of a client take is bounded. */
static void mappings_are_bounded(void **state)
{
	struct fixture *f = *state;
	u64 i;

	for (i = 0; i < MODEL_DMA_MAPPINGS; i++)
		if (model_dma_map(f->dma, i * PAGE, PAGE, RW, -1, 0))
			break;
	assert_int_equal(i, MODEL_DMA_MAPPINGS);
	assert_int_equal(model_dma_map(f->dma, i * PAGE, PAGE, RW, -1, 0),
			 -ENOSPC);
	assert_int_equal(model_dma_stats(f->dma)->live, MODEL_DMA_MAPPINGS);
	assert_int_equal(model_dma_unmap(f->dma, PAGE, PAGE), 0);
	assert_int_equal(model_dma_map(f->dma, i * PAGE, PAGE, RW, f->fd, 0), 0);
	assert_non_null(model_dma_ptr(f->dma, i * PAGE, PAGE, true));
}

static void random_operations_match_a_plain_table(void **state)
{
	enum { PAGES = 2048, ROUNDS = 20000 };
	struct fixture *f = *state;
	static int owner[PAGES];
	static struct { u64 first, n; } ranges[ROUNDS + 1];
	const u64 base = (1ULL << 30) - PAGES / 2 * PAGE;
	u64 page, n, i;
	int round;

	memset(owner, 0, sizeof(owner));
	srandom(1);
	for (round = 1; round <= ROUNDS; round++) {
		page = random() % PAGES;
		if (owner[page]) {
			int id = owner[page];

			page = ranges[id].first;
			n = ranges[id].n;
			assert_int_equal(model_dma_unmap(f->dma, base + page * PAGE,
							 n * PAGE), 0);
			for (i = 0; i < n; i++)
				owner[page + i] = 0;
			continue;
		}
		n = 1 + random() % (random() % 8 ? 4 : 1024);
		if (n > PAGES - page)
			n = PAGES - page;
		for (i = 0; i < n && !owner[page + i]; i++)
			;
		assert_int_equal(model_dma_map(f->dma, base + page * PAGE,
					       n * PAGE, RW, -1, 0),
				 i < n ? -EEXIST : 0);
		if (i < n)
			continue;
		ranges[round].first = page;
		ranges[round].n = n;
		for (i = 0; i < n; i++)
			owner[page + i] = round;
	}
	for (page = 0, n = 0; page < PAGES; page++)
		n += owner[page] && ranges[owner[page]].first == page;
	assert_int_equal(model_dma_stats(f->dma)->live, n);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(pointer_leads_to_the_file),
		TEST(access_outside_of_mappings_fails),
		TEST(rights_are_checked),
		TEST(disabled_dma_fails),
		TEST(mapping_without_memory_is_not_accessible),
		TEST(copies_cross_mappings),
		TEST(write_is_all_or_nothing),
		TEST(neighbours_in_memory_are_one),
		TEST(run_ends_with_what_is_contiguous),
		TEST(run_has_a_bounded_cost),
		TEST(ranges_may_not_wrap),
		TEST(bad_ranges_are_refused),
		TEST(overlap_is_refused),
		TEST(unmap_takes_all_in_range),
		TEST(unmap_may_not_cut),
		TEST(unmap_tells_while_memory_is_there),
		TEST(remapping_is_seen_at_once),
		TEST(large_mappings_keep_their_edges),
		TEST(one_file_is_mapped_once),
		TEST(grown_file_is_reached),
		TEST(read_only_file_refuses_write_mapping),
		TEST(counters_add_up),
		TEST(many_mappings_stay_fast),
		TEST(mappings_are_bounded),
		TEST(unused_files_are_bounded),
		TEST(random_operations_match_a_plain_table),
	};

	return cmocka_run_group_tests_name("dma", tests, NULL, NULL);
}
