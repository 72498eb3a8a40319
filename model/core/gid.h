/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The GID table: which addresses the port has, and what frames sent from each
 * look like. Must not know packets.
 */
#ifndef XRDMA_MODEL_GID_H
#define XRDMA_MODEL_GID_H

#include <linux/types.h>
#include <stdbool.h>

#include "xrdma_hw.h"

struct xrdma_device;

#define XRDMA_MAX_GID			64

/**
 * struct xrdma_gid - entry of the GID table
 * @flags: XRDMA_GID_*; without XRDMA_GID_VALID the rest is 0
 * @gid: as on the wire; IPv4 as ::ffff:a.b.c.d
 * @mac: source MAC
 * @vlan_tci: VLAN tag, if XRDMA_GID_VLAN
 */
struct xrdma_gid {
	u32 flags;
	u8 gid[16];
	u8 mac[6];
	u16 vlan_tci;
};

enum xrdma_cmd_status xrdma_gid_set(struct xrdma_device *dev,
				    const struct xrdma_cmd_set_gid *p);
const struct xrdma_gid *xrdma_gid_get(const struct xrdma_device *dev,
				      u32 index);
bool xrdma_gid_is_local(const struct xrdma_device *dev, const u8 gid[16]);
bool xrdma_mac_is_local(const struct xrdma_device *dev, const u8 *mac);

#endif /* XRDMA_MODEL_GID_H */
