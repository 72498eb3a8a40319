// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA protection domains and XRC domains. Both are numbers that the driver
 * draws: no command tells the device of them. Key entries and queue pairs name
 * them (xrdma_mr.c, xrdma_qp.c).
 */

#include <rdma/uverbs_ioctl.h>
#include "xrdma_ibdev.h"
#include "xrdma_pd.h"

/**
 * xrdma_alloc_pd() - ib_device_ops.alloc_pd
 * @ibpd: protection domain
 * @udata: no driver data in; struct xrdma_uresp_alloc_pd out; NULL for the
 *	kernel
 *
 * Return: 0, -ENOMEM: no number is free; or an errno of bad @udata.
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
 * @ibpd: protection domain that nothing uses
 * @udata: no driver data in either direction; NULL for the kernel
 *
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
 * @ibxrcd: XRC domain
 * @udata: no driver data in either direction; NULL for the kernel
 *
 * Return: 0, -ENOMEM: no number is free; -EOPNOTSUPP: the device has no XRC; or
 * an errno of bad @udata.
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
 * @ibxrcd: XRC domain that nothing uses
 * @udata: whatever the process gave
 *
 * Never fails, not even for unexpected @udata: of a domain without a file, the
 * core takes the failure for one more user, ib_uverbs_dealloc_xrcd(), who never
 * leaves. The process could then make the kernel warn by closing the device.
 *
 * Return: 0.
 */
int xrdma_dealloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibxrcd->device);

	ida_free(&xib->xrcds, to_xxrcd(ibxrcd)->xrcdn);
	return 0;
}
