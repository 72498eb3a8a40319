/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA flow rules: prototypes of xrdma_flow.c.
 */

#ifndef XRDMA_FLOW_H
#define XRDMA_FLOW_H

#include <rdma/ib_verbs.h>

/**
 * struct xrdma_flow - flow rule
 * @ibflow: verbs object
 * @number: number of the rule in the device
 */
struct xrdma_flow {
	struct ib_flow ibflow;
	u32 number;
};

static inline struct xrdma_flow *to_xflow(struct ib_flow *ibflow)
{
	return container_of(ibflow, struct xrdma_flow, ibflow);
}

/* xrdma_flow.c */
extern const struct ib_device_ops xrdma_flow_ops;
struct ib_flow *xrdma_create_flow(struct ib_qp *ibqp,
				  struct ib_flow_attr *attr,
				  struct ib_udata *udata);
int xrdma_destroy_flow(struct ib_flow *ibflow);

#endif /* XRDMA_FLOW_H */
