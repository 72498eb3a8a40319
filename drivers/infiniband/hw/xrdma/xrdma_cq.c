// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA completion queues: creates and destroys them for users, for the
 * kernel's consumers and for the netdev, delivers their events, and reads and
 * arms rings in kernel memory. What an entry means is in xrdma_poll.c and, for
 * the netdev, in xrdma_eth.c. Resizing and moderation are in xrdma_cq_modify.c.
 */

#include <linux/log2.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/xrdma-ring.h>
#include "xrdma_buf.h"
#include "xrdma_cmd.h"
#include "xrdma_cq.h"
#include "xrdma_eq.h"
#include "xrdma_ibdev.h"
#include "xrdma_quarantine.h"
#include "xrdma_srq.h"
#include "xrdma_ubuf.h"

/* A number without an object: lookups find nothing, nobody else gets it. */
static int xrdma_cq_reserve(struct xrdma_ibdev *xib, struct xrdma_cq *cq)
{
	struct xa_limit limit = XA_LIMIT(1, xib->hw.caps.max_cq - 1);
	int err;

	err = xa_alloc_cyclic_irq(&xib->cqs, &cq->cqn, NULL, limit,
				  &xib->next_cqn, GFP_KERNEL);
	if (err == -EBUSY)
		return -ENOMEM;
	return min(err, 0);
}

static int xrdma_cq_enable(struct xrdma_ibdev *xib, struct xrdma_cq *cq,
			   u64 root)
{
	int err;

	spin_lock_init(&cq->lock);
	mutex_init(&cq->resize_lock);
	cq->send_qps = RB_ROOT;
	cq->recv_qps = RB_ROOT;

	err = xrdma_cq_reserve(xib, cq);
	if (err)
		return err;

	err = xrdma_cmd_create_cq(&xib->hw, cq->cqn, cq->eqn, cq->log_depth,
				  root);
	if (err) {
		xa_erase_irq(&xib->cqs, cq->cqn);
		return err;
	}
	xa_store_irq(&xib->cqs, cq->cqn, cq, GFP_KERNEL);
	return 0;
}

/*
 * When this returns, no handler runs and none will, and xrdma_cq_live() is
 * false. The number is free again only if the device has let go of it.
 */
static int xrdma_cq_disable(struct xrdma_ibdev *xib, struct xrdma_cq *cq)
{
	int err;

	mutex_lock(&cq->resize_lock);
	xa_store_irq(&xib->cqs, cq->cqn, NULL, GFP_KERNEL);
	mutex_unlock(&cq->resize_lock);
	err = xrdma_cmd_destroy_cq(&xib->hw, cq->cqn);
	if (!err)
		xa_erase_irq(&xib->cqs, cq->cqn);
	xrdma_eqs_sync(&xib->hw);
	return err;
}

/**
 * xrdma_cq_live() - does the device have this queue?
 * @xib: the device
 * @cq: a queue whose memory is there, though it may have been destroyed
 *
 * Context: @cq->resize_lock is held, and keeps the queue as it is.
 * Return: false after the queue has been destroyed.
 */
bool xrdma_cq_live(struct xrdma_ibdev *xib, struct xrdma_cq *cq)
{
	lockdep_assert_held(&cq->resize_lock);

	return xa_load(&xib->cqs, cq->cqn) == cq;
}

/**
 * xrdma_cq_completion() - completion event
 * @xib: the device
 * @cqn: as the device says; a number that is not in use is ignored, and so is a
 *	kernel queue that is not armed
 *
 * Context: an event's handler, which xrdma_eqs_sync() waits for; calls the
 * consumer's handler.
 */
void xrdma_cq_completion(struct xrdma_ibdev *xib, u32 cqn)
{
	struct xrdma_cq *cq = xa_load(&xib->cqs, cqn);

	if (!cq)
		return;
	/* nobody waits for what nobody has asked for */
	if (!cq->rec || xchg(&cq->armed, false))
		cq->comp(cq);
}

/**
 * xrdma_cq_wake() - completion event that the device owes but cannot give
 * @xib: the device, dead
 * @cqn: a number that is not in use is ignored, and so are a kernel queue that
 *	is not armed and a user's that has been woken
 *
 * Context: process; calls the consumer's handler.
 */
void xrdma_cq_wake(struct xrdma_ibdev *xib, u32 cqn)
{
	struct xrdma_cq *cq;

	/* a handler may raise a soft interrupt: let it run when we are done */
	local_bh_disable();
	/* the queue stays while its number is locked */
	xa_lock_irq(&xib->cqs);
	cq = xa_load(&xib->cqs, cqn);
	/* whether a user's queue is armed, only its memory tells */
	if (cq && (cq->rec ? xchg(&cq->armed, false) : !xchg(&cq->dead, true)))
		cq->comp(cq);
	xa_unlock_irq(&xib->cqs);
	local_bh_enable();
}

