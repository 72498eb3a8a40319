// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Does the core turn link changes of a netdev into port events? */
#include <rdma/ib_verbs.h>

void probe(struct ib_device *ibdev, struct net_device *netdev);
void probe(struct ib_device *ibdev, struct net_device *netdev)
{
	ib_dispatch_port_state_event(ibdev, netdev);
}
