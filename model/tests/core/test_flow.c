// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the checks in the commands of flow rules and RSS objects. The effect
 * of rules on frames is tested in transport/test_steer.c.
 */
#include <string.h>

#include "tests/lib/core_env.h"

#define RC_QPN		5
#define RAW_QPN		6
#define RSS_QPN		500

/* Create a raw packet queue pair and an RC queue pair. */
static void make_qps(struct core_env *env)
{
	struct xrdma_cmd cmd = core_make_qp(env, RAW_QPN);
	struct core_qp cqp;

	core_create_qp(env, RC_QPN, &cqp);
	cmd.create_qp.type = XRDMA_QP_RAW;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
}

static struct xrdma_cmd make_flow(struct core_env *env, u32 number, u32 qpn,
				  struct xrdma_flow_rule **rule)
{
	u64 addr = core_alloc(env, sizeof(**rule), 64);
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_CREATE_FLOW);

	*rule = core_ptr(env, addr);
	memset(*rule, 0, sizeof(**rule));
	cmd.create_flow = (struct xrdma_cmd_create_flow) {
		.addr = cpu_to_le64(addr),
		.flow = cpu_to_le32(number),
		.qpn = cpu_to_le32(qpn),
	};
	return cmd;
}

static struct xrdma_cmd make_rss(struct core_env *env, u32 qpn, u8 log_size,
				 u32 target)
{
	u64 addr = core_alloc(env, 1024, 4);
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_CREATE_RSS);
	__le32 *table = core_ptr(env, addr);
	u32 i;

	for (i = 0; i < 256; i++)
		table[i] = cpu_to_le32(target);
	cmd.create_rss = (struct xrdma_cmd_create_rss) {
		.addr = cpu_to_le64(addr),
		.qpn = cpu_to_le32(qpn),
		.log_size = log_size,
	};
	return cmd;
}

static void flow_numbers_are_checked(void **state)
{
	struct core_env *env = *state;
	struct xrdma_flow_rule *rule;
	struct xrdma_cmd cmd;

	make_qps(env);
	cmd = make_flow(env, MODEL_MAX_FLOWS, RAW_QPN, &rule);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_NUMBER);
	cmd = make_flow(env, 1, 77, &rule);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_NUMBER);
	cmd = make_flow(env, 1, RAW_QPN, &rule);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_NUMBER);
	assert_int_equal(core_object(env, XRDMA_CMD_DESTROY_QP, RAW_QPN),
			 XRDMA_CMD_BUSY);
	core_expect(env, MODEL_HERR_CMD_BUSY, 1);
	assert_int_equal(core_object(env, XRDMA_CMD_DESTROY_FLOW, 1),
			 XRDMA_CMD_OK);
	assert_int_equal(core_object(env, XRDMA_CMD_DESTROY_FLOW, 1),
			 XRDMA_CMD_BAD_NUMBER);
	core_expect(env, MODEL_HERR_CMD_NUMBER, 4);
	assert_int_equal(core_object(env, XRDMA_CMD_DESTROY_QP, RAW_QPN),
			 XRDMA_CMD_OK);
}

static void flow_rules_are_checked(void **state)
{
	struct core_env *env = *state;
	struct xrdma_flow_rule *rule;
	struct xrdma_cmd cmd;

	make_qps(env);
	cmd = make_flow(env, 1, RC_QPN, &rule);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	cmd = make_flow(env, 1, RAW_QPN, &rule);
	cmd.create_flow.flags = cpu_to_le16(2);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	cmd = make_flow(env, 1, RAW_QPN, &rule);
	cmd.create_flow.addr = cpu_to_le64(le64_to_cpu(cmd.create_flow.addr) +
					   32);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	cmd = make_flow(env, 1, RAW_QPN, &rule);
	rule->value.ip_proto = 6;
	rule->mask.ip_proto = 4;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	cmd = make_flow(env, 1, RAW_QPN, &rule);
	rule->mask.reserved = 1;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	rule->mask.reserved = 0;
	rule->mask.reserved2[3] = 1;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	rule->mask.reserved2[3] = 0;
	rule->mask.flow_label = cpu_to_be32(0x100000);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	core_expect(env, MODEL_HERR_CMD_PARAM, 7);
	rule->mask.flow_label = cpu_to_be32(0xfffff);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
	cmd = make_flow(env, 2, RAW_QPN, &rule);
	cmd.create_flow.addr = cpu_to_le64(0x1000);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_DMA);
	core_expect(env, MODEL_HERR_CMD_DMA, 1);
	core_expect(env, MODEL_HERR_DMA_UNMAPPED, 1);
}

