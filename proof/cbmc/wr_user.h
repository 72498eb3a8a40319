/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The calls ibv_wr_*() of the provider, wr.c, wqe.h and qp_size.c, compiled unchanged
 * with the stand-ins for headers of rdma-core in proof/include/rdma-core; a queue pair
 * and any batch of requests. Theorems are in wr_user.c and wr_batch.c.
 *
 * A stub of each harness stands for xrdma_sq_entry(), and one for xrdma_sq_at(), which
 * is the subject of theorem wr_batch.sends_have_places_of_their_own.
 * memcpy() stands for the proof that its destination has room.
 *
 * Harnesses call the functions xrdma_wr_*(), which theorem wr_batch.calls_are_installed
 * is about: CBMC needs long for calls through the pointers of struct ibv_qp_ex, which
 * rdma-core has in a union.
 */

#ifndef PROOF_WR_USER_H
#define PROOF_WR_USER_H

#include <linux/bitfield.h>
#include <string.h>
#include "proof.h"

#define xrdma_sq_at	at_place
#define xrdma_sq_entry	next_entry
#include "ring.h"
#undef xrdma_sq_at
#undef xrdma_sq_entry

static void *xrdma_sq_at(const struct xrdma_wq *sq, u32 place);
static void *xrdma_sq_entry(const struct xrdma_wq *sq);

#define memcpy(to, from, len)	PROVE(__CPROVER_w_ok(to, len))

#include "post.c"
#include "wr.c"
#include "qp_size.c"

#define DEPTH		4U
#define SGE_MAX		6	/* scatter-gather entries of 128 bytes */

/* An entry of 64 and one of 128 bytes */
static struct xrdma_sge small[4], large[8];

static struct xrdma_qp_rec rec;
static struct xrdma_qp qp = { .rec = &rec, .sq.depth = DEPTH };
static struct ibv_qp_ex *const qpx = &qp.verbs_qp.qp_ex;

/* A window, and the windows that the batch has bound */
static struct ibv_mw mw;
static struct xrdma_bound_mw bound[DEPTH];

/*
 * An earlier entry of the batch binds the window, and the first one in the list of bound
 * windows has the key that the window had before the batch. Otherwise the window has
 * this key.
 */
static bool was_bound;
static u32 old_key;

/* The entry at the producer index or the last one of the batch */
static void *entry;

/* The lock of the send queue is held; doorbells that the provider has rung */
static bool held;
static u32 rung;

/* The record has the index before the device gets the doorbell. */
void mmio_write64_le(void *addr, __le64 value)
{
	PROVE(addr == qp.db);
	PROVE(le64_to_cpu(value) == xrdma_make_sq_db(qp.qpn, qp.sq.pi));
	PROVE(le32_to_cpu(rec.sq_pi) == qp.sq.pi);
	rung++;
}

/* The theorems are about queue pairs that have no slot; push_user.c has the others. */
bool xrdma_push(struct xrdma_qp *q, uint32_t old,
		const struct xrdma_sq_wqe *wqe)
{
	PROVE(false);
	(void)q;
	(void)old;
	(void)wqe;
	return false;
}

int pthread_spin_lock(pthread_spinlock_t *lock)
{
	PROVE(lock == &qp.sq.lock.spin && !held);
	held = true;
	return 0;
}

int pthread_spin_unlock(pthread_spinlock_t *lock)
{
	PROVE(lock == &qp.sq.lock.spin && held);
	held = false;
	return 0;
}

/* log2 of a number, rounded down, plus 1; 0 for 0: as rdma-core defines it */
int ilog64(uint64_t n)
{
	return n ? 64 - __builtin_clzll(n) : 0;
}

/* A queue pair of any type; limits as wr_batch.sizes_fit shows them */
static void any_queue_pair(void)
{
	u8 type = nondet_u8();
	u32 room;

	ASSUME(xrdma_qp_ops(type));
	entry = nondet_truth() ? small : large;
	room = (entry == small ? 64 : 128) - (type == IBV_QPT_UD ? 64 : 32);
	qp.ops = xrdma_qp_ops(type);
	qp.datagram = type == IBV_QPT_UD;
	qp.xrc = type == IBV_QPT_XRC_SEND;
	qp.force_flags = nondet_truth() ? IBV_SEND_SIGNALED : 0;
	qp.sq.pi = nondet_u32();
	qp.sq.ci = nondet_u32();
	qp.sq.units = entry == small ? 1 : 2;
	qp.sq.place = nondet_u32();
	qp.sq.max_sge = nondet_u8();
	qp.max_inline = nondet_u32();
	qp.sq.lock.elided = nondet_truth();
	qp.bound_mws = nondet_truth() ? bound : NULL;
	ASSUME(qp.sq.max_sge <= room / sizeof(struct xrdma_sge));
	ASSUME(qp.max_inline <= room);
	ASSUME(qp.sq.pi - qp.sq.ci <= DEPTH);
	ASSUME(qp.sq.place < DEPTH * qp.sq.units);
}

/* Any batch of a queue pair between two calls. @own: number of its entries */
static void any_batch(u32 own)
{
	any_queue_pair();
	ASSUME(own <= qp.sq.pi - qp.sq.ci);
	held = !qp.sq.lock.elided;
	qp.batch.start = qp.sq.pi - own;
	qp.batch.start_place = nondet_u32();
	qp.batch.num_bound = qp.bound_mws ? nondet_u32() : 0;
	ASSUME(qp.batch.num_bound <= own);
	qp.batch.err = nondet_int();
	qp.batch.no_target = own && (qp.datagram || qp.xrc) && nondet_truth();
	qpx->wr_id = nondet_u64();
	qpx->wr_flags = nondet_u32();
	mw.rkey = nondet_u32();
	mw.type = nondet_truth() ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2;
	was_bound = nondet_truth();
	old_key = nondet_u32();
	ASSUME(was_bound || mw.rkey == old_key);
}

#endif /* PROOF_WR_USER_H */
