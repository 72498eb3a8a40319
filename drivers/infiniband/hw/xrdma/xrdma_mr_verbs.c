// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA verbs of memory regions: registers memory of a process, and all bus
 * addresses for the kernel, and deregisters regions of any kind. Functions that
 * all regions share are in xrdma_mr.c. Other kinds are registered in
 * xrdma_frmr.c (page lists of work requests), xrdma_dmabuf.c and xrdma_dm.c
 * (device memory); xrdma_rereg.c changes a registered region.
 *
 * After pinning, registration only writes the key entry (xrdma_key_publish()):
 * it sends no command, writes no register and does not wait. Deregistration
 * waits until the device has answered INVALIDATE of the key, and unpins the
 * memory then.
 */

#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include <rdma/uverbs_ioctl.h>
#include "xrdma_ctx.h"
#include "xrdma_dmabuf.h"
#include "xrdma_ibdev.h"
#include "xrdma_key.h"
#include "xrdma_mr.h"
#include "xrdma_mtt.h"
#include "xrdma_odp.h"
#include "xrdma_pd.h"
#include "xrdma_quarantine.h"

/**
 * xrdma_get_dma_mr() - ib_device_ops.get_dma_mr
 * @ibpd: protection domain
 * @access: enum ib_access_flags: local write, remote read, write and atomics,
 *	FLUSH if the device supports it, FLUSH to persistence if the machine
 *	also has persistent memory, optional flags
 *
 * Context: may sleep.
 * Return: the region, which covers all bus addresses; or an ERR_PTR():
 * -EOPNOTSUPP: @access has other flags; -ENOSPC: no key is free; -ENOMEM;
 * -EINTR: the calling process has been killed.
 */
struct ib_mr *xrdma_get_dma_mr(struct ib_pd *ibpd, int access)
{
	struct xrdma_key_grant grant = {
		.length = U64_MAX,
		.pdn = to_xpd(ibpd)->pdn,
		.access = xrdma_mr_hw_access(access),
	};
	struct xrdma_ibdev *xib = to_xibdev(ibpd->device);
	int known = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
		    IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC |
		    IB_ACCESS_OPTIONAL;
	struct xrdma_mr *mr;
	int err;

	if (xib->hw.caps.flags & XRDMA_CAP_FLUSH)
		known |= IB_ACCESS_FLUSH_GLOBAL;
	/* the kernel's consumers know which memory is persistent */
	if (xib->ibdev.attrs.device_cap_flags & IB_DEVICE_FLUSH_PERSISTENT)
		known |= IB_ACCESS_FLUSH_PERSISTENT;
	if (access & ~known)
		return ERR_PTR(-EOPNOTSUPP);
	mr = xrdma_mr_alloc();
	if (!mr)
		return ERR_PTR(-ENOMEM);
	err = xrdma_mr_give_key(xib, mr, &grant, XRDMA_MPT_IDENTITY);
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	return &mr->ibmr;
}

/*
 * Check the arguments of the registration of a paged region. The region of the
 * whole address space has the addresses of the process under its key, and may be
 * longer than others.
 */
static int xrdma_odp_check(struct xrdma_ibdev *xib, u64 start, u64 length,
			   u64 iova, int access)
{
	access &= ~IB_ACCESS_ON_DEMAND;
	if (!xrdma_odp_is_implicit(start, length))
		return xrdma_mr_check(xib, length, iova, access);
	return iova ? -EINVAL : xrdma_mr_check(xib, 1, 0, access);
}

/* Attach the memory of a region: pinned, or paged. */
static int xrdma_mr_attach(struct xrdma_ibdev *xib, struct xrdma_mr *mr,
			   u64 start, u64 length, int access)
{
	struct ib_umem *umem;

	if (access & IB_ACCESS_ON_DEMAND)
		return xrdma_odp_attach(xib, mr, start, length);
	umem = xrdma_mr_pin(xib, &mr->mtt, start, length, access);
	if (IS_ERR(umem))
		return PTR_ERR(umem);
	mr->umem = umem;
	return 0;
}

/**
 * xrdma_reg_user_mr() - ib_device_ops.reg_user_mr
 * @ibpd: protection domain
 * @start: virtual address in the current process
 * @length: length in bytes, 1 or more; @iova + @length does not exceed 2^64
 * @iova: address of the first byte under the key, any value
 * @access: enum ib_access_flags. Remote write and atomics need local write;
 *	unknown optional flags are ignored. With IB_ACCESS_ON_DEMAND the memory
 *	is not pinned, and @start 0 with @length U64_MAX means all addresses of
 *	the process; @iova is 0 then
 * @dmah: NULL; DMA handles are not supported
 * @udata: contains no driver data, and gets none; NULL for the kernel
 *
 * Context: may sleep.
 * Return: the region, or an ERR_PTR(): an errno of xrdma_mr_check();
 * -EOPNOTSUPP: @dmah is not NULL; -ENOSPC: no key is free; -ENOMEM; -EINTR: the
 * process has been killed; an errno of xrdma_mr_pin(); or an errno of bad @udata.
 */
struct ib_mr *xrdma_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
				u64 iova, int access, struct ib_dmah *dmah,
				struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibpd->device);
	struct xrdma_key_grant grant = {
		.iova = iova,
		.length = length,
		.pdn = to_xpd(ibpd)->pdn,
		.access = xrdma_mr_hw_access(access),
	};
	struct xrdma_mr *mr;
	int err;

	err = ib_no_udata_io(udata);
	if (!err)
		err = access & IB_ACCESS_ON_DEMAND ?
		      xrdma_odp_check(xib, start, length, iova, access) :
		      xrdma_mr_check(xib, length, iova, access);
	if (err)
		return ERR_PTR(err);
	if (dmah)
		return ERR_PTR(-EOPNOTSUPP);
	mr = xrdma_mr_alloc();
	if (!mr)
		return ERR_PTR(-ENOMEM);
	err = xrdma_mr_attach(xib, mr, start, length, access);
	if (!err)
		err = xrdma_mr_give_key(xib, mr, &grant, xrdma_mr_flags(mr));
	if (err) {
		xrdma_mr_free(xib, mr);
		return ERR_PTR(err);
	}
	xrdma_ctx_add_region(ibpd, mr);
	return &mr->ibmr;
}

/**
 * xrdma_dereg_mr() - ib_device_ops.dereg_mr
 * @ibmr: the region, of any kind
 * @udata: contains no driver data, and gets none; NULL for the kernel
 *
 * Context: may sleep, for a bounded time.
 * Return: 0: the region is deregistered, and its memory is unpinned, or in
 * quarantine if xrdma_hw_silence() has failed; -EBUSY: windows are bound to the
 * region, and nothing has changed; or an errno of bad @udata.
 */
int xrdma_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibmr->device);
	struct xrdma_mr *mr = to_xmr(ibmr);
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;
	if (mr->dmabuf)
		err = xrdma_dmabuf_inval(xib, mr);
	else
		err = xrdma_ctx_inval(ibmr->pd, mr->key_index);
	if (err == -EBUSY)
		return err;
	if (!mr->dmabuf)
		xrdma_ctx_drop(ibmr->pd, &mr->ctx_entry);
	xrdma_odp_detach(mr);
	if (!err)
		xrdma_key_free(xib->keys, mr->key_index);
	xrdma_mr_release(xib, mr, err);
	return 0;
}
