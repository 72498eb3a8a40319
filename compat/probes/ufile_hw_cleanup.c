// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Does ib_core call the driver when a user context ends, and is its type
 * public?
 */
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_types.h>

static void probe_cleanup(struct ib_uverbs_file *ufile)
{
	ufile->ucontext = NULL;
}

const struct ib_device_ops probe = {
	.ufile_hw_cleanup = probe_cleanup,
};
