// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of impairments: each kind and its rate, and that the same seed has the
 * same result.
 */
#include <errno.h>
#include <linux/array_size.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* needs the headers above */
#include <cmocka.h>

#include "base/bytes.h"
#include "packet/icrc.h"
#include "packet/pkt.h"
#include "wire/impair.h"

#define FRAMES	20000
#define STEP_NS	1000

struct fixture {
	struct model_frame_pool pool;
	struct model_impair imp;
	struct model_frameq out;
	u64 now;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_int_equal(model_frame_pool_init(&f->pool, 4096), 0);
	f->imp.rng = 42;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	struct model_frame *frame;
	bool all_back;

	while ((frame = model_frameq_pop(&f->out)) != NULL)
		model_frame_put(&f->pool, frame);
	model_impair_flush(&f->imp, &f->pool);
	all_back = f->pool.available == f->pool.total;
	model_frame_pool_fini(&f->pool);
	free(f);
	return all_back ? 0 : -1;
}

/* Make a SEND of 32 bytes with PSN @psn. */
static struct model_frame *make_frame(struct fixture *f, u32 psn)
{
	static const struct model_path path = {
		.sgid = { [10] = 0xff, 0xff, 10, 0, 0, 1 },
		.dgid = { [10] = 0xff, 0xff, 10, 0, 0, 2 },
		.hop_limit = 64,
		.is_ipv4 = true,
	};
	struct model_frame *frame = model_frame_get(&f->pool);
	struct model_net_template tmpl;
	struct model_pkt pkt;
	u32 bth;

	assert_non_null(frame);
	model_pkt_init(&pkt, MODEL_BTH_SEND_ONLY, 5, psn);
	pkt.len = 32;
	model_net_template(&tmpl, &path);
	bth = model_net_write(&tmpl, frame->data, model_pkt_roce_len(&pkt));
	frame->len = bth + model_pkt_roce_len(&pkt);
	memset(model_pkt_write(&pkt, frame->data + bth), 0x11, 32);
	model_icrc_write(frame->data, tmpl.l3, bth, frame->len);
	return frame;
}

static u32 psn_of(const struct model_frame *frame)
{
	return model_get24(frame->data + 42 + 9);
}

static void pass(struct fixture *f, u32 psn)
{
	f->now += STEP_NS;
	model_impair_frame(&f->imp, &f->pool, make_frame(f, psn), f->now,
			   &f->out);
}

static void parse(struct fixture *f, const char *spec)
{
	struct model_why why;

	assert_int_equal(model_impair_parse(&f->imp, spec, &why), 0);
}

/* Check that @n is within a third of the expected value for @p. */
static void about(u64 n, double p)
{
	assert_true(n > FRAMES * p * 2 / 3);
	assert_true(n < FRAMES * p * 4 / 3);
}

static void specifications_are_read(void **state)
{
	static const char * const good[] = {
		"", "none", "loss=1%", "loss=0.01,dup=100%", "seed=0x10",
		"delay=10us", "delay=1.5ms,loss=0", "ecn=0%",
		"loss=1%,dup=0.5%,reorder=2%,corrupt=0.1%,corrupt-icrc-ok=1%,ecn=10%,delay=50us,seed=7",
	};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++)
		parse(f, good[i]);
	assert_int_equal(f->imp.rng, 7);
	assert_int_equal(f->imp.delay_ns, 50000);
	assert_true(f->imp.on);
}

#define NO_PROBABILITY	" is not a probability, like 1% or 0.01"
#define NO_TIME		" is not a time up to 10s, like 500ns, 50us or 2ms"
#define WORDS		"; words: delay, seed, loss, corrupt, corrupt-icrc-ok, " \
			"ecn, dup, reorder"

