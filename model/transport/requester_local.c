// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send entries that send nothing: BIND_MW, REG_MR, LOCAL_INV. Each takes
 * effect once, when it is taken up, so going back never repeats it.
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
 * model_requester_local() - carry out an entry that sends nothing
 * @qp: the queue pair; all entries before have been sent, and before a LOCAL_INV
 *	completed
 * @body: what follows the first 32 bytes of the entry
 * @e: the entry, of kind LOCAL; @vendor_err is filled in
 *
 * The smallest stride holds every segment.
 *
 * Return: enum xrdma_wc_status.
 */
u8 model_requester_local(struct model_qp *qp, const void *body,
			 struct model_req_entry *e)
{
	_Static_assert(sizeof(struct xrdma_sq_wqe) +
		       sizeof(struct xrdma_bind_seg) <=
		       1U << XRDMA_SQ_LOG_STRIDE_MIN &&
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
