// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: protection domains. Must not know: queues.
 */

#include <errno.h>
#include <stdlib.h>

#include "xrdma-abi.h"
#include "xrdma.h"

/**
 * xrdma_alloc_pd() - ibv_alloc_pd()
 * @ibctx: open device
 *
 * Return: the protection domain, or NULL and errno.
 */
struct ibv_pd *xrdma_alloc_pd(struct ibv_context *ibctx)
{
	struct xrdma_cmd_alloc_pd_resp resp = {};
	struct ibv_alloc_pd cmd = {};
	struct xrdma_pd *pd;
	int err;

	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;

	err = ibv_cmd_alloc_pd(ibctx, &pd->ibv_pd, &cmd, sizeof(cmd),
			       &resp.ibv_resp, sizeof(resp));
	if (err) {
		free(pd);
		errno = err;
		return NULL;
	}
	pd->pdn = resp.pdn;
	return &pd->ibv_pd;
}

/**
 * xrdma_dealloc_pd() - ibv_dealloc_pd()
 * @ibpd: protection domain
 *
 * Return: 0 or an errno; then the domain still is.
 */
int xrdma_dealloc_pd(struct ibv_pd *ibpd)
{
	int err;

	err = ibv_cmd_dealloc_pd(ibpd);
	if (err)
		return err;

	free(to_xpd(ibpd));
	return 0;
}
