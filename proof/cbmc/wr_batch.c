// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The begin and the end of a batch of the calls ibv_wr_*() of the provider, and the
 * places and sizes of the entries of its send queue. The calls between begin and end are
 * in wr_user.c.
 *
 * CBMC: -I proof/include/rdma-core -I rdma-core/providers/xrdma --unwind 9
 *	--slice-formula
 */

#include "wr_user.h"

/* The first 32 bytes of each entry of the ring, and what they are before the call */
static struct xrdma_sq_wqe ring[DEPTH], old_ring[DEPTH];

/* Every window except the one that a theorem looks at */
static struct ibv_mw other_mw;

/* The state before the call */
static struct old {
	u32 pi;
	u32 place;
	u32 ci;
	u32 consumed;
	struct xrdma_wr_batch batch;
} old;

static void *xrdma_sq_at(const struct xrdma_wq *sq, u32 place)
{
	PROVE(sq == &qp.sq && place == qp.batch.start_place);
	return &ring[qp.batch.start % DEPTH];
}

static void *xrdma_sq_entry(const struct xrdma_wq *sq)
{
	PROVE(sq == &qp.sq && !"the end of a batch writes an entry");
	return ring;
}

/*
 * What operations_stay_inside says of the windows of a batch: the first one of the list
 * that is the window has the key from before the batch.
 */
static bool keys_are_held(void)
{
	bool found = false;
	u32 i;

	for (i = 0; i < DEPTH && i < qp.batch.num_bound; i++) {
		if (bound[i].mw != &mw || found)
			continue;
		if (bound[i].rkey != old_key)
			return false;
		found = true;
	}
	return was_bound == found;
}

/* Any batch between two calls, and what the device knows. @own: number of entries */
static void any_end(u32 own)
{
	struct xrdma_sq_wqe any[DEPTH];		/* not initialised: any entry */
	u32 i;

	any_batch(own);
	for (i = 0; i < DEPTH; i++) {
		ring[i] = any[i];
		old_ring[i] = any[i];
		bound[i].mw = nondet_truth() ? &mw : &other_mw;
		bound[i].rkey = nondet_u32();
	}
	ASSUME(keys_are_held());
	qp.qpn = nondet_u32();
	qp.shadow_db = nondet_truth();
	qp.sq.consumed = nondet_u32();
	rec.sq_event = cpu_to_le32(nondet_u32());
	rec.sq_pi = cpu_to_le32(qp.batch.start);
	old.pi = qp.sq.pi;
	old.place = qp.sq.place;
	old.ci = qp.sq.ci;
	old.consumed = qp.sq.consumed;
	old.batch = qp.batch;
}

/* No entry of the ring and none of the counters of the device and of CQs changed. */
static void prove_ring_stays(void)
{
	u32 i = nondet_u32();
	const struct xrdma_sq_wqe *is = &ring[i % DEPTH];
	const struct xrdma_sq_wqe *was = &old_ring[i % DEPTH];

	PROVE(is->opcode == was->opcode && is->flags == was->flags);
	PROVE(is->num_sge == was->num_sge && is->inv_key == was->inv_key);
	PROVE(is->remote_addr == was->remote_addr && is->rkey == was->rkey);
	PROVE(is->ext == was->ext && is->wr_id == was->wr_id);
	PROVE(qp.sq.ci == old.ci && qp.sq.consumed == old.consumed);
	PROVE(!held);
}

/* The state is the one before ibv_wr_start(), and the device knows nothing new. */
static void prove_nothing_happened(void)
{
	PROVE(qp.sq.pi == old.batch.start);
	PROVE(qp.sq.place == old.batch.start_place);
	PROVE(le32_to_cpu(rec.sq_pi) == old.batch.start && !rung);
	PROVE(mw.rkey == old_key);
}

/*
 * Theorem: ibv_wr_complete() of a batch in which no call failed, and whose last entry
 *	has its destination, gives the device exactly the entries since
 *	ibv_wr_start(), unchanged and in their order, by one store of the producer
 *	index; afterwards it rings the doorbell once, with this index, unless
 *	doorbells are shadowed and the device did not go to sleep at an index of
 *	the batch. It rings nothing for a batch without entries. The keys of
 *	windows stay the new ones, the lock is released.
 * Holds for: batches of 0 to 4 entries of any calls, all indexes, types of queue pairs
 *	and windows; a ring of 4 entries.
 * Assumes: wr_user.operations_stay_inside.
 */
