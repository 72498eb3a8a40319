// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of packets that wait for a page, one by one: order, duplicates, missing
 * packets, and the limits. The test is the peer of the queue pair.
 */
#include <string.h>

#include "tests/lib/wire_craft.h"
#include "tests/lib/wire_paged.h"
#include "transport/parked.h"

#define ACK		(MODEL_AETH_ACK | MODEL_AETH_NO_CREDITS)
#define NAK(value)	(MODEL_AETH_NAK | MODEL_NAK_##value)
#define RNR		(MODEL_AETH_RNR | 12)
#define SIZE		0x200000U

/* Memory of a packet of write_at() that waits. */
#define WAITS	((u32)sizeof(struct model_parked_pkt) + 1)

/* PSN that the queue pair under test expects first, just before the wrap. */
#define PSN		(wire_defaults.psn ^ 0x55)

/* struct scene - a connection, and paged memory of the queue pair under test */
struct scene {
	struct craft c;
	struct paged paged;
	struct paged_region r;
};

static void begin(void **state, struct scene *s)
{
	memset(s, 0, sizeof(*s));
	craft_begin(state, &s->c, &wire_defaults);
	paged_start(s->c.p.a.host, &s->paged);
	paged_region(s->c.p.a.host, &s->r, 77, SIZE);
}

static u64 stat(const struct scene *s, enum xrdma_stat stat)
{
	return s->c.p.a.host->dev->stats[stat];
}

/* A WRITE of one byte to a position. */
static void write_at(struct scene *s, u32 psn, u64 pos, u8 value)
{
	struct model_pkt pkt = craft_pkt(&s->c, MODEL_BTH_WRITE_ONLY, psn);

	pkt.va = s->r.addr + pos;
	pkt.rkey = s->r.key;
	pkt.len = 1;
	pkt.dma_len = 1;
	pkt.ackreq = true;
	assert_int_equal(craft_send(&s->c, &pkt, &value), MODEL_RX_OK);
}

static void read_from(struct scene *s, u32 psn, u64 pos, u32 len)
{
	struct model_pkt pkt = craft_pkt(&s->c, MODEL_BTH_READ_REQUEST, psn);

	pkt.va = s->r.addr + pos;
	pkt.rkey = s->r.key;
	pkt.dma_len = len;
	assert_int_equal(craft_send(&s->c, &pkt, NULL), MODEL_RX_OK);
}

static void resume(struct scene *s, u64 pos)
{
	paged_serve(&s->paged, &s->r, pos, true);
}

static void packets_are_executed_in_order(void **state)
{
	struct scene s;
	u32 i;

	begin(state, &s);
	for (i = 0; i < 128; i++)
		write_at(&s, PSN + i, 0, i);
	craft_expect_nothing(&s.c);
	assert_int_equal(s.c.p.a.qp->tp->resp.parked.num, 128);
	resume(&s, 0);
	for (i = 0; i < 16 && craft_receive(&s.c); i++)
		assert_int_equal(s.c.pkt.syndrome, ACK);
	assert_int_equal(s.c.pkt.psn, (PSN + 127) & MODEL_PSN_MASK);
	assert_int_equal(s.c.pkt.msn, 128);
	assert_int_equal(s.r.mem[0], 127);
	craft_expect_nothing(&s.c);
	paged_expect_none(&s.paged);
}

/* Each page that misses stops the packets again, at the same place. */
static void packets_wait_again(void **state)
{
	struct scene s;

	begin(state, &s);
	write_at(&s, PSN, 0, 1);
	write_at(&s, PSN + 1, 0x1000, 2);
	write_at(&s, PSN + 2, 0, 3);
	resume(&s, 0);
	craft_expect_ack(&s.c, ACK, PSN);
	assert_int_equal(s.r.mem[0], 1);
	craft_expect_nothing(&s.c);
	assert_int_equal(s.c.p.a.host->dev->parked_bytes, 2 * WAITS);
	write_at(&s, PSN + 3, 0, 4);
	resume(&s, 0x1000);
	craft_expect_ack(&s.c, ACK, PSN + 3);
	assert_int_equal(s.r.mem[0x1000], 2);
	assert_int_equal(s.r.mem[0], 4);
	assert_int_equal(stat(&s, XRDMA_STAT_PAGE_WAITS), 2);
}

