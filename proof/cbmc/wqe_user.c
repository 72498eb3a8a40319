// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The provider's encoding of work requests, post.c, recv.c and wqe.h, compiled
 * unchanged with the stand-ins for headers of rdma-core in proof/include/rdma-core:
 * where it writes, and what. A stub stands for memcpy(): it proves that the destination
 * has room, and copies nothing. The calls ibv_wr_*() of wr.c are no subject here.
 *
 * CBMC: -I proof/include/rdma-core -I rdma-core/providers/xrdma --unwind 9
 *	--slice-formula
 */

#include <linux/bitfield.h>
#include <string.h>
#include "proof.h"

#define memcpy(to, from, len)	PROVE(__CPROVER_w_ok(to, len))

#include "post.c"
#include "recv.c"

/* Entries of up to 128 bytes, and the scatter-gather entries of the same size */
#define LOG_STRIDE_MAX	7
#define ROOM		(1 << (LOG_STRIDE_MAX - 4))

/* The only entry of the ring ends where this object ends. */
static struct xrdma_sge room[ROOM];

static struct ibv_sge list[ROOM];
static struct xrdma_ah ah;
static struct ibv_mr mr;
static struct ibv_mw mw;
static struct ibv_send_wr wr;

/* Stubs for what the proved functions do not call */
void mmio_write64_le(void *addr, __le64 value)
{
	(void)addr;
	(void)value;
	PROVE(false);
}

static void *entry_of(u8 log)
{
	return &room[ROOM - (1 << (log - 4))];
}

/* An empty send queue with one entry; limits as xrdma_size_sq() sets them */
static void any_queue(struct xrdma_qp *qp, u8 log)
{
	u32 header = sizeof(struct xrdma_sq_wqe);

	qp->datagram = nondet_truth();
	qp->xrc = nondet_truth();
	qp->ops = nondet_u32();
	qp->force_flags = nondet_truth() ? IBV_SEND_SIGNALED : 0;
	if (qp->datagram) {
		ASSUME(!(qp->ops & ~(1U << IBV_WR_SEND |
				     1U << IBV_WR_SEND_WITH_IMM)));
		ASSUME(!qp->xrc);
		header += sizeof(struct xrdma_av);
	}
	qp->sq.ring = entry_of(log);
	qp->sq.log_stride = log;
	qp->sq.units = log > 6 ? 2 : 1;
	qp->sq.depth = 1;
	qp->sq.pi = nondet_u32();
	qp->sq.place = 0;
	qp->sq.ci = qp->sq.pi;
	qp->sq.max_sge = nondet_u16();
	qp->max_inline = nondet_u32();
	ASSUME(qp->sq.max_sge <= ((1 << log) - header) / 16);
	ASSUME(qp->max_inline <= (1 << log) - header);
}

/* Any request, whose pointers are those of the harness */
static void any_request(void)
{
	struct ibv_send_wr any;
	u32 i;

	wr = any;	/* not initialised: any request */
	wr.sg_list = list;
	ASSUME(wr.num_sge <= ROOM && (int)wr.opcode >= 0);
	for (i = 0; i < ROOM; i++) {
		list[i].addr = nondet_u64();
		list[i].length = nondet_u32();
		list[i].lkey = nondet_u32();
	}
	if (wr.opcode == IBV_WR_BIND_MW) {
		wr.bind_mw.mw = &mw;
		wr.bind_mw.bind_info.mr = nondet_truth() ? &mr : NULL;
		mw.type = nondet_truth() ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2;
	} else if (wr.opcode == IBV_WR_SEND ||
		   wr.opcode == IBV_WR_SEND_WITH_IMM) {
		wr.wr.ud.ah = &ah.ibv_ah;
	}
}

/*
 * Theorem: The provider writes nothing outside of the send entry, whatever
 *	ibv_post_send() is asked for, and accepts only operations of the queue
 *	pair. The entry is not longer than the queue allows, and the producer
 *	advances by its length.
 * Holds for: all opcodes, flags and queue pairs, entries of 64 and 128 bytes, any
 *	negative number of scatter-gather entries or 0 to 8 of any lengths.
 * Assumes: max_sge and max_inline fit the entries, as xrdma_size_sq() computes them; a
 *	queue pair of datagrams permits only SEND and SEND_WITH_IMM; the opcode is
 *	below 2^31, as CBMC takes an enumeration for a signed number, unlike gcc.
 */
static void sends_stay_inside(void)
{
	struct xrdma_qp qp;
	u32 units;
	u8 log;
	int err;

	for (log = 6; log <= LOG_STRIDE_MAX; log++) {
		const struct xrdma_sq_wqe *wqe = entry_of(log);

		any_queue(&qp, log);
		any_request();
		err = xrdma_make_wqe(&qp, xrdma_sq_entry(&qp.sq), &wr, &units);
		REACHABLE(!err && log == 6 && wr.opcode == IBV_WR_BIND_MW);
		REACHABLE(!err && log == 7 && wr.send_flags & IBV_SEND_INLINE &&
			  wr.num_sge == 3 && list[2].length == 1);
		PROVE(err >= 0);
		PROVE(err || (wr.opcode < 32 && qp.ops & 1U << wr.opcode));
		PROVE(err || wqe->flags / 16 + 1 <= qp.sq.units);
		PROVE(err || units == wqe->flags / 16 + 1);
	}
}

