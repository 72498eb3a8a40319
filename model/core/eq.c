// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Event queues. A queue that is out of reach or corrupt is the kernel's fault
 * and puts the device into the fatal state.
 */
#include <stdlib.h>
#include <string.h>

#include "core/device.h"
#include "core/eq.h"
#include "xrdma_ring.h"
#include "xrdma_xlat.h"

/* Start of the contract structure, up to the word that is written last. */
#define EQE_BODY	offsetof(struct xrdma_eqe, own)

/**
 * xrdma_eq_get - event queue of a number
 * @dev: the device
 * @eqn: any number
 *
 * Return: the queue, or NULL.
 */
struct xrdma_eq *xrdma_eq_get(struct xrdma_device *dev, u32 eqn)
{
	return eqn < XRDMA_MAX_EQ ? dev->eqs[eqn] : NULL;
}

static enum xrdma_cmd_status check_params(struct xrdma_device *dev,
					  const struct xrdma_cmd_create_eq *p)
{
	u64 root = le64_to_cpu(p->root);
	u32 eqn = le32_to_cpu(p->eqn);
	u64 size;

	if (eqn >= XRDMA_MAX_EQ || dev->eqs[eqn])
		return XRDMA_CMD_BAD_NUMBER;
	if (p->log_depth < XRDMA_EQ_LOG_MIN ||
	    p->log_depth > XRDMA_EQ_LOG_MAX || p->reserved ||
	    le16_to_cpu(p->vector) >= dev->params.vectors)
		return XRDMA_CMD_BAD_PARAM;
	size = xrdma_cq_rec_offset(p->log_depth) + sizeof(struct xrdma_cq_rec);
	if (!xrdma_root_ok(root) || !xrdma_root_covers(root, size - 1))
		return XRDMA_CMD_BAD_PARAM;
	return XRDMA_CMD_OK;
}

/* Is the memory there, and zeroed where the device will write? */
static enum xrdma_cmd_status check_memory(struct xrdma_device *dev,
					  struct xrdma_eq *eq, u32 eqn)
{
	if (xrdma_mem_probe(dev, &eq->ring, true) ||
	    xrdma_mem_probe(dev, &eq->rec, false))
		return XRDMA_CMD_BAD_DMA;
	if (xrdma_mem_is_zero(dev, &eq->ring))
		return XRDMA_CMD_OK;
	xrdma_dev_herr(dev, RING_DIRTY, "EQ %u", eqn);
	return XRDMA_CMD_BAD_PARAM;
}

/**
 * xrdma_eq_create - CREATE_EQ
 * @dev: the device
 * @p: body of the command
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status xrdma_eq_create(struct xrdma_device *dev,
				      const struct xrdma_cmd_create_eq *p)
{
	enum xrdma_cmd_status status = check_params(dev, p);
	u64 ring_size = xrdma_cq_rec_offset(p->log_depth);
	struct xrdma_eq *eq;

	if (status)
		return status;
	eq = calloc(1, sizeof(*eq));
	if (!eq)
		return XRDMA_CMD_NO_RESOURCE;
	xrdma_mem_init(&eq->ring, le64_to_cpu(p->root), 0, ring_size, 0);
	xrdma_mem_init(&eq->rec, le64_to_cpu(p->root), ring_size,
		       sizeof(struct xrdma_cq_rec), 0);
	status = check_memory(dev, eq, le32_to_cpu(p->eqn));
	if (status) {
		free(eq);
		return status;
	}
	eq->eqn = le32_to_cpu(p->eqn);
	eq->vector = le16_to_cpu(p->vector);
	eq->log_depth = p->log_depth;
	TAILQ_INIT(&eq->pending);
	dev->eqs[eq->eqn] = eq;
	return XRDMA_CMD_OK;
}

static void eq_free(struct xrdma_device *dev, struct xrdma_eq *eq)
{
	dev->eqs[eq->eqn] = NULL;
	free(eq->waiting);
	free(eq);
}

/**
 * xrdma_eq_destroy - DESTROY_EQ
 * @dev: the device
 * @eqn: number
 *
 * Events that wait for room in it are lost.
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status xrdma_eq_destroy(struct xrdma_device *dev, u32 eqn)
{
	struct xrdma_eq *eq = xrdma_eq_get(dev, eqn);

	if (!eq)
		return XRDMA_CMD_BAD_NUMBER;
	if (eq->users)
		return XRDMA_CMD_BUSY;
	eq_free(dev, eq);
	return XRDMA_CMD_OK;
}

/**
 * xrdma_eqs_reset - forget all event queues
 * @dev: the device; its CQs are gone
 */
