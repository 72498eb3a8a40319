/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The command ring and the reply ring, and faults that tests put into them.
 * Must not know what a command does: that is the table of cmd.c.
 */
#ifndef XRDMA_MODEL_CMDQ_H
#define XRDMA_MODEL_CMDQ_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "core/xlat.h"
#include "xrdma_hw.h"

struct xrdma_device;
struct xrdma_late_reply;

LIST_HEAD(xrdma_late_replies, xrdma_late_reply);

/**
 * enum xrdma_cmd_fault_kind - what may go wrong with a command, for tests
 * @XRDMA_CMD_FAULT_HANG: it is neither executed nor answered
 * @XRDMA_CMD_FAULT_FAIL: it is not executed, and answered with a status
 * @XRDMA_CMD_FAULT_DELAY: it is executed and answered some time later
 * @XRDMA_CMD_FAULT_LATE: it is executed at once and answered some time later
 * @XRDMA_CMD_FAULT_WRONG: it is not executed; the reply names another command
 */
enum xrdma_cmd_fault_kind {
	XRDMA_CMD_FAULT_HANG,
	XRDMA_CMD_FAULT_FAIL,
	XRDMA_CMD_FAULT_DELAY,
	XRDMA_CMD_FAULT_LATE,
	XRDMA_CMD_FAULT_WRONG,
};

#define XRDMA_CMD_FAULT_ANY		0xffff /* any opcode */
#define XRDMA_CMD_FAULTS		16

/**
 * struct xrdma_cmd_fault - a fault that waits for its command
 * @skip: how many commands it lets pass before
 * @count: how many more commands it hits; 0: the slot is free
 * @kind: what happens
 * @opcode: enum xrdma_cmd_opcode, or XRDMA_CMD_FAULT_ANY
 * @status: for XRDMA_CMD_FAULT_FAIL
 * @delay_ns: for XRDMA_CMD_FAULT_DELAY and _LATE
 */
struct xrdma_cmd_fault {
	u32 skip;
	u32 count;
	enum xrdma_cmd_fault_kind kind;
	u16 opcode;
	u8 status;
	u64 delay_ns;
};

/**
 * struct xrdma_cmdq - command ring and reply ring
 * @ring: commands
 * @replies: replies
 * @log_depth: log2 of the entries of either
 * @pi: producer index of the host
 * @ci: commands taken
 * @rsp_pi: replies written
 * @extra: those of them that answered nothing
 * @late: commands that are answered later
 * @faults: what tests have asked for; outlives a reset
 */
struct xrdma_cmdq {
	struct xrdma_mem ring;
	struct xrdma_mem replies;
	u8 log_depth;
	u32 pi;
	u32 ci;
	u32 rsp_pi;
	u32 extra;
	struct xrdma_late_replies late;
	struct xrdma_cmd_fault faults[XRDMA_CMD_FAULTS];
};

int xrdma_cmdq_enable(struct xrdma_device *dev, u64 cmd_base, u64 rsp_base,
		      u8 log_depth);
void xrdma_cmdq_doorbell(struct xrdma_device *dev, u32 pi);
bool xrdma_cmdq_poll(struct xrdma_device *dev);
void xrdma_cmdq_reset(struct xrdma_device *dev);
int xrdma_cmdq_add_fault(struct xrdma_device *dev,
			 const struct xrdma_cmd_fault *fault);
u64 xrdma_cmdq_clear_faults(struct xrdma_device *dev);

/* cmd.c: the table of commands */
void xrdma_cmd_execute(struct xrdma_device *dev, const struct xrdma_cmd *cmd,
		       struct xrdma_rsp *rsp);
const char *xrdma_cmd_name(u16 opcode);
int xrdma_cmd_opcode(const char *name);

#endif /* XRDMA_MODEL_CMDQ_H */
