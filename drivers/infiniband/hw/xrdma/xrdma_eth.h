/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA Ethernet port: structures and prototypes for xrdma_netdev.c (network
 * device), xrdma_eth_port.c (settings of the port), xrdma_ethtool.c and
 * xrdma_ethtool_queues.c (operations of ethtool), xrdma_eth.c (channels),
 * xrdma_eth_rss.c (receive side scaling), xrdma_eth_stats.c (counters of the
 * channels), xrdma_eth_rx.c (receiving) and xrdma_eth_tx.c (sending).
 * xrdma_eth_tstamp.h has the time stamps of frames and the PTP hardware clock.
 * Other files include xrdma_netdev.h instead.
 */

#ifndef XRDMA_ETH_H
#define XRDMA_ETH_H

#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/u64_stats_sync.h>
#include <linux/workqueue.h>
#include "xrdma_cq.h"
#include "xrdma_eth_tstamp.h"
#include "xrdma_hw_eth.h"
#include "xrdma_hw_steer.h"
#include "xrdma_ibdev.h"
#include "xrdma_qp.h"

struct ethtool_ops;
struct netdev_stat_ops;
struct page_pool;
struct rtnl_link_stats64;
struct xrdma_caps;
struct xrdma_eth_seg;

#define XRDMA_ETH_MAX_CHANNELS	8U
/* Entries of a ring: default and limits, powers of two */
#define XRDMA_ETH_DEPTH		256U
#define XRDMA_ETH_MIN_DEPTH	64U
#define XRDMA_ETH_MAX_DEPTH	1024U
/* Entries of an indirection table, if the device has no lower limit */
#define XRDMA_ETH_MAX_INDIR	128U
#define XRDMA_TX_MAX_SGE	(MAX_SKB_FRAGS + 1)
/* Largest MTU, if the device has no smaller one */
#define XRDMA_ETH_MAX_MTU	9000U
/* Bytes before a received frame, for headers that the network stack adds */
#define XRDMA_RX_HEADROOM	(128 + NET_IP_ALIGN)
/*
 * Bytes of the first page of a receive entry that have no data: the headroom,
 * and the structure at the end of a socket buffer's linear part
 */
#define XRDMA_RX_OVERHEAD						\
	(XRDMA_RX_HEADROOM + SKB_DATA_ALIGN(sizeof(struct skb_shared_info)))
/* Pages of a receive entry, which has room for a frame of the largest MTU */
#define XRDMA_RX_PAGES							\
	DIV_ROUND_UP(XRDMA_RX_OVERHEAD + XRDMA_ETH_MAX_MTU +		\
		     XRDMA_ETH_EXTRA, PAGE_SIZE)
/* Bytes of a receive entry, for a frame that the device has made of several */
#define XRDMA_RX_ROOM		(XRDMA_RX_PAGES * PAGE_SIZE - XRDMA_RX_OVERHEAD)
/*
 * Delay before new queues: if they keep failing, 4 restarts happen in a second.
 */
#define XRDMA_RESTART_JIFFIES	(HZ / 4)

/**
 * struct xrdma_rx - a posted receive entry
 * @page: its pages, of the pool, in the order of the frame's bytes
 */
struct xrdma_rx {
	struct page *page[XRDMA_RX_PAGES];
};

/**
 * struct xrdma_tx - a posted frame and its DMA mappings
 * @skb: the frame
 * @num: number of pieces in @addr and @len
 * @addr: bus address of each piece; piece 0 is the linear part of @skb
 * @len: length of each piece in bytes
 * @stamp: @skb gets a time stamp of the device
 *
 * The ring has the same addresses, but the device can write to the ring.
 * Unmapping uses this structure, which the device cannot write to.
 */
struct xrdma_tx {
	struct sk_buff *skb;
	unsigned int num;
	dma_addr_t addr[XRDMA_TX_MAX_SGE];
	u32 len[XRDMA_TX_MAX_SGE];
	bool stamp;
};

/**
 * struct xrdma_eth_moderation - moderation of the interrupts of a queue
 * @frames: number of frames after which an interrupt is raised; 0: no number is
 *	enough if @usecs is not 0, otherwise each frame raises one
 * @usecs: longest time from a frame to the interrupt, in us; 0: no limit
 */
