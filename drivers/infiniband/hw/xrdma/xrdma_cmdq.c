// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA command ring: posts commands, waits for their replies, and stops
 * waiting after a time limit. Missing and wrong replies are handled in
 * xrdma_cmd_exec.c, the commands themselves are in xrdma_cmd.c and
 * xrdma_cmd_port.c. The interrupt that announces replies is in xrdma_eq.c.
 *
 * Each command in progress has a struct xrdma_cmd_waiter. The waiters are part
 * of the ring and never freed alone, and the id of a command contains a
 * generation. So a reply that arrives after its caller has stopped waiting
 * names a waiter that is idle or has another id, and the reply is dropped.
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
/* Length of a step in which a reply is waited for, see xrdma_cmdq_wait() */
#define XRDMA_CMDQ_STEP_MS	250

static_assert(sizeof(struct xrdma_cmd) == sizeof(struct xrdma_rsp));
static_assert(XRDMA_CMDQ_SIZE % XRDMA_PAGE_SIZE == 0);

/*
 * Fields of a command's id: the index of the waiter, and a count of its uses.
 */
#define XRDMA_CMDQ_ID_SLOT	GENMASK(XRDMA_CMDQ_LOG - 1, 0)
#define XRDMA_CMDQ_ID_GEN	GENMASK(15, XRDMA_CMDQ_LOG)

/**
 * struct xrdma_cmd_waiter - state of a command in progress
 * @id: id of the command
 * @opcode: opcode of the command
 * @err: 0: @rsp has arrived; -EPROTO: @rsp has arrived, but names another
 *	opcode; -EIO: the device is dead, and @rsp will not arrive
 * @rsp: copy of the reply
 * @done: completed when @err and @rsp are final
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
 * @ring: ring of commands
 * @ring_dma: bus address of @ring
 * @replies: ring of replies
 * @replies_dma: bus address of @replies
 * @lock: protects all fields below but @space; taken in the interrupt of vector
 *	0
 * @pi: number of commands posted, modulo 2^32
 * @ci: number of replies consumed, modulo 2^32
 * @busy: bitmap of the waiters in use
 * @waiting: bitmap of the waiters whose reply has not arrived; a subset of
 *	@busy
 * @waiters: all waiters, by the slot in their id
 * @space: callers that wait for a free waiter
 */
struct xrdma_cmdq {
	struct xrdma_cmd *ring;
	dma_addr_t ring_dma;
	struct xrdma_rsp *replies;
	dma_addr_t replies_dma;
	spinlock_t lock; /* all below but @space; innermost */
	u32 pi;
	u32 ci;
	DECLARE_BITMAP(busy, XRDMA_CMDQ_DEPTH);
	DECLARE_BITMAP(waiting, XRDMA_CMDQ_DEPTH);
	struct xrdma_cmd_waiter waiters[XRDMA_CMDQ_DEPTH];
	wait_queue_head_t space;
};

/* Return the id for the next use of a waiter: same slot, next generation. */
static u16 xrdma_cmdq_next_id(u16 id)
{
	u16 gen = FIELD_GET(XRDMA_CMDQ_ID_GEN, id) + 1;

	return (id & XRDMA_CMDQ_ID_SLOT) |
	       ((gen << XRDMA_CMDQ_LOG) & XRDMA_CMDQ_ID_GEN);
}

/*
 * Post a command. A free waiter implies a free entry in both rings: each ring
 * has as many entries as there are waiters, and the device has read a command
 * before it answers a later one. Return: NULL: no waiter is free.
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

/* Make a waiter idle. A reply to its command that arrives later is dropped. */
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

/*
 * Pass a reply to the waiter that its id names; drop it if none waits for it.
 */
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
 * xrdma_cmdq_poll() - consume all replies that have arrived
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
		/* order the read of the phase before that of the reply */
		dma_rmb();
		xrdma_cmdq_accept_locked(q, rsp);
		q->ci++;
	}
	spin_unlock_irqrestore(&q->lock, flags);
}

/* Wait without interrupts: poll the ring while the device is present. */
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

static bool xrdma_cmdq_wait_step(struct xrdma_dev *xdev,
				 struct xrdma_cmd_waiter *waiter,
				 unsigned long timeout)
{
	if (!READ_ONCE(xdev->reply_irq))
		return xrdma_cmdq_wait_polling(xdev, waiter, timeout);
	if (wait_for_completion_timeout(&waiter->done, timeout))
		return true;
	/* the reply may have arrived without its interrupt */
	xrdma_cmdq_poll(xdev);
	return try_wait_for_completion(&waiter->done);
}

/*
 * Wait for a reply, in steps. When a virtual machine is stopped for a while, for
 * example to be moved to another host, its clock may jump forward by that time.
 * The jump ends one step. The device, which was stopped too, has the remaining
 * steps to answer.
 */
static bool xrdma_cmdq_wait(struct xrdma_dev *xdev,
			    struct xrdma_cmd_waiter *waiter,
			    unsigned int timeout_ms)
{
	unsigned int steps = timeout_ms / XRDMA_CMDQ_STEP_MS;

	while (steps--)
		if (xrdma_cmdq_wait_step(xdev, waiter,
					 msecs_to_jiffies(XRDMA_CMDQ_STEP_MS)))
			return true;
	return false;
}

/**
 * xrdma_cmdq_exec() - post a command, and wait for the reply
 * @xdev: the device
 * @cmd: the command; its id is ignored, and chosen by this function
 * @rsp: output: the reply
 * @timeout_ms: time to wait for the reply, in milliseconds
 *
 * The caller declares the device dead after -ETIMEDOUT or -EPROTO. The waiter
 * of a command that was not answered stays busy: the device may not have read
 * the command's entry of the ring, and a free waiter would allow the driver to
 * overwrite that entry.
 *
 * Context: may sleep, until a waiter is free and until the reply arrives.
 * Return: 0, with any status in @rsp; -EIO: the device is dead; -ETIMEDOUT: the
 * device did not answer in time, and @rsp contains only the id of the command;
 * -EPROTO: the reply, in @rsp, names another opcode.
 */
int xrdma_cmdq_exec(struct xrdma_dev *xdev, const struct xrdma_cmd *cmd,
		    struct xrdma_rsp *rsp, unsigned int timeout_ms)
{
	struct xrdma_cmdq *q = xdev->cmdq;
	struct xrdma_cmd_waiter *waiter;
	int err;

	/* ends when a command in progress is answered, or the device is dead */
	wait_event(q->space, (waiter = xrdma_cmdq_post(xdev, cmd)));
	if (IS_ERR(waiter))
		return PTR_ERR(waiter);

	if (!xrdma_cmdq_wait(xdev, waiter, timeout_ms)) {
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
 * xrdma_cmdq_progress() - read the indexes of the command ring, for the log
 * @xdev: the device
 * @posted: output: number of commands posted, modulo 2^32
 * @answered: output: number of replies consumed, modulo 2^32
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
 * xrdma_cmdq_create() - allocate both rings and write their addresses to
 *	registers
 * @xdev: the device, after a reset and not enabled
 *
 * Callers of commands poll for replies until xrdma_dev.reply_irq is set.
 *
 * Context: may sleep.
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
