// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the list of faults that a user of verbs asks for, and of late
 * completions. test_inject_control.py tests what a host sees of each fault.
 */
#include <errno.h>
#include <string.h>

#include "core/inject.h"
#include "core/late.h"
#include "tests/lib/core_env.h"

static struct model_injects *make(void)
{
	static struct model_injects list;

	memset(&list, 0, sizeof(list));
	return &list;
}

static void set(struct model_injects *list, u8 kind, u32 number, u32 nth)
{
	assert_int_equal(model_inject_add(list, &(struct model_inject) {
		.kind = kind, .number = number, .nth = nth, .status = nth,
	}), 0);
}

static bool step(struct model_injects *list, u8 kind, u32 number)
{
	struct model_inject fault;

	return model_inject_step(list, kind, number, &fault);
}

static void the_nth_occasion_of_the_object_counts(void **state)
{
	struct model_injects *list = make();
	struct model_inject fault;

	(void)state;
	set(list, MODEL_INJECT_SEND, 7, 3);
	assert_false(step(list, MODEL_INJECT_SEND, 8));
	assert_false(step(list, MODEL_INJECT_RECV, 7));
	assert_false(step(list, MODEL_INJECT_SEND, 7));
	assert_false(step(list, MODEL_INJECT_SEND, 7));
	assert_true(model_inject_step(list, MODEL_INJECT_SEND, 7, &fault));
	assert_int_equal(fault.status, 3);
	assert_false(step(list, MODEL_INJECT_SEND, 7));
	assert_int_equal(list->num, 0);
	assert_int_equal(list->done[MODEL_INJECT_SEND], 1);
}

static void faults_of_one_object_count_together(void **state)
{
	struct model_injects *list = make();

	(void)state;
	set(list, MODEL_INJECT_SEND, 7, 2);
	set(list, MODEL_INJECT_SEND, 7, 1);
	set(list, MODEL_INJECT_SEND, 7, 3);
	assert_true(step(list, MODEL_INJECT_SEND, 7));
	assert_true(step(list, MODEL_INJECT_SEND, 7));
	assert_true(step(list, MODEL_INJECT_SEND, 7));
	assert_int_equal(list->num, 0);
}

static void a_key_stays_refused(void **state)
{
	struct model_injects *list = make();

	(void)state;
	set(list, MODEL_INJECT_KEY, 0x1234, 2);
	assert_false(model_inject_refuses(list, 0x1234));
	assert_true(model_inject_refuses(list, 0x1234));
	assert_true(model_inject_refuses(list, 0x1234));
	assert_false(model_inject_refuses(list, 0x1235));
	assert_int_equal(list->done[MODEL_INJECT_KEY], 2);
	model_inject_forget_keys(list, 0x13);
	assert_true(model_inject_refuses(list, 0x1234));
	model_inject_forget_keys(list, 0x12);
	assert_false(model_inject_refuses(list, 0x1234));
}

static void a_silence_ends(void **state)
{
	struct model_injects *list = make();
	const struct model_inject port = {
		.kind = MODEL_INJECT_SILENCE, .number = MODEL_INJECT_PORT,
		.ns = 100,
	};
	const struct model_inject qp = {
		.kind = MODEL_INJECT_SILENCE, .number = 7, .ns = 200,
	};

	(void)state;
	model_inject_add(list, &port);
	model_inject_add(list, &qp);
	assert_true(model_inject_silent(list, MODEL_INJECT_PORT, 99));
	assert_true(model_inject_silent(list, 7, 99));
	assert_false(model_inject_silent(list, 8, 99));
	assert_false(model_inject_silent(list, MODEL_INJECT_PORT, 100));
	assert_int_equal(list->num, 1);
	assert_true(model_inject_silent(list, 7, 199));
	assert_false(model_inject_silent(list, 7, 200));
	assert_int_equal(list->num, 0);
}

