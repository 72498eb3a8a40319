// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Does the kernel know the driver by its number? */
#include <rdma/ib_verbs.h>

const enum rdma_driver_id probe = RDMA_DRIVER_XRDMA;
