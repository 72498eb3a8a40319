// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of extended reliable connections: each operation, with the protection
 * domain and the completion queue of the SRQ that the request names; SRQs that
 * must not be named; objects that are destroyed during an operation.
 */
#include <string.h>

#include "tests/lib/wire_craft.h"
#include "tests/lib/wire_mw.h"
#include "tests/lib/wire_srq.h"

#define XRCD		4
#define OTHER_PD	99
#define PSN		0xfffffd
#define MTU		1024

/*
 * struct scene - initiator a on host 0; target b and two SRQs on the last host
 * @p: a and b, and a region on each side
 * @cq: CQ of each SRQ
 */
struct scene {
	struct wire_env *env;
	struct wire_pair p;
	struct wire_cq cq[2];
	struct wire_srq srq[2];
};

static struct xrdma_cmd_create_qp target(u32 qpn)
{
	return (struct xrdma_cmd_create_qp) {
		.qpn = cpu_to_le32(qpn),
		.xrcd = cpu_to_le32(XRCD),
		.type = XRDMA_QP_XRC_TGT,
	};
}

static void create_target(struct scene *s)
{
	struct wire_qp *qp = &s->p.b;
	struct xrdma_cmd_create_qp p;

	qp->env = s->env;
	qp->host = &s->env->hosts[s->env->n - 1];
	qp->qpn = qp->host->next_number++;
	p = target(qp->qpn);
	assert_int_equal(model_qp_create(qp->host->dev, &p), XRDMA_CMD_OK);
	qp->qp = model_qp_get(qp->host->dev, qp->qpn);
}

static void begin(void **state, struct scene *s)
{
	int i;

	memset(s, 0, sizeof(*s));
	s->env = *state;
	wire_create_qp(s->env, 0, XRDMA_QP_XRC_INI, 0, 7, &s->p.a);
	create_target(s);
	for (i = 0; i < 2; i++) {
		wire_create_cq(s->p.b.host, 6, &s->cq[i]);
		wire_create_srq(s->p.b.host, 4, XRCD, s->cq[i].cqn, &s->srq[i]);
	}
	wire_connect_one(&s->p.a, &s->p.b, &wire_defaults, PSN, 9);
	wire_connect_one(&s->p.b, &s->p.a, &wire_defaults, 9, PSN);
	wire_make_buffers(&s->p, 0x20000, 100, 101, WIRE_BIND_RIGHTS);
	wire_fill(s->p.b_mem, 0x20000, 2);
}

static void post_recv(struct scene *s, int i, u64 wr_id)
{
	struct xrdma_sge sge = wire_sge(s->p.b_buf, 0x8000, s->p.b_key);

	wire_post_srq(&s->srq[i], wr_id, &sge, 1);
}

static void post(struct scene *s, u8 opcode, u64 wr_id, u32 len, u32 srqn)
{
	struct xrdma_sge sge = wire_sge(s->p.a_buf, len, s->p.a_key);

	wire_post_send(&s->p.a, &(struct wire_wr) {
		.opcode = opcode, .flags = XRDMA_WQE_SIGNALED, .wr_id = wr_id,
		.sges = &sge, .num_sge = 1, .remote_addr = s->p.b_buf + 0x10000,
		.rkey = s->p.b_key, .imm = 77, .swap_add = 5, .ext = srqn,
	});
}

static void expect_recv(struct scene *s, int i, u64 wr_id, u8 status,
			struct xrdma_cqe *cqe)
{
	assert_true(wire_wait(s->env, &s->cq[i], cqe));
	assert_int_equal(le64_to_cpu(cqe->wr_id), wr_id);
	assert_int_equal(cqe->status, status);
	assert_int_equal(le32_to_cpu(cqe->qpn), s->p.b.qpn);
	assert_true(le16_to_cpu(cqe->flags) & XRDMA_CQE_SRQ);
}

