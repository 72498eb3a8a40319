// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Measures memory that is registered on demand beside memory that is pinned: what
 * registration and a page fault cost, how fast data moves to memory that was never
 * accessed, and to memory that the device already knows.
 *
 *   paging counted DEVICE GID-INDEX   registration by size, and one page fault,
 *                                     as intervals for counter.c
 *   paging timed DEVICE GID-INDEX     by the clock
 *   paging hold DEVICE NUM            keeps NUM paged regions of 1 TiB until the
 *                                     end of standard input
 *
 * All accesses are WRITEs between two queue pairs of the device, from one pinned
 * buffer to memory that was mapped for the sample.
 */

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "endpoint.h"
#include "marker.h"

#define TIB		(1024 * GIB)
#define PAGE		(4 * KIB)
#define PINNED		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)
#define PAGED		(PINNED | IBV_ACCESS_ON_DEMAND)
#define ROUNDS		31
#define SAMPLES		5
#define AIM_SECONDS	1.2	/* intended duration of a sample */
#define MESSAGE		MIB	/* bytes of a WRITE of a sequential transfer */
#define DEPTH		16	/* WRITEs in flight */
#define COLD_PAGES	1024UL	/* single pages for one pass of page faults */
#define FILL		0x5a	/* each byte that is written */
#define TEXT		64

/* How memory is registered, and whether advice is given before it is used */
struct way {
	const char *name;
	int access;
	bool prefetch;
};

static const struct way ways[] = {
	{ "pinned", PINNED, false },
	{ "demand", PAGED, false },
	{ "prefetched", PAGED, true },
};

static struct endpoint ep;
static struct ibv_mr *source;

static void unmap(char *mem, size_t length)
{
	must(!munmap(mem, length));
}

static struct ibv_mr *register_memory(char *mem, size_t length,
				      const struct way *way)
{
	struct ibv_mr *mr = ibv_reg_mr(ep.pd, mem, length, way->access);
	struct ibv_sge sge = {
		.addr = (uintptr_t)mem,
		.length = length,
	};

	must(mr);
	sge.lkey = mr->lkey;
	if (way->prefetch)
		must(!ibv_advise_mr(ep.pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
				    IBV_ADVISE_MR_FLAG_FLUSH, &sge, 1));
	return mr;
}

static void post(char *to, size_t length, uint32_t rkey)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)source->addr,
		.length = length,
		.lkey = source->lkey,
	};
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma.remote_addr = (uintptr_t)to,
		.wr.rdma.rkey = rkey,
	}, *bad;

	must(!ibv_post_send(ep.qp[0], &wr, &bad));
}

/* Waits for one completion without sleeping. */
static void reap(void)
{
	struct ibv_wc wc;
	int num;

	do {
		num = ibv_poll_cq(ep.cq[0], 1, &wc);
		must(num >= 0);
	} while (!num);
	if (wc.status != IBV_WC_SUCCESS)
		bench_die(__FILE__, wc.vendor_err, ibv_wc_status_str(wc.status));
}

static void write_once(char *to, size_t length, uint32_t rkey)
{
	post(to, length, rkey);
	reap();
}

/* Writes to @length bytes in order, with DEPTH requests in flight. */
static void write_all(char *to, size_t length, size_t message, uint32_t rkey)
{
	size_t posted, done = 0;

	for (posted = 0; posted < length; posted += message) {
		if (posted - done == DEPTH * message) {
			reap();
			done += message;
		}
		post(to + posted, message, rkey);
	}
	for (; done < length; done += message)
		reap();
}

/* Instructions */

/* @name: of the length in figures */
static void count_registration(char *mem, size_t length, const char *name)
{
	char figure[TEXT];
	struct ibv_mr *mr;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		interval_begin();
		mr = ibv_reg_mr(ep.pd, mem, length, PAGED);
		interval_end();
		must(mr);
		snprintf(figure, sizeof(figure), "reg/paged/%s", name);
		bench_interval(figure, ep.name);
		interval_begin();
		must(!ibv_dereg_mr(mr));
		interval_end();
		snprintf(figure, sizeof(figure), "dereg/paged/%s", name);
		bench_interval(figure, ep.name);
	}
}

static void count_length(size_t length)
{
	char *mem = bench_reserve(length, MADV_NOHUGEPAGE);
	char name[TEXT];

	snprintf(name, sizeof(name), "%zu", length);
	count_registration(mem, length, name);
	unmap(mem, length);
}

