// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA provider: device memory: allocates, imports, maps and frees it, copies
 * to and from it, and registers regions of it. Regions of host memory are in
 * mr.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <infiniband/cmd_ioctl.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <util/udma_barrier.h>

#include "xrdma.h"

/* The host accesses device memory in aligned words of this many bytes. */
#define XRDMA_DM_ALIGN	4

/**
 * struct xrdma_dm - device memory
 * @vdm: the memory as libibverbs sees it
 * @addr: address at which this process has mapped the memory
 * @length: bytes that the application asked for
 * @mmap_size: bytes mapped at @addr, whole pages
 */
struct xrdma_dm {
	struct verbs_dm vdm;
	void *addr;
	uint64_t length;
	uint64_t mmap_size;
};

static struct xrdma_dm *to_xdm(struct ibv_dm *ibdm)
{
	return container_of(ibdm, struct xrdma_dm, vdm.dm);
}

/*
 * Address of a range that is to be copied, or NULL if it is not aligned or not
 * within the memory.
 */
static void *xrdma_dm_at(struct ibv_dm *ibdm, uint64_t offset, size_t length)
{
	struct xrdma_dm *dm = to_xdm(ibdm);

	if (offset > dm->length || length > dm->length - offset ||
	    (offset | length) % XRDMA_DM_ALIGN)
		return NULL;
	return dm->addr + offset;
}

static int xrdma_memcpy_to_dm(struct ibv_dm *ibdm, uint64_t offset,
			      const void *host_addr, size_t length)
{
	void *to = xrdma_dm_at(ibdm, offset, length);

	if (!to)
		return EFAULT;

	memcpy(to, host_addr, length);
	/* The data reaches the device before a later doorbell. */
	mmio_flush_writes();
	return 0;
}

static int xrdma_memcpy_from_dm(void *host_addr, struct ibv_dm *ibdm,
				uint64_t offset, size_t length)
{
	const void *from = xrdma_dm_at(ibdm, offset, length);

	if (!from)
		return EFAULT;

	memcpy(host_addr, from, length);
	return 0;
}

/* Map the memory that a reply of the driver describes. */
static int xrdma_map_dm(struct ibv_context *ibctx, struct xrdma_dm *dm,
			const struct xrdma_uresp_alloc_dm *resp)
{
	dm->length = resp->length;
	dm->mmap_size = resp->mmap_size;
	dm->addr = mmap(NULL, dm->mmap_size, PROT_READ | PROT_WRITE,
			MAP_SHARED, ibctx->cmd_fd, resp->mmap_key);
	if (dm->addr == MAP_FAILED)
		return errno;
	dm->vdm.dm.memcpy_to_dm = xrdma_memcpy_to_dm;
	dm->vdm.dm.memcpy_from_dm = xrdma_memcpy_from_dm;
	return 0;
}

/* Allocate memory by a command to the driver, and map it. */
static int xrdma_setup_dm(struct ibv_context *ibctx, struct xrdma_dm *dm,
			  const struct ibv_alloc_dm_attr *attr)
{
	DECLARE_COMMAND_BUFFER(cmdb, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC,
			       1);
	struct xrdma_uresp_alloc_dm resp = {};
	int err;

	fill_attr_out(cmdb, XRDMA_IB_ATTR_ALLOC_DM_RESP, &resp, sizeof(resp));
	err = ibv_cmd_alloc_dm(ibctx, attr, &dm->vdm, cmdb);
	if (err)
		return err;

	err = xrdma_map_dm(ibctx, dm, &resp);
	if (err)
		ibv_cmd_free_dm(&dm->vdm);
	return err;
}

/**
 * xrdma_alloc_dm() - ibv_alloc_dm()
 * @ibctx: open device
 * @attr: length and alignment of the memory
 *
 * Return: the memory, mapped, or NULL and errno.
 */
