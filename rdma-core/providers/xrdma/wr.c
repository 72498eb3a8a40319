// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: the ibv_wr_*() calls. Between ibv_wr_start() and
 * ibv_wr_complete() each call writes an entry, or a part of the last entry.
 * ibv_wr_complete() publishes all entries, or none if one of the calls failed.
 *
 * wr_start() takes the lock of the send queue, wr_complete() and wr_abort()
 * release it. In between, xrdma_wq.pi is ahead of the index in the record.
 *
 * Publication and ibv_post_send() are in post.c, the contents of entries in
 * wqe.h.
 */

#include <stdlib.h>

#include "ring.h"
#include "wqe.h"

static struct xrdma_qp *to_xqp_ex(struct ibv_qp_ex *qpx)
{
	return to_xqp(&qpx->qp_base);
}

/* ---- operations ------------------------------------------------------ */

/*
 * Begin the next entry: write its head, without a payload. Return: the entry,
 * of which the caller writes imm, remote_addr and rkey; NULL if this or an
 * earlier call of the batch failed.
 */
static struct xrdma_sq_wqe *xrdma_wr_begin(struct xrdma_qp *qp,
					   enum ibv_wr_opcode opcode)
{
	const struct ibv_qp_ex *qpx = &qp->verbs_qp.qp_ex;
	/* wr_set_inline_data() and its list form set the flag themselves. */
	unsigned int flags = (qpx->wr_flags & ~XRDMA_SEND_INLINE) |
			     qp->force_flags;
	struct xrdma_wr_batch *batch = &qp->batch;
	struct xrdma_sq_wqe *wqe;

	if (unlikely(batch->err))
		return NULL;
	if (unlikely(xrdma_wq_full(&qp->sq))) {
		batch->err = ENOMEM;
		return NULL;
	}
	if (unlikely(flags & ~XRDMA_SEND_FLAGS || batch->no_target)) {
		batch->err = EINVAL;
		return NULL;
	}

	wqe = xrdma_sq_entry(&qp->sq);
	qp->sq.pi++;
	/* a setter of the payload makes the entry longer */
	xrdma_sq_pass(&qp->sq, 1);
	xrdma_make_head(wqe, xrdma_ops[opcode].opcode, flags, 0, qpx->wr_id);
	batch->wqe = wqe;
	batch->op = &xrdma_ops[opcode];
	batch->data = NULL;
	return wqe;
}

/*
 * The last entry is of an operation with a peer: a setter has to give the
 * address of a datagram or the SRQ of XRC, and may give the payload, which
 * begins at @data or behind the address vector.
 */
static void xrdma_wr_expect_setters(struct xrdma_qp *qp, void *data)
{
	qp->batch.no_target = qp->datagram | qp->xrc;
	if (qp->datagram)
		data += sizeof(struct xrdma_av);
	qp->batch.data = data;
}

static void xrdma_wr_data_op(struct xrdma_qp *qp, enum ibv_wr_opcode opcode,
			     uint64_t addr, uint32_t rkey, __be32 imm)
{
	struct xrdma_sq_wqe *wqe = xrdma_wr_begin(qp, opcode);

	if (unlikely(!wqe))
		return;
	wqe->imm = imm;
	xrdma_wr_expect_setters(qp, xrdma_make_remote(wqe, addr, rkey));
}

static void xrdma_wr_atomic_op(struct xrdma_qp *qp, enum ibv_wr_opcode opcode,
			       uint64_t addr, uint32_t rkey, uint64_t swap_add,
			       uint64_t compare)
{
	struct xrdma_sq_wqe *wqe = xrdma_wr_begin(qp, opcode);
	struct xrdma_atomic_seg *seg;

	if (unlikely(!wqe))
		return;
	wqe->imm = 0;
	seg = xrdma_make_remote(wqe, addr, rkey);
	xrdma_wr_expect_setters(qp, xrdma_make_atomic(seg, swap_add, compare));
}

static void xrdma_wr_send(struct ibv_qp_ex *qpx)
{
	xrdma_wr_data_op(to_xqp_ex(qpx), IBV_WR_SEND, 0, 0, 0);
}