static void every_operation(void **state)
{
	struct xrdma_cqe cqe;
	struct scene s;
	u64 was;
	u32 i;

	begin(state, &s);
	post_recv(&s, 0, 11);
	post_recv(&s, 1, 12);
	post_recv(&s, 1, 13);
	post(&s, XRDMA_OP_SEND, 1, 5000, s.srq[0].srqn);
	expect_recv(&s, 0, 11, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(le32_to_cpu(cqe.byte_len), 5000);
	assert_memory_equal(s.p.b_mem, s.p.a_mem, 5000);
	post(&s, XRDMA_OP_SEND_IMM, 2, 100, s.srq[1].srqn);
	expect_recv(&s, 1, 12, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(be32_to_cpu(cqe.imm), 77);
	post(&s, XRDMA_OP_WRITE, 3, 3000, s.srq[0].srqn);
	post(&s, XRDMA_OP_WRITE_IMM, 4, 2000, s.srq[1].srqn);
	expect_recv(&s, 1, 13, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(cqe.opcode, XRDMA_OP_RECV_WRITE_IMM);
	assert_memory_equal(s.p.b_mem + 0x10000, s.p.a_mem, 3000);
	memcpy(&was, s.p.b_mem + 0x10000, sizeof(was));
	post(&s, XRDMA_OP_FETCH_ADD, 5, 8, s.srq[0].srqn);
	for (i = 1; i <= 5; i++)
		wire_expect_send(&s.p.a, i, XRDMA_WC_SUCCESS);
	assert_memory_equal(s.p.a_mem, &was, sizeof(was));
	was += 5;
	assert_memory_equal(s.p.b_mem + 0x10000, &was, sizeof(was));
	post(&s, XRDMA_OP_CMP_SWAP, 6, 8, s.srq[0].srqn);
	post(&s, XRDMA_OP_READ, 7, 10000, s.srq[0].srqn);
	wire_expect_send(&s.p.a, 6, XRDMA_WC_SUCCESS);
	wire_expect_send(&s.p.a, 7, XRDMA_WC_SUCCESS);
	assert_memory_equal(s.p.a_mem, s.p.b_mem + 0x10000, 10000);
	assert_null(wire_event(s.p.b.host, XRDMA_EVENT_QP_LAST_WQE, 0));
}

static void invalidation(void **state)
{
	struct wire_bind b;
	struct xrdma_cqe cqe;
	struct xrdma_sge sge;
	struct wire_qp binder;
	struct scene s;

	begin(state, &s);
	/* a window of type 2 is bound on a queue pair; XRC names it by number */
	wire_create_qp(s.env, s.env->n - 1, XRDMA_QP_RC, 0, 4, &binder);
	wire_connect_one(&binder, &s.p.a, &wire_defaults, 1, 1);
	b = (struct wire_bind) {
		.key = wire_publish(s.p.b.host, 50, XRDMA_MPT_MW_2),
		.mr_key = s.p.b_key, .access = XRDMA_ACCESS_REMOTE_WRITE,
		.addr = s.p.b_buf, .length = 64,
	};
	b.new_key = b.key;
	sge = wire_sge(s.p.a_buf, 8, s.p.a_key);
	/* the window is free: bound on no queue pair */
	post_recv(&s, 0, 11);
	wire_post_send(&s.p.a, &(struct wire_wr) {
		.opcode = XRDMA_OP_SEND_INV, .wr_id = 1, .inv_key = b.key,
		.sges = &sge, .num_sge = 1, .ext = s.srq[0].srqn,
		.flags = XRDMA_WQE_SIGNALED,
	});
	expect_recv(&s, 0, 11, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(le32_to_cpu(cqe.inv_key), b.key);
	wire_post_bind(&binder, 2, &b);
	wire_expect_send(&binder, 2, XRDMA_WC_SUCCESS);
	post_recv(&s, 0, 12);
	wire_post_send(&s.p.a, &(struct wire_wr) {
		.opcode = XRDMA_OP_SEND_INV, .wr_id = 3, .inv_key = b.key,
		.sges = &sge, .num_sge = 1, .ext = s.srq[0].srqn,
	});
	wire_expect_send(&s.p.a, 1, XRDMA_WC_SUCCESS);
	wire_expect_send(&s.p.a, 3, XRDMA_WC_REM_ACCESS_ERR);
	expect_recv(&s, 0, 12, XRDMA_WC_LOC_ACCESS_ERR, &cqe);
	assert_int_equal(le16_to_cpu(cqe.vendor_err), XRDMA_FAULT_QP);
	assert_non_null(wire_event(s.p.b.host, XRDMA_EVENT_QP_LAST_WQE, 0));
}

/* Keys are checked against the protection domain of the SRQ. */
static void the_domain_is_that_of_the_srq(void **state)
{
	struct scene s;

	begin(state, &s);
	s.srq[1].srq->pd = OTHER_PD;
	post(&s, XRDMA_OP_READ, 1, 10000, s.srq[0].srqn);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_SUCCESS);
	post(&s, XRDMA_OP_READ, 2, 10000, s.srq[1].srqn);
	wire_expect_send(&s.p.a, 2, XRDMA_WC_REM_ACCESS_ERR);
	assert_int_equal(le32_to_cpu(wire_event(s.p.b.host, XRDMA_EVENT_FAULT,
						0)->pd), OTHER_PD);
}

/* All responses of a READ use the protection domain of the READ's SRQ. */
static void answers_keep_their_domain(void **state)
{
	struct xrdma_cqe cqe;
	struct scene s;

	begin(state, &s);
	s.srq[1].srq->pd = OTHER_PD;
	wire_region(s.p.b.host, 101, s.p.b_buf, 0x20000, WIRE_ALL_RIGHTS);
	post_recv(&s, 1, 12);
	post(&s, XRDMA_OP_READ, 1, 0x10000, s.srq[0].srqn);
	/* a SEND without data accesses no memory */
	post(&s, XRDMA_OP_SEND, 2, 0, s.srq[1].srqn);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_SUCCESS);
	wire_expect_send(&s.p.a, 2, XRDMA_WC_SUCCESS);
	expect_recv(&s, 1, 12, XRDMA_WC_SUCCESS, &cqe);
	assert_memory_equal(s.p.a_mem, s.p.b_mem + 0x10000, 0x10000);
}

static void check_refused(void **state, u8 opcode, u32 (*number)(struct scene *))
{
	struct scene s;

	begin(state, &s);
	post_recv(&s, 0, 1);
	post(&s, opcode, 1, 8, number(&s));
	wire_expect_send(&s.p.a, 1, XRDMA_WC_REM_INV_REQ_ERR);
	assert_int_equal(s.p.a.qp->state, XRDMA_QPS_ERR);
	assert_int_equal(s.p.b.qp->state, XRDMA_QPS_ERR);
	assert_non_null(wire_event(s.p.b.host, XRDMA_EVENT_QP_REQ_ERR, 0));
	assert_non_null(wire_event(s.p.b.host, XRDMA_EVENT_QP_LAST_WQE, 0));
	assert_int_equal(le32_to_cpu(s.srq[0].rec->ci), 0);
}

static u32 no_srq(struct scene *s)
{
	return s->srq[1].srqn + 100;
}

static u32 basic_srq(struct scene *s)
{
	struct wire_srq srq;

	wire_create_srq(s->p.b.host, 4, 0, 0, &srq);
	return srq.srqn;
}

static u32 foreign_srq(struct scene *s)
{
	struct wire_srq srq;

	wire_create_srq(s->p.b.host, 4, XRCD + 1, s->cq[0].cqn, &srq);
	return srq.srqn;
}

/* Each operation must name an SRQ of the target's XRC domain. */
static void only_srqs_of_its_domain(void **state)
{
	static const u8 opcodes[] = {
		XRDMA_OP_SEND, XRDMA_OP_WRITE, XRDMA_OP_READ,
		XRDMA_OP_FETCH_ADD,
	};
	void *env;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		wire_setup_2(&env);
		check_refused(&env, opcodes[i], no_srq);
		assert_int_equal(wire_teardown(&env), 0);
	}
	check_refused(state, XRDMA_OP_SEND, basic_srq);
	wire_start_over(state);
	check_refused(state, XRDMA_OP_WRITE, foreign_srq);
}

/* Replace the initiator by the test. */
static void take_over(struct scene *s, struct craft *c)
{
	memset(c, 0, sizeof(*c));
	c->env = s->env;
	c->p.a = s->p.b;
	c->p.b = s->p.a;
	c->p.a_buf = s->p.b_buf;
	c->p.a_key = s->p.b_key;
}

static void packet(struct craft *c, u8 op, u32 psn, u32 len, u32 srqn)
{
	struct model_pkt pkt = craft_pkt(c, MODEL_BTH_XRC | op, psn);

	pkt.len = len;
	pkt.srqn = srqn;
	pkt.ackreq = true;
	pkt.dma_len = 4 * MTU;
	craft_send(c, &pkt, NULL);
}

static void a_message_is_for_one_srq(void **state)
{
	struct xrdma_cqe cqe;
	struct craft c;
	struct scene s;

	begin(state, &s);
	take_over(&s, &c);
	post_recv(&s, 0, 11);
	packet(&c, MODEL_BTH_SEND_FIRST, PSN, MTU, s.srq[0].srqn);
	craft_expect(&c, MODEL_BTH_XRC | MODEL_BTH_ACK, PSN);
	packet(&c, MODEL_BTH_SEND_LAST, PSN + 1, 4, s.srq[1].srqn);
	craft_expect(&c, MODEL_BTH_XRC | MODEL_BTH_ACK, PSN + 1);
	assert_int_equal(c.pkt.syndrome, MODEL_AETH_NAK | MODEL_NAK_INVALID);
	expect_recv(&s, 0, 11, XRDMA_WC_WR_FLUSH_ERR, &cqe);
}

/* RNR NAKs depend on the SRQ that the request names. */
static void an_empty_srq_is_not_ready(void **state)
{
	struct craft c;
	struct scene s;

	begin(state, &s);
	take_over(&s, &c);
	post_recv(&s, 0, 11);
	packet(&c, MODEL_BTH_SEND_ONLY, PSN, 4, s.srq[1].srqn);
	craft_expect(&c, MODEL_BTH_XRC | MODEL_BTH_ACK, PSN);
	assert_int_equal(c.pkt.syndrome,
			 MODEL_AETH_RNR | wire_defaults.min_rnr_timer);
	packet(&c, MODEL_BTH_SEND_ONLY, PSN, 4, s.srq[0].srqn);
	craft_expect(&c, MODEL_BTH_XRC | MODEL_BTH_ACK, PSN);
	assert_int_equal(c.pkt.syndrome, MODEL_AETH_NO_CREDITS);
}

static void destroy_srq(struct scene *s, int i)
{
	assert_int_equal(model_srq_destroy(s->p.b.host->dev, s->srq[i].srqn),
			 XRDMA_CMD_OK);
	assert_int_equal(model_cq_destroy(s->p.b.host->dev, s->cq[i].cqn),
			 XRDMA_CMD_OK);
}

/* The SRQ is destroyed during a message, or during a READ's answer. */
static void srq_may_be_destroyed_at_any_time(void **state)
{
	struct craft c;
	struct scene s;

	begin(state, &s);
	assert_int_equal(model_cq_destroy(s.p.b.host->dev, s.cq[0].cqn),
			 XRDMA_CMD_BUSY);
	take_over(&s, &c);
	post_recv(&s, 0, 11);
	packet(&c, MODEL_BTH_SEND_FIRST, PSN, MTU, s.srq[0].srqn);
	craft_expect(&c, MODEL_BTH_XRC | MODEL_BTH_ACK, PSN);
	destroy_srq(&s, 0);
	packet(&c, MODEL_BTH_SEND_LAST, PSN + 1, 4, s.srq[0].srqn);
	craft_expect(&c, MODEL_BTH_XRC | MODEL_BTH_ACK, PSN + 1);
	assert_int_equal(c.pkt.syndrome, MODEL_AETH_NAK | MODEL_NAK_INVALID);
	assert_int_equal(s.p.b.qp->state, XRDMA_QPS_ERR);
	assert_false(s.p.b.qp->taken);
}

static void nothing_is_read_for_an_srq_that_is_gone(void **state)
{
	struct craft c;
	struct scene s;

	begin(state, &s);
	take_over(&s, &c);
	packet(&c, MODEL_BTH_READ_REQUEST, PSN, 0, s.srq[0].srqn);
	destroy_srq(&s, 0);
	craft_expect(&c, MODEL_BTH_XRC | MODEL_BTH_ACK, PSN);
	assert_int_equal(c.pkt.syndrome, MODEL_AETH_NAK | MODEL_NAK_INVALID);
}

/* Overrun of the CQ of an SRQ moves the target to ERR. */
static void cq_overrun_moves_target_to_err(void **state)
{
	struct scene s;
	struct model_cq *cq;

	begin(state, &s);
	cq = model_cq_get(s.p.b.host->dev, s.cq[0].cqn);
	cq->pi = 1 << cq->log_depth;
	post_recv(&s, 0, 11);
	post(&s, XRDMA_OP_SEND, 1, 8, s.srq[0].srqn);
	wire_settle(*state);
	assert_non_null(wire_event(s.p.b.host, XRDMA_EVENT_CQ_ERR, 0));
	assert_int_equal(s.p.b.qp->state, XRDMA_QPS_ERR);
}

#define TGT(field, value) ({						\
		struct xrdma_cmd_create_qp p = target(40);		\
									\
		p.field = value;					\
		model_qp_create(dev, &p);				\
	})

