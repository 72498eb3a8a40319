// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Push of the provider, push.c and post.c, compiled unchanged with the stand-ins for
 * headers of rdma-core in proof/include/rdma-core. Stubs stand for the writes to the device: they
 * check what is written, where, and in which order.
 *
 * CBMC: -I proof/include/rdma-core -I rdma-core/providers/xrdma --unwind 65
 */

#include <linux/bitfield.h>
#include <string.h>
#include "proof.h"

#include "post.c"
#include "push.c"

static u8 page[XRDMA_DB_PAGE_SIZE];
static u64 doorbells[1];
static u64 entry[128];			/* 1 KiB, the longest entry */
static struct xrdma_context ctx;
static struct xrdma_qp_rec rec;
static struct xrdma_qp qp;
static u32 old;

/* bytes written to the slot; doorbells written */
static size_t copied;
static u32 rung;

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	PROVE(mutex == &ctx.qp_mutex);
	return 0;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	PROVE(mutex == &ctx.qp_mutex);
	return 0;
}

void mmio_memcpy_x64(void *to, const void *from, size_t bytes)
{
	PROVE(from == entry && bytes % 64 == 0 && bytes);
	PROVE(bytes <= qp.sq.units * 64 && bytes <= 256);
	PROVE((u8 *)to == page + qp.slot);
	PROVE(qp.slot + bytes <= sizeof(page));
	PROVE(!rung);
	copied = bytes;
}

void mmio_write64_le(void *addr, __le64 value)
{
	u64 db = le64_to_cpu(value);

	PROVE(addr == qp.db && le32_to_cpu(rec.sq_pi) == qp.sq.pi);
	PROVE((db & XRDMA_QPN_MASK) == qp.qpn && xrdma_db_index(db) == qp.sq.pi);
	rung++;
	if (!copied) {
		PROVE(db == xrdma_make_sq_db(qp.qpn, qp.sq.pi));
		return;
	}
	PROVE(xrdma_db_push_size(db) >= copied);
	PROVE(xrdma_db_push_size(db) / 2 < copied);
	PROVE(xrdma_db_push_at(db) == qp.slot);
	PROVE(qp.slot % xrdma_db_push_size(db) == 0);
	PROVE(qp.slot + xrdma_db_push_size(db) <= sizeof(page));
}

/* A queue pair whose entries have any size, of a context with any slots in use */
static void any_slot(void)
{
	ctx.push = page;
	ctx.slots = nondet_u64();
	qp.ops = 1;
	qp.sq.units = nondet_u8();
	ASSUME(qp.sq.units >= 1 && qp.sq.units <= 16);
	qp.push = NULL;
}

/*
 * Theorem: A slot is inside of the push page, aligned to its size, and of no other
 *	queue pair; it is taken until it is freed, and no other slot changes. A queue
 *	pair has no slot only if none is free.
 * Holds for: all slots that may be in use, entries of 64 to 1024 bytes.
 * Assumes: nothing.
 */
static void slots_have_one_owner(void)
{
	u64 before, mine;
	u32 size;

	any_slot();
	before = ctx.slots;
	size = qp.sq.units < 3 ? qp.sq.units * 64 : 256;
	xrdma_alloc_slot(&ctx, &qp);
	mine = ctx.slots & ~before;
	REACHABLE(!qp.push);
	REACHABLE(qp.push && qp.slot == XRDMA_DB_PAGE_SIZE - 256 && size == 256);
	if (!qp.push) {
		PROVE(ctx.slots == before && (size > 64 || before == ~0ULL));
		return;
	}
	PROVE((u8 *)qp.push == page + qp.slot && qp.slot % size == 0);
	PROVE(qp.slot + size <= XRDMA_DB_PAGE_SIZE);
	PROVE(mine >> (qp.slot / 64) == (1ULL << (size / 64)) - 1);
	PROVE((ctx.slots & before) == before);
	xrdma_free_slot(&ctx, &qp);
	PROVE(ctx.slots == before && !qp.push);
}

/*
 * Theorem: A push copies bytes of the entry, which hold all of its head, address and
 *	inline data, to the slot of the queue pair, and then rings one doorbell, which
 *	names this slot and these bytes. Only an inline entry is pushed, and only if
 *	it is the only new one and all others are complete; otherwise the doorbell
 *	names no slot. The index in the record is written before.
 * Holds for: all entries, indexes and slots.
 * Assumes: the entry has the length that its inline data need, and is not longer than
 *	the queue allows, as wr_user.setters_stay_inside shows; the slot is one that
 *	slots_have_one_owner permits.
 */
static void pushes_are_whole(void)
{
	struct xrdma_sq_wqe *wqe = (void *)entry;
	u32 bytes;
	bool done;

	any_slot();
	qp.rec = &rec;
	qp.db = doorbells;
	qp.qpn = nondet_u32();
	qp.datagram = nondet_truth();
	qp.sq.pi = nondet_u32();
	qp.sq.ci = nondet_u32();
	old = nondet_u32();
	wqe->flags = nondet_u8();
	wqe->num_sge = nondet_u16();
	qp.slot = nondet_u32();
	ASSUME(qp.qpn <= XRDMA_QPN_MASK && qp.sq.pi != old);
	ASSUME(qp.slot < sizeof(page) &&
	       qp.slot % (1U << xrdma_slot_log(&qp)) == 0);
	qp.push = page + qp.slot;
	bytes = (qp.datagram ? 64 : 32) + wqe->num_sge;
	ASSUME(wqe->flags / 16 + 1U <= qp.sq.units);
	ASSUME(!(wqe->flags & XRDMA_WQE_INLINE) ||
	       bytes <= (wqe->flags / 16 + 1U) * 64);
	xrdma_publish_sq(&qp, old, wqe);
	done = copied;
	REACHABLE(done && copied == 256);
	REACHABLE(!done && wqe->flags & XRDMA_WQE_INLINE && qp.sq.ci == old &&
		  qp.sq.pi - old == 1);
	PROVE(rung == 1);
	PROVE(!done || (bytes <= copied && wqe->flags & XRDMA_WQE_INLINE));
	PROVE(!done || (qp.sq.pi - old == 1 && qp.sq.ci == old));
}