void xrdma_eqs_reset(struct xrdma_device *dev)
{
	u32 i;

	for (i = 0; i < XRDMA_MAX_EQ; i++)
		if (dev->eqs[i])
			eq_free(dev, dev->eqs[i]);
	dev->eqs_stalled = false;
}

static void die(struct xrdma_device *dev, struct xrdma_eq *eq, u8 code)
{
	eq->dead = true;
	xrdma_device_fatal(dev, code);
}

/* Read a word of the record; false if that killed the device. */
static bool read_rec(struct xrdma_device *dev, struct xrdma_eq *eq, u64 off,
		     u32 *value)
{
	size_t len = sizeof(__le32);
	const __le32 *ptr = xrdma_mem_ptr(dev, &eq->rec, off, &len, false);

	if (!ptr) {
		die(dev, eq, XRDMA_FATAL_DMA);
		return false;
	}
	*value = le32_to_cpu(__atomic_load_n(ptr, __ATOMIC_ACQUIRE));
	return true;
}

static u32 room(const struct xrdma_eq *eq)
{
	return xrdma_ring_free(eq->pi, eq->ci, eq->log_depth);
}

/* See how far the host has come; false if that killed the device. */
static bool refresh(struct xrdma_device *dev, struct xrdma_eq *eq)
{
	u32 ci;

	if (!read_rec(dev, eq, offsetof(struct xrdma_cq_rec, ci), &ci))
		return false;
	if (xrdma_ring_used(eq->pi, ci) > xrdma_ring_used(eq->pi, eq->ci)) {
		xrdma_dev_herr(dev, EQ_INDEX,
			       "EQ %u: consumer index %#x, was %#x, producer %#x",
			       eq->eqn, ci, eq->ci, eq->pi);
		die(dev, eq, XRDMA_FATAL_INTERNAL);
		return false;
	}
	eq->ci = ci;
	return true;
}

static bool has_room(struct xrdma_device *dev, struct xrdma_eq *eq, u32 want)
{
	if (eq->dead)
		return false;
	return room(eq) >= want || (refresh(dev, eq) && room(eq) >= want);
}