static void an_error_names_the_word(void **state)
{
	static const struct {
		const char *spec;
		const char *why;
	} bad[] = {
		{ "loss", "'loss' has no value, like loss=1%" },
		{ "loss=1%,", "'' has no value, like loss=1%" },
		{ "loss=", "loss: ''" NO_PROBABILITY },
		{ "dup=1%,loss=x", "loss: 'x'" NO_PROBABILITY },
		{ "loss=101%", "loss: '101%'" NO_PROBABILITY },
		{ "loss=-1%", "loss: '-1%'" NO_PROBABILITY },
		{ "loss=1%%", "loss: '1%%'" NO_PROBABILITY },
		{ "loss=nan", "loss: 'nan'" NO_PROBABILITY },
		{ "loss=1%;dup=1%", "loss: '1%;dup=1%'" NO_PROBABILITY },
		{ "delay=10", "delay: '10'" NO_TIME },
		{ "delay=10m", "delay: '10m'" NO_TIME },
		{ "delay=-1us", "delay: '-1us'" NO_TIME },
		{ "delay=11s", "delay: '11s'" NO_TIME },
		{ "seed=", "seed: '' is not a number" },
		{ "loss=1%,duplicate=1%", "no such word: 'duplicate'" WORDS },
	};
	struct fixture *f = *state;
	struct model_why why;
	size_t i;

	parse(f, "delay=50us");
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(model_impair_parse(&f->imp, bad[i].spec, &why),
				 -EINVAL);
		assert_string_equal(why.text, bad[i].why);
	}
	assert_int_equal(f->imp.delay_ns, 50000);
	parse(f, "none");
	assert_false(f->imp.on);
}

static void loss_has_the_given_rate(void **state)
{
	struct fixture *f = *state;
	u32 last = 0;
	u32 n = 0;
	u32 i;

	parse(f, "loss=5%");
	for (i = 1; i <= FRAMES; i++) {
		struct model_frame *frame;

		pass(f, i);
		while ((frame = model_frameq_pop(&f->out)) != NULL) {
			assert_true(psn_of(frame) > last);
			last = psn_of(frame);
			model_frame_put(&f->pool, frame);
			n++;
		}
	}
	about(FRAMES - n, 0.05);
	assert_int_equal(f->imp.count[MODEL_IMPAIR_LOSS], FRAMES - n);
	assert_int_equal(f->pool.available, f->pool.total);
}

static void duplicates_are_alike(void **state)
{
	struct fixture *f = *state;
	u32 doubled = 0;
	u32 i;

	parse(f, "dup=10%");
	for (i = 0; i < FRAMES; i++) {
		struct model_frame *one, *two;

		pass(f, i);
		one = model_frameq_pop(&f->out);
		two = model_frameq_pop(&f->out);
		assert_non_null(one);
		if (two) {
			assert_int_equal(one->len, two->len);
			assert_memory_equal(one->data, two->data, one->len);
			model_frame_put(&f->pool, two);
			doubled++;
		}
		model_frame_put(&f->pool, one);
	}
	about(doubled, 0.10);
}

/* Each frame arrives once, and at most the configured number overtakes it. */
static void reordering_loses_nothing(void **state)
{
	static bool seen[FRAMES];
	struct fixture *f = *state;
	u32 late = 0;
	u32 next = 0;
	u32 i;

	memset(seen, 0, sizeof(seen));
	parse(f, "reorder=10%");
	for (i = 0; i < FRAMES + 20; i++) {
		struct model_frame *frame;

		if (i < FRAMES)
			pass(f, i);
		else
			model_impair_due(&f->imp, f->now + 10000000, &f->out);
		while ((frame = model_frameq_pop(&f->out)) != NULL) {
			u32 psn = psn_of(frame);

			assert_false(seen[psn]);
			seen[psn] = true;
			if (psn < next)
				late++;
			else
				next = psn + 1;
			/* frames that are late themselves are not counted */
			assert_true(psn + 4 * MODEL_IMPAIR_OVERTAKE > next);
			model_frame_put(&f->pool, frame);
		}
	}
	for (i = 0; i < FRAMES; i++)
		assert_true(seen[i]);
	about(late, 0.095);
}

static void a_held_frame_leaves_when_nothing_follows(void **state)
{
	struct fixture *f = *state;

	parse(f, "reorder=100%");
	pass(f, 1);
	assert_null(f->out.head);
	assert_int_equal(model_impair_next_ns(&f->imp),
			 f->now + MODEL_IMPAIR_HOLD_NS);
	model_impair_due(&f->imp, f->now + MODEL_IMPAIR_HOLD_NS - 1, &f->out);
	assert_null(f->out.head);
	model_impair_due(&f->imp, f->now + MODEL_IMPAIR_HOLD_NS, &f->out);
	assert_int_equal(psn_of(f->out.head), 1);
	assert_true(model_impair_next_ns(&f->imp) == UINT64_MAX);
}

static unsigned int bits_changed(const struct model_frame *a,
				 const struct model_frame *b, u32 len)
{
	unsigned int n = 0;
	u32 i;

	for (i = 0; i < len; i++)
		n += __builtin_popcount(a->data[i] ^ b->data[i]);
	return n;
}

