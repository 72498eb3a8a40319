// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: posting requests to send: entries are built in the ring, then
 * one store of the producer index shows them to the device, and at most one
 * doorbell wakes it. Must not know: completion queues.
 */

#include <util/mmio.h>

#include "ring.h"
#include "wqe.h"

const struct xrdma_op xrdma_ops[XRDMA_NUM_OPS] = {
	[IBV_WR_SEND] = {
		.opcode = XRDMA_OP_SEND,
		.flags = XRDMA_TAKES_DATA | XRDMA_TAKES_INLINE,
	},
	[IBV_WR_SEND_WITH_IMM] = {
		.opcode = XRDMA_OP_SEND_IMM,
		.flags = XRDMA_TAKES_DATA | XRDMA_TAKES_INLINE |
			 XRDMA_TAKES_IMM,
	},
	[IBV_WR_SEND_WITH_INV] = {
		.opcode = XRDMA_OP_SEND_INV,
		.flags = XRDMA_TAKES_DATA | XRDMA_TAKES_INLINE |
			 XRDMA_TAKES_KEY,
	},
	[IBV_WR_RDMA_WRITE] = {
		.opcode = XRDMA_OP_WRITE,
		.flags = XRDMA_TAKES_DATA | XRDMA_TAKES_INLINE |
			 XRDMA_TAKES_REMOTE,
	},
	[IBV_WR_RDMA_WRITE_WITH_IMM] = {
		.opcode = XRDMA_OP_WRITE_IMM,
		.flags = XRDMA_TAKES_DATA | XRDMA_TAKES_INLINE |
			 XRDMA_TAKES_REMOTE | XRDMA_TAKES_IMM,
	},
	[IBV_WR_RDMA_READ] = {
		.opcode = XRDMA_OP_READ,
		.flags = XRDMA_TAKES_DATA | XRDMA_TAKES_REMOTE,
	},
	[IBV_WR_ATOMIC_CMP_AND_SWP] = {
		.opcode = XRDMA_OP_CMP_SWAP,
		.flags = XRDMA_TAKES_DATA | XRDMA_TAKES_ATOMIC,
	},
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = {
		.opcode = XRDMA_OP_FETCH_ADD,
		.flags = XRDMA_TAKES_DATA | XRDMA_TAKES_ATOMIC,
	},
	[IBV_WR_BIND_MW] = {
		.opcode = XRDMA_OP_BIND_MW,
		.flags = XRDMA_TAKES_BIND,
	},
	[IBV_WR_LOCAL_INV] = {
		.opcode = XRDMA_OP_LOCAL_INV,
		.flags = XRDMA_TAKES_KEY,
	},
	[IBV_WR_FLUSH] = {
		.opcode = XRDMA_OP_FLUSH,
		.flags = XRDMA_TAKES_RANGE,
	},
	[IBV_WR_ATOMIC_WRITE] = {
		.opcode = XRDMA_OP_ATOMIC_WRITE,
		.flags = XRDMA_TAKES_VALUE,
	},
};

/* ---- send entries ---------------------------------------------------- */

/* Copies the payload into the entry. Return: its bytes, or -EINVAL. */
static int xrdma_make_inline(void *to, const struct ibv_sge *from, int num_sge,
			     uint32_t room)
{
	int i, used = 0;

	for (i = 0; i < num_sge && used >= 0; i++)
		used = xrdma_add_inline(to, used, room,
					(void *)(uintptr_t)from[i].addr,
					from[i].length);
	return used;
}

/* The payload, by reference or inline. Return: num_sge, or -EINVAL. */
static int xrdma_make_data(struct xrdma_qp *qp, const struct ibv_send_wr *wr,
			   const struct xrdma_op *op, void *to)
{
	if (wr->send_flags & IBV_SEND_INLINE) {
		if (!(op->flags & XRDMA_TAKES_INLINE))
			return -EINVAL;
		return xrdma_make_inline(to, wr->sg_list, wr->num_sge,
					 qp->max_inline);
	}
	if (unlikely(!(op->flags & XRDMA_TAKES_DATA)))
		return 0;
	if ((unsigned int)wr->num_sge > qp->sq.max_sge ||
	    (op->flags & XRDMA_TAKES_ATOMIC && wr->num_sge > 1))
		return -EINVAL;
	xrdma_make_sges(to, wr->sg_list, wr->num_sge);
	return wr->num_sge;
}

