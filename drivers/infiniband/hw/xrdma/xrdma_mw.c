// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA memory windows: allocates and frees the key entries that work requests
 * bind to regions. Bindings are between the consumer (xrdma_wqe.c) and the
 * device: the entry belongs to the device from allocation to INVALIDATE.
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
 * @ibmw: to become a window, free; of its type and protection domain
 * @udata: no driver data in either direction; NULL for the kernel
 *
 * Return: 0; -EOPNOTSUPP: not of that type; -EIO: the device is dead; -ENOSPC:
 * no key is left; -ENOMEM; or an errno of bad @udata.
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
 * If the device cannot be silenced the key is lost; a window has no memory.
 *
 * Context: may sleep, for a bounded time.
 * Return: 0: nothing is or can be accessed by it any more.
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
