/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Registers of BAR 0, and the effects of writes: ENABLE, RESET, the command
 * doorbell. Doorbells of queue pairs are in core/doorbell.c, the MSI-X table is
 * in host/vfu_irq.c.
 */
#ifndef MODEL_REGS_H
#define MODEL_REGS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "xrdma_regs.h"

struct model_device;
struct model_why;

/**
 * struct model_regs - registers that hold a value
 * @cmd_base: XRDMA_REG_CMD_BASE
 * @rsp_base: XRDMA_REG_RSP_BASE
 * @mpt_root: XRDMA_REG_MPT_ROOT
 * @clock: XRDMA_REG_CLOCK when it, or its low half, was last read
 * @cmd_log: XRDMA_REG_CMD_LOG
 * @status: XRDMA_REG_STATUS
 */
struct model_regs {
	u64 cmd_base;
	u64 rsp_base;
	u64 mpt_root;
	u64 clock;
	u32 cmd_log;
	u32 status;
};

/**
 * struct model_reg_lie - false value of a register, for tests
 * @offset: XRDMA_REG_* of the register
 * @value: value that reads return
 * @count: number of reads that still return @value; 0: none
 */
struct model_reg_lie {
	u32 offset;
	u64 value;
	u32 count;
};

/* Set the registers to their values after a reset. */
static inline void model_regs_reset(struct model_regs *regs)
{
	*regs = (struct model_regs) { .status = XRDMA_STATUS_READY };
}

void model_regs_read(struct model_device *dev, u64 off, void *buf, size_t len);
void model_regs_write(struct model_device *dev, u64 off, const void *buf,
		      size_t len);
void model_regs_lie_end(struct model_device *dev);
int model_regs_lie(struct model_device *dev, const char *name, u64 value,
		   u32 count, struct model_why *why);

#endif /* MODEL_REGS_H */
