// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA encoding of work requests: writes entries of send and receive rings
 * from struct ib_send_wr and struct ib_recv_wr. xrdma_post.c and
 * xrdma_srq_post.c choose the entry and ring the doorbell; xrdma_frmr.c writes
 * the segment of a REG_MR request that describes the region.
 *
 * Context of all functions: any, also with interrupts off.
 */

#include <rdma/xrdma-bind.h>
#include <rdma/xrdma-flush.h>
#include "xrdma_ah.h"
#include "xrdma_dev.h"
#include "xrdma_frmr.h"
#include "xrdma_mr.h"
#include "xrdma_qp.h"
#include "xrdma_wqe.h"

/**
 * struct xrdma_wr_op - translation of an opcode of verbs
 * @opcode: enum xrdma_wqe_opcode; 0: the driver does not have the operation
 * @inlines: the data may be inline
 * @cap: XRDMA_CAP_* that the device needs, or 0
 */
struct xrdma_wr_op {
	u8 opcode;
	bool inlines;
	u64 cap;
};

static const struct xrdma_wr_op xrdma_wr_ops[] = {
	[IB_WR_RDMA_WRITE] = { XRDMA_OP_WRITE, true },
	[IB_WR_RDMA_WRITE_WITH_IMM] = { XRDMA_OP_WRITE_IMM, true },
	[IB_WR_SEND] = { XRDMA_OP_SEND, true },
	[IB_WR_SEND_WITH_IMM] = { XRDMA_OP_SEND_IMM, true },
	[IB_WR_SEND_WITH_INV] = { XRDMA_OP_SEND_INV, true, XRDMA_CAP_FAST_REG },
	[IB_WR_RDMA_READ] = { XRDMA_OP_READ },
	[IB_WR_ATOMIC_CMP_AND_SWP] = { XRDMA_OP_CMP_SWAP },
	[IB_WR_ATOMIC_FETCH_AND_ADD] = { XRDMA_OP_FETCH_ADD },
	[IB_WR_BIND_MW] = { XRDMA_OP_BIND_MW },
	[IB_WR_LOCAL_INV] = { XRDMA_OP_LOCAL_INV, false, XRDMA_CAP_FAST_REG },
	[IB_WR_REG_MR] = { XRDMA_OP_REG_MR, false, XRDMA_CAP_FAST_REG },
	[IB_WR_FLUSH] = { XRDMA_OP_FLUSH, false, XRDMA_CAP_FLUSH },
	[IB_WR_ATOMIC_WRITE] = { XRDMA_OP_ATOMIC_WRITE, true,
				 XRDMA_CAP_ATOMIC_WRITE },
};

static void xrdma_make_sge(struct xrdma_sge *seg, const struct ib_sge *sge)
{
	seg->addr = cpu_to_le64(sge->addr);
	seg->length = cpu_to_le32(sge->length);
	seg->lkey = cpu_to_le32(sge->lkey);
}

static int xrdma_make_inline(struct xrdma_qp *qp, struct xrdma_sq_wqe *wqe,
			     void *data, const struct ib_send_wr *wr)
{
	u32 total = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];

		if (sge->length > qp->max_inline - total)
			return -EINVAL;
		memcpy(data + total, (void *)(uintptr_t)sge->addr,
		       sge->length);
		total += sge->length;
	}
	wqe->num_sge = cpu_to_le16(total);
	return 0;
}

/* Write the inline data or the scatter-gather entries at @data. */
static int xrdma_make_data(struct xrdma_qp *qp, struct xrdma_sq_wqe *wqe,
			   void *data, const struct ib_send_wr *wr)
{
	struct xrdma_sge *seg = data;
	int i;

	if (wr->num_sge < 0)
		return -EINVAL;
	if (wqe->flags & XRDMA_WQE_INLINE)
		return xrdma_make_inline(qp, wqe, data, wr);
	if (wr->num_sge > qp->sq.max_sge)
		return -EINVAL;
	for (i = 0; i < wr->num_sge; i++)
		xrdma_make_sge(&seg[i], &wr->sg_list[i]);
	wqe->num_sge = cpu_to_le16(wr->num_sge);
	return 0;
}

static int xrdma_make_atomic(struct xrdma_sq_wqe *wqe,
			     const struct ib_send_wr *wr)
{
	const struct ib_atomic_wr *awr = atomic_wr(wr);
	struct xrdma_atomic_seg *seg = (void *)(wqe + 1);
	bool swap = wr->opcode == IB_WR_ATOMIC_CMP_AND_SWP;

	if (wr->num_sge != 1)
		return -EINVAL;
	wqe->remote_addr = cpu_to_le64(awr->remote_addr);
	wqe->rkey = cpu_to_le32(awr->rkey);
	seg->swap_add = cpu_to_le64(swap ? awr->swap : awr->compare_add);
	seg->compare = cpu_to_le64(swap ? awr->compare_add : 0);
	xrdma_make_sge((struct xrdma_sge *)(seg + 1), wr->sg_list);
	wqe->num_sge = cpu_to_le16(1);
	return 0;
}

