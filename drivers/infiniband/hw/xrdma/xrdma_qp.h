/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA queue pairs: what their parts share: xrdma_qp.c, what all have in
 * common; xrdma_kqp.c and xrdma_uqp.c, rings in the memory of the kernel and of
 * a process. Nobody else includes it, but for other objects that are queue
 * pairs to the device, and for what shows them (xrdma_restrack.c).
 */

#ifndef XRDMA_QP_H
#define XRDMA_QP_H

#include "xrdma_verbs.h"

/**
 * struct xrdma_qp_kind - what queue pairs of a type have
 * @known: there is such a type
 * @type: enum xrdma_qp_type
 * @sq: a send ring; of whole frames, perhaps none
 * @rq: a receive ring, if they have no SRQ
 * @srq: may have an SRQ
 * @user: processes may make one
 * @kernel: the kernel's consumers may
 * @cap: XRDMA_CAP_* that the device needs, or 0
 */
struct xrdma_qp_kind {
	bool known;
	u8 type;
	bool sq;
	bool rq;
	bool srq;
	bool user;
	bool kernel;
	u64 cap;
};

/**
 * struct xrdma_qp_depth - how far producer and device are
 * @sq_pi: entries posted to the send queue
 * @sq_ci: of these, completed
 * @rq_pi: entries posted to the receive queue
 * @rq_ci: of these, consumed
 *
 * All since the last reset, modulo 2^32; a user's @sq_pi and @rq_pi are what
 * the process has put there.
 */
struct xrdma_qp_depth {
	u32 sq_pi;
	u32 sq_ci;
	u32 rq_pi;
	u32 rq_ci;
};

/* xrdma_qp_modify.c */
int xrdma_qp_depth(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		   struct xrdma_qp_depth *depth);

/* xrdma_qp.c */
struct xrdma_qp *xrdma_qp_get(struct xrdma_ibdev *xib, u32 qpn);
void xrdma_qp_put(struct xrdma_qp *qp);
const struct xrdma_qp_kind *xrdma_qp_kind(enum ib_qp_type type);
u32 xrdma_sq_header(u8 type);
void xrdma_qp_limits(const struct xrdma_caps *caps, struct xrdma_qp *qp);
void xrdma_make_create_qp(struct xrdma_cmd_create_qp *cmd,
			  const struct xrdma_qp_init *init);
int xrdma_qp_reserve(struct xrdma_ibdev *xib, struct xrdma_qp *qp);
int xrdma_qp_enable(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		    struct xrdma_cmd_create_qp *cmd);
int xrdma_qp_disable(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		     struct xrdma_cq *send_kcq, struct xrdma_cq *recv_kcq);

/* xrdma_uqp.c */
int xrdma_uqp_start(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		    const struct xrdma_qp_init *init, u64 addr,
		    struct ib_udata *udata);
int xrdma_uqp_create(struct xrdma_ibdev *xib, struct xrdma_qp *qp,
		     const struct xrdma_qp_init *init,
		     const struct ib_qp_cap *want, struct ib_udata *udata);
int xrdma_uqp_destroy(struct xrdma_ibdev *xib, struct xrdma_qp *qp);

#endif /* XRDMA_QP_H */
