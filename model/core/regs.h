/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Registers of BAR 0 and what writing them causes: ENABLE, RESET, the command
 * doorbell.
 */
#ifndef XRDMA_MODEL_REGS_H
#define XRDMA_MODEL_REGS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "xrdma_regs.h"

struct xrdma_device;

/**
 * struct xrdma_regs - registers that hold a value
 * @cmd_base: XRDMA_REG_CMD_BASE
 * @rsp_base: XRDMA_REG_RSP_BASE
 * @mpt_root: XRDMA_REG_MPT_ROOT
 * @cmd_log: XRDMA_REG_CMD_LOG
 * @status: XRDMA_REG_STATUS
 */
struct xrdma_regs {
	u64 cmd_base;
	u64 rsp_base;
	u64 mpt_root;
	u32 cmd_log;
	u32 status;
};

/**
 * struct xrdma_reg_lie - a register that reads wrong, for tests
 * @offset: XRDMA_REG_* of the register
 * @value: what it reads as
 * @count: how many more reads find that; 0: none
 */
struct xrdma_reg_lie {
	u32 offset;
	u64 value;
	u32 count;
};

/* The values after a reset. */
static inline void xrdma_regs_reset(struct xrdma_regs *regs)
{
	*regs = (struct xrdma_regs) { .status = XRDMA_STATUS_READY };
}

void xrdma_regs_read(struct xrdma_device *dev, u64 off, void *buf, size_t len);
void xrdma_regs_write(struct xrdma_device *dev, u64 off, const void *buf,
		      size_t len);
int xrdma_regs_lie(struct xrdma_device *dev, const char *name, u64 value,
		   u32 count);

#endif /* XRDMA_MODEL_REGS_H */
