/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Stand-ins for what the proved files of the driver use of network devices: the
 * fields and constants that these files name. The headers of the kernel that belong
 * to the same subject include this file. A harness defines the functions.
 */

#ifndef PROOF_NETDEVICE_H
#define PROOF_NETDEVICE_H

#include "kernel.h"

#define ETH_ALEN		6
#define ETH_HLEN		14
#define ETH_MIN_MTU		68
#define VLAN_HLEN		4
#define HZ			250
#define MAX_SKB_FRAGS		3	/* CBMC is slow for large structures */
#define NET_IP_ALIGN		0
#define SKB_DATA_ALIGN(len)	(len)

#define IFF_PROMISC		0x100
#define IFF_ALLMULTI		0x200
#define IFF_LIVE_ADDR_CHANGE	0x100000
#define NETIF_F_SG		1
#define NETIF_F_HIGHDMA		0x20
#define NETIF_F_HW_CSUM		0x40
#define NETIF_F_RXCSUM		0x80
#define NETIF_F_TSO		0x100
#define NETIF_F_TSO6		0x200
#define NETIF_F_TSO_ECN		0x400
#define NETIF_F_ALL_TSO		(NETIF_F_TSO | NETIF_F_TSO6 | NETIF_F_TSO_ECN)
#define NETIF_F_HW_VLAN_CTAG_TX	0x800
#define NETIF_F_HW_VLAN_CTAG_RX	0x1000
#define NETIF_F_GRO_HW		0x2000

#define netdev_tx_t		int
#define netdev_features_t	u64

struct sk_buff;
struct ethtool_ops;

struct napi_struct {
	int any;
};

struct netdev_hw_addr_list {
	int count;
};

struct rtnl_link_stats64;
struct netdev_stat_ops;
struct netlink_ext_ack;
struct kernel_hwtstamp_config;

struct skb_shared_info {
	int any;
};

struct net_device {
	unsigned int num_tx_queues;
	unsigned int flags;
	unsigned int mtu;
	unsigned int min_mtu;
	unsigned int max_mtu;
	u8 dev_addr[ETH_ALEN];
	struct netdev_hw_addr_list mc;
	const struct net_device_ops *netdev_ops;
	const struct ethtool_ops *ethtool_ops;
	const struct netdev_stat_ops *stat_ops;
	unsigned int real_num_tx_queues;
	u64 priv_flags;
	u64 hw_features;
	u64 features;
	u64 vlan_features;
	struct {
		struct device *parent;
	} dev;
	void *priv;
};

struct net_device_ops {
	int (*ndo_open)(struct net_device *ndev);
	int (*ndo_stop)(struct net_device *ndev);
	netdev_tx_t (*ndo_start_xmit)(struct sk_buff *skb,
				      struct net_device *ndev);
	void (*ndo_tx_timeout)(struct net_device *ndev, unsigned int queue);
	int (*ndo_set_rx_mode_async)(struct net_device *ndev,
				     struct netdev_hw_addr_list *uc,
				     struct netdev_hw_addr_list *mc);
	int (*ndo_set_mac_address)(struct net_device *ndev, void *addr);
	int (*ndo_change_mtu)(struct net_device *ndev, int mtu);
	int (*ndo_set_features)(struct net_device *ndev, netdev_features_t features);
	int (*ndo_hwtstamp_get)(struct net_device *ndev,
				struct kernel_hwtstamp_config *config);
	int (*ndo_hwtstamp_set)(struct net_device *ndev,
				struct kernel_hwtstamp_config *config,
				struct netlink_ext_ack *extack);
	int (*ndo_validate_addr)(struct net_device *ndev);
	void (*ndo_get_stats64)(struct net_device *ndev,
				struct rtnl_link_stats64 *stats);
};

/* What the driver asks for the default number of queues */
#define num_online_cpus()	2
#define rounddown_pow_of_two(n)	(1U << ilog2(n))

#define ASSERT_RTNL()		((void)0)
#define rtnl_lock()		((void)0)
#define rtnl_unlock()		((void)0)
#define net_ratelimit()		1
#define netdev_err(ndev, ...)	((void)(ndev))
#define netdev_priv(ndev)	((ndev)->priv)
#define netdev_mc_empty(ndev)	(!(ndev)->mc.count)
#define netif_carrier_on(ndev)	((void)(ndev))
#define netif_device_attach(ndev)	((void)(ndev))
#define netif_device_detach(ndev)	((void)(ndev))
#define netif_set_xps_queue(ndev, mask, queue)	\
	((void)(ndev), (void)(queue))
#define netdev_rss_key_fill(key, len)	((void)(key), (void)(len))
#define netif_set_tso_max_size(ndev, size)	((void)(ndev), (void)(size))
#define SET_NETDEV_DEV(ndev, dev)	((void)(ndev), (void)(dev))

void netif_carrier_off(struct net_device *ndev);
bool netif_running(const struct net_device *ndev);
bool netif_device_present(const struct net_device *ndev);
int register_netdev(struct net_device *ndev);
void unregister_netdev(struct net_device *ndev);
struct net_device *alloc_etherdev_mq(size_t size, unsigned int queues);
int netif_set_real_num_queues(struct net_device *ndev, unsigned int tx,
			      unsigned int rx);
void free_netdev(struct net_device *ndev);
bool is_valid_ether_addr(const u8 *addr);
void eth_hw_addr_set(struct net_device *ndev, const u8 *addr);
int eth_mac_addr(struct net_device *ndev, void *addr);
int eth_validate_addr(struct net_device *ndev);

#endif /* PROOF_NETDEVICE_H */
