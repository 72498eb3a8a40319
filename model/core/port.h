/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The Ethernet port: what MODIFY_PORT sets, and the state of the link. Must
 * not know frames.
 */
#ifndef MODEL_PORT_H
#define MODEL_PORT_H

#include <linux/types.h>
#include <stdbool.h>

#include "xrdma_hw.h"

struct model_device;

#define MODEL_MAX_MTU			4500
#define MODEL_MIN_MTU			68
#define MODEL_LINK_SPEED		100000 /* Mbit/s */

/**
 * enum model_eth_fault - what may go wrong with the queue pair that the port
 * names, once, for tests
 * @MODEL_ETH_FAULT_NONE: nothing
 * @MODEL_ETH_FAULT_SEND: the next send fails
 * @MODEL_ETH_FAULT_RECEIVE: the next receive fails
 * @MODEL_ETH_FAULT_STALL: from the next send on none is sent nor completed, as
 *	long as the queue pair lives
 * @MODEL_ETH_FAULT_FATAL: the next send finds the queue pair corrupt
 */
enum model_eth_fault {
	MODEL_ETH_FAULT_NONE,
	MODEL_ETH_FAULT_SEND,
	MODEL_ETH_FAULT_RECEIVE,
	MODEL_ETH_FAULT_STALL,
	MODEL_ETH_FAULT_FATAL,
};

/**
 * struct model_port - the port
 * @flags: XRDMA_PORT_* of MODIFY_PORT
 * @mtu: largest Ethernet payload
 * @eth_qpn: raw packet queue pair of all that is not RoCE; 0: none
 * @mac: address in use
 * @link_up: the link was last reported to be up
 */
struct model_port {
	u32 flags;
	u32 mtu;
	u32 eth_qpn;
	u8 mac[6];
	bool link_up;
};

enum xrdma_cmd_status model_port_modify(struct model_device *dev,
					const struct xrdma_cmd_modify_port *p);
void model_port_query(const struct model_device *dev,
		      struct xrdma_rsp_query_port *rsp);
u32 model_port_path_mtu(const struct model_device *dev);
void model_port_link_changed(struct model_device *dev);
void model_port_reset(struct model_device *dev);

#endif /* MODEL_PORT_H */
