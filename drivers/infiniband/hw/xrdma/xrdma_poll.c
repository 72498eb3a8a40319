// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA completions for the kernel's consumers: polls and arms completion
 * queues. Completions that are made in software when the device is dead are in
 * xrdma_flush.c, the ring is in xrdma_cq.c, tags of shared receive queues are
 * in xrdma_srq_post.c.
 *
 * A completion names a queue pair and, if it is a send's, an entry. The driver
 * checks both, and reports the wr_id that was posted, not the one in the
 * completion: a faulty device can lose completions, but cannot corrupt the
 * host. A device that completes what was not posted is declared dead, since a
 * consumer may wait for a lost completion.
 */

#include <linux/if_vlan.h>
#include <linux/rbtree.h>
#include <rdma/xrdma-ring.h>
#include "xrdma_cq.h"
#include "xrdma_flush.h"
#include "xrdma_ibdev.h"
#include "xrdma_poll.h"
#include "xrdma_qp.h"
#include "xrdma_srq.h"
#include "xrdma_wq.h"

static const u8 xrdma_wc_opcodes[] = {
	[XRDMA_OP_SEND] = IB_WC_SEND,
	[XRDMA_OP_SEND_IMM] = IB_WC_SEND,
	[XRDMA_OP_SEND_INV] = IB_WC_SEND,
	[XRDMA_OP_WRITE] = IB_WC_RDMA_WRITE,
	[XRDMA_OP_WRITE_IMM] = IB_WC_RDMA_WRITE,
	[XRDMA_OP_READ] = IB_WC_RDMA_READ,
	[XRDMA_OP_CMP_SWAP] = IB_WC_COMP_SWAP,
	[XRDMA_OP_FETCH_ADD] = IB_WC_FETCH_ADD,
	[XRDMA_OP_BIND_MW] = IB_WC_BIND_MW,
	[XRDMA_OP_LOCAL_INV] = IB_WC_LOCAL_INV,
	[XRDMA_OP_REG_MR] = IB_WC_REG_MR,
	[XRDMA_OP_FLUSH] = IB_WC_FLUSH,
	[XRDMA_OP_ATOMIC_WRITE] = IB_WC_ATOMIC_WRITE,
	[XRDMA_OP_RECV] = IB_WC_RECV,
	[XRDMA_OP_RECV_WRITE_IMM] = IB_WC_RECV_RDMA_WITH_IMM,
};

/* enum ib_wc_status plus 1; 0: the device must not report the status. */
#define XRDMA_WC_STATUS(name) [XRDMA_WC_##name] = IB_WC_##name + 1
static const u8 xrdma_wc_statuses[] = {
	XRDMA_WC_STATUS(SUCCESS),
	XRDMA_WC_STATUS(LOC_LEN_ERR),
	XRDMA_WC_STATUS(LOC_QP_OP_ERR),
	XRDMA_WC_STATUS(LOC_PROT_ERR),
	XRDMA_WC_STATUS(WR_FLUSH_ERR),
	XRDMA_WC_STATUS(MW_BIND_ERR),
	XRDMA_WC_STATUS(BAD_RESP_ERR),
	XRDMA_WC_STATUS(LOC_ACCESS_ERR),
	XRDMA_WC_STATUS(REM_INV_REQ_ERR),
	XRDMA_WC_STATUS(REM_ACCESS_ERR),
	XRDMA_WC_STATUS(REM_OP_ERR),
	XRDMA_WC_STATUS(RETRY_EXC_ERR),
	XRDMA_WC_STATUS(RNR_RETRY_EXC_ERR),
	XRDMA_WC_STATUS(REM_ABORT_ERR),
	XRDMA_WC_STATUS(FATAL_ERR),
	XRDMA_WC_STATUS(GENERAL_ERR),
};

static enum ib_wc_status xrdma_wc_status(u8 status)
{
	if (status >= ARRAY_SIZE(xrdma_wc_statuses) ||
	    !xrdma_wc_statuses[status])
		return IB_WC_GENERAL_ERR;
	return xrdma_wc_statuses[status] - 1;
}

/*
 * Let the producer overwrite the entries that completed. Called after the
 * device has the new consumer index of the CQ, which then has room for the
 * completions of the requests that the producer posts.
 */
static void xrdma_release_wqs(const struct ib_wc *wc, int num)
{
	for (; num > 0; num--, wc++) {
		struct xrdma_qp *qp = to_xqp(wc->qp);

		xrdma_wq_release(wc->opcode & IB_WC_RECV ? &qp->rq : &qp->sq);
	}
}

/**
 * struct xrdma_poll - one call of xrdma_poll_cq()
 * @cq: the queue, whose lock is held
 * @qp: queue pairs of the last receive ([0]) and of the last send ([1]), or
 *	NULL
 * @srq: shared receive queue whose tags have been taken but not freed, or NULL
 * @first: tag that was taken last, the head of a list in struct
 *	xrdma_srq_tag.next
 * @last: tag that was taken first, the end of the list
 */
