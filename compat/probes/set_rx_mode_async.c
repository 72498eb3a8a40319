// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Is there an operation for changed address lists that may sleep? */
#include <linux/netdevice.h>

static int probe_set_rx_mode(struct net_device *ndev,
			     struct netdev_hw_addr_list *uc,
			     struct netdev_hw_addr_list *mc)
{
	return 0;
}

const struct net_device_ops probe = {
	.ndo_set_rx_mode_async = probe_set_rx_mode,
};
