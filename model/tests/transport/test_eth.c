// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of raw packet queue pairs over the wire: sending and receiving whole
 * Ethernet frames, filtering by address, and dropped frames. Flow rules and RSS
 * are tested in test_steer.c.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/lib/wire_nic.h"
#include "transport/rx.h"

static void make_frame(u8 *frame, const u8 *dmac, const u8 *smac, u32 len)
{
	wire_fill(frame, len, len);
	memcpy(frame, dmac, 6);
	memcpy(frame + 6, smac, 6);
	frame[12] = 0x08;
	frame[13] = 0x06;	/* ARP */
}

static void send_frame(struct wire_nic *nic, u64 wr_id, const u8 *frame, u32 len)
{
	struct xrdma_sge sges[2] = {
		wire_sge(nic->buf, 14, nic->key),
		wire_sge(nic->buf + 14, len > 14 ? len - 14 : 0, nic->key),
	};

	memcpy(nic->mem, frame, len);
	wire_post_send(&nic->qp, &(struct wire_wr) {
		.opcode = XRDMA_OP_SEND, .flags = XRDMA_WQE_SIGNALED,
		.wr_id = wr_id, .sges = sges, .num_sge = 2,
	});
}

static void frames_cross_the_wire(void **state)
{
	static const u32 lengths[] = { 14, 59, 60, 61, 1514, 1518, 9018,
				       9022 };
	struct wire_env *env = *state;
	struct wire_nic a, b;
	u8 frame[9022];
	size_t i;

	wire_nic_make(env, 0, &a);
	wire_nic_make(env, 1, &b);
	wire_nic_port(a.qp.host, XRDMA_PORT_UP, 9000, a.qp.qpn);
	wire_nic_port(b.qp.host, XRDMA_PORT_UP, 9000, b.qp.qpn);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		u32 len = lengths[i];
		struct xrdma_cqe cqe;

		make_frame(frame, env->hosts[1].mac, env->hosts[0].mac, len);
		wire_nic_recv(&b, 10 + i);
		send_frame(&a, i, frame, len);
		wire_expect_send(&a.qp, i, XRDMA_WC_SUCCESS);
		wire_expect_recv(&b.qp, 10 + i, XRDMA_WC_SUCCESS, &cqe);
		/* frames shorter than 60 bytes arrive padded with zeros */
		assert_int_equal(le32_to_cpu(cqe.byte_len),
				 len < 60 ? 60 : len);
		assert_memory_equal(b.mem + WIRE_NIC_BUF, frame, len);
		assert_memory_equal(cqe.smac, env->hosts[0].mac, 6);
	}
}

static void send_errors_complete(void **state)
{
	static const struct {
		u8 opcode;
		u32 len;
		u32 key_xor;
		u8 status;
	} cases[] = {
		{ XRDMA_OP_SEND, 13, 0, XRDMA_WC_LOC_LEN_ERR },
		{ XRDMA_OP_SEND, 1523, 0, XRDMA_WC_LOC_LEN_ERR },
		{ XRDMA_OP_SEND, 100, 1, XRDMA_WC_LOC_PROT_ERR },
		{ XRDMA_OP_WRITE, 100, 0, XRDMA_WC_LOC_QP_OP_ERR },
	};
	struct wire_env *env = *state;
	struct wire_nic a;
	size_t i;

	wire_nic_make(env, 0, &a);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct xrdma_sge sge = wire_sge(a.buf, cases[i].len,
						a.key ^ cases[i].key_xor);

		wire_post_send(&a.qp, &(struct wire_wr) {
			.opcode = cases[i].opcode, .wr_id = i,
			.sges = &sge, .num_sge = 1,
		});
		wire_expect_send(&a.qp, i, cases[i].status);
		assert_int_equal(a.qp.qp->state, XRDMA_QPS_SQE);
		wire_modify_state(&a.qp, XRDMA_QPS_RTS);
	}
}

static void deliver(struct wire_env *env, const u8 *dmac, enum model_rx want)
{
	u8 frame[64];
	enum model_rx rx;

	make_frame(frame, dmac, env->hosts[1].mac, sizeof(frame));
	rx = model_rx_frame(env->hosts[0].dev, frame, sizeof(frame));
	if (rx != want)
		fail_msg("%s, wanted %s", model_rx_name(rx),
			 model_rx_name(want));
}

