/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The requester of a connection (IBTA 9.7.3, 9.7.5.2, 9.7.7): makes request
 * packets of send queue entries, and completions of responses. Its state is
 * the window of entries in flight, the PSNs of requests, retries and a timer.
 *
 * The responder is in responder.h, the sending of a packet in tx.h.
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

/* Largest number of entries of the send queue in flight; a power of two. */
#define MODEL_REQ_WINDOW	2048
/* Limits of the number of unacknowledged packets, see requester_pace.c. */
#define MODEL_REQ_PACE_MIN	128
#define MODEL_REQ_PACE_MAX	2048
/* At least one of this many packets requests an acknowledgment. */
#define MODEL_REQ_ACK_EVERY	32
/* Packets that model_requester_run() sends at most in one call. */
#define MODEL_REQ_BUDGET	32
/* Length of the longest message in bytes (IBTA 9.7.7). */
#define MODEL_MSG_MAX		0x80000000ULL

/**
 * enum model_req_peer - what the responder does with packets after a lost one
 * @MODEL_PEER_UNKNOWN: no retry has shown it yet
 * @MODEL_PEER_KEEPS: keeps them, so only the lost one has to be sent again
 * @MODEL_PEER_DROPS: drops them
 */
enum model_req_peer {
	MODEL_PEER_UNKNOWN,
	MODEL_PEER_KEEPS,
	MODEL_PEER_DROPS,
};

enum model_req_kind {
	MODEL_REQ_SEND,
	MODEL_REQ_WRITE,
	MODEL_REQ_READ,
	MODEL_REQ_ATOMIC,
	MODEL_REQ_FLUSH,
	MODEL_REQ_ATOMIC_WRITE,
	MODEL_REQ_LOCAL, /* sends no packet; already executed */
	MODEL_REQ_FAILED, /* refused by the requester; sends no more packets */
};

/**
 * struct model_req_entry - send queue entry in flight
 * @wqe: copy of the first 32 bytes of the entry
 * @atomic: operands of an atomic, or of ATOMIC_WRITE
 * @place: place of the entry in the ring, in units of XRDMA_SQ_UNIT bytes
 * @kind: enum model_req_kind
 * @status: FAILED: enum xrdma_wc_status
 * @vendor_err: FAILED: enum xrdma_fault_reason
 * @length: bytes of the message
 * @first_psn: PSN of the first packet
 * @last_psn: PSN of the last request packet, or of the last response to a READ;
 *	one before @first_psn if the entry sends no packet
 * @resp_psn: READ: PSN of the next response
 * @asked_psn: READ: PSN after the last response that has been requested; @resp_psn if
 *	all that was requested has been received
 * @paged: READ, ATOMIC: memory for the response is in a paged region
 * @probed: with @paged: number of bytes of the response that the device could
 *	write, when it looked up their translations
 */
struct model_req_entry {
	struct xrdma_sq_wqe wqe;
	struct xrdma_atomic_seg atomic;
	u32 place;
	u8 kind;
	u8 status;
	u16 vendor_err;
	u32 length;
	u32 first_psn;
	u32 last_psn;
	u32 resp_psn;
	u32 asked_psn;
	bool paged;
	u32 probed;
};

/**
 * struct model_req_pace - how many packets may be unacknowledged
 * @window: that number, MODEL_REQ_PACE_MIN to MODEL_REQ_PACE_MAX
 * @threshold: up to this value, @window grows by each acknowledged packet, above
 *	it by one packet for each @window of them
 * @acked: packets that were acknowledged since @window has grown last
 */
struct model_req_pace {
	u32 window;
	u32 threshold;
	u32 acked;
};

/**
 * enum model_repeat_phase - state of a retry with one packet
 * @MODEL_REPEAT_NONE: there is none
 * @MODEL_REPEAT_SEND: the packet has to be sent, maybe a second time
 * @MODEL_REPEAT_WAIT: the packet was sent, and is not acknowledged
 */
enum model_repeat_phase {
	MODEL_REPEAT_NONE,
	MODEL_REPEAT_SEND,
	MODEL_REPEAT_WAIT,
};

/**
 * struct model_req_repeat - a retry with one packet, and what it shows
 * @peer: enum model_req_peer
 * @phase: enum model_repeat_phase
 * @copies: SEND: number of copies of the packet that have to be sent
 * @dropped: number of retries after which only the repeated packet was
 *	acknowledged
 * @psn: PSN of the packet
 * @resume_psn: PSN to be sent next after the packet
 * @resume_cur: index of the entry to which @resume_psn belongs
 */
struct model_req_repeat {
	u8 peer;
	u8 phase;
	u8 copies;
	u8 dropped;
	u32 psn;
	u32 resume_psn;
	u32 resume_cur;
};

