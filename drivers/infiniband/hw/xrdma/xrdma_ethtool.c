// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA operations of ethtool: report driver, link speed and counters of the
 * Ethernet port, and set pause and moderation. Number and size of the queues, and
 * receive side scaling, are in xrdma_ethtool_queues.c, settings of the port in
 * xrdma_eth_port.c.
 */

#include <linux/ethtool.h>
#include "xrdma_eth.h"
#include "xrdma_ibdev.h"
#include "xrdma_query.h"
#include "xrdma_stats.h"

static void xrdma_get_drvinfo(struct net_device *ndev,
			      struct ethtool_drvinfo *info)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);

	strscpy(info->driver, KBUILD_MODNAME, sizeof(info->driver));
	strscpy(info->bus_info, dev_name(ndev->dev.parent),
		sizeof(info->bus_info));
	if (xrdma_netdev_hw(xn))
		xrdma_get_dev_fw_str(&xn->xib->ibdev, info->fw_version);
}

/* While the link is down, the speed is that of the last link. */
static int xrdma_get_link_ksettings(struct net_device *ndev,
				    struct ethtool_link_ksettings *settings)
{
	u32 speed = xrdma_port_speed(netdev_priv(ndev));

	settings->base.speed = speed ?: SPEED_UNKNOWN;
	settings->base.duplex = speed ? DUPLEX_FULL : DUPLEX_UNKNOWN;
	settings->base.port = PORT_OTHER;
	settings->base.autoneg = AUTONEG_DISABLE;
	return 0;
}

/*
 * The far end of the link can always hold the port back. The port holds the far
 * end back if the device can.
 */
static void xrdma_get_pauseparam(struct net_device *ndev,
				 struct ethtool_pauseparam *pause)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);
	u32 options = xn->options & xrdma_port_offered(xn);

	pause->rx_pause = 1;
	pause->tx_pause = !!(options & XRDMA_PORT_PAUSE);
}

static int xrdma_set_pauseparam(struct net_device *ndev,
				struct ethtool_pauseparam *pause)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);
	u32 options = xn->options & ~XRDMA_PORT_PAUSE;

	if (!xrdma_netdev_hw(xn))
		return -ENODEV;
	if (pause->autoneg || !pause->rx_pause)
		return -EINVAL;
	if (pause->tx_pause)
		options |= XRDMA_PORT_PAUSE;
	if (options & ~xrdma_port_offered(xn) & XRDMA_PORT_PAUSE)
		return -EOPNOTSUPP;
	return xrdma_port_set_options(xn, options);
}

static int xrdma_get_coalesce(struct net_device *ndev,
			      struct ethtool_coalesce *coal,
			      struct kernel_ethtool_coalesce *kernel_coal,
			      struct netlink_ext_ack *extack)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);

	coal->rx_coalesce_usecs = xn->rx_moderation.usecs;
	coal->rx_max_coalesced_frames = xn->rx_moderation.frames;
	coal->tx_coalesce_usecs = xn->tx_moderation.usecs;
	coal->tx_max_coalesced_frames = xn->tx_moderation.frames;
	return 0;
}

/* More than one frame without a time limit would leave frames in the queue. */
static int xrdma_fill_moderation(struct xrdma_eth_moderation *m, u32 frames,
				 u32 usecs, struct netlink_ext_ack *extack)
{
	if (frames > U16_MAX || usecs > U16_MAX) {
		NL_SET_ERR_MSG_MOD(extack, "the largest value is 65535");
		return -ERANGE;
	}
	if (frames > 1 && !usecs) {
		NL_SET_ERR_MSG_MOD(extack, "frames need a time limit");
		return -EINVAL;
	}
	m->frames = frames;
	m->usecs = usecs;
	return 0;
}

static int xrdma_set_coalesce(struct net_device *ndev,
			      struct ethtool_coalesce *coal,
			      struct kernel_ethtool_coalesce *kernel_coal,
			      struct netlink_ext_ack *extack)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);
	struct xrdma_eth_moderation old_rx = xn->rx_moderation;
	struct xrdma_eth_moderation old_tx = xn->tx_moderation;
	struct xrdma_eth_moderation rx, tx;
	int err;

	if (!xrdma_netdev_hw(xn))
		return -ENODEV;
	err = xrdma_fill_moderation(&rx, coal->rx_max_coalesced_frames,
				    coal->rx_coalesce_usecs, extack);
	if (!err)
		err = xrdma_fill_moderation(&tx, coal->tx_max_coalesced_frames,
					    coal->tx_coalesce_usecs, extack);
	if (err)
		return err;
	xn->rx_moderation = rx;
	xn->tx_moderation = tx;
	if (xn->eth)
		err = xrdma_eth_moderate(xn, xn->eth);
	if (!err)
		return 0;
	xn->rx_moderation = old_rx;
	xn->tx_moderation = old_tx;
	/* some queues may have the new values; new queues get the former ones */
	if (xrdma_eth_moderate(xn, xn->eth))
		xrdma_netdev_restart(xn);
	return err;
}

