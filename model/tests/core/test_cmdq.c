// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the command ring: order of replies, phase bits, refused commands,
 * injected faults, and commands without an object. Commands of objects are
 * tested with their objects.
 */
#include <errno.h>
#include <string.h>

#include "tests/lib/core_env.h"

static void replies_go_round_the_ring(void **state)
{
	struct xrdma_cmd nop = xrdma_make_cmd(XRDMA_CMD_NOP);
	struct core_env *env = *state;
	unsigned int i;

	for (i = 0; i < 3 << CORE_CMD_LOG; i++)
		assert_int_equal(core_cmd(env, &nop)->status, XRDMA_CMD_OK);
	assert_int_equal(env->irqs[0], 3 << CORE_CMD_LOG);
	assert_int_equal(env->dev->stats[XRDMA_STAT_COMMANDS],
			 3 << CORE_CMD_LOG);
}

static void a_full_ring_is_carried_out_in_order(void **state)
{
	struct xrdma_cmd nop = xrdma_make_cmd(XRDMA_CMD_NOP);
	struct core_env *env = *state;
	unsigned int i;

	for (i = 0; i < 1 << CORE_CMD_LOG; i++)
		core_post(env, &nop);
	model_device_poll(env->dev);
	for (i = 0; i < 1 << CORE_CMD_LOG; i++)
		assert_int_equal(le16_to_cpu(core_reply(env, i)->id), i);
}

static void a_bad_index_is_refused(void **state)
{
	struct xrdma_cmd nop = xrdma_make_cmd(XRDMA_CMD_NOP);
	struct core_env *env = *state;

	core_write32(env, XRDMA_REG_CMD_DB, (1 << CORE_CMD_LOG) + 1);
	assert_false(model_cmdq_poll(env->dev));
	core_write32(env, XRDMA_REG_CMD_DB, -1);
	assert_false(model_cmdq_poll(env->dev));
	core_post(env, &nop);
	core_post(env, &nop);
	core_write32(env, XRDMA_REG_CMD_DB, 1);
	core_expect(env, MODEL_HERR_CMD_INDEX, 3);
	model_device_poll(env->dev);
	assert_non_null(core_reply(env, 1));
}

static void unknown_commands_are_refused(void **state)
{
	static const u16 opcodes[] = {
		0x09, 0x12, 0x24, 0x34, 0x44, 0x56, 0x63, 0x64,
		0xffff,
	};
	struct core_env *env = *state;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++)
		assert_int_equal(core_status(env, xrdma_make_cmd(opcodes[i])),
				 XRDMA_CMD_BAD_OPCODE);
	core_expect(env, MODEL_HERR_CMD_OPCODE, ARRAY_SIZE(opcodes));
}

static void reserved_bytes_are_refused(void **state)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_NOP);
	struct core_env *env = *state;

	cmd.reserved = cpu_to_le32(1);
	assert_int_equal(core_cmd(env, &cmd)->status, XRDMA_CMD_BAD_PARAM);
	cmd = xrdma_make_cmd(XRDMA_CMD_NOP);
	cmd.body[119] = 1;
	assert_int_equal(core_cmd(env, &cmd)->status, XRDMA_CMD_BAD_PARAM);
	cmd = xrdma_make_object_cmd(XRDMA_CMD_DESTROY_QP, 1);
	cmd.body[4] = 1;
	assert_int_equal(core_cmd(env, &cmd)->status, XRDMA_CMD_BAD_PARAM);
	core_expect(env, MODEL_HERR_CMD_RESERVED, 3);
}

static void query_device_reports_limits(void **state)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_QUERY_DEVICE);
	static const u8 guid[] = {
		0x00, 0xaa, 0xbb, 0xff, 0xfe, 0xcc, 0xdd, 0xee
	};
	const struct xrdma_rsp_query_device *rsp;
	struct core_env *env = *state;

	rsp = &core_cmd(env, &cmd)->query_device;
	assert_memory_equal(rsp->node_guid, guid, sizeof(guid));
	assert_int_equal(le32_to_cpu(rsp->max_qp), 65536);
	assert_int_equal(le32_to_cpu(rsp->max_eq), 64);
	assert_int_equal(le32_to_cpu(rsp->max_srq), 16384);
	assert_int_equal(le32_to_cpu(rsp->max_mcast), 128);
	assert_int_equal(rsp->log_max_qp_wr, 15);
	assert_int_equal(rsp->log_max_keys, 24);
	assert_int_equal(le16_to_cpu(rsp->max_mtu), 9000);
}

