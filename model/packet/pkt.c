// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Transport headers: conversion between bytes and struct model_pkt. Each header
 * has a pair of functions; the table hdrs[] has the order of the extension
 * headers. The offsets in each header are those of IBTA chapter 9. The headers
 * before the BTH are in packet/net.c, the opcodes in packet/opcode.c.
 */

#include <stddef.h>

#include "base/bytes.h"
#include "packet/pkt.h"

#define BTH_SOLICITED	0x80
#define BTH_MIGREQ	0x40
#define BTH_PAD_SHIFT	4
#define BTH_PAD		0x30
#define BTH_VERSION	0x0f
#define BTH_FECN	0x80
#define BTH_BECN	0x40
#define BTH_ACKREQ	0x80
#define FETH_FIELDS	0x3f /* the other bits are reserved, and ignored */

static void get_bth(struct model_pkt *pkt, const u8 *p)
{
	pkt->opcode = p[0];
	pkt->solicited = p[1] & BTH_SOLICITED;
	pkt->migreq = p[1] & BTH_MIGREQ;
	pkt->pkey = model_get16(p + 2);
	pkt->fecn = p[4] & BTH_FECN;
	pkt->becn = p[4] & BTH_BECN;
	pkt->dqpn = model_get24(p + 5);
	pkt->ackreq = p[8] & BTH_ACKREQ;
	pkt->psn = model_get24(p + 9);
}

static void put_bth(const struct model_pkt *pkt, u8 *p)
{
	u32 pad = -pkt->len & 3;

	p[0] = pkt->opcode;
	p[1] = (pkt->solicited ? BTH_SOLICITED : 0) |
	       (pkt->migreq ? BTH_MIGREQ : 0) | pad << BTH_PAD_SHIFT;
	model_put16(p + 2, pkt->pkey);
	p[4] = (pkt->fecn ? BTH_FECN : 0) | (pkt->becn ? BTH_BECN : 0);
	model_put24(p + 5, pkt->dqpn);
	p[8] = pkt->ackreq ? BTH_ACKREQ : 0;
	model_put24(p + 9, pkt->psn);
}

static void get_deth(struct model_pkt *pkt, const u8 *p)
{
	pkt->qkey = model_get32(p);
	pkt->sqpn = model_get24(p + 5);
}

static void put_deth(const struct model_pkt *pkt, u8 *p)
{
	model_put32(p, pkt->qkey);
	model_put32(p + 4, pkt->sqpn);
}

static void get_xrceth(struct model_pkt *pkt, const u8 *p)
{
	pkt->srqn = model_get24(p + 1);
}

static void put_xrceth(const struct model_pkt *pkt, u8 *p)
{
	model_put32(p, pkt->srqn);
}

static void get_feth(struct model_pkt *pkt, const u8 *p)
{
	pkt->flush = model_get32(p) & FETH_FIELDS;
}

static void put_feth(const struct model_pkt *pkt, u8 *p)
{
	model_put32(p, pkt->flush);
}

static void get_reth(struct model_pkt *pkt, const u8 *p)
{
	pkt->va = model_get64(p);
	pkt->rkey = model_get32(p + 8);
	pkt->dma_len = model_get32(p + 12);
}

static void put_reth(const struct model_pkt *pkt, u8 *p)
{
	model_put64(p, pkt->va);
	model_put32(p + 8, pkt->rkey);
	model_put32(p + 12, pkt->dma_len);
}

static void get_atomic(struct model_pkt *pkt, const u8 *p)
{
	pkt->va = model_get64(p);
	pkt->rkey = model_get32(p + 8);
	pkt->swap_add = model_get64(p + 12);
	pkt->compare = model_get64(p + 20);
}

static void put_atomic(const struct model_pkt *pkt, u8 *p)
{
	model_put64(p, pkt->va);
	model_put32(p + 8, pkt->rkey);
	model_put64(p + 12, pkt->swap_add);
	model_put64(p + 20, pkt->compare);
}

static void get_aeth(struct model_pkt *pkt, const u8 *p)
{
	pkt->syndrome = p[0];
	pkt->msn = model_get24(p + 1);
}

static void put_aeth(const struct model_pkt *pkt, u8 *p)
{
	p[0] = pkt->syndrome;
	model_put24(p + 1, pkt->msn);
}

static void get_atomic_ack(struct model_pkt *pkt, const u8 *p)
{
	pkt->orig = model_get64(p);
}

static void put_atomic_ack(const struct model_pkt *pkt, u8 *p)
{
	model_put64(p, pkt->orig);
}

static void get_imm(struct model_pkt *pkt, const u8 *p)
{
	memcpy(&pkt->imm, p, sizeof(pkt->imm));
}

static void put_imm(const struct model_pkt *pkt, u8 *p)
{
	memcpy(p, &pkt->imm, sizeof(pkt->imm));
}

static void get_ieth(struct model_pkt *pkt, const u8 *p)
{
	pkt->inv_rkey = model_get32(p);
}

