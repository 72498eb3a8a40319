// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues. Their memory may belong to a user, so the record is
 * checked: a wrong value puts the queue into the error state, not the device.
 * The contents of entries are in completion.c, completion events in event.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/xrdma-ring.h>

#include "core/cq.h"
#include "core/device.h"
#include "core/inject.h"
#include "xrdma_xlat.h"

static void period_over(void *opaque);

/* Bytes of the structure before @own, which is written last. */
#define CQE_BODY	offsetof(struct xrdma_cqe, own)

static bool params_ok(const struct xrdma_cmd_create_cq *p)
{
	static const u8 zero[sizeof(p->reserved)];
	u64 root = le64_to_cpu(p->root);
	u64 size;

	if (p->log_depth < XRDMA_CQ_LOG_MIN ||
	    p->log_depth > MODEL_CQ_LOG_MAX ||
	    memcmp(p->reserved, zero, sizeof(zero)))
		return false;
	size = xrdma_cq_rec_offset(p->log_depth) + sizeof(struct xrdma_cq_rec);
	return xrdma_root_ok(root) && xrdma_root_covers(root, size - 1);
}

/* Set up ring and record. Return: false if they are out of reach. */
static bool init_memory(struct model_device *dev, struct model_cq *cq,
			const struct xrdma_cmd_create_cq *p)
{
	u64 ring_size = xrdma_cq_rec_offset(p->log_depth);

	model_mem_init(&cq->ring, le64_to_cpu(p->root), 0, ring_size, 0);
	model_mem_init(&cq->rec, le64_to_cpu(p->root), ring_size,
		       sizeof(struct xrdma_cq_rec), 0);
	cq->log_depth = p->log_depth;
	return !model_mem_probe(dev, &cq->ring, true) &&
	       !model_mem_probe(dev, &cq->rec, false);
}

/**
 * model_cq_create - CREATE_CQ
 * @dev: the device
 * @p: body of the command
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_cq_create(struct model_device *dev,
				      const struct xrdma_cmd_create_cq *p)
{
	struct model_eq *eq = model_eq_get(dev, le32_to_cpu(p->eqn));
	u32 cqn = le32_to_cpu(p->cqn);
	struct model_cq *cq;

	if (cqn >= MODEL_MAX_CQ || dev->cqs[cqn] || !eq)
		return XRDMA_CMD_BAD_NUMBER;
	if (!params_ok(p) || le32_to_cpu(p->db_page) >= XRDMA_NUM_DB_PAGES)
		return XRDMA_CMD_BAD_PARAM;
	if (eq == dev->pager.eq)
		return XRDMA_CMD_BUSY;
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return XRDMA_CMD_NO_RESOURCE;
	if (!init_memory(dev, cq, p)) {
		free(cq);
		return XRDMA_CMD_BAD_DMA;
	}
	cq->dev = dev;
	cq->cqn = cqn;
	cq->db_page = le32_to_cpu(p->db_page);
	cq->eq = eq;
	cq->timer.fn = period_over;
	cq->timer.opaque = cq;
	TAILQ_INIT(&cq->late);
	TAILQ_INIT(&cq->senders);
	TAILQ_INIT(&cq->receivers);
	TAILQ_INIT(&cq->srqs);
	eq->users++;
	dev->cqs[cqn] = cq;
	return XRDMA_CMD_OK;
}

static void drop_late(struct model_device *dev, struct model_cq *cq)
{
	struct model_late_cqe *first;

	model_timer_cancel(dev->params.loop, &cq->late_timer);
	while ((first = TAILQ_FIRST(&cq->late)) != NULL) {
		TAILQ_REMOVE(&cq->late, first, link);
		free(first);
	}
}

static void cq_free(struct model_device *dev, struct model_cq *cq)
{
	model_inject_forget(&dev->inject, BIT(MODEL_INJECT_CQ_OVERRUN),
			    cq->cqn);
	drop_late(dev, cq);
	model_timer_cancel(dev->params.loop, &cq->timer);
	model_eq_forget(cq);
	cq->eq->users--;
	dev->cqs[cq->cqn] = NULL;
	free(cq);
}

static bool in_use(const struct model_cq *cq)
{
	return !TAILQ_EMPTY(&cq->senders) || !TAILQ_EMPTY(&cq->receivers) ||
	       !TAILQ_EMPTY(&cq->srqs);
}

/**
 * model_cq_destroy - DESTROY_CQ
 * @dev: the device
 * @cqn: number
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_cq_destroy(struct model_device *dev, u32 cqn)
{
	struct model_cq *cq = model_cq_get(dev, cqn);

	if (!cq)
		return XRDMA_CMD_BAD_NUMBER;
	if (in_use(cq))
		return XRDMA_CMD_BUSY;
	cq_free(dev, cq);
	return XRDMA_CMD_OK;
}

/**
 * model_cqs_reset - destroy all completion queues
 * @dev: the device; its queue pairs are destroyed
 */
