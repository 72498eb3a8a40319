// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of completion queues: creation, entries, arming, resizing, overflow.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "tests/lib/core_env.h"

#define DEPTH	BIT(CORE_CQ_LOG)

/* Queue pairs of a chain, and the number of its first CQ. */
#define CHAIN	14000
#define CHAIN_CQ	3

static int push(struct core_env *env, u64 wr_id, u8 status, u16 flags)
{
	struct xrdma_cqe cqe = {
		.wr_id = cpu_to_le64(wr_id),
		.status = status,
		.flags = cpu_to_le16(flags),
	};

	return model_cq_push(env->dev, model_cq_get(env->dev, 1), &cqe);
}

static void create_checks_parameters(void **state)
{
	struct core_env *env = *state;
	u64 root = core_queue(env, 6);
	struct xrdma_cmd cmd = xrdma_make_create_cq(3, 1, 0, 6, root);

	cmd.create_cq.reserved[2] = 1;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	cmd = xrdma_make_create_cq(3, 1, 0, XRDMA_CQ_LOG_MIN - 1, root);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	cmd = xrdma_make_create_cq(3, 1, 0, MODEL_CQ_LOG_MAX + 1, root);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	cmd = xrdma_make_create_cq(3, 1, 0, 6, root | 0x200);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	core_expect(env, MODEL_HERR_CMD_PARAM, 4);
	cmd = xrdma_make_create_cq(1, 1, 0, 6, root);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_NUMBER);
	cmd = xrdma_make_create_cq(3, 9, 0, 6, root);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_NUMBER);
	cmd = xrdma_make_create_cq(MODEL_MAX_CQ, 1, 0, 6, root);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_NUMBER);
	core_expect(env, MODEL_HERR_CMD_NUMBER, 3);
}

static void destroy_waits_for_its_qps(void **state)
{
	struct core_env *env = *state;
	struct core_qp cqp;

	core_create_qp(env, 5, &cqp);
	assert_int_equal(core_object(env, XRDMA_CMD_DESTROY_CQ, 2),
			 XRDMA_CMD_BUSY);
	core_expect(env, MODEL_HERR_CMD_BUSY, 1);
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

static void overflow_is_an_error_of_queue_and_qps(void **state)
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
	/* the queue pair's other CQ still works */
	assert_int_equal(le64_to_cpu(core_cqe(env, 2, 0)->wr_id), 77);
	assert_int_equal(core_cqe(env, 2, 0)->status, XRDMA_WC_WR_FLUSH_ERR);
	core_cq_rec(env, 1)->ci = cpu_to_le32(DEPTH);
	assert_int_equal(push(env, 0, 0, 0), -EPIPE);
	assert_null(core_cqe(env, 1, DEPTH));
}

/*
 * Make CQs and queue pairs of which each queue pair sends to one CQ and receives
 * from the next one, and has one more receive posted than a CQ has entries. All
 * CQs share one ring, and all queue pairs too.
 */
static void make_chain(struct core_env *env)
{
	u64 root = core_queue(env, CORE_CQ_LOG);
	struct xrdma_cmd qp = core_make_qp(env, XRDMA_QPN_FIRST);
	struct xrdma_qp_rec *rec;
	u32 i;

	qp.create_qp.log_rq_depth = CORE_CQ_LOG + 1;
	for (i = 0; i <= CHAIN; i++)
		assert_int_equal(core_status(env, xrdma_make_create_cq
					     (CHAIN_CQ + i, 1, 0, CORE_CQ_LOG,
					      root)), XRDMA_CMD_OK);
	for (i = 0; i < CHAIN; i++) {
		qp.create_qp.qpn = cpu_to_le32(XRDMA_QPN_FIRST + i);
		qp.create_qp.send_cqn = cpu_to_le32(CHAIN_CQ + i);
		qp.create_qp.recv_cqn = cpu_to_le32(CHAIN_CQ + i + 1);
		assert_int_equal(core_status(env, qp), XRDMA_CMD_OK);
		assert_int_equal(core_status(env, core_make_modify
					     (XRDMA_QPN_FIRST + i,
					      XRDMA_QPS_INIT)), XRDMA_CMD_OK);
	}
	rec = core_ptr(env, (le64_to_cpu(qp.create_qp.root) & XRDMA_ROOT_ADDR) +
		       model_qp_get(env->dev, XRDMA_QPN_FIRST)->rec.base);
	rec->rq_pi = cpu_to_le32(DEPTH + 1);
}

/*
 * The flushed receives of a queue pair make the next CQ fail, and so on. Such a
 * chain needs little stack, and each failure costs no search of all queue pairs.
 */
