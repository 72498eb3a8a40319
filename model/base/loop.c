// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The event loop: the epoll descriptor, the heap of timers, and the decision
 * between spinning and sleeping. engine.c installs the functions of the device
 * that the loop polls.
 */
#include <errno.h>
#include <linux/array_size.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "base/loop.h"

#define NS_PER_SEC		1000000000ULL
#define EVENTS_PER_WAIT		16
/* Turns between two checks of the descriptors by a loop that does not sleep */
#define TURNS_PER_CHECK		8
/* Turns between two calls of sched_yield() by a loop without work */
#define TURNS_PER_YIELD		32
/* Shortest spin that is tried once per SLEEPS_PER_PROBE, in nanoseconds */
#define SPIN_PROBE_NS		8000
/* Number of sleeps between two trials of SPIN_PROBE_NS */
#define SLEEPS_PER_PROBE	32
/*
 * Longest time without a sleep, and the length of the sleep that follows, in
 * nanoseconds: threads of ordinary priority, such as a far end that has no room for
 * frames, need the processor too
 */
#define BUSY_MAX_NS		2000000
#define BREAK_NS		50000
/* Number of previous spins whose outcomes select the length of the next spin */
#define SPIN_HISTORY		2

/*
 * @timers is a binary heap with its root in slot 1, so that slot 0 can mean
 * "not armed". @ready and @n_ready are the events being handled; an event in
 * @ready whose watch is removed gets a NULL pointer. @history has a bit for
 * each of the last SPIN_HISTORY spins, 1 if work arrived during the spin;
 * @spin_limit_ns has the length of the next spin, in nanoseconds, for each
 * value of @history. @awake_ns is the time at which the last sleep ended.
 */
struct model_loop {
	int epfd;
	bool stop;
	u64 now_ns;
	u64 spin_ns;
	u64 last_work_ns;
	u64 awake_ns;
	u64 spin_limit_ns[1 << SPIN_HISTORY];
	unsigned int history;
	bool spinning;
	const struct model_loop_engine *engine;
	void *engine_opaque;
	struct model_timer **timers;
	size_t n_timers;
	size_t max_timers;
	struct epoll_event ready[EVENTS_PER_WAIT];
	int n_ready;
	struct model_loop_stats stats;
};

static u64 monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

/**
 * model_loop_create - make a loop without an engine
 * @spin_ns: nanoseconds to spin after the engine's last work and the last event
 *
 * Return: the loop, or NULL with errno set.
 */
struct model_loop *model_loop_create(u64 spin_ns)
{
	struct model_loop *loop = calloc(1, sizeof(*loop));
	unsigned int i;

	if (!loop)
		return NULL;
	loop->spin_ns = spin_ns;
	for (i = 0; i < ARRAY_SIZE(loop->spin_limit_ns); i++)
		loop->spin_limit_ns[i] = spin_ns;
	loop->now_ns = monotonic_ns();
	loop->epfd = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epfd < 0) {
		free(loop);
		return NULL;
	}
	return loop;
}

/**
 * model_loop_destroy - free a loop that does not run
 * @loop: the loop; the callers own its watches and timers
 */
void model_loop_destroy(struct model_loop *loop)
{
	close(loop->epfd);
	free(loop->timers);
	free(loop);
}

/**
 * model_loop_set_engine - set the functions that the loop polls
 * @loop: the loop
 * @engine: its functions; NULL for none
 * @opaque: first argument of its functions
 */
void model_loop_set_engine(struct model_loop *loop,
			   const struct model_loop_engine *engine,
			   void *opaque)
{
	loop->engine = engine;
	loop->engine_opaque = opaque;
}

/**
 * model_loop_now - the time of this turn
 * @loop: the loop
 *
 * Return: CLOCK_MONOTONIC in nanoseconds, read once per turn.
 */
u64 model_loop_now(const struct model_loop *loop)
{
	return loop->now_ns;
}

