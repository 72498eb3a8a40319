// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Does ib_core call the driver before it stops polling a completion queue? */
#include <rdma/ib_verbs.h>

static int probe_pre(struct ib_cq *cq)
{
	return 0;
}

static void probe_post(struct ib_cq *cq)
{
}

const struct ib_device_ops probe = {
	.pre_destroy_cq = probe_pre,
	.post_destroy_cq = probe_post,
};
