/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The event loop: the one thread of the device process.
 *
 * The loop waits for file descriptors and timers, and polls the engine. After
 * the last work or event the loop spins for a limited time, which loop.c adapts
 * to the load; then the loop sleeps. All code of this process runs in this
 * thread, so nothing needs a lock. The functions of struct model_watch read and
 * write the descriptors; the loop does not.
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
 * The caller fills and owns the structure, and keeps it until
 * model_loop_unwatch().
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
 * struct model_loop_engine - functions of the engine that the loop polls
 * @poll: do a bounded amount of work; return true if there was any work
 * @park: prepare for a sleep of the loop, so that a doorbell or a descriptor
 *	ends the sleep; return true if new work has arrived and the loop must
 *	not sleep
 */
struct model_loop_engine {
	bool (*poll)(void *opaque);
	bool (*park)(void *opaque);
};

/**
 * struct model_loop_stats - counters of the loop
 * @turns: number of turns
 * @busy: number of turns in which the engine worked
 * @sleeps: number of times the loop blocked
 * @refused: number of times @park of the engine had new work
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
int model_loop_realtime(void);
int model_loop_run(struct model_loop *loop);
void model_loop_stop(struct model_loop *loop);
u64 model_loop_now(const struct model_loop *loop);
u64 model_loop_clock(const struct model_loop *loop);
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
