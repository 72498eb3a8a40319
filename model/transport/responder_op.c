// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Executes the operations of request packets: SEND, WRITE, READ, atomics,
 * FLUSH, ATOMIC_WRITE. The access to memory is checked for each packet, so that
 * no data are written after a key has been invalidated.
 *
 * PSNs and duplicates are checked in responder.c. Data of READs are read and
 * sent in answer.c.
 */

#include <errno.h>
#include <string.h>

#include "core/device.h"
#include "core/window.h"
#include "packet/pkt.h"
#include "transport/answer.h"
#include "transport/conn.h"

/**
 * model_responder_invalid() - refuse a packet with the NAK "invalid request"
 * @qp: the queue pair
 * @pkt: the packet
 *
 * Return: false: the packet is not executed.
 */
bool model_responder_invalid(struct model_qp *qp, const struct model_pkt *pkt)
{
	model_answer_fatal(qp, MODEL_NAK_INVALID, XRDMA_EVENT_QP_REQ_ERR,
			   pkt->psn);
	return false;
}

/*
 * Refuse a packet because the access check returned @reason, or let it wait if
 * that is MODEL_MISS. Misalignment, and a right that the queue pair lacks, are
 * invalid requests; all other reasons are access errors.
 */
static bool refused(struct model_qp *qp, const struct model_pkt *pkt,
		    int reason)
{
	if (reason == MODEL_MISS)
		return false;
	if (reason == XRDMA_FAULT_ALIGN || reason == XRDMA_FAULT_QP_RIGHTS)
		return model_responder_invalid(qp, pkt);
	model_answer_fatal(qp, MODEL_NAK_ACCESS, XRDMA_EVENT_QP_ACCESS_ERR,
			   pkt->psn);
	return false;
}

/*
 * Copy the receive entry for a message to model_resp_mem.recv. Return: false if
 * there is none; a NAK has been queued or sent then.
 */
static bool take_receive(struct model_qp *qp, const struct model_pkt *pkt)
{
	int err = model_qp_read_rq(qp, qp->tp->resp.mem->recv);

	if (!err)
		return true;
	if (err == -EAGAIN) {
		qp->tp->resp.nak_sent = true;
		model_answer_nak(qp, MODEL_AETH_RNR | qp->attr.min_rnr_timer,
				 pkt->psn);
	} else {
		model_answer_send_final_nak(qp, MODEL_NAK_OPERATION, pkt->psn);
	}
	return false;
}

/**
 * model_responder_sgl() - look up the scatter-gather list of a message
 * @qp: the queue pair, with a receive entry in model_resp_mem.recv
 * @sgl: filled in, points into that entry
 */
void model_responder_sgl(struct model_qp *qp, struct model_sgl *sgl)
{
	const struct xrdma_rq_wqe *wqe = (void *)qp->tp->resp.mem->recv;

	/* the packets of an unreliable connection do not wait */
	sgl->waiter = qp->type == XRDMA_QP_UC ?
		      NULL : &qp->waiters[MODEL_WAIT_RESPONDER];
	sgl->sge = (const struct xrdma_sge *)(wqe + 1);
	sgl->num = le16_to_cpu(wqe->num_sge);
	sgl->opcode = XRDMA_OP_RECV;
}

/*
 * Queue a fatal NAK; after it has been sent, the receive completes with @status
 * and the queue pair goes into ERR. Return: false.
 */
static bool recv_failed(struct model_qp *qp, const struct model_pkt *pkt,
			u8 status, u16 vendor_err)
{
	const struct xrdma_rq_wqe *wqe = (void *)qp->tp->resp.mem->recv;

	switch (status) {
	case XRDMA_WC_LOC_LEN_ERR:
		model_answer_fatal(qp, MODEL_NAK_INVALID, 0, pkt->psn);
		break;
	case XRDMA_WC_LOC_ACCESS_ERR:
		model_answer_fatal(qp, MODEL_NAK_ACCESS,
				   XRDMA_EVENT_QP_ACCESS_ERR, pkt->psn);
		break;
	default:
		model_answer_fatal(qp, MODEL_NAK_OPERATION, 0, pkt->psn);
	}
	qp->tp->resp.mem->have_failed_recv = true;
	qp->tp->resp.mem->failed_recv = (struct model_recv_done) {
		.status = status,
		.opcode = XRDMA_OP_RECV,
		.wr_id = wqe->wr_id,
		.vendor_err = vendor_err,
	};
	return false;
}

