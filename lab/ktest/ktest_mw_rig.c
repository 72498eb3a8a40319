// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Windows to test with, and a second connection beside that of the case.
 * InfiniBand core lets only user space allocate windows: what it does for that,
 * the cases do here.
 */

#include <linux/random.h>
#include <linux/slab.h>
#include "ktest_mw.h"

/**
 * ktest_mw_open() - allocate a window
 * @t: the case
 * @out: gets it
 * @pd: protection domain
 * @type: of the window
 *
 * Return: 0 or an errno of alloc_mw.
 */
int ktest_mw_open(struct ktest *t, struct ib_mw **out, struct ib_pd *pd,
		  enum ib_mw_type type)
{
	struct ib_mw *mw = rdma_zalloc_drv_obj(t->dev, ib_mw);
	int err;

	if (!mw)
		return -ENOMEM;
	mw->device = t->dev;
	mw->pd = pd;
	mw->type = type;
	err = t->dev->ops.alloc_mw(mw, NULL);
	if (err) {
		kfree(mw);
		return err;
	}
	atomic_inc(&pd->usecnt);
	*out = mw;
	return 0;
}

/**
 * ktest_mw_close() - end of a window
 * @t: the case
 * @mw: the window or NULL; NULL afterwards
 */
void ktest_mw_close(struct ktest *t, struct ib_mw **mw)
{
	if (!*mw)
		return;
	EXPECT_EQ(t, t->dev->ops.dealloc_mw(*mw), 0);
	atomic_dec(&(*mw)->pd->usecnt);
	kfree(*mw);
	*mw = NULL;
}

/**
 * ktest_lent_close() - end of the region and its memory
 * @t: the case
 * @w: where they are, or all zero
 */
void ktest_lent_close(struct ktest *t, struct ktest_windows *w)
{
	if (!IS_ERR_OR_NULL(w->mr))
		EXPECT_EQ(t, ib_dereg_mr(w->mr), 0);
	w->mr = NULL;
	ktest_mem_free(t, &w->mem);
}

/**
 * ktest_lent_open() - a region to bind windows to, all bytes untouched
 * @t: the case
 * @w: gets it
 * @pd: protection domain
 * @access: enum ib_access_flags to register it with; 0: is not registered
 *
 * Return: 0, or the first failure, which the case has noted.
 */
int ktest_lent_open(struct ktest *t, struct ktest_windows *w, struct ib_pd *pd,
		    int access)
{
	int err;

	err = ktest_mem_alloc(t, &w->mem, 0, KTEST_PAGES);
	if (!err) {
		ktest_mem_fill(&w->mem, KTEST_UNTOUCHED);
		w->mr = ib_alloc_mr(pd, IB_MR_TYPE_MEM_REG, KTEST_PAGES);
		err = PTR_ERR_OR_ZERO(w->mr);
	}
	if (!err && ib_map_mr_sg(w->mr, w->mem.sg, KTEST_PAGES, NULL, 4096) !=
		    KTEST_PAGES)
		err = -EINVAL;
	if (!err && access)
		err = ktest_reg(t, w->mr, w->mr->rkey, access);
	EXPECT_EQ(t, err, 0);
	return err;
}

/**
 * ktest_windows_close() - end of all of it, windows first
 * @t: the case
 * @w: what is there of it
 */
void ktest_windows_close(struct ktest *t, struct ktest_windows *w)
{
	ktest_mw_close(t, &w->old);
	ktest_mw_close(t, &w->other);
	ktest_mw_close(t, &w->mw);
	ktest_lent_close(t, w);
}

/**
 * ktest_windows_open() - a region and windows, none bound
 * @t: the case
 * @w: filled in; closed by ktest_windows_close() also after a failure
 *
 * Return: 0, or the first failure, which the case has noted.
 */
int ktest_windows_open(struct ktest *t, struct ktest_windows *w)
{
	int err;

	memset(w, 0, sizeof(*w));
	err = ktest_lent_open(t, w, t->pd, KTEST_BINDABLE) ?:
	      ktest_mw_open(t, &w->mw, t->pd, IB_MW_TYPE_2) ?:
	      ktest_mw_open(t, &w->other, t->pd, IB_MW_TYPE_2) ?:
	      ktest_mw_open(t, &w->old, t->pd, IB_MW_TYPE_1);
	EXPECT_EQ(t, err, 0);
	return err;
}

