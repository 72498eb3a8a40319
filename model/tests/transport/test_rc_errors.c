// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of errors on reliable connections: local errors, refused requests and
 * exhausted retries, with completion statuses, events and flushed entries.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/lib/wire_env.h"

/* Return: event number @index of the asynchronous event queue, or NULL. */
static const struct xrdma_eqe *event(struct wire_host *host, u32 index)
{
	struct model_eq *eq = model_eq_get(host->dev, 0);
	const struct xrdma_eqe *eqe =
		wire_ptr(host, eq->ring.root & XRDMA_ROOT_ADDR);

	eqe += index;
	return xrdma_ring_valid(le32_to_cpu(eqe->own), index, eq->log_depth) ?
	       eqe : NULL;
}

static bool saw_event(struct wire_host *host, u8 type, u32 number)
{
	const struct xrdma_eqe *eqe;
	u32 i;

	for (i = 0; (eqe = event(host, i)) != NULL; i++)
		if (eqe->event == type && le32_to_cpu(eqe->number) == number)
			return true;
	return false;
}

static const struct xrdma_eqe *fault(struct wire_host *host)
{
	const struct xrdma_eqe *eqe;
	u32 i;

	for (i = 0; (eqe = event(host, i)) != NULL; i++)
		if (eqe->event == XRDMA_EVENT_FAULT)
			return eqe;
	return NULL;
}

static void post(struct wire_pair *p, u8 opcode, u64 wr_id, u32 len,
		 u64 remote_addr, u32 rkey)
{
	struct xrdma_sge sge = wire_sge(p->a_buf, len, p->a_key);

	wire_post_signaled(&p->a, opcode, wr_id, sge, remote_addr, rkey);
}

struct refusal {
	const char *name;
	u8 reason;
	u8 opcode;
	u8 status;
	u16 rights;	/* rights of the region */
	u16 qp_rights;
	s64 offset;	/* offset of the access in the region */
	u32 length;
	u32 key_xor;
	bool foreign_pd;
	bool invalidated;
};

#define QP_ALL	(XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ | \
		 XRDMA_ACCESS_REMOTE_ATOMIC)

static const struct refusal refusals[] = {
	{ "write without the right", XRDMA_FAULT_RIGHTS, XRDMA_OP_WRITE,
	  XRDMA_WC_REM_ACCESS_ERR, XRDMA_ACCESS_REMOTE_READ, QP_ALL, 0, 8,
	  0, false, false },
	{ "read without the right", XRDMA_FAULT_RIGHTS, XRDMA_OP_READ,
	  XRDMA_WC_REM_ACCESS_ERR, XRDMA_ACCESS_REMOTE_WRITE, QP_ALL, 0, 8,
	  0, false, false },
	{ "atomic without the right", XRDMA_FAULT_RIGHTS, XRDMA_OP_FETCH_ADD,
	  XRDMA_WC_REM_ACCESS_ERR, XRDMA_ACCESS_REMOTE_WRITE, QP_ALL, 0, 8,
	  0, false, false },
	{ "one byte past the end", XRDMA_FAULT_RANGE, XRDMA_OP_WRITE,
	  XRDMA_WC_REM_ACCESS_ERR, WIRE_ALL_RIGHTS, QP_ALL, 1, 65536,
	  0, false, false },
	{ "one byte before the start", XRDMA_FAULT_RANGE, XRDMA_OP_READ,
	  XRDMA_WC_REM_ACCESS_ERR, WIRE_ALL_RIGHTS, QP_ALL, -1, 8,
	  0, false, false },
	{ "wrong key byte", XRDMA_FAULT_KEY_BYTE, XRDMA_OP_WRITE,
	  XRDMA_WC_REM_ACCESS_ERR, WIRE_ALL_RIGHTS, QP_ALL, 0, 8,
	  0x01, false, false },
	{ "no such key", XRDMA_FAULT_KEY_INVALID, XRDMA_OP_WRITE,
	  XRDMA_WC_REM_ACCESS_ERR, WIRE_ALL_RIGHTS, QP_ALL, 0, 8,
	  0x70000, false, false },
	{ "no such index", XRDMA_FAULT_KEY_INDEX, XRDMA_OP_WRITE,
	  XRDMA_WC_REM_ACCESS_ERR, WIRE_ALL_RIGHTS, QP_ALL, 0, 8,
	  0x80000000, false, false },
	{ "foreign protection domain", XRDMA_FAULT_PD, XRDMA_OP_READ,
	  XRDMA_WC_REM_ACCESS_ERR, WIRE_ALL_RIGHTS, QP_ALL, 0, 8,
	  0, true, false },
	{ "invalidated key", XRDMA_FAULT_KEY_INVALID, XRDMA_OP_READ,
	  XRDMA_WC_REM_ACCESS_ERR, WIRE_ALL_RIGHTS, QP_ALL, 0, 8,
	  0, false, true },
	{ "atomic not aligned", XRDMA_FAULT_ALIGN, XRDMA_OP_CMP_SWAP,
	  XRDMA_WC_REM_INV_REQ_ERR, WIRE_ALL_RIGHTS, QP_ALL, 4, 8,
	  0, false, false },
	{ "write the queue pair forbids", XRDMA_FAULT_QP_RIGHTS,
	  XRDMA_OP_WRITE, XRDMA_WC_REM_INV_REQ_ERR, WIRE_ALL_RIGHTS,
	  XRDMA_ACCESS_REMOTE_READ, 0, 8, 0, false, false },
	{ "read the queue pair forbids", XRDMA_FAULT_QP_RIGHTS, XRDMA_OP_READ,
	  XRDMA_WC_REM_INV_REQ_ERR, WIRE_ALL_RIGHTS,
	  XRDMA_ACCESS_REMOTE_WRITE, 0, 8, 0, false, false },
	{ "atomic the queue pair forbids", XRDMA_FAULT_QP_RIGHTS,
	  XRDMA_OP_FETCH_ADD, XRDMA_WC_REM_INV_REQ_ERR, WIRE_ALL_RIGHTS, 0, 0,
	  8, 0, false, false },
};

