// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA flush: completes the requests of the kernel's consumers in software when
 * the device is dead, and wakes the consumers so that they poll. Polling
 * returns the entries that the device has written first (xrdma_poll.c).
 * xrdma_events.c starts the flush when the device has died, xrdma_function.c at
 * shutdown.
 */

#include <linux/delay.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include "xrdma_cq.h"
#include "xrdma_flush.h"
#include "xrdma_ibdev.h"
#include "xrdma_qp.h"
#include "xrdma_wq.h"

/* Time between two looks at a device that cannot be silenced */
#define XRDMA_FLUSH_RETRY_MS	1000
/* Looks of xrdma_flush_wait(). Its callers hold locks that others need. */
#define XRDMA_FLUSH_LOOKS	30

static int xrdma_flush_wq(struct xrdma_qp *qp, struct xrdma_wq *wq,
			  enum ib_wc_opcode opcode, int num, struct ib_wc *wc)
{
	u32 pi;
	int n;

	/*
	 * orders the read of pi before those of wr_id; pairs with xrdma_post.c
	 */
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
 * xrdma_flush_poll() - complete requests that a dead device has not completed
 * @cq: kernel queue, from which all entries of the device have been polled
 * @num: number of elements in @wc
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
 * @xib: the device, declared dead; before xrdma_flush_begin() nobody is woken
 *
 * When the consumers poll, they get the completions that the device has
 * written, and then a flush error for each other request.
 *
 * Context: any; a work item calls the handlers of the consumers.
 */
void xrdma_flush_dead(struct xrdma_ibdev *xib)
{
	schedule_work(&xib->flush_work);
}

/**
 * xrdma_flush_begin() - start to complete requests in software
 * @xib: the device, dead, after xrdma_hw_silence()
 *
 * Consumers free the memory of requests that have completed. If the device may
 * still write to it, the start is put off, and a work item tries again until a
 * reset of the bus or a removal has ended that.
 *
 * Context: may sleep. A work item wakes the consumers.
 */
void xrdma_flush_begin(struct xrdma_ibdev *xib)
{
	if (!xrdma_writes_ended(&xib->hw)) {
		schedule_delayed_work(&xib->flush_retry,
				      msecs_to_jiffies(XRDMA_FLUSH_RETRY_MS));
		return;
	}
	/*
	 * A post stores the producer index under a spinlock, and then looks
	 * whether the device is dead. No barrier orders the two, since it
	 * would slow each post. Each post that has not seen the death has
	 * stored its index when the grace period ends.
	 */
	synchronize_rcu();
	/* pairs with xrdma_flushing(): reads that follow it see all entries */
	smp_store_release(&xib->flushing, true);
	xrdma_flush_dead(xib);
}

static void xrdma_flush_retry(struct work_struct *work)
{
	struct xrdma_ibdev *xib = container_of(to_delayed_work(work),
					       struct xrdma_ibdev, flush_retry);

	xrdma_hw_silence(&xib->hw);
	xrdma_flush_begin(xib);
}

/**
 * xrdma_flush_wait() - wait until a dead device writes no host memory any more
 * @xib: the device, dead
 *
 * For calls that tell a consumer in the kernel that its requests have ended. Such
 * a consumer frees the memory of the requests, which no key protects and which
 * no quarantine can keep.
 *
 * Context: may sleep, for a bounded time. After XRDMA_FLUSH_LOOKS seconds, a
 * device whose Bus Master bit cannot be cleared may still write to the memory:
 * then an error is logged.
 */
void xrdma_flush_wait(struct xrdma_ibdev *xib)
{
	unsigned int looks = XRDMA_FLUSH_LOOKS;

	while (!xrdma_hw_silence(&xib->hw) && !xrdma_writes_ended(&xib->hw)) {
		if (!looks--) {
			ibdev_err_ratelimited(&xib->ibdev,
					      "device is still bus master after %u s: it may write to memory of requests that have ended\n",
					      XRDMA_FLUSH_LOOKS);
			return;
		}
		msleep(XRDMA_FLUSH_RETRY_MS);
	}
}

/**
 * xrdma_flush_init() - initialise the work items of the flush
 * @xib: the device
 */
void xrdma_flush_init(struct xrdma_ibdev *xib)
{
	INIT_WORK(&xib->flush_work, xrdma_flush_work);
	INIT_DELAYED_WORK(&xib->flush_retry, xrdma_flush_retry);
}

/**
 * xrdma_flush_exit() - cancel the work items of the flush
 * @xib: the device, without queues
 *
 * Context: may sleep.
 */
void xrdma_flush_exit(struct xrdma_ibdev *xib)
{
	cancel_delayed_work_sync(&xib->flush_retry);
	cancel_work_sync(&xib->flush_work);
}
