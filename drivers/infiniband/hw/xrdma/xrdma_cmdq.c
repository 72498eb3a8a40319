// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA command ring: posts commands, waits for their replies, and stops waiting
 * after a time limit. What follows from a reply that is missing or wrong is in
 * xrdma_cmd_exec.c, what a command means in xrdma_cmd.c. The interrupt that
 * announces replies is in xrdma_eq.c.
 *
 * Every command in progress has a waiter. Waiters belong to the ring, not to
 * the callers, and ids carry a generation: a reply that comes after its caller
 * has given up finds a waiter that is idle or of another generation, and is
 * dropped without touching anything.
 */

#include <linux/bitfield.h>
#include <linux/bitmap.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/slab.h>
#include <rdma/xrdma-ring.h>
#include "xrdma_cmdq.h"
#include "xrdma_dev.h"
#include "xrdma_regs.h"

#define XRDMA_CMDQ_LOG		7
#define XRDMA_CMDQ_DEPTH	BIT(XRDMA_CMDQ_LOG)
#define XRDMA_CMDQ_SIZE		(XRDMA_CMDQ_DEPTH * sizeof(struct xrdma_cmd))
#define XRDMA_CMDQ_POLL_US	20
/* also for those that wait until packets and DMA in progress have ended */
#define XRDMA_CMD_TIMEOUT_MS	10000

static_assert(sizeof(struct xrdma_cmd) == sizeof(struct xrdma_rsp));
static_assert(XRDMA_CMDQ_SIZE % XRDMA_PAGE_SIZE == 0);

/* An id: which waiter, and which of its uses. */
#define XRDMA_CMDQ_ID_SLOT	GENMASK(XRDMA_CMDQ_LOG - 1, 0)
#define XRDMA_CMDQ_ID_GEN	GENMASK(15, XRDMA_CMDQ_LOG)

/**
 * struct xrdma_cmd_waiter - a command in progress
 * @id: of the command
 * @opcode: of the command
 * @err: 0 if @rsp has arrived; -EPROTO: @rsp names another opcode; -EIO: the
 *	device is dead, and @rsp will not arrive
 * @rsp: copy of the reply
 * @done: @err is final
 */
struct xrdma_cmd_waiter {
	u16 id;
	u16 opcode;
	int err;
	struct xrdma_rsp rsp;
	struct completion done;
};

/**
 * struct xrdma_cmdq - command ring and reply ring
 * @ring: commands
 * @ring_dma: their bus address
 * @replies: replies
 * @replies_dma: their bus address
 * @lock: protects all below; taken in the interrupt of vector 0
 * @pi: commands posted
 * @ci: replies consumed
 * @busy: waiters that have a caller
 * @waiting: waiters whose reply has not come; a subset of @busy
 * @waiters: by slot of their id
 * @space: callers that wait for a free waiter
 */
struct xrdma_cmdq {
	struct xrdma_cmd *ring;
	dma_addr_t ring_dma;
	struct xrdma_rsp *replies;
	dma_addr_t replies_dma;
	spinlock_t lock; /* all below; innermost */
	u32 pi;
	u32 ci;
	DECLARE_BITMAP(busy, XRDMA_CMDQ_DEPTH);
	DECLARE_BITMAP(waiting, XRDMA_CMDQ_DEPTH);
	struct xrdma_cmd_waiter waiters[XRDMA_CMDQ_DEPTH];
	wait_queue_head_t space;
};

/* The next use of a waiter: another generation in the same slot. */
static u16 xrdma_cmdq_next_id(u16 id)
{
	u16 gen = FIELD_GET(XRDMA_CMDQ_ID_GEN, id) + 1;

	return (id & XRDMA_CMDQ_ID_SLOT) |
	       ((gen << XRDMA_CMDQ_LOG) & XRDMA_CMDQ_ID_GEN);
}

/*
 * A free waiter implies a free entry in both rings: there are as many, and the
 * device has read the command before any later one is answered.
 */
static struct xrdma_cmd_waiter *
xrdma_cmdq_post_locked(struct xrdma_dev *xdev, const struct xrdma_cmd *cmd)
{
	struct xrdma_cmdq *q = xdev->cmdq;
	struct xrdma_cmd_waiter *waiter;
	struct xrdma_cmd *entry;
	unsigned long slot;

	lockdep_assert_held(&q->lock);

	if (xrdma_dead(xdev))
		return ERR_PTR(-EIO);
	slot = find_first_zero_bit(q->busy, XRDMA_CMDQ_DEPTH);
	if (slot == XRDMA_CMDQ_DEPTH)
		return NULL;

	__set_bit(slot, q->busy);
	__set_bit(slot, q->waiting);
	waiter = &q->waiters[slot];
	waiter->id = xrdma_cmdq_next_id(waiter->id);
	waiter->opcode = le16_to_cpu(cmd->opcode);
	reinit_completion(&waiter->done);

	entry = &q->ring[xrdma_ring_slot(q->pi, XRDMA_CMDQ_LOG)];
	*entry = *cmd;
	entry->id = cpu_to_le16(waiter->id);
	q->pi++;
	/* writel() orders the entry before the doorbell */
	writel(q->pi, xdev->regs + XRDMA_REG_CMD_DB);
	return waiter;
}

