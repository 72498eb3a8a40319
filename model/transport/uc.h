/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The responder of an unreliable connection (IBTA 9.8): it answers nothing.
 */
#ifndef XRDMA_MODEL_UC_H
#define XRDMA_MODEL_UC_H

#include "packet/net.h"

struct xrdma_pkt;
struct xrdma_qp;

enum xrdma_rx xrdma_uc_request(struct xrdma_qp *qp,
			       const struct xrdma_pkt *pkt);

#endif /* XRDMA_MODEL_UC_H */
