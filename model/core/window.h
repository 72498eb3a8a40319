/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Work requests that change key entries: binding of windows, fast registration,
 * invalidation. xrdma_rules.h has the rules, core/key.c writes the entries.
 * Each refused request is reported by a fault record.
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
