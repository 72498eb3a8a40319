// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Has counter_bind_qp a port, and can a driver set the size of a counter? */
#include <rdma/ib_verbs.h>

static int probe_bind(struct rdma_counter *counter, struct ib_qp *qp, u32 port)
{
	return 0;
}

static void probe_init(struct rdma_counter *counter)
{
}

const struct ib_device_ops probe = {
	.counter_bind_qp = probe_bind,
	.counter_init = probe_init,
	.size_rdma_counter = sizeof(struct rdma_counter),
};