/**
 * ktest_lend() - bind a window to the region, with the next key
 * @t: the case
 * @w: the region
 * @mw: the window
 * @off: its first byte
 * @length: its bytes
 * @access: enum ib_access_flags
 *
 * Return: as ktest_do().
 */
int ktest_lend(struct ktest *t, struct ktest_windows *w, struct ib_mw *mw,
	       u64 off, u64 length, int access)
{
	return ktest_bind(t, mw, ib_inc_rkey(mw->rkey), w->mr,
			  w->mr->iova + off, length, access);
}

/**
 * ktest_lend_ok() - ktest_lend() that has to succeed
 * @t: the case
 * @w: the region
 * @mw: the window
 * @off: its first byte
 * @length: its bytes
 * @access: enum ib_access_flags
 */
void ktest_lend_ok(struct ktest *t, struct ktest_windows *w, struct ib_mw *mw,
		   u64 off, u64 length, int access)
{
	EXPECT_EQ(t, ktest_lend(t, w, mw, off, length, access), IB_WC_SUCCESS);
}

/**
 * ktest_write_lands() - WRITE of random bytes, where it should and nowhere else
 * @t: the case
 * @w: the region
 * @key: of region or window
 * @addr: address under @key
 * @off: where that is in the region
 * @len: bytes
 */
void ktest_write_lands(struct ktest *t, struct ktest_windows *w, u32 key,
		       u64 addr, u64 off, u32 len)
{
	get_random_bytes(t->a.buf, len);
	EXPECT_EQ(t, ktest_write(t, 0, len, addr, key), IB_WC_SUCCESS);
	EXPECT(t, ktest_mem_holds(&w->mem, off, t->a.buf, len,
				  KTEST_UNTOUCHED));
	ktest_mem_fill(&w->mem, KTEST_UNTOUCHED);
}

/**
 * ktest_write_fails() - WRITE that is refused and changes nothing
 * @t: the case; its connection is a fresh one afterwards
 * @w: the region
 * @key: of region or window
 * @addr: address under @key
 * @len: bytes
 */
void ktest_write_fails(struct ktest *t, struct ktest_windows *w, u32 key,
		       u64 addr, u32 len)
{
	EXPECT_EQ(t, ktest_write(t, 0, len, addr, key), IB_WC_REM_ACCESS_ERR);
	EXPECT(t, ktest_mem_holds(&w->mem, 0, NULL, 0, KTEST_UNTOUCHED));
	EXPECT_EQ(t, ktest_reconnect(t), 0);
}

/**
 * ktest_second_open() - another connection in place of the case's
 * @t: the case
 * @c: keeps the first one; ktest_second_close() follows also after a failure
 *
 * Return: 0, or the first failure, which the case has noted.
 */
int ktest_second_open(struct ktest *t, struct ktest_second *c)
{
	int err;

	c->a = t->a.qp;
	c->b = t->b.qp;
	t->b.qp = NULL;
	err = ktest_open_qp(t, &t->a, IB_SIGNAL_REQ_WR, 0) ?:
	      ktest_open_qp(t, &t->b, IB_SIGNAL_REQ_WR, 0) ?:
	      ktest_connect(t, t->a.qp, t->b.qp);
	EXPECT_EQ(t, err, 0);
	return err;
}

/**
 * ktest_second_close() - back to the first connection
 * @t: the case
 * @c: keeps it
 */
void ktest_second_close(struct ktest *t, struct ktest_second *c)
{
	if (!IS_ERR_OR_NULL(t->a.qp))
		EXPECT_EQ(t, ib_destroy_qp(t->a.qp), 0);
	if (!IS_ERR_OR_NULL(t->b.qp))
		EXPECT_EQ(t, ib_destroy_qp(t->b.qp), 0);
	t->a.qp = c->a;
	t->b.qp = c->b;
}
