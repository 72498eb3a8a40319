/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA Ethernet port: what its files share. xrdma_netdev.c is the network device
 * that users see, xrdma_ethtool.c what it says of itself, xrdma_eth.c its queues. No
 * other file includes this header: others include xrdma_netdev.h.
 */

#ifndef XRDMA_ETH_H
#define XRDMA_ETH_H

#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>
#include "xrdma_cq.h"
#include "xrdma_qp.h"

struct ethtool_ops;
struct page_pool;
struct xrdma_ibdev;

#define XRDMA_ETH_DEPTH		256U
#define XRDMA_TX_MAX_SGE	(MAX_SKB_FRAGS + 1)
/* A device whose queues fail again and again gets new ones four times a second. */
#define XRDMA_RESTART_JIFFIES	(HZ / 4)

/**
 * struct xrdma_tx - a frame that is posted, and what of it is mapped
 * @skb: the frame
 * @num: number of pieces
 * @addr: bus address of each piece; the first one is the head of @skb
 * @len: bytes of each piece
 *
 * The device can write to the ring, which says the same, and not to this.
 */
struct xrdma_tx {
	struct sk_buff *skb;
	unsigned int num;
	dma_addr_t addr[XRDMA_TX_MAX_SGE];
	u32 len[XRDMA_TX_MAX_SGE];
};

/**
 * struct xrdma_netdev - private part of the net_device
 * @xib: the device that it is a port of now, or NULL; under the RTNL
 * @ndev: the net_device; present as long as @xib is set
 * @napi: completions of both directions
 * @tx_cq: completions of sends
 * @rx_cq: completions of receives
 * @qp: raw packet queue pair; exists while @open
 * @pool: receive pages, mapped
 * @rx_pages: page of each receive entry
 * @tx: frame of each send entry
 * @tx_published: producer index that the device knows, or is about to know
 * @rx_order: of the receive pages
 * @pdn: protection domain of @qp
 * @speed: of the link, in Mbit/s
 * @open: it has its queues; under the RTNL
 * @restart: makes new queues
 */
struct xrdma_netdev {
	struct xrdma_ibdev *xib;
	struct net_device *ndev;
	struct napi_struct napi;
	struct xrdma_cq tx_cq;
	struct xrdma_cq rx_cq;
	struct xrdma_qp qp;
	struct page_pool *pool;
	struct page *rx_pages[XRDMA_ETH_DEPTH];
	struct xrdma_tx tx[XRDMA_ETH_DEPTH];
	u32 tx_published;
	unsigned int rx_order;
	u32 pdn;
	u32 speed;
	bool open;
	struct delayed_work restart;
};

/**
 * xrdma_netdev_restart() - make new queues in place of those that have failed
 * @xn: the netdev
 *
 * The work item is xrdma_restart_work() in xrdma_netdev.c.
 *
 * Context: any.
 * Return: false if this is about to happen already.
 */
static inline bool xrdma_netdev_restart(struct xrdma_netdev *xn)
{
	return schedule_delayed_work(&xn->restart, XRDMA_RESTART_JIFFIES);
}

/* xrdma_netdev.c */
int xrdma_ndo_set_rx_mode(struct net_device *ndev,
			  struct netdev_hw_addr_list *uc,
			  struct netdev_hw_addr_list *mc);

/* xrdma_ethtool.c */
extern const struct ethtool_ops xrdma_ethtool_ops;

/* xrdma_eth.c */
int xrdma_eth_open(struct xrdma_netdev *xn);
void xrdma_eth_stop(struct xrdma_netdev *xn);
void xrdma_eth_close(struct xrdma_netdev *xn);
void xrdma_eth_wait_sent(struct xrdma_netdev *xn);
netdev_tx_t xrdma_eth_xmit(struct sk_buff *skb, struct net_device *ndev);

#endif /* XRDMA_ETH_H */
