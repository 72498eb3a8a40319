// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA operations of ethtool for queues: number of channels (-l, -L), ring sizes
 * (-g, -G), and receive side scaling (-x, -X, -n). xrdma_eth_port.c makes the changes,
 * all other operations are in xrdma_ethtool.c.
 */

#include <linux/ethtool.h>
#include <linux/log2.h>
#include "xrdma_eth.h"
#include "xrdma_ibdev.h"

/* ---- channels --------------------------------------------------------------- */

/**
 * xrdma_get_channels() - ethtool_ops.get_channels
 * @ndev: the netdev
 * @num: zeroed; filled in
 *
 * Context: under the RTNL.
 */
void xrdma_get_channels(struct net_device *ndev, struct ethtool_channels *num)
{
	const struct xrdma_netdev *xn = netdev_priv(ndev);

	num->max_combined = ndev->num_rx_queues;
	num->combined_count = xn->shape.channels;
}

/**
 * xrdma_set_channels() - ethtool_ops.set_channels
 * @ndev: the netdev
 * @num: the new numbers, which the network stack has checked
 *
 * An indirection table that the user has not set is made anew.
 *
 * Context: may sleep, under the RTNL.
 * Return: 0, or an error of xrdma_port_reshape(): nothing has changed.
 */
int xrdma_set_channels(struct net_device *ndev, struct ethtool_channels *num)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);
	struct xrdma_eth_shape shape = xn->shape;
	int err;

	shape.channels = num->combined_count;
	if (!netif_is_rxfh_configured(ndev))
		xrdma_eth_rss_reset(&xn->rss, shape.channels);
	err = xrdma_port_reshape(xn, &shape);
	if (err && !netif_is_rxfh_configured(ndev))
		xrdma_eth_rss_reset(&xn->rss, xn->shape.channels);
	return err;
}

/* ---- rings ------------------------------------------------------------------ */

/* Without a device, the rings cannot become larger than they are. */
static u32 xrdma_max_depth(const struct xrdma_netdev *xn)
{
	const struct xrdma_dev *xdev = xrdma_netdev_hw(xn);

	if (!xdev)
		return max(xn->shape.rx_depth, xn->shape.tx_depth);
	return min(rounddown_pow_of_two(xdev->caps.max_qp_wr),
		   XRDMA_ETH_MAX_DEPTH);
}

/**
 * xrdma_get_ringparam() - ethtool_ops.get_ringparam
 * @ndev: the netdev
 * @ring: zeroed; filled in
 * @kernel_ring: not used
 * @extack: not used
 *
 * Context: under the RTNL.
 */
void xrdma_get_ringparam(struct net_device *ndev,
			 struct ethtool_ringparam *ring,
			 struct kernel_ethtool_ringparam *kernel_ring,
			 struct netlink_ext_ack *extack)
{
	const struct xrdma_netdev *xn = netdev_priv(ndev);

	ring->rx_max_pending = xrdma_max_depth(xn);
	ring->rx_pending = xn->shape.rx_depth;
	ring->tx_max_pending = xrdma_max_depth(xn);
	ring->tx_pending = xn->shape.tx_depth;
}

/**
 * xrdma_set_ringparam() - ethtool_ops.set_ringparam
 * @ndev: the netdev
 * @ring: the new sizes, which are rounded up to powers of two; the network stack
 *	has checked that they are not too large
 * @kernel_ring: not used
 * @extack: gets the reason for an error
 *
 * Context: may sleep, under the RTNL.
 * Return: 0, -EINVAL: too small, or an error of xrdma_port_reshape(): nothing has
 * changed.
 */
int xrdma_set_ringparam(struct net_device *ndev, struct ethtool_ringparam *ring,
			struct kernel_ethtool_ringparam *kernel_ring,
			struct netlink_ext_ack *extack)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);
	struct xrdma_eth_shape shape = xn->shape;

	if (ring->rx_pending < XRDMA_ETH_MIN_DEPTH ||
	    ring->tx_pending < XRDMA_ETH_MIN_DEPTH) {
		NL_SET_ERR_MSG_MOD(extack, "a ring has at least 64 entries");
		return -EINVAL;
	}
	shape.rx_depth = roundup_pow_of_two(ring->rx_pending);
	shape.tx_depth = roundup_pow_of_two(ring->tx_pending);
	if (shape.rx_depth == xn->shape.rx_depth &&
	    shape.tx_depth == xn->shape.tx_depth)
		return 0;
	return xrdma_port_reshape(xn, &shape);
}

