// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of connections: the limit max_dest_rd_atomic, and the events COMM_EST
 * and SQ_DRAINED.
 */
#include <string.h>

#include "tests/lib/wire_craft.h"
#include "tests/lib/wire_mw.h"
#include "tests/lib/wire_ud.h"

#define PSN	0xfffffe

/* The test is the peer, which may have two READs or atomics in flight. */
static void begin(void **state, struct craft *c)
{
	struct wire_params params = wire_defaults;

	params.psn = PSN ^ 0x55;
	params.max_dest_rd_atomic = 2;
	craft_begin(state, c, &params);
}

static void request(struct craft *c, u8 opcode, u32 psn)
{
	struct model_pkt pkt = craft_pkt(c, opcode, psn);

	pkt.dma_len = 8;
	pkt.swap_add = 1;
	craft_send(c, &pkt, NULL);
}

static void expect_nak(struct craft *c, u32 psn)
{
	craft_expect_ack(c, MODEL_AETH_NAK | MODEL_NAK_INVALID, psn);
	assert_int_equal(c->p.a.qp->state, XRDMA_QPS_ERR);
	assert_non_null(wire_event(c->p.a.host, XRDMA_EVENT_QP_REQ_ERR, 0));
}

static void more_reads_than_agreed_upon(void **state)
{
	struct craft c;
	u32 i;

	begin(state, &c);
	for (i = 0; i < 3; i++)
		request(&c, MODEL_BTH_READ_REQUEST, PSN + i);
	craft_expect(&c, MODEL_BTH_READ_RESP_ONLY, PSN);
	craft_expect(&c, MODEL_BTH_READ_RESP_ONLY, PSN + 1);
	expect_nak(&c, PSN + 2);
}

/* Duplicates of READs and atomics do not count as further requests. */
static void duplicates_do_not_count(void **state)
{
	struct craft c;
	u32 i;

	begin(state, &c);
	for (i = 0; i < 2; i++)
		request(&c, MODEL_BTH_FETCH_ADD, PSN + i);
	craft_expect(&c, MODEL_BTH_ATOMIC_ACK, PSN);
	craft_expect(&c, MODEL_BTH_ATOMIC_ACK, PSN + 1);
	for (i = 0; i < 4; i++)
		request(&c, MODEL_BTH_FETCH_ADD, PSN + i);
	for (i = 0; i < 4; i++)
		craft_expect(&c, MODEL_BTH_ATOMIC_ACK, PSN + i);
	craft_expect_nothing(&c);
	request(&c, MODEL_BTH_FETCH_ADD, PSN + 4);
	request(&c, MODEL_BTH_READ_REQUEST, PSN + 5);
	request(&c, MODEL_BTH_CMP_SWAP, PSN + 6);
	craft_expect(&c, MODEL_BTH_ATOMIC_ACK, PSN + 4);
	craft_expect(&c, MODEL_BTH_READ_RESP_ONLY, PSN + 5);
	expect_nak(&c, PSN + 6);
}

/* RESET drops queued answers, so they no longer count as READs in flight. */
static void reset_drops_queued_answers(void **state)
{
	struct wire_params params = wire_defaults;
	struct craft c;
	u32 i;

	begin(state, &c);
	for (i = 0; i < 2; i++)
		request(&c, MODEL_BTH_READ_REQUEST, PSN + i);
	wire_modify_state(&c.p.a, XRDMA_QPS_RESET);
	params.max_dest_rd_atomic = 2;
	wire_connect_one(&c.p.a, &c.p.b, &params, 1, PSN);
	for (i = 0; i < 2; i++)
		request(&c, MODEL_BTH_READ_REQUEST, PSN + i);
	craft_expect(&c, MODEL_BTH_READ_RESP_ONLY, PSN);
	craft_expect(&c, MODEL_BTH_READ_RESP_ONLY, PSN + 1);
	craft_expect_nothing(&c);
}

static void drain(struct wire_qp *qp)
{
	const struct xrdma_cmd_modify_qp p = {
		.qpn = cpu_to_le32(qp->qpn),
		.mask = cpu_to_le32(XRDMA_QPM_STATE | XRDMA_QPM_SQD_NOTIFY),
		.attr = { .state = XRDMA_QPS_SQD,
			  .flags = XRDMA_QPA_SQD_NOTIFY },
	};

	assert_int_equal(model_qp_modify(qp->host->dev, &p), XRDMA_CMD_OK);
}

static bool draining(const struct wire_qp *qp)
{
	struct xrdma_rsp_query_qp rsp = { 0 };

	assert_int_equal(model_qp_query(qp->host->dev, qp->qpn, &rsp),
			 XRDMA_CMD_OK);
	return rsp.attr.flags & XRDMA_QPA_SQ_DRAINING;
}