static int xrdma_make_rdma(struct xrdma_qp *qp, struct xrdma_sq_wqe *wqe,
			   const struct ib_send_wr *wr)
{
	wqe->remote_addr = cpu_to_le64(rdma_wr(wr)->remote_addr);
	wqe->rkey = cpu_to_le32(rdma_wr(wr)->rkey);
	return xrdma_make_data(qp, wqe, wqe + 1, wr);
}

static int xrdma_make_reg(struct xrdma_sq_wqe *wqe,
			  const struct ib_send_wr *wr)
{
	const struct ib_reg_wr *rwr = reg_wr(wr);

	if (rwr->access & ~XRDMA_IB_ACCESS)
		return -EINVAL;
	wqe->inv_key = cpu_to_le32(rwr->key);
	return xrdma_frmr_make_seg(rwr->mr, xrdma_mr_hw_access(rwr->access),
				   (struct xrdma_reg_seg *)(wqe + 1));
}

static int xrdma_make_bind(struct xrdma_sq_wqe *wqe,
			   const struct ib_send_wr *wr)
{
	const struct xrdma_bind_wr *bwr = xrdma_bind_wr(wr);

	if (bwr->access & ~XRDMA_IB_ACCESS)
		return -EINVAL;
	wqe->inv_key = cpu_to_le32(bwr->mw->rkey);
	*(struct xrdma_bind_seg *)(wqe + 1) = (struct xrdma_bind_seg) {
		.addr = cpu_to_le64(bwr->addr),
		.length = cpu_to_le64(bwr->length),
		.mr_key = cpu_to_le32(bwr->mr ? bwr->mr->lkey : 0),
		.new_key = cpu_to_le32(bwr->rkey),
		.access = cpu_to_le32(xrdma_mr_hw_access(bwr->access)),
	};
	return 0;
}

static int xrdma_make_flush(struct xrdma_sq_wqe *wqe,
			    const struct ib_send_wr *wr)
{
	const struct xrdma_flush_wr *fwr = xrdma_flush_wr(wr);
	bool range = fwr->level == IB_FLUSH_RANGE;
	u32 ext = fwr->type | (range ? 0 : XRDMA_FLUSH_MR);

	if (fwr->type & ~(u32)(IB_FLUSH_GLOBAL | IB_FLUSH_PERSISTENT) ||
	    (!range && fwr->level != IB_FLUSH_MR))
		return -EINVAL;
	wqe->remote_addr = cpu_to_le64(fwr->remote_addr);
	wqe->rkey = cpu_to_le32(fwr->rkey);
	wqe->length = cpu_to_le32(range ? fwr->length : 0);
	wqe->ext = cpu_to_le32(ext);
	return 0;
}

/*
 * The value is copied into the entry. Only for IB_SEND_INLINE is its address
 * one that the CPU can read.
 */
static int xrdma_make_atomic_write(struct xrdma_sq_wqe *wqe,
				   const struct ib_send_wr *wr)
{
	struct xrdma_atomic_seg *seg = (void *)(wqe + 1);

	if (!(wr->send_flags & IB_SEND_INLINE) || wr->num_sge != 1 ||
	    wr->sg_list->length != sizeof(seg->swap_add))
		return -EINVAL;
	wqe->flags &= ~XRDMA_WQE_INLINE;
	wqe->remote_addr = cpu_to_le64(rdma_wr(wr)->remote_addr);
	wqe->rkey = cpu_to_le32(rdma_wr(wr)->rkey);
	/* the bytes are copied without a conversion of their order */
	memcpy(&seg->swap_add, (void *)(uintptr_t)wr->sg_list->addr,
	       sizeof(seg->swap_add));
	seg->compare = 0;
	return 0;
}

/* Write the destination of a datagram; its data follows the address vector. */
static int xrdma_make_datagram(struct xrdma_qp *qp, struct xrdma_sq_wqe *wqe,
			       const struct ib_send_wr *wr)
{
	const struct ib_ud_wr *uwr = ud_wr(wr);
	struct xrdma_av *av = (struct xrdma_av *)(wqe + 1);

	if (!uwr->ah || uwr->remote_qpn & ~(u32)XRDMA_QPN_MASK)
		return -EINVAL;
	wqe->dqpn = cpu_to_le32(uwr->remote_qpn);
	wqe->qkey = cpu_to_le32(uwr->remote_qkey);
	*av = to_xah(uwr->ah)->av;
	return xrdma_make_data(qp, wqe, av + 1, wr);
}

static bool xrdma_is_datagram(const struct xrdma_qp *qp)
{
	return qp->type == XRDMA_QP_UD || qp->type == XRDMA_QP_GSI;
}

static int xrdma_make_message(struct xrdma_qp *qp, struct xrdma_sq_wqe *wqe,
			      const struct ib_send_wr *wr)
{
	if (xrdma_is_datagram(qp))
		return xrdma_make_datagram(qp, wqe, wr);
	return xrdma_make_data(qp, wqe, wqe + 1, wr);
}