static void a_chain_of_overflows_is_bounded(void **state)
{
	struct core_env *env = *state;
	struct xrdma_cqe cqe = {};
	const struct model_qp *qp;
	clock_t start;
	u32 i;

	make_chain(env);
	start = clock();
	for (i = 0; i <= DEPTH; i++)
		model_cq_push(env->dev, model_cq_get(env->dev, CHAIN_CQ), &cqe);
	assert_true(clock() - start < CHAIN * CLOCKS_PER_SEC / 20000);
	for (i = 0; i < CHAIN; i++) {
		qp = model_qp_get(env->dev, XRDMA_QPN_FIRST + i);
		assert_int_equal(qp->state, XRDMA_QPS_ERR);
		assert_int_equal(qp->rq.ci, DEPTH + 1);
		assert_true(qp->send_cq->dead && qp->recv_cq->dead);
	}
	assert_int_equal(model_eq_get(env->dev, 0)->pi +
			 model_eq_get(env->dev, 0)->num_waiting, CHAIN + 1);
}

/* A wrong consumer index in memory of a user is no host error. */
static void a_corrupt_consumer_index_is_an_error(void **state)
{
	struct core_env *env = *state;
	u32 i;

	core_cq_rec(env, 1)->ci = cpu_to_le32(5000);
	for (i = 0; i < DEPTH; i++)
		assert_int_equal(push(env, i, 0, 0), 0);
	assert_int_equal(push(env, i, 0, 0), -EPIPE);
	assert_int_equal(env->dev->user_errors, 1);
	assert_true(model_cq_get(env->dev, 1)->dead);
}

/* The CQ's memory is unmapped while the CQ is in use: no stale access. */
static void unmapped_memory_is_an_error(void **state)
{
	struct core_env *env = *state;

	assert_int_equal(push(env, 0, 0, 0), 0);
	assert_int_equal(model_dma_unmap(env->dma, CORE_IOVA, CORE_MEM_SIZE),
			 0);
	assert_int_equal(push(env, 1, 0, 0), -EPIPE);
	assert_true(env->herr->count[MODEL_HERR_DMA_UNMAPPED] >= 1);
	core_expect(env, MODEL_HERR_DMA_UNMAPPED,
		    env->herr->count[MODEL_HERR_DMA_UNMAPPED]);
	assert_null(core_cqe(env, 1, 1));
}

/* Return: RESIZE_CQ with a new ring and record, as a host prepares them. */
static struct xrdma_cmd make_resize(struct core_env *env, u8 log_depth, u32 ci,
				    u32 arm)
{
	u64 root = core_queue(env, log_depth);
	struct xrdma_cqe *ring = core_ptr(env, root & XRDMA_ROOT_ADDR);
	struct xrdma_cq_rec *rec = (void *)(ring + (1 << log_depth));
	struct xrdma_cmd cmd = xrdma_make_create_cq(1, 0, 0, log_depth, root);
	u32 i;

	for (i = ci; i != ci + (1U << log_depth); i++)
		ring[xrdma_ring_slot(i, log_depth)].own =
			cpu_to_le32(!xrdma_ring_phase(i, log_depth));
	rec->ci = cpu_to_le32(ci);
	rec->arm = cpu_to_le32(arm);
	cmd.opcode = cpu_to_le16(XRDMA_CMD_RESIZE_CQ);
	return cmd;
}

/* Push entries and consume them as they come. */
static void go_round(struct core_env *env, u32 from, u32 to)
{
	u32 i;

	for (i = from; i != to; i++) {
		assert_null(core_cqe(env, 1, i));
		assert_int_equal(push(env, i, 0, 0), 0);
		assert_int_equal(le64_to_cpu(core_cqe(env, 1, i)->wr_id), i);
		core_cq_rec(env, 1)->ci = cpu_to_le32(i + 1);
	}
}

static void resizing_keeps_the_index(void **state)
{
	static const u8 depths[] = { 6, 8, 4, 5 };
	struct core_env *env = *state;
	const struct xrdma_cqe *old;
	const struct xrdma_rsp *rsp;
	struct xrdma_cqe before[DEPTH];
	struct xrdma_cmd cmd;
	u32 pi = DEPTH + 5, i;

	go_round(env, 0, pi);
	old = core_cqe(env, 1, pi - 1) - xrdma_ring_slot(pi - 1, CORE_CQ_LOG);
	memcpy(before, old, sizeof(before));
	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		cmd = make_resize(env, depths[i], pi, 0);
		rsp = core_cmd(env, &cmd);
		assert_int_equal(rsp->status, XRDMA_CMD_OK);
		assert_int_equal(le32_to_cpu(rsp->resize_cq.index), pi);
		go_round(env, pi, pi + 3 * (1U << depths[i]) + 7);
		pi += 3 * (1U << depths[i]) + 7;
	}
	assert_memory_equal(before, old, sizeof(before));
}

