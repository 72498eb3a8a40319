/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The event loop: the one thread of the device process.
 *
 * It waits for file descriptors and timers, and polls the engine. For a while
 * after the last work or event it spins, for as long as that pays; an idle
 * device sleeps. Everything in this process runs from this loop, so nothing
 * needs a lock. Knows nothing of what the descriptors carry.
 */
#ifndef XRDMA_MODEL_LOOP_H
#define XRDMA_MODEL_LOOP_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct xrdma_loop;

/**
 * struct xrdma_watch - a file descriptor in the loop
 * @fd: the descriptor; owned by the caller
 * @fn: called with the EPOLL* events that are ready
 * @opaque: first argument of @fn
 *
 * The caller fills and owns it, and keeps it until xrdma_loop_unwatch().
 */
struct xrdma_watch {
	int fd;
	void (*fn)(void *opaque, u32 events);
	void *opaque;
};

/**
 * struct xrdma_timer - a one-shot timer
 * @fn: called once when the deadline has passed; may arm the timer again
 * @opaque: first argument of @fn
 * @deadline_ns: private
 * @slot: private; 0 when not armed
 *
 * Zero it, set @fn and @opaque, then xrdma_timer_arm().
 */
struct xrdma_timer {
	void (*fn)(void *opaque);
	void *opaque;
	u64 deadline_ns;
	size_t slot;
};

/**
 * struct xrdma_loop_engine - what the loop polls
 * @poll: do a bounded amount of work; true if there was any
 * @park: the loop is about to sleep: arrange to be woken by a doorbell or a
 *	descriptor. True if new work appeared, and the loop must not sleep.
 */
struct xrdma_loop_engine {
	bool (*poll)(void *opaque);
	bool (*park)(void *opaque);
};

/**
 * struct xrdma_loop_stats - how the loop spent its turns
 * @turns: turns in all
 * @busy: turns in which the engine worked
 * @sleeps: times it blocked
 * @refused: times the engine refused to park
 */
struct xrdma_loop_stats {
	u64 turns;
	u64 busy;
	u64 sleeps;
	u64 refused;
};

/** XRDMA_LOOP_SPIN_NS - default time to spin after the last work or event */
#define XRDMA_LOOP_SPIN_NS	100000

struct xrdma_loop *xrdma_loop_create(u64 spin_ns);
void xrdma_loop_destroy(struct xrdma_loop *loop);
void xrdma_loop_set_engine(struct xrdma_loop *loop,
			   const struct xrdma_loop_engine *engine,
			   void *opaque);
int xrdma_loop_run(struct xrdma_loop *loop);
void xrdma_loop_stop(struct xrdma_loop *loop);
u64 xrdma_loop_now(const struct xrdma_loop *loop);
const struct xrdma_loop_stats *xrdma_loop_stats(const struct xrdma_loop *loop);

int xrdma_loop_watch(struct xrdma_loop *loop, struct xrdma_watch *watch,
		     u32 events);
int xrdma_loop_rewatch(struct xrdma_loop *loop, struct xrdma_watch *watch,
		       u32 events);
void xrdma_loop_unwatch(struct xrdma_loop *loop, struct xrdma_watch *watch);

int xrdma_timer_arm(struct xrdma_loop *loop, struct xrdma_timer *timer,
		    u64 deadline_ns);
void xrdma_timer_cancel(struct xrdma_loop *loop, struct xrdma_timer *timer);
bool xrdma_timer_armed(const struct xrdma_timer *timer);

#endif /* XRDMA_MODEL_LOOP_H */
