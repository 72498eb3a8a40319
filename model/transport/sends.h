/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Functions that datagram queue pairs (ud.c) and raw packet queue pairs (eth.c)
 * share: state without a connection, and the loop over the send queue.
 */
#ifndef MODEL_SENDS_H
#define MODEL_SENDS_H

#include <linux/types.h>
#include <stdbool.h>

#include "core/pager.h"
#include "xrdma_hw.h"

struct model_qp;

int model_sends_init(struct model_qp *qp);
void model_sends_destroy(struct model_qp *qp);
void model_sends_stop(struct model_qp *qp, bool sq_only);
void model_sends_resume(struct model_qp *qp, enum model_wait_side side);
bool model_sends_idle(const struct model_qp *qp);
bool model_sends_run(struct model_qp *qp,
		     bool (*send_one)(struct model_qp *qp,
				      const struct xrdma_sq_wqe *wqe));

#endif /* MODEL_SENDS_H */
