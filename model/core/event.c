// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Events: writes the entries of event queues, keeps events without room, and
 * implements the fatal state, which the device announces by an event. Event
 * queues belong to the kernel, so an event queue that is out of reach or
 * corrupt puts the device into the fatal state.
 *
 * Creation and destruction of event queues are in eq.c.
 */
#include <stdlib.h>
#include <string.h>
#include <rdma/xrdma-ring.h>

#include "core/device.h"
#include "core/eq.h"

/* Bytes of the structure before @own, which is written last. */
#define EQE_BODY	offsetof(struct xrdma_eqe, own)

static void eq_fail(struct model_device *dev, struct model_eq *eq, u8 code)
{
	eq->dead = true;
	model_device_fatal(dev, code);
}

/* Read a word of the record; false if the device entered the fatal state. */
static bool read_rec(struct model_device *dev, struct model_eq *eq, u64 off,
		     enum model_pcie_use use, u32 *value)
{
	size_t len = sizeof(__le32);
	const __le32 *ptr = model_mem_ptr(dev, &eq->rec, off, &len, false);

	if (!ptr) {
		eq_fail(dev, eq, XRDMA_FATAL_DMA);
		return false;
	}
	model_dev_pcie(dev, use, false, sizeof(*ptr));
	*value = le32_to_cpu(__atomic_load_n(ptr, __ATOMIC_ACQUIRE));
	return true;
}

static u32 room(const struct model_eq *eq)
{
	return xrdma_ring_free(eq->pi, eq->ci, eq->log_depth);
}

/* Read the consumer index; false if the device entered the fatal state. */
static bool refresh(struct model_device *dev, struct model_eq *eq)
{
	u32 ci;

	if (!read_rec(dev, eq, offsetof(struct xrdma_cq_rec, ci),
		      MODEL_PCIE_INDEX, &ci))
		return false;
	if (xrdma_ring_used(eq->pi, ci) > xrdma_ring_used(eq->pi, eq->ci)) {
		model_dev_herr(dev, EQ_INDEX,
			       "EQ %u: consumer index %#x, was %#x, producer %#x",
			       eq->eqn, ci, eq->ci, eq->pi);
		eq_fail(dev, eq, XRDMA_FATAL_INTERNAL);
		return false;
	}
	eq->ci = ci;
	return true;
}

static bool has_room(struct model_device *dev, struct model_eq *eq, u32 want)
{
	if (eq->dead)
		return false;
	return room(eq) >= want || (refresh(dev, eq) && room(eq) >= want);
}

