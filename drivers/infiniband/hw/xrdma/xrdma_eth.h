/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA Ethernet port: structures and prototypes for xrdma_netdev.c (network
 * device), xrdma_eth_port.c (settings of the port), xrdma_ethtool.c (operations
 * of ethtool), xrdma_eth.c (queues), xrdma_eth_rx.c (receiving) and
 * xrdma_eth_tx.c (sending). Other files include xrdma_netdev.h instead.
 */

#ifndef XRDMA_ETH_H
#define XRDMA_ETH_H

#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>
#include "xrdma_cq.h"
#include "xrdma_qp.h"

struct ethtool_ops;
struct page_pool;
struct xrdma_eth_seg;
struct xrdma_ibdev;

#define XRDMA_ETH_DEPTH		256U
#define XRDMA_TX_MAX_SGE	(MAX_SKB_FRAGS + 1)
/* Bytes of a frame in addition to the MTU: Ethernet header and one VLAN tag */
#define XRDMA_FRAME_EXTRA	(ETH_HLEN + VLAN_HLEN)
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
		     XRDMA_FRAME_EXTRA, PAGE_SIZE)
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
 *
 * The ring has the same addresses, but the device can write to the ring.
 * Unmapping uses this structure, which the device cannot write to.
 */
struct xrdma_tx {
	struct sk_buff *skb;
	unsigned int num;
	dma_addr_t addr[XRDMA_TX_MAX_SGE];
	u32 len[XRDMA_TX_MAX_SGE];
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
 * struct xrdma_netdev - private part of the net_device
 * @xib: RDMA device to which the port is attached, or NULL; protected by the
 *	RTNL
 * @ndev: net_device of this structure; attached while @xib is set
 * @napi: polls @rx_cq and @tx_cq
 * @tx_cq: completion queue of sends
 * @rx_cq: completion queue of receives
 * @qp: raw packet queue pair; exists while @open is true
 * @pool: receive pages, mapped for DMA
 * @rx: pages of each receive entry
 * @tx: frame of each send entry
 * @tx_published: producer index of the last xrdma_publish_sq(), set before the
 *	call
 * @pdn: number of the protection domain of @qp
 * @speed: speed of the port in Mbit/s
 * @options: XRDMA_PORT_* of xrdma_port_offered() that are wanted; protected by
 *	the RTNL
 * @rx_moderation: of @rx_cq; protected by the RTNL
 * @tx_moderation: of @tx_cq; protected by the RTNL
 * @open: the queues exist; protected by the RTNL
 * @restart: replaces queues that have failed
 */
struct xrdma_netdev {
	struct xrdma_ibdev *xib;
	struct net_device *ndev;
	struct napi_struct napi;
	struct xrdma_cq tx_cq;
	struct xrdma_cq rx_cq;
	struct xrdma_qp qp;
	struct page_pool *pool;
	struct xrdma_rx rx[XRDMA_ETH_DEPTH];
	struct xrdma_tx tx[XRDMA_ETH_DEPTH];
	u32 tx_published;
	u32 pdn;
	u32 speed;
	u32 options;
	struct xrdma_eth_moderation rx_moderation;
	struct xrdma_eth_moderation tx_moderation;
	bool open;
	struct delayed_work restart;
};

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
 * @xn: the netdev
 * @what: "send" or "receive"
 * @cqe: copy of the completion, whose status is an error
 *
 * Only the first of several failures is logged.
 *
 * Context: any.
 */
static inline void xrdma_eth_failed(struct xrdma_netdev *xn, const char *what,
				    const struct xrdma_cqe *cqe)
{
	if (xrdma_netdev_restart(xn) && net_ratelimit())
		netdev_err(xn->ndev, "a %s of QP %u has failed with status %u, vendor error %u: new queues are made\n",
			   what, xn->qp.qpn, cqe->status,
			   le16_to_cpu(cqe->vendor_err));
}

/* xrdma_eth_port.c */
u32 xrdma_port_offered(const struct xrdma_netdev *xn);
int xrdma_port_set(struct xrdma_netdev *xn, u32 mtu, bool up);
int xrdma_port_set_options(struct xrdma_netdev *xn, u32 options);

/* xrdma_netdev.c */
int xrdma_ndo_set_rx_mode(struct net_device *ndev,
			  struct netdev_hw_addr_list *uc,
			  struct netdev_hw_addr_list *mc);

/* xrdma_ethtool.c */
extern const struct ethtool_ops xrdma_ethtool_ops;

/* xrdma_eth.c */
int xrdma_eth_open(struct xrdma_netdev *xn);
int xrdma_eth_moderate(struct xrdma_netdev *xn);
void xrdma_eth_stop(struct xrdma_netdev *xn);
void xrdma_eth_close(struct xrdma_netdev *xn);

/* xrdma_eth_rx.c */
int xrdma_rx_create_pool(struct xrdma_netdev *xn);
void xrdma_rx_free_pool(struct xrdma_netdev *xn, bool keep);
int xrdma_rx_fill(struct xrdma_netdev *xn);
void xrdma_rx_drain(struct xrdma_netdev *xn);
int xrdma_rx_poll(struct xrdma_netdev *xn, int budget);

/* xrdma_eth_tx.c */
void xrdma_make_eth_seg(struct xrdma_eth_seg *seg, const struct sk_buff *skb);
void xrdma_eth_wait_sent(struct xrdma_netdev *xn);
void xrdma_tx_poll(struct xrdma_netdev *xn, int budget);
void xrdma_tx_drain(struct xrdma_netdev *xn);
netdev_tx_t xrdma_eth_xmit(struct sk_buff *skb, struct net_device *ndev);

#endif /* XRDMA_ETH_H */
