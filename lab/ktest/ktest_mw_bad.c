// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases for memory windows of kernel consumers: binds and invalidations that
 * the device refuses. Requests that succeed are in ktest_mw.c, setup is in
 * ktest_mw_rig.c.
 */

#include <linux/string.h>
#include "ktest_mw.h"

static void bind_fails(struct ktest *t, int status, int reason)
{
	EXPECT_EQ(t, status, IB_WC_MW_BIND_ERR);
	EXPECT_EQ(t, t->wc.vendor_err, reason);
	EXPECT_EQ(t, ktest_reconnect(t), 0);
}

static void lend_fails(struct ktest *t, struct ktest_windows *w,
		       struct ib_mw *mw, u64 off, u64 length, int access,
		       int reason)
{
	bind_fails(t, ktest_mw_bind(t, w, mw, off, length, access), reason);
}

static void bind_of_a_bad_window_is_refused(struct ktest *t)
{
	struct ib_mw *foreign = NULL;
	struct ktest_windows w;
	u32 key;

	if (ktest_windows_open(t, &w) ||
	    ktest_mw_open(t, &foreign, t->other_pd, IB_MW_TYPE_2))
		goto out;
	lend_fails(t, &w, foreign, 0, 4096, KTEST_REMOTE, XRDMA_FAULT_PD);
	key = w.mw->rkey;
	w.mw->rkey = ib_inc_rkey(key);
	lend_fails(t, &w, w.mw, 0, 4096, KTEST_REMOTE, XRDMA_FAULT_KEY_BYTE);
	w.mw->rkey = w.mr->rkey;
	lend_fails(t, &w, w.mw, 0, 4096, KTEST_REMOTE, XRDMA_FAULT_TYPE);
	w.mw->rkey = 0xffffff00;
	lend_fails(t, &w, w.mw, 0, 4096, KTEST_REMOTE, XRDMA_FAULT_KEY_INDEX);
	w.mw->rkey = 0;
	lend_fails(t, &w, w.mw, 0, 4096, KTEST_REMOTE, XRDMA_FAULT_KEY_INVALID);
	w.mw->rkey = key;
	bind_fails(t, ktest_bind(t, w.mw, key ^ 0x100, w.mr, w.mr->iova, 4096,
				 KTEST_REMOTE), XRDMA_FAULT_KEY_INDEX);
	bind_fails(t, ktest_bind(t, w.old, w.old->rkey, w.mr, w.mr->iova, 4096,
				 KTEST_REMOTE), XRDMA_FAULT_KEY_BYTE);
	ktest_mw_bind_ok(t, &w, w.mw, 0, 4096, KTEST_REMOTE);
	lend_fails(t, &w, w.mw, 0, 4096, KTEST_REMOTE, XRDMA_FAULT_NOT_FREE);
	ktest_write_lands(t, &w, w.mw->rkey, w.mr->iova, 0, 4096);
out:
	ktest_mw_close(t, &foreign);
	ktest_windows_close(t, &w);
}

static void bind_to_a_bad_range_is_refused(struct ktest *t)
{
	struct { u64 off; u64 length; } bad[] = {
		{ 0, 0 }, { 0, KTEST_SIZE + 1 }, { KTEST_SIZE, 1 },
		{ KTEST_SIZE - 1, 2 },
		{ -1ULL, 1 }, { -1ULL, 2 }, { 1, -1ULL }, { 4096, -4096ULL },
	};
	struct ktest_windows w;
	int i;

	if (ktest_windows_open(t, &w))
		goto out;
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		lend_fails(t, &w, w.mw, bad[i].off, bad[i].length, KTEST_REMOTE,
			   XRDMA_FAULT_RANGE);
	/* a bind of length 0 must have no access rights */
	lend_fails(t, &w, w.old, 0, 0, 0, XRDMA_FAULT_RANGE);
	ktest_mw_bind_ok(t, &w, w.mw, KTEST_SIZE - 1, 1, KTEST_REMOTE);
	ktest_write_lands(t, &w, w.mw->rkey, w.mr->iova + KTEST_SIZE - 1,
			  KTEST_SIZE - 1, 1);
out:
	ktest_windows_close(t, &w);
}

static void bind_with_bad_rights_is_refused(struct ktest *t)
{
	struct ktest_windows w;

	if (ktest_windows_open(t, &w))
		goto out;
	lend_fails(t, &w, w.mw, 0, 8, IB_ACCESS_LOCAL_WRITE,
		   XRDMA_FAULT_RIGHTS);
	lend_fails(t, &w, w.mw, 0, 8, KTEST_REMOTE | IB_ACCESS_MW_BIND,
		   XRDMA_FAULT_RIGHTS);
	lend_fails(t, &w, w.old, 0, 8, KTEST_REMOTE | IB_ZERO_BASED,
		   XRDMA_FAULT_TYPE);
	EXPECT_EQ(t, ktest_mw_bind(t, &w, w.mw, 0, 8, 1 << 30), -EINVAL);
	/*
	 * a window with atomics needs a region with local write, not with
	 * atomics
	 */
	ktest_mw_bind_ok(t, &w, w.mw, 0, 8, IB_ACCESS_REMOTE_ATOMIC);
out:
	ktest_windows_close(t, &w);
}

