/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Accesses to memory that another party reads or writes, for user space. */

#ifndef XRDMA_MODEL_LINUX_COMPILER_H
#define XRDMA_MODEL_LINUX_COMPILER_H

#define WRITE_ONCE(x, value)	__atomic_store_n(&(x), value, __ATOMIC_RELAXED)

#endif /* XRDMA_MODEL_LINUX_COMPILER_H */
