// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA change of a memory region in place: other memory, another protection
 * domain, other rights, in any combination. What all regions have in common is
 * in xrdma_mr.c, batches of INVALIDATE are in xrdma_inval.c.
 *
 * What can fail comes first: new memory is pinned and translated while the old
 * one stays. Then a fence ends all use of the old key, and the key entry is
 * published again under another key byte, so that holders of the old key have
 * no access. The key stays the same only if nothing but rights changes. The old
 * memory is released last. Until the device has answered the fence nothing has
 * changed; after that nothing can fail.
 *
 * Between fence and publication the key grants nothing, and an access of the
 * peer breaks its connection. A change that only adds rights needs no fence:
 * the rights are stored in the entry, which stays valid.
 */

#include <linux/random.h>
#include <linux/sched.h>
#include <rdma/ib_umem.h>
#include <rdma/uverbs_ioctl.h>
#include "xrdma_dmabuf.h"
#include "xrdma_encode.h"
#include "xrdma_ibdev.h"
#include "xrdma_inval.h"
#include "xrdma_key.h"
#include "xrdma_mr.h"
#include "xrdma_mtt.h"
#include "xrdma_pd.h"

/**
 * struct xrdma_rereg - what a region shall become
 * @grant: of its key
 * @umem: its new memory, or NULL: it keeps what it has
 * @mtt: translation of @umem
 * @key: its key
 */
struct xrdma_rereg {
	struct xrdma_grant grant;
	u32 key;
	struct ib_umem *umem;
	struct xrdma_mtt mtt;
};

static int xrdma_rereg_check(struct xrdma_ibdev *xib, const struct xrdma_mr *mr,
			     int flags, const struct xrdma_grant *grant,
			     int access)
{
	/* a window would stand in the way of the owner of a dma-buf */
	if (mr->dmabuf && (flags & IB_MR_REREG_TRANS ||
			   access & IB_ACCESS_MW_BIND))
		return -EOPNOTSUPP;
	return xrdma_mr_check(xib, grant->length, grant->iova, access);
}

/* Memory that was pinned to be read only cannot be written by any right. */
static int xrdma_rereg_repin(struct xrdma_ibdev *xib, const struct xrdma_mr *mr,
			     struct xrdma_rereg *to, u64 start, int access)
{
	struct ib_umem *umem;

	umem = xrdma_mr_pin(xib, &to->mtt, start, to->grant.length, access);
	if (IS_ERR(umem))
		return PTR_ERR(umem);
	to->umem = umem;
	return 0;
}

static int xrdma_rereg_prepare(struct xrdma_ibdev *xib,
			       const struct xrdma_mr *mr, int flags, u64 start,
			       int access, struct xrdma_rereg *to)
{
	if (flags & IB_MR_REREG_TRANS)
		return xrdma_rereg_repin(xib, mr, to, start, access);
	/* a dma-buf is mapped for both directions, whatever the rights are */
	if (mr->dmabuf || !ib_umem_check_rereg(mr->umem, flags, access))
		return 0;
	/* the same addresses, but in another process they are other memory */
	if (mr->umem->owning_mm != current->mm)
		return -EACCES;
	return xrdma_rereg_repin(xib, mr, to, mr->umem->address, access);
}

static void xrdma_rereg_drop(struct xrdma_ibdev *xib, struct ib_umem *umem,
			     struct xrdma_mtt *mtt)
{
	if (!umem)
		return;
	xrdma_mtt_free(&xib->hw, mtt);
	ib_umem_release(umem);
}

/*
 * Another byte than the last, and nobody can tell which. Applications that take
 * or give rights go on with the key they have (pyverbs' tests are of this kind).
 */
static u32 xrdma_rereg_key(const struct xrdma_mr *mr, int flags, u16 access)
{
	u32 key = mr->ibmr.lkey;
	u8 byte = key + 1 + get_random_u32_below(U8_MAX);

	if (flags == IB_MR_REREG_ACCESS &&
	    !((access ^ mr->access) & XRDMA_ACCESS_ZERO_BASED))
		return key;
	return xrdma_make_key(xrdma_key_index(key), byte);
}

