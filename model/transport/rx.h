/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Received frames: checked, and given to who they are for.
 */
#ifndef XRDMA_MODEL_RX_H
#define XRDMA_MODEL_RX_H

#include <linux/types.h>

#include "packet/net.h"

struct xrdma_device;

enum xrdma_rx xrdma_rx_frame(struct xrdma_device *dev, const u8 *frame,
			     u32 len);
void xrdma_rx_count(struct xrdma_device *dev, enum xrdma_rx rx);

#endif /* XRDMA_MODEL_RX_H */