static void frames_are_filtered_by_address(void **state)
{
	static const u8 broadcast[6] = { 255, 255, 255, 255, 255, 255 };
	static const u8 multicast[6] = { 0x33, 0x33, 0, 0, 0, 1 };
	static const u8 other[6] = { 2, 9, 9, 9, 9, 9 };
	struct wire_env *env = *state;
	struct wire_host *host = &env->hosts[0];
	struct wire_nic a;
	u32 i;

	wire_nic_make(env, 0, &a);
	for (i = 0; i < 16; i++)
		wire_nic_recv(&a, i);
	deliver(env, host->mac, MODEL_RX_ETHERNET);
	deliver(env, broadcast, MODEL_RX_ETHERNET);
	deliver(env, multicast, MODEL_RX_FILTERED);
	deliver(env, other, MODEL_RX_FILTERED);
	wire_nic_port(host, XRDMA_PORT_UP | XRDMA_PORT_ALLMULTI, 1500, a.qp.qpn);
	deliver(env, multicast, MODEL_RX_ETHERNET);
	deliver(env, other, MODEL_RX_FILTERED);
	wire_nic_port(host, XRDMA_PORT_UP | XRDMA_PORT_PROMISC, 1500, a.qp.qpn);
	deliver(env, multicast, MODEL_RX_ETHERNET);
	deliver(env, other, MODEL_RX_ETHERNET);
	wire_nic_port(host, XRDMA_PORT_UP, 1500, 0);
	deliver(env, host->mac, MODEL_RX_STATE);
	wire_nic_port(host, 0, 1500, a.qp.qpn);
	deliver(env, host->mac, MODEL_RX_DOWN);
}

static void frames_without_a_buffer_are_dropped(void **state)
{
	struct wire_env *env = *state;
	u8 frame[2000] = { 0 };
	struct xrdma_cqe cqe;
	struct wire_nic a;

	wire_nic_make(env, 0, &a);
	deliver(env, env->hosts[0].mac, MODEL_RX_OVERRUN);
	make_frame(frame, env->hosts[0].mac, env->hosts[1].mac, 1523);
	wire_nic_recv(&a, 1);
	assert_int_equal(model_rx_frame(env->hosts[0].dev, frame, 1523),
			 MODEL_RX_OVERSIZED);
	assert_int_equal(model_rx_frame(env->hosts[0].dev, frame, 13),
			 MODEL_RX_RUNT);
	deliver(env, env->hosts[0].mac, MODEL_RX_ETHERNET);
	assert_true(wire_poll_cq(&a.qp.recv_cq, &cqe));
	assert_int_equal(le32_to_cpu(cqe.byte_len), 64);
}

static void set_flags(struct wire_nic *nic, u32 flags)
{
	wire_nic_port(nic->qp.host, flags, 1500, nic->qp.qpn);
}

static u32 delivered(struct wire_nic *nic)
{
	return nic->qp.host->dev->wire->rx_frames[MODEL_RX_ETHERNET];
}

static u32 dropped(struct wire_nic *nic)
{
	return nic->qp.host->dev->wire->rx_frames[MODEL_RX_OVERRUN];
}

/* Let the devices work for @ms milliseconds, in steps of 50 us. */
static void pass(struct wire_env *env, u32 ms)
{
	u64 end = model_loop_now(env->loop) + ms * WIRE_MS;
	u64 now;
	int i;

	while ((now = model_loop_now(env->loop)) < end) {
		for (i = 0; i < 20; i++) {
			model_device_poll(env->hosts[0].dev);
			model_device_poll(env->hosts[1].dev);
		}
		fake_loop_watches(env->loop);
		fake_loop_advance(env->loop, now + 50000);
	}
}

