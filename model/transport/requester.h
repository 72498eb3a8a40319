/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The requester of a reliable connection (IBTA 9.7.3, 9.7.5.2, 9.7.7): send
 * queue entries become request packets, responses become completions.
 *
 * Owns the window of entries in flight, PSNs of requests, retries and their
 * timer. Must not know the responder, nor how frames travel.
 */
#ifndef MODEL_REQUESTER_H
#define MODEL_REQUESTER_H

#include <linux/types.h>
#include <stdbool.h>

#include "base/loop.h"
#include "core/qp.h"
#include "core/sgl.h"
#include "packet/net.h"
#include "xrdma_hw.h"

struct model_pkt;

/* Entries of the send queue in flight at once; a power of two. */
#define MODEL_REQ_WINDOW	128
/*
 * Packets not yet acknowledged at which no new one is sent: few enough for a
 * receiver that is software, which must not be sent more while it is late.
 */
#define MODEL_REQ_PSN_WINDOW	128
/* An acknowledgment is asked for at least this often. */
#define MODEL_REQ_ACK_EVERY	32
/* Packets sent in one turn. */
#define MODEL_REQ_BUDGET	32
/* Longest message (IBTA 9.7.7). */
#define MODEL_MSG_MAX		0x80000000ULL

enum model_req_kind {
	MODEL_REQ_SEND,
	MODEL_REQ_WRITE,
	MODEL_REQ_READ,
	MODEL_REQ_ATOMIC,
	MODEL_REQ_FLUSH,
	MODEL_REQ_ATOMIC_WRITE,
	MODEL_REQ_LOCAL, /* sends nothing, and has taken effect */
	MODEL_REQ_FAILED, /* refused here; nothing of it is sent any more */
};

/**
 * struct model_req_entry - send queue entry in flight
 * @wqe: its first 32 bytes, copied once
 * @atomic: operands of an atomic, or of ATOMIC_WRITE
 * @kind: enum model_req_kind
 * @status: enum xrdma_wc_status, if FAILED
 * @vendor_err: enum xrdma_fault_reason, if FAILED
 * @length: bytes of the message
 * @first_psn: of its first packet
 * @last_psn: of its last request packet, or of the last response to a READ;
 *	one before @first_psn if it sends nothing
 * @resp_psn: READ: PSN of the next response
 */
struct model_req_entry {
	struct xrdma_sq_wqe wqe;
	struct xrdma_atomic_seg atomic;
	u8 kind;
	u8 status;
	u16 vendor_err;
	u32 length;
	u32 first_psn;
	u32 last_psn;
	u32 resp_psn;
};

/**
 * struct model_requester - requester
 * @entries: window: entry of index i at i modulo MODEL_REQ_WINDOW
 * @next: index of the entry to be taken up next; those from model_wq.ci of the
 *	send queue to here are in flight
 * @cur: index of the entry being sent; @next if all have been
 * @psn: first PSN of entry @next
 * @send_psn: PSN to be sent next; @psn if everything has been
 * @max_psn: PSN after the highest ever sent
 * @una_psn: oldest PSN that is not acknowledged; in the entry at model_wq.ci
 * @since_ackreq: packets sent since the last that asked for acknowledgment
 * @rd_atomic: in flight of those that have a response
 * @retries: left before RETRY_EXC_ERR
 * @rnr_retries: left before RNR_RETRY_EXC_ERR
 * @rnr_wait: the peer was not ready: send nothing until the timer fires
 * @recovering: a response made it go back to @recover_psn, and nothing was
 *	acknowledged since; others that ask for the same are late
 * @recover_psn: @una_psn at that time
 * @failed: an entry in flight is FAILED: take up no more
 * @deadline_ns: when the ACK timeout passes; 0: nothing is waited for
 * @timer: fires at @deadline_ns or earlier, or ends @rnr_wait
 * @timed_out: called when the ACK timeout has passed
 */
struct model_requester {
	struct model_req_entry *entries;
	u32 next;
	u32 cur;
	u32 psn;
	u32 send_psn;
	u32 max_psn;
	u32 una_psn;
	u32 since_ackreq;
	u32 rd_atomic;
	u8 retries;
	u8 rnr_retries;
	bool rnr_wait;
	bool recovering;
	u32 recover_psn;
	bool failed;
	u64 deadline_ns;
	struct model_timer timer;
	void (*timed_out)(struct model_qp *qp);
};

/* Bits of a FLUSH: XRDMA_FLUSH_*. */
#define MODEL_FLUSH_ALL		(XRDMA_FLUSH_GLOBAL | XRDMA_FLUSH_PERSISTENT | \
				 XRDMA_FLUSH_MR)

/* Those that are not acknowledged but answered, one by one. */
static inline bool model_req_has_response(u8 kind)
{
	return kind >= MODEL_REQ_READ && kind <= MODEL_REQ_ATOMIC_WRITE;
}

/**
 * struct model_req_copy - copy of a send queue entry, for the time of one call
 * @loaded: there is one
 * @index: of the entry
 * @wqe: its bytes, a stride of the send queue
 */
struct model_req_copy {
	bool loaded;
	u32 index;
	u8 wqe[MODEL_WQE_MAX] __attribute__((aligned(8)));
};

/* requester.c: what is sent, and when */
int model_requester_init(struct model_qp *qp);
void model_requester_modify(struct model_qp *qp, u32 mask);
void model_requester_stop(struct model_qp *qp);
void model_requester_destroy(struct model_qp *qp);
bool model_requester_run(struct model_qp *qp);
bool model_requester_idle(const struct model_qp *qp);

/* requester_window.c: entries in flight */
struct model_req_entry *model_requester_entry(struct model_qp *qp, u32 index);
void model_requester_go_back(struct model_qp *qp);
void model_requester_settle(struct model_qp *qp);
void model_requester_fail(struct model_qp *qp, u8 status, u16 vendor_err);
void model_requester_timed_out(struct model_qp *qp);

/* requester_wqe.c: entries of the send queue */
void model_requester_take(struct model_qp *qp, const u8 *wqe,
			  struct model_req_entry *e);
bool model_requester_body(struct model_qp *qp,
			  const struct model_req_entry *e, u32 index,
			  struct model_req_copy *copy, struct model_sgl *sgl);

/* requester_local.c: entries that send nothing */
u8 model_requester_local(struct model_qp *qp, const void *body,
			 struct model_req_entry *e);

/* requester_ack.c: responses */
enum model_rx model_requester_response(struct model_qp *qp,
				       const struct model_pkt *pkt);

/* requester_timer.c: ACK timeout and RNR timer */
void model_requester_timer_init(struct model_qp *qp,
				void (*timed_out)(struct model_qp *qp));
void model_requester_timer_start(struct model_qp *qp);
void model_requester_timer_cancel(struct model_qp *qp);
void model_requester_rnr_wait(struct model_qp *qp, u8 code);
u64 model_rnr_timer_ns(u8 code);

#endif /* MODEL_REQUESTER_H */
