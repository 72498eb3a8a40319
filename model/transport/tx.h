/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Sending packets of a connected queue pair: from struct model_pkt to a frame
 * on the wire, with the headers of the connection and the ICRC.
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
 * struct model_tx_state - headers of a queue pair's packets
 * @net: the headers
 * @gid: entry of the GID table that they were made from
 * @transport: MODEL_BTH_*, of the opcodes of a connection
 * @ecn: they say that the packets can be marked
 * @valid: @net is that of the present address vector, if @gid still stands
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
 * @frame: its frame
 * @payload: where the payload goes
 * @l3: offset of the IP header
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
