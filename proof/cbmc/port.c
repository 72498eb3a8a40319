// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Driver and device together: MODIFY_PORT. The driver's xrdma_netdev.c and
 * xrdma_eth_port.c send the settings of the network device, the device's
 * core/port.c takes them; all are compiled unchanged. Stubs stand for the
 * command, of which commands.c proves that it arrives, for the network stack,
 * and for the queues of the network device.
 *
 * CBMC: -I proof/include -I include --unwind 9 --slice-formula
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
 * Channels of the driver: those in use, and new ones that replace them. With one
 * channel the port names its queue pair, with several an RSS object.
 */
static struct xrdma_eth first, second;
static bool exists[2];
static struct model_qp queue;

/* Channels that are polled, and send frames; NULL: none */
static struct xrdma_eth *polled;

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

int netif_set_real_num_queues(struct net_device *n, unsigned int tx,
			      unsigned int rx)
{
	PROVE(n == &ndev && tx && tx == rx && !polled);
	if (tx > n->real_num_tx_queues && nondet_truth())
		return -ENOMEM;
	n->real_num_tx_queues = tx;
	return 0;
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

static struct xrdma_eth *eth_at(u32 i)
{
	return i ? &second : &first;
}

/* Return: a number that no other object has */
static u32 new_number(void)
{
	u32 qpn = nondet_u32();

	ASSUME(qpn >= 2 && qpn != first.qpn && qpn != second.qpn);
	return qpn;
}

struct xrdma_eth *xrdma_eth_create(struct xrdma_netdev *x,
				   const struct xrdma_eth_shape *shape)
{
	u32 i = exists[0];

	PROVE(x == &xn && !exists[i] && shape->channels);
	if (nondet_truth())
		return ERR_PTR(-ENOMEM);
	eth_at(i)->qpn = new_number();
	eth_at(i)->num = shape->channels;
	exists[i] = true;
	return eth_at(i);
}

void xrdma_eth_start(struct xrdma_netdev *x)
{
	PROVE(x == &xn && x->eth && !polled);
	PROVE(dev.port.eth_qpn == x->eth->qpn);
	PROVE(ndev.real_num_tx_queues <= x->eth->num);
	polled = x->eth;
}

void xrdma_eth_resume(struct xrdma_netdev *x)
{
	PROVE(x == &xn && x->eth && !polled);
	polled = x->eth;
}

int dev_to_node(const struct device *device)
{
	return 0;
}

void xrdma_eth_stop(struct xrdma_netdev *x)
{
	PROVE(x == &xn && x->eth && polled == x->eth);
	polled = NULL;
}

void xrdma_eth_destroy(struct xrdma_netdev *x, struct xrdma_eth *eth)
{
	u32 i = eth == &second;

	PROVE(x == &xn && exists[i] && polled != eth);
	PROVE(dead || dev.port.eth_qpn != eth->qpn);
	exists[i] = false;
}

int xrdma_eth_rss_create(struct xrdma_netdev *x, const struct xrdma_eth *eth,
			 const struct xrdma_eth_rss *rss, u32 *qpn)
{
	PROVE(x == &xn && eth == x->eth && rss && eth->num > 1);
	if (nondet_truth())
		return -ENOMEM;
	*qpn = new_number();
	return 0;
}

void xrdma_eth_rss_destroy(struct xrdma_netdev *x, u32 qpn)
{
	PROVE(x == &xn && qpn != x->eth->qpn && dev.port.eth_qpn != qpn);
}

void xrdma_eth_wait_sent(struct xrdma_netdev *x)
{
	PROVE(x == &xn && polled && ndev.mtu < dev.port.mtu);
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
	PROVE(le32_to_cpu(port->mtu) >= dev.port.mtu || !polled || waited);
	executed++;
	lost = nondet_truth();
	if (lost)
		return -EIO;
	status = model_port_modify(&dev, port);
	PROVE(!status);
	return 0;
}

/* ---- stubs for the device ---- */

/* Does an object with this number exist, and is it an RSS object? */
static bool object_is(u32 qpn, bool scaled)
{
	u32 i;

	for (i = 0; i < 2; i++)
		if (exists[i] && eth_at(i)->qpn == qpn)
			return (eth_at(i)->num > 1) == scaled;
	return false;
}

struct model_qp *model_qp_get(struct model_device *device, u32 qpn)
{
	PROVE(device == &dev);
	return object_is(qpn, false) ? &queue : NULL;
}

struct model_rss *model_rss_get(struct model_device *device, u32 qpn)
{
	static struct model_rss rss;

	PROVE(device == &dev);
	return object_is(qpn, true) ? &rss : NULL;
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
	return dev.port.mtu == ndev.mtu && polled == xn.eth &&
	       exists[0] + exists[1] == !!xn.eth &&
	       !memcmp(dev.port.mac, ndev.dev_addr, ETH_ALEN) &&
	       dev.port.eth_qpn == (xn.eth ? xn.eth->qpn : 0);
}

static void start(void)
{
	struct net_device any;
	struct model_port port;

	ndev = any;	/* not initialised: any settings */
	dev.port = port;
	ndev.priv = &xn;
	xib.hw.caps.flags = nondet_u64();
	xn.options = nondet_u32() & 120;
	ASSUME(!(xn.options & 64) || xn.options & 16);
	xn.ndev = &ndev;
	xn.xib = &xib;
	exists[0] = nondet_truth();
	xn.eth = exists[0] ? &first : NULL;
	polled = xn.eth;
	xn.shape.channels = nondet_u8();
	ASSUME(xn.shape.channels &&
	       xn.shape.channels <= XRDMA_ETH_MAX_CHANNELS);
	first.num = xn.shape.channels;
	first.qpn = nondet_u32();
	ndev.real_num_tx_queues = xn.shape.channels;
	queue.type = 6;
	dev.params.transport = &transport;
	running = nondet_truth();
	ASSUME(first.qpn >= 2);
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
	       (xib.hw.caps.flags & XRDMA_CAP_ETH_VLAN ? xn.options & 32 : 0) |
	       (xib.hw.caps.flags & XRDMA_CAP_ETH_CSUM &&
		xib.hw.caps.flags & XRDMA_CAP_ETH_GRO ? xn.options & 64 : 0);
}

static int change_options(u32 options)
{
	u32 old = xn.options;
	int err = xrdma_port_set_options(&xn, options);

	PROVE(xn.options == (err ? old : options));
	return err;
}

static int change_features(u64 features)
{
	u32 old = xn.options;
	int err;

	ASSUME(!(old & 16) != !(features & NETIF_F_RXCSUM));
	/* netdev_fix_features() sees to it */
	ASSUME(!(features & NETIF_F_GRO_HW) || features & NETIF_F_RXCSUM);
	err = xrdma_ndo_set_features(&ndev, features);
	PROVE(err ? xn.options == old :
	      !(xn.options & 16) == !(features & NETIF_F_RXCSUM) &&
	      !(xn.options & 32) == !(features & NETIF_F_HW_VLAN_CTAG_RX) &&
	      !(xn.options & 64) == !(features & NETIF_F_GRO_HW));
	return err;
}

static int change_shape(void)
{
	struct xrdma_eth_shape old = xn.shape, shape = {
		.channels = nondet_u8(),
		.rx_depth = nondet_u32(),
		.tx_depth = nondet_u32(),
	};
	struct xrdma_eth *eth = xn.eth;
	int err;

	ASSUME(shape.channels && shape.channels <= XRDMA_ETH_MAX_CHANNELS);
	err = xrdma_port_reshape(&xn, &shape);
	PROVE(!xn.eth == !eth);
	PROVE(err ? xn.eth == eth : !eth || xn.eth->num == shape.channels);
	PROVE(xn.shape.channels == (err ? old : shape).channels &&
	      xn.shape.rx_depth == (err ? old : shape).rx_depth &&
	      xn.shape.tx_depth == (err ? old : shape).tx_depth);
	return err;
}

static int change_rss(void)
{
	static struct xrdma_eth_rss rss;
	u32 old = xn.eth ? xn.eth->qpn : 0;
	int err;

	rss.size = xn.rss.size + 1;
	err = xrdma_port_rehash(&xn, &rss);
	PROVE((xn.rss.size == rss.size) == !err);
	PROVE(!err || !xn.eth || xn.eth->qpn == old);
	return err;
}

/*
 * Theorem: After any change of the network device (it is opened or stopped,
 *	gets another MTU, MAC address, filter or option, another number or size of
 *	queues, another distribution of received frames, or new queues after an
 *	error) the port of the device has the MTU and the MAC address of the
 *	network device, and the queue pair or the RSS object of the network device
 *	exactly while its queues exist; after a change that succeeds it has the flags PROMISC,
 *	ALLMULTI, PAUSE, CSUM and VLAN that the network device asks for, the
 *	last three only if the device has them, and UP exactly if the network
 *	device is up. A change that fails leaves MTU and MAC address, and number,
 *	size and distribution as they were, and the former queues in use. No queue
 *	pair and no RSS object is destroyed while the port of a live device names
 *	it, or before it has been stopped. The network stack never uses more queues
 *	than there are. The network stack loses the link
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
	int err = 0;

	start();
	old_mtu = ndev.mtu;
	*(u16 *)mac = nondet_u16();
	*(u32 *)(mac + 2) = nondet_u32();
	if (which == 0) {
		ASSUME(!xn.eth);
		err = xrdma_ndo_open(&ndev);
		PROVE(err <= 0 && !err == !!xn.eth);
	} else if (which == 1) {
		up = false;
		err = xrdma_ndo_stop(&ndev);
		PROVE(!err && !xn.eth && !polled);
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
		ASSUME(!(mtu & 64) || mtu & 16);
		err = change_options(mtu & 120);
	} else if (which == 6) {
		up = running;
		err = change_features(nondet_u64());
	} else if (which == 8) {
		err = change_shape();
	} else if (which == 9) {
		err = change_rss();
	} else {
		ASSUME(running && which == 7);
		xrdma_restart_work((struct work_struct *)&xn.restart);
		err = !xn.eth;
	}
	REACHABLE(which == 4 && err && mtu < old_mtu);
	REACHABLE(which == 7 && xn.eth && dev.port.flags == 63);
	REACHABLE(which == 1 && dead);
	PROVE(carrier_off == (which == 1));
	PROVE(dead || agree());
	PROVE(dead || err || !executed || dev.port.flags == wanted(up));
	PROVE(err || dead || (executed && !lost) ||
	      (!executed && (which == 8 || which == 9)));
	REACHABLE(which == 8 && executed && !err);
	REACHABLE(which == 8 && executed && err);
	REACHABLE(which == 9 && executed && !err);
}
