// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the requester, packet by packet: the packets that it sends, its
 * reaction to each response, and the PSN from which it retries. The test is the
 * responder. Entries that send no packet are tested in test_local.c.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/lib/wire_craft.h"

#define ACK		(MODEL_AETH_ACK | MODEL_AETH_NO_CREDITS)
#define NAK(value)	(MODEL_AETH_NAK | MODEL_NAK_##value)
#define MTU		1024

/* First PSN of the queue pair under test, just before the wrap. */
#define PSN		(wire_defaults.psn)

static void begin(void **state, struct craft *c)
{
	craft_begin(state, c, &wire_defaults);
}

static void post(struct craft *c, u8 opcode, u64 wr_id, u32 len)
{
	struct xrdma_sge sge = wire_sge(c->p.a_buf, len, c->p.a_key);

	wire_post_send(&c->p.a, &(struct wire_wr) {
		.opcode = opcode, .flags = XRDMA_WQE_SIGNALED, .wr_id = wr_id,
		.sges = &sge, .num_sge = 1, .remote_addr = 0x1000,
		.rkey = 0x77, .swap_add = 5, .imm = 6,
	});
}

static enum model_rx respond(struct craft *c, u8 opcode, u8 syndrome, u32 psn)
{
	struct model_pkt pkt = craft_pkt(c, opcode, psn);
	enum model_rx rx;

	pkt.syndrome = syndrome;
	rx = craft_send(c, &pkt, NULL);
	craft_turn(c);
	return rx;
}

static void ack(struct craft *c, u8 syndrome, u32 psn)
{
	assert_int_equal(respond(c, MODEL_BTH_ACK, syndrome, psn), MODEL_RX_OK);
}

static void read_response(struct craft *c, u8 opcode, u32 psn, u32 offset,
			  u32 len)
{
	struct model_pkt pkt = craft_pkt(c, opcode, psn);

	pkt.syndrome = ACK;
	pkt.len = len;
	craft_send(c, &pkt, c->p.b_mem + offset);
	craft_turn(c);
}

static void completed(struct craft *c, u64 wr_id, u8 status)
{
	struct xrdma_cqe cqe;

	assert_true(wire_poll_cq(&c->p.a.send_cq, &cqe));
	assert_int_equal(le64_to_cpu(cqe.wr_id), wr_id);
	assert_int_equal(cqe.status, status);
}

static void not_completed(struct craft *c)
{
	struct xrdma_cqe cqe;

	assert_false(wire_poll_cq(&c->p.a.send_cq, &cqe));
}

static void messages_are_cut_by_the_mtu(void **state)
{
	struct craft c;

	begin(state, &c);
	post(&c, XRDMA_OP_WRITE_IMM, 1, 2 * MTU + 1);
	post(&c, XRDMA_OP_SEND, 2, MTU);
	craft_expect(&c, MODEL_BTH_WRITE_FIRST, PSN);
	assert_true(c.pkt.va == 0x1000);
	assert_int_equal(c.pkt.rkey, 0x77);
	assert_int_equal(c.pkt.dma_len, 2 * MTU + 1);
	assert_int_equal(c.pkt.len, MTU);
	assert_false(c.pkt.ackreq);
	craft_expect(&c, MODEL_BTH_WRITE_MIDDLE, PSN + 1);
	assert_memory_equal(c.data, c.p.a_mem + MTU, MTU);
	craft_expect(&c, MODEL_BTH_WRITE_LAST_IMM, PSN + 2);
	assert_int_equal(be32_to_cpu(c.pkt.imm), 6);
	assert_int_equal(c.pkt.len, 1);
	assert_true(c.pkt.ackreq);
	craft_expect(&c, MODEL_BTH_SEND_ONLY, PSN + 3);
	assert_int_equal(c.pkt.len, MTU);
	craft_expect_nothing(&c);
}

