// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the null key: reads, writes, ranges, accesses that are no local ones, and
 * devices without the key. Messages are in tests/transport/test_null.c.
 */
#include <string.h>

#include "tests/lib/core_env.h"

#define BYTES	10000

static struct {
	struct core_env *env;
	struct core_qp cqp;
} t;

static int setup(void **state)
{
	t.env = core_setup_qp(state, &t.cqp);
	return 0;
}

static struct model_access_req local(u64 addr, u64 len, bool write)
{
	return (struct model_access_req) {
		.qp = t.cqp.qp,
		.addr = addr,
		.len = len,
		.key = 0x00000002,
		.rights = write ? XRDMA_ACCESS_LOCAL_WRITE : 0,
		.opcode = XRDMA_OP_SEND,
	};
}

static void reads_zeros(u64 addr, u64 len)
{
	struct model_access_req req = local(addr, len, false);
	u8 buf[BYTES];
	u64 i;

	memset(buf, 0xee, sizeof(buf));
	assert_int_equal(model_access_read(t.env->dev, &req, buf), 0);
	for (i = 0; i < BYTES; i++)
		assert_int_equal(buf[i], i < len ? 0 : 0xee);
}

static void writes(u64 addr, u64 len)
{
	struct model_access_req req = local(addr, len, true);
	u8 buf[BYTES];

	memset(buf, 0x77, sizeof(buf));
	assert_int_equal(model_access_write(t.env->dev, &req, buf), 0);
}

static int check(struct model_access_req req)
{
	struct model_target target;

	return model_access_check(t.env->dev, &req, &target);
}

static void written_bytes_are_lost(void **state)
{
	static const u64 addrs[] = { 0, 1, 4095, 1ULL << 47, -(u64)BYTES };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(addrs); i++) {
		reads_zeros(addrs[i], BYTES);
		writes(addrs[i], BYTES);
		reads_zeros(addrs[i], BYTES);
		writes(addrs[i], 1);
		reads_zeros(addrs[i], 1);
	}
}

static void ranges_may_not_wrap(void **state)
{
	(void)state;
	reads_zeros(~0ULL, 1);
	writes(~0ULL, 1);
	assert_int_equal(check(local(~0ULL, 2, false)), XRDMA_FAULT_RANGE);
	assert_int_equal(check(local(-9ULL, 10, true)), XRDMA_FAULT_RANGE);
	assert_int_equal(check(local(-10ULL, 10, true)), 0);
}

static void each_domain_may_use_it(void **state)
{
	(void)state;
	t.cqp.qp->pd = 8;
	reads_zeros(0, 1);
	t.cqp.qp->flags |= XRDMA_QP_KERNEL;
	reads_zeros(0, 1);
}

static void an_access_is_probed(void **state)
{
	struct model_access_req req = local(1ULL << 40, 1ULL << 31, true);
	u64 done;

	(void)state;
	assert_int_equal(model_access_probe(t.env->dev, &req, &done), 0);
	assert_true(done == 1ULL << 31);
}

/* The peer, binds and invalidations find the invalid entry of index 0. */
static void it_has_no_other_use(void **state)
{
	const struct xrdma_rules_actor who = model_access_actor(t.cqp.qp);
	const struct xrdma_rules_bind b = {
		.mr_key = 2, .access = XRDMA_ACCESS_REMOTE_READ, .length = 1,
	};
	struct model_access_req req = local(0, 8, false);
	struct model_key *key;
	u16 right;

	(void)state;
	t.cqp.qp->attr.access = cpu_to_le16(XRDMA_RULES_RIGHTS);
	req.remote = true;
	for (right = 0; right <= XRDMA_ACCESS_FLUSH_PERSISTENT;
	     right = right ? right << 1 : 1) {
		req.rights = right;
		assert_int_equal(check(req), XRDMA_FAULT_KEY_INVALID);
	}
	key = model_key_get(t.env->dev, 0);
	assert_int_equal(xrdma_rules_check_bind_region(&key->e, &who, &b),
			 XRDMA_FAULT_KEY_INVALID);
	assert_int_equal(xrdma_rules_check_inval(&key->e, &who, 2),
			 XRDMA_FAULT_KEY_INVALID);
}

static void it_needs_the_capability(void **state)
{
	(void)state;
	t.env->dev->caps &= ~XRDMA_CAP_NULL_KEY;
	assert_int_equal(check(local(0, 1, false)), XRDMA_FAULT_KEY_INVALID);
}

#define T(name) \
	cmocka_unit_test_setup_teardown(name, setup, core_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(written_bytes_are_lost),
		T(ranges_may_not_wrap),
		T(each_domain_may_use_it),
		T(an_access_is_probed),
		T(it_has_no_other_use),
		T(it_needs_the_capability),
	};

	return cmocka_run_group_tests_name("null key", tests, NULL, NULL);
}
