// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA Ethernet port: counters of frames for each queue, and their sums for the
 * network device. They outlive the channels of xrdma_eth.c. Errors and dropped frames
 * are counted by the network stack; counters of the device are in xrdma_stats.c.
 */

#include <net/netdev_queues.h>
#include "xrdma_eth.h"

/**
 * xrdma_eth_stats_init() - initialize the counters
 * @xn: the netdev, zeroed
 *
 * Context: any.
 */
void xrdma_eth_stats_init(struct xrdma_netdev *xn)
{
	u32 i;

	for (i = 0; i < XRDMA_ETH_MAX_CHANNELS; i++) {
		u64_stats_init(&xn->stats[i].rx_sync);
		u64_stats_init(&xn->stats[i].tx_sync);
	}
}

/**
 * xrdma_eth_count_rx() - count a received frame
 * @ch: the channel
 * @bytes: bytes of the frame
 *
 * Context: the NAPI poll function of @ch.
 */
void xrdma_eth_count_rx(struct xrdma_channel *ch, u32 bytes)
{
	struct xrdma_eth_stats *stats = &ch->xn->stats[ch->index];

	u64_stats_update_begin(&stats->rx_sync);
	u64_stats_inc(&stats->rx_packets);
	u64_stats_add(&stats->rx_bytes, bytes);
	u64_stats_update_end(&stats->rx_sync);
}

/**
 * xrdma_eth_count_tx() - count frames that are sent
 * @ch: the channel
 * @packets: number of frames
 * @bytes: bytes of all these frames
 *
 * Context: bottom halves are off; the transmit lock of the queue is held.
 */
void xrdma_eth_count_tx(struct xrdma_channel *ch, u32 packets, u32 bytes)
{
	struct xrdma_eth_stats *stats = &ch->xn->stats[ch->index];

	u64_stats_update_begin(&stats->tx_sync);
	u64_stats_add(&stats->tx_packets, packets);
	u64_stats_add(&stats->tx_bytes, bytes);
	u64_stats_update_end(&stats->tx_sync);
}

static void xrdma_stats_read_rx(const struct xrdma_eth_stats *stats,
				u64 *packets, u64 *bytes)
{
	unsigned int start;

	do {
		start = u64_stats_fetch_begin(&stats->rx_sync);
		*packets = u64_stats_read(&stats->rx_packets);
		*bytes = u64_stats_read(&stats->rx_bytes);
	} while (u64_stats_fetch_retry(&stats->rx_sync, start));
}

static void xrdma_stats_read_tx(const struct xrdma_eth_stats *stats,
				u64 *packets, u64 *bytes)
{
	unsigned int start;

	do {
		start = u64_stats_fetch_begin(&stats->tx_sync);
		*packets = u64_stats_read(&stats->tx_packets);
		*bytes = u64_stats_read(&stats->tx_bytes);
	} while (u64_stats_fetch_retry(&stats->tx_sync, start));
}

/* Add up the counters of the queues from @first on. */
static void xrdma_stats_sum(const struct xrdma_netdev *xn, u32 first,
			    struct netdev_queue_stats_rx *rx,
			    struct netdev_queue_stats_tx *tx)
{
	u64 packets, bytes;
	u32 i;

	rx->packets = 0;
	rx->bytes = 0;
	tx->packets = 0;
	tx->bytes = 0;
	for (i = first; i < XRDMA_ETH_MAX_CHANNELS; i++) {
		xrdma_stats_read_rx(&xn->stats[i], &packets, &bytes);
		rx->packets += packets;
		rx->bytes += bytes;
		xrdma_stats_read_tx(&xn->stats[i], &packets, &bytes);
		tx->packets += packets;
		tx->bytes += bytes;
	}
}

/**
 * xrdma_ndo_get_stats64() - net_device_ops.ndo_get_stats64
 * @ndev: the netdev
 * @stats: zeroed; filled in
 *
 * Context: any.
 */
void xrdma_ndo_get_stats64(struct net_device *ndev,
			   struct rtnl_link_stats64 *stats)
{
	struct netdev_queue_stats_rx rx;
	struct netdev_queue_stats_tx tx;

	netdev_stats_to_stats64(stats, &ndev->stats);
	xrdma_stats_sum(netdev_priv(ndev), 0, &rx, &tx);
	stats->rx_packets = rx.packets;
	stats->rx_bytes = rx.bytes;
	stats->tx_packets = tx.packets;
	stats->tx_bytes = tx.bytes;
}

static void xrdma_get_queue_stats_rx(struct net_device *ndev, int index,
				     struct netdev_queue_stats_rx *rx)
{
	const struct xrdma_netdev *xn = netdev_priv(ndev);

	xrdma_stats_read_rx(&xn->stats[index], &rx->packets, &rx->bytes);
}

static void xrdma_get_queue_stats_tx(struct net_device *ndev, int index,
				     struct netdev_queue_stats_tx *tx)
{
	const struct xrdma_netdev *xn = netdev_priv(ndev);

	xrdma_stats_read_tx(&xn->stats[index], &tx->packets, &tx->bytes);
}

/* What queues have counted that are not in use now */
static void xrdma_get_base_stats(struct net_device *ndev,
				 struct netdev_queue_stats_rx *rx,
				 struct netdev_queue_stats_tx *tx)
{
	xrdma_stats_sum(netdev_priv(ndev), ndev->real_num_rx_queues, rx, tx);
}

const struct netdev_stat_ops xrdma_eth_stat_ops = {
	.get_queue_stats_rx = xrdma_get_queue_stats_rx,
	.get_queue_stats_tx = xrdma_get_queue_stats_tx,
	.get_base_stats = xrdma_get_base_stats,
};
