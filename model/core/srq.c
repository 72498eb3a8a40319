// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues. Their memory may belong to a user: a corrupt index, or
 * memory out of reach, puts the queue into the error state, not the device.
 * qp_queue.c takes entries for queue pairs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/xrdma-ring.h>

#include "core/device.h"
#include "core/srq.h"
#include "xrdma_xlat.h"

static u64 rec_offset(u8 log_depth, u8 log_stride)
{
	return ((1ULL << (log_depth + log_stride)) + 127) & ~127ULL;
}

static bool ring_ok(u64 root, u8 log_depth, u8 log_stride)
{
	u64 size;

	if (log_depth > MODEL_QP_LOG_WR_MAX ||
	    log_stride < XRDMA_RQ_LOG_STRIDE_MIN ||
	    log_stride > XRDMA_LOG_STRIDE_MAX)
		return false;
	size = rec_offset(log_depth, log_stride) + sizeof(struct xrdma_srq_rec);
	return xrdma_root_ok(root) && xrdma_root_covers(root, size - 1);
}

static bool params_ok(const struct model_device *dev,
		      const struct xrdma_cmd_create_srq *p)
{
	u32 xrcd = le32_to_cpu(p->xrcd);

	if (p->reserved[0] || p->reserved[1] ||
	    le32_to_cpu(p->pd) >= MODEL_MAX_PD || xrcd > XRDMA_XRCDN_MAX)
		return false;
	if (xrcd ? !(dev->caps & XRDMA_CAP_XRC) : p->cqn != 0)
		return false;
	if (!ring_ok(le64_to_cpu(p->root), p->log_depth, p->log_stride))
		return false;
	return le32_to_cpu(p->limit) <= 1U << p->log_depth;
}

/* Set up ring and record. Return: 0, or -EFAULT if they are out of reach. */
static int init_ring(struct model_device *dev, struct model_srq *srq, u64 root,
		     u8 log_depth)
{
	u8 log_stride = srq->wq.log_stride;
	u64 size = 1ULL << (log_depth + log_stride);

	srq->wq.log_depth = log_depth;
	model_mem_init(&srq->wq.ring, root, 0, size, 0);
	srq->wq.ring.use = MODEL_PCIE_ENTRY;
	model_mem_init(&srq->rec, root, rec_offset(log_depth, log_stride),
		       sizeof(struct xrdma_srq_rec), 0);
	if (model_mem_probe(dev, &srq->wq.ring, false) ||
	    model_mem_probe(dev, &srq->rec, true))
		return -EFAULT;
	return 0;
}

/**
 * model_srq_create - CREATE_SRQ
 * @dev: the device
 * @p: body of the command
 *
 * A new queue is empty, so the limit is checked when the first entry is taken.
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_srq_create(struct model_device *dev,
				       const struct xrdma_cmd_create_srq *p)
{
	u32 srqn = le32_to_cpu(p->srqn);
	struct model_cq *cq = NULL;
	struct model_srq *srq;

	if (srqn >= MODEL_MAX_SRQ || dev->srqs[srqn])
		return XRDMA_CMD_BAD_NUMBER;
	if (!params_ok(dev, p))
		return XRDMA_CMD_BAD_PARAM;
	if (p->xrcd) {
		cq = model_cq_get(dev, le32_to_cpu(p->cqn));
		if (!cq)
			return XRDMA_CMD_BAD_NUMBER;
	}
	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return XRDMA_CMD_NO_RESOURCE;
	srq->srqn = srqn;
	srq->pd = le32_to_cpu(p->pd);
	srq->xrcd = le32_to_cpu(p->xrcd);
	srq->cq = cq;
	srq->limit = le32_to_cpu(p->limit);
	srq->wq.log_stride = p->log_stride;
	if (init_ring(dev, srq, le64_to_cpu(p->root), p->log_depth)) {
		free(srq);
		return XRDMA_CMD_BAD_DMA;
	}
	TAILQ_INIT(&srq->qps);
	if (cq)
		TAILQ_INSERT_TAIL(&cq->srqs, srq, cq_link);
	dev->srqs[srqn] = srq;
	return XRDMA_CMD_OK;
}

static void srq_free(struct model_device *dev, struct model_srq *srq)
{
	if (srq->cq)
		TAILQ_REMOVE(&srq->cq->srqs, srq, cq_link);
	dev->srqs[srq->srqn] = NULL;
	free(srq);
}

/**
 * model_srq_destroy - DESTROY_SRQ
 * @dev: the device
 * @srqn: number
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_srq_destroy(struct model_device *dev, u32 srqn)
{
	struct model_srq *srq = model_srq_get(dev, srqn);

	if (!srq)
		return XRDMA_CMD_BAD_NUMBER;
	if (!srq->xrcd && !TAILQ_EMPTY(&srq->qps))
		return XRDMA_CMD_BUSY;
	model_qps_forget_srq(srq);
	srq_free(dev, srq);
	return XRDMA_CMD_OK;
}

/**
 * model_srqs_reset - destroy all shared receive queues
 * @dev: the device; its queue pairs are destroyed
 */
