// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA Ethernet port: the network device of the function as users see it.
 * GIDs and port state of the RDMA device are taken from it. Must not know
 * verbs, nor how frames are moved (xrdma_eth.c).
 */

#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include "xrdma_netdev.h"

/* ---- port ------------------------------------------------------------------ */

static int xrdma_port_set(struct xrdma_netdev *xn, u32 mtu)
{
	struct xrdma_cmd_modify_port port = { .mtu = cpu_to_le32(mtu) };
	unsigned int ndev_flags = READ_ONCE(xn->ndev->flags);
	u32 flags = 0;

	lockdep_assert_held(&xn->port_lock);

	if (xn->up) {
		flags |= XRDMA_PORT_UP;
		port.eth_qpn = cpu_to_le32(xn->qp.qpn);
	}
	if (ndev_flags & IFF_PROMISC)
		flags |= XRDMA_PORT_PROMISC;
	/* the device has no list of multicast addresses: all, or none */
	if (ndev_flags & IFF_ALLMULTI || !netdev_mc_empty(xn->ndev))
		flags |= XRDMA_PORT_ALLMULTI;
	port.flags = cpu_to_le32(flags);
	ether_addr_copy(port.mac, xn->ndev->dev_addr);
	return xrdma_cmd_modify_port(&xn->xib->hw, &port);
}

static int xrdma_port_update(struct xrdma_netdev *xn, u32 mtu)
{
	int err;

	mutex_lock(&xn->port_lock);
	err = xrdma_port_set(xn, mtu);
	mutex_unlock(&xn->port_lock);
	return err;
}

static int xrdma_port_up_down(struct xrdma_netdev *xn, bool up)
{
	int err;

	mutex_lock(&xn->port_lock);
	xn->up = up;
	err = xrdma_port_set(xn, READ_ONCE(xn->ndev->mtu));
	if (err)
		xn->up = false;
	mutex_unlock(&xn->port_lock);
	return err;
}

static void xrdma_port_work(struct work_struct *work)
{
	struct xrdma_netdev *xn = container_of(work, struct xrdma_netdev,
					       port_work);

	xrdma_port_update(xn, READ_ONCE(xn->ndev->mtu));
}

/**
 * xrdma_netdev_link() - the link has changed
 * @xib: the device
 * @up: it is up
 *
 * Context: any.
 */
void xrdma_netdev_link(struct xrdma_ibdev *xib, bool up)
{
	struct net_device *ndev = READ_ONCE(xib->netdev);

	if (!ndev)
		return;
	if (up)
		netif_carrier_on(ndev);
	else
		netif_carrier_off(ndev);
}

/* ---- net_device_ops ---------------------------------------------------------- */

static int xrdma_ndo_open(struct net_device *ndev)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);
	int err;

	err = xrdma_eth_open(xn);
	if (err)
		return err;
	netif_start_queue(ndev);
	err = xrdma_port_up_down(xn, true);
	if (err) {
		netif_tx_disable(ndev);
		xrdma_eth_close(xn);
	}
	return err;
}

static int xrdma_ndo_stop(struct net_device *ndev)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);

	netif_tx_disable(ndev);
	netif_carrier_off(ndev);
	xrdma_port_up_down(xn, false);
	xrdma_eth_close(xn);
	return 0;
}

/* May not sleep */
static void xrdma_ndo_set_rx_mode(struct net_device *ndev)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);

	schedule_work(&xn->port_work);
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
	err = xrdma_port_update(xn, ndev->mtu);
	if (err)
		eth_hw_addr_set(ndev, old);
	return err;
}

/* Frames too long for the port would fail: none may be left when it shrinks. */
static int xrdma_ndo_change_mtu(struct net_device *ndev, int mtu)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);
	unsigned int old = ndev->mtu;
	int err;

	if (mtu < old) {
		WRITE_ONCE(ndev->mtu, mtu);
		if (netif_running(ndev))
			xrdma_eth_wait_sent(xn);
	}
	err = xrdma_port_update(xn, mtu);
	WRITE_ONCE(ndev->mtu, err ? old : mtu);
	return err;
}

static const struct net_device_ops xrdma_netdev_ops = {
	.ndo_open = xrdma_ndo_open,
	.ndo_stop = xrdma_ndo_stop,
	.ndo_start_xmit = xrdma_eth_xmit,
	.ndo_set_rx_mode = xrdma_ndo_set_rx_mode,
	.ndo_set_mac_address = xrdma_ndo_set_mac_address,
	.ndo_change_mtu = xrdma_ndo_change_mtu,
	.ndo_validate_addr = eth_validate_addr,
	.ndo_get_stats64 = dev_get_tstats64,
};

/* ---- ethtool_ops -------------------------------------------------------------- */

static void xrdma_get_drvinfo(struct net_device *ndev,
			      struct ethtool_drvinfo *info)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);

	strscpy(info->driver, KBUILD_MODNAME, sizeof(info->driver));
	strscpy(info->bus_info, pci_name(xn->xib->hw.pdev),
		sizeof(info->bus_info));
	xrdma_get_dev_fw_str(&xn->xib->ibdev, info->fw_version);
}

