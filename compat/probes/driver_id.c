// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Is RDMA_DRIVER_XRDMA in enum rdma_driver_id? */
#include <rdma/ib_verbs.h>

const enum rdma_driver_id probe = RDMA_DRIVER_XRDMA;
