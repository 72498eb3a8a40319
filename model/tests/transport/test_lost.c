// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of lost packets, packet by packet: which packets the requester sends
 * again, how many it sends without acknowledgment, and what the responder does
 * with packets after a missing one. The test is the peer.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/lib/wire_craft.h"

#define ACK		(MODEL_AETH_ACK | MODEL_AETH_NO_CREDITS)
#define NAK(value)	(MODEL_AETH_NAK | MODEL_NAK_##value)
#define MTU		1024

/* First PSN of the requester, and the PSN that the responder expects first */
#define PSN		(wire_defaults.psn)
#define THEIRS		(wire_defaults.psn ^ 0x55)

static void begin(void **state, struct craft *c)
{
	craft_begin(state, c, &wire_defaults);
}

/* ---- requester ------------------------------------------------------------- */

static void post(struct craft *c, u8 opcode, u32 len)
{
	struct xrdma_sge sge = wire_sge(c->p.a_buf, len, c->p.a_key);

	wire_post_signaled(&c->p.a, opcode, 0, sge, 0x1000, 0x77);
}

static u32 drain(struct craft *c)
{
	u32 n = 0;

	while (craft_receive(c))
		n++;
	return n;
}

static void respond(struct craft *c, u8 syndrome, u32 psn)
{
	struct model_pkt pkt = craft_pkt(c, MODEL_BTH_ACK, psn);

	pkt.syndrome = syndrome;
	assert_int_equal(craft_send(c, &pkt, NULL), MODEL_RX_OK);
	craft_turn(c);
}

/* Expect both copies of a packet of one WRITE, and no other packet. */
static void expect_one(struct craft *c, u32 number)
{
	craft_expect(c, MODEL_BTH_WRITE_MIDDLE, PSN + number);
	assert_true(c->pkt.ackreq);
	craft_expect(c, MODEL_BTH_WRITE_MIDDLE, PSN + number);
	assert_true(c->pkt.ackreq);
	craft_expect_nothing(c);
}

/* A WRITE of 100 packets, of which PSN + 9 is lost. */
static void begin_lost(void **state, struct craft *c)
{
	begin(state, c);
	post(c, XRDMA_OP_WRITE, 100 * MTU);
	assert_int_equal(drain(c), 100);
	respond(c, NAK(SEQUENCE), PSN + 9);
	expect_one(c, 9);
}

static void one_packet_is_sent_to_a_peer_that_keeps(void **state)
{
	struct craft c;

	begin_lost(state, &c);
	respond(&c, ACK, PSN + 39);
	craft_expect_nothing(&c);
	respond(&c, NAK(SEQUENCE), PSN + 40);
	expect_one(&c, 40);
	/* new packets do not wait for the answer */
	post(&c, XRDMA_OP_SEND, MTU);
	craft_expect(&c, MODEL_BTH_SEND_ONLY, PSN + 100);
	craft_expect_nothing(&c);
	/* so that a second gap is reported without delay */
	respond(&c, NAK(SEQUENCE), PSN + 60);
	expect_one(&c, 60);
	respond(&c, ACK, PSN + 100);
	craft_expect_nothing(&c);
	assert_true(model_requester_idle(c.p.a.qp));
	assert_int_equal(c.p.a.host->dev->stats[XRDMA_STAT_TX_RETRANSMITTED], 6);
}

static void a_peer_that_keeps_may_miss_two_in_a_row(void **state)
{
	struct craft c;

	begin_lost(state, &c);
	respond(&c, ACK, PSN + 39);
	respond(&c, NAK(SEQUENCE), PSN + 40);
	expect_one(&c, 40);
	respond(&c, ACK, PSN + 40);
	expect_one(&c, 41);
	respond(&c, ACK, PSN + 99);
	craft_expect_nothing(&c);
	assert_true(model_requester_idle(c.p.a.qp));
}

static void all_packets_are_sent_to_a_peer_that_drops(void **state)
{
	struct craft c;

	begin_lost(state, &c);
	respond(&c, ACK, PSN + 9);
	craft_expect(&c, MODEL_BTH_WRITE_MIDDLE, PSN + 10);
	assert_int_equal(drain(&c), 89);
	respond(&c, NAK(SEQUENCE), PSN + 20);
	expect_one(&c, 20);
	respond(&c, ACK, PSN + 20);
	assert_int_equal(drain(&c), 79);
	/* the peer is known now */
	respond(&c, NAK(SEQUENCE), PSN + 30);
	assert_int_equal(drain(&c), 70);
	respond(&c, ACK, PSN + 99);
	assert_true(model_requester_idle(c.p.a.qp));
}

