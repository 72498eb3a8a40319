// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of messages by the null key, in each place where a work request has a
 * local key, and of what is refused. Single accesses are in
 * tests/core/test_null.c.
 */
#include <string.h>

#include "tests/lib/wire_env.h"
#include "tests/lib/wire_mw.h"
#include "tests/lib/wire_srq.h"
#include "tests/lib/wire_ud.h"

#define NULL_KEY	0x00000002
#define LEN	5000
/* An address that no memory of the host has */
#define NOWHERE	0xfedcba9876543000ULL

struct scene {
	struct wire_env *env;
	struct wire_pair p;
};

static void begin(void **state, struct scene *s)
{
	s->env = *state;
	wire_make_pair(s->env, &s->p, &wire_defaults);
}

/* Are the bytes of the buffer of b @value, from @off on? */
static void b_has(const struct scene *s, u32 off, u32 len, u8 value)
{
	u32 i;

	for (i = 0; i < len; i++)
		assert_int_equal(s->p.b_mem[off + i], value);
}

static void post(struct scene *s, u8 opcode, u64 wr_id,
		 const struct xrdma_sge *sges, u16 num)
{
	wire_post_send(&s->p.a, &(struct wire_wr) {
		.opcode = opcode,
		.flags = XRDMA_WQE_SIGNALED,
		.wr_id = wr_id,
		.sges = sges,
		.num_sge = num,
		.remote_addr = s->p.b_buf,
		.rkey = s->p.b_key,
		.swap_add = 1,
	});
}

/* Zeros come before, between and behind the bytes of a buffer. */
static void sends_and_writes_gather_zeros(void **state)
{
	struct xrdma_sge to;
	struct xrdma_cqe cqe;
	struct scene s;
	u8 opcode;

	begin(state, &s);
	for (opcode = XRDMA_OP_SEND; opcode <= XRDMA_OP_WRITE;
	     opcode += XRDMA_OP_WRITE - XRDMA_OP_SEND) {
		struct xrdma_sge from[] = {
			wire_sge(NOWHERE, LEN, NULL_KEY),
			wire_sge(s.p.a_buf, LEN, s.p.a_key),
			wire_sge(-(u64)LEN, LEN, NULL_KEY),
		};

		memset(s.p.a_mem, 0x55, LEN);
		memset(s.p.b_mem, 0xee, WIRE_BUF_SIZE);
		to = wire_sge(s.p.b_buf, 3 * LEN, s.p.b_key);
		if (opcode == XRDMA_OP_SEND)
			wire_post_recv(&s.p.b, 7, &to, 1);
		post(&s, opcode, opcode, from, 3);
		wire_expect_send(&s.p.a, opcode, XRDMA_WC_SUCCESS);
		if (opcode == XRDMA_OP_SEND)
			wire_expect_recv(&s.p.b, 7, XRDMA_WC_SUCCESS, &cqe);
		b_has(&s, 0, LEN, 0);
		b_has(&s, LEN, LEN, 0x55);
		b_has(&s, 2 * LEN, LEN, 0);
		b_has(&s, 3 * LEN, LEN, 0xee);
	}
}

/* A receive keeps the middle of a message. */
static void receives_drop_bytes(void **state)
{
	struct xrdma_sge from;
	struct xrdma_cqe cqe;
	struct scene s;

	begin(state, &s);
	struct xrdma_sge to[] = {
		wire_sge(NOWHERE, LEN, NULL_KEY),
		wire_sge(s.p.b_buf, LEN, s.p.b_key),
		wire_sge(0, LEN, NULL_KEY),
	};

	wire_fill(s.p.a_mem, 3 * LEN, 3);
	memset(s.p.b_mem, 0xee, WIRE_BUF_SIZE);
	from = wire_sge(s.p.a_buf, 3 * LEN, s.p.a_key);
	wire_post_recv(&s.p.b, 8, to, 3);
	post(&s, XRDMA_OP_SEND, 1, &from, 1);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_SUCCESS);
	wire_expect_recv(&s.p.b, 8, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(le32_to_cpu(cqe.byte_len), 3 * LEN);
	assert_memory_equal(s.p.b_mem, s.p.a_mem + LEN, LEN);
	b_has(&s, LEN, LEN, 0xee);
}

/* Both ends use the null key, and no bytes of earlier messages are left. */
static void nothing_is_kept(void **state)
{
	struct xrdma_sge from, to;
	struct xrdma_cqe cqe;
	struct scene s;

	begin(state, &s);
	from = wire_sge(s.p.a_buf, LEN, s.p.a_key);
	to = wire_sge(0, LEN, NULL_KEY);
	wire_fill(s.p.a_mem, LEN, 4);
	wire_post_recv(&s.p.b, 1, &to, 1);
	post(&s, XRDMA_OP_SEND, 1, &from, 1);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_SUCCESS);
	wire_expect_recv(&s.p.b, 1, XRDMA_WC_SUCCESS, &cqe);
	from = wire_sge(0, LEN, NULL_KEY);
	memset(s.p.b_mem, 0xee, LEN);
	post(&s, XRDMA_OP_WRITE, 2, &from, 1);
	wire_expect_send(&s.p.a, 2, XRDMA_WC_SUCCESS);
	b_has(&s, 0, LEN, 0);
}

