// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Is the operation called invalidate_mappings, or move_notify? */
#include <linux/dma-buf.h>

const struct dma_buf_attach_ops probe = {
	.invalidate_mappings = NULL,
};
