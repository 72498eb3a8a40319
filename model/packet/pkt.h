/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Transport headers of a packet: base transport header and the extension
 * headers of its opcode, payload, pad (IBTA 9.2 to 9.4). Parses received bytes,
 * which may have any contents, and writes the headers into a frame after the
 * headers of packet/net.c.
 *
 * The checks of a packet against its queue pair are in transport/rx.c.
 */
#ifndef MODEL_PKT_H
#define MODEL_PKT_H

#include <linux/types.h>

#include "packet/net.h"
#include "packet/opcode.h"
#include "packet/psn.h"

#define MODEL_PKEY_DEFAULT	0xffff
#define MODEL_SRQN_MASK		0xffffffU

/* Syndrome of an AETH: kind in bits 6:5, value in bits 4:0. */
#define MODEL_AETH_KIND		0x60
#define MODEL_AETH_ACK		0x00
#define MODEL_AETH_RNR		0x20
#define MODEL_AETH_NAK		0x60
#define MODEL_AETH_VALUE	0x1f
#define MODEL_AETH_NO_CREDITS	0x1f /* ACK: credits are not in use */

/* Values of a NAK. */
#define MODEL_NAK_SEQUENCE	0
#define MODEL_NAK_INVALID	1
#define MODEL_NAK_ACCESS	2
#define MODEL_NAK_OPERATION	3
#define MODEL_NAK_RD		4 /* only for reliable datagrams */

/**
 * struct model_pkt - a packet, with its headers in CPU byte order
 * @op: properties of @opcode
 * @opcode: opcode, as in the BTH
 * @solicited: solicited event bit: the sender requests an event at the receiver
 * @migreq: path migration state; sent as 1, "migrated", as annex A17 has no
 *	migration; ignored when received
 * @ackreq: the sender requests an acknowledgment
 * @fecn: forward congestion notification bit
 * @becn: backward congestion notification bit
 * @pkey: partition key
 * @dqpn: number of the destination queue pair
 * @psn: packet sequence number
 * @va: RETH, AtomicETH: remote address
 * @rkey: RETH, AtomicETH: remote key
 * @dma_len: RETH: bytes of the whole operation
 * @swap_add: AtomicETH: operand to swap in or to add
 * @compare: AtomicETH: operand to compare with
 * @orig: AtomicAckETH: value in memory before the operation
 * @syndrome: AETH: MODEL_AETH_* bits
 * @msn: AETH: message sequence number
 * @imm: ImmDt: immediate data, in big-endian byte order
 * @inv_rkey: IETH: key to invalidate
 * @qkey: DETH: queue key
 * @sqpn: DETH: number of the source queue pair
 * @srqn: XRCETH: number of the shared receive queue
 * @flush: FETH: placement and selectivity
 * @len: bytes of payload, without pad
 * @payload: first byte of the payload; only set in received packets
 */
struct model_pkt {
	struct model_opcode op;
	u8 opcode;
	bool solicited;
	bool migreq;
	bool ackreq;
	bool fecn;
	bool becn;
	u16 pkey;
	u32 dqpn;
	u32 psn;
	u64 va;
	u32 rkey;
	u32 dma_len;
	u64 swap_add;
	u64 compare;
	u64 orig;
	u8 syndrome;
	u32 msn;
	__be32 imm;
	u32 inv_rkey;
	u32 qkey;
	u32 sqpn;
	u32 srqn;
	u32 flush;
	u32 len;
	const u8 *payload;
};

enum model_rx model_pkt_parse(struct model_pkt *pkt, const u8 *bth, u32 len);
void model_pkt_init(struct model_pkt *pkt, u8 opcode, u32 dqpn, u32 psn);
u32 model_pkt_roce_len(const struct model_pkt *pkt);
u8 *model_pkt_write(const struct model_pkt *pkt, u8 *bth);

#endif /* MODEL_PKT_H */