/* Find the arm word; false if the device entered the fatal state. */
static bool read_arm(struct model_device *dev, struct model_eq *eq, u32 *arm)
{
	if (!dev->shadow_db) {
		*arm = eq->arm;
		return true;
	}
	/* Orders the write of the entry before the read of the arm word. The
	 * host writes the arm word, then reads the entry. So the device sees
	 * the arm word, or the host sees the entry.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return read_rec(dev, eq, offsetof(struct xrdma_cq_rec, arm),
			MODEL_PCIE_ARM, arm);
}

/* Raise the vector if the host has armed the queue again. */
static void fire(struct model_device *dev, struct model_eq *eq)
{
	u32 arm;

	if (!read_arm(dev, eq, &arm))
		return;
	if ((arm & XRDMA_ARM_TYPE_MASK) == XRDMA_ARM_NONE || arm == eq->fired)
		return;
	eq->fired = arm;
	model_device_irq(dev, eq->vector);
}

/* Write @eqe to a queue that has room, and set its timestamp and phase. */
static void write_one(struct model_device *dev, struct model_eq *eq,
		      struct xrdma_eqe *eqe)
{
	u64 off = (u64)xrdma_ring_slot(eq->pi, eq->log_depth) * sizeof(*eqe);
	size_t len = sizeof(*eqe);
	struct xrdma_eqe *slot;

	slot = model_mem_ptr(dev, &eq->ring, off, &len, true);
	if (!slot) {
		eq_fail(dev, eq, XRDMA_FATAL_DMA);
		return;
	}
	eqe->timestamp = cpu_to_le64(model_device_clock(dev));
	model_dev_pcie(dev, MODEL_PCIE_EQE, true, sizeof(*slot));
	memcpy(slot, eqe, EQE_BODY);
	__atomic_store_n(&slot->own,
			 cpu_to_le32(xrdma_ring_phase(eq->pi, eq->log_depth)),
			 __ATOMIC_RELEASE);
	eq->pi++;
	fire(dev, eq);
}

/* As write_one(); may also write a false event, see model_chaos_eqe(). */
static void write_entry(struct model_device *dev, struct model_eq *eq,
			struct xrdma_eqe *eqe)
{
	struct xrdma_eqe extra = *eqe;

	write_one(dev, eq, eqe);
	if (model_chaos_eqe(&dev->chaos, &extra) && has_room(dev, eq, 1))
		write_one(dev, eq, &extra);
}

/**
 * model_eq_arm - arm a queue, by a doorbell
 * @dev: the device
 * @eq: the queue
 * @index: index of the first event that the host has not seen
 *
 * The vector is raised at once if that event has been written.
 *
 * Return: false if @index is beyond the next event; then the queue is not armed.
 */
bool model_eq_arm(struct model_device *dev, struct model_eq *eq, u32 index)
{
	u32 unseen = eq->pi - index;

	if (unseen >> 31)
		return false;
	eq->arm = xrdma_arm_next(eq->arm, XRDMA_ARM_NEXT);
	if (unseen && !eq->dead && model_device_live(dev))
		fire(dev, eq);
	return true;
}

/**
 * model_eq_comp - raise the completion event of a CQ
 * @dev: the device
 * @cq: the queue; nothing happens if an event of the queue already waits for
 *	room
 */
void model_eq_comp(struct model_device *dev, struct model_cq *cq)
{
	struct xrdma_eqe eqe = {
		.event = XRDMA_EVENT_CQ_COMP,
		.number = cpu_to_le32(cq->cqn),
	};
	struct model_eq *eq = cq->eq;

	if (cq->event_pending || !model_device_live(dev))
		return;
	if (TAILQ_EMPTY(&eq->pending) && has_room(dev, eq, 1)) {
		write_entry(dev, eq, &eqe);
		return;
	}
	cq->event_pending = true;
	TAILQ_INSERT_TAIL(&eq->pending, cq, pending);
	dev->eqs_stalled = true;
	model_device_slow_work(dev);
}

/**
 * model_eq_forget - drop the event of a CQ that waits for room, if any
 * @cq: the queue, before its destruction or before its event is written
 */
void model_eq_forget(struct model_cq *cq)
{
	if (!cq->event_pending)
		return;
	TAILQ_REMOVE(&cq->eq->pending, cq, pending);
	cq->event_pending = false;
}

/* Keep an asynchronous event until the queue has room. */
static void wait_for_room(struct model_device *dev, struct model_eq *eq,
			  const struct xrdma_eqe *eqe)
{
	struct xrdma_eqe *waiting;
	u32 max;

	if (eq->num_waiting == eq->max_waiting) {
		max = eq->max_waiting ? eq->max_waiting * 2 : 64;
		waiting = max > MODEL_EQ_MAX_WAITING ? NULL :
			  realloc(eq->waiting, max * sizeof(*waiting));
		if (!waiting) {
			model_device_fatal(dev, XRDMA_FATAL_INTERNAL);
			return;
		}
		eq->waiting = waiting;
		eq->max_waiting = max;
	}
	eq->waiting[eq->num_waiting++] = *eqe;
	dev->eqs_stalled = true;
	model_device_slow_work(dev);
}

/**
 * model_event - raise an asynchronous event
 * @dev: the device
 * @event: enum xrdma_event, except CQ_COMP and FAULT
 * @number: number of the object
 *
 * The event is lost if event queue 0 does not exist.
 */
void model_event(struct model_device *dev, u8 event, u32 number)
{
	struct xrdma_eqe eqe = {
		.event = event,
		.number = cpu_to_le32(number),
	};
	struct model_eq *eq = dev->eqs[0];

	if (!eq || !model_device_live(dev))
		return;
	if (!eq->num_waiting && has_room(dev, eq, 1))
		write_entry(dev, eq, &eqe);
	else
		wait_for_room(dev, eq, &eqe);
}

/**
 * model_eq_fault - write a fault record, or drop it
 * @dev: the device
 * @record: the record, without @lost, timestamp and phase
 *
 * Records are dropped while less than half of the queue is free, so that a
 * hostile peer cannot fill up the queue, which has other events too.
 *
 * Return: false if the record was dropped because of a lack of room.
 */
bool model_eq_fault(struct model_device *dev, struct xrdma_eqe *record)
{
	struct model_eq *eq = dev->eqs[0];

	if (!eq || !model_device_live(dev))
		return true;
	if (!has_room(dev, eq, 1U << (eq->log_depth - 1))) {
		eq->lost++;
		return false;
	}
	record->lost = cpu_to_le32(eq->lost);
	eq->lost = 0;
	write_entry(dev, eq, record);
	return true;
}

/**
 * model_eq_page_fault - write a PAGE_FAULT event, or drop it
 * @dev: the device
 * @eq: event queue of page faults
 * @event: the event, without timestamp and phase
 *
 * Return: false if the event was dropped. The queue has room unless the driver
 * has not read events for longer than a page fault remains without an answer.
 */
bool model_eq_page_fault(struct model_device *dev, struct model_eq *eq,
			 struct xrdma_eqe *event)
{
	if (!model_device_live(dev) || !has_room(dev, eq, 1))
		return false;
	write_entry(dev, eq, event);
	return true;
}

static void retry_waiting(struct model_device *dev, struct model_eq *eq)
{
	u32 n = 0;

	while (n < eq->num_waiting && has_room(dev, eq, 1))
		write_entry(dev, eq, &eq->waiting[n++]);
	eq->num_waiting -= n;
	memmove(eq->waiting, eq->waiting + n,
		eq->num_waiting * sizeof(*eq->waiting));
}

static void retry_pending(struct model_device *dev, struct model_eq *eq)
{
	struct xrdma_eqe eqe = { .event = XRDMA_EVENT_CQ_COMP };
	struct model_cq *cq;

	while ((cq = TAILQ_FIRST(&eq->pending)) && has_room(dev, eq, 1)) {
		model_eq_forget(cq);
		eqe.number = cpu_to_le32(cq->cqn);
		write_entry(dev, eq, &eqe);
	}
}

/**
 * model_eqs_retry - write the waiting events for which event queues have room
 * @dev: the device
 */
void model_eqs_retry(struct model_device *dev)
{
	struct model_eq *eq;
	u32 i;

	dev->eqs_stalled = false;
	for (i = 0; i < MODEL_MAX_EQ && model_device_live(dev); i++) {
		eq = dev->eqs[i];
		if (!eq)
			continue;
		if (eq->num_waiting)
			retry_waiting(dev, eq);
		retry_pending(dev, eq);
		if (eq->num_waiting || !TAILQ_EMPTY(&eq->pending))
			dev->eqs_stalled = true;
	}
}

/**
 * model_device_fatal - enter the fatal state
 * @dev: the device; its objects exist until the reset, but do nothing
 * @code: XRDMA_FATAL_*
 */
void model_device_fatal(struct model_device *dev, u8 code)
{
	if (dev->regs.status & XRDMA_STATUS_FATAL)
		return;
	dev->regs.status |= XRDMA_STATUS_FATAL |
			    FIELD_PREP(XRDMA_STATUS_CODE, code);
	if (dev->bus_master)
		model_event(dev, XRDMA_EVENT_DEVICE_FATAL, 0);
	dev->live = false;
}

/**
 * model_device_slow_work - start the slow timer, at its shortest interval
 * @dev: the device
 */
void model_device_slow_work(struct model_device *dev)
{
	if (!dev->live)
		return;
	dev->slow_ns = MODEL_SLOW_NS_MIN;
	if (model_timer_arm(dev->params.loop, &dev->slow_timer,
			    model_device_clock(dev) + dev->slow_ns))
		model_device_fatal(dev, XRDMA_FATAL_INTERNAL);
}
