// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: completion queues: the ring, polling, arming, and taking
 * the entries of a queue pair out. Must not know: how work is posted.
 */

#include <errno.h>
#include <stdlib.h>

#include <util/compiler.h>
#include <util/udma_barrier.h>

#include "xrdma-abi.h"
#include "xrdma.h"

#define XRDMA_CQ_LOG_DEPTH_MIN	4

/* What the application calls a completed operation. */
static const uint8_t xrdma_wc_opcode[256] = {
	[XRDMA_OP_SEND]			= IBV_WC_SEND,
	[XRDMA_OP_SEND_IMM]		= IBV_WC_SEND,
	[XRDMA_OP_SEND_INV]		= IBV_WC_SEND,
	[XRDMA_OP_WRITE]		= IBV_WC_RDMA_WRITE,
	[XRDMA_OP_WRITE_IMM]		= IBV_WC_RDMA_WRITE,
	[XRDMA_OP_READ]			= IBV_WC_RDMA_READ,
	[XRDMA_OP_CMP_SWAP]		= IBV_WC_COMP_SWAP,
	[XRDMA_OP_FETCH_ADD]		= IBV_WC_FETCH_ADD,
	[XRDMA_OP_BIND_MW]		= IBV_WC_BIND_MW,
	[XRDMA_OP_LOCAL_INV]		= IBV_WC_LOCAL_INV,
	[XRDMA_OP_FLUSH]		= IBV_WC_FLUSH,
	[XRDMA_OP_ATOMIC_WRITE]		= IBV_WC_ATOMIC_WRITE,
	[XRDMA_OP_RECV]			= IBV_WC_RECV,
	[XRDMA_OP_RECV_WRITE_IMM]	= IBV_WC_RECV_RDMA_WITH_IMM,
};

static_assert(IBV_WC_RECV_RDMA_WITH_IMM <= UINT8_MAX, "opcode table");
static_assert((int)XRDMA_WC_GENERAL_ERR == (int)IBV_WC_GENERAL_ERR, "status");
static_assert((int)XRDMA_WC_REM_ABORT_ERR == (int)IBV_WC_REM_ABORT_ERR,
	      "status");

static struct xrdma_cqe *xrdma_cqe_at(struct xrdma_cq *cq, uint32_t index)
{
	return &cq->ring[index & ((1U << cq->log_depth) - 1)];
}

/* The entry at an index, or NULL if the device has not written it yet. */
static struct xrdma_cqe *xrdma_cqe_ready(struct xrdma_cq *cq, uint32_t index)
{
	struct xrdma_cqe *cqe = xrdma_cqe_at(cq, index);
	uint32_t phase = !(index >> cq->log_depth & 1);

	if ((xrdma_load_le32(&cqe->own) & XRDMA_CQE_PHASE) != phase)
		return NULL;

	/* own was written last: what is read of the entry from here is whole */
	udma_from_device_barrier();
	return cqe;
}

static void xrdma_publish_ci(struct xrdma_cq *cq)
{
	xrdma_store_le32(&cq->rec->ci, cq->ci);
}

/* Frees the entries of the work queue that a completion covers. */
static void xrdma_retire(struct xrdma_qp *qp, const struct xrdma_cqe *cqe)
{
	struct xrdma_wq *wq;
	uint32_t ci;

	if (le16toh(cqe->flags) & XRDMA_CQE_SEND) {
		wq = &qp->sq;
		ci = atomic_load_explicit(&wq->ci, memory_order_relaxed);
		ci += (uint16_t)(le16toh(cqe->wqe_index) - ci) + 1;
	} else {
		wq = &qp->rq;
		ci = atomic_load_explicit(&wq->ci, memory_order_relaxed) + 1;
	}
	/* pairs with xrdma_wq_full(): the device is through with the entries */
	atomic_store_explicit(&wq->ci, ci, memory_order_release);
}

static unsigned int xrdma_wc_flags(uint16_t flags)
{
	unsigned int wc_flags = 0;

	if (flags & XRDMA_CQE_IMM)
		wc_flags |= IBV_WC_WITH_IMM;
	if (flags & XRDMA_CQE_INV)
		wc_flags |= IBV_WC_WITH_INV;
	if (flags & XRDMA_CQE_GRH)
		wc_flags |= IBV_WC_GRH;
	return wc_flags;
}

static void xrdma_fill_wc(const struct xrdma_cqe *cqe, struct ibv_wc *wc)
{
	uint16_t flags = le16toh(cqe->flags);

	wc->wr_id = le64toh(cqe->wr_id);
	wc->status = cqe->status;
	wc->opcode = xrdma_wc_opcode[cqe->opcode];
	wc->vendor_err = le16toh(cqe->vendor_err);
	wc->byte_len = le32toh(cqe->byte_len);
	if (flags & XRDMA_CQE_INV)
		wc->invalidated_rkey = le32toh(cqe->inv_key);
	else
		wc->imm_data = cqe->imm;
	wc->qp_num = le32toh(cqe->qpn);
	wc->src_qp = le32toh(cqe->src_qpn);
	wc->wc_flags = xrdma_wc_flags(flags);
	wc->pkey_index = le16toh(cqe->pkey_index);
	wc->slid = 0;
	wc->sl = cqe->sl;
	wc->dlid_path_bits = 0;
}

/**
 * xrdma_poll_cq() - ibv_poll_cq()
 * @ibcq: completion queue
 * @num_entries: room in @wc
 * @wc: filled
 *
 * The device learns of the room in its ring once, at the end.
 *
 * Return: number of completions.
 */