/* The speed is that of the port, whether or not the link is up. */
static int xrdma_get_link_ksettings(struct net_device *ndev,
				    struct ethtool_link_ksettings *settings)
{
	struct xrdma_netdev *xn = netdev_priv(ndev);

	settings->base.speed = xn->speed;
	settings->base.duplex = DUPLEX_FULL;
	settings->base.port = PORT_OTHER;
	settings->base.autoneg = AUTONEG_DISABLE;
	return 0;
}

static const struct ethtool_ops xrdma_ethtool_ops = {
	.get_drvinfo = xrdma_get_drvinfo,
	.get_link = ethtool_op_get_link,
	.get_link_ksettings = xrdma_get_link_ksettings,
};

/* ---- life ---------------------------------------------------------------------- */

static int xrdma_netdev_init(struct xrdma_netdev *xn)
{
	struct net_device *ndev = xn->ndev;
	struct xrdma_rsp_query_port port;
	int err;

	err = xrdma_cmd_query_port(&xn->xib->hw, &port);
	if (err)
		return err;
	if (!is_valid_ether_addr(port.mac))
		return -EIO;

	xn->speed = le32_to_cpu(port.speed);
	eth_hw_addr_set(ndev, port.mac);
	ndev->netdev_ops = &xrdma_netdev_ops;
	ndev->ethtool_ops = &xrdma_ethtool_ops;
	ndev->pcpu_stat_type = NETDEV_PCPU_STAT_TSTATS;
	ndev->priv_flags |= IFF_LIVE_ADDR_CHANGE;
	ndev->hw_features = NETIF_F_SG;
	ndev->features = ndev->hw_features | NETIF_F_HIGHDMA;
	ndev->min_mtu = ETH_MIN_MTU;
	ndev->max_mtu = xn->xib->hw.caps.max_mtu;
	netif_carrier_off(ndev);
	return 0;
}

/* A protection domain that no consumer can get, and a key of it */
static int xrdma_netdev_init_pd(struct xrdma_netdev *xn)
{
	struct xrdma_ibdev *xib = xn->xib;
	int pdn, err;

	pdn = ida_alloc_range(&xib->pds, 1, xib->hw.caps.max_pd - 1,
			      GFP_KERNEL);
	if (pdn < 0)
		return pdn;
	xn->pdn = pdn;
	err = xrdma_dma_key_create(xib, xn->pdn, XRDMA_ACCESS_LOCAL_WRITE,
				   &xn->dma_key);
	if (err)
		ida_free(&xib->pds, xn->pdn);
	return err;
}

static void xrdma_netdev_free_pd(struct xrdma_netdev *xn)
{
	xrdma_dma_key_destroy(xn->xib, xn->dma_key);
	ida_free(&xn->xib->pds, xn->pdn);
}

/**
 * xrdma_netdev_create() - register the network device
 * @xib: the device; commands, events and the key table work
 *
 * Context: may sleep.
 * Return: 0, or an error of a command or of the network stack.
 */
int xrdma_netdev_create(struct xrdma_ibdev *xib)
{
	struct xrdma_netdev *xn;
	struct net_device *ndev;
	int err;

	ndev = alloc_etherdev(sizeof(*xn));
	if (!ndev)
		return -ENOMEM;
	SET_NETDEV_DEV(ndev, xrdma_to_dev(&xib->hw));
	xn = netdev_priv(ndev);
	xn->xib = xib;
	xn->ndev = ndev;
	mutex_init(&xn->port_lock);
	INIT_WORK(&xn->port_work, xrdma_port_work);

	err = xrdma_netdev_init(xn);
	if (err)
		goto err_free;
	err = xrdma_netdev_init_pd(xn);
	if (err)
		goto err_free;
	err = register_netdev(ndev);
	if (err)
		goto err_pd;
	/* the port is down until it is opened: no link event is missed */
	WRITE_ONCE(xib->netdev, ndev);
	return 0;

err_pd:
	xrdma_netdev_free_pd(xn);
err_free:
	mutex_destroy(&xn->port_lock);
	free_netdev(ndev);
	return err;
}

/**
 * xrdma_netdev_destroy() - unregister the network device
 * @xib: the device, dead or alive; the RDMA device is gone
 *
 * Context: may sleep.
 */
void xrdma_netdev_destroy(struct xrdma_ibdev *xib)
{
	struct net_device *ndev = xib->netdev;
	struct xrdma_netdev *xn = netdev_priv(ndev);

	unregister_netdev(ndev);
	cancel_work_sync(&xn->port_work);
	xrdma_netdev_free_pd(xn);
	mutex_destroy(&xn->port_lock);
	WRITE_ONCE(xib->netdev, NULL);
	/* a port event may be in xrdma_netdev_link() */
	xrdma_eq_sync(&xib->hw, 0);
	free_netdev(ndev);
}
