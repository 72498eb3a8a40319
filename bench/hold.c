// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Registers NUM regions of 4 KiB each, prints how long that took, and keeps
 * them until the end of its standard input. Then it exits, and the kernel
 * deregisters the regions.
 *
 *   hold DEVICE NUM
 */

#include <unistd.h>
#include "bench.h"

/* Regions that share a page: half of the kernel's limit of pins of a page. */
#define PIN_LIMIT	1048576UL

int main(int argc, char **argv)
{
	unsigned long num, i;
	struct ibv_pd *pd;
	double start;
	char *mem;
	char c;

	must(argc == 3);
	num = strtoul(argv[2], NULL, 0);
	pd = ibv_alloc_pd(bench_open(argv[1]));
	must(pd);
	mem = bench_memory((num / PIN_LIMIT + 1) * 4 * KIB, PAGES_4K);
	start = bench_seconds();
	for (i = 0; i < num; i++)
		must(ibv_reg_mr(pd, mem + i / PIN_LIMIT * 4 * KIB, 4 * KIB,
				IBV_ACCESS_LOCAL_WRITE));
	bench_figure("hold/reg", argv[1], "s", bench_seconds() - start);
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}