static u32 refusal_key(struct wire_pair *p, const struct refusal *r)
{
	u32 key = wire_region(p->b.host, 42, p->b_buf, 65536, r->rights);
	struct xrdma_mpt_entry *e = wire_ptr(p->b.host, p->b.host->mpt);

	if (r->foreign_pd)
		e[42].ctrl ^= cpu_to_le64(1ULL << 32);
	if (r->invalidated)
		wire_unregion(p->b.host, 42);
	return key ^ r->key_xor;
}

static void check_refusal(void **state, const struct refusal *r)
{
	struct wire_params params = wire_defaults;
	struct wire_env *env = *state;
	const struct xrdma_eqe *record;
	struct wire_pair p;
	u32 key;

	params.access = r->qp_rights;
	wire_make_pair(env, &p, &params);
	key = refusal_key(&p, r);
	memset(p.b_mem, 0xee, 131072);
	wire_post_recv(&p.b, 77, NULL, 0);
	post(&p, r->opcode, 1, r->length, p.b_buf + r->offset, key);
	post(&p, XRDMA_OP_WRITE, 2, 8, p.b_buf + 131072, p.b_key);

	wire_expect_send(&p.a, 1, r->status);
	wire_expect_send(&p.a, 2, XRDMA_WC_WR_FLUSH_ERR);
	assert_int_equal(p.a.qp->state, XRDMA_QPS_ERR);
	assert_int_equal(p.b.qp->state, XRDMA_QPS_ERR);
	assert_true(saw_event(p.b.host, r->status == XRDMA_WC_REM_ACCESS_ERR ?
			      XRDMA_EVENT_QP_ACCESS_ERR :
			      XRDMA_EVENT_QP_REQ_ERR, p.b.qpn));
	record = fault(p.b.host);
	assert_non_null(record);
	assert_int_equal(record->reason, r->reason);
	assert_int_equal(record->opcode, r->opcode);
	assert_int_equal(record->flags & XRDMA_FAULT_REMOTE,
			 XRDMA_FAULT_REMOTE);
	assert_int_equal(le32_to_cpu(record->number), p.b.qpn);
	assert_int_equal(le32_to_cpu(record->key), key);
	assert_true(le64_to_cpu(record->addr) == p.b_buf + r->offset);
	assert_true(le64_to_cpu(record->length) == r->length);
	assert_int_equal(p.b_mem[0], 0xee);
	assert_memory_equal(p.b_mem, p.b_mem + 1, 131071);
}

