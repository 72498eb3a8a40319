/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Functions that the benchmark programs share: exit on errors, open a device by
 * name, allocate memory of a page size, read the clock, and print lines for
 * bench/measure.py. What is measured is in the programs.
 *
 * Output: "interval FIGURE DEVICE" for each interval between markers, in order;
 * "figure FIGURE DEVICE UNIT VALUE [SECONDS]" for each sample of any other
 * figure. SECONDS is the duration of a sample that was measured by the clock.
 * "failed FIGURE DEVICE REASON" for a figure that cannot be taken.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define KIB	1024UL
#define MIB	(1024 * KIB)
#define GIB	(1024 * MIB)

/* The pages of which memory consists */
enum bench_pages {
	PAGES_4K,		/* small pages, often contiguous */
	PAGES_SCATTERED,	/* small pages, no two contiguous */
	PAGES_THP,		/* transparent huge pages, often contiguous */
	PAGES_THP_SCATTERED,	/* transparent huge pages, no two contiguous */
};

/* Exits with a message and the text of errno unless the condition is true. */
#define must(cond) do {							\
	if (!(cond))							\
		bench_die(__FILE__, __LINE__, #cond);			\
} while (0)

void bench_die(const char *file, int line, const char *what)
	__attribute__((noreturn));
struct ibv_context *bench_open(const char *name);
char *bench_memory(size_t length, enum bench_pages pages);
char *bench_reserve(size_t length, int advice);
void bench_touch(char *mem, size_t length, enum bench_pages pages);
double bench_seconds(void);
void bench_interval(const char *figure, const char *device);
void bench_figure(const char *figure, const char *device, const char *unit,
		  double value);
void bench_timed_figure(const char *figure, const char *device,
			const char *unit, double value, double seconds);
void bench_failed(const char *figure, const char *device);

#endif