static void duplicates_of_packets_that_wait_are_dropped(void **state)
{
	struct scene s;

	begin(state, &s);
	paged_map(&s.r, 0x5000, 1, true);
	write_at(&s, PSN, 0x5000, 9);
	craft_expect_ack(&s.c, ACK, PSN);
	write_at(&s, PSN + 1, 0, 1);
	write_at(&s, PSN + 2, 1, 2);
	write_at(&s, PSN + 1, 0, 0x71);
	write_at(&s, PSN + 2, 1, 0x72);
	craft_expect_nothing(&s.c);
	assert_int_equal(s.c.p.a.qp->tp->resp.parked.num, 2);
	assert_int_equal(stat(&s, XRDMA_STAT_DUPLICATES), 2);
	/* a packet that has been executed is acknowledged again, and no more */
	write_at(&s, PSN, 0x5000, 0x70);
	craft_expect_ack(&s.c, ACK, PSN);
	resume(&s, 0);
	craft_expect_ack(&s.c, ACK, PSN + 2);
	assert_int_equal(s.r.mem[0], 1);
	assert_int_equal(s.r.mem[1], 2);
	craft_expect_nothing(&s.c);
}

/* A NAK for the missing packet would acknowledge those that wait. */
static void a_gap_gets_its_nak_after_the_wait(void **state)
{
	struct scene s;

	begin(state, &s);
	write_at(&s, PSN, 0, 1);
	write_at(&s, PSN + 1, 0, 2);
	write_at(&s, PSN + 3, 0, 4);
	write_at(&s, PSN + 4, 0, 5);
	craft_expect_nothing(&s.c);
	resume(&s, 0);
	craft_expect_ack(&s.c, ACK, PSN + 1);
	craft_expect_ack(&s.c, NAK(SEQUENCE), PSN + 2);
	craft_expect_nothing(&s.c);
	assert_int_equal(s.r.mem[0], 2);
	write_at(&s, PSN + 2, 0, 3);
	craft_expect_ack(&s.c, ACK, PSN + 4);
	assert_int_equal(s.r.mem[0], 5);
}

/* The missing packet arrives during the wait, and those after it are missing. */
static void a_gap_may_be_filled_during_the_wait(void **state)
{
	struct scene s;

	begin(state, &s);
	write_at(&s, PSN, 0, 1);
	write_at(&s, PSN + 2, 0, 3);
	write_at(&s, PSN + 1, 0, 2);
	assert_int_equal(s.c.p.a.qp->tp->resp.parked.num, 3);
	resume(&s, 0);
	craft_expect_ack(&s.c, ACK, PSN + 2);
	craft_expect_nothing(&s.c);
	assert_int_equal(s.r.mem[0], 3);
}

static void the_first_packet_without_room_gets_an_rnr_nak(void **state)
{
	struct scene s;
	u32 i;

	begin(state, &s);
	for (i = 0; i < MODEL_PARKED_MAX + 4; i++)
		write_at(&s, PSN + i, 0, i & 0x7f);
	assert_int_equal(s.c.p.a.qp->tp->resp.parked.num, MODEL_PARKED_MAX);
	craft_expect_nothing(&s.c);
	resume(&s, 0);
	for (i = 0; i < MODEL_PARKED_MAX / 16; i++) {
		assert_true(craft_receive(&s.c));
		if (s.c.pkt.syndrome != ACK)
			break;
	}
	assert_int_equal(s.c.pkt.syndrome, RNR);
	assert_int_equal(s.c.pkt.psn, (PSN + MODEL_PARKED_MAX) &
			 MODEL_PSN_MASK);
	craft_expect_nothing(&s.c);
	write_at(&s, PSN + MODEL_PARKED_MAX, 0, 0x33);
	craft_expect_ack(&s.c, ACK, PSN + MODEL_PARKED_MAX);
	assert_int_equal(s.r.mem[0], 0x33);
}

/* The packet without room comes again when there is room: no NAK is due. */
static void a_packet_may_find_room_later(void **state)
{
	struct scene s;
	u32 i;

	begin(state, &s);
	for (i = 0; i < MODEL_PARKED_MAX; i++)
		write_at(&s, PSN + i, i ? 0x1000 : 0, 1);
	write_at(&s, PSN + MODEL_PARKED_MAX, 0, 7);
	resume(&s, 0);
	craft_expect_ack(&s.c, ACK, PSN);
	write_at(&s, PSN + MODEL_PARKED_MAX, 0, 8);
	resume(&s, 0x1000);
	for (i = 0; i < MODEL_PARKED_MAX / 16 && craft_receive(&s.c); i++)
		assert_int_equal(s.c.pkt.syndrome, ACK);
	assert_int_equal(s.c.pkt.psn, (PSN + MODEL_PARKED_MAX) &
			 MODEL_PSN_MASK);
	assert_int_equal(s.r.mem[0], 8);
}

