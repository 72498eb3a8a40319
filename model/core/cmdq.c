// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The command ring and the reply ring, and faults of commands for tests. cmd.c
 * executes the commands.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/xrdma-ring.h>

#include "core/cmdq.h"
#include "core/device.h"

/* Largest number of commands that are executed in one turn of the loop. */
#define BUDGET		32

/* Bytes of the structure before @own, which is written last. */
#define RSP_BODY	offsetof(struct xrdma_rsp, own)

/**
 * struct model_late_reply - a command that is answered later
 * @dev: the device
 * @link: link of model_cmdq.late
 * @timer: fires when the reply is due
 * @execute: @cmd is executed when @timer fires
 * @cmd: the command
 * @rsp: the reply, unless @execute
 */
struct model_late_reply {
	struct model_device *dev;
	LIST_ENTRY(model_late_reply) link;
	struct model_timer timer;
	bool execute;
	struct xrdma_cmd cmd;
	struct xrdma_rsp rsp;
};

/**
 * model_cmdq_enable - start the use of the rings
 * @dev: the device
 * @cmd_base: bus address of the command ring
 * @rsp_base: bus address of the reply ring
 * @log_depth: log2 of the number of entries of each ring
 *
 * Return: 0; -EFAULT if a ring is out of reach; -EINVAL if the reply ring is
 * not zeroed.
 */
int model_cmdq_enable(struct model_device *dev, u64 cmd_base, u64 rsp_base,
		      u8 log_depth)
{
	struct model_cmdq *q = &dev->cmdq;

	model_mem_init(&q->ring, 0, cmd_base,
		       sizeof(struct xrdma_cmd) << log_depth,
		       MODEL_MEM_IDENTITY);
	model_mem_init(&q->replies, 0, rsp_base,
		       sizeof(struct xrdma_rsp) << log_depth,
		       MODEL_MEM_IDENTITY);
	q->ring.use = MODEL_PCIE_COMMAND;
	q->log_depth = log_depth;
	q->pi = 0;
	q->ci = 0;
	q->rsp_pi = 0;
	q->extra = 0;
	if (model_mem_probe(dev, &q->ring, false))
		return -EFAULT;
	if (model_mem_probe(dev, &q->replies, true))
		return -EFAULT;
	return model_mem_is_zero(dev, &q->replies) ? 0 : -EINVAL;
}

/**
 * model_cmdq_doorbell - handle a write of the command doorbell
 * @dev: the device, enabled
 * @pi: producer index of the host
 */
void model_cmdq_doorbell(struct model_device *dev, u32 pi)
{
	struct model_cmdq *q = &dev->cmdq;
	u32 answered = q->rsp_pi - q->extra;
	u32 room = (1U << q->log_depth) - xrdma_ring_used(q->pi, answered);

	if (!model_device_live(dev))
		return;
	if (xrdma_ring_used(pi, q->pi) > room) {
		model_dev_herr(dev, CMD_INDEX,
			       "producer %#x, was %#x, %#x answered", pi, q->pi,
			       answered);
		return;
	}
	q->pi = pi;
}

static void write_reply(struct model_device *dev, const struct xrdma_rsp *rsp)
{
	struct model_cmdq *q = &dev->cmdq;
	u64 off = (u64)xrdma_ring_slot(q->rsp_pi, q->log_depth) * sizeof(*rsp);
	size_t len = sizeof(*rsp);
	struct xrdma_rsp *slot;

	if (!model_device_live(dev))
		return;
	slot = model_mem_ptr(dev, &q->replies, off, &len, true);
	if (!slot) {
		model_device_fatal(dev, XRDMA_FATAL_DMA);
		return;
	}
	model_dev_pcie(dev, MODEL_PCIE_COMMAND, true, sizeof(*slot));
	memcpy(slot, rsp, RSP_BODY);
	__atomic_store_n(&slot->own,
			 cpu_to_le32(xrdma_ring_phase(q->rsp_pi, q->log_depth)),
			 __ATOMIC_RELEASE);
	q->rsp_pi++;
	model_device_irq(dev, 0);
}

static void reply(struct model_device *dev, const struct xrdma_rsp *rsp)
{
	struct xrdma_rsp copy = *rsp;
	unsigned int i, times = model_chaos_reply(&dev->chaos, &copy);

	for (i = 0; i < times; i++)
		write_reply(dev, &copy);
	dev->cmdq.extra += times - 1;
}

static void late_reply(void *opaque)
{
	struct model_late_reply *late = opaque;

	if (model_device_live(late->dev)) {
		if (late->execute)
			model_cmd_execute(late->dev, &late->cmd, &late->rsp);
		reply(late->dev, &late->rsp);
	}
	LIST_REMOVE(late, link);
	free(late);
}

