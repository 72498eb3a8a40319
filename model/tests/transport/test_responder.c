// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the responder, packet by packet: order, duplicates, NAKs, executed
 * and refused requests. The test is the requester.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/lib/wire_craft.h"

#define ACK		(MODEL_AETH_ACK | MODEL_AETH_NO_CREDITS)
#define NAK(value)	(MODEL_AETH_NAK | MODEL_NAK_##value)
#define MTU		1024

/* PSN that the queue pair under test expects first, just before the wrap. */
#define PSN		(wire_defaults.psn ^ 0x55)

static void begin(void **state, struct craft *c)
{
	craft_begin(state, c, &wire_defaults);
}

static void write_only(struct craft *c, u32 psn, u8 value, bool ackreq)
{
	struct model_pkt pkt = craft_pkt(c, MODEL_BTH_WRITE_ONLY, psn);

	pkt.len = 1;
	pkt.dma_len = 1;
	pkt.ackreq = ackreq;
	assert_int_equal(craft_send(c, &pkt, &value), MODEL_RX_OK);
}

static void acks_come_when_asked_for_and_together(void **state)
{
	struct craft c;
	u32 i;

	begin(state, &c);
	write_only(&c, PSN, 1, false);
	craft_expect_nothing(&c);
	write_only(&c, PSN + 1, 2, true);
	craft_expect_ack(&c, ACK, PSN + 1);
	assert_int_equal(c.pkt.msn, 2);
	assert_int_equal(c.p.a_mem[0], 2);
	for (i = 2; i < 40; i++)
		write_only(&c, PSN + i, i, true);
	craft_expect_ack(&c, ACK, PSN + 39);
	assert_int_equal(c.pkt.msn, 40);
	craft_expect_nothing(&c);
}

static void a_gap_gets_one_nak(void **state)
{
	struct craft c;

	begin(state, &c);
	write_only(&c, PSN, 1, true);
	craft_expect_ack(&c, ACK, PSN);
	write_only(&c, PSN + 2, 3, true);
	write_only(&c, PSN + 3, 4, true);
	craft_expect_ack(&c, NAK(SEQUENCE), PSN + 1);
	craft_expect_nothing(&c);
	assert_int_equal(c.p.a_mem[0], 1);
	/* the expected packet ends the gap; the next gap gets another NAK */
	write_only(&c, PSN + 1, 2, true);
	craft_expect_ack(&c, ACK, PSN + 3);
	assert_int_equal(c.p.a_mem[0], 4);
	write_only(&c, PSN + 5, 6, true);
	craft_expect_ack(&c, NAK(SEQUENCE), PSN + 4);
	assert_int_equal(c.p.a_mem[0], 4);
	assert_int_equal(c.p.a.host->dev->stats[XRDMA_STAT_OUT_OF_SEQUENCE],
			 3);
}

static void duplicates_are_acknowledged_but_not_executed(void **state)
{
	struct xrdma_cqe cqe;
	struct xrdma_sge sge;
	struct model_pkt pkt;
	struct craft c;

	begin(state, &c);
	sge = wire_sge(c.p.a_buf, 100, c.p.a_key);
	wire_post_recv(&c.p.a, 1, &sge, 1);
	wire_post_recv(&c.p.a, 2, &sge, 1);
	pkt = craft_pkt(&c, MODEL_BTH_SEND_ONLY, PSN);
	pkt.len = 3;
	pkt.ackreq = true;
	craft_send(&c, &pkt, (const u8 *)"one");
	write_only(&c, PSN + 1, 0x55, false);
	craft_expect_ack(&c, ACK, PSN);
	craft_send(&c, &pkt, (const u8 *)"two");
	/* the ACK has the PSN of the last packet, not of the duplicate */
	craft_expect_ack(&c, ACK, PSN + 1);
	assert_int_equal(c.pkt.msn, 2);
	assert_memory_equal(c.p.a_mem + 1, "ne", 2);
	assert_true(wire_poll_cq(&c.p.a.recv_cq, &cqe));
	assert_false(wire_poll_cq(&c.p.a.recv_cq, &cqe));
	assert_int_equal(c.p.a.host->dev->stats[XRDMA_STAT_DUPLICATES], 1);
}