/* ---- receive side scaling --------------------------------------------------- */

/**
 * xrdma_get_rxfh_indir_size() - ethtool_ops.get_rxfh_indir_size
 * @ndev: the netdev
 *
 * Context: any.
 * Return: number of entries; 0: the device has no receive side scaling.
 */
u32 xrdma_get_rxfh_indir_size(struct net_device *ndev)
{
	const struct xrdma_netdev *xn = netdev_priv(ndev);

	return xn->rss.size;
}

/**
 * xrdma_get_rxfh_key_size() - ethtool_ops.get_rxfh_key_size
 * @ndev: the netdev
 *
 * Context: any.
 * Return: bytes; 0: the device has no receive side scaling.
 */
u32 xrdma_get_rxfh_key_size(struct net_device *ndev)
{
	const struct xrdma_netdev *xn = netdev_priv(ndev);

	return xn->rss.size ? sizeof(xn->rss.key) : 0;
}

/**
 * xrdma_get_rxfh() - ethtool_ops.get_rxfh
 * @ndev: the netdev
 * @rxfh: gets hash function, table and key
 *
 * Context: under the RTNL.
 * Return: 0, or -EOPNOTSUPP: the device has no receive side scaling.
 */
int xrdma_get_rxfh(struct net_device *ndev, struct ethtool_rxfh_param *rxfh)
{
	const struct xrdma_netdev *xn = netdev_priv(ndev);
	const struct xrdma_eth_rss *rss = &xn->rss;

	if (!rss->size)
		return -EOPNOTSUPP;
	rxfh->hfunc = ETH_RSS_HASH_TOP;
	if (rxfh->indir)
		memcpy(rxfh->indir, rss->indir,
		       rss->size * sizeof(*rss->indir));
	if (rxfh->key)
		memcpy(rxfh->key, rss->key, sizeof(rss->key));
	return 0;
}

/**
 * xrdma_set_rxfh() - ethtool_ops.set_rxfh
 * @ndev: the netdev
 * @rxfh: hash function, table and key; the network stack has checked that the table
 *	has no channel that does not exist
 * @extack: not used
 *
 * Context: may sleep, under the RTNL.
 * Return: 0, -EOPNOTSUPP for another hash function, or an error of
 * xrdma_port_rehash(): nothing has changed.
 */
int xrdma_set_rxfh(struct net_device *ndev, struct ethtool_rxfh_param *rxfh,
		   struct netlink_ext_ack *extack)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);
	struct xrdma_eth_rss rss = xn->rss;

	if (!rss.size || (rxfh->hfunc != ETH_RSS_HASH_NO_CHANGE &&
			  rxfh->hfunc != ETH_RSS_HASH_TOP))
		return -EOPNOTSUPP;
	if (rxfh->indir)
		memcpy(rss.indir, rxfh->indir, rss.size * sizeof(*rss.indir));
	if (rxfh->key)
		memcpy(rss.key, rxfh->key, sizeof(rss.key));
	return xrdma_port_rehash(xn, &rss);
}

/**
 * xrdma_get_rxfh_fields() - ethtool_ops.get_rxfh_fields
 * @ndev: the netdev
 * @fields: has the type of the packets; gets the fields of the hash
 *
 * Context: under the RTNL.
 * Return: 0, or -EOPNOTSUPP: the device has no receive side scaling.
 */
int xrdma_get_rxfh_fields(struct net_device *ndev,
			  struct ethtool_rxfh_fields *fields)
{
	const struct xrdma_netdev *xn = netdev_priv(ndev);

	if (!xn->rss.size)
		return -EOPNOTSUPP;
	switch (fields->flow_type) {
	case TCP_V4_FLOW:
	case UDP_V4_FLOW:
	case TCP_V6_FLOW:
	case UDP_V6_FLOW:
		fields->data = RXH_IP_SRC | RXH_IP_DST | RXH_L4_B_0_1 |
			       RXH_L4_B_2_3;
		return 0;
	case IPV4_FLOW:
	case IPV6_FLOW:
		fields->data = RXH_IP_SRC | RXH_IP_DST;
		return 0;
	default:
		fields->data = 0;
		return 0;
	}
}

/**
 * xrdma_get_rx_ring_count() - ethtool_ops.get_rx_ring_count
 * @ndev: the netdev
 *
 * Context: under the RTNL.
 * Return: number of receive queues.
 */
u32 xrdma_get_rx_ring_count(struct net_device *ndev)
{
	const struct xrdma_netdev *xn = netdev_priv(ndev);

	return xn->shape.channels;
}
