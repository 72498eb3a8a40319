// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Registers of BAR 0: a table of offset, width, and functions for reads and
 * writes. An access to any other offset is a host error. Command doorbells are
 * handled in cmdq.c, those of the resume ring in resume.c; the reset is in
 * reset.c.
 */
#include <endian.h>
#include <errno.h>
#include <linux/array_size.h>
#include <string.h>

#include "base/why.h"
#include "core/device.h"
#include "core/regs.h"
#include "xrdma_xlat.h"

/**
 * struct reg - a register
 * @offset: offset in the BAR
 * @width: bytes, 4 or 8
 * @name: name for host errors
 * @get: return the value; NULL: reads are illegal
 * @set: handle a write; NULL: writes are illegal
 * @cap: XRDMA_CAP_* without which the register does not exist; 0: none
 */
struct reg {
	u32 offset;
	u8 width;
	const char *name;
	u64 (*get)(const struct model_device *dev);
	void (*set)(struct model_device *dev, u64 value);
	u64 cap;
};

static u64 get_magic(const struct model_device *dev)
{
	(void)dev;
	return XRDMA_MAGIC;
}

static u64 get_version(const struct model_device *dev)
{
	(void)dev;
	return FIELD_PREP(XRDMA_VERSION_MAJOR, XRDMA_CONTRACT_MAJOR) |
	       FIELD_PREP(XRDMA_VERSION_MINOR, XRDMA_CONTRACT_MINOR);
}

static u64 get_caps(const struct model_device *dev)
{
	return dev->caps;
}

static u64 get_ctrl(const struct model_device *dev)
{
	if (!(dev->regs.status & XRDMA_STATUS_ENABLED))
		return 0;
	return XRDMA_CTRL_ENABLE | (dev->shadow_db ? XRDMA_CTRL_SHADOW_DB : 0);
}

static u64 get_status(const struct model_device *dev)
{
	return dev->regs.status;
}

static u64 get_cmd_base(const struct model_device *dev)
{
	return dev->regs.cmd_base;
}

static u64 get_rsp_base(const struct model_device *dev)
{
	return dev->regs.rsp_base;
}

static u64 get_cmd_log(const struct model_device *dev)
{
	return dev->regs.cmd_log;
}

static u64 get_mpt_root(const struct model_device *dev)
{
	return dev->regs.mpt_root;
}

static u64 get_mac_lo(const struct model_device *dev)
{
	const u8 *mac = dev->params.mac;

	return mac[0] | mac[1] << 8 | mac[2] << 16 | (u32)mac[3] << 24;
}

static u64 get_mac_hi(const struct model_device *dev)
{
	return dev->params.mac[4] | dev->params.mac[5] << 8;
}

static u64 get_clock(const struct model_device *dev)
{
	return dev->regs.clock;
}

static bool config_ok(const struct model_regs *regs)
{
	u64 mask = XRDMA_PAGE_SIZE - 1;

	return !(regs->cmd_base & mask) && !(regs->rsp_base & mask) &&
	       regs->cmd_log >= XRDMA_CMD_LOG_MIN &&
	       regs->cmd_log <= XRDMA_CMD_LOG_MAX &&
	       xrdma_root_ok(regs->mpt_root);
}

static void enable(struct model_device *dev)
{
	struct model_regs *regs = &dev->regs;
	int err;

	if (regs->status & XRDMA_STATUS_FATAL) {
		model_dev_herr(dev, REG_ILLEGAL, "ENABLE in the fatal state");
		return;
	}
	if (!config_ok(regs)) {
		model_dev_herr(dev, REG_ILLEGAL,
			       "ENABLE: CMD_BASE %#llx, RSP_BASE %#llx, CMD_LOG %u, MPT_ROOT %#llx",
			       regs->cmd_base, regs->rsp_base, regs->cmd_log,
			       regs->mpt_root);
		model_device_fatal(dev, XRDMA_FATAL_BAD_CONFIG);
		return;
	}
	dev->live = true;
	model_keys_enable(dev, regs->mpt_root);
	err = model_cmdq_enable(dev, regs->cmd_base, regs->rsp_base,
				regs->cmd_log);
	if (err == -EINVAL) {
		model_dev_herr(dev, RING_DIRTY, "reply ring");
		model_device_fatal(dev, XRDMA_FATAL_BAD_CONFIG);
	} else if (err) {
		model_device_fatal(dev, XRDMA_FATAL_DMA);
	} else {
		regs->status |= XRDMA_STATUS_ENABLED;
	}
}

