// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Driver and device together: SET_GID. The driver's xrdma_gid.c fills the body of the
 * command of an address that ib_core adds or deletes, the device's core/gid.c writes
 * its GID table; both are compiled unchanged. Stubs stand for the command, of which
 * commands.c proves that it arrives, and for ib_core.
 *
 * CBMC: -I proof/include -I include --unwind 17 --slice-formula
 */

#include "proof.h"
#include "kernel.h"
#include "xrdma_gid.c"
#include "device_port.h"
#include "core/gid.c"

static struct xrdma_ibdev xib;
static struct model_device dev;

/* The address that ib_core adds or deletes; VLAN and MAC address of its netdev */
static struct ib_gid_attr attr;
static u16 vlan;
static u8 mac[6];
static bool unregistered;

/* Number of commands, and the status of the last one */
static u32 executed;
static enum xrdma_cmd_status status;

int rdma_read_gid_l2_fields(const struct ib_gid_attr *a, u16 *vlan_id, u8 *smac)
{
	PROVE(a == &attr);
	if (unregistered)
		return -ENODEV;
	if (vlan != 0xffff)
		*vlan_id = vlan;
	memcpy(smac, mac, sizeof(mac));
	return 0;
}

int xrdma_cmd_set_gid(struct xrdma_dev *xdev, const struct xrdma_cmd_set_gid *gid)
{
	PROVE(xdev == &xib.hw);
	executed++;
	status = model_gid_set(&dev, gid);
	return status ? -EINVAL : 0;
}

/* Any GID table, and any address */
static void start(void)
{
	struct model_device any_device;
	union ib_gid any;

	dev = any_device;	/* not initialised: any entries */
	/* CBMC may read other values from an uninitialised union each time */
	memcpy(attr.gid.raw, any.raw, 16);
	attr.index = nondet_u16();
	attr.device = &xib.ibdev;
	vlan = nondet_u16();
	*(u16 *)mac = nondet_u16();
	*(u32 *)(mac + 2) = nondet_u32();
	unregistered = nondet_truth();
	ASSUME(attr.index < 8 && !(mac[0] & 1));
	ASSUME(vlan < 4095 || vlan == 0xffff);
}

/* The first 12 bytes of a GID that is an IPv4-mapped address (RFC 4291) */
static bool is_ipv4(const u8 *gid)
{
	int i;

	for (i = 0; i < 10; i++)
		if (gid[i])
			return false;
	return gid[10] == 0xff && gid[11] == 0xff;
}

/* Every byte of every other entry is as before. */
static void expect_others(const struct model_gid *before)
{
	u32 index = nondet_u32(), i = nondet_u32();

	ASSUME(index < 8 && index != attr.index && i < sizeof(*before));
	PROVE(((u8 *)&dev.gids[index])[i] == ((const u8 *)&before[index])[i]);
}

/*
 * Theorem: An address that the driver adds is the entry of the device with the index
 *	of ib_core: it is valid, and has the bytes of the GID, the MAC address and
 *	the VLAN of the netdev of the GID, the flag of a VLAN tag exactly if the
 *	netdev has a VLAN, and the flag of IPv4 exactly for an IPv4-mapped
 *	address; the device then takes GID and MAC address for its own. Other
 *	entries stay as they are, and so do all if the driver returns an error.
 *	The device refuses no address.
 * Holds for: all addresses, all contents of a table of 8 entries.
 * Assumes: the index is below the number of entries; the netdev of the GID has a
 *	unicast MAC address, and no VLAN or one from 0 to 4094; theorem
 *	commands.bodies_arrive.
 */
static void added_addresses_arrive(void)
{
	const struct model_gid *gid;
	struct model_device before;
	u32 i = nondet_u32();
	int err;

	start();
	before = dev;
	err = xrdma_add_gid(&attr, NULL);
	REACHABLE(!err && vlan == 4094 && is_ipv4(attr.gid.raw));
	REACHABLE(!err && vlan == 0xffff && attr.index == 7);
	PROVE(!err == !unregistered && executed == !unregistered && !status);
	expect_others(before.gids);
	ASSUME(!err && i < 16);
	gid = model_gid_get(&dev, attr.index);
	PROVE(gid == &dev.gids[attr.index]);
	PROVE(gid->gid[i] == attr.gid.raw[i] && gid->mac[i % 6] == mac[i % 6]);
	PROVE(gid->flags == (1u | (vlan != 0xffff ? 2 : 0) |
			     (is_ipv4(attr.gid.raw) ? 4 : 0)));
	PROVE(gid->vlan_tci == (vlan != 0xffff ? vlan : 0));
	PROVE(model_gid_is_local(&dev, attr.gid.raw));
	PROVE(model_mac_is_local(&dev, mac));
}

/*
 * Theorem: An address that the driver deletes leaves an entry of zeros, which is not
 *	valid; other entries stay as they are. The device refuses no index.
 * Holds for: all contents of a table of 8 entries.
 * Assumes: the index is below the number of entries; theorem commands.bodies_arrive.
 */
static void deleted_addresses_are_gone(void)
{
	struct model_device before;
	u32 i = nondet_u32();

	start();
	before = dev;
	REACHABLE(attr.index == 7 && dev.gids[7].flags == 1);
	PROVE(!xrdma_del_gid(&attr, NULL) && executed == 1 && !status);
	PROVE(!model_gid_get(&dev, attr.index));
	expect_others(before.gids);
	ASSUME(i < sizeof(dev.gids[0]));
	PROVE(!((u8 *)&dev.gids[attr.index])[i]);
}
