/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Work requests of which everything follows from the wr_id, and the checks
 * that ring entries and completions say the same.
 */

#ifndef WORK_H
#define WORK_H

#include "../xrdma.h"
#include "fake_device.h"

#define WORK_MAX_SGE	8
#define WORK_MAX_INLINE	100

/**
 * struct work - a send or receive request, and what becomes of it
 * @sge: scatter-gather list
 * @data: what an inline request carries
 * @mr: region that a window is bound to
 * @mw: that window
 * @send: the request, if it is one to send
 * @recv: the request, if it is one to receive
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
