// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: completions: both ways to poll, and arming. Must not know:
 * how work is posted, how queues live.
 */

#include <errno.h>

#include <util/compiler.h>

#include "ring.h"

#define XRDMA_WC_FLAGS (IBV_WC_STANDARD_FLAGS | \
			IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)

/* Service levels of datagrams, numbered as providers of other devices do. */
enum {
	XRDMA_SL_IPV6		= 1,
	XRDMA_SL_IPV4		= 2,
	XRDMA_SL_ROCE_V2	= 1 << 3,
};

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

/* ---- what an entry says ---------------------------------------------- */

static unsigned int xrdma_wc_flags(const struct xrdma_cqe *cqe)
{
	uint16_t flags = le16toh(cqe->flags);
	unsigned int wc_flags = 0;

	if (flags & XRDMA_CQE_IMM)
		wc_flags |= IBV_WC_WITH_IMM;
	if (flags & XRDMA_CQE_INV)
		wc_flags |= IBV_WC_WITH_INV;
	if (flags & XRDMA_CQE_GRH)
		wc_flags |= IBV_WC_GRH;
	return wc_flags;
}

/*
 * The service level of a datagram tells which headers it came with, since struct
 * ibv_wc has no other field for that (IBTA A17.4.5.1).
 */
static uint8_t xrdma_wc_sl(const struct xrdma_cqe *cqe)
{
	uint16_t flags = le16toh(cqe->flags);

	if (!(flags & XRDMA_CQE_GRH))
		return 0;
	return XRDMA_SL_ROCE_V2 |
	       (flags & XRDMA_CQE_IPV4 ? XRDMA_SL_IPV4 : XRDMA_SL_IPV6);
}

/* libibverbs keeps the key that was invalidated where immediate data goes. */
static __be32 xrdma_wc_imm(const struct xrdma_cqe *cqe)
{
	if (le16toh(cqe->flags) & XRDMA_CQE_INV)
		return (__force __be32)le32toh(cqe->inv_key);
	return cqe->imm;
}

static void xrdma_fill_wc(const struct xrdma_cqe *cqe, struct ibv_wc *wc)
{
	wc->wr_id = le64toh(cqe->wr_id);
	wc->status = cqe->status;
	wc->opcode = xrdma_wc_opcode[cqe->opcode];
	wc->vendor_err = le16toh(cqe->vendor_err);
	wc->byte_len = le32toh(cqe->byte_len);
	wc->imm_data = xrdma_wc_imm(cqe);
	wc->qp_num = le32toh(cqe->qpn);
	wc->src_qp = le32toh(cqe->src_qpn);
	wc->wc_flags = xrdma_wc_flags(cqe);
	wc->pkey_index = le16toh(cqe->pkey_index);
	wc->slid = 0;
	wc->sl = xrdma_wc_sl(cqe);
	wc->dlid_path_bits = 0;
}

/*
 * Consumes what an entry covers. @qp holds the queue pair of the entry before,
 * or NULL, and that of this one afterwards.
 */
static void xrdma_take_work(struct xrdma_cq *cq, const struct xrdma_cqe *cqe,
			    struct xrdma_qp **qp)
{
	uint32_t qpn = le32toh(cqe->qpn);

	if (!*qp || (*qp)->qpn != qpn)
		*qp = xrdma_find_qp(to_xctx(cq->verbs_cq.cq.context), qpn);
	if (likely(*qp))
		xrdma_consume(cq, *qp, cqe);
}

/*
 * Consumes the next entry, and what it covers, for xrdma_hand_back(): then the
 * device may overwrite it. Of a shared receive queue the device says itself what
 * is free; an XRC target is not in the table, so its leaf may go at any time.
 */
static struct xrdma_cqe *xrdma_take_cqe(struct xrdma_cq *cq,
					struct xrdma_qp **qp)
{
	struct xrdma_cqe *cqe = xrdma_cqe_ready(cq, cq->ci);

	if (!cqe)
		return NULL;

	if (!(le16toh(cqe->flags) & XRDMA_CQE_SRQ))
		xrdma_take_work(cq, cqe, qp);
	cq->ci++;
	return cqe;
}

/* ---- ibv_poll_cq() --------------------------------------------------- */

/**
 * xrdma_poll_cq() - ibv_poll_cq()
 * @ibcq: completion queue
 * @num_entries: room in @wc
 * @wc: filled
 *
 * The device learns of the room in its ring once, at the end, and producers of
 * that in theirs.
 *
 * Return: number of completions.
 */
int xrdma_poll_cq(struct ibv_cq *ibcq, int num_entries, struct ibv_wc *wc)
{
	struct xrdma_cq *cq = to_xcq(ibcq);
	struct xrdma_qp *qp = NULL;
	struct xrdma_cqe *cqe;
	int n = 0;

	xrdma_lock(&cq->lock);
	while (n < num_entries) {
		cqe = xrdma_take_cqe(cq, &qp);
		if (!cqe)
			break;
		xrdma_fill_wc(cqe, &wc[n]);
		n++;
	}
	if (n)
		xrdma_hand_back(cq);
	xrdma_unlock(&cq->lock);
	return n;
}

