// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the waiting for room on the wire: device 0 sends to itself and to device
 * 1, which does not read its socket before the test lets it.
 */
#include <poll.h>
#include <string.h>

#include "tests/lib/wire_env.h"
#include "transport/room.h"

#define FAR		4
#define LEN		0x40000
#define READ_LEN	0x4000

static struct {
	struct wire_env *env;
	struct model_device *dev;
	struct wire_pair far[FAR];
	struct wire_pair near;
} s;

static const struct model_qp *woken[FAR];
static u32 num_woken;

static void note(struct model_qp *qp)
{
	assert_true(num_woken < FAR);
	woken[num_woken++] = qp;
}

static void begin(void **state)
{
	u32 i;

	s.env = *state;
	s.dev = s.env->hosts[0].dev;
	for (i = 0; i < FAR; i++)
		wire_make_pair(s.env, &s.far[i], &wire_defaults);
	wire_create_qp(s.env, 0, XRDMA_QP_RC, 0, 4, &s.near.a);
	wire_create_qp(s.env, 0, XRDMA_QP_RC, 0, 4, &s.near.b);
	wire_connect_one(&s.near.a, &s.near.b, &wire_defaults, 5, 7);
	wire_connect_one(&s.near.b, &s.near.a, &wire_defaults, 7, 5);
	wire_make_buffers(&s.near, LEN, 90, 91, WIRE_ALL_RIGHTS);
}

static void post(struct wire_qp *qp, u8 opcode, u32 len, u64 from, u32 lkey,
		 u64 to, u32 rkey)
{
	wire_post_signaled(qp, opcode, 1, wire_sge(from, len, lkey), to, rkey);
}

static void post_write(struct wire_pair *p)
{
	post(&p->a, XRDMA_OP_WRITE, LEN, p->a_buf, p->a_key, p->b_buf,
	     p->b_key);
}

static void expect_write(struct wire_pair *p)
{
	wire_expect_send(&p->a, 1, XRDMA_WC_SUCCESS);
	assert_memory_equal(p->a_mem, p->b_mem, LEN);
}

/* Run device 0 until it has no work. Its far end does not read. */
static void run_near(void)
{
	unsigned int quiet = 0;

	while (quiet < 3)
		quiet = model_device_poll(s.dev) ? 0 : quiet + 1;
}

/* Send frames that device 1 drops, until there is no room. */
static void fill_wire(void)
{
	struct model_frame *frame;

	while (model_wire_room(s.dev->wire, MODEL_DEST_FAR)) {
		frame = model_wire_frame(s.dev->wire);
		memset(frame->data, 0, 60);
		frame->len = 60;
		model_wire_send(s.dev->wire, frame);
	}
}

static bool socket_is_ready(void)
{
	struct pollfd pfd = {
		.fd = s.dev->wire->socket.out_watch.fd,
		.events = POLLOUT,
	};

	return poll(&pfd, 1, 0) > 0;
}

static void assert_asleep(void)
{
	assert_false(model_device_poll(s.dev));
	assert_false(model_device_park(s.dev));
	assert_false(socket_is_ready());
}

/* The device sleeps, loopback continues, and no packet is lost. */
static void a_full_wire_stops_only_what_it_carries(void **state)
{
	u32 i;

	begin(state);
	for (i = 0; i < FAR; i++)
		post_write(&s.far[i]);
	run_near();
	fill_wire();
	run_near();
	assert_asleep();
	post_write(&s.near);
	run_near();
	assert_int_equal(model_wire_room(s.dev->wire, MODEL_DEST_FAR), 0);
	assert_memory_equal(s.near.a_mem, s.near.b_mem, LEN);
	expect_write(&s.near);
	for (i = 0; i < FAR; i++)
		expect_write(&s.far[i]);
	assert_int_equal(s.dev->stats[XRDMA_STAT_TX_RETRANSMITTED], 0);
	assert_int_equal(s.dev->wire->socket.lost, 0);
}

