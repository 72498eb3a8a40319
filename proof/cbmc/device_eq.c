// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The device against a hostile host: the ring and the record of an event queue,
 * as model/core/event.c uses them, compiled unchanged. Stubs stand for the
 * translated memory of ring and record, which has any contents, for the timer
 * and for interrupts: they check where the device writes. The order of arming
 * and interrupt is in proof/spin/arm_eq.pml.
 *
 * A device that enters the fatal state raises an event, by the same functions
 * that found the reason. So that CBMC need not follow this recursion, bus
 * mastering is off in all theorems but one, and the device then raises no event
 * of the fatal state. The theorem about the event of the fatal state is
 * fatal_event_is_written, for any state of the event queue in which the other
 * functions raise it.
 *
 * CBMC: --unwind 3 --slice-formula
 */

#include <stdlib.h>

#define realloc(old, size)	no_memory(old, size)

#include "proof.h"
#include "device_objects.h"

static void *no_memory(void *old, size_t size)
{
	(void)old;
	(void)size;
	return NULL;
}

#include "core/event.c"

/* Room for asynchronous events that wait */
#define WAITING_MAX	3

static struct model_device dev;
static struct model_eq eq;
static struct model_cq cq = { .eq = &eq };

/* Entries written, with the last one and its position; interrupts */
static u32 writes, interrupts;
static u64 write_off;
static struct xrdma_eqe slot;
static struct xrdma_eqe kept[WAITING_MAX];

/* A word of the record, of any contents, or an entry of the ring */
void *model_mem_ptr(struct model_device *device, struct model_mem *mem, u64 off,
		    size_t *len, bool write)
{
	static __le32 word;

	PROVE(device == &dev && dev.live && write == (mem == &eq.ring));
	if (nondet_truth())
		return NULL;
	if (mem == &eq.ring) {
		PROVE(*len == sizeof(slot));
		writes++;
		write_off = off;
		return &slot;
	}
	PROVE(mem == &eq.rec && *len == 4 && off % 4 == 0);
	PROVE(off + *len <= sizeof(struct xrdma_cq_rec));
	word = nondet_u32();
	return &word;
}

void model_host_error(struct model_host_errors *herr,
		      enum model_host_error_kind kind, const char *fmt, ...)
{
	(void)herr;
	(void)fmt;
	PROVE(kind == MODEL_HERR_EQ_INDEX);
}

bool model_chaos_eqe(struct model_chaos *chaos, struct xrdma_eqe *eqe)
{
	(void)chaos;
	(void)eqe;
	return false;
}

u64 model_device_clock(const struct model_device *device)
{
	(void)device;
	return nondet_u64();
}

int model_timer_arm(struct model_loop *loop, struct model_timer *timer,
		    u64 deadline_ns)
{
	(void)loop;
	(void)deadline_ns;
	PROVE(timer == &dev.slow_timer);
	return nondet_int();
}

void model_device_irq(struct model_device *device, unsigned int vector)
{
	PROVE(device == &dev && vector == eq.vector && writes);
	interrupts++;
}

static void any_queue(void)
{
	struct model_eq any;

	eq = any;	/* not initialised: any contents */
	eq.dead = nondet_truth();
	eq.waiting = kept;
	eq.max_waiting = WAITING_MAX;
	TAILQ_INIT(&eq.pending);
	dev.eqs[0] = nondet_truth() ? &eq : NULL;
	dev.live = nondet_truth();
	dev.regs.status = XRDMA_STATUS_ENABLED;
	ASSUME(eq.num_waiting <= WAITING_MAX);
	ASSUME(eq.log_depth >= XRDMA_EQ_LOG_MIN);
	ASSUME(eq.log_depth <= XRDMA_EQ_LOG_MAX);
	ASSUME(xrdma_ring_used(eq.pi, eq.ci) <= 1U << eq.log_depth);
}

/* What holds after each event. @pi, @ci: indexes before. */
static void check_ring(u32 pi, u32 ci)
{
	u32 unread = xrdma_ring_used(pi, ci);

	PROVE(xrdma_ring_used(eq.pi, eq.ci) <= 1U << eq.log_depth);
	PROVE(xrdma_ring_used(pi, eq.ci) <= unread);
	PROVE(writes <= 1 && eq.pi == pi + writes && interrupts <= writes);
	if (!writes)
		return;
	PROVE(xrdma_ring_used(pi, eq.ci) < 1U << eq.log_depth);
	PROVE(write_off ==
	      (u64)(pi & ((1U << eq.log_depth) - 1)) * sizeof(slot));
	PROVE(le32_to_cpu(slot.own) == (~(pi >> eq.log_depth) & 1));
}

/*
 * Theorem: Whatever consumer index the host writes, the device writes an
 *	asynchronous event only where the event queue has room: at the producer
 *	index, inside of the ring, over no event that the host has not read. An
 *	event without room waits, and those that wait go first; no event is
 *	lost, except that the device enters the fatal state. With a wrong index
 *	or out of reach the device enters the fatal state.
 * Holds for: all events, indexes, contents of the record and depths; up to 3
 *	events that wait.
 * Assumes: at most as many events as the ring has are not read, which the
 *	theorem shows to stay true; an event queue out of reach or with a wrong
 *	index belongs to a device in the fatal state; no memory for a fourth
 *	event that waits; model_chaos_eqe() adds nothing; theorem
 *	fatal_event_is_written for the event of the fatal state.
 */