/* Does the region keep everything that it grants? */
static bool xrdma_rereg_only_adds(const struct xrdma_mr *mr,
				  const struct xrdma_rereg *to)
{
	return to->key == mr->ibmr.lkey && !to->umem &&
	       !(mr->access & ~to->grant.access);
}

/*
 * The fence, and what comes behind it. If the device dies of the fence, the
 * region keeps its old memory, as it does with any region of a dead device.
 */
static int xrdma_rereg_switch(struct xrdma_ibdev *xib, struct xrdma_mr *mr,
			      struct xrdma_rereg *to)
{
	struct xrdma_mtt old;
	int err;

	if (mr->revoked)
		return -EINVAL;
	if (xrdma_rereg_only_adds(mr, to)) {
		xrdma_key_add_rights(xib->keys, mr->key_index,
				     to->grant.access);
		mr->access = to->grant.access;
		return 0;
	}
	err = xrdma_inval_key(xib, mr->key_index);
	if (err)
		return err;
	/* a fence made of a reset frees memory, it grants nothing */
	if (xrdma_dead(&xib->hw))
		return -EIO;
	if (to->umem) {
		swap(mr->umem, to->umem);
		xrdma_mtt_move(&old, &mr->mtt);
		xrdma_mtt_move(&mr->mtt, &to->mtt);
		xrdma_mtt_move(&to->mtt, &old);
	}
	xrdma_mr_publish(xib, to->key, &to->grant, &mr->mtt,
			 xrdma_mtt_flags(&mr->mtt));
	mr->access = to->grant.access;
	mr->ibmr.lkey = to->key;
	mr->ibmr.rkey = to->key;
	return 0;
}

/**
 * xrdma_rereg_user_mr() - ib_device_ops.rereg_user_mr
 * @ibmr: region of user memory, or of a dma-buf, which keeps its memory
 * @flags: enum ib_mr_rereg_flags: which of the following count
 * @start: virtual address in the current process
 * @length: bytes, 1 or more
 * @iova: address of the first byte under the key, any
 * @access: enum ib_access_flags
 * @ibpd: protection domain
 * @udata: no driver data in either direction
 *
 * The key byte changes, unless only rights do. Rights that are added, to memory
 * that need not be pinned anew, do not interrupt the peer; windows may be bound.
 * A region without local write that gets it must be pinned anew, at the addresses
 * where it was; only the process that registered it can do that. ib_core updates
 * protection domain, length and IOVA in @ibmr.
 *
 * Context: may sleep, for a bounded time.
 * Return: NULL: done; or an ERR_PTR(), and the region is as before: an errno of
 * xrdma_reg_user_mr(); -EBUSY: windows are bound to it; -EACCES: it would have
 * to be pinned anew, and cannot; -EINVAL: its dma-buf has been taken back.
 */
struct ib_mr *xrdma_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start,
				  u64 length, u64 iova, int access,
				  struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct xrdma_ibdev *xib = to_xibdev(ibmr->device);
	bool trans = flags & IB_MR_REREG_TRANS;
	struct xrdma_mr *mr = to_xmr(ibmr);
	struct xrdma_rereg to = {
		.grant = {
			.iova = trans ? iova : ibmr->iova,
			.length = trans ? length : ibmr->length,
			.pdn = to_xpd(ibpd)->pdn,
		},
	};
	int err;

	if (!(flags & IB_MR_REREG_ACCESS))
		access = xrdma_mr_flags(mr->access);
	to.grant.access = xrdma_mr_rights(access);
	to.key = xrdma_rereg_key(mr, flags, to.grant.access);
	err = ib_no_udata_io(udata);
	if (!err)
		err = xrdma_rereg_check(xib, mr, flags, &to.grant, access);
	if (!err)
		err = xrdma_rereg_prepare(xib, mr, flags, start, access, &to);
	if (err)
		return ERR_PTR(err);
	xrdma_dmabuf_lock(mr);
	err = xrdma_rereg_switch(xib, mr, &to);
	xrdma_dmabuf_unlock(mr);
	/* the new one, or the old one */
	xrdma_rereg_drop(xib, to.umem, &to.mtt);
	return err ? ERR_PTR(err) : NULL;
}
