// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of held packets: they arrive later in their order, and write no memory
 * if their key has been invalidated meanwhile.
 */
#include <errno.h>
#include <string.h>

#include "tests/lib/wire_mw.h"

#define MTU	1024

static void begin(void **state, struct wire_pair *p)
{
	struct wire_params params = wire_defaults;

	/* no timeout: held packets must not be sent again */
	params.timeout = 0;
	wire_make_pair(*state, p, &params);
}

static struct model_wire *wire_of(struct wire_pair *p)
{
	return p->b.host->dev->wire;
}

static void post_write(struct wire_pair *p, u64 wr_id, u32 offset, u32 len)
{
	struct xrdma_sge sge = wire_sge(p->a_buf, len, p->a_key);

	wire_post_signaled(&p->a, XRDMA_OP_WRITE, wr_id, sge,
			   p->b_buf + offset, p->b_key);
}

static u32 release(struct wire_pair *p, u32 qpn)
{
	return model_hold_end(&wire_of(p)->hold, qpn, &wire_of(p)->arrived);
}

static void nothing_comes_until_it_is_released(void **state)
{
	struct xrdma_cqe cqe;
	struct wire_pair p;
	u32 i;

	begin(state, &p);
	memset(p.b_mem, 0, 16 * MTU);
	assert_int_equal(model_hold_begin(&wire_of(&p)->hold, p.b.qpn, 0), 0);
	for (i = 0; i < 4; i++)
		post_write(&p, i, i * 4 * MTU, 4 * MTU);
	wire_settle(*state);
	assert_int_equal(wire_of(&p)->hold.frames.count, 16);
	assert_false(wire_poll_cq(&p.a.send_cq, &cqe));
	assert_int_equal(p.b_mem[0] | p.b_mem[16 * MTU - 1], 0);
	assert_int_equal(release(&p, p.b.qpn), 16);
	for (i = 0; i < 4; i++) {
		wire_expect_send(&p.a, i, XRDMA_WC_SUCCESS);
		assert_memory_equal(p.b_mem + i * 4 * MTU, p.a_mem, 4 * MTU);
	}
	/* packets arrive in order and were not sent again */
	assert_int_equal(p.b.host->dev->stats[XRDMA_STAT_OUT_OF_SEQUENCE], 0);
	post_write(&p, 9, 0, 1);
	wire_expect_send(&p.a, 9, XRDMA_WC_SUCCESS);
}

/* Packets of a WRITE are held; the key is invalidated before their release. */
static void no_byte_lands_after_an_invalidation(void **state)
{
	static u8 before[64 * MTU];
	struct wire_pair p;
	u32 after;

	for (after = 0; after < 64; after += 21) {
		begin(state, &p);
		memset(p.b_mem, 0, sizeof(before));
		assert_int_equal(model_hold_begin(&wire_of(&p)->hold, p.b.qpn,
						  after), 0);
		post_write(&p, 1, 0, sizeof(before));
		wire_settle(*state);
		assert_memory_equal(p.b_mem, p.a_mem, after * MTU);
		memcpy(before, p.b_mem, sizeof(before));
		assert_int_equal(before[after * MTU] |
				 before[sizeof(before) - 1], 0);
		wire_unregion(p.b.host, xrdma_key_index(p.b_key));
		release(&p, MODEL_HOLD_ALL);
		wire_expect_send(&p.a, 1, XRDMA_WC_REM_ACCESS_ERR);
		assert_memory_equal(p.b_mem, before, sizeof(before));
		wire_expect_fault(p.b.host, &p.b, 0, XRDMA_FAULT_KEY_INVALID,
				  XRDMA_OP_WRITE, p.b_key);
		wire_start_over(state);
	}
}

static void one_queue_pair_or_all(void **state)
{
	struct wire_pair p, other;
	struct model_hold *hold;
	struct xrdma_cqe cqe;

	begin(state, &p);
	begin(state, &other);
	hold = &wire_of(&p)->hold;
	assert_int_equal(model_hold_begin(hold, p.b.qpn, 0), 0);
	assert_int_equal(model_hold_begin(hold, p.b.qpn, 0), -EEXIST);
	assert_int_equal(model_hold_begin(hold, MODEL_HOLD_ALL, 0), -EEXIST);
	post_write(&p, 1, 0, 1);
	post_write(&other, 2, 0, 1);
	wire_expect_send(&other.a, 2, XRDMA_WC_SUCCESS);
	assert_int_equal(model_hold_begin(hold, other.b.qpn, 0), 0);
	post_write(&other, 3, 0, 1);
	wire_settle(*state);
	assert_int_equal(release(&p, 12345), 0);
	assert_int_equal(release(&p, p.b.qpn), 1);
	wire_expect_send(&p.a, 1, XRDMA_WC_SUCCESS);
	assert_false(wire_poll_cq(&other.a.send_cq, &cqe));
	assert_int_equal(release(&p, MODEL_HOLD_ALL), 1);
	wire_expect_send(&other.a, 3, XRDMA_WC_SUCCESS);
	assert_int_equal(model_hold_begin(hold, MODEL_HOLD_ALL, 0), 0);
	assert_int_equal(model_hold_begin(hold, p.b.qpn, 0), -EEXIST);
	post_write(&p, 4, 0, 1);
	post_write(&other, 5, 0, 1);
	wire_settle(*state);
	assert_int_equal(hold->frames.count, 2);
	/* the reset at the end of the test frees the frames */
}

/* Later packets are handled after released ones. */
static void released_packets_come_first(void **state)
{
	struct wire_pair p;

	begin(state, &p);
	assert_int_equal(model_hold_begin(&wire_of(&p)->hold, p.b.qpn, 0), 0);
	post_write(&p, 1, 0, 8 * MTU);
	wire_settle(*state);
	post_write(&p, 2, 0, 8 * MTU);
	model_qps_poll(p.a.host->dev);
	assert_int_not_equal(wire_of(&p)->arrived.count, 0);
	assert_int_equal(release(&p, p.b.qpn), 8);
	wire_expect_send(&p.a, 1, XRDMA_WC_SUCCESS);
	wire_expect_send(&p.a, 2, XRDMA_WC_SUCCESS);
	assert_int_equal(p.b.host->dev->stats[XRDMA_STAT_OUT_OF_SEQUENCE], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(nothing_comes_until_it_is_released, 1),
		WIRE_TEST(no_byte_lands_after_an_invalidation, 1),
		WIRE_TEST(one_queue_pair_or_all, 1),
		WIRE_TEST(released_packets_come_first, 1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
