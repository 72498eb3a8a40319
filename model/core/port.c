// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The Ethernet port: MODIFY_PORT, QUERY_PORT and the state of the link. The
 * link is up when the host has set XRDMA_PORT_UP and the transport has a
 * carrier. transport/eth.c sends and receives Ethernet frames.
 */
#include <string.h>

#include "core/device.h"
#include "core/port.h"

#define ALL_FLAGS	(XRDMA_PORT_UP | XRDMA_PORT_PROMISC |		\
			 XRDMA_PORT_ALLMULTI | XRDMA_PORT_PAUSE |	\
			 XRDMA_PORT_CSUM | XRDMA_PORT_VLAN | XRDMA_PORT_GRO)

/* Bytes of the longest headers: IPv6, UDP, BTH, XRCETH, AtomicETH, ICRC. */
#define HEADERS_MAX	(40 + 8 + 12 + 4 + 28 + 4)

static bool flags_ok(u32 flags)
{
	return !(flags & ~ALL_FLAGS) &&
	       (!(flags & XRDMA_PORT_GRO) || flags & XRDMA_PORT_CSUM);
}

static enum xrdma_cmd_status check(struct model_device *dev,
				   const struct xrdma_cmd_modify_port *p)
{
	u32 mtu = le32_to_cpu(p->mtu);
	u32 eth_qpn = le32_to_cpu(p->eth_qpn);
	struct model_qp *qp = model_qp_get(dev, eth_qpn);

	if (!flags_ok(le32_to_cpu(p->flags)) || p->reserved[0] ||
	    p->reserved[1])
		return XRDMA_CMD_BAD_PARAM;
	if (mtu < MODEL_MIN_MTU || mtu > MODEL_MAX_MTU || p->mac[0] & 1)
		return XRDMA_CMD_BAD_PARAM;
	if (eth_qpn && !qp && !model_rss_get(dev, eth_qpn))
		return XRDMA_CMD_BAD_NUMBER;
	if (qp && qp->type != XRDMA_QP_RAW)
		return XRDMA_CMD_BAD_PARAM;
	return XRDMA_CMD_OK;
}

/**
 * model_port_modify - MODIFY_PORT
 * @dev: the device
 * @p: body of the command
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_port_modify(struct model_device *dev,
					const struct xrdma_cmd_modify_port *p)
{
	enum xrdma_cmd_status status = check(dev, p);

	if (status)
		return status;
	dev->port.flags = le32_to_cpu(p->flags);
	dev->port.mtu = le32_to_cpu(p->mtu);
	dev->port.eth_qpn = le32_to_cpu(p->eth_qpn);
	memcpy(dev->port.mac, p->mac, sizeof(dev->port.mac));
	dev->params.transport->port_changed(dev);
	model_port_link_changed(dev);
	return XRDMA_CMD_OK;
}

static bool link_up(const struct model_device *dev)
{
	return dev->port.flags & XRDMA_PORT_UP &&
	       dev->params.transport->carrier(dev);
}

/**
 * model_port_link_changed - raise an event if the state of the link has changed
 * @dev: the device
 */
void model_port_link_changed(struct model_device *dev)
{
	bool up = link_up(dev);

	if (up == dev->port.link_up)
		return;
	dev->port.link_up = up;
	model_event(dev, up ? XRDMA_EVENT_PORT_UP : XRDMA_EVENT_PORT_DOWN, 1);
}

/**
 * model_port_query - QUERY_PORT
 * @dev: the device
 * @rsp: body of the reply, zeroed
 */
void model_port_query(const struct model_device *dev,
		      struct xrdma_rsp_query_port *rsp)
{
	rsp->flags = cpu_to_le32(dev->port.link_up ? XRDMA_PORT_UP : 0);
	rsp->speed = cpu_to_le32(dev->port.link_up ? MODEL_LINK_SPEED : 0);
	memcpy(rsp->mac, dev->params.mac, sizeof(rsp->mac));
}

/**
 * model_port_path_mtu - compute the largest path MTU for the MTU of the port
 * @dev: the device
 *
 * iboe_get_mtu() of the Linux kernel uses the same formula.
 *
 * Return: 256 to 4096, a power of two.
 */
u32 model_port_path_mtu(const struct model_device *dev)
{
	u32 mtu = 4096;

	while (mtu > 256 && mtu + HEADERS_MAX > dev->port.mtu)
		mtu >>= 1;
	return mtu;
}

/**
 * model_port_reset - set the port to its state after a reset, which is down
 * @dev: the device
 */
void model_port_reset(struct model_device *dev)
{
	dev->port = (struct model_port) { .mtu = 1500 };
	memcpy(dev->port.mac, dev->params.mac, sizeof(dev->port.mac));
}
