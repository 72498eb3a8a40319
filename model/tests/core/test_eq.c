// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of event queues: creation, arming, events without room, fault records.
 */
#include <string.h>

#include "tests/lib/core_env.h"

#define DEPTH	BIT(CORE_EQ_LOG)

static struct model_qp *a_qp(struct core_env *env)
{
	struct core_qp cqp;

	if (!model_qp_get(env->dev, 5))
		core_create_qp(env, 5, &cqp);
	return model_qp_get(env->dev, 5);
}

static void raise_fault(struct core_env *env)
{
	struct model_access_req req = {
		.qp = a_qp(env),
		.addr = 0x1234,
		.len = 0x10,
		.key = 0xabcd5a,
		.rights = XRDMA_ACCESS_REMOTE_WRITE,
		.remote = true,
		.opcode = XRDMA_OP_WRITE,
	};

	model_fault(env->dev, &req, XRDMA_FAULT_RANGE);
}

static void create_checks_parameters(void **state)
{
	struct core_env *env = *state;
	u64 root = core_queue(env, 6);

	assert_int_equal(core_status(env, xrdma_make_create_eq(64, 0, 6, root)),
			 XRDMA_CMD_BAD_NUMBER);
	assert_int_equal(core_status(env, xrdma_make_create_eq(0, 0, 6, root)),
			 XRDMA_CMD_BAD_NUMBER);
	core_expect(env, MODEL_HERR_CMD_NUMBER, 2);
	assert_int_equal(core_status(env, xrdma_make_create_eq(2, 64, 6, root)),
			 XRDMA_CMD_BAD_PARAM);
	assert_int_equal(core_status(env, xrdma_make_create_eq(2, 0, 5, root)),
			 XRDMA_CMD_BAD_PARAM);
	assert_int_equal(core_status(env, xrdma_make_create_eq(2, 0, 17, root)),
			 XRDMA_CMD_BAD_PARAM);
	assert_int_equal(core_status(env, xrdma_make_create_eq(2, 0, 12, root)),
			 XRDMA_CMD_BAD_PARAM);
	assert_int_equal(core_status(env, xrdma_make_create_eq(2, 0, 64, root)),
			 XRDMA_CMD_BAD_PARAM);
	assert_int_equal(core_status(env, xrdma_make_create_eq(2, 0, 255, root)),
			 XRDMA_CMD_BAD_PARAM);
	core_expect(env, MODEL_HERR_CMD_PARAM, 6);
	root = xrdma_make_root(CORE_IOVA + CORE_MEM_SIZE, 0, 13);
	assert_int_equal(core_status(env, xrdma_make_create_eq(2, 0, 6, root)),
			 XRDMA_CMD_BAD_DMA);
	core_expect(env, MODEL_HERR_CMD_DMA, 1);
	core_expect(env, MODEL_HERR_DMA_UNMAPPED, 1);
	assert_null(model_eq_get(env->dev, 2));
	root = core_queue(env, 6);
	((u8 *)core_ptr(env, root & XRDMA_ROOT_ADDR))[64] = 1;
	assert_int_equal(core_status(env, xrdma_make_create_eq(2, 0, 6, root)),
			 XRDMA_CMD_BAD_PARAM);
	core_expect(env, MODEL_HERR_RING_DIRTY, 1);
	core_expect(env, MODEL_HERR_CMD_PARAM, 7);
	env->expected -= 6;
}

static void destroy_waits_for_its_cqs(void **state)
{
	struct core_env *env = *state;
	struct xrdma_cmd cmd = xrdma_make_object_cmd(XRDMA_CMD_DESTROY_EQ, 1);

	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BUSY);
	core_expect(env, MODEL_HERR_CMD_BUSY, 1);
	assert_int_equal(core_object(env, XRDMA_CMD_DESTROY_CQ, 1),
			 XRDMA_CMD_OK);
	assert_int_equal(core_object(env, XRDMA_CMD_DESTROY_CQ, 2),
			 XRDMA_CMD_OK);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_NUMBER);
	core_expect(env, MODEL_HERR_CMD_NUMBER, 1);
}

