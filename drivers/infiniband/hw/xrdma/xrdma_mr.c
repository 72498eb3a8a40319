// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA memory regions: pinned memory, its translation and its key, tied
 * together. Must not know how keys are drawn, tables built or invalidations
 * batched. Regions of other memory have their own files, and begin and end
 * here.
 *
 * Registration ends with a store (xrdma_key_publish()): after pinning it sends
 * no command, touches no register and does not wait. Deregistration is a
 * fence: nothing is unpinned before the device has answered.
 */

#include <linux/overflow.h>
#include <linux/slab.h>
#include "xrdma_verbs.h"

#define XRDMA_MR_ACCESS		(XRDMA_IB_ACCESS | IB_ACCESS_HUGETLB)

/* Rights whose bits are the same in verbs and in key entries. */
#define XRDMA_MR_SAME		(XRDMA_ACCESS_LOCAL_WRITE |	\
				 XRDMA_ACCESS_REMOTE_WRITE |	\
				 XRDMA_ACCESS_REMOTE_READ |	\
				 XRDMA_ACCESS_REMOTE_ATOMIC |	\
				 XRDMA_ACCESS_MW_BIND |		\
				 XRDMA_ACCESS_ZERO_BASED |	\
				 XRDMA_ACCESS_FLUSH_GLOBAL |	\
				 XRDMA_ACCESS_FLUSH_PERSISTENT)

static_assert(XRDMA_MR_SAME ==
	      (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
	       IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC |
	       IB_ACCESS_MW_BIND | IB_ZERO_BASED | IB_ACCESS_FLUSH_GLOBAL |
	       IB_ACCESS_FLUSH_PERSISTENT));

/**
 * xrdma_mr_rights() - rights of a key entry
 * @access: enum ib_access_flags; hints that a key entry lacks fall away
 *
 * Return: enum xrdma_access.
 */
u16 xrdma_mr_rights(int access)
{
	u16 rights = access & XRDMA_MR_SAME;

	if (access & IB_ACCESS_RELAXED_ORDERING)
		rights |= XRDMA_ACCESS_RELAXED_ORDERING;
	return rights;
}

/**
 * xrdma_mr_flags() - the other way round
 * @rights: enum xrdma_access
 *
 * Return: enum ib_access_flags.
 */
int xrdma_mr_flags(u16 rights)
{
	int access = rights & XRDMA_MR_SAME;

	if (rights & XRDMA_ACCESS_RELAXED_ORDERING)
		access |= IB_ACCESS_RELAXED_ORDERING;
	return access;
}

/**
 * xrdma_mr_alloc() - a region without memory and without a key
 *
 * Return: the region, to be freed with kfree(), or NULL.
 */
struct xrdma_mr *xrdma_mr_alloc(void)
{
	struct xrdma_mr *mr;

	mr = kzalloc_obj(*mr, GFP_KERNEL_ACCOUNT);
	if (mr)
		xrdma_mtt_init(&mr->mtt);
	return mr;
}

/**
 * xrdma_mr_free() - free a region, and let go of its memory
 * @xib: the device, which uses it no more
 * @mr: the region
 *
 * Context: may sleep.
 */
void xrdma_mr_free(struct xrdma_ibdev *xib, struct xrdma_mr *mr)
{
	ib_umem_release(mr->umem);
	xrdma_mtt_free(&xib->hw, &mr->mtt);
	kfree(mr);
}

/**
 * xrdma_mr_publish() - make a key valid
 * @xib: the device
 * @key: the key; its entry is invalid and the caller's
 * @grant: what it shall give
 * @mtt: where the memory is
 * @flags: XRDMA_MPT_IDENTITY, XRDMA_MPT_DEVICE or 0
 *
 * Context: any.
 */
void xrdma_mr_publish(struct xrdma_ibdev *xib, u32 key,
		      const struct xrdma_grant *grant,
		      const struct xrdma_mtt *mtt, u64 flags)
{
	bool zero_based = grant->access & XRDMA_ACCESS_ZERO_BASED;
	u64 ctrl = xrdma_make_mpt_ctrl(XRDMA_MPT_VALID, XRDMA_MPT_MR, key,
				       grant->pdn, grant->access);
	struct xrdma_mpt_entry entry = {
		.ctrl = cpu_to_le64(ctrl | flags),
		.iova = cpu_to_le64(zero_based ? 0 : grant->iova),
		.length = cpu_to_le64(grant->length),
		.root = cpu_to_le64(mtt->root),
		.offset = cpu_to_le32(mtt->offset),
	};

	xrdma_key_publish(xib->keys, xrdma_key_index(key), &entry);
}