/* A WRITE completes no receive, so it solicits no event. */
static void messages_with_a_receive_solicit_events(void **state)
{
	static const u8 opcodes[] = {
		XRDMA_OP_WRITE, XRDMA_OP_SEND, XRDMA_OP_WRITE_IMM,
	};
	struct craft c;
	u32 i;

	begin(state, &c);
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		wire_post_send(&c.p.a, &(struct wire_wr) {
			.opcode = opcodes[i], .flags = XRDMA_WQE_SOLICITED,
			.remote_addr = 0x1000, .rkey = 0x77,
		});
		assert_true(craft_receive(&c));
		assert_int_equal(c.pkt.solicited, opcodes[i] != XRDMA_OP_WRITE);
	}
}

static void an_ack_covers_all_before_it(void **state)
{
	struct craft c;
	u32 i;

	begin(state, &c);
	for (i = 0; i < 10; i++)
		post(&c, XRDMA_OP_WRITE, i, 2 * MTU);
	while (craft_receive(&c))
		;
	ack(&c, ACK, PSN + 6);	/* three messages and half of one */
	for (i = 0; i < 3; i++)
		completed(&c, i, XRDMA_WC_SUCCESS);
	not_completed(&c);
	ack(&c, ACK, PSN + 2);	/* late: acknowledges no further packet */
	not_completed(&c);
	ack(&c, ACK, PSN + 19);
	for (i = 3; i < 10; i++)
		completed(&c, i, XRDMA_WC_SUCCESS);
	ack(&c, ACK, PSN + 19);
	not_completed(&c);
}

static void an_ack_of_what_was_not_sent_is_dropped(void **state)
{
	struct craft c;

	begin(state, &c);
	post(&c, XRDMA_OP_WRITE, 1, 10);
	craft_expect(&c, MODEL_BTH_WRITE_ONLY, PSN);
	assert_int_equal(respond(&c, MODEL_BTH_ACK, ACK, PSN + 1),
			 MODEL_RX_UNEXPECTED);
	not_completed(&c);
	ack(&c, ACK, PSN);
	completed(&c, 1, XRDMA_WC_SUCCESS);
}

static void a_sequence_nak_sends_the_lost_packet(void **state)
{
	struct craft c;
	u32 i;

	begin(state, &c);
	for (i = 0; i < 5; i++)
		post(&c, XRDMA_OP_WRITE, i, 2 * MTU);
	while (craft_receive(&c))
		;
	ack(&c, NAK(SEQUENCE), PSN + 3);
	completed(&c, 0, XRDMA_WC_SUCCESS);
	not_completed(&c);
	for (i = 0; i < 2; i++) {
		craft_expect(&c, MODEL_BTH_WRITE_LAST, PSN + 3);
		assert_memory_equal(c.data, c.p.a_mem + MTU, MTU);
	}
	craft_expect_nothing(&c);
	/* the same NAK arrives late: no second retry */
	ack(&c, NAK(SEQUENCE), PSN + 3);
	craft_expect_nothing(&c);
	assert_int_equal(c.p.a.host->dev->stats[XRDMA_STAT_RETRANSMITS], 1);
	ack(&c, ACK, PSN + 9);
	for (i = 1; i < 5; i++)
		completed(&c, i, XRDMA_WC_SUCCESS);
}

static void sequence_naks_without_progress_use_up_retries(void **state)
{
	struct craft c;
	u32 i;

	begin(state, &c);
	post(&c, XRDMA_OP_WRITE, 1, 10);
	craft_expect(&c, MODEL_BTH_WRITE_ONLY, PSN);
	for (i = 0; i < 7; i++) {
		ack(&c, NAK(SEQUENCE), PSN);
		craft_expect(&c, MODEL_BTH_WRITE_ONLY, PSN);
		c.p.a.qp->tp->req.recovering = false;
	}
	ack(&c, NAK(SEQUENCE), PSN);
	completed(&c, 1, XRDMA_WC_RETRY_EXC_ERR);
}

