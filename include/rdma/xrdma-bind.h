/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Work request by which consumers in the kernel bind memory windows: InfiniBand
 * core has the opcode IB_WR_BIND_MW, but no structure for it. Contains nothing
 * of the device; the driver turns the request into a struct xrdma_bind_seg.
 */

#ifndef RDMA_XRDMA_BIND_H
#define RDMA_XRDMA_BIND_H

#include <rdma/ib_verbs.h>

/**
 * struct xrdma_bind_wr - work request that binds a memory window
 * @wr: base work request for ib_post_send(), with opcode IB_WR_BIND_MW and
 *	without scatter-gather entries
 * @mw: the window. mw->rkey is its present key. When the bind has completed, the
 *	consumer sets mw->rkey to @rkey.
 * @rkey: key of the window after the bind: the index of the present key, and
 *	another key byte (type 2: any key byte). See ib_inc_rkey().
 * @mr: the region, registered with IB_ACCESS_MW_BIND; NULL to unbind
 * @addr: address of the first byte of the window in the region; 0 to unbind
 * @length: number of bytes; 0 unbinds a window of type 1, and is refused for
 *	type 2
 * @access: remote rights of enum ib_access_flags; for type 2 also
 *	IB_ZERO_BASED: the first byte of the window has address 0; 0 to unbind
 *
 * The request completes with opcode IB_WC_BIND_MW. It completes with status
 * IB_WC_MW_BIND_ERR if the window is of type 2 and still bound (IB_WR_LOCAL_INV,
 * or IB_WR_SEND_WITH_INV of the peer, invalidates it first), or if the request
 * asks for more than the region grants.
 */
struct xrdma_bind_wr {
	struct ib_send_wr wr;
	struct ib_mw *mw;
	u32 rkey;
	struct ib_mr *mr;
	u64 addr;
	u64 length;
	int access;
};

static inline const struct xrdma_bind_wr *
xrdma_bind_wr(const struct ib_send_wr *wr)
{
	return container_of(wr, struct xrdma_bind_wr, wr);
}

#endif /* RDMA_XRDMA_BIND_H */