static void complete_publishes_the_batch(void)
{
	u32 own = nondet_u32(), key;
	bool slept;

	any_end(own);
	ASSUME(!qp.batch.err && !qp.batch.no_target);
	key = mw.rkey;
	slept = le32_to_cpu(rec.sq_event) - qp.batch.start < own;
	PROVE(!xrdma_wr_complete(qpx));
	REACHABLE(own == 4 && old.pi == 1 && !rung);
	REACHABLE(own == 4 && qp.shadow_db && rung && was_bound);
	PROVE(qp.sq.pi == old.pi && mw.rkey == key);
	PROVE(qp.sq.place == old.place);
	PROVE(le32_to_cpu(rec.sq_pi) == old.batch.start + own);
	PROVE(rung == (own && (!qp.shadow_db || slept)));
	prove_ring_stays();
}

/*
 * Theorem: ibv_wr_complete() returns the errno of the first call of the batch that
 *	failed, or EINVAL if the last entry lacks its destination. Then the device
 *	sees nothing of the batch, the producer index and the key of each window
 *	are those of before ibv_wr_start(), no other entry and no counter has
 *	changed, and the lock is released.
 * Holds for: as complete_publishes_the_batch.
 * Assumes: as complete_publishes_the_batch.
 */
static void failed_batches_leave_nothing(void)
{
	u32 own = nondet_u32();
	int err;

	any_end(own);
	ASSUME(qp.batch.err || qp.batch.no_target);
	err = xrdma_wr_complete(qpx);
	REACHABLE(own == 4 && qp.sq.pi == 0xfffffffe && was_bound);
	REACHABLE(own && !old.batch.err);
	PROVE(err == (old.batch.err ? old.batch.err : EINVAL));
	prove_nothing_happened();
	prove_ring_stays();
}

/*
 * Theorem: ibv_wr_abort() of any batch gives the device nothing of the batch; the
 *	producer index and the key of each window are those of before
 *	ibv_wr_start(), no entry and no counter has changed since the last call of
 *	the batch, and the lock is released.
 * Holds for: as complete_publishes_the_batch.
 * Assumes: as complete_publishes_the_batch.
 */
static void aborted_batches_leave_nothing(void)
{
	u32 own = nondet_u32();

	any_end(own);
	xrdma_wr_abort(qpx);
	REACHABLE(own == 4 && qp.sq.pi == 0xfffffffe && was_bound);
	REACHABLE(!old.batch.err && !qp.bound_mws && own == 1);
	prove_nothing_happened();
	prove_ring_stays();
}

/*
 * Theorem: A queue pair whose type has all operations that the application asks for gets
 *	the functions of this harness and of wr_user for the calls ibv_wr_*(), each
 *	for the call of its name; it can note the windows of binds if the application
 *	asks for binds. An operation that the type lacks is refused.
 * Holds for: all types of queue pairs, all sets of operations.
 * Assumes: nothing.
 * Form: long
 */
static void calls_are_installed(void)
{
	u64 ops = nondet_u64();
	u8 type = nondet_u8();
	bool lacks;
	int err;

	qp.ops = xrdma_qp_ops(type);
	lacks = ops & ~xrdma_send_ops(qp.ops);
	err = xrdma_setup_wr(&qp, ops);
	REACHABLE(!err && qp.bound_mws);
	REACHABLE(err == EOPNOTSUPP && qp.ops);
	PROVE(lacks == (err == EOPNOTSUPP));
	ASSUME(!err);
	PROVE(!qp.bound_mws == !(ops & IBV_QP_EX_WITH_BIND_MW));
	PROVE(qpx->wr_start == xrdma_wr_start);
	PROVE(qpx->wr_complete == xrdma_wr_complete);
	PROVE(qpx->wr_abort == xrdma_wr_abort);
	PROVE(qpx->wr_send == xrdma_wr_send);
	PROVE(qpx->wr_send_imm == xrdma_wr_send_imm);
	PROVE(qpx->wr_send_inv == xrdma_wr_send_inv);
	PROVE(qpx->wr_rdma_write == xrdma_wr_rdma_write);
	PROVE(qpx->wr_rdma_write_imm == xrdma_wr_rdma_write_imm);
	PROVE(qpx->wr_rdma_read == xrdma_wr_rdma_read);
	PROVE(qpx->wr_atomic_cmp_swp == xrdma_wr_atomic_cmp_swp);
	PROVE(qpx->wr_atomic_fetch_add == xrdma_wr_atomic_fetch_add);
	PROVE(qpx->wr_atomic_write == xrdma_wr_atomic_write);
	PROVE(qpx->wr_flush == xrdma_wr_flush);
	PROVE(qpx->wr_local_inv == xrdma_wr_local_inv);
	PROVE(qpx->wr_bind_mw == xrdma_wr_bind_mw);
	PROVE(qpx->wr_set_ud_addr == xrdma_wr_set_ud_addr);
	PROVE(qpx->wr_set_xrc_srqn == xrdma_wr_set_xrc_srqn);
	PROVE(qpx->wr_set_sge == xrdma_wr_set_sge);
	PROVE(qpx->wr_set_sge_list == xrdma_wr_set_sge_list);
	PROVE(qpx->wr_set_inline_data == xrdma_wr_set_inline_data);
	PROVE(qpx->wr_set_inline_data_list == xrdma_wr_set_inline_data_list);
}

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
	xrdma_wr_start(qpx);
	REACHABLE(!qp.batch.err && pi == 0xffffffff && held);
	PROVE(held == !qp.sq.lock.elided && qp.batch.start == pi);
	PROVE(qp.sq.pi == pi && !qp.batch.no_target && !qp.batch.data);
	PROVE(qp.batch.start_place == qp.sq.place && !qp.batch.num_bound);
	PROVE(!qp.batch.err == (state >= IBV_QPS_RTS));
}

