// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Does ethtool have an operation for the fields of the hash? */
#include <linux/ethtool.h>

static int probe_rxfh_fields(struct net_device *ndev,
			     struct ethtool_rxfh_fields *fields)
{
	return 0;
}

const struct ethtool_ops probe = {
	.get_rxfh_fields = probe_rxfh_fields,
};
