/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Received frames: checked, and given to who they are for.
 */
#ifndef XRDMA_MODEL_RX_H
#define XRDMA_MODEL_RX_H

#include <linux/types.h>

#include "core/device.h"
#include "packet/net.h"
#include "wire/wire.h"

enum xrdma_rx xrdma_rx_frame(struct xrdma_device *dev, const u8 *frame,
			     u32 len);

/* Count a frame, of which became what @rx says. */
static inline void xrdma_rx_count(struct xrdma_device *dev, enum xrdma_rx rx)
{
	dev->wire->rx_frames[rx]++;
	if (rx == XRDMA_RX_ICRC)
		xrdma_stat_add(dev, XRDMA_STAT_RX_ICRC_ERRORS, 1);
	if (rx > XRDMA_RX_ETHERNET)
		xrdma_stat_add(dev, XRDMA_STAT_RX_DROPPED, 1);
}

#endif /* XRDMA_MODEL_RX_H */
