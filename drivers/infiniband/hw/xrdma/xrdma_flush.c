// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA flush: completes the requests of the kernel's consumers in software when
 * the device is dead, and wakes the consumers so that they poll. Entries that the
 * device itself has written come first: xrdma_poll.c. When the flush begins is
 * decided in xrdma_events.c and, at shutdown, in xrdma_function.c.
 */

#include <linux/rbtree.h>
#include "xrdma_cq.h"
#include "xrdma_flush.h"
#include "xrdma_ibdev.h"
#include "xrdma_qp.h"
#include "xrdma_wq.h"

static int xrdma_flush_wq(struct xrdma_qp *qp, struct xrdma_wq *wq,
			  enum ib_wc_opcode opcode, int num, struct ib_wc *wc)
{
	u32 pi;
	int n;

	/* pairs with the release of the producer: the wr_id is there */
	pi = smp_load_acquire(&wq->pi);
	for (n = 0; n < num && wq->done != pi; n++) {
		wc[n] = (struct ib_wc) {
			.wr_id = xrdma_wq_consume(wq, wq->done),
			.status = IB_WC_WR_FLUSH_ERR,
			.opcode = opcode,
			.qp = &qp->ibqp,
		};
	}
	return n;
}

/**
 * xrdma_flush_poll() - completions of requests that a dead device leaves undone
 * @cq: kernel queue, with no more entries of the device
 * @num: room in @wc
 * @wc: gets a flush error for each request; the caller calls xrdma_wq_release()
 *
 * Context: @cq->lock is held.
 * Return: number of completions.
 */
int xrdma_flush_poll(struct xrdma_cq *cq, int num, struct ib_wc *wc)
{
	struct rb_node *node;
	struct xrdma_qp *qp;
	int n = 0;

	for (node = rb_first(&cq->send_qps); node; node = rb_next(node)) {
		qp = rb_entry(node, struct xrdma_qp, send_node);
		n += xrdma_flush_wq(qp, &qp->sq, IB_WC_SEND, num - n, wc + n);
	}
	for (node = rb_first(&cq->recv_qps); node; node = rb_next(node)) {
		qp = rb_entry(node, struct xrdma_qp, recv_node);
		n += xrdma_flush_wq(qp, &qp->rq, IB_WC_RECV, num - n, wc + n);
	}
	return n;
}

static bool xrdma_wq_has_work(const struct xrdma_wq *wq)
{
	return wq->done != READ_ONCE(wq->pi);
}

/**
 * xrdma_flush_pending() - would xrdma_flush_poll() find a request?
 * @cq: kernel queue
 *
 * Context: @cq->lock is held.
 * Return: true if a request of its queue pairs has not completed.
 */
bool xrdma_flush_pending(struct xrdma_cq *cq)
{
	struct rb_node *node;

	for (node = rb_first(&cq->send_qps); node; node = rb_next(node))
		if (xrdma_wq_has_work(&rb_entry(node, struct xrdma_qp,
						send_node)->sq))
			return true;
	for (node = rb_first(&cq->recv_qps); node; node = rb_next(node))
		if (xrdma_wq_has_work(&rb_entry(node, struct xrdma_qp,
						recv_node)->rq))
			return true;
	return false;
}

static void xrdma_flush_work(struct work_struct *work)
{
	struct xrdma_ibdev *xib = container_of(work, struct xrdma_ibdev,
					       flush_work);
	struct xrdma_cq *cq;
	unsigned long cqn;

	if (!xrdma_flushing(xib))
		return;
	xa_for_each(&xib->cqs, cqn, cq)
		xrdma_cq_wake(xib, cqn);
}

/**
 * xrdma_flush_dead() - wake the consumers of a dead device
 * @xib: the device, declared dead; until xrdma_flush_begin() nothing happens
 *
 * Their polling then finds what the device still wrote, and after that a flush
 * error for each request that is not completed.
 *
 * Context: any; the handlers run from a work item.
 */
void xrdma_flush_dead(struct xrdma_ibdev *xib)
{
	schedule_work(&xib->flush_work);
}

/**
 * xrdma_flush_begin() - from now on requests complete in software
 * @xib: the device, dead, and silent if it can be silenced
 *
 * Context: any; consumers are woken from a work item.
 */
void xrdma_flush_begin(struct xrdma_ibdev *xib)
{
	/* pairs with xrdma_flushing() */
	smp_store_release(&xib->flushing, true);
	xrdma_flush_dead(xib);
}

/**
 * xrdma_flush_init() - be ready to flush
 * @xib: the device
 */
void xrdma_flush_init(struct xrdma_ibdev *xib)
{
	INIT_WORK(&xib->flush_work, xrdma_flush_work);
}

/**
 * xrdma_flush_exit() - end of xrdma_flush_init()
 * @xib: the device; no queue is left
 *
 * Context: may sleep.
 */
void xrdma_flush_exit(struct xrdma_ibdev *xib)
{
	cancel_work_sync(&xib->flush_work);
}
