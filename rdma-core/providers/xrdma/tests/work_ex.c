// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posts the requests of work.c by ibv_wr_*(), and polls completions by the
 * calls of struct ibv_cq_ex.
 */

#include <errno.h>
#include <stdlib.h>

#include "work.h"

static void begin(struct ibv_qp_ex *qpx, const struct work *work)
{
	const struct ibv_send_wr *wr = &work->send;

	switch (wr->opcode) {
	case IBV_WR_SEND:
		return ibv_wr_send(qpx);
	case IBV_WR_SEND_WITH_IMM:
		return ibv_wr_send_imm(qpx, wr->imm_data);
	case IBV_WR_SEND_WITH_INV:
		return ibv_wr_send_inv(qpx, wr->invalidate_rkey);
	case IBV_WR_RDMA_WRITE:
		return ibv_wr_rdma_write(qpx, wr->wr.rdma.rkey,
					 wr->wr.rdma.remote_addr);
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return ibv_wr_rdma_write_imm(qpx, wr->wr.rdma.rkey,
					     wr->wr.rdma.remote_addr,
					     wr->imm_data);
	case IBV_WR_RDMA_READ:
		return ibv_wr_rdma_read(qpx, wr->wr.rdma.rkey,
					wr->wr.rdma.remote_addr);
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return ibv_wr_atomic_cmp_swp(qpx, wr->wr.atomic.rkey,
					     wr->wr.atomic.remote_addr,
					     wr->wr.atomic.compare_add,
					     wr->wr.atomic.swap);
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return ibv_wr_atomic_fetch_add(qpx, wr->wr.atomic.rkey,
					       wr->wr.atomic.remote_addr,
					       wr->wr.atomic.compare_add);
	case IBV_WR_BIND_MW:
		return ibv_wr_bind_mw(qpx, wr->bind_mw.mw, wr->bind_mw.rkey,
				      &wr->bind_mw.bind_info);
	case IBV_WR_LOCAL_INV:
		return ibv_wr_local_inv(qpx, wr->invalidate_rkey);
	default:
		abort();
	}
}

/* Use the setter of one buffer or that of a list, depending on the request. */
static void set_inline(struct ibv_qp_ex *qpx, const struct work *work)
{
	struct ibv_data_buf list[2];
	int i;

	for (i = 0; i < 2; i++) {
		list[i].addr = (void *)(uintptr_t)work->sge[i].addr;
		list[i].length = work->sge[i].length;
	}
	if (work_mix(work->send.wr_id, 90) % 2)
		ibv_wr_set_inline_data_list(qpx, 2, list);
	else
		ibv_wr_set_inline_data(qpx, list[0].addr,
				       list[0].length + list[1].length);
}

static void set_sges(struct ibv_qp_ex *qpx, const struct work *work)
{
	const struct ibv_sge *sge = work->sge;

	if (work->send.num_sge == 1 && work_mix(work->send.wr_id, 90) % 2)
		ibv_wr_set_sge(qpx, sge->lkey, sge->addr, sge->length);
	else if (work->send.num_sge || work_mix(work->send.wr_id, 90) % 2)
		ibv_wr_set_sge_list(qpx, work->send.num_sge, sge);
	/* Without a payload, no setter needs to be called. */
}

/**
 * work_post_ex() - add a request to a batch
 * @qpx: queue pair, between wr_start() and wr_complete()
 * @work: request, made by work_make_send()
 */
void work_post_ex(struct ibv_qp_ex *qpx, const struct work *work)
{
	const struct ibv_send_wr *wr = &work->send;

	qpx->wr_id = wr->wr_id;
	qpx->wr_flags = wr->send_flags;
	begin(qpx, work);
	if (wr->opcode == IBV_WR_BIND_MW || wr->opcode == IBV_WR_LOCAL_INV)
		return;
	if (wr->send_flags & IBV_SEND_INLINE)
		set_inline(qpx, work);
	else
		set_sges(qpx, work);
}

static void read_wc(struct ibv_cq_ex *cqx, struct ibv_wc *wc)
{
	wc->wr_id = cqx->wr_id;
	wc->status = cqx->status;
	wc->opcode = ibv_wc_read_opcode(cqx);
	wc->vendor_err = ibv_wc_read_vendor_err(cqx);
	wc->byte_len = ibv_wc_read_byte_len(cqx);
	wc->wc_flags = ibv_wc_read_wc_flags(cqx);
	if (wc->wc_flags & IBV_WC_WITH_INV)
		wc->invalidated_rkey = ibv_wc_read_invalidated_rkey(cqx);
	else
		wc->imm_data = ibv_wc_read_imm_data(cqx);
	wc->qp_num = ibv_wc_read_qp_num(cqx);
	wc->src_qp = ibv_wc_read_src_qp(cqx);
	wc->slid = ibv_wc_read_slid(cqx);
	wc->sl = ibv_wc_read_sl(cqx);
	wc->dlid_path_bits = ibv_wc_read_dlid_path_bits(cqx);
	/*
	 * struct ibv_cq_ex does not report pkey_index: take the expected one.
	 */
	wc->pkey_index = work_mix(wc->wr_id, 54);
	CHECK(ibv_wc_read_completion_ts(cqx) == work_mix(wc->wr_id, 56));
}

/**
 * work_poll_ex() - as ibv_poll_cq(), but by the calls of struct ibv_cq_ex
 * @cqx: completion queue
 * @room: number of elements of @wc
 * @wc: array for the completions
 *
 * Return: number of completions written to @wc.
 */
int work_poll_ex(struct ibv_cq_ex *cqx, int room, struct ibv_wc *wc)
{
	struct ibv_poll_cq_attr attr = {};
	int err, n = 0;

	if (!room)
		return 0;
	err = ibv_start_poll(cqx, &attr);
	if (err) {
		CHECK(err == ENOENT);
		return 0;
	}
	do {
		read_wc(cqx, &wc[n++]);
		err = n < room ? ibv_next_poll(cqx) : ENOENT;
	} while (!err);
	CHECK(err == ENOENT);
	ibv_end_poll(cqx);
	return n;
}
