// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Checks an entry of the send queue when requester.c takes it up, and reads its
 * scatter-gather list again for each packet with data. Entries that send no
 * packet are executed in requester_local.c. The memory of the send queue is
 * read by core/qp_queue.c.
 */

#include <string.h>

#include "core/device.h"
#include "packet/psn.h"
#include "transport/conn.h"

/* Return: enum model_req_kind; FAILED if @type does not allow @opcode. */
static u8 kind_of(u8 type, u8 opcode)
{
	/* UC has no responses, and no packet opcode for SEND_INV */
	if (type == XRDMA_QP_UC &&
	    (opcode == XRDMA_OP_SEND_INV || opcode == XRDMA_OP_READ ||
	     opcode == XRDMA_OP_CMP_SWAP || opcode == XRDMA_OP_FETCH_ADD))
		return MODEL_REQ_FAILED;
	switch (opcode) {
	case XRDMA_OP_SEND:
	case XRDMA_OP_SEND_IMM:
	case XRDMA_OP_SEND_INV:
		return MODEL_REQ_SEND;
	case XRDMA_OP_WRITE:
	case XRDMA_OP_WRITE_IMM:
		return MODEL_REQ_WRITE;
	case XRDMA_OP_READ:
		return MODEL_REQ_READ;
	case XRDMA_OP_CMP_SWAP:
	case XRDMA_OP_FETCH_ADD:
		return MODEL_REQ_ATOMIC;
	case XRDMA_OP_FLUSH:
		return type == XRDMA_QP_RC ? MODEL_REQ_FLUSH : MODEL_REQ_FAILED;
	case XRDMA_OP_ATOMIC_WRITE:
		return type == XRDMA_QP_RC ? MODEL_REQ_ATOMIC_WRITE :
					     MODEL_REQ_FAILED;
	case XRDMA_OP_BIND_MW:
	case XRDMA_OP_LOCAL_INV:
	case XRDMA_OP_REG_MR:
		return MODEL_REQ_LOCAL;
	default:
		return MODEL_REQ_FAILED;
	}
}

static u32 body_offset(u8 kind)
{
	u32 offset = sizeof(struct xrdma_sq_wqe);

	if (kind == MODEL_REQ_ATOMIC)
		offset += sizeof(struct xrdma_atomic_seg);
	return offset;
}

static void sgl_of(const struct model_req_entry *e, const u8 *wqe,
		   struct model_sgl *sgl)
{
	sgl->sge = (const void *)(wqe + body_offset(e->kind));
	sgl->waiter = NULL;
	sgl->num = le16_to_cpu(e->wqe.num_sge);
	sgl->opcode = e->wqe.opcode;
}

static u8 check_inline(const struct model_qp *qp, struct model_req_entry *e)
{
	u32 room = model_sq_bytes(qp, &e->wqe) - body_offset(e->kind);

	e->length = le16_to_cpu(e->wqe.num_sge);
	if (model_req_has_response(e->kind))
		return XRDMA_WC_LOC_QP_OP_ERR;
	if (e->length > room || e->length > MODEL_MAX_INLINE)
		return XRDMA_WC_LOC_LEN_ERR;
	return XRDMA_WC_SUCCESS;
}

static u8 check_sgl(struct model_qp *qp, const u8 *wqe,
		    struct model_req_entry *e)
{
	u32 room = model_sq_bytes(qp, &e->wqe) - body_offset(e->kind);
	struct model_sgl sgl;
	u16 rights = 0;
	u64 length;

	sgl_of(e, wqe, &sgl);
	if (sgl.num > MODEL_MAX_SGE || sgl.num * sizeof(*sgl.sge) > room)
		return XRDMA_WC_LOC_QP_OP_ERR;
	length = model_sgl_length(&sgl);
	if (length > MODEL_MSG_MAX ||
	    (e->kind == MODEL_REQ_ATOMIC && length != sizeof(u64)))
		return XRDMA_WC_LOC_LEN_ERR;
	e->length = length;
	if (model_req_has_response(e->kind))
		rights = XRDMA_ACCESS_LOCAL_WRITE;
	e->vendor_err = model_sgl_check(qp, &sgl, rights, &e->paged);
	return e->vendor_err ? XRDMA_WC_LOC_PROT_ERR : XRDMA_WC_SUCCESS;
}

static u8 check_atomic(const u8 *wqe, struct model_req_entry *e)
{
	_Static_assert(sizeof(e->wqe) + sizeof(e->atomic) <= XRDMA_SQ_UNIT,
		       "each entry has room for the operands");

	memcpy(&e->atomic, wqe + sizeof(e->wqe), sizeof(e->atomic));
	if (e->wqe.opcode != XRDMA_OP_CMP_SWAP && e->atomic.compare)
		return XRDMA_WC_LOC_QP_OP_ERR;
	return XRDMA_WC_SUCCESS;
}

