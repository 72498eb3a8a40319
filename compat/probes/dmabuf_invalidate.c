// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What is the operation called by which a dma-buf is taken back? */
#include <linux/dma-buf.h>

const struct dma_buf_attach_ops probe = {
	.invalidate_mappings = NULL,
};
