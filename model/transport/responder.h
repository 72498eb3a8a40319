/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The responder of a reliable connection (IBTA 9.7.4, 9.7.5.1): request
 * packets are checked and executed, and answered through answer.c.
 *
 * Owns the expected PSN, the message being received, and what is kept for
 * duplicates. Must not know the requester, nor how frames travel.
 */
#ifndef XRDMA_MODEL_RESPONDER_H
#define XRDMA_MODEL_RESPONDER_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "packet/net.h"

struct xrdma_pkt;
struct xrdma_qp;
struct xrdma_resp_mem;
struct xrdma_sgl;

/**
 * struct xrdma_responder - responder
 * @mem: answers, what is kept for duplicates, the receive entry in use
 * @psn: expected PSN
 * @msn: messages completed; the low 24 bits count
 * @message: kind of the message being received: 0, XRDMA_PKT_SEND or
 *	XRDMA_PKT_WRITE
 * @nak_sent: a NAK for a gap or an RNR NAK is out: be silent until @psn comes
 * @failed: a fatal NAK is queued: no request is accepted any more
 * @va: WRITE: next address
 * @rkey: WRITE: key
 * @left: WRITE: bytes to come
 * @received: bytes of the message so far
 * @queued: it is on the list of those with answers to send
 * @link: its place there
 */
struct xrdma_responder {
	struct xrdma_resp_mem *mem;
	u32 psn;
	u32 msn;
	u16 message;
	bool nak_sent;
	bool failed;
	u64 va;
	u32 rkey;
	u32 left;
	u32 received;
	bool queued;
	TAILQ_ENTRY(xrdma_qp) link;
};

/* responder.c: packets and their order */
int xrdma_responder_init(struct xrdma_qp *qp);
void xrdma_responder_modify(struct xrdma_qp *qp, u32 mask);
void xrdma_responder_stop(struct xrdma_qp *qp);
void xrdma_responder_destroy(struct xrdma_qp *qp);
enum xrdma_rx xrdma_responder_request(struct xrdma_qp *qp,
				      const struct xrdma_pkt *pkt);

/* responder_op.c: operations. Return: false if nothing was done for now, and
 * the packet is to be forgotten.
 */
bool xrdma_responder_send(struct xrdma_qp *qp, const struct xrdma_pkt *pkt);
bool xrdma_responder_write(struct xrdma_qp *qp, const struct xrdma_pkt *pkt);
bool xrdma_responder_read(struct xrdma_qp *qp, const struct xrdma_pkt *pkt);
bool xrdma_responder_atomic(struct xrdma_qp *qp, const struct xrdma_pkt *pkt);
bool xrdma_responder_flush(struct xrdma_qp *qp, const struct xrdma_pkt *pkt);
bool xrdma_responder_atomic_write(struct xrdma_qp *qp,
				  const struct xrdma_pkt *pkt);
bool xrdma_responder_invalid(struct xrdma_qp *qp, const struct xrdma_pkt *pkt);
void xrdma_responder_sgl(const struct xrdma_qp *qp, struct xrdma_sgl *sgl);
void xrdma_responder_done(struct xrdma_qp *qp, const struct xrdma_pkt *pkt,
			  u8 opcode);

#endif /* XRDMA_MODEL_RESPONDER_H */
