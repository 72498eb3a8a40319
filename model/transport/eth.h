/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Delivers received Ethernet frames that are not RoCE: to the queue pairs that
 * flow rules name, otherwise to the raw packet queue pair of the port. eth_tx.c
 * sends frames; it has model_raw_ops, which conn.h declares.
 */
#ifndef MODEL_ETH_H
#define MODEL_ETH_H

#include <linux/types.h>
#include <stdbool.h>

#include "core/device.h"
#include "packet/net.h"
#include "wire/frame.h"

/* Return: bytes of the longest frame that the port sends and receives. */
static inline u32 model_eth_max_frame(const struct model_device *dev)
{
	return XRDMA_ETH_EXTRA + dev->port.mtu;
}

bool model_eth_take_fault(const struct model_qp *qp, enum model_eth_fault fault);
bool model_eth_inside(struct model_qp *qp, const struct model_frame *frame);
void model_eth_burst_end(struct model_device *dev);
bool model_eth_ready(struct model_device *dev, const u8 *frame, u32 len);
enum model_rx model_eth_receive(struct model_device *dev, const u8 *frame,
				u32 len);

#endif /* MODEL_ETH_H */