static void remote_access_is_refused(void **state)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		void *env = NULL;

		(void)state;
		print_message("  %s\n", refusals[i].name);
		wire_setup_2(&env);
		check_refusal(&env, &refusals[i]);
		assert_int_equal(wire_teardown(&env), 0);
	}
}

/* By the standard an access of zero bytes needs no valid key. */
static void access_of_zero_bytes_needs_no_key(void **state)
{
	struct wire_env *env = *state;
	struct wire_pair p;

	wire_make_pair(env, &p, &wire_defaults);
	post(&p, XRDMA_OP_WRITE, 1, 0, 0, 0);
	post(&p, XRDMA_OP_READ, 2, 0, ~0ULL, ~0U);
	wire_expect_send(&p.a, 1, XRDMA_WC_SUCCESS);
	wire_expect_send(&p.a, 2, XRDMA_WC_SUCCESS);
}

struct local_error {
	const char *name;
	u8 status;
	u8 opcode;
	u8 flags;
	u16 num_sge;
	u32 length;	/* bytes of each SGE */
	u32 key_xor;
	u16 rights;	/* rights of the local region */
};

static const struct local_error local_errors[] = {
	{ "wrong lkey", XRDMA_WC_LOC_PROT_ERR, XRDMA_OP_WRITE, 0, 1, 8, 1,
	  WIRE_ALL_RIGHTS },
	{ "too long for its region", XRDMA_WC_LOC_PROT_ERR, XRDMA_OP_SEND, 0,
	  1, WIRE_BUF_SIZE + 1, 0, WIRE_ALL_RIGHTS },
	{ "read into what may not be written", XRDMA_WC_LOC_PROT_ERR,
	  XRDMA_OP_READ, 0, 1, 8, 0, XRDMA_ACCESS_REMOTE_READ },
	{ "atomic into what may not be written", XRDMA_WC_LOC_PROT_ERR,
	  XRDMA_OP_FETCH_ADD, 0, 1, 8, 0, XRDMA_ACCESS_REMOTE_READ },
	{ "longer than a message", XRDMA_WC_LOC_LEN_ERR, XRDMA_OP_WRITE, 0, 2,
	  0x40000001, 0, WIRE_ALL_RIGHTS },
	{ "atomic of 4 bytes", XRDMA_WC_LOC_LEN_ERR, XRDMA_OP_CMP_SWAP, 0, 1,
	  4, 0, WIRE_ALL_RIGHTS },
	{ "inline longer than the entry", XRDMA_WC_LOC_LEN_ERR, XRDMA_OP_SEND,
	  XRDMA_WQE_INLINE, 225, 8, 0, WIRE_ALL_RIGHTS },
	{ "more entries than there is room for", XRDMA_WC_LOC_QP_OP_ERR,
	  XRDMA_OP_SEND, 0, 15, 8, 0, WIRE_ALL_RIGHTS },
	{ "inline read", XRDMA_WC_LOC_QP_OP_ERR, XRDMA_OP_READ,
	  XRDMA_WQE_INLINE, 8, 8, 0, WIRE_ALL_RIGHTS },
	{ "unknown opcode", XRDMA_WC_LOC_QP_OP_ERR, 99, 0, 1, 8, 0,
	  WIRE_ALL_RIGHTS },
	{ "opcode 0", XRDMA_WC_LOC_QP_OP_ERR, 0, 0, 1, 8, 0, WIRE_ALL_RIGHTS },
	{ "opcode of a completion", XRDMA_WC_LOC_QP_OP_ERR, XRDMA_OP_RECV, 0,
	  1, 8, 0, WIRE_ALL_RIGHTS },
	{ "longer than its queue allows", XRDMA_WC_LOC_QP_OP_ERR,
	  XRDMA_OP_SEND, WIRE_SQ_UNITS << XRDMA_WQE_UNITS_SHIFT, 1, 8, 0,
	  WIRE_ALL_RIGHTS },
};

/*
 * The entry before the bad one is long and still in flight when the bad one is
 * taken up. It completes first, without error.
 */