static u8 xrdma_make_flags(const struct xrdma_qp *qp,
			   const struct ib_send_wr *wr)
{
	u8 flags = 0;

	if (wr->send_flags & IB_SEND_SIGNALED || qp->sig_all)
		flags |= XRDMA_WQE_SIGNALED;
	if (wr->send_flags & IB_SEND_FENCE)
		flags |= XRDMA_WQE_FENCE;
	if (wr->send_flags & IB_SEND_SOLICITED)
		flags |= XRDMA_WQE_SOLICITED;
	if (wr->send_flags & IB_SEND_INLINE)
		flags |= XRDMA_WQE_INLINE;
	return flags;
}

/* Write a send entry without its length. Return: as xrdma_make_send(). */
static int xrdma_make_operation(struct xrdma_qp *qp, struct xrdma_sq_wqe *wqe,
				const struct ib_send_wr *wr)
{
	const struct xrdma_wr_op *op;

	if (wr->opcode >= ARRAY_SIZE(xrdma_wr_ops))
		return -EOPNOTSUPP;
	op = &xrdma_wr_ops[wr->opcode];
	if (!op->opcode || op->cap & ~qp->xdev->caps.flags)
		return -EOPNOTSUPP;
	if (wr->send_flags & IB_SEND_INLINE && !op->inlines)
		return -EINVAL;
	if (xrdma_is_datagram(qp) && wr->opcode != IB_WR_SEND &&
	    wr->opcode != IB_WR_SEND_WITH_IMM)
		return -EINVAL;

	memset(wqe, 0, sizeof(*wqe));
	wqe->opcode = op->opcode;
	wqe->flags = xrdma_make_flags(qp, wr);
	wqe->wr_id = cpu_to_le64(wr->wr_id);

	switch (wr->opcode) {
	case IB_WR_SEND_WITH_INV:
		wqe->inv_key = cpu_to_le32(wr->ex.invalidate_rkey);
		return xrdma_make_data(qp, wqe, wqe + 1, wr);
	case IB_WR_SEND_WITH_IMM:
		wqe->imm = wr->ex.imm_data;
		fallthrough;
	case IB_WR_SEND:
		return xrdma_make_message(qp, wqe, wr);
	case IB_WR_RDMA_WRITE_WITH_IMM:
		wqe->imm = wr->ex.imm_data;
		fallthrough;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_READ:
		return xrdma_make_rdma(qp, wqe, wr);
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		return xrdma_make_atomic(wqe, wr);
	case IB_WR_LOCAL_INV:
		wqe->inv_key = cpu_to_le32(wr->ex.invalidate_rkey);
		return 0;
	case IB_WR_REG_MR:
		return xrdma_make_reg(wqe, wr);
	case IB_WR_BIND_MW:
		return xrdma_make_bind(wqe, wr);
	case IB_WR_FLUSH:
		return xrdma_make_flush(wqe, wr);
	case IB_WR_ATOMIC_WRITE:
		return xrdma_make_atomic_write(wqe, wr);
	default:
		return -EOPNOTSUPP;
	}
}

/* Return: bytes of an entry. An operation without a message fits one unit. */
static u32 xrdma_wqe_bytes(const struct xrdma_qp *qp,
			   const struct xrdma_sq_wqe *wqe)
{
	u32 data = le16_to_cpu(wqe->num_sge);

	if (wqe->opcode > XRDMA_OP_READ)
		return XRDMA_SQ_UNIT;
	if (!(wqe->flags & XRDMA_WQE_INLINE))
		data *= sizeof(struct xrdma_sge);
	if (xrdma_is_datagram(qp))
		data += sizeof(struct xrdma_av);
	return sizeof(*wqe) + data;
}

/**
 * xrdma_make_send() - write a send entry
 * @qp: kernel queue pair
 * @wqe: memory for the entry, large enough for the limits of @qp
 * @wr: the request
 *
 * Context: any.
 * Return: 0, -EINVAL for a request that is not allowed, -EOPNOTSUPP for an
 * operation that is not supported.
 */
int xrdma_make_send(struct xrdma_qp *qp, struct xrdma_sq_wqe *wqe,
		    const struct ib_send_wr *wr)
{
	int err = xrdma_make_operation(qp, wqe, wr);

	if (err)
		return err;
	wqe->flags |= xrdma_wqe_length(xrdma_sq_units(xrdma_wqe_bytes(qp, wqe)));
	return 0;
}

/**
 * xrdma_make_recv() - write a receive entry
 * @wqe: entry of the ring, with room for the scatter-gather entries of @wr
 * @wr: the request
 * @wr_id: value that the device writes into the completion
 *
 * Context: any.
 */
void xrdma_make_recv(struct xrdma_rq_wqe *wqe, const struct ib_recv_wr *wr,
		     u64 wr_id)
{
	struct xrdma_sge *seg = (struct xrdma_sge *)(wqe + 1);
	int i;

	memset(wqe, 0, sizeof(*wqe));
	wqe->num_sge = cpu_to_le16(wr->num_sge);
	wqe->wr_id = cpu_to_le64(wr_id);
	for (i = 0; i < wr->num_sge; i++)
		xrdma_make_sge(&seg[i], &wr->sg_list[i]);
}
