/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Random operations on reliable connections, and the expected memory and
 * completions: on any wire, each operation takes effect exactly once and in
 * order. Used by test_rc_impaired.c.
 *
 * The expectation follows from one rule: the operations of a queue pair take
 * effect at its peer in the order in which they were posted. Each operation is
 * therefore applied to the expected memory when it is posted, and the expected
 * completion is recorded. IBTA 10.8.3.3 has one exception: an operation that
 * changes memory may overtake a READ before it, unless it has a fence.
 * Therefore a READ is from memory that never changes, or the next operation
 * that changes memory has a fence.
 */
#ifndef MODEL_TEST_IMPAIRED_H
#define MODEL_TEST_IMPAIRED_H

#include "tests/lib/wire_srq.h"

#define IMP_QPS		4
#define IMP_STREAMS	(2 * IMP_QPS)
#define IMP_LOG_DEPTH	4
#define IMP_DEPTH	16
#define IMP_AREA	65536	/* bytes at the peer, for each queue pair */
#define IMP_CHANGING	32768	/* bytes of IMP_AREA that are written */
#define IMP_MAX_LEN	20000
#define IMP_SOURCE	0x100000

/* Types of impaired connections. */
enum imp_kind {
	IMP_RC,
	IMP_RC_SRQ,	/* one SRQ for all queue pairs of a host */
	IMP_XRC,
	IMP_KINDS
};

/*
 * struct imp_pool - receives of a queue pair, or of all queue pairs of an SRQ
 * @qp: the queue pair, if @shared is false
 * @srq: the SRQ, if @shared is true
 * @busy: receives that are posted; the buffer of receive i is at
 *	@buf + i * IMP_MAX_LEN
 * @order: numbers of the receives in order of posting, from @taken to @posted
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
 * struct imp_expected - the expected completion of a send
 * @at: local memory that gets the data of a READ or an atomic
 */
struct imp_expected {
	u64 at;
	u32 len;
	u8 opcode;
	u8 *data;
};

/* struct imp_received - the expected completion of a receive */
struct imp_received {
	u32 len;
	u16 flags;
	u32 value;
	u8 opcode;
	u8 *data;
};

/*
 * struct imp_stream - one direction of a connection, and its peer's memory
 * @sent: number of operations that consumed a receive
 * @fence: the next operation that changes memory must have a fence
 * @ext: XRC: number of the SRQ that requests name
 * @inv_keys: first of eight free keys for SEND_INV
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

/* Functions for connections whose retries may be exhausted. */
void imp_check_broken_send(struct imp_stream *s, const struct xrdma_cqe *cqe,
			   u8 *failed);
void imp_check_broken_recv(struct imp_stream *s, const struct xrdma_cqe *cqe);
void imp_end_broken(struct imp_stream *s);

#endif /* MODEL_TEST_IMPAIRED_H */
