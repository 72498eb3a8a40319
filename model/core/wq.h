/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A ring of work queue entries: of a send queue, a receive queue or a shared
 * receive queue. core/wq.c reads the rings of queue pairs, core/srq.c those of
 * shared receive queues.
 */
#ifndef MODEL_WQ_H
#define MODEL_WQ_H

#include <linux/types.h>

#include "core/xlat.h"

/**
 * struct model_wq - work queue
 * @ring: entries of the queue
 * @pi: producer index of the host, as last read and checked
 * @ci: number of entries completed (shared receive queue: taken), modulo 2^32
 * @place: send queue: place of the entry of index @ci in the ring, in units of
 *	XRDMA_SQ_UNIT bytes
 * @log_depth: log2 of the number of entries
 * @log_stride: other queues: log2 of the bytes of an entry; 0: the queue does not
 *	exist
 * @units: send queue: units of the longest entry; 0: the queue does not exist
 */
struct model_wq {
	struct model_mem ring;
	u32 pi;
	u32 ci;
	u32 place;
	u8 log_depth;
	u8 log_stride;
	u8 units;
};

#endif /* MODEL_WQ_H */