static void an_arming_fires_once(void **state)
{
	struct core_env *env = *state;

	model_event(env->dev, XRDMA_EVENT_PORT_UP, 1);
	assert_int_equal(env->irqs[0], 0);
	core_arm(core_eq_rec(env, 0), XRDMA_ARM_NEXT);
	assert_int_equal(env->irqs[0], 0);
	model_event(env->dev, XRDMA_EVENT_PORT_UP, 1);
	model_event(env->dev, XRDMA_EVENT_PORT_DOWN, 1);
	assert_int_equal(env->irqs[0], 1);
	core_arm(core_eq_rec(env, 0), XRDMA_ARM_NEXT);
	model_event(env->dev, XRDMA_EVENT_PORT_UP, 1);
	assert_int_equal(env->irqs[0], 2);
	assert_int_equal(core_eqe(env, 0, 2)->event, XRDMA_EVENT_PORT_DOWN);
	assert_int_equal(le32_to_cpu(core_eqe(env, 0, 2)->number), 1);
	assert_null(core_eqe(env, 0, 4));
}

/* Without room events are queued in order, and no entry is overwritten. */
static void async_events_wait_for_room(void **state)
{
	struct core_env *env = *state;
	u32 i;

	for (i = 0; i < DEPTH + 10; i++)
		model_event(env->dev, XRDMA_EVENT_QP_FATAL, i);
	assert_int_equal(le32_to_cpu(core_eqe(env, 0, 0)->number), 0);
	assert_null(core_eqe(env, 0, DEPTH));
	assert_true(model_timer_armed(&env->dev->slow_timer));
	core_eq_rec(env, 0)->ci = cpu_to_le32(4);
	model_event(env->dev, XRDMA_EVENT_QP_FATAL, DEPTH + 10);
	core_run_ms(env, 5);
	for (i = 0; i < 4; i++)
		assert_int_equal(le32_to_cpu(core_eqe(env, 0, DEPTH + i)->number),
				 DEPTH + i);
	assert_null(core_eqe(env, 0, DEPTH + 4));
	core_eq_rec(env, 0)->ci = cpu_to_le32(DEPTH);
	core_run_ms(env, 20);
	assert_int_equal(le32_to_cpu(core_eqe(env, 0, DEPTH + 10)->number),
			 DEPTH + 10);
	assert_false(env->dev->eqs_stalled);
}

static void comp_events_wait_with_their_cq(void **state)
{
	struct core_env *env = *state;
	struct model_cq *one = model_cq_get(env->dev, 1);
	struct model_cq *two = model_cq_get(env->dev, 2);
	u32 i;

	for (i = 0; i < DEPTH; i++)
		model_eq_comp(env->dev, one);
	assert_false(model_timer_armed(&env->dev->slow_timer));
	model_eq_comp(env->dev, two);
	model_eq_comp(env->dev, two);
	assert_true(model_timer_armed(&env->dev->slow_timer));
	core_eq_rec(env, 1)->ci = cpu_to_le32(DEPTH);
	model_eq_comp(env->dev, one);
	core_run_ms(env, 5);
	assert_int_equal(le32_to_cpu(core_eqe(env, 1, DEPTH)->number), 2);
	assert_int_equal(le32_to_cpu(core_eqe(env, 1, DEPTH + 1)->number), 1);
	assert_null(core_eqe(env, 1, DEPTH + 2));
}

static void a_destroyed_cq_has_no_event(void **state)
{
	struct core_env *env = *state;
	struct model_cq *one = model_cq_get(env->dev, 1);
	u32 i;

	for (i = 0; i < DEPTH + 1; i++)
		model_eq_comp(env->dev, one);
	assert_true(one->event_pending);
	assert_int_equal(core_object(env, XRDMA_CMD_DESTROY_CQ, 1),
			 XRDMA_CMD_OK);
	core_eq_rec(env, 1)->ci = cpu_to_le32(DEPTH);
	core_run_ms(env, 5);
	assert_null(core_eqe(env, 1, DEPTH));
}

static void fault_record_has_all_fields(void **state)
{
	struct core_env *env = *state;
	const struct xrdma_eqe *eqe;

	raise_fault(env);
	eqe = core_eqe(env, 0, 0);
	assert_int_equal(eqe->event, XRDMA_EVENT_FAULT);
	assert_int_equal(eqe->reason, XRDMA_FAULT_RANGE);
	assert_int_equal(eqe->opcode, XRDMA_OP_WRITE);
	assert_int_equal(eqe->flags, XRDMA_FAULT_REMOTE | XRDMA_FAULT_WRITE);
	assert_int_equal(le32_to_cpu(eqe->number), 5);
	assert_int_equal(le32_to_cpu(eqe->key), 0xabcd5a);
	assert_int_equal(le32_to_cpu(eqe->pd), 7);
	assert_int_equal(le64_to_cpu(eqe->addr), 0x1234);
	assert_int_equal(le64_to_cpu(eqe->length), 0x10);
	assert_int_equal(eqe->lost, 0);
}

