// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA counters of the port: the array of their names, and a function that
 * reads all values. The counters of the device come first, then refused
 * accesses by reason. XRDMA_STATS (xrdma_hw.h) and XRDMA_FAULTS (xrdma_fault.h)
 * define the counters and their order. The operations that report them are in
 * xrdma_port_stats.c, xrdma_counter.c and xrdma_ethtool.c.
 */

#include "xrdma_cmd.h"
#include "xrdma_fault.h"
#include "xrdma_ibdev.h"
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
 * xrdma_read_stats() - read the counters of the port
 * @xib: the device
 * @values: gets XRDMA_NUM_DESCS values in the order of xrdma_stat_descs;
 *	unchanged on error
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
