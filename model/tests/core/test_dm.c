// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of device memory: access through the BAR and by key, bounds, reset.
 */
#include <errno.h>
#include <string.h>

#include "tests/lib/core_env.h"

#define ALL_REMOTE							\
	(XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE |		\
	 XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC)
#define KEY	xrdma_make_key(9, 0x5a)

static struct core_env *env;
static struct core_qp cqp;

static int setup(void **state)
{
	env = core_setup_qp(state, &cqp);
	return 0;
}

/* Publish a zero-based region of device memory from @offset on. */
static struct xrdma_mpt_entry *publish(u32 offset, u64 length)
{
	struct xrdma_mpt_entry *e = core_mpt(env, 9);

	memset(e, 0, sizeof(*e));
	e->length = cpu_to_le64(length);
	e->offset = cpu_to_le32(offset);
	e->ctrl = cpu_to_le64(xrdma_make_mpt_ctrl(XRDMA_MPT_VALID,
						  XRDMA_MPT_MR, KEY, 7,
						  ALL_REMOTE) |
			      XRDMA_MPT_DEVICE);
	return e;
}

static struct model_access_req remote(u64 addr, u64 len, u16 rights)
{
	return (struct model_access_req) {
		.qp = cqp.qp, .addr = addr, .len = len, .key = KEY,
		.rights = rights, .remote = true, .opcode = XRDMA_OP_WRITE,
	};
}

static u64 bar_read(u64 off)
{
	__le64 value;

	model_device_read(env->dev, XRDMA_BAR_DM, off, &value, sizeof(value));
	return le64_to_cpu(value);
}

static void bar_write(u64 off, u64 value)
{
	__le64 v = cpu_to_le64(value);

	model_device_write(env->dev, XRDMA_BAR_DM, off, &v, sizeof(v));
}

static void query_device_reports_the_size(void **state)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_QUERY_DEVICE);
	const struct xrdma_rsp *rsp;

	(void)state;
	assert_true(core_read64(env, XRDMA_REG_CAPS) &
		    XRDMA_CAP_DEVICE_MEMORY);
	rsp = core_cmd(env, &cmd);
	assert_int_equal(le64_to_cpu(rsp->query_device.device_memory),
			 CORE_DM_SIZE);
}

static void host_and_key_see_the_same_bytes(void **state)
{
	struct model_access_req req = remote(8, 8, XRDMA_ACCESS_REMOTE_WRITE);
	u64 value = 0x1122334455667788;

	(void)state;
	publish(0x1000, 0x1000);
	assert_int_equal(model_access_write(env->dev, &req, &value), 0);
	assert_true(bar_read(0x1008) == value);
	bar_write(0x1008, 99);
	req.rights = XRDMA_ACCESS_REMOTE_READ;
	assert_int_equal(model_access_read(env->dev, &req, &value), 0);
	assert_int_equal(value, 99);
	assert_int_equal(env->dev->dm.mem[0x1008], 99);
}

static void atomics_work_on_it(void **state)
{
	struct model_access_req req = remote(16, 8, XRDMA_ACCESS_REMOTE_ATOMIC);
	size_t len;
	int reason;
	u64 *at;

	(void)state;
	publish(0, CORE_DM_SIZE);
	at = model_access_ptr(env->dev, &req, &len, &reason);
	assert_ptr_equal(at, env->dev->dm.mem + 16);
	assert_int_equal(len, 8);
}

static void access_beyond_the_end_is_refused(void **state)
{
	struct model_access_req req;
	u8 bytes[16] = { 0 };

	(void)state;
	publish(CORE_DM_SIZE - 16, 16);
	req = remote(0, 16, XRDMA_ACCESS_REMOTE_WRITE);
	assert_int_equal(model_access_write(env->dev, &req, bytes), 0);
	req.addr = 1;
	assert_int_equal(model_access_write(env->dev, &req, bytes),
			 XRDMA_FAULT_RANGE);
}

/* Key entries of device memory that are invalid. */
static void bad_entries(void **state)
{
	struct model_access_req req = remote(0, 1, XRDMA_ACCESS_REMOTE_READ);
	struct xrdma_mpt_entry *e;
	u8 byte;

	(void)state;
	publish(CORE_DM_SIZE - 16, 17);
	assert_int_equal(model_access_read(env->dev, &req, &byte),
			 XRDMA_FAULT_KEY_INVALID);
	publish(CORE_DM_SIZE, 1);
	assert_int_equal(model_access_read(env->dev, &req, &byte),
			 XRDMA_FAULT_KEY_INVALID);
	publish(16, -1ULL);
	assert_int_equal(model_access_read(env->dev, &req, &byte),
			 XRDMA_FAULT_KEY_INVALID);
	core_expect(env, MODEL_HERR_MPT_ROOT, 3);
	e = publish(0, 16);
	e->root = cpu_to_le64(1 << 12);
	assert_int_equal(model_access_read(env->dev, &req, &byte),
			 XRDMA_FAULT_KEY_INVALID);
	e = publish(0, 16);
	e->ctrl |= cpu_to_le64(XRDMA_MPT_IDENTITY);
	assert_int_equal(model_access_read(env->dev, &req, &byte),
			 XRDMA_FAULT_KEY_INVALID);
	e = publish(0, 16);
	e->ctrl |= cpu_to_le64(FIELD_PREP(XRDMA_MPT_TYPE, XRDMA_MPT_FAST_REG));
	assert_int_equal(model_access_read(env->dev, &req, &byte),
			 XRDMA_FAULT_KEY_INVALID);
	core_expect(env, MODEL_HERR_MPT_RESERVED, 3);
}

static void a_reset_zeroes_it(void **state)
{
	(void)state;
	bar_write(0, -1ULL);
	bar_write(CORE_DM_SIZE - 8, -1ULL);
	core_write32(env, XRDMA_REG_CTRL, XRDMA_CTRL_RESET);
	assert_true(bar_read(0) == 0);
	assert_true(bar_read(CORE_DM_SIZE - 8) == 0);
}

static void a_device_that_is_gone_has_none(void **state)
{
	(void)state;
	model_device_set_gone(env->dev, true);
	assert_true(bar_read(0) == -1ULL);
	bar_write(0, 1);
	model_device_set_gone(env->dev, false);
	assert_true(bar_read(0) == 0);
}

static void sizes(void **state)
{
	static const u64 bad[] = { 1, 2048, 4097, 12288, 1ULL << 37 };
	struct model_dm dm;
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(model_dm_init(&dm, bad[i]), -EINVAL);
	assert_int_equal(model_dm_init(&dm, 0), 0);
	model_dm_reset(&dm);
	model_dm_destroy(&dm);
	assert_int_equal(model_dm_init(&dm, MODEL_DM_MAX), 0);
	dm.mem[MODEL_DM_MAX - 1] = 1;
	model_dm_reset(&dm);
	assert_int_equal(dm.mem[MODEL_DM_MAX - 1], 0);
	model_dm_destroy(&dm);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, core_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(query_device_reports_the_size),
		T(host_and_key_see_the_same_bytes),
		T(atomics_work_on_it),
		T(access_beyond_the_end_is_refused),
		T(bad_entries),
		T(a_reset_zeroes_it),
		T(a_device_that_is_gone_has_none),
		cmocka_unit_test(sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