static struct xrdma_cmd_waiter *xrdma_cmdq_post(struct xrdma_dev *xdev,
						const struct xrdma_cmd *cmd)
{
	struct xrdma_cmdq *q = xdev->cmdq;
	struct xrdma_cmd_waiter *waiter;
	unsigned long flags;

	spin_lock_irqsave(&q->lock, flags);
	waiter = xrdma_cmdq_post_locked(xdev, cmd);
	spin_unlock_irqrestore(&q->lock, flags);
	return waiter;
}

/* The caller is done with a waiter; a reply that is still to come is late. */
static void xrdma_cmdq_release(struct xrdma_cmdq *q,
			       struct xrdma_cmd_waiter *waiter)
{
	unsigned long slot = waiter - q->waiters;
	unsigned long flags;

	spin_lock_irqsave(&q->lock, flags);
	__clear_bit(slot, q->waiting);
	__clear_bit(slot, q->busy);
	spin_unlock_irqrestore(&q->lock, flags);
	wake_up(&q->space);
}

static void xrdma_cmdq_finish_locked(struct xrdma_cmdq *q, unsigned long slot,
				     int err)
{
	lockdep_assert_held(&q->lock);

	__clear_bit(slot, q->waiting);
	q->waiters[slot].err = err;
	complete(&q->waiters[slot].done);
}

/* The reply is of the waiter that its id names, or it is dropped. */
static void xrdma_cmdq_accept_locked(struct xrdma_cmdq *q,
				     const struct xrdma_rsp *rsp)
{
	u16 id = le16_to_cpu(rsp->id);
	unsigned long slot = FIELD_GET(XRDMA_CMDQ_ID_SLOT, id);
	struct xrdma_cmd_waiter *waiter = &q->waiters[slot];
	bool same;

	lockdep_assert_held(&q->lock);

	if (!test_bit(slot, q->waiting) || waiter->id != id)
		return;
	waiter->rsp = *rsp;
	same = waiter->opcode == le16_to_cpu(waiter->rsp.opcode);
	xrdma_cmdq_finish_locked(q, slot, same ? 0 : -EPROTO);
}

/**
 * xrdma_cmdq_poll() - take all replies that have arrived
 * @xdev: the device
 *
 * Context: any; called by the interrupt of vector 0.
 */
void xrdma_cmdq_poll(struct xrdma_dev *xdev)
{
	struct xrdma_cmdq *q = xdev->cmdq;
	unsigned long flags;

	spin_lock_irqsave(&q->lock, flags);
	while (!xrdma_dead(xdev)) {
		struct xrdma_rsp *rsp;

		rsp = &q->replies[xrdma_ring_slot(q->ci, XRDMA_CMDQ_LOG)];
		if (!xrdma_ring_valid(le32_to_cpu(READ_ONCE(rsp->own)), q->ci,
				      XRDMA_CMDQ_LOG))
			break;
		/* the device wrote the phase last: read it first */
		dma_rmb();
		xrdma_cmdq_accept_locked(q, rsp);
		q->ci++;
	}
	spin_unlock_irqrestore(&q->lock, flags);
}

/* No interrupts yet: look at the ring, and that the device is still there. */
static bool xrdma_cmdq_wait_polling(struct xrdma_dev *xdev,
				    struct xrdma_cmd_waiter *waiter,
				    unsigned long timeout)
{
	unsigned long end = jiffies + timeout;

	while (!try_wait_for_completion(&waiter->done)) {
		if (time_after(jiffies, end) || !xrdma_hw_present(xdev))
			return false;
		usleep_range(XRDMA_CMDQ_POLL_US, 2 * XRDMA_CMDQ_POLL_US);
		xrdma_cmdq_poll(xdev);
	}
	return true;
}

static bool xrdma_cmdq_wait(struct xrdma_dev *xdev,
			    struct xrdma_cmd_waiter *waiter,
			    unsigned long timeout)
{
	if (!READ_ONCE(xdev->reply_irq))
		return xrdma_cmdq_wait_polling(xdev, waiter, timeout);
	if (wait_for_completion_timeout(&waiter->done, timeout))
		return true;
	/* The reply may be there, and its interrupt lost. */
	xrdma_cmdq_poll(xdev);
	return try_wait_for_completion(&waiter->done);
}

/**
 * xrdma_cmdq_exec() - have a command executed
 * @xdev: the device
 * @cmd: the command; its id is chosen here
 * @rsp: where the reply goes
 *
 * After -ETIMEDOUT or -EPROTO the caller declares the device dead. A command that
 * was not answered keeps its waiter: the device may not have read its entry of
 * the ring, which is free for another command only with a free waiter.
 *
 * Context: may sleep, for room in the ring and for the reply.
 * Return: 0 with any status in @rsp; -EIO: the device is dead; -ETIMEDOUT: it
 * did not answer in time, and @rsp has nothing but the id of the command; -EPROTO:
 * the reply, in @rsp, names another opcode.
 */
