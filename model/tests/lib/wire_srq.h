/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Functions for tests with wire_env.h: create, fill and resize an SRQ.
 */
#ifndef MODEL_TEST_WIRE_SRQ_H
#define MODEL_TEST_WIRE_SRQ_H

#include "tests/lib/wire_env.h"

/*
 * struct wire_srq - a shared receive queue
 * @root: translation root of the ring
 * @srq: the device's object
 */
struct wire_srq {
	struct wire_host *host;
	struct model_srq *srq;
	u32 srqn;
	u64 root;
	u8 *ring;
	struct xrdma_srq_rec *rec;
	u8 log_depth;
};

/* @xrcd, @cqn: XRC domain and CQ of the SRQ; both 0 if it is not for XRC. */
void wire_create_srq(struct wire_host *host, u8 log_depth, u32 xrcd, u32 cqn,
		     struct wire_srq *srq);
u8 wire_modify_srq(struct wire_srq *srq, u32 mask, u32 limit);
u8 wire_resize_srq(struct wire_srq *srq, u8 log_depth, u32 pi);
void wire_post_srq(struct wire_srq *srq, u64 wr_id,
		   const struct xrdma_sge *sges, u16 num);

#endif /* MODEL_TEST_WIRE_SRQ_H */
