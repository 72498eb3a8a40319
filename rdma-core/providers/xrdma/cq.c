// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: creates, modifies and destroys completion queues, allocates
 * their rings, and removes the completions of a queue pair that is stopped.
 * Polling and arming are in poll.c, resizing is in cq_resize.c.
 */

#include <errno.h>
#include <stdlib.h>

#include "ring.h"
#include "xrdma-abi.h"

/* Copy an entry. The phase stays: it depends on the index of the entry. */
static void xrdma_move_cqe(struct xrdma_cqe *to, const struct xrdma_cqe *from)
{
	__le32 own = to->own;

	*to = *from;
	to->own = own;
}

/*
 * Remove the entries of a queue pair from those that the device has written.
 * The other entries are moved towards the producer index, in the same order.
 */
static void xrdma_remove_from_cq(struct xrdma_cq *cq, uint32_t qpn)
{
	uint32_t index, removed = 0;

	xrdma_lock(&cq->lock);
	index = cq->ci;
	while (index - cq->ci < 1U << cq->log_depth &&
	       xrdma_cqe_ready(cq, index))
		index++;

	while (index-- != cq->ci) {
		struct xrdma_cqe *cqe = xrdma_cqe_at(cq, index);

		if (le32toh(cqe->qpn) == qpn)
			removed++;
		else if (removed)
			xrdma_move_cqe(xrdma_cqe_at(cq, index + removed), cqe);
	}
	cq->ci += removed;
	xrdma_publish_ci(cq);
	xrdma_unlock(&cq->lock);
}

/**
 * xrdma_remove_completions() - drop the unpolled completions of a queue pair
 * @qp: queue pair that the device has stopped; the device has written no
 *	completion of a later queue pair with the same number
 */
void xrdma_remove_completions(struct xrdma_qp *qp)
{
	struct ibv_qp *ibqp = &qp->verbs_qp.qp;

	if (ibqp->send_cq)
		xrdma_remove_from_cq(to_xcq(ibqp->send_cq), qp->qpn);
	if (ibqp->recv_cq && ibqp->recv_cq != ibqp->send_cq)
		xrdma_remove_from_cq(to_xcq(ibqp->recv_cq), qp->qpn);
}

/**
 * xrdma_alloc_cq_buf() - allocate ring and record of a completion queue
 * @cq: gets @log_depth, @buf, @ring and @rec
 * @pd: parent domain of the queue, or NULL
 * @entries: number of entries needed; rounded up to a power of two
 *
 * Return: 0 or an errno.
 */
int xrdma_alloc_cq_buf(struct xrdma_cq *cq, struct xrdma_pd *pd,
		       unsigned int entries)
{
	size_t rec_offset;
	int err;

	cq->log_depth = xrdma_log2_ceil(entries);
	if (cq->log_depth < XRDMA_CQ_LOG_MIN)
		cq->log_depth = XRDMA_CQ_LOG_MIN;
	rec_offset = xrdma_cq_rec_offset(cq->log_depth);
	err = xrdma_alloc_buf(&cq->buf, pd, rec_offset + sizeof(*cq->rec));
	if (err)
		return err;

	cq->ring = cq->buf.addr;
	cq->rec = cq->buf.addr + rec_offset;
	return 0;
}

static int xrdma_cmd_create_cq(struct ibv_context *ibctx, struct xrdma_cq *cq,
			       int entries, struct ibv_comp_channel *channel,
			       int comp_vector)
{
	struct xrdma_cmd_create_cq_resp resp = {};
	struct xrdma_cmd_create_cq cmd = {};
	int err;

	cmd.buf_addr = (uintptr_t)cq->buf.addr;
	cmd.log_depth = cq->log_depth;
	err = ibv_cmd_create_cq(ibctx, entries, channel, comp_vector,
				&cq->verbs_cq.cq, &cmd.ibv_cmd, sizeof(cmd),
				&resp.ibv_resp, sizeof(resp));
	if (err)
		return err;

	cq->cqn = resp.cqn;
	cq->verbs_cq.cq.cqe = 1 << cq->log_depth;
	return 0;
}

static int xrdma_setup_cq(struct ibv_context *ibctx, struct xrdma_cq *cq,
			  struct xrdma_pd *pd, int entries,
			  struct ibv_comp_channel *channel, int comp_vector)
{
	int err;

	if (entries < 1 || (unsigned int)entries > to_xctx(ibctx)->max_cqe)
		return EINVAL;

