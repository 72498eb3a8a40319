/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The responder of a reliable connection (IBTA 9.7.4, 9.7.5.1): request
 * packets are checked and executed, and answered through answer.c.
 *
 * Owns the expected PSN, the message being received, and what is kept for
 * duplicates. Must not know the requester, nor how frames travel.
 */
#ifndef MODEL_RESPONDER_H
#define MODEL_RESPONDER_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "packet/net.h"

struct model_pkt;
struct model_qp;
struct model_resp_mem;
struct model_sgl;

/**
 * struct model_responder - responder
 * @mem: answers, what is kept for duplicates, the receive entry in use
 * @psn: expected PSN
 * @msn: messages completed; the low 24 bits count
 * @message: kind of the message being received: 0, MODEL_PKT_SEND or
 *	MODEL_PKT_WRITE
 * @nak_sent: a NAK for a gap or an RNR NAK is out: be silent until @psn comes
 * @failed: a fatal NAK is queued: no request is accepted any more
 * @va: WRITE: next address
 * @rkey: WRITE: key
 * @left: WRITE: bytes to come
 * @received: bytes of the message so far
 * @queued: it is on the list of those with answers to send
 * @link: its place there
 */
struct model_responder {
	struct model_resp_mem *mem;
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
	TAILQ_ENTRY(model_qp) link;
};

/* responder.c: packets and their order */
int model_responder_init(struct model_qp *qp);
void model_responder_modify(struct model_qp *qp, u32 mask);
void model_responder_stop(struct model_qp *qp);
void model_responder_destroy(struct model_qp *qp);
enum model_rx model_responder_request(struct model_qp *qp,
				      const struct model_pkt *pkt);

/* responder_op.c: operations. Return: false if nothing was done for now, and
 * the packet is to be forgotten.
 */
bool model_responder_send(struct model_qp *qp, const struct model_pkt *pkt);
bool model_responder_write(struct model_qp *qp, const struct model_pkt *pkt);
bool model_responder_read(struct model_qp *qp, const struct model_pkt *pkt);
bool model_responder_atomic(struct model_qp *qp, const struct model_pkt *pkt);
bool model_responder_flush(struct model_qp *qp, const struct model_pkt *pkt);
bool model_responder_atomic_write(struct model_qp *qp,
				  const struct model_pkt *pkt);
bool model_responder_invalid(struct model_qp *qp, const struct model_pkt *pkt);
void model_responder_sgl(const struct model_qp *qp, struct model_sgl *sgl);
void model_responder_done(struct model_qp *qp, const struct model_pkt *pkt,
			  u8 opcode);

#endif /* MODEL_RESPONDER_H */
