// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA GID table: passes the GIDs that ib_core manages to the device. Queries of
 * the port are in xrdma_query.c, address handles in xrdma_ah.c.
 */

#include <linux/if_vlan.h>
#include <net/ipv6.h>
#include <rdma/ib_cache.h>
#include "xrdma_cmd.h"
#include "xrdma_ibdev.h"
#include "xrdma_query.h"

/**
 * xrdma_add_gid() - ib_device_ops.add_gid
 * @attr: GID, its index, and the netdev it belongs to
 * @context: not used
 *
 * The device uses the entry for frames that it sends from this GID. MAC and
 * VLAN are those of the netdev of the GID, which may be a VLAN or macvlan
 * device on top of the netdev of this driver.
 *
 * Context: may sleep.
 * Return: 0, -ENODEV if the netdev is being unregistered, or an errno of
 * xrdma_cmd_set_gid().
 */
int xrdma_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct xrdma_cmd_set_gid cmd = {
		.index = cpu_to_le32(attr->index),
	};
	u32 flags = XRDMA_GID_VALID;
	u16 vlan = 0xffff;
	int err;

	err = rdma_read_gid_l2_fields(attr, &vlan, cmd.mac);
	if (err)
		return err;
	if (vlan < VLAN_N_VID) {
		flags |= XRDMA_GID_VLAN;
		cmd.vlan_tci = cpu_to_le16(vlan);
	}
	if (ipv6_addr_v4mapped((const struct in6_addr *)attr->gid.raw))
		flags |= XRDMA_GID_IPV4;
	cmd.flags = cpu_to_le32(flags);
	memcpy(cmd.gid, attr->gid.raw, sizeof(cmd.gid));
	return xrdma_cmd_set_gid(&to_xibdev(attr->device)->hw, &cmd);
}

/**
 * xrdma_del_gid() - ib_device_ops.del_gid
 * @attr: GID and its index
 * @context: not used
 *
 * Context: may sleep.
 * Return: 0, or an errno of xrdma_cmd_set_gid().
 */
int xrdma_del_gid(const struct ib_gid_attr *attr, void **context)
{
	struct xrdma_cmd_set_gid cmd = {
		.index = cpu_to_le32(attr->index),
	};

	return xrdma_cmd_set_gid(&to_xibdev(attr->device)->hw, &cmd);
}
