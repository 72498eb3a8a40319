/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A ring of work queue entries: of sends, of receives, of a shared receive
 * queue. Must not know whose it is.
 */
#ifndef MODEL_WQ_H
#define MODEL_WQ_H

#include <linux/types.h>

#include "core/xlat.h"

/**
 * struct model_wq - work queue
 * @ring: its entries
 * @pi: entries posted, as last seen and found plausible
 * @ci: entries completed; of a shared receive queue: taken
 * @log_depth: log2 of the entries
 * @log_stride: log2 of the bytes of an entry; 0: there is no such queue
 */
struct model_wq {
	struct model_mem ring;
	u32 pi;
	u32 ci;
	u8 log_depth;
	u8 log_stride;
};

#endif /* MODEL_WQ_H */