/**
 * model_loop_clock - the present time
 * @loop: the loop
 *
 * Return: CLOCK_MONOTONIC in nanoseconds, read by each call; not lower than
 * model_loop_now().
 */
u64 model_loop_clock(const struct model_loop *loop)
{
	(void)loop;
	return monotonic_ns();
}

/**
 * model_loop_stats - get the counters of the loop
 * @loop: the loop
 *
 * Return: the counters, which the loop continues to update.
 */
const struct model_loop_stats *model_loop_stats(const struct model_loop *loop)
{
	return &loop->stats;
}

/**
 * model_loop_stop - make model_loop_run() return after this turn
 * @loop: the loop
 */
void model_loop_stop(struct model_loop *loop)
{
	loop->stop = true;
}

static int watch_ctl(struct model_loop *loop, int op,
		     struct model_watch *watch, u32 events)
{
	struct epoll_event ev = { .events = events, .data.ptr = watch };

	return epoll_ctl(loop->epfd, op, watch->fd, &ev) ? -errno : 0;
}

/**
 * model_loop_watch - add a descriptor
 * @loop: the loop
 * @watch: filled by the caller
 * @events: EPOLL* mask to wait for
 *
 * Return: 0 or a negative errno.
 */
int model_loop_watch(struct model_loop *loop, struct model_watch *watch,
		     u32 events)
{
	return watch_ctl(loop, EPOLL_CTL_ADD, watch, events);
}

/**
 * model_loop_rewatch - change the events that a watch waits for
 * @loop: the loop
 * @watch: a watched descriptor
 * @events: new EPOLL* mask
 *
 * Return: 0 or a negative errno.
 */
int model_loop_rewatch(struct model_loop *loop, struct model_watch *watch,
		       u32 events)
{
	return watch_ctl(loop, EPOLL_CTL_MOD, watch, events);
}

/**
 * model_loop_unwatch - remove a descriptor; call it before closing the
 * descriptor
 * @loop: the loop
 * @watch: a watched descriptor; its function is not called again
 */
void model_loop_unwatch(struct model_loop *loop, struct model_watch *watch)
{
	int i;

	epoll_ctl(loop->epfd, EPOLL_CTL_DEL, watch->fd, NULL);
	for (i = 0; i < loop->n_ready; i++)
		if (loop->ready[i].data.ptr == watch)
			loop->ready[i].data.ptr = NULL;
}

static void timer_put(struct model_loop *loop, size_t slot,
		      struct model_timer *timer)
{
	loop->timers[slot] = timer;
	timer->slot = slot;
}

static void timer_sift_up(struct model_loop *loop, struct model_timer *timer,
			  size_t slot)
{
	for (; slot > 1; slot /= 2) {
		struct model_timer *parent = loop->timers[slot / 2];

		if (parent->deadline_ns <= timer->deadline_ns)
			break;
		timer_put(loop, slot, parent);
	}
	timer_put(loop, slot, timer);
}

static void timer_sift_down(struct model_loop *loop, struct model_timer *timer,
			    size_t slot)
{
	struct model_timer **heap = loop->timers;
	size_t child;

	while ((child = slot * 2) <= loop->n_timers) {
		if (child < loop->n_timers &&
		    heap[child + 1]->deadline_ns < heap[child]->deadline_ns)
			child++;
		if (timer->deadline_ns <= heap[child]->deadline_ns)
			break;
		timer_put(loop, slot, heap[child]);
		slot = child;
	}
	timer_put(loop, slot, timer);
}

static int timer_heap_grow(struct model_loop *loop)
{
	size_t max = loop->max_timers ? loop->max_timers * 2 : 64;
	struct model_timer **timers;

	timers = realloc(loop->timers, max * sizeof(*timers));
	if (!timers)
		return -ENOMEM;
	loop->timers = timers;
	loop->max_timers = max;
	return 0;
}