static void query_stats_writes_counters(void **state)
{
	struct core_env *env = *state;
	u64 addr = core_alloc(env, 4096, 4096);
	__le64 *values = core_ptr(env, addr);
	struct xrdma_cmd bad;

	memset(values, 0xee, 4096);
	env->dev->stats[XRDMA_STAT_RX_BYTES] = 0x123456789a;
	bad = xrdma_make_query_stats(addr, XRDMA_NUM_STATS);
	assert_int_equal(core_status(env, bad), XRDMA_CMD_OK);
	assert_int_equal(le64_to_cpu(values[XRDMA_STAT_RX_BYTES]),
			 0x123456789a);
	assert_int_equal(le64_to_cpu(values[XRDMA_STAT_COMMANDS]), 1);
	assert_int_equal(values[XRDMA_NUM_STATS], 0xeeeeeeeeeeeeeeee);

	bad = xrdma_make_query_stats(addr, XRDMA_NUM_STATS + 1);
	assert_int_equal(core_status(env, bad), XRDMA_CMD_BAD_PARAM);
	bad = xrdma_make_query_stats(addr + 4, 1);
	assert_int_equal(core_status(env, bad), XRDMA_CMD_BAD_PARAM);
	bad = xrdma_make_query_stats(addr, 0);
	assert_int_equal(core_status(env, bad), XRDMA_CMD_BAD_PARAM);
	core_expect(env, MODEL_HERR_CMD_PARAM, 3);
	bad = xrdma_make_query_stats(CORE_IOVA - 8, 1);
	assert_int_equal(core_status(env, bad), XRDMA_CMD_BAD_DMA);
	core_expect(env, MODEL_HERR_CMD_DMA, 1);
	core_expect(env, MODEL_HERR_DMA_UNMAPPED, 1);
}

static void add_fault(struct core_env *env, enum model_cmd_fault_kind kind,
		      u16 opcode)
{
	struct model_cmd_fault fault = {
		.count = 1,
		.kind = kind,
		.opcode = opcode,
		.delay_ns = 3000000,
	};

	if (kind == MODEL_CMD_FAULT_FAIL)
		fault.status = XRDMA_CMD_NO_RESOURCE;
	assert_int_equal(model_cmdq_add_fault(env->dev, &fault), 0);
}

static void a_hung_command_does_not_stop_others(void **state)
{
	struct xrdma_cmd nop = xrdma_make_cmd(XRDMA_CMD_NOP);
	struct xrdma_cmd query = xrdma_make_cmd(XRDMA_CMD_QUERY_PORT);
	struct core_env *env = *state;

	add_fault(env, MODEL_CMD_FAULT_HANG, XRDMA_CMD_QUERY_PORT);
	core_post(env, &query);
	core_post(env, &nop);
	core_run_ms(env, 5);
	assert_int_equal(le16_to_cpu(core_reply(env, 0)->id), 1);
	assert_null(core_reply(env, 1));
}

/* A producer index behind commands that have been read, but not answered */
static void an_index_behind_a_hung_command_is_refused(void **state)
{
	struct xrdma_cmd nop = xrdma_make_cmd(XRDMA_CMD_NOP);
	struct core_env *env = *state;

	add_fault(env, MODEL_CMD_FAULT_HANG, XRDMA_CMD_NOP);
	core_post(env, &nop);
	core_post(env, &nop);
	model_device_poll(env->dev);
	core_write32(env, XRDMA_REG_CMD_DB, 1);
	assert_false(model_cmdq_poll(env->dev));
	core_expect(env, MODEL_HERR_CMD_INDEX, 1);
}

static void a_failed_command_is_not_carried_out(void **state)
{
	struct xrdma_cmd eq = xrdma_make_create_eq(0, 0, 6, 0);
	struct core_env *env = *state;

	eq = xrdma_make_create_eq(0, 0, 6, core_queue(env, 6));
	add_fault(env, MODEL_CMD_FAULT_FAIL, MODEL_CMD_FAULT_ANY);
	assert_int_equal(core_status(env, eq), XRDMA_CMD_NO_RESOURCE);
	assert_null(model_eq_get(env->dev, 0));
	assert_int_equal(core_status(env, eq), XRDMA_CMD_OK);
}