/* With PORT_PAUSE, frames wait for receive entries, and arrive in order. */
static void frames_wait_for_a_buffer(void **state)
{
	struct wire_env *env = *state;
	struct xrdma_cqe cqe;
	struct wire_nic a, b;
	u8 frame[200];
	u32 i;

	wire_nic_make(env, 0, &a);
	wire_nic_make(env, 1, &b);
	set_flags(&b, XRDMA_PORT_UP | XRDMA_PORT_PAUSE);
	for (i = 0; i < 3; i++) {
		make_frame(frame, env->hosts[1].mac, env->hosts[0].mac,
			   100 + i);
		send_frame(&a, i, frame, 100 + i);
		wire_expect_send(&a.qp, i, XRDMA_WC_SUCCESS);
	}
	pass(env, 300);
	assert_int_equal(delivered(&b) + dropped(&b), 0);
	for (i = 0; i < 3; i++) {
		wire_nic_recv(&b, i);
		pass(env, 1);
		assert_true(wire_poll_cq(&b.qp.recv_cq, &cqe));
		assert_int_equal(le32_to_cpu(cqe.byte_len), 100 + i);
	}
	assert_int_equal(dropped(&b), 0);
}

/* A host that posts no receive holds the far end back for a limited time. */
static void a_stopped_host_blocks_nobody(void **state)
{
	struct wire_env *env = *state;
	struct wire_nic a, b;
	u8 frame[100];
	u32 i;

	wire_nic_make(env, 0, &a);
	wire_nic_make(env, 1, &b);
	set_flags(&b, XRDMA_PORT_UP | XRDMA_PORT_PAUSE);
	make_frame(frame, env->hosts[1].mac, env->hosts[0].mac, 100);
	for (i = 0; i < 2; i++) {
		send_frame(&a, i, frame, 100);
		wire_expect_send(&a.qp, i, XRDMA_WC_SUCCESS);
	}
	pass(env, 990);
	assert_int_equal(dropped(&b), 0);
	pass(env, 20);
	assert_int_equal(dropped(&b), 2);
	/* later frames do not wait, until a receive has been posted */
	send_frame(&a, 2, frame, 100);
	pass(env, 1);
	assert_int_equal(dropped(&b), 3);
	wire_nic_recv(&b, 1);
	send_frame(&a, 3, frame, 100);
	send_frame(&a, 4, frame, 100);
	pass(env, 1);
	assert_int_equal(delivered(&b), 1);
	assert_int_equal(dropped(&b), 3);
}

/* Only frames for the queue pair of the port wait. */
static void other_frames_do_not_wait(void **state)
{
	static const u8 other[6] = { 2, 9, 9, 9, 9, 9 };
	struct wire_env *env = *state;
	struct wire_nic a, b;
	u8 frame[100];

	wire_nic_make(env, 0, &a);
	wire_nic_make(env, 1, &b);
	set_flags(&b, XRDMA_PORT_UP | XRDMA_PORT_PAUSE);
	make_frame(frame, other, env->hosts[0].mac, 100);
	send_frame(&a, 1, frame, 100);
	pass(env, 1);
	assert_int_equal(b.qp.host->dev->wire->rx_frames[MODEL_RX_FILTERED], 1);
	set_flags(&b, XRDMA_PORT_UP);
	make_frame(frame, env->hosts[1].mac, env->hosts[0].mac, 100);
	send_frame(&a, 2, frame, 100);
	pass(env, 1);
	assert_int_equal(dropped(&b), 1);
}

/* Without a far end the device receives frames to its own address only. */
static void without_a_far_end_own_frames_arrive(void **state)
{
	static const u8 broadcast[6] = { 255, 255, 255, 255, 255, 255 };
	struct wire_env *env = *state;
	struct wire_host *host = &env->hosts[0];
	struct xrdma_cqe cqe;
	u8 frame[100];
	struct wire_nic a;

	wire_nic_make(env, 0, &a);
	wire_nic_recv(&a, 7);
	make_frame(frame, broadcast, host->mac, 100);
	send_frame(&a, 1, frame, 100);
	wire_expect_send(&a.qp, 1, XRDMA_WC_SUCCESS);
	wire_settle(env);
	assert_false(wire_poll_cq(&a.qp.recv_cq, &cqe));
	assert_int_equal(host->dev->wire->tx_no_far_end, 1);
	make_frame(frame, host->mac, host->mac, 100);
	send_frame(&a, 2, frame, 100);
	wire_expect_send(&a.qp, 2, XRDMA_WC_SUCCESS);
	wire_expect_recv(&a.qp, 7, XRDMA_WC_SUCCESS, &cqe);
}