static void a_packet_that_was_only_late_tells_nothing(void **state)
{
	struct craft c;

	begin(state, &c);
	post(&c, XRDMA_OP_WRITE, 100 * MTU);
	drain(&c);
	respond(&c, NAK(SEQUENCE), PSN + 9);
	expect_one(&c, 9);
	respond(&c, NAK(SEQUENCE), PSN + 10);
	expect_one(&c, 10);
	assert_int_equal(c.p.a.qp->tp->req.repeat.peer, MODEL_PEER_UNKNOWN);
	assert_int_equal(c.p.a.qp->tp->req.repeat.dropped, 0);
	respond(&c, ACK, PSN + 99);
	assert_true(model_requester_idle(c.p.a.qp));
}

static void a_timeout_sends_all(void **state)
{
	struct craft c;

	begin_lost(state, &c);
	fake_loop_advance(c.env->loop, fake_loop_next(c.env->loop));
	craft_expect(&c, MODEL_BTH_WRITE_MIDDLE, PSN + 9);
	assert_int_equal(drain(&c), 90);
}

static void a_read_in_flight_sends_all(void **state)
{
	struct craft c;

	begin(state, &c);
	post(&c, XRDMA_OP_WRITE, 10 * MTU);
	post(&c, XRDMA_OP_READ, MTU);
	assert_int_equal(drain(&c), 11);
	respond(&c, NAK(SEQUENCE), PSN + 5);
	assert_int_equal(drain(&c), 6);
}

static void the_window_grows_and_shrinks(void **state)
{
	const struct model_req_pace *pace;
	struct craft c;
	u32 n;

	begin(state, &c);
	pace = &c.p.a.qp->tp->req.pace;
	for (n = 0; n < 6; n++)
		post(&c, XRDMA_OP_WRITE, 1000 * MTU);
	for (n = 0; pace->window < MODEL_REQ_PACE_MAX; ) {
		n += drain(&c);
		respond(&c, ACK, PSN + n - 1);
	}
	assert_int_equal(drain(&c), MODEL_REQ_PACE_MAX);
	respond(&c, NAK(SEQUENCE), PSN + n);
	assert_int_equal(pace->window, MODEL_REQ_PACE_MAX / 2);
	respond(&c, ACK, PSN + n + MODEL_REQ_PACE_MAX - 1);
	assert_int_equal(pace->window, MODEL_REQ_PACE_MAX / 2 + 1);
	drain(&c);
	fake_loop_advance(c.env->loop, fake_loop_next(c.env->loop));
	assert_int_equal(pace->window, MODEL_REQ_PACE_MIN);
}

/* ---- responder ------------------------------------------------------------- */

static void write_only(struct craft *c, u32 psn, u8 value)
{
	struct model_pkt pkt = craft_pkt(c, MODEL_BTH_WRITE_ONLY, psn);

	pkt.len = 1;
	pkt.dma_len = 1;
	assert_int_equal(craft_send(c, &pkt, &value), MODEL_RX_OK);
}

static u64 stat(const struct craft *c, enum xrdma_stat stat)
{
	return c->p.a.host->dev->stats[stat];
}

static void early_packets_are_executed_in_order(void **state)
{
	struct craft c;

	begin(state, &c);
	c.p.a_mem[0] = 0;
	write_only(&c, THEIRS + 3, 4);
	craft_expect_ack(&c, NAK(SEQUENCE), THEIRS);
	write_only(&c, THEIRS + 1, 2);
	write_only(&c, THEIRS + 2, 3);
	write_only(&c, THEIRS + 2, 9);
	assert_int_equal(stat(&c, XRDMA_STAT_DUPLICATES), 1);
	craft_expect_nothing(&c);
	assert_int_equal(c.p.a_mem[0], 0);
	write_only(&c, THEIRS, 1);
	craft_expect_ack(&c, ACK, THEIRS + 3);
	assert_int_equal(c.pkt.msn, 4);
	assert_int_equal(c.p.a_mem[0], 4);
	craft_expect_nothing(&c);
	assert_int_equal(c.p.a.host->dev->parked_bytes, 0);
}

