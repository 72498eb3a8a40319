// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Registers memory of different sizes, pinned and on demand.
 *
 *   sizes timed DEVICE     the time of a registration
 *   sizes memory DEVICE    the memory of the kernel that a registration uses
 *
 * The first GiB of the memory has pages of 4 KiB, the rest has none. So only
 * registrations of up to 1 GiB are pinned.
 */

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "bench.h"

#define TIB		(1024 * GIB)
#define ACCESS		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)
#define SAMPLES		3
#define AIM_SECONDS	1.2	/* intended duration of a sample */
#define MOST_REGIONS	4000UL	/* that are registered at a time */
#define ENOUGH_KIB	65536	/* memory of the kernel that is measured well */
#define WARM_UP		10
#define TEXT		64

static const struct size {
	const char *name;
	size_t length;
} sizes[] = {
	{ "4k", 4 * KIB }, { "1m", MIB }, { "1g", GIB }, { "64g", 64 * GIB },
	{ "1t", TIB },
};

static const struct way {
	const char *name;
	int access;
	size_t longest;
} ways[] = {
	{ "pinned", ACCESS, GIB },
	{ "demand", ACCESS | IBV_ACCESS_ON_DEMAND, TIB },
};

static const char *device;
static struct ibv_pd *pd;
static char *mem;

static struct ibv_mr *register_size(const struct way *way,
				    const struct size *size)
{
	return ibv_reg_mr(pd, mem, size->length, way->access);
}

/* The time of ibv_reg_mr() alone */
static void time_size(const struct way *way, const struct size *size)
{
	char figure[TEXT];
	double seconds = 0;
	unsigned long num;

	snprintf(figure, sizeof(figure), "paging/reg/%s/%s", way->name,
		 size->name);
	for (num = 0; seconds < AIM_SECONDS; num++) {
		double start = bench_seconds();
		struct ibv_mr *mr = register_size(way, size);

		seconds += bench_seconds() - start;
		if (!mr) {
			bench_failed(figure, device);
			return;
		}
		must(!ibv_dereg_mr(mr));
	}
	bench_timed_figure(figure, device, "us", 1e6 * seconds / num, seconds);
}

/* KiB of memory that is used, but not by processes or the page cache */
static long kernel_kib(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	long value, sum = 0;
	char name[TEXT];

	must(file);
	while (fscanf(file, "%63[^:]: %ld%*[^\n]\n", name, &value) == 2) {
		if (!strcmp(name, "MemTotal"))
			sum += value;
		else if (!strcmp(name, "MemFree") ||
			 !strcmp(name, "Buffers") ||
			 !strcmp(name, "Cached") || !strcmp(name, "AnonPages"))
			sum -= value;
	}
	fclose(file);
	return sum;
}

/*
 * Register up to @most regions, or as many as are enough to measure. Return: the
 * number; 0: the registration fails.
 */
static unsigned long fill(const struct way *way, const struct size *size,
			  unsigned long most, struct ibv_mr **mrs)
{
	long before = kernel_kib();
	unsigned long num;

	for (num = 0; num < most; num++) {
		mrs[num] = register_size(way, size);
		if (!mrs[num])
			return 0;
		if (kernel_kib() - before > ENOUGH_KIB)
			return num + 1;
	}
	return num;
}

static void empty(struct ibv_mr **mrs, unsigned long num)
{
	while (num)
		must(!ibv_dereg_mr(mrs[--num]));
	/* the kernel frees some memory later */
	sleep(1);
}

static void measure_size(const struct way *way, const struct size *size)
{
	static struct ibv_mr *mrs[MOST_REGIONS];
	char figure[TEXT];
	unsigned long num;
	long before;

	snprintf(figure, sizeof(figure), "memory/size/%s/%s", way->name,
		 size->name);
	num = fill(way, size, WARM_UP, mrs);
	if (!num) {
		bench_failed(figure, device);
		return;
	}
	empty(mrs, num);
	before = kernel_kib();
	num = fill(way, size, MOST_REGIONS, mrs);
	must(num);
	bench_figure(figure, device, "B",
		     1024.0 * (kernel_kib() - before) / num);
	empty(mrs, num);
}

static void each(void (*measure)(const struct way *, const struct size *))
{
	size_t i, k;

	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		for (k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
			if (sizes[k].length <= ways[i].longest)
				measure(&ways[i], &sizes[k]);
}

int main(int argc, char **argv)
{
	int round;

	must(argc == 3);
	device = argv[2];
	pd = ibv_alloc_pd(bench_open(device));
	must(pd);
	mem = bench_reserve(TIB, MADV_NOHUGEPAGE);
	bench_touch(mem, GIB, PAGES_4K);
	if (!strcmp(argv[1], "memory"))
		each(measure_size);
	else
		for (round = 0; round < SAMPLES; round++)
			each(time_size);
	return 0;
}