static void fetch_add(struct craft *c, u32 psn)
{
	struct model_pkt pkt = craft_pkt(c, MODEL_BTH_FETCH_ADD, psn);

	pkt.swap_add = 1;
	assert_int_equal(craft_send(c, &pkt, NULL), MODEL_RX_OK);
}

static void duplicate_atomics_get_the_first_result(void **state)
{
	struct craft c;
	u32 i;

	begin(state, &c);
	*(u64 *)c.p.a_mem = 100;
	for (i = 0; i < 17; i++) {
		fetch_add(&c, PSN + i);
		craft_expect(&c, MODEL_BTH_ATOMIC_ACK, PSN + i);
		assert_true(c.pkt.orig == 100 + i);
		assert_int_equal(c.pkt.msn, i + 1);
	}
	for (i = 1; i < 17; i++) {
		fetch_add(&c, PSN + i);
		craft_expect(&c, MODEL_BTH_ATOMIC_ACK, PSN + i);
		assert_true(c.pkt.orig == 100 + i);
	}
	/* only 16 of the 17 requests are recorded */
	fetch_add(&c, PSN);
	craft_expect_nothing(&c);
	assert_true(*(u64 *)c.p.a_mem == 117);
}

/* The address is aligned, its memory is not: the atomic is refused. */
static void an_atomic_must_be_aligned_in_memory(void **state)
{
	struct xrdma_mpt_entry *e;
	struct craft c;
	u32 index;

	begin(state, &c);
	memset(c.p.a_mem, 0, 64);
	index = xrdma_key_index(c.p.a_key);
	e = wire_ptr(c.p.a.host, c.p.a.host->mpt);
	e[index].offset = cpu_to_le32(le32_to_cpu(e[index].offset) + 4);
	fetch_add(&c, PSN);
	craft_expect_ack(&c, NAK(INVALID), PSN);
	assert_int_equal(c.p.a_mem[4], 0);
}

static void read_request(struct craft *c, u32 psn, u32 offset, u32 len)
{
	struct model_pkt pkt = craft_pkt(c, MODEL_BTH_READ_REQUEST, psn);

	pkt.va += offset;
	pkt.dma_len = len;
	assert_int_equal(craft_send(c, &pkt, NULL), MODEL_RX_OK);
}

static void expect_data(struct craft *c, u8 opcode, u32 psn, u32 offset,
			u32 len)
{
	craft_expect(c, opcode, psn);
	assert_int_equal(c->pkt.len, len);
	assert_memory_equal(c->data, c->p.a_mem + offset, len);
}

static void reads_take_one_psn_per_response(void **state)
{
	struct craft c;

	begin(state, &c);
	read_request(&c, PSN, 10, 2500);
	read_request(&c, PSN + 3, 0, 1024);
	read_request(&c, PSN + 4, 0, 0);
	write_only(&c, PSN + 5, c.p.a_mem[0], true);
	expect_data(&c, MODEL_BTH_READ_RESP_FIRST, PSN, 10, MTU);
	assert_int_equal(c.pkt.syndrome, ACK);
	assert_int_equal(c.pkt.msn, 1);
	expect_data(&c, MODEL_BTH_READ_RESP_MIDDLE, PSN + 1, 1034, MTU);
	expect_data(&c, MODEL_BTH_READ_RESP_LAST, PSN + 2, 2058, 452);
	expect_data(&c, MODEL_BTH_READ_RESP_ONLY, PSN + 3, 0, 1024);
	expect_data(&c, MODEL_BTH_READ_RESP_ONLY, PSN + 4, 0, 0);
	craft_expect_ack(&c, ACK, PSN + 5);
	assert_int_equal(c.pkt.msn, 4);
}

/* A duplicate SEND must not acknowledge a READ whose data may be lost. */
static void a_duplicate_acknowledges_no_read_behind_it(void **state)
{
	struct craft c;
	u32 i;

	begin(state, &c);
	write_only(&c, PSN, 1, true);
	write_only(&c, PSN + 1, 1, false);
	read_request(&c, PSN + 2, 0, 2 * MTU);
	write_only(&c, PSN + 4, 1, false);
	fetch_add(&c, PSN + 5);
	craft_expect_ack(&c, ACK, PSN);
	for (i = 2; i < 4; i++)
		assert_true(craft_receive(&c));
	craft_expect(&c, MODEL_BTH_ATOMIC_ACK, PSN + 5);
	/* all of these answers are lost, and the peer sends again */
	write_only(&c, PSN, 2, true);
	craft_expect_ack(&c, ACK, PSN + 1);
	write_only(&c, PSN + 1, 2, true);
	craft_expect_ack(&c, ACK, PSN + 1);
	write_only(&c, PSN + 4, 2, true);
	craft_expect_ack(&c, ACK, PSN + 4);
	/* a queued ACK of a later packet is not replaced by an earlier one */
	write_only(&c, PSN + 6, 3, true);
	write_only(&c, PSN, 2, true);
	craft_expect_ack(&c, ACK, PSN + 6);
	craft_expect_nothing(&c);
}

