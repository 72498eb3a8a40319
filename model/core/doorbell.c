// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Doorbells, and polling of active queue pairs. The doorbell of a send queue makes
 * its queue pair active: the device polls it each turn, until it has had no work
 * for QUIET_NS or the loop sleeps. The slow timer polls queue pairs in error,
 * because receives have no doorbell. The list of active queue pairs is in
 * active.c, flushing in qp_error.c, push pages in push.c.
 */
#include <string.h>

#include "core/device.h"
#include "core/qp.h"

/* Longest time for which a queue pair without work is polled, in nanoseconds */
#define QUIET_NS	500000

/*
 * Write the producer index that the device has read to sq_event, so that the
 * host rings the doorbell for later entries.
 * Return: false if the record is out of reach; then the queue pair is in ERR.
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
	model_dev_pcie(qp->dev, MODEL_PCIE_INDEX, true, sizeof(*event));
	__atomic_store_n(event, cpu_to_le32(qp->sq.pi), __ATOMIC_RELAXED);
	/* Orders the write of sq_event before the read of sq_pi. The host
	 * writes sq_pi, then reads sq_event. So the device sees the new sq_pi,
	 * or the host sees sq_event and rings the doorbell.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return true;
}

/*
 * With shadow doorbells an entry that was posted before the host saw sq_event has
 * no doorbell: read the producer index once more.
 */
static bool deactivate_if_idle(struct model_qp *qp)
{
	if (qp->dev->shadow_db && !write_sq_event(qp))
		return true;
	if (model_qp_fetch(qp, &qp->sq) > 0)
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

/*
 * Count a wrong doorbell in the page of a process.
 * Return: false for page 0, the page of the kernel: the doorbell is a host error.
 */
static bool count_of_process(struct model_device *dev, u32 page)
{
	if (page)
		dev->db_errors++;
	return page;
}

/*
 * Keep the producer index of a doorbell. An index that arrives in RESET was posted
 * before the change to RESET. Doorbells from two processors may arrive in either
 * order: an index below the last one is older.
 * Return: true if the index is above that of the last doorbell.
 */
static bool keep_pi(struct model_qp *qp, u32 pi)
{
	if (qp->state == XRDMA_QPS_RESET || pi == qp->rung_pi ||
	    (pi - qp->rung_pi) >> 31)
		return false;
	qp->rung_pi = pi;
	return true;
}

static void bad_sq(struct model_device *dev, u32 page,
		   const struct model_qp *qp, u64 db)
{
	if (count_of_process(dev, page))
		return;
	if (!qp || qp->db_page != page)
		model_dev_herr(dev, DOORBELL_QP, "QPN %#llx",
			       db & XRDMA_QPN_MASK);
	else
		model_dev_herr(dev, DOORBELL_PUSH, "send doorbell %#llx", db);
}

static void ring_sq(struct model_device *dev, u32 page, u64 db)
{
	u32 qpn = db & XRDMA_QPN_MASK;
	struct model_qp *qp = model_qp_get(dev, qpn);
	bool newer;

	if (!qp || qp->db_page != page || !model_push_ok(dev, db)) {
		bad_sq(dev, page, qp, db);
		return;
	}
	newer = keep_pi(qp, xrdma_db_index(db));
	if (qp->state == XRDMA_QPS_ERR || qp->state == XRDMA_QPS_SQE) {
		model_qp_flush(qp);
		return;
	}
	if (newer)
		model_push_take(qp, db);
	model_qp_activate(qp);
}

static void bad_arming(struct model_device *dev, u32 page, const char *queue,
		       u64 db)
{
	if (!count_of_process(dev, page))
		model_dev_herr(dev, DOORBELL_ARM, "%s doorbell %#llx", queue,
			       db);
}

static u32 arm_type(u64 db)
{
	return (u32)db >> XRDMA_DB_TYPE_SHIFT;
}

static void arm_cq(struct model_device *dev, u32 page, u64 db)
{
	struct model_cq *cq = model_cq_get(dev, db & XRDMA_QPN_MASK);
	u32 type = arm_type(db);

	if (!cq || cq->db_page != page ||
	    (type != XRDMA_ARM_NEXT && type != XRDMA_ARM_SOLICITED) ||
	    !model_cq_arm(dev, cq, type, xrdma_db_index(db)))
		bad_arming(dev, page, "CQ", db);
}

static void arm_eq(struct model_device *dev, u32 page, u64 db)
{
	struct model_eq *eq = model_eq_get(dev, db & XRDMA_QPN_MASK);

	if (page || !eq || arm_type(db) != XRDMA_ARM_NEXT ||
	    !model_eq_arm(dev, eq, xrdma_db_index(db)))
		bad_arming(dev, page, "EQ", db);
}

static void bad_access(struct model_device *dev, u64 off, size_t len,
		       const char *how)
{
	if (!count_of_process(dev, off / XRDMA_DB_PAGE_SIZE))
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
	u32 page = off / XRDMA_DB_PAGE_SIZE, at = off % XRDMA_DB_PAGE_SIZE;
	__le64 db;

	if (off >= XRDMA_BAR_DB_PUSH) {
		model_push_write(dev, off - XRDMA_BAR_DB_PUSH, buf, len);
		return;
	}
	if (!model_device_enabled(dev)) {
		bad_access(dev, off, len, "write before ENABLE");
		return;
	}
	if (len != sizeof(db) ||
	    (at != XRDMA_DB_SQ &&
	     (dev->shadow_db || (at != XRDMA_DB_CQ && at != XRDMA_DB_EQ)))) {
		bad_access(dev, off, len, "write");
		return;
	}
	model_dev_pcie(dev, MODEL_PCIE_DOORBELL, true, len);
	memcpy(&db, buf, sizeof(db));
	if (at == XRDMA_DB_SQ)
		ring_sq(dev, page, le64_to_cpu(db));
	else if (at == XRDMA_DB_CQ)
		arm_cq(dev, page, le64_to_cpu(db));
	else
		arm_eq(dev, page, le64_to_cpu(db));
}

/**
 * model_doorbell_read - handle a read from BAR 2, which is legal in push pages only
 * @dev: the device
 * @off: offset in the BAR
 * @buf: set to zeros
 * @len: 1, 2, 4 or 8
 */
void model_doorbell_read(struct model_device *dev, u64 off, void *buf,
			 size_t len)
{
	memset(buf, 0, len);
	if (off < XRDMA_BAR_DB_PUSH)
		bad_access(dev, off, len, "read");
}
