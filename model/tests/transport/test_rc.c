// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of reliable connections without impairments: each operation and its
 * completion, inside one device and between two devices. Errors are tested in
 * test_rc_errors.c, impairments in test_rc_impaired.c.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/lib/wire_env.h"

/* Lengths around the boundaries of packets. */
static const u32 lengths[] = {
	0, 1, 3, 4, 5, 1023, 1024, 1025, 2047, 2048, 2049, 65536, 1000001,
};

static void write_moves_every_length(void **state)
{
	struct wire_env *env = *state;
	struct wire_pair p;
	size_t i;

	wire_make_pair(env, &p, &wire_defaults);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct xrdma_sge sge = wire_sge(p.a_buf + i, lengths[i],
						p.a_key);

		memset(p.b_mem, 0xee, WIRE_BUF_SIZE);
		wire_post_signaled(&p.a, XRDMA_OP_WRITE, i, sge, p.b_buf + 7,
				   p.b_key);
		wire_expect_send(&p.a, i, XRDMA_WC_SUCCESS);
		assert_memory_equal(p.b_mem + 7, p.a_mem + i, lengths[i]);
		assert_int_equal(p.b_mem[6], 0xee);
		assert_int_equal(p.b_mem[7 + lengths[i]], 0xee);
	}
}

static void read_fetches_every_length(void **state)
{
	struct wire_env *env = *state;
	struct xrdma_cqe cqe;
	struct wire_pair p;
	size_t i;

	wire_make_pair(env, &p, &wire_defaults);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct xrdma_sge sge = wire_sge(p.a_buf + 9, lengths[i],
						p.a_key);

		memset(p.a_mem, 0xee, WIRE_BUF_SIZE);
		wire_post_signaled(&p.a, XRDMA_OP_READ, i, sge, p.b_buf + i,
				   p.b_key);
		assert_true(wire_wait(env, &p.a.send_cq, &cqe));
		assert_int_equal(cqe.status, XRDMA_WC_SUCCESS);
		assert_int_equal(cqe.opcode, XRDMA_OP_READ);
		assert_int_equal(le32_to_cpu(cqe.byte_len), lengths[i]);
		assert_memory_equal(p.a_mem + 9, p.b_mem + i, lengths[i]);
		assert_int_equal(p.a_mem[8], 0xee);
		assert_int_equal(p.a_mem[9 + lengths[i]], 0xee);
	}
}

static void send_fills_receives(void **state)
{
	struct wire_env *env = *state;
	struct xrdma_cqe cqe;
	struct wire_pair p;
	size_t i;

	wire_make_pair(env, &p, &wire_defaults);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		u32 half = lengths[i] / 2;
		struct xrdma_sge from[2] = {
			wire_sge(p.a_buf, half, p.a_key),
			wire_sge(p.a_buf + half, lengths[i] - half, p.a_key),
		};
		struct xrdma_sge to[3] = {
			wire_sge(p.b_buf, lengths[i] / 3, p.b_key),
			wire_sge(0, 0, 0),
			wire_sge(p.b_buf + lengths[i] / 3, lengths[i],
				 p.b_key),
		};

		memset(p.b_mem, 0xee, WIRE_BUF_SIZE);
		wire_post_recv(&p.b, 1000 + i, to, 3);
		wire_post_send(&p.a, &(struct wire_wr) {
			.opcode = XRDMA_OP_SEND_IMM,
			.flags = XRDMA_WQE_SIGNALED | XRDMA_WQE_SOLICITED,
			.wr_id = i,
			.sges = from,
			.num_sge = 2,
			.imm = 0x11223344 + i,
		});
		wire_expect_send(&p.a, i, XRDMA_WC_SUCCESS);
		wire_expect_recv(&p.b, 1000 + i, XRDMA_WC_SUCCESS, &cqe);
		assert_int_equal(cqe.opcode, XRDMA_OP_RECV);
		assert_int_equal(le32_to_cpu(cqe.byte_len), lengths[i]);
		assert_int_equal(be32_to_cpu(cqe.imm), 0x11223344 + i);
		assert_int_equal(le16_to_cpu(cqe.flags),
				 XRDMA_CQE_IMM | XRDMA_CQE_SOLICITED);
		assert_memory_equal(p.b_mem, p.a_mem, lengths[i]);
		assert_int_equal(p.b_mem[lengths[i]], 0xee);
	}
}

