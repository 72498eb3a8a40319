// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA memory regions: functions that regions of all kinds share. Checks the
 * arguments of a registration, pins memory of a process, converts access flags,
 * and writes the key entry of a region. The verbs are in xrdma_mr_verbs.c,
 * xrdma_frmr.c, xrdma_dmabuf.c and xrdma_dm.c. Keys are allocated in
 * xrdma_key.c, translation tables are built in xrdma_mtt.c, keys are
 * invalidated in xrdma_inval.c.
 */

#include <linux/overflow.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include "xrdma_encode.h"
#include "xrdma_ibdev.h"
#include "xrdma_key.h"
#include "xrdma_mr.h"
#include "xrdma_mtt.h"
#include "xrdma_odp.h"
#include "xrdma_persistent.h"

#define XRDMA_MR_ACCESS		(XRDMA_IB_ACCESS | IB_ACCESS_HUGETLB)

/*
 * Rights that have the same bit in enum ib_access_flags and enum xrdma_access.
 */
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
 * xrdma_mr_hw_access() - convert enum ib_access_flags to enum xrdma_access
 * @access: enum ib_access_flags; flags that a key entry cannot contain are
 *	ignored
 *
 * Context: any.
 * Return: enum xrdma_access.
 */
u16 xrdma_mr_hw_access(int access)
{
	u16 rights = access & XRDMA_MR_SAME;

	if (access & IB_ACCESS_RELAXED_ORDERING)
		rights |= XRDMA_ACCESS_RELAXED_ORDERING;
	return rights;
}

/**
 * xrdma_mr_ib_access() - convert enum xrdma_access to enum ib_access_flags
 * @rights: enum xrdma_access
 *
 * Context: any.
 * Return: enum ib_access_flags.
 */
int xrdma_mr_ib_access(u16 rights)
{
	int access = rights & XRDMA_MR_SAME;

	if (rights & XRDMA_ACCESS_RELAXED_ORDERING)
		access |= IB_ACCESS_RELAXED_ORDERING;
	return access;
}

/**
 * xrdma_mr_alloc() - allocate a region without memory and without a key
 *
 * Context: may sleep.
 * Return: the region, which the caller frees by kfree() if registration fails;
 * or NULL.
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
 * xrdma_mr_free() - free a region, and unpin its memory
 * @xib: the device, which does not access the memory any more
 * @mr: the region
 *
 * Context: may sleep.
 */
void xrdma_mr_free(struct xrdma_ibdev *xib, struct xrdma_mr *mr)
{
	ib_umem_release(mr->umem);
	xrdma_odp_free(mr);
	xrdma_mtt_free(&xib->hw, &mr->mtt);
	kfree(mr);
}

/**
 * xrdma_mr_publish() - write the key entry of a region, so that the key is
 *	valid
 * @xib: the device
 * @key: the key; its entry is invalid, and only the caller writes it
 * @grant: addresses and rights that the key grants
 * @mtt: translation of the region
 * @flags: XRDMA_MPT_IDENTITY, XRDMA_MPT_DEVICE or 0
 *
 * Context: any.
 */
void xrdma_mr_publish(struct xrdma_ibdev *xib, u32 key,
		      const struct xrdma_key_grant *grant,
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

/* Page faults can be handled before the device knows the key. */
static int xrdma_mr_publish_odp(struct xrdma_ibdev *xib, struct xrdma_mr *mr,
				u32 key)
{
	int err = xrdma_odp_publish(mr->odp, xrdma_key_index(key));

	if (err)
		xrdma_key_free(xib->keys, xrdma_key_index(key));
	return err;
}

/**
 * xrdma_mr_give_key() - allocate a key for a region, and make the key valid
 * @xib: the device
 * @mr: the region, with its translation
 * @grant: addresses and rights that the key grants
 * @flags: as for xrdma_mr_publish()
 *
 * Context: may sleep, but only when no key is free, or if @mr is a paged region.
 * Return: 0, -ENOMEM, or an errno of xrdma_key_alloc().
 */
int xrdma_mr_give_key(struct xrdma_ibdev *xib, struct xrdma_mr *mr,
		      const struct xrdma_key_grant *grant, u64 flags)
{
	u32 key;
	int err;

	err = xrdma_key_alloc(xib->keys, &key);
	if (err)
		return err;
	/* page faults, which use access and key_index, may follow at once */
	mr->access = grant->access;
	mr->key_index = xrdma_key_index(key);
	if (mr->odp)
		err = xrdma_mr_publish_odp(xib, mr, key);
	if (err)
		return err;
	xrdma_mr_publish(xib, key, grant, &mr->mtt, flags);
	mr->ibmr.lkey = key;
	mr->ibmr.rkey = key;
	mr->ibmr.iova = grant->iova;
	mr->ibmr.length = grant->length;
	return 0;
}

/**
 * xrdma_mr_check() - check the arguments of a registration
 * @xib: the device
 * @length: length of the region in bytes
 * @iova: address of the first byte under the key
 * @access: enum ib_access_flags
 *
 * Context: any.
 * Return: 0; -EINVAL: @length is 0 or too large, or @iova + @length exceeds
 * 2^64; -EOPNOTSUPP, or an errno of ib_check_mr_access(): wrong @access; -EIO:
 * the device is dead.
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
	/* the last byte may have address 2^64 - 1 */
	return check_add_overflow(iova, length - 1, &end) ? -EINVAL : 0;
}

static bool xrdma_umem_is_persistent(const struct ib_umem *umem)
{
	const struct sg_table *table = &umem->sgt_append.sgt;
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_sg(table, sg, i)
		if (!xrdma_is_persistent(sg_phys(sg), sg->length))
			return false;
	return true;
}

/**
 * xrdma_mr_pin() - pin memory of the current process, and build its translation
 * @xib: the device
 * @mtt: output: the translation; without tables after a failure
 * @start: virtual address in the current process
 * @length: length in bytes, 1 or more
 * @access: enum ib_access_flags
 *
 * Context: may sleep.
 * Return: the memory, or an ERR_PTR(): -EINVAL: a FLUSH to persistence is asked
 * for, and the memory is not persistent; -ENOMEM; or an errno of
 * ib_umem_get_va().
 */
struct ib_umem *xrdma_mr_pin(struct xrdma_ibdev *xib, struct xrdma_mtt *mtt,
			     u64 start, u64 length, int access)
{
	struct ib_umem *umem;
	int err;

	umem = ib_umem_get_va(&xib->ibdev, start, length, access);
	if (IS_ERR(umem))
		return umem;
	if (access & IB_ACCESS_FLUSH_PERSISTENT && !xrdma_umem_is_persistent(umem))
		err = -EINVAL;
	else
		err = xrdma_mtt_build(&xib->hw, mtt, &umem->sgt_append.sgt,
				      ib_umem_offset(umem), umem->length, false);
	if (err) {
		ib_umem_release(umem);
		return ERR_PTR(err);
	}
	return umem;
}
