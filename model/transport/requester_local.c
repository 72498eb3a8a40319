// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Executes the send queue entries that send no packet: BIND_MW, REG_MR,
 * LOCAL_INV. Each is executed once, when requester.c takes it up; a retry does
 * not execute it again. The operations themselves are in core/window.c.
 */
#include <string.h>

#include "core/device.h"
#include "core/window.h"
#include "transport/conn.h"

static u8 bind_mw(struct model_qp *qp, const void *body,
		  struct model_req_entry *e)
{
	struct xrdma_bind_seg seg;

	memcpy(&seg, body, sizeof(seg));
	if (seg.reserved)
		return XRDMA_WC_LOC_QP_OP_ERR;
	e->vendor_err = model_bind_mw(qp, le32_to_cpu(e->wqe.inv_key), &seg);
	return e->vendor_err ? XRDMA_WC_MW_BIND_ERR : XRDMA_WC_SUCCESS;
}

static u8 reg_mr(struct model_qp *qp, const void *body,
		 struct model_req_entry *e)
{
	struct xrdma_reg_seg seg;

	if (!(qp->flags & XRDMA_QP_KERNEL))
		return XRDMA_WC_LOC_QP_OP_ERR;
	memcpy(&seg, body, sizeof(seg));
	e->vendor_err = model_reg_mr(qp, le32_to_cpu(e->wqe.inv_key), &seg);
	return e->vendor_err ? XRDMA_WC_MW_BIND_ERR : XRDMA_WC_SUCCESS;
}

static u8 local_inv(struct model_qp *qp, struct model_req_entry *e)
{
	e->vendor_err = model_inval_key(qp, le32_to_cpu(e->wqe.inv_key), false);
	return e->vendor_err ? XRDMA_WC_LOC_QP_OP_ERR : XRDMA_WC_SUCCESS;
}

/**
 * model_requester_local() - execute an entry that sends no packet
 * @qp: the queue pair; all entries before this one have been sent, and if this
 *	one is LOCAL_INV they are complete
 * @body: bytes of the entry after the first 32
 * @e: the entry, of kind LOCAL; @vendor_err is filled in
 *
 * @body has room for each kind of segment, even in an entry of one unit.
 *
 * Return: enum xrdma_wc_status.
 */
u8 model_requester_local(struct model_qp *qp, const void *body,
			 struct model_req_entry *e)
{
	_Static_assert(sizeof(struct xrdma_sq_wqe) +
		       sizeof(struct xrdma_bind_seg) <=
		       XRDMA_SQ_UNIT &&
		       sizeof(struct xrdma_reg_seg) <=
		       sizeof(struct xrdma_bind_seg), "segment too long");

	if (e->wqe.num_sge || e->wqe.flags & XRDMA_WQE_INLINE)
		return XRDMA_WC_LOC_QP_OP_ERR;
	switch (e->wqe.opcode) {
	case XRDMA_OP_BIND_MW:
		return bind_mw(qp, body, e);
	case XRDMA_OP_REG_MR:
		return reg_mr(qp, body, e);
	default:
		return local_inv(qp, e);
	}
}
