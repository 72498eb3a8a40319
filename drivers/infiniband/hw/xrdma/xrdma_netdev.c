// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA Ethernet port: the network device of the function, its settings, and
 * how it is attached to an RDMA device. The network device determines GIDs and
 * port state of the RDMA device. The network device and its settings stay while
 * xrdma_function.c takes the RDMA device down and up again. The settings of the
 * port, and its channels, are in xrdma_eth_port.c and xrdma_eth.c. Frames are
 * received in xrdma_eth_rx.c and sent in xrdma_eth_tx.c, ethtool is in
 * xrdma_ethtool.c and xrdma_ethtool_queues.c, time stamps and the PTP hardware clock
 * in xrdma_eth_tstamp.c.
 */

#include <linux/etherdevice.h>
#include <linux/log2.h>
#include "xrdma_cmd.h"
#include "xrdma_eq.h"
#include "xrdma_eth.h"
#include "xrdma_ibdev.h"
#include "xrdma_netdev.h"

/* ---- port ------------------------------------------------------------------ */

/**
 * xrdma_netdev_link() - report a change of the link to the network stack
 * @xib: the device
 * @up: true: the link is up
 *
 * Context: any.
 */
void xrdma_netdev_link(struct xrdma_ibdev *xib, bool up)
{
	struct net_device *ndev = READ_ONCE(xib->netdev);
	struct xrdma_netdev *xn;

	if (!ndev)
		return;
	xn = netdev_priv(ndev);
	if (up) {
		WRITE_ONCE(xn->speed_old, true);
		netif_carrier_on(ndev);
	} else {
		netif_carrier_off(ndev);
	}
}

/*
 * Replace queues that have failed. RDMA is not interrupted. If that fails, the
 * transmit queue stays stopped, and xrdma_ndo_tx_timeout() requests another
 * try.
 */
static void xrdma_restart_work(struct work_struct *work)
{
	struct xrdma_netdev *xn = container_of(to_delayed_work(work),
					       struct xrdma_netdev, restart);
	int err = 0;

	rtnl_lock();
	/* a port that is down or detached gets new queues when it is opened */
	if (netif_running(xn->ndev) && netif_device_present(xn->ndev)) {
		xrdma_port_close(xn, true);
		err = xrdma_port_open(xn);
	}
	rtnl_unlock();
	if (err)
		netdev_err(xn->ndev, "cannot make new queues: error %d\n",
			   err);
}

/* ---- net_device_ops ---------------------------------------------------------- */

static int xrdma_ndo_open(struct net_device *ndev)
{
	return xrdma_port_open(netdev_priv(ndev));
}

/*
 * Also called while @ndev is detached: then xrdma_netdev_detach() has closed
 * it.
 */
static int xrdma_ndo_stop(struct net_device *ndev)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);

	if (xrdma_netdev_hw(xn))
		xrdma_port_close(xn, false);
	return 0;
}

/*
 * Not rate limited: the network stack calls this once per watchdog timeout. It calls
 * this in a soft interrupt, for which xrdma_eth_destroy() waits in netif_napi_del().
 */
static void xrdma_ndo_tx_timeout(struct net_device *ndev, unsigned int txqueue)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);
	struct xrdma_eth *eth = READ_ONCE(xn->eth);

	if (eth && txqueue < eth->num) {
		struct xrdma_channel *ch = &eth->channel[txqueue];

		netdev_err(ndev, "QP %u has completed %u of %u frames: new queues are made\n",
			   ch->qp.qpn, READ_ONCE(ch->qp.sq.ci),
			   READ_ONCE(ch->tx_published));
	}
	xrdma_netdev_restart(xn);
}

/**
 * xrdma_ndo_set_rx_mode() - net_device_ops.ndo_set_rx_mode_async
 * @ndev: the netdev, open
 * @uc: not used
 * @mc: not used: the function reads the current list of @ndev, and a later
 *	change of that list causes another call
 *
 * Context: may sleep, under the RTNL.
 * Return: 0 or an error of the command.
 */
