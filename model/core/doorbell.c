// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Doorbells: when the device looks at a send queue. A queue pair that was rung
 * is active: it is polled each turn, until it has been quiet for a while or
 * the loop goes to sleep. Queue pairs in error are looked at now and then,
 * because receives have no doorbell.
 */
#include <string.h>

#include "core/device.h"
#include "core/qp.h"

/* A queue pair without work for so long is not polled any more. */
#define QUIET_NS	500000

/*
 * Tell the host up to which index the device has looked, and look once more.
 * True if the queue pair has work after all.
 */
static bool stay_awake(struct model_qp *qp)
{
	size_t len = sizeof(__le32);
	__le32 *event;

	event = model_mem_ptr(qp->dev, &qp->rec,
			      offsetof(struct xrdma_qp_rec, sq_event), &len,
			      true);
	if (!event) {
		model_qp_error(qp, XRDMA_EVENT_QP_FATAL);
		return false;
	}
	__atomic_store_n(event, cpu_to_le32(qp->sq.pi), __ATOMIC_RELAXED);
	/* sq_event is written before sq_pi is read; the host writes sq_pi and
	 * then reads sq_event: one of the two sees the other.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return model_qp_fetch(qp, &qp->sq) > 0;
}

static bool sleepy(struct model_qp *qp)
{
	if (stay_awake(qp))
		return false;
	model_qp_deactivate(qp);
	return true;
}

/* SQD: the event is due once nothing is in flight. */
static void check_drained(struct model_qp *qp)
{
	if (qp->drained || qp->state != XRDMA_QPS_SQD || !qp->ops->idle(qp))
		return;
	qp->drained = true;
	model_event(qp->dev, XRDMA_EVENT_QP_SQ_DRAINED, qp->qpn);
}

static bool turn(struct model_qp *qp)
{
	u64 now = model_device_clock(qp->dev);
	int moved = model_qp_fetch(qp, &qp->sq);
	bool worked;

	if (moved < 0)
		return true;
	worked = qp->ops->run(qp) || moved;
	check_drained(qp);
	if (!qp->active)
		return worked;
	if (worked)
		qp->last_work_ns = now;
	else if (now - qp->last_work_ns > QUIET_NS)
		worked = !sleepy(qp);
	return worked;
}

/**
 * model_qps_poll - let each active queue pair do some work
 * @dev: the device
 *
 * Return: true if one had any.
 */
bool model_qps_poll(struct model_device *dev)
{
	u32 n = dev->num_active;
	struct model_qp *qp;
	bool worked = false;

	/* a turn may take any queue pair off the list, so go round by its head */
	while (n-- && (qp = TAILQ_FIRST(&dev->active))) {
		TAILQ_REMOVE(&dev->active, qp, link);
		TAILQ_INSERT_TAIL(&dev->active, qp, link);
		worked |= turn(qp);
	}
	return worked;
}

/**
 * model_qps_park - put all queue pairs to sleep
 * @dev: the device
 *
 * Return: true if one has work: the loop must not sleep.
 */
bool model_qps_park(struct model_device *dev)
{
	u32 n = dev->num_active;
	struct model_qp *qp;

	while (n-- && (qp = TAILQ_FIRST(&dev->active))) {
		TAILQ_REMOVE(&dev->active, qp, link);
		TAILQ_INSERT_TAIL(&dev->active, qp, link);
		sleepy(qp);
	}
	return dev->num_active;
}

/**
 * model_qps_poll_errors - flush what was posted to queue pairs in error
 * @dev: the device
 *
 * Return: true if there was anything.
 */
bool model_qps_poll_errors(struct model_device *dev)
{
	struct model_qp *qp;
	bool worked = false;

	TAILQ_FOREACH(qp, &dev->errors, error_link)
		worked |= model_qp_flush(qp);
	return worked;
}

static void ring(struct model_device *dev, u32 page, u32 value)
{
	struct model_qp *qp = model_qp_get(dev, value);

	if (!qp || qp->db_page != page) {
		if (!page)
			model_dev_herr(dev, DOORBELL_QP, "QPN %#x", value);
		else
			dev->db_errors++;
		return;
	}
	if (qp->state == XRDMA_QPS_ERR || qp->state == XRDMA_QPS_SQE)
		model_qp_flush(qp);
	else
		model_qp_activate(qp);
}

/* An access that is none: the kernel's page is the kernel's fault. */
static void bad_access(struct model_device *dev, u64 off, size_t len,
		       const char *how)
{
	if (off / XRDMA_DB_PAGE_SIZE)
		dev->db_errors++;
	else
		model_dev_herr(dev, DOORBELL_RANGE, "%s of %zu bytes at %#llx",
			       how, len, off);
}

/**
 * model_doorbell_write - write to BAR 2
 * @dev: the device
 * @off: offset in the BAR
 * @buf: little-endian
 * @len: 1, 2, 4 or 8
 */
void model_doorbell_write(struct model_device *dev, u64 off, const void *buf,
			  size_t len)
{
	u32 page = off / XRDMA_DB_PAGE_SIZE;
	__le32 value;

	if (off % XRDMA_DB_PAGE_SIZE != XRDMA_DB_SQ || len != sizeof(value)) {
		bad_access(dev, off, len, "write");
		return;
	}
	if (!model_device_enabled(dev)) {
		bad_access(dev, off, len, "write before ENABLE");
		return;
	}
	memcpy(&value, buf, sizeof(value));
	ring(dev, page, le32_to_cpu(value));
}

/**
 * model_doorbell_read - read from BAR 2, where nothing can be read
 * @dev: the device
 * @off: offset in the BAR
 * @buf: gets zeros
 * @len: 1, 2, 4 or 8
 */
void model_doorbell_read(struct model_device *dev, u64 off, void *buf,
			 size_t len)
{
	memset(buf, 0, len);
	bad_access(dev, off, len, "read");
}
