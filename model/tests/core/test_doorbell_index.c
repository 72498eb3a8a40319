// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the base contract of doorbells, without shadow doorbells: the doorbell
 * of a send queue has the producer index, and doorbells arm completion and event
 * queues. test_doorbell.c has the tests of shadow doorbells.
 */
#include <string.h>

#include "tests/lib/core_env.h"

#define DEPTH	BIT(CORE_WQ_LOG)

static struct {
	struct core_env *env;
	struct core_qp cqp;
} t;

/* Events in queue @eqn that setup() has not seen; of queue 0 there may be some. */
static u32 first[2];

static u32 events(u32 eqn)
{
	u32 n = 0;

	while (core_eqe(t.env, eqn, first[eqn] + n))
		n++;
	return n;
}

static int setup(void **state)
{
	core_setup(state);
	t.env = *state;
	t.env->no_shadow = true;
	core_make_queues(t.env);
	core_create_qp(t.env, 5, &t.cqp);
	core_to_rts(t.env, &t.cqp);
	memset(first, 0, sizeof(first));
	first[0] = events(0);
	first[1] = events(1);
	return 0;
}

static void ring(u32 pi)
{
	core_doorbell(t.env, CORE_PAGE, XRDMA_DB_SQ, xrdma_make_sq_db(5, pi));
	model_device_poll(t.env->dev);
}

static void arm_cq(u32 type, u32 index)
{
	core_doorbell(t.env, CORE_PAGE, XRDMA_DB_CQ,
		      xrdma_make_arm_db(1, type, index));
}

static void arm_eq(u32 eqn, u32 index)
{
	core_doorbell(t.env, 0, XRDMA_DB_EQ,
		      xrdma_make_arm_db(eqn, XRDMA_ARM_NEXT, index));
}

static void push(u64 wr_id, u8 status, u16 flags)
{
	struct xrdma_cqe cqe = {
		.wr_id = cpu_to_le64(wr_id),
		.status = status,
		.flags = cpu_to_le16(flags),
	};

	assert_int_equal(model_cq_push(t.env->dev,
				       model_cq_get(t.env->dev, 1), &cqe), 0);
}

static bool done(u32 index)
{
	return core_cqe(t.env, 1, index);
}

static void the_doorbell_has_the_index(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 3; i++)
		core_post_send(&t.cqp, XRDMA_WQE_SIGNALED, i);
	/* the device must not read this */
	t.cqp.rec->sq_pi = cpu_to_le32(0xdead);
	ring(2);
	model_device_poll(t.env->dev);
	assert_true(done(1));
	assert_false(done(2));
	ring(3);
	model_device_poll(t.env->dev);
	assert_true(done(2));
	assert_int_equal(t.cqp.rec->sq_event, 0);
}

static void the_device_sleeps_without_losing_an_entry(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 40; i++) {
		core_post_send(&t.cqp, XRDMA_WQE_SIGNALED, i);
		core_doorbell(t.env, CORE_PAGE, XRDMA_DB_SQ,
			      xrdma_make_sq_db(5, i + 1));
		if (i % 3 == 0)
			assert_true(model_device_park(t.env->dev));
		model_device_poll(t.env->dev);
		assert_true(done(i));
		assert_false(model_device_park(t.env->dev));
		assert_false(t.cqp.qp->active);
		core_cq_rec(t.env, 1)->ci = cpu_to_le32(i + 1);
	}
}

static void an_older_index_changes_nothing(void **state)
{
	(void)state;
	core_post_send(&t.cqp, XRDMA_WQE_SIGNALED, 0);
	core_post_send(&t.cqp, XRDMA_WQE_SIGNALED, 1);
	ring(2);
	ring(1);
	model_device_poll(t.env->dev);
	assert_true(done(1));
	assert_int_equal(t.cqp.qp->state, XRDMA_QPS_RTS);
	assert_int_equal(t.env->dev->user_errors, 0);
}

static void an_index_beyond_the_ring_is_corrupt(void **state)
{
	(void)state;
	ring(DEPTH + 1);
	assert_int_equal(t.cqp.qp->state, XRDMA_QPS_ERR);
	assert_int_equal(core_eqe(t.env, 0, first[0])->event,
			 XRDMA_EVENT_QP_FATAL);
	assert_int_equal(t.env->dev->user_errors, 1);
}