struct xrdma_poll {
	struct xrdma_cq *cq;
	struct xrdma_qp *qp[2];
	struct xrdma_srq *srq;
	u32 first;
	u32 last;
};

/* Search @qpn in @cq->send_qps if @send is true, else in @cq->recv_qps. */
static struct xrdma_qp *xrdma_find_qp(struct xrdma_cq *cq, u32 qpn, bool send)
{
	struct rb_root *tree = send ? &cq->send_qps : &cq->recv_qps;
	struct rb_node *node = tree->rb_node;

	lockdep_assert_held(&cq->lock);

	while (node) {
		struct xrdma_qp *qp;

		qp = send ? rb_entry(node, struct xrdma_qp, send_node) :
			    rb_entry(node, struct xrdma_qp, recv_node);
		if (qp->qpn == qpn)
			return qp;
		node = qpn < qp->qpn ? node->rb_left : node->rb_right;
	}
	return NULL;
}

/*
 * Return: the queue pair @qpn whose sends, or receives, complete in this queue,
 * or NULL. The queue pair stays valid while the lock of the queue is held.
 */
static struct xrdma_qp *xrdma_poll_qp(struct xrdma_poll *poll, u32 qpn,
				      bool send)
{
	struct xrdma_qp *qp = poll->qp[send];

	/*
	 * the last queue pair is kept: it often has several completions in a
	 * row
	 */
	if (!qp || qp->qpn != qpn) {
		qp = xrdma_find_qp(poll->cq, qpn, send);
		poll->qp[send] = qp;
	}
	return qp;
}

/* Free the taken tags. Called after xrdma_cq_update_ci(). */
static void xrdma_release_srq(struct xrdma_poll *poll)
{
	if (poll->srq)
		xrdma_srq_free(poll->srq, poll->first, poll->last);
	poll->srq = NULL;
}

/* Take a tag of @srq. Tags of one shared receive queue are freed together. */
static bool xrdma_take_srq(struct xrdma_poll *poll, struct xrdma_srq *srq,
			   u64 tag, u64 *wr_id)
{
	if (!xrdma_srq_take(srq, tag, wr_id))
		return false;
	if (poll->srq && poll->srq != srq) {
		xrdma_cq_update_ci(poll->cq);
		xrdma_release_srq(poll);
	}
	if (poll->srq)
		srq->tags[tag].next = poll->first;
	else
		poll->last = tag;
	poll->srq = srq;
	poll->first = tag;
	return true;
}

/* Return: false if the completion is of a request that was not posted. */
static bool xrdma_take_wr_id(struct xrdma_poll *poll, struct xrdma_qp *qp,
			     bool send, const struct xrdma_cqe *cqe, u64 *wr_id)
{
	struct xrdma_wq *wq = send ? &qp->sq : &qp->rq;
	u32 index = wq->done;

	if (!send && qp->ibqp.srq)
		return xrdma_take_srq(poll, to_xsrq(qp->ibqp.srq),
				      le64_to_cpu(cqe->wr_id), wr_id);
	if (send)
		index = xrdma_ring_unwind_index(wq->done,
						le16_to_cpu(cqe->wqe_index));
	if (index - wq->done >= xrdma_ring_used(READ_ONCE(wq->pi), wq->done))
		return false;

	*wr_id = xrdma_wq_consume(wq, index);
	return true;
}

static void xrdma_fill_wc_details(struct ib_wc *wc,
				  const struct xrdma_cqe *cqe)
{
	u16 flags = le16_to_cpu(cqe->flags);

	if (flags & XRDMA_CQE_IMM) {
		wc->wc_flags |= IB_WC_WITH_IMM;
		wc->ex.imm_data = cqe->imm;
	} else if (flags & XRDMA_CQE_INV) {
		wc->wc_flags |= IB_WC_WITH_INVALIDATE;
		wc->ex.invalidate_rkey = le32_to_cpu(cqe->inv_key);
	}
	if (flags & XRDMA_CQE_GRH) {
		wc->wc_flags |= IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE |
				IB_WC_WITH_SMAC;
		wc->network_hdr_type = flags & XRDMA_CQE_IPV4 ?
				       RDMA_NETWORK_IPV4 : RDMA_NETWORK_IPV6;
		memcpy(wc->smac, cqe->smac, sizeof(wc->smac));
	}
	wc->vlan_id = le16_to_cpu(cqe->vlan_tci) & VLAN_VID_MASK;
	/* VLAN ID 0 means that the tag has only a priority */
	if (flags & XRDMA_CQE_VLAN && wc->vlan_id)
		wc->wc_flags |= IB_WC_WITH_VLAN;
}

