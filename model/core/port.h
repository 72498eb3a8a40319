/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The Ethernet port: what MODIFY_PORT sets, and the state of the link. Must
 * not know frames.
 */
#ifndef XRDMA_MODEL_PORT_H
#define XRDMA_MODEL_PORT_H

#include <linux/types.h>
#include <stdbool.h>

#include "xrdma_hw.h"

struct xrdma_device;

#define XRDMA_MAX_MTU			4500
#define XRDMA_MIN_MTU			68
#define XRDMA_LINK_SPEED		100000 /* Mbit/s */

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

/**
 * struct xrdma_port - the port
 * @flags: XRDMA_PORT_* of MODIFY_PORT
 * @mtu: largest Ethernet payload
 * @eth_qpn: raw packet queue pair of all that is not RoCE; 0: none
 * @mac: address in use
 * @link_up: the link was last reported to be up
 */
struct xrdma_port {
	u32 flags;
	u32 mtu;
	u32 eth_qpn;
	u8 mac[6];
	bool link_up;
};

enum xrdma_cmd_status xrdma_port_modify(struct xrdma_device *dev,
					const struct xrdma_cmd_modify_port *p);
void xrdma_port_query(const struct xrdma_device *dev,
		      struct xrdma_rsp_query_port *rsp);
u32 xrdma_port_path_mtu(const struct xrdma_device *dev);
void xrdma_port_link_changed(struct xrdma_device *dev);
void xrdma_port_reset(struct xrdma_device *dev);

#endif /* XRDMA_MODEL_PORT_H */
