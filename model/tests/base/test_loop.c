// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Tests of the event loop: timers in order, watches, spinning, parking. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/loop.h"

#define USEC	1000ULL
#define MSEC	1000000ULL
#define TIMERS	500

struct event {
	struct model_loop *loop;
	struct model_timer timer;
	struct model_watch watch;
	unsigned int *order;
	unsigned int at;
	u64 fired_ns;
};

static int setup(void **state)
{
	*state = model_loop_create(0);
	return !*state;
}

static int teardown(void **state)
{
	model_loop_destroy(*state);
	return 0;
}

static void stop(void *opaque)
{
	model_loop_stop(opaque);
}

static void fired(void *opaque)
{
	struct event *event = opaque;

	event->at = ++*event->order;
	event->fired_ns = model_loop_now(event->loop);
}

static void timers_fire_in_order_of_deadline(void **state)
{
	struct model_loop *loop = *state;
	struct event *events = calloc(TIMERS, sizeof(*events));
	struct model_timer last = { .fn = stop, .opaque = loop };
	u64 start = model_loop_now(loop);
	unsigned int order = 0, i;

	for (i = 0; i < TIMERS; i++) {
		events[i].loop = loop;
		events[i].order = &order;
		events[i].timer.fn = fired;
		events[i].timer.opaque = &events[i];
		/* first armed at other times, then moved to final deadlines */
		assert_int_equal(model_timer_arm(loop, &events[i].timer,
						 start + (TIMERS - i) * 10000),
				 0);
	}
	for (i = 0; i < TIMERS; i++)
		model_timer_arm(loop, &events[i].timer,
				start + (i * 263 % TIMERS) * 10000);
	for (i = 0; i < TIMERS; i += 5)
		model_timer_cancel(loop, &events[i].timer);
	model_timer_arm(loop, &last, start + 20 * MSEC);
	assert_int_equal(model_loop_run(loop), 0);
	assert_int_equal(order, TIMERS - TIMERS / 5);
	for (i = 0; i < TIMERS; i++) {
		unsigned int j = (i + 1) % TIMERS;
		struct event *a = &events[i], *b = &events[j];

		assert_false(model_timer_armed(&a->timer));
		assert_int_equal(!a->at, i % 5 == 0);
		if (a->at && b->at)
			assert_int_equal(a->at < b->at,
					 a->timer.deadline_ns <
					 b->timer.deadline_ns);
		if (a->at)
			assert_true(a->fired_ns >= a->timer.deadline_ns);
	}
	free(events);
}

static void rearm(void *opaque)
{
	struct event *event = opaque;

	if (++*event->order < 1000)
		model_timer_arm(event->loop, &event->timer, 0);
	else
		model_loop_stop(event->loop);
}

/* model_loop_now() stays the same during a turn, model_loop_clock() does not. */
static void work_for_a_while(void *opaque)
{
	struct event *event = opaque;
	u64 now = model_loop_now(event->loop);
	u64 clock = model_loop_clock(event->loop);

	assert_true(clock >= now);
	while (model_loop_clock(event->loop) < clock + MSEC)
		;
	assert_int_equal(model_loop_now(event->loop), now);
	model_loop_stop(event->loop);
}

static void the_clock_goes_on_during_a_turn(void **state)
{
	struct event event = { .loop = *state };

	event.timer.fn = work_for_a_while;
	event.timer.opaque = &event;
	model_timer_arm(*state, &event.timer, 0);
	assert_int_equal(model_loop_run(*state), 0);
}

/* The loop serves descriptors even if a timer is always due */
static void late_timer_does_not_starve(void **state)
{
	struct model_loop *loop = *state;
	unsigned int order = 0;
	struct event event = { .loop = loop, .order = &order };

	event.timer.fn = rearm;
	event.timer.opaque = &event;
	model_timer_arm(loop, &event.timer, 0);
	assert_int_equal(model_loop_run(loop), 0);
	assert_true(model_loop_stats(loop)->turns >= 1000);
}

static void readable(void *opaque, u32 events)
{
	struct event *event = opaque;
	eventfd_t value;

	assert_true(events & EPOLLIN);
	eventfd_read(event->watch.fd, &value);
	fired(event);
	model_loop_stop(event->loop);
}

