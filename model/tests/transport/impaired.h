/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Random operations of reliable connections against a model of memory and of
 * completions: exactly once and in order, whatever happens on the wire.
 *
 * The model knows one rule: the operations of a queue pair take effect at its
 * peer in the order in which they were posted. So it applies each one when it
 * is posted, and notes what the completion has to bring. The one exception is
 * the standard's (IBTA 10.8.3.3): what changes memory may overtake a READ that
 * is before it, unless it waits for a fence. So READs come from memory that is
 * never changed, or the next that changes memory has a fence.
 */
#ifndef MODEL_TEST_IMPAIRED_H
#define MODEL_TEST_IMPAIRED_H

#include "tests/lib/wire_srq.h"

#define IMP_QPS		4
#define IMP_STREAMS	(2 * IMP_QPS)
#define IMP_LOG_DEPTH	4
#define IMP_DEPTH	16
#define IMP_AREA	65536	/* of a queue pair, at its peer */
#define IMP_CHANGING	32768	/* the part of it that is written */
#define IMP_MAX_LEN	20000
#define IMP_SOURCE	0x100000

/* What an impaired connection is made of. */
enum imp_kind {
	IMP_RC,
	IMP_RC_SRQ,	/* one SRQ for all queue pairs of a host */
	IMP_XRC,
	IMP_KINDS
};

/*
 * struct imp_pool - receives of a queue pair, or of all on an SRQ
 * @qp: the queue pair, if it is its own
 * @srq: if @shared
 * @busy: those posted; the buffer of receive i is at @buf + i IMP_MAX_LEN
 * @order: in which they were posted, from @taken to @posted
 */
struct imp_pool {
	struct wire_qp *qp;
	struct wire_srq srq;
	struct wire_host *host;
	bool shared;
	u64 buf;
	u32 key;
	bool busy[IMP_DEPTH];
	u8 order[IMP_DEPTH];
	u32 posted;
	u32 taken;
};

/*
 * struct imp_expected - what a completion has to bring
 * @at: where a READ or an atomic delivers
 */
struct imp_expected {
	u64 at;
	u32 len;
	u8 opcode;
	u8 *data;
};

/* struct imp_received - what a receive has to bring */
struct imp_received {
	u32 len;
	u16 flags;
	u32 value;
	u8 opcode;
	u8 *data;
};

/*
 * struct imp_stream - one direction of a connection, and its peer's memory
 * @sent: operations that take a receive
 * @fence: for the next that changes memory
 * @ext: of its requests: XRC: the SRQ
 * @inv_keys: first of eight keys that are free, which SEND_INV may name
 */
struct imp_stream {
	struct wire_qp *qp;
	struct wire_qp *peer;
	struct imp_pool *pool;
	u64 local;
	u32 lkey;
	u64 remote;
	u32 rkey;
	u32 ext;
	u32 inv_keys;
	u8 *model;
	struct imp_expected out[IMP_DEPTH];
	struct imp_received in[IMP_DEPTH];
	u32 posted;
	u32 completed;
	u32 sent;
	u32 received;
	u32 total;
	bool fence;
};

void imp_seed(u64 seed);
u32 imp_random(u32 limit);
void imp_make_pool(struct imp_pool *pool, struct wire_host *host,
		   struct wire_qp *qp, u32 xrcd, u32 cqn);
void imp_feed(struct imp_pool *pool);
void imp_make_stream(struct imp_stream *s, struct wire_qp *qp,
		     struct wire_qp *peer, u32 total);
void imp_post(struct imp_stream *s);
void imp_check_send(struct imp_stream *s, const struct xrdma_cqe *cqe);
void imp_check_recv(struct imp_stream *s, const struct xrdma_cqe *cqe);
void imp_end_stream(struct imp_stream *s);

/* Of connections that may break. */
void imp_check_broken_send(struct imp_stream *s, const struct xrdma_cqe *cqe,
			   u8 *failed);
void imp_check_broken_recv(struct imp_stream *s, const struct xrdma_cqe *cqe);
void imp_end_broken(struct imp_stream *s);

#endif /* MODEL_TEST_IMPAIRED_H */
