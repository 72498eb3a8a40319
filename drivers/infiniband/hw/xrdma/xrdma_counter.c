// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA counter sets: allocates sets, binds queue pairs to them and reads them.
 * A set counts the events of its queue pairs, which the port counts too.
 * ib_core chooses the queue pairs, and adds the values of all sets, also of
 * those that have ended, to the values that xrdma_port_stats.c reports. The
 * names of counters are in xrdma_stats.c.
 */

#include <linux/bitmap.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include "xrdma_cmd.h"
#include "xrdma_counter.h"
#include "xrdma_ibdev.h"
#include "xrdma_stats.h"

/**
 * struct xrdma_counters - the counter sets of a device
 * @lock: protects @used and @past
 * @used: bitmap of the sets that are in use; set 0 is the port
 * @past: sums of the values of sets that have ended
 */
struct xrdma_counters {
	struct mutex lock; /* used, past */
	unsigned long *used;
	u64 past[XRDMA_NUM_STATS];
};

/**
 * xrdma_counters_create() - allocate the table of counter sets
 * @xib: the device, whose capabilities are known
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int xrdma_counters_create(struct xrdma_ibdev *xib)
{
	struct xrdma_counters *counters;

	if (!(xib->hw.caps.flags & XRDMA_CAP_COUNTERS))
		return 0;
	counters = kzalloc_obj(*counters);
	if (!counters)
		return -ENOMEM;
	counters->used = bitmap_zalloc(xib->hw.caps.max_counters, GFP_KERNEL);
	if (!counters->used) {
		kfree(counters);
		return -ENOMEM;
	}
	__set_bit(0, counters->used);
	mutex_init(&counters->lock);
	xib->counters = counters;
	return 0;
}

/**
 * xrdma_counters_destroy() - free the table of counter sets
 * @xib: the device; nothing happens if it has no table
 *
 * Context: may sleep.
 */
void xrdma_counters_destroy(struct xrdma_ibdev *xib)
{
	struct xrdma_counters *counters = xib->counters;

	if (!counters)
		return;
	mutex_destroy(&counters->lock);
	bitmap_free(counters->used);
	kfree(counters);
	xib->counters = NULL;
}

static int xrdma_counters_add(struct xrdma_ibdev *xib, u32 set, u64 *values)
{
	u64 own[XRDMA_NUM_STATS];
	int err, i;

	err = xrdma_cmd_query_stats(&xib->hw, set, own);
	for (i = 0; !err && i < XRDMA_NUM_STATS; i++)
		values[i] += own[i];
	return err;
}

/**
 * xrdma_counters_sum() - add up all sets, also those that have ended
 * @xib: the device
 * @values: XRDMA_NUM_STATS values, to which the function adds
 *
 * Context: may sleep.
 * Return: 0, or an error of a command.
 */
int xrdma_counters_sum(struct xrdma_ibdev *xib, u64 *values)
{
	struct xrdma_counters *counters = xib->counters;
	u32 set, end = xib->hw.caps.max_counters;
	int err = 0, i;

	if (!counters)
		return 0;
	mutex_lock(&counters->lock);
	for (i = 0; i < XRDMA_NUM_STATS; i++)
		values[i] += counters->past[i];
	for (set = find_next_bit(counters->used, end, 1); !err && set < end;
	     set = find_next_bit(counters->used, end, set + 1))
		err = xrdma_counters_add(xib, set, values);
	mutex_unlock(&counters->lock);
	return err;
}

static u32 xrdma_counter_reserve(struct xrdma_ibdev *xib)
{
	struct xrdma_counters *counters = xib->counters;
	u32 end = xib->hw.caps.max_counters;
	u32 set;

	mutex_lock(&counters->lock);
	set = find_first_zero_bit(counters->used, end);
	if (set < end)
		__set_bit(set, counters->used);
	mutex_unlock(&counters->lock);
	return set < end ? set : 0;
}

static void xrdma_counter_release(struct xrdma_ibdev *xib, u32 set)
{
	mutex_lock(&xib->counters->lock);
	__clear_bit(set, xib->counters->used);
	mutex_unlock(&xib->counters->lock);
}

/* ---- verbs ----------------------------------------------------------------- */

/**
 * xrdma_counter_alloc_stats() - ib_device_ops.counter_alloc_stats
 * @counter: a counter
 *
 * A counter has the same descriptors as the port, since ib_core adds counters
 * of equal index. The device does not count refused accesses per set: these
 * stay 0.
 *
 * Context: may sleep.
 * Return: counters that ib_core frees, with an expired timestamp, or NULL.
 */
