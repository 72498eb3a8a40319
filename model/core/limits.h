/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The limits in QUERY_DEVICE that a parameter of the device changes. Those of numbers
 * of objects are constants of the files that have the objects.
 */
#ifndef MODEL_LIMITS_H
#define MODEL_LIMITS_H

#include <linux/types.h>

/**
 * struct model_limits - limits of queues, work requests and the port
 * @log_qp_wr: log2 of the largest depth of a send, receive or shared receive queue
 * @log_cqe: log2 of the largest depth of a completion queue
 * @sge: largest number of scatter-gather entries of a work request
 * @rd_atomic: largest number of READs and atomics in flight
 * @payload: largest Ethernet payload
 * @inlined: largest number of inline bytes of a work request
 */
struct model_limits {
	u8 log_qp_wr;
	u8 log_cqe;
	u8 sge;
	u8 rd_atomic;
	u16 payload;
	u16 inlined;
};

#endif /* MODEL_LIMITS_H */