int xrdma_cmdq_exec(struct xrdma_dev *xdev, const struct xrdma_cmd *cmd,
		    struct xrdma_rsp *rsp)
{
	struct xrdma_cmdq *q = xdev->cmdq;
	struct xrdma_cmd_waiter *waiter;
	int err;

	/* ends: commands in progress are answered, or the device is dead */
	wait_event(q->space, (waiter = xrdma_cmdq_post(xdev, cmd)));
	if (IS_ERR(waiter))
		return PTR_ERR(waiter);

	if (!xrdma_cmdq_wait(xdev, waiter,
			     msecs_to_jiffies(XRDMA_CMD_TIMEOUT_MS))) {
		*rsp = (struct xrdma_rsp) { .id = cpu_to_le16(waiter->id) };
		return -ETIMEDOUT;
	}
	err = waiter->err;
	if (err != -EIO)
		*rsp = waiter->rsp;
	xrdma_cmdq_release(q, waiter);
	return err;
}

/**
 * xrdma_cmdq_progress() - how far the command ring is, for the log
 * @xdev: the device
 * @posted: gets the number of commands posted, modulo 2^32
 * @answered: gets the number of replies consumed, modulo 2^32
 *
 * Context: any.
 */
void xrdma_cmdq_progress(struct xrdma_dev *xdev, u32 *posted, u32 *answered)
{
	struct xrdma_cmdq *q = xdev->cmdq;
	unsigned long flags;

	spin_lock_irqsave(&q->lock, flags);
	*posted = q->pi;
	*answered = q->ci;
	spin_unlock_irqrestore(&q->lock, flags);
}

/**
 * xrdma_cmdq_abort() - fail all commands in progress
 * @xdev: the device, which is dead
 *
 * Context: any.
 */
void xrdma_cmdq_abort(struct xrdma_dev *xdev)
{
	struct xrdma_cmdq *q = xdev->cmdq;
	unsigned long flags, slot;

	spin_lock_irqsave(&q->lock, flags);
	for_each_set_bit(slot, q->waiting, XRDMA_CMDQ_DEPTH)
		xrdma_cmdq_finish_locked(q, slot, -EIO);
	spin_unlock_irqrestore(&q->lock, flags);
	wake_up_all(&q->space);
}

static void xrdma_cmdq_init_waiters(struct xrdma_cmdq *q)
{
	unsigned int slot;

	for (slot = 0; slot < XRDMA_CMDQ_DEPTH; slot++) {
		q->waiters[slot].id = slot;
		init_completion(&q->waiters[slot].done);
	}
}

static void xrdma_cmdq_free(struct xrdma_dev *xdev, struct xrdma_cmdq *q)
{
	struct device *dev = xrdma_to_dev(xdev);

	if (q->replies)
		dma_free_coherent(dev, XRDMA_CMDQ_SIZE, q->replies,
				  q->replies_dma);
	if (q->ring)
		dma_free_coherent(dev, XRDMA_CMDQ_SIZE, q->ring, q->ring_dma);
	kvfree(q);
}

/**
 * xrdma_cmdq_create() - allocate both rings and tell the device where they are
 * @xdev: the device, out of reset and not enabled
 *
 * Replies are polled for until the event queues have their interrupts.
 *
 * Return: 0 or -ENOMEM.
 */
int xrdma_cmdq_create(struct xrdma_dev *xdev)
{
	struct device *dev = xrdma_to_dev(xdev);
	struct xrdma_cmdq *q;

	q = kvzalloc_obj(*q);
	if (!q)
		return -ENOMEM;
	spin_lock_init(&q->lock);
	init_waitqueue_head(&q->space);
	xrdma_cmdq_init_waiters(q);
	q->ring = dma_alloc_coherent(dev, XRDMA_CMDQ_SIZE, &q->ring_dma,
				     GFP_KERNEL);
	q->replies = dma_alloc_coherent(dev, XRDMA_CMDQ_SIZE, &q->replies_dma,
					GFP_KERNEL);
	if (!q->ring || !q->replies) {
		xrdma_cmdq_free(xdev, q);
		return -ENOMEM;
	}
	writeq(q->ring_dma, xdev->regs + XRDMA_REG_CMD_BASE);
	writeq(q->replies_dma, xdev->regs + XRDMA_REG_RSP_BASE);
	writel(XRDMA_CMDQ_LOG, xdev->regs + XRDMA_REG_CMD_LOG);
	xdev->cmdq = q;
	return 0;
}

/**
 * xrdma_cmdq_destroy() - free both rings
 * @xdev: the device, which is quiet; no command is in progress
 */
void xrdma_cmdq_destroy(struct xrdma_dev *xdev)
{
	xrdma_cmdq_free(xdev, xdev->cmdq);
	xdev->cmdq = NULL;
}
