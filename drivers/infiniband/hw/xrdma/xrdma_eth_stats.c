// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA Ethernet port: counters of frames for each queue, and their sums for the
 * network device. They outlive the channels of xrdma_eth.c. Errors and dropped frames
 * are counted by the network stack; counters of the device are in xrdma_stats.c.
 */

#include <net/netdev_queues.h>
#include "xrdma_eth.h"

/**
 * struct xrdma_rx_counts - values of the counters of receives
 * @packets: number of frames, as they were on the wire
 * @bytes: bytes of these frames
 * @gro_packets: number of frames that the device has made of several frames
 * @gro_bytes: bytes of these merged frames
 * @gro_wire_packets: number of frames of which the merged frames were made
 * @gro_wire_bytes: bytes of the frames that @gro_wire_packets counts
 */
struct xrdma_rx_counts {
	u64 packets;
	u64 bytes;
	u64 gro_packets;
	u64 gro_bytes;
	u64 gro_wire_packets;
	u64 gro_wire_bytes;
};

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
 * @skb: the frame, from its Ethernet header on
 * @header: of a frame that the device has made of several: number of bytes before
 *	the payload, which each of them had
 *
 * Context: the NAPI poll function of @ch.
 */
void xrdma_eth_count_rx(struct xrdma_channel *ch, const struct sk_buff *skb,
			u32 header)
{
	struct xrdma_eth_stats *stats = &ch->xn->stats[ch->index];
	u32 packets = skb_is_gso(skb) ? skb_shinfo(skb)->gso_segs : 1;
	u32 bytes = skb->len + (packets - 1) * header;

	u64_stats_update_begin(&stats->rx_sync);
	u64_stats_add(&stats->rx_packets, packets);
	u64_stats_add(&stats->rx_bytes, bytes);
	if (skb_is_gso(skb)) {
		u64_stats_inc(&stats->gro_packets);
		u64_stats_add(&stats->gro_bytes, skb->len);
		u64_stats_add(&stats->gro_wire_packets, packets);
		u64_stats_add(&stats->gro_wire_bytes, bytes);
	}
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
				struct xrdma_rx_counts *rx)
{
	unsigned int start;

	do {
		start = u64_stats_fetch_begin(&stats->rx_sync);
		rx->packets = u64_stats_read(&stats->rx_packets);
		rx->bytes = u64_stats_read(&stats->rx_bytes);
		rx->gro_packets = u64_stats_read(&stats->gro_packets);
		rx->gro_bytes = u64_stats_read(&stats->gro_bytes);
		rx->gro_wire_packets = u64_stats_read(&stats->gro_wire_packets);
		rx->gro_wire_bytes = u64_stats_read(&stats->gro_wire_bytes);
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

/* Add up the counters of receives of the queues from @first on. */
static void xrdma_stats_sum_rx(const struct xrdma_netdev *xn, u32 first,
			       struct xrdma_rx_counts *rx)
{
	struct xrdma_rx_counts one;
	u32 i;

	memset(rx, 0, sizeof(*rx));
	for (i = first; i < XRDMA_ETH_MAX_CHANNELS; i++) {
		xrdma_stats_read_rx(&xn->stats[i], &one);
		rx->packets += one.packets;
		rx->bytes += one.bytes;
		rx->gro_packets += one.gro_packets;
		rx->gro_bytes += one.gro_bytes;
		rx->gro_wire_packets += one.gro_wire_packets;
		rx->gro_wire_bytes += one.gro_wire_bytes;
	}
}

/* Add up the counters of sends of the queues from @first on. */
static void xrdma_stats_sum_tx(const struct xrdma_netdev *xn, u32 first,
			       struct netdev_queue_stats_tx *tx)
{
	u64 packets, bytes;
	u32 i;

	tx->packets = 0;
	tx->bytes = 0;
	for (i = first; i < XRDMA_ETH_MAX_CHANNELS; i++) {
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
	struct xrdma_netdev *xn = netdev_priv(ndev);
	struct netdev_queue_stats_tx tx;
	struct xrdma_rx_counts rx;

	netdev_stats_to_stats64(stats, &ndev->stats);
	xrdma_stats_sum_rx(xn, 0, &rx);
	xrdma_stats_sum_tx(xn, 0, &tx);
	stats->rx_packets = rx.packets;
	stats->rx_bytes = rx.bytes;
	stats->tx_packets = tx.packets;
	stats->tx_bytes = tx.bytes;
}

/**
 * xrdma_eth_gro_stats() - read the counters of merged frames
 * @ndev: the netdev
 * @packets: number of merged frames
 * @wire_packets: number of frames of which they were made
 *
 * Context: any.
 */
void xrdma_eth_gro_stats(struct net_device *ndev, u64 *packets,
			 u64 *wire_packets)
{
	struct xrdma_rx_counts rx;

	xrdma_stats_sum_rx(netdev_priv(ndev), 0, &rx);
	*packets = rx.gro_packets;
	*wire_packets = rx.gro_wire_packets;
}

static void xrdma_report_rx(const struct xrdma_rx_counts *from,
			    struct netdev_queue_stats_rx *rx)
{
	rx->packets = from->packets;
	rx->bytes = from->bytes;
	rx->hw_gro_packets = from->gro_packets;
	rx->hw_gro_bytes = from->gro_bytes;
	rx->hw_gro_wire_packets = from->gro_wire_packets;
	rx->hw_gro_wire_bytes = from->gro_wire_bytes;
}

static void xrdma_get_queue_stats_rx(struct net_device *ndev, int index,
				     struct netdev_queue_stats_rx *rx)
{
	const struct xrdma_netdev *xn = netdev_priv(ndev);
	struct xrdma_rx_counts counts;

	xrdma_stats_read_rx(&xn->stats[index], &counts);
	xrdma_report_rx(&counts, rx);
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
	struct xrdma_netdev *xn = netdev_priv(ndev);
	struct xrdma_rx_counts counts;

	xrdma_stats_sum_rx(xn, ndev->real_num_rx_queues, &counts);
	xrdma_report_rx(&counts, rx);
	xrdma_stats_sum_tx(xn, ndev->real_num_tx_queues, tx);
}

const struct netdev_stat_ops xrdma_eth_stat_ops = {
	.get_queue_stats_rx = xrdma_get_queue_stats_rx,
	.get_queue_stats_tx = xrdma_get_queue_stats_tx,
	.get_base_stats = xrdma_get_base_stats,
};