static void xrdma_wr_send_imm(struct ibv_qp_ex *qpx, __be32 imm_data)
{
	xrdma_wr_data_op(to_xqp_ex(qpx), IBV_WR_SEND_WITH_IMM, 0, 0, imm_data);
}

static void xrdma_wr_send_inv(struct ibv_qp_ex *qpx, uint32_t rkey)
{
	/* inv_key and imm are a union; inv_key is little-endian. */
	xrdma_wr_data_op(to_xqp_ex(qpx), IBV_WR_SEND_WITH_INV, 0, 0,
			 (__force __be32)htole32(rkey));
}

static void xrdma_wr_rdma_write(struct ibv_qp_ex *qpx, uint32_t rkey,
				uint64_t remote_addr)
{
	xrdma_wr_data_op(to_xqp_ex(qpx), IBV_WR_RDMA_WRITE, remote_addr, rkey,
			 0);
}

static void xrdma_wr_rdma_write_imm(struct ibv_qp_ex *qpx, uint32_t rkey,
				    uint64_t remote_addr, __be32 imm_data)
{
	xrdma_wr_data_op(to_xqp_ex(qpx), IBV_WR_RDMA_WRITE_WITH_IMM,
			 remote_addr, rkey, imm_data);
}

static void xrdma_wr_rdma_read(struct ibv_qp_ex *qpx, uint32_t rkey,
			       uint64_t remote_addr)
{
	xrdma_wr_data_op(to_xqp_ex(qpx), IBV_WR_RDMA_READ, remote_addr, rkey,
			 0);
}

static void xrdma_wr_atomic_cmp_swp(struct ibv_qp_ex *qpx, uint32_t rkey,
				    uint64_t remote_addr, uint64_t compare,
				    uint64_t swap)
{
	xrdma_wr_atomic_op(to_xqp_ex(qpx), IBV_WR_ATOMIC_CMP_AND_SWP,
			   remote_addr, rkey, swap, compare);
}

static void xrdma_wr_atomic_fetch_add(struct ibv_qp_ex *qpx, uint32_t rkey,
				      uint64_t remote_addr, uint64_t add)
{
	xrdma_wr_atomic_op(to_xqp_ex(qpx), IBV_WR_ATOMIC_FETCH_AND_ADD,
			   remote_addr, rkey, add, 0);
}

/* The entry contains the value, so no setter of a payload may follow. */
static void xrdma_wr_atomic_write(struct ibv_qp_ex *qpx, uint32_t rkey,
				  uint64_t remote_addr, const void *value)
{
	struct xrdma_atomic_seg *seg;
	struct xrdma_sq_wqe *wqe;

	wqe = xrdma_wr_begin(to_xqp_ex(qpx), IBV_WR_ATOMIC_WRITE);
	if (unlikely(!wqe))
		return;
	wqe->imm = 0;
	seg = xrdma_make_remote(wqe, remote_addr, rkey);
	memcpy(&seg->swap_add, value, sizeof(seg->swap_add));
	seg->compare = 0;
}

static_assert(XRDMA_FLUSH_GLOBAL == IBV_FLUSH_GLOBAL, "flush");
static_assert(XRDMA_FLUSH_PERSISTENT == IBV_FLUSH_PERSISTENT, "flush");

static void xrdma_wr_flush(struct ibv_qp_ex *qpx, uint32_t rkey,
			   uint64_t remote_addr, size_t length, uint8_t type,
			   uint8_t level)
{
	struct xrdma_qp *qp = to_xqp_ex(qpx);
	struct xrdma_sq_wqe *wqe;
	uint32_t ext = type;

	wqe = xrdma_wr_begin(qp, IBV_WR_FLUSH);
	if (unlikely(!wqe))
		return;
	if (level == IBV_FLUSH_MR) {
		ext |= XRDMA_FLUSH_MR;
		length = 0;
	}
	if (unlikely(!type || type & ~(IBV_FLUSH_GLOBAL |
				       IBV_FLUSH_PERSISTENT) ||
		     level > IBV_FLUSH_MR || length > UINT32_MAX)) {
		qp->batch.err = EINVAL;
		return;
	}
	wqe->length = htole32(length);
	wqe->ext = htole32(ext);
	xrdma_make_remote(wqe, remote_addr, rkey);
}

