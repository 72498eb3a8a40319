/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the transport keeps of a queue pair. The core has a pointer to it only.
 */
#ifndef XRDMA_MODEL_CONN_H
#define XRDMA_MODEL_CONN_H

#include "core/qp.h"
#include "transport/requester.h"
#include "transport/responder.h"
#include "transport/tx.h"

/**
 * struct xrdma_qp_transport - the transport's part of a queue pair
 * @tx: headers of its packets
 * @req: requester; without a connection only @req.next and @req.psn are used
 * @resp: responder
 */
struct xrdma_qp_transport {
	struct xrdma_tx_state tx;
	struct xrdma_requester req;
	struct xrdma_responder resp;
};

/* What the types of queue pairs do with their work queues. */
extern const struct xrdma_qp_ops xrdma_conn_ops; /* rc.c */
extern const struct xrdma_qp_ops xrdma_ud_ops; /* ud.c */
extern const struct xrdma_qp_ops xrdma_raw_ops; /* eth.c */

#endif /* XRDMA_MODEL_CONN_H */