static void each_gap_among_early_packets_gets_a_nak(void **state)
{
	struct craft c;

	begin(state, &c);
	write_only(&c, THEIRS + 1, 2);
	write_only(&c, THEIRS + 3, 4);
	craft_expect_ack(&c, NAK(SEQUENCE), THEIRS);
	write_only(&c, THEIRS, 1);
	craft_expect_ack(&c, NAK(SEQUENCE), THEIRS + 2);
	craft_expect_nothing(&c);
	assert_int_equal(c.p.a_mem[0], 2);
	write_only(&c, THEIRS + 2, 3);
	craft_expect_ack(&c, ACK, THEIRS + 3);
}

/* The response acknowledges the READ; it may be lost, so no ACK follows it. */
static void an_early_read_gets_its_response(void **state)
{
	struct model_pkt pkt;
	struct craft c;

	begin(state, &c);
	pkt = craft_pkt(&c, MODEL_BTH_READ_REQUEST, THEIRS + 1);
	pkt.dma_len = 1;
	assert_int_equal(craft_send(&c, &pkt, NULL), MODEL_RX_OK);
	craft_expect_ack(&c, NAK(SEQUENCE), THEIRS);
	write_only(&c, THEIRS, 7);
	craft_expect(&c, MODEL_BTH_READ_RESP_ONLY, THEIRS + 1);
	assert_int_equal(c.data[0], 7);
	craft_expect_nothing(&c);
}

static void early_packets_are_limited(void **state)
{
	struct craft c;

	begin(state, &c);
	write_only(&c, THEIRS + MODEL_EARLY_MAX + 1, 1);
	assert_int_equal(c.p.a.host->dev->parked_bytes, 0);
	write_only(&c, THEIRS + MODEL_EARLY_MAX, 1);
	assert_int_not_equal(c.p.a.host->dev->parked_bytes, 0);
	c.p.a.host->dev->parked_bytes += MODEL_PARKED_BYTES;
	write_only(&c, THEIRS + 1, 1);
	c.p.a.host->dev->parked_bytes -= MODEL_PARKED_BYTES;
	write_only(&c, THEIRS, 1);
	craft_expect_ack(&c, NAK(SEQUENCE), THEIRS);
	craft_expect_nothing(&c);
	wire_modify_state(&c.p.a, XRDMA_QPS_ERR);
	assert_int_equal(c.p.a.host->dev->parked_bytes, 0);
}

static void an_early_breach_fails_when_it_is_due(void **state)
{
	struct model_pkt pkt;
	struct craft c;

	begin(state, &c);
	pkt = craft_pkt(&c, MODEL_BTH_WRITE_LAST, THEIRS + 1);
	pkt.len = 1;
	assert_int_equal(craft_send(&c, &pkt, (const u8 *)"x"), MODEL_RX_OK);
	craft_expect_ack(&c, NAK(SEQUENCE), THEIRS);
	write_only(&c, THEIRS + 2, 3);
	write_only(&c, THEIRS, 1);
	craft_expect_ack(&c, NAK(INVALID), THEIRS + 1);
	craft_expect_nothing(&c);
	assert_int_equal(c.p.a_mem[0], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(one_packet_is_sent_to_a_peer_that_keeps, 2),
		WIRE_TEST(a_peer_that_keeps_may_miss_two_in_a_row, 2),
		WIRE_TEST(all_packets_are_sent_to_a_peer_that_drops, 2),
		WIRE_TEST(a_packet_that_was_only_late_tells_nothing, 2),
		WIRE_TEST(a_timeout_sends_all, 2),
		WIRE_TEST(a_read_in_flight_sends_all, 2),
		WIRE_TEST(the_window_grows_and_shrinks, 2),
		WIRE_TEST(early_packets_are_executed_in_order, 2),
		WIRE_TEST(each_gap_among_early_packets_gets_a_nak, 2),
		WIRE_TEST(an_early_read_gets_its_response, 2),
		WIRE_TEST(early_packets_are_limited, 2),
		WIRE_TEST(an_early_breach_fails_when_it_is_due, 2),
	};

	return cmocka_run_group_tests_name("lost packets", tests, NULL, NULL);
}
