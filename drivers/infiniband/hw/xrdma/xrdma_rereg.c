// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA reregistration: changes memory, protection domain or rights of a
 * registered region, in any combination. Functions that all regions share are
 * in xrdma_mr.c, registration and deregistration in xrdma_mr_verbs.c,
 * INVALIDATE in xrdma_inval.c.
 *
 * All steps that can fail come first: the driver pins and translates the new
 * memory, and invalidates the key. After that no step can fail: the driver
 * writes the key entry again, and releases the old memory. If a step fails, the
 * region is unchanged. The new key has another key byte, so that holders of the
 * old key have no access. Only if nothing but the rights changes, the key stays
 * the same.
 *
 * Between INVALIDATE and the new entry, the key is not valid, and an access of
 * a peer breaks the peer's connection. A change that only adds rights needs no
 * INVALIDATE: the driver writes the rights to the entry, which stays valid.
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
 * struct xrdma_rereg - new properties of a region
 * @grant: addresses and rights that the new key grants
 * @umem: new memory; NULL: the region keeps its memory
 * @mtt: translation of @umem
 * @key: new key
 */
struct xrdma_rereg {
	struct xrdma_key_grant grant;
	u32 key;
	struct ib_umem *umem;
	struct xrdma_mtt mtt;
};

static int xrdma_rereg_check(struct xrdma_ibdev *xib, const struct xrdma_mr *mr,
			     int flags, const struct xrdma_key_grant *grant,
			     int access)
{
	/* a bound window would prevent the revocation of a dma-buf */
	if (mr->dmabuf && (flags & IB_MR_REREG_TRANS ||
			   access & IB_ACCESS_MW_BIND))
		return -EOPNOTSUPP;
	/*
	 * The memory of a paged region stays, and stays paged. Whether that of a
	 * dma-buf is paged is no right that the process asks for.
	 */
	if (mr->odp && flags & IB_MR_REREG_TRANS)
		return -EOPNOTSUPP;
	if (flags & IB_MR_REREG_ACCESS &&
	    (mr->odp && !mr->dmabuf) != !!(access & IB_ACCESS_ON_DEMAND))
		return -EOPNOTSUPP;
	/* whether memory is persistent is found out when it is pinned or mapped */
	if (access & IB_ACCESS_FLUSH_PERSISTENT && !(flags & IB_MR_REREG_TRANS) &&
	    !(mr->access & XRDMA_ACCESS_FLUSH_PERSISTENT))
		return -EOPNOTSUPP;
	access &= ~IB_ACCESS_ON_DEMAND;
	if (mr->odp && grant->length == U64_MAX)
		return xrdma_mr_check(xib, 1, 0, access);
	return xrdma_mr_check(xib, grant->length, grant->iova, access);
}

/* Pin new memory, or the same memory again for write access. */
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
	/*
	 * The mapping of a dma-buf always allows reads and writes. A paged
	 * region gets write access to a page when the device writes to it.
	 */
	if (mr->dmabuf || mr->odp || !ib_umem_check_rereg(mr->umem, flags, access))
		return 0;
	/* in another process, the addresses belong to other memory */
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
 * Choose the new key: a random key byte that differs from the old one. If only
 * rights change, the key stays, since applications (the tests of pyverbs, for
 * example) go on using the old key.
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

/* Does the change only add rights? */
static bool xrdma_rereg_only_adds(const struct xrdma_mr *mr,
				  const struct xrdma_rereg *to)
{
	return to->key == mr->ibmr.lkey && !to->umem &&
	       !(mr->access & ~to->grant.access);
}

/*
 * Invalidate the old key, and publish the new one. If the device dies during
 * INVALIDATE, the region keeps its old memory, like each region of a dead
 * device.
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
	/* INVALIDATE also succeeds by a reset, but then no key can be used */
	if (xrdma_dead(&xib->hw))
		return -EIO;
	if (to->umem) {
		swap(mr->umem, to->umem);
		xrdma_mtt_move(&old, &mr->mtt);
		xrdma_mtt_move(&mr->mtt, &to->mtt);
		xrdma_mtt_move(&to->mtt, &old);
	}
	xrdma_mr_publish(xib, to->key, &to->grant, &mr->mtt,
			 xrdma_mr_flags(mr));
	mr->access = to->grant.access;
	mr->ibmr.lkey = to->key;
	mr->ibmr.rkey = to->key;
	return 0;
}

/**
 * xrdma_rereg_user_mr() - ib_device_ops.rereg_user_mr
 * @ibmr: region of memory of a process; or of a dma-buf, whose memory cannot
 *	change
 * @flags: enum ib_mr_rereg_flags: which of the following parameters are used
 * @start: virtual address in the current process
 * @length: length in bytes, 1 or more
 * @iova: address of the first byte under the key, any value
 * @access: enum ib_access_flags
 * @ibpd: protection domain
 * @udata: contains no driver data, and gets none
 *
 * The key byte changes, unless only rights change. Adding rights does not
 * interrupt the peer's accesses, and is possible while windows are bound, if
 * the memory need not be pinned again. When a region gets local write that it
 * did not have, its memory is pinned again, at the same addresses; only the
 * process that registered the region can do that. ib_core updates protection
 * domain, length and IOVA in
 * @ibmr.
 *
 * Context: may sleep, for a bounded time.
 * Return: NULL: success; or an ERR_PTR(), and the region is unchanged: an errno
 * of xrdma_reg_user_mr(); -EBUSY: windows are bound to the region; -EACCES: the
 * memory must be pinned again, but belongs to another process; -EINVAL: the
 * dma-buf was revoked.
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
		access = xrdma_mr_ib_access(mr->access);
	to.grant.access = xrdma_mr_hw_access(access);
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
	/* release the old memory after success, the new memory after failure */
	xrdma_rereg_drop(xib, to.umem, &to.mtt);
	return err ? ERR_PTR(err) : NULL;
}