/**
 * model_timer_arm - arm a timer, or change the deadline of an armed timer
 * @loop: the loop
 * @timer: @fn and @opaque set
 * @deadline_ns: CLOCK_MONOTONIC nanoseconds
 *
 * Return: 0, or -ENOMEM (never for a timer that is armed).
 */
int model_timer_arm(struct model_loop *loop, struct model_timer *timer,
		    u64 deadline_ns)
{
	bool later = timer->deadline_ns < deadline_ns;
	int err;

	timer->deadline_ns = deadline_ns;
	if (timer->slot && later) {
		timer_sift_down(loop, timer, timer->slot);
		return 0;
	}
	if (timer->slot) {
		timer_sift_up(loop, timer, timer->slot);
		return 0;
	}
	if (loop->n_timers + 1 >= loop->max_timers) {
		err = timer_heap_grow(loop);
		if (err)
			return err;
	}
	timer_sift_up(loop, timer, ++loop->n_timers);
	return 0;
}

/**
 * model_timer_cancel - disarm a timer
 * @loop: the loop
 * @timer: armed or not
 */
void model_timer_cancel(struct model_loop *loop, struct model_timer *timer)
{
	struct model_timer *last;
	size_t slot = timer->slot;

	if (!slot)
		return;
	timer->slot = 0;
	last = loop->timers[loop->n_timers--];
	if (last == timer)
		return;
	if (slot > 1 &&
	    last->deadline_ns < loop->timers[slot / 2]->deadline_ns)
		timer_sift_up(loop, last, slot);
	else
		timer_sift_down(loop, last, slot);
}

/**
 * model_timer_armed - whether a timer is armed
 * @timer: the timer
 *
 * Return: true from model_timer_arm() until it fires or is cancelled.
 */
bool model_timer_armed(const struct model_timer *timer)
{
	return timer->slot;
}

static void run_timers(struct model_loop *loop)
{
	struct model_timer *timer;
	size_t n = loop->n_timers;

	/* A timer that its function arms again runs in the next turn */
	while (n-- && loop->n_timers) {
		timer = loop->timers[1];
		if (timer->deadline_ns > loop->now_ns)
			return;
		model_timer_cancel(loop, timer);
		timer->fn(timer->opaque);
	}
}

static void run_watches(struct model_loop *loop)
{
	struct model_watch *watch;
	int i;

	/* Spin after an event: more may follow, and waking up takes long */
	if (loop->n_ready)
		loop->last_work_ns = loop->now_ns;
	for (i = 0; i < loop->n_ready; i++) {
		watch = loop->ready[i].data.ptr;
		if (watch)
			watch->fn(watch->opaque, loop->ready[i].events);
	}
	loop->n_ready = 0;
}

/*
 * Wait for descriptors until @deadline_ns; 0: do not wait, UINT64_MAX: forever
 */
static int wait_watches(struct model_loop *loop, u64 deadline_ns)
{
	struct timespec ts = { 0 };
	u64 left;
	int n;

	if (deadline_ns > loop->now_ns) {
		left = deadline_ns - loop->now_ns;
		ts.tv_sec = left / NS_PER_SEC;
		ts.tv_nsec = left % NS_PER_SEC;
	}
	n = epoll_pwait2(loop->epfd, loop->ready, EVENTS_PER_WAIT,
			 deadline_ns == UINT64_MAX ? NULL : &ts, NULL);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	loop->n_ready = n;
	return 0;
}

/*
 * A spin is useful if work arrives before the spin ends. A virtual CPU that
 * runs on another core brings work soon, and without a doorbell. A virtual CPU
 * that waits for the core of this thread brings work only after this thread
 * sleeps. With two virtual CPUs that exchange messages through the device, both
 * cases alternate, so the length of a spin depends on the outcomes of the last
 * spins.
 */
static void spin_ended(struct model_loop *loop, bool paid)
{
	loop->spinning = false;
	loop->history = (loop->history << 1 | paid) &
			(ARRAY_SIZE(loop->spin_limit_ns) - 1);
}

