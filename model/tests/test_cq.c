// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues: creation, entries, arming, overflow.
 */
#include <errno.h>
#include <string.h>

#include "core_env.h"

#define DEPTH	BIT(CORE_CQ_LOG)

static int push(struct core_env *env, u64 wr_id, u8 status, u16 flags)
{
	struct xrdma_cqe cqe = {
		.wr_id = cpu_to_le64(wr_id),
		.status = status,
		.flags = cpu_to_le16(flags),
	};

	return xrdma_cq_push(env->dev, xrdma_cq_get(env->dev, 1), &cqe);
}

static void create_checks_parameters(void **state)
{
	struct core_env *env = *state;
	u64 root = core_queue(env, 6);
	struct xrdma_cmd cmd = xrdma_make_create_cq(3, 1, 6, root);

	cmd.create_cq.reserved[6] = 1;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	cmd = xrdma_make_create_cq(3, 1, XRDMA_CQ_LOG_MIN - 1, root);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	cmd = xrdma_make_create_cq(3, 1, XRDMA_CQ_LOG_MAX + 1, root);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	cmd = xrdma_make_create_cq(3, 1, 6, root | 0x200);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	core_expect(env, XRDMA_HERR_CMD_PARAM, 4);
	cmd = xrdma_make_create_cq(1, 1, 6, root);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_NUMBER);
	cmd = xrdma_make_create_cq(3, 9, 6, root);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_NUMBER);
	cmd = xrdma_make_create_cq(XRDMA_MAX_CQ, 1, 6, root);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_NUMBER);
	core_expect(env, XRDMA_HERR_CMD_NUMBER, 3);
}

static void destroy_waits_for_its_qps(void **state)
{
	struct core_env *env = *state;
	struct core_qp cqp;

	core_create_qp(env, 5, &cqp);
	assert_int_equal(core_object(env, XRDMA_CMD_DESTROY_CQ, 2),
			 XRDMA_CMD_BUSY);
	core_expect(env, XRDMA_HERR_CMD_BUSY, 1);
	assert_int_equal(core_object(env, XRDMA_CMD_DESTROY_QP, 5),
			 XRDMA_CMD_OK);
	assert_int_equal(core_object(env, XRDMA_CMD_DESTROY_CQ, 2),
			 XRDMA_CMD_OK);
}

static void entries_go_round_the_ring(void **state)
{
	struct core_env *env = *state;
	u32 i;

	for (i = 0; i < 3 * DEPTH + 1; i++) {
		assert_null(core_cqe(env, 1, i));
		assert_int_equal(push(env, i, 0, 0), 0);
		assert_int_equal(le64_to_cpu(core_cqe(env, 1, i)->wr_id), i);
		core_cq_rec(env, 1)->ci = cpu_to_le32(i + 1);
	}
}

static void next_fires_once(void **state)
{
	struct core_env *env = *state;

	push(env, 0, 0, 0);
	assert_null(core_eqe(env, 1, 0));
	core_arm(core_cq_rec(env, 1), XRDMA_ARM_NEXT);
	assert_null(core_eqe(env, 1, 0));
	push(env, 1, 0, 0);
	push(env, 2, 0, 0);
	assert_int_equal(core_eqe(env, 1, 0)->event, XRDMA_EVENT_CQ_COMP);
	assert_int_equal(le32_to_cpu(core_eqe(env, 1, 0)->number), 1);
	assert_null(core_eqe(env, 1, 1));
	core_arm(core_cq_rec(env, 1), XRDMA_ARM_NEXT);
	push(env, 3, 0, 0);
	assert_non_null(core_eqe(env, 1, 1));
}

