// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Can a driver choose the network namespace of a new device? */
#include <rdma/ib_verbs.h>

struct probe_device {
	struct ib_device ibdev;
};

static __maybe_unused struct probe_device *probe(struct ib_device *other)
{
	return ib_alloc_device_with_net(probe_device, ibdev,
					rdma_dev_net(other));
}
