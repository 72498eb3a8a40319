// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA addresses: converts address vectors between verbs and the device,
 * creates address handles, and attaches datagram queue pairs to multicast
 * groups. An address handle has no object in the device: xrdma_wqe.c copies its
 * address vector into each send entry.
 */

#include <rdma/ib_addr.h>
#include <rdma/uverbs_ioctl.h>
#include "xrdma_ah.h"
#include "xrdma_cmd.h"
#include "xrdma_ibdev.h"
#include "xrdma_qp.h"

#define XRDMA_MAX_SL		15
#define XRDMA_MAX_PRIORITY	7

/*
 * RoCE has 3 bits of priority; service levels from 8 on are reserved. A
 * completion of a datagram may report a reserved level to user space, and then
 * ibv_init_ah_from_wc() puts it into the attributes of the reply's handle.
 */
static u8 xrdma_priority(u8 sl)
{
	return sl <= XRDMA_MAX_PRIORITY ? sl : 0;
}

/**
 * xrdma_make_av() - write an address vector
 * @av: filled in
 * @attr: attributes of RoCE, with a GRH, checked and resolved by ib_core
 *
 * The device computes the UDP source port from the flow label in the same way
 * as rdma_flow_label_to_udp_sport().
 *
 * Context: any.
 */
void xrdma_make_av(struct xrdma_av *av, const struct rdma_ah_attr *attr)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);

	memset(av, 0, sizeof(*av));
	memcpy(av->dgid, grh->dgid.raw, sizeof(av->dgid));
	memcpy(av->dmac, attr->roce.dmac, sizeof(av->dmac));
	av->flow_label = cpu_to_le32(grh->flow_label & XRDMA_FLOW_LABEL);
	av->sgid_index = grh->sgid_index;
	av->hop_limit = grh->hop_limit;
	av->traffic_class = grh->traffic_class;
	av->sl = xrdma_priority(rdma_ah_get_sl(attr));
}

/**
 * xrdma_read_av() - read the attributes of an address handle from its vector
 * @attr: zeroed; filled in
 * @av: the vector
 *
 * Context: any.
 */
void xrdma_read_av(struct rdma_ah_attr *attr, struct xrdma_av *av)
{
	attr->type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_port_num(attr, 1);
	rdma_ah_set_sl(attr, av->sl);
	rdma_ah_set_grh(attr, NULL, le32_to_cpu(av->flow_label), av->sgid_index,
			av->hop_limit, av->traffic_class);
	rdma_ah_set_dgid_raw(attr, av->dgid);
	ether_addr_copy(attr->roce.dmac, av->dmac);
}

/*
 * The type of the source GID decides whether a packet is IPv4 or IPv6. ib_core
 * compares the types of source and destination only when it resolves the MAC
 * address, which it does not do for multicast.
 */
static bool xrdma_same_family(const struct ib_global_route *grh)
{
	const struct in6_addr *dgid = (const void *)grh->dgid.raw;

	return ipv6_addr_v4mapped(dgid) ==
	       (rdma_gid_attr_network_type(grh->sgid_attr) ==
		RDMA_NETWORK_IPV4);
}

/**
 * xrdma_ah_attr_ok() - can the device send to this address?
 * @caps: capabilities of the device
 * @attr: attributes of an address handle, with the source GID to which ib_core
 *	holds a reference
 *
 * Context: any.
 * Return: false without a GRH, which every RoCE packet has, if only one of
 * source and destination is an IPv4 address, or for a value out of range.
 */
bool xrdma_ah_attr_ok(const struct xrdma_caps *caps,
		      const struct rdma_ah_attr *attr)
{
	return attr->type == RDMA_AH_ATTR_TYPE_ROCE &&
	       attr->ah_flags & IB_AH_GRH &&
	       rdma_ah_read_grh(attr)->sgid_index < caps->max_gid &&
	       xrdma_same_family(rdma_ah_read_grh(attr)) &&
	       rdma_ah_get_sl(attr) <= XRDMA_MAX_SL;
}

/**
 * xrdma_create_ah() - ib_device_ops.create_ah and create_user_ah
 * @ibah: address handle
 * @init: with attributes that ib_core has resolved
 * @udata: no driver data in, struct xrdma_uresp_create_ah out; NULL for the
 *	kernel
 *
 * Context: any if @udata is NULL, else may sleep.
 * Return: 0, -EINVAL for an address that the device cannot send to, -EOPNOTSUPP
 * if the device has no datagrams, or an errno for invalid @udata.
 */
int xrdma_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		    struct ib_udata *udata)
{
	const struct xrdma_caps *caps = &to_xibdev(ibah->device)->hw.caps;
	struct xrdma_uresp_create_ah resp = {};
	struct xrdma_ah *ah = to_xah(ibah);
	int err;

	err = ib_is_udata_in_empty(udata);
	if (err)
		return err;
	if (!(caps->flags & XRDMA_CAP_UD))
		return -EOPNOTSUPP;
	if (!xrdma_ah_attr_ok(caps, init->ah_attr))
		return -EINVAL;
	xrdma_make_av(&ah->av, init->ah_attr);
	if (!udata)
		return 0;
	resp.av = ah->av;
	return ib_respond_udata(udata, resp);
}

/**
 * xrdma_query_ah() - ib_device_ops.query_ah
 * @ibah: address handle
 * @attr: filled in
 *
 * Context: any.
 * Return: 0.
 */
int xrdma_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	xrdma_read_av(attr, &to_xah(ibah)->av);
	return 0;
}

/**
 * xrdma_destroy_ah() - ib_device_ops.destroy_ah
 * @ibah: address handle
 * @flags: not used
 *
 * Context: any.
 * Return: 0.
 */
int xrdma_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	return 0;
}

/**
 * xrdma_attach_mcast() - ib_device_ops.attach_mcast
 * @ibqp: a datagram queue pair
 * @gid: GID of the group; an IPv4 address is ::ffff:a.b.c.d
 * @lid: not used: Ethernet has no LIDs
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP: the device has no multicast; -EINVAL: the queue pair
 * is attached already, or @gid is not a multicast GID; -ENOMEM: the device has
 * no room for another group; or another error of the command.
 */
int xrdma_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct xrdma_ibdev *xib = to_xibdev(ibqp->device);

	if (!(xib->hw.caps.flags & XRDMA_CAP_MCAST))
		return -EOPNOTSUPP;
	return xrdma_cmd_attach_mcast(&xib->hw, to_xqp(ibqp)->qpn, gid->raw);
}

/**
 * xrdma_detach_mcast() - ib_device_ops.detach_mcast
 * @ibqp: a datagram queue pair
 * @gid: GID of the group
 * @lid: not used
 *
 * Succeeds if the device is dead, since a dead device delivers no packets.
 *
 * Context: may sleep.
 * Return: 0, -EINVAL: the queue pair is not attached; or another error of the
 * command.
 */
int xrdma_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct xrdma_ibdev *xib = to_xibdev(ibqp->device);
	int err;

	err = xrdma_cmd_detach_mcast(&xib->hw, to_xqp(ibqp)->qpn, gid->raw);
	return xrdma_dead(&xib->hw) ? 0 : err;
}
