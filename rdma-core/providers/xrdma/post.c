// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: ibv_post_send(), ibv_bind_mw(), and the publication of send
 * entries. The entries of a list are written to the ring. Then one store of the
 * producer index makes them visible to the device, and at most one doorbell
 * wakes the device.
 *
 * The ibv_wr_*() calls are in wr.c and use xrdma_publish_sq() too. The contents
 * of entries are in wqe.h, push is in push.c, receive requests are in recv.c,
 * completions in poll.c.
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
		.flags = XRDMA_TAKES_ATOMIC,
	},
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = {
		.opcode = XRDMA_OP_FETCH_ADD,
		.flags = XRDMA_TAKES_ATOMIC,
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

/* Copy the payload to an entry. Return: number of bytes, or -EINVAL. */
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

/*
 * Write the payload of a message: scatter-gather entries or inline bytes. Set @bytes
 * to their length in the entry. Return: value of num_sge, or -EINVAL.
 */
static int xrdma_make_data(struct xrdma_qp *qp, const struct ibv_send_wr *wr,
			   const struct xrdma_op *op, void *to, uint32_t *bytes)
{
	int used, num_sge = wr->num_sge;

	if (wr->send_flags & IBV_SEND_INLINE) {
		if (!(op->flags & XRDMA_TAKES_INLINE))
			return -EINVAL;
		used = xrdma_make_inline(to, wr->sg_list, num_sge,
					 qp->max_inline);
		if (unlikely(used < 0))
			return used;
		*bytes = used;
		return used;
	}
	if (unlikely(num_sge < 0 || num_sge > qp->sq.max_sge))
		return -EINVAL;
	xrdma_make_sges(to, wr->sg_list, num_sge);
	*bytes = num_sge * sizeof(struct xrdma_sge);
	return num_sge;
}

/*
 * Write the destination of a message: remote memory, or the address of a datagram.
 * Return: the part of the entry where the payload begins.
 */
static void *xrdma_make_target(const struct xrdma_qp *qp,
			       struct xrdma_sq_wqe *wqe,
			       const struct ibv_send_wr *wr,
			       const struct xrdma_op *op)
{
	void *seg;

	if (likely(op->flags & XRDMA_TAKES_REMOTE))
		return xrdma_make_remote(wqe, wr->wr.rdma.remote_addr,
					 wr->wr.rdma.rkey);
	seg = xrdma_make_remote(wqe, 0, 0);
	if (!qp->datagram)
		return seg;
	return xrdma_make_address(wqe, wr->wr.ud.ah, wr->wr.ud.remote_qpn,
				  wr->wr.ud.remote_qkey);
}

static void xrdma_make_imm(struct xrdma_sq_wqe *wqe,
			   const struct ibv_send_wr *wr,
			   const struct xrdma_op *op)
{
	if (likely(!(op->flags & (XRDMA_TAKES_IMM | XRDMA_TAKES_KEY))))
		wqe->imm = 0;
	else if (op->flags & XRDMA_TAKES_IMM)
		wqe->imm = wr->imm_data;
	else
		wqe->inv_key = htole32(wr->invalidate_rkey);
}

/*
 * Write an entry of 1 unit that binds a window of either type. Return: 0 or an errno.
 */
static int xrdma_make_bind_wqe(struct xrdma_qp *qp, struct xrdma_sq_wqe *wqe,
			       struct ibv_mw *mw, uint32_t key,
			       const struct ibv_mw_bind_info *info,
			       unsigned int send_flags, uint64_t wr_id)
{
	unsigned int flags = send_flags | qp->force_flags;
	int err;

	if (unlikely(xrdma_wq_full(&qp->sq)))
		return ENOMEM;
	if (unlikely(flags & ~(XRDMA_SEND_FLAGS & ~XRDMA_SEND_INLINE)))
		return EINVAL;

	err = xrdma_make_bind(wqe, mw, key, info);
	if (unlikely(err))
		return err;
	xrdma_make_head(wqe, XRDMA_OP_BIND_MW, flags, 0, wr_id);
	return 0;
}

/*
 * Write an ATOMIC_WRITE entry. It contains the value, so the application has to
 * give the value inline. Return: 0 or EINVAL.
 */
static int xrdma_make_atomic_write(struct xrdma_sq_wqe *wqe,
				   const struct ibv_send_wr *wr,
				   unsigned int flags)
{
	struct xrdma_atomic_seg *seg;

	seg = xrdma_make_remote(wqe, wr->wr.rdma.remote_addr,
				wr->wr.rdma.rkey);
	if (!(flags & IBV_SEND_INLINE) ||
	    xrdma_make_inline(&seg->swap_add, wr->sg_list, wr->num_sge,
			      sizeof(seg->swap_add)) !=
	    (int)sizeof(seg->swap_add))
		return EINVAL;
	seg->compare = 0;
	wqe->imm = 0;
	xrdma_make_head(wqe, XRDMA_OP_ATOMIC_WRITE, flags & ~XRDMA_SEND_INLINE,
			0, wr->wr_id);
	return 0;
}

/* Write an entry of an atomic operation of 64 bits. Return: 0 or EINVAL. */
static int xrdma_make_fetch_atomic(struct xrdma_qp *qp,
				   struct xrdma_sq_wqe *wqe,
				   const struct ibv_send_wr *wr,
				   const struct xrdma_op *op,
				   unsigned int flags)
{
	uint64_t compare = 0, swap_add = wr->wr.atomic.compare_add;
	struct xrdma_atomic_seg *seg;

	if (op->opcode == XRDMA_OP_CMP_SWAP) {
		compare = wr->wr.atomic.compare_add;
		swap_add = wr->wr.atomic.swap;
	}
	if (wr->num_sge < 0 || wr->num_sge > 1 ||
	    wr->num_sge > qp->sq.max_sge)
		return EINVAL;
	seg = xrdma_make_remote(wqe, wr->wr.atomic.remote_addr,
				wr->wr.atomic.rkey);
	xrdma_make_sges(xrdma_make_atomic(seg, swap_add, compare), wr->sg_list,
			wr->num_sge);
	wqe->imm = 0;
	xrdma_make_head(wqe, op->opcode, flags, wr->num_sge, wr->wr_id);
	if (qp->xrc)
		wqe->ext = htole32(wr->qp_type.xrc.remote_srqn);
	return 0;
}

/* Write an entry that invalidates a key. Return: 0. */
static int xrdma_make_local_inv(struct xrdma_sq_wqe *wqe,
				const struct ibv_send_wr *wr,
				unsigned int flags)
{
	xrdma_make_remote(wqe, 0, 0);
	wqe->inv_key = htole32(wr->invalidate_rkey);
	xrdma_make_head(wqe, XRDMA_OP_LOCAL_INV, flags, 0, wr->wr_id);
	return 0;
}

/*
 * Write the entry, of 1 unit, of an operation that is not a message. FLUSH is refused:
 * struct ibv_send_wr has no member for its placement type, which only ibv_wr_flush()
 * takes. Return: 0 or an errno.
 */
static int xrdma_make_special(struct xrdma_qp *qp, struct xrdma_sq_wqe *wqe,
			      const struct ibv_send_wr *wr,
			      const struct xrdma_op *op, unsigned int flags)
{
	if (op->flags & XRDMA_TAKES_VALUE)
		return xrdma_make_atomic_write(wqe, wr, flags);
	if (flags & IBV_SEND_INLINE)
		return EINVAL;
	if (op->flags & XRDMA_TAKES_ATOMIC)
		return xrdma_make_fetch_atomic(qp, wqe, wr, op, flags);
	if (op->flags & XRDMA_TAKES_KEY)
		return xrdma_make_local_inv(wqe, wr, flags);
	if (!(op->flags & XRDMA_TAKES_BIND) ||
	    wr->bind_mw.mw->type != IBV_MW_TYPE_2)
		return EINVAL;
	return xrdma_make_bind_wqe(qp, wqe, wr->bind_mw.mw, wr->bind_mw.rkey,
				   &wr->bind_mw.bind_info, wr->send_flags,
				   wr->wr_id);
}

/*
 * Write the entry at the producer index, @wqe, and set @units to its length. Return: 0
 * or an errno.
 */
static int xrdma_make_wqe(struct xrdma_qp *qp, struct xrdma_sq_wqe *wqe,
			  const struct ibv_send_wr *wr, uint32_t *units)
{
	unsigned int flags = wr->send_flags | qp->force_flags;
	const struct xrdma_op *op;
	uint32_t bytes;
	int num_sge;
	void *data;

	if (unlikely(xrdma_wq_full(&qp->sq)))
		return ENOMEM;
	if (unlikely(wr->opcode >= XRDMA_NUM_OPS ||
		     !(qp->ops >> wr->opcode & 1) ||
		     flags & ~XRDMA_SEND_FLAGS))
		return EINVAL;

	op = &xrdma_ops[wr->opcode];
	if (unlikely(!(op->flags & XRDMA_TAKES_DATA))) {
		*units = 1;
		return xrdma_make_special(qp, wqe, wr, op, flags);
	}

	data = xrdma_make_target(qp, wqe, wr, op);
	num_sge = xrdma_make_data(qp, wr, op, data, &bytes);
	if (unlikely(num_sge < 0))
		return EINVAL;
	xrdma_make_imm(wqe, wr, op);
	xrdma_make_head(wqe, op->opcode, flags, num_sge, wr->wr_id);
	*units = xrdma_make_length(wqe, data, bytes);
	if (unlikely(qp->xrc))
		wqe->ext = htole32(wr->qp_type.xrc.remote_srqn);
	return 0;
}

/* ---- doorbell -------------------------------------------------------- */

/* Whether the device may sleep without having seen the entries from @old to @pi. */
static bool xrdma_device_may_sleep(struct xrdma_qp *qp, uint32_t old,
				   uint32_t pi)
{
	if (!qp->shadow_db)
		return true;

	/*
	 * Either the device sees the new index before it goes to sleep, or
	 * sq_event says here that it sleeps.
	 */
	atomic_thread_fence(memory_order_seq_cst);
	return xrdma_db_needed(xrdma_load_le32(&qp->rec->sq_event), pi, old);
}

/* The same as xrdma_publish_sq(), but compiled into the caller */
static inline void xrdma_publish(struct xrdma_qp *qp, uint32_t old,
				 const struct xrdma_sq_wqe *wqe)
{
	uint32_t pi = qp->sq.pi;

	/* Entries are written before the index that covers them. */
	udma_to_device_barrier();
	xrdma_store_le32(&qp->rec->sq_pi, pi);
	if (!xrdma_device_may_sleep(qp, old, pi))
		return;

	/* The entries and the index are written before the doorbell. */
	udma_to_device_barrier();
	if (unlikely(qp->push) && wqe->flags & XRDMA_WQE_INLINE &&
	    xrdma_push(qp, old, wqe))
		return;
	mmio_write64_le(qp->db,
			htole64(xrdma_make_sq_db(qp->qpn, pi)));
}

/**
 * xrdma_publish_sq() - make new send entries visible to the device
 * @qp: queue pair whose send queue is locked
 * @old: producer index published before; not equal to the present one
 * @wqe: one of the new entries
 */
void xrdma_publish_sq(struct xrdma_qp *qp, uint32_t old,
		      const struct xrdma_sq_wqe *wqe)
{
	xrdma_publish(qp, old, wqe);
}

/* ---- verbs ----------------------------------------------------------- */

/**
 * xrdma_post_send() - ibv_post_send()
 * @ibqp: queue pair
 * @wr: list of work requests
 * @bad_wr: set on an error: the first request that was not posted
 *
 * Posting a bind of a type 2 window sets the rkey of struct ibv_mw. If the bind
 * fails later, the application has to restore the earlier rkey.
 *
 * Return: 0; ENOMEM: the queue is full; EINVAL: the request is invalid, or this
 * type or state of a queue pair does not allow it.
 */
int xrdma_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		    struct ibv_send_wr **bad_wr)
{
	struct xrdma_qp *qp = to_xqp(ibqp);
	struct xrdma_sq_wqe *wqe, *last = NULL;
	uint32_t old, units;
	int err = 0;

	if (unlikely(ibqp->state < IBV_QPS_RTS)) {
		*bad_wr = wr;
		return EINVAL;
	}

	xrdma_lock(&qp->sq.lock);
	for (old = qp->sq.pi; wr; wr = wr->next) {
		wqe = xrdma_sq_entry(&qp->sq);
		err = xrdma_make_wqe(qp, wqe, wr, &units);
		if (unlikely(err)) {
			*bad_wr = wr;
			break;
		}
		last = wqe;
		xrdma_sq_pass(&qp->sq, units);
		qp->sq.pi++;
	}
	if (likely(qp->sq.pi != old))
		xrdma_publish(qp, old, last);
	xrdma_unlock(&qp->sq.lock);
	return err;
}