void model_srqs_reset(struct model_device *dev)
{
	u32 i;

	for (i = 0; i < MODEL_MAX_SRQ; i++)
		if (dev->srqs[i])
			srq_free(dev, dev->srqs[i]);
}

/* Return: pointer to a word of the record, NULL if it is out of reach. */
static __le32 *rec_word(struct model_device *dev, struct model_mem *rec,
			u64 off, bool write)
{
	size_t len = sizeof(__le32);

	return model_mem_ptr(dev, rec, off, &len, write);
}

/**
 * model_srq_fail() - move a queue to the error state
 * @dev: the device
 * @srq: the queue; it is empty from now on
 */
void model_srq_fail(struct model_device *dev, struct model_srq *srq)
{
	srq->dead = true;
	dev->user_errors++;
	model_event(dev, XRDMA_EVENT_SRQ_ERR, srq->srqn);
}

/* Read the producer index; false if it is corrupt or out of reach. */
static bool read_pi(struct model_device *dev, struct model_srq *srq)
{
	const __le32 *word = rec_word(dev, &srq->rec,
				      offsetof(struct xrdma_srq_rec, pi),
				      false);
	u32 pi, used;

	if (!word)
		return false;
	pi = le32_to_cpu(__atomic_load_n(word, __ATOMIC_ACQUIRE));
	model_dev_pcie(dev,
		       pi == srq->wq.pi ? MODEL_PCIE_POLL : MODEL_PCIE_INDEX,
		       false, sizeof(*word));
	used = xrdma_ring_used(pi, srq->wq.ci);
	if (used > 1U << srq->wq.log_depth ||
	    used < xrdma_ring_used(srq->wq.pi, srq->wq.ci))
		return false;
	srq->wq.pi = pi;
	return true;
}

static bool write_ci(struct model_device *dev, struct model_srq *srq)
{
	__le32 *word = rec_word(dev, &srq->rec,
				offsetof(struct xrdma_srq_rec, ci), true);

	if (!word)
		return false;
	model_dev_pcie(dev, MODEL_PCIE_INDEX, true, sizeof(*word));
	__atomic_store_n(word, cpu_to_le32(srq->wq.ci), __ATOMIC_RELEASE);
	return true;
}

static u32 left(const struct model_srq *srq)
{
	return xrdma_ring_used(srq->wq.pi, srq->wq.ci);
}

/**
 * model_srq_limit_reached() - raise SRQ_LIMIT, which ends the limit
 * @dev: the device
 * @srq: the queue
 */
void model_srq_limit_reached(struct model_device *dev, struct model_srq *srq)
{
	srq->limit = 0;
	model_event(dev, XRDMA_EVENT_SRQ_LIMIT, srq->srqn);
}

/*
 * Raise SRQ_LIMIT if fewer than @limit entries are left. Reads the producer
 * index first, since the host may have posted entries.
 */
static void check_limit(struct model_device *dev, struct model_srq *srq)
{
	if (srq->dead || left(srq) >= srq->limit)
		return;
	if (!read_pi(dev, srq)) {
		model_srq_fail(dev, srq);
		return;
	}
	if (left(srq) < srq->limit)
		model_srq_limit_reached(dev, srq);
}