/* SQ_DRAINED comes with the last acknowledgment; no new entry begins. */
static void drained_when_all_is_acknowledged(void **state)
{
	struct model_pkt pkt;
	struct xrdma_sge sge;
	struct xrdma_cqe cqe;
	struct craft c;
	u32 i;

	craft_begin(state, &c, &wire_defaults);
	sge = wire_sge(c.p.a_buf, 2000, c.p.a_key);
	for (i = 0; i < 2; i++) {
		wire_post_send(&c.p.a, &(struct wire_wr) {
			.opcode = XRDMA_OP_SEND, .wr_id = i, .sges = &sge,
			.num_sge = 1, .flags = XRDMA_WQE_SIGNALED,
		});
		if (!i)
			craft_turn(&c);
		if (!i)
			drain(&c.p.a);
	}
	craft_expect(&c, MODEL_BTH_SEND_FIRST, wire_defaults.psn);
	craft_expect(&c, MODEL_BTH_SEND_LAST, wire_defaults.psn + 1);
	craft_expect_nothing(&c);
	assert_true(draining(&c.p.a));
	pkt = craft_pkt(&c, MODEL_BTH_ACK, wire_defaults.psn);
	craft_send(&c, &pkt, NULL);
	craft_turn(&c);
	assert_null(wire_event(c.p.a.host, XRDMA_EVENT_QP_SQ_DRAINED, 0));
	pkt.psn++;
	craft_send(&c, &pkt, NULL);
	craft_turn(&c);
	assert_non_null(wire_event(c.p.a.host, XRDMA_EVENT_QP_SQ_DRAINED, 0));
	assert_false(draining(&c.p.a));
	craft_expect_nothing(&c);
	assert_true(wire_poll_cq(&c.p.a.send_cq, &cqe));
	assert_false(wire_poll_cq(&c.p.a.send_cq, &cqe));
	/* the second entry is sent in RTS, without a second event */
	wire_modify_state(&c.p.a, XRDMA_QPS_RTS);
	craft_expect(&c, MODEL_BTH_SEND_FIRST, wire_defaults.psn + 2);
	assert_null(wire_event(c.p.a.host, XRDMA_EVENT_QP_SQ_DRAINED, 1));
}

/* With no entry in flight SQ_DRAINED comes at once, asleep or not. */
static void drained_at_once(void **state)
{
	struct wire_pair p;
	struct wire_qp ud;

	wire_make_pair(*state, &p, &wire_defaults);
	assert_false(model_device_park(p.a.host->dev));
	drain(&p.a);
	wire_settle(*state);
	assert_non_null(wire_event(p.a.host, XRDMA_EVENT_QP_SQ_DRAINED, 0));
	wire_create_ud(*state, 0, XRDMA_QP_UD, 0, &ud);
	drain(&ud);
	wire_settle(*state);
	assert_int_equal(le32_to_cpu(wire_event(p.a.host,
						XRDMA_EVENT_QP_SQ_DRAINED,
						1)->number), ud.qpn);
}

/* In RTR the first packet raises COMM_EST, once. */
static void the_first_packet_raises_comm_est(void **state)
{
	struct wire_params params = wire_defaults;
	const struct xrdma_eqe *eqe;
	struct model_pkt pkt;
	struct craft c;

	craft_begin(state, &c, &params);
	/* in RTS no event is raised */
	pkt = craft_pkt(&c, MODEL_BTH_WRITE_ONLY, params.psn ^ 0x55);
	craft_send(&c, &pkt, NULL);
	assert_null(wire_event(c.p.a.host, XRDMA_EVENT_QP_COMM_EST, 0));
	wire_modify_state(&c.p.a, XRDMA_QPS_RESET);
	wire_connect_to_rtr(&c.p.a, &c.p.b, &params, PSN);
	/* nor for a packet to another queue pair */
	pkt.dqpn++;
	craft_send(&c, &pkt, NULL);
	assert_null(wire_event(c.p.a.host, XRDMA_EVENT_QP_COMM_EST, 0));
	pkt.dqpn--;
	pkt.psn = PSN;
	craft_send(&c, &pkt, NULL);
	craft_send(&c, &pkt, NULL);
	eqe = wire_event(c.p.a.host, XRDMA_EVENT_QP_COMM_EST, 0);
	assert_non_null(eqe);
	assert_int_equal(le32_to_cpu(eqe->number), c.p.a.qpn);
	assert_null(wire_event(c.p.a.host, XRDMA_EVENT_QP_COMM_EST, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(more_reads_than_agreed_upon, 2),
		WIRE_TEST(duplicates_do_not_count, 2),
		WIRE_TEST(reset_drops_queued_answers, 2),
		WIRE_TEST(drained_when_all_is_acknowledged, 2),
		WIRE_TEST(drained_at_once, 2),
		WIRE_TEST(the_first_packet_raises_comm_est, 2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
