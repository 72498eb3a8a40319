// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The device against a hostile host: producer indexes and entries of work queues,
 * which the host may change at any time, as model/core/wq.c reads them, compiled
 * unchanged. A stub stands for the translated memory of rings and records: it
 * has any contents, and checks where the device reads.
 *
 * CBMC: --unwind 2 --slice-formula
 */

#include "proof.h"
#include "device.h"

#define __atomic_load_n(ptr, order)	(*(ptr))
#include "core/wq.c"

static struct model_device dev;
static struct model_qp qp;

void model_host_error(struct model_host_errors *herr,
		      enum model_host_error_kind kind, const char *fmt, ...)
{
	(void)herr;
	(void)kind;
	(void)fmt;
}

/* A word of a record, of any contents */
void *model_mem_ptr(struct model_device *device, struct model_mem *mem, u64 off,
		    size_t *len, bool write)
{
	static __le32 word;

	PROVE(device == &dev && mem == &qp.rec && !write);
	PROVE(*len == 4 && off % 4 == 0);
	PROVE(off + *len <= sizeof(struct xrdma_qp_rec));
	word = nondet_u32();
	return nondet_truth() ? &word : NULL;
}

static struct model_mem *read_ring;
static u64 read_off;
static size_t read_len;

/* A part of a ring, of any contents */
int model_mem_read(struct model_device *device, struct model_mem *mem, u64 off,
		   void *buf, size_t len)
{
	PROVE(device == &dev && mem == read_ring);
	(void)buf;
	read_off = off;
	read_len = len;
	return nondet_int();
}

static struct model_wq *any_queue(bool send)
{
	struct model_wq *wq = send ? &qp.sq : &qp.rq;

	dev.shadow_db = nondet_truth();
	qp.dev = &dev;
	qp.flags = nondet_u8();
	qp.rung_pi = nondet_u32();
	wq->pi = nondet_u32();
	wq->ci = nondet_u32();
	wq->log_depth = nondet_u8();
	wq->log_stride = nondet_u8();
	wq->units = nondet_u8();
	ASSUME(wq->log_depth <= 31);
	ASSUME(wq->log_stride && wq->log_stride <= XRDMA_LOG_STRIDE_MAX);
	ASSUME(wq->pi - wq->ci <= 1U << wq->log_depth);
	return wq;
}

static void fetch_of(struct model_wq *wq)
{
	u32 before = wq->pi;
	u32 used = before - wq->ci;
	int moved = model_wq_fetch(&qp, wq);

	REACHABLE(moved == 1 && wq->pi < before && wq->log_depth == 31);
	REACHABLE(moved == -EFAULT && dev.user_errors);
	PROVE(moved == 1 || moved == 0 || moved == -EFAULT);
	PROVE((moved == 1) == (wq->pi != before));
	PROVE(wq->pi - wq->ci <= 1U << wq->log_depth);
	PROVE(wq->pi - wq->ci >= used);
}

/*
 * Theorem: Whatever producer index the host writes, to the doorbell or, with shadow
 *	doorbells, to the record, the device reads it inside of the record, and
 *	accepts it only if the queue then holds at most as many entries as the
 *	ring has and not less than before; so no entry is executed twice, and
 *	none that the ring does not have. A refused index changes nothing.
 * Holds for: all contents of the record and doorbells, all indexes, rings of up to
 *	2^31 entries.
 * Assumes: the queue holds at most as many entries as its ring has, which the
 *	theorem shows to stay true.
 */
static void producer_index_is_checked(void)
{
	fetch_of(any_queue(true));
	fetch_of(any_queue(false));
}

/*
 * Theorem: A receive entry is read inside of its ring, at a multiple of its size, and
 *	no byte of another entry is read.
 * Holds for: all indexes, rings of up to 2^31 entries of up to 1 KiB.
 * Assumes: the caller asks for at most the size of an entry.
 */
static void receives_are_read_inside_the_ring(void)
{
	struct model_wq *wq = any_queue(false);
	size_t len = nondet_u64();
	u64 stride = 1ULL << wq->log_stride;
	u8 buf[1];

	ASSUME(len <= stride);
	read_ring = &qp.rq.ring;
	model_rq_read(&qp, buf, len);
	REACHABLE(read_off + read_len == stride << wq->log_depth);
	PROVE(read_len == len && read_off % stride == 0);
	PROVE(read_off + stride <= stride << wq->log_depth);
}

/*
 * Theorem: A send entry is read inside of its ring or the tail of the ring, and no byte
 *	behind its end is read, even if it says that it is longer than the queue
 *	allows. The place of the next entry is inside of the ring without its tail.
 * Holds for: all entries, rings of up to 2^15 entries of up to 1 to 16 units.
 * Assumes: the place is inside of the ring without its tail, which the theorem shows to
 *	stay true.
 */
static void sends_are_read_inside_the_ring(void)
{
	struct model_wq *wq = any_queue(true);
	u64 ring = (u64)wq->units << wq->log_depth;
	u32 index = wq->ci, place = nondet_u32(), len;
	struct xrdma_sq_wqe wqe;
	u8 buf[1];

	ASSUME(wq->log_depth <= 15 && wq->units >= 1 && wq->units <= 16);
	ASSUME(place < ring);
	wq->place = place;
	read_ring = &qp.sq.ring;
	model_sq_read(&qp, place, buf, 64);
	PROVE(read_off == (u64)place * 64 && read_len == 64);
	len = model_sq_bytes(&qp, &wqe);
	PROVE(len % 64 == 0 && len && len <= wq->units * 64U);
	PROVE(len == (wqe.flags / 16 + 1) * 64U || len == wq->units * 64U);
	if (len > 64) {
		model_sq_read(&qp, place + 1, buf, len - 64);
		REACHABLE(read_off + read_len == (ring + wq->units - 1) * 64);
		PROVE(read_off == (u64)place * 64 + 64);
	}
	PROVE(read_off + read_len <= (ring + wq->units - 1) * 64);
	model_sq_pass(&qp, &wqe);
	REACHABLE(wq->place < place && wq->place);
	PROVE(wq->ci == index + 1 && wq->place < ring);
	PROVE(wq->place == place + len / 64 ||
	      wq->place == place + len / 64 - ring);
}
