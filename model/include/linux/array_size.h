/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* ARRAY_SIZE() of the Linux kernel, for user space. */

#ifndef XRDMA_MODEL_LINUX_ARRAY_SIZE_H
#define XRDMA_MODEL_LINUX_ARRAY_SIZE_H

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#endif /* XRDMA_MODEL_LINUX_ARRAY_SIZE_H */