static void readable_descriptor_wakes_the_loop(void **state)
{
	unsigned int order = 0;
	struct event event = { .loop = *state, .order = &order };

	event.watch.fd = eventfd(1, EFD_NONBLOCK);
	event.watch.fn = readable;
	event.watch.opaque = &event;
	assert_int_equal(model_loop_watch(*state, &event.watch, EPOLLIN), 0);
	assert_int_equal(model_loop_run(*state), 0);
	assert_int_equal(event.at, 1);
	model_loop_unwatch(*state, &event.watch);
	close(event.watch.fd);
}

struct pair {
	struct model_loop *loop;
	struct model_watch watch[2];
	unsigned int calls;
};

static void remove_both(void *opaque, u32 events)
{
	struct pair *pair = opaque;

	(void)events;
	pair->calls++;
	model_loop_unwatch(pair->loop, &pair->watch[0]);
	model_loop_unwatch(pair->loop, &pair->watch[1]);
}

/* Two descriptors are ready; the first watch called removes the second */
static void removed_watch_is_not_called(void **state)
{
	struct pair pair = { .loop = *state };
	struct model_timer last = { .fn = stop, .opaque = *state };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		pair.watch[i].fd = eventfd(1, EFD_NONBLOCK);
		pair.watch[i].fn = remove_both;
		pair.watch[i].opaque = &pair;
		model_loop_watch(*state, &pair.watch[i], EPOLLIN);
	}
	model_timer_arm(*state, &last, model_loop_now(*state) + 5 * MSEC);
	assert_int_equal(model_loop_run(*state), 0);
	assert_int_equal(pair.calls, 1);
	for (i = 0; i < 2; i++)
		close(pair.watch[i].fd);
}

struct toy {
	struct model_loop *loop;
	unsigned int work;
	unsigned int refusals;
	unsigned int polls;
	unsigned int parks;
};

static bool toy_poll(void *opaque)
{
	struct toy *toy = opaque;

	toy->polls++;
	if (!toy->work)
		return false;
	toy->work--;
	return true;
}

static bool toy_park(void *opaque)
{
	struct toy *toy = opaque;

	toy->parks++;
	if (!toy->refusals)
		return false;
	toy->refusals--;
	toy->work++;
	return true;
}

static const struct model_loop_engine toy_engine = {
	.poll = toy_poll,
	.park = toy_park,
};

static void engine_is_polled_until_it_is_done_and_parked(void **state)
{
	struct toy toy = { .loop = *state, .work = 100, .refusals = 3 };
	struct model_timer last = { .fn = stop, .opaque = *state };

	model_loop_set_engine(*state, &toy_engine, &toy);
	model_timer_arm(*state, &last, model_loop_now(*state) + 5 * MSEC);
	assert_int_equal(model_loop_run(*state), 0);
	assert_int_equal(toy.work, 0);
	assert_int_equal(toy.refusals, 0);
	assert_int_equal(model_loop_stats(*state)->busy, 103);
	assert_int_equal(model_loop_stats(*state)->refused, 3);
	/* then the loop sleeps: only a few turns until the timer */
	assert_in_range(toy.polls, 104, 120);
}

static void loop_spins_for_a_while_after_work(void **state)
{
	struct model_loop *loop = model_loop_create(2 * MSEC);
	struct toy toy = { .loop = loop, .work = 1 };
	struct model_timer last = { .fn = stop, .opaque = loop };

	(void)state;
	model_loop_set_engine(loop, &toy_engine, &toy);
	model_timer_arm(loop, &last, model_loop_now(loop) + 20 * MSEC);
	assert_int_equal(model_loop_run(loop), 0);
	assert_true(toy.polls > 100);
	assert_in_range(toy.parks, 1, 5);
	model_loop_destroy(loop);
}