/**
 * model_responder_done() - complete the receive of a message
 * @qp: the queue pair, with a receive entry in model_resp_mem.recv
 * @pkt: the last packet of the message
 * @opcode: XRDMA_OP_RECV or XRDMA_OP_RECV_WRITE_IMM
 */
void model_responder_done(struct model_qp *qp, const struct model_pkt *pkt,
			  u8 opcode)
{
	const struct xrdma_rq_wqe *wqe = (void *)qp->tp->resp.mem->recv;
	struct model_recv_done done = {
		.opcode = opcode,
		.wr_id = wqe->wr_id,
		.byte_len = qp->tp->resp.received,
		.src_qpn = le32_to_cpu(qp->attr.dest_qpn),
	};

	if (pkt->op.hdrs & MODEL_HDR_IMM) {
		done.flags |= XRDMA_CQE_IMM;
		done.imm = pkt->imm;
	}
	if (pkt->op.hdrs & MODEL_HDR_IETH) {
		done.flags |= XRDMA_CQE_INV;
		done.inv_key = pkt->inv_rkey;
	}
	if (pkt->solicited)
		done.flags |= XRDMA_CQE_SOLICITED;
	model_qp_complete_recv(qp, &done);
}

static bool not_in_err(const struct model_qp *qp)
{
	return qp->state != XRDMA_QPS_ERR;
}

/**
 * model_responder_send() - execute a packet of a SEND
 * @qp: the queue pair
 * @pkt: the packet, in sequence and of a legal length
 *
 * Return: true if it was executed.
 */
bool model_responder_send(struct model_qp *qp, const struct model_pkt *pkt)
{
	struct model_responder *resp = &qp->tp->resp;
	struct model_sgl sgl;
	int reason;

	if (pkt->op.flags & MODEL_PKT_FIRST) {
		if (!take_receive(qp, pkt))
			return false;
		resp->received = 0;
	}
	model_responder_sgl(qp, &sgl);
	if ((u64)resp->received + pkt->len > model_sgl_length(&sgl) ||
	    (u64)resp->received + pkt->len > MODEL_MSG_MAX)
		return recv_failed(qp, pkt, XRDMA_WC_LOC_LEN_ERR, 0);
	reason = model_sgl_scatter(qp, &sgl, resp->received, pkt->payload,
				   pkt->len);
	if (reason == MODEL_MISS)
		return false;
	if (reason)
		return recv_failed(qp, pkt, XRDMA_WC_LOC_PROT_ERR, reason);
	resp->received += pkt->len;
	if (pkt->op.hdrs & MODEL_HDR_IETH)
		reason = model_inval_key(qp, pkt->inv_rkey, true);
	if (reason)
		return recv_failed(qp, pkt, XRDMA_WC_LOC_ACCESS_ERR, reason);
	if (pkt->op.flags & MODEL_PKT_LAST) {
		resp->msn++;
		model_responder_done(qp, pkt, XRDMA_OP_RECV);
	}
	return not_in_err(qp);
}

static struct model_access_req remote_access(struct model_qp *qp,
					     u64 va, u64 len, u32 rkey,
					     u16 rights, u8 opcode)
{
	return (struct model_access_req) {
		.qp = qp,
		.waiter = &qp->waiters[MODEL_WAIT_RESPONDER],
		.addr = va,
		.len = len,
		.key = rkey,
		.rights = rights,
		.remote = true,
		.opcode = opcode,
	};
}

