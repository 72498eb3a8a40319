// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA resume ring: writes answers to page faults, and tells the device. Page
 * faults are handled in xrdma_odp_fault.c; the event queue that reports them is
 * created in xrdma_eq.c.
 *
 * The ring needs no consumer index. It has more entries than the device may have
 * page faults without an answer, and the device reads an answer before it
 * reports as many others.
 */

#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/slab.h>
#include <rdma/xrdma-ring.h>
#include "xrdma_cmd.h"
#include "xrdma_dev.h"
#include "xrdma_encode.h"
#include "xrdma_eq.h"
#include "xrdma_regs.h"
#include "xrdma_resume.h"

#define XRDMA_RESUME_LOG	9
#define XRDMA_RESUME_SIZE	(sizeof(struct xrdma_resume) << XRDMA_RESUME_LOG)

static_assert(XRDMA_RESUME_LOG >= XRDMA_RESUME_LOG_MIN);
static_assert(XRDMA_RESUME_SIZE % XRDMA_PAGE_SIZE == 0);

/**
 * struct xrdma_resume_ring - answers to page faults
 * @lock: protects @pi and the entries; innermost
 * @pi: number of answers written, modulo 2^32
 * @entries: the ring
 * @dma: bus address of @entries
 */
struct xrdma_resume_ring {
	spinlock_t lock; /* pi, entries */
	u32 pi;
	struct xrdma_resume *entries;
	dma_addr_t dma;
};

/**
 * xrdma_resume_answer() - answer a page fault
 * @xdev: the device, after xrdma_resume_create()
 * @token: token of the page fault
 * @outcome: enum xrdma_resume_outcome
 *
 * Context: any.
 */
void xrdma_resume_answer(struct xrdma_dev *xdev, u32 token, u32 outcome)
{
	struct xrdma_resume_ring *ring = xdev->resume;
	unsigned long flags;

	spin_lock_irqsave(&ring->lock, flags);
	ring->entries[xrdma_ring_slot(ring->pi, XRDMA_RESUME_LOG)] =
		xrdma_make_resume(token, outcome);
	ring->pi++;
	/*
	 * A dead device may be in reset. writel() orders the entry, and the
	 * entries of tables, before it.
	 */
	if (!xrdma_dead(xdev))
		writel(ring->pi, xdev->regs + XRDMA_REG_RESUME_DB);
	spin_unlock_irqrestore(&ring->lock, flags);
}

/**
 * xrdma_resume_create() - allocate the ring, and enable on-demand paging
 * @xdev: the device, with event queues. If it has no queue for page faults,
 *	nothing happens, and xrdma_dev.resume stays NULL
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno of the command.
 */
int xrdma_resume_create(struct xrdma_dev *xdev)
{
	u32 eqn = xrdma_page_fault_eqn(xdev);
	struct xrdma_resume_ring *ring;

	if (!eqn || xdev->caps.log_page_faults >= XRDMA_RESUME_LOG)
		return 0;
	ring = kzalloc_obj(*ring);
	if (!ring)
		return -ENOMEM;
	spin_lock_init(&ring->lock);
	ring->entries = dma_alloc_coherent(xrdma_to_dev(xdev),
					   XRDMA_RESUME_SIZE, &ring->dma,
					   GFP_KERNEL);
	if (!ring->entries) {
		kfree(ring);
		return -ENOMEM;
	}
	xdev->resume = ring;
	return xrdma_cmd_enable_odp(xdev, ring->dma, XRDMA_RESUME_LOG, eqn);
}

/**
 * xrdma_resume_destroy() - free the ring
 * @xdev: the device, which is quiet; nothing happens if it has no ring
 *
 * Context: may sleep.
 */
void xrdma_resume_destroy(struct xrdma_dev *xdev)
{
	struct xrdma_resume_ring *ring = xdev->resume;

	if (!ring)
		return;
	dma_free_coherent(xrdma_to_dev(xdev), XRDMA_RESUME_SIZE, ring->entries,
			  ring->dma);
	kfree(ring);
	xdev->resume = NULL;
}
