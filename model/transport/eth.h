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

/**
 * enum xrdma_eth_fault - what may go wrong with the queue pair that the port
 * names, once, for tests
 * @XRDMA_ETH_FAULT_NONE: nothing
 * @XRDMA_ETH_FAULT_SEND: the next send fails
 * @XRDMA_ETH_FAULT_RECEIVE: the next receive fails
 * @XRDMA_ETH_FAULT_STALL: from the next send on none is sent nor completed, as
 *	long as the queue pair lives
 * @XRDMA_ETH_FAULT_FATAL: the next send finds the queue pair corrupt
 */
enum xrdma_eth_fault {
	XRDMA_ETH_FAULT_NONE,
	XRDMA_ETH_FAULT_SEND,
	XRDMA_ETH_FAULT_RECEIVE,
	XRDMA_ETH_FAULT_STALL,
	XRDMA_ETH_FAULT_FATAL,
};

enum xrdma_rx xrdma_eth_receive(struct xrdma_device *dev, const u8 *frame,
				u32 len);

#endif /* XRDMA_MODEL_ETH_H */