/* ---- statistics ------------------------------------------------------------ */

/**
 * struct xrdma_eth_stat - a counter of the network device
 * @name: name that ethtool shows
 * @offset: offset of the value in struct rtnl_link_stats64, in bytes
 */
struct xrdma_eth_stat {
	const char *name;
	size_t offset;
};

#define XRDMA_ETH_STAT(field) \
	{ "netdev_" #field, offsetof(struct rtnl_link_stats64, field) }

static const struct xrdma_eth_stat xrdma_eth_stats[] = {
	XRDMA_ETH_STAT(rx_packets),
	XRDMA_ETH_STAT(rx_bytes),
	XRDMA_ETH_STAT(rx_errors),
	XRDMA_ETH_STAT(rx_dropped),
	XRDMA_ETH_STAT(tx_packets),
	XRDMA_ETH_STAT(tx_bytes),
	XRDMA_ETH_STAT(tx_errors),
	XRDMA_ETH_STAT(tx_dropped),
};

/* Counters of merged frames, in the order of xrdma_eth_gro_stats() */
static const char * const xrdma_gro_stats[] = {
	"netdev_rx_hw_gro_packets",
	"netdev_rx_hw_gro_wire_packets",
};

static int xrdma_get_sset_count(struct net_device *ndev, int sset)
{
	if (sset != ETH_SS_STATS)
		return -EOPNOTSUPP;
	return ARRAY_SIZE(xrdma_eth_stats) + ARRAY_SIZE(xrdma_gro_stats) +
	       XRDMA_NUM_DESCS;
}

static void xrdma_get_strings(struct net_device *ndev, u32 sset, u8 *data)
{
	int i;

	if (sset != ETH_SS_STATS)
		return;
	for (i = 0; i < ARRAY_SIZE(xrdma_eth_stats); i++)
		ethtool_puts(&data, xrdma_eth_stats[i].name);
	for (i = 0; i < ARRAY_SIZE(xrdma_gro_stats); i++)
		ethtool_puts(&data, xrdma_gro_stats[i]);
	for (i = 0; i < XRDMA_NUM_DESCS; i++)
		ethtool_puts(&data, xrdma_stat_descs[i].name);
}

/*
 * The operation cannot return an error: counters of a device that is dead or
 * detached are shown as 0.
 */
static void xrdma_get_ethtool_stats(struct net_device *ndev,
				    struct ethtool_stats *stats, u64 *data)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);
	struct rtnl_link_stats64 link;
	int i;

	dev_get_stats(ndev, &link);
	for (i = 0; i < ARRAY_SIZE(xrdma_eth_stats); i++)
		*data++ = *(u64 *)((void *)&link + xrdma_eth_stats[i].offset);
	xrdma_eth_gro_stats(ndev, &data[0], &data[1]);
	data += ARRAY_SIZE(xrdma_gro_stats);
	memset(data, 0, XRDMA_NUM_DESCS * sizeof(*data));
	if (xrdma_netdev_hw(xn))
		xrdma_read_stats(xn->xib, data);
}

const struct ethtool_ops xrdma_ethtool_ops = {
	.supported_coalesce_params = ETHTOOL_COALESCE_USECS |
				     ETHTOOL_COALESCE_MAX_FRAMES,
	.get_channels = xrdma_get_channels,
	.get_coalesce = xrdma_get_coalesce,
	.get_drvinfo = xrdma_get_drvinfo,
	.get_ethtool_stats = xrdma_get_ethtool_stats,
	.get_link = ethtool_op_get_link,
	.get_link_ksettings = xrdma_get_link_ksettings,
	.get_pauseparam = xrdma_get_pauseparam,
	.get_ringparam = xrdma_get_ringparam,
	.get_rx_ring_count = xrdma_get_rx_ring_count,
	.get_rxfh = xrdma_get_rxfh,
	.get_rxfh_fields = xrdma_get_rxfh_fields,
	.get_rxfh_indir_size = xrdma_get_rxfh_indir_size,
	.get_rxfh_key_size = xrdma_get_rxfh_key_size,
	.get_sset_count = xrdma_get_sset_count,
	.get_strings = xrdma_get_strings,
	.get_ts_info = xrdma_get_ts_info,
	.set_channels = xrdma_set_channels,
	.set_coalesce = xrdma_set_coalesce,
	.set_pauseparam = xrdma_set_pauseparam,
	.set_ringparam = xrdma_set_ringparam,
	.set_rxfh = xrdma_set_rxfh,
};
