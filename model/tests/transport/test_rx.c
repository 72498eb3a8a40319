// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of received frames: accepted ones, valid frames that do not fit their
 * queue pair, and random packets. The test is the far end of the wire.
 * Malformed frames are in test_malformed.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "packet/icrc.h"
#include "tests/lib/wire_craft.h"
#include "transport/rx.h"

#define PSN	(wire_defaults.psn ^ 0x55)

/* State that a dropped frame must not change. */
struct snapshot {
	struct model_requester req;
	u32 psn;
	u32 msn;
	u16 message;
	bool nak_sent;
	u8 state;
	u64 answers;
	u8 mem[4096];
};

static void take_snapshot(struct craft *c, struct snapshot *s)
{
	memset(s, 0, sizeof(*s));
	s->req = c->p.a.qp->tp->req;
	s->psn = c->p.a.qp->tp->resp.psn;
	s->msn = c->p.a.qp->tp->resp.msn;
	s->message = c->p.a.qp->tp->resp.message;
	s->nak_sent = c->p.a.qp->tp->resp.nak_sent;
	s->state = c->p.a.qp->state;
	s->answers = c->p.a.host->dev->wire->tx_frames;
	memcpy(s->mem, c->p.a_mem, sizeof(s->mem));
}

static struct model_pkt good_pkt(const struct craft *c)
{
	struct model_pkt pkt = craft_pkt(c, MODEL_BTH_WRITE_ONLY, PSN);

	pkt.len = 6;
	pkt.dma_len = 6;
	pkt.ackreq = true;
	return pkt;
}

static u32 good_frame(const struct craft *c, u8 *frame)
{
	struct model_pkt pkt = good_pkt(c);

	return craft_frame(c, &pkt, (const u8 *)"hello!", frame);
}

/* Receive a copy on the heap, so that ASan finds reads past its end. */
static enum model_rx receive(struct craft *c, const u8 *frame, u32 len)
{
	u8 *copy = malloc(len ? len : 1);
	enum model_rx rx;

	memcpy(copy, frame, len);
	rx = model_rx_frame(c->p.a.host->dev, copy, len);
	free(copy);
	return rx;
}

static void must_be_dropped(struct craft *c, const u8 *frame, u32 len,
			    enum model_rx why)
{
	struct model_device *dev = c->p.a.host->dev;
	u64 dropped = dev->stats[XRDMA_STAT_RX_DROPPED];
	struct snapshot before, after;
	u64 count;
	enum model_rx rx;

	take_snapshot(c, &before);
	count = dev->wire->rx_frames[why];
	rx = receive(c, frame, len);
	craft_turn(c);
	take_snapshot(c, &after);
	if (rx != why)
		fail_msg("%s, wanted %s", model_rx_name(rx),
			 model_rx_name(why));
	assert_int_equal(dev->wire->rx_frames[why], count + 1);
	assert_int_equal(dev->stats[XRDMA_STAT_RX_DROPPED], dropped + 1);
	assert_memory_equal(&before, &after, sizeof(before));
}

static void a_good_frame_is_accepted(void **state)
{
	u8 frame[256];
	struct craft c;
	u32 len;

	craft_begin(state, &c, &wire_defaults);
	len = good_frame(&c, frame);
	assert_int_equal(receive(&c, frame, len), MODEL_RX_OK);
	assert_memory_equal(c.p.a_mem, "hello!", 6);
	craft_expect_ack(&c, MODEL_AETH_NO_CREDITS, PSN);
}

/* Wrong fields of the transport header, with a valid ICRC. */
static void wrong_packets_are_dropped(void **state)
{
	struct model_pkt pkt;
	u8 frame[8192];
	struct craft c;

	craft_begin(state, &c, &wire_defaults);

	pkt = good_pkt(&c);
	pkt.dqpn = 0xabcdef;
	must_be_dropped(&c, frame, craft_frame(&c, &pkt, NULL, frame),
			MODEL_RX_QPN);
	pkt.dqpn = 0;
	must_be_dropped(&c, frame, craft_frame(&c, &pkt, NULL, frame),
			MODEL_RX_QPN);
	pkt = good_pkt(&c);
	pkt.pkey = 0x1234;
	must_be_dropped(&c, frame, craft_frame(&c, &pkt, NULL, frame),
			MODEL_RX_PKEY);
	pkt = good_pkt(&c);
	pkt.opcode |= MODEL_BTH_UC;
	must_be_dropped(&c, frame, craft_frame(&c, &pkt, NULL, frame),
			MODEL_RX_TRANSPORT);
	pkt = craft_pkt(&c, MODEL_BTH_UD | MODEL_BTH_SEND_ONLY, PSN);
	must_be_dropped(&c, frame, craft_frame(&c, &pkt, NULL, frame),
			MODEL_RX_TRANSPORT);
	pkt = craft_pkt(&c, MODEL_BTH_XRC | MODEL_BTH_SEND_ONLY, PSN);
	must_be_dropped(&c, frame, craft_frame(&c, &pkt, NULL, frame),
			MODEL_RX_TRANSPORT);
	pkt = good_pkt(&c);
	pkt.opcode = 0x1b;
	must_be_dropped(&c, frame, craft_frame(&c, &pkt, NULL, frame),
			MODEL_RX_OPCODE);
	pkt = craft_pkt(&c, MODEL_BTH_ACK, wire_defaults.psn);
	must_be_dropped(&c, frame, craft_frame(&c, &pkt, NULL, frame),
			MODEL_RX_UNEXPECTED);
}