static void xrdma_wr_local_inv(struct ibv_qp_ex *qpx, uint32_t rkey)
{
	struct xrdma_sq_wqe *wqe;

	wqe = xrdma_wr_begin(to_xqp_ex(qpx), IBV_WR_LOCAL_INV);
	if (unlikely(!wqe))
		return;
	wqe->inv_key = htole32(rkey);
	xrdma_make_remote(wqe, 0, 0);
}

static void xrdma_wr_bind_mw(struct ibv_qp_ex *qpx, struct ibv_mw *mw,
			     uint32_t rkey,
			     const struct ibv_mw_bind_info *bind_info)
{
	struct xrdma_qp *qp = to_xqp_ex(qpx);
	const struct xrdma_bound_mw bound = { .mw = mw, .rkey = mw->rkey };
	struct xrdma_sq_wqe *wqe;

	wqe = xrdma_wr_begin(qp, IBV_WR_BIND_MW);
	if (unlikely(!wqe))
		return;
	if (mw->type != IBV_MW_TYPE_2 || !qp->bound_mws ||
	    xrdma_make_bind(wqe, mw, rkey, bind_info)) {
		qp->batch.err = EINVAL;
		return;
	}
	qp->bound_mws[qp->batch.num_bound++] = bound;
}

/* ---- setters of the destination --------------------------------------- */

/*
 * Note that the destination of the last entry is set. Return: false if a call
 * of the batch failed, or the last entry needs no destination or has one.
 */
static bool xrdma_wr_take_target(struct xrdma_wr_batch *batch)
{
	if (unlikely(batch->err))
		return false;
	if (unlikely(!batch->no_target))
		batch->err = EINVAL;
	batch->no_target = false;
	return !batch->err;
}

static void xrdma_wr_set_ud_addr(struct ibv_qp_ex *qpx, struct ibv_ah *ah,
				 uint32_t remote_qpn, uint32_t remote_qkey)
{
	struct xrdma_wr_batch *batch = &to_xqp_ex(qpx)->batch;

	if (likely(xrdma_wr_take_target(batch)))
		xrdma_make_address(batch->wqe, ah, remote_qpn, remote_qkey);
}

static void xrdma_wr_set_xrc_srqn(struct ibv_qp_ex *qpx, uint32_t remote_srqn)
{
	struct xrdma_wr_batch *batch = &to_xqp_ex(qpx)->batch;

	if (likely(xrdma_wr_take_target(batch)))
		batch->wqe->ext = htole32(remote_srqn);
}

/* ---- setters of the payload ------------------------------------------- */

/*
 * Note that the payload of the last entry is set. Return: the part of the entry
 * where the payload begins; NULL if a call of the batch failed, or the last
 * entry has a payload or takes none.
 */
static void *xrdma_wr_take_data(struct xrdma_qp *qp)
{
	struct xrdma_wr_batch *batch = &qp->batch;
	void *data = batch->data;

	if (unlikely(batch->err))
		return NULL;
	if (unlikely(!data))
		batch->err = EINVAL;
	batch->data = NULL;
	return data;
}

/* As xrdma_wr_take_data(), but NULL also if the payload cannot be inline. */
static void *xrdma_wr_take_inline(struct xrdma_qp *qp)
{
	void *data = xrdma_wr_take_data(qp);

	if (data && unlikely(!(qp->batch.op->flags & XRDMA_TAKES_INLINE))) {
		qp->batch.err = EINVAL;
		return NULL;
	}
	return data;
}

/* The last entry has @bytes bytes of payload at @data: give it the length it needs. */
static void xrdma_wr_extend(struct xrdma_qp *qp, const void *data,
			    uint32_t bytes)
{
	xrdma_sq_pass(&qp->sq,
		      xrdma_make_length(qp->batch.wqe, data, bytes) - 1);
}