/**
 * xrdma_cq_event() - asynchronous event of a completion queue
 * @xib: the device
 * @cqn: as the device says; a number that is not in use is ignored
 * @event: XRDMA_EVENT_CQ_ERR
 *
 * Context: as xrdma_cq_completion().
 */
void xrdma_cq_event(struct xrdma_ibdev *xib, u32 cqn, u8 event)
{
	struct xrdma_cq *cq = xa_load(&xib->cqs, cqn);
	struct ib_event ibevent = {
		.device = &xib->ibdev,
		.event = IB_EVENT_CQ_ERR,
	};

	if (!cq)
		return;
	if (event == XRDMA_EVENT_CQ_ERR && cq->ibcq.event_handler) {
		ibevent.element.cq = &cq->ibcq;
		cq->ibcq.event_handler(&ibevent, cq->ibcq.cq_context);
	}
}

static struct xrdma_cqe *xrdma_cq_entry(const struct xrdma_cq *cq, u32 index)
{
	return xrdma_buf_at(cq->buf, sizeof(struct xrdma_cqe) *
				     xrdma_ring_slot(index, cq->log_depth));
}

/**
 * xrdma_cq_next() - entry at the consumer index, if the device has written it
 * @cq: kernel queue
 *
 * Context: @cq->lock is held, or the caller is the only consumer.
 * Return: the entry, all of it readable, or NULL.
 */
struct xrdma_cqe *xrdma_cq_next(struct xrdma_cq *cq)
{
	u32 ci = READ_ONCE(cq->ci);
	struct xrdma_cqe *cqe;

	cqe = xrdma_cq_entry(cq, ci);
	if (!xrdma_ring_valid(le32_to_cpu(READ_ONCE(cqe->own)), ci,
			      cq->log_depth))
		return NULL;

	/* the device writes own last: read the rest after it */
	dma_rmb();
	return cqe;
}

/**
 * xrdma_cq_read() - copy the entry at the consumer index, if there is one
 * @cq: kernel queue
 * @cqe: gets the entry
 *
 * Context: as xrdma_cq_next().
 * Return: false if the device has not written it.
 */
bool xrdma_cq_read(struct xrdma_cq *cq, struct xrdma_cqe *cqe)
{
	const struct xrdma_cqe *entry = xrdma_cq_next(cq);

	if (entry)
		xrdma_read_entry(cqe, entry, sizeof(*cqe));
	return entry;
}

/**
 * xrdma_cq_update_ci() - hand consumed entries back to the device
 * @cq: kernel queue, @cq->ci already advanced
 *
 * Context: as xrdma_cq_next().
 */
void xrdma_cq_update_ci(struct xrdma_cq *cq)
{
	/* the device may overwrite the entries as soon as it sees the index */
	dma_mb();
	WRITE_ONCE(cq->rec->ci, cpu_to_le32(cq->ci));
}

/**
 * xrdma_cq_arm() - ask for one completion event
 * @cq: kernel queue
 * @type: XRDMA_ARM_NEXT or XRDMA_ARM_SOLICITED
 *
 * On return the device sees the request before the caller reads the ring: an
 * entry it has written unseen will be found by xrdma_cq_next(), a later one
 * will raise the event. The lock keeps the words in the record in the order of
 * their sequence numbers: an older word over a newer one could be the one that
 * the device has fired for, and would arm nothing.
 *
 * Context: @cq->lock is held.
 */
void xrdma_cq_arm(struct xrdma_cq *cq, u32 type)
{
	lockdep_assert_held(&cq->lock);

	cq->arm = xrdma_arm_next(cq->arm, type);
	WRITE_ONCE(cq->armed, true);
	/* the event that this asks for finds the mark */
	dma_wmb();
	WRITE_ONCE(cq->rec->arm, cpu_to_le32(cq->arm));
	/* arm first, then look at the ring: struct xrdma_cq_rec */
	mb();
}

/* The phase belongs to the slot, everything else of an entry to its content. */
static void xrdma_cq_swap(struct xrdma_cq *cq, u32 a, u32 b)
{
	struct xrdma_cqe *cqe_a = xrdma_cq_entry(cq, a);
	struct xrdma_cqe *cqe_b = xrdma_cq_entry(cq, b);

	swap(*cqe_a, *cqe_b);
	swap(cqe_a->own, cqe_b->own);
}

/*
 * Move the entries of @qpn before all others that the device has written. The
 * others keep their order. Return: number of entries of @qpn.
 */
