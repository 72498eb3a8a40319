// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA completion queues: creates and destroys them for users, for the
 * kernel's consumers and for the netdev, delivers their events, and reads and
 * arms rings in kernel memory. Entries are decoded in xrdma_poll.c and, for the
 * netdev, in xrdma_eth.c. Resizing and moderation are in xrdma_cq_modify.c.
 */

#include <linux/log2.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/xrdma-ring.h>
#include "xrdma_buf.h"
#include "xrdma_cmd.h"
#include "xrdma_cq.h"
#include "xrdma_ctx.h"
#include "xrdma_eq.h"
#include "xrdma_ibdev.h"
#include "xrdma_quarantine.h"
#include "xrdma_srq.h"
#include "xrdma_ubuf.h"

/* Allocate a number. Lookups of the number find NULL until the queue exists. */
static int xrdma_cq_reserve(struct xrdma_ibdev *xib, struct xrdma_cq *cq)
{
	u32 *next = cq->port ? &xib->port_cqns.next : &xib->next_cqn;
	struct xa_limit limit;
	int err;

	limit = xrdma_share_limit(&xib->port_cqns, 1, xib->hw.caps.max_cq,
				  cq->port);
	err = xa_alloc_cyclic_irq(&xib->cqs, &cq->cqn, NULL, limit, next,
				  GFP_KERNEL);
	if (err == -EBUSY)
		return -ENOMEM;
	return min(err, 0);
}

static int xrdma_cq_enable(struct xrdma_ibdev *xib, struct xrdma_cq *cq,
			   u32 db_page, u64 root)
{
	int err;

	spin_lock_init(&cq->lock);
	mutex_init(&cq->resize_lock);
	cq->send_qps = RB_ROOT;
	cq->recv_qps = RB_ROOT;

	err = xrdma_cq_reserve(xib, cq);
	if (err)
		return err;

	err = xrdma_cmd_create_cq(&xib->hw, cq->cqn, cq->eqn, db_page,
				  cq->log_depth, root);
	if (err) {
		xa_erase_irq(&xib->cqs, cq->cqn);
		return err;
	}
	xa_store_irq(&xib->cqs, cq->cqn, cq, GFP_KERNEL);
	return 0;
}

/* A consumer may arm a queue that is being destroyed: xrdma_cq_arm() */
static void xrdma_cq_close(struct xrdma_cq *cq)
{
	spin_lock_irq(&cq->lock);
	cq->closed = true;
	spin_unlock_irq(&cq->lock);
}

/*
 * When this function returns, no handler of the queue runs or will start, and
 * xrdma_cq_live() is false. If the DESTROY command fails, the number stays
 * allocated, since the device may still use it.
 */
static int xrdma_cq_disable(struct xrdma_ibdev *xib, struct xrdma_cq *cq)
{
	int err;

	mutex_lock(&cq->resize_lock);
	xa_store_irq(&xib->cqs, cq->cqn, NULL, GFP_KERNEL);
	mutex_unlock(&cq->resize_lock);
	xrdma_cq_close(cq);
	err = xrdma_cmd_destroy_cq(&xib->hw, cq->cqn);
	if (!err)
		xa_erase_irq(&xib->cqs, cq->cqn);
	xrdma_eqs_sync(&xib->hw);
	return err;
}

/**
 * xrdma_cq_live() - is the queue registered under its number?
 * @xib: the device
 * @cq: a queue that is allocated, but may have been destroyed in the device
 *
 * Context: @cq->resize_lock is held; the result is valid until it is released.
 * Return: false after xrdma_cq_disable().
 */
bool xrdma_cq_live(struct xrdma_ibdev *xib, struct xrdma_cq *cq)
{
	lockdep_assert_held(&cq->resize_lock);

	return xa_load(&xib->cqs, cq->cqn) == cq;
}

/**
 * xrdma_cq_completion() - handle a completion event
 * @xib: the device
 * @cqn: number from the event; ignored if no queue has this number, or if the
 *	queue is a kernel queue that is not armed
 *
 * Context: called by event queues, so that xrdma_eqs_sync() waits for it; calls
 * the consumer's handler.
 */
void xrdma_cq_completion(struct xrdma_ibdev *xib, u32 cqn)
{
	struct xrdma_cq *cq = xa_load(&xib->cqs, cqn);

	if (!cq)
		return;
	/*
	 * no consumer has asked for an event of a kernel queue that is not
	 * armed
	 */
	if (!cq->rec || xchg(&cq->armed, false))
		cq->comp(cq);
}