/* The first packet of a WRITE has the range of the message: check access. */
static bool begin_write(struct model_qp *qp, const struct model_pkt *pkt)
{
	struct model_responder *resp = &qp->tp->resp;
	struct model_access_req req =
		remote_access(qp, pkt->va, pkt->dma_len, pkt->rkey,
			      XRDMA_ACCESS_REMOTE_WRITE, XRDMA_OP_WRITE);
	struct model_target target;
	int reason;

	if (pkt->dma_len > MODEL_MSG_MAX)
		return model_responder_invalid(qp, pkt);
	reason = model_access_check(qp->dev, &req, &target);
	if (reason)
		return refused(qp, pkt, reason);
	resp->va = pkt->va;
	resp->rkey = pkt->rkey;
	resp->left = pkt->dma_len;
	resp->received = 0;
	return true;
}

static bool write_length_ok(const struct model_qp *qp,
			    const struct model_pkt *pkt)
{
	if (pkt->op.flags & MODEL_PKT_LAST)
		return pkt->len == qp->tp->resp.left;
	return pkt->len < qp->tp->resp.left;
}

/**
 * model_responder_write() - execute a packet of a WRITE
 * @qp: the queue pair
 * @pkt: the packet, in sequence and of a legal length
 *
 * Return: true if it was executed.
 */
bool model_responder_write(struct model_qp *qp, const struct model_pkt *pkt)
{
	struct model_responder *resp = &qp->tp->resp;
	bool imm = pkt->op.hdrs & MODEL_HDR_IMM;
	struct model_access_req req;
	int reason;

	if (pkt->op.flags & MODEL_PKT_FIRST && !begin_write(qp, pkt))
		return false;
	if (!write_length_ok(qp, pkt))
		return model_responder_invalid(qp, pkt);
	if (imm && !take_receive(qp, pkt))
		return false;
	req = remote_access(qp, resp->va, pkt->len, resp->rkey,
			    XRDMA_ACCESS_REMOTE_WRITE,
			    imm ? XRDMA_OP_WRITE_IMM : XRDMA_OP_WRITE);
	req.expected = resp->left;
	reason = model_access_write(qp->dev, &req, pkt->payload);
	if (reason)
		return refused(qp, pkt, reason);
	resp->va += pkt->len;
	resp->left -= pkt->len;
	resp->received += pkt->len;
	if (pkt->op.flags & MODEL_PKT_FIRST)
		model_qp_stat_add(qp, XRDMA_STAT_RX_WRITES, 1);
	if (pkt->op.flags & MODEL_PKT_LAST)
		resp->msn++;
	if (imm)
		model_responder_done(qp, pkt, XRDMA_OP_RECV_WRITE_IMM);
	return not_in_err(qp);
}

/*
 * Record a request that has a response, and takes @num_psns PSNs from the expected one
 * on, to answer duplicates of the request.
 */
static struct model_kept *keep(struct model_qp *qp, u8 kind, u32 num_psns)
{
	struct model_resp_mem *mem = qp->tp->resp.mem;
	struct model_kept *kept = &mem->kept[mem->next_kept++];

	if (mem->next_kept >= qp->attr.max_dest_rd_atomic)
		mem->next_kept = 0;
	kept->kind = kind;
	kept->first = qp->tp->resp.position;
	kept->last = kept->first + num_psns - 1;
	return kept;
}

/* Return: true if max_dest_rd_atomic requests of the peer are in flight. */
static bool too_many(const struct model_qp *qp)
{
	return qp->tp->resp.mem->rd_atomic >= qp->attr.max_dest_rd_atomic;
}

static u32 num_responses(const struct model_qp *qp, u32 len)
{
	u32 mtu = model_qp_mtu(qp);

	return len ? ((u64)len + mtu - 1) / mtu : 1;
}

/**
 * model_responder_num_psns() - count the PSNs that a request packet takes
 * @qp: the queue pair
 * @pkt: the packet
 *
 * Return: number of responses to a READ; 1 for any other request.
 */