/* A target has no rings, CQs or protection domain, and needs an XRC domain. */
static void parameters_of_a_target_are_checked(void **state)
{
	struct model_device *dev;
	struct scene s;

	begin(state, &s);
	dev = s.p.b.host->dev;
	assert_int_equal(TGT(xrcd, 0), XRDMA_CMD_BAD_PARAM);
	assert_int_equal(TGT(xrcd, cpu_to_le32(1 << 24)), XRDMA_CMD_BAD_PARAM);
	assert_int_equal(TGT(pd, cpu_to_le32(1)), XRDMA_CMD_BAD_PARAM);
	assert_int_equal(TGT(flags, XRDMA_QP_SRQ), XRDMA_CMD_BAD_PARAM);
	assert_int_equal(TGT(sq_units, 1), XRDMA_CMD_BAD_PARAM);
	assert_int_equal(TGT(log_rq_stride, 6), XRDMA_CMD_BAD_PARAM);
	assert_int_equal(TGT(root, cpu_to_le64(WIRE_IOVA)),
			 XRDMA_CMD_BAD_PARAM);
	assert_int_equal(TGT(qpn, cpu_to_le32(1)), XRDMA_CMD_BAD_NUMBER);
	assert_int_equal(TGT(type, XRDMA_QP_XRC_INI), XRDMA_CMD_BAD_PARAM);
	assert_int_equal(TGT(qpn, cpu_to_le32(40)), XRDMA_CMD_OK);
	assert_int_equal(model_qp_destroy(dev, 40), XRDMA_CMD_OK);
}

