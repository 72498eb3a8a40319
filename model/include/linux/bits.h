/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Bit masks of the Linux kernel, for user space. */

#ifndef XRDMA_MODEL_LINUX_BITS_H
#define XRDMA_MODEL_LINUX_BITS_H

#define BIT(n)			(1U << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK(high, low)	((~0U << (low)) & (~0U >> (31 - (high))))
#define GENMASK_ULL(high, low)	((~0ULL << (low)) & (~0ULL >> (63 - (high))))

#endif /* XRDMA_MODEL_LINUX_BITS_H */