u32 model_responder_num_psns(const struct model_qp *qp,
			     const struct model_pkt *pkt)
{
	return pkt->op.flags & MODEL_PKT_READ ?
	       num_responses(qp, pkt->dma_len) : 1;
}

/**
 * model_responder_read() - check a READ request and queue its answer
 * @qp: the queue pair
 * @pkt: the packet, in sequence
 *
 * Return: true if the request was accepted and the expected PSN is that of the
 * next request.
 */
bool model_responder_read(struct model_qp *qp, const struct model_pkt *pkt)
{
	struct model_access_req req =
		remote_access(qp, pkt->va, pkt->dma_len, pkt->rkey,
			      XRDMA_ACCESS_REMOTE_READ, XRDMA_OP_READ);
	u32 responses = num_responses(qp, pkt->dma_len);
	struct model_answer *answer;
	struct model_target target;
	int reason;

	if (too_many(qp) || pkt->dma_len > MODEL_MSG_MAX)
		return model_responder_invalid(qp, pkt);
	if (!model_answer_room(qp))
		return false;
	reason = model_access_check(qp->dev, &req, &target);
	if (reason)
		return refused(qp, pkt, reason);
	qp->tp->resp.msn++;
	model_qp_stat_add(qp, XRDMA_STAT_RX_READS, 1);
	answer = model_answer_add_rd_atomic(qp, MODEL_ANSWER_READ, pkt->psn);
	answer->srqn = pkt->srqn;
	answer->va = pkt->va;
	answer->rkey = pkt->rkey;
	answer->left = pkt->dma_len;
	keep(qp, MODEL_ANSWER_READ, responses);
	model_responder_pass(&qp->tp->resp, responses);
	return true;
}

/*
 * Return: the 8 aligned bytes that an atomic operation changes; NULL if access
 * is refused or misses, with @reason filled in.
 */
static u64 *operand(struct model_qp *qp, const struct model_access_req *req,
		    int *reason)
{
	size_t len;
	u64 *at = model_access_ptr(qp->dev, req, &len, reason);

	if (!at)
		return NULL;
	if (len < sizeof(*at) || (uintptr_t)at % sizeof(*at)) {
		model_fault(qp->dev, req, XRDMA_FAULT_ALIGN);
		*reason = XRDMA_FAULT_ALIGN;
		return NULL;
	}
	return at;
}

static bool is_fetch_add(const struct model_pkt *pkt)
{
	return (pkt->opcode & MODEL_BTH_OP) == MODEL_BTH_FETCH_ADD;
}

