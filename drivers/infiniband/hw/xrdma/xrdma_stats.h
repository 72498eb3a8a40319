/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA counters of the port: xrdma_stats.c has names and values,
 * xrdma_port_stats.c the operations of ib_core that report them.
 */

#ifndef XRDMA_STATS_H
#define XRDMA_STATS_H

#include <rdma/ib_verbs.h>
#include "xrdma_fault.h"
#include "xrdma_hw.h"

struct xrdma_ibdev;

#define XRDMA_NUM_DESCS		(XRDMA_NUM_STATS + XRDMA_NUM_FAULTS)

/* xrdma_stats.c */
extern const struct rdma_stat_desc xrdma_stat_descs[XRDMA_NUM_DESCS];
int xrdma_read_stats(struct xrdma_ibdev *xib, u64 *values);

/* xrdma_port_stats.c */
struct rdma_hw_stats *xrdma_alloc_hw_port_stats(struct ib_device *ibdev,
						u32 port);
int xrdma_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		       u32 port, int index);

#endif /* XRDMA_STATS_H */
