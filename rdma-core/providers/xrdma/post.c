// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: posting work: entries are built in the ring, then one store
 * of the producer index shows them to the device, and at most one doorbell
 * wakes it. Must not know: completion queues.
 */

#include <errno.h>
#include <string.h>

#include <ccan/array_size.h>
#include <util/compiler.h>
#include <util/mmio.h>
#include <util/udma_barrier.h>

#include "xrdma.h"

#define XRDMA_SEND_FLAGS (IBV_SEND_FENCE | IBV_SEND_SIGNALED | \
			  IBV_SEND_SOLICITED | IBV_SEND_INLINE)

/* What an operation takes from its work request. */
enum xrdma_op_flags {
	XRDMA_TAKES_IMM		= 1 << 0,
	XRDMA_TAKES_REMOTE	= 1 << 1,
	XRDMA_TAKES_ATOMIC	= 1 << 2,
	XRDMA_TAKES_INLINE	= 1 << 3,
};

/**
 * struct xrdma_op - a posted operation
 * @opcode: enum xrdma_wqe_opcode; 0: not supported
 * @flags: enum xrdma_op_flags
 */
struct xrdma_op {
	uint8_t opcode;
	uint8_t flags;
};

static const struct xrdma_op xrdma_ops[] = {
	[IBV_WR_SEND] = {
		.opcode = XRDMA_OP_SEND,
		.flags = XRDMA_TAKES_INLINE,
	},
	[IBV_WR_SEND_WITH_IMM] = {
		.opcode = XRDMA_OP_SEND_IMM,
		.flags = XRDMA_TAKES_IMM | XRDMA_TAKES_INLINE,
	},
	[IBV_WR_RDMA_WRITE] = {
		.opcode = XRDMA_OP_WRITE,
		.flags = XRDMA_TAKES_REMOTE | XRDMA_TAKES_INLINE,
	},
	[IBV_WR_RDMA_WRITE_WITH_IMM] = {
		.opcode = XRDMA_OP_WRITE_IMM,
		.flags = XRDMA_TAKES_IMM | XRDMA_TAKES_REMOTE |
			 XRDMA_TAKES_INLINE,
	},
	[IBV_WR_RDMA_READ] = {
		.opcode = XRDMA_OP_READ,
		.flags = XRDMA_TAKES_REMOTE,
	},
	[IBV_WR_ATOMIC_CMP_AND_SWP] = {
		.opcode = XRDMA_OP_CMP_SWAP,
		.flags = XRDMA_TAKES_ATOMIC,
	},
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = {
		.opcode = XRDMA_OP_FETCH_ADD,
		.flags = XRDMA_TAKES_ATOMIC,
	},
};

static bool xrdma_wq_full(struct xrdma_wq *wq)
{
	/* pairs with xrdma_retire() */
	uint32_t ci = atomic_load_explicit(&wq->ci, memory_order_acquire);

	return wq->pi - ci >= wq->depth;
}

static void *xrdma_wq_entry(struct xrdma_wq *wq)
{
	return wq->ring + ((size_t)(wq->pi & (wq->depth - 1)) << wq->log_stride);
}

static uint8_t xrdma_wqe_flags(unsigned int send_flags)
{
	uint8_t flags = 0;

	if (send_flags & IBV_SEND_SIGNALED)
		flags |= XRDMA_WQE_SIGNALED;
	if (send_flags & IBV_SEND_FENCE)
		flags |= XRDMA_WQE_FENCE;
	if (send_flags & IBV_SEND_SOLICITED)
		flags |= XRDMA_WQE_SOLICITED;
	if (send_flags & IBV_SEND_INLINE)
		flags |= XRDMA_WQE_INLINE;
	return flags;
}

static void xrdma_fill_sges(struct xrdma_sge *to, const struct ibv_sge *from,
			    int num_sge)
{
	int i;

	for (i = 0; i < num_sge; i++) {
		to[i].addr = htole64(from[i].addr);
		to[i].length = htole32(from[i].length);
		to[i].lkey = htole32(from[i].lkey);
	}
}