/* The far end does not read: frames are queued, then dropped; no leak. */
static void a_slow_far_end_loses_frames(void **state)
{
	struct wire_env *env = *state;
	struct model_wire *wire = env->hosts[0].dev->wire;
	u8 frame[100];
	struct wire_nic a;
	u32 i;

	wire_nic_make(env, 0, &a);
	make_frame(frame, env->hosts[1].mac, env->hosts[0].mac, 100);
	for (i = 0; i < 5000; i++) {
		struct model_frame *f = model_wire_frame(env->hosts[0].dev->wire);

		assert_non_null(f);
		memcpy(f->data, frame, sizeof(frame));
		f->len = sizeof(frame);
		model_wire_send(env->hosts[0].dev->wire, f);
	}
	assert_true(wire->socket.lost > 0);
	assert_int_equal(wire->socket.backlog.count, MODEL_SOCKET_BACKLOG);
	assert_false(model_wire_room(wire, MODEL_DEST_FAR));
	/* the device sleeps while an entry waits for room on the wire */
	send_frame(&a, 2, frame, 100);
	for (i = 0; i < 5; i++)
		model_device_poll(env->hosts[0].dev);
	assert_false(model_device_poll(env->hosts[0].dev));
	assert_false(model_device_park(env->hosts[0].dev));
	wire_settle(env);
	assert_int_equal(wire->socket.backlog.count, 0);
	assert_int_equal(wire->pool.available, wire->pool.total);
}

static void a_far_end_that_is_gone_loses_frames(void **state)
{
	struct wire_env *env = *state;
	struct model_wire *wire = env->hosts[0].dev->wire;
	struct model_frame *frame;

	model_wire_close(env->hosts[1].dev->wire);
	frame = model_wire_frame(env->hosts[0].dev->wire);
	frame->len = 60;
	memset(frame->data, 0, 60);
	model_wire_send(env->hosts[0].dev->wire, frame);
	assert_int_equal(wire->socket.lost, 1);
	assert_int_equal(wire->pool.available, wire->pool.total);
}

static void a_wire_has_two_ends_in_its_specification(void **state)
{
	static const char * const bad[] = {
		"", "local=/tmp/x", "remote=/tmp/x", "local=,remote=/tmp/x",
		"local=/tmp/x,remote=/tmp/y,mtu=9", "nonsense",
	};
	struct wire_env *env = *state;
	struct model_why why;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_true(model_wire_open(env->hosts[0].dev->wire, bad[i],
					    &why) < 0);
	assert_false(env->hosts[0].dev->wire->socket.open);
	assert_true(model_wire_open(env->hosts[0].dev->wire,
				    "local=/nowhere/x,remote=/nowhere/y",
				    &why) < 0);
	assert_false(env->hosts[0].dev->wire->socket.open);
}

static void a_pulled_cable_is_an_event(void **state)
{
	struct wire_env *env = *state;
	struct model_device *dev = env->hosts[0].dev;

	assert_true(dev->params.transport->carrier(dev));
	assert_true(dev->port.link_up);
	model_wire_set_cable(dev->wire, false);
	assert_false(dev->params.transport->carrier(dev));
	assert_false(dev->port.link_up);
	model_wire_set_cable(dev->wire, true);
	assert_true(dev->port.link_up);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(frames_cross_the_wire, 2),
		WIRE_TEST(send_errors_complete, 2),
		WIRE_TEST(frames_are_filtered_by_address, 2),
		WIRE_TEST(frames_without_a_buffer_are_dropped, 2),
		WIRE_TEST(frames_wait_for_a_buffer, 2),
		WIRE_TEST(a_stopped_host_blocks_nobody, 2),
		WIRE_TEST(other_frames_do_not_wait, 2),
		WIRE_TEST(without_a_far_end_own_frames_arrive, 1),
		WIRE_TEST(a_slow_far_end_loses_frames, 2),
		WIRE_TEST(a_far_end_that_is_gone_loses_frames, 2),
		WIRE_TEST(a_wire_has_two_ends_in_its_specification, 1),
		WIRE_TEST(a_pulled_cable_is_an_event, 1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
