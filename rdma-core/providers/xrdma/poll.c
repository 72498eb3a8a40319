// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: polls completion queues, by ibv_poll_cq() and by the calls of
 * struct ibv_cq_ex, and arms them. Creation and destruction are in cq.c. The
 * release of consumed entries is in ring.h, the table that leads from a QPN to
 * its queue pair in qp_table.c.
 */

#include <errno.h>

#include <util/compiler.h>
#include <util/mmio.h>

#include "ring.h"

#define XRDMA_WC_FLAGS (IBV_WC_STANDARD_FLAGS | \
			IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)

/*
 * Values of ibv_wc.sl for datagrams, the same as other RoCE providers report.
 */
enum {
	XRDMA_SL_IPV6		= 1,
	XRDMA_SL_IPV4		= 2,
	XRDMA_SL_ROCE_V2	= 1 << 3,
};

/* enum ibv_wc_opcode of each enum xrdma_wqe_opcode. */
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

/* ---- decoding entries ------------------------------------------------- */

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
 * For a datagram, the service level reports which headers the packet had:
 * struct ibv_wc has no other member for that (IBTA A17.4.5.1).
 */
static uint8_t xrdma_wc_sl(const struct xrdma_cqe *cqe)
{
	uint16_t flags = le16toh(cqe->flags);

	if (!(flags & XRDMA_CQE_GRH))
		return 0;
	return XRDMA_SL_ROCE_V2 |
	       (flags & XRDMA_CQE_IPV4 ? XRDMA_SL_IPV4 : XRDMA_SL_IPV6);
}

/* libibverbs has one member for immediate data and for the invalidated key. */
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
 * Count the work queue entries that a completion frees. @qp is a cache: on
 * entry the queue pair of an earlier completion, or NULL; on return that of
 * this one.
 */
static void xrdma_consume_work(struct xrdma_cq *cq, const struct xrdma_cqe *cqe,
			       struct xrdma_qp **qp)
{
	uint32_t qpn = le32toh(cqe->qpn);

	if (!*qp || (*qp)->qpn != qpn)
		*qp = xrdma_find_qp(to_xctx(cq->verbs_cq.cq.context), qpn);
	if (likely(*qp))
		xrdma_consume(cq, *qp, cqe);
}

/*
 * Consume the next completion. The caller calls xrdma_release_consumed() when
 * it has read the entry.
 *
 * A completion of a shared receive queue is not looked up in the table of queue
 * pairs: the device itself reports which entries of that queue are free. Nor
 * may it be looked up: its queue pair can be an XRC target, which is not in the
 * table, so another thread may free the leaf of its QPN.
 */
static struct xrdma_cqe *xrdma_consume_cqe(struct xrdma_cq *cq,
					   struct xrdma_qp **qp)
{
	struct xrdma_cqe *cqe = xrdma_cqe_ready(cq, cq->ci);

	if (!cqe)
		return NULL;

	if (!(le16toh(cqe->flags) & XRDMA_CQE_SRQ))
		xrdma_consume_work(cq, cqe, qp);
	cq->ci++;
	return cqe;
}

/* ---- ibv_poll_cq() --------------------------------------------------- */

/**
 * xrdma_poll_cq() - ibv_poll_cq()
 * @ibcq: completion queue
 * @num_entries: number of elements of @wc
 * @wc: array for the completions
 *
 * The consumer index of the ring and those of the work queues are published
 * once, after the last entry.
 *
 * Return: number of completions written to @wc.
 */
int xrdma_poll_cq(struct ibv_cq *ibcq, int num_entries, struct ibv_wc *wc)
{
	struct xrdma_cq *cq = to_xcq(ibcq);
	struct xrdma_qp *qp = NULL;
	struct xrdma_cqe *cqe;
	int n = 0;

	xrdma_lock(&cq->lock);
	while (n < num_entries) {
		cqe = xrdma_consume_cqe(cq, &qp);
		if (!cqe)
			break;
		xrdma_fill_wc(cqe, &wc[n]);
		n++;
	}
	if (n)
		xrdma_release_consumed(cq);
	xrdma_unlock(&cq->lock);
	return n;
}

