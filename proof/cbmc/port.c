// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Driver and device together: MODIFY_PORT. The driver's xrdma_netdev.c and
 * xrdma_eth_port.c send the settings of the network device, the device's
 * core/port.c takes them; all are compiled unchanged. Stubs stand for the
 * command, of which commands.c proves that it arrives, for the network stack,
 * and for the queues of the network device.
 *
 * CBMC: -I proof/include -I include --unwind 8 --slice-formula
 */

#include "proof.h"
#include "kernel.h"
#include "xrdma_eth_port.c"
#include "xrdma_netdev.c"
#include "device_port.h"
#include "core/port.c"

static struct xrdma_ibdev xib;
static struct net_device ndev;
static struct xrdma_netdev xn;
static struct model_device dev;

/*
 * The raw packet queue pair of the device, which exists while the queues do; frames
 * are sent until the driver stops the queues
 */
static struct model_qp queue;
static bool queue_exists, stopped;

/* The port names an RSS object, not a queue pair: there are several channels */
static bool scaled;

/* All frames that were posted have been sent, and no longer ones are accepted. */
static bool waited;

/* The network device is up for the network stack; the device is dead */
static bool running, dead;

/* What happens: number of commands, and the status of the last one */
static u32 executed;
static enum xrdma_cmd_status status;
static bool lost;

/* ---- stubs for the network stack ---- */

/* The driver has told the network stack that there is no link. */
static bool carrier_off;

void netif_carrier_off(struct net_device *n)
{
	PROVE(n == &ndev);
	carrier_off = true;
}

bool netif_running(const struct net_device *n)
{
	PROVE(n == &ndev);
	return running;
}

bool netif_device_present(const struct net_device *n)
{
	PROVE(n == &ndev);
	return true;
}

int eth_mac_addr(struct net_device *n, void *addr)
{
	const u8 *mac = addr;

	if (mac[0] & 1)
		return -EADDRNOTAVAIL;
	memcpy(n->dev_addr, mac, ETH_ALEN);
	return 0;
}

void eth_hw_addr_set(struct net_device *n, const u8 *addr)
{
	memcpy(n->dev_addr, addr, ETH_ALEN);
}

bool cancel_delayed_work(struct delayed_work *work)
{
	PROVE(work == &xn.restart);
	return false;
}

/* ---- stubs for other files of the driver ---- */

int xrdma_eth_open(struct xrdma_netdev *x)
{
	PROVE(x == &xn && !queue_exists && !xn.open);
	if (nondet_truth())
		return -ENOMEM;
	xn.qp.qpn = nondet_u32();
	ASSUME(xn.qp.qpn >= 2);
	queue.qpn = xn.qp.qpn;
	queue_exists = true;
	stopped = false;
	return 0;
}

void xrdma_eth_stop(struct xrdma_netdev *x)
{
	PROVE(x == &xn && queue_exists);
	stopped = true;
}

void xrdma_eth_close(struct xrdma_netdev *x)
{
	PROVE(x == &xn && queue_exists && stopped);
	PROVE(dead || dev.port.eth_qpn != queue.qpn);
	queue_exists = false;
}

void xrdma_eth_wait_sent(struct xrdma_netdev *x)
{
	PROVE(x == &xn && queue_exists && ndev.mtu < dev.port.mtu);
	waited = true;
}

void xrdma_fatal(struct xrdma_dev *xdev, const char *why, ...)
{
	PROVE(xdev == &xib.hw && why && lost);
	dead = true;
}

/* The device executes the command, or the command does not reach the device. */
int xrdma_cmd_modify_port(struct xrdma_dev *xdev,
			  const struct xrdma_cmd_modify_port *port)
{
	PROVE(xdev == &xib.hw && ndev.mtu <= dev.port.mtu);
	PROVE(le32_to_cpu(port->mtu) >= dev.port.mtu || !queue_exists || waited);
	executed++;
	lost = nondet_truth();
	if (lost)
		return -EIO;
	status = model_port_modify(&dev, port);
	PROVE(!status);
	return 0;
}

/* ---- stubs for the device ---- */

struct model_qp *model_qp_get(struct model_device *device, u32 qpn)
{
	PROVE(device == &dev);
	return queue_exists && !scaled && qpn == queue.qpn ? &queue : NULL;
}

struct model_rss *model_rss_get(struct model_device *device, u32 qpn)
{
	static struct model_rss rss;

	PROVE(device == &dev);
	return queue_exists && scaled && qpn == queue.qpn ? &rss : NULL;
}

void model_event(struct model_device *device, u8 event, u32 number)
{
	PROVE(device == &dev && number == 1);
	PROVE(event == (device->port.link_up ? XRDMA_EVENT_PORT_UP :
					       XRDMA_EVENT_PORT_DOWN));
}

static bool carrier(const struct model_device *device)
{
	PROVE(device == &dev);
	return nondet_truth();
}

static void port_changed(struct model_device *device)
{
	PROVE(device == &dev);
}

static const struct model_transport transport = {
	.carrier = carrier,
	.port_changed = port_changed,
};

/* ---- theorems ---- */