/**
 * xrdma_cq_wake() - deliver the completion event that a dead device cannot send
 * @xib: the device, dead
 * @cqn: number of the queue; ignored if no queue has this number, if the queue
 *	is a kernel queue that is not armed, or a user's that has been woken
 *
 * Context: process; calls the consumer's handler.
 */
void xrdma_cq_wake(struct xrdma_ibdev *xib, u32 cqn)
{
	struct xrdma_cq *cq;

	/* a soft interrupt that a handler raises runs at local_bh_enable() */
	local_bh_disable();
	/* the lock keeps the queue alive: xrdma_cq_disable() takes it too */
	xa_lock_irq(&xib->cqs);
	cq = xa_load(&xib->cqs, cqn);
	/*
	 * only the process knows whether a user's queue is armed: wake it once
	 */
	if (cq && (cq->rec ? xchg(&cq->armed, false) : !xchg(&cq->dead, true)))
		cq->comp(cq);
	xa_unlock_irq(&xib->cqs);
	local_bh_enable();
}

/**
 * xrdma_cq_event() - handle an asynchronous event of a completion queue
 * @xib: the device
 * @cqn: number from the event; ignored if no queue has this number
 * @event: XRDMA_EVENT_CQ_ERR; other events are ignored
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

static bool xrdma_cq_has_written(const struct xrdma_cq *cq, u32 index)
{
	__le32 own = READ_ONCE(xrdma_cq_entry(cq, index)->own);

	return xrdma_ring_valid(le32_to_cpu(own), index, cq->log_depth);
}

/**
 * xrdma_cq_next() - entry at the consumer index, if the device has written it
 * @cq: kernel queue
 *
 * Context: @cq->lock is held, or the caller is the only consumer.
 * Return: the entry, whose fields may all be read, or NULL.
 */
struct xrdma_cqe *xrdma_cq_next(struct xrdma_cq *cq)
{
	u32 ci = READ_ONCE(cq->ci);

	if (!xrdma_cq_has_written(cq, ci))
		return NULL;