static void set_spin_limit(struct model_loop *loop, u64 ns)
{
	loop->spin_limit_ns[loop->history] = ns < loop->spin_ns ?
					     ns : loop->spin_ns;
}

static void spin_paid(struct model_loop *loop)
{
	u64 waited = loop->now_ns - loop->last_work_ns;

	if (4 * waited > loop->spin_limit_ns[loop->history])
		set_spin_limit(loop, 4 * waited);
	spin_ended(loop, true);
}

static void spin_failed(struct model_loop *loop)
{
	u64 spin_limit_ns = loop->spin_limit_ns[loop->history] / 2;

	if (loop->stats.sleeps % SLEEPS_PER_PROBE == 0 &&
	    spin_limit_ns < SPIN_PROBE_NS)
		spin_limit_ns = SPIN_PROBE_NS;
	set_spin_limit(loop, spin_limit_ns);
	spin_ended(loop, false);
}

static bool engine_poll(struct model_loop *loop)
{
	if (!loop->engine || !loop->engine->poll(loop->engine_opaque))
		return false;
	if (loop->spinning)
		spin_paid(loop);
	loop->last_work_ns = loop->now_ns;
	loop->stats.busy++;
	return true;
}

static bool engine_park(struct model_loop *loop)
{
	if (!loop->engine || !loop->engine->park(loop->engine_opaque))
		return true;
	loop->stats.refused++;
	loop->last_work_ns = loop->now_ns;
	return false;
}

static int loop_sleep(struct model_loop *loop)
{
	u64 deadline_ns = UINT64_MAX;
	int err;

	spin_failed(loop);
	if (!engine_park(loop))
		return 0;
	if (loop->n_timers)
		deadline_ns = loop->timers[1]->deadline_ns;
	loop->stats.sleeps++;
	err = wait_watches(loop, deadline_ns);
	loop->now_ns = monotonic_ns();
	loop->awake_ns = loop->now_ns;
	return err;
}

/* Sleep for a moment if the loop has not slept for long. */
static void take_break(struct model_loop *loop)
{
	static const struct timespec moment = { .tv_nsec = BREAK_NS };

	if (loop->now_ns - loop->awake_ns < BUSY_MAX_NS)
		return;
	nanosleep(&moment, NULL);
	loop->awake_ns = monotonic_ns();
}

static int loop_turn(struct model_loop *loop)
{
	int err = 0;

	loop->now_ns = monotonic_ns();
	loop->stats.turns++;
	run_timers(loop);
	if (!engine_poll(loop) && !loop->stop) {
		loop->spinning = true;
		if (loop->now_ns - loop->last_work_ns >=
		    loop->spin_limit_ns[loop->history])
			err = loop_sleep(loop);
		else if (loop->stats.turns % TURNS_PER_YIELD == 0)
			sched_yield();
	}
	if (!err && !loop->n_ready && loop->stats.turns % TURNS_PER_CHECK == 0)
		err = wait_watches(loop, 0);
	run_watches(loop);
	take_break(loop);
	return err;
}

/**
 * model_loop_realtime - give the calling thread a real-time priority
 *
 * The thread preempts ordinary threads when it wakes up. model_loop_run() leaves
 * the processor to ordinary threads from time to time.
 *
 * Return: 0 or a negative errno, -EPERM without the permission.
 */
int model_loop_realtime(void)
{
	struct sched_param param = { .sched_priority = 1 };

	return sched_setscheduler(0, SCHED_RR, &param) ? -errno : 0;
}

/**
 * model_loop_run - run until model_loop_stop()
 * @loop: the loop
 *
 * Return: 0, or a negative errno if waiting failed.
 */
int model_loop_run(struct model_loop *loop)
{
	int err = 0;

	loop->stop = false;
	while (!loop->stop && !err)
		err = loop_turn(loop);
	return err;
}
