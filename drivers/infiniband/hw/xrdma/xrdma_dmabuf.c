// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA memory regions of a dma-buf: memory that belongs to another driver,
 * which may take it back at any time. Then the key is invalidated, and the
 * region stays, without memory, until it is deregistered (xrdma_mr_verbs.c).
 * What all regions have in common is in xrdma_mr.c, batches of INVALIDATE are
 * in xrdma_inval.c.
 *
 * Taking back cannot be refused. So there are no windows on such a region, and
 * a device that does not answer is reset at once.
 */

#include <linux/dma-buf.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include <rdma/uverbs_ioctl.h>
#include "xrdma_dm.h"
#include "xrdma_dmabuf.h"
#include "xrdma_ibdev.h"
#include "xrdma_inval.h"
#include "xrdma_mr.h"
#include "xrdma_mtt.h"
#include "xrdma_pd.h"

/**
 * xrdma_dmabuf_lock() - keep the owner of a dma-buf from taking it back
 * @mr: region of any kind
 *
 * Context: may sleep. Protects xrdma_mr.revoked.
 */
void xrdma_dmabuf_lock(struct xrdma_mr *mr)
{
	if (mr->dmabuf)
		ib_umem_dmabuf_revoke_lock(to_ib_umem_dmabuf(mr->umem));
}

/**
 * xrdma_dmabuf_unlock() - the end of xrdma_dmabuf_lock()
 * @mr: the region
 */
void xrdma_dmabuf_unlock(struct xrdma_mr *mr)
{
	if (mr->dmabuf)
		ib_umem_dmabuf_revoke_unlock(to_ib_umem_dmabuf(mr->umem));
}

/*
 * Called when the owner of a dma-buf takes it back. A device that has stopped
 * working may still access the memory, so it is silenced first.
 */
static void xrdma_dmabuf_silence(void *priv)
{
	struct xrdma_mr *mr = priv;
	struct xrdma_ibdev *xib = to_xibdev(mr->ibmr.device);

	xrdma_fatal(&xib->hw,
		    "a dma-buf was taken back, but key index %#x cannot be invalidated",
		    mr->key_index);
	if (!xrdma_hw_silence(&xib->hw))
		ibdev_err_ratelimited(&xib->ibdev,
				      "the owner of a dma-buf has taken it back, but the device cannot be reset and may use it: key index %#x\n",
				      mr->key_index);
}

/*
 * Called once at most, by the owner of the memory or by the end of the umem;
 * when it returns, the memory is unmapped.
 */
static void xrdma_dmabuf_revoke(void *priv)
{
	struct xrdma_mr *mr = priv;
	struct xrdma_ibdev *xib = to_xibdev(mr->ibmr.device);

	if (mr->revoked)
		return;
	mr->revoked = true;
	if (xrdma_inval_key(xib, mr->key_index))
		xrdma_dmabuf_silence(mr);
}

/**
 * xrdma_dmabuf_inval() - fence: end all use of a region of a dma-buf
 * @xib: the device
 * @mr: the region, which is about to go
 *
 * Context: may sleep, for a bounded time.
 * Return: as xrdma_inval_key(). Whoever has the memory from now on needs the
 * region no more.
 */
int xrdma_dmabuf_inval(struct xrdma_ibdev *xib, struct xrdma_mr *mr)
{
	int err;

	xrdma_dmabuf_lock(mr);
	if (mr->revoked)
		err = xrdma_may_touch(&xib->hw) ? -EIO : 0;
	else
		err = xrdma_inval_key(xib, mr->key_index);
	if (err != -EBUSY)
		ib_umem_dmabuf_set_revoke_locked(to_ib_umem_dmabuf(mr->umem),
						 err ? xrdma_dmabuf_silence :
						       NULL, mr);
	xrdma_dmabuf_unlock(mr);
	return err;
}

/**
 * xrdma_dmabuf_abandon() - nobody asks this driver any more
 * @umem: memory, of a dma-buf or not, that is never given back
 *
 * Context: may sleep.
 */
void xrdma_dmabuf_abandon(struct ib_umem *umem)
{
	struct ib_umem_dmabuf *dmabuf;

	if (!umem || !umem->is_dmabuf)
		return;
	dmabuf = to_ib_umem_dmabuf(umem);
	ib_umem_dmabuf_revoke_lock(dmabuf);
	ib_umem_dmabuf_set_revoke_locked(dmabuf, NULL, NULL);
	ib_umem_dmabuf_revoke_unlock(dmabuf);
}

static bool xrdma_dmabuf_is_aligned(struct sg_table *sgt)
{
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_dma_sg(sgt, sg, i)
		if ((sg_dma_address(sg) | sg_dma_len(sg)) &
		    (XRDMA_PAGE_SIZE - 1))
			return false;
	return true;
}

/*
 * Memory of this device, which ib_core has exported, becomes a region of device
 * memory: a function cannot reach its own BAR by the bus.
 */
static int xrdma_dmabuf_translate(struct xrdma_ibdev *xib, struct xrdma_mr *mr,
				  u64 length)
{
	struct sg_table *sgt = &mr->umem->sgt_append.sgt;
	u64 addr = sg_dma_address(sgt->sgl);

	if (xrdma_dm_owns(xib, addr)) {
		mr->mtt.offset = addr - xib->hw.dm_bus +
				 ib_umem_offset(mr->umem);
		return 0;
	}
	if (!xrdma_dmabuf_is_aligned(sgt))
		return -EINVAL;
	return xrdma_mtt_build(&xib->hw, &mr->mtt, sgt,
			       ib_umem_offset(mr->umem), length, false);
}

