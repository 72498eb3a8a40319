// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of shared receive queues: order, limit, resizing, errors, and the
 * completion of entries that queue pairs have taken.
 */
#include <string.h>

#include "tests/lib/wire_craft.h"
#include "tests/lib/wire_mw.h"
#include "tests/lib/wire_srq.h"

#define LOG	4
#define DEPTH	16
#define BYTES	0x1000
#define MTU	1024

/*
 * struct scene - connections from host 0 to queue pairs of one SRQ
 * @a: requesters
 * @b: responders, on the SRQ
 */
struct scene {
	struct wire_env *env;
	struct wire_qp a[2];
	struct wire_qp b[2];
	struct wire_srq srq;
	struct wire_host *host;
	u64 a_buf;
	u64 b_buf;
	u32 a_key;
	u32 b_key;
	u8 *a_mem;
	u8 *b_mem;
};

static void begin(void **state, struct scene *s,
		  const struct wire_params *params)
{
	int i;

	memset(s, 0, sizeof(*s));
	s->env = *state;
	s->host = &s->env->hosts[s->env->n - 1];
	wire_create_srq(s->host, LOG, 0, 0, &s->srq);
	for (i = 0; i < 2; i++) {
		wire_create_qp(s->env, 0, XRDMA_QP_RC, 0, 7, &s->a[i]);
		wire_create_qp_on(s->env, s->env->n - 1, XRDMA_QP_RC,
				  XRDMA_QP_SRQ, 7, s->srq.srqn, &s->b[i]);
		wire_connect_one(&s->a[i], &s->b[i], params, 0xfffffe, 5);
		wire_connect_one(&s->b[i], &s->a[i], params, 5, 0xfffffe);
	}
	s->a_buf = wire_alloc(s->a[0].host, 0x20000, 4096);
	s->b_buf = wire_alloc(s->host, 0x20000, 4096);
	s->a_key = wire_region(s->a[0].host, 100, s->a_buf, 0x20000,
			       WIRE_ALL_RIGHTS);
	s->b_key = wire_region(s->host, 101, s->b_buf, 0x20000,
			       WIRE_ALL_RIGHTS);
	s->a_mem = wire_ptr(s->a[0].host, s->a_buf);
	s->b_mem = wire_ptr(s->host, s->b_buf);
	wire_fill(s->a_mem, 0x20000, 1);
}

static void post(struct scene *s, u64 wr_id)
{
	struct xrdma_sge sge = wire_sge(s->b_buf + (wr_id % DEPTH) * BYTES,
					BYTES, s->b_key);

	wire_post_srq(&s->srq, wr_id, &sge, 1);
}

static void send_op(struct scene *s, int i, u8 opcode, u64 wr_id, u32 len)
{
	struct xrdma_sge sge = wire_sge(s->a_buf + wr_id * 64, len, s->a_key);

	wire_post_send(&s->a[i], &(struct wire_wr) {
		.opcode = opcode, .flags = XRDMA_WQE_SIGNALED, .wr_id = wr_id,
		.sges = &sge, .num_sge = 1, .imm = 99,
		.remote_addr = s->b_buf + 0x1f000, .rkey = s->b_key,
	});
}

static void send_one(struct scene *s, int i, u64 wr_id, u32 len)
{
	send_op(s, i, XRDMA_OP_SEND, wr_id, len);
}

