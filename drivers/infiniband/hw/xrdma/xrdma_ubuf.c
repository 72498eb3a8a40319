// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA rings in the memory of a process: pins and unpins the memory, and
 * translates it for the device. The rings belong to queues: xrdma_cq.c,
 * xrdma_cq_modify.c, xrdma_uqp.c and xrdma_srq.c. xrdma_quarantine.c keeps
 * rings that a dead device may still access.
 */

#include <linux/log2.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include "xrdma_ibdev.h"
#include "xrdma_mtt.h"
#include "xrdma_ubuf.h"
#include "xrdma_wq.h"

/**
 * xrdma_ubuf_ring_ok() - check the layout of a ring that a process has chosen
 * @caps: capabilities of the device
 * @log_depth: log2 of the number of entries
 * @log_stride: log2 of the bytes of an entry
 * @log_stride_min: smallest value of @log_stride for this kind of ring
 *
 * Context: any.
 * Return: false if the device would refuse the layout.
 */
bool xrdma_ubuf_ring_ok(const struct xrdma_caps *caps, u8 log_depth,
			u8 log_stride, u8 log_stride_min)
{
	return log_stride >= log_stride_min &&
	       log_stride <= XRDMA_LOG_STRIDE_MAX &&
	       log_depth <= ilog2(caps->max_qp_wr);
}

/**
 * xrdma_ubuf_map() - pin and translate rings and their record
 * @xib: the device
 * @ubuf: output: the rings; position 0 of the translation is the byte at @addr
 * @addr: address of the rings in the calling process, page-aligned
 * @size: size of rings and record in bytes
 *
 * Context: may sleep.
 * Return: 0, an error of ib_umem_get_va(), or -ENOMEM.
 */
int xrdma_ubuf_map(struct xrdma_ibdev *xib, struct xrdma_ubuf *ubuf, u64 addr,
		   u64 size)
{
	struct xrdma_ubuf *spare = kzalloc_obj(*spare, GFP_KERNEL_ACCOUNT);
	struct ib_umem *mem;
	int err;

	if (!spare)
		return -ENOMEM;
	mem = ib_umem_get_va(&xib->ibdev, addr, size, IB_ACCESS_LOCAL_WRITE);
	if (IS_ERR(mem)) {
		kfree(spare);
		return PTR_ERR(mem);
	}
	err = xrdma_mtt_build(&xib->hw, &ubuf->mtt, &mem->sgt_append.sgt,
			      ib_umem_offset(mem), size, true);
	if (err) {
		ib_umem_release(mem);
		kfree(spare);
		return err;
	}
	ubuf->umem = mem;
	ubuf->spare = spare;
	return 0;
}

/**
 * xrdma_ubuf_unmap() - unpin rings of xrdma_ubuf_map()
 * @xib: the device, which does not access the rings any more
 * @ubuf: the rings; empty afterwards
 *
 * Context: may sleep.
 */
void xrdma_ubuf_unmap(struct xrdma_ibdev *xib, struct xrdma_ubuf *ubuf)
{
	xrdma_mtt_free(&xib->hw, &ubuf->mtt);
	ib_umem_release(ubuf->umem);
	kfree(ubuf->spare);
	ubuf->umem = NULL;
	ubuf->spare = NULL;
}

/**
 * xrdma_ubuf_swap() - exchange the contents of two structures
 * @a: rings of xrdma_ubuf_map()
 * @b: rings of xrdma_ubuf_map()
 *
 * Context: any. The caller serialises the use of @a and @b.
 */
void xrdma_ubuf_swap(struct xrdma_ubuf *a, struct xrdma_ubuf *b)
{
	struct xrdma_mtt mtt;

	swap(a->umem, b->umem);
	swap(a->spare, b->spare);
	xrdma_mtt_move(&mtt, &a->mtt);
	xrdma_mtt_move(&a->mtt, &b->mtt);
	xrdma_mtt_move(&b->mtt, &mtt);
}
