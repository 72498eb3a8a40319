/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Work requests that change key entries: binding of windows, fast
 * registration, invalidation. Decided by xrdma_rules.h, written by key.c; each
 * refusal leaves a fault record. Must not know packets nor queues.
 */
#ifndef MODEL_WINDOW_H
#define MODEL_WINDOW_H

#include <linux/types.h>
#include <stdbool.h>

#include "xrdma_hw.h"

struct model_qp;

enum xrdma_fault_reason model_bind_mw(struct model_qp *qp, u32 key,
				      const struct xrdma_bind_seg *seg);
enum xrdma_fault_reason model_reg_mr(struct model_qp *qp, u32 key,
				     const struct xrdma_reg_seg *seg);
enum xrdma_fault_reason model_inval_key(struct model_qp *qp, u32 key,
					bool remote);

#endif /* MODEL_WINDOW_H */