/*
 * A WRITE to a page, from the post until the program has slept for as long as
 * any WRITE takes. The interval has everything that the processor does for it.
 */
static void count_write(char *page, uint32_t rkey, const char *figure)
{
	interval_begin();
	post(page, 64, rkey);
	usleep(ENDPOINT_SPIN_US);
	interval_end();
	bench_interval(figure, ep.name);
	reap();
}

/* The pages are accessed from the last to the first, so no page is mapped ahead. */
static void count_faults(void)
{
	size_t length = 2 * ROUNDS * PAGE;
	char *mem = bench_reserve(length, MADV_NOHUGEPAGE);
	struct ibv_mr *mr = register_memory(mem, length, &ways[1]);
	int round;

	for (round = ROUNDS - 1; round >= 0; round--) {
		char *page = mem + 2 * round * PAGE;

		count_write(page, mr->rkey, "fault/cold");
		count_write(page, mr->rkey, "fault/warm");
		must(*page == FILL);
	}
	must(!ibv_dereg_mr(mr));
	unmap(mem, length);
}

static void counted(bool any_length)
{
	size_t length;

	sleep(1);
	for (length = PAGE; length <= (any_length ? TIB : GIB); length <<= 7)
		count_length(length);
	if (any_length)
		count_registration(NULL, SIZE_MAX, "all");
	count_faults();
}

/* The clock */

struct sample {
	const char *figure;
	const char *unit;
	double seconds;		/* of everything measured so far */
	double amount;		/* of what was done in this time */
};

static bool more(const struct sample *sample)
{
	return sample->seconds < AIM_SECONDS;
}

static void add(struct sample *sample, double start, double amount)
{
	sample->seconds += bench_seconds() - start;
	sample->amount += amount;
}

/* Prints the time of one unit of the amount, multiplied by @scale. */
static void print_time(const struct sample *sample, double scale)
{
	bench_timed_figure(sample->figure, ep.name, sample->unit,
			   scale * sample->seconds / sample->amount,
			   sample->seconds);
}

static void single_pages(char *mem, uint32_t rkey, struct sample *sample)
{
	double start = bench_seconds();
	size_t i;

	for (i = COLD_PAGES; i--;)
		write_once(mem + 2 * i * PAGE, PAGE, rkey);
	add(sample, start, COLD_PAGES);
}

/* WRITEs of 4 KiB, one at a time, to pages without neighbours */
static void time_faults(void)
{
	struct sample cold = { "paging/write-cold", "us", 0, 0 };
	struct sample warm = { "paging/write-warm", "us", 0, 0 };
	size_t length = 2 * COLD_PAGES * PAGE;

	while (more(&cold)) {
		char *mem = bench_reserve(length, MADV_NOHUGEPAGE);
		struct ibv_mr *mr = register_memory(mem, length, &ways[1]);

		single_pages(mem, mr->rkey, &cold);
		while (!more(&cold) && more(&warm))
			single_pages(mem, mr->rkey, &warm);
		must(!ibv_dereg_mr(mr));
		unmap(mem, length);
	}
	print_time(&cold, 1e6);
	print_time(&warm, 1e6);
}

/* The number of page faults of the device so far; 0 if the driver counts none. */
static unsigned long page_faults(void)
{
	unsigned long num = 0;
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path),
		 "/sys/class/infiniband/%s/ports/1/hw_counters/page_faults",
		 ep.name);
	file = fopen(path, "r");
	if (file) {
		must(fscanf(file, "%lu", &num) == 1);
		fclose(file);
	}
	return num;
}

/*
 * Time to map, register and fill memory that no process has accessed before. If
 * @records is not NULL, it is the figure of the page faults for each transfer.
 */
static void time_transfer(const char *figure, const char *records,
			  const struct way *way, size_t length, int advice)
{
	struct sample sample = { figure, "s", 0, 0 };
	unsigned long faults = page_faults();

	while (more(&sample)) {
		double start = bench_seconds();
		char *mem = bench_reserve(length, advice);
		struct ibv_mr *mr = register_memory(mem, length, way);

		write_all(mem, length, MESSAGE, mr->rkey);
		add(&sample, start, 1);
		must(mem[length - 1] == FILL);
		must(!ibv_dereg_mr(mr));
		unmap(mem, length);
	}
	print_time(&sample, 1);
	if (records)
		bench_timed_figure(records, ep.name, "faults",
				   (page_faults() - faults) / sample.amount,
				   sample.seconds);
}