/* ---- ibv_cq_ex ------------------------------------------------------- */

static struct xrdma_cq *to_xcq_ex(struct ibv_cq_ex *cqx)
{
	return to_xcq(ibv_cq_ex_to_cq(cqx));
}

/*
 * The application may post at once in place of what has completed, and there
 * must be room for that: it reads a copy, the entry itself is free.
 */
static int xrdma_next_poll(struct ibv_cq_ex *cqx)
{
	struct xrdma_cq *cq = to_xcq_ex(cqx);
	struct xrdma_cqe *cqe = xrdma_take_cqe(cq, &cq->current_qp);

	if (!cqe)
		return ENOENT;

	cq->current = *cqe;
	cqx->status = cqe->status;
	cqx->wr_id = le64toh(cqe->wr_id);
	xrdma_hand_back(cq);
	return 0;
}

/* On success the lock stays with the poller until the end of the batch. */
static int xrdma_start_poll(struct ibv_cq_ex *cqx,
			    struct ibv_poll_cq_attr *attr)
{
	struct xrdma_cq *cq = to_xcq_ex(cqx);
	int err;

	if (unlikely(attr->comp_mask))
		return EINVAL;

	xrdma_lock(&cq->lock);
	/* the one of an earlier batch may be gone */
	cq->current_qp = NULL;
	err = xrdma_next_poll(cqx);
	if (err)
		xrdma_unlock(&cq->lock);
	return err;
}

static void xrdma_end_poll(struct ibv_cq_ex *cqx)
{
	xrdma_unlock(&to_xcq_ex(cqx)->lock);
}

static enum ibv_wc_opcode xrdma_read_opcode(struct ibv_cq_ex *cqx)
{
	return xrdma_wc_opcode[to_xcq_ex(cqx)->current.opcode];
}

static uint32_t xrdma_read_vendor_err(struct ibv_cq_ex *cqx)
{
	return le16toh(to_xcq_ex(cqx)->current.vendor_err);
}

static uint32_t xrdma_read_byte_len(struct ibv_cq_ex *cqx)
{
	return le32toh(to_xcq_ex(cqx)->current.byte_len);
}

static __be32 xrdma_read_imm_data(struct ibv_cq_ex *cqx)
{
	return xrdma_wc_imm(&to_xcq_ex(cqx)->current);
}

static uint32_t xrdma_read_qp_num(struct ibv_cq_ex *cqx)
{
	return le32toh(to_xcq_ex(cqx)->current.qpn);
}

static uint32_t xrdma_read_src_qp(struct ibv_cq_ex *cqx)
{
	return le32toh(to_xcq_ex(cqx)->current.src_qpn);
}

static unsigned int xrdma_read_wc_flags(struct ibv_cq_ex *cqx)
{
	return xrdma_wc_flags(&to_xcq_ex(cqx)->current);
}

static uint32_t xrdma_read_slid(struct ibv_cq_ex *cqx)
{
	return 0;
}

static uint8_t xrdma_read_sl(struct ibv_cq_ex *cqx)
{
	return xrdma_wc_sl(&to_xcq_ex(cqx)->current);
}

static uint8_t xrdma_read_dlid_path_bits(struct ibv_cq_ex *cqx)
{
	return 0;
}

/* The clock of the device counts nanoseconds. */
static uint64_t xrdma_read_completion_ts(struct ibv_cq_ex *cqx)
{
	return le64toh(to_xcq_ex(cqx)->current.timestamp);
}

/**
 * xrdma_setup_poll() - give a completion queue the extended way to poll
 * @cq: new queue
 * @wc_flags: enum ibv_create_cq_wc_flags: what will be asked for
 *
 * Return: 0; EOPNOTSUPP: something that completions do not tell.
 */
int xrdma_setup_poll(struct xrdma_cq *cq, uint64_t wc_flags)
{
	struct ibv_cq_ex *cqx = &cq->verbs_cq.cq_ex;

	if (wc_flags & ~XRDMA_WC_FLAGS)
		return EOPNOTSUPP;

	cqx->start_poll = xrdma_start_poll;
	cqx->next_poll = xrdma_next_poll;
	cqx->end_poll = xrdma_end_poll;
	cqx->read_opcode = xrdma_read_opcode;
	cqx->read_vendor_err = xrdma_read_vendor_err;
	cqx->read_byte_len = xrdma_read_byte_len;
	cqx->read_imm_data = xrdma_read_imm_data;
	cqx->read_qp_num = xrdma_read_qp_num;
	cqx->read_src_qp = xrdma_read_src_qp;
	cqx->read_wc_flags = xrdma_read_wc_flags;
	cqx->read_slid = xrdma_read_slid;
	cqx->read_sl = xrdma_read_sl;
	cqx->read_dlid_path_bits = xrdma_read_dlid_path_bits;
	cqx->read_completion_ts = xrdma_read_completion_ts;
	return 0;
}

/* ---- arming ---------------------------------------------------------- */

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

	cq->arm = xrdma_arm_next(cq->arm, type);
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
