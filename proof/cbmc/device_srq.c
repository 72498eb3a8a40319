// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The device against a hostile host: the ring and the record of a shared receive
 * queue, which a process may change at any time, as model/core/srq.c uses them,
 * compiled unchanged. Stubs stand for the translated memory of ring and record:
 * it has any contents, and the stubs check where the device accesses it.
 *
 * CBMC: --unwind 2 --slice-formula
 */

#include "proof.h"
#include "device_objects.h"
#include "core/srq.c"

static struct model_device dev;
static struct model_srq srq;

/* Reads of entries, with the position of the last one */
static u32 reads;
static u64 read_off;
static size_t read_len;
static u32 events;

void model_event(struct model_device *device, u8 event, u32 number)
{
	(void)device;
	PROVE(event == XRDMA_EVENT_SRQ_ERR || event == XRDMA_EVENT_SRQ_LIMIT);
	PROVE(number == srq.srqn);
	events++;
}

/* A word of a record, of any contents */
void *model_mem_ptr(struct model_device *device, struct model_mem *mem, u64 off,
		    size_t *len, bool write)
{
	static __le32 word;

	PROVE(device == &dev && mem->size == sizeof(struct xrdma_srq_rec));
	PROVE(*len == 4 && off % 4 == 0 && off + *len <= mem->size);
	PROVE(write == (off == offsetof(struct xrdma_srq_rec, ci)));
	word = nondet_u32();
	return nondet_truth() ? &word : NULL;
}

/* A part of the ring, of any contents */
int model_mem_read(struct model_device *device, struct model_mem *mem, u64 off,
		   void *buf, size_t len)
{
	(void)buf;
	PROVE(device == &dev && mem == &srq.wq.ring);
	reads++;
	read_off = off;
	read_len = len;
	return nondet_int();
}

void model_mem_init(struct model_mem *mem, u64 root, u64 base, u64 size,
		    u8 flags)
{
	mem->root = root;
	mem->base = base;
	mem->size = size;
	mem->flags = flags;
}

int model_mem_probe(struct model_device *device, struct model_mem *mem,
		    bool write)
{
	(void)device;
	(void)mem;
	(void)write;
	return nondet_int();
}

static bool indexes_ok(const struct model_srq *s)
{
	return xrdma_ring_used(s->wq.pi, s->wq.ci) <= 1U << s->wq.log_depth;
}

static void any_queue(void)
{
	struct model_srq any;

	srq = any;	/* not initialised: any contents */
	srq.dead = nondet_truth();
	srq.rec.size = sizeof(struct xrdma_srq_rec);
	ASSUME(srq.wq.log_depth <= MODEL_QP_LOG_WR_MAX);
	ASSUME(srq.wq.log_stride >= XRDMA_RQ_LOG_STRIDE_MIN);
	ASSUME(srq.wq.log_stride <= XRDMA_LOG_STRIDE_MAX);
	ASSUME(indexes_ok(&srq));
}

/*
 * Theorem: Whatever producer index a process writes, the device takes an entry of a
 *	shared receive queue only if the process has posted the entry, reads it
 *	once, inside of the ring and at a multiple of its size, and takes the
 *	entries in order. A wrong index, or memory out of reach, takes nothing
 *	and puts the queue into the error state, which it never leaves, and in
 *	which nothing is read.
 * Holds for: all indexes, contents of the record, limits and sizes of queues.
 * Assumes: the queue has at most as many entries as its ring, which the theorem
 *	shows to stay true.
 */
static void entries_are_taken_once(void)
{
	u32 ci, used;
	bool dead;
	int err;

	any_queue();
	ci = srq.wq.ci;
	used = xrdma_ring_used(srq.wq.pi, ci);
	dead = srq.dead;
	err = model_srq_take(&dev, &srq, NULL);
	REACHABLE(!err && !used && ci == UINT32_MAX && srq.wq.log_depth == 15);
	REACHABLE(err && srq.dead && !dead && !reads);
	REACHABLE(!err && events && !srq.dead);
	PROVE(!err || err == -EAGAIN);
	PROVE(indexes_ok(&srq));
	PROVE(srq.wq.ci == ci + !err);
	PROVE(xrdma_ring_used(srq.wq.pi, ci) >= used);
	PROVE(err || xrdma_ring_used(srq.wq.pi, ci));
	PROVE(!dead || (srq.dead && err && !reads && !events));
	PROVE(reads <= 1 && (err || reads));
	if (!reads)
		return;
	PROVE(read_len == 1ULL << srq.wq.log_stride);
	PROVE(read_off == (u64)(ci & ((1U << srq.wq.log_depth) - 1)) * read_len);
}

/*
 * Theorem: A shared receive queue that gets a new ring keeps the entries that it
 *	has, or is not changed: the new ring holds all entries, and the
 *	producer index of the new record does not go back.
 * Holds for: all sizes of rings, indexes and contents of the new record.
 * Assumes: as entries_are_taken_once; modify_ok() accepts the new ring.
 */
static void entries_survive_another_ring(void)
{
	u8 log_depth = nondet_u8();
	struct model_srq before;
	enum xrdma_cmd_status status;

	any_queue();
	ASSUME(log_depth <= MODEL_QP_LOG_WR_MAX);
	before = srq;
	status = resize(&dev, &srq, nondet_u64(), log_depth);
	REACHABLE(!status && log_depth < before.wq.log_depth);
	REACHABLE(status == XRDMA_CMD_BAD_STATE && !srq.dead);
	PROVE(indexes_ok(&srq) && srq.wq.ci == before.wq.ci);
	PROVE(srq.wq.log_stride == before.wq.log_stride);
	if (status) {
		PROVE(srq.wq.pi == before.wq.pi);
		PROVE(srq.wq.log_depth == before.wq.log_depth);
		PROVE(srq.wq.ring.root == before.wq.ring.root);
	} else {
		PROVE(srq.wq.log_depth == log_depth);
		PROVE(xrdma_ring_used(srq.wq.pi, srq.wq.ci) >=
		      xrdma_ring_used(before.wq.pi, before.wq.ci));
		PROVE(srq.wq.ring.size ==
		      1ULL << (log_depth + srq.wq.log_stride));
	}
}
