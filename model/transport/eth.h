/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Ethernet frames that are not RoCE: raw packet queue pairs send them, and the
 * one that the port names receives them.
 */
#ifndef XRDMA_MODEL_ETH_H
#define XRDMA_MODEL_ETH_H

#include <linux/types.h>

#include "packet/net.h"

struct xrdma_device;

enum xrdma_rx xrdma_eth_receive(struct xrdma_device *dev, const u8 *frame,
				u32 len);

#endif /* XRDMA_MODEL_ETH_H */
