/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The responder of a reliable connection (IBTA 9.7.4, 9.7.5.1): checks and
 * executes request packets. Its state is the expected PSN, the message being
 * received, and the records from which duplicates are answered.
 *
 * Answers are queued and sent in answer.c. The requester is in requester.h, the
 * responder of unreliable connections in uc.h.
 */
#ifndef MODEL_RESPONDER_H
#define MODEL_RESPONDER_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "packet/net.h"
#include "packet/psn.h"
#include "transport/early.h"
#include "transport/parked.h"

struct model_device;
struct model_pkt;
struct model_qp;
struct model_resp_mem;
struct model_sgl;

/**
 * struct model_responder - state of a responder
 * @mem: queued answers, records of requests, copy of the receive entry in use
 * @psn: expected PSN
 * @position: position of the packet with the expected PSN: number of PSNs that the
 *	executed requests have taken
 * @msn: number of completed messages; the low 24 bits are sent
 * @message: kind of the message being received, MODEL_PKT_SEND or
 *	MODEL_PKT_WRITE; 0 between two messages
 * @nak_sent: a sequence NAK or an RNR NAK has been sent: send no further
 *	sequence NAK until the packet with @psn arrives
 * @failed: a fatal NAK is queued: drop all requests
 * @va: WRITE: address of the data of the next packet
 * @rkey: WRITE: key
 * @left: WRITE: bytes that have not been received yet
 * @received: bytes of the message that have been received
 * @queued: the queue pair is on model_device.answering
 * @link: link of that list
 * @parked: packets that wait for a page
 * @early: packets that wait for an earlier one
 */
struct model_responder {
	struct model_resp_mem *mem;
	u32 psn;
	u64 position;
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
	struct model_parked parked;
	struct model_early early;
};

/* A request that takes @num PSNs was executed: expect the PSN after them. */
static inline void model_responder_pass(struct model_responder *resp, u32 num)
{
	resp->psn = model_psn_add(resp->psn, num);
	resp->position += num;
}

/* responder.c: packets and their order */
int model_responder_init(struct model_qp *qp);
void model_responder_modify(struct model_qp *qp, u32 mask);
void model_responder_stop(struct model_qp *qp);
void model_responder_destroy(struct model_qp *qp);
enum model_rx model_responder_request(struct model_qp *qp,
				      const struct model_pkt *pkt);

bool model_responders_replay(struct model_device *dev);

/* responder_op.c: operations. Return: false if the packet was not executed, and
 * the responder's state must not move on to the next packet. If a translation
 * misses, MODEL_WAIT_RESPONDER of the queue pair waits.
 */
bool model_responder_send(struct model_qp *qp, const struct model_pkt *pkt);
bool model_responder_write(struct model_qp *qp, const struct model_pkt *pkt);
bool model_responder_read(struct model_qp *qp, const struct model_pkt *pkt);
bool model_responder_atomic(struct model_qp *qp, const struct model_pkt *pkt);
bool model_responder_flush(struct model_qp *qp, const struct model_pkt *pkt);
bool model_responder_atomic_write(struct model_qp *qp,
				  const struct model_pkt *pkt);
bool model_responder_invalid(struct model_qp *qp, const struct model_pkt *pkt);
void model_responder_sgl(struct model_qp *qp, struct model_sgl *sgl);
u32 model_responder_num_psns(const struct model_qp *qp,
			     const struct model_pkt *pkt);
void model_responder_done(struct model_qp *qp, const struct model_pkt *pkt,
			  u8 opcode);

#endif /* MODEL_RESPONDER_H */