static void delay_and_late(void **state)
{
	struct core_env *env = *state;
	struct xrdma_cmd eq0 = xrdma_make_create_eq(0, 0, 6,
						    core_queue(env, 6));
	struct xrdma_cmd eq1 = xrdma_make_create_eq(1, 0, 6,
						    core_queue(env, 6));

	core_run_ms(env, 0);
	add_fault(env, MODEL_CMD_FAULT_DELAY, XRDMA_CMD_CREATE_EQ);
	core_post(env, &eq0);
	model_device_poll(env->dev);
	add_fault(env, MODEL_CMD_FAULT_LATE, XRDMA_CMD_CREATE_EQ);
	core_post(env, &eq1);
	model_device_poll(env->dev);
	assert_null(model_eq_get(env->dev, 0));
	assert_non_null(model_eq_get(env->dev, 1));
	assert_null(core_reply(env, 0));
	core_run_ms(env, 20);
	assert_non_null(model_eq_get(env->dev, 0));
	assert_non_null(core_reply(env, 0));
	assert_non_null(core_reply(env, 1));
	assert_int_equal(env->irqs[0], 2);
}

static void reset_drops_late_replies(void **state)
{
	struct xrdma_cmd nop = xrdma_make_cmd(XRDMA_CMD_NOP);
	struct core_env *env = *state;

	core_run_ms(env, 0);
	add_fault(env, MODEL_CMD_FAULT_LATE, XRDMA_CMD_NOP);
	core_post(env, &nop);
	model_device_poll(env->dev);
	core_write32(env, XRDMA_REG_CTRL, XRDMA_CTRL_RESET);
	core_run_ms(env, 10);
	assert_null(core_reply(env, 0));
	assert_int_equal(env->irqs[0], 0);
}

/* Neither further commands of the batch nor delayed ones are executed. */
static void a_dead_device_executes_nothing(void **state)
{
	struct core_env *env = *state;
	struct xrdma_cmd nop = xrdma_make_cmd(XRDMA_CMD_NOP);
	struct xrdma_cmd eq = xrdma_make_create_eq(0, 0, 6, core_queue(env, 6));

	core_run_ms(env, 0);
	add_fault(env, MODEL_CMD_FAULT_DELAY, XRDMA_CMD_CREATE_EQ);
	core_post(env, &eq);
	model_device_poll(env->dev);
	model_mem_init(&env->dev->cmdq.replies, 0, CORE_IOVA - 4096, 4096,
		       MODEL_MEM_IDENTITY);
	core_post(env, &nop);
	core_post(env, &eq);
	core_run_ms(env, 20);
	assert_false(model_device_live(env->dev));
	assert_null(model_eq_get(env->dev, 0));
	assert_int_equal(env->dev->cmdq.ci, 2);
	assert_null(core_reply(env, 0));
	core_expect(env, MODEL_HERR_DMA_UNMAPPED, 1);
}

static void faults_are_bounded(void **state)
{
	struct model_cmd_fault fault = { .count = 1 };
	struct core_env *env = *state;
	unsigned int i;

	for (i = 0; i < MODEL_CMD_FAULTS; i++)
		assert_int_equal(model_cmdq_add_fault(env->dev, &fault), 0);
	assert_int_equal(model_cmdq_add_fault(env->dev, &fault), -ENOSPC);
	model_cmdq_clear_faults(env->dev);
	assert_int_equal(core_status(env, xrdma_make_cmd(XRDMA_CMD_NOP)),
			 XRDMA_CMD_OK);
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(model_cmd_name(XRDMA_CMD_CREATE_QP), "CREATE_QP");
	assert_string_equal(model_cmd_name(0x7777), "unknown");
	assert_null(model_cmd_word(0x7777));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CORE_TEST(replies_go_round_the_ring, enabled),
		CORE_TEST(a_full_ring_is_carried_out_in_order, enabled),
		CORE_TEST(a_bad_index_is_refused, enabled),
		CORE_TEST(unknown_commands_are_refused, enabled),
		CORE_TEST(reserved_bytes_are_refused, enabled),
		CORE_TEST(query_device_reports_limits, enabled),
		CORE_TEST(query_stats_writes_counters, enabled),
		CORE_TEST(a_hung_command_does_not_stop_others, enabled),
		CORE_TEST(an_index_behind_a_hung_command_is_refused, enabled),
		CORE_TEST(a_failed_command_is_not_carried_out, enabled),
		CORE_TEST(delay_and_late, enabled),
		CORE_TEST(reset_drops_late_replies, enabled),
		CORE_TEST(a_dead_device_executes_nothing, enabled),
		CORE_TEST(faults_are_bounded, enabled),
		CORE_TEST(names, enabled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
