// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Registers one large region. Its memory is a file of FILE-SIZE in pages of
 * PAGE-SIZE, mapped as often as needed for SIZE. Prints how long the
 * registration took, and waits for the end of its standard input before it
 * deregisters.
 *
 *   large DEVICE FIGURE SIZE-GIB FILE-SIZE-MIB PAGE-SIZE
 *
 * PAGE-SIZE: 4k, 2m or 1g. Huge pages come from the reserved ones; small pages
 * are scattered (no two are contiguous).
 */

#define _GNU_SOURCE
#include <linux/memfd.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "bench.h"

static int make_file(size_t length, const char *page)
{
	int flags = !strcmp(page, "1g") ? MFD_HUGETLB | MFD_HUGE_1GB :
		    !strcmp(page, "2m") ? MFD_HUGETLB | MFD_HUGE_2MB : 0;
	int fd = memfd_create("large", flags);
	char *mem;

	must(fd >= 0);
	must(!ftruncate(fd, length));
	mem = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(mem != MAP_FAILED);
	bench_touch(mem, length, flags ? PAGES_4K : PAGES_SCATTERED);
	must(!munmap(mem, length));
	return fd;
}

static char *map_file(int fd, size_t length, size_t size)
{
	char *mem = mmap(NULL, size + GIB, PROT_NONE, MAP_PRIVATE |
			 MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t i;

	must(mem != MAP_FAILED);
	mem += -(uintptr_t)mem & (GIB - 1);
	for (i = 0; i < size; i += length)
		must(mmap(mem + i, length, PROT_READ | PROT_WRITE, MAP_SHARED |
			  MAP_FIXED | MAP_POPULATE, fd, 0) != MAP_FAILED);
	return mem;
}

static void timed(const char *figure, const char *what, const char *device,
		  double start)
{
	char name[64];

	snprintf(name, sizeof(name), "%s/%s", figure, what);
	bench_figure(name, device, "s", bench_seconds() - start);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	size_t size, length;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	double start;
	char *mem;
	char c;

	must(argc == 6);
	size = strtoul(argv[3], NULL, 0) * GIB;
	length = strtoul(argv[4], NULL, 0) * MIB;
	pd = ibv_alloc_pd(bench_open(argv[1]));
	must(pd);
	start = bench_seconds();
	mem = map_file(make_file(length, argv[5]), length, size);
	timed(argv[2], "map", argv[1], start);
	start = bench_seconds();
	mr = ibv_reg_mr(pd, mem, size, IBV_ACCESS_LOCAL_WRITE |
			IBV_ACCESS_REMOTE_WRITE);
	must(mr);
	timed(argv[2], "reg", argv[1], start);
	while (read(0, &c, 1) > 0)
		;
	start = bench_seconds();
	must(!ibv_dereg_mr(mr));
	timed(argv[2], "dereg", argv[1], start);
	return 0;
}
