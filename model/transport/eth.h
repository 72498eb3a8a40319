/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Ethernet frames that are not RoCE: raw packet queue pairs send them, and the
 * one that the port names receives them.
 */
#ifndef MODEL_ETH_H
#define MODEL_ETH_H

#include <linux/types.h>

#include "packet/net.h"

struct model_device;

enum model_rx model_eth_receive(struct model_device *dev, const u8 *frame,
				u32 len);

#endif /* MODEL_ETH_H */