/*
 * Write the size of the inline payload at @data; @used is that of
 * xrdma_add_inline().
 */
static void xrdma_wr_end_inline(struct xrdma_qp *qp, const void *data, int used)
{
	struct xrdma_sq_wqe *wqe = qp->batch.wqe;

	if (unlikely(used < 0)) {
		qp->batch.err = EINVAL;
		return;
	}
	wqe->flags |= XRDMA_WQE_INLINE;
	wqe->num_sge = htole16(used);
	xrdma_wr_extend(qp, data, used);
}

static void xrdma_wr_set_inline_data(struct ibv_qp_ex *qpx, void *addr,
				     size_t length)
{
	struct xrdma_qp *qp = to_xqp_ex(qpx);
	void *data = xrdma_wr_take_inline(qp);

	if (likely(data))
		xrdma_wr_end_inline(qp, data,
				    xrdma_add_inline(data, 0, qp->max_inline,
						     addr, length));
}

static void xrdma_wr_set_inline_data_list(struct ibv_qp_ex *qpx,
					  size_t num_buf,
					  const struct ibv_data_buf *buf_list)
{
	struct xrdma_qp *qp = to_xqp_ex(qpx);
	void *data = xrdma_wr_take_inline(qp);
	int used = 0;
	size_t i;

	if (unlikely(!data))
		return;
	for (i = 0; i < num_buf && used >= 0; i++)
		used = xrdma_add_inline(data, used, qp->max_inline,
					buf_list[i].addr, buf_list[i].length);
	xrdma_wr_end_inline(qp, data, used);
}

static void xrdma_wr_set_sge_list(struct ibv_qp_ex *qpx, size_t num_sge,
				  const struct ibv_sge *sg_list)
{
	struct xrdma_qp *qp = to_xqp_ex(qpx);
	void *data = xrdma_wr_take_data(qp);
	struct xrdma_wr_batch *batch = &qp->batch;

	if (unlikely(!data))
		return;
	if (unlikely(num_sge > qp->sq.max_sge ||
		     (batch->op->flags & XRDMA_TAKES_ATOMIC && num_sge > 1))) {
		batch->err = EINVAL;
		return;
	}
	xrdma_make_sges(data, sg_list, num_sge);
	batch->wqe->num_sge = htole16(num_sge);
	xrdma_wr_extend(qp, data, num_sge * sizeof(struct xrdma_sge));
}

static void xrdma_wr_set_sge(struct ibv_qp_ex *qpx, uint32_t lkey,
			     uint64_t addr, uint32_t length)
{
	const struct ibv_sge sge = {
		.addr = addr,
		.length = length,
		.lkey = lkey,
	};

	xrdma_wr_set_sge_list(qpx, 1, &sge);
}

/* ---- batches --------------------------------------------------------- */

static void xrdma_wr_start(struct ibv_qp_ex *qpx)
{
	struct xrdma_qp *qp = to_xqp_ex(qpx);

	xrdma_lock(&qp->sq.lock);
	qp->batch.start = qp->sq.pi;
	qp->batch.start_place = qp->sq.place;
	qp->batch.num_bound = 0;
	qp->batch.err = qpx->qp_base.state < IBV_QPS_RTS ? EINVAL : 0;
	qp->batch.no_target = false;
	qp->batch.data = NULL;
}

/* Drop the entries of the batch, and restore the keys of their windows. */
static void xrdma_wr_rewind(struct xrdma_qp *qp)
{
	uint32_t i;

	/* a window that was bound twice gets the key from before its first bind */
	for (i = qp->batch.num_bound; i--; )
		qp->bound_mws[i].mw->rkey = qp->bound_mws[i].rkey;
	qp->sq.pi = qp->batch.start;
	qp->sq.place = qp->batch.start_place;
}

static int xrdma_wr_complete(struct ibv_qp_ex *qpx)
{
	struct xrdma_qp *qp = to_xqp_ex(qpx);
	int err = qp->batch.err;

	if (unlikely(!err && qp->batch.no_target))
		err = EINVAL;
	if (unlikely(err))
		xrdma_wr_rewind(qp);
	else if (likely(qp->sq.pi != qp->batch.start))
		xrdma_publish_sq(qp, qp->batch.start,
				 xrdma_sq_at(&qp->sq, qp->batch.start_place));
	xrdma_unlock(&qp->sq.lock);
	return err;
}