static void check_local_error(void **state, const struct local_error *l)
{
	struct wire_env *env = *state;
	struct xrdma_sge sges[16];
	struct wire_pair p;
	u32 key;
	u16 i;

	wire_make_pair(env, &p, &wire_defaults);
	key = wire_region(p.a.host, 42, p.a_buf, WIRE_BUF_SIZE, l->rights);
	for (i = 0; i < ARRAY_SIZE(sges); i++)
		sges[i] = wire_sge(p.a_buf, l->length, key ^ l->key_xor);
	post(&p, XRDMA_OP_WRITE, 1, 300000, p.b_buf, p.b_key);
	wire_post_send(&p.a, &(struct wire_wr) {
		.opcode = l->opcode, .flags = l->flags, .wr_id = 2,
		.sges = sges,
		.num_sge = l->num_sge > 14 ? 14 : l->num_sge,
		.remote_addr = p.b_buf, .rkey = p.b_key,
	});
	((struct xrdma_sq_wqe *)(p.a.sq + XRDMA_SQ_UNIT))->num_sge =
		cpu_to_le16(l->num_sge);
	post(&p, XRDMA_OP_WRITE, 3, 8, p.b_buf + 400000, p.b_key);
	wire_post_recv(&p.a, 4, NULL, 0);

	wire_expect_send(&p.a, 1, XRDMA_WC_SUCCESS);
	wire_expect_send(&p.a, 2, l->status);
	wire_expect_send(&p.a, 3, XRDMA_WC_WR_FLUSH_ERR);
	assert_memory_equal(p.b_mem, p.a_mem, 300000);
	assert_memory_not_equal(p.b_mem + 400000, p.a_mem, 8);
	assert_int_equal(p.a.qp->state, XRDMA_QPS_ERR);
	assert_int_equal(p.b.qp->state, XRDMA_QPS_RTS);
}

static void local_errors_complete_in_order(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(local_errors); i++) {
		void *env = NULL;

		print_message("  %s\n", local_errors[i].name);
		wire_setup_1(&env);
		check_local_error(&env, &local_errors[i]);
		assert_int_equal(wire_teardown(&env), 0);
	}
}

static void reads_need_resources_on_both_sides(void **state)
{
	struct wire_params params = wire_defaults;
	struct wire_env *env = *state;
	struct wire_pair p;

	params.max_rd_atomic = 0;
	wire_make_pair(env, &p, &params);
	post(&p, XRDMA_OP_READ, 1, 8, p.b_buf, p.b_key);
	wire_expect_send(&p.a, 1, XRDMA_WC_LOC_QP_OP_ERR);
	params.max_rd_atomic = 1;
	params.max_dest_rd_atomic = 0;
	wire_make_pair(env, &p, &params);
	post(&p, XRDMA_OP_READ, 1, 8, p.b_buf, p.b_key);
	wire_expect_send(&p.a, 1, XRDMA_WC_REM_INV_REQ_ERR);
}

static void a_receive_that_is_too_small_fails_both_sides(void **state)
{
	struct wire_env *env = *state;
	struct xrdma_cqe cqe;
	struct xrdma_sge sge;
	struct wire_pair p;

	wire_make_pair(env, &p, &wire_defaults);
	sge = wire_sge(p.b_buf, 3000, p.b_key);
	wire_post_recv(&p.b, 10, &sge, 1);
	wire_post_recv(&p.b, 11, &sge, 1);
	post(&p, XRDMA_OP_SEND, 1, 3001, 0, 0);
	wire_expect_send(&p.a, 1, XRDMA_WC_REM_INV_REQ_ERR);
	wire_expect_recv(&p.b, 10, XRDMA_WC_LOC_LEN_ERR, &cqe);
	wire_expect_recv(&p.b, 11, XRDMA_WC_WR_FLUSH_ERR, &cqe);
	assert_int_equal(p.b.qp->state, XRDMA_QPS_ERR);
}

static void a_receive_without_access_fails_both_sides(void **state)
{
	struct wire_env *env = *state;
	struct xrdma_cqe cqe;
	struct xrdma_sge sge;
	struct wire_pair p;

	wire_make_pair(env, &p, &wire_defaults);
	sge = wire_sge(p.b_buf, 3000, p.b_key ^ 1);
	wire_post_recv(&p.b, 10, &sge, 1);
	post(&p, XRDMA_OP_SEND, 1, 100, 0, 0);
	wire_expect_send(&p.a, 1, XRDMA_WC_REM_OP_ERR);
	wire_expect_recv(&p.b, 10, XRDMA_WC_LOC_PROT_ERR, &cqe);
	assert_int_equal(le16_to_cpu(cqe.vendor_err), XRDMA_FAULT_KEY_BYTE);
	assert_int_equal(fault(p.b.host)->flags, XRDMA_FAULT_WRITE);
}

