// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The GID table: SET_GID, and look-ups of local addresses. packet/net.c writes
 * the headers of frames.
 */
#include <string.h>

#include "core/device.h"
#include "core/gid.h"

static const u8 ipv4_prefix[12] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff
};

static bool entry_ok(const struct xrdma_cmd_set_gid *p)
{
	static const struct xrdma_cmd_set_gid zero;
	u32 flags = le32_to_cpu(p->flags);
	u16 vlan_tci = le16_to_cpu(p->vlan_tci);

	if (!flags)
		return !memcmp(p->gid, zero.gid, sizeof(p->gid)) &&
		       !memcmp(p->mac, zero.mac, sizeof(p->mac)) && !vlan_tci;
	if (flags & ~(XRDMA_GID_VALID | XRDMA_GID_VLAN | XRDMA_GID_IPV4) ||
	    !(flags & XRDMA_GID_VALID))
		return false;
	if (p->mac[0] & 1 || (vlan_tci && !(flags & XRDMA_GID_VLAN)))
		return false;
	return !memcmp(p->gid, ipv4_prefix, sizeof(ipv4_prefix)) ==
	       !!(flags & XRDMA_GID_IPV4);
}

/**
 * model_gid_set - SET_GID
 * @dev: the device
 * @p: body of the command
 *
 * Return: enum xrdma_cmd_status.
 */
enum xrdma_cmd_status model_gid_set(struct model_device *dev,
				    const struct xrdma_cmd_set_gid *p)
{
	u32 index = le32_to_cpu(p->index);
	struct model_gid *gid;

	if (index >= MODEL_MAX_GID)
		return XRDMA_CMD_BAD_NUMBER;
	if (!entry_ok(p))
		return XRDMA_CMD_BAD_PARAM;
	gid = &dev->gids[index];
	gid->flags = le32_to_cpu(p->flags);
	memcpy(gid->gid, p->gid, sizeof(gid->gid));
	memcpy(gid->mac, p->mac, sizeof(gid->mac));
	gid->vlan_tci = le16_to_cpu(p->vlan_tci);
	return XRDMA_CMD_OK;
}

/**
 * model_gid_get - get an entry of the GID table
 * @dev: the device
 * @index: index of the entry; any value is allowed
 *
 * Return: the entry, or NULL if it is not valid.
 */
const struct model_gid *model_gid_get(const struct model_device *dev,
				      u32 index)
{
	if (index >= MODEL_MAX_GID ||
	    !(dev->gids[index].flags & XRDMA_GID_VALID))
		return NULL;
	return &dev->gids[index];
}

/**
 * model_gid_is_local - check whether a GID is an address of the port
 * @dev: the device
 * @gid: the address, in network byte order
 *
 * Return: true if a valid entry of the GID table has the address.
 */
bool model_gid_is_local(const struct model_device *dev, const u8 gid[16])
{
	u32 i;

	for (i = 0; i < MODEL_MAX_GID; i++)
		if (dev->gids[i].flags & XRDMA_GID_VALID &&
		    !memcmp(dev->gids[i].gid, gid, 16))
			return true;
	return false;
}

/**
 * model_gid_in_vlan - check whether a GID is an address of the port in a VLAN
 * @dev: the device
 * @gid: address in network byte order
 * @vid: the VLAN; 0: none
 *
 * Return: true if a valid entry of the GID table has this address and this VLAN.
 */
bool model_gid_in_vlan(const struct model_device *dev, const u8 gid[16],
		       u16 vid)
{
	u32 i;

	for (i = 0; i < MODEL_MAX_GID; i++)
		if (dev->gids[i].flags & XRDMA_GID_VALID &&
		    model_gid_vid(&dev->gids[i]) == vid &&
		    !memcmp(dev->gids[i].gid, gid, 16))
			return true;
	return false;
}

/**
 * model_vlan_is_local - check whether the port has an address in a VLAN
 * @dev: the device
 * @vid: the VLAN; 0: none
 *
 * Return: true if a valid entry of the GID table has this VLAN.
 */
bool model_vlan_is_local(const struct model_device *dev, u16 vid)
{
	u32 i;

	for (i = 0; i < MODEL_MAX_GID; i++)
		if (dev->gids[i].flags & XRDMA_GID_VALID &&
		    model_gid_vid(&dev->gids[i]) == vid)
			return true;
	return false;
}

/**
 * model_mac_is_local - check whether a MAC address belongs to the device
 * @dev: the device
 * @mac: six bytes
 *
 * Return: true for the MAC address of the port and of valid GID table entries.
 */
bool model_mac_is_local(const struct model_device *dev, const u8 *mac)
{
	u32 i;

	if (!memcmp(mac, dev->port.mac, sizeof(dev->port.mac)))
		return true;
	for (i = 0; i < MODEL_MAX_GID; i++)
		if (dev->gids[i].flags & XRDMA_GID_VALID &&
		    !memcmp(mac, dev->gids[i].mac, sizeof(dev->gids[i].mac)))
			return true;
	return false;
}