/*
 * Theorem: Entries of a receive ring that different requests use at the same time do not
 *	overlap, and are inside of the ring.
 * Holds for: rings of up to 2^15 entries of 32 to 1024 bytes, all indexes.
 * Assumes: the indexes differ by less than the ring has entries.
 */
static void receives_have_places_of_their_own(void)
{
	char memory[1 << 25];
	u32 a = nondet_u32(), b = nondet_u32();
	u8 log = nondet_u8(), stride = nondet_u8();
	struct xrdma_wq wq = { .ring = memory };
	ssize_t first, second;

	ASSUME(log <= 15 && stride >= 5 && stride <= 10);
	wq.depth = 1U << log;
	wq.log_stride = stride;
	ASSUME(a != b && b - a < wq.depth);
	first = (char *)xrdma_rq_entry(&wq, a) - memory;
	second = (char *)xrdma_rq_entry(&wq, b) - memory;
	REACHABLE(second < first && log == 15);
	PROVE(first >= 0 && first + (1L << stride) <= 1L << (log + stride));
	PROVE(second - first >= 1L << stride || first - second >= 1L << stride);
}

/*
 * Theorem: Entries of a send ring that different requests use at the same time do not
 *	overlap, and are inside of the ring and its tail; the next entry begins where
 *	an entry ends, modulo the ring without its tail.
 * Holds for: rings of up to 2^15 entries of up to 1 to 16 units; all places, and entries
 *	of any lengths that the queue allows.
 * Assumes: fewer entries than the ring has are between the begins of the two, the first
 *	one counted; each of them is followed by the next one, as this theorem shows.
 */
static void sends_have_places_of_their_own(void)
{
	static char memory[(1 << 25) + 960];
	u32 place = nondet_u32(), distance = nondet_u32();
	u32 one = nondet_u8(), other = nondet_u8(), ring;
	struct xrdma_wq sq = { .ring = memory };
	ssize_t first, second, end;
	u8 log = nondet_u8();

	sq.units = nondet_u8();
	ASSUME(log <= 15 && sq.units >= 1 && sq.units <= 16);
	sq.depth = 1U << log;
	ring = sq.units * sq.depth;
	end = (ring + sq.units - 1) * 64;
	ASSUME(one >= 1 && one <= sq.units && other >= 1 && other <= sq.units);
	ASSUME(distance >= one && distance <= ring - sq.units && place < ring);
	sq.place = place;
	first = (char *)next_entry(&sq) - memory;
	xrdma_sq_pass(&sq, distance);
	second = (char *)at_place(&sq, sq.place) - memory;
	REACHABLE(second < first && log == 15 && one == 16);
	PROVE(first == place * 64 && first + one * 64 <= end);
	PROVE(second + other * 64 <= end);
	PROVE(second - first >= one * 64 || first - second >= other * 64);
	PROVE(sq.place == place + distance || sq.place == place + distance - ring);
}

/*
 * Theorem: The longest entry of a send queue has 1 to 16 units, and room for as many
 *	scatter-gather entries and inline bytes as the queue pair has as its
 *	limits, which are at least those of the request; the queue is at least as
 *	deep as the request asks for.
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
	room = qp.sq.units * 64U - (qp.datagram ? 64 : 32);
	REACHABLE(qp.sq.units == 16 && qp.sq.max_sge == 62);
	PROVE(qp.sq.units >= 1 && qp.sq.units <= 16);
	PROVE(qp.sq.max_sge * 16U <= room && qp.max_inline <= room);
	PROVE(qp.sq.max_sge >= cap->max_send_sge);
	PROVE(qp.max_inline >= cap->max_inline_data);
	PROVE(qp.sq.depth >= cap->max_send_wr && qp.sq.depth <= 1 << 15);
	PROVE(!(qp.sq.depth & (qp.sq.depth - 1)));
}
