// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Has reg_user_mr_dmabuf the parameter dmah (DMA handle)? */
#include <rdma/ib_verbs.h>

static struct ib_mr *probe_reg(struct ib_pd *pd, u64 offset, u64 length,
			       u64 iova, int fd, int access,
			       struct ib_dmah *dmah,
			       struct uverbs_attr_bundle *attrs)
{
	return NULL;
}

const struct ib_device_ops probe = {
	.reg_user_mr_dmabuf = probe_reg,
};
