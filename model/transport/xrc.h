/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Extended reliable connections (IBTA annex A14): selects the shared receive
 * queue that a request names, and its protection domain.
 */
#ifndef MODEL_XRC_H
#define MODEL_XRC_H

#include <linux/types.h>
#include <stdbool.h>

struct model_pkt;
struct model_qp;

bool model_xrc_request(struct model_qp *qp, const struct model_pkt *pkt);
bool model_xrc_answer(struct model_qp *qp, u32 srqn);

#endif /* MODEL_XRC_H */