/* Whether a write may set these bits of CTRL; shadow doorbells need ENABLE. */
static bool ctrl_ok(const struct model_device *dev, u64 value)
{
	u64 allowed = XRDMA_CTRL_ENABLE | XRDMA_CTRL_RESET;

	if (dev->caps & XRDMA_CAP_SHADOW_DB && value & XRDMA_CTRL_ENABLE)
		allowed |= XRDMA_CTRL_SHADOW_DB;
	return !(value & ~allowed);
}

static void set_ctrl(struct model_device *dev, u64 value)
{
	if (!ctrl_ok(dev, value)) {
		model_dev_herr(dev, REG_RESERVED, "CTRL = %#llx", value);
		return;
	}
	if (value & XRDMA_CTRL_RESET) {
		model_device_reset(dev);
	} else if (!model_device_enabled(dev)) {
		if (!(value & XRDMA_CTRL_ENABLE))
			return;
		dev->shadow_db = value & XRDMA_CTRL_SHADOW_DB;
		enable(dev);
	} else if (value != get_ctrl(dev)) {
		model_dev_herr(dev, REG_ILLEGAL, "CTRL = %#llx while enabled",
			       value);
	}
}

/* Whether registers that are only writable before ENABLE may be written. */
static bool settable(struct model_device *dev, const char *name)
{
	if (!model_device_enabled(dev))
		return true;
	model_dev_herr(dev, REG_ILLEGAL, "%s written while enabled", name);
	return false;
}

static void set_cmd_base(struct model_device *dev, u64 value)
{
	if (settable(dev, "CMD_BASE"))
		dev->regs.cmd_base = value;
}

static void set_rsp_base(struct model_device *dev, u64 value)
{
	if (settable(dev, "RSP_BASE"))
		dev->regs.rsp_base = value;
}

static void set_cmd_log(struct model_device *dev, u64 value)
{
	if (settable(dev, "CMD_LOG"))
		dev->regs.cmd_log = value;
}

static void set_mpt_root(struct model_device *dev, u64 value)
{
	if (settable(dev, "MPT_ROOT"))
		dev->regs.mpt_root = value;
}

static void set_cmd_db(struct model_device *dev, u64 value)
{
	if (model_device_enabled(dev))
		model_cmdq_doorbell(dev, value);
	else
		model_dev_herr(dev, REG_ILLEGAL, "CMD_DB before ENABLE");
}

static void set_resume_db(struct model_device *dev, u64 value)
{
	if (dev->pager.eq)
		model_resume_doorbell(dev, value);
	else
		model_dev_herr(dev, REG_ILLEGAL, "RESUME_DB before ENABLE_ODP");
}

