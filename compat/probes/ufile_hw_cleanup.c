// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Is a driver told that a user context ends, and may it look into it? */
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_types.h>

static void probe_cleanup(struct ib_uverbs_file *ufile)
{
	ufile->ucontext = NULL;
}

const struct ib_device_ops probe = {
	.ufile_hw_cleanup = probe_cleanup,
};
