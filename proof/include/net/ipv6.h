/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Stand-in: ib_objects.h has what the proved files use of this header. */
#include <rdma/ib_objects.h>