static void xrdma_wr_abort(struct ibv_qp_ex *qpx)
{
	struct xrdma_qp *qp = to_xqp_ex(qpx);

	xrdma_wr_rewind(qp);
	xrdma_unlock(&qp->sq.lock);
}

static_assert(IBV_QP_EX_WITH_RDMA_WRITE == 1U << IBV_WR_RDMA_WRITE &&
	      IBV_QP_EX_WITH_SEND_WITH_INV == 1U << IBV_WR_SEND_WITH_INV &&
	      IBV_QP_EX_WITH_FLUSH == 1U << (IBV_WR_FLUSH - 3) &&
	      IBV_QP_EX_WITH_ATOMIC_WRITE == 1U << (IBV_WR_ATOMIC_WRITE - 3),
	      "bits of xrdma_send_ops()");

/*
 * Convert bits by enum ibv_wr_opcode to enum ibv_qp_create_send_ops_flags. The
 * bits are the same except those of FLUSH and ATOMIC_WRITE, 3 lower in the
 * latter.
 */
static uint64_t xrdma_send_ops(uint32_t ops)
{
	uint32_t shifted = 1U << IBV_WR_FLUSH | 1U << IBV_WR_ATOMIC_WRITE;

	return (ops & ~shifted) | (ops & shifted) >> 3;
}

/**
 * xrdma_setup_wr() - set the ibv_wr_*() functions of a queue pair
 * @qp: new queue pair, after xrdma_size_qp()
 * @send_ops: enum ibv_qp_create_send_ops_flags: operations that the application
 *	will post
 *
 * Return: 0; EOPNOTSUPP: the type of the queue pair lacks one of the
 * operations; ENOMEM.
 */
int xrdma_setup_wr(struct xrdma_qp *qp, uint64_t send_ops)
{
	struct ibv_qp_ex *qpx = &qp->verbs_qp.qp_ex;

	if (send_ops & ~xrdma_send_ops(qp->ops))
		return EOPNOTSUPP;
	if (send_ops & IBV_QP_EX_WITH_BIND_MW) {
		qp->bound_mws = calloc(qp->sq.depth, sizeof(*qp->bound_mws));
		if (!qp->bound_mws)
			return ENOMEM;
	}

	qpx->wr_start = xrdma_wr_start;
	qpx->wr_complete = xrdma_wr_complete;
	qpx->wr_abort = xrdma_wr_abort;
	qpx->wr_send = xrdma_wr_send;
	qpx->wr_send_imm = xrdma_wr_send_imm;
	qpx->wr_send_inv = xrdma_wr_send_inv;
	qpx->wr_rdma_write = xrdma_wr_rdma_write;
	qpx->wr_rdma_write_imm = xrdma_wr_rdma_write_imm;
	qpx->wr_rdma_read = xrdma_wr_rdma_read;
	qpx->wr_atomic_cmp_swp = xrdma_wr_atomic_cmp_swp;
	qpx->wr_atomic_fetch_add = xrdma_wr_atomic_fetch_add;
	qpx->wr_atomic_write = xrdma_wr_atomic_write;
	qpx->wr_flush = xrdma_wr_flush;
	qpx->wr_local_inv = xrdma_wr_local_inv;
	qpx->wr_bind_mw = xrdma_wr_bind_mw;
	qpx->wr_set_ud_addr = xrdma_wr_set_ud_addr;
	qpx->wr_set_xrc_srqn = xrdma_wr_set_xrc_srqn;
	qpx->wr_set_sge = xrdma_wr_set_sge;
	qpx->wr_set_sge_list = xrdma_wr_set_sge_list;
	qpx->wr_set_inline_data = xrdma_wr_set_inline_data;
	qpx->wr_set_inline_data_list = xrdma_wr_set_inline_data_list;
	return 0;
}