static u32 xrdma_cq_sort_out(struct xrdma_cq *cq, u32 qpn)
{
	u32 ci = cq->ci, num = 0, index;

	while (cq->ci - ci < 1U << cq->log_depth && xrdma_cq_next(cq))
		cq->ci++;
	index = cq->ci;
	cq->ci = ci;
	while (index-- != ci) {
		if (le32_to_cpu(xrdma_cq_entry(cq, index)->qpn) == qpn)
			num++;
		else if (num)
			xrdma_cq_swap(cq, index, index + num);
	}
	return num;
}

/**
 * xrdma_cq_forget() - drop the entries of a queue pair that ends or is reset
 * @cq: kernel queue
 * @qpn: its number; the device writes no more entries for it
 * @srq: its shared receive queue, whose entries are free again, or NULL
 *
 * The device may write to the slots of the dropped entries again. An entry of
 * @srq becomes free after the slot of its completion has.
 *
 * Context: any.
 */
void xrdma_cq_forget(struct xrdma_cq *cq, u32 qpn, struct xrdma_srq *srq)
{
	unsigned long flags;
	u32 num;

	spin_lock_irqsave(&cq->lock, flags);
	for (num = xrdma_cq_sort_out(cq, qpn); num; num--) {
		struct xrdma_cqe *cqe = xrdma_cq_entry(cq, cq->ci);
		bool recv = !(le16_to_cpu(cqe->flags) & XRDMA_CQE_SEND);
		u64 tag = le64_to_cpu(cqe->wr_id);

		cq->ci++;
		xrdma_cq_update_ci(cq);
		if (srq && recv)
			xrdma_srq_done(srq, tag);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
}

static void xrdma_kcq_free(struct xrdma_ibdev *xib, struct xrdma_cq *cq)
{
	xrdma_buf_release(xib, cq->buf, xrdma_may_dma(&xib->hw));
}

/**
 * xrdma_kcq_create() - completion queue in kernel memory
 * @xib: the device
 * @cq: zeroed, but for its @comp handler
 * @entries: at least so many, 1 to the capability
 * @eqn: event queue of its events
 *
 * Context: may sleep.
 * Return: 0, -EINVAL for a depth out of range, -ENOMEM, or an error of the
 * command.
 */
int xrdma_kcq_create(struct xrdma_ibdev *xib, struct xrdma_cq *cq, u32 entries,
		     u32 eqn)
{
	u64 rec_offset;
	int err;

	if (!entries || entries > xib->hw.caps.max_cqe)
		return -EINVAL;

	cq->eqn = eqn;
	cq->log_depth = max(order_base_2(entries), XRDMA_CQ_LOG_MIN);
	rec_offset = xrdma_cq_rec_offset(cq->log_depth);
	cq->buf = xrdma_buf_alloc(&xib->hw, rec_offset + sizeof(*cq->rec));
	if (!cq->buf)
		return -ENOMEM;
	cq->rec = xrdma_buf_at(cq->buf, rec_offset);

	err = xrdma_cq_enable(xib, cq, cq->buf->mtt.root);
	if (err)
		xrdma_kcq_free(xib, cq);
	return err;
}

/**
 * xrdma_kcq_destroy() - end of a queue of xrdma_kcq_create()
 * @xib: the device, dead or alive
 * @cq: the queue; no queue pair uses it
 *
 * Memory that the device may still write to is kept until it has been reset.
 *
 * Context: may sleep.
 */
void xrdma_kcq_destroy(struct xrdma_ibdev *xib, struct xrdma_cq *cq)
{
	xrdma_cq_disable(xib, cq);
	xrdma_kcq_free(xib, cq);
}

/**
 * xrdma_ucq_check() - is what a provider asks for in range?
 * @caps: of the device
 * @entries: at least so many
 * @addr: of the ring
 * @log_depth: log2 of its entries
 *
 * Return: 0 or -EINVAL.
 */
int xrdma_ucq_check(const struct xrdma_caps *caps, u32 entries, u64 addr,
		    u32 log_depth)
{
	if (!PAGE_ALIGNED(addr) || !entries || entries > caps->max_cqe)
		return -EINVAL;
	if (log_depth < XRDMA_CQ_LOG_MIN || log_depth > ilog2(caps->max_cqe))
		return -EINVAL;
	return entries > 1U << log_depth ? -EINVAL : 0;
}

/**
 * xrdma_ucq_map() - pin and translate ring and record of a user's queue
 * @xib: the device
 * @ubuf: filled in; for xrdma_ubuf_release()
 * @addr: of the ring
 * @log_depth: log2 of its entries
 *
 * Context: may sleep; of the process that owns the memory.
 * Return: 0 or an errno of xrdma_ubuf_map().
 */
int xrdma_ucq_map(struct xrdma_ibdev *xib, struct xrdma_ubuf *ubuf, u64 addr,
		  u8 log_depth)
{
	u64 size = xrdma_cq_rec_offset(log_depth) + sizeof(struct xrdma_cq_rec);

	return xrdma_ubuf_map(xib, ubuf, addr, size);
}

static void xrdma_ucq_destroy(struct xrdma_ibdev *xib, struct xrdma_cq *cq)
{
	xrdma_ubuf_release(xib, &cq->user, xrdma_cq_disable(xib, cq));
}

static int xrdma_ucq_create(struct xrdma_ibdev *xib, struct xrdma_cq *cq,
			    u32 entries, struct ib_udata *udata)
{
	struct xrdma_ureq_create_cq req;
	struct xrdma_uresp_create_cq resp = {};
	int err;

	err = ib_copy_validate_udata_in(udata, req, reserved);
	if (err)
		return err;
	if (req.reserved)
		return -EINVAL;
	err = xrdma_ucq_check(&xib->hw.caps, entries, req.buf_addr,
			      req.log_depth);
	if (err)
		return err;

	cq->log_depth = req.log_depth;
	err = xrdma_ucq_map(xib, &cq->user, req.buf_addr, cq->log_depth);
	if (err)
		return err;
	err = xrdma_cq_enable(xib, cq, cq->user.mtt.root);
	if (err) {
		xrdma_ubuf_release(xib, &cq->user, xrdma_may_dma(&xib->hw));
		return err;
	}

	resp.cqn = cq->cqn;
	err = ib_respond_udata(udata, resp);
	if (err)
		xrdma_ucq_destroy(xib, cq);
	return err;
}

static void xrdma_cq_comp(struct xrdma_cq *cq)
{
	cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
}

/**
 * xrdma_create_cq() - ib_device_ops.create_cq
 * @ibcq: to become a queue; @ibcq->cqe is set to the true depth
 * @attr: entries, completion vector; flags are not supported
 * @attrs: with struct xrdma_ureq_create_cq; NULL for the kernel
 *
 * Context: may sleep.
 * Return: 0, -EINVAL for a value out of range, -EOPNOTSUPP for a flag, -ENOMEM
 * when numbers or memory run out, or an error of the command.
 */
int xrdma_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		    struct uverbs_attr_bundle *attrs)
{
	struct xrdma_ibdev *xib = to_xibdev(ibcq->device);
	struct xrdma_cq *cq = to_xcq(ibcq);
	u32 eqn;
	int err;

	if (attr->flags)
		return -EOPNOTSUPP;
	if (attr->comp_vector >= xrdma_num_comp_vectors(&xib->hw))
		return -EINVAL;

	eqn = xrdma_comp_eqn(&xib->hw, attr->comp_vector);
	cq->comp = xrdma_cq_comp;
	if (attrs) {
		cq->eqn = eqn;
		err = xrdma_ucq_create(xib, cq, attr->cqe,
				       &attrs->driver_udata);
	} else {
		err = xrdma_kcq_create(xib, cq, attr->cqe, eqn);
	}
	if (err)
		return err;

	ibcq->cqe = 1 << cq->log_depth;
	return 0;
}