/* Let other queue pairs hold the memory of packets, but for @left bytes. */
static void leave(struct scene *s, u32 left)
{
	s->c.p.a.host->dev->parked_bytes = MODEL_PARKED_BYTES - left;
}

static void leave_of_pd(struct scene *s, u32 pd, u32 left)
{
	s->c.p.a.host->dev->parked_of_pd[pd] = MODEL_PARKED_BYTES_PD - left;
}

/* There is room for two of four packets. */
static void expect_two(struct scene *s)
{
	u32 i;

	for (i = 0; i < 4; i++)
		write_at(s, PSN + i, 0, i + 1);
	assert_int_equal(s->c.p.a.qp->tp->resp.parked.num, 2);
	craft_expect_nothing(&s->c);
	resume(s, 0);
	craft_expect_ack(&s->c, ACK, PSN + 1);
	craft_expect_ack(&s->c, RNR, PSN + 2);
	craft_expect_nothing(&s->c);
	assert_int_equal(s->r.mem[0], 2);
	write_at(s, PSN + 2, 0, 3);
	craft_expect_ack(&s->c, ACK, PSN + 2);
}

static void the_memory_of_a_device_is_limited(void **state)
{
	const struct model_device *dev;
	struct scene s;

	begin(state, &s);
	dev = s.c.p.a.host->dev;
	leave(&s, 3 * WAITS - 1);
	expect_two(&s);
	assert_int_equal(dev->parked_bytes, MODEL_PARKED_BYTES - 3 * WAITS + 1);
	assert_int_equal(dev->parked_of_pd[WIRE_PD], 0);
}

static void the_memory_of_a_protection_domain_is_limited(void **state)
{
	const struct model_device *dev;
	struct scene s;

	begin(state, &s);
	dev = s.c.p.a.host->dev;
	leave_of_pd(&s, WIRE_PD - 1, 0);
	leave_of_pd(&s, WIRE_PD, 2 * WAITS);
	expect_two(&s);
	assert_int_equal(dev->parked_bytes, 0);
	assert_int_equal(dev->parked_of_pd[WIRE_PD],
			 MODEL_PARKED_BYTES_PD - 2 * WAITS);
}

/* No packet of the queue pair can wait: one NAK follows the page. */
static void a_packet_without_any_room_gets_an_rnr_nak(void **state)
{
	struct scene s;

	begin(state, &s);
	leave(&s, WAITS - 1);
	s.r.mem[0] = 0x11;
	write_at(&s, PSN, 0, 1);
	write_at(&s, PSN + 1, 0, 2);
	assert_int_equal(s.c.p.a.qp->tp->resp.parked.num, 0);
	craft_expect_nothing(&s.c);
	resume(&s, 0);
	craft_expect_ack(&s.c, RNR, PSN);
	craft_expect_nothing(&s.c);
	assert_int_equal(s.r.mem[0], 0x11);
	write_at(&s, PSN, 0, 1);
	write_at(&s, PSN + 1, 0, 2);
	craft_expect_ack(&s.c, ACK, PSN + 1);
	assert_int_equal(s.r.mem[0], 2);
	paged_expect_none(&s.paged);
}

static void a_queue_pair_that_stops_gives_the_memory_back(void **state)
{
	const struct model_device *dev;
	struct scene s;

	begin(state, &s);
	dev = s.c.p.a.host->dev;
	write_at(&s, PSN, 0, 1);
	write_at(&s, PSN + 1, 0, 2);
	assert_int_equal(dev->parked_bytes, 2 * WAITS);
	assert_int_equal(dev->parked_of_pd[WIRE_PD], 2 * WAITS);
	wire_modify_state(&s.c.p.a, XRDMA_QPS_ERR);
	assert_int_equal(dev->parked_bytes, 0);
	assert_int_equal(dev->parked_of_pd[WIRE_PD], 0);
}

