// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Is the operation called resize_user_cq, or resize_cq? */
#include <rdma/ib_verbs.h>

static int probe_resize(struct ib_cq *cq, unsigned int cqe,
			struct ib_udata *udata)
{
	return 0;
}

const struct ib_device_ops probe = {
	.resize_user_cq = probe_resize,
};
