/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Extended reliable connections (IBTA annex A14): the shared receive queue
 * that a request names, and what comes with it.
 */
#ifndef XRDMA_MODEL_XRC_H
#define XRDMA_MODEL_XRC_H

#include <linux/types.h>
#include <stdbool.h>

struct xrdma_pkt;
struct xrdma_qp;

bool xrdma_xrc_request(struct xrdma_qp *qp, const struct xrdma_pkt *pkt);
bool xrdma_xrc_answer(struct xrdma_qp *qp, u32 srqn);

#endif /* XRDMA_MODEL_XRC_H */
