/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Delivers received Ethernet frames that are not RoCE: to the queue pairs that
 * flow rules name, otherwise to the raw packet queue pair of the port. eth.c
 * also has model_raw_ops, which conn.h declares.
 */
#ifndef MODEL_ETH_H
#define MODEL_ETH_H

#include <linux/types.h>
#include <stdbool.h>

#include "packet/net.h"

struct model_device;

bool model_eth_ready(struct model_device *dev, const u8 *frame, u32 len);
enum model_rx model_eth_receive(struct model_device *dev, const u8 *frame,
				u32 len);

#endif /* MODEL_ETH_H */
