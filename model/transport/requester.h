/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The requester of a reliable connection (IBTA 9.7.3, 9.7.5.2, 9.7.7): send
 * queue entries become request packets, responses become completions.
 *
 * Owns the window of entries in flight, PSNs of requests, retries and their
 * timer. Must not know the responder, nor how frames travel.
 */
#ifndef XRDMA_MODEL_REQUESTER_H
#define XRDMA_MODEL_REQUESTER_H

#include <linux/types.h>
#include <stdbool.h>

#include "base/loop.h"
#include "core/qp.h"
#include "core/sgl.h"
#include "packet/net.h"
#include "xrdma_hw.h"

struct xrdma_pkt;

/* Entries of the send queue in flight at once; a power of two. */
#define XRDMA_REQ_WINDOW	128
/*
 * Packets not yet acknowledged at which no new one is sent: few enough for a
 * receiver that is software, which must not be sent more while it is late.
 */
#define XRDMA_REQ_PSN_WINDOW	128
/* An acknowledgment is asked for at least this often. */
#define XRDMA_REQ_ACK_EVERY	32
/* Packets sent in one turn. */
#define XRDMA_REQ_BUDGET	32
/* Longest message (IBTA 9.7.7). */
#define XRDMA_MSG_MAX		0x80000000ULL

enum xrdma_req_kind {
	XRDMA_REQ_SEND,
	XRDMA_REQ_WRITE,
	XRDMA_REQ_READ,
	XRDMA_REQ_ATOMIC,
	XRDMA_REQ_FLUSH,
	XRDMA_REQ_ATOMIC_WRITE,
	XRDMA_REQ_LOCAL, /* sends nothing, and has taken effect */
	XRDMA_REQ_FAILED, /* refused here; nothing of it is sent any more */
};

/**
 * struct xrdma_req_entry - send queue entry in flight
 * @wqe: its first 32 bytes, copied once
 * @atomic: operands of an atomic, or of ATOMIC_WRITE
 * @kind: enum xrdma_req_kind
 * @status: enum xrdma_wc_status, if FAILED
 * @vendor_err: enum xrdma_fault_reason, if FAILED
 * @length: bytes of the message
 * @first_psn: of its first packet
 * @last_psn: of its last request packet, or of the last response to a READ;
 *	one before @first_psn if it sends nothing
 * @resp_psn: READ: PSN of the next response
 */
struct xrdma_req_entry {
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
 * struct xrdma_requester - requester
 * @entries: window: entry of index i at i modulo XRDMA_REQ_WINDOW
 * @next: index of the entry to be taken up next; those from xrdma_wq.ci of the
 *	send queue to here are in flight
 * @cur: index of the entry being sent; @next if all have been
 * @psn: first PSN of entry @next
 * @send_psn: PSN to be sent next; @psn if everything has been
 * @max_psn: PSN after the highest ever sent
 * @una_psn: oldest PSN that is not acknowledged; in the entry at xrdma_wq.ci
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
struct xrdma_requester {
	struct xrdma_req_entry *entries;
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
	struct xrdma_timer timer;
	void (*timed_out)(struct xrdma_qp *qp);
};

/* Bits of a FLUSH: XRDMA_FLUSH_*. */
#define XRDMA_FLUSH_ALL		(XRDMA_FLUSH_GLOBAL | XRDMA_FLUSH_PERSISTENT | \
				 XRDMA_FLUSH_MR)

/* Those that are not acknowledged but answered, one by one. */
static inline bool xrdma_req_has_response(u8 kind)
{
	return kind >= XRDMA_REQ_READ && kind <= XRDMA_REQ_ATOMIC_WRITE;
}

/**
 * struct xrdma_req_copy - copy of a send queue entry, for the time of one call
 * @loaded: there is one
 * @index: of the entry
 * @wqe: its bytes, a stride of the send queue
 */
struct xrdma_req_copy {
	bool loaded;
	u32 index;
	u8 wqe[XRDMA_WQE_MAX] __attribute__((aligned(8)));
};

/* requester.c: what is sent, and when */
int xrdma_requester_init(struct xrdma_qp *qp);
void xrdma_requester_modify(struct xrdma_qp *qp, u32 mask);
void xrdma_requester_stop(struct xrdma_qp *qp);
void xrdma_requester_destroy(struct xrdma_qp *qp);
bool xrdma_requester_run(struct xrdma_qp *qp);
bool xrdma_requester_idle(const struct xrdma_qp *qp);

/* requester_window.c: entries in flight */
struct xrdma_req_entry *xrdma_requester_entry(struct xrdma_qp *qp, u32 index);
void xrdma_requester_go_back(struct xrdma_qp *qp);
void xrdma_requester_settle(struct xrdma_qp *qp);
void xrdma_requester_fail(struct xrdma_qp *qp, u8 status, u16 vendor_err);
void xrdma_requester_timed_out(struct xrdma_qp *qp);

/* requester_wqe.c: entries of the send queue */
void xrdma_requester_take(struct xrdma_qp *qp, const u8 *wqe,
			  struct xrdma_req_entry *e);
bool xrdma_requester_body(struct xrdma_qp *qp,
			  const struct xrdma_req_entry *e, u32 index,
			  struct xrdma_req_copy *copy, struct xrdma_sgl *sgl);

/* requester_local.c: entries that send nothing */
u8 xrdma_requester_local(struct xrdma_qp *qp, const void *body,
			 struct xrdma_req_entry *e);

/* requester_ack.c: responses */
enum xrdma_rx xrdma_requester_response(struct xrdma_qp *qp,
				       const struct xrdma_pkt *pkt);

/* requester_timer.c: ACK timeout and RNR timer */
void xrdma_requester_timer_init(struct xrdma_qp *qp,
				void (*timed_out)(struct xrdma_qp *qp));
void xrdma_requester_timer_start(struct xrdma_qp *qp);
void xrdma_requester_timer_cancel(struct xrdma_qp *qp);
void xrdma_requester_rnr_wait(struct xrdma_qp *qp, u8 code);
u64 xrdma_rnr_timer_ns(u8 code);

#endif /* XRDMA_MODEL_REQUESTER_H */
