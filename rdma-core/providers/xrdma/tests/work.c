// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work requests whose contents follow from their wr_id, and checks that ring
 * entries and completions agree with them. ibv_wr_*() and struct ibv_cq_ex are
 * in work_ex.c.
 */

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

/* ---- requests --------------------------------------------------------- */

/**
 * work_mix() - pseudo-random number
 * @id: wr_id of a request
 * @salt: selects one of the numbers of that request
 *
 * Return: the number, which is a function of the arguments.
 */
uint64_t work_mix(uint64_t id, uint32_t salt)
{
	uint64_t x = (id ^ ((uint64_t)salt << 32)) * 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 32) * 0xbf58476d1ce4e5b9ULL;
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

static void make_bind(struct work *work, uint64_t id)
{
	struct ibv_mw_bind_info *info = &work->send.bind_mw.bind_info;
	static const int rights[] = {
		IBV_ACCESS_REMOTE_WRITE, IBV_ACCESS_REMOTE_READ,
		IBV_ACCESS_REMOTE_ATOMIC, IBV_ACCESS_ZERO_BASED,
		/* A window cannot grant these; the provider drops them. */
		IBV_ACCESS_LOCAL_WRITE, IBV_ACCESS_RELAXED_ORDERING,
	};
	int i;

	work->mr.lkey = work_mix(id, 42);
	work->mw.rkey = work_mix(id, 43);
	work->mw.type = IBV_MW_TYPE_2;
	work->send.bind_mw.mw = &work->mw;
	work->send.bind_mw.rkey = work_mix(id, 44);
	info->mr = work_mix(id, 45) % 4 ? &work->mr : NULL;
	info->addr = work_mix(id, 46);
	info->length = info->mr ? work_mix(id, 47) : 0;
	for (i = 0; i < 6; i++)
		info->mw_access_flags |= work_mix(id, 80 + i) % 2 ?
					 rights[i] : 0;
}

static void make_operands(struct work *work, uint64_t id)
{
	struct ibv_send_wr *wr = &work->send;

	switch (wr->opcode) {
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		wr->wr.atomic.remote_addr = work_mix(id, 8);
		wr->wr.atomic.rkey = work_mix(id, 9);
		wr->wr.atomic.compare_add = work_mix(id, 40);
		wr->wr.atomic.swap = work_mix(id, 41);
		break;
	case IBV_WR_BIND_MW:
		make_bind(work, id);
		break;
	case IBV_WR_LOCAL_INV:
	case IBV_WR_SEND_WITH_INV:
		wr->invalidate_rkey = work_mix(id, 4);
		break;
	default:
		wr->imm_data = htobe32(work_mix(id, 4));
		wr->wr.rdma.remote_addr = work_mix(id, 8);
		wr->wr.rdma.rkey = work_mix(id, 9);
	}
}

/**
 * work_make_send() - make a send request
 * @work: gets the request, which points into @work: it must not be moved
 * @id: wr_id; bit 0: the request is signaled
 * @qp: queue pair whose limits the request keeps
 */
void work_make_send(struct work *work, uint64_t id, const struct xrdma_qp *qp)
{
	static const struct {
		enum ibv_wr_opcode opcode;
		int max_sge;
		bool can_inline;
	} kinds[] = {
		{ IBV_WR_SEND, WORK_MAX_SGE, true },
		{ IBV_WR_SEND_WITH_IMM, WORK_MAX_SGE, true },
		{ IBV_WR_SEND_WITH_INV, WORK_MAX_SGE, true },
		{ IBV_WR_RDMA_WRITE, WORK_MAX_SGE, true },
		{ IBV_WR_RDMA_WRITE_WITH_IMM, WORK_MAX_SGE, true },
		{ IBV_WR_RDMA_READ, WORK_MAX_SGE, false },
		{ IBV_WR_ATOMIC_CMP_AND_SWP, 1, false },
		{ IBV_WR_ATOMIC_FETCH_AND_ADD, 1, false },
		{ IBV_WR_BIND_MW, 0, false },
		{ IBV_WR_LOCAL_INV, 0, false },
	};
	int kind = work_mix(id, 3) % 10, max_sge = kinds[kind].max_sge;
	struct ibv_send_wr *wr = &work->send;

	if (max_sge > qp->sq.max_sge)
		max_sge = qp->sq.max_sge;
	memset(work, 0, sizeof(*work));
	wr->wr_id = id;
	wr->opcode = kinds[kind].opcode;
	wr->sg_list = work->sge;
	wr->send_flags = work_mix(id, 5) % 2 ? IBV_SEND_FENCE : 0;
	wr->send_flags |= work_mix(id, 6) % 2 ? IBV_SEND_SOLICITED : 0;
	wr->send_flags |= id & 1 ? IBV_SEND_SIGNALED : 0;
	if (kinds[kind].can_inline && work_mix(id, 7) % 3 == 0) {
		wr->send_flags |= IBV_SEND_INLINE;
		wr->num_sge = make_inline(work, id, qp->max_inline);
	} else {
		wr->num_sge = make_sges(work, id, max_sge);
	}
	make_operands(work, id);
}

/**
 * work_make_recv() - make a receive request
 * @work: gets the request, which points into @work: it must not be moved
 * @id: wr_id
 * @qp: queue pair whose limits the request keeps
 */
