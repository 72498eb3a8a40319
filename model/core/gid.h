/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The GID table: addresses of the port, with the source MAC and VLAN tag of
 * frames sent from each address. The headers of these frames are written in
 * packet/net.c.
 */
#ifndef MODEL_GID_H
#define MODEL_GID_H

#include <linux/types.h>
#include <stdbool.h>

#include "xrdma_hw.h"

struct model_device;

#define MODEL_MAX_GID			64

/**
 * struct model_gid - entry of the GID table
 * @flags: XRDMA_GID_*; without XRDMA_GID_VALID the rest is 0
 * @gid: address in network byte order; IPv4 as ::ffff:a.b.c.d
 * @mac: source MAC
 * @vlan_tci: VLAN tag, if XRDMA_GID_VLAN
 */
struct model_gid {
	u32 flags;
	u8 gid[16];
	u8 mac[6];
	u16 vlan_tci;
};

/* VLAN of a GID; 0: its frames have no tag, or one that has a priority only. */
static inline u16 model_gid_vid(const struct model_gid *gid)
{
	return gid->flags & XRDMA_GID_VLAN ? gid->vlan_tci & 0xfff : 0;
}

enum xrdma_cmd_status model_gid_set(struct model_device *dev,
				    const struct xrdma_cmd_set_gid *p);
const struct model_gid *model_gid_get(const struct model_device *dev,
				      u32 index);
bool model_gid_is_local(const struct model_device *dev, const u8 gid[16]);
bool model_gid_in_vlan(const struct model_device *dev, const u8 gid[16],
		       u16 vid);
bool model_vlan_is_local(const struct model_device *dev, u16 vid);
bool model_mac_is_local(const struct model_device *dev, const u8 *mac);

#endif /* MODEL_GID_H */
