/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Binding of memory windows by consumers in the kernel: InfiniBand core has the
 * opcode, IB_WR_BIND_MW, but no structure for it. Must not know the device.
 */

#ifndef RDMA_XRDMA_BIND_H
#define RDMA_XRDMA_BIND_H

#include <rdma/ib_verbs.h>

/**
 * struct xrdma_bind_wr - work request that binds a memory window
 * @wr: with IB_WR_BIND_MW; has no scatter-gather entries. Goes to
 *	ib_post_send().
 * @mw: the window; its rkey is the present key, and becomes @rkey when the
 *	bind has completed: that is the consumer's to write
 * @rkey: the key that the window shall have: index of the present one, and
 *	another key byte (type 2: any). See ib_inc_rkey().
 * @mr: the region, registered with IB_ACCESS_MW_BIND; NULL to unbind
 * @addr: first byte of the window, as the region is addressed; 0 to unbind
 * @length: bytes; 0 unbinds a window of type 1, and is refused for type 2
 * @access: remote rights of enum ib_access_flags; IB_ZERO_BASED: the first byte
 *	of a window of type 2 shall have address 0; 0 to unbind
 *
 * Completes with opcode IB_WC_BIND_MW. A window of type 2 that is bound has to
 * be invalidated first (IB_WR_LOCAL_INV, or IB_WR_SEND_WITH_INV of the peer),
 * or the bind completes with IB_WC_MW_BIND_ERR, as does one that asks for more
 * than the region has.
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