static void bind_to_a_bad_region_is_refused(struct ktest *t)
{
	struct ktest_windows w;
	struct ib_mr *mr;

	if (ktest_windows_open(t, &w))
		goto out;
	mr = w.mr;
	/* no window can be bound to the region of all bus addresses */
	w.mr = t->mr;
	lend_fails(t, &w, w.mw, 0, 8, KTEST_REMOTE, XRDMA_FAULT_TYPE);
	w.mr = mr;
	EXPECT_EQ(t, ktest_inv(t, mr->rkey), IB_WC_SUCCESS);
	lend_fails(t, &w, w.mw, 0, 8, KTEST_REMOTE, XRDMA_FAULT_KEY_FREE);
	EXPECT_EQ(t, ktest_reg(t, mr, mr->rkey, KTEST_ALL), IB_WC_SUCCESS);
	lend_fails(t, &w, w.mw, 0, 8, KTEST_REMOTE, XRDMA_FAULT_RIGHTS);
	EXPECT_EQ(t, ktest_inv(t, mr->rkey), IB_WC_SUCCESS);
	EXPECT_EQ(t, ktest_reg(t, mr, mr->rkey, IB_ACCESS_MW_BIND),
		  IB_WC_SUCCESS);
	lend_fails(t, &w, w.mw, 0, 8, KTEST_REMOTE, XRDMA_FAULT_RIGHTS);
	mr->lkey = ib_inc_rkey(mr->lkey);
	lend_fails(t, &w, w.mw, 0, 8, IB_ACCESS_REMOTE_READ,
		   XRDMA_FAULT_KEY_BYTE);
	mr->lkey = w.other->rkey;
	lend_fails(t, &w, w.mw, 0, 8, IB_ACCESS_REMOTE_READ,
		   XRDMA_FAULT_KEY_FREE);
	mr->lkey = mr->rkey;
	/* a window for READ needs no local write of the region */
	ktest_mw_bind_ok(t, &w, w.mw, 0, 8, IB_ACCESS_REMOTE_READ);
out:
	ktest_windows_close(t, &w);
}

static void bind_to_a_region_of_another_domain_is_refused(struct ktest *t)
{
	struct ktest_windows w, other = {};
	struct ktest_second first;
	int err;

	if (ktest_windows_open(t, &w))
		goto out;
	swap(t->pd, t->other_pd);
	err = ktest_second_open(t, &first) ?:
	      ktest_mw_region_open(t, &other, t->pd, KTEST_BINDABLE);
	ktest_second_close(t, &first);
	swap(t->pd, t->other_pd);
	if (!err)
		lend_fails(t, &other, w.mw, 0, 8, KTEST_REMOTE, XRDMA_FAULT_PD);
out:
	ktest_mw_region_close(t, &other);
	ktest_windows_close(t, &w);
}

static void bad_invalidation_is_refused(struct ktest *t)
{
	struct ktest_windows w;

	if (ktest_windows_open(t, &w))
		goto out;
	ktest_mw_bind_ok(t, &w, w.old, 0, 4096, KTEST_REMOTE);
	ktest_mw_bind_ok(t, &w, w.mw, 0, 4096, KTEST_REMOTE);
	EXPECT_EQ(t, ktest_inv(t, w.old->rkey), IB_WC_LOC_QP_OP_ERR);
	EXPECT_EQ(t, t->wc.vendor_err, XRDMA_FAULT_TYPE);
	EXPECT_EQ(t, ktest_reconnect(t), 0);
	EXPECT_EQ(t, ktest_inv(t, w.mr->rkey), IB_WC_LOC_QP_OP_ERR);
	EXPECT_EQ(t, t->wc.vendor_err, XRDMA_FAULT_BOUND);
	EXPECT_EQ(t, ktest_reconnect(t), 0);
	EXPECT_EQ(t, ktest_inv(t, ib_inc_rkey(w.mw->rkey)),
		  IB_WC_LOC_QP_OP_ERR);
	EXPECT_EQ(t, t->wc.vendor_err, XRDMA_FAULT_KEY_BYTE);
	EXPECT_EQ(t, ktest_reconnect(t), 0);
	ktest_write_lands(t, &w, w.mw->rkey, w.mr->iova, 0, 4096);
	ktest_write_lands(t, &w, w.old->rkey, w.mr->iova, 0, 4096);
out:
	ktest_windows_close(t, &w);
}

static void bind_is_not_posted_inline(struct ktest *t)
{
	struct xrdma_bind_wr wr = {
		.wr = {
			.opcode = IB_WR_BIND_MW,
			.send_flags = IB_SEND_INLINE,
		},
		.length = 8,
		.access = KTEST_REMOTE,
	};
	struct ktest_windows w;

	if (ktest_windows_open(t, &w))
		goto out;
	wr.mw = w.mw;
	wr.rkey = ib_inc_rkey(w.mw->rkey);
	wr.mr = w.mr;
	wr.addr = w.mr->iova;
	EXPECT_EQ(t, ktest_do(t, t->b.qp, &wr.wr), -EINVAL);
out:
	ktest_windows_close(t, &w);
}

const struct ktest_case ktest_mw_bad_cases[] = {
	KTEST_CASE(bind_of_a_bad_window_is_refused),
	KTEST_CASE(bind_to_a_bad_range_is_refused),
	KTEST_CASE(bind_with_bad_rights_is_refused),
	KTEST_CASE(bind_to_a_bad_region_is_refused),
	KTEST_CASE(bind_to_a_region_of_another_domain_is_refused),
	KTEST_CASE(bad_invalidation_is_refused),
	KTEST_CASE(bind_is_not_posted_inline),
	{}
};