static void a_timeout_sends_again_what_is_not_acknowledged(void **state)
{
	struct craft c;
	u32 i;

	begin(state, &c);
	for (i = 0; i < 3; i++)
		post(&c, XRDMA_OP_WRITE, i, 10);
	while (craft_receive(&c))
		;
	ack(&c, ACK, PSN);
	completed(&c, 0, XRDMA_WC_SUCCESS);
	wire_run(c.env, 60 * WIRE_MS);	/* 67 ms is the timeout */
	craft_expect_nothing(&c);
	fake_loop_advance(c.env->loop, fake_loop_next(c.env->loop));
	craft_expect(&c, MODEL_BTH_WRITE_ONLY, PSN + 1);
	craft_expect(&c, MODEL_BTH_WRITE_ONLY, PSN + 2);
	craft_expect_nothing(&c);
	assert_int_equal(c.p.a.qp->tp->req.retries, 6);
	ack(&c, ACK, PSN + 2);
	assert_int_equal(c.p.a.qp->tp->req.retries, 7);
}

/* If the process did not run, received frames are handled before a timeout. */
static void a_late_timer_waits_for_what_has_arrived(void **state)
{
	struct craft c;

	begin(state, &c);
	post(&c, XRDMA_OP_WRITE, 1, 10);
	craft_expect(&c, MODEL_BTH_WRITE_ONLY, PSN);
	fake_loop_advance(c.env->loop,
			  model_loop_now(c.env->loop) + 1000 * WIRE_MS);
	craft_expect_nothing(&c);
	assert_int_equal(c.p.a.qp->tp->req.retries, 7);
	fake_loop_advance(c.env->loop, fake_loop_next(c.env->loop));
	craft_expect(&c, MODEL_BTH_WRITE_ONLY, PSN);
	assert_int_equal(c.p.a.qp->tp->req.retries, 6);
}

static void reads_are_placed_by_psn(void **state)
{
	struct craft c;

	begin(state, &c);
	memset(c.p.a_mem, 0, 3000);
	post(&c, XRDMA_OP_READ, 1, 3000);
	post(&c, XRDMA_OP_WRITE, 2, 10);
	craft_expect(&c, MODEL_BTH_READ_REQUEST, PSN);
	assert_int_equal(c.pkt.dma_len, 3000);
	craft_expect(&c, MODEL_BTH_WRITE_ONLY, PSN + 3);
	read_response(&c, MODEL_BTH_READ_RESP_FIRST, PSN, 0, MTU);
	read_response(&c, MODEL_BTH_READ_RESP_FIRST, PSN, 0, MTU);
	read_response(&c, MODEL_BTH_READ_RESP_MIDDLE, PSN + 1, MTU, MTU);
	not_completed(&c);
	read_response(&c, MODEL_BTH_READ_RESP_LAST, PSN + 2, 2 * MTU, 952);
	completed(&c, 1, XRDMA_WC_SUCCESS);
	assert_memory_equal(c.p.a_mem, c.p.b_mem, 3000);
	not_completed(&c);
	ack(&c, ACK, PSN + 3);
	completed(&c, 2, XRDMA_WC_SUCCESS);
}

/* The middle response is lost; the rest of the READ is requested again. */
static void a_lost_read_response_is_asked_for_again(void **state)
{
	struct craft c;

	begin(state, &c);
	memset(c.p.a_mem, 0, 3000);
	post(&c, XRDMA_OP_READ, 1, 3000);
	craft_expect(&c, MODEL_BTH_READ_REQUEST, PSN);
	read_response(&c, MODEL_BTH_READ_RESP_FIRST, PSN, 0, MTU);
	read_response(&c, MODEL_BTH_READ_RESP_LAST, PSN + 2, 2 * MTU, 952);
	craft_expect(&c, MODEL_BTH_READ_REQUEST, PSN + 1);
	assert_true(c.pkt.va == 0x1000 + MTU);
	assert_int_equal(c.pkt.dma_len, 3000 - MTU);
	craft_expect_nothing(&c);
	read_response(&c, MODEL_BTH_READ_RESP_FIRST, PSN + 1, MTU, MTU);
	read_response(&c, MODEL_BTH_READ_RESP_LAST, PSN + 2, 2 * MTU, 952);
	completed(&c, 1, XRDMA_WC_SUCCESS);
	assert_memory_equal(c.p.a_mem, c.p.b_mem, 3000);
}