/* A doorbell from before the change to RESET arrives after the change. */
static void reset_forgets_the_index(void **state)
{
	(void)state;
	core_post_send(&t.cqp, XRDMA_WQE_SIGNALED, 0);
	ring(1);
	assert_true(done(0));
	assert_int_equal(core_status(t.env,
				     core_make_modify(5, XRDMA_QPS_RESET)),
			 XRDMA_CMD_OK);
	ring(1);
	core_to_rts(t.env, &t.cqp);
	model_device_poll(t.env->dev);
	assert_false(done(1));
	assert_int_equal(t.cqp.qp->state, XRDMA_QPS_RTS);
	ring(1);
	assert_true(done(1));
}

static void entries_rung_in_error_are_flushed(void **state)
{
	(void)state;
	assert_int_equal(core_status(t.env, core_make_modify(5, XRDMA_QPS_ERR)),
			 XRDMA_CMD_OK);
	core_post_send(&t.cqp, 0, 7);
	ring(1);
	assert_int_equal(core_cqe(t.env, 1, 0)->status, XRDMA_WC_WR_FLUSH_ERR);
}

static void an_arming_fires_once(void **state)
{
	(void)state;
	/* the device must not read this */
	core_arm(core_cq_rec(t.env, 1), XRDMA_ARM_NEXT);
	push(0, 0, 0);
	assert_int_equal(events(1), 0);
	arm_cq(XRDMA_ARM_NEXT, 1);
	assert_int_equal(events(1), 0);
	push(1, 0, 0);
	push(2, 0, 0);
	assert_int_equal(events(1), 1);
	assert_int_equal(core_eqe(t.env, 1, first[1])->event,
			 XRDMA_EVENT_CQ_COMP);
	arm_cq(XRDMA_ARM_NEXT, 3);
	push(3, 0, 0);
	assert_int_equal(events(1), 2);
}

/* An entry was written after the host had looked, before the doorbell came. */
static void an_unseen_entry_fires_at_once(void **state)
{
	(void)state;
	push(0, 0, 0);
	arm_cq(XRDMA_ARM_NEXT, 0);
	assert_int_equal(events(1), 1);
	push(1, 0, 0);
	assert_int_equal(events(1), 1);
}

static void solicited_fires_for_unseen_solicited_entries(void **state)
{
	(void)state;
	push(0, 0, XRDMA_CQE_SOLICITED);
	push(1, 0, 0);
	arm_cq(XRDMA_ARM_SOLICITED, 1);
	assert_int_equal(events(1), 0);
	arm_cq(XRDMA_ARM_SOLICITED, 0);
	assert_int_equal(events(1), 1);
	push(2, XRDMA_WC_WR_FLUSH_ERR, 0);
	arm_cq(XRDMA_ARM_SOLICITED, 2);
	assert_int_equal(events(1), 2);
	arm_cq(XRDMA_ARM_SOLICITED, 3);
	push(3, 0, 0);
	assert_int_equal(events(1), 2);
	push(4, 0, XRDMA_CQE_SOLICITED);
	assert_int_equal(events(1), 3);
}

static void bad_armings_are_refused(void **state)
{
	(void)state;
	push(0, 0, 0);
	arm_cq(XRDMA_ARM_NEXT, 2);
	arm_cq(XRDMA_ARM_NONE, 0);
	arm_cq(3, 0);
	core_doorbell(t.env, CORE_PAGE, XRDMA_DB_CQ,
		      xrdma_make_arm_db(77, XRDMA_ARM_NEXT, 0));
	core_doorbell(t.env, CORE_PAGE + 1, XRDMA_DB_CQ,
		      xrdma_make_arm_db(1, XRDMA_ARM_NEXT, 0));
	core_doorbell(t.env, CORE_PAGE, XRDMA_DB_CQ, 1ULL << 26 |
		      xrdma_make_arm_db(1, XRDMA_ARM_NEXT, 0));
	core_doorbell(t.env, CORE_PAGE, XRDMA_DB_EQ,
		      xrdma_make_arm_db(1, XRDMA_ARM_NEXT, 0));
	assert_int_equal(t.env->dev->db_errors, 7);
	assert_int_equal(events(1), 0);
	core_doorbell(t.env, 0, XRDMA_DB_CQ,
		      xrdma_make_arm_db(1, XRDMA_ARM_NEXT, 0));
	arm_eq(1, 1000);
	arm_eq(9, 0);
	core_expect(t.env, MODEL_HERR_DOORBELL_ARM, 3);
	push(1, 0, 0);
	assert_int_equal(events(1), 0);
}

