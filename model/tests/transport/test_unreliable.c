// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of unreliable connections and datagrams over a wire with impairments: a
 * message arrives completely and unchanged, or not at all. Unless the wire
 * duplicates or reorders frames, messages arrive in order and at most once. The
 * expected contents follow from the message's number, its immediate data.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/lib/wire_ud.h"

#define SOURCE		0x100000
#define SLOTS		16
#define SLOT_SIZE	8192
#define BATCH		8

/*
 * struct scene - a sender on host 0, a receiver on host 1
 * @source: memory from which the sender sends
 * @slots: memory for receives, followed by memory for WRITEs
 * @in_order: the wire neither duplicates nor reorders frames
 */
struct scene {
	struct wire_env *env;
	struct wire_qp a;
	struct wire_qp b;
	bool datagrams;
	u64 source;
	u32 source_key;
	u64 slots;
	u32 slots_key;
	bool in_order;
	u32 sent;
	u32 completed;
	u32 arrived;
	u32 wanted;
	u32 next;
};

static u32 hash(u32 i, u32 salt)
{
	u64 x = (i + 1) * 0x9e3779b97f4a7c15ULL + salt * 0xd1342543de82ef95ULL;

	x ^= x >> 31;
	x *= 0xbf58476d1ce4e5b9ULL;
	return x >> 33;
}

static u8 opcode_of(const struct scene *s, u32 i)
{
	static const u8 opcodes[] = {
		XRDMA_OP_SEND_IMM, XRDMA_OP_WRITE_IMM, XRDMA_OP_WRITE,
	};

	return s->datagrams ? XRDMA_OP_SEND_IMM : opcodes[hash(i, 1) % 3];
}

/* Return: bytes of message @i; a datagram has at most one packet. */
static u32 length_of(const struct scene *s, u32 i)
{
	u32 limit = s->datagrams ? 1025 : 6000;

	return hash(i, 2) % 4 ? hash(i, 3) % limit : hash(i, 3) % 16;
}

static u32 offset_of(u32 i)
{
	return hash(i, 4) % (SOURCE - SLOT_SIZE);
}

static void post_recv(struct scene *s, u32 slot)
{
	struct xrdma_sge sge = wire_sge(s->slots + slot * SLOT_SIZE,
					SLOT_SIZE, s->slots_key);

	wire_post_recv(&s->b, slot, &sge, 1);
}

static void begin(struct scene *s, bool datagrams, const char *impair,
		  u64 seed)
{
	struct wire_params params = wire_defaults;
	void *state = NULL;
	u32 i;

	memset(s, 0, sizeof(*s));
	wire_setup_2(&state);
	s->env = state;
	s->datagrams = datagrams;
	s->in_order = !strstr(impair, "dup") && !strstr(impair, "reorder");
	if (datagrams) {
		wire_create_ud(s->env, 0, XRDMA_QP_UD, 0, &s->a);
		wire_create_ud(s->env, 1, XRDMA_QP_UD, 0, &s->b);
	} else {
		wire_create_qp(s->env, 0, XRDMA_QP_UC, 0, 4, &s->a);
		wire_create_qp(s->env, 1, XRDMA_QP_UC, 0, 4, &s->b);
		params.path_mtu = 1 + seed % 4;
		wire_connect_one(&s->a, &s->b, &params, 0xffff00, 1);
		wire_connect_one(&s->b, &s->a, &params, 1, 0xffff00);
	}
	s->source = wire_alloc(s->a.host, SOURCE, 4096);
	s->source_key = wire_region(s->a.host, 100, s->source, SOURCE, 0);
	wire_fill(wire_ptr(s->a.host, s->source), SOURCE, seed);
	s->slots = wire_alloc(s->b.host, 3 * SLOTS * SLOT_SIZE, 4096);
	s->slots_key = wire_region(s->b.host, 101, s->slots,
				   3 * SLOTS * SLOT_SIZE, WIRE_ALL_RIGHTS);
	for (i = 0; i < SLOTS; i++)
		post_recv(s, i);
	wire_impair(s->a.host, impair);
	s->a.host->dev->wire->tx.rng += seed;
}

/* Return: target of WRITE @i; those with and without immediate data differ. */
static u64 target_of(const struct scene *s, u32 i)
{
	u32 first = opcode_of(s, i) == XRDMA_OP_WRITE ? 2 * SLOTS : SLOTS;

	return s->slots + (u64)(first + i % SLOTS) * SLOT_SIZE;
}

static void post(struct scene *s)
{
	u32 i = s->sent++;
	struct xrdma_sge sge = wire_sge(s->source + offset_of(i),
					length_of(s, i), s->source_key);

	s->wanted += opcode_of(s, i) != XRDMA_OP_WRITE;
	if (s->datagrams) {
		wire_post_ud(&s->a, &(struct wire_dgram) {
			.opcode = XRDMA_OP_SEND_IMM,
			.flags = XRDMA_WQE_SIGNALED, .wr_id = i,
			.av = wire_av(s->b.host, i % 3), .dqpn = s->b.qpn,
			.qkey = WIRE_QKEY, .imm = i, .sges = &sge,
			.num_sge = 1 });
		return;
	}
	wire_post_send(&s->a, &(struct wire_wr) {
		.opcode = opcode_of(s, i), .flags = XRDMA_WQE_SIGNALED,
		.wr_id = i, .sges = &sge, .num_sge = 1, .imm = i,
		.remote_addr = target_of(s, i), .rkey = s->slots_key });
}