static void fault_records_leave_half_of_the_queue(void **state)
{
	struct core_env *env = *state;
	u32 i;

	for (i = 0; i < DEPTH; i++)
		raise_fault(env);
	assert_non_null(core_eqe(env, 0, DEPTH / 2));
	assert_null(core_eqe(env, 0, DEPTH / 2 + 1));
	assert_int_equal(env->dev->stats[XRDMA_STAT_FAULTS], DEPTH);
	assert_int_equal(env->dev->stats[XRDMA_STAT_FAULTS_LOST],
			 DEPTH / 2 - 1);
	core_eq_rec(env, 0)->ci = cpu_to_le32(1);
	raise_fault(env);
	assert_int_equal(le32_to_cpu(core_eqe(env, 0, DEPTH / 2 + 1)->lost),
			 DEPTH / 2 - 1);
	core_eq_rec(env, 0)->ci = cpu_to_le32(2);
	raise_fault(env);
	assert_int_equal(core_eqe(env, 0, DEPTH / 2 + 2)->lost, 0);
	model_event(env->dev, XRDMA_EVENT_PORT_UP, 1);
	assert_int_equal(core_eqe(env, 0, DEPTH / 2 + 3)->event,
			 XRDMA_EVENT_PORT_UP);
}

/* The number of the queue is another one than that of the vector. */
static void an_event_raises_the_vector_of_its_queue(void **state)
{
	struct core_env *env = *state;
	u64 root = core_queue(env, 6);
	struct xrdma_cq_rec *rec = core_ptr(env, (root & XRDMA_ROOT_ADDR) +
						 xrdma_cq_rec_offset(6));
	u64 cq = core_queue(env, CORE_CQ_LOG);

	assert_int_equal(core_status(env, xrdma_make_create_eq(2, 5, 6, root)),
			 XRDMA_CMD_OK);
	assert_int_equal(core_status(env, xrdma_make_create_cq(3, 2, CORE_PAGE,
							       CORE_CQ_LOG, cq)),
			 XRDMA_CMD_OK);
	memset(env->irqs, 0, sizeof(env->irqs));
	core_arm(rec, XRDMA_ARM_NEXT);
	model_eq_comp(env->dev, model_cq_get(env->dev, 3));
	assert_int_equal(env->irqs[5], 1);
	assert_int_equal(env->irqs[0] + env->irqs[2], 0);
}

static void a_corrupt_consumer_index_is_fatal(void **state)
{
	struct core_env *env = *state;
	u32 i;

	core_eq_rec(env, 0)->ci = cpu_to_le32(DEPTH + 1);
	for (i = 0; i < DEPTH + 1; i++)
		model_event(env->dev, XRDMA_EVENT_PORT_UP, 1);
	core_expect(env, MODEL_HERR_EQ_INDEX, 1);
	assert_true(core_read32(env, XRDMA_REG_STATUS) & XRDMA_STATUS_FATAL);
}

static void device_fatal_is_the_last_event(void **state)
{
	struct core_env *env = *state;

	a_qp(env);
	memset(env->irqs, 0, sizeof(env->irqs));
	core_arm(core_eq_rec(env, 0), XRDMA_ARM_NEXT);
	model_device_fatal(env->dev, XRDMA_FATAL_INTERNAL);
	assert_int_equal(core_eqe(env, 0, 0)->event, XRDMA_EVENT_DEVICE_FATAL);
	assert_int_equal(env->irqs[0], 1);
	model_event(env->dev, XRDMA_EVENT_PORT_UP, 1);
	raise_fault(env);
	assert_null(core_eqe(env, 0, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CORE_TEST(create_checks_parameters, queues),
		CORE_TEST(destroy_waits_for_its_cqs, queues),
		CORE_TEST(an_arming_fires_once, queues),
		CORE_TEST(async_events_wait_for_room, queues),
		CORE_TEST(comp_events_wait_with_their_cq, queues),
		CORE_TEST(a_destroyed_cq_has_no_event, queues),
		CORE_TEST(fault_record_has_all_fields, queues),
		CORE_TEST(fault_records_leave_half_of_the_queue, queues),
		CORE_TEST(an_event_raises_the_vector_of_its_queue, queues),
		CORE_TEST(a_corrupt_consumer_index_is_fatal, queues),
		CORE_TEST(device_fatal_is_the_last_event, queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
