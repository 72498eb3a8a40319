// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA memory regions: pinned memory, its translation and its key, tied
 * together. Must not know how keys are drawn, tables built or invalidations
 * batched.
 *
 * Registration ends with a store (xrdma_key_publish()): after pinning it sends
 * no command, touches no register and does not wait. Deregistration is a
 * fence: nothing is unpinned before the device has answered.
 */

#include <linux/overflow.h>
#include <linux/slab.h>
#include "xrdma_verbs.h"

#define XRDMA_MR_ACCESS		(IB_ACCESS_LOCAL_WRITE |	\
				 IB_ACCESS_REMOTE_WRITE |	\
				 IB_ACCESS_REMOTE_READ |	\
				 IB_ACCESS_REMOTE_ATOMIC |	\
				 IB_ACCESS_MW_BIND |		\
				 IB_ZERO_BASED |		\
				 IB_ACCESS_HUGETLB |		\
				 IB_ACCESS_FLUSH_GLOBAL |	\
				 IB_ACCESS_FLUSH_PERSISTENT |	\
				 IB_ACCESS_OPTIONAL)

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

/* Rights of a key entry from enum ib_access_flags; hints it lacks fall away. */
static u16 xrdma_mr_rights(int access)
{
	u16 rights = access & XRDMA_MR_SAME;

	if (access & IB_ACCESS_RELAXED_ORDERING)
		rights |= XRDMA_ACCESS_RELAXED_ORDERING;
	return rights;
}

static struct xrdma_mr *xrdma_mr_alloc(void)
{
	struct xrdma_mr *mr;

	mr = kzalloc_obj(*mr, GFP_KERNEL_ACCOUNT);
	if (mr)
		xrdma_mtt_init(&mr->mtt);
	return mr;
}

/* Draws a key and makes its entry valid. */
static int xrdma_mr_publish(struct xrdma_ibdev *xib, u32 pdn, u16 rights,
			    struct xrdma_mpt_entry *entry, u64 flags, u32 *key)
{
	int err;

	err = xrdma_key_alloc(xib->keys, key);
	if (err)
		return err;
	entry->ctrl = cpu_to_le64(flags |
				  xrdma_make_mpt_ctrl(XRDMA_MPT_VALID,
						      XRDMA_MPT_MR, *key, pdn,
						      rights));
	xrdma_key_publish(xib->keys, xrdma_key_index(*key), entry);
	return 0;
}

/*
 * A process that exits takes all regions of its protection domains along: one
 * command for each domain instead of one for each region. ib_core destroys
 * what a process leaves in the context of that process, one object after the
 * other; nothing can be registered there any more.
 */
static bool xrdma_mr_of_exiting(const struct ib_mr *ibmr)
{
	return ibmr->uobject && current->flags & PF_EXITING;
}

static int xrdma_mr_inval(struct xrdma_ibdev *xib, struct ib_mr *ibmr)
{
	struct xrdma_pd *pd = to_xpd(ibmr->pd);
	int err;

	if (!xrdma_mr_of_exiting(ibmr))
		return xrdma_inval_key(xib, xrdma_key_index(ibmr->lkey));
	if (pd->revoked)
		return 0;
	err = xrdma_inval_pd(xib, pd->pdn);
	pd->revoked = !err;
	return err;
}

/* ---- regions of bus addresses ----------------------------------------- */

/**
 * xrdma_dma_key_create() - key for all bus addresses
 * @xib: the device
 * @pdn: protection domain
 * @access: enum xrdma_access
 * @key: the key
 *
 * Context: may sleep.
 * Return: 0, -ENOSPC or -ENOMEM.
 */
int xrdma_dma_key_create(struct xrdma_ibdev *xib, u32 pdn, u16 access,
			 u32 *key)
{
	struct xrdma_mpt_entry entry = { .length = cpu_to_le64(U64_MAX) };

	return xrdma_mr_publish(xib, pdn, access, &entry, XRDMA_MPT_IDENTITY,
				key);
}

/**
 * xrdma_dma_key_destroy() - end of a key of xrdma_dma_key_create()
 * @xib: the device
 * @key: the key
 *
 * Context: may sleep, for a bounded time.
 * Return: 0, or an errno of xrdma_inval_key().
 */
int xrdma_dma_key_destroy(struct xrdma_ibdev *xib, u32 key)
{
	int err;

	err = xrdma_inval_key(xib, xrdma_key_index(key));
	if (!err)
		xrdma_key_free(xib->keys, key);
	return err;
}

/**
 * xrdma_get_dma_mr() - ib_device_ops.get_dma_mr
 * @ibpd: protection domain
 * @access: enum ib_access_flags; local write and remote rights
 *
 * Return: the region or an ERR_PTR(): -EOPNOTSUPP: other flags; -ENOSPC;
 * -ENOMEM.
 */
