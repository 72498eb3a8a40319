// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Can ib_core export the mappings of a process as a dma-buf? */
#include <linux/pci-p2pdma.h>
#include <rdma/ib_verbs.h>

static int probe_pfns(struct rdma_user_mmap_entry *entry, struct phys_vec *phys,
		      struct p2pdma_provider **provider)
{
	return pcim_p2pdma_init(NULL);
}

const struct ib_device_ops probe = {
	.mmap_get_pfns = probe_pfns,
};