static void check_recv(struct scene *s, const struct xrdma_cqe *cqe)
{
	u32 grh = s->datagrams ? WIRE_GRH : 0;
	u32 i = be32_to_cpu(cqe->imm);
	u64 slot = le64_to_cpu(cqe->wr_id);
	u64 at = s->slots + slot * SLOT_SIZE + grh;

	assert_int_equal(cqe->status, XRDMA_WC_SUCCESS);
	assert_true(le16_to_cpu(cqe->flags) & XRDMA_CQE_IMM);
	assert_true(i < s->sent);
	if (s->in_order)
		assert_true(i >= s->next);
	s->next = i + 1;
	if (opcode_of(s, i) == XRDMA_OP_WRITE_IMM) {
		assert_int_equal(cqe->opcode, XRDMA_OP_RECV_WRITE_IMM);
		at = target_of(s, i);
	} else {
		assert_int_equal(cqe->opcode, XRDMA_OP_RECV);
	}
	assert_int_equal(le32_to_cpu(cqe->byte_len), length_of(s, i) + grh);
	assert_memory_equal(wire_ptr(s->b.host, at),
			    wire_ptr(s->a.host, s->source + offset_of(i)),
			    length_of(s, i));
	s->arrived++;
	post_recv(s, slot);
}

static void serve(struct scene *s)
{
	struct xrdma_cqe cqe;

	while (wire_poll_cq(&s->a.send_cq, &cqe)) {
		assert_int_equal(cqe.status, XRDMA_WC_SUCCESS);
		assert_int_equal(le64_to_cpu(cqe.wr_id), s->completed);
		s->completed++;
	}
	while (wire_poll_cq(&s->b.recv_cq, &cqe))
		check_recv(s, &cqe);
}

/* Wait until the wire has delivered or dropped all frames. */
static void settle(struct scene *s)
{
	u64 end = model_loop_now(s->env->loop) + 3 * WIRE_MS;

	while (model_loop_now(s->env->loop) < end) {
		while (wire_turn(s->env) || wire_turn(s->env))
			serve(s);
		serve(s);
		fake_loop_advance(s->env->loop,
				  fake_loop_next(s->env->loop) < end ?
				  fake_loop_next(s->env->loop) : end);
	}
}

/* Return: number of lost messages, of those with a receive completion. */
static s32 run(bool datagrams, const char *impair, u64 seed)
{
	u32 batches = getenv("XRDMA_TEST_SCALE") ? 1000 : 60;
	struct scene s;
	void *state;
	s32 lost;
	u32 i;

	begin(&s, datagrams, impair, seed);
	state = s.env;
	while (batches--) {
		for (i = 0; i < BATCH; i++)
			post(&s);
		settle(&s);
		assert_int_equal(s.completed, s.sent);
	}
	lost = s.wanted - s.arrived;
	print_message("  %s, seed %llu, %s: %u of %u\n", datagrams ? "UD" :
		      "UC", seed, impair, s.arrived, s.wanted);
	assert_int_equal(s.a.qp->state, XRDMA_QPS_RTS);
	assert_int_equal(s.b.qp->state, XRDMA_QPS_RTS);
	assert_int_equal(wire_teardown(&state), 0);
	return lost;
}

static void all_arrive_on_a_good_wire(void **state)
{
	u64 seed;

	(void)state;
	for (seed = 1; seed < 5; seed++) {
		assert_int_equal(run(false, "none", seed), 0);
		assert_int_equal(run(true, "none", seed), 0);
	}
}

static void lost_messages_are_lost_completely(void **state)
{
	u64 seed;

	(void)state;
	for (seed = 1; seed < 5; seed++) {
		assert_true(run(false, "loss=5%", seed) > 0);
		assert_true(run(true, "loss=5%", seed) > 0);
	}
}

static void corrupted_messages_are_lost(void **state)
{
	u64 seed;

	(void)state;
	for (seed = 1; seed < 5; seed++) {
		assert_true(run(false, "corrupt=10%", seed) > 0);
		assert_true(run(true, "corrupt=10%", seed) > 0);
	}
}

/* Reordered datagrams arrive unchanged and all of them. */
static void reordered_messages_arrive_unchanged(void **state)
{
	u64 seed;

	(void)state;
	for (seed = 1; seed < 5; seed++) {
		assert_true(run(false, "reorder=10%", seed) > 0);
		assert_int_equal(run(true, "reorder=10%", seed), 0);
	}
}

static void doubles_bend_nothing(void **state)
{
	u64 seed;

	(void)state;
	for (seed = 1; seed < 5; seed++) {
		run(false, "dup=20%", seed);
		assert_true(run(true, "dup=20%", seed) < 0);
		run(false, "loss=3%,dup=3%,reorder=3%,corrupt=3%,ecn=9%", seed);
		run(true, "loss=3%,dup=3%,reorder=3%,corrupt=3%,ecn=9%", seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_arrive_on_a_good_wire),
		cmocka_unit_test(lost_messages_are_lost_completely),
		cmocka_unit_test(corrupted_messages_are_lost),
		cmocka_unit_test(reordered_messages_arrive_unchanged),
		cmocka_unit_test(doubles_bend_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
