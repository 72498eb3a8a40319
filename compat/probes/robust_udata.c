// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Can a driver say that it checks all driver data? */
#include <rdma/ib_verbs.h>

const struct ib_device_ops probe = {
	.uverbs_robust_udata = 1,
};
