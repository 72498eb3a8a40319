/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Compile-time assertions of the Linux kernel, for user space. */

#ifndef XRDMA_MODEL_LINUX_BUILD_BUG_H
#define XRDMA_MODEL_LINUX_BUILD_BUG_H

#include <assert.h>

#endif /* XRDMA_MODEL_LINUX_BUILD_BUG_H */