/**
 * xrdma_mr_give_key() - draw the key of a region, and make it valid
 * @xib: the device
 * @mr: the region, with its translation
 * @grant: what the key shall give
 * @flags: as of xrdma_mr_publish()
 *
 * Context: may sleep, but only when no key is free.
 * Return: 0 or an errno of xrdma_key_alloc().
 */
int xrdma_mr_give_key(struct xrdma_ibdev *xib, struct xrdma_mr *mr,
		      const struct xrdma_grant *grant, u64 flags)
{
	u32 key;
	int err;

	err = xrdma_key_alloc(xib->keys, &key);
	if (err)
		return err;
	xrdma_mr_publish(xib, key, grant, &mr->mtt, flags);
	mr->access = grant->access;
	mr->key_index = xrdma_key_index(key);
	mr->ibmr.lkey = key;
	mr->ibmr.rkey = key;
	mr->ibmr.iova = grant->iova;
	mr->ibmr.length = grant->length;
	return 0;
}

/**
 * xrdma_key_alloc_free() - draw a key and publish its entry as free
 * @keys: the table
 * @type: enum xrdma_mpt_type of what work requests will bind or register
 * @pdn: protection domain
 * @key: the key; its byte is the consumer's from now on
 *
 * Context: may sleep, as xrdma_key_alloc().
 * Return: 0, -ENOSPC, -ENOMEM or -EINTR.
 */
int xrdma_key_alloc_free(struct xrdma_keys *keys, u8 type, u32 pdn, u32 *key)
{
	struct xrdma_mpt_entry entry = {};
	int err;

	err = xrdma_key_alloc(keys, key);
	if (err)
		return err;
	entry.ctrl = cpu_to_le64(xrdma_make_mpt_ctrl(XRDMA_MPT_FREE, type,
						     *key, pdn, 0));
	xrdma_key_publish(keys, xrdma_key_index(*key), &entry);
	return 0;
}

/* ---- regions of bus addresses ----------------------------------------- */

/**
 * xrdma_get_dma_mr() - ib_device_ops.get_dma_mr
 * @ibpd: protection domain
 * @access: enum ib_access_flags; local write, remote rights, and those of FLUSH
 *
 * Return: the region or an ERR_PTR(): -EOPNOTSUPP: other flags; -ENOSPC;
 * -ENOMEM.
 */
struct ib_mr *xrdma_get_dma_mr(struct ib_pd *ibpd, int access)
{
	struct xrdma_grant grant = {
		.length = U64_MAX,
		.pdn = to_xpd(ibpd)->pdn,
		.access = xrdma_mr_rights(access),
	};
	struct xrdma_ibdev *xib = to_xibdev(ibpd->device);
	int known = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
		    IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC |
		    IB_ACCESS_OPTIONAL;
	struct xrdma_mr *mr;
	int err;

	if (xib->hw.caps.flags & XRDMA_CAP_FLUSH)
		known |= IB_ACCESS_FLUSH_GLOBAL | IB_ACCESS_FLUSH_PERSISTENT;
	if (access & ~known)
		return ERR_PTR(-EOPNOTSUPP);
	mr = xrdma_mr_alloc();
	if (!mr)
		return ERR_PTR(-ENOMEM);
	err = xrdma_mr_give_key(xib, mr, &grant, XRDMA_MPT_IDENTITY);
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	return &mr->ibmr;
}

/* ---- regions of user memory -------------------------------------------- */

/**
 * xrdma_mr_check() - may a region be like this?
 * @xib: the device
 * @length: its bytes
 * @iova: address of the first
 * @access: enum ib_access_flags
 *
 * Return: 0, -EINVAL: length or addresses; -EOPNOTSUPP or an errno of
 * ib_check_mr_access(): flags; -EIO: the device is dead.
 */
int xrdma_mr_check(struct xrdma_ibdev *xib, u64 length, u64 iova, int access)
{
	u64 end;
	int err;

	if (xrdma_dead(&xib->hw))
		return -EIO;
	if (access & ~XRDMA_MR_ACCESS)
		return -EOPNOTSUPP;
	err = ib_check_mr_access(&xib->ibdev, access);
	if (err)
		return err;
	if (!length || length > xib->hw.caps.max_mr_size)
		return -EINVAL;
	/* the last byte may be at the very end of the address space */
	return check_add_overflow(iova, length - 1, &end) ? -EINVAL : 0;
}