/* The operation is atomic with regard to the processors of the host as well. */
static u64 do_atomic(u64 *at, const struct model_pkt *pkt)
{
	u64 orig = pkt->compare;

	if (is_fetch_add(pkt))
		return __atomic_fetch_add(at, pkt->swap_add, __ATOMIC_SEQ_CST);
	__atomic_compare_exchange_n(at, &orig, pkt->swap_add, false,
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return orig;
}

/**
 * model_responder_atomic() - execute a CMP_SWAP or FETCH_ADD
 * @qp: the queue pair
 * @pkt: the packet, in sequence
 *
 * The operand in memory is in the host's byte order.
 *
 * Return: true if the request was executed and the expected PSN is that of the
 * next request.
 */
bool model_responder_atomic(struct model_qp *qp, const struct model_pkt *pkt)
{
	struct model_access_req req =
		remote_access(qp, pkt->va, sizeof(u64), pkt->rkey,
			      XRDMA_ACCESS_REMOTE_ATOMIC,
			      is_fetch_add(pkt) ? XRDMA_OP_FETCH_ADD :
						  XRDMA_OP_CMP_SWAP);
	int reason = 0;
	u64 orig;
	u64 *at;

	if (too_many(qp))
		return model_responder_invalid(qp, pkt);
	if (!model_answer_room(qp))
		return false;
	at = operand(qp, &req, &reason);
	if (!at)
		return refused(qp, pkt, reason);
	orig = do_atomic(at, pkt);
	model_qp_stat_add(qp, XRDMA_STAT_RX_ATOMICS, 1);
	qp->tp->resp.msn++;
	model_answer_add_rd_atomic(qp, MODEL_ANSWER_ATOMIC,
				   pkt->psn)->orig = orig;
	keep(qp, MODEL_ANSWER_ATOMIC, 1)->orig = orig;
	model_responder_pass(&qp->tp->resp, 1);
	return true;
}

/* Queue an answer without data to an executed request. Return: true. */
static bool done_without_data(struct model_qp *qp, const struct model_pkt *pkt)
{
	qp->tp->resp.msn++;
	model_answer_add_rd_atomic(qp, MODEL_ANSWER_EMPTY, pkt->psn);
	keep(qp, MODEL_ANSWER_EMPTY, 1);
	model_responder_pass(&qp->tp->resp, 1);
	return true;
}

/* FLUSH and ATOMIC_WRITE exist on RC only, and count as READs and atomics. */
static bool placement_ok(const struct model_qp *qp)
{
	return qp->type == XRDMA_QP_RC && !too_many(qp);
}

static u16 flush_rights(u32 flush)
{
	u16 rights = 0;

	if (flush & XRDMA_FLUSH_GLOBAL)
		rights |= XRDMA_ACCESS_FLUSH_GLOBAL;
	if (flush & XRDMA_FLUSH_PERSISTENT)
		rights |= XRDMA_ACCESS_FLUSH_PERSISTENT;
	return rights;
}

/**
 * model_responder_flush() - execute a FLUSH (IBTA A19.4)
 * @qp: the queue pair
 * @pkt: the packet, in sequence
 *
 * All packets before have been executed. The fence orders their stores before
 * the answer; the device cannot make the memory of the host more persistent.
 *
 * Return: true if the request was executed and the expected PSN is that of the
 * next request.
 */
bool model_responder_flush(struct model_qp *qp, const struct model_pkt *pkt)
{
	u16 rights = flush_rights(pkt->flush);
	struct model_access_req req =
		remote_access(qp, pkt->va, pkt->dma_len, pkt->rkey, rights,
			      XRDMA_OP_FLUSH);
	struct model_target target;
	int reason;

	if (!placement_ok(qp) || !rights || pkt->flush & ~MODEL_FLUSH_ALL)
		return model_responder_invalid(qp, pkt);
	if (!model_answer_room(qp))
		return false;
	req.whole = pkt->flush & XRDMA_FLUSH_MR;
	reason = model_access_check(qp->dev, &req, &target);
	if (reason)
		return refused(qp, pkt, reason);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return done_without_data(qp, pkt);
}

/**
 * model_responder_atomic_write() - execute an ATOMIC_WRITE (IBTA A19.5)
 * @qp: the queue pair
 * @pkt: the packet, in sequence
 *
 * Return: true if the request was executed and the expected PSN is that of the
 * next request.
 */
bool model_responder_atomic_write(struct model_qp *qp,
				  const struct model_pkt *pkt)
{
	struct model_access_req req =
		remote_access(qp, pkt->va, sizeof(u64), pkt->rkey,
			      XRDMA_ACCESS_REMOTE_WRITE, XRDMA_OP_ATOMIC_WRITE);
	int reason = 0;
	u64 value;
	u64 *at;

	if (!placement_ok(qp) || pkt->len != sizeof(value) ||
	    pkt->dma_len != sizeof(value))
		return model_responder_invalid(qp, pkt);
	if (!model_answer_room(qp))
		return false;
	req.aligned = true;
	at = operand(qp, &req, &reason);
	if (!at)
		return refused(qp, pkt, reason);
	memcpy(&value, pkt->payload, sizeof(value));
	__atomic_store_n(at, value, __ATOMIC_RELEASE);
	model_qp_stat_add(qp, XRDMA_STAT_RX_ATOMICS, 1);
	return done_without_data(qp, pkt);
}
