// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Functions that the benchmark programs share: devices, memory and output.
 * bench.h describes the output.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "bench.h"

#define PAGE		(4 * KIB)
#define HUGE_SIZE	(2 * MIB)
#define SCATTER		61

void bench_die(const char *file, int line, const char *what)
{
	int err = errno;

	fflush(stdout);
	fprintf(stderr, "%s:%d: not so: %s: %s\n", file, line, what,
		strerror(err));
	exit(1);
}

/*
 * Keeps all output in memory until the program ends, since writing costs
 * instructions and time.
 */
static void hold_output(void)
{
	static char buf[MIB];

	must(!setvbuf(stdout, buf, _IOFBF, sizeof(buf)));
}

struct ibv_context *bench_open(const char *name)
{
	struct ibv_context *ctx = NULL;
	struct ibv_device **list;
	static bool first = true;
	int i;

	if (first)
		hold_output();
	first = false;
	list = ibv_get_device_list(NULL);
	must(list);
	for (i = 0; list[i] && !ctx; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	ibv_free_device_list(list);
	must(ctx);
	return ctx;
}

/*
 * Writes to each page. The kernel gives out neighbouring pages one after the
 * other. Pages that must not be neighbours are therefore written to at very
 * different times.
 */
void bench_touch(char *mem, size_t length, enum bench_pages pages)
{
	bool scattered = pages == PAGES_SCATTERED ||
			 pages == PAGES_THP_SCATTERED;
	size_t page = pages >= PAGES_THP ? HUGE_SIZE : PAGE;
	size_t stride = (scattered ? SCATTER : 1) * page;
	size_t first, i;

	for (first = 0; first < stride; first += page)
		for (i = first; i < length; i += stride)
			mem[i] = 1;
}

/* Memory that was written to, aligned to a huge page */
char *bench_memory(size_t length, enum bench_pages pages)
{
	char *mem = mmap(NULL, length + HUGE_SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	must(mem != MAP_FAILED);
	mem += -(uintptr_t)mem & (HUGE_SIZE - 1);
	must(!madvise(mem, length, pages >= PAGES_THP ? MADV_HUGEPAGE :
		      MADV_NOHUGEPAGE));
	bench_touch(mem, length, pages);
	return mem;
}

/* Addresses that begin at a multiple of 2 MiB, without pages */
char *bench_reserve(size_t length, int advice)
{
	char *base = mmap(NULL, length + HUGE_SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t skip = -(uintptr_t)base & (HUGE_SIZE - 1);

	must(base != MAP_FAILED);
	must(!skip || !munmap(base, skip));
	must(!munmap(base + skip + length, HUGE_SIZE - skip));
	must(!madvise(base + skip, length, advice));
	return base + skip;
}

double bench_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

void bench_interval(const char *figure, const char *device)
{
	printf("interval %s %s\n", figure, device);
}

void bench_figure(const char *figure, const char *device, const char *unit,
		  double value)
{
	printf("figure %s %s %s %.9g\n", figure, device, unit, value);
}

/* Prints a sample of a figure by the clock, and its duration in seconds. */
void bench_timed_figure(const char *figure, const char *device,
			const char *unit, double value, double seconds)
{
	printf("figure %s %s %s %.9g %.3f\n", figure, device, unit, value,
	       seconds);
}

/* Prints that a figure cannot be taken, and the reason, which errno has. */
void bench_failed(const char *figure, const char *device)
{
	printf("failed %s %s %s\n", figure, device, strerror(errno));
}
