// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work queues in memory: producer indexes and entries. The memory may belong to
 * a user, and may change at any time: each value is read once and checked, and
 * only the copy is used.
 *
 * qp_error.c and qp_queue.c move the queue pair to an error state for a bad
 * value.
 */
#include <errno.h>
#include <rdma/xrdma-ring.h>

#include "core/device.h"
#include "core/qp.h"

static void report(struct model_qp *qp, const char *what, u32 value,
		   const struct model_wq *wq)
{
	if (qp->flags & XRDMA_QP_KERNEL)
		model_dev_herr(qp->dev, WQ_INDEX,
			       "QP %#x: %s %#x, was %#x, completed %#x",
			       qp->qpn, what, value, wq->pi, wq->ci);
	else
		qp->dev->user_errors++;
}

/*
 * Read a producer index, which was @old. The index of a send queue comes with the doorbell, unless
 * the host uses shadow doorbells; all others are in the record.
 * Return: false if the record is out of reach.
 */
static bool read_pi(struct model_qp *qp, bool send, u32 old, u32 *pi)
{
	u64 off = send ? offsetof(struct xrdma_qp_rec, sq_pi) :
			 offsetof(struct xrdma_qp_rec, rq_pi);
	size_t len = sizeof(__le32);
	const __le32 *ptr;

	if (send && !qp->dev->shadow_db) {
		*pi = qp->rung_pi;
		return true;
	}
	ptr = model_mem_ptr(qp->dev, &qp->rec, off, &len, false);
	if (!ptr)
		return false;
	*pi = le32_to_cpu(__atomic_load_n(ptr, __ATOMIC_ACQUIRE));
	model_dev_pcie(qp->dev,
		       *pi == old ? MODEL_PCIE_POLL : MODEL_PCIE_INDEX, false,
		       sizeof(*ptr));
	return true;
}

/**
 * model_wq_fetch() - read the producer index of a work queue
 * @qp: the queue pair
 * @wq: send queue or receive queue of @qp
 *
 * Return: 1 if model_wq.pi has changed, 0 if not; -EFAULT if the index is out
 * of reach, or corrupt, which is reported.
 */
int model_wq_fetch(struct model_qp *qp, struct model_wq *wq)
{
	bool send = wq == &qp->sq;
	u32 pi, used;

	if (!read_pi(qp, send, wq->pi, &pi))
		return -EFAULT;
	if (pi == wq->pi)
		return 0;
	used = xrdma_ring_used(pi, wq->ci);
	if (used > 1U << wq->log_depth ||
	    used < xrdma_ring_used(wq->pi, wq->ci)) {
		report(qp, send ? "sq_pi" : "rq_pi", pi, wq);
		return -EFAULT;
	}
	wq->pi = pi;
	return 1;
}

/**
 * model_rq_read() - copy the first bytes of the next receive entry
 * @qp: the queue pair
 * @buf: buffer for the bytes
 * @len: bytes, at most a stride
 *
 * Return: 0, or -EFAULT if the entry is out of reach.
 */
int model_rq_read(struct model_qp *qp, void *buf, size_t len)
{
	struct model_wq *rq = &qp->rq;
	u64 off = (u64)xrdma_ring_slot(rq->ci, rq->log_depth) << rq->log_stride;

	return model_mem_read(qp->dev, &rq->ring, off, buf, len);
}

/**
 * model_sq_read() - copy bytes of a send entry
 * @qp: the queue pair
 * @place: place of the first byte, in units of XRDMA_SQ_UNIT bytes
 * @buf: buffer for the bytes
 * @len: bytes, at most up to the end of the entry
 *
 * Return: 0, or -EFAULT if the entry is out of reach.
 */
int model_sq_read(struct model_qp *qp, u32 place, void *buf, size_t len)
{
	return model_mem_read(qp->dev, &qp->sq.ring,
			      (u64)place * XRDMA_SQ_UNIT, buf, len);
}

/**
 * model_sq_bytes() - length of a send entry
 * @qp: the queue pair
 * @wqe: copy of the first 32 bytes of the entry
 *
 * Return: number of bytes. An entry that is longer than its queue allows counts as one
 * of the longest entries; model_qp_check_send() refuses it.
 */
u32 model_sq_bytes(const struct model_qp *qp, const struct xrdma_sq_wqe *wqe)
{
	u32 units = xrdma_wqe_units(wqe->flags);

	if (units > qp->sq.units)
		units = qp->sq.units;
	return units * XRDMA_SQ_UNIT;
}

/**
 * model_sq_next() - place of the send entry behind another one
 * @qp: the queue pair
 * @place: place of the other entry, in units of XRDMA_SQ_UNIT bytes
 * @wqe: copy of the first 32 bytes of the other entry
 *
 * Return: the place.
 */
u32 model_sq_next(const struct model_qp *qp, u32 place,
		  const struct xrdma_sq_wqe *wqe)
{
	return xrdma_sq_next(place, model_sq_bytes(qp, wqe) / XRDMA_SQ_UNIT,
			     (u32)qp->sq.units << qp->sq.log_depth);
}

/**
 * model_sq_pass() - count the oldest send entry as complete
 * @qp: the queue pair
 * @wqe: copy of the first 32 bytes of the entry
 */
void model_sq_pass(struct model_qp *qp, const struct xrdma_sq_wqe *wqe)
{
	qp->sq.ci++;
	qp->sq.place = model_sq_next(qp, qp->sq.place, wqe);
}