void model_cqs_reset(struct model_device *dev)
{
	u32 i;

	for (i = 0; i < MODEL_MAX_CQ; i++)
		if (dev->cqs[i])
			cq_free(dev, dev->cqs[i]);
}

/* Move the queue to the error state, once, and its queue pairs to ERR. */
static void cq_fail(struct model_device *dev, struct model_cq *cq)
{
	if (cq->dead)
		return;
	cq->dead = true;
	model_event(dev, XRDMA_EVENT_CQ_ERR, cq->cqn);
	dev->cq_failed(dev, cq);
}

static bool read_rec(struct model_device *dev, struct model_cq *cq, u64 off,
		     enum model_pcie_use use, u32 *value)
{
	size_t len = sizeof(__le32);
	const __le32 *ptr = model_mem_ptr(dev, &cq->rec, off, &len, false);

	if (!ptr)
		return false;
	model_dev_pcie(dev, use, false, sizeof(*ptr));
	*value = le32_to_cpu(__atomic_load_n(ptr, __ATOMIC_ACQUIRE));
	return true;
}

static bool full(const struct model_cq *cq)
{
	return !xrdma_ring_free(cq->pi, cq->ci, cq->log_depth);
}

static bool has_room(struct model_device *dev, struct model_cq *cq)
{
	u32 ci;

	if (!full(cq))
		return true;
	if (!read_rec(dev, cq, offsetof(struct xrdma_cq_rec, ci),
		      MODEL_PCIE_INDEX, &ci))
		return false;
	if (xrdma_ring_used(cq->pi, ci) > xrdma_ring_used(cq->pi, cq->ci)) {
		dev->user_errors++;
		return false;
	}
	cq->ci = ci;
	return !full(cq);
}

static void fire(struct model_device *dev, struct model_cq *cq, u32 arm)
{
	cq->fired = arm;
	cq->held = 0;
	model_timer_cancel(dev->params.loop, &cq->timer);
	model_eq_comp(dev, cq);
}

/*
 * Find the arm word. With shadow doorbells it is in the record, and the host may
 * write it while the device writes an entry.
 * Return: false if the record is out of reach.
 */
