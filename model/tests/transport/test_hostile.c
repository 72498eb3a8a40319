// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Random packets of a hostile peer, and random work requests of the host,
 * against a device with a million live keys. Each outcome is compared with the
 * reference of hostile_ref.c, and no byte outside of granted memory may change.
 *
 *   test_hostile [OPERATIONS [SEED]]
 *
 * or XRDMA_HOSTILE_OPS and XRDMA_HOSTILE_SEED in the environment.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/transport/hostile_ops.h"

#define DEFAULT_OPS	200000
/* Operations between two comparisons of all bytes. */
#define CHECK_EVERY	128

static u64 num_ops = DEFAULT_OPS;
static u64 seed;

static struct tally tallies[] = {
	{ .name = "WRITE", .weight = 30, .run = run_write },
	{ .name = "READ", .weight = 15, .run = run_read },
	{ .name = "atomic", .weight = 10, .run = run_atomic },
	{ .name = "SEND", .weight = 8, .run = run_send },
	{ .name = "SEND_INV", .weight = 8, .run = run_send_inv },
	{ .name = "gather", .weight = 6, .run = run_gather },
	{ .name = "BIND_MW", .weight = 12, .run = run_bind },
	{ .name = "LOCAL_INV", .weight = 5, .run = run_local_inv },
	{ .name = "REG_MR", .weight = 5, .run = run_reg },
	{ .name = "INVALIDATE", .weight = 2, .run = run_command },
	{ .name = "junk", .weight = 1, .run = run_junk },
};

static struct tally *pick(struct world *w)
{
	u32 total = 0, i, at;

	for (i = 0; i < ARRAY_SIZE(tallies); i++)
		total += tallies[i].weight;
	at = any(w, total);
	for (i = 0; at >= tallies[i].weight; i++)
		at -= tallies[i].weight;
	return &tallies[i];
}

static void print_tally(const struct tally *t)
{
	char line[256];
	int len, reason;

	len = snprintf(line, sizeof(line), "  %-10s %8llu, allowed %8llu,",
		       t->name, t->done, t->by_reason[0]);
	for (reason = 1; reason < NUM_REASONS; reason++)
		len += snprintf(line + len, sizeof(line) - len, " %llu",
				t->by_reason[reason]);
	print_message("%s\n", line);
}

/* Each reason must have occurred, and each operation with both outcomes. */
static void expect_variety(void)
{
	u64 by_reason[NUM_REASONS] = { 0 };
	u32 i, reason;

	for (i = 0; i < ARRAY_SIZE(tallies); i++) {
		assert_true(tallies[i].by_reason[0] * 50 >= tallies[i].done);
		for (reason = 0; reason < NUM_REASONS; reason++)
			by_reason[reason] += tallies[i].by_reason[reason];
	}
	for (reason = 0; reason < NUM_REASONS; reason++)
		if (reason != XRDMA_FAULT_TRANSLATION && !by_reason[reason])
			fail_msg("no refusal for reason %u", reason);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static void not_one_byte_changes(void **state)
{
	static struct world w;
	u32 live = 0, k;
	double start;
	u64 i;

	world_init(&w, state, seed);
	for (k = 0; k < REF_KEYS; k++)
		live += w.ref.keys[k].state != REF_DEAD;
	print_message("  seed %llu, %u live keys\n", seed, live);
	start = seconds();
	for (i = 1; i <= num_ops; i++) {
		struct tally *t = pick(&w);

		t->run(&w, &w.qps[any(&w, WORLD_QPS)], t);
		if (i % CHECK_EVERY == 0)
			world_check_bytes(&w);
	}
	start = seconds() - start;
	world_check_bytes(&w);
	world_check_entries(&w);
	print_message("  %llu operations, %.0f a second; refused by reason:\n",
		      num_ops, num_ops / start);
	for (k = 0; k < ARRAY_SIZE(tallies); k++)
		print_tally(&tallies[k]);
	if (num_ops >= DEFAULT_OPS)
		expect_variety();
	world_fini(&w);
}

static u64 number(const char *text, u64 missing)
{
	return text ? strtoull(text, NULL, 0) : missing;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(not_one_byte_changes, wire_teardown),
	};

	num_ops = number(argc > 1 ? argv[1] : getenv("XRDMA_HOSTILE_OPS"),
			 DEFAULT_OPS);
	seed = number(argc > 2 ? argv[2] : getenv("XRDMA_HOSTILE_SEED"), 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
