/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Work requests whose contents follow from their wr_id, and checks that ring
 * entries and completions agree with them.
 */

#ifndef WORK_H
#define WORK_H

#include "../xrdma.h"
#include "fake_device.h"

#define WORK_MAX_SGE	8
#define WORK_MAX_INLINE	100

/**
 * struct work - send or receive request, with what it refers to
 * @sge: scatter-gather list
 * @data: payload of an inline request
 * @mr: region of a bind
 * @mw: window of a bind
 * @send: send request
 * @recv: receive request
 */
struct work {
	struct ibv_sge sge[WORK_MAX_SGE];
	uint8_t data[WORK_MAX_INLINE];
	struct ibv_mr mr;
	struct ibv_mw mw;
	struct ibv_send_wr send;
	struct ibv_recv_wr recv;
};

uint64_t work_mix(uint64_t id, uint32_t salt);
void work_make_send(struct work *work, uint64_t id, const struct xrdma_qp *qp);
void work_make_recv(struct work *work, uint64_t id, const struct xrdma_qp *qp);
void work_post_ex(struct ibv_qp_ex *qpx, const struct work *work);
int work_poll_ex(struct ibv_cq_ex *cqx, int room, struct ibv_wc *wc);
void work_check_key(const struct work *work, bool posted);
void work_check_send(const struct xrdma_sq_wqe *wqe, const struct xrdma_qp *qp);
void work_check_recv(const struct xrdma_rq_wqe *wqe, const struct xrdma_qp *qp);
void work_check_wc(const struct ibv_wc *wc, const struct xrdma_cqe *cqe);

#endif /* WORK_H */
