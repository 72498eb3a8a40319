// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA commands about the device and its objects: one typed function for each
 * opcode. Commands about the port are in xrdma_cmd_port.c. Execution of
 * commands and the handling of their failures are in xrdma_cmd_exec.c.
 */

#include <linux/if_ether.h>
#include "xrdma_cmd.h"
#include "xrdma_dev.h"
#include "xrdma_encode.h"

/* Largest values that the driver accepts of the limits in QUERY_DEVICE */
#define XRDMA_MAX_NUMBERS	BIT(24)
#define XRDMA_MAX_GIDS		256
#define XRDMA_MAX_COUNTER_SETS	65536
/* Smallest log2 of the number of keys that the driver accepts */
#define XRDMA_LOG_MIN_KEYS	10

/* Convert a limit to CPU order, and reduce it to @most. */
static u32 xrdma_cmd_limit(__le32 limit, u32 most)
{
	return min(le32_to_cpu(limit), most);
}

static void xrdma_cmd_read_caps(struct xrdma_caps *caps,
				const struct xrdma_rsp_query_device *rsp)
{
	caps->fw_version = le64_to_cpu(rsp->fw_version);
	memcpy(&caps->node_guid, rsp->node_guid, sizeof(caps->node_guid));
	caps->max_mr_size = le64_to_cpu(rsp->max_mr_size);
	caps->max_qp = xrdma_cmd_limit(rsp->max_qp, XRDMA_MAX_NUMBERS);
	caps->max_cq = xrdma_cmd_limit(rsp->max_cq, XRDMA_MAX_NUMBERS);
	caps->max_srq = xrdma_cmd_limit(rsp->max_srq, XRDMA_MAX_NUMBERS);
	caps->max_eq = le32_to_cpu(rsp->max_eq);
	caps->max_pd = xrdma_cmd_limit(rsp->max_pd, XRDMA_MAX_NUMBERS);
	caps->max_gid = xrdma_cmd_limit(rsp->max_gid, XRDMA_MAX_GIDS);
	caps->max_mcast = le32_to_cpu(rsp->max_mcast);
	caps->max_qp_wr = 1U << min_t(u8, rsp->log_max_qp_wr, 15);
	caps->max_cqe = 1U << min_t(u8, rsp->log_max_cqe, 22);
	caps->max_sge = rsp->max_sge;
	caps->max_rd_atomic = rsp->max_rd_atomic;
	caps->log_max_keys = min_t(u8, rsp->log_max_keys, XRDMA_LOG_MAX_KEYS);
	caps->max_mtu = le16_to_cpu(rsp->max_mtu);
	caps->max_inline = le16_to_cpu(rsp->max_inline);
	caps->device_memory = le64_to_cpu(rsp->device_memory);
	caps->max_counters = xrdma_cmd_limit(rsp->max_counters,
					     XRDMA_MAX_COUNTER_SETS);
	caps->max_flows = xrdma_cmd_limit(rsp->max_flows, XRDMA_MAX_NUMBERS);
	caps->max_rss = 1U << min_t(u8, rsp->log_max_rss, 16);
	caps->log_page_faults = min_t(u8, rsp->log_page_faults, 15);
}

/*
 * Are the limits large enough for the objects of the netdev and of the GSI? The
 * lowest one or two numbers of each kind of object are reserved.
 */
static bool xrdma_cmd_caps_suffice(const struct xrdma_caps *caps)
{
	return caps->max_qp > 3 && caps->max_cq > 4 && caps->max_pd > 3 &&
	       caps->max_gid && caps->max_sge &&
	       caps->max_mtu >= ETH_DATA_LEN &&
	       caps->log_max_keys >= XRDMA_LOG_MIN_KEYS &&
	       (caps->max_srq > 1 || !(caps->flags & XRDMA_CAP_SRQ)) &&
	       (caps->max_counters || !(caps->flags & XRDMA_CAP_COUNTERS)) &&
	       (caps->max_flows || !(caps->flags & XRDMA_CAP_FLOW));
}

