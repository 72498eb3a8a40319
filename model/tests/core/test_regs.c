// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of registers: defaults, access widths, start, reset, surprise removal.
 */
#include <string.h>

#include "tests/lib/core_env.h"

static void defaults(void **state)
{
	struct core_env *env = *state;

	assert_int_equal(core_read32(env, XRDMA_REG_MAGIC), XRDMA_MAGIC);
	assert_int_equal(core_read32(env, XRDMA_REG_VERSION), 0x30002);
	assert_int_equal(core_read64(env, XRDMA_REG_CAPS),
			 XRDMA_CAP_SHADOW_DB | XRDMA_CAP_MW_TYPE_1 |
			 XRDMA_CAP_MW_TYPE_2B | XRDMA_CAP_FAST_REG |
			 XRDMA_CAP_SRQ | XRDMA_CAP_UD | XRDMA_CAP_UC |
			 XRDMA_CAP_XRC | XRDMA_CAP_RAW_PACKET |
			 XRDMA_CAP_ETH_PAUSE | XRDMA_CAP_ETH_CSUM |
			 XRDMA_CAP_ETH_TSO | XRDMA_CAP_ETH_VLAN |
			 XRDMA_CAP_ETH_RSS | XRDMA_CAP_ETH_GRO |
			 XRDMA_CAP_FLUSH | XRDMA_CAP_ATOMIC_WRITE |
			 XRDMA_CAP_DEVICE_MEMORY | XRDMA_CAP_MCAST |
			 XRDMA_CAP_FLOW | XRDMA_CAP_COUNTERS |
			 XRDMA_CAP_CC | XRDMA_CAP_ODP | XRDMA_CAP_NULL_KEY |
			 XRDMA_CAP_CLOCK);
	assert_int_equal(core_read32(env, XRDMA_REG_CTRL), 0);
	assert_int_equal(core_read32(env, XRDMA_REG_STATUS),
			 XRDMA_STATUS_READY);
	assert_int_equal(core_read64(env, XRDMA_REG_CMD_BASE), 0);
	assert_int_equal(core_read32(env, XRDMA_REG_MAC_LO), 0xccbbaa02);
	assert_int_equal(core_read32(env, XRDMA_REG_MAC_HI), 0xeedd);
}

static void halves_of_64_bits(void **state)
{
	struct core_env *env = *state;

	core_write32(env, XRDMA_REG_RSP_BASE, 0x1000);
	core_write32(env, XRDMA_REG_RSP_BASE + 4, 0x23);
	assert_int_equal(core_read64(env, XRDMA_REG_RSP_BASE), 0x2300001000);
	assert_int_equal(core_read32(env, XRDMA_REG_RSP_BASE + 4), 0x23);
	core_write32(env, XRDMA_REG_RSP_BASE, 0x7000);
	assert_int_equal(core_read64(env, XRDMA_REG_RSP_BASE), 0x2300007000);
	core_write64(env, XRDMA_REG_RSP_BASE, 0x5000);
	assert_int_equal(core_read32(env, XRDMA_REG_RSP_BASE + 4), 0);
}

static void the_clock_is_that_of_the_loop(void **state)
{
	struct core_env *env = *state;
	u64 before = model_loop_clock(env->loop);
	u64 value = core_read64(env, XRDMA_REG_CLOCK);

	assert_in_range(value, before, model_loop_clock(env->loop));
	core_write32(env, XRDMA_REG_CTRL, XRDMA_CTRL_RESET);
	assert_true(core_read64(env, XRDMA_REG_CLOCK) > value);
	core_write64(env, XRDMA_REG_CLOCK, 0);
	core_expect(env, MODEL_HERR_REG_RESERVED, 1);
	assert_true(core_read64(env, XRDMA_REG_CLOCK) > value);
}

static void the_halves_of_the_clock_fit_together(void **state)
{
	struct core_env *env = *state;
	u64 value;

	core_read32(env, XRDMA_REG_CLOCK);
	/* as if the low half had overflowed since */
	env->dev->regs.clock = (u64)0x77 << 32;
	assert_int_equal(core_read32(env, XRDMA_REG_CLOCK + 4), 0x77);
	assert_int_equal(core_read32(env, XRDMA_REG_CLOCK + 4), 0x77);
	value = core_read32(env, XRDMA_REG_CLOCK);
	value |= (u64)core_read32(env, XRDMA_REG_CLOCK + 4) << 32;
	assert_true(value <= model_loop_clock(env->loop));
	assert_true(value > model_loop_clock(env->loop) - 10000000000ULL);
}

static void without_the_capability_there_is_no_clock(void **state)
{
	struct core_env *env = *state;

	env->dev->caps &= ~XRDMA_CAP_CLOCK;
	assert_int_equal(core_read64(env, XRDMA_REG_CLOCK), 0);
	core_expect(env, MODEL_HERR_REG_RESERVED, 1);
}