static void duplicate_reads_are_read_again(void **state)
{
	struct craft c;

	begin(state, &c);
	read_request(&c, PSN, 0, 3000);
	craft_expect(&c, MODEL_BTH_READ_RESP_FIRST, PSN);
	craft_expect(&c, MODEL_BTH_READ_RESP_MIDDLE, PSN + 1);
	craft_expect(&c, MODEL_BTH_READ_RESP_LAST, PSN + 2);
	wire_fill(c.p.a_mem, 3000, 77);
	read_request(&c, PSN, 0, 3000);
	expect_data(&c, MODEL_BTH_READ_RESP_FIRST, PSN, 0, MTU);
	expect_data(&c, MODEL_BTH_READ_RESP_MIDDLE, PSN + 1, MTU, MTU);
	expect_data(&c, MODEL_BTH_READ_RESP_LAST, PSN + 2, 2 * MTU, 952);
	/* request of the missing part only */
	read_request(&c, PSN + 1, MTU, 3000 - MTU);
	expect_data(&c, MODEL_BTH_READ_RESP_FIRST, PSN + 1, MTU, MTU);
	expect_data(&c, MODEL_BTH_READ_RESP_LAST, PSN + 2, 2 * MTU, 952);
	read_request(&c, PSN + 2, 2 * MTU, 952);
	expect_data(&c, MODEL_BTH_READ_RESP_ONLY, PSN + 2, 2 * MTU, 952);
	/* longer than the original: would use PSNs of later requests */
	read_request(&c, PSN + 2, 2 * MTU, MTU + 1);
	/* no READ had this PSN */
	read_request(&c, PSN - 1, 0, 8);
	craft_expect_nothing(&c);
	assert_int_equal(c.p.a.qp->state, XRDMA_QPS_RTS);
}

/* The peer repeats a READ whose responses are still queued. */
static void a_read_that_waits_is_answered_once(void **state)
{
	struct craft c;
	u32 i;

	begin(state, &c);
	read_request(&c, PSN, 0, 100 * MTU);
	read_request(&c, PSN, 0, 100 * MTU);
	read_request(&c, PSN + 50, 50 * MTU, 50 * MTU);
	for (i = 0; i < 100; i++)
		assert_true(craft_receive(&c));
	assert_int_equal(c.pkt.opcode, MODEL_BTH_READ_RESP_LAST);
	craft_expect_nothing(&c);
}

static void rnr_nak_asks_for_the_same_packet_again(void **state)
{
	struct xrdma_sge sge;
	struct model_pkt pkt;
	struct craft c;

	begin(state, &c);
	pkt = craft_pkt(&c, MODEL_BTH_SEND_ONLY, PSN);
	pkt.ackreq = true;
	pkt.len = 5;
	craft_send(&c, &pkt, (const u8 *)"hello");
	write_only(&c, PSN + 1, 1, true);	/* dropped without a NAK */
	craft_expect_ack(&c, MODEL_AETH_RNR | 12, PSN);
	craft_expect_nothing(&c);
	sge = wire_sge(c.p.a_buf + 100, 5, c.p.a_key);
	wire_post_recv(&c.p.a, 1, &sge, 1);
	craft_send(&c, &pkt, (const u8 *)"hello");
	write_only(&c, PSN + 1, 1, true);
	craft_expect_ack(&c, ACK, PSN + 1);
	assert_memory_equal(c.p.a_mem + 100, "hello", 5);
}

/*
 * A packet that breaks a rule. @first is the opcode of a valid full packet
 * before it, or 0xff if there is none.
 */
struct breach {
	const char *name;
	u8 first;
	u8 opcode;
	u32 len;
	u32 dma_len;
	u32 first_dma_len;
};

