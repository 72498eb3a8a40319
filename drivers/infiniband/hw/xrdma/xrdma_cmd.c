// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA commands: one typed call for each opcode, their names and time limits,
 * and what their status means as an errno. Must not know the rings
 * (xrdma_cmdq.c) or verbs objects.
 */

#include <linux/dma-mapping.h>
#include <linux/etherdevice.h>
#include "xrdma_dev.h"
#include "xrdma_regs.h"

#define XRDMA_CMD_QUICK_MS	10000
/* has to wait until packets and DMA in progress have ended */
#define XRDMA_CMD_DRAIN_MS	10000

/**
 * struct xrdma_cmd_info - facts about an opcode
 * @name: as in the specification
 * @timeout_ms: after which the device is declared dead
 */
struct xrdma_cmd_info {
	const char *name;
	unsigned int timeout_ms;
};

#define XRDMA_CMD_INFO(opcode, ms) \
	[XRDMA_CMD_##opcode] = { .name = #opcode, .timeout_ms = ms }

static const struct xrdma_cmd_info xrdma_cmd_infos[] = {
	XRDMA_CMD_INFO(NOP, XRDMA_CMD_QUICK_MS),
	XRDMA_CMD_INFO(QUERY_DEVICE, XRDMA_CMD_QUICK_MS),
	XRDMA_CMD_INFO(QUERY_PORT, XRDMA_CMD_QUICK_MS),
	XRDMA_CMD_INFO(MODIFY_PORT, XRDMA_CMD_QUICK_MS),
	XRDMA_CMD_INFO(SET_GID, XRDMA_CMD_QUICK_MS),
	XRDMA_CMD_INFO(QUERY_STATS, XRDMA_CMD_QUICK_MS),
	XRDMA_CMD_INFO(CREATE_EQ, XRDMA_CMD_QUICK_MS),
	XRDMA_CMD_INFO(DESTROY_EQ, XRDMA_CMD_QUICK_MS),
	XRDMA_CMD_INFO(CREATE_CQ, XRDMA_CMD_QUICK_MS),
	XRDMA_CMD_INFO(DESTROY_CQ, XRDMA_CMD_QUICK_MS),
	XRDMA_CMD_INFO(CREATE_QP, XRDMA_CMD_QUICK_MS),
	XRDMA_CMD_INFO(MODIFY_QP, XRDMA_CMD_DRAIN_MS),
	XRDMA_CMD_INFO(QUERY_QP, XRDMA_CMD_QUICK_MS),
	XRDMA_CMD_INFO(DESTROY_QP, XRDMA_CMD_DRAIN_MS),
	XRDMA_CMD_INFO(INVALIDATE, XRDMA_CMD_DRAIN_MS),
};

static const int xrdma_cmd_errnos[] = {
	[XRDMA_CMD_OK] = 0,
	[XRDMA_CMD_BAD_OPCODE] = -EOPNOTSUPP,
	[XRDMA_CMD_BAD_PARAM] = -EINVAL,
	[XRDMA_CMD_BAD_NUMBER] = -EINVAL,
	[XRDMA_CMD_BAD_STATE] = -EINVAL,
	[XRDMA_CMD_BUSY] = -EBUSY,
	[XRDMA_CMD_NO_RESOURCE] = -ENOMEM,
	[XRDMA_CMD_BAD_DMA] = -EFAULT,
	[XRDMA_CMD_INTERNAL] = -EIO,
};

/**
 * xrdma_cmd_exec() - execute a command
 * @xdev: the device
 * @cmd: the command, of an opcode that xrdma_cmd_infos knows
 * @rsp: where the reply goes
 *
 * Context: may sleep.
 * Return: 0, the errno of the device's status; -EIO: it is dead; -ETIMEDOUT: it
 * died of this command.
 */
int xrdma_cmd_exec(struct xrdma_dev *xdev, const struct xrdma_cmd *cmd,
		   struct xrdma_rsp *rsp)
{
	const struct xrdma_cmd_info *info;
	int err;

	info = &xrdma_cmd_infos[le16_to_cpu(cmd->opcode)];
	err = xrdma_cmdq_exec(xdev, cmd, rsp, info->timeout_ms);
	if (err)
		return err;
	if (!rsp->status)
		return 0;
	dev_dbg(xrdma_to_dev(xdev), "%s: status %u\n", info->name,
		rsp->status);
	if (rsp->status >= ARRAY_SIZE(xrdma_cmd_errnos))
		return -EIO;
	return xrdma_cmd_errnos[rsp->status];
}

/* For commands without an answer but their status. */
static int xrdma_cmd_do(struct xrdma_dev *xdev, const struct xrdma_cmd *cmd)
{
	struct xrdma_rsp rsp;

	return xrdma_cmd_exec(xdev, cmd, &rsp);
}

/* A device that has been reset knows no object: what shall go has gone. */
static int xrdma_cmd_undo(struct xrdma_dev *xdev, const struct xrdma_cmd *cmd)
{
	int err = xrdma_cmd_do(xdev, cmd);

	return err && xrdma_quiet(xdev) ? 0 : err;
}

static void xrdma_cmd_read_caps(struct xrdma_caps *caps,
				const struct xrdma_rsp_query_device *rsp)
{
	caps->fw_version = le64_to_cpu(rsp->fw_version);
	memcpy(&caps->node_guid, rsp->node_guid, sizeof(caps->node_guid));
	caps->max_mr_size = le64_to_cpu(rsp->max_mr_size);
	caps->max_qp = le32_to_cpu(rsp->max_qp);
	caps->max_cq = le32_to_cpu(rsp->max_cq);
	caps->max_srq = le32_to_cpu(rsp->max_srq);
	caps->max_eq = le32_to_cpu(rsp->max_eq);
	caps->max_pd = le32_to_cpu(rsp->max_pd);
	caps->max_gid = le32_to_cpu(rsp->max_gid);
	caps->max_mcast = le32_to_cpu(rsp->max_mcast);
	caps->max_qp_wr = 1U << min_t(u8, rsp->log_max_qp_wr, 15);
	caps->max_cqe = 1U << min_t(u8, rsp->log_max_cqe, 22);
	caps->max_sge = rsp->max_sge;
	caps->max_rd_atomic = rsp->max_rd_atomic;
	caps->log_max_keys = min_t(u8, rsp->log_max_keys, XRDMA_LOG_MAX_KEYS);
	caps->max_mtu = le16_to_cpu(rsp->max_mtu);
	caps->max_inline = le16_to_cpu(rsp->max_inline);
	caps->device_memory = le64_to_cpu(rsp->device_memory);
}

/**
 * xrdma_cmd_query_device() - QUERY_DEVICE: fill in xrdma_dev.caps
 * @xdev: the device
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_query_device(struct xrdma_dev *xdev)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_QUERY_DEVICE);
	struct xrdma_rsp rsp;
	int err;

	err = xrdma_cmd_exec(xdev, &cmd, &rsp);
	if (!err)
		xrdma_cmd_read_caps(&xdev->caps, &rsp.query_device);
	return err;
}

/**
 * xrdma_cmd_query_port() - QUERY_PORT
 * @xdev: the device
 * @port: filled in
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
 * @port: all of the port's new state
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_modify_port(struct xrdma_dev *xdev,
			  const struct xrdma_cmd_modify_port *port)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_MODIFY_PORT);

	cmd.modify_port = *port;
	return xrdma_cmd_do(xdev, &cmd);
}

/**
 * xrdma_cmd_set_gid() - SET_GID: write or clear an entry of the GID table
 * @xdev: the device
 * @gid: the entry
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_set_gid(struct xrdma_dev *xdev,
		      const struct xrdma_cmd_set_gid *gid)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_SET_GID);

	cmd.set_gid = *gid;
	return xrdma_cmd_do(xdev, &cmd);
}

/**
 * xrdma_cmd_query_stats() - QUERY_STATS
 * @xdev: the device
 * @values: XRDMA_NUM_STATS counters, in the order of enum xrdma_stat
 *
 * Return: 0, -ENOMEM, or an errno of xrdma_cmd_exec(); then the device may yet
 * write to the memory it was given, which is therefore not freed unless it is
 * quiet.
 */
int xrdma_cmd_query_stats(struct xrdma_dev *xdev, u64 *values)
{
	struct device *dev = xrdma_to_dev(xdev);
	size_t size = XRDMA_NUM_STATS * sizeof(__le64);
	struct xrdma_cmd cmd;
	dma_addr_t addr;
	unsigned int i;
	__le64 *raw;
	int err;

	raw = dma_alloc_coherent(dev, size, &addr, GFP_KERNEL);
	if (!raw)
		return -ENOMEM;
	cmd = xrdma_make_query_stats(addr, XRDMA_NUM_STATS);
	err = xrdma_cmd_do(xdev, &cmd);
	for (i = 0; !err && i < XRDMA_NUM_STATS; i++)
		values[i] = le64_to_cpu(raw[i]);
	if (!xrdma_dead(xdev) || xrdma_quiet(xdev))
		dma_free_coherent(dev, size, raw, addr);
	return err;
}

/**
 * xrdma_cmd_create_eq() - CREATE_EQ
 * @xdev: the device
 * @eqn: number
 * @vector: MSI-X vector
 * @log_depth: log2 of the entries
 * @root: translation of ring and record
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_create_eq(struct xrdma_dev *xdev, u32 eqn, u16 vector,
			u8 log_depth, u64 root)
{
	struct xrdma_cmd cmd = xrdma_make_create_eq(eqn, vector, log_depth,
						    root);

	return xrdma_cmd_do(xdev, &cmd);
}

/**
 * xrdma_cmd_destroy_eq() - DESTROY_EQ
 * @xdev: the device
 * @eqn: number
 *
 * Return: 0 if the device uses its memory no more, or an errno of
 * xrdma_cmd_exec().
 */
int xrdma_cmd_destroy_eq(struct xrdma_dev *xdev, u32 eqn)
{
	struct xrdma_cmd cmd = xrdma_make_object_cmd(XRDMA_CMD_DESTROY_EQ, eqn);

	return xrdma_cmd_undo(xdev, &cmd);
}

/**
 * xrdma_cmd_create_cq() - CREATE_CQ
 * @xdev: the device
 * @cqn: number
 * @eqn: event queue of its completion events
 * @log_depth: log2 of the entries
 * @root: translation of ring and record
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_create_cq(struct xrdma_dev *xdev, u32 cqn, u32 eqn, u8 log_depth,
			u64 root)
{
	struct xrdma_cmd cmd = xrdma_make_create_cq(cqn, eqn, log_depth, root);

	return xrdma_cmd_do(xdev, &cmd);
}

/**
 * xrdma_cmd_destroy_cq() - DESTROY_CQ
 * @xdev: the device
 * @cqn: number
 *
 * Return: 0 if the device uses its memory no more, or an errno of
 * xrdma_cmd_exec().
 */
int xrdma_cmd_destroy_cq(struct xrdma_dev *xdev, u32 cqn)
{
	struct xrdma_cmd cmd = xrdma_make_object_cmd(XRDMA_CMD_DESTROY_CQ, cqn);

	return xrdma_cmd_undo(xdev, &cmd);
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
	return xrdma_cmd_do(xdev, &cmd);
}

/**
 * xrdma_cmd_modify_qp() - MODIFY_QP
 * @xdev: the device
 * @qpn: number
 * @mask: XRDMA_QPM_*
 * @attr: values of the fields in @mask; the others 0
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
	return xrdma_cmd_do(xdev, &cmd);
}

/**
 * xrdma_cmd_query_qp() - QUERY_QP
 * @xdev: the device
 * @qpn: number
 * @qp: filled in
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_query_qp(struct xrdma_dev *xdev, u32 qpn,
		       struct xrdma_rsp_query_qp *qp)
{
	struct xrdma_cmd cmd = xrdma_make_object_cmd(XRDMA_CMD_QUERY_QP, qpn);
	struct xrdma_rsp rsp;
	int err;

	err = xrdma_cmd_exec(xdev, &cmd, &rsp);
	if (!err)
		*qp = rsp.query_qp;
	return err;
}

/**
 * xrdma_cmd_destroy_qp() - DESTROY_QP
 * @xdev: the device
 * @qpn: number
 *
 * Return: 0 if the device uses its memory no more, or an errno of
 * xrdma_cmd_exec().
 */
int xrdma_cmd_destroy_qp(struct xrdma_dev *xdev, u32 qpn)
{
	struct xrdma_cmd cmd = xrdma_make_object_cmd(XRDMA_CMD_DESTROY_QP, qpn);

	return xrdma_cmd_undo(xdev, &cmd);
}

/**
 * xrdma_cmd_invalidate() - INVALIDATE of a batch of keys
 * @xdev: the device
 * @addr: array of @count indexes; the device writes each one's outcome there
 * @count: 1 to XRDMA_INVAL_MAX
 *
 * Return: 0, or an errno of xrdma_cmd_exec(). On a device that is quiet, 0 and
 * no outcome: all keys are gone.
 */
int xrdma_cmd_invalidate(struct xrdma_dev *xdev, dma_addr_t addr, u32 count)
{
	struct xrdma_cmd cmd = xrdma_make_invalidate(addr, count);

	return xrdma_cmd_undo(xdev, &cmd);
}

/**
 * xrdma_cmd_invalidate_pd() - INVALIDATE of all keys of a protection domain
 * @xdev: the device
 * @pd: protection domain
 *
 * Return: 0 if none of them is in use any more, or an errno of
 * xrdma_cmd_exec().
 */
int xrdma_cmd_invalidate_pd(struct xrdma_dev *xdev, u32 pd)
{
	struct xrdma_cmd cmd = xrdma_make_invalidate_pd(pd);

	return xrdma_cmd_undo(xdev, &cmd);
}
