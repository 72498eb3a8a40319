// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: registers, changes, deregisters and imports memory regions, and
 * gives advice about them, by commands to the driver. A null region needs no
 * command: its key is a constant. Regions of device memory are in dm.c, windows
 * in mw.c.
 */

#include <errno.h>
#include <stdlib.h>

#include "compat.h"
#include "xrdma.h"

/**
 * xrdma_reg_mr() - ibv_reg_mr() and ibv_reg_mr_iova()
 * @ibpd: protection domain
 * @addr: first byte
 * @length: bytes
 * @hca_va: address of the first byte in work requests
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
 * xrdma_alloc_null_mr() - ibv_alloc_null_mr()
 * @ibpd: protection domain
 *
 * All null regions have the same lkey, XRDMA_KEY_NULL, and no rkey.
 *
 * Return: the region, or NULL and errno.
 */
struct ibv_mr *xrdma_alloc_null_mr(struct ibv_pd *ibpd)
{
	struct verbs_mr *vmr;

	if (!to_xctx(ibpd->context)->null_key) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	vmr = calloc(1, sizeof(*vmr));
	if (!vmr)
		return NULL;

	vmr->mr_type = IBV_MR_TYPE_NULL_MR;
	vmr->ibv_mr.context = ibpd->context;
	vmr->ibv_mr.pd = ibpd;
	vmr->ibv_mr.length = SIZE_MAX;
	vmr->ibv_mr.lkey = XRDMA_KEY_NULL;
	return &vmr->ibv_mr;
}

/**
 * xrdma_reg_dmabuf_mr() - ibv_reg_dmabuf_mr()
 * @ibpd: protection domain
 * @offset: offset of the first byte in the dma-buf
 * @length: bytes
 * @iova: address of the first byte in work requests
 * @fd: file descriptor of the dma-buf
 * @access: enum ibv_access_flags
 *
 * Return: the region, or NULL and errno.
 */
struct ibv_mr *xrdma_reg_dmabuf_mr(struct ibv_pd *ibpd, uint64_t offset,
				   size_t length, uint64_t iova, int fd,
				   int access)
{
	struct verbs_mr *vmr;
	int err;

	vmr = calloc(1, sizeof(*vmr));
	if (!vmr)
		return NULL;

	err = xrdma_ibv_reg_dmabuf(ibpd, offset, length, iova, fd, access, vmr);
	if (err) {
		free(vmr);
		errno = err;
		return NULL;
	}
	return &vmr->ibv_mr;
}

/**
 * xrdma_rereg_mr() - ibv_rereg_mr()
 * @vmr: region; the call may change its keys
 * @flags: enum ibv_rereg_mr_flags: attributes to change
 * @ibpd: new protection domain
 * @addr: new first byte, and its address in work requests
 * @length: new length in bytes
 * @access: new enum ibv_access_flags
 *
 * Return: 0 or an errno.
 */
int xrdma_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *ibpd,
		   void *addr, size_t length, int access)
{
	struct ib_uverbs_rereg_mr_resp resp;
	struct ibv_rereg_mr cmd;

	return ibv_cmd_rereg_mr(vmr, flags, addr, length, (uintptr_t)addr,
				access, ibpd, &cmd, sizeof(cmd), &resp,
				sizeof(resp));
}

/**
 * xrdma_advise_mr() - ibv_advise_mr()
 * @ibpd: protection domain of the regions
 * @advice: what to do
 * @flags: enum ibv_advise_mr_flag
 * @sg_list: addresses and keys of regions with on-demand paging
 * @num_sge: number of entries in @sg_list
 *
 * Return: 0 or an errno.
 */
int xrdma_advise_mr(struct ibv_pd *ibpd, enum ibv_advise_mr_advice advice,
		    uint32_t flags, struct ibv_sge *sg_list, uint32_t num_sge)
{
	return ibv_cmd_advise_mr(ibpd, advice, flags, sg_list, num_sge);
}

/**
 * xrdma_dereg_mr() - ibv_dereg_mr()
 * @vmr: the region
 *
 * Return: 0, or an errno if the region still exists.
 */
int xrdma_dereg_mr(struct verbs_mr *vmr)
{
	int err = 0;

	if (vmr->mr_type != IBV_MR_TYPE_NULL_MR)
		err = ibv_cmd_dereg_mr(vmr);
	if (err)
		return err;

	free(vmr);
	return 0;
}

/**
 * xrdma_import_mr() - ibv_import_mr()
 * @ibpd: imported protection domain
 * @handle: handle of a region in the imported context
 *
 * Return: the region, whose addr is not set, or NULL and errno.
 */
struct ibv_mr *xrdma_import_mr(struct ibv_pd *ibpd, uint32_t handle)
{
	struct verbs_mr *vmr;
	int err;

	vmr = calloc(1, sizeof(*vmr));
	if (!vmr)
		return NULL;

	err = ibv_cmd_query_mr(ibpd, vmr, handle);
	if (err) {
		free(vmr);
		errno = err;
		return NULL;
	}
	return &vmr->ibv_mr;
}

/**
 * xrdma_unimport_mr() - ibv_unimport_mr()
 * @ibmr: imported region, which the driver keeps
 */
void xrdma_unimport_mr(struct ibv_mr *ibmr)
{
	free(verbs_get_mr(ibmr));
}