static bool read_arm(struct model_device *dev, struct model_cq *cq, u32 *arm)
{
	if (!dev->shadow_db) {
		*arm = cq->arm;
		return true;
	}
	/* Orders the write of the entry before the read of the arm word. The
	 * host writes the arm word, then reads the entry. So the device sees
	 * the arm word, or the host sees the entry.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return read_rec(dev, cq, offsetof(struct xrdma_cq_rec, arm),
			MODEL_PCIE_ARM, arm);
}

/* Called when the moderation period is over, or the parameters have changed. */
static void period_over(void *opaque)
{
	struct model_cq *cq = opaque;
	u32 arm;

	if (!cq->held || !model_device_live(cq->dev))
		return;
	if (!read_arm(cq->dev, cq, &arm))
		cq_fail(cq->dev, cq);
	else if (arm != cq->fired && arm & XRDMA_ARM_TYPE_MASK)
		fire(cq->dev, cq, arm);
	cq->held = 0;
}

/* Apply moderation. Return: true if the event of this entry has to wait. */
static bool hold(struct model_device *dev, struct model_cq *cq)
{
	if (++cq->held >= cq->count)
		return false;
	if (cq->held > 1 || !cq->period_us)
		return true;
	return !model_timer_arm(dev->params.loop, &cq->timer,
				model_device_clock(dev) +
				cq->period_us * 1000ULL);
}

/* An entry was written: raise an event if the queue is armed again. */
static void written(struct model_device *dev, struct model_cq *cq, bool error,
		    bool solicited)
{
	u32 arm, type;

	if (error || solicited)
		cq->urgent = cq->pi;
	if (!read_arm(dev, cq, &arm)) {
		cq_fail(dev, cq);
		return;
	}
	type = arm & XRDMA_ARM_TYPE_MASK;
	if (arm == cq->fired)
		return;
	if (type != XRDMA_ARM_NEXT &&
	    !(type == XRDMA_ARM_SOLICITED && (solicited || error)))
		return;
	if (cq->count > 1 && !error && hold(dev, cq))
		return;
	fire(dev, cq, arm);
}

/**
 * model_cq_arm - arm a queue, by a doorbell
 * @dev: the device
 * @cq: the queue
 * @type: XRDMA_ARM_NEXT or XRDMA_ARM_SOLICITED
 * @index: index of the first entry that the host has not seen
 *
 * The event is raised at once if an entry that asks for it has been written since.
 *
 * Return: false if @index is beyond the next entry; then the queue is not armed.
 */
bool model_cq_arm(struct model_device *dev, struct model_cq *cq, u32 type,
		  u32 index)
{
	u32 last = type == XRDMA_ARM_SOLICITED ? cq->urgent : cq->pi;
	u32 unseen = cq->pi - index;

	if (unseen >> 31)
		return false;
	cq->arm = xrdma_arm_next(cq->arm, type);
	if (cq->pi - last < unseen && !cq->dead && model_device_live(dev))
		fire(dev, cq, cq->arm);
	return true;
}

/* Return: 0, or -EPIPE if the queue has no room or is in the error state. */
static int write_entry(struct model_device *dev, struct model_cq *cq,
		       const struct xrdma_cqe *tmpl)
{
	u64 off = (u64)xrdma_ring_slot(cq->pi, cq->log_depth) * sizeof(*tmpl);
	size_t len = sizeof(*tmpl);
	struct xrdma_cqe *slot = NULL;

	if (cq->dead || !model_device_live(dev))
		return -EPIPE;
	if (has_room(dev, cq))
		slot = model_mem_ptr(dev, &cq->ring, off, &len, true);
	if (!slot) {
		cq_fail(dev, cq);
		return -EPIPE;
	}
	model_dev_pcie(dev, MODEL_PCIE_CQE, true, sizeof(*slot));
	memcpy(slot, tmpl, CQE_BODY);
	if (!tmpl->timestamp)
		slot->timestamp = cpu_to_le64(model_device_clock(dev));
	__atomic_store_n(&slot->own,
			 cpu_to_le32(xrdma_ring_phase(cq->pi, cq->log_depth)),
			 __ATOMIC_RELEASE);
	cq->pi++;
	written(dev, cq, tmpl->status,
		le16_to_cpu(tmpl->flags) & XRDMA_CQE_SOLICITED);
	return 0;
}

/* A fault of inject.h: the queue has no room for this entry. */
static bool overruns(struct model_device *dev, struct model_cq *cq)
{
	struct model_inject fault;

	if (!dev->inject.num || cq->dead ||
	    !model_inject_step(&dev->inject, MODEL_INJECT_CQ_OVERRUN, cq->cqn,
			       &fault))
		return false;
	cq_fail(dev, cq);
	return true;
}

/**
 * model_cq_push - write a completion
 * @dev: the device
 * @cq: the queue
 * @tmpl: the entry, without phase; timestamp 0: the time of the write
 *
 * If the queue has no room, it enters the error state, and all its queue pairs
 * are in ERR on return, including the caller's; see model_qps_cq_failed() for a
 * completion that is written while queue pairs are flushed.
 *
 * Return: 0, or -EPIPE if the completion is lost.
 */
int model_cq_push(struct model_device *dev, struct model_cq *cq,
		  const struct xrdma_cqe *tmpl)
{
	struct xrdma_cqe cqe = *tmpl;
	unsigned int times = model_chaos_cqe(&dev->chaos, &cqe);
	int err = 0;

	if (overruns(dev, cq))
		return -EPIPE;
	while (!err && times--)
		err = write_entry(dev, cq, &cqe);
	return err;
}

/**
 * model_cq_resize - RESIZE_CQ
 * @dev: the device
 * @p: body of the command
 * @index: index of the first entry that is written to the new ring
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_cq_resize(struct model_device *dev,
				      const struct xrdma_cmd_create_cq *p,
				      u32 *index)
{
	struct model_cq *cq = model_cq_get(dev, le32_to_cpu(p->cqn));
	struct model_cq new;
	u32 ci;

	if (!cq)
		return XRDMA_CMD_BAD_NUMBER;
	if (!params_ok(p) || p->eqn || p->db_page)
		return XRDMA_CMD_BAD_PARAM;
	if (!init_memory(dev, &new, p) ||
	    !read_rec(dev, &new, offsetof(struct xrdma_cq_rec, ci),
		      MODEL_PCIE_COMMAND, &ci))
		return XRDMA_CMD_BAD_DMA;
	if (xrdma_ring_used(cq->pi, ci) > 1U << p->log_depth ||
	    xrdma_ring_used(cq->pi, ci) > xrdma_ring_used(cq->pi, cq->ci))
		return XRDMA_CMD_BAD_STATE;
	cq->ring = new.ring;
	cq->rec = new.rec;
	cq->log_depth = new.log_depth;
	cq->ci = ci;
	*index = cq->pi;
	return XRDMA_CMD_OK;
}

/**
 * model_cq_modify - MODIFY_CQ
 * @dev: the device
 * @p: body of the command
 *
 * An event that waits because of moderation is raised at once.
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_cq_modify(struct model_device *dev,
				      const struct xrdma_cmd_modify_cq *p)
{
	struct model_cq *cq = model_cq_get(dev, le32_to_cpu(p->cqn));

	if (!cq)
		return XRDMA_CMD_BAD_NUMBER;
	cq->count = le16_to_cpu(p->count);
	cq->period_us = le16_to_cpu(p->period);
	model_timer_cancel(dev->params.loop, &cq->timer);
	period_over(cq);
	return XRDMA_CMD_OK;
}
