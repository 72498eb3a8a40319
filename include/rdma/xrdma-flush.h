/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * FLUSH by consumers in the kernel: InfiniBand core has the opcode, IB_WR_FLUSH,
 * but no structure for it. Must not know the device.
 *
 * IB_WR_ATOMIC_WRITE needs none: it is a struct ib_rdma_wr with 8 bytes of
 * IB_SEND_INLINE data.
 */

#ifndef RDMA_XRDMA_FLUSH_H
#define RDMA_XRDMA_FLUSH_H

#include <rdma/ib_verbs.h>

/**
 * struct xrdma_flush_wr - work request that waits until writes are placed
 * @wr: with IB_WR_FLUSH; has no scatter-gather entries. Goes to ib_post_send().
 * @remote_addr: first byte; IB_FLUSH_MR: ignored
 * @length: bytes; IB_FLUSH_MR: ignored
 * @rkey: key of the memory, registered with IB_ACCESS_FLUSH_*
 * @type: IB_FLUSH_GLOBAL, IB_FLUSH_PERSISTENT
 * @level: IB_FLUSH_RANGE or IB_FLUSH_MR
 *
 * Completes with opcode IB_WC_FLUSH, when what the queue pair wrote to that
 * memory before is visible to all, or persistent.
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