struct ib_mr *xrdma_get_dma_mr(struct ib_pd *ibpd, int access)
{
	struct xrdma_ibdev *xib = to_xibdev(ibpd->device);
	struct xrdma_mr *mr;
	int err;

	if (access & ~(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
		       IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC |
		       IB_ACCESS_OPTIONAL))
		return ERR_PTR(-EOPNOTSUPP);
	mr = xrdma_mr_alloc();
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->access = xrdma_mr_rights(access);
	err = xrdma_dma_key_create(xib, to_xpd(ibpd)->pdn, mr->access,
				   &mr->ibmr.lkey);
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	mr->ibmr.rkey = mr->ibmr.lkey;
	mr->key_index = xrdma_key_index(mr->ibmr.lkey);
	return &mr->ibmr;
}

/* ---- regions of user memory -------------------------------------------- */

static int xrdma_mr_check(struct xrdma_ibdev *xib, u64 length, u64 iova,
			  int access, const struct ib_dmah *dmah)
{
	u64 end;
	int err;

	if (xrdma_dead(&xib->hw))
		return -EIO;
	if (dmah || access & ~XRDMA_MR_ACCESS)
		return -EOPNOTSUPP;
	err = ib_check_mr_access(&xib->ibdev, access);
	if (err)
		return err;
	if (!length || length > xib->hw.caps.max_mr_size)
		return -EINVAL;
	/* the last byte may be at the very end of the address space */
	return check_add_overflow(iova, length - 1, &end) ? -EINVAL : 0;
}

static int xrdma_mr_pin(struct xrdma_ibdev *xib, struct xrdma_mr *mr, u64 start,
			u64 length, int access)
{
	mr->umem = ib_umem_get_va(&xib->ibdev, start, length, access);
	return PTR_ERR_OR_ZERO(mr->umem);
}

static int xrdma_mr_map(struct xrdma_ibdev *xib, struct xrdma_mr *mr)
{
	return xrdma_mtt_build(&xib->hw, &mr->mtt, &mr->umem->sgt_append.sgt,
			       ib_umem_offset(mr->umem), mr->umem->length,
			       false);
}

static int xrdma_mr_give_key(struct xrdma_ibdev *xib, struct xrdma_mr *mr,
			     u32 pdn)
{
	struct xrdma_mpt_entry entry = {
		.iova = cpu_to_le64(mr->ibmr.iova),
		.length = cpu_to_le64(mr->ibmr.length),
		.root = cpu_to_le64(mr->mtt.root),
		.offset = cpu_to_le32(mr->mtt.offset),
	};
	int err;

	err = xrdma_mr_publish(xib, pdn, mr->access, &entry, 0,
			       &mr->ibmr.lkey);
	if (err)
		return err;
	mr->ibmr.rkey = mr->ibmr.lkey;
	mr->key_index = xrdma_key_index(mr->ibmr.lkey);
	return 0;
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
 * left, -ENOMEM, -EIO: the device is dead, or an errno of pinning.
 */
struct ib_mr *xrdma_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
				u64 iova, int access, struct ib_dmah *dmah,
				struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibpd->device);
	struct xrdma_mr *mr;
	int err;

	err = ib_no_udata_io(udata);
	if (!err)
		err = xrdma_mr_check(xib, length, iova, access, dmah);
	if (err)
		return ERR_PTR(err);
	mr = xrdma_mr_alloc();
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->access = xrdma_mr_rights(access);
	mr->ibmr.iova = access & IB_ZERO_BASED ? 0 : iova;
	mr->ibmr.length = length;

	err = xrdma_mr_pin(xib, mr, start, length, access);
	if (err)
		goto err_free;
	err = xrdma_mr_map(xib, mr);
	if (err)
		goto err_unpin;
	err = xrdma_mr_give_key(xib, mr, to_xpd(ibpd)->pdn);
	if (err)
		goto err_unmap;
	return &mr->ibmr;

err_unmap:
	xrdma_mtt_free(&xib->hw, &mr->mtt);
err_unpin:
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
 * died, in quarantine. -EBUSY: windows are bound to it; nothing has changed.
 */
int xrdma_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibmr->device);
	struct xrdma_mr *mr = to_xmr(ibmr);
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;
	err = xrdma_mr_inval(xib, ibmr);
	if (err == -EBUSY)
		return err;
	if (err) {
		xrdma_quarantine(xib, mr->umem, &mr->mtt);
	} else {
		xrdma_key_free(xib->keys, ibmr->lkey);
		ib_umem_release(mr->umem);
		xrdma_mtt_free(&xib->hw, &mr->mtt);
	}
	kfree(mr);
	return 0;
}