/* Declare the device dead: requests that were posted may never complete. */
static void xrdma_poll_unposted(struct xrdma_ibdev *xib,
				const struct xrdma_cq *cq,
				const struct xrdma_cqe *cqe)
{
	bool send = le16_to_cpu(cqe->flags) & XRDMA_CQE_SEND;

	xrdma_fatal(&xib->hw,
		    "CQ %u completes what was never posted: QP %u, %s, opcode %u, entry %u",
		    cq->cqn, le32_to_cpu(cqe->qpn), send ? "send" : "receive",
		    cqe->opcode, le16_to_cpu(cqe->wqe_index));
}

/* Return: false if the completion is of a request that was not posted. */
static bool xrdma_fill_wc(struct xrdma_ibdev *xib, struct xrdma_poll *poll,
			  const struct xrdma_cqe *cqe, struct ib_wc *wc)
{
	bool send = le16_to_cpu(cqe->flags) & XRDMA_CQE_SEND;
	u32 qpn = le32_to_cpu(cqe->qpn);
	struct xrdma_qp *qp;

	qp = xrdma_poll_qp(poll, qpn, send);
	memset(wc, 0, sizeof(*wc));
	if (!qp || cqe->opcode >= ARRAY_SIZE(xrdma_wc_opcodes) ||
	    !xrdma_take_wr_id(poll, qp, send, cqe, &wc->wr_id)) {
		xrdma_poll_unposted(xib, poll->cq, cqe);
		return false;
	}
	wc->qp = &qp->ibqp;
	wc->status = xrdma_wc_status(cqe->status);
	wc->opcode = xrdma_wc_opcodes[cqe->opcode];
	wc->vendor_err = le16_to_cpu(cqe->vendor_err);
	wc->byte_len = le32_to_cpu(cqe->byte_len);
	wc->src_qp = le32_to_cpu(cqe->src_qpn);
	wc->pkey_index = le16_to_cpu(cqe->pkey_index);
	wc->sl = cqe->sl;
	wc->port_num = 1;
	xrdma_fill_wc_details(wc, cqe);
	return true;
}

static int xrdma_poll_device(struct xrdma_ibdev *xib, struct xrdma_cq *cq,
			     int num, struct ib_wc *wc)
{
	struct xrdma_poll poll = { .cq = cq };
	struct xrdma_cqe cqe;
	u32 ci = cq->ci;
	int n = 0;

	while (n < num && xrdma_cq_read(cq, &cqe)) {
		n += xrdma_fill_wc(xib, &poll, &cqe, &wc[n]);
		cq->ci++;
	}
	if (cq->ci != ci)
		xrdma_cq_update_ci(cq);
	xrdma_release_wqs(wc, n);
	xrdma_release_srq(&poll);
	return n;
}

static int xrdma_poll_dead(struct xrdma_cq *cq, int num, struct ib_wc *wc)
{
	int n = xrdma_flush_poll(cq, num, wc);

	xrdma_release_wqs(wc, n);
	return n;
}

/* ---- verbs ------------------------------------------------------------ */

/**
 * xrdma_poll_cq() - ib_device_ops.poll_cq
 * @ibcq: queue of the kernel
 * @num_entries: number of elements in @wc
 * @wc: gets the completions
 *
 * Context: any.
 * Return: number of completions.
 */
int xrdma_poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *wc)
{
	struct xrdma_ibdev *xib = to_xibdev(ibcq->device);
	struct xrdma_cq *cq = to_xcq(ibcq);
	unsigned long flags;
	int n = 0;

	spin_lock_irqsave(&cq->lock, flags);
	if (!cq->dead) {
		bool flushing = xrdma_flushing(xib);

		n = xrdma_poll_device(xib, cq, num_entries, wc);
		/* all entries of the device have been polled */
		cq->dead = flushing && n < num_entries;
	}
	if (cq->dead)
		n += xrdma_poll_dead(cq, num_entries - n, wc + n);
	spin_unlock_irqrestore(&cq->lock, flags);
	return n;
}

/**
 * xrdma_req_notify_cq() - ib_device_ops.req_notify_cq
 * @ibcq: queue of the kernel
 * @flags: IB_CQ_NEXT_COMP or IB_CQ_SOLICITED, and IB_CQ_REPORT_MISSED_EVENTS
 *
 * Context: any.
 * Return: 1 if @flags has IB_CQ_REPORT_MISSED_EVENTS and the queue has a
 * completion, else 0.
 */
int xrdma_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct xrdma_ibdev *xib = to_xibdev(ibcq->device);
	struct xrdma_cq *cq = to_xcq(ibcq);
	unsigned long irq;
	bool missed;

	spin_lock_irqsave(&cq->lock, irq);
	xrdma_cq_arm(&xib->hw, cq,
		     (flags & IB_CQ_SOLICITED_MASK) == IB_CQ_SOLICITED ?
		     XRDMA_ARM_SOLICITED : XRDMA_ARM_NEXT);
	missed = (!cq->dead && xrdma_cq_next(cq)) ||
		 (xrdma_flushing(xib) && xrdma_flush_pending(cq));
	spin_unlock_irqrestore(&cq->lock, irq);
	return missed && (flags & IB_CQ_REPORT_MISSED_EVENTS);
}
