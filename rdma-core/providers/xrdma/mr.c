// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: memory regions. The driver does the work. Must not know:
 * queues.
 */

#include <errno.h>
#include <stdlib.h>

#include "xrdma.h"

/**
 * xrdma_reg_mr() - ibv_reg_mr() and its relatives
 * @ibpd: protection domain
 * @addr: first byte
 * @length: bytes
 * @hca_va: address that work requests will use for @addr
 * @access: enum ibv_access_flags
 *
 * Return: the region, or NULL and errno.
 */
struct ibv_mr *xrdma_reg_mr(struct ibv_pd *ibpd, void *addr, size_t length,
			    uint64_t hca_va, int access)
{
	struct ib_uverbs_reg_mr_resp resp;
	struct ibv_reg_mr cmd;
	struct verbs_mr *vmr;
	int err;

	vmr = calloc(1, sizeof(*vmr));
	if (!vmr)
		return NULL;

	err = ibv_cmd_reg_mr(ibpd, addr, length, hca_va, access, vmr, &cmd,
			     sizeof(cmd), &resp, sizeof(resp));
	if (err) {
		free(vmr);
		errno = err;
		return NULL;
	}
	return &vmr->ibv_mr;
}

/**
 * xrdma_dereg_mr() - ibv_dereg_mr()
 * @vmr: the region
 *
 * Return: 0 or an errno; then the region still is.
 */
int xrdma_dereg_mr(struct verbs_mr *vmr)
{
	int err;

	err = ibv_cmd_dereg_mr(vmr);
	if (err)
		return err;

	free(vmr);
	return 0;
}
