// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of unreliable connections: messages arrive completely or not at all, no
 * answers are sent, memory windows work, some operations are refused. Lossy
 * wires are in test_unreliable.c.
 */
#include <string.h>

#include "tests/lib/wire_craft.h"
#include "tests/lib/wire_mw.h"
#include "transport/rx.h"

#define MTU	1024
#define SQ_PSN	0xfffffe
#define RQ_PSN	0x1234

static void modify(struct wire_qp *qp, u8 state, u32 mask,
		   struct xrdma_qp_attr attr)
{
	struct xrdma_cmd_modify_qp p = {
		.qpn = cpu_to_le32(qp->qpn),
		.mask = cpu_to_le32(mask | XRDMA_QPM_STATE),
		.attr = attr,
	};

	p.attr.state = state;
	assert_int_equal(model_qp_modify(qp->host->dev, &p), XRDMA_CMD_OK);
}

static void connect(struct wire_qp *qp, const struct wire_qp *peer, u32 sq_psn,
		    u32 rq_psn)
{
	struct xrdma_qp_attr attr = {
		.access = cpu_to_le16(XRDMA_ACCESS_REMOTE_WRITE),
	};

	modify(qp, XRDMA_QPS_INIT, XRDMA_QPM_PKEY_INDEX | XRDMA_QPM_ACCESS,
	       attr);
	attr = (struct xrdma_qp_attr) {
		.path_mtu = 3, .dest_qpn = cpu_to_le32(peer->qpn),
		.rq_psn = cpu_to_le32(rq_psn), .av = { .hop_limit = 64 },
	};
	memcpy(attr.av.dgid, peer->host->gid, sizeof(attr.av.dgid));
	memcpy(attr.av.dmac, peer->host->mac, sizeof(attr.av.dmac));
	modify(qp, XRDMA_QPS_RTR, XRDMA_QPM_AV | XRDMA_QPM_PATH_MTU |
	       XRDMA_QPM_DEST_QPN | XRDMA_QPM_RQ_PSN, attr);
	attr = (struct xrdma_qp_attr) { .sq_psn = cpu_to_le32(sq_psn) };
	modify(qp, XRDMA_QPS_RTS, XRDMA_QPM_SQ_PSN, attr);
}

/* Connect side a to side b. With a craft, side a is under test. */
static void begin(void **state, struct craft *c)
{
	struct wire_pair *p = &c->p;
	struct wire_env *env = *state;

	memset(c, 0, sizeof(*c));
	c->env = env;
	wire_create_qp(env, 0, XRDMA_QP_UC, 0, 7, &p->a);
	wire_create_qp(env, env->n - 1, XRDMA_QP_UC, 0, 7, &p->b);
	connect(&p->a, &p->b, SQ_PSN, RQ_PSN);
	connect(&p->b, &p->a, RQ_PSN, SQ_PSN);
	wire_make_buffers(p, 0x20000, 100, 101, WIRE_BIND_RIGHTS);
}

static void post(struct craft *c, u8 opcode, u64 wr_id, u32 len, u64 addr)
{
	struct xrdma_sge sge = wire_sge(c->p.a_buf, len, c->p.a_key);

	wire_post_send(&c->p.a, &(struct wire_wr) {
		.opcode = opcode, .flags = XRDMA_WQE_SIGNALED, .wr_id = wr_id,
		.sges = &sge, .num_sge = 1, .remote_addr = addr,
		.rkey = c->p.b_key, .imm = 77,
	});
}

static void post_recv(struct wire_qp *qp, u64 wr_id, u64 addr, u32 key)
{
	struct xrdma_sge sge = wire_sge(addr, 0x8000, key);

	wire_post_recv(qp, wr_id, &sge, 1);
}

