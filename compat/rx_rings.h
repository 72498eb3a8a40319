/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA on kernels in which one operation of ethtool, get_rxnfc, reports the number of
 * receive rings, and in older ones also the fields of the hash.
 */

#ifndef XRDMA_COMPAT_RX_RINGS_H
#define XRDMA_COMPAT_RX_RINGS_H

#include <linux/ethtool.h>
#include <linux/netdevice.h>

/* The kernel calls the wrapper in this file. ops.h explains the macro. */
#define get_rx_ring_count get_rxnfc
#define xrdma_get_rx_ring_count(...) \
	xrdma_native_get_rx_ring_count(__VA_ARGS__)

u32 xrdma_get_rx_ring_count(struct net_device *ndev);

#ifndef XRDMA_HAVE_RXFH_FIELDS
struct ethtool_rxfh_fields {
	u32 data;
	u32 flow_type;
	u32 rss_context;
};

/* The initializer sets a bit that is 0 to 0. */
#define get_rxfh_fields cap_rss_ctx_supported
#define xrdma_get_rxfh_fields(...) xrdma_native_get_rxfh_fields(__VA_ARGS__)
enum { xrdma_get_rxfh_fields };

int xrdma_get_rxfh_fields(struct net_device *ndev,
			  struct ethtool_rxfh_fields *fields);

static inline int xrdma_compat_rxfh_fields(struct net_device *ndev,
					   struct ethtool_rxnfc *info)
{
	struct ethtool_rxfh_fields fields = { .flow_type = info->flow_type };
	int err = xrdma_get_rxfh_fields(ndev, &fields);

	info->data = fields.data;
	return err;
}
#else
static inline int xrdma_compat_rxfh_fields(struct net_device *ndev,
					   struct ethtool_rxnfc *info)
{
	return -EOPNOTSUPP;
}
#endif

static inline int (xrdma_get_rx_ring_count)(struct net_device *ndev,
					    struct ethtool_rxnfc *info,
					    u32 *rules)
{
	if (info->cmd == ETHTOOL_GRXFH)
		return xrdma_compat_rxfh_fields(ndev, info);
	if (info->cmd != ETHTOOL_GRXRINGS)
		return -EOPNOTSUPP;
	info->data = xrdma_native_get_rx_ring_count(ndev);
	return 0;
}

#endif /* XRDMA_COMPAT_RX_RINGS_H */
