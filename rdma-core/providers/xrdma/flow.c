// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: creates and destroys flow rules, by commands to the driver.
 * The queue pairs that rules name are in qp.c and rwq.c.
 */

#include <errno.h>
#include <stdlib.h>

#include "xrdma.h"

/**
 * xrdma_create_flow() - ibv_create_flow()
 * @ibqp: raw packet queue pair
 * @attr: which packets go to the queue pair
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
 * Return: 0, or an errno if the rule still exists.
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
