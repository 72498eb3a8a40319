/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the benchmark programs share: ending on errors, devices by name, memory
 * of a page size, time, and lines of output for run. Must not know what is
 * measured.
 *
 * Output: "interval FIGURE DEVICE" for each interval between markers, in order;
 * "figure FIGURE DEVICE UNIT VALUE [SECONDS]" for each sample of any other
 * figure: SECONDS is how long a sample by the clock took.
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

/* How memory is made of pages. */
enum bench_pages {
	PAGES_4K,		/* as the kernel hands them out: often in a row */
	PAGES_SCATTERED,	/* small, and no two in a row */
	PAGES_THP,		/* transparent huge pages, as they come */
	PAGES_THP_SCATTERED,	/* the same, and no two in a row */
};

/* Ends the program, with errno's text, unless the condition holds. */
#define must(cond) do {							\
	if (!(cond))							\
		bench_die(__FILE__, __LINE__, #cond);			\
} while (0)

void bench_die(const char *file, int line, const char *what)
	__attribute__((noreturn));
struct ibv_context *bench_open(const char *name);
char *bench_memory(size_t length, enum bench_pages pages);
void bench_touch(char *mem, size_t length, enum bench_pages pages);
double bench_seconds(void);
void bench_interval(const char *figure, const char *device);
void bench_figure(const char *figure, const char *device, const char *unit,
		  double value);
void bench_timed_figure(const char *figure, const char *device,
			const char *unit, double value, double seconds);

#endif
