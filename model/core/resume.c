// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The resume ring, in which the driver answers page faults: ENABLE_ODP, the
 * doorbell, and the reading of the answers. pager.c does what they say.
 */
#include <rdma/xrdma-ring.h>

#include "core/device.h"
#include "core/pager.h"

/* Largest number of answers that are read in one turn of the loop. */
#define BUDGET		256

static enum xrdma_cmd_status check(struct model_device *dev,
				   const struct xrdma_cmd_enable_odp *p)
{
	struct model_eq *eq = model_eq_get(dev, le32_to_cpu(p->eqn));

	if (dev->pager.eq)
		return XRDMA_CMD_BAD_STATE;
	if (!eq || !eq->eqn)
		return XRDMA_CMD_BAD_NUMBER;
	if (p->reserved[0] || p->reserved[1] || p->reserved[2] ||
	    le64_to_cpu(p->ring) & (XRDMA_PAGE_SIZE - 1) ||
	    p->log_entries <= MODEL_PAGE_FAULTS_LOG ||
	    p->log_entries < XRDMA_RESUME_LOG_MIN ||
	    p->log_entries > XRDMA_RESUME_LOG_MAX ||
	    p->log_entries > eq->log_depth)
		return XRDMA_CMD_BAD_PARAM;
	return eq->users ? XRDMA_CMD_BUSY : XRDMA_CMD_OK;
}

/**
 * model_resume_enable - ENABLE_ODP
 * @dev: the device
 * @p: body of the command
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_resume_enable(struct model_device *dev,
					  const struct xrdma_cmd_enable_odp *p)
{
	enum xrdma_cmd_status status = check(dev, p);
	struct model_pager *pager = &dev->pager;

	if (status)
		return status;
	model_mem_init(&pager->ring, 0, le64_to_cpu(p->ring),
		       sizeof(struct xrdma_resume) << p->log_entries,
		       MODEL_MEM_IDENTITY);
	pager->ring.use = MODEL_PCIE_COMMAND;
	if (model_mem_probe(dev, &pager->ring, false))
		return XRDMA_CMD_BAD_DMA;
	pager->log_entries = p->log_entries;
	pager->eq = model_eq_get(dev, le32_to_cpu(p->eqn));
	pager->eq->users++;
	return XRDMA_CMD_OK;
}

/**
 * model_resume_doorbell - handle a write of RESUME_DB
 * @dev: the device; ENABLE_ODP has succeeded
 * @pi: producer index of the host
 */
void model_resume_doorbell(struct model_device *dev, u32 pi)
{
	struct model_pager *pager = &dev->pager;
	u32 unread = xrdma_ring_used(pager->pi, pager->ci);

	if (!model_device_live(dev))
		return;
	if (xrdma_ring_used(pi, pager->pi) >
	    (1U << pager->log_entries) - unread) {
		model_dev_herr(dev, RESUME_INDEX, "producer %#x, was %#x, %#x read",
			       pi, pager->pi, pager->ci);
		return;
	}
	pager->pi = pi;
}

/* Read the next answer. Return: false if the ring is out of reach. */
static bool read_answer(struct model_device *dev, struct xrdma_resume *answer)
{
	struct model_pager *pager = &dev->pager;
	u64 slot = xrdma_ring_slot(pager->ci, pager->log_entries);

	if (!model_mem_read(dev, &pager->ring, slot * sizeof(*answer), answer,
			    sizeof(*answer)))
		return true;
	model_device_fatal(dev, XRDMA_FATAL_DMA);
	return false;
}

/**
 * model_resume_poll - read answers, and raise page faults that were delayed
 * @dev: the device
 *
 * Return: true if an answer was read.
 */
bool model_resume_poll(struct model_device *dev)
{
	struct model_pager *pager = &dev->pager;
	struct xrdma_resume answer;
	u32 n = 0;

	while (n < BUDGET && pager->ci != pager->pi &&
	       read_answer(dev, &answer)) {
		pager->ci++;
		n++;
		if (pager->switches.answers_lost)
			pager->switches.answers_lost--;
		else
			model_pager_answer(dev, le32_to_cpu(answer.token),
					   le32_to_cpu(answer.outcome));
	}
	model_pager_serve(dev);
	return n;
}
