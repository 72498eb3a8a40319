// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The begin of a batch of the calls ibv_wr_*() of the provider, and the places and sizes
 * of the entries of its send queue. The calls that follow are in wr_user.c.
 *
 * CBMC: -I proof/include/rdma-core -I rdma-core/providers/xrdma --unwind 9
 *	--slice-formula
 */

#include "wr_user.h"

/*
 * Theorem: ibv_wr_start() takes the lock and begins a batch without entries, which lacks
 *	nothing; the batch of a queue pair that cannot send yet has failed already.
 * Holds for: all states and types of queue pairs, all indexes; whatever an earlier batch
 *	has left.
 * Assumes: nothing.
 */
static void start_begins_an_empty_batch(void)
{
	u8 state = nondet_u8();
	u32 pi;

	any_batch(nondet_u32());
	held = false;
	ASSUME(state <= IBV_QPS_UNKNOWN);
	qp.verbs_qp.qp.state = state;
	pi = qp.sq.pi;
	ibv_wr_start(qpx);
	REACHABLE(!qp.batch.err && pi == 0xffffffff && held);
	PROVE(held == !qp.sq.lock.elided && qp.batch.start == pi);
	PROVE(qp.sq.pi == pi && !qp.batch.no_target && !qp.batch.data);
	PROVE(!qp.batch.err == (state >= IBV_QPS_RTS));
}

/*
 * Theorem: Entries of a ring that different requests use at the same time do not
 *	overlap, and are inside of the ring.
 * Form: long
 * Holds for: rings of up to 2^15 entries of 32 to 1024 bytes, all indexes.
 * Assumes: the indexes differ by less than the ring has entries.
 */
static void entries_have_places_of_their_own(void)
{
	static char ring[1 << 25];
	u32 a = nondet_u32(), b = nondet_u32();
	u8 log = nondet_u8(), stride = nondet_u8();
	struct xrdma_wq wq = { .ring = ring };
	ssize_t first, second;

	ASSUME(log <= 15 && stride >= 5 && stride <= 10);
	wq.depth = 1U << log;
	wq.log_stride = stride;
	ASSUME(a != b && b - a < wq.depth);
	first = (char *)place_in_ring(&wq, a) - ring;
	second = (char *)place_in_ring(&wq, b) - ring;
	REACHABLE(second < first && log == 15);
	PROVE(first >= 0 && first + (1L << stride) <= 1L << (log + stride));
	PROVE(second - first >= 1L << stride || first - second >= 1L << stride);
}

/*
 * Theorem: The entries of a send queue have 64 to 1024 bytes, and room for as many
 *	scatter-gather entries and inline bytes as the queue pair has as its
 *	limits, which are at least those of the request; the queue is at least as
 *	deep as the request asks for.
 * Form: long
 * Holds for: all requests and types.
 * Assumes: the device has work queues of at most 2^15 entries, and at most 2^16 - 1
 *	scatter-gather entries.
 */
static void sizes_fit(void)
{
	struct ibv_qp_init_attr_ex attr;	/* not initialised: any request */
	struct ibv_qp_cap *cap = &attr.cap;
	struct xrdma_context ctx;
	u32 room;

	qp.datagram = nondet_truth();
	ctx.max_qp_wr = nondet_u32();
	ctx.max_sge = nondet_u16();
	ctx.max_inline = nondet_u32();
	ASSUME(ctx.max_qp_wr <= 1 << 15);
	ASSUME(!xrdma_size_sq(&ctx, &qp, cap));
	room = (1U << qp.sq.log_stride) - (qp.datagram ? 64 : 32);
	REACHABLE(qp.sq.log_stride == 10 && qp.sq.max_sge == 62);
	PROVE(qp.sq.log_stride >= 6 && qp.sq.log_stride <= 10);
	PROVE(qp.sq.max_sge * 16U <= room && qp.max_inline <= room);
	PROVE(qp.sq.max_sge >= cap->max_send_sge);
	PROVE(qp.max_inline >= cap->max_inline_data);
	PROVE(qp.sq.depth >= cap->max_send_wr && qp.sq.depth <= 1 << 15);
	PROVE(!(qp.sq.depth & (qp.sq.depth - 1)));
}