/* A READ that waits behind a WRITE takes as many PSNs as it has responses. */
static void a_read_that_waits_takes_its_psns(void **state)
{
	struct scene s;

	begin(state, &s);
	write_at(&s, PSN, 0, 0x44);
	read_from(&s, PSN + 1, 0, 3000);
	write_at(&s, PSN + 4, 1, 0x45);
	assert_int_equal(s.c.p.a.qp->tp->resp.parked.num, 3);
	resume(&s, 0);
	craft_expect_ack(&s.c, ACK, PSN);
	craft_expect(&s.c, MODEL_BTH_READ_RESP_FIRST, PSN + 1);
	assert_int_equal(s.c.data[0], 0x44);
	craft_expect(&s.c, MODEL_BTH_READ_RESP_MIDDLE, PSN + 2);
	craft_expect(&s.c, MODEL_BTH_READ_RESP_LAST, PSN + 3);
	craft_expect_ack(&s.c, ACK, PSN + 4);
	craft_expect_nothing(&s.c);
}

static void a_duplicate_read_joins_the_one_that_waits(void **state)
{
	struct scene s;

	begin(state, &s);
	read_from(&s, PSN, 0, 2000);
	craft_turn(&s.c);
	read_from(&s, PSN, 0, 2000);
	read_from(&s, PSN + 1, 1024, 976);
	craft_expect_nothing(&s.c);
	paged_serve(&s.paged, &s.r, 0, false);
	craft_expect(&s.c, MODEL_BTH_READ_RESP_FIRST, PSN);
	craft_expect(&s.c, MODEL_BTH_READ_RESP_LAST, PSN + 1);
	assert_memory_equal(s.c.data, s.r.mem + 1024, 976);
	craft_expect_nothing(&s.c);
	paged_expect_none(&s.paged);
}

/* Nobody who may not access can cause a page fault. */
static void a_refused_access_raises_no_page_fault(void **state)
{
	struct model_pkt pkt;
	struct scene s;
	u8 byte = 1;

	begin(state, &s);
	pkt = craft_pkt(&s.c, MODEL_BTH_WRITE_ONLY, PSN);
	pkt.va = s.r.addr + SIZE;
	pkt.rkey = s.r.key;
	pkt.len = 1;
	pkt.dma_len = 1;
	craft_send(&s.c, &pkt, &byte);
	craft_expect_ack(&s.c, NAK(ACCESS), PSN);
	paged_expect_none(&s.paged);
}

/* Packets after one that is refused are not executed. */
static void a_refusal_drops_the_packets_behind(void **state)
{
	struct scene s;

	begin(state, &s);
	paged_map(&s.r, 0x1000, 1, true);
	s.r.mem[0x1000] = 0x11;
	write_at(&s, PSN, 0, 1);
	write_at(&s, PSN + 1, 0x1000, 2);
	paged_answer(&s.paged, paged_expect(&s.paged, &s.r, 0, true),
		     XRDMA_RESUME_REFUSE);
	craft_expect_ack(&s.c, NAK(ACCESS), PSN);
	craft_expect_nothing(&s.c);
	assert_int_equal(s.r.mem[0x1000], 0x11);
	assert_int_equal(s.c.p.a.qp->state, XRDMA_QPS_ERR);
}

static void respond(struct scene *s, u8 opcode, u32 psn, u32 offset, u32 len)
{
	struct model_pkt pkt = craft_pkt(&s->c, opcode, psn);

	pkt.len = len;
	craft_send(&s->c, &pkt, s->c.p.b_mem + offset);
	craft_turn(&s->c);
}

/*
 * The memory of a READ is lost before its first response arrives. The responses
 * to the first request cause no further request, whenever they arrive.
 */