void work_make_recv(struct work *work, uint64_t id, const struct xrdma_qp *qp)
{
	memset(work, 0, sizeof(*work));
	work->recv.wr_id = id;
	work->recv.sg_list = work->sge;
	work->recv.num_sge = make_sges(work, id, qp->rq.max_sge);
}

/* ---- entries, with the numbers of the specification -------------------- */

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
	case IBV_WR_SEND_WITH_INV:
		return 3;
	case IBV_WR_BIND_MW:
		return 9;
	case IBV_WR_LOCAL_INV:
		return 10;
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

static const void *check_bind(const struct xrdma_sq_wqe *wqe,
			      const struct work *work)
{
	const struct ibv_mw_bind_info *info = &work->send.bind_mw.bind_info;
	const struct xrdma_bind_seg *seg = (const void *)(wqe + 1);
	bool grants = info->length;

	CHECK(le32toh(wqe->inv_key) == work->mw.rkey);
	CHECK(le32toh(seg->new_key) == work->send.bind_mw.rkey);
	CHECK(le64toh(seg->length) == info->length);
	CHECK(le64toh(seg->addr) == (grants ? info->addr : 0));
	CHECK(le32toh(seg->mr_key) == (grants ? work->mr.lkey : 0));
	/* remote write, read and atomic, zero-based */
	CHECK(le32toh(seg->access) ==
	      (grants ? info->mw_access_flags & 0x2e : 0));
	CHECK(!seg->reserved);
	return seg + 1;
}

/* Check the fields of struct xrdma_sq_wqe that not every operation uses. */
static void check_operands(const struct xrdma_sq_wqe *wqe,
			   const struct ibv_send_wr *wr)
{
	bool remote = wqe->opcode >= 4 && wqe->opcode <= 8;

	if (wqe->opcode == 2 || wqe->opcode == 5)
		CHECK(be32toh(wqe->imm) == (uint32_t)work_mix(wr->wr_id, 4));
	else if (wqe->opcode == 3 || wqe->opcode == 10)
		CHECK(le32toh(wqe->inv_key) ==
		      (uint32_t)work_mix(wr->wr_id, 4));
	else if (wqe->opcode != 9)
		CHECK(wqe->imm == 0);
	CHECK(le64toh(wqe->remote_addr) ==
	      (remote ? work_mix(wr->wr_id, 8) : 0));
	CHECK(le32toh(wqe->rkey) ==
	      (remote ? (uint32_t)work_mix(wr->wr_id, 9) : 0));
	CHECK(wqe->ext == 0);
}

/**
 * work_check_key() - check the rkey of the window that a request binds
 * @work: send request
 * @posted: whether the request was posted
 */
void work_check_key(const struct work *work, bool posted)
{
	if (work->send.opcode != IBV_WR_BIND_MW)
		return;
	CHECK(work->mw.rkey == (posted ? work->send.bind_mw.rkey :
				(uint32_t)work_mix(work->send.wr_id, 43)));
}

/**
 * work_check_send() - check a send entry against its request
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
	CHECK(wqe->flags % 16 == flags);
	check_operands(wqe, &work.send);
	if (wqe->opcode == 7 || wqe->opcode == 8)
		data = check_atomic(wqe, &work.send);
	else if (wqe->opcode == 9)
		data = check_bind(wqe, &work);
	if (flags & 8) {
		CHECK(le16toh(wqe->num_sge) ==
		      work.sge[0].length + work.sge[1].length);
		CHECK(!memcmp(data, work.data, le16toh(wqe->num_sge)));
		data += le16toh(wqe->num_sge);
	} else {
		CHECK(le16toh(wqe->num_sge) == work.send.num_sge);
		check_sges(data, work.sge, work.send.num_sge);
		data += 16 * work.send.num_sge;
	}
	CHECK(wqe->flags / 16 == (data - (const void *)wqe + 63) / 64 - 1);
}

/**
 * work_check_recv() - check a receive entry against its request
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
	case 3:
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
	case 9:
		return IBV_WC_BIND_MW;
	case 10:
		return IBV_WC_LOCAL_INV;
	case 128:
		return IBV_WC_RECV;
	case 129:
		return IBV_WC_RECV_RDMA_WITH_IMM;
	default:
		abort();
	}
}

static uint8_t spec_wc_sl(uint16_t flags)
{
	if (!(flags & XRDMA_CQE_GRH))
		return 0;
	return flags & XRDMA_CQE_IPV4 ? 0xa : 0x9;
}

/**
 * work_check_wc() - check a completion against its entry
 * @wc: completion that the provider reported
 * @cqe: entry as the device wrote it
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
	if (flags & XRDMA_CQE_INV)
		CHECK(wc->invalidated_rkey == le32toh(cqe->inv_key));
	else
		CHECK(wc->imm_data == cqe->imm);
	CHECK(wc->qp_num == le32toh(cqe->qpn));
	CHECK(wc->src_qp == le32toh(cqe->src_qpn));
	CHECK(wc->wc_flags == wc_flags);
	CHECK(wc->pkey_index == le16toh(cqe->pkey_index));
	CHECK(wc->sl == spec_wc_sl(flags));
	CHECK(wc->slid == 0 && wc->dlid_path_bits == 0);
}