struct xrdma_eth_moderation {
	u16 frames;
	u16 usecs;
};

/**
 * struct xrdma_eth_shape - number and size of the queues
 * @channels: number of channels, 1 to xrdma_eth_max_channels()
 * @rx_depth: entries of each receive ring, a power of two
 * @tx_depth: entries of each send ring, a power of two
 */
struct xrdma_eth_shape {
	u32 channels;
	u32 rx_depth;
	u32 tx_depth;
};

/**
 * struct xrdma_eth_rss - settings of receive side scaling
 * @size: number of entries of @indir, a power of two
 * @indir: channel of each entry of the indirection table
 * @key: key of the Toeplitz hash
 */
struct xrdma_eth_rss {
	u32 size;
	u32 indir[XRDMA_ETH_MAX_INDIR];
	u8 key[XRDMA_RSS_KEY_BYTES];
};

/**
 * struct xrdma_eth_stats - counters of the queues with one number
 * @rx_sync: makes readers of the counters of receives see consistent values
 * @rx_packets: number of frames received, as they were on the wire; these counters
 *	are written by the NAPI
 * @rx_bytes: bytes of these frames
 * @gro_packets: number of frames that the device has made of several frames
 * @gro_bytes: bytes of these merged frames
 * @gro_wire_packets: number of frames of which the merged frames were made
 * @gro_wire_bytes: bytes of the frames that @gro_wire_packets counts
 * @tx_sync: makes readers of @tx_packets and @tx_bytes see a consistent pair
 * @tx_packets: number of frames sent, as the device divides them; written under
 *	the transmit lock
 * @tx_bytes: bytes of these frames
 */
struct xrdma_eth_stats {
	struct u64_stats_sync rx_sync;
	u64_stats_t rx_packets;
	u64_stats_t rx_bytes;
	u64_stats_t gro_packets;
	u64_stats_t gro_bytes;
	u64_stats_t gro_wire_packets;
	u64_stats_t gro_wire_bytes;
	struct u64_stats_sync tx_sync ____cacheline_aligned_in_smp;
	u64_stats_t tx_packets;
	u64_stats_t tx_bytes;
} ____cacheline_aligned_in_smp;

/**
 * struct xrdma_channel - a receive queue and a transmit queue with one interrupt
 * @xn: the netdev
 * @index: number of both queues
 * @napi: polls @rx_cq and @tx_cq
 * @tx_cq: completion queue of sends
 * @rx_cq: completion queue of receives
 * @qp: raw packet queue pair
 * @pool: receive pages, mapped for DMA
 * @rx: pages of each receive entry
 * @tx: frame of each send entry
 * @tx_published: producer index of the last xrdma_publish_sq(), set before the
 *	call
 */
struct xrdma_channel {
	struct xrdma_netdev *xn;
	u32 index;
	struct napi_struct napi;
	struct xrdma_cq tx_cq;
	struct xrdma_cq rx_cq;
	struct xrdma_qp qp;
	struct page_pool *pool;
	struct xrdma_rx *rx;
	struct xrdma_tx *tx;
	u32 tx_published;
};

/**
 * struct xrdma_eth - all channels of the port
 * @qpn: what the port names: with one channel its queue pair, otherwise an RSS
 *	object
 * @num: number of entries in @channel
 * @channel: the channels
 */
struct xrdma_eth {
	u32 qpn;
	u32 num;
	struct xrdma_channel channel[] __counted_by(num);
};

/**
 * struct xrdma_netdev - private part of the net_device
 * @xib: RDMA device to which the port is attached, or NULL; protected by the
 *	RTNL
 * @ndev: net_device of this structure; attached while @xib is set
 * @eth: the channels; NULL: there are none. Written under the RTNL, while all
 *	transmit queues are stopped and no NAPI polls
 * @shape: number and size of the queues, also of the next @eth; protected by the
 *	RTNL
 * @rss: settings of receive side scaling; protected by the RTNL
 * @stats: counters of the queues, which outlive the channels
 * @pdn: number of the protection domain of the queue pairs
 * @speed: speed of the last link in Mbit/s; 0: not known. Protected by the RTNL
 * @speed_old: a link has come up since @speed was read
 * @options: XRDMA_PORT_* of xrdma_port_offered() that are wanted; protected by
 *	the RTNL
 * @rx_moderation: of each receive queue; protected by the RTNL
 * @tx_moderation: of each transmit queue; protected by the RTNL
 * @clock: PTP hardware clock, and settings of time stamps
 * @restart: replaces queues that have failed
 */
