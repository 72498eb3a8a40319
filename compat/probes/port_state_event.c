// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Does ib_core dispatch port events when the link of a netdev changes? */
#include <rdma/ib_verbs.h>

void probe(struct ib_device *ibdev, struct net_device *netdev);
void probe(struct ib_device *ibdev, struct net_device *netdev)
{
	ib_dispatch_port_state_event(ibdev, netdev);
}
