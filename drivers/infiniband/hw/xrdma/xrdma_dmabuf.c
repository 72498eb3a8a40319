// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA memory regions of dma-bufs: registers memory that another driver
 * exports, and ends its use when the exporter revokes or moves it. Functions
 * that all regions share are in xrdma_mr.c, INVALIDATE is in xrdma_inval.c,
 * deregistration in xrdma_mr_verbs.c.
 *
 * If the exporter can move the memory and the device has on-demand paging, the
 * region is a paged one: nothing is pinned, and nothing is mapped until the
 * device needs it (xrdma_odp_dmabuf.c). When the exporter moves the memory, the
 * driver takes all of it from the device, and the key stays valid.
 *
 * In all other cases the memory is pinned and mapped. When the exporter revokes
 * the mapping, the driver invalidates the key, and the region stays, without
 * memory, until it is deregistered.
 *
 * Neither can be refused. So windows cannot be bound to such a region, and a
 * device that does not answer is reset at once.
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
#include "xrdma_odp.h"
#include "xrdma_pd.h"

/**
 * xrdma_dmabuf_lock() - lock a region of a dma-buf against revocation
 * @mr: region of any kind; for a region without dma-buf, nothing happens
 *
 * The lock is the reservation of the dma-buf. It protects xrdma_mr.revoked.
 *
 * Context: may sleep.
 */
void xrdma_dmabuf_lock(struct xrdma_mr *mr)
{
	if (mr->dmabuf)
		ib_umem_dmabuf_revoke_lock(to_ib_umem_dmabuf(mr->umem));
}

/**
 * xrdma_dmabuf_unlock() - undo xrdma_dmabuf_lock()
 * @mr: the region
 *
 * Context: may sleep.
 */
void xrdma_dmabuf_unlock(struct xrdma_mr *mr)
{
	if (mr->dmabuf)
		ib_umem_dmabuf_revoke_unlock(to_ib_umem_dmabuf(mr->umem));
}

/*
 * Called when the exporter revokes or moves the memory, and INVALIDATE of the
 * key has failed with @err. A device that has stopped working may still access the
 * memory, so its DMA is ended before the memory is unmapped.
 */
static void xrdma_dmabuf_inval_failed(struct xrdma_mr *mr, int err)
{
	struct xrdma_ibdev *xib = to_xibdev(mr->ibmr.device);

	xrdma_fatal(&xib->hw,
		    "INVALIDATE of key index %#x, whose dma-buf was revoked: error %d",
		    mr->key_index, err);
	if (!xrdma_hw_silence(&xib->hw))
		ibdev_err_ratelimited(&xib->ibdev,
				      "the device cannot be reset, and may still use a dma-buf that was revoked: key index %#x\n",
				      mr->key_index);
}

/*
 * The function that xrdma_dmabuf_invalidate() calls when the exporter revokes
 * the mapping after the INVALIDATE of the deregistration has failed with -EIO:
 * the device is dead.
 */
static void xrdma_dmabuf_silence(struct xrdma_mr *mr)
{
	xrdma_dmabuf_inval_failed(mr, -EIO);
}

/*
 * The function that xrdma_dmabuf_invalidate() calls when the exporter revokes
 * the mapping of a registered region.
 */
static void xrdma_dmabuf_revoke(struct xrdma_mr *mr)
{
	struct xrdma_ibdev *xib = to_xibdev(mr->ibmr.device);
	int err;

	mr->revoked = true;
	err = xrdma_inval_key(xib, mr->key_index);
	if (err)
		xrdma_dmabuf_inval_failed(mr, err);
}

/*
 * The function that xrdma_dmabuf_invalidate() calls when the exporter moves the
 * memory of a paged region.
 */
static void xrdma_dmabuf_move(struct xrdma_mr *mr)
{
	xrdma_odp_zap(mr->odp);
}

/**
 * xrdma_dmabuf_inval() - invalidate the key of a region of a dma-buf
 * @xib: the device
 * @mr: the region, which is being deregistered
 *
 * A later revocation does not access @mr, unless the memory goes into
 * quarantine together with @mr.
 *
 * Context: may sleep, for a bounded time.
 * Return: as xrdma_inval_key().
 */