static void illegal_accesses_are_host_errors(void **state)
{
	struct core_env *env = *state;
	u8 byte = 0;
	u16 half = 0;

	assert_int_equal(core_read32(env, XRDMA_REG_END), 0);
	core_write32(env, 0x1000, 1);
	core_write32(env, XRDMA_REG_MAGIC, 1);
	assert_int_equal(core_read32(env, XRDMA_REG_CMD_DB), 0);
	core_expect(env, MODEL_HERR_REG_RESERVED, 4);
	model_device_write(env->dev, XRDMA_BAR_REGS, XRDMA_REG_CTRL, &byte, 1);
	model_device_read(env->dev, XRDMA_BAR_REGS, XRDMA_REG_CTRL, &half, 2);
	assert_int_equal(core_read64(env, XRDMA_REG_CTRL), 0);
	core_expect(env, MODEL_HERR_BAR_ACCESS, 3);
	core_write32(env, XRDMA_REG_CTRL, 4);
	core_expect(env, MODEL_HERR_REG_RESERVED, 5);
	env->expected -= 4;
	core_write32(env, XRDMA_REG_CMD_DB, 1);
	core_expect(env, MODEL_HERR_REG_ILLEGAL, 1);
}

static void enable_fails(struct core_env *env, u32 code)
{
	core_write32(env, XRDMA_REG_CTRL, XRDMA_CTRL_ENABLE);
	assert_int_equal(core_read32(env, XRDMA_REG_STATUS),
			 XRDMA_STATUS_READY | XRDMA_STATUS_FATAL | code << 8);
	assert_false(model_device_live(env->dev));
	core_write32(env, XRDMA_REG_CTRL, XRDMA_CTRL_RESET);
	assert_int_equal(core_read32(env, XRDMA_REG_STATUS),
			 XRDMA_STATUS_READY);
}

static void enable_checks_registers(void **state)
{
	struct core_env *env = *state;

	core_set_up_rings(env);
	core_write64(env, XRDMA_REG_CMD_BASE, env->cmds + 64);
	enable_fails(env, XRDMA_FATAL_BAD_CONFIG);
	core_set_up_rings(env);
	core_write64(env, XRDMA_REG_RSP_BASE, env->rsps + 2048);
	enable_fails(env, XRDMA_FATAL_BAD_CONFIG);
	core_set_up_rings(env);
	core_write32(env, XRDMA_REG_CMD_LOG, XRDMA_CMD_LOG_MIN - 1);
	enable_fails(env, XRDMA_FATAL_BAD_CONFIG);
	core_set_up_rings(env);
	core_write32(env, XRDMA_REG_CMD_LOG, XRDMA_CMD_LOG_MAX + 1);
	enable_fails(env, XRDMA_FATAL_BAD_CONFIG);
	core_set_up_rings(env);
	core_write64(env, XRDMA_REG_MPT_ROOT, env->mpt | 0x200);
	enable_fails(env, XRDMA_FATAL_BAD_CONFIG);
	core_expect(env, MODEL_HERR_REG_ILLEGAL, 5);
}

static void enable_checks_reach(void **state)
{
	struct core_env *env = *state;

	core_set_up_rings(env);
	core_write64(env, XRDMA_REG_RSP_BASE, CORE_IOVA + CORE_MEM_SIZE);
	enable_fails(env, XRDMA_FATAL_DMA);
	core_expect(env, MODEL_HERR_DMA_UNMAPPED, 1);
}

static void enable_needs_a_zeroed_reply_ring(void **state)
{
	struct core_env *env = *state;

	core_set_up_rings(env);
	((u8 *)core_ptr(env, env->rsps))[4095] = 1;
	enable_fails(env, XRDMA_FATAL_BAD_CONFIG);
	core_expect(env, MODEL_HERR_RING_DIRTY, 1);
}

static void registers_of_the_start_are_locked(void **state)
{
	struct core_env *env = *state;
	u64 base = core_read64(env, XRDMA_REG_CMD_BASE);
	u32 ctrl = XRDMA_CTRL_ENABLE | XRDMA_CTRL_SHADOW_DB;

	core_write64(env, XRDMA_REG_CMD_BASE, 0);
	core_write64(env, XRDMA_REG_RSP_BASE, 0);
	core_write32(env, XRDMA_REG_CMD_LOG, 6);
	core_write64(env, XRDMA_REG_MPT_ROOT, 0);
	core_expect(env, MODEL_HERR_REG_ILLEGAL, 4);
	assert_int_equal(core_read64(env, XRDMA_REG_CMD_BASE), base);
	core_write32(env, XRDMA_REG_CTRL, ctrl);
	core_write32(env, XRDMA_REG_CTRL, XRDMA_CTRL_ENABLE);
	core_write32(env, XRDMA_REG_CTRL, 0);
	core_expect(env, MODEL_HERR_REG_ILLEGAL, 6);
	env->expected -= 4;
	assert_int_equal(core_read32(env, XRDMA_REG_CTRL), ctrl);
}

