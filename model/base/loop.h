/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The event loop: the one thread of the device process.
 *
 * It waits for file descriptors and timers, and polls the engine. For a while
 * after the last work or event it spins, for as long as that pays; an idle
 * device sleeps. Everything in this process runs from this loop, so nothing
 * needs a lock. Knows nothing of what the descriptors carry.
 */
#ifndef MODEL_LOOP_H
#define MODEL_LOOP_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct model_loop;

/**
 * struct model_watch - a file descriptor in the loop
 * @fd: the descriptor; owned by the caller
 * @fn: called with the EPOLL* events that are ready
 * @opaque: first argument of @fn
 *
 * The caller fills and owns it, and keeps it until model_loop_unwatch().
 */
struct model_watch {
	int fd;
	void (*fn)(void *opaque, u32 events);
	void *opaque;
};

/**
 * struct model_timer - a one-shot timer
 * @fn: called once when the deadline has passed; may arm the timer again
 * @opaque: first argument of @fn
 * @deadline_ns: private
 * @slot: private; 0 when not armed
 *
 * Zero it, set @fn and @opaque, then model_timer_arm().
 */
struct model_timer {
	void (*fn)(void *opaque);
	void *opaque;
	u64 deadline_ns;
	size_t slot;
};

/**
 * struct model_loop_engine - what the loop polls
 * @poll: do a bounded amount of work; true if there was any
 * @park: the loop is about to sleep: arrange to be woken by a doorbell or a
 *	descriptor. True if new work appeared, and the loop must not sleep.
 */
struct model_loop_engine {
	bool (*poll)(void *opaque);
	bool (*park)(void *opaque);
};

/**
 * struct model_loop_stats - how the loop spent its turns
 * @turns: turns in all
 * @busy: turns in which the engine worked
 * @sleeps: times it blocked
 * @refused: times the engine refused to park
 */
struct model_loop_stats {
	u64 turns;
	u64 busy;
	u64 sleeps;
	u64 refused;
};

/** MODEL_LOOP_SPIN_NS - default time to spin after the last work or event */
#define MODEL_LOOP_SPIN_NS	100000

struct model_loop *model_loop_create(u64 spin_ns);
void model_loop_destroy(struct model_loop *loop);
void model_loop_set_engine(struct model_loop *loop,
			   const struct model_loop_engine *engine,
			   void *opaque);
int model_loop_run(struct model_loop *loop);
void model_loop_stop(struct model_loop *loop);
u64 model_loop_now(const struct model_loop *loop);
const struct model_loop_stats *model_loop_stats(const struct model_loop *loop);

int model_loop_watch(struct model_loop *loop, struct model_watch *watch,
		     u32 events);
int model_loop_rewatch(struct model_loop *loop, struct model_watch *watch,
		       u32 events);
void model_loop_unwatch(struct model_loop *loop, struct model_watch *watch);

int model_timer_arm(struct model_loop *loop, struct model_timer *timer,
		    u64 deadline_ns);
void model_timer_cancel(struct model_loop *loop, struct model_timer *timer);
bool model_timer_armed(const struct model_timer *timer);

#endif /* MODEL_LOOP_H */
