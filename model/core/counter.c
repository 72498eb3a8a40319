// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counter sets: BIND_COUNTER and QUERY_STATS. The functions that count are in
 * device.h.
 */
#include <string.h>

#include "core/counter.h"
#include "core/device.h"

/**
 * model_counter_unbind - unbind a queue pair from its counter set
 * @qp: the queue pair, bound or not
 *
 * The set keeps its values.
 */
void model_counter_unbind(struct model_qp *qp)
{
	if (qp->counters)
		qp->counters->users--;
	qp->counters = NULL;
}

/**
 * model_counter_bind - BIND_COUNTER
 * @dev: the device
 * @p: body of the command
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status
model_counter_bind(struct model_device *dev,
		   const struct xrdma_cmd_bind_counter *p)
{
	struct model_qp *qp = model_qp_get(dev, le32_to_cpu(p->qpn));
	u32 number = le32_to_cpu(p->counter);
	struct model_counter_set *set;

	if (!qp)
		return XRDMA_CMD_BAD_NUMBER;
	if (number >= MODEL_MAX_COUNTERS)
		return XRDMA_CMD_BAD_PARAM;
	set = number ? &dev->counters[number] : NULL;
	if (set == qp->counters)
		return XRDMA_CMD_OK;
	model_counter_unbind(qp);
	if (!set)
		return XRDMA_CMD_OK;
	if (!set->users++)
		memset(set->stats, 0, sizeof(set->stats));
	qp->counters = set;
	return XRDMA_CMD_OK;
}

/**
 * model_counter_query - QUERY_STATS
 * @dev: the device
 * @p: body of the command
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status
model_counter_query(struct model_device *dev,
		    const struct xrdma_cmd_query_stats *p)
{
	u32 number = le32_to_cpu(p->counter);
	u32 count = le32_to_cpu(p->count);
	u64 addr = le64_to_cpu(p->addr);
	size_t len = count * sizeof(__le64);
	__le64 values[XRDMA_NUM_STATS];
	const u64 *stats = dev->stats;
	u32 i;

	if (addr & 7 || !count || count > XRDMA_NUM_STATS ||
	    number >= MODEL_MAX_COUNTERS)
		return XRDMA_CMD_BAD_PARAM;
	if (number)
		stats = dev->counters[number].stats;
	for (i = 0; i < count; i++)
		values[i] = cpu_to_le64(stats[i]);
	model_chaos_stats(&dev->chaos, values, count);
	if (model_dma_write(dev->params.dma, addr, values, len)) {
		model_dma_failed(dev, addr, len, true);
		return XRDMA_CMD_BAD_DMA;
	}
	model_dev_pcie(dev, MODEL_PCIE_COMMAND, true, len);
	return XRDMA_CMD_OK;
}
