// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA execution of commands: passes a command to the command ring
 * (xrdma_cmdq.c), converts the status of the reply to an errno, and traces
 * both. If the reply is missing or wrong, declares the device dead, and logs
 * which command failed. The typed functions for each opcode are in xrdma_cmd.c
 * and xrdma_cmd_port.c.
 */

#include <linux/math64.h>
#include "xrdma_cmd.h"
#include "xrdma_cmdq.h"
#include "xrdma_dev.h"
#include "xrdma_trace_cmd.h"

/* Long enough for commands that wait until packets and DMA in progress end */
#define XRDMA_CMD_TIMEOUT_MS	10000
/* INVALIDATE_RANGE waits for no packet, and the owner of the memory waits for it */
#define XRDMA_RANGE_TIMEOUT_MS	1000

/* Bytes of the text that xrdma_cmd_describe() writes */
#define XRDMA_CMD_TEXT		64

/**
 * struct xrdma_cmd_kind - description of an opcode for the log
 * @name: name of the opcode in the specification
 * @object: kind of object that the command names; NULL: the command is about
 *	the device or the port
 * @number: offset in struct xrdma_cmd of the number of the object, a __le32
 */
struct xrdma_cmd_kind {
	const char *name;
	const char *object;
	u8 number;
};

#define XRDMA_CMD_PLAIN(opcode) [XRDMA_CMD_##opcode] = { .name = #opcode }
#define XRDMA_CMD_OF(opcode, what, field) [XRDMA_CMD_##opcode] = {	\
	.name = #opcode,						\
	.object = what,							\
	.number = offsetof(struct xrdma_cmd, field),			\
}