	/* orders the read of own before the reads of the other fields */
	dma_rmb();
	return xrdma_cq_entry(cq, ci);
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
 * xrdma_cq_update_ci() - allow the device to overwrite the consumed entries
 * @cq: kernel queue, @cq->ci already advanced
 *
 * Context: as xrdma_cq_next().
 */
void xrdma_cq_update_ci(struct xrdma_cq *cq)
{
	/* orders the reads of the entries before the write of the index */
	dma_mb();
	WRITE_ONCE(cq->rec->ci, cpu_to_le32(cq->ci));
}

/* Index of the first entry that the device has not written */
static u32 xrdma_cq_written(const struct xrdma_cq *cq)
{
	u32 ci = READ_ONCE(cq->ci), index = ci;

	while (index - ci < 1U << cq->log_depth &&
	       xrdma_cq_has_written(cq, index))
		index++;
	return index;
}

/*
 * @cq->lock makes sure that arm words are written in the order of their sequence
 * numbers. An older word that overwrites a newer one may be a word for which the
 * device has already sent an event, and would not arm the queue.
 */
static void xrdma_cq_arm_record(struct xrdma_cq *cq, u32 type)
{
	cq->arm = xrdma_arm_next(cq->arm, type);
	/*
	 * Orders the write of armed before that of the arm word: the handler of
	 * the event finds armed set.
	 */
	dma_wmb();
	WRITE_ONCE(cq->rec->arm, cpu_to_le32(cq->arm));
}

/**
 * xrdma_cq_arm() - ask for one completion event
 * @xdev: device of the queue
 * @cq: kernel queue
 * @type: XRDMA_ARM_NEXT or XRDMA_ARM_SOLICITED
 *
 * A queue that is armed for any completion stays so if the consumer asks for a
 * solicited one before it has had the event (IBTA Volume 1, 11.4.2.2).
 *
 * No event is lost. With shadow doorbells the write of the arm word is ordered
 * before the caller's next read of the ring: xrdma_cq_next() finds an entry that
 * the device wrote before it saw the arm word, and a later entry raises the
 * event. Without them the doorbell has the index of the first entry that was not
 * in the ring: the device raises the event at once if it has written that entry
 * before the doorbell arrived.
 *
 * Context: @cq->lock is held.
 */
void xrdma_cq_arm(struct xrdma_dev *xdev, struct xrdma_cq *cq, u32 type)
{
	lockdep_assert_held(&cq->lock);

	if (READ_ONCE(cq->armed) && cq->next_armed)
		type = XRDMA_ARM_NEXT;
	cq->next_armed = type == XRDMA_ARM_NEXT;
	WRITE_ONCE(cq->armed, true);
	if (xrdma_shadow_db(xdev))
		xrdma_cq_arm_record(cq, type);
	else if (!cq->closed && !xrdma_dead(xdev))
		xrdma_write_doorbell(xdev, XRDMA_DB_CQ,
				     xrdma_make_arm_db(cq->cqn, type,
						       xrdma_cq_written(cq)));
	/*
	 * Orders the write of the arm word, and that of armed, before later reads
	 * of the ring and of the state of the device.
	 */
	mb();
}

/* Swap two entries, except for own: its phase depends on the slot. */
static void xrdma_cq_swap(struct xrdma_cq *cq, u32 a, u32 b)
{
	struct xrdma_cqe *cqe_a = xrdma_cq_entry(cq, a);
	struct xrdma_cqe *cqe_b = xrdma_cq_entry(cq, b);

	swap(*cqe_a, *cqe_b);
	swap(cqe_a->own, cqe_b->own);
}

/*
 * Move the entries of @qpn before all other entries that the device has
 * written. The other entries keep their order. Return: number of entries of
 * @qpn.
 */
static u32 xrdma_cq_gather_qp(struct xrdma_cq *cq, u32 qpn)
{
	u32 index = xrdma_cq_written(cq), num = 0;

	/* orders the reads of own before the reads of the other fields */
	dma_rmb();
	while (index-- != cq->ci) {
		if (le32_to_cpu(xrdma_cq_entry(cq, index)->qpn) == qpn)
			num++;
		else if (num)
			xrdma_cq_swap(cq, index, index + num);
	}
	return num;
}

/**
 * xrdma_cq_drop_qp() - drop the entries of a queue pair that ends or is reset
 * @cq: kernel queue
 * @qpn: number of the queue pair, for which the device writes no more entries
 * @srq: shared receive queue of the queue pair, or NULL
 *
 * The device may overwrite the slots of the dropped entries. The entry of @srq
 * that a dropped completion names is freed after the slot of that completion.
 *
 * Context: any.
 */
void xrdma_cq_drop_qp(struct xrdma_cq *cq, u32 qpn, struct xrdma_srq *srq)
{
	unsigned long flags;
	u32 num;

	spin_lock_irqsave(&cq->lock, flags);
	for (num = xrdma_cq_gather_qp(cq, qpn); num; num--) {
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
 * @cq: zeroed, except for @cq->comp
 * @entries: minimum number of entries, 1 to the capability max_cqe
 * @eqn: number of the event queue for the completion events
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

	err = xrdma_cq_enable(xib, cq, 0, cq->buf->mtt.root);
	if (err)
		xrdma_kcq_free(xib, cq);
	return err;
}

/**
 * xrdma_kcq_destroy() - destroy a queue of xrdma_kcq_create()
 * @xib: the device, dead or alive
 * @cq: the queue; no queue pair uses it
 *
 * Memory that the device may still write to is freed after the device's reset.
 *
 * Context: may sleep.
 */
void xrdma_kcq_destroy(struct xrdma_ibdev *xib, struct xrdma_cq *cq)
{
	xrdma_cq_disable(xib, cq);
	xrdma_kcq_free(xib, cq);
}

/**
 * xrdma_ucq_check() - check the ring that a provider has laid out
 * @caps: capabilities of the device
 * @entries: minimum number of entries
 * @addr: address of the ring in the process
 * @log_depth: log2 of the number of entries in the ring
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
 * @ubuf: filled in; the caller releases it with xrdma_ubuf_release()
 * @addr: address of the ring in the process
 * @log_depth: log2 of the number of entries in the ring
 *
 * Context: may sleep; called in the process that owns the memory.
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
	struct xrdma_ucontext *uctx =
		rdma_udata_to_drv_context(udata, struct xrdma_ucontext, ibuc);
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
	err = xrdma_cq_enable(xib, cq, uctx->db_page, cq->user.mtt.root);
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
 * @ibcq: zeroed object; @ibcq->cqe is set to the depth of the ring
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
 * When this function returns, no completion handler runs or will start. ib_core
 * then stops its own polling, which no handler can start again.
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
 * @ibcq: queue after xrdma_pre_destroy_cq(), which is no longer polled
 *
 * Context: may sleep.
 */
void xrdma_post_destroy_cq(struct ib_cq *ibcq)
{
	xrdma_kcq_free(to_xibdev(ibcq->device), to_xcq(ibcq));
}
