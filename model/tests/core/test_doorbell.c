// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of doorbells: which page may ring, and when a host may skip one.
 */
#include <string.h>

#include "tests/lib/core_env.h"

static struct {
	struct core_env *env;
	struct core_qp cqp;
} t;

static int setup(void **state)
{
	t.env = core_setup_qp(state, &t.cqp);
	return 0;
}

static void sleep_now(void)
{
	assert_false(model_device_park(t.env->dev));
	assert_false(t.cqp.qp->active);
}

static bool done(u32 index)
{
	return core_cqe(t.env, 1, index);
}

static void an_active_queue_needs_no_doorbell(void **state)
{
	(void)state;
	core_post_send(&t.cqp, XRDMA_WQE_SIGNALED, 1);
	model_device_poll(t.env->dev);
	assert_true(done(0));
	core_post_send(&t.cqp, XRDMA_WQE_SIGNALED, 2);
	model_device_poll(t.env->dev);
	assert_true(done(1));
}

static void a_sleeping_queue_is_not_polled(void **state)
{
	(void)state;
	sleep_now();
	core_post_send(&t.cqp, XRDMA_WQE_SIGNALED, 1);
	model_device_poll(t.env->dev);
	assert_false(done(0));
	core_ring(t.env, 3, 5);
	model_device_poll(t.env->dev);
	assert_true(done(0));
}

/* Apply the host's rule after each of many posts, with sleeps of the device. */
static void doorbell_rule_misses_no_entry(void **state)
{
	unsigned int i, rings = 0;
	u32 old;

	(void)state;
	for (i = 0; i < 100; i++) {
		if (i % 7 == 3)
			sleep_now();
		old = le32_to_cpu(t.cqp.rec->sq_pi);
		core_post_send(&t.cqp, XRDMA_WQE_SIGNALED, i);
		if (xrdma_db_needed(le32_to_cpu(t.cqp.rec->sq_event), old + 1,
				    old)) {
			core_ring(t.env, 3, 5);
			rings++;
		}
		model_device_poll(t.env->dev);
		assert_true(done(i));
		core_cq_rec(t.env, 1)->ci = cpu_to_le32(i + 1);
	}
	/* plus one before the first sleep, since sq_event is initially 0 */
	assert_int_equal(rings, 1 + 14);
}

/* An entry posted after the last poll and before sleep prevents the sleep. */
static void an_entry_posted_before_the_sleep_is_found(void **state)
{
	(void)state;
	core_post_send(&t.cqp, XRDMA_WQE_SIGNALED, 1);
	assert_true(model_device_park(t.env->dev));
	assert_true(t.cqp.qp->active);
	model_device_poll(t.env->dev);
	assert_true(done(0));
}

static void a_queue_without_work_is_deactivated(void **state)
{
	(void)state;
	core_post_send(&t.cqp, XRDMA_WQE_SIGNALED, 1);
	model_device_poll(t.env->dev);
	assert_true(t.cqp.qp->active);
	t.env->awake = true;
	core_run_ms(t.env, 3);
	assert_false(t.cqp.qp->active);
	assert_int_equal(le32_to_cpu(t.cqp.rec->sq_event), 1);
}

static void the_wrong_page_is_ignored_and_counted(void **state)
{
	(void)state;
	sleep_now();
	core_post_send(&t.cqp, XRDMA_WQE_SIGNALED, 1);
	core_ring(t.env, 4, 5);
	core_ring(t.env, 4, 6);
	core_ring(t.env, 4, 0xffffffff);
	model_device_poll(t.env->dev);
	assert_false(done(0));
	assert_int_equal(t.env->dev->db_errors, 3);
}

static void only_errors_on_page_0_are_host_errors(void **state)
{
	u64 value = 5;
	u32 word;

	(void)state;
	core_ring(t.env, 0, 5);
	core_ring(t.env, 0, 1000);
	core_expect(t.env, MODEL_HERR_DOORBELL_QP, 2);
	model_device_write(t.env->dev, XRDMA_BAR_DB, 4, &value, 4);
	model_device_write(t.env->dev, XRDMA_BAR_DB, 0, &value, 4);
	model_device_read(t.env->dev, XRDMA_BAR_DB, 0, &word, 4);
	assert_int_equal(word, 0);
	core_expect(t.env, MODEL_HERR_DOORBELL_RANGE, 3);
	model_device_write(t.env->dev, XRDMA_BAR_DB, 0x3004, &value, 4);
	model_device_write(t.env->dev, XRDMA_BAR_DB, 0x3000, &value, 2);
	model_device_read(t.env->dev, XRDMA_BAR_DB, 0x3000, &word, 4);
	assert_int_equal(t.env->dev->db_errors, 3);
}

/* Entries posted before RTS are executed in RTS. */
static void posting_before_rts(void **state)
{
	struct core_qp other;

	(void)state;
	core_create_qp(t.env, 6, &other);
	core_post_send(&other, XRDMA_WQE_SIGNALED, 1);
	core_ring(t.env, 3, 6);
	assert_false(other.qp->active);
	model_device_poll(t.env->dev);
	assert_false(done(0));
	core_to_rts(t.env, &other);
	model_device_poll(t.env->dev);
	assert_true(done(0));
}

/* A queue pair moves others to ERR while the list of active ones is polled. */
static void the_list_may_change_during_the_poll(void **state)
{
	struct core_qp other, third;
	unsigned int i;

	(void)state;
	core_create_qp(t.env, 6, &other);
	core_to_rts(t.env, &other);
	core_create_qp(t.env, 7, &third);
	core_to_rts(t.env, &third);
	for (i = 0; i < 15; i++)
		core_post_send(&t.cqp, XRDMA_WQE_SIGNALED, i);
	for (i = 0; i < 15; i++)
		model_device_poll(t.env->dev);
	/* room for one entry: the second completion moves all QPs to ERR */
	core_post_send(&t.cqp, XRDMA_WQE_SIGNALED, 15);
	core_post_send(&other, XRDMA_WQE_SIGNALED, 16);
	core_post_send(&third, XRDMA_WQE_SIGNALED, 17);
	model_device_poll(t.env->dev);
	assert_int_equal(t.cqp.qp->state, XRDMA_QPS_ERR);
	assert_int_equal(other.qp->state, XRDMA_QPS_ERR);
	assert_int_equal(third.qp->state, XRDMA_QPS_ERR);
	assert_int_equal(t.env->dev->num_active, 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, core_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(an_active_queue_needs_no_doorbell),
		T(a_sleeping_queue_is_not_polled),
		T(doorbell_rule_misses_no_entry),
		T(an_entry_posted_before_the_sleep_is_found),
		T(a_queue_without_work_is_deactivated),
		T(the_wrong_page_is_ignored_and_counted),
		T(only_errors_on_page_0_are_host_errors),
		T(posting_before_rts),
		T(the_list_may_change_during_the_poll),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
