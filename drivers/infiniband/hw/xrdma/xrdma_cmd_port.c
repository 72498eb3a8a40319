// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA commands about the port: state, GID table, counters, congestion
 * control, and the steering of received frames to queue pairs. One typed
 * function for each opcode. Commands about the device and its objects are in
 * xrdma_cmd.c, execution of commands is in xrdma_cmd_exec.c.
 */

#include <linux/dma-mapping.h>
#include "xrdma_cmd.h"
#include "xrdma_dev.h"
#include "xrdma_encode.h"

/**
 * xrdma_cmd_query_port() - QUERY_PORT
 * @xdev: the device
 * @port: output: state of the port
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_query_port(struct xrdma_dev *xdev,
			 struct xrdma_rsp_query_port *port)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_QUERY_PORT);
	struct xrdma_rsp rsp;
	int err;

	err = xrdma_cmd_exec(xdev, &cmd, &rsp);
	if (!err)
		*port = rsp.query_port;
	return err;
}

/**
 * xrdma_cmd_modify_port() - MODIFY_PORT
 * @xdev: the device
 * @port: body of the command: the complete new state of the port
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_modify_port(struct xrdma_dev *xdev,
			  const struct xrdma_cmd_modify_port *port)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_MODIFY_PORT);

	cmd.modify_port = *port;
	return xrdma_cmd_exec_status(xdev, &cmd);
}

/**
 * xrdma_cmd_set_gid() - SET_GID: write or clear an entry of the GID table
 * @xdev: the device
 * @gid: body of the command: the new entry
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_set_gid(struct xrdma_dev *xdev,
		      const struct xrdma_cmd_set_gid *gid)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_SET_GID);

	cmd.set_gid = *gid;
	return xrdma_cmd_exec_status(xdev, &cmd);
}

/*
 * Free an array that a command has named. A dead device may still read the
 * array, so its DMA is ended first; if that fails, the memory is never freed.
 */
static void xrdma_cmd_free_array(struct xrdma_dev *xdev, size_t size,
				 void *array, dma_addr_t addr)
{
	if (!xrdma_dead(xdev) || xrdma_hw_silence(xdev))
		dma_free_coherent(xrdma_to_dev(xdev), size, array, addr);
}

#define XRDMA_STATS_SIZE	(XRDMA_NUM_STATS * sizeof(__le64))

/**
 * xrdma_cmd_stats_alloc() - allocate the array for QUERY_STATS
 * @xdev: the device
 *
 * The array is allocated here and not by xrdma_cmd_query_stats(), so that
 * reading counters cannot fail with -ENOMEM: ib_core leaks memory if the first
 * reading, in ib_register_device(), fails.
 * Source: setup_hw_port_stats() in drivers/infiniband/core/sysfs.c
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int xrdma_cmd_stats_alloc(struct xrdma_dev *xdev)
{
	mutex_init(&xdev->stats_lock);
	xdev->stats = dma_alloc_coherent(xrdma_to_dev(xdev), XRDMA_STATS_SIZE,
					 &xdev->stats_dma, GFP_KERNEL);
	return xdev->stats ? 0 : -ENOMEM;
}

/**
 * xrdma_cmd_stats_free() - free the array for QUERY_STATS
 * @xdev: the device, which is quiet. Without an array, the function does
 *	nothing
 *
 * Context: may sleep.
 */
void xrdma_cmd_stats_free(struct xrdma_dev *xdev)
{
	if (!xdev->stats)
		return;
	dma_free_coherent(xrdma_to_dev(xdev), XRDMA_STATS_SIZE, xdev->stats,
			  xdev->stats_dma);
	mutex_destroy(&xdev->stats_lock);
	xdev->stats = NULL;
}