static void reply_later(struct model_device *dev, const struct xrdma_cmd *cmd,
			const struct xrdma_rsp *rsp, u64 delay_ns)
{
	struct model_late_reply *late = calloc(1, sizeof(*late));
	u64 deadline = model_device_clock(dev) + delay_ns;

	if (!late) {
		model_device_fatal(dev, XRDMA_FATAL_INTERNAL);
		return;
	}
	late->dev = dev;
	late->cmd = *cmd;
	late->execute = !rsp;
	if (rsp)
		late->rsp = *rsp;
	late->timer.fn = late_reply;
	late->timer.opaque = late;
	LIST_INSERT_HEAD(&dev->cmdq.late, late, link);
	if (model_timer_arm(dev->params.loop, &late->timer, deadline))
		model_device_fatal(dev, XRDMA_FATAL_INTERNAL);
}

/* Find the fault for this command, and count it down. Return: NULL if none. */
static const struct model_cmd_fault *take_fault(struct model_device *dev,
						u16 opcode)
{
	struct model_cmd_fault *fault = dev->cmdq.faults;
	struct model_cmd_fault *end = fault + MODEL_CMD_FAULTS;

	for (; fault < end; fault++) {
		if (!fault->count || (fault->opcode != opcode &&
				      fault->opcode != MODEL_CMD_FAULT_ANY))
			continue;
		if (fault->skip) {
			fault->skip--;
			continue;
		}
		fault->count--;
		return fault;
	}
	return NULL;
}

static void run_faulty(struct model_device *dev, const struct xrdma_cmd *cmd,
		       const struct model_cmd_fault *fault)
{
	struct xrdma_rsp rsp = {
		.opcode = cmd->opcode,
		.id = cmd->id,
		.status = fault->status,
	};

	switch (fault->kind) {
	case MODEL_CMD_FAULT_HANG:
		break;
	case MODEL_CMD_FAULT_FAIL:
		reply(dev, &rsp);
		break;
	case MODEL_CMD_FAULT_DELAY:
		reply_later(dev, cmd, NULL, fault->delay_ns);
		break;
	case MODEL_CMD_FAULT_LATE:
		model_cmd_execute(dev, cmd, &rsp);
		reply_later(dev, cmd, &rsp, fault->delay_ns);
		break;
	case MODEL_CMD_FAULT_WRONG:
		rsp.opcode = cpu_to_le16(le16_to_cpu(cmd->opcode) + 1);
		reply(dev, &rsp);
		break;
	}
}

static void run(struct model_device *dev, const struct xrdma_cmd *cmd)
{
	const struct model_cmd_fault *fault;
	struct xrdma_rsp rsp;

	fault = take_fault(dev, le16_to_cpu(cmd->opcode));
	if (fault) {
		run_faulty(dev, cmd, fault);
		return;
	}
	model_cmd_execute(dev, cmd, &rsp);
	reply(dev, &rsp);
}

/**
 * model_cmdq_poll - execute a bounded number of commands
 * @dev: the device
 *
 * Return: true if at least one command was executed.
 */
bool model_cmdq_poll(struct model_device *dev)
{
	struct model_cmdq *q = &dev->cmdq;
	struct xrdma_cmd cmd;
	u32 n, slot;

	for (n = 0; n < BUDGET && model_device_live(dev) && q->ci != q->pi; n++) {
		slot = xrdma_ring_slot(q->ci, q->log_depth);
		if (model_mem_read(dev, &q->ring, (u64)slot * sizeof(cmd),
				   &cmd, sizeof(cmd))) {
			model_device_fatal(dev, XRDMA_FATAL_DMA);
			break;
		}
		q->ci++;
		run(dev, &cmd);
	}
	return n;
}

/**
 * model_cmdq_reset - clear the indexes of the rings, and drop all late replies
 * @dev: the device
 */
void model_cmdq_reset(struct model_device *dev)
{
	struct model_cmdq *q = &dev->cmdq;
	struct model_late_reply *late;

	while ((late = LIST_FIRST(&q->late))) {
		model_timer_cancel(dev->params.loop, &late->timer);
		LIST_REMOVE(late, link);
		free(late);
	}
	q->pi = 0;
	q->ci = 0;
	q->rsp_pi = 0;
	q->extra = 0;
}

/**
 * model_cmdq_add_fault - add a fault of commands, for tests
 * @dev: the device
 * @fault: the fault; copied
 *
 * Return: 0, or -ENOSPC.
 */
int model_cmdq_add_fault(struct model_device *dev,
			 const struct model_cmd_fault *fault)
{
	u32 i;

	for (i = 0; i < MODEL_CMD_FAULTS; i++) {
		if (!dev->cmdq.faults[i].count) {
			dev->cmdq.faults[i] = *fault;
			return 0;
		}
	}
	return -ENOSPC;
}

/**
 * model_cmdq_clear_faults - remove all faults of commands
 * @dev: the device
 *
 * Return: number of commands that the faults had still to skip or to hit.
 */
u64 model_cmdq_clear_faults(struct model_device *dev)
{
	const struct model_cmd_fault *fault = dev->cmdq.faults;
	u64 left = 0;
	u32 i;

	for (i = 0; i < MODEL_CMD_FAULTS; i++, fault++)
		if (fault->count)
			left += (u64)fault->skip + fault->count;
	memset(dev->cmdq.faults, 0, sizeof(dev->cmdq.faults));
	return left;
}