/* Time to map and register memory, and to write to its first page */
static void time_first(const char *figure, const struct way *way, size_t length)
{
	struct sample sample = { figure, "s", 0, 0 };

	while (more(&sample)) {
		double start = bench_seconds();
		char *mem = bench_reserve(length, MADV_HUGEPAGE);
		struct ibv_mr *mr = register_memory(mem, length, way);

		write_once(mem, PAGE, mr->rkey);
		add(&sample, start, 1);
		must(!ibv_dereg_mr(mr));
		unmap(mem, length);
	}
	print_time(&sample, 1);
}

/* Bytes per second to memory that the device has accessed before */
static void time_warm(const char *figure, const struct way *way)
{
	struct sample sample = { figure, "MiB/s", 0, 0 };
	size_t length = 64 * MIB;
	char *mem = bench_reserve(length, MADV_NOHUGEPAGE);
	struct ibv_mr *mr = register_memory(mem, length, way);

	write_all(mem, length, 64 * KIB, mr->rkey);
	while (more(&sample)) {
		double start = bench_seconds();

		write_all(mem, length, 64 * KIB, mr->rkey);
		add(&sample, start, length / MIB);
	}
	bench_timed_figure(figure, ep.name, sample.unit,
			   sample.amount / sample.seconds, sample.seconds);
	must(!ibv_dereg_mr(mr));
	unmap(mem, length);
}

/* A transfer of 1 GiB, in each way, to huge pages and to small ones */
static void time_gib(void)
{
	char figure[TEXT], records[TEXT];
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		snprintf(figure, sizeof(figure), "paging/first/%s",
			 ways[i].name);
		time_first(figure, &ways[i], GIB);
		snprintf(figure, sizeof(figure), "paging/last/%s", ways[i].name);
		snprintf(records, sizeof(records), "paging/records/%s",
			 ways[i].name);
		time_transfer(figure, records, &ways[i], GIB, MADV_HUGEPAGE);
		snprintf(figure, sizeof(figure), "paging/last-4k/%s",
			 ways[i].name);
		time_transfer(figure, NULL, &ways[i], GIB, MADV_NOHUGEPAGE);
	}
}

/*
 * The first access to the memory of a virtual machine costs the host a page
 * fault, which no sample must have.
 */
static void touch_machine(void)
{
	char *mem = bench_memory(4 * GIB, PAGES_4K);

	unmap(mem, 4 * GIB);
}

static void timed(bool whole)
{
	int round;

	touch_machine();
	for (round = 0; round < SAMPLES; round++) {
		time_faults();
		time_transfer("paging/pinned-64m", NULL, &ways[0], 64 * MIB,
			      MADV_NOHUGEPAGE);
		time_transfer("paging/cold-64m", NULL, &ways[1], 64 * MIB,
			      MADV_NOHUGEPAGE);
		time_warm("paging/warm/pinned", &ways[0]);
		time_warm("paging/warm/demand", &ways[1]);
		if (whole)
			time_gib();
	}
}

static void hold(unsigned long num)
{
	char *mem = bench_reserve(TIB, MADV_NOHUGEPAGE);
	double start = bench_seconds();
	unsigned long i;
	char c;

	for (i = 0; i < num; i++)
		must(ibv_reg_mr(ep.pd, mem, TIB, PAGED));
	bench_figure("paging/hold/reg", ep.name, "s", bench_seconds() - start);
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
}

int main(int argc, char **argv)
{
	bool ours;

	must(argc == 4);
	ours = !strncmp(argv[2], "xrdma", 5);
	if (!strcmp(argv[1], "hold")) {
		ep.name = argv[2];
		ep.pd = ibv_alloc_pd(bench_open(argv[2]));
		must(ep.pd);
		hold(strtoul(argv[3], NULL, 0));
		return 0;
	}
	endpoint_open(&ep, argv[2], atoi(argv[3]));
	source = ibv_reg_mr(ep.pd, bench_memory(MESSAGE, PAGES_4K), MESSAGE,
			    PINNED);
	must(source);
	memset(source->addr, FILL, MESSAGE);
	if (!strcmp(argv[1], "counted"))
		counted(ours);
	else
		timed(ours);
	return 0;
}