#define REG(reg, bytes, getter, setter)					\
	{ XRDMA_REG_##reg, bytes, #reg, getter, setter, 0 }

static const struct reg registers[] = {
	REG(MAGIC, 4, get_magic, NULL),
	REG(VERSION, 4, get_version, NULL),
	REG(CAPS, 8, get_caps, NULL),
	REG(CTRL, 4, get_ctrl, set_ctrl),
	REG(STATUS, 4, get_status, NULL),
	REG(CMD_BASE, 8, get_cmd_base, set_cmd_base),
	REG(RSP_BASE, 8, get_rsp_base, set_rsp_base),
	REG(CMD_LOG, 4, get_cmd_log, set_cmd_log),
	REG(CMD_DB, 4, NULL, set_cmd_db),
	REG(MPT_ROOT, 8, get_mpt_root, set_mpt_root),
	REG(MAC_LO, 4, get_mac_lo, NULL),
	REG(MAC_HI, 4, get_mac_hi, NULL),
	REG(RESUME_DB, 4, NULL, set_resume_db),
	{ XRDMA_REG_CLOCK, 8, "CLOCK", get_clock, NULL, XRDMA_CAP_CLOCK },
};

#define NUM_REGISTERS	ARRAY_SIZE(registers)

/* Find the register of an access to all or one half of it; or host error. */
static const struct reg *find(struct model_device *dev, u64 off, size_t len,
			      const char *how)
{
	const struct reg *reg;

	for (reg = registers; reg < registers + NUM_REGISTERS; reg++)
		if (off >= reg->offset && off < reg->offset + reg->width)
			break;
	if (reg == registers + NUM_REGISTERS || reg->cap & ~dev->caps) {
		model_dev_herr(dev, REG_RESERVED, "%s of %zu bytes at %#llx",
			       how, len, off);
		return NULL;
	}
	if (len < sizeof(u32) || len > reg->width) {
		model_dev_herr(dev, BAR_ACCESS, "%s of %zu bytes at %#llx (%s)",
			       how, len, off, reg->name);
		return NULL;
	}
	return reg;
}

/* A read of the low half fixes the value of the high half. */
static void latch(struct model_device *dev, u64 off)
{
	if (off == XRDMA_REG_CLOCK)
		dev->regs.clock = model_device_time(dev);
}

/*
 * Return: value of a register for the host, which model_regs_lie() may falsify
 */
static u64 shown(struct model_device *dev, const struct reg *reg)
{
	if (!dev->lie.count || dev->lie.offset != reg->offset)
		return reg->get(dev);
	dev->lie.count--;
	return dev->lie.value;
}

/* The registers that can be read, as a list in @why. */
static void list_readable(struct model_why *why)
{
	const char *words[NUM_REGISTERS];
	u32 i;

	for (i = 0; i < NUM_REGISTERS; i++)
		words[i] = registers[i].get ? registers[i].name : NULL;
	model_why_list(why, words, NUM_REGISTERS);
}

/**
 * model_regs_lie_end() - end the false values of registers
 * @dev: the device
 */
void model_regs_lie_end(struct model_device *dev)
{
	dev->lie.count = 0;
}

/**
 * model_regs_lie - make reads of one register return a false value, for tests
 * @dev: the device
 * @name: name of the register, without prefix
 * @value: value that reads return
 * @count: number of reads that return @value
 * @why: reason of a failure
 *
 * Return: 0, or -ENOENT if the register does not exist or cannot be read.
 */
int model_regs_lie(struct model_device *dev, const char *name, u64 value,
		   u32 count, struct model_why *why)
{
	const struct reg *reg;

	for (reg = registers; reg < registers + NUM_REGISTERS; reg++) {
		if (!reg->get || strcmp(reg->name, name))
			continue;
		dev->lie = (struct model_reg_lie) {
			.offset = reg->offset, .value = value, .count = count
		};
		return 0;
	}
	model_why(why, -ENOENT, "register: no such word: '%s'; words: ", name);
	list_readable(why);
	return -ENOENT;
}

/**
 * model_regs_read - read from BAR 0
 * @dev: the device
 * @off: offset in the BAR, a multiple of @len
 * @buf: buffer for the value, little-endian; zero if the access is illegal
 * @len: 1, 2, 4 or 8
 */
void model_regs_read(struct model_device *dev, u64 off, void *buf, size_t len)
{
	const struct reg *reg = find(dev, off, len, "read");
	u64 value = 0;

	if (reg && !reg->get) {
		model_dev_herr(dev, REG_RESERVED, "read of %s", reg->name);
	} else if (reg) {
		latch(dev, off);
		value = shown(dev, reg) >> (8 * (off - reg->offset));
	}
	value = htole64(value);
	memcpy(buf, &value, len);
}

/**
 * model_regs_write - write to BAR 0
 * @dev: the device
 * @off: offset in the BAR, a multiple of @len
 * @buf: the value, little-endian
 * @len: 1, 2, 4 or 8
 */
void model_regs_write(struct model_device *dev, u64 off, const void *buf,
		      size_t len)
{
	const struct reg *reg = find(dev, off, len, "write");
	u64 value = 0, old;

	if (!reg)
		return;
	if (!reg->set) {
		model_dev_herr(dev, REG_RESERVED, "write of %s", reg->name);
		return;
	}
	memcpy(&value, buf, len);
	value = le64toh(value);
	if (len < reg->width) {
		old = reg->get(dev);
		value = off == reg->offset ?
			(old & GENMASK_ULL(63, 32)) | value :
			(old & GENMASK_ULL(31, 0)) | value << 32;
	}
	reg->set(dev, value);
}
