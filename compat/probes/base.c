// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * This file must compile: else headers or flags of the kernel are not usable.
 */
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>
