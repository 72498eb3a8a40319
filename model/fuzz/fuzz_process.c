// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The hostile process of the fuzzer: FUZZ_USER is its queue pair. The process writes
 * any bytes to its send entries, its doorbell page, its push page and its records.
 *
 *   POST      POST_*, length (16 bits), entry: the process posts a send entry
 *   DOORBELL  RING_*, value (64 bits): the process writes to its doorbell page
 *   RECORD    field, difference: the process changes an index in one of its records
 *   PLAIN     from now on the device has no shadow doorbells
 */
#include <string.h>

#include "base/bytes.h"
#include "fuzz/fuzz.h"

#define POST_FIX	0x01 /* one scatter-gather entry, in memory of the process */
#define POST_PUSH	0x02 /* the entry is pushed too */
#define POST_LOG	0x0c /* log2 of the bytes of the slot */
#define POST_AT		0xf0 /* offset of the slot, in units of 64 bytes */

#define RING_AT		0x03 /* which doorbell */
#define RING_NUMBER	0x04 /* the number is that of the script */
#define RING_INDEX	0x08 /* the index is that of the script */
#define RING_SHORT	0x10 /* a write of 4 bytes */

static void write_page(struct fuzz_world *w, u64 base, u32 at, const void *buf,
		       size_t len)
{
	model_device_write(w->env->hosts[0].dev, XRDMA_BAR_DB,
			   base + FUZZ_PAGE * XRDMA_DB_PAGE_SIZE + at, buf, len);
}

/* The doorbell comes before that of wire_sq_post(), which the device then ignores. */
static void push(struct fuzz_world *w, u8 kind, const u8 *wqe)
{
	const struct wire_qp *qp = &w->qps[FUZZ_USER];
	u8 log = XRDMA_PUSH_LOG_MIN + (kind & POST_LOG) / 4;
	u32 at = (kind & POST_AT) << 2, i;
	__le64 db = cpu_to_le64(xrdma_make_push_db(qp->qpn,
						   le32_to_cpu(qp->rec->sq_pi) + 1,
						   at, log));

	for (i = 0; i < 1U << XRDMA_PUSH_LOG_MAX; i += 8)
		write_page(w, XRDMA_BAR_DB_PUSH, at + i, wqe + i, 8);
	write_page(w, 0, XRDMA_DB_SQ, &db, sizeof(db));
}

void fuzz_step_post(struct fuzz_world *w, struct fuzz_script *s)
{
	struct wire_qp *qp = &w->qps[FUZZ_USER];
	u8 wqe[WIRE_SQ_UNITS * XRDMA_SQ_UNIT] __attribute__((aligned(8))) = { 0 };
	u8 kind = fuzz_take8(s), *at = wqe + sizeof(struct xrdma_sq_wqe);
	u32 len = fuzz_take(s, wqe, sizeof(wqe));
	struct xrdma_sq_wqe hdr;
	struct xrdma_sge sge;

	if (le32_to_cpu(qp->rec->sq_pi) - qp->qp->sq.ci >= 1U << FUZZ_LOG_DEPTH)
		return;
	if (kind & POST_FIX) {
		sge = wire_sge(w->area + model_get16(at) % FUZZ_AREA,
			       model_get16(at + 2) % FUZZ_AREA, w->key);
		memcpy(at, &sge, sizeof(sge));
		model_put16(wqe + 2, 0x100);
	}
	if (kind & POST_PUSH)
		push(w, kind, wqe);
	memcpy(&hdr, wqe, sizeof(hdr));
	memcpy(wire_sq_entry(qp) + sizeof(hdr), at, sizeof(wqe) - sizeof(hdr));
	wire_sq_post(qp, hdr, len < sizeof(hdr) ? sizeof(hdr) : len);
}

void fuzz_step_doorbell(struct fuzz_world *w, struct fuzz_script *s)
{
	static const u8 places[] = {
		XRDMA_DB_SQ, XRDMA_DB_CQ, XRDMA_DB_EQ, XRDMA_DB_EQ + 8,
	};
	const struct wire_qp *qp = &w->qps[FUZZ_USER];
	u8 kind = fuzz_take8(s), at = places[kind & RING_AT];
	u32 low = fuzz_take16(s), index;
	__le64 db;

	low |= fuzz_take16(s) << 16;
	index = fuzz_take16(s);
	index |= fuzz_take16(s) << 16;
	if (!(kind & RING_NUMBER))
		low = (low & ~XRDMA_QPN_MASK) |
		      (at == XRDMA_DB_SQ ? qp->qpn : qp->recv_cq.cqn);
	if (!(kind & RING_INDEX))
		index = (signed char)index +
			(at == XRDMA_DB_SQ ? le32_to_cpu(qp->rec->sq_pi) :
			 qp->recv_cq.ci);
	db = cpu_to_le64((u64)index << 32 | low);
	write_page(w, 0, at, &db, kind & RING_SHORT ? 4 : 8);
}

void fuzz_step_record(struct fuzz_world *w, struct fuzz_script *s)
{
	struct wire_qp *qp = &w->qps[FUZZ_USER];
	__le32 *fields[] = {
		&qp->rec->sq_pi, &qp->rec->rq_pi, &qp->rec->sq_event,
		&qp->recv_cq.rec->ci, &qp->recv_cq.rec->arm,
		&qp->send_cq.rec->ci, &qp->send_cq.rec->arm,
	};
	__le32 *field = fields[fuzz_take8(s) % ARRAY_SIZE(fields)];
	signed char by = fuzz_take8(s);

	*field = cpu_to_le32(le32_to_cpu(*field) + by);
}

/* The index of the last doorbell is known: each post rings. */
void fuzz_step_plain(struct fuzz_world *w)
{
	w->env->hosts[0].dev->shadow_db = false;
}
