/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The queue of answers of a responder: acknowledgments, NAKs, data of READs,
 * results of atomics. Answers are sent in the order of their requests; a later
 * acknowledgment replaces one that is still queued.
 *
 * responder.c and responder_op.c decide which answer a request gets.
 */
#ifndef MODEL_ANSWER_H
#define MODEL_ANSWER_H

#include <linux/types.h>

#include "core/qp.h"

/* Maximum number of queued answers of a queue pair; a power of two. */
#define MODEL_ANSWERS		64
/* Answer packets that one queue pair sends before the next one may send. */
#define MODEL_ANSWER_BURST	16

enum model_answer_kind {
	MODEL_ANSWER_ACK,
	MODEL_ANSWER_NAK,
	MODEL_ANSWER_READ,
	MODEL_ANSWER_ATOMIC,
	MODEL_ANSWER_EMPTY, /* response to FLUSH or ATOMIC_WRITE, no data */
};

/**
 * struct model_answer - a queued answer
 * @kind: enum model_answer_kind
 * @syndrome: syndrome of the AETH
 * @fatal: a NAK after which the queue pair goes into ERR
 * @rd_atomic: the first answer to a request that counts towards
 *	max_dest_rd_atomic; not the answer to a duplicate of such a request
 * @event: asynchronous event to raise when the queue pair goes into ERR after
 *	this NAK, or 0
 * @psn: PSN of the answer's next packet
 * @msn: MSN of the AETH; the low 24 bits are sent
 * @srqn: READ, on an XRC queue pair: the shared receive queue that the request
 *	named
 * @va: READ: address of the data of the next packet
 * @rkey: READ: key
 * @left: READ: bytes that have not been sent yet
 * @begun: READ: the first packet has been sent
 * @orig: ATOMIC: value in memory before the operation
 */
struct model_answer {
	u8 kind;
	u8 syndrome;
	bool fatal;
	bool rd_atomic;
	u8 event;
	u32 psn;
	u32 msn;
	u32 srqn;
	u64 va;
	u32 rkey;
	u32 left;
	bool begun;
	u64 orig;
};

/**
 * struct model_kept - record of an executed READ, atomic, FLUSH or
 * ATOMIC_WRITE, from which duplicates of the request are answered
 * @kind: MODEL_ANSWER_READ, _ATOMIC or _EMPTY; 0: the record is unused
 * @first: position of the request, see model_psn_position()
 * @last: position of the last response to the request
 * @orig: ATOMIC: value in memory before the operation
 *
 * A record has positions, so that it answers no packet that uses the PSN again.
 */
struct model_kept {
	u8 kind;
	u64 first;
	u64 last;
	u64 orig;
};

/**
 * struct model_resp_mem - the allocated part of a responder's state
 * @answers: queued answers; the answer of index i is in element
 *	i modulo MODEL_ANSWERS
 * @head: index of the oldest queued answer
 * @tail: index after the newest queued answer
 * @rd_atomic: number of queued answers that have @rd_atomic set
 * @kept: records of the last READs, atomics, FLUSHes and ATOMIC_WRITEs
 * @next_kept: element of @kept that the next record replaces
 * @failed_recv: the receive that failed; it completes after the NAK is sent
 * @have_failed_recv: @failed_recv is valid
 * @recv: copy of the receive entry of the message that is being received
 */
struct model_resp_mem {
	struct model_answer answers[MODEL_ANSWERS];
	u32 head;
	u32 tail;
	u32 rd_atomic;
	struct model_kept kept[MODEL_MAX_RD_ATOMIC];
	u32 next_kept;
	struct model_recv_done failed_recv;
	bool have_failed_recv;
	u8 recv[MODEL_WQE_MAX] __attribute__((aligned(8)));
};

void model_answer_ack(struct model_qp *qp, u32 psn);
void model_answer_nak(struct model_qp *qp, u8 syndrome, u32 psn);
void model_answer_fatal(struct model_qp *qp, u8 value, u8 event, u32 psn);
struct model_answer *model_answer_add(struct model_qp *qp, u8 kind, u32 psn);
struct model_answer *model_answer_add_rd_atomic(struct model_qp *qp, u8 kind,
						u32 psn);
bool model_answer_read_queued(const struct model_qp *qp, u32 psn);
bool model_answer_room(const struct model_qp *qp);
void model_answer_clear(struct model_qp *qp);
void model_answer_resume(struct model_qp *qp);
bool model_answers_send(struct model_device *dev);
void model_answer_send_final_nak(struct model_qp *qp, u8 value, u32 psn);

#endif /* MODEL_ANSWER_H */