struct xrdma_netdev {
	struct xrdma_ibdev *xib;
	struct net_device *ndev;
	struct xrdma_eth *eth;
	struct xrdma_eth_shape shape;
	struct xrdma_eth_rss rss;
	struct xrdma_eth_stats stats[XRDMA_ETH_MAX_CHANNELS];
	u32 pdn;
	u32 speed;
	bool speed_old;
	u32 options;
	struct xrdma_eth_moderation rx_moderation;
	struct xrdma_eth_moderation tx_moderation;
	struct xrdma_eth_clock clock;
	struct delayed_work restart;
};

/**
 * xrdma_netdev_hw() - find the device, for an operation of the network device
 * @xn: the netdev
 *
 * Operations of the network device and of ethtool use this function, since the
 * network stack calls some of them while the netdev is detached. For example, it
 * calls ndo_set_features() when a program of XDP is attached. The functions of
 * channels use @xn->xib: channels exist only while the netdev is attached.
 *
 * Context: under the RTNL.
 * Return: the device, or NULL if the netdev is detached.
 */
static inline struct xrdma_dev *xrdma_netdev_hw(const struct xrdma_netdev *xn)
{
	return xn->xib ? &xn->xib->hw : NULL;
}

/**
 * xrdma_netdev_restart() - request the replacement of queues that have failed
 * @xn: the netdev
 *
 * The work item is xrdma_restart_work() in xrdma_netdev.c.
 *
 * Context: any.
 * Return: false if the work item was already scheduled.
 */
static inline bool xrdma_netdev_restart(struct xrdma_netdev *xn)
{
	return schedule_delayed_work(&xn->restart, XRDMA_RESTART_JIFFIES);
}

/**
 * xrdma_eth_failed() - request new queues after a failed send or receive
 * @ch: the channel
 * @what: "send" or "receive"
 * @cqe: copy of the completion, whose status is an error
 *
 * Only the first of several failures is logged.
 *
 * Context: any.
 */
static inline void xrdma_eth_failed(struct xrdma_channel *ch, const char *what,
				    const struct xrdma_cqe *cqe)
{
	if (xrdma_netdev_restart(ch->xn) && net_ratelimit())
		netdev_err(ch->xn->ndev, "a %s of QP %u has failed with status %u, vendor error %u: new queues are made\n",
			   what, ch->qp.qpn, cqe->status,
			   le16_to_cpu(cqe->vendor_err));
}

/* xrdma_eth_port.c */
u32 xrdma_port_offered(const struct xrdma_netdev *xn);
int xrdma_port_set(struct xrdma_netdev *xn, u32 mtu, bool up);
u32 xrdma_port_speed(struct xrdma_netdev *xn);
int xrdma_port_set_options(struct xrdma_netdev *xn, u32 options);
int xrdma_port_open(struct xrdma_netdev *xn);
void xrdma_port_close(struct xrdma_netdev *xn, bool up);
void xrdma_port_spread(struct xrdma_netdev *xn, u32 channels);
int xrdma_port_reshape(struct xrdma_netdev *xn,
		       const struct xrdma_eth_shape *shape);
int xrdma_port_rehash(struct xrdma_netdev *xn,
		      const struct xrdma_eth_rss *rss);

/* xrdma_netdev.c */
int xrdma_ndo_set_rx_mode(struct net_device *ndev,
			  struct netdev_hw_addr_list *uc,
			  struct netdev_hw_addr_list *mc);

/* xrdma_ethtool.c */
extern const struct ethtool_ops xrdma_ethtool_ops;

