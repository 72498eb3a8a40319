/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Sends of queue pairs without a connection: datagrams and raw packets.
 */
#ifndef XRDMA_MODEL_SENDS_H
#define XRDMA_MODEL_SENDS_H

#include <linux/types.h>
#include <stdbool.h>

#include "xrdma_hw.h"

struct xrdma_qp;

int xrdma_sends_init(struct xrdma_qp *qp);
void xrdma_sends_destroy(struct xrdma_qp *qp);
void xrdma_sends_stop(struct xrdma_qp *qp, bool sq_only);
bool xrdma_sends_idle(const struct xrdma_qp *qp);
bool xrdma_sends_run(struct xrdma_qp *qp,
		     bool (*send_one)(struct xrdma_qp *qp, u32 index,
				      const struct xrdma_sq_wqe *wqe));

#endif /* XRDMA_MODEL_SENDS_H */
