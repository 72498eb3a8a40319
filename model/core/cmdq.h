/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The command ring and the reply ring, and faults of commands for tests. The
 * commands are executed by cmd.c.
 */
#ifndef MODEL_CMDQ_H
#define MODEL_CMDQ_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "core/xlat.h"
#include "xrdma_hw.h"

struct model_device;
struct model_late_reply;

LIST_HEAD(model_late_replies, model_late_reply);

/**
 * enum model_cmd_fault_kind - fault of a command, for tests
 * @MODEL_CMD_FAULT_HANG: the command is neither executed nor answered
 * @MODEL_CMD_FAULT_FAIL: the command is not executed; the reply has a status
 * @MODEL_CMD_FAULT_DELAY: the command is executed and answered after a delay
 * @MODEL_CMD_FAULT_LATE: the command is executed at once and answered after a
 *	delay
 * @MODEL_CMD_FAULT_WRONG: the command is not executed; the reply has another
 *	opcode
 */
enum model_cmd_fault_kind {
	MODEL_CMD_FAULT_HANG,
	MODEL_CMD_FAULT_FAIL,
	MODEL_CMD_FAULT_DELAY,
	MODEL_CMD_FAULT_LATE,
	MODEL_CMD_FAULT_WRONG,
};

#define MODEL_CMD_FAULT_ANY		0xffff /* any opcode */
/* Above every opcode of a command. */
#define MODEL_CMD_OPCODES		128
#define MODEL_CMD_FAULTS		16

/**
 * struct model_cmd_fault - a fault that waits for its command
 * @skip: number of commands to execute before the fault begins
 * @count: number of commands that still get the fault; 0: the slot is free
 * @kind: kind of the fault
 * @opcode: enum xrdma_cmd_opcode, or MODEL_CMD_FAULT_ANY
 * @status: status of the reply for MODEL_CMD_FAULT_FAIL
 * @delay_ns: delay for MODEL_CMD_FAULT_DELAY and _LATE
 */
struct model_cmd_fault {
	u32 skip;
	u32 count;
	enum model_cmd_fault_kind kind;
	u16 opcode;
	u8 status;
	u64 delay_ns;
};

/**
 * struct model_cmdq - command ring and reply ring
 * @ring: commands
 * @replies: replies
 * @log_depth: log2 of the number of entries of each ring
 * @pi: producer index of the host
 * @ci: number of commands read, modulo 2^32
 * @rsp_pi: number of replies written, modulo 2^32
 * @extra: number of replies written twice minus replies dropped, modulo 2^32;
 *	see model_chaos_reply()
 * @late: commands that are answered later
 * @faults: faults that tests have set; a reset keeps them
 */
struct model_cmdq {
	struct model_mem ring;
	struct model_mem replies;
	u8 log_depth;
	u32 pi;
	u32 ci;
	u32 rsp_pi;
	u32 extra;
	struct model_late_replies late;
	struct model_cmd_fault faults[MODEL_CMD_FAULTS];
};

int model_cmdq_enable(struct model_device *dev, u64 cmd_base, u64 rsp_base,
		      u8 log_depth);
void model_cmdq_doorbell(struct model_device *dev, u32 pi);
bool model_cmdq_poll(struct model_device *dev);
void model_cmdq_reset(struct model_device *dev);
int model_cmdq_add_fault(struct model_device *dev,
			 const struct model_cmd_fault *fault);
u64 model_cmdq_clear_faults(struct model_device *dev);

/* cmd.c: the table of commands */
void model_cmd_execute(struct model_device *dev, const struct xrdma_cmd *cmd,
		       struct xrdma_rsp *rsp);
const char *model_cmd_name(u16 opcode);
const char *model_cmd_word(u16 opcode);

#endif /* MODEL_CMDQ_H */