static void solicited_fires_for_solicited_and_errors(void **state)
{
	struct core_env *env = *state;

	core_arm(core_cq_rec(env, 1), XRDMA_ARM_SOLICITED);
	push(env, 0, 0, XRDMA_CQE_SEND);
	assert_null(core_eqe(env, 1, 0));
	push(env, 1, 0, XRDMA_CQE_SOLICITED);
	assert_non_null(core_eqe(env, 1, 0));
	core_arm(core_cq_rec(env, 1), XRDMA_ARM_SOLICITED);
	push(env, 2, XRDMA_WC_WR_FLUSH_ERR, 0);
	assert_non_null(core_eqe(env, 1, 1));
}

/* Arming for any entry overrides an earlier one for solicited entries. */
static void rearming_changes_the_type(void **state)
{
	struct core_env *env = *state;

	core_arm(core_cq_rec(env, 1), XRDMA_ARM_SOLICITED);
	core_arm(core_cq_rec(env, 1), XRDMA_ARM_NEXT);
	push(env, 0, 0, 0);
	assert_non_null(core_eqe(env, 1, 0));
}

static void overflow_kills_the_queue_and_its_qps(void **state)
{
	struct core_env *env = *state;
	struct core_qp cqp;
	u32 i;

	core_create_qp(env, 5, &cqp);
	core_to_rts(env, &cqp);
	core_post_recv(&cqp, 77);
	for (i = 0; i < DEPTH; i++)
		assert_int_equal(push(env, i, 0, 0), 0);
	assert_int_equal(push(env, i, 0, 0), -EPIPE);
	assert_int_equal(core_eqe(env, 0, 0)->event, XRDMA_EVENT_CQ_ERR);
	assert_int_equal(le32_to_cpu(core_eqe(env, 0, 0)->number), 1);
	assert_int_equal(cqp.qp->state, XRDMA_QPS_ERR);
	/* its other queue still works */
	assert_int_equal(le64_to_cpu(core_cqe(env, 2, 0)->wr_id), 77);
	assert_int_equal(core_cqe(env, 2, 0)->status, XRDMA_WC_WR_FLUSH_ERR);
	core_cq_rec(env, 1)->ci = cpu_to_le32(DEPTH);
	assert_int_equal(push(env, 0, 0, 0), -EPIPE);
	assert_null(core_cqe(env, 1, DEPTH));
}

/* A user's index that runs ahead is no host error. */
static void a_corrupt_consumer_index_kills_the_queue(void **state)
{
	struct core_env *env = *state;
	u32 i;

	core_cq_rec(env, 1)->ci = cpu_to_le32(5000);
	for (i = 0; i < DEPTH; i++)
		assert_int_equal(push(env, i, 0, 0), 0);
	assert_int_equal(push(env, i, 0, 0), -EPIPE);
	assert_int_equal(env->dev->user_errors, 1);
	assert_true(xrdma_cq_get(env->dev, 1)->dead);
}

/* The memory of a queue goes while it is in use: no stale pointer is used. */
static void unmapped_memory_kills_the_queue(void **state)
{
	struct core_env *env = *state;

	assert_int_equal(push(env, 0, 0, 0), 0);
	assert_int_equal(xrdma_dma_unmap(env->dma, CORE_IOVA, CORE_MEM_SIZE),
			 0);
	assert_int_equal(push(env, 1, 0, 0), -EPIPE);
	assert_true(env->herr->count[XRDMA_HERR_DMA_UNMAPPED] >= 1);
	core_expect(env, XRDMA_HERR_DMA_UNMAPPED,
		    env->herr->count[XRDMA_HERR_DMA_UNMAPPED]);
	assert_null(core_cqe(env, 1, 1));
}

#define T(name)								\
	cmocka_unit_test_setup_teardown(name, core_setup_queues,	\
					core_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(create_checks_parameters),
		T(destroy_waits_for_its_qps),
		T(entries_go_round_the_ring),
		T(next_fires_once),
		T(solicited_fires_for_solicited_and_errors),
		T(rearming_changes_the_type),
		T(overflow_kills_the_queue_and_its_qps),
		T(a_corrupt_consumer_index_kills_the_queue),
		T(unmapped_memory_kills_the_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
