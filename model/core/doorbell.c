// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Doorbells of queue pairs, and polling of active queue pairs. A doorbell makes
 * a queue pair active: the device polls it each turn, until it has had no work
 * for QUIET_NS or the loop sleeps. The slow timer polls queue pairs in error,
 * because receives have no doorbell. The list of active queue pairs is in
 * active.c, flushing in qp_error.c.
 */
#include <string.h>

#include "core/device.h"
#include "core/qp.h"

/* Longest time for which a queue pair without work is polled, in nanoseconds */
#define QUIET_NS	500000

/*
 * Write the producer index that the device has read to sq_event, so that the
 * host rings the doorbell for later entries, and read the producer index again.
 * Return: true if the queue pair has work.
 */
static bool write_sq_event(struct model_qp *qp)
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
	/* Orders the write of sq_event before the read of sq_pi. The host
	 * writes sq_pi, then reads sq_event. So the device sees the new sq_pi,
	 * or the host sees sq_event and rings the doorbell.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return model_qp_fetch(qp, &qp->sq) > 0;
}

static bool deactivate_if_idle(struct model_qp *qp)
{
	if (write_sq_event(qp))
		return false;
	model_qp_deactivate(qp);
	return true;
}

/* Raise SQ_DRAINED in SQD when no send entry is in progress. */
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
		worked = !deactivate_if_idle(qp);
	return worked;
}

/**
 * model_qps_poll - do a bounded amount of work for each active queue pair
 * @dev: the device
 *
 * Return: true if a queue pair had work.
 */
bool model_qps_poll(struct model_device *dev)
{
	u32 n = dev->num_active;
	struct model_qp *qp;
	bool worked = false;

	/*
	 * turn() may remove any queue pair from the list: take the head again
	 */
	while (n-- && (qp = TAILQ_FIRST(&dev->active))) {
		TAILQ_REMOVE(&dev->active, qp, link);
		TAILQ_INSERT_TAIL(&dev->active, qp, link);
		worked |= turn(qp);
	}
	return worked;
}

/**
 * model_qps_park - deactivate all queue pairs without work
 * @dev: the device
 *
 * Return: true if a queue pair has work and the loop must not sleep.
 */
bool model_qps_park(struct model_device *dev)
{
	u32 n = dev->num_active;
	struct model_qp *qp;

	while (n-- && (qp = TAILQ_FIRST(&dev->active))) {
		TAILQ_REMOVE(&dev->active, qp, link);
		TAILQ_INSERT_TAIL(&dev->active, qp, link);
		deactivate_if_idle(qp);
	}
	return dev->num_active;
}

/**
 * model_qps_poll_errors - flush entries that were posted to queue pairs in
 * error
 * @dev: the device
 *
 * Return: true if an entry was flushed.
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

/* An illegal access to page 0, the page of the kernel, is a host error. */
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
 * @buf: the value, little-endian
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
 * model_doorbell_read - handle a read from BAR 2, which is illegal
 * @dev: the device
 * @off: offset in the BAR
 * @buf: set to zeros
 * @len: 1, 2, 4 or 8
 */
void model_doorbell_read(struct model_device *dev, u64 off, void *buf,
			 size_t len)
{
	memset(buf, 0, len);
	bad_access(dev, off, len, "read");
}
