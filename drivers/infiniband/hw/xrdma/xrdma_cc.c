// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA congestion control: files in debugfs that show and change the
 * parameters of the device. The parameters are described in the specification,
 * xrdma-hw.rst, the commands are in xrdma_cmd_port.c.
 *
 * debugfs: xrdma/<PCI function>/cc/<field of struct xrdma_cc>
 */

#include <linux/debugfs.h>
#include <linux/slab.h>
#include "xrdma_cc.h"
#include "xrdma_cmd.h"
#include "xrdma_fault.h"
#include "xrdma_ibdev.h"

/**
 * struct xrdma_cc_field - a parameter
 * @name: name of the file
 * @offset: offset of the field in struct xrdma_cc, in bytes
 * @size: size of the field in bytes: 2 or 4
 * @min: lowest value
 * @max: highest value
 */
struct xrdma_cc_field {
	const char *name;
	u8 offset;
	u8 size;
	u32 min;
	u32 max;
};

#define XRDMA_CC_FIELD(field, bytes, lowest, highest) {			\
	.name = #field,							\
	.offset = offsetof(struct xrdma_cc, field),			\
	.size = bytes,							\
	.min = lowest,							\
	.max = highest,							\
}

/* The ranges are those of struct xrdma_cc: the driver sends no other values. */
static const struct xrdma_cc_field xrdma_cc_fields[] = {
	XRDMA_CC_FIELD(flags, 4, 0, XRDMA_CC_RP | XRDMA_CC_NP),
	XRDMA_CC_FIELD(min_rate, 4, 1, U32_MAX),
	XRDMA_CC_FIELD(ai_rate, 4, 0, U32_MAX),
	XRDMA_CC_FIELD(hai_rate, 4, 0, U32_MAX),
	XRDMA_CC_FIELD(time_reset, 4, 1, U32_MAX),
	XRDMA_CC_FIELD(byte_reset, 4, 1, U32_MAX),
	XRDMA_CC_FIELD(threshold, 4, 1, 31),
	XRDMA_CC_FIELD(alpha_timer, 4, 1, U32_MAX),
	XRDMA_CC_FIELD(alpha_g, 2, 1, 1023),
	XRDMA_CC_FIELD(initial_alpha, 2, 0, 1024),
	XRDMA_CC_FIELD(reduce_period, 4, 0, U32_MAX),
	XRDMA_CC_FIELD(cnp_interval, 4, 0, U32_MAX),
};

/**
 * struct xrdma_cc_file - private data of a file
 * @xib: the device
 * @field: parameter that the file shows
 */
struct xrdma_cc_file {
	struct xrdma_ibdev *xib;
	const struct xrdma_cc_field *field;
};

/**
 * struct xrdma_cc_dir - the files of a device
 * @lock: serialises the sequences of QUERY_CC and MODIFY_CC: a write to one
 *	file does not overwrite the parameter of another
 * @dir: directory in debugfs
 * @files: one file for each element of xrdma_cc_fields
 */
struct xrdma_cc_dir {
	struct mutex lock; /* from QUERY_CC to MODIFY_CC */
	struct dentry *dir;
	struct xrdma_cc_file files[ARRAY_SIZE(xrdma_cc_fields)];
};

static int xrdma_cc_get(void *data, u64 *value)
{
	const struct xrdma_cc_file *file = data;
	struct xrdma_cc cc;
	void *at = (void *)&cc + file->field->offset;
	int err;

	err = xrdma_cmd_query_cc(&file->xib->hw, &cc);
	if (err)
		return err;
	*value = file->field->size == sizeof(__le16) ?
		 le16_to_cpup(at) : le32_to_cpup(at);
	return 0;
}

static int xrdma_cc_set(void *data, u64 value)
{
	const struct xrdma_cc_file *file = data;
	struct xrdma_cc_dir *dir = file->xib->cc;
	u8 size = file->field->size;
	struct xrdma_cc cc;
	void *at = (void *)&cc + file->field->offset;
	int err;

	if (value < file->field->min || value > file->field->max)
		return -EINVAL;
	mutex_lock(&dir->lock);
	err = xrdma_cmd_query_cc(&file->xib->hw, &cc);
	if (!err) {
		if (size == sizeof(__le16))
			*(__le16 *)at = cpu_to_le16(value);
		else
			*(__le32 *)at = cpu_to_le32(value);
		err = xrdma_cmd_modify_cc(&file->xib->hw, &cc);
	}
	mutex_unlock(&dir->lock);
	return err;
}

DEFINE_DEBUGFS_ATTRIBUTE(xrdma_cc_fops, xrdma_cc_get, xrdma_cc_set, "%llu\n");

/**
 * xrdma_cc_create() - create the files
 * @xib: the device, whose commands work
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int xrdma_cc_create(struct xrdma_ibdev *xib)
{
	struct xrdma_cc_dir *dir;
	int i;

	if (!(xib->hw.caps.flags & XRDMA_CAP_CC))
		return 0;
	dir = kzalloc_obj(*dir);
	if (!dir)
		return -ENOMEM;
	mutex_init(&dir->lock);
	xib->cc = dir;
	dir->dir = debugfs_create_dir("cc", xrdma_debugfs_dir(xib));
	for (i = 0; i < ARRAY_SIZE(xrdma_cc_fields); i++) {
		struct xrdma_cc_file *file = &dir->files[i];

		file->xib = xib;
		file->field = &xrdma_cc_fields[i];
		debugfs_create_file_unsafe(file->field->name, 0600, dir->dir,
					   file, &xrdma_cc_fops);
	}
	return 0;
}

/**
 * xrdma_cc_destroy() - remove the files
 * @xib: the device; nothing happens if it has no files
 *
 * Context: may sleep; waits until no file is being read or written.
 */
void xrdma_cc_destroy(struct xrdma_ibdev *xib)
{
	struct xrdma_cc_dir *dir = xib->cc;

	if (!dir)
		return;
	debugfs_remove(dir->dir);
	mutex_destroy(&dir->lock);
	kfree(dir);
	xib->cc = NULL;
}