static void event_queues_are_armed_likewise(void **state)
{
	(void)state;
	memset(t.env->irqs, 0, sizeof(t.env->irqs));
	core_arm(core_eq_rec(t.env, 0), XRDMA_ARM_NEXT);
	model_event(t.env->dev, XRDMA_EVENT_PORT_UP, 1);
	assert_int_equal(t.env->irqs[0], 0);
	arm_eq(0, first[0]);
	assert_int_equal(t.env->irqs[0], 1);
	model_event(t.env->dev, XRDMA_EVENT_PORT_UP, 1);
	assert_int_equal(t.env->irqs[0], 1);
	arm_eq(0, first[0] + 2);
	assert_int_equal(t.env->irqs[0], 1);
	model_event(t.env->dev, XRDMA_EVENT_PORT_UP, 1);
	model_event(t.env->dev, XRDMA_EVENT_PORT_UP, 1);
	assert_int_equal(t.env->irqs[0], 2);
}

/* The period begins with an entry after the arming; the count is 2. */
static void moderation_applies_to_later_entries(void **state)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_MODIFY_CQ);

	(void)state;
	cmd.modify_cq.cqn = cpu_to_le32(1);
	cmd.modify_cq.count = cpu_to_le16(2);
	assert_int_equal(core_status(t.env, cmd), XRDMA_CMD_OK);
	arm_cq(XRDMA_ARM_NEXT, 0);
	push(0, 0, 0);
	assert_int_equal(events(1), 0);
	push(1, 0, 0);
	assert_int_equal(events(1), 1);
}

static void ctrl_chooses_shadow_doorbells(void **state)
{
	struct core_env *env = *state;

	core_set_up_rings(env);
	core_write32(env, XRDMA_REG_CTRL, XRDMA_CTRL_SHADOW_DB);
	env->dev->caps &= ~XRDMA_CAP_SHADOW_DB;
	core_write32(env, XRDMA_REG_CTRL,
		     XRDMA_CTRL_ENABLE | XRDMA_CTRL_SHADOW_DB);
	core_expect(env, MODEL_HERR_REG_RESERVED, 2);
	assert_int_equal(core_read32(env, XRDMA_REG_CTRL), 0);
	env->dev->caps |= XRDMA_CAP_SHADOW_DB;
	core_write32(env, XRDMA_REG_CTRL,
		     XRDMA_CTRL_ENABLE | XRDMA_CTRL_SHADOW_DB);
	assert_int_equal(core_read32(env, XRDMA_REG_CTRL),
			 XRDMA_CTRL_ENABLE | XRDMA_CTRL_SHADOW_DB);
	core_write32(env, XRDMA_REG_CTRL, XRDMA_CTRL_ENABLE);
	core_expect(env, MODEL_HERR_REG_ILLEGAL, 1);
	core_doorbell(env, 0, XRDMA_DB_CQ, 0);
	core_doorbell(env, 0, XRDMA_DB_EQ, 0);
	core_expect(env, MODEL_HERR_DOORBELL_RANGE, 2);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, core_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(the_doorbell_has_the_index),
		T(the_device_sleeps_without_losing_an_entry),
		T(an_older_index_changes_nothing),
		T(an_index_beyond_the_ring_is_corrupt),
		T(reset_forgets_the_index),
		T(entries_rung_in_error_are_flushed),
		T(an_arming_fires_once),
		T(an_unseen_entry_fires_at_once),
		T(solicited_fires_for_unseen_solicited_entries),
		T(bad_armings_are_refused),
		T(event_queues_are_armed_likewise),
		T(moderation_applies_to_later_entries),
		cmocka_unit_test_setup_teardown(ctrl_chooses_shadow_doorbells,
						core_setup, core_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
