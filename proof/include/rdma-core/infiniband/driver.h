/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Stand-in for the header of rdma-core that only providers include: the structures
 * that the proved files of the provider name. <infiniband/verbs.h>, which it
 * includes, is that of the root image.
 */

#ifndef PROOF_DRIVER_H
#define PROOF_DRIVER_H

#include <infiniband/verbs.h>

struct verbs_cq {
	union {
		struct ibv_cq cq;
		struct ibv_cq_ex cq_ex;
	};
};

struct verbs_qp {
	union {
		struct ibv_qp qp;
		struct ibv_qp_ex qp_ex;
	};
};

struct verbs_srq {
	struct ibv_srq srq;
};

struct verbs_mr;

#endif /* PROOF_DRIVER_H */
