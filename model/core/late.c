// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Late completions; late.h describes them. cq.c frees those of a CQ that is
 * destroyed.
 */
#include <stdlib.h>

#include "core/cq.h"
#include "core/device.h"
#include "core/late.h"
#include "core/srq.h"

static void due(void *opaque);

static void arm(struct model_cq *cq)
{
	struct model_late_cqe *first = TAILQ_FIRST(&cq->late);

	cq->late_timer.fn = due;
	cq->late_timer.opaque = cq;
	if (first && model_timer_arm(cq->dev->params.loop, &cq->late_timer,
				     first->due_ns))
		model_device_fatal(cq->dev, XRDMA_FATAL_INTERNAL);
}

static void take_out(struct model_cq *cq, struct model_late_cqe *at)
{
	TAILQ_REMOVE(&cq->late, at, link);
	cq->num_late--;
}

/* Write the completions that are due, and those that wait behind them. */
static void release(struct model_cq *cq, u64 now_ns)
{
	struct model_late_cqe *first;

	while ((first = TAILQ_FIRST(&cq->late)) && first->due_ns <= now_ns) {
		take_out(cq, first);
		model_cq_push(cq->dev, cq, &first->cqe);
		free(first);
	}
}

static void due(void *opaque)
{
	struct model_cq *cq = opaque;

	if (!model_device_live(cq->dev))
		return;
	release(cq, model_device_clock(cq->dev));
	arm(cq);
}

static void append(struct model_cq *cq, const struct xrdma_cqe *cqe,
		   u64 due_ns)
{
	struct model_late_cqe *new = malloc(sizeof(*new));

	if (!new) {
		model_device_fatal(cq->dev, XRDMA_FATAL_INTERNAL);
		return;
	}
	new->cqe = *cqe;
	new->due_ns = due_ns;
	TAILQ_INSERT_TAIL(&cq->late, new, link);
	if (!cq->num_late++)
		arm(cq);
}

/**
 * model_late_push() - write a completion, now or later
 * @dev: the device
 * @cq: the queue; if it has no room, it enters the error state, and all its
 *	queue pairs are in ERR on return
 * @cqe: the entry, without phase; timestamp 0: the time of the write
 * @delay_ns: delay in ns. A completion of the same CQ that is written later
 *	waits until then too, so that the order stays the same.
 *
 * As many completions as the CQ has entries can wait: the next one ends the
 * delay.
 */
void model_late_push(struct model_device *dev, struct model_cq *cq,
		     const struct xrdma_cqe *cqe, u64 delay_ns)
{
	if (cq->num_late >> cq->log_depth)
		release(cq, UINT64_MAX);
	if (delay_ns || cq->num_late)
		append(cq, cqe, model_device_clock(dev) + delay_ns);
	else
		model_cq_push(dev, cq, cqe);
}

static void forget(struct model_cq *cq, u32 qpn)
{
	struct model_late_cqe *at = cq ? TAILQ_FIRST(&cq->late) : NULL;
	struct model_late_cqe *next;

	for (; at; at = next) {
		next = TAILQ_NEXT(at, link);
		if (le32_to_cpu(at->cqe.qpn) != qpn)
			continue;
		take_out(cq, at);
		free(at);
	}
}

/**
 * model_late_forget() - drop the late completions of a queue pair
 * @qp: the queue pair, before RESET or its destruction: no completion of it
 *	may be written afterwards
 */
void model_late_forget(struct model_qp *qp)
{
	forget(qp->send_cq, qp->qpn);
	forget(qp->recv_cq, qp->qpn);
	if (qp->srq)
		forget(qp->srq->cq, qp->qpn);
}