/* ---- ibv_cq_ex ------------------------------------------------------- */

static struct xrdma_cq *to_xcq_ex(struct ibv_cq_ex *cqx)
{
	return to_xcq(ibv_cq_ex_to_cq(cqx));
}

/*
 * The application may post new requests before it goes on to the next
 * completion, and expects the completed entries to be free. So each entry is
 * copied to @current and released at once.
 */
static int xrdma_next_poll(struct ibv_cq_ex *cqx)
{
	struct xrdma_cq *cq = to_xcq_ex(cqx);
	struct xrdma_cqe *cqe = xrdma_consume_cqe(cq, &cq->current_qp);

	if (!cqe)
		return ENOENT;

	cq->current = *cqe;
	cqx->status = cqe->status;
	cqx->wr_id = le64toh(cqe->wr_id);
	xrdma_release_consumed(cq);
	return 0;
}

/* On success the lock is held until xrdma_end_poll(). */
static int xrdma_start_poll(struct ibv_cq_ex *cqx,
			    struct ibv_poll_cq_attr *attr)
{
	struct xrdma_cq *cq = to_xcq_ex(cqx);
	int err;

	if (unlikely(attr->comp_mask))
		return EINVAL;

	xrdma_lock(&cq->lock);
	/* The queue pair may have been destroyed since the last end_poll. */
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

/* Timestamp in the unit of the device's clock: nanoseconds. */
static uint64_t xrdma_read_completion_ts(struct ibv_cq_ex *cqx)
{
	return le64toh(to_xcq_ex(cqx)->current.timestamp);
}

/**
 * xrdma_setup_poll() - set the polling functions of struct ibv_cq_ex
 * @cq: new queue
 * @wc_flags: enum ibv_create_cq_wc_flags: members that the application will
 *	read
 *
 * Return: 0; EOPNOTSUPP: completions of the device lack one of the members.
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

static void xrdma_arm_record(struct xrdma_cq *cq, uint32_t type)
{
	cq->arm = xrdma_arm_next(cq->arm, type);
	xrdma_store_le32(&cq->rec->arm, cq->arm);
}

/*
 * The completions that are in the ring now raise no event. If the device has
 * written a further one before the doorbell arrives, it raises the event at once.
 */
static void xrdma_arm_doorbell(struct xrdma_cq *cq, uint32_t type)
{
	void *db = to_xctx(cq->verbs_cq.cq.context)->db;
	uint32_t index = cq->ci;

	while (index - cq->ci < 1U << cq->log_depth &&
	       xrdma_cqe_ready(cq, index))
		index++;
	mmio_write64_le(db + XRDMA_DB_CQ,
			htole64(xrdma_make_arm_db(cq->cqn, type, index)));
}

/**
 * xrdma_req_notify_cq() - ibv_req_notify_cq()
 * @ibcq: completion queue
 * @solicited_only: 0: the next completion raises an event; else the next
 *	completion that is solicited or has failed does so. If the queue is
 *	already armed for any completion, it stays armed for any.
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

	if (to_xctx(ibcq->context)->shadow_db)
		xrdma_arm_record(cq, type);
	else
		xrdma_arm_doorbell(cq, type);
	xrdma_unlock(&cq->lock);

	/*
	 * An arm word is visible to the device before the caller polls again. So
	 * a completion is either found by that poll or raises an event.
	 */
	atomic_thread_fence(memory_order_seq_cst);
	return 0;
}

/**
 * xrdma_cq_event() - note that the application has fetched an event
 * @ibcq: completion queue that raised the event
 */
void xrdma_cq_event(struct ibv_cq *ibcq)
{
	struct xrdma_cq *cq = to_xcq(ibcq);

	xrdma_lock(&cq->lock);
	cq->next_armed = false;
	xrdma_unlock(&cq->lock);
}