	err = xrdma_alloc_cq_buf(cq, pd, entries);
	if (err)
		return err;
	err = xrdma_cmd_create_cq(ibctx, cq, entries, channel, comp_vector);
	if (err) {
		xrdma_free_buf(&cq->buf);
		return err;
	}
	xrdma_lock_init(&cq->lock, to_xctx(ibctx), pd);
	return 0;
}

/**
 * xrdma_create_cq() - ibv_create_cq()
 * @ibctx: open device
 * @cqe: number of entries needed; rounded up to a power of two
 * @channel: channel for the queue's events, or NULL
 * @comp_vector: event queue of the device, used if @channel is not NULL
 *
 * Return: the queue, or NULL and errno.
 */
struct ibv_cq *xrdma_create_cq(struct ibv_context *ibctx, int cqe,
			       struct ibv_comp_channel *channel,
			       int comp_vector)
{
	struct xrdma_cq *cq = calloc(1, sizeof(*cq));
	int err;

	if (!cq)
		return NULL;

	err = xrdma_setup_cq(ibctx, cq, NULL, cqe, channel, comp_vector);
	if (err) {
		free(cq);
		errno = err;
		return NULL;
	}
	return &cq->verbs_cq.cq;
}

/* Set @pd to the parent domain in @attr, if any. Return: 0 or an errno. */
static int xrdma_cq_domain(const struct ibv_cq_init_attr_ex *attr,
			   struct xrdma_pd **pd)
{
	if (!(attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD))
		return 0;
	if (!attr->parent_domain || !to_xpd(attr->parent_domain)->base)
		return EINVAL;
	*pd = to_xpd(attr->parent_domain);
	return 0;
}

/*
 * IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN is refused: the device does not support it.
 * For timestamps the driver need not be asked: every entry has one.
 */
static int xrdma_setup_cq_ex(struct ibv_context *ibctx, struct xrdma_cq *cq,
			     const struct ibv_cq_init_attr_ex *attr)
{
	struct xrdma_pd *pd = NULL;
	uint32_t flags = 0;
	int err;

	if (attr->comp_mask & ~(IBV_CQ_INIT_ATTR_MASK_FLAGS |
				IBV_CQ_INIT_ATTR_MASK_PD))
		return EOPNOTSUPP;
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS)
		flags = attr->flags;
	if (flags & ~IBV_CREATE_CQ_ATTR_SINGLE_THREADED)
		return EOPNOTSUPP;

	err = xrdma_cq_domain(attr, &pd);
	if (err)
		return err;
	err = xrdma_setup_poll(cq, attr->wc_flags);
	if (err)
		return err;
	err = xrdma_setup_cq(ibctx, cq, pd, attr->cqe, attr->channel,
			     attr->comp_vector);
	if (err)
		return err;
	if (flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED)
		cq->lock.elided = true;
	return 0;
}

/**
 * xrdma_create_cq_ex() - ibv_create_cq_ex()
 * @ibctx: open device
 * @attr: attributes of the queue
 *
 * Return: the queue, or NULL and errno.
 */
struct ibv_cq_ex *xrdma_create_cq_ex(struct ibv_context *ibctx,
				     struct ibv_cq_init_attr_ex *attr)
{
	struct xrdma_cq *cq = calloc(1, sizeof(*cq));
	int err;

	if (!cq)
		return NULL;

	err = xrdma_setup_cq_ex(ibctx, cq, attr);
	if (err) {
		free(cq);
		errno = err;
		return NULL;
	}
	return &cq->verbs_cq.cq_ex;
}

/**
 * xrdma_destroy_cq() - ibv_destroy_cq()
 * @ibcq: completion queue
 *
 * Return: 0, or an errno if the queue still exists.
 */
int xrdma_destroy_cq(struct ibv_cq *ibcq)
{
	struct xrdma_cq *cq = to_xcq(ibcq);
	int err;

	err = ibv_cmd_destroy_cq(ibcq);
	if (err)
		return err;

	xrdma_free_buf(&cq->buf);
	xrdma_lock_destroy(&cq->lock);
	free(cq);
	return 0;
}

/**
 * xrdma_modify_cq() - ibv_modify_cq()
 * @ibcq: completion queue
 * @attr: moderation of the queue's events
 *
 * Return: 0 or an errno.
 */
int xrdma_modify_cq(struct ibv_cq *ibcq, struct ibv_modify_cq_attr *attr)
{
	struct ibv_modify_cq cmd = {};

	return ibv_cmd_modify_cq(ibcq, attr, &cmd, sizeof(cmd));
}