/* The operation of the contract that a message or an access is */
static u8 opcode_of(enum ibv_wr_opcode opcode)
{
	switch (opcode) {
	case IBV_WR_SEND:
		return XRDMA_OP_SEND;
	case IBV_WR_SEND_WITH_IMM:
		return XRDMA_OP_SEND_IMM;
	case IBV_WR_SEND_WITH_INV:
		return XRDMA_OP_SEND_INV;
	case IBV_WR_RDMA_WRITE:
		return XRDMA_OP_WRITE;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return XRDMA_OP_WRITE_IMM;
	case IBV_WR_RDMA_READ:
		return XRDMA_OP_READ;
	default:
		return 0;
	}
}

/*
 * Theorem: The entry of each SEND, WRITE and READ that ibv_post_send() accepts has the
 *	operation, the flags, the work request ID, the remote address and key, the
 *	immediate data or the key to invalidate, and, for XRC, the remote SRQ of
 *	the request, the length that its data need, and zeros in the other fields;
 *	its scatter-gather entries are those of the request.
 * Holds for: all requests with lists of 0 to 8 entries, connected queue pairs with
 *	entries of 128 bytes.
 * Assumes: as sends_stay_inside.
 */
static void messages_hold_their_fields(void)
{
	const struct xrdma_sge *sge = (const void *)&room[2];
	const struct xrdma_sq_wqe *wqe = (const void *)room;
	u32 i = nondet_u32(), flags = 0, bytes, units;
	struct xrdma_qp qp;
	bool remote;
	u8 opcode;

	any_queue(&qp, LOG_STRIDE_MAX);
	any_request();
	opcode = opcode_of(wr.opcode);
	remote = opcode >= XRDMA_OP_WRITE;
	ASSUME(opcode && !qp.datagram &&
	       !xrdma_make_wqe(&qp, xrdma_sq_entry(&qp.sq), &wr, &units));
	REACHABLE(qp.xrc && wr.send_flags & 8);
	REACHABLE(wr.num_sge == 6 && opcode == XRDMA_OP_READ);
	flags |= wr.send_flags & 2 || qp.force_flags ? 1 : 0;
	flags |= wr.send_flags & 1 ? 2 : 0;
	flags |= wr.send_flags & 4 ? 4 : 0;
	flags |= wr.send_flags & 8 ? 8 : 0;
	bytes = 32 + (flags & 8 ? 1 : 16) * le16_to_cpu(wqe->num_sge);
	flags |= (bytes + 63) / 64 - 1 << 4;
	PROVE(wqe->opcode == opcode && wqe->flags == flags);
	PROVE(le64_to_cpu(wqe->wr_id) == wr.wr_id);
	PROVE(le64_to_cpu(wqe->remote_addr) ==
	      (remote ? wr.wr.rdma.remote_addr : 0));
	PROVE(le32_to_cpu(wqe->rkey) == (remote ? wr.wr.rdma.rkey : 0));
	PROVE(le32_to_cpu(wqe->ext) ==
	      (qp.xrc ? wr.qp_type.xrc.remote_srqn : 0));
	if (opcode == XRDMA_OP_SEND_INV)
		PROVE(le32_to_cpu(wqe->inv_key) == wr.invalidate_rkey);
	else if (opcode == XRDMA_OP_SEND_IMM || opcode == XRDMA_OP_WRITE_IMM)
		PROVE(wqe->imm == wr.imm_data);
	else
		PROVE(!wqe->imm);
	ASSUME(!(wr.send_flags & 8));
	PROVE(le16_to_cpu(wqe->num_sge) == wr.num_sge);
	ASSUME(i < 6 && (int)i < wr.num_sge);
	PROVE(le64_to_cpu(sge[i].addr) == list[i].addr);
	PROVE(le32_to_cpu(sge[i].length) == list[i].length);
	PROVE(le32_to_cpu(sge[i].lkey) == list[i].lkey);
}

/*
 * Theorem: The provider writes nothing outside of a receive entry; an entry that
 *	ibv_post_recv() accepts has the work request ID and exactly the
 *	scatter-gather entries of the request.
 * Holds for: entries of 32 to 128 bytes, all numbers of scatter-gather entries.
 * Assumes: max_sge fits the entry, as xrdma_size_rq() computes it.
 */
static void receives_hold_their_fields(void)
{
	const struct xrdma_rq_wqe *wqe;
	struct ibv_recv_wr recv;
	u32 i = nondet_u32();
	struct xrdma_qp qp;
	u8 log;

	for (log = XRDMA_RQ_LOG_STRIDE_MIN; log <= LOG_STRIDE_MAX; log++) {
		any_queue(&qp, log);
		any_request();
		ASSUME(qp.sq.max_sge <= ((1 << log) - sizeof(*wqe)) / 16);
		recv.sg_list = list;
		recv.num_sge = nondet_int();
		recv.wr_id = nondet_u64();
		if (xrdma_make_recv(&qp.sq, &recv))
			continue;
		wqe = entry_of(log);
		REACHABLE(log == 7 && recv.num_sge == 4);
		PROVE(recv.num_sge >= 0 && recv.num_sge <= qp.sq.max_sge);
		PROVE(le64_to_cpu(wqe->wr_id) == recv.wr_id);
		PROVE(le16_to_cpu(wqe->num_sge) == recv.num_sge);
		if (recv.num_sge > 0 && i < (u32)recv.num_sge) {
			const struct xrdma_sge *sge = (const void *)(wqe + 1);

			PROVE(le64_to_cpu(sge[i].addr) == list[i].addr);
			PROVE(le32_to_cpu(sge[i].length) == list[i].length);
			PROVE(le32_to_cpu(sge[i].lkey) == list[i].lkey);
		}
	}
}