/* With the dma-buf locked: from its memory to a key. */
static int xrdma_dmabuf_publish(struct xrdma_ibdev *xib, struct xrdma_mr *mr,
				const struct xrdma_grant *grant)
{
	struct ib_umem_dmabuf *dmabuf = to_ib_umem_dmabuf(mr->umem);
	int err;

	err = xrdma_dmabuf_translate(xib, mr, grant->length);
	if (err)
		return err;
	err = xrdma_mr_give_key(xib, mr, grant, xrdma_mtt_flags(&mr->mtt));
	if (err) {
		xrdma_mtt_free(&xib->hw, &mr->mtt);
		return err;
	}
	/* what it asks of the region, ib_core fills in too late */
	mr->ibmr.device = &xib->ibdev;
	ib_umem_dmabuf_set_revoke_locked(dmabuf, xrdma_dmabuf_revoke, mr);
	return 0;
}

/*
 * Called with the dma-buf locked when its owner takes the memory back or moves it.
 * Either ends the region's use of the memory: the device cannot wait for new
 * addresses.
 */
static void xrdma_dmabuf_invalidate(struct dma_buf_attachment *attach)
{
	struct ib_umem_dmabuf *dmabuf = attach->importer_priv;

	if (dmabuf->revoked)
		return;
	if (dmabuf->pinned_revoke)
		dmabuf->pinned_revoke(dmabuf->private);
	ib_umem_dmabuf_unmap_pages(dmabuf);
	if (dmabuf->pinned)
		dma_buf_unpin(dmabuf->attach);
	dmabuf->pinned = 0;
	dmabuf->revoked = 1;
}

static const struct dma_buf_attach_ops xrdma_dmabuf_attach_ops = {
	.allow_peer2peer = true,
	.invalidate_mappings = xrdma_dmabuf_invalidate,
};

/*
 * As ib_umem_dmabuf_get_pinned_revocable_and_lock(), but for exporters that cannot
 * pin too. Such an exporter, as ib_core's of device memory, does not move its
 * memory; it only takes it back.
 */
static struct ib_umem_dmabuf *xrdma_dmabuf_get(struct xrdma_ibdev *xib,
					       u64 offset, u64 length, int fd,
					       int access)
{
	struct ib_umem_dmabuf *dmabuf;
	int err;

	dmabuf = ib_umem_dmabuf_get(&xib->ibdev, offset, length, fd, access,
				    &xrdma_dmabuf_attach_ops);
	if (IS_ERR(dmabuf))
		return dmabuf;
	ib_umem_dmabuf_revoke_lock(dmabuf);
	err = dma_buf_pin(dmabuf->attach);
	dmabuf->pinned = !err;
	if (!err || err == -EOPNOTSUPP)
		err = ib_umem_dmabuf_map_pages(dmabuf);
	if (!err)
		return dmabuf;
	ib_umem_dmabuf_revoke_unlock(dmabuf);
	ib_umem_release(&dmabuf->umem);
	return ERR_PTR(err);
}

/**
 * xrdma_reg_user_mr_dmabuf() - ib_device_ops.reg_user_mr_dmabuf
 * @ibpd: protection domain
 * @offset: first byte in the dma-buf
 * @length: bytes, 1 or more; @iova + @length may not exceed 2^64
 * @iova: address of the first byte under the key, any
 * @fd: the dma-buf, with a file of any mode: the mode restricts mmap(), and no
 *	importer asks for it
 * @access: enum ib_access_flags
 * @dmah: not supported
 * @attrs: no driver data in either direction
 *
 * Return: the region or an ERR_PTR(): an errno of xrdma_mr_check(), of the owner
 * of the dma-buf, -EBADF, -EINVAL: not a dma-buf, or out of its bounds; -ENOSPC:
 * no key left; -ENOMEM.
 */
struct ib_mr *xrdma_reg_user_mr_dmabuf(struct ib_pd *ibpd, u64 offset,
				       u64 length, u64 iova, int fd, int access,
				       struct ib_dmah *dmah,
				       struct uverbs_attr_bundle *attrs)
{
	struct xrdma_ibdev *xib = to_xibdev(ibpd->device);
	struct xrdma_grant grant = {
		.iova = iova,
		.length = length,
		.pdn = to_xpd(ibpd)->pdn,
		.access = xrdma_mr_rights(access),
	};
	struct ib_umem_dmabuf *dmabuf;
	struct xrdma_mr *mr;
	int err;

	if (dmah || access & IB_ACCESS_MW_BIND)
		return ERR_PTR(-EOPNOTSUPP);
	err = ib_no_udata_io(&attrs->driver_udata) ?:
	      xrdma_mr_check(xib, length, iova, access);
	if (err)
		return ERR_PTR(err);
	mr = xrdma_mr_alloc();
	if (!mr)
		return ERR_PTR(-ENOMEM);
	dmabuf = xrdma_dmabuf_get(xib, offset, length, fd, access);
	if (IS_ERR(dmabuf)) {
		kfree(mr);
		return ERR_CAST(dmabuf);
	}
	mr->dmabuf = true;
	mr->umem = &dmabuf->umem;
	err = xrdma_dmabuf_publish(xib, mr, &grant);
	xrdma_dmabuf_unlock(mr);
	if (err) {
		ib_umem_release(mr->umem);
		kfree(mr);
		return ERR_PTR(err);
	}
	return &mr->ibmr;
}
