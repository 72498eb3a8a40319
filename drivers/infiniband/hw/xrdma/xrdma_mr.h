/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA memory regions: xrdma_mr.c has what all kinds have in common,
 * xrdma_mr_verbs.c registers and deregisters, xrdma_rereg.c changes a region in
 * place. Other kinds: xrdma_frmr.h, xrdma_dmabuf.h, xrdma_dm.h.
 */

#ifndef XRDMA_MR_H
#define XRDMA_MR_H

#include <linux/list.h>
#include <rdma/ib_verbs.h>
#include "xrdma_mtt.h"

struct ib_dmah;
struct ib_umem;
struct xrdma_ibdev;

/* enum ib_access_flags that key entries have, or that are hints. */
#define XRDMA_IB_ACCESS							\
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |		\
	 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC |		\
	 IB_ACCESS_MW_BIND | IB_ZERO_BASED | IB_ACCESS_FLUSH_GLOBAL |	\
	 IB_ACCESS_FLUSH_PERSISTENT | IB_ACCESS_OPTIONAL)

/**
 * struct xrdma_mr - memory region
 * @ibmr: verbs object
 * @umem: pinned memory, of user regions
 * @mtt: translation, but of DMA regions; of device memory, only its offset
 * @ctx_entry: in xrdma_ucontext.regions, unless it is the kernel's or of a
 *	dma-buf; later in xrdma_quarantine.regions, if a dead device may still
 *	use its memory
 * @key_index: entry in the key table
 * @access: enum xrdma_access, as published
 * @dmabuf: @umem is that of a dma-buf
 * @revoked: the owner of the dma-buf has taken the memory back, and the key is
 *	invalid; under xrdma_dmabuf_lock()
 */
struct xrdma_mr {
	struct ib_mr ibmr;
	struct ib_umem *umem;
	struct xrdma_mtt mtt;
	struct list_head ctx_entry;
	u32 key_index;
	u16 access;
	bool dmabuf;
	bool revoked;
};

/**
 * struct xrdma_grant - what a key gives
 * @iova: address of the first byte; does not count if it is zero-based
 * @length: bytes
 * @pdn: protection domain
 * @access: enum xrdma_access
 */
struct xrdma_grant {
	u64 iova;
	u64 length;
	u32 pdn;
	u16 access;
};

static inline struct xrdma_mr *to_xmr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct xrdma_mr, ibmr);
}

/* xrdma_mr.c */
u16 xrdma_mr_rights(int access);
int xrdma_mr_flags(u16 rights);
struct xrdma_mr *xrdma_mr_alloc(void);
void xrdma_mr_free(struct xrdma_ibdev *xib, struct xrdma_mr *mr);
int xrdma_mr_check(struct xrdma_ibdev *xib, u64 length, u64 iova, int access);
struct ib_umem *xrdma_mr_pin(struct xrdma_ibdev *xib, struct xrdma_mtt *mtt,
			     u64 start, u64 length, int access);
int xrdma_mr_give_key(struct xrdma_ibdev *xib, struct xrdma_mr *mr,
		      const struct xrdma_grant *grant, u64 flags);
void xrdma_mr_publish(struct xrdma_ibdev *xib, u32 key,
		      const struct xrdma_grant *grant,
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