int xrdma_ndo_set_rx_mode(struct net_device *ndev,
			  struct netdev_hw_addr_list *uc,
			  struct netdev_hw_addr_list *mc)
{
	return xrdma_port_set(netdev_priv(ndev), ndev->mtu, true);
}

static int xrdma_ndo_set_mac_address(struct net_device *ndev, void *addr)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);
	u8 old[ETH_ALEN];
	int err;

	ether_addr_copy(old, ndev->dev_addr);
	err = eth_mac_addr(ndev, addr);
	if (err)
		return err;
	err = xrdma_port_set(xn, ndev->mtu, netif_running(ndev));
	if (err)
		eth_hw_addr_set(ndev, old);
	return err;
}

/*
 * A frame that is longer than the MTU of the port fails. So before the MTU of
 * the port is lowered, no longer frames are accepted, and those posted are
 * sent.
 */
static int xrdma_ndo_change_mtu(struct net_device *ndev, int mtu)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);
	unsigned int old = ndev->mtu;
	int err;

	if (mtu < old) {
		WRITE_ONCE(ndev->mtu, mtu);
		if (xn->eth)
			xrdma_eth_wait_sent(xn);
	}
	err = xrdma_port_set(xn, mtu, netif_running(ndev));
	WRITE_ONCE(ndev->mtu, err ? old : mtu);
	return err;
}

/*
 * Only the features that change received frames are settings of the device. The
 * network stack takes NETIF_F_GRO_HW away without NETIF_F_RXCSUM. Also called while
 * @ndev is detached: an error would make the network stack print a warning, and
 * xrdma_port_open() sets the options later.
 */
static int xrdma_ndo_set_features(struct net_device *ndev,
				  netdev_features_t features)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);
	u32 options = xn->options & ~(XRDMA_PORT_CSUM | XRDMA_PORT_VLAN |
				      XRDMA_PORT_GRO);

	if (features & NETIF_F_RXCSUM)
		options |= XRDMA_PORT_CSUM;
	if (features & NETIF_F_HW_VLAN_CTAG_RX)
		options |= XRDMA_PORT_VLAN;
	if (features & NETIF_F_GRO_HW)
		options |= XRDMA_PORT_GRO;
	return options == xn->options ? 0 : xrdma_port_set_options(xn, options);
}

/* Return: features that the user may switch on and off. */
static netdev_features_t xrdma_netdev_features(u64 caps)
{
	netdev_features_t features = NETIF_F_SG;

	if (caps & XRDMA_CAP_ETH_CSUM)
		features |= NETIF_F_HW_CSUM | NETIF_F_RXCSUM;
	if (caps & XRDMA_CAP_ETH_CSUM && caps & XRDMA_CAP_ETH_TSO)
		features |= NETIF_F_TSO | NETIF_F_TSO6 | NETIF_F_TSO_ECN;
	if (caps & XRDMA_CAP_ETH_CSUM && caps & XRDMA_CAP_ETH_GRO)
		features |= NETIF_F_GRO_HW;
	if (caps & XRDMA_CAP_ETH_VLAN)
		features |= NETIF_F_HW_VLAN_CTAG_TX | NETIF_F_HW_VLAN_CTAG_RX;
	return features;
}

static const struct net_device_ops xrdma_netdev_ops = {
	.ndo_open = xrdma_ndo_open,
	.ndo_stop = xrdma_ndo_stop,
	.ndo_start_xmit = xrdma_eth_xmit,
	.ndo_tx_timeout = xrdma_ndo_tx_timeout,
	.ndo_set_rx_mode_async = xrdma_ndo_set_rx_mode,
	.ndo_set_mac_address = xrdma_ndo_set_mac_address,
	.ndo_change_mtu = xrdma_ndo_change_mtu,
	.ndo_set_features = xrdma_ndo_set_features,
	.ndo_hwtstamp_get = xrdma_ndo_hwtstamp_get,
	.ndo_hwtstamp_set = xrdma_ndo_hwtstamp_set,
	.ndo_validate_addr = eth_validate_addr,
	.ndo_get_stats64 = xrdma_ndo_get_stats64,
};

/* ---- life ---------------------------------------------------------------------- */