/* The remote side of the operation. Return: where the payload begins. */
static void *xrdma_make_target(const struct xrdma_qp *qp,
			       struct xrdma_sq_wqe *wqe,
			       const struct ibv_send_wr *wr,
			       const struct xrdma_op *op)
{
	void *seg;

	if (op->flags & XRDMA_TAKES_REMOTE)
		return xrdma_make_remote(wqe, wr->wr.rdma.remote_addr,
					 wr->wr.rdma.rkey);
	if (!(op->flags & XRDMA_TAKES_ATOMIC)) {
		seg = xrdma_make_remote(wqe, 0, 0);
		if (!qp->datagram)
			return seg;
		return xrdma_make_address(wqe, wr->wr.ud.ah,
					  wr->wr.ud.remote_qpn,
					  wr->wr.ud.remote_qkey);
	}

	seg = xrdma_make_remote(wqe, wr->wr.atomic.remote_addr,
				wr->wr.atomic.rkey);
	if (op->opcode == XRDMA_OP_CMP_SWAP)
		return xrdma_make_atomic(seg, wr->wr.atomic.swap,
					 wr->wr.atomic.compare_add);
	return xrdma_make_atomic(seg, wr->wr.atomic.compare_add, 0);
}

static void xrdma_make_imm(struct xrdma_sq_wqe *wqe,
			   const struct ibv_send_wr *wr,
			   const struct xrdma_op *op)
{
	if (op->flags & XRDMA_TAKES_IMM)
		wqe->imm = wr->imm_data;
	else if (op->flags & XRDMA_TAKES_KEY)
		wqe->inv_key = htole32(wr->invalidate_rkey);
	else
		wqe->imm = 0;
}

/* Binds a window of either type; the caller moves the producer index on. */
static int xrdma_make_bind_wqe(struct xrdma_qp *qp, struct ibv_mw *mw,
			       uint32_t key,
			       const struct ibv_mw_bind_info *info,
			       unsigned int send_flags, uint64_t wr_id)
{
	unsigned int flags = send_flags | qp->force_flags;
	struct xrdma_sq_wqe *wqe;
	int err;

	if (unlikely(xrdma_wq_full(&qp->sq)))
		return ENOMEM;
	if (unlikely(flags & ~(XRDMA_SEND_FLAGS & ~IBV_SEND_INLINE)))
		return EINVAL;

	wqe = xrdma_wq_entry(&qp->sq, qp->sq.pi);
	err = xrdma_make_bind(wqe, mw, key, info);
	if (unlikely(err))
		return err;
	xrdma_make_head(wqe, XRDMA_OP_BIND_MW, flags, 0, wr_id);
	return 0;
}

/* The value of an atomic write is in the entry: it must be given inline. */
static int xrdma_make_atomic_write(struct xrdma_qp *qp,
				   const struct ibv_send_wr *wr,
				   unsigned int flags)
{
	struct xrdma_sq_wqe *wqe = xrdma_wq_entry(&qp->sq, qp->sq.pi);
	struct xrdma_atomic_seg *seg;

	seg = xrdma_make_remote(wqe, wr->wr.rdma.remote_addr,
				wr->wr.rdma.rkey);
	if (!(flags & IBV_SEND_INLINE) ||
	    xrdma_make_inline(&seg->swap_add, wr->sg_list, wr->num_sge,
			      sizeof(seg->swap_add)) != sizeof(seg->swap_add))
		return EINVAL;
	seg->compare = 0;
	wqe->imm = 0;
	xrdma_make_head(wqe, XRDMA_OP_ATOMIC_WRITE, flags & ~IBV_SEND_INLINE,
			0, wr->wr_id);
	return 0;
}

/*
 * Operations without scatter-gather entries of their own. struct ibv_send_wr
 * has nothing to say what a flush is to reach: there is ibv_wr_flush().
 */
static int xrdma_make_special(struct xrdma_qp *qp,
			      const struct ibv_send_wr *wr,
			      const struct xrdma_op *op)
{
	if (op->flags & XRDMA_TAKES_VALUE)
		return xrdma_make_atomic_write(qp, wr, wr->send_flags |
							qp->force_flags);
	if (op->flags & XRDMA_TAKES_RANGE ||
	    wr->bind_mw.mw->type != IBV_MW_TYPE_2)
		return EINVAL;
	return xrdma_make_bind_wqe(qp, wr->bind_mw.mw, wr->bind_mw.rkey,
				   &wr->bind_mw.bind_info, wr->send_flags,
				   wr->wr_id);
}

