// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA event queues and their MSI-X vectors: creates them, reads the entries,
 * and passes each event to a function of struct xrdma_event_ops. Queue 0 has
 * the asynchronous events; its interrupt also polls the command ring
 * (xrdma_cmdq.c). The last queue has page faults, if the device has on-demand
 * paging. The other queues have completion events. The functions that handle the
 * events are in xrdma_events.c.
 */

#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <rdma/xrdma-ring.h>
#include "xrdma_buf.h"
#include "xrdma_cmd.h"
#include "xrdma_cmdq.h"
#include "xrdma_dev.h"
#include "xrdma_eq.h"
#include "xrdma_regs.h"

#define XRDMA_EQ_LOG_DEPTH	9
/* Events handled in a row with interrupts off */
#define XRDMA_EQ_BUDGET		64
#define XRDMA_EQ_NAME_LEN	40

/**
 * struct xrdma_eq - event queue
 * @xdev: device of the queue
 * @eqn: number of the queue and of its MSI-X vector
 * @irq: Linux interrupt number; 0: not requested
 * @name: name of the interrupt
 * @buf: memory of ring and record
 * @rec: record of the queue, in @buf
 * @lock: protects @ci and @arm; held while event handlers run
 * @ci: consumer index
 * @arm: arm word that the driver has written last; only with shadow doorbells
 * @rest: handles the events that remain after XRDMA_EQ_BUDGET events
 */
struct xrdma_eq {
	struct xrdma_dev *xdev;
	u32 eqn;
	int irq;
	char name[XRDMA_EQ_NAME_LEN];
	struct xrdma_buf *buf;
	struct xrdma_cq_rec *rec;
	spinlock_t lock; /* ci, arm */
	u32 ci;
	u32 arm;
	struct work_struct rest;
};

/**
 * struct xrdma_eqs - the event queues of a device
 * @num: number of entries in @eq
 * @page_faults: the last queue has page faults, and no completion events
 * @eq: the queues; the index is the number of the queue
 */
struct xrdma_eqs {
	u32 num;
	bool page_faults;
	struct xrdma_eq eq[] __counted_by(num);
};

/* The entry at the consumer index */
static struct xrdma_eqe *xrdma_eq_entry(const struct xrdma_eq *eq)
{
	return xrdma_buf_at(eq->buf, sizeof(struct xrdma_eqe) *
			    xrdma_ring_slot(eq->ci, XRDMA_EQ_LOG_DEPTH));
}

static bool xrdma_eq_pending(const struct xrdma_eq *eq)
{
	return xrdma_ring_valid(le32_to_cpu(READ_ONCE(xrdma_eq_entry(eq)->own)),
				eq->ci, XRDMA_EQ_LOG_DEPTH);
}

static void xrdma_eq_handle(struct xrdma_eq *eq, const struct xrdma_eqe *eqe)
{
	const struct xrdma_event_ops *ops = eq->xdev->event_ops;

	if (eqe->event == XRDMA_EVENT_CQ_COMP)
		ops->comp(eq->xdev, le32_to_cpu(eqe->number));
	else
		ops->async(eq->xdev, eqe);
}

static u32 xrdma_eq_consume(struct xrdma_eq *eq, u32 budget)
{
	u32 done = 0;

	lockdep_assert_held(&eq->lock);

	while (done < budget && xrdma_eq_pending(eq)) {
		struct xrdma_eqe eqe;

		/*
		 * orders the read of own before the reads of the other fields
		 */
		dma_rmb();
		xrdma_read_entry(&eqe, xrdma_eq_entry(eq), sizeof(eqe));
		xrdma_eq_handle(eq, &eqe);
		eq->ci++;
		done++;
	}
	if (!done)
		return 0;
	/* orders the reads of the entries before the write of the index */
	dma_mb();
	WRITE_ONCE(eq->rec->ci, cpu_to_le32(eq->ci));
	return done;
}