static int xrdma_netdev_query(struct xrdma_ibdev *xib,
			      struct xrdma_rsp_query_port *port)
{
	int err;

	err = xrdma_cmd_query_port(&xib->hw, port);
	if (err)
		return err;
	return is_valid_ether_addr(port->mac) ? 0 : -EIO;
}

/* Allocate the number of a protection domain. No consumer gets the number. */
static int xrdma_netdev_init_pd(struct xrdma_netdev *xn,
				struct xrdma_ibdev *xib)
{
	int pdn;

	pdn = ida_alloc_range(&xib->pds, 1, xib->hw.caps.max_pd - 1,
			      GFP_KERNEL);
	if (pdn < 0)
		return pdn;
	xn->pdn = pdn;
	return 0;
}

/* Connect network device and RDMA device, and allocate a protection domain. */
static int xrdma_netdev_bind(struct xrdma_netdev *xn, struct xrdma_ibdev *xib)
{
	int err;

	err = xrdma_netdev_init_pd(xn, xib);
	if (err)
		return err;
	xrdma_eth_reserve(xib, xn->ndev->num_tx_queues);
	xrdma_eth_clock_attach(&xn->clock, &xib->hw);
	xn->xib = xib;
	/* link events before this write are not needed: the port is down */
	WRITE_ONCE(xib->netdev, xn->ndev);
	return 0;
}

static void xrdma_netdev_unbind(struct xrdma_netdev *xn)
{
	struct xrdma_ibdev *xib = xn->xib;

	WRITE_ONCE(xib->netdev, NULL);
	xrdma_eth_clock_detach(&xn->clock);
	xn->xib = NULL;
	ida_free(&xib->pds, xn->pdn);
}

/* Set the default number and size of the queues, and a random key of the hash. */
static int xrdma_netdev_init_queues(struct xrdma_netdev *xn,
				    const struct xrdma_ibdev *xib)
{
	u32 channels, max = xrdma_eth_max_channels(&xib->hw.caps);

	channels = xrdma_eth_default_channels(num_online_cpus(),
					      xrdma_num_comp_vectors(&xib->hw),
					      max);
	xn->shape = (struct xrdma_eth_shape) {
		.channels = channels,
		.rx_depth = XRDMA_ETH_DEPTH,
		.tx_depth = XRDMA_ETH_DEPTH,
	};
	xrdma_eth_stats_init(xn);
	if (max > 1)
		xn->rss.size = rounddown_pow_of_two(min(xib->hw.caps.max_rss,
							XRDMA_ETH_MAX_INDIR));
	xrdma_eth_rss_reset(&xn->rss, channels);
	netdev_rss_key_fill(xn->rss.key, sizeof(xn->rss.key));
	return netif_set_real_num_queues(xn->ndev, channels, channels);
}

static void xrdma_netdev_init(struct net_device *ndev, struct xrdma_ibdev *xib)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);

	xn->ndev = ndev;
	xn->options = XRDMA_PORT_PAUSE | XRDMA_PORT_CSUM | XRDMA_PORT_VLAN |
		      XRDMA_PORT_GRO;
	INIT_DELAYED_WORK(&xn->restart, xrdma_restart_work);
	xrdma_eth_clock_init(&xn->clock);
	SET_NETDEV_DEV(ndev, xrdma_to_dev(&xib->hw));
	ndev->netdev_ops = &xrdma_netdev_ops;
	ndev->ethtool_ops = &xrdma_ethtool_ops;
	ndev->stat_ops = &xrdma_eth_stat_ops;
	ndev->priv_flags |= IFF_LIVE_ADDR_CHANGE;
	ndev->hw_features = xrdma_netdev_features(xib->hw.caps.flags);
	ndev->features = ndev->hw_features | NETIF_F_HIGHDMA;
	ndev->vlan_features = ndev->features & (NETIF_F_SG | NETIF_F_HIGHDMA |
						NETIF_F_HW_CSUM |
						NETIF_F_ALL_TSO);
	ndev->min_mtu = ETH_MIN_MTU;
	ndev->max_mtu = min(xib->hw.caps.max_mtu, XRDMA_ETH_MAX_MTU);
	netif_set_tso_max_size(ndev, XRDMA_ETH_TSO_MAX);
	netif_carrier_off(ndev);
}

