// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Has reg_user_mr the parameter dmah (DMA handle)? */
#include <rdma/ib_verbs.h>

static struct ib_mr *probe_reg(struct ib_pd *pd, u64 start, u64 length,
			       u64 iova, int access, struct ib_dmah *dmah,
			       struct ib_udata *udata)
{
	return NULL;
}

const struct ib_device_ops probe = {
	.reg_user_mr = probe_reg,
};
