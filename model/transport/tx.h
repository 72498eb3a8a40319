/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Sending packets of a connected queue pair: from struct xrdma_pkt to a frame
 * on the wire, with the headers of the connection and the ICRC.
 */
#ifndef XRDMA_MODEL_TX_H
#define XRDMA_MODEL_TX_H

#include <linux/types.h>

#include "core/gid.h"
#include "packet/net.h"
#include "packet/pkt.h"

struct xrdma_device;
struct xrdma_frame;
struct xrdma_qp;

/**
 * struct xrdma_tx_state - headers of a queue pair's packets
 * @net: the headers
 * @gid: entry of the GID table that they were made from
 * @transport: XRDMA_BTH_*, of the opcodes of a connection
 * @ecn: they say that the packets can be marked
 * @valid: @net is that of the present address vector, if @gid still stands
 */
struct xrdma_tx_state {
	struct xrdma_net_template net;
	struct xrdma_gid gid;
	u8 transport;
	bool ecn;
	bool valid;
};

/**
 * struct xrdma_tx - a packet being built
 * @frame: its frame
 * @payload: where the payload goes
 * @l3: offset of the IP header
 * @bth: offset of the BTH
 */
struct xrdma_tx {
	struct xrdma_frame *frame;
	u8 *payload;
	u32 l3;
	u32 bth;
};

bool xrdma_tx_begin(struct xrdma_qp *qp, const struct xrdma_pkt *pkt,
		    struct xrdma_tx *tx);
void xrdma_tx_end(struct xrdma_qp *qp, struct xrdma_tx *tx);
void xrdma_tx_cancel(struct xrdma_qp *qp, struct xrdma_tx *tx);

#endif /* XRDMA_MODEL_TX_H */
