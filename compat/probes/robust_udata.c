// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Has struct ib_device_ops the member uverbs_robust_udata? */
#include <rdma/ib_verbs.h>

const struct ib_device_ops probe = {
	.uverbs_robust_udata = 1,
};