/* Copies the payload into the entry. Return: its bytes, or -EINVAL. */
static int xrdma_fill_inline(void *to, const struct ibv_sge *from, int num_sge,
			     uint32_t room)
{
	uint32_t used = 0;
	int i;

	for (i = 0; i < num_sge; i++) {
		if (from[i].length > room - used)
			return -EINVAL;
		if (!from[i].length)
			continue;
		memcpy(to + used, (void *)(uintptr_t)from[i].addr,
		       from[i].length);
		used += from[i].length;
	}
	return used;
}

/* The payload, by reference or inline. Return: num_sge, or -EINVAL. */
static int xrdma_fill_data(struct xrdma_qp *qp, const struct ibv_send_wr *wr,
			   const struct xrdma_op *op, void *to)
{
	if (wr->send_flags & IBV_SEND_INLINE) {
		if (!(op->flags & XRDMA_TAKES_INLINE))
			return -EINVAL;
		return xrdma_fill_inline(to, wr->sg_list, wr->num_sge,
					 qp->max_inline);
	}
	if ((unsigned int)wr->num_sge > qp->sq.max_sge ||
	    (op->flags & XRDMA_TAKES_ATOMIC && wr->num_sge > 1))
		return -EINVAL;
	xrdma_fill_sges(to, wr->sg_list, wr->num_sge);
	return wr->num_sge;
}

/* Address and operands of an atomic. Return: where the payload begins. */
static void *xrdma_fill_atomic(struct xrdma_sq_wqe *wqe,
			       const struct ibv_send_wr *wr, bool swap)
{
	struct xrdma_atomic_seg *seg = (void *)(wqe + 1);

	wqe->remote_addr = htole64(wr->wr.atomic.remote_addr);
	wqe->rkey = htole32(wr->wr.atomic.rkey);
	if (swap) {
		seg->swap_add = htole64(wr->wr.atomic.swap);
		seg->compare = htole64(wr->wr.atomic.compare_add);
	} else {
		seg->swap_add = htole64(wr->wr.atomic.compare_add);
		seg->compare = 0;
	}
	return seg + 1;
}

/* The remote side of the operation. Return: where the payload begins. */
static void *xrdma_fill_remote(struct xrdma_sq_wqe *wqe,
			       const struct ibv_send_wr *wr,
			       const struct xrdma_op *op)
{
	if (op->flags & XRDMA_TAKES_ATOMIC)
		return xrdma_fill_atomic(wqe, wr,
					 op->opcode == XRDMA_OP_CMP_SWAP);

	if (op->flags & XRDMA_TAKES_REMOTE) {
		wqe->remote_addr = htole64(wr->wr.rdma.remote_addr);
		wqe->rkey = htole32(wr->wr.rdma.rkey);
	} else {
		wqe->remote_addr = 0;
		wqe->rkey = 0;
	}
	return wqe + 1;
}

/* Builds the entry at the producer index, which the caller then moves on. */
static int xrdma_build_send(struct xrdma_qp *qp, const struct ibv_send_wr *wr)
{
	unsigned int flags = wr->send_flags | qp->force_flags;
	struct xrdma_sq_wqe *wqe;
	const struct xrdma_op *op;
	int num_sge;

	if (unlikely(xrdma_wq_full(&qp->sq)))
		return ENOMEM;
	if (unlikely(wr->opcode >= ARRAY_SIZE(xrdma_ops) ||
		     flags & ~XRDMA_SEND_FLAGS))
		return EINVAL;

	op = &xrdma_ops[wr->opcode];
	if (unlikely(!op->opcode))
		return EINVAL;

	wqe = xrdma_wq_entry(&qp->sq);
	num_sge = xrdma_fill_data(qp, wr, op, xrdma_fill_remote(wqe, wr, op));
	if (unlikely(num_sge < 0))
		return EINVAL;

	wqe->opcode = op->opcode;
	wqe->flags = xrdma_wqe_flags(flags);
	wqe->num_sge = htole16(num_sge);
	wqe->imm = op->flags & XRDMA_TAKES_IMM ? wr->imm_data : 0;
	wqe->ext = 0;
	wqe->wr_id = htole64(wr->wr_id);
	return 0;
}