static void a_malformed_receive_fails_both_sides(void **state)
{
	struct wire_env *env = *state;
	struct xrdma_cqe cqe;
	struct wire_pair p;

	wire_make_pair(env, &p, &wire_defaults);
	wire_post_recv(&p.b, 10, NULL, 0);
	((struct xrdma_rq_wqe *)p.b.rq)->num_sge = cpu_to_le16(100);
	post(&p, XRDMA_OP_SEND, 1, 100, 0, 0);
	wire_expect_send(&p.a, 1, XRDMA_WC_REM_OP_ERR);
	wire_expect_recv(&p.b, 10, XRDMA_WC_LOC_QP_OP_ERR, &cqe);
}

/* RNR NAK with its timer of 0.64 ms; two retries are allowed, then no more. */
static void without_a_receive_rnr_retries_run_out(void **state)
{
	struct wire_params params = wire_defaults;
	struct wire_env *env = *state;
	struct wire_pair p;
	u64 start;

	params.rnr_retry = 2;
	params.min_rnr_timer = 12;
	wire_make_pair(env, &p, &params);
	start = model_loop_now(env->loop);
	post(&p, XRDMA_OP_SEND, 1, 100, 0, 0);
	post(&p, XRDMA_OP_SEND, 2, 100, 0, 0);
	wire_expect_send(&p.a, 1, XRDMA_WC_RNR_RETRY_EXC_ERR);
	wire_expect_send(&p.a, 2, XRDMA_WC_WR_FLUSH_ERR);
	assert_true(model_loop_now(env->loop) - start == 2 * 640000);
	assert_int_equal(p.a.host->dev->stats[XRDMA_STAT_RNR_NAK], 3);
	assert_int_equal(p.b.qp->state, XRDMA_QPS_RTS);
}