int xrdma_poll_cq(struct ibv_cq *ibcq, int num_entries, struct ibv_wc *wc)
{
	struct xrdma_context *ctx = to_xctx(ibcq->context);
	struct xrdma_cq *cq = to_xcq(ibcq);
	struct xrdma_qp *qp = NULL;
	struct xrdma_cqe *cqe;
	int n = 0;

	xrdma_lock(&cq->lock);
	while (n < num_entries) {
		cqe = xrdma_cqe_ready(cq, cq->ci);
		if (!cqe)
			break;
		xrdma_fill_wc(cqe, &wc[n]);
		if (!qp || qp->qpn != wc[n].qp_num)
			qp = xrdma_find_qp(ctx, wc[n].qp_num);
		if (likely(qp))
			xrdma_retire(qp, cqe);
		cq->ci++;
		n++;
	}
	if (n)
		xrdma_publish_ci(cq);
	xrdma_unlock(&cq->lock);
	return n;
}

/**
 * xrdma_req_notify_cq() - ibv_req_notify_cq()
 * @ibcq: completion queue
 * @solicited_only: 0: the next completion makes an event; else the next that
 *	is solicited or failed. A pending request for any completion stays one.
 *
 * Return: 0.
 */
int xrdma_req_notify_cq(struct ibv_cq *ibcq, int solicited_only)
{
	struct xrdma_cq *cq = to_xcq(ibcq);
	uint32_t type = XRDMA_ARM_NEXT;

	xrdma_lock(&cq->lock);
	if (!solicited_only)
		cq->next_armed = true;
	else if (!cq->next_armed)
		type = XRDMA_ARM_SOLICITED;

	cq->arm = ((cq->arm >> XRDMA_ARM_SN_SHIFT) + 1) << XRDMA_ARM_SN_SHIFT;
	cq->arm |= type;
	xrdma_store_le32(&cq->rec->arm, cq->arm);
	xrdma_unlock(&cq->lock);

	/*
	 * The device sees the arming before the caller looks at the ring again:
	 * either that look finds the entry, or the entry makes an event.
	 */
	atomic_thread_fence(memory_order_seq_cst);
	return 0;
}

/**
 * xrdma_cq_event() - the application has fetched an event of this queue
 * @ibcq: completion queue
 */
void xrdma_cq_event(struct ibv_cq *ibcq)
{
	struct xrdma_cq *cq = to_xcq(ibcq);

	xrdma_lock(&cq->lock);
	cq->next_armed = false;
	xrdma_unlock(&cq->lock);
}

/* Moves an entry; the phase belongs to the place. */
static void xrdma_move_cqe(struct xrdma_cqe *to, const struct xrdma_cqe *from)
{
	__le32 own = to->own;

	*to = *from;
	to->own = own;
}

/**
 * xrdma_cq_clean() - take out what a queue pair left in the ring
 * @cq: completion queue
 * @qpn: number of a queue pair that the device has stopped
 *
 * The entries of others keep their order, and move up to the newest.
 */
void xrdma_cq_clean(struct xrdma_cq *cq, uint32_t qpn)
{
	uint32_t index, gone = 0;

	xrdma_lock(&cq->lock);
	index = cq->ci;
	while (index - cq->ci < 1U << cq->log_depth &&
	       xrdma_cqe_ready(cq, index))
		index++;

	while (index-- != cq->ci) {
		struct xrdma_cqe *cqe = xrdma_cqe_at(cq, index);

		if (le32toh(cqe->qpn) == qpn)
			gone++;
		else if (gone)
			xrdma_move_cqe(xrdma_cqe_at(cq, index + gone), cqe);
	}
	cq->ci += gone;
	xrdma_publish_ci(cq);
	xrdma_unlock(&cq->lock);
}

/* Reserves the ring and its record. */
static int xrdma_alloc_cq_buf(struct xrdma_cq *cq, unsigned int entries)
{
	size_t ring_size;
	int err;

	cq->log_depth = xrdma_log2_ceil(entries);
	if (cq->log_depth < XRDMA_CQ_LOG_DEPTH_MIN)
		cq->log_depth = XRDMA_CQ_LOG_DEPTH_MIN;
	ring_size = sizeof(struct xrdma_cqe) << cq->log_depth;
	err = xrdma_alloc_buf(&cq->buf, ring_size + sizeof(*cq->rec));
	if (err)
		return err;

	cq->ring = cq->buf.addr;
	cq->rec = cq->buf.addr + ring_size;
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

/**
 * xrdma_create_cq() - ibv_create_cq()
 * @ibctx: open device
 * @cqe: entries needed; rounded up to a power of two
 * @channel: where events go, or NULL
 * @comp_vector: event queue, if there is a channel
 *
 * Return: the queue, or NULL and errno.
 */
struct ibv_cq *xrdma_create_cq(struct ibv_context *ibctx, int cqe,
			       struct ibv_comp_channel *channel,
			       int comp_vector)
{
	struct xrdma_context *ctx = to_xctx(ibctx);
	struct xrdma_cq *cq;
	int err;

	if (cqe < 1 || (unsigned int)cqe > ctx->max_cqe) {
		errno = EINVAL;
		return NULL;
	}

	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return NULL;
	xrdma_lock_init(&cq->lock, ctx);

	err = xrdma_alloc_cq_buf(cq, cqe);
	if (err)
		goto err_free;
	err = xrdma_cmd_create_cq(ibctx, cq, cqe, channel, comp_vector);
	if (err)
		goto err_free_buf;
	return &cq->verbs_cq.cq;

err_free_buf:
	xrdma_free_buf(&cq->buf);
err_free:
	xrdma_lock_destroy(&cq->lock);
	free(cq);
	errno = err;
	return NULL;
}

/**
 * xrdma_destroy_cq() - ibv_destroy_cq()
 * @ibcq: completion queue
 *
 * Return: 0 or an errno; then the queue still is.
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
