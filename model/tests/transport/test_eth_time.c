// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the time stamps of frames: a completion says when a frame was given to
 * the wire or taken from it, not when the completion was written, nor when the
 * turn of the loop began. The register CLOCK is tested in test_regs.c.
 */
#include <string.h>

#include "tests/lib/wire_nic.h"
#include "tests/lib/wire_raw.h"

#define LEN		100
/* the work of a turn until the device sends or receives */
#define WORK_NS		700
#define LATE_NS		(3 * WIRE_MS)

static struct wire_nic a, b;

static void start(struct wire_env *env, u32 flags)
{
	wire_nic_make(env, 0, &a);
	wire_nic_make(env, 1, &b);
	wire_nic_port(a.qp.host, XRDMA_PORT_UP, 1500, a.qp.qpn);
	wire_nic_port(b.qp.host, XRDMA_PORT_UP | flags, 1500, b.qp.qpn);
}

static void send(struct wire_env *env, int to, u32 len)
{
	struct xrdma_sge sge = wire_sge(a.buf, len, a.key);

	memset(a.mem, 0, LEN);
	memcpy(a.mem, env->hosts[to].mac, 6);
	memcpy(a.mem + 6, env->hosts[0].mac, 6);
	a.mem[12] = 0x08;
	a.mem[13] = 0x06;
	wire_post_send(&a.qp, &(struct wire_wr) {
		.opcode = XRDMA_OP_SEND, .flags = XRDMA_WQE_SIGNALED,
		.sges = &sge, .num_sge = 1,
	});
}

/* Make the next completion of a send, or of a receive, late. */
static void delay(struct wire_qp *qp, enum model_inject_kind kind)
{
	assert_int_equal(model_inject_add(&qp->host->dev->inject,
					  &(struct model_inject) {
		.kind = kind, .number = qp->qpn, .nth = 1, .ns = LATE_NS,
	}), 0);
}

/* Let a frame cross the wire; it may wait for a receive entry there. */
static void cross(struct wire_env *env)
{
	int i;

	for (i = 0; i < 8; i++)
		wire_turn(env);
}

static u64 stamp(struct wire_env *env, struct wire_cq *cq, u8 status)
{
	struct xrdma_cqe cqe;

	assert_true(wire_wait(env, cq, &cqe));
	assert_int_equal(cqe.status, status);
	return le64_to_cpu(cqe.timestamp);
}

static void a_send_has_the_time_of_the_wire(void **state)
{
	struct wire_env *env = *state;
	u64 begin = model_loop_now(env->loop);

	start(env, 0);
	delay(&a.qp, MODEL_INJECT_LATE_SEND);
	fake_loop_work(env->loop, WORK_NS);
	send(env, 1, LEN);
	assert_int_equal(stamp(env, &a.qp.send_cq, 0), begin + WORK_NS);
	assert_true(model_loop_now(env->loop) >= begin + LATE_NS);
}

static void a_receive_has_the_time_of_the_wire(void **state)
{
	struct wire_env *env = *state;
	u64 begin = model_loop_now(env->loop);

	start(env, XRDMA_PORT_PAUSE);
	fake_loop_work(env->loop, WORK_NS);
	send(env, 1, LEN);
	/* the frame has arrived, but has no receive entry */
	cross(env);
	fake_loop_advance(env->loop, begin + LATE_NS);
	delay(&b.qp, MODEL_INJECT_LATE_RECV);
	wire_nic_recv(&b, 0);
	assert_int_equal(stamp(env, &b.qp.recv_cq, 0), begin + WORK_NS);
	assert_true(model_loop_now(env->loop) >= begin + 2 * LATE_NS);
	assert_int_equal(stamp(env, &a.qp.send_cq, 0), begin + WORK_NS);
}

/* Two frames that are handled in one turn have times of their own. */
static void each_frame_has_its_own_time(void **state)
{
	struct wire_env *env = *state;
	u64 begin = model_loop_now(env->loop);
	u64 first;

	start(env, XRDMA_PORT_PAUSE);
	send(env, 1, LEN);
	cross(env);
	fake_loop_advance(env->loop, begin + WIRE_MS);
	send(env, 1, LEN);
	cross(env);
	wire_nic_recv(&b, 0);
	wire_nic_recv(&b, 1);
	first = stamp(env, &b.qp.recv_cq, 0);
	assert_int_equal(first, begin);
	assert_int_equal(stamp(env, &b.qp.recv_cq, 0), begin + WIRE_MS);
}