static const struct xrdma_cmd_kind xrdma_cmd_kinds[] = {
	XRDMA_CMD_PLAIN(NOP),
	XRDMA_CMD_PLAIN(QUERY_DEVICE),
	XRDMA_CMD_PLAIN(QUERY_PORT),
	XRDMA_CMD_PLAIN(MODIFY_PORT),
	XRDMA_CMD_OF(SET_GID, "GID", set_gid.index),
	XRDMA_CMD_OF(QUERY_STATS, "counter set", query_stats.counter),
	XRDMA_CMD_OF(BIND_COUNTER, "QP", bind_counter.qpn),
	XRDMA_CMD_PLAIN(QUERY_CC),
	XRDMA_CMD_PLAIN(MODIFY_CC),
	XRDMA_CMD_OF(CREATE_EQ, "EQ", create_eq.eqn),
	XRDMA_CMD_OF(DESTROY_EQ, "EQ", object.number),
	XRDMA_CMD_OF(CREATE_CQ, "CQ", create_cq.cqn),
	XRDMA_CMD_OF(DESTROY_CQ, "CQ", object.number),
	XRDMA_CMD_OF(RESIZE_CQ, "CQ", create_cq.cqn),
	XRDMA_CMD_OF(MODIFY_CQ, "CQ", modify_cq.cqn),
	XRDMA_CMD_OF(CREATE_QP, "QP", create_qp.qpn),
	XRDMA_CMD_OF(MODIFY_QP, "QP", modify_qp.qpn),
	XRDMA_CMD_OF(QUERY_QP, "QP", object.number),
	XRDMA_CMD_OF(DESTROY_QP, "QP", object.number),
	XRDMA_CMD_OF(CREATE_SRQ, "SRQ", create_srq.srqn),
	XRDMA_CMD_OF(MODIFY_SRQ, "SRQ", modify_srq.srqn),
	XRDMA_CMD_OF(QUERY_SRQ, "SRQ", object.number),
	XRDMA_CMD_OF(DESTROY_SRQ, "SRQ", object.number),
	XRDMA_CMD_OF(ATTACH_MCAST, "QP", mcast.qpn),
	XRDMA_CMD_OF(DETACH_MCAST, "QP", mcast.qpn),
	XRDMA_CMD_OF(CREATE_FLOW, "flow rule", create_flow.flow),
	XRDMA_CMD_OF(DESTROY_FLOW, "flow rule", object.number),
	XRDMA_CMD_OF(CREATE_RSS, "QP", create_rss.qpn),
	XRDMA_CMD_OF(DESTROY_RSS, "QP", object.number),
	XRDMA_CMD_OF(INVALIDATE, "key count", invalidate.count),
	XRDMA_CMD_OF(ENABLE_ODP, "EQ", enable_odp.eqn),
	XRDMA_CMD_OF(INVALIDATE_RANGE, "key index",
		     invalidate_range.range[0].key_index),
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

/*
 * Write name and opcode of a command and the number of its object, for the log.
 */
static void xrdma_cmd_describe(char *text, const struct xrdma_cmd *cmd)
{
	u16 opcode = le16_to_cpu(cmd->opcode);
	const struct xrdma_cmd_kind *kind = &xrdma_cmd_kinds[opcode];
	__le32 number;

	if (!kind->object) {
		snprintf(text, XRDMA_CMD_TEXT, "%s (opcode %#x)", kind->name,
			 opcode);
		return;
	}
	memcpy(&number, (const u8 *)cmd + kind->number, sizeof(number));
	snprintf(text, XRDMA_CMD_TEXT, "%s (opcode %#x) of %s %u", kind->name,
		 opcode, kind->object, le32_to_cpu(number));
}

static void xrdma_cmd_timed_out(struct xrdma_dev *xdev,
				const struct xrdma_cmd *cmd, u16 id, s64 ms)
{
	char text[XRDMA_CMD_TEXT];
	u32 posted, answered;

	xrdma_cmd_describe(text, cmd);
	xrdma_cmdq_progress(xdev, &posted, &answered);
	xrdma_fatal(xdev,
		    "command %s, id %#x, was not answered in %lld ms (ring: %u of %u answered)",
		    text, id, ms, answered, posted);
}

static void xrdma_cmd_wrong_reply(struct xrdma_dev *xdev,
				  const struct xrdma_cmd *cmd,
				  const struct xrdma_rsp *rsp, s64 ms)
{
	char text[XRDMA_CMD_TEXT];

	xrdma_cmd_describe(text, cmd);
	xrdma_fatal(xdev, "the reply to command %s, id %#x, after %lld ms, names opcode %#x",
		    text, le16_to_cpu(rsp->id), ms, le16_to_cpu(rsp->opcode));
}

/* Declare the device dead if the reply is missing or names another opcode. */
static int xrdma_cmd_failed(struct xrdma_dev *xdev, const struct xrdma_cmd *cmd,
			    const struct xrdma_rsp *rsp, int err, s64 us)
{
	s64 ms = div_s64(us, USEC_PER_MSEC);

	switch (err) {
	case -ETIMEDOUT:
		xrdma_cmd_timed_out(xdev, cmd, le16_to_cpu(rsp->id), ms);
		return err;
	case -EPROTO:
		xrdma_cmd_wrong_reply(xdev, cmd, rsp, ms);
		return -EIO;
	default:
		return err;
	}
}

/**
 * xrdma_cmd_exec() - execute a command
 * @xdev: the device
 * @cmd: the command; its opcode is in xrdma_cmd_kinds
 * @rsp: output: the reply
 *
 * Context: may sleep.
 * Return: 0; the errno for the status of the reply; -EIO: the device is dead;
 * or -ETIMEDOUT: the device did not answer, and has been declared dead.
 */
int xrdma_cmd_exec(struct xrdma_dev *xdev, const struct xrdma_cmd *cmd,
		   struct xrdma_rsp *rsp)
{
	u16 opcode = le16_to_cpu(cmd->opcode);
	const char *name = xrdma_cmd_kinds[opcode].name;
	ktime_t start = ktime_get();
	int err;
	s64 us;

	err = xrdma_cmdq_exec(xdev, cmd, rsp,
			      opcode == XRDMA_CMD_INVALIDATE_RANGE ?
			      XRDMA_RANGE_TIMEOUT_MS : XRDMA_CMD_TIMEOUT_MS);
	us = ktime_us_delta(ktime_get(), start);
	if (err)
		err = xrdma_cmd_failed(xdev, cmd, rsp, err, us);
	trace_xrdma_command(xdev, name, cmd, err ? 0 : rsp->status, err, us);
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
 * xrdma_cmd_exec_status() - execute a command whose reply has no data but a
 *	status
 * @xdev: the device
 * @cmd: the command
 *
 * Context: may sleep.
 * Return: 0 or an errno of xrdma_cmd_exec().
 */
int xrdma_cmd_exec_status(struct xrdma_dev *xdev, const struct xrdma_cmd *cmd)
{
	struct xrdma_rsp rsp;

	return xrdma_cmd_exec(xdev, cmd, &rsp);
}

/**
 * xrdma_cmd_destroy_outcome() - convert the outcome of a command that ends an
 *	object
 * @xdev: the device, in any state
 * @cmd: the command; the object is not in use, so that the command must succeed
 * @status: status of the reply, or 0 if there was no reply
 * @err: return value of xrdma_cmd_exec()
 *
 * A device that has been reset has no objects, so the command counts as
 * successful. A live device that refuses the command is reset at once, because
 * the caller frees the object's memory next.
 *
 * Context: may sleep.
 * Return: 0: the device does not access the object's memory any more; or -EIO:
 * the device is dead, and xrdma_hw_silence() has failed.
 */
int xrdma_cmd_destroy_outcome(struct xrdma_dev *xdev,
			      const struct xrdma_cmd *cmd, u8 status, int err)
{
	char text[XRDMA_CMD_TEXT];

	if (!err || xrdma_quiet(xdev))
		return 0;
	xrdma_cmd_describe(text, cmd);
	xrdma_fatal(xdev, "it refuses command %s, which must succeed: status %u, error %d",
		    text, status, err);
	return xrdma_hw_silence(xdev) ? 0 : -EIO;
}

/**
 * xrdma_cmd_exec_destroy() - execute a command that ends an object
 * @xdev: the device, in any state
 * @cmd: the command; the object is not in use
 *
 * Context: may sleep.
 * Return: as xrdma_cmd_destroy_outcome().
 */
int xrdma_cmd_exec_destroy(struct xrdma_dev *xdev, const struct xrdma_cmd *cmd)
{
	struct xrdma_rsp rsp = {};
	int err = xrdma_cmd_exec(xdev, cmd, &rsp);

	return xrdma_cmd_destroy_outcome(xdev, cmd, rsp.status, err);
}
