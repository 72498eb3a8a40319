// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work requests of which everything follows from the wr_id, and the checks
 * that ring entries and completions say the same. Must not know: rings.
 */

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

/* ---- requests --------------------------------------------------------- */

/**
 * work_mix() - an arbitrary number
 * @id: wr_id
 * @salt: which number of that request
 *
 * Return: always the same for the same arguments.
 */
uint64_t work_mix(uint64_t id, uint32_t salt)
{
	uint64_t x = (id ^ ((uint64_t)salt << 32)) * 0x9e3779b97f4a7c15ULL;

	return x ^ x >> 29;
}

static int make_sges(struct work *work, uint64_t id, int max)
{
	int i, num = work_mix(id, 1) % (max + 1);

	for (i = 0; i < num; i++) {
		work->sge[i].addr = work_mix(id, 10 + i);
		work->sge[i].length = work_mix(id, 20 + i);
		work->sge[i].lkey = work_mix(id, 30 + i);
	}
	return num;
}

static int make_inline(struct work *work, uint64_t id, uint32_t max)
{
	uint32_t i, cut, total = work_mix(id, 2) % (max + 1);

	for (i = 0; i < total; i++)
		work->data[i] = work_mix(id, 100 + i);
	cut = total / 3;
	work->sge[0].addr = (uintptr_t)work->data;
	work->sge[0].length = cut;
	work->sge[1].addr = (uintptr_t)work->data + cut;
	work->sge[1].length = total - cut;
	return 2;
}

/**
 * work_make_send() - a request to send
 * @work: filled
 * @id: wr_id; bit 0: signaled
 * @qp: gives the limits
 */
void work_make_send(struct work *work, uint64_t id, const struct xrdma_qp *qp)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_READ,
		IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	struct ibv_send_wr *wr = &work->send;

	memset(work, 0, sizeof(*work));
	wr->wr_id = id;
	wr->opcode = opcodes[work_mix(id, 3) % 7];
	wr->sg_list = work->sge;
	wr->imm_data = htobe32(work_mix(id, 4));
	wr->send_flags = work_mix(id, 5) % 2 ? IBV_SEND_FENCE : 0;
	wr->send_flags |= work_mix(id, 6) % 2 ? IBV_SEND_SOLICITED : 0;
	wr->send_flags |= id & 1 ? IBV_SEND_SIGNALED : 0;
	if (wr->opcode <= IBV_WR_SEND_WITH_IMM && work_mix(id, 7) % 3 == 0) {
		wr->send_flags |= IBV_SEND_INLINE;
		wr->num_sge = make_inline(work, id, qp->max_inline);
	} else if (wr->opcode < IBV_WR_ATOMIC_CMP_AND_SWP) {
		wr->num_sge = make_sges(work, id, qp->sq.max_sge);
	} else {
		wr->num_sge = make_sges(work, id, 1);
	}
	if (wr->opcode >= IBV_WR_ATOMIC_CMP_AND_SWP) {
		wr->wr.atomic.remote_addr = work_mix(id, 8);
		wr->wr.atomic.rkey = work_mix(id, 9);
		wr->wr.atomic.compare_add = work_mix(id, 40);
		wr->wr.atomic.swap = work_mix(id, 41);
	} else {
		wr->wr.rdma.remote_addr = work_mix(id, 8);
		wr->wr.rdma.rkey = work_mix(id, 9);
	}
}

/**
 * work_make_recv() - a request to receive
 * @work: filled
 * @id: wr_id
 * @qp: gives the limits
 */
void work_make_recv(struct work *work, uint64_t id, const struct xrdma_qp *qp)
{
	memset(work, 0, sizeof(*work));
	work->recv.wr_id = id;
	work->recv.sg_list = work->sge;
	work->recv.num_sge = make_sges(work, id, qp->rq.max_sge);
}

/* ---- entries, as the specification lays them out ---------------------- */

static uint8_t spec_opcode(enum ibv_wr_opcode opcode)
{
	switch (opcode) {
	case IBV_WR_SEND:
		return 1;
	case IBV_WR_SEND_WITH_IMM:
		return 2;
	case IBV_WR_RDMA_WRITE:
		return 4;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return 5;
	case IBV_WR_RDMA_READ:
		return 6;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return 7;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return 8;
	default:
		abort();
	}
}

static void check_sges(const void *entry, const struct ibv_sge *sge, int num)
{
	const struct xrdma_sge *got = entry;
	int i;

	for (i = 0; i < num; i++) {
		CHECK(le64toh(got[i].addr) == sge[i].addr);
		CHECK(le32toh(got[i].length) == sge[i].length);
		CHECK(le32toh(got[i].lkey) == sge[i].lkey);
	}
}

static const void *check_atomic(const struct xrdma_sq_wqe *wqe,
				const struct ibv_send_wr *wr)
{
	const struct xrdma_atomic_seg *seg = (const void *)(wqe + 1);

	if (wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP) {
		CHECK(le64toh(seg->swap_add) == wr->wr.atomic.swap);
		CHECK(le64toh(seg->compare) == wr->wr.atomic.compare_add);
	} else {
		CHECK(le64toh(seg->swap_add) == wr->wr.atomic.compare_add);
		CHECK(seg->compare == 0);
	}
	return seg + 1;
}

