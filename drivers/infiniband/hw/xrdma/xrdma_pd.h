/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA protection domains and XRC domains: structures, and functions of
 * xrdma_pd.c.
 */

#ifndef XRDMA_PD_H
#define XRDMA_PD_H

#include <rdma/ib_verbs.h>

/**
 * struct xrdma_pd - protection domain
 * @ibpd: verbs object
 * @pdn: protection domain number, 1 or more
 */
struct xrdma_pd {
	struct ib_pd ibpd;
	u32 pdn;
};

/**
 * struct xrdma_xrcd - XRC domain
 * @ibxrcd: verbs object
 * @xrcdn: XRC domain number, 1 to XRDMA_XRCDN_MAX
 */
struct xrdma_xrcd {
	struct ib_xrcd ibxrcd;
	u32 xrcdn;
};

static inline struct xrdma_pd *to_xpd(struct ib_pd *ibpd)
{
	return container_of(ibpd, struct xrdma_pd, ibpd);
}

static inline struct xrdma_xrcd *to_xxrcd(struct ib_xrcd *ibxrcd)
{
	return container_of(ibxrcd, struct xrdma_xrcd, ibxrcd);
}

/* xrdma_pd.c */
int xrdma_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int xrdma_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int xrdma_alloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata);
int xrdma_dealloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata);

#endif /* XRDMA_PD_H */