/* Unconsumed entries stay in the old ring, and count for the new one. */
static void unconsumed_entries_count_for_the_new_ring(void **state)
{
	struct core_env *env = *state;
	const struct xrdma_cqe *old;
	const struct xrdma_rsp *rsp;
	struct xrdma_cmd cmd;
	u32 i;

	for (i = 0; i < 10; i++)
		push(env, i, 0, 0);
	old = core_cqe(env, 1, 0);
	cmd = make_resize(env, 5, 2, 0);
	rsp = core_cmd(env, &cmd);
	assert_int_equal(rsp->status, XRDMA_CMD_OK);
	assert_int_equal(le32_to_cpu(rsp->resize_cq.index), 10);
	for (; i < 34; i++) {
		assert_int_equal(push(env, i, 0, 0), 0);
		assert_int_equal(le64_to_cpu(core_cqe(env, 1, i)->wr_id), i);
	}
	assert_int_equal(push(env, i, 0, 0), -EPIPE);
	assert_int_equal(le64_to_cpu(old[9].wr_id), 9);
	assert_int_equal(le32_to_cpu(old[10].own), 0);
}

/* Entries consumed from the old ring do not count for the new one. */
static void a_smaller_ring_overflows_in_time(void **state)
{
	struct core_env *env = *state;
	u32 i;

	assert_int_equal(core_status(env, make_resize(env, 6, 0, 0)),
			 XRDMA_CMD_OK);
	for (i = 0; i < 20; i++)
		push(env, i, 0, 0);
	assert_int_equal(core_status(env, make_resize(env, 4, 20, 0)),
			 XRDMA_CMD_OK);
	for (i = 0; i < 16; i++)
		assert_int_equal(push(env, i, 0, 0), 0);
	assert_int_equal(push(env, i, 0, 0), -EPIPE);
}

static void resize_checks_parameters(void **state)
{
	struct core_env *env = *state;
	struct xrdma_cmd cmd = make_resize(env, 5, 0, 0);
	u32 i;

	cmd.create_cq.eqn = cpu_to_le32(1);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	cmd = make_resize(env, 5, 0, 0);
	cmd.create_cq.log_depth = MODEL_CQ_LOG_MAX + 1;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	core_expect(env, MODEL_HERR_CMD_PARAM, 2);
	cmd = make_resize(env, 5, 0, 0);
	cmd.create_cq.cqn = cpu_to_le32(9);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_NUMBER);
	core_expect(env, MODEL_HERR_CMD_NUMBER, 1);
	cmd = make_resize(env, 5, 0, 0);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
	for (i = 0; i < 17; i++)
		push(env, i, 0, 0);
	/* too many entries, or an impossible index of a user: no host error */
	cmd = make_resize(env, 4, 0, 0);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_STATE);
	cmd = make_resize(env, 5, 18, 0);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_STATE);
	cmd = make_resize(env, 4, 1, 0);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
}

/* A CQ armed by its old record fires once after the resize. */
static void resizing_keeps_the_arming(void **state)
{
	struct core_env *env = *state;
	struct xrdma_cq_rec *old = core_cq_rec(env, 1);
	u32 arm;

	core_arm(old, XRDMA_ARM_NEXT);
	push(env, 0, 0, 0);
	assert_non_null(core_eqe(env, 1, 0));
	arm = le32_to_cpu(old->arm);
	assert_int_equal(core_status(env, make_resize(env, 5, 0, arm)),
			 XRDMA_CMD_OK);
	core_arm(old, XRDMA_ARM_NEXT);
	push(env, 1, 0, 0);
	assert_null(core_eqe(env, 1, 1));
	core_arm(core_cq_rec(env, 1), XRDMA_ARM_NEXT);
	push(env, 2, 0, 0);
	assert_non_null(core_eqe(env, 1, 1));
}

static u8 moderate(struct core_env *env, u32 cqn, u16 count, u16 period)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_MODIFY_CQ);

	cmd.modify_cq = (struct xrdma_cmd_modify_cq) {
		.cqn = cpu_to_le32(cqn),
		.count = cpu_to_le16(count),
		.period = cpu_to_le16(period),
	};
	return core_status(env, cmd);
}