/* The header fields that not every operation has. */
static void check_operands(const struct xrdma_sq_wqe *wqe,
			   const struct ibv_send_wr *wr)
{
	bool imm = wr->opcode == IBV_WR_SEND_WITH_IMM ||
		   wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
	bool remote = wr->opcode != IBV_WR_SEND &&
		      wr->opcode != IBV_WR_SEND_WITH_IMM;

	CHECK(wqe->imm == (imm ? wr->imm_data : 0));
	CHECK(le64toh(wqe->remote_addr) ==
	      (remote ? work_mix(wr->wr_id, 8) : 0));
	CHECK(le32toh(wqe->rkey) ==
	      (remote ? (uint32_t)work_mix(wr->wr_id, 9) : 0));
	CHECK(wqe->ext == 0);
}

/**
 * work_check_send() - is an entry what its request says?
 * @wqe: entry
 * @qp: as for work_make_send()
 */
void work_check_send(const struct xrdma_sq_wqe *wqe, const struct xrdma_qp *qp)
{
	const void *data = wqe + 1;
	struct work work;
	uint8_t flags = 0;

	work_make_send(&work, le64toh(wqe->wr_id), qp);
	flags |= work.send.send_flags & IBV_SEND_SIGNALED ? 1 : 0;
	flags |= work.send.send_flags & IBV_SEND_FENCE ? 2 : 0;
	flags |= work.send.send_flags & IBV_SEND_SOLICITED ? 4 : 0;
	flags |= work.send.send_flags & IBV_SEND_INLINE ? 8 : 0;
	CHECK(wqe->opcode == spec_opcode(work.send.opcode));
	CHECK(wqe->flags == flags);
	check_operands(wqe, &work.send);
	if (work.send.opcode >= IBV_WR_ATOMIC_CMP_AND_SWP)
		data = check_atomic(wqe, &work.send);
	if (flags & 8) {
		CHECK(le16toh(wqe->num_sge) ==
		      work.sge[0].length + work.sge[1].length);
		CHECK(!memcmp(data, work.data, le16toh(wqe->num_sge)));
	} else {
		CHECK(le16toh(wqe->num_sge) == work.send.num_sge);
		check_sges(data, work.sge, work.send.num_sge);
	}
}

/**
 * work_check_recv() - is an entry what its request says?
 * @wqe: entry
 * @qp: as for work_make_recv()
 */
void work_check_recv(const struct xrdma_rq_wqe *wqe, const struct xrdma_qp *qp)
{
	struct work work;

	work_make_recv(&work, le64toh(wqe->wr_id), qp);
	CHECK(le16toh(wqe->num_sge) == work.recv.num_sge);
	CHECK(!wqe->reserved[0] && !wqe->reserved[1] && !wqe->reserved[2]);
	check_sges(wqe + 1, work.sge, work.recv.num_sge);
}

/* ---- completions ------------------------------------------------------ */

static enum ibv_wc_opcode spec_wc_opcode(uint8_t opcode)
{
	switch (opcode) {
	case 1:
	case 2:
		return IBV_WC_SEND;
	case 4:
	case 5:
		return IBV_WC_RDMA_WRITE;
	case 6:
		return IBV_WC_RDMA_READ;
	case 7:
		return IBV_WC_COMP_SWAP;
	case 8:
		return IBV_WC_FETCH_ADD;
	case 128:
		return IBV_WC_RECV;
	case 129:
		return IBV_WC_RECV_RDMA_WITH_IMM;
	default:
		abort();
	}
}

/**
 * work_check_wc() - is a completion what the entry says?
 * @wc: from the provider
 * @cqe: as the device wrote it
 */
void work_check_wc(const struct ibv_wc *wc, const struct xrdma_cqe *cqe)
{
	uint16_t flags = le16toh(cqe->flags);
	unsigned int wc_flags = 0;

	wc_flags |= flags & XRDMA_CQE_IMM ? IBV_WC_WITH_IMM : 0;
	wc_flags |= flags & XRDMA_CQE_INV ? IBV_WC_WITH_INV : 0;
	wc_flags |= flags & XRDMA_CQE_GRH ? IBV_WC_GRH : 0;
	CHECK(wc->wr_id == le64toh(cqe->wr_id));
	CHECK(wc->status == cqe->status);
	CHECK(wc->opcode == spec_wc_opcode(cqe->opcode));
	CHECK(wc->vendor_err == le16toh(cqe->vendor_err));
	CHECK(wc->byte_len == le32toh(cqe->byte_len));
	CHECK(wc->imm_data == cqe->imm);
	CHECK(wc->qp_num == le32toh(cqe->qpn));
	CHECK(wc->src_qp == le32toh(cqe->src_qpn));
	CHECK(wc->wc_flags == wc_flags);
	CHECK(wc->pkey_index == le16toh(cqe->pkey_index));
	CHECK(wc->sl == cqe->sl);
	CHECK(wc->slid == 0 && wc->dlid_path_bits == 0);
}