/* An ACK of a packet after a READ shows that the READ's response was lost. */
static void an_ack_beyond_a_read_is_an_implied_nak(void **state)
{
	struct craft c;

	begin(state, &c);
	post(&c, XRDMA_OP_WRITE, 1, 10);
	post(&c, XRDMA_OP_READ, 2, 10);
	post(&c, XRDMA_OP_WRITE, 3, 10);
	while (craft_receive(&c))
		;
	ack(&c, ACK, PSN + 2);
	completed(&c, 1, XRDMA_WC_SUCCESS);
	not_completed(&c);
	craft_expect(&c, MODEL_BTH_READ_REQUEST, PSN + 1);
	craft_expect(&c, MODEL_BTH_WRITE_ONLY, PSN + 2);
	ack(&c, ACK, PSN + 2);
	craft_expect_nothing(&c);
	read_response(&c, MODEL_BTH_READ_RESP_ONLY, PSN + 1, 0, 10);
	completed(&c, 2, XRDMA_WC_SUCCESS);
	ack(&c, ACK, PSN + 2);
	completed(&c, 3, XRDMA_WC_SUCCESS);
}

static void a_response_acknowledges_what_is_before_it(void **state)
{
	struct craft c;

	begin(state, &c);
	post(&c, XRDMA_OP_WRITE, 1, 10);
	post(&c, XRDMA_OP_FETCH_ADD, 2, 8);
	while (craft_receive(&c))
		;
	assert_int_equal(respond(&c, MODEL_BTH_ATOMIC_ACK, ACK, PSN + 1),
			 MODEL_RX_OK);
	completed(&c, 1, XRDMA_WC_SUCCESS);
	completed(&c, 2, XRDMA_WC_SUCCESS);
}