static void moderation_waits_for_the_count(void **state)
{
	struct core_env *env = *state;
	u32 i;

	assert_int_equal(moderate(env, 1, 4, 0), XRDMA_CMD_OK);
	assert_int_equal(moderate(env, 9, 4, 0), XRDMA_CMD_BAD_NUMBER);
	core_expect(env, MODEL_HERR_CMD_NUMBER, 1);
	push(env, 0, 0, 0); /* not armed: the entry does not count */
	core_arm(core_cq_rec(env, 1), XRDMA_ARM_NEXT);
	for (i = 0; i < 3; i++)
		push(env, i, 0, 0);
	core_run_ms(env, 20);
	assert_null(core_eqe(env, 1, 0));
	push(env, 3, 0, 0);
	assert_non_null(core_eqe(env, 1, 0));
	core_arm(core_cq_rec(env, 1), XRDMA_ARM_SOLICITED);
	for (i = 0; i < 3; i++)
		push(env, i, 0, XRDMA_CQE_SOLICITED);
	push(env, i, 0, 0);
	assert_null(core_eqe(env, 1, 1));
	push(env, 3, 0, XRDMA_CQE_SOLICITED);
	assert_non_null(core_eqe(env, 1, 1));
}

static void moderation_waits_no_longer_than_the_period(void **state)
{
	struct core_env *env = *state;

	assert_int_equal(moderate(env, 1, 100, 2000), XRDMA_CMD_OK);
	core_arm(core_cq_rec(env, 1), XRDMA_ARM_NEXT);
	push(env, 0, 0, 0);
	push(env, 1, 0, 0);
	assert_null(core_eqe(env, 1, 0));
	core_run_ms(env, 20);
	assert_non_null(core_eqe(env, 1, 0));
	/* the CQ has fired, and has not been armed again */
	push(env, 2, 0, 0);
	core_run_ms(env, 20);
	assert_null(core_eqe(env, 1, 1));
}

static void errors_are_not_moderated(void **state)
{
	struct core_env *env = *state;

	assert_int_equal(moderate(env, 1, 100, 0), XRDMA_CMD_OK);
	core_arm(core_cq_rec(env, 1), XRDMA_ARM_NEXT);
	push(env, 0, 0, 0);
	assert_null(core_eqe(env, 1, 0));
	push(env, 1, XRDMA_WC_WR_FLUSH_ERR, 0);
	assert_non_null(core_eqe(env, 1, 0));
}

/* Ending moderation, or destroying the CQ, leaves no pending event. */
static void moderation_ends(void **state)
{
	struct core_env *env = *state;

	assert_int_equal(moderate(env, 1, 100, 10000), XRDMA_CMD_OK);
	core_arm(core_cq_rec(env, 1), XRDMA_ARM_NEXT);
	push(env, 0, 0, 0);
	assert_null(core_eqe(env, 1, 0));
	assert_int_equal(moderate(env, 1, 0, 0), XRDMA_CMD_OK);
	assert_non_null(core_eqe(env, 1, 0));
	assert_int_equal(moderate(env, 1, 100, 10000), XRDMA_CMD_OK);
	core_arm(core_cq_rec(env, 1), XRDMA_ARM_NEXT);
	push(env, 1, 0, 0);
	assert_int_equal(core_object(env, XRDMA_CMD_DESTROY_CQ, 1),
			 XRDMA_CMD_OK);
	core_run_ms(env, 30);
	assert_null(core_eqe(env, 1, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CORE_TEST(create_checks_parameters, queues),
		CORE_TEST(destroy_waits_for_its_qps, queues),
		CORE_TEST(entries_go_round_the_ring, queues),
		CORE_TEST(next_fires_once, queues),
		CORE_TEST(solicited_fires_for_solicited_and_errors, queues),
		CORE_TEST(rearming_changes_the_type, queues),
		CORE_TEST(overflow_is_an_error_of_queue_and_qps, queues),
		CORE_TEST(a_chain_of_overflows_is_bounded, queues),
		CORE_TEST(a_corrupt_consumer_index_is_an_error, queues),
		CORE_TEST(unmapped_memory_is_an_error, queues),
		CORE_TEST(resizing_keeps_the_index, queues),
		CORE_TEST(unconsumed_entries_count_for_the_new_ring, queues),
		CORE_TEST(a_smaller_ring_overflows_in_time, queues),
		CORE_TEST(resize_checks_parameters, queues),
		CORE_TEST(resizing_keeps_the_arming, queues),
		CORE_TEST(moderation_waits_for_the_count, queues),
		CORE_TEST(moderation_waits_no_longer_than_the_period, queues),
		CORE_TEST(errors_are_not_moderated, queues),
		CORE_TEST(moderation_ends, queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
