// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Setup of the window cases: a region and windows, and a second connection. The
 * cases are in ktest_mw.c and ktest_mw_bad.c.
 *
 * InfiniBand core allocates windows only for user space. This file does the
 * same steps as the core does there.
 */

#include <linux/random.h>
#include <linux/slab.h>
#include "ktest_mw.h"

/**
 * ktest_mw_open() - allocate a window
 * @t: the case
 * @out: set to the window
 * @pd: protection domain
 * @type: type of the window
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
 * ktest_mw_close() - free a window
 * @t: the case
 * @mw: the window or NULL; set to NULL
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
 * ktest_mw_region_close() - deregister the region and free its memory
 * @t: the case
 * @w: has the region and the memory, or is all zero
 */
void ktest_mw_region_close(struct ktest *t, struct ktest_windows *w)
{
	if (!IS_ERR_OR_NULL(w->mr))
		EXPECT_EQ(t, ib_dereg_mr(w->mr), 0);
	w->mr = NULL;
	ktest_mem_free(t, &w->mem);
}

/**
 * ktest_mw_region_open() - make a region to bind windows to, filled with
 *	KTEST_UNTOUCHED
 * @t: the case
 * @w: set to the region and its memory
 * @pd: protection domain
 * @access: enum ib_access_flags of the region; 0: the region is not registered
 *
 * Return: 0, or the first failure, which the case has noted.
 */
int ktest_mw_region_open(struct ktest *t, struct ktest_windows *w,
			 struct ib_pd *pd, int access)
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
 * ktest_windows_close() - free the windows, the region and its memory
 * @t: the case
 * @w: filled in by ktest_windows_open(), possibly in part
 */
void ktest_windows_close(struct ktest *t, struct ktest_windows *w)
{
	ktest_mw_close(t, &w->old);
	ktest_mw_close(t, &w->other);
	ktest_mw_close(t, &w->mw);
	ktest_mw_region_close(t, w);
}

/**
 * ktest_windows_open() - make a region, and windows that are not bound
 * @t: the case
 * @w: filled in; the caller calls ktest_windows_close() also after a failure
 *
 * Return: 0, or the first failure, which the case has noted.
 */
int ktest_windows_open(struct ktest *t, struct ktest_windows *w)
{
	int err;

	memset(w, 0, sizeof(*w));
	err = ktest_mw_region_open(t, w, t->pd, KTEST_BINDABLE) ?:
	      ktest_mw_open(t, &w->mw, t->pd, IB_MW_TYPE_2) ?:
	      ktest_mw_open(t, &w->other, t->pd, IB_MW_TYPE_2) ?:
	      ktest_mw_open(t, &w->old, t->pd, IB_MW_TYPE_1);
	EXPECT_EQ(t, err, 0);
	return err;
}

/**
 * ktest_mw_bind() - bind a window to the region, with the next key
 * @t: the case
 * @w: has the region
 * @mw: the window
 * @off: offset of the window in the region, in bytes
 * @length: length of the window in bytes
 * @access: enum ib_access_flags
 *
 * Return: as ktest_do().
 */
int ktest_mw_bind(struct ktest *t, struct ktest_windows *w, struct ib_mw *mw,
		  u64 off, u64 length, int access)
{
	return ktest_bind(t, mw, ib_inc_rkey(mw->rkey), w->mr,
			  w->mr->iova + off, length, access);
}

/**
 * ktest_mw_bind_ok() - call ktest_mw_bind(), and expect success
 * @t: the case
 * @w: has the region
 * @mw: the window
 * @off: offset of the window in the region, in bytes
 * @length: length of the window in bytes
 * @access: enum ib_access_flags
 */
void ktest_mw_bind_ok(struct ktest *t, struct ktest_windows *w,
		      struct ib_mw *mw, u64 off, u64 length, int access)
{
	EXPECT_EQ(t, ktest_mw_bind(t, w, mw, off, length, access),
		  IB_WC_SUCCESS);
}

/**
 * ktest_write_lands() - expect that a WRITE changes its target, and no other
 *	byte
 * @t: the case
 * @w: has the region
 * @key: rkey of the region or of a window
 * @addr: target address of the WRITE
 * @off: offset of @addr in the region, in bytes
 * @len: number of random bytes to write
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
 * ktest_write_fails() - expect that a WRITE is refused and changes no byte
 * @t: the case, which is connected again afterwards
 * @w: has the region
 * @key: rkey of the region or of a window
 * @addr: target address of the WRITE
 * @len: number of bytes to write
 */
void ktest_write_fails(struct ktest *t, struct ktest_windows *w, u32 key,
		       u64 addr, u32 len)
{
	EXPECT_EQ(t, ktest_write(t, 0, len, addr, key), IB_WC_REM_ACCESS_ERR);
	EXPECT(t, ktest_mem_holds(&w->mem, 0, NULL, 0, KTEST_UNTOUCHED));
	EXPECT_EQ(t, ktest_reconnect(t), 0);
}

/**
 * ktest_second_open() - replace the connection of the case by a second one
 * @t: the case
 * @c: set to the first connection; the caller calls ktest_second_close() also
 *	after a failure
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
 * ktest_second_close() - restore the first connection of the case
 * @t: the case
 * @c: the first connection
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