static void write_imm_takes_a_receive_and_no_memory_of_it(void **state)
{
	struct wire_env *env = *state;
	struct xrdma_sge sge;
	struct xrdma_cqe cqe;
	struct wire_pair p;

	wire_make_pair(env, &p, &wire_defaults);
	sge = wire_sge(p.a_buf, 3000, p.a_key);
	wire_post_recv(&p.b, 5, NULL, 0);
	wire_post_send(&p.a, &(struct wire_wr) {
		.opcode = XRDMA_OP_WRITE_IMM,
		.flags = XRDMA_WQE_SIGNALED,
		.wr_id = 4,
		.sges = &sge,
		.num_sge = 1,
		.remote_addr = p.b_buf,
		.rkey = p.b_key,
		.imm = 42,
	});
	wire_expect_send(&p.a, 4, XRDMA_WC_SUCCESS);
	wire_expect_recv(&p.b, 5, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(cqe.opcode, XRDMA_OP_RECV_WRITE_IMM);
	assert_int_equal(le32_to_cpu(cqe.byte_len), 3000);
	assert_int_equal(be32_to_cpu(cqe.imm), 42);
	assert_int_equal(le16_to_cpu(cqe.flags), XRDMA_CQE_IMM);
	assert_memory_equal(p.b_mem, p.a_mem, 3000);
}

static void inline_data_needs_no_key(void **state)
{
	struct wire_env *env = *state;
	struct wire_pair p;

	wire_make_pair(env, &p, &wire_defaults);
	wire_post_send(&p.a, &(struct wire_wr) {
		.opcode = XRDMA_OP_WRITE,
		.flags = XRDMA_WQE_SIGNALED,
		.wr_id = 1,
		.inline_data = "small is beautiful",
		.len = 18,
		.remote_addr = p.b_buf,
		.rkey = p.b_key,
	});
	wire_expect_send(&p.a, 1, XRDMA_WC_SUCCESS);
	assert_memory_equal(p.b_mem, "small is beautiful", 18);
}

static void atomic(struct wire_pair *p, u8 opcode, u64 wr_id, u64 swap_add,
		   u64 compare)
{
	struct xrdma_sge sge = wire_sge(p->a_buf, 8, p->a_key);

	wire_post_send(&p->a, &(struct wire_wr) {
		.opcode = opcode,
		.flags = XRDMA_WQE_SIGNALED,
		.wr_id = wr_id,
		.sges = &sge,
		.num_sge = 1,
		.remote_addr = p->b_buf + 64,
		.rkey = p->b_key,
		.swap_add = swap_add,
		.compare = compare,
	});
}

static void atomics_return_what_was_there(void **state)
{
	struct wire_env *env = *state;
	struct xrdma_cqe cqe;
	u64 *target, *result;
	struct wire_pair p;

	wire_make_pair(env, &p, &wire_defaults);
	target = (u64 *)(p.b_mem + 64);
	result = (u64 *)p.a_mem;
	*target = 0xfffffffffffffff0;

	atomic(&p, XRDMA_OP_FETCH_ADD, 1, 0x20, 0);
	assert_true(wire_wait(env, &p.a.send_cq, &cqe));
	assert_int_equal(cqe.status, XRDMA_WC_SUCCESS);
	assert_int_equal(le32_to_cpu(cqe.byte_len), 8);
	assert_true(*result == 0xfffffffffffffff0);
	assert_true(*target == 0x10);

	atomic(&p, XRDMA_OP_CMP_SWAP, 2, 77, 0x11);
	wire_expect_send(&p.a, 2, XRDMA_WC_SUCCESS);
	assert_true(*result == 0x10);
	assert_true(*target == 0x10);

	atomic(&p, XRDMA_OP_CMP_SWAP, 3, 77, 0x10);
	wire_expect_send(&p.a, 3, XRDMA_WC_SUCCESS);
	assert_true(*result == 0x10);
	assert_true(*target == 77);
}

/* More requests than may be in flight; only the last one is signaled. */
static void many_reads_and_atomics_keep_the_limit(void **state)
{
	struct wire_params params = wire_defaults;
	struct wire_env *env = *state;
	u64 *target;
	struct wire_pair p;
	u32 i;

	params.max_rd_atomic = 2;
	params.max_dest_rd_atomic = 2;
	wire_make_pair(env, &p, &params);
	target = (u64 *)(p.b_mem + 64);
	*target = 0;
	for (i = 0; i < 100; i++) {
		struct xrdma_sge sge = wire_sge(p.a_buf + 8 * i, 8, p.a_key);

		wire_post_send(&p.a, &(struct wire_wr) {
			.opcode = XRDMA_OP_FETCH_ADD,
			.flags = i == 99 ? XRDMA_WQE_SIGNALED : 0,
			.wr_id = i,
			.sges = &sge,
			.num_sge = 1,
			.remote_addr = p.b_buf + 64,
			.rkey = p.b_key,
			.swap_add = 1,
		});
	}
	while (p.a.qp->sq.ci != 100) {
		wire_turn(env);
		assert_true(p.a.qp->tp->req.rd_atomic <= 2);
	}
	wire_expect_send(&p.a, 99, XRDMA_WC_SUCCESS);
	for (i = 0; i < 100; i++)
		assert_true(((u64 *)p.a_mem)[i] == i);
	assert_true(*target == 100);
}

/* A WRITE may overtake a READ of the same bytes, but not with a fence. */
static void fence_waits_for_reads(void **state)
{
	struct wire_env *env = *state;
	struct xrdma_sge to, from;
	struct wire_pair p;

	wire_make_pair(env, &p, &wire_defaults);
	to = wire_sge(p.a_buf, 100000, p.a_key);
	from = wire_sge(p.a_buf, 100000, p.a_key);
	wire_post_send(&p.a, &(struct wire_wr) {
		.opcode = XRDMA_OP_READ, .sges = &to, .num_sge = 1,
		.remote_addr = p.b_buf, .rkey = p.b_key,
	});
	wire_post_send(&p.a, &(struct wire_wr) {
		.opcode = XRDMA_OP_WRITE, .wr_id = 2,
		.flags = XRDMA_WQE_SIGNALED | XRDMA_WQE_FENCE,
		.sges = &from, .num_sge = 1,
		.remote_addr = p.b_buf + 200000, .rkey = p.b_key,
	});
	wire_expect_send(&p.a, 2, XRDMA_WC_SUCCESS);
	assert_memory_equal(p.b_mem + 200000, p.b_mem, 100000);
}

static void unsignaled_sends_complete_silently(void **state)
{
	struct wire_env *env = *state;
	struct xrdma_cqe cqe;
	struct xrdma_sge sge;
	struct wire_pair p;
	u32 i;

	wire_make_pair(env, &p, &wire_defaults);
	sge = wire_sge(p.a_buf, 10, p.a_key);
	for (i = 0; i < 64; i++)
		wire_post_send(&p.a, &(struct wire_wr) {
			.opcode = XRDMA_OP_WRITE,
			.flags = i % 8 == 7 ? XRDMA_WQE_SIGNALED : 0,
			.wr_id = i, .sges = &sge, .num_sge = 1,
			.remote_addr = p.b_buf, .rkey = p.b_key,
		});
	for (i = 7; i < 64; i += 8) {
		assert_true(wire_wait(env, &p.a.send_cq, &cqe));
		assert_int_equal(le64_to_cpu(cqe.wr_id), i);
		assert_int_equal(le16_to_cpu(cqe.wqe_index), i);
		assert_int_equal(le16_to_cpu(cqe.flags), XRDMA_CQE_SEND);
	}
	wire_settle(env);
	assert_false(wire_poll_cq(&p.a.send_cq, &cqe));
}

/* Through IPv6, and IPv6 with a VLAN tag, with every path MTU. */
static void every_address_and_mtu_works(void **state)
{
	struct wire_params params = wire_defaults;
	struct wire_env *env = *state;
	struct xrdma_sge sge;
	struct wire_pair p;

	for (params.gid_index = 0; params.gid_index < 3; params.gid_index++) {
		for (params.path_mtu = 1; params.path_mtu <= 5;
		     params.path_mtu++) {
			wire_make_pair(env, &p, &params);
			sge = wire_sge(p.a_buf, 20000, p.a_key);
			wire_post_signaled(&p.a, XRDMA_OP_WRITE, 0, sge,
					   p.b_buf, p.b_key);
			wire_expect_send(&p.a, 0, XRDMA_WC_SUCCESS);
			assert_memory_equal(p.b_mem, p.a_mem, 20000);
			/* buffers are used again */
			p.a.host->next = p.a_buf < p.b_buf ? p.a_buf : p.b_buf;
			if (env->n == 2) {
				p.a.host->next = p.a_buf;
				p.b.host->next = p.b_buf;
			}
		}
	}
}

static void both_directions_at_once(void **state)
{
	struct wire_env *env = *state;
	struct xrdma_sge a_sge, b_sge;
	struct wire_pair p;

	wire_make_pair(env, &p, &wire_defaults);
	a_sge = wire_sge(p.a_buf, 1000000, p.a_key);
	b_sge = wire_sge(p.b_buf, 1000000, p.b_key);
	wire_post_signaled(&p.a, XRDMA_OP_WRITE, 1, a_sge, p.b_buf + 2000000,
			   p.b_key);
	wire_post_signaled(&p.b, XRDMA_OP_WRITE, 2, b_sge, p.a_buf + 2000000,
			   p.a_key);
	wire_expect_send(&p.a, 1, XRDMA_WC_SUCCESS);
	wire_expect_send(&p.b, 2, XRDMA_WC_SUCCESS);
	assert_memory_equal(p.b_mem + 2000000, p.a_mem, 1000000);
	assert_memory_equal(p.a_mem + 2000000, p.b_mem, 1000000);
}

/* The indexes of the send queue and the PSN wrap. */
static void rings_and_psns_wrap(void **state)
{
	struct wire_params params = wire_defaults;
	struct wire_env *env = *state;
	struct xrdma_cqe cqe;
	struct wire_pair p;
	u32 i;

	params.log_depth = 4;
	params.psn = 0xffff00;
	wire_make_pair(env, &p, &params);
	for (i = 0; i < 1000; i++) {
		struct xrdma_sge from = wire_sge(p.a_buf + i, 8, p.a_key);
		struct xrdma_sge to = wire_sge(p.b_buf, 8, p.b_key);

		wire_post_recv(&p.b, i, &to, 1);
		wire_post_signaled(&p.a, XRDMA_OP_SEND, i, from, 0, 0);
		wire_expect_send(&p.a, i, XRDMA_WC_SUCCESS);
		wire_expect_recv(&p.b, i, XRDMA_WC_SUCCESS, &cqe);
		assert_memory_equal(p.b_mem, p.a_mem + i, 8);
	}
	assert_int_equal(p.a.qp->tp->req.psn, (0xffff00 + 1000) & 0xffffff);
}

/* A long message of one queue pair does not delay another queue pair. */
static void queue_pairs_take_turns(void **state)
{
	struct wire_env *env = *state;
	struct xrdma_sge big, small;
	struct xrdma_cqe cqe;
	struct wire_pair p, q;

	wire_make_pair(env, &p, &wire_defaults);
	wire_make_pair(env, &q, &wire_defaults);
	big = wire_sge(p.a_buf, 4000000, p.a_key);
	small = wire_sge(q.a_buf, 10, q.a_key);
	wire_post_signaled(&p.a, XRDMA_OP_WRITE, 1, big, p.b_buf, p.b_key);
	wire_turn(env);
	wire_post_signaled(&q.a, XRDMA_OP_WRITE, 2, small, q.b_buf, q.b_key);
	wire_expect_send(&q.a, 2, XRDMA_WC_SUCCESS);
	assert_false(wire_poll_cq(&p.a.send_cq, &cqe));
	wire_expect_send(&p.a, 1, XRDMA_WC_SUCCESS);
}

/* In SQD entries in flight complete and none begins; RTS continues. */
static void sqd_drains(void **state)
{
	struct wire_env *env = *state;
	struct xrdma_cqe cqe;
	struct xrdma_sge sge;
	struct wire_pair p;
	u32 i;

	wire_make_pair(env, &p, &wire_defaults);
	sge = wire_sge(p.a_buf, 100000, p.a_key);
	for (i = 0; i < 3; i++)
		wire_post_signaled(&p.a, XRDMA_OP_WRITE, i, sge, p.b_buf,
				   p.b_key);
	wire_turn(env);
	wire_modify_state(&p.a, XRDMA_QPS_SQD);
	wire_expect_send(&p.a, 0, XRDMA_WC_SUCCESS);
	wire_run(env, 10 * WIRE_MS);
	assert_false(wire_poll_cq(&p.a.send_cq, &cqe));
	assert_true(p.a.qp->ops->idle(p.a.qp));
	wire_modify_state(&p.a, XRDMA_QPS_RTS);
	wire_expect_send(&p.a, 1, XRDMA_WC_SUCCESS);
	wire_expect_send(&p.a, 2, XRDMA_WC_SUCCESS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(write_moves_every_length, 1),
		WIRE_TEST(write_moves_every_length, 2),
		WIRE_TEST(read_fetches_every_length, 1),
		WIRE_TEST(read_fetches_every_length, 2),
		WIRE_TEST(send_fills_receives, 1),
		WIRE_TEST(send_fills_receives, 2),
		WIRE_TEST(write_imm_takes_a_receive_and_no_memory_of_it, 1),
		WIRE_TEST(write_imm_takes_a_receive_and_no_memory_of_it, 2),
		WIRE_TEST(inline_data_needs_no_key, 1),
		WIRE_TEST(inline_data_needs_no_key, 2),
		WIRE_TEST(atomics_return_what_was_there, 1),
		WIRE_TEST(atomics_return_what_was_there, 2),
		WIRE_TEST(many_reads_and_atomics_keep_the_limit, 1),
		WIRE_TEST(many_reads_and_atomics_keep_the_limit, 2),
		WIRE_TEST(fence_waits_for_reads, 1),
		WIRE_TEST(fence_waits_for_reads, 2),
		WIRE_TEST(unsignaled_sends_complete_silently, 1),
		WIRE_TEST(unsignaled_sends_complete_silently, 2),
		WIRE_TEST(every_address_and_mtu_works, 1),
		WIRE_TEST(every_address_and_mtu_works, 2),
		WIRE_TEST(both_directions_at_once, 1),
		WIRE_TEST(both_directions_at_once, 2),
		WIRE_TEST(rings_and_psns_wrap, 1),
		WIRE_TEST(rings_and_psns_wrap, 2),
		WIRE_TEST(queue_pairs_take_turns, 1),
		WIRE_TEST(queue_pairs_take_turns, 2),
		WIRE_TEST(sqd_drains, 1),
		WIRE_TEST(sqd_drains, 2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