static const struct breach breaches[] = {
	{ "SEND MIDDLE without FIRST", 0xff, MODEL_BTH_SEND_MIDDLE, MTU, 0, 0 },
	{ "SEND LAST without FIRST", 0xff, MODEL_BTH_SEND_LAST, 1, 0, 0 },
	{ "WRITE MIDDLE without FIRST", 0xff, MODEL_BTH_WRITE_MIDDLE, MTU, 0,
	  0 },
	{ "WRITE LAST IMM without FIRST", 0xff, MODEL_BTH_WRITE_LAST_IMM, 1, 0,
	  0 },
	{ "SEND FIRST in a SEND", MODEL_BTH_SEND_FIRST, MODEL_BTH_SEND_FIRST,
	  MTU, 0, 0 },
	{ "SEND ONLY in a SEND", MODEL_BTH_SEND_FIRST, MODEL_BTH_SEND_ONLY, 1,
	  0, 0 },
	{ "WRITE LAST in a SEND", MODEL_BTH_SEND_FIRST, MODEL_BTH_WRITE_LAST,
	  1, 0, 0 },
	{ "SEND LAST in a WRITE", MODEL_BTH_WRITE_FIRST, MODEL_BTH_SEND_LAST,
	  1, 0, 2000 },
	{ "READ in a WRITE", MODEL_BTH_WRITE_FIRST, MODEL_BTH_READ_REQUEST, 0,
	  8, 2000 },
	{ "atomic in a SEND", MODEL_BTH_SEND_FIRST, MODEL_BTH_FETCH_ADD, 0, 0,
	  0 },
	{ "SEND FIRST not full", 0xff, MODEL_BTH_SEND_FIRST, MTU - 4, 0, 0 },
	{ "SEND MIDDLE not full", MODEL_BTH_SEND_FIRST, MODEL_BTH_SEND_MIDDLE,
	  4, 0, 0 },
	{ "SEND LAST empty", MODEL_BTH_SEND_FIRST, MODEL_BTH_SEND_LAST, 0, 0,
	  0 },
	{ "SEND ONLY longer than MTU", 0xff, MODEL_BTH_SEND_ONLY, MTU + 1, 0,
	  0 },
	{ "WRITE ONLY longer than announced", 0xff, MODEL_BTH_WRITE_ONLY, 9,
	  8, 0 },
	{ "WRITE ONLY shorter than announced", 0xff, MODEL_BTH_WRITE_ONLY, 7,
	  8, 0 },
	{ "WRITE FIRST of a whole message", 0xff, MODEL_BTH_WRITE_FIRST, MTU,
	  MTU, 0 },
	{ "WRITE LAST longer than announced", MODEL_BTH_WRITE_FIRST,
	  MODEL_BTH_WRITE_LAST, 2, 0, MTU + 1 },
	{ "WRITE LAST shorter than announced", MODEL_BTH_WRITE_FIRST,
	  MODEL_BTH_WRITE_LAST, 1, 0, MTU + 2 },
	{ "WRITE MIDDLE at the end", MODEL_BTH_WRITE_FIRST,
	  MODEL_BTH_WRITE_MIDDLE, MTU, 0, 2 * MTU },
	{ "WRITE of more than 2^31", 0xff, MODEL_BTH_WRITE_FIRST, MTU,
	  0x80000001, 0 },
	{ "READ of more than 2^31", 0xff, MODEL_BTH_READ_REQUEST, 0,
	  0x80000001, 0 },
	{ "FLUSH of nothing", 0xff, MODEL_BTH_FLUSH, 0, 8, 0 },
	{ "ATOMIC WRITE of 7 bytes", 0xff, MODEL_BTH_ATOMIC_WRITE, 7, 8, 0 },
};