int xrdma_dmabuf_inval(struct xrdma_ibdev *xib, struct xrdma_mr *mr)
{
	int err;

	xrdma_dmabuf_lock(mr);
	if (mr->revoked)
		err = xrdma_may_dma(&xib->hw) ? -EIO : 0;
	else
		err = xrdma_inval_key(xib, mr->key_index);
	if (err != -EBUSY)
		mr->end_use = err ? xrdma_dmabuf_silence : NULL;
	xrdma_dmabuf_unlock(mr);
	return err;
}

/**
 * xrdma_dmabuf_abandon() - do nothing at a later revocation of a region that is
 *	leaked
 * @mr: region of any kind; for a region without dma-buf, nothing happens
 *
 * Context: may sleep.
 */
void xrdma_dmabuf_abandon(struct xrdma_mr *mr)
{
	xrdma_dmabuf_lock(mr);
	mr->end_use = NULL;
	xrdma_dmabuf_unlock(mr);
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
 * Build the translation. Memory of this device that ib_core has exported
 * becomes a region of device memory, since a PCI function cannot access its own
 * BAR over the bus.
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

/*
 * Is a region of this dma-buf a paged one? @pin_err is the result of
 * dma_buf_pin(): exporters that only revoke, for example that of ib_core for
 * device memory, cannot pin.
 */
static bool xrdma_dmabuf_is_paged(struct xrdma_ibdev *xib,
				  const struct ib_umem_dmabuf *dmabuf,
				  int pin_err)
{
	return pin_err != -EOPNOTSUPP && xrdma_odp_is_possible(xib) &&
	       dma_buf_is_dynamic(dmabuf->attach->dmabuf);
}

/*
 * Attach the memory: paged, or pinned and mapped. The caller has locked the
 * dma-buf. Memory that shall be paged is pinned for a moment, since pinning is
 * the only question to an exporter whether it moves its memory.
 */
static int xrdma_dmabuf_attach(struct xrdma_ibdev *xib, struct xrdma_mr *mr,
			       u64 offset, u64 length)
{
	struct ib_umem_dmabuf *dmabuf = to_ib_umem_dmabuf(mr->umem);
	int err = dma_buf_pin(dmabuf->attach);

	if (xrdma_dmabuf_is_paged(xib, dmabuf, err)) {
		if (!err)
			dma_buf_unpin(dmabuf->attach);
		return xrdma_odp_attach_dmabuf(xib, mr, offset, length);
	}
	dmabuf->pinned = !err;
	if (!err || err == -EOPNOTSUPP)
		err = ib_umem_dmabuf_map_pages(dmabuf);
	return err ?: xrdma_dmabuf_translate(xib, mr, length);
}

/*
 * Attach the memory, and publish the key. The caller has locked the dma-buf.
 */
static int xrdma_dmabuf_publish(struct xrdma_ibdev *xib, struct xrdma_mr *mr,
				u64 offset,
				const struct xrdma_key_grant *grant)
{
	int err;

	err = xrdma_dmabuf_attach(xib, mr, offset, grant->length);
	if (!err)
		err = xrdma_mr_give_key(xib, mr, grant, xrdma_mr_flags(mr));
	if (err)
		return err;
	to_ib_umem_dmabuf(mr->umem)->private = mr;
	/* xrdma_dmabuf_revoke() needs the device before ib_core sets it */
	mr->ibmr.device = &xib->ibdev;
	mr->end_use = mr->odp ? xrdma_dmabuf_move : xrdma_dmabuf_revoke;
	return 0;
}

/*
 * Called with the dma-buf locked when its exporter revokes or moves the memory.
 * A paged region gets other memory at the next page fault. Both end the use of
 * the memory by another region, whose accesses cannot wait for new addresses.
 *
 * The function may run while the kernel reclaims memory, and allocates nothing.
 */
static void xrdma_dmabuf_invalidate(struct dma_buf_attachment *attach)
{
	struct ib_umem_dmabuf *dmabuf = attach->importer_priv;
	struct xrdma_mr *mr = dmabuf->private;

	/* nothing is mapped before xrdma_dmabuf_publish() sets the region */
	if (!mr || dmabuf->revoked)
		return;
	if (mr->end_use)
		mr->end_use(mr);
	ib_umem_dmabuf_unmap_pages(dmabuf);
	if (mr->odp)
		return;
	if (dmabuf->pinned)
		dma_buf_unpin(dmabuf->attach);
	dmabuf->pinned = 0;
	dmabuf->revoked = 1;
}

static const struct dma_buf_attach_ops xrdma_dmabuf_attach_ops = {
	.allow_peer2peer = true,
	.invalidate_mappings = xrdma_dmabuf_invalidate,
};

/**
 * xrdma_reg_user_mr_dmabuf() - ib_device_ops.reg_user_mr_dmabuf
 * @ibpd: protection domain
 * @offset: offset of the region in the dma-buf, in bytes
 * @length: length in bytes, 1 or more; @iova + @length does not exceed 2^64
 * @iova: address of the first byte under the key, any value
 * @fd: file descriptor of the dma-buf. Its mode is not checked: the mode
 *	restricts mmap() only, and no importer checks it
 * @access: enum ib_access_flags without IB_ACCESS_MW_BIND and
 *	IB_ACCESS_FLUSH_PERSISTENT
 * @dmah: NULL; DMA handles are not supported
 * @attrs: contains no driver data, and gets none
 *
 * The memory of a paged region is not mapped, so that errors of the exporter
 * show at the first access.
 *
 * Context: may sleep.
 * Return: the region, or an ERR_PTR(): an errno of xrdma_mr_check(); an errno
 * of the exporter; -EOPNOTSUPP: wrong @access, or @dmah is not NULL; -EBADF:
 * @fd is not open; -EINVAL: @fd is not a dma-buf, the region exceeds it, or the
 * region is not paged and its pieces are not aligned to 4 KiB; -ENOSPC: no key
 * is free; -ENOMEM; -EINTR: the calling process has been killed.
 */
struct ib_mr *xrdma_reg_user_mr_dmabuf(struct ib_pd *ibpd, u64 offset,
				       u64 length, u64 iova, int fd, int access,
				       struct ib_dmah *dmah,
				       struct uverbs_attr_bundle *attrs)
{
	struct xrdma_ibdev *xib = to_xibdev(ibpd->device);
	struct xrdma_key_grant grant = {
		.iova = iova,
		.length = length,
		.pdn = to_xpd(ibpd)->pdn,
		.access = xrdma_mr_hw_access(access),
	};
	struct ib_umem_dmabuf *dmabuf;
	struct xrdma_mr *mr;
	int err;

	/* the exporter does not say whether its memory is persistent */
	if (dmah || access & (IB_ACCESS_MW_BIND | IB_ACCESS_FLUSH_PERSISTENT))
		return ERR_PTR(-EOPNOTSUPP);
	err = ib_no_udata_io(&attrs->driver_udata) ?:
	      xrdma_mr_check(xib, length, iova, access);
	if (err)
		return ERR_PTR(err);
	mr = xrdma_mr_alloc();
	if (!mr)
		return ERR_PTR(-ENOMEM);
	dmabuf = ib_umem_dmabuf_get(&xib->ibdev, offset, length, fd, access,
				    &xrdma_dmabuf_attach_ops);
	if (IS_ERR(dmabuf)) {
		kfree(mr);
		return ERR_CAST(dmabuf);
	}
	mr->dmabuf = true;
	mr->umem = &dmabuf->umem;
	/*
	 * Until the lock is taken, and while it pins the memory, the exporter may
	 * revoke or move the memory. This needs no action, since nothing is
	 * mapped. If the memory was revoked, mapping it fails.
	 */
	xrdma_dmabuf_lock(mr);
	err = xrdma_dmabuf_publish(xib, mr, offset, &grant);
	xrdma_dmabuf_unlock(mr);
	if (err) {
		xrdma_mr_free(xib, mr);
		return ERR_PTR(err);
	}
	return &mr->ibmr;
}
