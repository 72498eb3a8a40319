/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Entry point of received frames: rx.c checks a frame and passes it to the
 * requester, the responder, ud.c or eth.c.
 */
#ifndef MODEL_RX_H
#define MODEL_RX_H

#include <linux/types.h>

#include "core/device.h"
#include "packet/net.h"
#include "wire/wire.h"

enum model_rx model_rx_frame(struct model_device *dev, const u8 *frame,
			     u32 len);

/* Count a received frame with the verdict @rx. */
static inline void model_rx_count(struct model_device *dev, enum model_rx rx)
{
	if (rx == MODEL_RX_HELD)
		return;
	dev->wire->rx_frames[rx]++;
	if (rx == MODEL_RX_ICRC)
		model_stat_add(dev, XRDMA_STAT_RX_ICRC_ERRORS, 1);
	if (rx > MODEL_RX_ETHERNET)
		model_stat_add(dev, XRDMA_STAT_RX_DROPPED, 1);
}

#endif /* MODEL_RX_H */
