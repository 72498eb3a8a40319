/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Integer types of the Linux kernel, for user space, so that the model can
 * include the headers of the contract (include/uapi, xrdma_hw.h) and of the
 * driver without changes.
 */

#ifndef XRDMA_MODEL_LINUX_TYPES_H
#define XRDMA_MODEL_LINUX_TYPES_H

#include_next <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

#endif /* XRDMA_MODEL_LINUX_TYPES_H */