struct ibv_dm *xrdma_alloc_dm(struct ibv_context *ibctx,
			      struct ibv_alloc_dm_attr *attr)
{
	struct xrdma_dm *dm;
	int err;

	if (attr->comp_mask) {
		errno = EINVAL;
		return NULL;
	}

	dm = calloc(1, sizeof(*dm));
	if (!dm)
		return NULL;

	err = xrdma_setup_dm(ibctx, dm, attr);
	if (err) {
		free(dm);
		errno = err;
		return NULL;
	}
	return &dm->vdm.dm;
}

/* Query memory that exists in an imported context, and map it. */
static int xrdma_query_dm(struct ibv_context *ibctx, struct xrdma_dm *dm,
			  uint32_t handle)
{
	DECLARE_COMMAND_BUFFER(cmdb, UVERBS_OBJECT_DM, XRDMA_IB_METHOD_DM_QUERY,
			       2);
	struct xrdma_uresp_alloc_dm resp = {};
	int err;

	fill_attr_in_obj(cmdb, XRDMA_IB_ATTR_DM_QUERY_HANDLE, handle);
	fill_attr_out(cmdb, XRDMA_IB_ATTR_ALLOC_DM_RESP, &resp, sizeof(resp));
	err = execute_ioctl(ibctx, cmdb);
	if (err)
		return err;

	dm->vdm.handle = handle;
	dm->vdm.dm.context = ibctx;
	dm->vdm.dm.handle = handle;
	return xrdma_map_dm(ibctx, dm, &resp);
}

/**
 * xrdma_import_dm() - ibv_import_dm()
 * @ibctx: imported device
 * @handle: handle of memory in the imported context
 *
 * Return: the memory, mapped, or NULL and errno.
 */
struct ibv_dm *xrdma_import_dm(struct ibv_context *ibctx, uint32_t handle)
{
	struct xrdma_dm *dm;
	int err;

	dm = calloc(1, sizeof(*dm));
	if (!dm)
		return NULL;

	err = xrdma_query_dm(ibctx, dm, handle);
	if (err) {
		free(dm);
		errno = err;
		return NULL;
	}
	return &dm->vdm.dm;
}

/**
 * xrdma_unimport_dm() - ibv_unimport_dm()
 * @ibdm: imported memory, which the driver keeps
 */
void xrdma_unimport_dm(struct ibv_dm *ibdm)
{
	struct xrdma_dm *dm = to_xdm(ibdm);

	munmap(dm->addr, dm->mmap_size);
	free(dm);
}

/**
 * xrdma_free_dm() - ibv_free_dm()
 * @ibdm: device memory
 *
 * Return: 0, or an errno if the memory still exists.
 */
int xrdma_free_dm(struct ibv_dm *ibdm)
{
	struct xrdma_dm *dm = to_xdm(ibdm);
	int err;

	err = ibv_cmd_free_dm(&dm->vdm);
	if (err)
		return err;

	munmap(dm->addr, dm->mmap_size);
	free(dm);
	return 0;
}

/**
 * xrdma_reg_dm_mr() - ibv_reg_dm_mr()
 * @ibpd: protection domain
 * @ibdm: device memory
 * @offset: offset of the first byte in @ibdm
 * @length: bytes
 * @access: enum ibv_access_flags, with IBV_ACCESS_ZERO_BASED
 *
 * Return: the region, or NULL and errno.
 */
struct ibv_mr *xrdma_reg_dm_mr(struct ibv_pd *ibpd, struct ibv_dm *ibdm,
			       uint64_t offset, size_t length,
			       unsigned int access)
{
	struct verbs_mr *vmr;
	int err;

	vmr = calloc(1, sizeof(*vmr));
	if (!vmr)
		return NULL;

	err = ibv_cmd_reg_dm_mr(ibpd, &to_xdm(ibdm)->vdm, offset, length,
				access, vmr, NULL);
	if (err) {
		free(vmr);
		errno = err;
		return NULL;
	}
	return &vmr->ibv_mr;
}
