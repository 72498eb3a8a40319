// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA commands: one typed call for each opcode, the names of opcodes, and the
 * errno that each status of a reply becomes. Declares the device dead when a
 * command is not answered as it must be. Commands about the port are in
 * xrdma_cmd_port.c, the rings and the time limit in xrdma_cmdq.c; verbs objects
 * are in the files that call these functions.
 */

#include <linux/if_ether.h>
#include "xrdma_cmd.h"
#include "xrdma_cmdq.h"
#include "xrdma_dev.h"
#include "xrdma_encode.h"
#include "xrdma_trace_cmd.h"

/* What a device may at most have, whatever it says */
#define XRDMA_MAX_NUMBERS	BIT(24)
#define XRDMA_MAX_GIDS		256
#define XRDMA_MAX_COUNTER_SETS	65536
/* and at least */
#define XRDMA_LOG_MIN_KEYS	10

#define XRDMA_CMD_NAME(opcode) [XRDMA_CMD_##opcode] = #opcode

static const char *const xrdma_cmd_names[] = {
	XRDMA_CMD_NAME(NOP),
	XRDMA_CMD_NAME(QUERY_DEVICE),
	XRDMA_CMD_NAME(QUERY_PORT),
	XRDMA_CMD_NAME(MODIFY_PORT),
	XRDMA_CMD_NAME(SET_GID),
	XRDMA_CMD_NAME(QUERY_STATS),
	XRDMA_CMD_NAME(BIND_COUNTER),
	XRDMA_CMD_NAME(QUERY_CC),
	XRDMA_CMD_NAME(MODIFY_CC),
	XRDMA_CMD_NAME(CREATE_EQ),
	XRDMA_CMD_NAME(DESTROY_EQ),
	XRDMA_CMD_NAME(CREATE_CQ),
	XRDMA_CMD_NAME(DESTROY_CQ),
	XRDMA_CMD_NAME(RESIZE_CQ),
	XRDMA_CMD_NAME(MODIFY_CQ),
	XRDMA_CMD_NAME(CREATE_QP),
	XRDMA_CMD_NAME(MODIFY_QP),
	XRDMA_CMD_NAME(QUERY_QP),
	XRDMA_CMD_NAME(DESTROY_QP),
	XRDMA_CMD_NAME(CREATE_SRQ),
	XRDMA_CMD_NAME(MODIFY_SRQ),
	XRDMA_CMD_NAME(QUERY_SRQ),
	XRDMA_CMD_NAME(DESTROY_SRQ),
	XRDMA_CMD_NAME(ATTACH_MCAST),
	XRDMA_CMD_NAME(DETACH_MCAST),
	XRDMA_CMD_NAME(CREATE_FLOW),
	XRDMA_CMD_NAME(DESTROY_FLOW),
	XRDMA_CMD_NAME(CREATE_RSS),
	XRDMA_CMD_NAME(DESTROY_RSS),
	XRDMA_CMD_NAME(INVALIDATE),
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

/* A device that does not answer a command as it must is dead. */
static int xrdma_cmd_failed(struct xrdma_dev *xdev, int err)
{
	switch (err) {
	case -ETIMEDOUT:
		xrdma_fatal(xdev, "a command was not answered in time");
		return err;
	case -EPROTO:
		xrdma_fatal(xdev, "a reply names another command");
		return -EIO;
	default:
		return err;
	}
}

/**
 * xrdma_cmd_exec() - execute a command
 * @xdev: the device
 * @cmd: the command, of an opcode that xrdma_cmd_names knows
 * @rsp: where the reply goes
 *
 * Context: may sleep.
 * Return: 0, the errno of the device's status; -EIO: it is dead; -ETIMEDOUT: it
 * died of this command.
 */
int xrdma_cmd_exec(struct xrdma_dev *xdev, const struct xrdma_cmd *cmd,
		   struct xrdma_rsp *rsp)
{
	const char *name = xrdma_cmd_names[le16_to_cpu(cmd->opcode)];
	ktime_t start = ktime_get();
	int err;

	err = xrdma_cmdq_exec(xdev, cmd, rsp);
	if (err)
		err = xrdma_cmd_failed(xdev, err);
	trace_xrdma_command(xdev, name, cmd, err ? 0 : rsp->status, err,
			    ktime_us_delta(ktime_get(), start));
	if (err)
		return err;
	if (!rsp->status)
		return 0;
	dev_dbg(xrdma_to_dev(xdev), "%s: status %u\n", name, rsp->status);
	if (rsp->status >= ARRAY_SIZE(xrdma_cmd_errnos))
		return -EIO;
	return xrdma_cmd_errnos[rsp->status];
}

/**
 * xrdma_cmd_do() - execute a command that is answered by its status alone
 * @xdev: the device
 * @cmd: the command
 *
 * Context: may sleep.
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_do(struct xrdma_dev *xdev, const struct xrdma_cmd *cmd)
{
	struct xrdma_rsp rsp;

	return xrdma_cmd_exec(xdev, cmd, &rsp);
}

/*
 * What became of an object that shall go. A device that has been reset knows
 * none; one that does not let go of what nobody uses can only be reset, and at
 * once: the caller's next step is to give memory back that the object led to.
 */
static int xrdma_cmd_undone(struct xrdma_dev *xdev, int err)
{
	if (!err || xrdma_quiet(xdev))
		return 0;
	xrdma_fatal(xdev, "it does not let go of an object");
	return xrdma_hw_silence(xdev) ? 0 : -EIO;
}

/**
 * xrdma_cmd_undo() - execute a command that ends an object
 * @xdev: the device, in any state
 * @cmd: the command; the object is not in use
 *
 * Context: may sleep.
 * Return: 0; or -EIO: the device is dead, and cannot be silenced.
 */
int xrdma_cmd_undo(struct xrdma_dev *xdev, const struct xrdma_cmd *cmd)
{
	return xrdma_cmd_undone(xdev, xrdma_cmd_do(xdev, cmd));
}

/* A limit, or what fits: numbers have 24 bits. */
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
}