/**
 * xrdma_mr_pin() - pin memory of the current process, and translate it
 * @xib: the device
 * @mtt: its translation; empty after a failure
 * @start: virtual address
 * @length: bytes, 1 or more
 * @access: enum ib_access_flags
 *
 * Context: may sleep.
 * Return: the memory or an ERR_PTR(): -ENOMEM, or an errno of pinning.
 */
struct ib_umem *xrdma_mr_pin(struct xrdma_ibdev *xib, struct xrdma_mtt *mtt,
			     u64 start, u64 length, int access)
{
	struct ib_umem *umem;
	int err;

	umem = ib_umem_get_va(&xib->ibdev, start, length, access);
	if (IS_ERR(umem))
		return umem;
	err = xrdma_mtt_build(&xib->hw, mtt, &umem->sgt_append.sgt,
			      ib_umem_offset(umem), umem->length, false);
	if (err) {
		ib_umem_release(umem);
		return ERR_PTR(err);
	}
	return umem;
}

/**
 * xrdma_reg_user_mr() - ib_device_ops.reg_user_mr
 * @ibpd: protection domain
 * @start: virtual address in the current process
 * @length: bytes, 1 or more; @iova + @length may not exceed 2^64
 * @iova: address of the first byte under the key, any
 * @access: enum ib_access_flags; remote write and atomics need local write,
 *	optional flags that are not known are ignored
 * @dmah: not supported
 * @udata: no driver data in either direction; NULL for the kernel
 *
 * Return: the region or an ERR_PTR(): -EINVAL, -EOPNOTSUPP, -ENOSPC: no key
 * left, -ENOMEM, -EINTR: the process has been killed, -EIO: the device is dead,
 * or an errno of pinning.
 */
struct ib_mr *xrdma_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
				u64 iova, int access, struct ib_dmah *dmah,
				struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibpd->device);
	struct xrdma_grant grant = {
		.iova = iova,
		.length = length,
		.pdn = to_xpd(ibpd)->pdn,
		.access = xrdma_mr_rights(access),
	};
	struct xrdma_mr *mr;
	int err;

	err = ib_no_udata_io(udata);
	if (!err)
		err = xrdma_mr_check(xib, length, iova, access);
	if (err)
		return ERR_PTR(err);
	if (dmah)
		return ERR_PTR(-EOPNOTSUPP);
	mr = xrdma_mr_alloc();
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->umem = xrdma_mr_pin(xib, &mr->mtt, start, length, access);
	if (IS_ERR(mr->umem)) {
		err = PTR_ERR(mr->umem);
		goto err_free;
	}
	err = xrdma_mr_give_key(xib, mr, &grant, 0);
	if (err)
		goto err_unpin;
	xrdma_ctx_add_region(ibpd, mr);
	return &mr->ibmr;

err_unpin:
	xrdma_mtt_free(&xib->hw, &mr->mtt);
	ib_umem_release(mr->umem);
err_free:
	kfree(mr);
	return ERR_PTR(err);
}

/**
 * xrdma_dereg_mr() - ib_device_ops.dereg_mr
 * @ibmr: the region, of any kind
 * @udata: no driver data in either direction; NULL for the kernel
 *
 * Context: may sleep, for a bounded time.
 * Return: 0: the region is gone; its memory is released, or, if the device
 * cannot be silenced, in quarantine. -EBUSY: windows are bound to it; nothing
 * has changed.
 */
int xrdma_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibmr->device);
	struct xrdma_mr *mr = to_xmr(ibmr);
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;
	if (mr->dmabuf)
		err = xrdma_dmabuf_inval(xib, mr);
	else
		err = xrdma_ctx_inval(ibmr->pd, mr->key_index);
	if (err == -EBUSY)
		return err;
	if (!mr->dmabuf)
		xrdma_ctx_drop(ibmr->pd, &mr->ctx_entry);
	if (err) {
		xrdma_quarantine_region(xib, mr);
	} else {
		xrdma_key_free(xib->keys, mr->key_index);
		xrdma_mr_free(xib, mr);
	}
	return 0;
}
