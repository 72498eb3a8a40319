// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The event loop of fake_loop.h: replaces base/loop.c. Its clock is a variable.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/fake_loop.h"

#define MAX_TIMERS	1024
#define MAX_WATCHES	8

struct model_loop {
	u64 now_ns;
	u64 turn_ns;
	struct model_timer *timers[MAX_TIMERS];
	struct model_watch *watches[MAX_WATCHES];
	u32 events[MAX_WATCHES];
};

struct model_loop *model_loop_create(u64 spin_ns)
{
	struct model_loop *loop = calloc(1, sizeof(*loop));

	(void)spin_ns;
	if (loop)
		loop->now_ns = 1000000000;
	return loop;
}

void model_loop_destroy(struct model_loop *loop)
{
	free(loop);
}

u64 model_loop_now(const struct model_loop *loop)
{
	return loop->now_ns;
}

u64 model_loop_clock(const struct model_loop *loop)
{
	return loop->now_ns + loop->turn_ns;
}

/*
 * Set how long the present turn has lasted; no timer fires. fake_loop_advance()
 * begins a turn.
 */
void fake_loop_work(struct model_loop *loop, u64 turn_ns)
{
	loop->turn_ns = turn_ns;
}

static int find_watch(struct model_loop *loop, struct model_watch *watch)
{
	int i;

	for (i = 0; i < MAX_WATCHES; i++)
		if (loop->watches[i] == watch)
			return i;
	abort();
}

int model_loop_watch(struct model_loop *loop, struct model_watch *watch,
		     u32 events)
{
	int i = find_watch(loop, NULL);

	loop->watches[i] = watch;
	loop->events[i] = events;
	return 0;
}

int model_loop_rewatch(struct model_loop *loop, struct model_watch *watch,
		       u32 events)
{
	loop->events[find_watch(loop, watch)] = events;
	return 0;
}

void model_loop_unwatch(struct model_loop *loop, struct model_watch *watch)
{
	loop->watches[find_watch(loop, watch)] = NULL;
}

int model_timer_arm(struct model_loop *loop, struct model_timer *timer,
		    u64 deadline_ns)
{
	size_t slot = timer->slot;

	timer->deadline_ns = deadline_ns;
	if (slot)
		return 0;
	for (slot = 1; slot < MAX_TIMERS; slot++)
		if (!loop->timers[slot])
			break;
	if (slot == MAX_TIMERS)
		abort();
	loop->timers[slot] = timer;
	timer->slot = slot;
	return 0;
}

void model_timer_cancel(struct model_loop *loop, struct model_timer *timer)
{
	if (timer->slot)
		loop->timers[timer->slot] = NULL;
	timer->slot = 0;
}

bool model_timer_armed(const struct model_timer *timer)
{
	return timer->slot;
}

/* Call the watches of ready descriptors. EPOLL* and POLL* are equal bits. */
void fake_loop_watches(struct model_loop *loop)
{
	int i;

	for (i = 0; i < MAX_WATCHES; i++) {
		struct model_watch *watch = loop->watches[i];
		struct pollfd pfd;

		if (!watch)
			continue;
		pfd.fd = watch->fd;
		pfd.events = loop->events[i];
		if (poll(&pfd, 1, 0) > 0)
			watch->fn(watch->opaque, pfd.revents);
	}
}

/* Return: deadline of the next timer, UINT64_MAX if there is none. */
u64 fake_loop_next(const struct model_loop *loop)
{
	u64 next = UINT64_MAX;
	int i;

	for (i = 1; i < MAX_TIMERS; i++)
		if (loop->timers[i] && loop->timers[i]->deadline_ns < next)
			next = loop->timers[i]->deadline_ns;
	return next;
}

/* Set the time, and call the functions of the timers that are due. */
void fake_loop_advance(struct model_loop *loop, u64 to_ns)
{
	int i;

	loop->now_ns = to_ns;
	loop->turn_ns = 0;
	for (i = 1; i < MAX_TIMERS; i++) {
		struct model_timer *timer = loop->timers[i];

		if (!timer || timer->deadline_ns > to_ns)
			continue;
		model_timer_cancel(loop, timer);
		timer->fn(timer->opaque);
	}
}
