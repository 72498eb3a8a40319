// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the DCQCN formulas: the expected numbers were calculated by hand
 * from the rules of the paper. Congestion control on packets is tested in
 * transport/test_cc.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/dcqcn.h"

#define US		1000ULL
#define MBIT		125000ULL
#define LINE		(100000 * MBIT)
#define ONE		MODEL_DCQCN_ONE

/* g = 1/16 and a line rate of 100 Gbit/s make simple numbers. */
static const struct model_dcqcn_params params = {
	.line_rate = LINE,
	.min_rate = 10 * MBIT,
	.ai_rate = 40 * MBIT,
	.hai_rate = 400 * MBIT,
	.time_reset_ns = 300 * US,
	.byte_reset = 1000000,
	.threshold = 5,
	.alpha_timer_ns = 55 * US,
	.alpha_g = 64,
	.initial_alpha = 1024,
	.reduce_period_ns = 4 * US,
};

static struct model_dcqcn cut_once(const struct model_dcqcn_params *p)
{
	struct model_dcqcn cc = { 0 };

	model_dcqcn_notify(&cc, p, 1000 * US);
	return cc;
}

static void the_first_cut_halves_the_rate(void **state)
{
	struct model_dcqcn cc = cut_once(&params);

	(void)state;
	assert_true(cc.slowed);
	assert_int_equal(cc.rate, LINE / 2);
	assert_int_equal(cc.target, LINE);
	/* (1 - g) 1 + g */
	assert_int_equal(cc.alpha, ONE);
}

static void initial_alpha_is_that_of_the_parameters(void **state)
{
	struct model_dcqcn_params p = params;
	struct model_dcqcn cc;

	(void)state;
	p.initial_alpha = 512;
	cc = cut_once(&p);
	assert_int_equal(cc.rate, LINE - LINE / 4);
	/* 1/2 + (1 - 1/2) / 16 */
	assert_int_equal(cc.alpha, ONE / 2 + ONE / 32);
}

static void alpha_decays_while_nothing_is_notified(void **state)
{
	struct model_dcqcn cc = cut_once(&params);

	(void)state;
	model_dcqcn_elapse(&cc, &params, 1054 * US);
	assert_int_equal(cc.alpha, ONE);
	model_dcqcn_elapse(&cc, &params, 1055 * US);
	assert_int_equal(cc.alpha, ONE / 16 * 15);
	model_dcqcn_elapse(&cc, &params, 1110 * US);
	assert_int_equal(cc.alpha, ONE / 256 * 225);
	/* the next cut uses the smaller alpha */
	model_dcqcn_notify(&cc, &params, 1110 * US);
	assert_int_equal(cc.rate, LINE / 2 - LINE / 2 * 225 / 512);
	assert_int_equal(cc.target, LINE / 2);
}

static void cuts_are_no_closer_than_the_period(void **state)
{
	struct model_dcqcn cc = cut_once(&params);

	(void)state;
	model_dcqcn_notify(&cc, &params, 1000 * US + 3999);
	assert_int_equal(cc.rate, LINE / 2);
	model_dcqcn_notify(&cc, &params, 1004 * US);
	assert_int_equal(cc.rate, LINE / 4);
	assert_int_equal(cc.target, LINE / 2);
}

static void the_rate_is_at_least_min_rate(void **state)
{
	struct model_dcqcn cc = cut_once(&params);
	u64 i;

	(void)state;
	for (i = 1; i < 50; i++)
		model_dcqcn_notify(&cc, &params, (1000 + 4 * i) * US);
	assert_int_equal(cc.rate, 10 * MBIT);
}

/* In five periods the rate halves its distance to the constant target. */
static void fast_recovery(void **state)
{
	struct model_dcqcn cc = cut_once(&params);
	u64 rate;

	(void)state;
	model_dcqcn_notify(&cc, &params, 1010 * US);
	assert_int_equal(cc.rate, LINE / 4);
	model_dcqcn_elapse(&cc, &params, 1309 * US);
	assert_int_equal(cc.rate, LINE / 4);
	model_dcqcn_elapse(&cc, &params, 1310 * US);
	assert_int_equal(cc.rate, LINE / 8 * 3);
	model_dcqcn_elapse(&cc, &params, (1010 + 5 * 300) * US);
	assert_int_equal(cc.target, LINE / 2);
	/* 1/2 - 1/4 / 32 */
	assert_true(cc.rate - LINE / 128 * 63 < 8);
	/* after that the target increases */
	rate = cc.rate;
	model_dcqcn_elapse(&cc, &params, (1010 + 6 * 300) * US);
	assert_int_equal(cc.target, LINE / 2 + 40 * MBIT);
	assert_int_equal(cc.rate, (rate + cc.target + 1) / 2);
}

