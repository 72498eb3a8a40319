// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA Ethernet port: the settings of the port in the device, MODIFY_PORT.
 * xrdma_netdev.c and xrdma_ethtool.c decide what is set.
 */

#include <linux/etherdevice.h>
#include "xrdma_cmd.h"
#include "xrdma_eth.h"
#include "xrdma_ibdev.h"

/**
 * xrdma_port_offered() - list the options of the port that the device has
 * @xn: the netdev, attached
 *
 * Context: any.
 * Return: XRDMA_PORT_*.
 */
u32 xrdma_port_offered(const struct xrdma_netdev *xn)
{
	u64 caps = xn->xib->hw.caps.flags;

	return (caps & XRDMA_CAP_ETH_PAUSE ? XRDMA_PORT_PAUSE : 0) |
	       (caps & XRDMA_CAP_ETH_CSUM ? XRDMA_PORT_CSUM : 0) |
	       (caps & XRDMA_CAP_ETH_VLAN ? XRDMA_PORT_VLAN : 0);
}

/**
 * xrdma_port_set() - copy the state of the network device to the port
 * @xn: the netdev, attached
 * @mtu: MTU of the port
 * @up: the port is up
 *
 * The state changes under the RTNL, which also orders the commands: the last
 * command has the latest state.
 *
 * Context: may sleep, under the RTNL.
 * Return: 0 or an error of the command.
 */
int xrdma_port_set(struct xrdma_netdev *xn, u32 mtu, bool up)
{
	struct xrdma_cmd_modify_port port = { .mtu = cpu_to_le32(mtu) };
	unsigned int ndev_flags = xn->ndev->flags;
	u32 flags = 0;

	ASSERT_RTNL();

	if (xn->open)
		port.eth_qpn = cpu_to_le32(xn->qp.qpn);
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
	return xrdma_cmd_modify_port(&xn->xib->hw, &port);
}

/**
 * xrdma_port_set_options() - set the options of the port
 * @xn: the netdev, attached
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
	err = xrdma_port_set(xn, xn->ndev->mtu, netif_running(xn->ndev));
	if (err)
		xn->options = old;
	return err;
}