/* Do driver and device agree on everything but the flags? */
static bool agree(void)
{
	return dev.port.mtu == ndev.mtu && queue_exists == xn.open &&
	       !memcmp(dev.port.mac, ndev.dev_addr, ETH_ALEN) &&
	       dev.port.eth_qpn == (xn.open ? queue.qpn : 0);
}

static void start(void)
{
	struct net_device any;
	struct model_port port;

	ndev = any;	/* not initialised: any settings */
	dev.port = port;
	ndev.priv = &xn;
	xib.hw.caps.flags = nondet_u64();
	scaled = nondet_truth();
	xn.options = nondet_u32() & 56;
	xn.ndev = &ndev;
	xn.xib = &xib;
	xn.open = nondet_truth();
	queue_exists = xn.open;
	queue.type = 6;
	queue.qpn = nondet_u32();
	xn.qp.qpn = queue.qpn;
	dev.params.transport = &transport;
	running = nondet_truth();
	ASSUME(queue.qpn >= 2);
	ASSUME(ndev.mtu >= 68 && ndev.mtu <= 9000 && !(ndev.dev_addr[0] & 1));
	ASSUME(agree());
}

/* The flags of the port that the network device asks for */
static u32 wanted(bool up)
{
	return (up ? 1 : 0) | (ndev.flags & IFF_PROMISC ? 2 : 0) |
	       (ndev.flags & IFF_ALLMULTI || ndev.mc.count ? 4 : 0) |
	       (xib.hw.caps.flags & XRDMA_CAP_ETH_PAUSE ? xn.options & 8 : 0) |
	       (xib.hw.caps.flags & XRDMA_CAP_ETH_CSUM ? xn.options & 16 : 0) |
	       (xib.hw.caps.flags & XRDMA_CAP_ETH_VLAN ? xn.options & 32 : 0);
}

/*
 * Theorem: After any change of the network device (it is opened or stopped,
 *	gets another MTU, MAC address, filter or option, or new queues after an
 *	error) the port of the device has the MTU and the MAC address of the
 *	network device, and the queue pair of the network device exactly while
 *	its queues exist; after a change that succeeds it has the flags PROMISC,
 *	ALLMULTI, PAUSE, CSUM and VLAN that the network device asks for, the
 *	last three only if the device has them, and UP exactly if the network
 *	device is up. A change that fails leaves MTU and MAC address as they
 *	were. No queue pair is destroyed while the port of a live device names
 *	it, or before it has been stopped. The network stack loses the link
 *	exactly when the network device is stopped. No frame that is longer than
 *	the MTU of the port is accepted, and an MTU is lowered only after the
 *	frames that are posted have been sent. The device refuses no value.
 * Holds for: any number of changes, of which each command may be lost.
 * Assumes: the network stack gives an MTU of 68 to 9000; a device that is declared
 *	dead is reset before the next change; theorem commands.bodies_arrive.
 */
static void settings_arrive(void)
{
	u8 which = nondet_u8(), mac[ETH_ALEN];
	unsigned int old_mtu, mtu = nondet_u32();
	bool up = true;
	u64 features = nondet_u64();
	u32 options;
	int err = 0;

	start();
	old_mtu = ndev.mtu;
	*(u16 *)mac = nondet_u16();
	*(u32 *)(mac + 2) = nondet_u32();
	if (which == 0) {
		ASSUME(!xn.open);
		err = xrdma_ndo_open(&ndev);
		PROVE(err <= 0 && !err == xn.open);
	} else if (which == 1) {
		up = false;
		err = xrdma_ndo_stop(&ndev);
		PROVE(!err && !xn.open && !queue_exists);
	} else if (which == 2) {
		err = xrdma_ndo_set_rx_mode(&ndev, NULL, NULL);
	} else if (which == 3) {
		up = running;
		err = xrdma_ndo_set_mac_address(&ndev, mac);
		PROVE(err || !memcmp(ndev.dev_addr, mac, ETH_ALEN));
	} else if (which == 4) {
		ASSUME(mtu >= 68 && mtu <= 9000);
		up = running;
		err = xrdma_ndo_change_mtu(&ndev, mtu);
		PROVE(ndev.mtu == (err ? old_mtu : mtu));
	} else if (which == 5) {
		up = running;
		options = xn.options;
		err = xrdma_port_set_options(&xn, mtu & 56);
		PROVE(xn.options == (err ? options : mtu & 56));
	} else if (which == 6) {
		up = running;
		options = xn.options;
		ASSUME(!(options & 16) != !(features & NETIF_F_RXCSUM));
		err = xrdma_ndo_set_features(&ndev, features);
		PROVE(err ? xn.options == options :
		      !(xn.options & 16) == !(features & NETIF_F_RXCSUM) &&
		      !(xn.options & 32) ==
		      !(features & NETIF_F_HW_VLAN_CTAG_RX));
	} else {
		ASSUME(running);
		xrdma_restart_work((struct work_struct *)&xn.restart);
		err = !xn.open;
	}
	REACHABLE(which == 4 && err && mtu < old_mtu);
	REACHABLE(which == 7 && xn.open && dev.port.flags == 63);
	REACHABLE(which == 1 && dead);
	PROVE(carrier_off == (which == 1));
	PROVE(dead || agree());
	PROVE(dead || err || dev.port.flags == wanted(up));
	PROVE(err || dead || (executed && !lost));
}
