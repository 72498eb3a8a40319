/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Late completions: completions that a fault of inject.h delays, and those that
 * wait behind them for the same CQ. completion.c passes each completion here;
 * cq.c writes it.
 */
#ifndef MODEL_LATE_H
#define MODEL_LATE_H

#include <linux/types.h>

#include "xrdma_hw.h"

struct model_cq;
struct model_device;
struct model_qp;

void model_late_push(struct model_device *dev, struct model_cq *cq,
		     const struct xrdma_cqe *cqe, u64 delay_ns);
void model_late_forget(struct model_qp *qp);

#endif /* MODEL_LATE_H */
