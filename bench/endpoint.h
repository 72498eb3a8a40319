/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Two connected RC queue pairs of one device, each with a completion queue, and
 * one buffer. The programs posting.c and windows.c choose the work requests.
 */
#ifndef BENCH_ENDPOINT_H
#define BENCH_ENDPOINT_H

#include "bench.h"

#define ENDPOINT_DEPTH	64
#define ENDPOINT_INLINE	32	/* bytes that a request may have inline */
#define ENDPOINT_MEMORY	(64 * KIB)
#define ENDPOINT_SPIN_US	5000	/* longer than any request takes */

struct endpoint {
	const char *name;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq[2];
	struct ibv_qp *qp[2];
	struct ibv_mr *mr;
	char *mem;
};

void endpoint_open(struct endpoint *ep, const char *name, int gid_index);
void endpoint_post(struct endpoint *ep, struct ibv_send_wr *wr,
		   const char *figure);
void endpoint_wait(struct endpoint *ep, const char *what);

#endif