/* Numbers from 1 or 2 on, one of everything for the port and one for the GSI */
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
 * Return: 0, -EIO if nobody could use such a device, or an errno of
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
 * xrdma_cmd_undo().
 */
int xrdma_cmd_destroy_cq(struct xrdma_dev *xdev, u32 cqn)
{
	struct xrdma_cmd cmd = xrdma_make_object_cmd(XRDMA_CMD_DESTROY_CQ, cqn);

	return xrdma_cmd_undo(xdev, &cmd);
}

/**
 * xrdma_cmd_resize_cq() - RESIZE_CQ
 * @xdev: the device
 * @cqn: number
 * @log_depth: log2 of the entries of the new ring
 * @root: translation of the new ring and its record
 * @index: gets that of the first entry that goes to the new ring
 *
 * Return: 0 if the device uses the old memory no more; else it uses the new
 * memory only if it is dead: an errno of xrdma_cmd_exec().
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
 * xrdma_cmd_modify_cq() - MODIFY_CQ: moderation
 * @xdev: the device
 * @cqn: number
 * @count: entries for each event
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
	return xrdma_cmd_do(xdev, &cmd);
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
 * Return: 0, -EIO for a state that does not exist, or an errno of
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
 * @qpn: number
 * @used: windows of type 2A may be bound to it
 *
 * Return: 0 if the device uses its memory no more; -EBUSY, if @used: they are,
 * and nothing has changed; or an errno of xrdma_cmd_undo().
 */
int xrdma_cmd_destroy_qp(struct xrdma_dev *xdev, u32 qpn, bool used)
{
	struct xrdma_cmd cmd = xrdma_make_object_cmd(XRDMA_CMD_DESTROY_QP, qpn);
	int err = xrdma_cmd_do(xdev, &cmd);

	if (err == -EBUSY && used && !xrdma_quiet(xdev))
		return err;
	return xrdma_cmd_undone(xdev, err);
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
	return xrdma_cmd_do(xdev, &cmd);
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
	return xrdma_cmd_do(xdev, &cmd);
}

/**
 * xrdma_cmd_query_srq() - QUERY_SRQ
 * @xdev: the device
 * @srqn: number
 * @srq: filled in
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
 * @srqn: number
 *
 * Return: 0 if the device uses its memory no more, or an errno of
 * xrdma_cmd_undo().
 */
int xrdma_cmd_destroy_srq(struct xrdma_dev *xdev, u32 srqn)
{
	struct xrdma_cmd cmd = xrdma_make_object_cmd(XRDMA_CMD_DESTROY_SRQ,
						     srqn);

	return xrdma_cmd_undo(xdev, &cmd);
}

/**
 * xrdma_cmd_attach_mcast() - ATTACH_MCAST
 * @xdev: the device
 * @qpn: a datagram queue pair
 * @gid: of the group, 16 bytes
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_attach_mcast(struct xrdma_dev *xdev, u32 qpn, const u8 *gid)
{
	struct xrdma_cmd cmd = xrdma_make_mcast(XRDMA_CMD_ATTACH_MCAST, qpn,
						gid);

	return xrdma_cmd_do(xdev, &cmd);
}

/**
 * xrdma_cmd_detach_mcast() - DETACH_MCAST
 * @xdev: the device
 * @qpn: a datagram queue pair
 * @gid: of the group, 16 bytes
 *
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_detach_mcast(struct xrdma_dev *xdev, u32 qpn, const u8 *gid)
{
	struct xrdma_cmd cmd = xrdma_make_mcast(XRDMA_CMD_DETACH_MCAST, qpn,
						gid);

	return xrdma_cmd_do(xdev, &cmd);
}

/**
 * xrdma_cmd_invalidate() - INVALIDATE of a batch of keys, or of none
 * @xdev: the device
 * @addr: array of @count indexes; the device writes each one's outcome there
 * @count: up to XRDMA_INVAL_MAX; 0, with an @addr of 0: no key ends, and the device
 *	forgets what it has read of the tables that lead to key entries
 *
 * Return: 0, or an errno of xrdma_cmd_undo(). On a device that is quiet, 0 and
 * no outcome: all keys are gone.
 */
int xrdma_cmd_invalidate(struct xrdma_dev *xdev, dma_addr_t addr, u32 count)
{
	struct xrdma_cmd cmd = xrdma_make_invalidate(addr, count);

	return xrdma_cmd_undo(xdev, &cmd);
}