static void loop_spins_for_a_while_after_an_event(void **state)
{
	struct model_loop *loop = model_loop_create(2 * MSEC);
	struct model_timer last = { .fn = stop, .opaque = loop };
	struct toy toy = { .loop = loop };
	unsigned int order = 0;
	struct event event = { .loop = loop, .order = &order };
	eventfd_t one = 1;

	(void)state;
	event.watch.fd = eventfd(0, EFD_NONBLOCK);
	event.watch.fn = readable;
	event.watch.opaque = &event;
	model_loop_watch(loop, &event.watch, EPOLLIN);
	model_loop_set_engine(loop, &toy_engine, &toy);
	eventfd_write(event.watch.fd, one);
	assert_int_equal(model_loop_run(loop), 0);
	toy.polls = 0;
	model_timer_arm(loop, &last, model_loop_now(loop) + 20 * MSEC);
	assert_int_equal(model_loop_run(loop), 0);
	assert_true(toy.polls > 100);
	assert_in_range(toy.parks, 2, 10);
	close(event.watch.fd);
	model_loop_destroy(loop);
}

/*
 * Simulates two processors that exchange messages through the device, one of
 * which is that of the loop. Each event brings work, more work arrives while
 * the loop spins, and no further work arrives before the loop sleeps.
 */
struct talk {
	struct model_loop *loop;
	struct model_watch watch;
	bool rung;
	u64 more_ns;
	u64 last_ns;
	unsigned int rounds;
	unsigned int missed;
	unsigned int long_waits;
};

#define ROUNDS		2000
#define LEARNING	200
#define MORE_NS		(20 * USEC)
#define LONG_WAIT_NS	(10 * USEC)

static void talk_rings(void *opaque, u32 events)
{
	struct talk *talk = opaque;
	eventfd_t value;

	(void)events;
	eventfd_read(talk->watch.fd, &value);
	talk->rung = true;
}

static bool talk_poll(void *opaque)
{
	struct talk *talk = opaque;
	u64 now = model_loop_now(talk->loop);

	if (talk->rung)
		talk->more_ns = now + MORE_NS;
	else if (talk->more_ns && now >= talk->more_ns)
		talk->more_ns = 0;
	else
		return false;
	talk->rung = false;
	talk->last_ns = now;
	return true;
}

static bool talk_park(void *opaque)
{
	struct talk *talk = opaque;
	eventfd_t one = 1;

	if (talk->rounds++ >= LEARNING) {
		talk->missed += talk->more_ns != 0;
		talk->long_waits += !talk->more_ns &&
				    model_loop_now(talk->loop) -
				    talk->last_ns > LONG_WAIT_NS;
	}
	talk->more_ns = 0;
	if (talk->rounds == ROUNDS)
		model_loop_stop(talk->loop);
	eventfd_write(talk->watch.fd, one);
	return false;
}

static const struct model_loop_engine talk_engine = {
	.poll = talk_poll,
	.park = talk_park,
};

static void loop_spins_where_work_comes_and_sleeps_where_it_does_not(void **state)
{
	struct model_loop *loop = model_loop_create(MODEL_LOOP_SPIN_NS);
	struct talk talk = { .loop = loop, .rung = true };

	(void)state;
	talk.watch.fd = eventfd(0, EFD_NONBLOCK);
	talk.watch.fn = talk_rings;
	talk.watch.opaque = &talk;
	model_loop_watch(loop, &talk.watch, EPOLLIN);
	model_loop_set_engine(loop, &talk_engine, &talk);
	assert_int_equal(model_loop_run(loop), 0);
	/* the loop sometimes probes both ways, and a busy machine delays it */
	assert_in_range(talk.missed, 0, ROUNDS / 4);
	assert_in_range(talk.long_waits, 0, ROUNDS / 4);
	close(talk.watch.fd);
	model_loop_destroy(loop);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(timers_fire_in_order_of_deadline),
		TEST(late_timer_does_not_starve),
		TEST(the_clock_goes_on_during_a_turn),
		TEST(readable_descriptor_wakes_the_loop),
		TEST(removed_watch_is_not_called),
		TEST(engine_is_polled_until_it_is_done_and_parked),
		TEST(loop_spins_for_a_while_after_work),
		TEST(loop_spins_for_a_while_after_an_event),
		TEST(loop_spins_where_work_comes_and_sleeps_where_it_does_not),
	};

	/* times are measured: on a busy machine, other threads must not run first */
	model_loop_realtime();
	return cmocka_run_group_tests_name("loop", tests, NULL, NULL);
}