static void bytes_count_as_time_does(void **state)
{
	struct model_dcqcn cc = cut_once(&params);
	int i;

	(void)state;
	model_dcqcn_notify(&cc, &params, 1010 * US);
	model_dcqcn_sent(&cc, &params, 999999);
	assert_int_equal(cc.rate, LINE / 4);
	model_dcqcn_sent(&cc, &params, 1);
	assert_int_equal(cc.rate, LINE / 8 * 3);
	for (i = 0; i < 4; i++)
		model_dcqcn_sent(&cc, &params, 1000000);
	assert_int_equal(cc.target, LINE / 2);
	model_dcqcn_sent(&cc, &params, 1000000);
	assert_int_equal(cc.target, LINE / 2 + 40 * MBIT);
	/* timer and byte counter have recovered: i-fold hyper increase */
	model_dcqcn_elapse(&cc, &params, (1010 + 5 * 300) * US);
	assert_int_equal(cc.target, LINE / 2 + 6 * 40 * MBIT);
	model_dcqcn_elapse(&cc, &params, (1010 + 6 * 300) * US);
	assert_int_equal(cc.target, LINE / 2 + 6 * 40 * MBIT + 400 * MBIT);
	model_dcqcn_sent(&cc, &params, 1000000);
	model_dcqcn_elapse(&cc, &params, (1010 + 7 * 300) * US);
	assert_int_equal(cc.target, LINE / 2 + 6 * 40 * MBIT +
			 (1 + 1 + 2) * 400 * MBIT);
}

static void a_cut_starts_all_periods_anew(void **state)
{
	struct model_dcqcn cc = cut_once(&params);

	(void)state;
	model_dcqcn_sent(&cc, &params, 5500000);
	model_dcqcn_elapse(&cc, &params, 1290 * US);
	model_dcqcn_notify(&cc, &params, 1290 * US);
	assert_int_equal(cc.time_steps, 0);
	assert_int_equal(cc.byte_steps, 0);
	assert_int_equal(cc.bytes, 0);
	model_dcqcn_elapse(&cc, &params, 1589 * US);
	assert_int_equal(cc.time_steps, 0);
	model_dcqcn_elapse(&cc, &params, 1590 * US);
	assert_int_equal(cc.time_steps, 1);
}

static void at_line_rate_the_state_is_cleared(void **state)
{
	struct model_dcqcn cc = cut_once(&params);
	u64 now = 1000 * US;

	(void)state;
	while (cc.slowed && now < 1000000 * US) {
		now += 300 * US;
		model_dcqcn_elapse(&cc, &params, now);
	}
	/* each period halves the distance: 34 bits take 34 periods */
	assert_true(now <= (1000 + 40 * 300) * US);
	model_dcqcn_notify(&cc, &params, now);
	assert_int_equal(cc.rate, LINE / 2);
}

/* One call after a long time has the same result as many calls. */
static void one_call_has_the_result_of_many(void **state)
{
	struct model_dcqcn slow = cut_once(&params);
	struct model_dcqcn fast;
	u64 i;

	(void)state;
	for (i = 1; i < 10; i++)
		model_dcqcn_notify(&slow, &params, (1000 + 10 * i) * US);
	fast = slow;
	for (i = 1; i <= 20000; i++)
		model_dcqcn_elapse(&slow, &params, (1090 + i) * US);
	model_dcqcn_elapse(&fast, &params, 21090 * US);
	assert_memory_equal(&slow, &fast, sizeof(slow));
	model_dcqcn_elapse(&fast, &params, UINT64_MAX / 2);
	assert_false(fast.slowed);
}

/* With increase 0 the rate stays below its target, and the loop ends. */
static void without_increase_the_loop_ends(void **state)
{
	struct model_dcqcn_params p = params;
	struct model_dcqcn cc;

	(void)state;
	p.ai_rate = 0;
	p.hai_rate = 0;
	p.time_reset_ns = US;
	p.alpha_timer_ns = US;
	cc = cut_once(&p);
	model_dcqcn_notify(&cc, &p, 1010 * US);
	model_dcqcn_elapse(&cc, &p, UINT64_MAX / 2);
	assert_true(cc.slowed);
	assert_int_equal(cc.rate, cc.target);
	assert_int_equal(cc.time_steps, UINT32_MAX);
}

static void a_sender_that_is_not_slowed_keeps_its_rate(void **state)
{
	static const struct model_dcqcn zero;
	struct model_dcqcn cc = { 0 };

	(void)state;
	model_dcqcn_elapse(&cc, &params, 1000 * US);
	model_dcqcn_sent(&cc, &params, 5000000);
	assert_memory_equal(&cc, &zero, sizeof(cc));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_cut_halves_the_rate),
		cmocka_unit_test(initial_alpha_is_that_of_the_parameters),
		cmocka_unit_test(alpha_decays_while_nothing_is_notified),
		cmocka_unit_test(cuts_are_no_closer_than_the_period),
		cmocka_unit_test(the_rate_is_at_least_min_rate),
		cmocka_unit_test(fast_recovery),
		cmocka_unit_test(bytes_count_as_time_does),
		cmocka_unit_test(a_cut_starts_all_periods_anew),
		cmocka_unit_test(at_line_rate_the_state_is_cleared),
		cmocka_unit_test(one_call_has_the_result_of_many),
		cmocka_unit_test(without_increase_the_loop_ends),
		cmocka_unit_test(a_sender_that_is_not_slowed_keeps_its_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