static void responses_drop_bytes(void **state)
{
	struct scene s;

	begin(state, &s);
	struct xrdma_sge read[] = {
		wire_sge(s.p.a_buf, LEN, s.p.a_key),
		wire_sge(NOWHERE, LEN, NULL_KEY),
		wire_sge(s.p.a_buf + LEN, LEN, s.p.a_key),
	};
	struct xrdma_sge old = wire_sge(NOWHERE, 8, NULL_KEY);
	u64 *target = (u64 *)s.p.b_mem;

	memset(s.p.a_mem, 0xee, WIRE_BUF_SIZE);
	wire_fill(s.p.b_mem, 3 * LEN, 5);
	post(&s, XRDMA_OP_READ, 1, read, 3);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_SUCCESS);
	assert_memory_equal(s.p.a_mem, s.p.b_mem, LEN);
	assert_memory_equal(s.p.a_mem + LEN, s.p.b_mem + 2 * LEN, LEN);
	*target = 41;
	post(&s, XRDMA_OP_FETCH_ADD, 2, &old, 1);
	wire_expect_send(&s.p.a, 2, XRDMA_WC_SUCCESS);
	assert_true(*target == 42);
}

/* The null key is no remote key, whatever the queue pair allows. */
static void the_peer_is_refused(void **state, u8 opcode)
{
	struct xrdma_sge sge;
	struct scene s;

	begin(state, &s);
	sge = wire_sge(s.p.a_buf, 8, s.p.a_key);
	wire_post_signaled(&s.p.a, opcode, 1, sge, 0, NULL_KEY);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_REM_ACCESS_ERR);
	wire_expect_fault(s.p.b.host, &s.p.b, 0, XRDMA_FAULT_KEY_INVALID,
			  opcode, NULL_KEY);
}

static void no_write_of_the_peer(void **state)
{
	the_peer_is_refused(state, XRDMA_OP_WRITE);
}

static void no_read_of_the_peer(void **state)
{
	the_peer_is_refused(state, XRDMA_OP_READ);
}

static void no_atomic_of_the_peer(void **state)
{
	the_peer_is_refused(state, XRDMA_OP_FETCH_ADD);
}

static void no_window_can_be_bound(void **state)
{
	struct scene s;

	begin(state, &s);
	struct wire_bind b = {
		.key = wire_publish(s.p.a.host, 50, XRDMA_MPT_MW_2),
		.new_key = xrdma_make_key(50, 1),
		.mr_key = NULL_KEY,
		.access = XRDMA_ACCESS_REMOTE_READ,
		.length = 4096,
	};

	wire_post_bind(&s.p.a, 1, &b);
	wire_expect_refused(&s.p.a, 1, XRDMA_WC_MW_BIND_ERR,
			    XRDMA_FAULT_KEY_INVALID);
}

/* The GRH of a datagram, and all that follows it, are dropped. */
static void datagrams(void **state)
{
	struct wire_env *env = *state;
	struct wire_qp a, b;
	struct xrdma_sge from, to[2];
	struct xrdma_cqe cqe;
	u8 *mem;
	u64 buf;
	u32 key;

	wire_create_ud(env, 0, XRDMA_QP_UD, 0, &a);
	wire_create_ud(env, 1, XRDMA_QP_UD, 0, &b);
	buf = wire_alloc(b.host, 4096, 4096);
	key = wire_region(b.host, 101, buf, 4096, XRDMA_ACCESS_LOCAL_WRITE);
	mem = wire_ptr(b.host, buf);
	memset(mem, 0xee, 4096);
	from = wire_sge(NOWHERE, 100, NULL_KEY);
	to[0] = wire_sge(0, WIRE_GRH, NULL_KEY);
	to[1] = wire_sge(buf, 100, key);
	wire_post_recv(&b, 7, to, 2);
	wire_post_ud(&a, &(struct wire_dgram) {
		.opcode = XRDMA_OP_SEND, .flags = XRDMA_WQE_SIGNALED,
		.wr_id = 1, .dqpn = b.qpn, .qkey = WIRE_QKEY,
		.sges = &from, .num_sge = 1, .av = wire_av(b.host, 0),
	});
	wire_expect_send(&a, 1, XRDMA_WC_SUCCESS);
	wire_expect_recv(&b, 7, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(mem[0], 0);
	assert_memory_equal(mem, mem + 1, 99);
	assert_int_equal(mem[100], 0xee);
}

static void shared_receives_drop_bytes(void **state)
{
	struct wire_env *env = *state;
	struct wire_qp a, b;
	struct xrdma_sge from, to;
	struct wire_srq srq;
	struct xrdma_cqe cqe;

	wire_create_srq(&env->hosts[1], 4, 0, 0, &srq);
	wire_create_qp(env, 0, XRDMA_QP_RC, 0, 4, &a);
	wire_create_qp_on(env, 1, XRDMA_QP_RC, XRDMA_QP_SRQ, 4, srq.srqn, &b);
	wire_connect_one(&a, &b, &wire_defaults, 1, 5);
	wire_connect_one(&b, &a, &wire_defaults, 5, 1);
	from = wire_sge(0, LEN, NULL_KEY);
	to = wire_sge(NOWHERE, LEN, NULL_KEY);
	wire_post_srq(&srq, 7, &to, 1);
	wire_post_signaled(&a, XRDMA_OP_SEND, 1, from, 0, 0);
	wire_expect_send(&a, 1, XRDMA_WC_SUCCESS);
	wire_expect_recv(&b, 7, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(le32_to_cpu(cqe.byte_len), LEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(sends_and_writes_gather_zeros, 2),
		WIRE_TEST(receives_drop_bytes, 2),
		WIRE_TEST(nothing_is_kept, 1),
		WIRE_TEST(responses_drop_bytes, 2),
		WIRE_TEST(no_write_of_the_peer, 2),
		WIRE_TEST(no_read_of_the_peer, 2),
		WIRE_TEST(no_atomic_of_the_peer, 2),
		WIRE_TEST(no_window_can_be_bound, 2),
		WIRE_TEST(datagrams, 2),
		WIRE_TEST(shared_receives_drop_bytes, 2),
	};

	return cmocka_run_group_tests_name("null key on the wire", tests,
					   NULL, NULL);
}