static void xrdma_eq_arm_record(struct xrdma_eq *eq)
{
	eq->arm = xrdma_arm_next(eq->arm, XRDMA_ARM_NEXT);
	/*
	 * Orders the write of rec->ci before that of rec->arm: when the device
	 * sees the arm word, the ring has room for the next event.
	 */
	dma_wmb();
	WRITE_ONCE(eq->rec->arm, cpu_to_le32(eq->arm));
	/*
	 * Orders the write of rec->arm before the read of the next entry: an
	 * entry that the device writes before it sees the arm word is found by
	 * xrdma_eq_pending().
	 */
	mb();
}

/*
 * Without shadow doorbells the device raises the interrupt at once if it has
 * written the entry at ci before the doorbell arrived.
 */
static void xrdma_eq_arm(struct xrdma_eq *eq)
{
	lockdep_assert_held(&eq->lock);

	if (xrdma_shadow_db(eq->xdev))
		xrdma_eq_arm_record(eq);
	else if (!xrdma_dead(eq->xdev))
		xrdma_write_doorbell(eq->xdev, XRDMA_DB_EQ,
				     xrdma_make_arm_db(eq->eqn, XRDMA_ARM_NEXT,
						       eq->ci));
}

/*
 * Handle the events in the ring and arm the queue. After XRDMA_EQ_BUDGET events
 * a work item in a soft interrupt handles the rest, so that interrupts are on
 * in between. If a peer provokes events faster than the driver handles them,
 * the kernel runs soft interrupts in ksoftirqd, which the scheduler can
 * preempt.
 */
static void xrdma_eq_process(struct xrdma_eq *eq)
{
	u32 budget = XRDMA_EQ_BUDGET;
	unsigned long flags;

	spin_lock_irqsave(&eq->lock, flags);
	do {
		budget -= xrdma_eq_consume(eq, budget);
		if (!budget) {
			queue_work(system_bh_wq, &eq->rest);
			break;
		}
		xrdma_eq_arm(eq);
	} while (xrdma_eq_pending(eq));
	spin_unlock_irqrestore(&eq->lock, flags);
}

static void xrdma_eq_handle_rest(struct work_struct *work)
{
	xrdma_eq_process(container_of(work, struct xrdma_eq, rest));
}

static irqreturn_t xrdma_eq_interrupt(int irq, void *arg)
{
	struct xrdma_eq *eq = arg;

	if (eq->eqn == 0)
		xrdma_cmdq_poll(eq->xdev);
	xrdma_eq_process(eq);
	return IRQ_HANDLED;
}

static int xrdma_eq_init(struct xrdma_dev *xdev, struct xrdma_eq *eq, u32 eqn)
{
	u64 rec = xrdma_cq_rec_offset(XRDMA_EQ_LOG_DEPTH);

	eq->xdev = xdev;
	eq->eqn = eqn;
	spin_lock_init(&eq->lock);
	INIT_WORK(&eq->rest, xrdma_eq_handle_rest);
	eq->buf = xrdma_buf_alloc(xdev, rec + sizeof(*eq->rec));
	if (!eq->buf)
		return -ENOMEM;
	eq->rec = xrdma_buf_at(eq->buf, rec);
	return 0;
}

static bool xrdma_eq_has_comp(struct xrdma_dev *xdev, u32 eqn)
{
	return eqn && eqn != xrdma_page_fault_eqn(xdev);
}

static void xrdma_eq_set_name(struct xrdma_dev *xdev, struct xrdma_eq *eq)
{
	const char *pci = pci_name(xdev->pdev);

	if (xrdma_eq_has_comp(xdev, eq->eqn))
		snprintf(eq->name, sizeof(eq->name), "xrdma-comp%u@%s",
			 eq->eqn - 1, pci);
	else
		snprintf(eq->name, sizeof(eq->name), "xrdma-%s@%s",
			 eq->eqn ? "fault" : "async", pci);
}

