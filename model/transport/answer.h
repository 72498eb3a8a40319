/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Answers of the responder: acknowledgments, NAKs, data of READs, results of
 * atomics. They leave in the order of their requests, a few packets at a time;
 * an acknowledgment that has not left yet is replaced by a later one.
 */
#ifndef MODEL_ANSWER_H
#define MODEL_ANSWER_H

#include <linux/types.h>

#include "core/qp.h"

/* Answers that may wait; a power of two. */
#define MODEL_ANSWERS		64
/* Packets of one queue pair before the next has its turn. */
#define MODEL_ANSWER_BURST	16

enum model_answer_kind {
	MODEL_ANSWER_ACK,
	MODEL_ANSWER_NAK,
	MODEL_ANSWER_READ,
	MODEL_ANSWER_ATOMIC,
	MODEL_ANSWER_EMPTY, /* of FLUSH and ATOMIC_WRITE */
};

/**
 * struct model_answer - an answer that waits
 * @kind: enum model_answer_kind
 * @syndrome: of its AETH
 * @fatal: a NAK after which the queue pair goes into ERR
 * @owed: the first answer to a READ or an atomic, which the peer counts
 * @event: asynchronous event raised then, or 0
 * @psn: of its next packet
 * @msn: of its AETH
 * @srqn: READ: of XRC: the shared receive queue that the request named
 * @va: READ: next address
 * @rkey: READ: key
 * @left: READ: bytes to come
 * @begun: READ: the first packet has been sent
 * @orig: ATOMIC: what was there before
 */
struct model_answer {
	u8 kind;
	u8 syndrome;
	bool fatal;
	bool owed;
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
 * struct model_kept - what is kept of a request with a response of its own, for
 * its duplicates
 * @kind: MODEL_ANSWER_READ, _ATOMIC or _EMPTY; 0: none
 * @first_psn: PSN of the request
 * @last_psn: PSN of its last response
 * @orig: ATOMIC: the result
 */
struct model_kept {
	u8 kind;
	u32 first_psn;
	u32 last_psn;
	u64 orig;
};

/**
 * struct model_resp_mem - memory of a responder
 * @answers: those that wait: index i at i modulo MODEL_ANSWERS
 * @head: index of the oldest
 * @tail: index after the newest
 * @owed: of them, those that are owed
 * @kept: the last READs, atomics, FLUSHes and ATOMIC_WRITEs
 * @next_kept: which is replaced next
 * @done: receive that failed; it completes after the NAK has left
 * @have_done: @done is valid
 * @recv: the receive entry of the message that is coming in
 */
struct model_resp_mem {
	struct model_answer answers[MODEL_ANSWERS];
	u32 head;
	u32 tail;
	u32 owed;
	struct model_kept kept[MODEL_MAX_RD_ATOMIC];
	u32 next_kept;
	struct model_recv_done done;
	bool have_done;
	u8 recv[MODEL_WQE_MAX] __attribute__((aligned(8)));
};

void model_answer_ack(struct model_qp *qp, u32 psn);
void model_answer_nak(struct model_qp *qp, u8 syndrome, u32 psn);
void model_answer_fatal(struct model_qp *qp, u8 value, u8 event, u32 psn);
struct model_answer *model_answer_add(struct model_qp *qp, u8 kind, u32 psn);
struct model_answer *model_answer_owe(struct model_qp *qp, u8 kind, u32 psn);
bool model_answer_read_waits(const struct model_qp *qp, u32 psn);
bool model_answer_room(const struct model_qp *qp);
void model_answer_clear(struct model_qp *qp);
void model_answer_resume(struct model_qp *qp);
bool model_answers_send(struct model_device *dev);
void model_answer_last_words(struct model_qp *qp, u8 value, u32 psn);

#endif /* MODEL_ANSWER_H */
