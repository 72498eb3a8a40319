// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA verbs of on-demand paging: advise_mr maps pages of paged regions before
 * the device needs them; capabilities and counters tell what happens. Page
 * faults of the device are handled in xrdma_odp_fault.c; pages are mapped in
 * xrdma_odp_map.c. Paged regions are registered in xrdma_mr_verbs.c.
 */

#include <net/netlink.h>
#include <rdma/restrack.h>
#include <rdma/uverbs_ioctl.h>
#include "xrdma_encode.h"
#include "xrdma_ibdev.h"
#include "xrdma_mr.h"
#include "xrdma_odp.h"

/* Bytes that are mapped at a time */
#define XRDMA_ADVISE_PIECE	SZ_4M

static int xrdma_advise_flags(enum ib_uverbs_advise_mr_advice advice, u32 *flags)
{
	switch (advice) {
	case IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH:
		*flags = 0;
		return 0;
	case IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE:
		*flags = XRDMA_ODP_MAP_WRITE;
		return 0;
	case IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT:
		*flags = XRDMA_ODP_MAP_PRESENT;
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

/* Position of an address in a region. Return: false: it is outside. */
static bool xrdma_advise_pos(const struct xrdma_mr *mr, const struct ib_sge *sge,
			     u64 *pos)
{
	u64 iova = mr->access & XRDMA_ACCESS_ZERO_BASED ? 0 : mr->ibmr.iova;
	u64 offset = sge->addr - iova;

	*pos = mr->mtt.offset + offset;
	return sge->addr >= iova && offset <= mr->ibmr.length &&
	       sge->length <= mr->ibmr.length - offset;
}

/* Belongs a region to the context of a protection domain? */
static bool xrdma_advise_is_own(struct ib_pd *ibpd, const struct xrdma_mr *mr)
{
	struct ib_pd *of = READ_ONCE(mr->ibmr.pd);

	/* ib_core sets the domain after the registration */
	return of && of->uobject &&
	       of->uobject->context == ibpd->uobject->context;
}

/* Check a scatter-gather entry against the region whose index its key has. */
static int xrdma_advise_check(struct ib_pd *ibpd, const struct xrdma_mr *mr,
			      const struct ib_sge *sge, u32 flags, u64 *pos)
{
	if (mr->ibmr.lkey != sge->lkey || !xrdma_advise_is_own(ibpd, mr))
		return -ENOENT;
	if (mr->ibmr.pd != ibpd)
		return -EPERM;
	if (flags & XRDMA_ODP_MAP_WRITE &&
	    !(mr->access & XRDMA_ACCESS_LOCAL_WRITE))
		return -EPERM;
	return xrdma_advise_pos(mr, sge, pos) || !sge->length ? 0 : -EFAULT;
}

/*
 * Find the region of a scatter-gather entry, and the position of its address.
 * Return: or an ERR_PTR().
 */
static struct xrdma_odp *xrdma_advise_get(struct ib_pd *ibpd,
					  const struct ib_sge *sge, u32 flags,
					  u64 *pos)
{
	struct xrdma_ibdev *xib = to_xibdev(ibpd->device);
	struct xrdma_odp *odp = xrdma_odp_get(xib, xrdma_key_index(sge->lkey));
	int err = -ENOENT;

	if (!odp)
		return ERR_PTR(-ENOENT);
	if (xrdma_odp_begin(odp)) {
		err = xrdma_advise_check(ibpd, odp->mr, sge, flags, pos);
		xrdma_odp_end(odp);
	}
	if (!err)
		return odp;
	xrdma_odp_put(odp);
	return ERR_PTR(err);
}

static int xrdma_advise_map(struct xrdma_odp *odp, u64 pos, u64 bytes, u32 flags)
{
	u64 end = pos + bytes, next;
	int err = 0;

	for (; !err && pos < end; pos = next) {
		next = min(round_down(pos, XRDMA_ADVISE_PIECE) +
			   XRDMA_ADVISE_PIECE, end);
		err = xrdma_odp_prefetch(odp, pos, next - pos, flags);
	}
	return err;
}

/* Without @flush, only a wrong entry is an error, not a page without mapping. */
static int xrdma_advise_one(struct ib_pd *ibpd, const struct ib_sge *sge,
			    u32 flags, bool flush)
{
	struct xrdma_odp *odp;
	int err;
	u64 pos;

	odp = xrdma_advise_get(ibpd, sge, flags, &pos);
	if (IS_ERR(odp))
		return PTR_ERR(odp);
	err = xrdma_advise_map(odp, pos, sge->length, flags);
	if (!err)
		atomic64_add(DIV_ROUND_UP(sge->length, XRDMA_PAGE_SIZE),
			     &odp->stats[XRDMA_ODP_PREFETCHES]);
	else if (!flush && err != -EINTR && err != -EIO)
		err = 0;
	xrdma_odp_put(odp);
	return err;
}

/*
 * xrdma_advise_mr() - ib_device_ops.advise_mr
 * @ibpd: protection domain of the regions
 * @advice: prefetch for reads, or for writes, or only pages that the process has
 *	present
 * @flags: IB_UVERBS_ADVISE_MR_FLAG_FLUSH or 0
 * @sg_list: addresses and keys of paged regions
 * @num_sge: number of entries in @sg_list
 * @attrs: contains no driver data, and gets none
 *
 * The pages are mapped when the function returns, with or without FLUSH. Without
 * FLUSH, a page that cannot be mapped is no error, because the call may be one
 * of many hints.
 *
 * Context: may sleep, for 10 s at most for each 4 MiB.
 * Return: 0; -EOPNOTSUPP: unknown @advice, or no on-demand paging; -EINVAL:
 * unknown @flags; -ENOENT: no paged region of this context has this key; -EPERM:
 * the region belongs to another protection domain, or does not allow writes;
 * -EFAULT: an address is outside of the region, or, with FLUSH, of all mappings;
 * -EINTR: the process has been killed; -EIO: the device is about to go; with
 * FLUSH also -ENOMEM, -EBUSY, or -ETIMEDOUT: the pages do not arrive.
 */
static int xrdma_advise_mr(struct ib_pd *ibpd,
			   enum ib_uverbs_advise_mr_advice advice, u32 flags,
			   struct ib_sge *sg_list, u32 num_sge,
			   struct uverbs_attr_bundle *attrs)
{
	bool flush = flags & IB_UVERBS_ADVISE_MR_FLAG_FLUSH;
	u32 i, map_flags;
	int err;

	if (flags & ~IB_UVERBS_ADVISE_MR_FLAG_FLUSH)
		return -EINVAL;
	err = xrdma_advise_flags(advice, &map_flags);
	for (i = 0; !err && i < num_sge; i++)
		err = xrdma_advise_one(ibpd, &sg_list[i], map_flags, flush);
	return err;
}

static const char *const xrdma_odp_stat_names[] = {
	[XRDMA_ODP_FAULTS] = "page_faults",
	[XRDMA_ODP_PAGES] = "pages_mapped",
	[XRDMA_ODP_INVALIDATIONS] = "page_invalidations",
	[XRDMA_ODP_PREFETCHES] = "page_prefetch",
	[XRDMA_ODP_WAITS] = "page_waits",
};

static_assert(ARRAY_SIZE(xrdma_odp_stat_names) == XRDMA_ODP_NUM_STATS);

/* ib_device_ops.fill_stat_mr_entry. Return: 0 or -EMSGSIZE. */
static int xrdma_fill_stat_mr_entry(struct sk_buff *msg, struct ib_mr *ibmr)
{
	struct xrdma_odp *odp = to_xmr(ibmr)->odp;
	struct nlattr *table;
	int i, err = 0;

	if (!odp)
		return 0;
	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
	if (!table)
		return -EMSGSIZE;
	for (i = 0; !err && i < XRDMA_ODP_NUM_STATS; i++)
		err = rdma_nl_stat_hwcounter_entry(msg, xrdma_odp_stat_names[i],
						   atomic64_read(&odp->stats[i]));
	if (err) {
		nla_nest_cancel(msg, table);
		return err;
	}
	nla_nest_end(msg, table);
	return 0;
}

/* Verbs of a device with on-demand paging */
const struct ib_device_ops xrdma_odp_ops = {
	.advise_mr = xrdma_advise_mr,
	.fill_stat_mr_entry = xrdma_fill_stat_mr_entry,
};

/**
 * xrdma_odp_fill_caps() - report on-demand paging
 * @xib: the device
 * @attr: output: capabilities, by transport; nothing without on-demand paging.
 *	Receives of unreliable transports are dropped while a page is missing,
 *	and therefore not reported
 *
 * Context: any.
 */
void xrdma_odp_fill_caps(const struct xrdma_ibdev *xib,
			 struct ib_device_attr *attr)
{
	u32 sends = IB_ODP_SUPPORT_SEND | IB_ODP_SUPPORT_WRITE;
	u32 all = sends | IB_ODP_SUPPORT_RECV | IB_ODP_SUPPORT_READ |
		  IB_ODP_SUPPORT_ATOMIC | IB_ODP_SUPPORT_SRQ_RECV;

	if (!xib->odp)
		return;
	attr->kernel_cap_flags |= IBK_ON_DEMAND_PAGING;
	attr->odp_caps.general_caps = IB_ODP_SUPPORT | IB_ODP_SUPPORT_IMPLICIT;
	attr->odp_caps.per_transport_caps.rc_odp_caps = all;
	attr->odp_caps.per_transport_caps.xrc_odp_caps = all;
	attr->odp_caps.per_transport_caps.uc_odp_caps = sends;
	attr->odp_caps.per_transport_caps.ud_odp_caps = IB_ODP_SUPPORT_SEND;
}