static int xrdma_eq_request_irq(struct xrdma_dev *xdev, struct xrdma_eq *eq)
{
	int irq = pci_irq_vector(xdev->pdev, eq->eqn);
	int err;

	if (irq < 0)
		return irq;
	xrdma_eq_set_name(xdev, eq);
	err = request_irq(irq, xrdma_eq_interrupt, 0, eq->name, eq);
	if (err)
		return err;
	eq->irq = irq;
	if (xrdma_eq_has_comp(xdev, eq->eqn)) {
		int node = dev_to_node(xrdma_to_dev(xdev));
		int cpu = cpumask_local_spread(eq->eqn - 1, node);

		irq_set_affinity_and_hint(irq, cpumask_of(cpu));
	}
	return 0;
}

static int xrdma_eq_create(struct xrdma_dev *xdev, u32 eqn)
{
	struct xrdma_eq *eq = &xdev->eqs->eq[eqn];
	int err;

	err = xrdma_eq_init(xdev, eq, eqn);
	if (err)
		return err;
	err = xrdma_eq_request_irq(xdev, eq);
	if (err)
		return err;
	if (eqn == 0)
		WRITE_ONCE(xdev->reply_irq, true);
	err = xrdma_cmd_create_eq(xdev, eqn, eqn, XRDMA_EQ_LOG_DEPTH,
				  eq->buf->mtt.root);
	if (!err)
		xrdma_eq_process(eq);
	return err;
}

/*
 * Does the driver use on-demand paging? An entry of the tables of paged regions
 * maps 4 KiB, so pages of the kernel must have this size.
 */
static bool xrdma_eqs_want_page_faults(const struct xrdma_dev *xdev)
{
	return IS_ENABLED(CONFIG_INFINIBAND_ON_DEMAND_PAGING) &&
	       xdev->caps.flags & XRDMA_CAP_ODP &&
	       IS_ALIGNED(XRDMA_PAGE_SIZE, PAGE_SIZE);
}

/**
 * xrdma_eqs_create() - allocate MSI-X vectors, and an event queue for each one
 * @xdev: the device, enabled, with known capabilities
 *
 * Queue 0 is for asynchronous events. One queue for each online CPU follows, as
 * far as device and system have vectors, and then one for page faults if the
 * device has on-demand paging. When queue 0 has its interrupt,
 * command replies are announced by it. A failure is logged; the caller then
 * calls xrdma_eqs_stop() and xrdma_eqs_destroy().
 *
 * Context: may sleep.
 * Return: 0, -ENOSPC: too few vectors; -ENOMEM; or an errno of a command.
 */
int xrdma_eqs_create(struct xrdma_dev *xdev)
{
	bool odp = xrdma_eqs_want_page_faults(xdev);
	u32 max = min3(num_online_cpus() + 1 + odp, xdev->caps.max_eq,
		       (u32)XRDMA_MSIX_VECTORS);
	int num, err = 0;
	u32 eqn;

	num = pci_alloc_irq_vectors(xdev->pdev, 2, max_t(u32, max, 2),
				    PCI_IRQ_MSIX);
	if (num < 0)
		return dev_err_probe(xrdma_to_dev(xdev), num,
				     "cannot get 2 to %u MSI-X vectors\n",
				     max_t(u32, max, 2));
	xdev->eqs = kvzalloc_flex(*xdev->eqs, eq, num);
	if (!xdev->eqs) {
		pci_free_irq_vectors(xdev->pdev);
		return -ENOMEM;
	}
	xdev->eqs->num = num;
	xdev->eqs->page_faults = odp && num > 2;
	for (eqn = 0; !err && eqn < num; eqn++) {
		err = xrdma_eq_create(xdev, eqn);
		if (err)
			dev_err_probe(xrdma_to_dev(xdev), err,
				      "cannot set up event queue %u of %d\n",
				      eqn, num);
	}
	return err;
}

