/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the transport keeps of a queue pair. The core has a pointer to it only.
 */
#ifndef MODEL_CONN_H
#define MODEL_CONN_H

#include "core/qp.h"
#include "transport/requester.h"
#include "transport/responder.h"
#include "transport/tx.h"

/**
 * struct model_qp_transport - the transport's part of a queue pair
 * @tx: headers of its packets
 * @req: requester; without a connection only @req.next and @req.psn are used
 * @resp: responder
 */
struct model_qp_transport {
	struct model_tx_state tx;
	struct model_requester req;
	struct model_responder resp;
};

/* What the types of queue pairs do with their work queues. */
extern const struct model_qp_ops model_conn_ops; /* rc.c */
extern const struct model_qp_ops model_ud_ops; /* ud.c */
extern const struct model_qp_ops model_raw_ops; /* eth.c */

#endif /* MODEL_CONN_H */