/* Check a FLUSH or ATOMIC_WRITE, which have no scatter-gather list. */
static u8 check_place(const u8 *wqe, struct model_req_entry *e)
{
	u32 ext = le32_to_cpu(e->wqe.ext);

	if (e->wqe.num_sge || e->wqe.flags & XRDMA_WQE_INLINE)
		return XRDMA_WC_LOC_QP_OP_ERR;
	if (e->kind == MODEL_REQ_ATOMIC_WRITE)
		return check_atomic(wqe, e);
	if (ext & ~MODEL_FLUSH_ALL ||
	    !(ext & (XRDMA_FLUSH_GLOBAL | XRDMA_FLUSH_PERSISTENT)) ||
	    (ext & XRDMA_FLUSH_MR && e->wqe.length))
		return XRDMA_WC_LOC_QP_OP_ERR;
	return XRDMA_WC_SUCCESS;
}

/* Return: enum xrdma_wc_status. */
static u8 check(struct model_qp *qp, const u8 *wqe, struct model_req_entry *e)
{
	u8 status = XRDMA_WC_SUCCESS;

	if (e->kind == MODEL_REQ_FAILED)
		return XRDMA_WC_LOC_QP_OP_ERR;
	if (qp->type == XRDMA_QP_XRC_INI &&
	    le32_to_cpu(e->wqe.ext) > MODEL_SRQN_MASK)
		return XRDMA_WC_LOC_QP_OP_ERR;
	if (e->kind == MODEL_REQ_LOCAL)
		return model_requester_local(qp, wqe + sizeof(e->wqe), e);
	if (model_req_has_response(e->kind) && !qp->attr.max_rd_atomic)
		return XRDMA_WC_LOC_QP_OP_ERR;
	if (e->kind == MODEL_REQ_FLUSH || e->kind == MODEL_REQ_ATOMIC_WRITE)
		return check_place(wqe, e);
	if (e->kind == MODEL_REQ_ATOMIC)
		status = check_atomic(wqe, e);
	if (status)
		return status;
	if (e->wqe.flags & XRDMA_WQE_INLINE)
		return check_inline(qp, e);
	return check_sgl(qp, wqe, e);
}

static u32 num_psns(const struct model_qp *qp, const struct model_req_entry *e)
{
	u32 mtu = model_qp_mtu(qp);

	if (e->kind == MODEL_REQ_LOCAL)
		return 0;
	if (e->kind == MODEL_REQ_ATOMIC || !e->length)
		return 1;
	return ((u64)e->length + mtu - 1) / mtu;
}

/**
 * model_requester_take() - take up the next entry of the send queue
 * @qp: the queue pair
 * @wqe: bytes of the entry
 * @e: filled in. Its kind is FAILED if the entry is refused, LOCAL if the entry
 *	has been executed; PSNs are assigned in all other cases.
 */
void model_requester_take(struct model_qp *qp, const u8 *wqe,
			  struct model_req_entry *e)
{
	struct model_requester *req = &qp->tp->req;

	memset(e, 0, sizeof(*e));
	memcpy(&e->wqe, wqe, sizeof(e->wqe));
	e->kind = kind_of(qp->type, e->wqe.opcode);
	e->status = model_qp_check_send(qp, &e->wqe);
	if (!e->status)
		e->status = check(qp, wqe, e);
	e->first_psn = req->psn;
	e->resp_psn = req->psn;
	e->asked_psn = req->psn;
	if (e->status) {
		e->kind = MODEL_REQ_FAILED;
		e->last_psn = model_psn_add(req->psn, -1U);
		return;
	}
	e->last_psn = model_psn_add(req->psn, num_psns(qp, e) - 1);
	req->psn = model_psn_add(e->last_psn, 1);
}

/**
 * model_requester_body() - read the scatter-gather list of an entry in flight
 * @qp: the queue pair
 * @e: an entry in flight that is not FAILED
 * @index: index of @e
 * @copy: gets the bytes of the entry, unless it has them already
 * @sgl: filled in, points into @copy; inline bytes are at @sgl->sge
 *
 * The consumer must not change an entry before its completion.
 *
 * Return: false if the entry has changed since it was taken up, or if the send
 * queue cannot be read; the queue pair is in ERR in the second case.
 */
bool model_requester_body(struct model_qp *qp,
			  const struct model_req_entry *e, u32 index,
			  struct model_req_copy *copy, struct model_sgl *sgl)
{
	sgl_of(e, copy->wqe, sgl);
	sgl->waiter = &qp->waiters[MODEL_WAIT_REQUESTER];
	if (copy->loaded && copy->index == index)
		return true;
	copy->loaded = false;
	if (model_qp_read_sq(qp, index, e->place, copy->wqe))
		return false;
	if (memcmp(copy->wqe, &e->wqe, sizeof(e->wqe)))
		return false;
	if (!(e->wqe.flags & XRDMA_WQE_INLINE) &&
	    model_sgl_length(sgl) != e->length)
		return false;
	copy->loaded = true;
	copy->index = index;
	return true;
}
