/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The transport's state of a queue pair. core/qp.h has the core's state, with a
 * pointer to this one that the core does not dereference.
 */
#ifndef MODEL_CONN_H
#define MODEL_CONN_H

#include "core/qp.h"
#include "transport/requester.h"
#include "transport/responder.h"
#include "transport/tx.h"

struct model_eth_tx;
struct model_gro;

/**
 * struct model_qp_transport - the transport's part of a queue pair
 * @tx: headers of the packets that the queue pair sends
 * @req: requester; a queue pair without a connection uses only @req.next,
 *	@req.next_place and @req.psn
 * @resp: responder; unused by a queue pair without a connection
 * @recv: copy of the receive entry in use, of a queue pair without a connection
 * @eth: frame that is divided, of a raw packet queue pair
 * @gro: received frames that are merged, of a raw packet queue pair; @recv is the
 *	entry for them while there are frames
 */
struct model_qp_transport {
	struct model_tx_state tx;
	struct model_requester req;
	struct model_responder resp;
	u8 *recv;
	struct model_eth_tx *eth;
	struct model_gro *gro;
};

/* The oldest entry that is not complete is the next one to be taken up. */
static inline void model_conn_rewind(struct model_qp *qp)
{
	qp->tp->req.next = qp->sq.ci;
	qp->tp->req.next_place = qp->sq.place;
}

/* The functions that the core calls, for each type of queue pair. */
extern const struct model_qp_ops model_conn_ops; /* rc.c */
extern const struct model_qp_ops model_ud_ops; /* ud.c */
extern const struct model_qp_ops model_raw_ops; /* eth_tx.c */

#endif /* MODEL_CONN_H */