/* After a reset the device writes no guest memory and raises no vector. */
static void reset_is_quiet(void **state)
{
	struct xrdma_cmd nop = xrdma_make_cmd(XRDMA_CMD_NOP);
	struct core_env *env = *state;
	struct core_qp cqp;
	u8 *before;

	core_create_qp(env, 5, &cqp);
	core_to_rts(env, &cqp);
	core_arm(core_eq_rec(env, 0), XRDMA_ARM_NEXT);
	core_arm(core_eq_rec(env, 1), XRDMA_ARM_NEXT);
	core_post_send(&cqp, XRDMA_WQE_SIGNALED, 1);
	core_ring(env, 3, 5);
	core_post(env, &nop);
	model_qp_error(cqp.qp, 0);
	assert_true(model_timer_armed(&env->dev->slow_timer));
	core_write32(env, XRDMA_REG_CTRL, XRDMA_CTRL_RESET);
	assert_false(model_timer_armed(&env->dev->slow_timer));
	assert_false(model_device_live(env->dev));
	assert_int_equal(core_read32(env, XRDMA_REG_STATUS),
			 XRDMA_STATUS_READY);
	assert_int_equal(core_read64(env, XRDMA_REG_CMD_BASE), 0);

	memset(env->irqs, 0, sizeof(env->irqs));
	before = test_malloc(CORE_MEM_SIZE);
	memcpy(before, env->mem, CORE_MEM_SIZE);
	core_run_ms(env, 5);
	assert_memory_equal(env->mem, before, CORE_MEM_SIZE);
	test_free(before);
	assert_int_equal(env->irqs[0] + env->irqs[1], 0);
	assert_null(model_qp_get(env->dev, 5));
	assert_null(model_cq_get(env->dev, 1));
	assert_null(model_eq_get(env->dev, 0));
	assert_null(model_gid_get(env->dev, 0));
	core_enable(env);
}

static void gone_reads_as_ones(void **state)
{
	struct core_env *env = *state;

	model_device_set_gone(env->dev, true);
	assert_int_equal(core_read32(env, XRDMA_REG_STATUS), 0xffffffff);
	assert_int_equal(core_read64(env, 0x2000), ~0ULL);
	core_write32(env, XRDMA_REG_CTRL, 0x55);
	core_ring(env, 0, 99);
	model_device_set_gone(env->dev, false);
	assert_int_equal(core_read32(env, XRDMA_REG_STATUS),
			 XRDMA_STATUS_READY);
	core_enable(env);
}

static void a_deaf_device_ignores_a_reset_by_register(void **state)
{
	struct core_env *env = *state;
	u32 runs = XRDMA_STATUS_READY | XRDMA_STATUS_ENABLED;

	env->dev->deaf = true;
	core_write32(env, XRDMA_REG_CTRL, XRDMA_CTRL_RESET);
	assert_int_equal(core_read32(env, XRDMA_REG_STATUS), runs);
	assert_true(model_device_live(env->dev));
	model_device_reset(env->dev);
	assert_int_equal(core_read32(env, XRDMA_REG_STATUS),
			 XRDMA_STATUS_READY);
	core_enable(env);
}

static void no_bus_master_is_fatal(void **state)
{
	struct core_env *env = *state;

	model_dma_enable(env->dma, false);
	model_device_bus_master(env->dev, false);
	assert_int_equal(core_read32(env, XRDMA_REG_STATUS),
			 XRDMA_STATUS_READY | XRDMA_STATUS_ENABLED |
			 XRDMA_STATUS_FATAL | XRDMA_FATAL_DMA << 8);
	core_write32(env, XRDMA_REG_CMD_DB, 1);
	model_device_poll(env->dev);
	assert_int_equal(env->irqs[0], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(defaults, core_setup,
						core_teardown),
		cmocka_unit_test_setup_teardown(halves_of_64_bits, core_setup,
						core_teardown),
		cmocka_unit_test_setup_teardown(the_clock_is_that_of_the_loop,
						core_setup, core_teardown),
		cmocka_unit_test_setup_teardown(the_halves_of_the_clock_fit_together,
						core_setup, core_teardown),
		cmocka_unit_test_setup_teardown(without_the_capability_there_is_no_clock,
						core_setup, core_teardown),
		cmocka_unit_test_setup_teardown(illegal_accesses_are_host_errors,
						core_setup, core_teardown),
		cmocka_unit_test_setup_teardown(enable_checks_registers,
						core_setup, core_teardown),
		cmocka_unit_test_setup_teardown(enable_checks_reach, core_setup,
						core_teardown),
		cmocka_unit_test_setup_teardown(enable_needs_a_zeroed_reply_ring,
						core_setup, core_teardown),
		cmocka_unit_test_setup_teardown(registers_of_the_start_are_locked,
						core_setup_enabled,
						core_teardown),
		cmocka_unit_test_setup_teardown(reset_is_quiet,
						core_setup_queues,
						core_teardown),
		cmocka_unit_test_setup_teardown(gone_reads_as_ones,
						core_setup_queues,
						core_teardown),
		cmocka_unit_test_setup_teardown(a_deaf_device_ignores_a_reset_by_register,
						core_setup_queues,
						core_teardown),
		cmocka_unit_test_setup_teardown(no_bus_master_is_fatal,
						core_setup_enabled,
						core_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