/* xrdma_ethtool_queues.c */
struct ethtool_channels;
struct ethtool_ringparam;
struct ethtool_rxfh_fields;
struct ethtool_rxfh_param;
struct kernel_ethtool_ringparam;
void xrdma_get_channels(struct net_device *ndev, struct ethtool_channels *num);
int xrdma_set_channels(struct net_device *ndev, struct ethtool_channels *num);
void xrdma_get_ringparam(struct net_device *ndev,
			 struct ethtool_ringparam *ring,
			 struct kernel_ethtool_ringparam *kernel_ring,
			 struct netlink_ext_ack *extack);
int xrdma_set_ringparam(struct net_device *ndev, struct ethtool_ringparam *ring,
			struct kernel_ethtool_ringparam *kernel_ring,
			struct netlink_ext_ack *extack);
u32 xrdma_get_rxfh_indir_size(struct net_device *ndev);
u32 xrdma_get_rxfh_key_size(struct net_device *ndev);
int xrdma_get_rxfh(struct net_device *ndev, struct ethtool_rxfh_param *rxfh);
int xrdma_set_rxfh(struct net_device *ndev, struct ethtool_rxfh_param *rxfh,
		   struct netlink_ext_ack *extack);
int xrdma_get_rxfh_fields(struct net_device *ndev,
			  struct ethtool_rxfh_fields *fields);
u32 xrdma_get_rx_ring_count(struct net_device *ndev);

/* xrdma_eth.c */
u32 xrdma_eth_max_channels(const struct xrdma_caps *caps);
u32 xrdma_eth_default_channels(u32 cpus, u32 vectors, u32 max);
void xrdma_eth_reserve(struct xrdma_ibdev *xib, u32 channels);
struct xrdma_eth *xrdma_eth_create(struct xrdma_netdev *xn,
				   const struct xrdma_eth_shape *shape);
void xrdma_eth_destroy(struct xrdma_netdev *xn, struct xrdma_eth *eth);
int xrdma_eth_moderate(struct xrdma_netdev *xn, struct xrdma_eth *eth);
void xrdma_eth_resume(struct xrdma_netdev *xn);
void xrdma_eth_start(struct xrdma_netdev *xn);
void xrdma_eth_stop(struct xrdma_netdev *xn);

/* xrdma_eth_rss.c */
void xrdma_eth_rss_reset(struct xrdma_eth_rss *rss, u32 channels);
int xrdma_eth_rss_create(struct xrdma_netdev *xn, const struct xrdma_eth *eth,
			 const struct xrdma_eth_rss *rss, u32 *qpn);
void xrdma_eth_rss_destroy(struct xrdma_netdev *xn, u32 qpn);

/* xrdma_eth_stats.c */
extern const struct netdev_stat_ops xrdma_eth_stat_ops;
void xrdma_eth_stats_init(struct xrdma_netdev *xn);
void xrdma_eth_count_rx(struct xrdma_channel *ch, const struct sk_buff *skb,
			u32 header);
void xrdma_eth_count_tx(struct xrdma_channel *ch, u32 packets, u32 bytes);
void xrdma_ndo_get_stats64(struct net_device *ndev,
			   struct rtnl_link_stats64 *stats);
void xrdma_eth_gro_stats(struct net_device *ndev, u64 *packets,
			 u64 *wire_packets);

/* xrdma_eth_rx.c */
int xrdma_rx_create_pool(struct xrdma_channel *ch, u32 depth);
void xrdma_rx_free_pool(struct xrdma_channel *ch, bool keep);
int xrdma_rx_fill(struct xrdma_channel *ch);
void xrdma_rx_drain(struct xrdma_channel *ch);
u32 xrdma_rx_describe_gso(struct sk_buff *skb, u16 mss);
int xrdma_rx_poll(struct xrdma_channel *ch, int budget);

/* xrdma_eth_tx.c */
void xrdma_make_eth_seg(struct xrdma_eth_seg *seg, const struct sk_buff *skb);
void xrdma_eth_wait_sent(struct xrdma_netdev *xn);
void xrdma_tx_poll(struct xrdma_channel *ch, int budget);
void xrdma_tx_drain(struct xrdma_channel *ch);
netdev_tx_t xrdma_eth_xmit(struct sk_buff *skb, struct net_device *ndev);

#endif /* XRDMA_ETH_H */