/* Whether the device went to sleep at an index in [old, pi). */
static bool xrdma_db_needed(struct xrdma_qp *qp, uint32_t old)
{
	uint32_t pi = qp->sq.pi;

	if (!qp->shadow_db)
		return true;

	/* the device sees the new index, or we see where it went to sleep */
	atomic_thread_fence(memory_order_seq_cst);
	return pi - xrdma_load_le32(&qp->rec->sq_event) - 1 < pi - old;
}

/* Shows the entries from old up to the producer index to the device. */
static void xrdma_publish_sq(struct xrdma_qp *qp, uint32_t old)
{
	/* entries before the index */
	udma_to_device_barrier();
	xrdma_store_le32(&qp->rec->sq_pi, qp->sq.pi);
	if (!xrdma_db_needed(qp, old))
		return;

	/* the index before the doorbell */
	udma_to_device_barrier();
	mmio_write32_le(qp->db, htole32(qp->qpn));
}

/**
 * xrdma_post_send() - ibv_post_send()
 * @ibqp: queue pair
 * @wr: list of work requests
 * @bad_wr: set on an error: the first request that was not posted
 *
 * Return: 0; ENOMEM: the queue is full; EINVAL: the request is wrong.
 */
int xrdma_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		    struct ibv_send_wr **bad_wr)
{
	struct xrdma_qp *qp = to_xqp(ibqp);
	uint32_t old;
	int err = 0;

	xrdma_lock(&qp->sq.lock);
	for (old = qp->sq.pi; wr; wr = wr->next) {
		err = xrdma_build_send(qp, wr);
		if (unlikely(err)) {
			*bad_wr = wr;
			break;
		}
		qp->sq.pi++;
	}
	if (likely(qp->sq.pi != old))
		xrdma_publish_sq(qp, old);
	xrdma_unlock(&qp->sq.lock);
	return err;
}

/* Builds the entry at the producer index, which the caller then moves on. */
static int xrdma_build_recv(struct xrdma_wq *rq, const struct ibv_recv_wr *wr)
{
	struct xrdma_rq_wqe *wqe;

	if (unlikely(xrdma_wq_full(rq)))
		return ENOMEM;
	if (unlikely((unsigned int)wr->num_sge > rq->max_sge))
		return EINVAL;

	wqe = xrdma_wq_entry(rq);
	wqe->num_sge = htole16(wr->num_sge);
	memset(wqe->reserved, 0, sizeof(wqe->reserved));
	wqe->wr_id = htole64(wr->wr_id);
	xrdma_fill_sges((void *)(wqe + 1), wr->sg_list, wr->num_sge);
	return 0;
}

/**
 * xrdma_post_recv() - ibv_post_recv()
 * @ibqp: queue pair
 * @wr: list of work requests
 * @bad_wr: set on an error: the first request that was not posted
 *
 * Return: 0; ENOMEM: the queue is full; EINVAL: the request is wrong.
 */
int xrdma_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		    struct ibv_recv_wr **bad_wr)
{
	struct xrdma_qp *qp = to_xqp(ibqp);
	int err = 0;

	xrdma_lock(&qp->rq.lock);
	for (; wr; wr = wr->next) {
		err = xrdma_build_recv(&qp->rq, wr);
		if (unlikely(err)) {
			*bad_wr = wr;
			break;
		}
		qp->rq.pi++;
	}
	/* entries before the index; the device looks at it when it needs one */
	udma_to_device_barrier();
	xrdma_store_le32(&qp->rec->rq_pi, qp->rq.pi);
	xrdma_unlock(&qp->rq.lock);
	return err;
}