/* Two queue pairs take entries in order; the record counts them. */
static void two_queue_pairs_share(void **state)
{
	struct xrdma_cqe cqe;
	struct scene s;
	u32 i;

	begin(state, &s, &wire_defaults);
	for (i = 0; i < 3 * DEPTH; i++) {
		post(&s, i);
		send_one(&s, i & 1, i, 3000);
		wire_expect_send(&s.a[i & 1], i, XRDMA_WC_SUCCESS);
		wire_expect_recv(&s.b[i & 1], i, XRDMA_WC_SUCCESS, &cqe);
		assert_int_equal(le16_to_cpu(cqe.flags), XRDMA_CQE_SRQ);
		assert_int_equal(le32_to_cpu(cqe.byte_len), 3000);
		assert_memory_equal(s.b_mem + (i % DEPTH) * BYTES,
				    s.a_mem + i * 64, 3000);
		assert_int_equal(le32_to_cpu(s.srq.rec->ci), i + 1);
	}
	post(&s, 200);
	send_op(&s, 1, XRDMA_OP_WRITE_IMM, 7, 10);
	wire_expect_recv(&s.b[1], 200, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(cqe.opcode, XRDMA_OP_RECV_WRITE_IMM);
	assert_int_equal(le16_to_cpu(cqe.flags), XRDMA_CQE_SRQ | XRDMA_CQE_IMM);
}

/* With an empty SRQ the peer waits, and continues after a post. */
static void empty_means_not_ready(void **state)
{
	struct wire_params params = wire_defaults;
	struct xrdma_cqe cqe;
	struct scene s;

	params.rnr_retry = 3;
	begin(state, &s, &params);
	send_one(&s, 0, 1, 8);
	wire_settle(*state);
	assert_false(wire_poll_cq(&s.a[0].send_cq, &cqe));
	post(&s, 2);
	wire_expect_send(&s.a[0], 1, XRDMA_WC_SUCCESS);
	wire_expect_recv(&s.b[0], 2, XRDMA_WC_SUCCESS, &cqe);
	send_one(&s, 0, 3, 8);
	wire_expect_send(&s.a[0], 3, XRDMA_WC_RNR_RETRY_EXC_ERR);
	assert_int_equal(s.b[0].qp->state, XRDMA_QPS_RTS);
	assert_null(wire_event(s.host, XRDMA_EVENT_SRQ_ERR, 0));
}

static const struct xrdma_eqe *limit_event(const struct scene *s, u32 n)
{
	const struct xrdma_eqe *eqe =
		wire_event(s->host, XRDMA_EVENT_SRQ_LIMIT, n);

	if (eqe)
		assert_int_equal(le32_to_cpu(eqe->number), s->srq.srqn);
	return eqe;
}

static void the_limit_fires_once(void **state)
{
	struct xrdma_rsp_query_srq rsp = { 0 };
	struct scene s;
	u32 i;

	begin(state, &s, &wire_defaults);
	for (i = 0; i < 8; i++)
		post(&s, i);
	assert_int_equal(wire_modify_srq(&s.srq, XRDMA_SRQM_LIMIT, 6),
			 XRDMA_CMD_OK);
	assert_null(limit_event(&s, 0));
	for (i = 0; i < 2; i++) {
		send_one(&s, 0, i, 8);
		wire_expect_send(&s.a[0], i, XRDMA_WC_SUCCESS);
	}
	assert_null(limit_event(&s, 0));
	/* the device has not read the producer index of one more entry */
	post(&s, 8);
	send_one(&s, 1, 2, 8);
	wire_expect_send(&s.a[1], 2, XRDMA_WC_SUCCESS);
	assert_null(limit_event(&s, 0));
	model_srq_query(s.host->dev, s.srq.srqn, &rsp);
	assert_int_equal(le32_to_cpu(rsp.limit), 6);
	send_one(&s, 1, 3, 8);
	wire_expect_send(&s.a[1], 3, XRDMA_WC_SUCCESS);
	assert_non_null(limit_event(&s, 0));
	send_one(&s, 1, 4, 8);
	wire_expect_send(&s.a[1], 4, XRDMA_WC_SUCCESS);
	assert_null(limit_event(&s, 1));
	model_srq_query(s.host->dev, s.srq.srqn, &rsp);
	assert_int_equal(le32_to_cpu(rsp.limit), 0);
	assert_int_equal(le32_to_cpu(rsp.ci), 5);
	/* 4 entries are posted: limit 4 raises no event, limit 5 does */
	wire_modify_srq(&s.srq, XRDMA_SRQM_LIMIT, 4);
	assert_null(limit_event(&s, 1));
	wire_modify_srq(&s.srq, XRDMA_SRQM_LIMIT, 5);
	assert_non_null(limit_event(&s, 1));
	assert_int_equal(s.srq.srq->limit, 0);
}

static void it_can_be_resized(void **state)
{
	struct xrdma_cqe cqe;
	struct scene s;
	u32 i;

	begin(state, &s, &wire_defaults);
	for (i = 0; i < 5; i++)
		post(&s, i);
	for (i = 0; i < 3; i++) {
		send_one(&s, 0, i, 8);
		wire_expect_recv(&s.b[0], i, XRDMA_WC_SUCCESS, &cqe);
	}
	for (i = 5; i < 3 + DEPTH; i++)
		post(&s, i);
	/* 16 entries are posted */
	assert_int_equal(wire_resize_srq(&s.srq, LOG - 1, 3 + DEPTH),
			 XRDMA_CMD_BAD_STATE);
	assert_int_equal(wire_resize_srq(&s.srq, LOG + 1, 3 + DEPTH),
			 XRDMA_CMD_OK);
	assert_int_equal(le32_to_cpu(s.srq.rec->ci), 3);
	for (; i < 3 + 2 * DEPTH; i++)
		post(&s, i);
	for (i = 3; i < 3 + 2 * DEPTH; i++) {
		send_one(&s, i & 1, i, 8);
		wire_expect_recv(&s.b[i & 1], i, XRDMA_WC_SUCCESS, &cqe);
	}
	assert_int_equal(le32_to_cpu(s.srq.rec->ci), 3 + 2 * DEPTH);
	assert_int_equal(wire_resize_srq(&s.srq, 0, 3 + 2 * DEPTH),
			 XRDMA_CMD_OK);
	post(&s, 77);
	send_one(&s, 0, 9, 8);
	wire_expect_recv(&s.b[0], 77, XRDMA_WC_SUCCESS, &cqe);
}

static void a_corrupt_index_is_an_error(void **state)
{
	struct wire_params params = wire_defaults;
	struct scene s;

	params.rnr_retry = 1;
	begin(state, &s, &params);
	s.srq.rec->pi = cpu_to_le32(DEPTH + 1);
	send_one(&s, 0, 1, 8);
	wire_expect_send(&s.a[0], 1, XRDMA_WC_RNR_RETRY_EXC_ERR);
	assert_non_null(wire_event(s.host, XRDMA_EVENT_SRQ_ERR, 0));
	assert_null(wire_event(s.host, XRDMA_EVENT_SRQ_ERR, 1));
	assert_true(s.srq.srq->dead);
	/* a failed SRQ stays empty, whatever its index is */
	s.srq.rec->pi = cpu_to_le32(1);
	send_one(&s, 1, 2, 8);
	wire_expect_send(&s.a[1], 2, XRDMA_WC_RNR_RETRY_EXC_ERR);
	assert_int_equal(wire_resize_srq(&s.srq, LOG + 1, 1),
			 XRDMA_CMD_BAD_STATE);
	assert_int_equal(s.b[0].qp->state, XRDMA_QPS_RTS);
	assert_int_equal(s.host->dev->user_errors, 1);
}

static void a_malformed_entry_moves_the_qp_to_err(void **state)
{
	struct xrdma_cqe cqe;
	struct scene s;

	begin(state, &s, &wire_defaults);
	post(&s, 1);
	((struct xrdma_rq_wqe *)s.srq.ring)->num_sge = cpu_to_le16(8);
	post(&s, 2);
	send_one(&s, 0, 1, 8);
	wire_expect_recv(&s.b[0], 1, XRDMA_WC_LOC_QP_OP_ERR, &cqe);
	assert_int_equal(s.b[0].qp->state, XRDMA_QPS_ERR);
	assert_non_null(wire_event(s.host, XRDMA_EVENT_QP_LAST_WQE, 0));
	send_one(&s, 1, 3, 8);
	wire_expect_recv(&s.b[1], 2, XRDMA_WC_SUCCESS, &cqe);
}

static void modify_state(struct wire_qp *qp, u8 state)
{
	wire_modify_state(qp, state);
}

/* The queue pair fails during a message, and its taken entry is flushed. */
static void what_was_taken_is_flushed(void **state)
{
	const struct xrdma_eqe *eqe;
	struct model_pkt pkt;
	struct xrdma_cqe cqe;
	struct craft c = { 0 };
	struct scene s;

	begin(state, &s, &wire_defaults);
	/* the test is the peer of queue pair b, on host 1 */
	c.env = s.env;
	c.p.a = s.b[0];
	c.p.b = s.a[0];
	post(&s, 1);
	post(&s, 2);
	pkt = craft_pkt(&c, MODEL_BTH_SEND_FIRST, 0xfffffe);
	pkt.len = MTU;
	craft_send(&c, &pkt, NULL);
	assert_int_equal(le32_to_cpu(s.srq.rec->ci), 1);
	assert_false(wire_poll_cq(&s.b[0].recv_cq, &cqe));
	modify_state(&s.b[0], XRDMA_QPS_ERR);
	assert_true(wire_poll_cq(&s.b[0].recv_cq, &cqe));
	assert_int_equal(le64_to_cpu(cqe.wr_id), 1);
	assert_int_equal(cqe.status, XRDMA_WC_WR_FLUSH_ERR);
	assert_int_equal(le16_to_cpu(cqe.flags), XRDMA_CQE_SRQ);
	assert_false(wire_poll_cq(&s.b[0].recv_cq, &cqe));
	eqe = wire_event(s.host, XRDMA_EVENT_QP_LAST_WQE, 0);
	assert_non_null(eqe);
	assert_int_equal(le32_to_cpu(eqe->number), s.b[0].qpn);
	modify_state(&s.b[0], XRDMA_QPS_ERR);
	assert_null(wire_event(s.host, XRDMA_EVENT_QP_LAST_WQE, 1));
	/* other queue pairs get the remaining entries */
	send_one(&s, 1, 3, 8);
	wire_expect_recv(&s.b[1], 2, XRDMA_WC_SUCCESS, &cqe);
}

/* A refused message completes the entry that it took, with the reason. */
static void errors_of_the_peer(void **state)
{
	struct xrdma_cqe cqe;
	struct scene s;

	begin(state, &s, &wire_defaults);
	post(&s, 1);
	send_one(&s, 0, 1, BYTES + 1);
	wire_expect_send(&s.a[0], 1, XRDMA_WC_REM_INV_REQ_ERR);
	wire_expect_recv(&s.b[0], 1, XRDMA_WC_LOC_LEN_ERR, &cqe);
	assert_int_equal(le16_to_cpu(cqe.flags), XRDMA_CQE_SRQ);
	/* a WRITE_IMM takes an entry before it is refused */
	post(&s, 2);
	s.b_key ^= 1;
	send_op(&s, 1, XRDMA_OP_WRITE_IMM, 3, 8);
	wire_expect_send(&s.a[1], 3, XRDMA_WC_REM_ACCESS_ERR);
	assert_non_null(wire_event(s.host, XRDMA_EVENT_QP_LAST_WQE, 1));
	assert_false(wire_poll_cq(&s.b[0].recv_cq, &cqe));
}

/* After a UC message with a gap the next message uses the taken entry. */
static void unreliable_connections_keep_an_entry(void **state)
{
	struct model_pkt pkt;
	struct xrdma_cqe cqe;
	struct craft c = { 0 };
	struct scene s;
	u32 i;

	begin(state, &s, &wire_defaults);
	c.env = s.env;
	wire_create_qp(s.env, 0, XRDMA_QP_UC, 0, 4, &c.p.b);
	wire_create_qp_on(s.env, 1, XRDMA_QP_UC, XRDMA_QP_SRQ, 4, s.srq.srqn,
			  &c.p.a);
	wire_connect_one(&c.p.a, &c.p.b, &wire_defaults, 1, 1);
	post(&s, 1);
	post(&s, 2);
	for (i = 0; i < 3; i++) {
		pkt = craft_pkt(&c, MODEL_BTH_UC | MODEL_BTH_SEND_FIRST,
				1 + 2 * i);
		pkt.len = MTU;
		craft_send(&c, &pkt, NULL);
	}
	assert_int_equal(le32_to_cpu(s.srq.rec->ci), 1);
	pkt = craft_pkt(&c, MODEL_BTH_UC | MODEL_BTH_SEND_LAST, 6);
	pkt.len = 4;
	craft_send(&c, &pkt, NULL);
	assert_true(wire_poll_cq(&c.p.a.recv_cq, &cqe));
	assert_int_equal(le64_to_cpu(cqe.wr_id), 1);
	assert_int_equal(le32_to_cpu(cqe.byte_len), MTU + 4);
	pkt = craft_pkt(&c, MODEL_BTH_UC | MODEL_BTH_SEND_FIRST, 7);
	pkt.len = MTU;
	craft_send(&c, &pkt, NULL);
	modify_state(&c.p.a, XRDMA_QPS_ERR);
	assert_true(wire_poll_cq(&c.p.a.recv_cq, &cqe));
	assert_int_equal(le64_to_cpu(cqe.wr_id), 2);
	assert_int_equal(cqe.status, XRDMA_WC_WR_FLUSH_ERR);
}

#define BAD(wanted, statement) do {					\
		struct xrdma_cmd_create_srq p = good;			\
									\
		statement;						\
		assert_int_equal(model_srq_create(dev, &p),		\
				 XRDMA_CMD_##wanted);			\
	} while (0)

static void create_checks_parameters(void **state)
{
	struct xrdma_cmd_create_srq good = { 0 };
	struct model_device *dev;
	struct scene s;

	begin(state, &s, &wire_defaults);
	dev = s.host->dev;
	good = (struct xrdma_cmd_create_srq) {
		.root = cpu_to_le64(s.srq.root),
		.srqn = cpu_to_le32(500), .pd = cpu_to_le32(1),
		.limit = cpu_to_le32(8), .log_depth = 3, .log_stride = 5,
	};
	BAD(BAD_NUMBER, p.srqn = cpu_to_le32(s.srq.srqn));
	BAD(BAD_NUMBER, p.srqn = cpu_to_le32(MODEL_MAX_SRQ));
	BAD(BAD_NUMBER, (p.xrcd = cpu_to_le32(1), p.cqn = cpu_to_le32(999)));
	BAD(BAD_PARAM, p.cqn = cpu_to_le32(1));
	BAD(BAD_PARAM, p.xrcd = cpu_to_le32(1 << 24));
	BAD(BAD_PARAM, p.pd = cpu_to_le32(MODEL_MAX_PD));
	BAD(BAD_PARAM, p.limit = cpu_to_le32(9));
	BAD(BAD_PARAM, p.log_depth = 16);
	BAD(BAD_PARAM, p.log_stride = 4);
	BAD(BAD_PARAM, p.log_stride = 11);
	BAD(BAD_PARAM, p.log_depth = 8);
	BAD(BAD_PARAM, p.reserved[1] = 1);
	BAD(BAD_PARAM, p.root |= cpu_to_le64(1 << 9));
	BAD(OK, (void)p);
	assert_null(wire_event(s.host, XRDMA_EVENT_SRQ_LIMIT, 0));
	assert_int_equal(wire_modify_srq(&s.srq, 0, 0), XRDMA_CMD_BAD_PARAM);
	assert_int_equal(wire_modify_srq(&s.srq, 4, 0), XRDMA_CMD_BAD_PARAM);
	assert_int_equal(wire_modify_srq(&s.srq, XRDMA_SRQM_LIMIT, DEPTH + 1),
			 XRDMA_CMD_BAD_PARAM);
	assert_int_equal(wire_resize_srq(&s.srq, 16, 0), XRDMA_CMD_BAD_PARAM);
}

/* An SRQ can be destroyed only after its last queue pair. */
static void it_is_busy_while_in_use(void **state)
{
	struct scene s;

	begin(state, &s, &wire_defaults);
	assert_int_equal(model_srq_destroy(s.host->dev, s.srq.srqn),
			 XRDMA_CMD_BUSY);
	assert_int_equal(model_qp_destroy(s.host->dev, s.b[0].qpn),
			 XRDMA_CMD_OK);
	assert_int_equal(model_srq_destroy(s.host->dev, s.srq.srqn),
			 XRDMA_CMD_BUSY);
	assert_int_equal(model_qp_destroy(s.host->dev, s.b[1].qpn),
			 XRDMA_CMD_OK);
	assert_int_equal(model_srq_destroy(s.host->dev, s.srq.srqn),
			 XRDMA_CMD_OK);
	assert_int_equal(model_srq_destroy(s.host->dev, s.srq.srqn),
			 XRDMA_CMD_BAD_NUMBER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(two_queue_pairs_share, 1),
		WIRE_TEST(two_queue_pairs_share, 2),
		WIRE_TEST(empty_means_not_ready, 2),
		WIRE_TEST(the_limit_fires_once, 1),
		WIRE_TEST(it_can_be_resized, 1),
		WIRE_TEST(a_corrupt_index_is_an_error, 2),
		WIRE_TEST(a_malformed_entry_moves_the_qp_to_err, 1),
		WIRE_TEST(what_was_taken_is_flushed, 2),
		WIRE_TEST(errors_of_the_peer, 2),
		WIRE_TEST(unreliable_connections_keep_an_entry, 2),
		WIRE_TEST(create_checks_parameters, 1),
		WIRE_TEST(it_is_busy_while_in_use, 1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