static void a_dropped_response_is_requested_once(void **state)
{
	u32 psn = wire_defaults.psn;
	struct xrdma_cqe cqe;
	struct scene s;

	begin(state, &s);
	paged_map(&s.r, 0, 4096, true);
	wire_post_signaled(&s.c.p.a, XRDMA_OP_READ, 1,
			   wire_sge(s.r.addr, 3000, s.r.key), s.c.p.b_buf,
			   s.c.p.b_key);
	craft_expect(&s.c, MODEL_BTH_READ_REQUEST, psn);
	paged_unmap(&s.r, 0, 4096);
	respond(&s, MODEL_BTH_READ_RESP_FIRST, psn, 0, 1024);
	respond(&s, MODEL_BTH_READ_RESP_MIDDLE, psn + 1, 1024, 1024);
	craft_expect_nothing(&s.c);
	resume(&s, 0);
	craft_expect(&s.c, MODEL_BTH_READ_REQUEST, psn);
	assert_int_equal(s.c.pkt.dma_len, 3000);
	respond(&s, MODEL_BTH_READ_RESP_LAST, psn + 2, 2048, 952);
	craft_expect_nothing(&s.c);
	respond(&s, MODEL_BTH_READ_RESP_FIRST, psn, 0, 1024);
	respond(&s, MODEL_BTH_READ_RESP_MIDDLE, psn + 1, 1024, 1024);
	respond(&s, MODEL_BTH_READ_RESP_LAST, psn + 2, 2048, 952);
	assert_true(wire_poll_cq(&s.c.p.a.send_cq, &cqe));
	assert_int_equal(cqe.status, XRDMA_WC_SUCCESS);
	assert_memory_equal(s.r.mem, s.c.p.b_mem, 3000);
	assert_int_equal(stat(&s, XRDMA_STAT_RETRANSMITS), 0);
	craft_expect_nothing(&s.c);
}

/* Let time pass for the queue pair under test: 300 ms, more than its timeout */
static void pass_time(struct scene *s)
{
	struct model_loop *loop = s->c.env->loop;
	u64 end = model_loop_now(loop) + 300 * WIRE_MS;

	while (fake_loop_next(loop) <= end) {
		fake_loop_advance(loop, fake_loop_next(loop));
		craft_turn(&s->c);
	}
	fake_loop_advance(loop, end);
}

/* An acknowledgment arrives while the send queue is stopped. */
static void an_ack_does_not_start_the_timeout(void **state)
{
	u32 psn = wire_defaults.psn;
	struct scene s;
	u32 i;

	begin(state, &s);
	paged_map(&s.r, 0, 4096, false);
	for (i = 0; i < 3; i++)
		wire_post_signaled(&s.c.p.a, XRDMA_OP_WRITE, i,
				   wire_sge(s.r.addr + 2048 * i, 8, s.r.key),
				   s.c.p.b_buf, s.c.p.b_key);
	craft_expect(&s.c, MODEL_BTH_WRITE_ONLY, psn);
	craft_expect(&s.c, MODEL_BTH_WRITE_ONLY, psn + 1);
	craft_expect_nothing(&s.c);
	respond(&s, MODEL_BTH_ACK, psn, 0, 0);
	pass_time(&s);
	craft_expect_nothing(&s.c);
	assert_int_equal(stat(&s, XRDMA_STAT_ACK_TIMEOUTS), 0);
	paged_serve(&s.paged, &s.r, 4096, false);
	craft_expect(&s.c, MODEL_BTH_WRITE_ONLY, psn + 2);
	pass_time(&s);
	craft_expect(&s.c, MODEL_BTH_WRITE_ONLY, psn + 1);
	assert_int_equal(stat(&s, XRDMA_STAT_ACK_TIMEOUTS), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(packets_are_executed_in_order, 2),
		WIRE_TEST(packets_wait_again, 2),
		WIRE_TEST(duplicates_of_packets_that_wait_are_dropped, 2),
		WIRE_TEST(a_gap_gets_its_nak_after_the_wait, 2),
		WIRE_TEST(a_gap_may_be_filled_during_the_wait, 2),
		WIRE_TEST(the_first_packet_without_room_gets_an_rnr_nak, 2),
		WIRE_TEST(a_packet_may_find_room_later, 2),
		WIRE_TEST(the_memory_of_a_device_is_limited, 2),
		WIRE_TEST(the_memory_of_a_protection_domain_is_limited, 2),
		WIRE_TEST(a_packet_without_any_room_gets_an_rnr_nak, 2),
		WIRE_TEST(a_queue_pair_that_stops_gives_the_memory_back, 2),
		WIRE_TEST(a_read_that_waits_takes_its_psns, 2),
		WIRE_TEST(a_duplicate_read_joins_the_one_that_waits, 2),
		WIRE_TEST(a_refused_access_raises_no_page_fault, 2),
		WIRE_TEST(a_refusal_drops_the_packets_behind, 2),
		WIRE_TEST(a_dropped_response_is_requested_once, 2),
		WIRE_TEST(an_ack_does_not_start_the_timeout, 2),
	};

	return cmocka_run_group_tests_name("packets that wait", tests, NULL,
					   NULL);
}