/**
 * xrdma_cmd_query_device() - QUERY_DEVICE: fill in xrdma_dev.caps
 * @xdev: the device
 *
 * Return: 0, -EIO if the limits are too small for the driver, or an errno of
 * xrdma_cmd_exec().
 */
int xrdma_cmd_query_device(struct xrdma_dev *xdev)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_QUERY_DEVICE);
	struct xrdma_rsp rsp;
	int err;

	err = xrdma_cmd_exec(xdev, &cmd, &rsp);
	if (err)
		return err;
	xrdma_cmd_read_caps(&xdev->caps, &rsp.query_device);
	return xrdma_cmd_caps_suffice(&xdev->caps) ? 0 : -EIO;
}

/**
 * xrdma_cmd_create_eq() - CREATE_EQ
 * @xdev: the device
 * @eqn: number of the new event queue
 * @vector: MSI-X vector
 * @log_depth: log2 of the number of entries
 * @root: translation root of ring and record
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_create_eq(struct xrdma_dev *xdev, u32 eqn, u16 vector,
			u8 log_depth, u64 root)
{
	struct xrdma_cmd cmd = xrdma_make_create_eq(eqn, vector, log_depth,
						    root);

	return xrdma_cmd_exec_status(xdev, &cmd);
}

/**
 * xrdma_cmd_create_cq() - CREATE_CQ
 * @xdev: the device
 * @cqn: number of the new completion queue
 * @eqn: number of the event queue that gets its completion events
 * @db_page: number of the doorbell page that may arm the queue
 * @log_depth: log2 of the number of entries
 * @root: translation root of ring and record
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_create_cq(struct xrdma_dev *xdev, u32 cqn, u32 eqn, u32 db_page,
			u8 log_depth, u64 root)
{
	struct xrdma_cmd cmd = xrdma_make_create_cq(cqn, eqn, db_page,
						    log_depth, root);

	return xrdma_cmd_exec_status(xdev, &cmd);
}

/**
 * xrdma_cmd_destroy_cq() - DESTROY_CQ
 * @xdev: the device
 * @cqn: number of the completion queue
 *
 * Return: 0 if the device does not access the queue's memory any more, or an
 * errno of xrdma_cmd_exec_destroy().
 */
int xrdma_cmd_destroy_cq(struct xrdma_dev *xdev, u32 cqn)
{
	struct xrdma_cmd cmd = xrdma_make_object_cmd(XRDMA_CMD_DESTROY_CQ, cqn);

	return xrdma_cmd_exec_destroy(xdev, &cmd);
}

/**
 * xrdma_cmd_resize_cq() - RESIZE_CQ
 * @xdev: the device
 * @cqn: number of the completion queue
 * @log_depth: log2 of the number of entries of the new ring
 * @root: translation root of the new ring and its record
 * @index: output: index of the first entry that the device writes to the new
 *	ring
 *
 * Return: 0 if the device does not access the old memory any more; or an errno
 * of xrdma_cmd_exec(): the device does not access the new memory, unless the
 * device is dead.
 */
int xrdma_cmd_resize_cq(struct xrdma_dev *xdev, u32 cqn, u8 log_depth, u64 root,
			u32 *index)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_RESIZE_CQ);
	struct xrdma_rsp rsp;
	int err;

	cmd.create_cq.root = cpu_to_le64(root);
	cmd.create_cq.cqn = cpu_to_le32(cqn);
	cmd.create_cq.log_depth = log_depth;
	err = xrdma_cmd_exec(xdev, &cmd, &rsp);
	if (!err)
		*index = le32_to_cpu(rsp.resize_cq.index);
	return err;
}

