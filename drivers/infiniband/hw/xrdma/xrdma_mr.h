/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA memory regions: struct xrdma_mr for regions of all kinds. xrdma_mr.c
 * has the functions that all kinds share, xrdma_mr_verbs.c registers and
 * deregisters, xrdma_rereg.c changes a registered region. Functions of single
 * kinds are in xrdma_frmr.h, xrdma_dmabuf.h and xrdma_dm.h.
 */

#ifndef XRDMA_MR_H
#define XRDMA_MR_H

#include <linux/list.h>
#include <rdma/ib_verbs.h>
#include "xrdma_mtt.h"

struct ib_dmah;
struct ib_umem;
struct xrdma_ibdev;
struct xrdma_odp;

/* enum ib_access_flags that key entries contain, and optional flags. */
#define XRDMA_IB_ACCESS							\
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |		\
	 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC |		\
	 IB_ACCESS_MW_BIND | IB_ZERO_BASED | IB_ACCESS_FLUSH_GLOBAL |	\
	 IB_ACCESS_FLUSH_PERSISTENT | IB_ACCESS_OPTIONAL)

/**
 * struct xrdma_mr - memory region
 * @ibmr: verbs object
 * @umem: memory of a process or of a dma-buf; NULL in other regions
 * @odp: memory of a paged region; NULL in other regions. If the memory belongs
 *	to a dma-buf, @umem is set, too
 * @mtt: translation; empty in a region of all bus addresses. In a region of
 *	device memory only the offset is set
 * @ctx_entry: entry in xrdma_ucontext.regions, but for regions of the kernel
 *	and of dma-bufs; after deregistration, entry in
 *	xrdma_quarantine.regions, if a dead device may still access the memory
 * @key_index: index of the key entry
 * @access: enum xrdma_access: rights in the key entry
 * @dmabuf: true: @umem is memory of a dma-buf
 * @end_use: ends the device's use of the memory of a dma-buf when its exporter
 *	revokes or moves the memory; NULL: the device does not use the memory. The
 *	mapping is removed afterwards. Protected by xrdma_dmabuf_lock()
 * @revoked: true: the exporter of the dma-buf has revoked the mapping, and the
 *	key is invalid; protected by xrdma_dmabuf_lock()
 */
struct xrdma_mr {
	struct ib_mr ibmr;
	struct ib_umem *umem;
	struct xrdma_odp *odp;
	struct xrdma_mtt mtt;
	struct list_head ctx_entry;
	void (*end_use)(struct xrdma_mr *mr);
	u32 key_index;
	u16 access;
	bool dmabuf;
	bool revoked;
};

/**
 * struct xrdma_key_grant - addresses and rights that the key of a region grants
 * @iova: address of the first byte under the key; ignored if @access contains
 *	XRDMA_ACCESS_ZERO_BASED
 * @length: length of the region in bytes
 * @pdn: protection domain number
 * @access: enum xrdma_access
 */
struct xrdma_key_grant {
	u64 iova;
	u64 length;
	u32 pdn;
	u16 access;
};

static inline struct xrdma_mr *to_xmr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct xrdma_mr, ibmr);
}

/**
 * xrdma_mr_flags() - flags of the key entry of a region
 * @mr: the region, with its translation. It does not cover all bus addresses
 *	(xrdma_get_dma_mr())
 *
 * Return: XRDMA_MPT_PAGED, XRDMA_MPT_DEVICE or 0.
 */
static inline u64 xrdma_mr_flags(const struct xrdma_mr *mr)
{
	return mr->odp ? XRDMA_MPT_PAGED : xrdma_mtt_flags(&mr->mtt);
}

/* xrdma_mr.c */
u16 xrdma_mr_hw_access(int access);
int xrdma_mr_ib_access(u16 rights);
struct xrdma_mr *xrdma_mr_alloc(void);
void xrdma_mr_free(struct xrdma_ibdev *xib, struct xrdma_mr *mr);
int xrdma_mr_check(struct xrdma_ibdev *xib, u64 length, u64 iova, int access);
struct ib_umem *xrdma_mr_pin(struct xrdma_ibdev *xib, struct xrdma_mtt *mtt,
			     u64 start, u64 length, int access);
int xrdma_mr_give_key(struct xrdma_ibdev *xib, struct xrdma_mr *mr,
		      const struct xrdma_key_grant *grant, u64 flags);
void xrdma_mr_publish(struct xrdma_ibdev *xib, u32 key,
		      const struct xrdma_key_grant *grant,
		      const struct xrdma_mtt *mtt, u64 flags);

/* xrdma_mr_verbs.c */
struct ib_mr *xrdma_get_dma_mr(struct ib_pd *ibpd, int access);
struct ib_mr *xrdma_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
				u64 iova, int access, struct ib_dmah *dmah,
				struct ib_udata *udata);
int xrdma_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);

/* xrdma_rereg.c */
struct ib_mr *xrdma_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start,
				  u64 length, u64 iova, int access,
				  struct ib_pd *ibpd, struct ib_udata *udata);

#endif /* XRDMA_MR_H */