static void xrdma_eq_stop(struct xrdma_eq *eq)
{
	if (!eq->irq)
		return;
	irq_update_affinity_hint(eq->irq, NULL);
	free_irq(eq->irq, eq);
	eq->irq = 0;
	cancel_work_sync(&eq->rest);
}

/**
 * xrdma_eqs_stop() - stop the handling of events, and free the vectors
 * @xdev: the device; nothing happens if it has no event queues
 *
 * When this function returns, no event handler runs and none will start.
 *
 * Context: may sleep.
 */
void xrdma_eqs_stop(struct xrdma_dev *xdev)
{
	u32 eqn;

	if (!xdev->eqs)
		return;
	WRITE_ONCE(xdev->reply_irq, false);
	for (eqn = 0; eqn < xdev->eqs->num; eqn++)
		xrdma_eq_stop(&xdev->eqs->eq[eqn]);
	pci_free_irq_vectors(xdev->pdev);
}

/**
 * xrdma_eqs_destroy() - free the memory of the event queues
 * @xdev: the device, after xrdma_eqs_stop(), which no longer writes to host
 *	memory; nothing happens if it has no event queues
 *
 * Context: may sleep.
 */
void xrdma_eqs_destroy(struct xrdma_dev *xdev)
{
	u32 eqn;

	if (!xdev->eqs)
		return;
	for (eqn = 0; eqn < xdev->eqs->num; eqn++)
		xrdma_buf_free(xdev, xdev->eqs->eq[eqn].buf);
	kvfree(xdev->eqs);
	xdev->eqs = NULL;
}

/**
 * xrdma_eqs_sync() - wait until the event handlers that run now have ended
 * @xdev: the device, with event queues
 *
 * The caller has removed an object from the array in which handlers look up
 * numbers. Handlers that start later do not find the object. The function waits
 * for all event queues, since a faulty device may name an object in any of
 * them.
 *
 * Context: not from a handler of an event; interrupts are on.
 */
void xrdma_eqs_sync(struct xrdma_dev *xdev)
{
	u32 eqn;

	for (eqn = 0; eqn < xdev->eqs->num; eqn++) {
		struct xrdma_eq *eq = &xdev->eqs->eq[eqn];

		spin_lock_irq(&eq->lock);
		spin_unlock_irq(&eq->lock);
	}
}

/**
 * xrdma_num_comp_vectors() - number of event queues for completion events
 * @xdev: the device
 *
 * Return: 1 or more.
 */
u32 xrdma_num_comp_vectors(const struct xrdma_dev *xdev)
{
	return xdev->eqs->num - 1 - xdev->eqs->page_faults;
}

/**
 * xrdma_page_fault_eqn() - event queue of page faults
 * @xdev: the device
 *
 * Return: number of the event queue; 0: there is none.
 */
u32 xrdma_page_fault_eqn(const struct xrdma_dev *xdev)
{
	return xdev->eqs->page_faults ? xdev->eqs->num - 1 : 0;
}

/**
 * xrdma_comp_eqn() - event queue of a completion vector
 * @xdev: the device
 * @comp_vector: completion vector of verbs, from 0, modulo the number of
 *	vectors
 *
 * Return: number of the event queue, 1 or more.
 */
u32 xrdma_comp_eqn(const struct xrdma_dev *xdev, u32 comp_vector)
{
	return 1 + comp_vector % xrdma_num_comp_vectors(xdev);
}

/**
 * xrdma_comp_irq() - interrupt of a completion vector
 * @xdev: the device
 * @comp_vector: as in xrdma_comp_eqn()
 *
 * Return: Linux interrupt number.
 */
int xrdma_comp_irq(const struct xrdma_dev *xdev, u32 comp_vector)
{
	return xdev->eqs->eq[xrdma_comp_eqn(xdev, comp_vector)].irq;
}