static void tables_are_checked(void **state)
{
	struct core_env *env = *state;
	struct xrdma_cmd cmd;

	make_qps(env);
	cmd = make_rss(env, RSS_QPN, MODEL_RSS_LOG_MAX + 1, RAW_QPN);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	cmd = make_rss(env, RSS_QPN, 3, RAW_QPN);
	cmd.create_rss.addr = cpu_to_le64(le64_to_cpu(cmd.create_rss.addr) + 2);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	cmd = make_rss(env, RSS_QPN, 3, RAW_QPN);
	cmd.create_rss.reserved[1] = 1;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	cmd = make_rss(env, RSS_QPN, 3, RC_QPN);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	core_expect(env, MODEL_HERR_CMD_PARAM, 4);
	cmd = make_rss(env, RSS_QPN, 3, 77);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_NUMBER);
	cmd = make_rss(env, RC_QPN, 3, RAW_QPN);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_NUMBER);
	cmd = make_rss(env, 1, 3, RAW_QPN);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_NUMBER);
	cmd = make_rss(env, MODEL_MAX_QP, 3, RAW_QPN);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_NUMBER);
	core_expect(env, MODEL_HERR_CMD_NUMBER, 4);
	cmd = make_rss(env, RSS_QPN, 3, RAW_QPN);
	cmd.create_rss.addr = cpu_to_le64(0x1000);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_DMA);
	core_expect(env, MODEL_HERR_CMD_DMA, 1);
	core_expect(env, MODEL_HERR_DMA_UNMAPPED, 1);
}

/* An RSS object shares numbers with queue pairs, and keeps its QPs busy. */
static void tables_have_numbers_of_queue_pairs(void **state)
{
	struct core_env *env = *state;
	struct xrdma_flow_rule *rule;
	struct xrdma_cmd cmd;

	make_qps(env);
	cmd = make_rss(env, RSS_QPN, MODEL_RSS_LOG_MAX, RAW_QPN);
	cmd.create_rss.fields = 0xff;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_NUMBER);
	cmd = core_make_qp(env, RSS_QPN);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_NUMBER);
	assert_int_equal(core_object(env, XRDMA_CMD_QUERY_QP, RSS_QPN),
			 XRDMA_CMD_BAD_NUMBER);
	core_expect(env, MODEL_HERR_CMD_NUMBER, 3);
	cmd = make_flow(env, 1, RSS_QPN, &rule);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
	assert_int_equal(core_object(env, XRDMA_CMD_DESTROY_RSS, RSS_QPN),
			 XRDMA_CMD_BUSY);
	assert_int_equal(core_object(env, XRDMA_CMD_DESTROY_QP, RAW_QPN),
			 XRDMA_CMD_BUSY);
	core_expect(env, MODEL_HERR_CMD_BUSY, 2);
	assert_int_equal(core_object(env, XRDMA_CMD_DESTROY_FLOW, 1),
			 XRDMA_CMD_OK);
	assert_int_equal(core_object(env, XRDMA_CMD_DESTROY_RSS, RSS_QPN),
			 XRDMA_CMD_OK);
	assert_int_equal(core_object(env, XRDMA_CMD_DESTROY_QP, RAW_QPN),
			 XRDMA_CMD_OK);
}

static void query_device_reports_limits(void **state)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_QUERY_DEVICE);
	const struct xrdma_rsp_query_device *rsp;
	struct core_env *env = *state;

	rsp = &core_cmd(env, &cmd)->query_device;
	assert_int_equal(le32_to_cpu(rsp->max_flows), 1024);
	assert_int_equal(rsp->log_max_rss, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CORE_TEST(flow_numbers_are_checked, queues),
		CORE_TEST(flow_rules_are_checked, queues),
		CORE_TEST(tables_are_checked, queues),
		CORE_TEST(tables_have_numbers_of_queue_pairs, queues),
		CORE_TEST(query_device_reports_limits, queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
