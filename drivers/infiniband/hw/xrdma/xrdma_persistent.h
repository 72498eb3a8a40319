/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA persistent memory: see xrdma_persistent.c.
 */

#ifndef XRDMA_PERSISTENT_H
#define XRDMA_PERSISTENT_H

#include <linux/types.h>

bool xrdma_persistent_exists(void);
bool xrdma_is_persistent(phys_addr_t start, u64 length);

#endif /* XRDMA_PERSISTENT_H */
