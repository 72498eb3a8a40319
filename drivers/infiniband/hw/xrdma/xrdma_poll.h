/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA polling and arming of kernel completion queues: prototypes of
 * xrdma_poll.c.
 */

#ifndef XRDMA_POLL_H
#define XRDMA_POLL_H

#include <rdma/ib_verbs.h>

/* xrdma_poll.c */
int xrdma_poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *wc);
int xrdma_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);

#endif /* XRDMA_POLL_H */
