// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Registers and deregisters memory of different sizes and page sizes, and with
 * different numbers of other regions, as intervals for counter.c.
 *
 *   registration sizes DEVICE...   the same buffer on all devices in turn
 *   registration live DEVICE       while 64 and while 65,536 other regions
 * exist
 */

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "bench.h"
#include "marker.h"

#define MAX_DEVICES	2
#define ACCESS		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ)
#define ROUNDS_SMALL	31
#define ROUNDS_LARGE	5
#define PIN_LIMIT	1024	/* number of regions that share a page */

static struct {
	const char *name;
	struct ibv_pd *pd;
} devices[MAX_DEVICES];
static int num_devices;

static void round_of(int dev, void *mem, size_t length, const char *where)
{
	const char *name = devices[dev].name;
	char figure[64];
	struct ibv_mr *mr;

	interval_begin();
	mr = ibv_reg_mr(devices[dev].pd, mem, length, ACCESS);
	interval_end();
	must(mr);
	snprintf(figure, sizeof(figure), "reg/%s", where);
	bench_interval(figure, name);

	interval_begin();
	must(!ibv_dereg_mr(mr));
	interval_end();
	snprintf(figure, sizeof(figure), "dereg/%s", where);
	bench_interval(figure, name);
}

static void sizes(enum bench_pages pages, const char *kind)
{
	char *mem = bench_memory(GIB, pages);
	char where[64];
	size_t length;
	int round, dev, rounds;

	for (length = 4 * KIB; length <= GIB; length *= 4) {
		snprintf(where, sizeof(where), "%s/%zu", kind, length);
		rounds = length <= MIB ? ROUNDS_SMALL : ROUNDS_LARGE;
		for (round = 0; round < rounds; round++)
			for (dev = 0; dev < num_devices; dev++)
				round_of(dev, mem, length, where);
	}
	must(!munmap(mem, GIB));
}

static void live(void)
{
	static const size_t counts[] = { 64, 65536 };
	char *mem = bench_memory(counts[1] / PIN_LIMIT * 4 * KIB, PAGES_4K);
	char *last = bench_memory(4 * KIB, PAGES_4K);
	char where[64];
	size_t i, num = 0;
	int round;

	for (i = 0; i < 2; i++) {
		for (; num < counts[i]; num++)
			must(ibv_reg_mr(devices[0].pd,
					mem + num / PIN_LIMIT * 4 * KIB,
					4 * KIB, ACCESS));
		snprintf(where, sizeof(where), "live/%zu", counts[i]);
		for (round = 0; round < ROUNDS_SMALL; round++)
			round_of(0, last, 4 * KIB, where);
	}
}

/* Intervals of known length, by which counts.py checks the plugin's counts. */
static void check(void)
{
	int round;

	for (round = 0; round < ROUNDS_SMALL; round++) {
		unsigned int left;

		interval_begin();
		interval_end();
		bench_interval("check/0", "none");
		interval_begin();
		__asm__ volatile("movl $1000, %0\n\t"
				 "1: decl %0\n\t"
				 "jnz 1b" : "=&r" (left) :: "memory");
		interval_end();
		bench_interval("check/2001", "none");
	}
}

int main(int argc, char **argv)
{
	bool by_size = argc > 2 && !strcmp(argv[1], "sizes");

	must(argc > 2 && argc - 2 <= (by_size ? MAX_DEVICES : 1));
	for (; num_devices < argc - 2; num_devices++) {
		struct ibv_context *ctx = bench_open(argv[num_devices + 2]);

		devices[num_devices].name = argv[num_devices + 2];
		devices[num_devices].pd = ibv_alloc_pd(ctx);
		must(devices[num_devices].pd);
	}
	sleep(1);
	check();
	if (by_size) {
		/* huge pages first, while free memory is not fragmented */
		sizes(PAGES_THP, "thp");
		sizes(PAGES_THP_SCATTERED, "thp-scattered");
		sizes(PAGES_4K, "4k");
		sizes(PAGES_SCATTERED, "scattered");
	} else {
		live();
	}
	return 0;
}
