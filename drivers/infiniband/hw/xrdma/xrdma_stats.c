// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA counters of the port, for "rdma statistic", sysfs and ethtool: those of
 * the device, then refused accesses by reason. Must not know what is counted:
 * names and order are those of XRDMA_STATS and XRDMA_FAULTS.
 */

#include "xrdma_stats.h"

#define XRDMA_STAT_DESC(symbol, text) \
	[XRDMA_STAT_##symbol] = { .name = text },
#define XRDMA_FAULT_DESC(symbol, text) \
	[XRDMA_NUM_STATS + XRDMA_FAULT_##symbol] = { .name = "fault_" text },

const struct rdma_stat_desc xrdma_stat_descs[XRDMA_NUM_DESCS] = {
	XRDMA_STATS(XRDMA_STAT_DESC)
	XRDMA_FAULTS(XRDMA_FAULT_DESC)
};

/**
 * xrdma_read_stats() - counters of the port
 * @xib: the device
 * @values: XRDMA_NUM_DESCS, in the order of xrdma_stat_descs; nothing is
 *	written on error
 *
 * Context: may sleep.
 * Return: 0, or an error of the command.
 */
int xrdma_read_stats(struct xrdma_ibdev *xib, u64 *values)
{
	u32 reason;
	int err;

	err = xrdma_cmd_query_stats(&xib->hw, 0, values);
	if (err)
		return err;
	for (reason = 0; reason < XRDMA_NUM_FAULTS; reason++)
		values[XRDMA_NUM_STATS + reason] =
			xrdma_fault_count(xib, reason);
	return 0;
}

/**
 * xrdma_alloc_hw_port_stats() - ib_device_ops.alloc_hw_port_stats
 * @ibdev: the device
 * @port: 1
 *
 * Return: counters that the core frees, or NULL.
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
 * @port: 1
 * @index: which counter is wanted; all are read
 *
 * What the core adds, having asked for it by itself, is left out: the counter
 * sets, those of the past too. They are read first, so that no difference is
 * below 0.
 *
 * Context: may sleep.
 * Return: number of counters filled in, or an error of a command.
 */
int xrdma_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		       u32 port, int index)
{
	struct xrdma_ibdev *xib = to_xibdev(ibdev);
	u64 elsewhere[XRDMA_NUM_STATS] = {};
	int err, i;

	err = xrdma_counters_sum(xib, elsewhere);
	if (!err)
		err = xrdma_read_stats(xib, stats->value);
	if (err)
		return err;
	for (i = 0; i < XRDMA_NUM_STATS; i++)
		stats->value[i] -= elsewhere[i];
	return XRDMA_NUM_DESCS;
}
