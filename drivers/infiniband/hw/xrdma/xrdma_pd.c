// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA protection domains and XRC domains: allocates their numbers. No command
 * creates them in the device. Key entries (xrdma_mr.c), queue pairs
 * (xrdma_qp.c) and shared receive queues (xrdma_srq.c) contain the numbers.
 */

#include <rdma/uverbs_ioctl.h>
#include "xrdma_ibdev.h"
#include "xrdma_pd.h"

/**
 * xrdma_alloc_pd() - ib_device_ops.alloc_pd
 * @ibpd: the new protection domain
 * @udata: contains no driver data; gets struct xrdma_uresp_alloc_pd; NULL for
 *	the kernel
 *
 * Context: may sleep.
 * Return: 0; -ENOMEM: no number is free; or an errno of bad @udata.
 */
int xrdma_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibpd->device);
	struct xrdma_pd *pd = to_xpd(ibpd);
	struct xrdma_uresp_alloc_pd resp = {};
	int err, pdn;

	err = ib_is_udata_in_empty(udata);
	if (err)
		return err;
	pdn = ida_alloc_range(&xib->pds, 1, xib->hw.caps.max_pd - 1,
			      GFP_KERNEL);
	if (pdn < 0)
		return -ENOMEM;
	pd->pdn = pdn;
	if (!udata)
		return 0;

	resp.pdn = pdn;
	err = ib_respond_udata(udata, resp);
	if (err)
		ida_free(&xib->pds, pdn);
	return err;
}

/**
 * xrdma_dealloc_pd() - ib_device_ops.dealloc_pd
 * @ibpd: protection domain that no object uses
 * @udata: contains no driver data, and gets none; NULL for the kernel
 *
 * Context: may sleep.
 * Return: 0, or an errno of bad @udata.
 */
int xrdma_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibpd->device);
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;
	ida_free(&xib->pds, to_xpd(ibpd)->pdn);
	return 0;
}

/**
 * xrdma_alloc_xrcd() - ib_device_ops.alloc_xrcd
 * @ibxrcd: the new XRC domain
 * @udata: contains no driver data, and gets none; NULL for the kernel
 *
 * Context: may sleep.
 * Return: 0; -ENOMEM: no number is free; -EOPNOTSUPP: the device does not
 * support XRC; or an errno of bad @udata.
 */
int xrdma_alloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibxrcd->device);
	int err, xrcdn;

	err = ib_no_udata_io(udata);
	if (err)
		return err;
	if (!(xib->hw.caps.flags & XRDMA_CAP_XRC))
		return -EOPNOTSUPP;
	xrcdn = ida_alloc_range(&xib->xrcds, 1, XRDMA_XRCDN_MAX, GFP_KERNEL);
	if (xrcdn < 0)
		return -ENOMEM;
	to_xxrcd(ibxrcd)->xrcdn = xrcdn;
	return 0;
}

/**
 * xrdma_dealloc_xrcd() - ib_device_ops.dealloc_xrcd
 * @ibxrcd: XRC domain that no object uses
 * @udata: ignored
 *
 * The function never fails, not even for unexpected @udata. If it failed for a
 * domain without a file, ib_uverbs_dealloc_xrcd() would count one user more,
 * and that count would never drop to 0. Then a process could cause a kernel
 * warning by closing the device.
 *
 * Context: may sleep.
 * Return: 0.
 */
int xrdma_dealloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibxrcd->device);

	ida_free(&xib->xrcds, to_xxrcd(ibxrcd)->xrcdn);
	return 0;
}
