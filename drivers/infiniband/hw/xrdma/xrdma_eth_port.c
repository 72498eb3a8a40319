// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA Ethernet port: the settings of the port in the device, MODIFY_PORT, and the
 * channels that the port uses. xrdma_netdev.c, xrdma_ethtool.c and
 * xrdma_ethtool_queues.c decide what is set; the channels are made in xrdma_eth.c.
 */

#include <linux/cpumask.h>
#include <linux/etherdevice.h>
#include "xrdma_cmd.h"
#include "xrdma_eth.h"
#include "xrdma_ibdev.h"

/* ---- settings ---------------------------------------------------------------- */

/**
 * xrdma_port_offered() - list the options of the port that the device has
 * @xn: the netdev
 *
 * Context: under the RTNL.
 * Return: XRDMA_PORT_*; 0 if the netdev is detached.
 */
u32 xrdma_port_offered(const struct xrdma_netdev *xn)
{
	const struct xrdma_dev *xdev = xrdma_netdev_hw(xn);
	u64 caps = xdev ? xdev->caps.flags : 0;
	u64 gro = XRDMA_CAP_ETH_CSUM | XRDMA_CAP_ETH_GRO;

	return (caps & XRDMA_CAP_ETH_PAUSE ? XRDMA_PORT_PAUSE : 0) |
	       (caps & XRDMA_CAP_ETH_CSUM ? XRDMA_PORT_CSUM : 0) |
	       (caps & XRDMA_CAP_ETH_VLAN ? XRDMA_PORT_VLAN : 0) |
	       ((caps & gro) == gro ? XRDMA_PORT_GRO : 0);
}

/**
 * xrdma_port_set() - copy the state of the network device to the port
 * @xn: the netdev
 * @mtu: MTU of the port
 * @up: the port is up
 *
 * The state changes under the RTNL, which also orders the commands: the last
 * command has the latest state.
 *
 * Context: may sleep, under the RTNL.
 * Return: 0, -ENODEV if the netdev is detached, or an error of the command.
 */
int xrdma_port_set(struct xrdma_netdev *xn, u32 mtu, bool up)
{
	struct xrdma_cmd_modify_port port = { .mtu = cpu_to_le32(mtu) };
	struct xrdma_dev *xdev = xrdma_netdev_hw(xn);
	unsigned int ndev_flags = xn->ndev->flags;
	u32 flags = 0;

	ASSERT_RTNL();

	if (!xdev)
		return -ENODEV;
	if (xn->eth)
		port.eth_qpn = cpu_to_le32(xn->eth->qpn);
	if (up)
		flags |= XRDMA_PORT_UP;
	if (ndev_flags & IFF_PROMISC)
		flags |= XRDMA_PORT_PROMISC;
	/* the device has no list of multicast addresses, only an "all" flag */
	if (ndev_flags & IFF_ALLMULTI || !netdev_mc_empty(xn->ndev))
		flags |= XRDMA_PORT_ALLMULTI;
	flags |= xn->options & xrdma_port_offered(xn);
	port.flags = cpu_to_le32(flags);
	ether_addr_copy(port.mac, xn->ndev->dev_addr);
	return xrdma_cmd_modify_port(xdev, &port);
}

/**
 * xrdma_port_speed() - find the speed of the port
 * @xn: the netdev
 *
 * Asks the device once after each time that the link has come up.
 *
 * Context: may sleep, under the RTNL.
 * Return: speed of the last link in Mbit/s; 0: not known.
 */
u32 xrdma_port_speed(struct xrdma_netdev *xn)
{
	struct xrdma_dev *xdev = xrdma_netdev_hw(xn);
	struct xrdma_rsp_query_port port;

	if (!xdev || !READ_ONCE(xn->speed_old))
		return xn->speed;
	/* before the command: the link may come up again after the reply */
	WRITE_ONCE(xn->speed_old, false);
	if (xrdma_cmd_query_port(xdev, &port))
		WRITE_ONCE(xn->speed_old, true);
	else
		xn->speed = le32_to_cpu(port.speed);
	return xn->speed;
}

/**
 * xrdma_port_set_options() - set the options of the port
 * @xn: the netdev; if it is detached, the options are set when it is attached
 * @options: XRDMA_PORT_* that are wanted; those that the device does not have
 *	are set when the netdev is attached to a device that has them
 *
 * Context: may sleep, under the RTNL.
 * Return: 0 or an error of the command: the options are as before.
 */
int xrdma_port_set_options(struct xrdma_netdev *xn, u32 options)
{
	u32 old = xn->options;
	int err;

	xn->options = options;
	if (!xrdma_netdev_hw(xn))
		return 0;
	err = xrdma_port_set(xn, xn->ndev->mtu, netif_running(xn->ndev));
	if (err)
		xn->options = old;
	return err;
}

/* ---- channels ---------------------------------------------------------------- */

/**
 * xrdma_port_open() - create the queues, and let the port use them
 * @xn: the netdev, without queues
 *
 * Context: may sleep, under the RTNL.
 * Return: 0, -ENODEV if the netdev is detached, -ENOMEM, or an error of a command:
 * there are no queues.
 */
int xrdma_port_open(struct xrdma_netdev *xn)
{
	struct xrdma_eth *eth;
	int err;

	if (!xrdma_netdev_hw(xn))
		return -ENODEV;
	eth = xrdma_eth_create(xn, &xn->shape);
	if (IS_ERR(eth))
		return PTR_ERR(eth);
	WRITE_ONCE(xn->eth, eth);
	err = xrdma_port_set(xn, xn->ndev->mtu, true);
	if (err) {
		WRITE_ONCE(xn->eth, NULL);
		xrdma_eth_destroy(xn, eth);
		return err;
	}
	xrdma_eth_start(xn);
	return 0;
}

