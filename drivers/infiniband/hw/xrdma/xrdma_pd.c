// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA protection domains, which are numbers, and address vectors. Must not
 * know the device: no command is about either.
 */

#include "xrdma_verbs.h"

#define XRDMA_FLOW_LABEL	GENMASK(19, 0)

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
 * xrdma_pd_leave() - the user context of a protection domain ends
 * @ibpd: protection domain of a process; ib_core destroys what it has in it
 *
 * From now on its keys end together.
 */
void xrdma_pd_leave(struct ib_pd *ibpd)
{
	to_xpd(ibpd)->leaving = true;
}

/**
 * xrdma_make_av() - address vector from the attributes of an address handle
 * @av: filled in
 * @attr: of RoCE, with a GRH, checked and resolved by ib_core
 *
 * The device derives the UDP source port from the flow label, as
 * rdma_flow_label_to_udp_sport() would.
 */
void xrdma_make_av(struct xrdma_av *av, const struct rdma_ah_attr *attr)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);

	memset(av, 0, sizeof(*av));
	memcpy(av->dgid, grh->dgid.raw, sizeof(av->dgid));
	memcpy(av->dmac, attr->roce.dmac, sizeof(av->dmac));
	av->flow_label = cpu_to_le32(grh->flow_label & XRDMA_FLOW_LABEL);
	av->sgid_index = grh->sgid_index;
	av->hop_limit = grh->hop_limit;
	av->traffic_class = grh->traffic_class;
	av->sl = rdma_ah_get_sl(attr);
}
