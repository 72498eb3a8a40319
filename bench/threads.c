// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Measures registrations per second of several threads at the same time, over
 * at least a second. The threads share a context; each has its own page and
 * protection domain. Deregistration is not timed.
 *
 *   threads DEVICE THREADS
 */

#include <pthread.h>
#include "bench.h"

#define MAX_THREADS	16
#define REGIONS		4000UL	/* regions of each thread at once */
#define AIM_SECONDS	1.2	/* intended duration of a sample */

static struct ibv_context *ctx;
static pthread_barrier_t barrier;

static void *registrar(void *mem)
{
	static __thread struct ibv_mr *mr[REGIONS];
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	size_t i;

	must(pd);
	pthread_barrier_wait(&barrier);
	for (i = 0; i < REGIONS; i++) {
		mr[i] = ibv_reg_mr(pd, mem, 4 * KIB, IBV_ACCESS_LOCAL_WRITE);
		must(mr[i]);
	}
	pthread_barrier_wait(&barrier);
	for (i = 0; i < REGIONS; i++)
		must(!ibv_dereg_mr(mr[i]));
	must(!ibv_dealloc_pd(pd));
	return NULL;
}

/* Return: seconds in which all threads registered all their regions once. */
static double batch(int num, char *mem)
{
	pthread_t thread[MAX_THREADS];
	double start, took;
	int i;

	must(!pthread_barrier_init(&barrier, NULL, num + 1));
	for (i = 0; i < num; i++)
		must(!pthread_create(&thread[i], NULL, registrar,
				     mem + i * 4 * KIB));
	pthread_barrier_wait(&barrier);
	start = bench_seconds();
	pthread_barrier_wait(&barrier);
	took = bench_seconds() - start;
	for (i = 0; i < num; i++)
		must(!pthread_join(thread[i], NULL));
	must(!pthread_barrier_destroy(&barrier));
	return took;
}

int main(int argc, char **argv)
{
	char figure[64];
	unsigned long regions = 0;
	double seconds = 0;
	char *mem;
	int num;

	must(argc == 3);
	num = atoi(argv[2]);
	must(num > 0 && num <= MAX_THREADS);
	ctx = bench_open(argv[1]);
	mem = bench_memory(num * 4 * KIB, PAGES_4K);
	while (seconds < AIM_SECONDS) {
		seconds += batch(num, mem);
		regions += num * REGIONS;
	}
	snprintf(figure, sizeof(figure), "threads/%d", num);
	bench_timed_figure(figure, argv[1], "1/s", regions / seconds, seconds);
	return 0;
}