static void corruption_flips_one_bit(void **state)
{
	struct fixture *f = *state;
	struct model_frame *good = make_frame(f, 1);
	u32 i;

	parse(f, "corrupt=100%");
	for (i = 0; i < 5000; i++) {
		struct model_frame *bad;

		pass(f, 1);
		bad = model_frameq_pop(&f->out);
		assert_int_equal(bits_changed(good, bad, good->len), 1);
		assert_memory_equal(good->data, bad->data, 14);
		model_frame_put(&f->pool, bad);
	}
	model_frame_put(&f->pool, good);
}

static void corruption_may_fit_its_icrc(void **state)
{
	struct fixture *f = *state;
	struct model_frame *good = make_frame(f, 1);
	u32 i;

	parse(f, "corrupt-icrc-ok=100%");
	for (i = 0; i < 5000; i++) {
		struct model_frame *bad;

		pass(f, 1);
		bad = model_frameq_pop(&f->out);
		assert_int_equal(bits_changed(good, bad, good->len - 4), 1);
		assert_true(model_icrc_ok(bad->data, 14, 42, bad->len));
		model_frame_put(&f->pool, bad);
	}
	model_frame_put(&f->pool, good);
}

static void a_mark_keeps_the_checksums(void **state)
{
	struct fixture *f = *state;
	struct model_net net;
	struct model_frame *frame;

	parse(f, "ecn=100%");
	pass(f, 1);
	frame = model_frameq_pop(&f->out);
	assert_int_equal(model_net_parse(&net, frame->data, frame->len),
			 MODEL_RX_OK);
	assert_int_equal(net.tclass, 3);
	assert_true(model_icrc_ok(frame->data, net.l3, net.bth, net.end));
	model_frame_put(&f->pool, frame);
}

static void delay_keeps_the_order(void **state)
{
	struct fixture *f = *state;
	u32 i;

	parse(f, "delay=10us");
	for (i = 0; i < 20; i++)
		pass(f, i);
	assert_null(f->out.head);
	assert_int_equal(model_impair_next_ns(&f->imp), STEP_NS + 10000);
	model_impair_due(&f->imp, f->now, &f->out);
	/* the frames are one step apart, so the first ten are due */
	assert_int_equal(f->out.count, 10);
	for (i = 0; i < 10; i++) {
		struct model_frame *frame = model_frameq_pop(&f->out);

		assert_int_equal(psn_of(frame), i);
		model_frame_put(&f->pool, frame);
	}
}

static void held_frames_are_limited(void **state)
{
	struct fixture *f = *state;
	u32 i;

	parse(f, "delay=1s");
	for (i = 0; i < MODEL_IMPAIR_MAX_HELD + 5; i++)
		pass(f, i);
	assert_int_equal(f->imp.delayed.count, MODEL_IMPAIR_MAX_HELD);
	assert_int_equal(f->imp.overflows, 5);
}

static u64 fate(u64 seed)
{
	struct fixture f = { 0 };
	struct model_frame *frame;
	u64 hash = 0;
	u32 i;

	assert_int_equal(model_frame_pool_init(&f.pool, 64), 0);
	parse(&f, "loss=5%,dup=5%,reorder=5%,corrupt=5%,ecn=5%");
	f.imp.rng = seed;
	for (i = 0; i < 2000; i++) {
		pass(&f, i);
		while ((frame = model_frameq_pop(&f.out)) != NULL) {
			hash = hash * 31 + model_get32(frame->data + 50);
			hash = hash * 31 + frame->data[15];
			model_frame_put(&f.pool, frame);
		}
	}
	model_frame_pool_fini(&f.pool);
	return hash;
}

static void the_same_seed_has_the_same_result(void **state)
{
	(void)state;
	assert_true(fate(7) == fate(7));
	assert_true(fate(7) != fate(8));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(specifications_are_read),
		TEST(an_error_names_the_word),
		TEST(loss_has_the_given_rate),
		TEST(duplicates_are_alike),
		TEST(reordering_loses_nothing),
		TEST(a_held_frame_leaves_when_nothing_follows),
		TEST(corruption_flips_one_bit),
		TEST(corruption_may_fit_its_icrc),
		TEST(a_mark_keeps_the_checksums),
		TEST(delay_keeps_the_order),
		TEST(held_frames_are_limited),
		cmocka_unit_test(the_same_seed_has_the_same_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