/**
 * model_srq_take - copy the next entry, and remove it from the queue
 * @dev: the device
 * @srq: the queue
 * @buf: buffer of MODEL_WQE_MAX bytes, for one stride, which is not checked
 *
 * On return, the host may use the slot of the entry for another entry.
 *
 * Return: 0; -EAGAIN if no entry is posted, or the queue is in the error state.
 */
int model_srq_take(struct model_device *dev, struct model_srq *srq, void *buf)
{
	struct model_wq *wq = &srq->wq;
	u64 off = (u64)xrdma_ring_slot(wq->ci, wq->log_depth) << wq->log_stride;

	if (srq->dead)
		return -EAGAIN;
	if (wq->pi == wq->ci && !read_pi(dev, srq)) {
		model_srq_fail(dev, srq);
		return -EAGAIN;
	}
	if (wq->pi == wq->ci)
		return -EAGAIN;
	if (model_mem_read(dev, &wq->ring, off, buf, 1U << wq->log_stride)) {
		model_srq_fail(dev, srq);
		return -EAGAIN;
	}
	wq->ci++;
	if (!write_ci(dev, srq))
		model_srq_fail(dev, srq);
	check_limit(dev, srq);
	return 0;
}

/* Continue in a new ring, to which the host has copied all posted entries. */
static enum xrdma_cmd_status resize(struct model_device *dev,
				    struct model_srq *srq, u64 root,
				    u8 log_depth)
{
	struct model_srq new = *srq;

	if (srq->dead)
		return XRDMA_CMD_BAD_STATE;
	if (init_ring(dev, &new, root, log_depth))
		return XRDMA_CMD_BAD_DMA;
	if (!read_pi(dev, &new) || !write_ci(dev, &new))
		return XRDMA_CMD_BAD_STATE;
	*srq = new;
	return XRDMA_CMD_OK;
}

static bool modify_ok(const struct model_srq *srq,
		      const struct xrdma_cmd_modify_srq *p)
{
	u32 mask = le32_to_cpu(p->mask);
	u32 limit = le32_to_cpu(p->limit);
	u8 log_depth = srq->wq.log_depth;

	if (!mask || mask & ~(XRDMA_SRQM_LIMIT | XRDMA_SRQM_RESIZE) ||
	    p->reserved[0] || p->reserved[1] || p->reserved[2])
		return false;
	if (mask & XRDMA_SRQM_RESIZE) {
		if (!ring_ok(le64_to_cpu(p->root), p->log_depth,
			     srq->wq.log_stride))
			return false;
		log_depth = p->log_depth;
	} else if (p->root || p->log_depth) {
		return false;
	}
	return mask & XRDMA_SRQM_LIMIT ? limit <= 1U << log_depth : !limit;
}

/**
 * model_srq_modify - MODIFY_SRQ
 * @dev: the device
 * @p: body of the command
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_srq_modify(struct model_device *dev,
				       const struct xrdma_cmd_modify_srq *p)
{
	struct model_srq *srq = model_srq_get(dev, le32_to_cpu(p->srqn));
	u32 mask = le32_to_cpu(p->mask);
	enum xrdma_cmd_status status;

	if (!srq)
		return XRDMA_CMD_BAD_NUMBER;
	if (!modify_ok(srq, p))
		return XRDMA_CMD_BAD_PARAM;
	if (mask & XRDMA_SRQM_RESIZE) {
		status = resize(dev, srq, le64_to_cpu(p->root), p->log_depth);
		if (status)
			return status;
	}
	if (mask & XRDMA_SRQM_LIMIT) {
		srq->limit = le32_to_cpu(p->limit);
		check_limit(dev, srq);
	}
	return XRDMA_CMD_OK;
}

/**
 * model_srq_query - QUERY_SRQ
 * @dev: the device
 * @srqn: number
 * @rsp: body of the reply, zeroed
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_srq_query(struct model_device *dev, u32 srqn,
				      struct xrdma_rsp_query_srq *rsp)
{
	const struct model_srq *srq = model_srq_get(dev, srqn);

	if (!srq)
		return XRDMA_CMD_BAD_NUMBER;
	rsp->limit = cpu_to_le32(srq->limit);
	rsp->ci = cpu_to_le32(srq->wq.ci);
	return XRDMA_CMD_OK;
}