static void check_breach(void **state, const struct breach *b)
{
	struct xrdma_sge sge;
	struct model_pkt pkt;
	struct craft c;
	u32 psn = PSN;

	begin(state, &c);
	sge = wire_sge(c.p.a_buf, WIRE_BUF_SIZE, c.p.a_key);
	wire_post_recv(&c.p.a, 1, &sge, 1);
	if (b->first != 0xff) {
		pkt = craft_pkt(&c, b->first, psn++);
		pkt.len = MTU;
		pkt.dma_len = b->first_dma_len;
		assert_int_equal(craft_send(&c, &pkt, NULL), MODEL_RX_OK);
	}
	pkt = craft_pkt(&c, b->opcode, psn);
	pkt.len = b->len;
	pkt.dma_len = b->dma_len;
	assert_int_equal(craft_send(&c, &pkt, NULL), MODEL_RX_OK);
	craft_expect_ack(&c, NAK(INVALID), psn);
	craft_expect_nothing(&c);
	assert_int_equal(c.p.a.qp->state, XRDMA_QPS_ERR);
	/* in ERR all packets are dropped */
	assert_int_equal(craft_send(&c, &pkt, NULL), MODEL_RX_STATE);
}

static void breaches_get_an_invalid_request_nak(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(breaches); i++) {
		void *env = NULL;

		print_message("  %s\n", breaches[i].name);
		wire_setup_2(&env);
		check_breach(&env, &breaches[i]);
		assert_int_equal(wire_teardown(&env), 0);
	}
}

/* The NAK waits until a READ before it has been answered. */
static void a_fatal_nak_leaves_in_its_turn(void **state)
{
	struct model_pkt pkt;
	struct craft c;
	u32 i;

	begin(state, &c);
	read_request(&c, PSN, 0, 100 * MTU);
	pkt = craft_pkt(&c, MODEL_BTH_SEND_LAST, PSN + 100);
	pkt.len = 1;
	craft_send(&c, &pkt, NULL);
	assert_int_equal(c.p.a.qp->state, XRDMA_QPS_RTS);
	assert_int_equal(craft_send(&c, &pkt, NULL), MODEL_RX_STATE);
	for (i = 0; i < 100; i++)
		assert_true(craft_receive(&c));
	assert_int_equal(c.pkt.opcode, MODEL_BTH_READ_RESP_LAST);
	craft_expect_ack(&c, NAK(INVALID), PSN + 100);
	assert_int_equal(c.p.a.qp->state, XRDMA_QPS_ERR);
}

/* Other queue pairs are answered between the packets of a long READ. */
static void a_long_read_does_not_block(void **state)
{
	struct craft c;

	begin(state, &c);
	read_request(&c, PSN, 0, WIRE_BUF_SIZE);
	model_device_poll(c.p.a.host->dev);
	assert_true(c.p.a.host->dev->wire->tx_frames <= MODEL_WIRE_BUDGET);
	while (craft_receive(&c))
		;
	assert_int_equal(c.pkt.opcode, MODEL_BTH_READ_RESP_LAST);
	assert_int_equal(c.pkt.psn,
			 (PSN + WIRE_BUF_SIZE / MTU - 1) & 0xffffff);
}

/* In RTR a queue pair answers requests, including READs. */
static void rtr_answers(void **state)
{
	struct craft c;

	begin(state, &c);
	wire_modify_state(&c.p.a, XRDMA_QPS_RESET);
	wire_connect_one(&c.p.a, &c.p.b, &wire_defaults, 1, PSN);
	c.p.a.qp->state = XRDMA_QPS_RTR;
	read_request(&c, PSN, 0, 8);
	craft_expect(&c, MODEL_BTH_READ_RESP_ONLY, PSN);
	write_only(&c, PSN + 1, 1, true);
	craft_expect_ack(&c, ACK, PSN + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(acks_come_when_asked_for_and_together, 2),
		WIRE_TEST(a_gap_gets_one_nak, 2),
		WIRE_TEST(duplicates_are_acknowledged_but_not_executed, 2),
		WIRE_TEST(duplicate_atomics_get_the_first_result, 2),
		WIRE_TEST(an_atomic_must_be_aligned_in_memory, 2),
		WIRE_TEST(reads_take_one_psn_per_response, 2),
		WIRE_TEST(a_duplicate_acknowledges_no_read_behind_it, 2),
		WIRE_TEST(duplicate_reads_are_read_again, 2),
		WIRE_TEST(a_read_that_waits_is_answered_once, 2),
		WIRE_TEST(rnr_nak_asks_for_the_same_packet_again, 2),
		cmocka_unit_test(breaches_get_an_invalid_request_nak),
		WIRE_TEST(a_fatal_nak_leaves_in_its_turn, 2),
		WIRE_TEST(a_long_read_does_not_block, 2),
		WIRE_TEST(rtr_answers, 2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