/* The data of a READ of the far end wait, those of a local READ do not. */
static void answers_that_wait_stop_no_other_answers(void **state)
{
	struct model_watch *watch;
	struct wire_pair *p;
	struct xrdma_cqe cqe;

	begin(state);
	p = &s.far[0];
	watch = &s.dev->wire->socket.watch;
	fill_wire();
	wire_fill(p->a_mem, READ_LEN, 8);
	post(&p->b, XRDMA_OP_READ, READ_LEN, p->b_buf, p->b_key, p->a_buf,
	     p->a_key);
	while (model_device_poll(p->b.host->dev))
		;
	watch->fn(watch->opaque, POLLIN);
	run_near();
	assert_true(p->a.qp->rooms[MODEL_WAIT_ANSWERS].waits);
	assert_asleep();
	post(&s.near.a, XRDMA_OP_READ, READ_LEN, s.near.a_buf, s.near.a_key,
	     s.near.b_buf, s.near.b_key);
	run_near();
	assert_true(wire_poll_cq(&s.near.a.send_cq, &cqe));
	assert_int_equal(cqe.status, XRDMA_WC_SUCCESS);
	wire_expect_send(&p->b, 1, XRDMA_WC_SUCCESS);
	assert_memory_equal(p->a_mem, p->b_mem, READ_LEN);
}

static struct model_room_waiter *waiter(u32 i)
{
	return &s.far[i].a.qp->rooms[MODEL_WAIT_REQUESTER];
}

static bool ask(u32 i)
{
	return model_room_ask(waiter(i), s.env->hosts[1].mac);
}

/* Make room, and check which waiters are woken. */
static void expect_woken(const u8 *numbers, u32 num)
{
	u32 i;

	num_woken = 0;
	wire_turn(s.env);
	assert_int_equal(num_woken, 0);
	assert_true(model_wire_room(s.dev->wire, MODEL_DEST_FAR) > num);
	model_room_wake(s.dev);
	assert_int_equal(num_woken, num);
	for (i = 0; i < num; i++)
		assert_ptr_equal(woken[i], s.far[numbers[i]].a.qp);
}

/* Waiters are woken in order, and one that has sent is the last one. */
static void waiters_take_turns(void **state)
{
	u32 i;

	begin(state);
	fill_wire();
	for (i = 0; i < FAR; i++)
		waiter(i)->wake = note;
	for (i = 0; i < FAR - 1; i++)
		assert_false(ask(i));
	expect_woken((u8 []) { 0, 1, 2 }, 3);
	/* one that did not wait may not overtake */
	assert_false(ask(3));
	assert_true(ask(0));
	fill_wire();
	for (i = 0; i < FAR - 1; i++)
		assert_false(ask(i));
	expect_woken((u8 []) { 1, 2, 3, 0 }, 4);
	/* those that need no room leave the list */
	for (i = 0; i < FAR; i++)
		model_room_end(waiter(i));
	assert_true(ask(2));
}

static u32 calls;

static void count_call(void *opaque, u32 events)
{
	(void)opaque;
	(void)events;
	calls++;
}

/* Return: whether the loop calls the socket for frames that have arrived. */
static bool listens(void)
{
	struct model_watch *watch = &s.dev->wire->socket.watch;
	void (*fn)(void *opaque, u32 events) = watch->fn;

	calls = 0;
	watch->fn = count_call;
	fake_loop_watches(s.env->loop);
	watch->fn = fn;
	return calls;
}

/* The socket does not keep the loop awake by frames for which there is no room. */
static void received_frames_without_room_wait_in_the_socket(void **state)
{
	struct model_wire *from;
	struct model_frame *frame;
	u32 i;

	begin(state);
	from = s.env->hosts[1].dev->wire;
	for (i = 0; i < 3000; i++) {
		frame = model_wire_frame(from);
		memset(frame->data, 0, 60);
		memcpy(frame->data, s.env->hosts[0].mac, 6);
		frame->len = 60;
		model_wire_send(from, frame);
		fake_loop_watches(s.env->loop);
	}
	assert_int_equal(s.dev->wire->arrived.count, MODEL_WIRE_FRAMES / 2);
	assert_false(listens());
	assert_true(model_device_poll(s.dev));
	assert_true(listens());
	wire_settle(s.env);
	assert_int_equal(s.dev->wire->arrived.count, 0);
	assert_int_equal(from->socket.lost, 0);
	assert_int_equal(from->pool.available, from->pool.total);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WIRE_TEST(a_full_wire_stops_only_what_it_carries, 2),
		WIRE_TEST(answers_that_wait_stop_no_other_answers, 2),
		WIRE_TEST(waiters_take_turns, 2),
		WIRE_TEST(received_frames_without_room_wait_in_the_socket, 2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
