/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Work request by which consumers in the kernel post a FLUSH: InfiniBand core
 * has the opcode IB_WR_FLUSH, but no structure for it. Contains nothing of the
 * device; the driver turns the request into a struct xrdma_sq_wqe.
 *
 * ATOMIC_WRITE needs no structure of its own: IB_WR_ATOMIC_WRITE takes a struct
 * ib_rdma_wr with 8 bytes of IB_SEND_INLINE data.
 */

#ifndef RDMA_XRDMA_FLUSH_H
#define RDMA_XRDMA_FLUSH_H

#include <rdma/ib_verbs.h>

/**
 * struct xrdma_flush_wr - work request that waits until writes are placed
 * @wr: base work request for ib_post_send(), with opcode IB_WR_FLUSH and
 *	without scatter-gather entries
 * @remote_addr: first remote address; ignored with IB_FLUSH_MR
 * @length: number of bytes; ignored with IB_FLUSH_MR
 * @rkey: key of the remote memory, registered with IB_ACCESS_FLUSH_*
 * @type: placement type: IB_FLUSH_GLOBAL, IB_FLUSH_PERSISTENT
 * @level: IB_FLUSH_RANGE or IB_FLUSH_MR
 *
 * The request completes with opcode IB_WC_FLUSH when all data that the queue
 * pair wrote to that memory before are visible to all (IB_FLUSH_GLOBAL), or
 * persistent (IB_FLUSH_PERSISTENT).
 */
struct xrdma_flush_wr {
	struct ib_send_wr wr;
	u64 remote_addr;
	u32 length;
	u32 rkey;
	u32 type;
	u32 level;
};

static inline const struct xrdma_flush_wr *
xrdma_flush_wr(const struct ib_send_wr *wr)
{
	return container_of(wr, struct xrdma_flush_wr, wr);
}

#endif /* RDMA_XRDMA_FLUSH_H */
