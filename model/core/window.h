/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Work requests that change key entries: binding of windows, fast
 * registration, invalidation. Decided by xrdma_rules.h, written by key.c; each
 * refusal leaves a fault record. Must not know packets nor queues.
 */
#ifndef XRDMA_MODEL_WINDOW_H
#define XRDMA_MODEL_WINDOW_H

#include <linux/types.h>
#include <stdbool.h>

#include "xrdma_hw.h"

struct xrdma_qp;

enum xrdma_fault_reason xrdma_bind_mw(struct xrdma_qp *qp, u32 key,
				      const struct xrdma_bind_seg *seg);
enum xrdma_fault_reason xrdma_reg_mr(struct xrdma_qp *qp, u32 key,
				     const struct xrdma_reg_seg *seg);
enum xrdma_fault_reason xrdma_inval_key(struct xrdma_qp *qp, u32 key,
					bool remote);

#endif /* XRDMA_MODEL_WINDOW_H */