/**
 * xrdma_bind_mw() - ibv_bind_mw()
 * @ibqp: queue pair
 * @mw: window of type 1; its rkey is set to the next one if the bind is posted
 * @bind: request; length 0 unbinds the window
 *
 * Return: 0; ENOMEM: the queue is full; EINVAL: the request is invalid.
 */
int xrdma_bind_mw(struct ibv_qp *ibqp, struct ibv_mw *mw,
		  struct ibv_mw_bind *bind)
{
	struct xrdma_qp *qp = to_xqp(ibqp);
	struct xrdma_sq_wqe *wqe;
	int err;

	if (mw->type != IBV_MW_TYPE_1 || ibqp->state < IBV_QPS_RTS ||
	    !(qp->ops & 1U << IBV_WR_BIND_MW))
		return EINVAL;

	xrdma_lock(&qp->sq.lock);
	wqe = xrdma_sq_entry(&qp->sq);
	err = xrdma_make_bind_wqe(qp, wqe, mw, ibv_inc_rkey(mw->rkey),
				  &bind->bind_info, bind->send_flags,
				  bind->wr_id);
	if (likely(!err)) {
		xrdma_sq_pass(&qp->sq, 1);
		qp->sq.pi++;
		xrdma_publish_sq(qp, qp->sq.pi - 1, wqe);
	}
	xrdma_unlock(&qp->sq.lock);
	return err;
}