/* Builds the entry at the producer index, which the caller then moves on. */
static int xrdma_make_wqe(struct xrdma_qp *qp, const struct ibv_send_wr *wr)
{
	unsigned int flags = wr->send_flags | qp->force_flags;
	struct xrdma_sq_wqe *wqe;
	const struct xrdma_op *op;
	int num_sge;

	if (unlikely(xrdma_wq_full(&qp->sq)))
		return ENOMEM;
	if (unlikely(wr->opcode >= XRDMA_NUM_OPS ||
		     !(qp->ops & 1U << wr->opcode) ||
		     flags & ~XRDMA_SEND_FLAGS))
		return EINVAL;

	op = &xrdma_ops[wr->opcode];
	if (unlikely(op->flags & (XRDMA_TAKES_BIND | XRDMA_TAKES_VALUE |
				  XRDMA_TAKES_RANGE)))
		return xrdma_make_special(qp, wr, op);

	wqe = xrdma_wq_entry(&qp->sq, qp->sq.pi);
	num_sge = xrdma_make_data(qp, wr, op,
				  xrdma_make_target(qp, wqe, wr, op));
	if (unlikely(num_sge < 0))
		return EINVAL;
	xrdma_make_imm(wqe, wr, op);
	xrdma_make_head(wqe, op->opcode, flags, num_sge, wr->wr_id);
	/* of what stays here the application need not say where it goes */
	if (unlikely(qp->xrc) && op->flags & XRDMA_TAKES_DATA)
		wqe->ext = htole32(wr->qp_type.xrc.remote_srqn);
	return 0;
}

/* ---- doorbell -------------------------------------------------------- */

/* Whether the device may sleep, not knowing of the entries from @old on. */
static bool xrdma_device_may_sleep(struct xrdma_qp *qp, uint32_t old)
{
	if (!qp->shadow_db)
		return true;

	/*
	 * Either the device sees the new index before it goes to sleep, or
	 * sq_event says here that it sleeps.
	 */
	atomic_thread_fence(memory_order_seq_cst);
	return xrdma_db_needed(xrdma_load_le32(&qp->rec->sq_event), qp->sq.pi,
			       old);
}

/**
 * xrdma_publish_sq() - show new send entries to the device
 * @qp: its send queue is locked
 * @old: producer index that the device knows; not the present one
 */
void xrdma_publish_sq(struct xrdma_qp *qp, uint32_t old)
{
	/* entries before the index */
	udma_to_device_barrier();
	xrdma_store_le32(&qp->rec->sq_pi, qp->sq.pi);
	if (!xrdma_device_may_sleep(qp, old))
		return;

	/* the index before the doorbell */
	udma_to_device_barrier();
	mmio_write32_le(qp->db, htole32(qp->qpn));
}

/* ---- verbs ----------------------------------------------------------- */

/**
 * xrdma_post_send() - ibv_post_send()
 * @ibqp: queue pair
 * @wr: list of work requests
 * @bad_wr: set on an error: the first request that was not posted
 *
 * The key of a window of type 2 is that of its last bind that was posted: if
 * that fails, the application puts the earlier one back into struct ibv_mw.
 *
 * Return: 0; ENOMEM: the queue is full; EINVAL: the request is wrong, or not for
 * this type of queue pair, or its state does not send.
 */
int xrdma_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		    struct ibv_send_wr **bad_wr)
{
	struct xrdma_qp *qp = to_xqp(ibqp);
	uint32_t old;
	int err = 0;

	if (unlikely(ibqp->state < IBV_QPS_RTS)) {
		*bad_wr = wr;
		return EINVAL;
	}

	xrdma_lock(&qp->sq.lock);
	for (old = qp->sq.pi; wr; wr = wr->next) {
		err = xrdma_make_wqe(qp, wr);
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

/**
 * xrdma_bind_mw() - ibv_bind_mw()
 * @ibqp: queue pair
 * @mw: window of type 1; gets its next key if the request is posted
 * @bind: request; length 0 unbinds
 *
 * Return: 0; ENOMEM: the queue is full; EINVAL: the request is wrong.
 */
int xrdma_bind_mw(struct ibv_qp *ibqp, struct ibv_mw *mw,
		  struct ibv_mw_bind *bind)
{
	struct xrdma_qp *qp = to_xqp(ibqp);
	int err;

	if (mw->type != IBV_MW_TYPE_1 || ibqp->state < IBV_QPS_RTS ||
	    !(qp->ops & 1U << IBV_WR_BIND_MW))
		return EINVAL;

	xrdma_lock(&qp->sq.lock);
	err = xrdma_make_bind_wqe(qp, mw, ibv_inc_rkey(mw->rkey),
				  &bind->bind_info, bind->send_flags,
				  bind->wr_id);
	if (likely(!err)) {
		qp->sq.pi++;
		xrdma_publish_sq(qp, qp->sq.pi - 1);
	}
	xrdma_unlock(&qp->sq.lock);
	return err;
}