static void messages_arrive(void **state)
{
	struct xrdma_cqe cqe;
	struct craft c;

	begin(state, &c);
	post_recv(&c.p.b, 1, c.p.b_buf + 0x10000, c.p.b_key);
	post_recv(&c.p.b, 2, c.p.b_buf + 0x18000, c.p.b_key);
	post(&c, XRDMA_OP_SEND_IMM, 3, 5000, 0);
	post(&c, XRDMA_OP_WRITE, 4, 3000, c.p.b_buf);
	post(&c, XRDMA_OP_WRITE_IMM, 5, 100, c.p.b_buf + 0x1000);
	wire_expect_send(&c.p.a, 3, XRDMA_WC_SUCCESS);
	wire_expect_send(&c.p.a, 4, XRDMA_WC_SUCCESS);
	wire_expect_send(&c.p.a, 5, XRDMA_WC_SUCCESS);
	wire_expect_recv(&c.p.b, 1, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(le32_to_cpu(cqe.byte_len), 5000);
	assert_int_equal(be32_to_cpu(cqe.imm), 77);
	assert_memory_equal(c.p.b_mem + 0x10000, c.p.a_mem, 5000);
	wire_expect_recv(&c.p.b, 2, XRDMA_WC_SUCCESS, &cqe);
	assert_int_equal(cqe.opcode, XRDMA_OP_RECV_WRITE_IMM);
	assert_memory_equal(c.p.b_mem, c.p.a_mem, 3000);
	assert_memory_equal(c.p.b_mem + 0x1000, c.p.a_mem, 100);
}

/* Each send completes when it has been sent, without any answer. */
static void nobody_answers(void **state)
{
	struct craft c;
	u32 i;

	begin(state, &c);
	for (i = 0; i < 100; i++)
		post(&c, XRDMA_OP_WRITE, i, MTU + 1, 0x1000);
	for (i = 0; i < 100; i++) {
		craft_expect(&c, MODEL_BTH_UC | MODEL_BTH_WRITE_FIRST,
			     SQ_PSN + 2 * i);
		assert_false(c.pkt.ackreq);
		craft_expect(&c, MODEL_BTH_UC | MODEL_BTH_WRITE_LAST,
			     SQ_PSN + 2 * i + 1);
		assert_false(c.pkt.ackreq);
	}
	for (i = 0; i < 100; i++)
		wire_expect_send(&c.p.a, i, XRDMA_WC_SUCCESS);
}

static enum model_rx packet(struct craft *c, u8 op, u32 psn, u32 len, u8 fill)
{
	struct model_pkt pkt = craft_pkt(c, MODEL_BTH_UC | op, psn);
	u8 bytes[MTU];

	memset(bytes, fill, sizeof(bytes));
	pkt.len = len;
	pkt.dma_len = 2 * MTU;
	pkt.ackreq = true;
	return craft_send(c, &pkt, bytes);
}

static void a_message_with_a_gap_is_dropped(void **state)
{
	struct xrdma_cqe cqe;
	struct craft c;

	begin(state, &c);
	post_recv(&c.p.a, 1, c.p.a_buf, c.p.a_key);
	packet(&c, MODEL_BTH_SEND_FIRST, RQ_PSN, MTU, 1);
	/* the packet RQ_PSN + 1 is lost */
	assert_int_equal(packet(&c, MODEL_BTH_SEND_MIDDLE, RQ_PSN + 2, MTU, 2),
			 MODEL_RX_UNEXPECTED);
	assert_int_equal(packet(&c, MODEL_BTH_SEND_LAST, RQ_PSN + 3, 5, 3),
			 MODEL_RX_UNEXPECTED);
	assert_false(wire_poll_cq(&c.p.a.recv_cq, &cqe));
	/* the next message uses the receive entry */
	packet(&c, MODEL_BTH_SEND_FIRST, RQ_PSN + 9, MTU, 4);
	packet(&c, MODEL_BTH_SEND_LAST, RQ_PSN + 10, 5, 5);
	assert_true(wire_poll_cq(&c.p.a.recv_cq, &cqe));
	assert_int_equal(le64_to_cpu(cqe.wr_id), 1);
	assert_int_equal(le32_to_cpu(cqe.byte_len), MTU + 5);
	assert_int_equal(c.p.a_mem[0], 4);
	assert_int_equal(c.p.a_mem[MTU], 5);
	craft_expect_nothing(&c);
}

static void refusals_are_silent(void **state)
{
	struct model_pkt pkt;
	struct craft c;

	begin(state, &c);
	memset(c.p.a_mem, 0, 4 * MTU);
	/* no receive is posted */
	packet(&c, MODEL_BTH_SEND_ONLY, RQ_PSN, 5, 1);
	/* a wrong key */
	pkt = craft_pkt(&c, MODEL_BTH_UC | MODEL_BTH_WRITE_ONLY, RQ_PSN + 1);
	pkt.rkey ^= 1;
	pkt.len = 5;
	pkt.dma_len = 5;
	craft_send(&c, &pkt, (const u8 *)"12345");
	wire_expect_fault(c.p.a.host, &c.p.a, 0, XRDMA_FAULT_KEY_BYTE,
			  XRDMA_OP_WRITE, pkt.rkey);
	/* longer than announced; opcode of another transport */
	packet(&c, MODEL_BTH_WRITE_FIRST, RQ_PSN + 2, MTU, 0);
	packet(&c, MODEL_BTH_WRITE_MIDDLE, RQ_PSN + 3, MTU, 2);
	pkt = craft_pkt(&c, MODEL_BTH_WRITE_ONLY, RQ_PSN + 4);
	assert_int_equal(craft_send(&c, &pkt, NULL), MODEL_RX_TRANSPORT);
	assert_int_equal(c.p.a_mem[0] | c.p.a_mem[MTU], 0);
	craft_expect_nothing(&c);
	assert_int_equal(c.p.a.qp->state, XRDMA_QPS_RTS);
	/* the connection continues with the next message */
	packet(&c, MODEL_BTH_WRITE_FIRST, RQ_PSN + 5, MTU, 6);
	packet(&c, MODEL_BTH_WRITE_LAST, RQ_PSN + 6, MTU, 7);
	assert_int_equal(c.p.a_mem[2 * MTU - 1], 7);
}

static void windows_work(void **state)
{
	struct wire_bind b;
	struct craft c;

	begin(state, &c);
	b = (struct wire_bind) {
		.key = wire_publish(c.p.b.host, 50, XRDMA_MPT_MW_2),
		.mr_key = c.p.b_key, .access = XRDMA_ACCESS_REMOTE_WRITE,
		.addr = c.p.b_buf, .length = 64,
	};
	b.new_key = b.key;
	wire_post_bind(&c.p.b, 1, &b);
	wire_expect_send(&c.p.b, 1, XRDMA_WC_SUCCESS);
	c.p.b_key = b.key;
	post(&c, XRDMA_OP_WRITE, 2, 64, c.p.b_buf);
	wire_expect_send(&c.p.a, 2, XRDMA_WC_SUCCESS);
	wire_settle(*state);
	assert_memory_equal(c.p.b_mem, c.p.a_mem, 64);
	wire_post_inval(&c.p.b, 3, b.key);
	wire_expect_send(&c.p.b, 3, XRDMA_WC_SUCCESS);
	memset(c.p.b_mem, 0, 64);
	post(&c, XRDMA_OP_WRITE, 4, 64, c.p.b_buf);
	wire_expect_send(&c.p.a, 4, XRDMA_WC_SUCCESS);
	wire_settle(*state);
	assert_int_equal(c.p.b_mem[0] | c.p.b_mem[63], 0);
	wire_expect_fault(c.p.b.host, &c.p.b, 0, XRDMA_FAULT_KEY_FREE,
			  XRDMA_OP_WRITE, b.key);
}

/* READs and atomics fail: SQE flushes sends, receives go on, RTS ends SQE. */
static void some_operations_do_not_exist(void **state)
{
	static const u8 opcodes[] = {
		XRDMA_OP_READ, XRDMA_OP_FETCH_ADD, XRDMA_OP_CMP_SWAP,
		XRDMA_OP_SEND_INV, XRDMA_OP_REG_MR,
		XRDMA_OP_FLUSH, XRDMA_OP_ATOMIC_WRITE,
	};
	const struct xrdma_qp_attr none = { 0 };
	struct craft c;
	u32 i;

	begin(state, &c);
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		post(&c, XRDMA_OP_WRITE, 1, 10, c.p.b_buf);
		post(&c, opcodes[i], 2, 8, c.p.b_buf);
		post(&c, XRDMA_OP_WRITE, 3, 10, c.p.b_buf);
		wire_expect_send(&c.p.a, 1, XRDMA_WC_SUCCESS);
		wire_expect_send(&c.p.a, 2, XRDMA_WC_LOC_QP_OP_ERR);
		wire_expect_send(&c.p.a, 3, XRDMA_WC_WR_FLUSH_ERR);
		assert_int_equal(c.p.a.qp->state, XRDMA_QPS_SQE);
		modify(&c.p.a, XRDMA_QPS_RTS, 0, none);
	}
	memset(c.p.b_mem, 0, 10);
	post(&c, XRDMA_OP_WRITE, 4, 10, c.p.b_buf);
	wire_expect_send(&c.p.a, 4, XRDMA_WC_SUCCESS);
	wire_settle(*state);
	assert_memory_equal(c.p.b_mem, c.p.a_mem, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(messages_arrive, 1),
		WIRE_TEST(nobody_answers, 2),
		WIRE_TEST(a_message_with_a_gap_is_dropped, 2),
		WIRE_TEST(refusals_are_silent, 2),
		WIRE_TEST(windows_work, 1),
		WIRE_TEST(some_operations_do_not_exist, 1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