/**
 * xrdma_destroy_cq() - ib_device_ops.destroy_cq
 * @ibcq: the queue
 * @udata: no driver data in either direction; NULL for the kernel
 *
 * Context: may sleep.
 * Return: 0, or the error of unexpected @udata.
 */
int xrdma_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibcq->device);
	struct xrdma_cq *cq = to_xcq(ibcq);
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;

	if (cq->rec)
		xrdma_kcq_destroy(xib, cq);
	else
		xrdma_ucq_destroy(xib, cq);
	return 0;
}

/**
 * xrdma_pre_destroy_cq() - ib_device_ops.pre_destroy_cq
 * @ibcq: queue of the kernel
 *
 * No handler runs any more, and none will; the core can end its own polling,
 * which may still be in progress, without its being started again.
 *
 * Context: may sleep.
 * Return: 0
 */
int xrdma_pre_destroy_cq(struct ib_cq *ibcq)
{
	xrdma_cq_disable(to_xibdev(ibcq->device), to_xcq(ibcq));
	return 0;
}

/**
 * xrdma_post_destroy_cq() - ib_device_ops.post_destroy_cq
 * @ibcq: queue of xrdma_pre_destroy_cq(), which nobody polls any more
 *
 * Context: may sleep.
 */
void xrdma_post_destroy_cq(struct ib_cq *ibcq)
{
	xrdma_kcq_free(to_xibdev(ibcq->device), to_xcq(ibcq));
}