/**
 * xrdma_cmd_modify_cq() - MODIFY_CQ: set the moderation of completion events
 * @xdev: the device
 * @cqn: number of the completion queue
 * @count: number of entries after which the device sends an event
 * @period: longest time from an entry to the event, in us; 0: no limit
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_modify_cq(struct xrdma_dev *xdev, u32 cqn, u16 count, u16 period)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_MODIFY_CQ);

	cmd.modify_cq.cqn = cpu_to_le32(cqn);
	cmd.modify_cq.count = cpu_to_le16(count);
	cmd.modify_cq.period = cpu_to_le16(period);
	return xrdma_cmd_exec_status(xdev, &cmd);
}

/**
 * xrdma_cmd_create_qp() - CREATE_QP
 * @xdev: the device
 * @qp: body of the command
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_create_qp(struct xrdma_dev *xdev,
			const struct xrdma_cmd_create_qp *qp)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_CREATE_QP);

	cmd.create_qp = *qp;
	return xrdma_cmd_exec_status(xdev, &cmd);
}

/**
 * xrdma_cmd_modify_qp() - MODIFY_QP
 * @xdev: the device
 * @qpn: number of the queue pair
 * @mask: XRDMA_QPM_*: which attributes change
 * @attr: new values of the attributes in @mask; all other fields are 0
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_modify_qp(struct xrdma_dev *xdev, u32 qpn, u32 mask,
			const struct xrdma_qp_attr *attr)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_MODIFY_QP);

	cmd.modify_qp.qpn = cpu_to_le32(qpn);
	cmd.modify_qp.mask = cpu_to_le32(mask);
	cmd.modify_qp.attr = *attr;
	return xrdma_cmd_exec_status(xdev, &cmd);
}

/**
 * xrdma_cmd_query_qp() - QUERY_QP
 * @xdev: the device
 * @qpn: number of the queue pair
 * @qp: output: attributes
 *
 * Return: 0, -EIO if the device reports an undefined state, or an errno of
 * xrdma_cmd_exec().
 */
int xrdma_cmd_query_qp(struct xrdma_dev *xdev, u32 qpn,
		       struct xrdma_rsp_query_qp *qp)
{
	struct xrdma_cmd cmd = xrdma_make_object_cmd(XRDMA_CMD_QUERY_QP, qpn);
	struct xrdma_rsp rsp;
	int err;

	err = xrdma_cmd_exec(xdev, &cmd, &rsp);
	if (err)
		return err;
	*qp = rsp.query_qp;
	return qp->attr.state <= XRDMA_QPS_ERR ? 0 : -EIO;
}

/**
 * xrdma_cmd_destroy_qp() - DESTROY_QP
 * @xdev: the device
 * @qpn: number of the queue pair
 * @used: true: windows of type 2A may be bound to the queue pair
 *
 * Return: 0 if the device does not access the queue pair's memory any more;
 * -EBUSY, only if @used: windows are bound, and nothing has changed; or an
 * errno of xrdma_cmd_exec_destroy().
 */
int xrdma_cmd_destroy_qp(struct xrdma_dev *xdev, u32 qpn, bool used)
{
	struct xrdma_cmd cmd = xrdma_make_object_cmd(XRDMA_CMD_DESTROY_QP, qpn);
	struct xrdma_rsp rsp = {};
	int err = xrdma_cmd_exec(xdev, &cmd, &rsp);

	if (err == -EBUSY && used && !xrdma_quiet(xdev))
		return err;
	return xrdma_cmd_destroy_outcome(xdev, &cmd, rsp.status, err);
}

/**
 * xrdma_cmd_create_srq() - CREATE_SRQ
 * @xdev: the device
 * @srq: body of the command
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_create_srq(struct xrdma_dev *xdev,
			 const struct xrdma_cmd_create_srq *srq)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_CREATE_SRQ);

	cmd.create_srq = *srq;
	return xrdma_cmd_exec_status(xdev, &cmd);
}

/**
 * xrdma_cmd_modify_srq() - MODIFY_SRQ
 * @xdev: the device
 * @srq: body of the command
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_modify_srq(struct xrdma_dev *xdev,
			 const struct xrdma_cmd_modify_srq *srq)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_MODIFY_SRQ);

	cmd.modify_srq = *srq;
	return xrdma_cmd_exec_status(xdev, &cmd);
}

/**
 * xrdma_cmd_query_srq() - QUERY_SRQ
 * @xdev: the device
 * @srqn: number of the shared receive queue
 * @srq: output: attributes
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_query_srq(struct xrdma_dev *xdev, u32 srqn,
			struct xrdma_rsp_query_srq *srq)
{
	struct xrdma_cmd cmd = xrdma_make_object_cmd(XRDMA_CMD_QUERY_SRQ, srqn);
	struct xrdma_rsp rsp;
	int err;

	err = xrdma_cmd_exec(xdev, &cmd, &rsp);
	if (!err)
		*srq = rsp.query_srq;
	return err;
}

/**
 * xrdma_cmd_destroy_srq() - DESTROY_SRQ
 * @xdev: the device
 * @srqn: number of the shared receive queue
 *
 * Return: 0 if the device does not access the queue's memory any more, or an
 * errno of xrdma_cmd_exec_destroy().
 */