static void a_frame_to_itself_is_sent_before_it_arrives(void **state)
{
	struct wire_env *env = *state;
	u64 sent;

	start(env, 0);
	wire_nic_recv(&a, 0);
	fake_loop_work(env->loop, WORK_NS);
	send(env, 0, LEN);
	sent = stamp(env, &a.qp.send_cq, 0);
	assert_int_equal(sent, model_loop_now(env->loop) + WORK_NS);
	assert_true(stamp(env, &a.qp.recv_cq, 0) >= sent);
}

/* A flow rule delivers the frame without the wire. */
static void a_frame_inside_has_the_time_of_the_send(void **state)
{
	struct wire_env *env = *state;
	struct wire_host *host = &env->hosts[0];
	struct xrdma_cmd_create_flow rule = {
		.addr = cpu_to_le64(wire_alloc(host,
					       sizeof(struct xrdma_flow_rule),
					       64)),
		.flow = cpu_to_le32(1),
	};
	struct raw client, server;
	u8 frame[RAW_FRAME];
	u64 sent;

	wire_nic_make(env, 0, &a);
	raw_make(env, 0, &client);
	raw_make(env, 0, &server);
	raw_post_buffers(&server, 1);
	raw_make_ipv4(frame, "1.1.1.1", "2.2.2.2", 17, 1234, 5678);
	rule.qpn = cpu_to_le32(server.qp.qpn);
	assert_int_equal(model_flow_create(host->dev, &rule), 0);
	delay(&server.qp, MODEL_INJECT_LATE_RECV);
	fake_loop_work(env->loop, WORK_NS);
	raw_send_frame(&client, frame, RAW_FRAME);
	sent = stamp(env, &client.qp.send_cq, 0);
	assert_int_equal(sent, model_loop_now(env->loop) + WORK_NS);
	assert_int_equal(stamp(env, &server.qp.recv_cq, 0), sent);
}

static void a_send_that_fails_has_the_time_of_its_entry(void **state)
{
	struct wire_env *env = *state;
	u64 begin = model_loop_now(env->loop);

	start(env, 0);
	send(env, 1, LEN);
	assert_int_equal(stamp(env, &a.qp.send_cq, 0), begin);
	fake_loop_advance(env->loop, begin + WIRE_MS);
	send(env, 1, 13);
	assert_int_equal(stamp(env, &a.qp.send_cq, XRDMA_WC_LOC_LEN_ERR),
			 begin + WIRE_MS);
}

static void without_clock_frames_have_the_time_of_the_entry(void **state)
{
	struct wire_env *env = *state;
	u64 begin = model_loop_now(env->loop);

	start(env, XRDMA_PORT_PAUSE);
	env->hosts[0].dev->caps &= ~XRDMA_CAP_CLOCK;
	env->hosts[1].dev->caps &= ~XRDMA_CAP_CLOCK;
	fake_loop_work(env->loop, WORK_NS);
	send(env, 1, LEN);
	cross(env);
	assert_int_equal(stamp(env, &a.qp.send_cq, 0), begin);
	fake_loop_advance(env->loop, begin + LATE_NS);
	wire_nic_recv(&b, 0);
	assert_true(stamp(env, &b.qp.recv_cq, 0) >= begin + LATE_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(a_send_has_the_time_of_the_wire, 2),
		WIRE_TEST(a_receive_has_the_time_of_the_wire, 2),
		WIRE_TEST(each_frame_has_its_own_time, 2),
		WIRE_TEST(a_frame_to_itself_is_sent_before_it_arrives, 2),
		WIRE_TEST(a_frame_inside_has_the_time_of_the_send, 1),
		WIRE_TEST(a_send_that_fails_has_the_time_of_its_entry, 2),
		WIRE_TEST(without_clock_frames_have_the_time_of_the_entry, 2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