/**
 * xrdma_port_close() - take the queues from the port, and destroy them
 * @xn: the netdev, attached
 * @up: the port stays up
 *
 * If the command fails, the port may still receive into the queues, so the device
 * is declared dead and reset.
 *
 * Context: may sleep, under the RTNL.
 */
void xrdma_port_close(struct xrdma_netdev *xn, bool up)
{
	struct xrdma_eth *eth = xn->eth;
	int err;

	if (eth)
		xrdma_eth_stop(xn);
	if (!up)
		netif_carrier_off(xn->ndev);
	WRITE_ONCE(xn->eth, NULL);
	err = xrdma_port_set(xn, xn->ndev->mtu, up);
	if (err)
		xrdma_fatal(&xn->xib->hw,
			    "it keeps QP %u on its Ethernet port: MODIFY_PORT, error %d",
			    eth ? eth->qpn : 0, err);
	if (eth)
		xrdma_eth_destroy(xn, eth);
	/* a restart that was requested for these queues is no longer needed */
	cancel_delayed_work(&xn->restart);
}

/**
 * xrdma_port_spread() - let the CPU of the interrupt of queue N send to queue N
 * @xn: the netdev, registered: only the end of a registered netdev frees the maps of
 *	XPS
 * @channels: number of transmit queues
 *
 * xrdma_eq.c distributes the interrupts in the same way: over the CPUs of the node of
 * the device first. The user may change the maps in
 * /sys/class/net/.../queues/tx-N/xps_cpus until the number of channels changes.
 *
 * Context: may sleep, under the RTNL.
 */
void xrdma_port_spread(struct xrdma_netdev *xn, u32 channels)
{
	int node = dev_to_node(xn->ndev->dev.parent);
	u32 i;

	for (i = 0; channels > 1 && i < channels; i++)
		netif_set_xps_queue(xn->ndev,
				    cpumask_of(cpumask_local_spread(i, node)),
				    i);
}

/*
 * Tell the network stack the number of receive queues and of transmit queues, under
 * the RTNL. Return: 0 or -ENOMEM.
 */
static int xrdma_port_set_num(struct xrdma_netdev *xn, u32 channels)
{
	int err;

	if (xn->ndev->real_num_tx_queues == channels)
		return 0;
	err = netif_set_real_num_queues(xn->ndev, channels, channels);
	if (!err)
		xrdma_port_spread(xn, channels);
	return err;
}

/*
 * Exchange the channels of the port. If that fails, the former ones go on, with the
 * frames that they have not sent yet. The number of queues is raised first and lowered
 * last, since only lowering it needs no memory and cannot fail.
 * Return: 0 or an errno.
 */
static int xrdma_port_exchange(struct xrdma_netdev *xn, struct xrdma_eth *eth)
{
	struct xrdma_eth *old = xn->eth;
	int err;

	xrdma_eth_stop(xn);
	err = xrdma_port_set_num(xn, max(old->num, eth->num));
	if (!err) {
		WRITE_ONCE(xn->eth, eth);
		err = xrdma_port_set(xn, xn->ndev->mtu, true);
		if (err)
			WRITE_ONCE(xn->eth, old);
		xrdma_port_set_num(xn, xn->eth->num);
	}
	if (err)
		xrdma_eth_resume(xn);
	else
		xrdma_eth_start(xn);
	return err;
}

/**
 * xrdma_port_reshape() - change number and size of the queues
 * @xn: the netdev
 * @shape: new number and size
 *
 * The new queues are made while the former ones send and receive. Frames that are
 * in the former ones when the port changes are dropped.
 *
 * Context: may sleep, under the RTNL.
 * Return: 0, -ENODEV if the netdev is detached, -ENOMEM, or an error of a command:
 * the queues are as before.
 */
int xrdma_port_reshape(struct xrdma_netdev *xn,
		       const struct xrdma_eth_shape *shape)
{
	struct xrdma_eth *old = xn->eth, *eth;
	int err;

	if (!xrdma_netdev_hw(xn))
		return -ENODEV;
	if (!old) {
		err = xrdma_port_set_num(xn, shape->channels);
		if (!err)
			xn->shape = *shape;
		return err;
	}
	eth = xrdma_eth_create(xn, shape);
	if (IS_ERR(eth))
		return PTR_ERR(eth);
	err = xrdma_port_exchange(xn, eth);
	xrdma_eth_destroy(xn, err ? eth : old);
	if (!err)
		xn->shape = *shape;
	return err;
}

/**
 * xrdma_port_rehash() - change the settings of receive side scaling
 * @xn: the netdev
 * @rss: new settings
 *
 * No frame is lost: the device changes from one RSS object to the other.
 *
 * Context: may sleep, under the RTNL.
 * Return: 0, -ENODEV if the netdev is detached, -ENOMEM, or an error of a command:
 * the settings are as before.
 */
int xrdma_port_rehash(struct xrdma_netdev *xn, const struct xrdma_eth_rss *rss)
{
	u32 old, qpn;
	int err;

	if (!xrdma_netdev_hw(xn))
		return -ENODEV;
	if (xn->eth && xn->eth->num > 1) {
		err = xrdma_eth_rss_create(xn, xn->eth, rss, &qpn);
		if (err)
			return err;
		old = xn->eth->qpn;
		xn->eth->qpn = qpn;
		err = xrdma_port_set(xn, xn->ndev->mtu, true);
		if (err)
			swap(old, xn->eth->qpn);
		xrdma_eth_rss_destroy(xn, old);
		if (err)
			return err;
	}
	xn->rss = *rss;
	return 0;
}
