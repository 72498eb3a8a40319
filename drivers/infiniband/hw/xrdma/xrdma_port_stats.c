// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA statistics of the port for ib_core, which "rdma statistic" and sysfs
 * show: the counters of the port minus those of the counter sets, since ib_core
 * adds the counter sets again. Names and values of counters are in
 * xrdma_stats.c, counter sets in xrdma_counter.c.
 */

#include "xrdma_counter.h"
#include "xrdma_ibdev.h"
#include "xrdma_stats.h"

/**
 * xrdma_alloc_hw_port_stats() - ib_device_ops.alloc_hw_port_stats
 * @ibdev: the device
 * @port: not used: always 1
 *
 * Context: may sleep.
 * Return: counters that ib_core frees, or NULL.
 */
struct rdma_hw_stats *xrdma_alloc_hw_port_stats(struct ib_device *ibdev,
						u32 port)
{
	return rdma_alloc_hw_stats_struct(xrdma_stat_descs, XRDMA_NUM_DESCS,
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

/**
 * xrdma_get_hw_stats() - ib_device_ops.get_hw_stats
 * @ibdev: the device
 * @stats: of xrdma_alloc_hw_port_stats()
 * @port: not used: always 1
 * @index: not used: all counters are read
 *
 * Subtracts the values of all counter sets, also of those that have ended,
 * since ib_core adds these values. Reads the counter sets before the port, so
 * that no difference is negative.
 *
 * Context: may sleep.
 * Return: number of counters filled in, or an error of a command.
 */
int xrdma_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		       u32 port, int index)
{
	struct xrdma_ibdev *xib = to_xibdev(ibdev);
	u64 in_sets[XRDMA_NUM_STATS] = {};
	int err, i;

	err = xrdma_counters_sum(xib, in_sets);
	if (!err)
		err = xrdma_read_stats(xib, stats->value);
	if (err)
		return err;
	for (i = 0; i < XRDMA_NUM_STATS; i++)
		stats->value[i] -= in_sets[i];
	return XRDMA_NUM_DESCS;
}