int xrdma_cmd_destroy_srq(struct xrdma_dev *xdev, u32 srqn)
{
	struct xrdma_cmd cmd = xrdma_make_object_cmd(XRDMA_CMD_DESTROY_SRQ,
						     srqn);

	return xrdma_cmd_exec_destroy(xdev, &cmd);
}

/**
 * xrdma_cmd_attach_mcast() - ATTACH_MCAST
 * @xdev: the device
 * @qpn: number of a UD queue pair
 * @gid: GID of the multicast group, 16 bytes
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_attach_mcast(struct xrdma_dev *xdev, u32 qpn, const u8 *gid)
{
	struct xrdma_cmd cmd = xrdma_make_mcast(XRDMA_CMD_ATTACH_MCAST, qpn,
						gid);

	return xrdma_cmd_exec_status(xdev, &cmd);
}

/**
 * xrdma_cmd_detach_mcast() - DETACH_MCAST
 * @xdev: the device
 * @qpn: number of a UD queue pair
 * @gid: GID of the multicast group, 16 bytes
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_detach_mcast(struct xrdma_dev *xdev, u32 qpn, const u8 *gid)
{
	struct xrdma_cmd cmd = xrdma_make_mcast(XRDMA_CMD_DETACH_MCAST, qpn,
						gid);

	return xrdma_cmd_exec_status(xdev, &cmd);
}

/**
 * xrdma_cmd_invalidate() - INVALIDATE of a batch of keys, or of the cached
 *	tables
 * @xdev: the device
 * @addr: bus address of an array of @count key indexes; the device overwrites
 *	each index with the outcome of its key
 * @count: number of key indexes, 0 to XRDMA_INVAL_MAX. With 0, for which @addr
 *	is 0, the device invalidates no key, but drops its cache of the tables
 *	that lead to key entries
 *
 * Return: 0, or an errno of xrdma_cmd_exec_destroy(). On a quiet device 0, and
 * the array is unchanged: the reset has ended all keys.
 */
int xrdma_cmd_invalidate(struct xrdma_dev *xdev, dma_addr_t addr, u32 count)
{
	struct xrdma_cmd cmd = xrdma_make_invalidate(addr, count);

	return xrdma_cmd_exec_destroy(xdev, &cmd);
}

/**
 * xrdma_cmd_enable_odp() - ENABLE_ODP
 * @xdev: the device
 * @ring: bus address of the resume ring
 * @log_entries: log2 of the number of entries of the resume ring
 * @eqn: number of the event queue of page faults
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_enable_odp(struct xrdma_dev *xdev, dma_addr_t ring,
			 u8 log_entries, u32 eqn)
{
	struct xrdma_cmd cmd = xrdma_make_enable_odp(ring, log_entries, eqn);

	return xrdma_cmd_exec_status(xdev, &cmd);
}

/**
 * xrdma_cmd_invalidate_range() - INVALIDATE_RANGE of one range
 * @xdev: the device
 * @index: key index of a paged region
 * @pos: first position, a multiple of 4 KiB
 * @bytes: number of bytes, a multiple of 4 KiB
 *
 * Return: 0: the device does not use entries that it has read before; or -EIO,
 * as xrdma_cmd_exec_destroy(): it may use them.
 */
int xrdma_cmd_invalidate_range(struct xrdma_dev *xdev, u32 index, u64 pos,
			       u64 bytes)
{
	struct xrdma_cmd cmd = xrdma_make_invalidate_range(index, pos, bytes);

	return xrdma_cmd_exec_destroy(xdev, &cmd);
}