static void put_ieth(const struct model_pkt *pkt, u8 *p)
{
	model_put32(p, pkt->inv_rkey);
}

static void get_cnp(struct model_pkt *pkt, const u8 *p)
{
	(void)pkt;
	(void)p;
}

static void put_cnp(const struct model_pkt *pkt, u8 *p)
{
	(void)pkt;
	memset(p, 0, MODEL_CNP_BYTES);
}

/* Extension headers in the order of the bits MODEL_HDR_*. */
static const struct {
	void (*get)(struct model_pkt *pkt, const u8 *p);
	void (*put)(const struct model_pkt *pkt, u8 *p);
	u8 len;
} hdrs[] = {
	{ get_deth, put_deth, MODEL_DETH_BYTES },
	{ get_xrceth, put_xrceth, MODEL_XRCETH_BYTES },
	{ get_feth, put_feth, MODEL_FETH_BYTES },
	{ get_reth, put_reth, MODEL_RETH_BYTES },
	{ get_atomic, put_atomic, MODEL_ATOMIC_BYTES },
	{ get_aeth, put_aeth, MODEL_AETH_BYTES },
	{ get_atomic_ack, put_atomic_ack, MODEL_ATOMIC_ACK_BYTES },
	{ get_imm, put_imm, MODEL_IMM_BYTES },
	{ get_ieth, put_ieth, MODEL_IETH_BYTES },
	{ get_cnp, put_cnp, MODEL_CNP_BYTES },
};

/**
 * model_pkt_parse() - parse the transport headers of a packet
 * @pkt: filled in if the result is MODEL_RX_OK; only the fields of headers
 *	that the packet has
 * @bth: first byte of the BTH
 * @len: bytes of the packet from the BTH on, without the ICRC
 *
 * Return: MODEL_RX_OK, or the reason to drop the packet.
 */
enum model_rx model_pkt_parse(struct model_pkt *pkt, const u8 *bth, u32 len)
{
	const u8 *p;
	u32 todo;
	u32 pad;

	if (len < MODEL_BTH_BYTES)
		return MODEL_RX_SIZE;
	if (bth[1] & BTH_VERSION)
		return MODEL_RX_BTH_VERSION;
	if (!model_opcode_get(bth[0], &pkt->op))
		return MODEL_RX_OPCODE;
	pad = (bth[1] & BTH_PAD) >> BTH_PAD_SHIFT;
	if (len < pkt->op.hdr_len + pad)
		return MODEL_RX_SIZE;
	pkt->len = len - pkt->op.hdr_len - pad;
	if (pkt->len + pad && !(pkt->op.flags & MODEL_PKT_PAYLOAD))
		return MODEL_RX_SIZE;
	get_bth(pkt, bth);
	p = bth + MODEL_BTH_BYTES;
	for (todo = pkt->op.hdrs; todo; todo &= todo - 1) {
		u32 hdr = __builtin_ctz(todo);

		hdrs[hdr].get(pkt, p);
		p += hdrs[hdr].len;
	}
	pkt->payload = p;
	return MODEL_RX_OK;
}

/**
 * model_pkt_init() - initialize a packet that is to be sent
 * @pkt: filled in, except for the fields of extension headers, which the caller
 *	sets
 * @opcode: a known opcode
 * @dqpn: number of the destination queue pair
 * @psn: packet sequence number
 */
void model_pkt_init(struct model_pkt *pkt, u8 opcode, u32 dqpn, u32 psn)
{
	model_opcode_get(opcode, &pkt->op);
	pkt->opcode = opcode;
	pkt->solicited = false;
	pkt->migreq = true;
	pkt->ackreq = false;
	pkt->fecn = false;
	pkt->becn = false;
	pkt->pkey = MODEL_PKEY_DEFAULT;
	pkt->dqpn = dqpn;
	pkt->psn = psn;
	pkt->len = 0;
}

/**
 * model_pkt_roce_len() - compute the size of a packet
 * @pkt: the packet, with @op and @len set
 *
 * Return: bytes from BTH to ICRC, both included.
 */
u32 model_pkt_roce_len(const struct model_pkt *pkt)
{
	return pkt->op.hdr_len + ((pkt->len + 3) & ~3U) + MODEL_ICRC_BYTES;
}

/**
 * model_pkt_write() - write the headers and the pad of a packet
 * @pkt: the packet
 * @bth: buffer of model_pkt_roce_len() bytes or more
 *
 * Return: first byte of the payload, which the caller writes.
 */
u8 *model_pkt_write(const struct model_pkt *pkt, u8 *bth)
{
	u8 *p = bth + MODEL_BTH_BYTES;
	u32 todo;

	put_bth(pkt, bth);
	for (todo = pkt->op.hdrs; todo; todo &= todo - 1) {
		u32 hdr = __builtin_ctz(todo);

		hdrs[hdr].put(pkt, p);
		p += hdrs[hdr].len;
	}
	memset(p + pkt->len, 0, -pkt->len & 3);
	return p;
}