/* Raise the vector if the host has armed the queue anew. */
static void fire(struct xrdma_device *dev, struct xrdma_eq *eq)
{
	u32 arm;

	/* The entry is written before the arm word is read; the host arms and
	 * then reads the entry: one of the two sees the other.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!read_rec(dev, eq, offsetof(struct xrdma_cq_rec, arm), &arm))
		return;
	if ((arm & XRDMA_ARM_TYPE_MASK) == XRDMA_ARM_NONE || arm == eq->fired)
		return;
	eq->fired = arm;
	xrdma_device_irq(dev, eq->vector);
}

/* There is room. @eqe gets timestamp and phase. */
static void write_one(struct xrdma_device *dev, struct xrdma_eq *eq,
		      struct xrdma_eqe *eqe)
{
	u64 off = (u64)xrdma_ring_slot(eq->pi, eq->log_depth) * sizeof(*eqe);
	size_t len = sizeof(*eqe);
	struct xrdma_eqe *slot;

	slot = xrdma_mem_ptr(dev, &eq->ring, off, &len, true);
	if (!slot) {
		die(dev, eq, XRDMA_FATAL_DMA);
		return;
	}
	eqe->timestamp = cpu_to_le64(xrdma_device_clock(dev));
	memcpy(slot, eqe, EQE_BODY);
	__atomic_store_n(&slot->own,
			 cpu_to_le32(xrdma_ring_phase(eq->pi, eq->log_depth)),
			 __ATOMIC_RELEASE);
	eq->pi++;
	fire(dev, eq);
}

/* Write one entry; there is room. @eqe gets timestamp and phase. */
static void write_entry(struct xrdma_device *dev, struct xrdma_eq *eq,
			struct xrdma_eqe *eqe)
{
	struct xrdma_eqe extra = *eqe;

	write_one(dev, eq, eqe);
	if (xrdma_chaos_eqe(&dev->chaos, &extra) && has_room(dev, eq, 1))
		write_one(dev, eq, &extra);
}

/**
 * xrdma_eq_comp - raise the completion event of a CQ
 * @dev: the device
 * @cq: the queue; if an event of it still waits for room, that one will do
 */
void xrdma_eq_comp(struct xrdma_device *dev, struct xrdma_cq *cq)
{
	struct xrdma_eqe eqe = {
		.event = XRDMA_EVENT_CQ_COMP,
		.number = cpu_to_le32(cq->cqn),
	};
	struct xrdma_eq *eq = cq->eq;

	if (cq->event_pending || !xrdma_device_live(dev))
		return;
	if (TAILQ_EMPTY(&eq->pending) && has_room(dev, eq, 1)) {
		write_entry(dev, eq, &eqe);
		return;
	}
	cq->event_pending = true;
	TAILQ_INSERT_TAIL(&eq->pending, cq, pending);
	dev->eqs_stalled = true;
	xrdma_device_slow_work(dev);
}

/**
 * xrdma_eq_forget - a CQ goes: its event waits no more
 * @cq: the queue
 */
void xrdma_eq_forget(struct xrdma_cq *cq)
{
	if (!cq->event_pending)
		return;
	TAILQ_REMOVE(&cq->eq->pending, cq, pending);
	cq->event_pending = false;
}

/* Keep an asynchronous event until there is room. */
static void wait_for_room(struct xrdma_device *dev, struct xrdma_eq *eq,
			  const struct xrdma_eqe *eqe)
{
	struct xrdma_eqe *waiting;
	u32 max;

	if (eq->num_waiting == eq->max_waiting) {
		max = eq->max_waiting ? eq->max_waiting * 2 : 64;
		waiting = max > XRDMA_EQ_MAX_WAITING ? NULL :
			  realloc(eq->waiting, max * sizeof(*waiting));
		if (!waiting) {
			xrdma_device_fatal(dev, XRDMA_FATAL_INTERNAL);
			return;
		}
		eq->waiting = waiting;
		eq->max_waiting = max;
	}
	eq->waiting[eq->num_waiting++] = *eqe;
	dev->eqs_stalled = true;
	xrdma_device_slow_work(dev);
}

/**
 * xrdma_event - raise an asynchronous event
 * @dev: the device
 * @event: enum xrdma_event, but not CQ_COMP and not FAULT
 * @number: of the object
 *
 * Lost if there is no event queue 0.
 */
void xrdma_event(struct xrdma_device *dev, u8 event, u32 number)
{
	struct xrdma_eqe eqe = {
		.event = event,
		.number = cpu_to_le32(number),
	};
	struct xrdma_eq *eq = dev->eqs[0];

	if (!eq || !xrdma_device_live(dev))
		return;
	if (!eq->num_waiting && has_room(dev, eq, 1))
		write_entry(dev, eq, &eqe);
	else
		wait_for_room(dev, eq, &eqe);
}

/**
 * xrdma_eq_fault - write a fault record, or lose it
 * @dev: the device
 * @record: all of it but @lost, timestamp and phase
 *
 * A hostile peer must not crowd out other events: records are dropped while
 * less than half of the queue is free.
 *
 * Return: false if it is lost.
 */
bool xrdma_eq_fault(struct xrdma_device *dev, struct xrdma_eqe *record)
{
	struct xrdma_eq *eq = dev->eqs[0];

	if (!eq || !xrdma_device_live(dev))
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

static void retry_waiting(struct xrdma_device *dev, struct xrdma_eq *eq)
{
	u32 n = 0;

	while (n < eq->num_waiting && has_room(dev, eq, 1))
		write_entry(dev, eq, &eq->waiting[n++]);
	eq->num_waiting -= n;
	memmove(eq->waiting, eq->waiting + n,
		eq->num_waiting * sizeof(*eq->waiting));
}

static void retry_pending(struct xrdma_device *dev, struct xrdma_eq *eq)
{
	struct xrdma_eqe eqe = { .event = XRDMA_EVENT_CQ_COMP };
	struct xrdma_cq *cq;

	while ((cq = TAILQ_FIRST(&eq->pending)) && has_room(dev, eq, 1)) {
		xrdma_eq_forget(cq);
		eqe.number = cpu_to_le32(cq->cqn);
		write_entry(dev, eq, &eqe);
	}
}

/**
 * xrdma_eqs_retry - write what has waited, as far as there is room now
 * @dev: the device
 */
void xrdma_eqs_retry(struct xrdma_device *dev)
{
	struct xrdma_eq *eq;
	u32 i;

	dev->eqs_stalled = false;
	for (i = 0; i < XRDMA_MAX_EQ && xrdma_device_live(dev); i++) {
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
