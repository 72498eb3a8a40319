/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The Ethernet port: attributes of MODIFY_PORT, and the state of the link.
 * transport/eth.c sends and receives Ethernet frames.
 */
#ifndef MODEL_PORT_H
#define MODEL_PORT_H

#include <linux/types.h>
#include <stdbool.h>

#include "xrdma_hw.h"

struct model_device;

#define MODEL_MAX_MTU			9000
#define MODEL_MIN_MTU			68
#define MODEL_LINK_SPEED		100000 /* Mbit/s */

/**
 * enum model_eth_fault - fault of a raw packet queue pair of the kernel, for
 * tests; happens once
 * @MODEL_ETH_FAULT_NONE: no fault
 * @MODEL_ETH_FAULT_SEND: the next send fails
 * @MODEL_ETH_FAULT_RECEIVE: the next receive fails
 * @MODEL_ETH_FAULT_STALL: from the next send on, no send is sent or completed
 *	until the queue pair is destroyed
 * @MODEL_ETH_FAULT_FATAL: the next send finds the queue pair corrupt
 * @MODEL_ETH_FAULT_MERGED: the completion of the next receive that succeeds says that
 *	the frame is several frames
 */
enum model_eth_fault {
	MODEL_ETH_FAULT_NONE,
	MODEL_ETH_FAULT_SEND,
	MODEL_ETH_FAULT_RECEIVE,
	MODEL_ETH_FAULT_STALL,
	MODEL_ETH_FAULT_FATAL,
	MODEL_ETH_FAULT_MERGED,
};

/**
 * struct model_port - the port
 * @flags: XRDMA_PORT_* of MODIFY_PORT
 * @mtu: largest Ethernet payload, in bytes
 * @eth_qpn: raw packet queue pair, or RSS object, for frames that are not RoCE;
 *	0: none
 * @mac: MAC address in use
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