/* The clock comes first, since the netdev reports its number. */
static int xrdma_netdev_register(struct xrdma_netdev *xn)
{
	int err;

	err = xrdma_eth_clock_register(&xn->clock, xn->ndev->dev.parent);
	if (err)
		return err;
	err = register_netdev(xn->ndev);
	if (err) {
		xrdma_eth_clock_unregister(&xn->clock);
		return err;
	}
	rtnl_lock();
	xrdma_port_spread(xn, xn->shape.channels);
	rtnl_unlock();
	return 0;
}

/**
 * xrdma_netdev_create() - register the network device
 * @xib: the device, whose commands, events and key table work
 *
 * Context: may sleep.
 * Return: the network device, attached to @xib; or an error of a command or of
 * the network stack.
 */
struct net_device *xrdma_netdev_create(struct xrdma_ibdev *xib)
{
	struct xrdma_rsp_query_port port;
	struct net_device *ndev;
	int err;

	ndev = alloc_etherdev_mq(sizeof(struct xrdma_netdev),
				 xrdma_eth_max_channels(&xib->hw.caps));
	if (!ndev)
		return ERR_PTR(-ENOMEM);
	xrdma_netdev_init(ndev, xib);
	err = xrdma_netdev_init_queues(netdev_priv(ndev), xib);
	if (!err)
		err = xrdma_netdev_query(xib, &port);
	if (err)
		goto err_free;
	eth_hw_addr_set(ndev, port.mac);
	err = xrdma_netdev_bind(netdev_priv(ndev), xib);
	if (err)
		goto err_free;
	err = xrdma_netdev_register(netdev_priv(ndev));
	if (err)
		goto err_bound;
	return ndev;

err_bound:
	xrdma_netdev_unbind(netdev_priv(ndev));
err_free:
	free_netdev(ndev);
	return ERR_PTR(err);
}

/**
 * xrdma_netdev_destroy() - unregister the network device
 * @ndev: the network device, detached
 *
 * Context: may sleep.
 */
void xrdma_netdev_destroy(struct net_device *ndev)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);

	unregister_netdev(ndev);
	xrdma_eth_clock_unregister(&xn->clock);
	/* the queues, which schedule the work item, no longer exist */
	cancel_delayed_work_sync(&xn->restart);
	free_netdev(ndev);
}

/**
 * xrdma_netdev_attach() - connect the network device to a new RDMA device
 * @xib: the device, whose commands, events and key table work
 * @ndev: the network device, detached; is opened again if it is running
 *
 * Context: may sleep, takes the RTNL.
 * Return: 0, or the errno of the step that failed: @ndev stays detached.
 */
int xrdma_netdev_attach(struct xrdma_ibdev *xib, struct net_device *ndev)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);
	struct xrdma_rsp_query_port port;
	int err;

	err = xrdma_netdev_query(xib, &port);
	if (err)
		return err;
	rtnl_lock();
	err = xrdma_netdev_bind(xn, xib);
	if (!err && netif_running(ndev)) {
		err = xrdma_port_open(xn);
		if (err)
			xrdma_netdev_unbind(xn);
	}
	if (!err)
		netif_device_attach(ndev);
	rtnl_unlock();
	return err;
}

/**
 * xrdma_netdev_detach() - disconnect the network device from the RDMA device
 * @xib: the device, dead or alive, which is no longer registered with ib_core
 *
 * Addresses, routes and all other settings of the network device stay.
 *
 * Context: may sleep, takes the RTNL.
 */
void xrdma_netdev_detach(struct xrdma_ibdev *xib)
{
	struct net_device *ndev = xib->netdev;
	struct xrdma_netdev *xn = netdev_priv(ndev);

	rtnl_lock();
	netif_device_detach(ndev);
	if (netif_running(ndev))
		xrdma_port_close(xn, false);
	xrdma_netdev_unbind(xn);
	rtnl_unlock();
}