static void rnr_retry_of_7_waits_for_ever(void **state)
{
	struct wire_params params = wire_defaults;
	struct wire_env *env = *state;
	struct xrdma_cqe cqe;
	struct xrdma_sge sge;
	struct wire_pair p;

	params.rnr_retry = 7;
	params.min_rnr_timer = 1;
	params.retry_cnt = 1;
	wire_make_pair(env, &p, &params);
	post(&p, XRDMA_OP_SEND, 1, 5000, 0, 0);
	post(&p, XRDMA_OP_WRITE_IMM, 2, 5000, p.b_buf + 100000, p.b_key);
	wire_run(env, 20 * WIRE_MS);
	assert_false(wire_poll_cq(&p.a.send_cq, &cqe));
	assert_true(p.a.host->dev->stats[XRDMA_STAT_RNR_NAK] > 1000);
	sge = wire_sge(p.b_buf, 5000, p.b_key);
	wire_post_recv(&p.b, 10, &sge, 1);
	wire_expect_send(&p.a, 1, XRDMA_WC_SUCCESS);
	wire_run(env, 20 * WIRE_MS);
	assert_false(wire_poll_cq(&p.a.send_cq, &cqe));
	wire_post_recv(&p.b, 11, NULL, 0);
	wire_expect_send(&p.a, 2, XRDMA_WC_SUCCESS);
	wire_expect_recv(&p.b, 10, XRDMA_WC_SUCCESS, &cqe);
	wire_expect_recv(&p.b, 11, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(le32_to_cpu(cqe.byte_len), 5000);
	assert_memory_equal(p.b_mem, p.a_mem, 5000);
	assert_memory_equal(p.b_mem + 100000, p.a_mem, 5000);
}

/* A silent peer: the send fails after 1 + retry_cnt timeouts. */
static void retries_run_out(void **state)
{
	struct wire_params params = wire_defaults;
	struct wire_env *env = *state;
	struct xrdma_cqe cqe;
	struct wire_pair p;
	u64 start;

	params.timeout = 10;
	params.retry_cnt = 3;
	wire_make_pair(env, &p, &params);
	wire_modify_state(&p.b, XRDMA_QPS_RESET);
	start = model_loop_now(env->loop);
	post(&p, XRDMA_OP_READ, 1, 100, p.b_buf, p.b_key);
	post(&p, XRDMA_OP_WRITE, 2, 100, p.b_buf, p.b_key);
	wire_expect_send(&p.a, 1, XRDMA_WC_RETRY_EXC_ERR);
	wire_expect_send(&p.a, 2, XRDMA_WC_WR_FLUSH_ERR);
	assert_true(model_loop_now(env->loop) - start == 4 * 4 * 4194304);
	assert_int_equal(p.a.host->dev->stats[XRDMA_STAT_ACK_TIMEOUTS], 4);
	assert_false(wire_poll_cq(&p.a.send_cq, &cqe));
}

static void timeout_0_waits_for_ever(void **state)
{
	struct wire_params params = wire_defaults;
	struct wire_env *env = *state;
	struct xrdma_cqe cqe;
	struct wire_pair p;

	params.timeout = 0;
	wire_make_pair(env, &p, &params);
	wire_modify_state(&p.b, XRDMA_QPS_RESET);
	post(&p, XRDMA_OP_WRITE, 1, 100, p.b_buf, p.b_key);
	wire_run(env, 100000 * WIRE_MS);
	assert_false(wire_poll_cq(&p.a.send_cq, &cqe));
	assert_int_equal(p.a.qp->state, XRDMA_QPS_RTS);
}

/* The key is invalidated during a long READ: no further data are sent. */
static void invalidation_ends_a_read(void **state)
{
	struct wire_env *env = *state;
	struct wire_pair p;

	wire_make_pair(env, &p, &wire_defaults);
	post(&p, XRDMA_OP_READ, 1, 4000000, p.b_buf, p.b_key);
	wire_turn(env);
	wire_turn(env);
	wire_turn(env);
	wire_unregion(p.b.host, 100 + p.b.qpn);
	memset(p.b_mem, 0xdd, WIRE_BUF_SIZE);
	wire_expect_send(&p.a, 1, XRDMA_WC_REM_ACCESS_ERR);
	assert_int_equal(p.b.qp->state, XRDMA_QPS_ERR);
	assert_null(memmem(p.a_mem, 4000000, p.b_mem, 16));
}

static void invalidation_ends_a_write(void **state)
{
	struct wire_env *env = *state;
	struct wire_pair p;

	wire_make_pair(env, &p, &wire_defaults);
	post(&p, XRDMA_OP_WRITE, 1, 4000000, p.b_buf, p.b_key);
	wire_turn(env);
	wire_turn(env);
	wire_turn(env);
	assert_memory_equal(p.b_mem, p.a_mem, 1024);
	wire_unregion(p.b.host, 100 + p.b.qpn);
	memset(p.b_mem, 0xdd, WIRE_BUF_SIZE);
	wire_expect_send(&p.a, 1, XRDMA_WC_REM_ACCESS_ERR);
	assert_memory_equal(p.b_mem, p.b_mem + 1, WIRE_BUF_SIZE - 1);
}

/* The local key is invalidated while a message is being sent. */
static void invalidation_ends_a_send(void **state)
{
	struct wire_env *env = *state;
	struct wire_pair p;

	wire_make_pair(env, &p, &wire_defaults);
	post(&p, XRDMA_OP_WRITE, 1, 4000000, p.b_buf, p.b_key);
	wire_turn(env);
	wire_unregion(p.a.host, 100 + p.a.qpn);
	wire_expect_send(&p.a, 1, XRDMA_WC_LOC_PROT_ERR);
	assert_int_equal(p.b.qp->state, XRDMA_QPS_RTS);
}

/* An entry that the host changes while it is in flight fails. */
static void an_entry_that_changes_in_flight_fails(void **state)
{
	struct wire_env *env = *state;
	struct wire_pair p;

	wire_make_pair(env, &p, &wire_defaults);
	post(&p, XRDMA_OP_WRITE, 1, 4000000, p.b_buf, p.b_key);
	wire_turn(env);
	((struct xrdma_sge *)(p.a.sq + 32))->length = cpu_to_le32(8);
	wire_expect_send(&p.a, 1, XRDMA_WC_LOC_QP_OP_ERR);
}

static void reset_forgets_everything(void **state)
{
	struct wire_env *env = *state;
	struct xrdma_cqe cqe;
	struct wire_pair p;

	wire_make_pair(env, &p, &wire_defaults);
	post(&p, XRDMA_OP_WRITE, 1, 4000000, p.b_buf, p.b_key);
	wire_turn(env);
	wire_modify_state(&p.a, XRDMA_QPS_RESET);
	wire_modify_state(&p.b, XRDMA_QPS_RESET);
	wire_run(env, 1000 * WIRE_MS);
	assert_false(wire_poll_cq(&p.a.send_cq, &cqe));
	p.a.rec->sq_pi = 0;
	wire_connect_one(&p.a, &p.b, &wire_defaults, 7, 9);
	wire_connect_one(&p.b, &p.a, &wire_defaults, 9, 7);
	post(&p, XRDMA_OP_WRITE, 2, 5000, p.b_buf + 5000, p.b_key);
	wire_expect_send(&p.a, 2, XRDMA_WC_SUCCESS);
	assert_memory_equal(p.b_mem + 5000, p.a_mem, 5000);
}

/* Destroyed with frames in flight and a running timer: the peer times out. */
static void destruction_leaves_nothing_behind(void **state)
{
	struct wire_params params = wire_defaults;
	struct wire_env *env = *state;
	struct wire_pair p;

	params.retry_cnt = 1;
	wire_make_pair(env, &p, &params);
	post(&p, XRDMA_OP_READ, 1, 4000000, p.b_buf, p.b_key);
	wire_turn(env);
	wire_turn(env);
	assert_int_equal(model_qp_destroy(p.b.host->dev, p.b.qpn),
			 XRDMA_CMD_OK);
	wire_expect_send(&p.a, 1, XRDMA_WC_RETRY_EXC_ERR);
	assert_int_equal(model_qp_destroy(p.a.host->dev, p.a.qpn),
			 XRDMA_CMD_OK);
	wire_run(env, 1000 * WIRE_MS);
}

static void rnr_timer_codes_are_those_of_the_standard(void **state)
{
	(void)state;
	assert_true(model_rnr_timer_ns(0) == 655360000);
	assert_true(model_rnr_timer_ns(1) == 10000);
	assert_true(model_rnr_timer_ns(12) == 640000);
	assert_true(model_rnr_timer_ns(31) == 491520000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(remote_access_is_refused),
		WIRE_TEST(access_of_zero_bytes_needs_no_key, 1),
		WIRE_TEST(access_of_zero_bytes_needs_no_key, 2),
		cmocka_unit_test(local_errors_complete_in_order),
		WIRE_TEST(reads_need_resources_on_both_sides, 1),
		WIRE_TEST(reads_need_resources_on_both_sides, 2),
		WIRE_TEST(a_receive_that_is_too_small_fails_both_sides, 1),
		WIRE_TEST(a_receive_that_is_too_small_fails_both_sides, 2),
		WIRE_TEST(a_receive_without_access_fails_both_sides, 1),
		WIRE_TEST(a_receive_without_access_fails_both_sides, 2),
		WIRE_TEST(a_malformed_receive_fails_both_sides, 1),
		WIRE_TEST(a_malformed_receive_fails_both_sides, 2),
		WIRE_TEST(without_a_receive_rnr_retries_run_out, 1),
		WIRE_TEST(without_a_receive_rnr_retries_run_out, 2),
		WIRE_TEST(rnr_retry_of_7_waits_for_ever, 1),
		WIRE_TEST(rnr_retry_of_7_waits_for_ever, 2),
		WIRE_TEST(retries_run_out, 1),
		WIRE_TEST(retries_run_out, 2),
		WIRE_TEST(timeout_0_waits_for_ever, 1),
		WIRE_TEST(timeout_0_waits_for_ever, 2),
		WIRE_TEST(invalidation_ends_a_read, 1),
		WIRE_TEST(invalidation_ends_a_read, 2),
		WIRE_TEST(invalidation_ends_a_write, 1),
		WIRE_TEST(invalidation_ends_a_write, 2),
		WIRE_TEST(invalidation_ends_a_send, 1),
		WIRE_TEST(invalidation_ends_a_send, 2),
		WIRE_TEST(an_entry_that_changes_in_flight_fails, 1),
		WIRE_TEST(an_entry_that_changes_in_flight_fails, 2),
		WIRE_TEST(reset_forgets_everything, 1),
		WIRE_TEST(reset_forgets_everything, 2),
		WIRE_TEST(destruction_leaves_nothing_behind, 1),
		WIRE_TEST(destruction_leaves_nothing_behind, 2),
		cmocka_unit_test(rnr_timer_codes_are_those_of_the_standard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
