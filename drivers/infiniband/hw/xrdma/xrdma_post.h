/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA posting to queue pairs of the kernel: prototypes of xrdma_post.c.
 */

#ifndef XRDMA_POST_H
#define XRDMA_POST_H

#include <linux/types.h>

struct ib_qp;
struct ib_recv_wr;
struct ib_send_wr;
struct xrdma_qp;

/* xrdma_post.c */
int xrdma_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		    const struct ib_send_wr **bad_wr);
int xrdma_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		    const struct ib_recv_wr **bad_wr);
void xrdma_publish_sq(struct xrdma_qp *qp, u32 old_pi);
void xrdma_publish_rq(struct xrdma_qp *qp);

#endif /* XRDMA_POST_H */