struct rdma_hw_stats *xrdma_counter_alloc_stats(struct rdma_counter *counter)
{
	struct rdma_hw_stats *stats;

	stats = rdma_alloc_hw_stats_struct(xrdma_stat_descs, XRDMA_NUM_DESCS,
					   RDMA_HW_STATS_DEFAULT_LIFESPAN);
	if (stats)
		stats->timestamp = jiffies - stats->lifespan - 1;
	return stats;
}

/**
 * xrdma_counter_init() - ib_device_ops.counter_init
 * @counter: zeroed
 *
 * Does nothing, but ib_core calls the operation without a check.
 *
 * Context: any.
 */
void xrdma_counter_init(struct rdma_counter *counter)
{
}

/**
 * xrdma_counter_bind_qp() - ib_device_ops.counter_bind_qp
 * @counter: counter; if its id is 0, it gets a new set, whose values are 0
 * @ibqp: queue pair without a counter
 * @port: not used: always 1
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP for a queue pair with an indirection table, -ENOSPC
 * when all sets are in use, or an error of the command.
 */
int xrdma_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp,
			  u32 port)
{
	struct xrdma_ibdev *xib = to_xibdev(ibqp->device);
	u32 set = counter->id;
	int err;

	if (ibqp->rwq_ind_tbl)
		return -EOPNOTSUPP;
	if (!set)
		set = xrdma_counter_reserve(xib);
	if (!set)
		return -ENOSPC;

	err = xrdma_cmd_bind_counter(&xib->hw, ibqp->qp_num, set);
	if (err) {
		if (!counter->id)
			xrdma_counter_release(xib, set);
		return err;
	}
	counter->id = set;
	ibqp->counter = counter;
	return 0;
}

/**
 * xrdma_counter_unbind_qp() - ib_device_ops.counter_unbind_qp
 * @ibqp: queue pair with a counter
 * @port: not used: always 1
 *
 * The set keeps its values until a queue pair is bound to it again: ib_core
 * reads the values after the last queue pair has been unbound.
 *
 * Context: may sleep.
 * Return: 0, also if the device is dead, or an error of the command.
 */
int xrdma_counter_unbind_qp(struct ib_qp *ibqp, u32 port)
{
	struct xrdma_ibdev *xib = to_xibdev(ibqp->device);
	int err;

	err = xrdma_cmd_bind_counter(&xib->hw, ibqp->qp_num, 0);
	if (err && !xrdma_dead(&xib->hw))
		return err;
	ibqp->counter = NULL;
	return 0;
}

/**
 * xrdma_counter_dealloc() - ib_device_ops.counter_dealloc
 * @counter: counter without queue pairs, which ib_core has read for the last
 *	time
 *
 * Context: may sleep.
 * Return: 0.
 */
int xrdma_counter_dealloc(struct rdma_counter *counter)
{
	struct xrdma_ibdev *xib = to_xibdev(counter->device);
	struct xrdma_counters *counters = xib->counters;
	int i;

	mutex_lock(&counters->lock);
	for (i = 0; i < XRDMA_NUM_STATS; i++)
		counters->past[i] += counter->stats->value[i];
	__clear_bit(counter->id, counters->used);
	mutex_unlock(&counters->lock);
	return 0;
}

/**
 * xrdma_counter_update_stats() - ib_device_ops.counter_update_stats
 * @counter: a counter that has a set
 *
 * For the statistics of a port ib_core calls this function once for each value
 * of each set. So the values are read again only when their lifespan is over.
 *
 * Context: may sleep; ib_core holds the lock of @counter.
 * Return: 0, or an error of the command.
 */
int xrdma_counter_update_stats(struct rdma_counter *counter)
{
	struct rdma_hw_stats *stats = counter->stats;
	int err;

	if (time_is_after_eq_jiffies(stats->timestamp + stats->lifespan))
		return 0;
	err = xrdma_cmd_query_stats(&to_xibdev(counter->device)->hw,
				    counter->id, stats->value);
	if (!err)
		stats->timestamp = jiffies;
	return err;
}

/* Operations of devices with XRDMA_CAP_COUNTERS */
const struct ib_device_ops xrdma_counter_ops = {
	.counter_alloc_stats = xrdma_counter_alloc_stats,
	.counter_bind_qp = xrdma_counter_bind_qp,
	.counter_dealloc = xrdma_counter_dealloc,
	.counter_init = xrdma_counter_init,
	.counter_unbind_qp = xrdma_counter_unbind_qp,
	.counter_update_stats = xrdma_counter_update_stats,
	.size_rdma_counter = sizeof(struct rdma_counter),
};
