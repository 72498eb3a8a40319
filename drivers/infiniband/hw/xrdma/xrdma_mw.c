// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA memory windows: allocates and frees the key entries that work requests
 * bind to regions. The work requests are encoded in xrdma_wqe.c, key entries
 * are written in xrdma_key.c. From allocation to INVALIDATE only the device
 * writes the entry of a window.
 */

#include <rdma/uverbs_ioctl.h>
#include "xrdma_ctx.h"
#include "xrdma_encode.h"
#include "xrdma_ibdev.h"
#include "xrdma_key.h"
#include "xrdma_mw.h"
#include "xrdma_pd.h"

static bool xrdma_mw_offered(const struct xrdma_caps *caps,
			     enum ib_mw_type type)
{
	u64 type_2 = XRDMA_CAP_MW_TYPE_2A | XRDMA_CAP_MW_TYPE_2B;

	return caps->flags & (type == IB_MW_TYPE_1 ? XRDMA_CAP_MW_TYPE_1 :
						     type_2);
}

/**
 * xrdma_alloc_mw() - ib_device_ops.alloc_mw
 * @ibmw: the new window, with type and protection domain; not bound afterwards
 * @udata: contains no driver data, and gets none; NULL for the kernel
 *
 * Context: may sleep.
 * Return: 0; -EOPNOTSUPP: the device has no windows of this type; -EIO: the
 * device is dead; -ENOSPC: no key is free; -ENOMEM; -EINTR: the calling process
 * has been killed; or an errno of bad @udata.
 */
int xrdma_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibmw->device);
	u8 type = ibmw->type == IB_MW_TYPE_1 ? XRDMA_MPT_MW_1 : XRDMA_MPT_MW_2;
	struct xrdma_mw *mw = to_xmw(ibmw);
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;
	if (xrdma_dead(&xib->hw))
		return -EIO;
	if (!xrdma_mw_offered(&xib->hw.caps, ibmw->type))
		return -EOPNOTSUPP;
	err = xrdma_key_alloc_free(xib->keys, type, to_xpd(ibmw->pd)->pdn,
				   &ibmw->rkey);
	if (err)
		return err;
	mw->key_index = xrdma_key_index(ibmw->rkey);
	xrdma_ctx_add_window(ibmw->pd, mw);
	return 0;
}

/**
 * xrdma_dealloc_mw() - ib_device_ops.dealloc_mw
 * @ibmw: the window, bound or not
 *
 * If INVALIDATE and xrdma_hw_silence() fail, the key is never allocated again.
 * A window has no memory, so nothing goes into quarantine.
 *
 * Context: may sleep, for a bounded time.
 * Return: 0.
 */
int xrdma_dealloc_mw(struct ib_mw *ibmw)
{
	struct xrdma_ibdev *xib = to_xibdev(ibmw->device);
	struct xrdma_mw *mw = to_xmw(ibmw);

	if (!xrdma_ctx_inval(ibmw->pd, mw->key_index))
		xrdma_key_free(xib->keys, mw->key_index);
	xrdma_ctx_drop(ibmw->pd, &mw->ctx_entry);
	return 0;
}