/* The initiator drops requests, the target drops responses. */
static void wrong_direction_is_dropped(void **state)
{
	struct xrdma_rsp_query_qp rsp = { 0 };
	struct model_pkt pkt;
	struct craft c;
	struct scene s;

	begin(state, &s);
	take_over(&s, &c);
	pkt = craft_pkt(&c, MODEL_BTH_XRC | MODEL_BTH_ACK, 9);
	assert_int_equal(craft_send(&c, &pkt, NULL), MODEL_RX_TRANSPORT);
	pkt = craft_pkt(&c, MODEL_BTH_SEND_ONLY, PSN);
	assert_int_equal(craft_send(&c, &pkt, NULL), MODEL_RX_TRANSPORT);
	c.p.a = s.p.a;
	c.p.b = s.p.b;
	pkt = craft_pkt(&c, MODEL_BTH_XRC | MODEL_BTH_SEND_ONLY, 9);
	assert_int_equal(craft_send(&c, &pkt, NULL), MODEL_RX_TRANSPORT);
	/* SRQ numbers of more than 24 bits are invalid */
	post(&s, XRDMA_OP_SEND, 1, 8, 1 << 24);
	wire_expect_send(&s.p.a, 1, XRDMA_WC_LOC_QP_OP_ERR);
	assert_int_equal(s.p.a.qp->state, XRDMA_QPS_ERR);
	assert_int_equal(model_qp_query(s.p.b.host->dev, s.p.b.qpn, &rsp),
			 XRDMA_CMD_OK);
	assert_int_equal(rsp.attr.state, XRDMA_QPS_RTS);
	wire_modify_state(&s.p.b, XRDMA_QPS_ERR);
	assert_non_null(wire_event(s.p.b.host, XRDMA_EVENT_QP_LAST_WQE, 0));
	wire_modify_state(&s.p.b, XRDMA_QPS_RESET);
	wire_connect_one(&s.p.b, &s.p.a, &wire_defaults, 9, PSN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(every_operation, 1),
		WIRE_TEST(every_operation, 2),
		WIRE_TEST(invalidation, 2),
		WIRE_TEST(the_domain_is_that_of_the_srq, 2),
		WIRE_TEST(answers_keep_their_domain, 2),
		WIRE_TEST(only_srqs_of_its_domain, 1),
		WIRE_TEST(a_message_is_for_one_srq, 2),
		WIRE_TEST(an_empty_srq_is_not_ready, 2),
		WIRE_TEST(srq_may_be_destroyed_at_any_time, 2),
		WIRE_TEST(nothing_is_read_for_an_srq_that_is_gone, 2),
		WIRE_TEST(cq_overrun_moves_target_to_err, 2),
		WIRE_TEST(parameters_of_a_target_are_checked, 1),
		WIRE_TEST(wrong_direction_is_dropped, 2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
