// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: protection domains and address handles. Parent domains and
 * thread domains are in domain.c. Address handles are used in wqe.h.
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
 * @ibpd: protection domain or parent domain
 *
 * Return: 0, or an errno if the domain still exists. EBUSY also if a protection
 * domain has parent domains, or a parent domain has queues.
 */
int xrdma_dealloc_pd(struct ibv_pd *ibpd)
{
	struct xrdma_pd *pd = to_xpd(ibpd);
	int err;

	if (pd->base)
		return xrdma_dealloc_parent_domain(pd);
	if (atomic_load(&pd->users))
		return EBUSY;

	err = ibv_cmd_dealloc_pd(ibpd);
	if (err)
		return err;

	free(pd);
	return 0;
}

/**
 * xrdma_import_pd() - ibv_import_pd()
 * @ibctx: imported device
 * @handle: handle of a protection domain in the imported context
 *
 * Return: the protection domain, or NULL and errno.
 */
struct ibv_pd *xrdma_import_pd(struct ibv_context *ibctx, uint32_t handle)
{
	struct xrdma_pd *pd;

	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;

	pd->ibv_pd.context = ibctx;
	pd->ibv_pd.handle = handle;
	return &pd->ibv_pd;
}

/**
 * xrdma_unimport_pd() - ibv_unimport_pd()
 * @ibpd: imported protection domain, which the driver keeps
 */
void xrdma_unimport_pd(struct ibv_pd *ibpd)
{
	free(to_xpd(ibpd));
}

/**
 * xrdma_create_ah() - ibv_create_ah()
 * @ibpd: protection domain
 * @attr: address; it needs a GRH, as every address on Ethernet
 *
 * Return: the handle, or NULL and errno.
 */
struct ibv_ah *xrdma_create_ah(struct ibv_pd *ibpd, struct ibv_ah_attr *attr)
{
	struct xrdma_cmd_create_ah_resp resp = {};
	struct xrdma_ah *ah;
	int err;

	if (!attr->is_global) {
		errno = EINVAL;
		return NULL;
	}
	ah = calloc(1, sizeof(*ah));
	if (!ah)
		return NULL;

	err = ibv_cmd_create_ah(ibpd, &ah->ibv_ah, attr, &resp.ibv_resp,
				sizeof(resp));
	if (err) {
		free(ah);
		errno = err;
		return NULL;
	}
	ah->av = resp.drv_payload.av;
	return &ah->ibv_ah;
}

/**
 * xrdma_destroy_ah() - ibv_destroy_ah()
 * @ibah: address handle
 *
 * Return: 0, or an errno if the handle still exists.
 */
int xrdma_destroy_ah(struct ibv_ah *ibah)
{
	int err;

	err = ibv_cmd_destroy_ah(ibah);
	if (err)
		return err;

	free(to_xah(ibah));
	return 0;
}