/* The request before the one that has got a wrong response is acknowledged. */
static void wrong_responses_fail_at_once(void **state)
{
	static const struct {
		u8 request;
		u8 opcode;
		u8 syndrome;
	} cases[] = {
		{ XRDMA_OP_WRITE, MODEL_BTH_ACK, 0x40 },
		{ XRDMA_OP_WRITE, MODEL_BTH_ACK, MODEL_AETH_NAK | 4 },
		{ XRDMA_OP_WRITE, MODEL_BTH_ACK, MODEL_AETH_NAK | 31 },
		{ XRDMA_OP_WRITE, MODEL_BTH_ATOMIC_ACK, ACK },
		{ XRDMA_OP_WRITE, MODEL_BTH_READ_RESP_ONLY, ACK },
		{ XRDMA_OP_WRITE, MODEL_BTH_READ_RESP_MIDDLE, ACK },
		{ XRDMA_OP_FETCH_ADD, MODEL_BTH_READ_RESP_ONLY, ACK },
		{ XRDMA_OP_FETCH_ADD, MODEL_BTH_ATOMIC_ACK, MODEL_AETH_NAK },
		{ XRDMA_OP_FETCH_ADD, MODEL_BTH_ACK, 0x40 },
		{ XRDMA_OP_READ, MODEL_BTH_ATOMIC_ACK, ACK },
		{ XRDMA_OP_READ, MODEL_BTH_READ_RESP_ONLY, MODEL_AETH_RNR },
		{ XRDMA_OP_READ, MODEL_BTH_ACK, MODEL_AETH_NAK | 5 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		void *env = NULL;
		struct craft c;

		wire_setup_2(&env);
		begin(&env, &c);
		post(&c, XRDMA_OP_WRITE, 1, 10);
		post(&c, cases[i].request, 2, 8);
		while (craft_receive(&c))
			;
		assert_int_equal(respond(&c, cases[i].opcode, cases[i].syndrome,
					 PSN + 1), MODEL_RX_OK);
		completed(&c, 1, XRDMA_WC_SUCCESS);
		completed(&c, 2, XRDMA_WC_BAD_RESP_ERR);
		assert_int_equal(wire_teardown(&env), 0);
	}
}

struct bad_response {
	const char *name;
	u8 opcode;
	u32 psn;
	u32 len;
};

static void bad_responses_fail_the_read(void **state)
{
	static const struct bad_response cases[] = {
		{ "LAST in place of FIRST", MODEL_BTH_READ_RESP_LAST, 0, MTU },
		{ "ONLY in place of FIRST", MODEL_BTH_READ_RESP_ONLY, 0, MTU },
		{ "MIDDLE in place of FIRST", MODEL_BTH_READ_RESP_MIDDLE, 0,
		  MTU },
		{ "FIRST too short", MODEL_BTH_READ_RESP_FIRST, 0, MTU - 4 },
		{ "FIRST too long", MODEL_BTH_READ_RESP_FIRST, 0, MTU + 4 },
		{ "LAST too short", MODEL_BTH_READ_RESP_LAST, 1, 951 - 4 },
		{ "LAST too long", MODEL_BTH_READ_RESP_LAST, 1, MTU },
		{ "MIDDLE in place of LAST", MODEL_BTH_READ_RESP_MIDDLE, 1,
		  951 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		void *env = NULL;
		struct craft c;

		print_message("  %s\n", cases[i].name);
		wire_setup_2(&env);
		begin(&env, &c);
		post(&c, XRDMA_OP_READ, 1, MTU + 951);
		craft_expect(&c, MODEL_BTH_READ_REQUEST, PSN);
		if (cases[i].psn)
			read_response(&c, MODEL_BTH_READ_RESP_FIRST, PSN, 0,
				      MTU);
		read_response(&c, cases[i].opcode, PSN + cases[i].psn, 0,
			      cases[i].len);
		completed(&c, 1, XRDMA_WC_BAD_RESP_ERR);
		assert_int_equal(wire_teardown(&env), 0);
	}
}

static void fatal_naks_have_their_status(void **state)
{
	static const struct {
		u8 syndrome;
		u8 status;
	} cases[] = {
		{ NAK(INVALID), XRDMA_WC_REM_INV_REQ_ERR },
		{ NAK(ACCESS), XRDMA_WC_REM_ACCESS_ERR },
		{ NAK(OPERATION), XRDMA_WC_REM_OP_ERR },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		void *env = NULL;
		struct craft c;

		wire_setup_2(&env);
		begin(&env, &c);
		post(&c, XRDMA_OP_WRITE, 1, 10);
		post(&c, XRDMA_OP_WRITE, 2, 10);
		post(&c, XRDMA_OP_WRITE, 3, 10);
		while (craft_receive(&c))
			;
		ack(&c, cases[i].syndrome, PSN + 1);
		completed(&c, 1, XRDMA_WC_SUCCESS);
		completed(&c, 2, cases[i].status);
		completed(&c, 3, XRDMA_WC_WR_FLUSH_ERR);
		assert_int_equal(wire_teardown(&env), 0);
	}
}

static void rnr_nak_waits_and_sends_again(void **state)
{
	struct craft c;
	u64 start;

	begin(state, &c);
	post(&c, XRDMA_OP_SEND, 1, 10);
	post(&c, XRDMA_OP_SEND, 2, 10);
	while (craft_receive(&c))
		;
	ack(&c, MODEL_AETH_RNR | 14, PSN);	/* 1.28 ms */
	ack(&c, MODEL_AETH_RNR | 14, PSN);	/* late */
	craft_expect_nothing(&c);
	start = model_loop_now(c.env->loop);
	assert_true(fake_loop_next(c.env->loop) - start <= 1280000);
	fake_loop_advance(c.env->loop, start + 1279999);
	craft_expect_nothing(&c);
	fake_loop_advance(c.env->loop, start + 1280000);
	craft_expect(&c, MODEL_BTH_SEND_ONLY, PSN);
	craft_expect(&c, MODEL_BTH_SEND_ONLY, PSN + 1);
	ack(&c, ACK, PSN + 1);
	completed(&c, 1, XRDMA_WC_SUCCESS);
	completed(&c, 2, XRDMA_WC_SUCCESS);
}

static void the_window_closes_without_acks(void **state)
{
	struct craft c;
	u32 acks = 0;
	u32 n = 0;

	begin(state, &c);
	post(&c, XRDMA_OP_WRITE, 1, 1000 * MTU);
	while (craft_receive(&c)) {
		n++;
		acks += c.pkt.ackreq;
	}
	assert_int_equal(n, MODEL_REQ_PACE_MIN);
	assert_int_equal(acks, MODEL_REQ_PACE_MIN / MODEL_REQ_ACK_EVERY);
	ack(&c, ACK, PSN + 9);
	for (n = 0; craft_receive(&c); n++)
		;
	assert_int_equal(n, 20);
}

/* The host changes the key in the entry between two packets of a message. */
static void an_entry_that_becomes_another_fails(void **state)
{
	struct xrdma_sq_wqe *wqe;
	struct craft c;

	begin(state, &c);
	wqe = (struct xrdma_sq_wqe *)c.p.a.sq;
	post(&c, XRDMA_OP_WRITE, 1, 1000 * MTU);
	while (craft_receive(&c))
		;
	wqe->rkey = cpu_to_le32(0x78);
	ack(&c, ACK, PSN + 9);
	completed(&c, 1, XRDMA_WC_LOC_QP_OP_ERR);
}

/* Headers follow the GID table; without the source GID packets are dropped. */
static void a_changed_gid_changes_the_headers(void **state)
{
	struct xrdma_cmd_set_gid gid = {
		.flags = cpu_to_le32(XRDMA_GID_VALID | XRDMA_GID_IPV4),
		.mac = { 2, 7, 7, 7, 7, 7 },
	};
	const struct model_frame *frame;
	struct model_device *dev;
	struct craft c;

	begin(state, &c);
	dev = c.p.a.host->dev;
	post(&c, XRDMA_OP_WRITE, 1, 10);
	craft_expect(&c, MODEL_BTH_WRITE_ONLY, PSN);
	memcpy(gid.gid, c.p.a.host->gid, sizeof(gid.gid));
	assert_int_equal(model_gid_set(dev, &gid), XRDMA_CMD_OK);
	post(&c, XRDMA_OP_WRITE, 2, 10);
	craft_turn(&c);
	frame = c.p.b.host->dev->wire->arrived.head;
	assert_non_null(frame);
	assert_memory_equal(frame->data + 6, gid.mac, 6);
	craft_expect(&c, MODEL_BTH_WRITE_ONLY, PSN + 1);
	memset(&gid, 0, sizeof(gid));
	assert_int_equal(model_gid_set(dev, &gid), XRDMA_CMD_OK);
	post(&c, XRDMA_OP_WRITE, 3, 10);
	craft_expect_nothing(&c);
	assert_int_equal(dev->wire->tx_no_gid, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(messages_are_cut_by_the_mtu, 2),
		WIRE_TEST(messages_with_a_receive_solicit_events, 2),
		WIRE_TEST(an_ack_covers_all_before_it, 2),
		WIRE_TEST(an_ack_of_what_was_not_sent_is_dropped, 2),
		WIRE_TEST(a_sequence_nak_sends_the_lost_packet, 2),
		WIRE_TEST(sequence_naks_without_progress_use_up_retries, 2),
		WIRE_TEST(a_timeout_sends_again_what_is_not_acknowledged, 2),
		WIRE_TEST(a_late_timer_waits_for_what_has_arrived, 2),
		WIRE_TEST(reads_are_placed_by_psn, 2),
		WIRE_TEST(a_lost_read_response_is_asked_for_again, 2),
		WIRE_TEST(an_ack_beyond_a_read_is_an_implied_nak, 2),
		WIRE_TEST(a_response_acknowledges_what_is_before_it, 2),
		cmocka_unit_test(wrong_responses_fail_at_once),
		cmocka_unit_test(bad_responses_fail_the_read),
		cmocka_unit_test(fatal_naks_have_their_status),
		WIRE_TEST(rnr_nak_waits_and_sends_again, 2),
		WIRE_TEST(the_window_closes_without_acks, 2),
		WIRE_TEST(an_entry_that_becomes_another_fails, 2),
		WIRE_TEST(a_changed_gid_changes_the_headers, 2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
