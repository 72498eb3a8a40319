/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Sends packets of a queue pair: makes a frame of struct model_pkt, with the
 * network headers of the queue pair's address vector and the ICRC.
 */
#ifndef MODEL_TX_H
#define MODEL_TX_H

#include <linux/types.h>

#include "core/gid.h"
#include "packet/net.h"
#include "packet/pkt.h"

struct model_device;
struct model_frame;
struct model_qp;

/**
 * struct model_tx_state - network headers of a queue pair's packets
 * @net: the headers
 * @gid: entry of the GID table from which @net was made
 * @transport: MODEL_BTH_*, part of the opcode of all packets of a connection
 * @ecn: @net says that the packets are ECN capable: switches may mark them CE
 * @valid: @net was made from the current address vector; @net must be made
 *	again if the entry of the GID table differs from @gid
 */
struct model_tx_state {
	struct model_net_template net;
	struct model_gid gid;
	u8 transport;
	bool ecn;
	bool valid;
};

/**
 * struct model_tx - a packet being built
 * @frame: the frame that gets the packet
 * @payload: address of the payload in @frame
 * @l3: offset of the IP header; 0 if the source GID does not exist
 * @bth: offset of the BTH
 */
struct model_tx {
	struct model_frame *frame;
	u8 *payload;
	u32 l3;
	u32 bth;
};

bool model_tx_begin(struct model_qp *qp, const struct model_pkt *pkt,
		    struct model_tx *tx);
void model_tx_end(struct model_qp *qp, struct model_tx *tx);
void model_tx_cancel(struct model_qp *qp, struct model_tx *tx);

#endif /* MODEL_TX_H */
