// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Has to compile: else the kernel's headers or flags are not usable. */
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>