static void asynchronous_events_are_not_lost(void)
{
	u8 event = nondet_u8();
	u32 number = nondet_u32(), pi, ci, waiting;
	bool live;

	any_queue();
	ASSUME(!eq.dead || !dev.live);
	pi = eq.pi;
	ci = eq.ci;
	waiting = eq.num_waiting;
	live = dev.live && dev.eqs[0];
	model_event(&dev, event, number);
	REACHABLE(writes && interrupts && dev.live);
	REACHABLE(eq.num_waiting == 3 && waiting == 2 && dev.live);
	REACHABLE(live && !dev.live && waiting == 3);
	check_ring(pi, ci);
	PROVE(!writes || (!waiting && live));
	PROVE(!writes || !dev.live || (slot.event == event &&
				       le32_to_cpu(slot.number) == number));
	PROVE(!live || !dev.live || writes + eq.num_waiting == waiting + 1);
	PROVE(!live || !dev.live || writes ||
	      (kept[waiting].event == event && dev.eqs_stalled &&
	       le32_to_cpu(kept[waiting].number) == number));
}

/*
 * Theorem: Whatever consumer index the host writes, the completion event of a
 *	completion queue is written where the event queue has room, or waits; a
 *	queue of which an event waits raises no second one.
 * Holds for: all indexes, contents of the record and depths.
 * Assumes: as asynchronous_events_are_not_lost; no other completion queue
 *	waits.
 */
static void completion_events_are_not_lost(void)
{
	u32 pi, ci;
	bool live, waits = nondet_truth();

	any_queue();
	ASSUME(!eq.dead || !dev.live);
	cq.cqn = nondet_u32();
	if (waits) {
		cq.event_pending = true;
		TAILQ_INSERT_TAIL(&eq.pending, &cq, pending);
	}
	pi = eq.pi;
	ci = eq.ci;
	live = dev.live;
	model_eq_comp(&dev, &cq);
	REACHABLE(writes && interrupts && dev.live);
	REACHABLE(!waits && cq.event_pending && dev.live);
	check_ring(pi, ci);
	PROVE(!writes || (!waits && live));
	PROVE(!writes || !dev.live ||
	      (slot.event == XRDMA_EVENT_CQ_COMP &&
	       le32_to_cpu(slot.number) == cq.cqn));
	PROVE(!live || !dev.live || waits || writes != cq.event_pending);
	PROVE(TAILQ_FIRST(&eq.pending) == (cq.event_pending ? &cq : NULL));
	PROVE(!cq.event_pending || !TAILQ_NEXT(&cq, pending));
}

/*
 * Theorem: A fault record is written only if at least half of the event queue
 *	has room, so that fault records leave room for other events; otherwise
 *	it is counted as lost, and the next record that is written has this
 *	count.
 * Holds for: all records, indexes, contents of the record of the queue, and
 *	depths.
 * Assumes: as asynchronous_events_are_not_lost; fewer than 2^32 - 1 records are
 *	lost one after the other.
 */
static void fault_records_leave_room(void)
{
	struct xrdma_eqe record;
	u32 pi, ci, lost;
	bool live, kept_it;

	any_queue();
	ASSUME(!eq.dead || !dev.live);
	pi = eq.pi;
	ci = eq.ci;
	lost = eq.lost;
	live = dev.live && dev.eqs[0];
	ASSUME(lost < UINT32_MAX);
	kept_it = model_eq_fault(&dev, &record);
	REACHABLE(writes && lost > 1 && dev.live);
	REACHABLE(!kept_it && dev.live);
	check_ring(pi, ci);
	PROVE(live || kept_it);
	PROVE(!live || !dev.live || writes == kept_it);
	PROVE(!live || kept_it || eq.lost == lost + 1);
	if (writes) {
		PROVE(xrdma_ring_used(pi, eq.ci) <= 1U << (eq.log_depth - 1));
		PROVE(le32_to_cpu(slot.lost) == lost && !eq.lost);
	}
}

/*
 * Theorem: A device that enters the fatal state writes the event of the fatal
 *	state only where the event queue has room, and not if the event queue is
 *	out of reach, if it has a wrong index, or if other events wait; an
 *	interrupt only follows the event. Then the device is not live.
 * Holds for: the two codes of event.c; all indexes, contents of the record and
 *	depths; up to 3 events that wait; event queues that are out of reach or
 *	have a wrong index.
 * Assumes: at most as many events as the ring has are not read, which the
 *	theorem shows to stay true; no memory for a fourth event that waits;
 *	model_chaos_eqe() adds nothing.
 */
static void fatal_event_is_written(void)
{
	u32 pi, ci, waiting;
	bool live, dead;

	any_queue();
	dev.bus_master = true;
	pi = eq.pi;
	ci = eq.ci;
	waiting = eq.num_waiting;
	live = dev.live && dev.eqs[0];
	dead = eq.dead;
	/* With constants, CBMC sees that the function is not called again. */
	if (nondet_truth())
		model_device_fatal(&dev, XRDMA_FATAL_DMA);
	else
		model_device_fatal(&dev, XRDMA_FATAL_INTERNAL);
	REACHABLE(writes && interrupts);
	REACHABLE(live && !dead && eq.dead && !writes);
	REACHABLE(waiting == 2 && eq.num_waiting == 3);
	check_ring(pi, ci);
	PROVE(!dev.live && dev.regs.status & XRDMA_STATUS_FATAL);
	PROVE(!writes || (live && !dead && !waiting));
	PROVE(!writes || (slot.event == XRDMA_EVENT_DEVICE_FATAL &&
			  !slot.number));
}