static void an_object_takes_its_faults_with_it(void **state)
{
	struct model_injects *list = make();

	(void)state;
	set(list, MODEL_INJECT_SEND, 7, 1);
	set(list, MODEL_INJECT_LOST_RECV, 7, 1);
	set(list, MODEL_INJECT_CQ_OVERRUN, 7, 1);
	set(list, MODEL_INJECT_SEND, 8, 1);
	model_inject_forget(list, MODEL_INJECT_OF_QP, 7);
	assert_int_equal(list->num, 2);
	assert_true(step(list, MODEL_INJECT_CQ_OVERRUN, 7));
	assert_true(step(list, MODEL_INJECT_SEND, 8));
}

static void the_list_has_an_end(void **state)
{
	struct model_injects *list = make();
	u32 i;

	(void)state;
	for (i = 0; i < MODEL_INJECT_MAX; i++)
		set(list, MODEL_INJECT_SEND, i, 1);
	assert_int_equal(model_inject_add(list, &(struct model_inject) {}),
			 -ENOSPC);
	model_inject_clear(list);
	set(list, MODEL_INJECT_SEND, 1, 1);
}

/* ---- late completions --------------------------------------------------- */

static void push(struct core_env *env, u64 wr_id, u32 qpn, u64 delay_ns)
{
	const struct xrdma_cqe cqe = {
		.wr_id = cpu_to_le64(wr_id), .qpn = cpu_to_le32(qpn),
	};

	model_late_push(env->dev, model_cq_get(env->dev, 1), &cqe, delay_ns);
}

static u64 wr_id(struct core_env *env, u32 index)
{
	const struct xrdma_cqe *cqe = core_cqe(env, 1, index);

	assert_non_null(cqe);
	return le64_to_cpu(cqe->wr_id);
}

static void later_completions_stay_behind(void **state)
{
	struct core_env *env = *state;

	push(env, 1, 5, 0);
	push(env, 2, 5, 20000000);
	push(env, 3, 6, 0);
	push(env, 4, 5, 1);
	assert_int_equal(wr_id(env, 0), 1);
	assert_null(core_cqe(env, 1, 1));
	core_run_ms(env, 40);
	assert_int_equal(wr_id(env, 1), 2);
	assert_int_equal(wr_id(env, 2), 3);
	assert_int_equal(wr_id(env, 3), 4);
	push(env, 5, 5, 0);
	assert_int_equal(wr_id(env, 4), 5);
}

static void a_full_queue_ends_the_delay(void **state)
{
	struct core_env *env = *state;
	u32 i;

	for (i = 0; i < BIT(CORE_CQ_LOG); i++)
		push(env, i, 5, 60000000000ULL);
	assert_null(core_cqe(env, 1, 0));
	push(env, i, 5, 0);
	assert_int_equal(wr_id(env, 0), 0);
	/* the CQ fails, because it has no room for the last completion */
	assert_true(model_cq_get(env->dev, 1)->dead);
}

static void a_reset_queue_pair_completes_nothing(void **state)
{
	struct core_env *env = *state;
	struct core_qp cqp;

	core_create_qp(env, 5, &cqp);
	cqp.qp->send_cq = model_cq_get(env->dev, 1);
	push(env, 1, 5, 20000000);
	push(env, 2, 6, 0);
	model_late_forget(cqp.qp);
	core_run_ms(env, 40);
	assert_int_equal(wr_id(env, 0), 2);
	assert_null(core_cqe(env, 1, 1));
}

static void a_destroyed_queue_forgets_them(void **state)
{
	struct core_env *env = *state;

	push(env, 1, 5, 20000000);
	assert_int_equal(core_object(env, XRDMA_CMD_DESTROY_CQ, 1),
			 XRDMA_CMD_OK);
	core_run_ms(env, 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nth_occasion_of_the_object_counts),
		cmocka_unit_test(faults_of_one_object_count_together),
		cmocka_unit_test(a_key_stays_refused),
		cmocka_unit_test(a_silence_ends),
		cmocka_unit_test(an_object_takes_its_faults_with_it),
		cmocka_unit_test(the_list_has_an_end),
		CORE_TEST(later_completions_stay_behind, queues),
		CORE_TEST(a_full_queue_ends_the_delay, queues),
		CORE_TEST(a_reset_queue_pair_completes_nothing, queues),
		CORE_TEST(a_destroyed_queue_forgets_them, queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