/**
 * xrdma_cmd_query_stats() - QUERY_STATS
 * @xdev: the device
 * @counter: number of a counter set; 0 is the set of the port
 * @values: output: XRDMA_NUM_STATS counters, in the order of enum xrdma_stat
 *
 * Return: 0, or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_query_stats(struct xrdma_dev *xdev, u32 counter, u64 *values)
{
	struct xrdma_cmd cmd = xrdma_make_query_stats(xdev->stats_dma,
						      XRDMA_NUM_STATS);
	unsigned int i;
	int err;

	cmd.query_stats.counter = cpu_to_le32(counter);
	mutex_lock(&xdev->stats_lock);
	err = xrdma_cmd_exec_status(xdev, &cmd);
	for (i = 0; !err && i < XRDMA_NUM_STATS; i++)
		values[i] = le64_to_cpu(READ_ONCE(xdev->stats[i]));
	mutex_unlock(&xdev->stats_lock);
	return err;
}

/**
 * xrdma_cmd_bind_counter() - BIND_COUNTER
 * @xdev: the device
 * @qpn: number of the queue pair
 * @counter: number of the counter set; 0: no set
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_bind_counter(struct xrdma_dev *xdev, u32 qpn, u32 counter)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_BIND_COUNTER);

	cmd.bind_counter.qpn = cpu_to_le32(qpn);
	cmd.bind_counter.counter = cpu_to_le32(counter);
	return xrdma_cmd_exec_status(xdev, &cmd);
}

/**
 * xrdma_cmd_query_cc() - QUERY_CC
 * @xdev: the device
 * @cc: output: all parameters of congestion control
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_query_cc(struct xrdma_dev *xdev, struct xrdma_cc *cc)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_QUERY_CC);
	struct xrdma_rsp rsp;
	int err;

	err = xrdma_cmd_exec(xdev, &cmd, &rsp);
	if (!err)
		*cc = rsp.query_cc;
	return err;
}

/**
 * xrdma_cmd_modify_cc() - MODIFY_CC
 * @xdev: the device
 * @cc: new values of all parameters of congestion control
 *
 * Return: 0 or an errno of xrdma_cmd_exec(): -EINVAL for a parameter out of
 * range.
 */
int xrdma_cmd_modify_cc(struct xrdma_dev *xdev, const struct xrdma_cc *cc)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_MODIFY_CC);

	cmd.modify_cc = *cc;
	return xrdma_cmd_exec_status(xdev, &cmd);
}

/* Execute a command, with the bus address of a copy of @array in @field. */
static int xrdma_cmd_with_array(struct xrdma_dev *xdev, struct xrdma_cmd *cmd,
				__le64 *field, const void *array, size_t size)
{
	struct device *dev = xrdma_to_dev(xdev);
	dma_addr_t addr;
	void *copy;
	int err;

	copy = dma_alloc_coherent(dev, size, &addr, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, array, size);
	*field = cpu_to_le64(addr);
	err = xrdma_cmd_exec_status(xdev, cmd);
	xrdma_cmd_free_array(xdev, size, copy, addr);
	return err;
}

/**
 * xrdma_cmd_create_flow() - CREATE_FLOW
 * @xdev: the device
 * @flow: number of the new rule
 * @qpn: number of the raw packet queue pair or RSS object that gets the frames
 * @priority: of several rules that match, the one of the lowest priority
 *	applies
 * @flags: XRDMA_FLOW_*
 * @rule: fields that the rule compares, and their values
 *
 * Return: 0, -ENOMEM, or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_create_flow(struct xrdma_dev *xdev, u32 flow, u32 qpn,
			  u16 priority, u16 flags,
			  const struct xrdma_flow_rule *rule)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_CREATE_FLOW);

	cmd.create_flow.flow = cpu_to_le32(flow);
	cmd.create_flow.qpn = cpu_to_le32(qpn);
	cmd.create_flow.priority = cpu_to_le16(priority);
	cmd.create_flow.flags = cpu_to_le16(flags);
	return xrdma_cmd_with_array(xdev, &cmd, &cmd.create_flow.addr, rule,
				    sizeof(*rule));
}

/**
 * xrdma_cmd_destroy_flow() - DESTROY_FLOW
 * @xdev: the device
 * @flow: number of the rule
 *
 * Return: 0 or an errno of xrdma_cmd_exec_destroy().
 */
int xrdma_cmd_destroy_flow(struct xrdma_dev *xdev, u32 flow)
{
	struct xrdma_cmd cmd = xrdma_make_object_cmd(XRDMA_CMD_DESTROY_FLOW,
						     flow);

	return xrdma_cmd_exec_destroy(xdev, &cmd);
}

/**
 * xrdma_cmd_create_rss() - CREATE_RSS
 * @xdev: the device
 * @rss: body of the command; the field addr is ignored
 * @table: array of 1 << @rss->log_size numbers of raw packet queue pairs
 *
 * Return: 0, -ENOMEM, or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_create_rss(struct xrdma_dev *xdev,
			 const struct xrdma_cmd_create_rss *rss,
			 const __le32 *table)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_CREATE_RSS);

	cmd.create_rss = *rss;
	return xrdma_cmd_with_array(xdev, &cmd, &cmd.create_rss.addr, table,
				    sizeof(*table) << rss->log_size);
}

/**
 * xrdma_cmd_destroy_rss() - DESTROY_RSS
 * @xdev: the device
 * @qpn: number of the RSS object
 *
 * Return: 0 or an errno of xrdma_cmd_exec_destroy().
 */
int xrdma_cmd_destroy_rss(struct xrdma_dev *xdev, u32 qpn)
{
	struct xrdma_cmd cmd = xrdma_make_object_cmd(XRDMA_CMD_DESTROY_RSS, qpn);

	return xrdma_cmd_exec_destroy(xdev, &cmd);
}