/* Ethernet pads short frames: bytes after the IP packet are ignored. */
static void padding_of_ethernet_is_ignored(void **state)
{
	u8 frame[256];
	struct craft c;
	u32 len;

	craft_begin(state, &c, &wire_defaults);
	len = good_frame(&c, frame);
	memset(frame + len, 0xff, 30);
	assert_int_equal(receive(&c, frame, len + 30), MODEL_RX_OK);
	assert_memory_equal(c.p.a_mem, "hello!", 6);
}

static void states_that_do_not_receive_drop(void **state)
{
	struct model_pkt ack;
	u8 frame[256], ack_frame[256];
	struct craft c;
	u32 len, ack_len;

	craft_begin(state, &c, &wire_defaults);
	len = good_frame(&c, frame);
	ack = craft_pkt(&c, MODEL_BTH_ACK, 0);
	ack_len = craft_frame(&c, &ack, NULL, ack_frame);
	c.p.a.qp->state = XRDMA_QPS_RTR;
	must_be_dropped(&c, ack_frame, ack_len, MODEL_RX_STATE);
	c.p.a.qp->state = XRDMA_QPS_RTS;
	wire_modify_state(&c.p.a, XRDMA_QPS_ERR);
	must_be_dropped(&c, frame, len, MODEL_RX_STATE);
	wire_modify_state(&c.p.a, XRDMA_QPS_RESET);
	must_be_dropped(&c, frame, len, MODEL_RX_STATE);
}

static void a_port_that_is_down_receives_nothing(void **state)
{
	u8 frame[256];
	struct craft c;
	u32 len;

	craft_begin(state, &c, &wire_defaults);
	len = good_frame(&c, frame);
	model_wire_set_cable(c.p.a.host->dev->wire, false);
	must_be_dropped(&c, frame, len, MODEL_RX_DOWN);
	model_wire_set_cable(c.p.a.host->dev->wire, true);
	c.p.a.host->dev->port.flags = 0;
	must_be_dropped(&c, frame, len, MODEL_RX_DOWN);
}

/* Packets with a valid ICRC and random contents. */
static void random_packets_do_no_harm(void **state)
{
	u8 frame[8192];
	struct craft c;
	u32 round;

	craft_begin(state, &c, &wire_defaults);
	srandom(3);
	for (round = 0; round < 100000; round++) {
		struct model_pkt pkt = good_pkt(&c);
		u32 len, i;

		pkt.len = random() % 64 * 4;
		len = craft_frame(&c, &pkt, NULL, frame);
		for (i = 42; i < len - 4; i++)
			if (random() % 3)
				frame[i] = random();
		frame[42] = random() % 4 ? random() & 0x1f : random();
		frame[43] &= 0xf0;
		model_put16(frame + 44, 0xffff);
		model_put24(frame + 47, c.p.a.qpn);
		model_put24(frame + 51, c.p.a.qp->tp->resp.psn + random() % 3 - 1);
		model_icrc_write(frame, 14, 42, len);
		receive(&c, frame, len);
		if (c.p.a.qp->state == XRDMA_QPS_ERR || random() % 64 == 0) {
			craft_turn(&c);
			wire_modify_state(&c.p.a, XRDMA_QPS_RESET);
			c.p.a.rec->rq_pi = 0;
			c.p.a.recv_cq.rec->ci =
				cpu_to_le32(c.p.a.qp->recv_cq->pi);
			wire_connect_one(&c.p.a, &c.p.b, &wire_defaults,
					 wire_defaults.psn, PSN);
		}
		while (craft_receive(&c))
			;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(a_good_frame_is_accepted, 2),
		WIRE_TEST(wrong_packets_are_dropped, 2),
		WIRE_TEST(padding_of_ethernet_is_ignored, 2),
		WIRE_TEST(states_that_do_not_receive_drop, 2),
		WIRE_TEST(a_port_that_is_down_receives_nothing, 2),
		WIRE_TEST(random_packets_do_no_harm, 2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
