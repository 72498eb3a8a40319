// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Does ethtool have an operation for the number of receive rings? */
#include <linux/ethtool.h>

static u32 probe_rx_ring_count(struct net_device *ndev)
{
	return 1;
}

const struct ethtool_ops probe = {
	.get_rx_ring_count = probe_rx_ring_count,
};