/**
 * struct model_requester - state of a requester
 * @entries: entries in flight; the entry of index i is in element i & @mask
 * @mask: number of elements of @entries, less 1
 * @next: index of the entry to be taken up next; the entries from model_wq.ci
 *	of the send queue up to @next are in flight
 * @next_place: place of the entry @next in the ring, in units of XRDMA_SQ_UNIT
 *	bytes
 * @cur: index of the entry whose packets are being sent; @next if all packets
 *	of the entries in flight have been sent
 * @psn: first PSN of the entry @next
 * @send_psn: PSN to be sent next; @psn if all packets have been sent
 * @max_psn: PSN after the highest PSN ever sent
 * @una_psn: oldest unacknowledged PSN; belongs to the entry at model_wq.ci
 * @since_ackreq: packets sent since the last acknowledgment request
 * @rd_atomic: number of entries in flight with model_req_has_response()
 * @retries: retries left before the status RETRY_EXC_ERR
 * @rnr_retries: RNR retries left before the status RNR_RETRY_EXC_ERR
 * @rnr_wait: an RNR NAK was received: send nothing until @timer fires
 * @recovering: a response caused a retry from @recover_psn, and no packet has
 *	been acknowledged since; further requests for this retry are ignored
 * @recover_psn: value of @una_psn at the time of that retry
 * @repeat: state of a retry with one packet, see requester_repeat.c
 * @pace: number of packets that may be unacknowledged, see requester_pace.c
 * @failed: an entry in flight is FAILED: take up no more entries
 * @refetch: a response was dropped, because it waits for a page: drop further
 *	responses, and request all of them again when the wait is over
 * @deadline_ns: time at which the ACK timeout passes; 0: no ACK timeout runs
 * @timer: fires at @deadline_ns or earlier, or ends @rnr_wait
 * @timed_out: called when the ACK timeout has passed
 */
struct model_requester {
	struct model_req_entry *entries;
	u32 mask;
	u32 next;
	u32 next_place;
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
	struct model_req_repeat repeat;
	struct model_req_pace pace;
	bool failed;
	bool refetch;
	u64 deadline_ns;
	struct model_timer timer;
	void (*timed_out)(struct model_qp *qp);
};

/* All valid bits of a FLUSH: XRDMA_FLUSH_*. */
#define MODEL_FLUSH_ALL		((u32)(XRDMA_FLUSH_GLOBAL | \
				       XRDMA_FLUSH_PERSISTENT | XRDMA_FLUSH_MR))

/* Return: true if each request of @kind gets a response of its own, no ACK. */
static inline bool model_req_has_response(u8 kind)
{
	return kind >= MODEL_REQ_READ && kind <= MODEL_REQ_ATOMIC_WRITE;
}

/**
 * struct model_req_copy - copy of a send queue entry, valid during one call
 * @loaded: @index and @wqe are valid
 * @index: index of the entry
 * @wqe: bytes of the entry
 */
struct model_req_copy {
	bool loaded;
	u32 index;
	u8 wqe[MODEL_WQE_MAX] __attribute__((aligned(8)));
};

/* requester.c: sending packets */
int model_requester_init(struct model_qp *qp);
void model_requester_modify(struct model_qp *qp, u32 mask);
void model_requester_stop(struct model_qp *qp);
void model_requester_destroy(struct model_qp *qp);
bool model_requester_run(struct model_qp *qp);
bool model_requester_idle(const struct model_qp *qp);

/* requester_window.c: entries in flight */
struct model_req_entry *model_requester_entry(struct model_qp *qp, u32 index);
void model_requester_go_back(struct model_qp *qp);
void model_requester_resume(struct model_qp *qp);
void model_requester_settle(struct model_qp *qp);
void model_requester_fail(struct model_qp *qp, u8 status, u16 vendor_err);
void model_requester_timed_out(struct model_qp *qp);

/* requester_repeat.c: retries with one packet */
void model_requester_lost(struct model_qp *qp);
void model_requester_repeated(struct model_qp *qp);
void model_requester_answered(struct model_qp *qp);

/* requester_pace.c: number of unacknowledged packets */
void model_pace_init(struct model_req_pace *pace);
void model_pace_acked(struct model_req_pace *pace, u32 num);
void model_pace_lost(struct model_req_pace *pace);
void model_pace_timed_out(struct model_req_pace *pace);

/* requester_wqe.c: entries of the send queue */
void model_requester_take(struct model_qp *qp, const u8 *wqe,
			  struct model_req_entry *e);
bool model_requester_body(struct model_qp *qp,
			  const struct model_req_entry *e, u32 index,
			  struct model_req_copy *copy, struct model_sgl *sgl);

/* requester_local.c: entries that send no packet */
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
