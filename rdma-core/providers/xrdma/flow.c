// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: flow rules. The driver does the work. Must not know: queues.
 */

#include <errno.h>
#include <stdlib.h>

#include "xrdma.h"

/**
 * xrdma_create_flow() - ibv_create_flow()
 * @ibqp: raw packet queue pair
 * @attr: what goes to it
 *
 * Return: the rule, or NULL and errno.
 */
struct ibv_flow *xrdma_create_flow(struct ibv_qp *ibqp,
				   struct ibv_flow_attr *attr)
{
	struct ibv_flow *flow;
	int err;

	flow = calloc(1, sizeof(*flow));
	if (!flow)
		return NULL;

	err = ibv_cmd_create_flow(ibqp, flow, attr, NULL, 0);
	if (err) {
		free(flow);
		errno = err;
		return NULL;
	}
	return flow;
}

/**
 * xrdma_destroy_flow() - ibv_destroy_flow()
 * @flow: rule
 *
 * Return: 0 or an errno; then the rule still is.
 */
int xrdma_destroy_flow(struct ibv_flow *flow)
{
	int err;

	err = ibv_cmd_destroy_flow(flow);
	if (err)
		return err;

	free(flow);
	return 0;
}
