// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases for memory windows of kernel consumers: BIND_MW, the accesses that a
 * window grants, and the ways to unbind it. Refused requests are in
 * ktest_mw_bad.c, setup is in ktest_mw_rig.c.
 */

#include <linux/string.h>
#include "ktest_mw.h"

/* ---- use ---------------------------------------------------------------- */

static void window_grants_its_range_and_no_more(struct ktest *t)
{
	struct ktest_windows w;
	u64 addr;

	if (ktest_windows_open(t, &w))
		goto out;
	ktest_mw_bind_ok(t, &w, w.mw, 1000, 9000, KTEST_REMOTE);
	EXPECT_EQ(t, t->wc.opcode, IB_WC_BIND_MW);
	addr = w.mr->iova + 1000;
	ktest_write_lands(t, &w, w.mw->rkey, addr, 1000, 9000);
	ktest_write_lands(t, &w, w.mw->rkey, addr, 1000, 1);
	ktest_write_lands(t, &w, w.mw->rkey, addr + 8999, 9999, 1);
	EXPECT_EQ(t, ktest_read(t, 0, 9000, addr, w.mw->rkey), IB_WC_SUCCESS);
	EXPECT(t, !memchr_inv(t->a.buf, KTEST_UNTOUCHED, 9000));
	ktest_write_fails(t, &w, w.mw->rkey, addr - 1, 1);
	ktest_write_fails(t, &w, w.mw->rkey, addr, 9001);
	ktest_write_fails(t, &w, w.mw->rkey, addr + 8999, 2);
	ktest_write_fails(t, &w, w.mw->rkey, addr + 9000, 1);
	ktest_write_fails(t, &w, w.mw->rkey, -1ULL, 2);
	/* the region's own key grants the peer no access */
	ktest_write_fails(t, &w, w.mr->rkey, addr, 8);
out:
	ktest_windows_close(t, &w);
}

static void window_grants_its_rights_and_no_more(struct ktest *t)
{
	struct ktest_windows w;

	if (ktest_windows_open(t, &w))
		goto out;
	ktest_mw_bind_ok(t, &w, w.mw, 0, KTEST_SIZE, IB_ACCESS_REMOTE_READ);
	EXPECT_EQ(t, ktest_read(t, 0, KTEST_SIZE, w.mr->iova, w.mw->rkey),
		  IB_WC_SUCCESS);
	ktest_write_fails(t, &w, w.mw->rkey, w.mr->iova, 8);
out:
	ktest_windows_close(t, &w);
}

static void window_that_is_not_bound_grants_nothing(struct ktest *t)
{
	struct ktest_windows w;

	if (ktest_windows_open(t, &w))
		goto out;
	ktest_write_fails(t, &w, w.mw->rkey, w.mr->iova, 8);
	ktest_write_fails(t, &w, w.old->rkey, w.mr->iova, 8);
out:
	ktest_windows_close(t, &w);
}

static void windows_may_overlap(struct ktest *t)
{
	struct ktest_windows w;

	if (ktest_windows_open(t, &w))
		goto out;
	ktest_mw_bind_ok(t, &w, w.mw, 0, 8192, KTEST_REMOTE);
	ktest_mw_bind_ok(t, &w, w.other, 4096, 8192, KTEST_REMOTE);
	ktest_write_lands(t, &w, w.mw->rkey, w.mr->iova, 0, 8192);
	ktest_write_lands(t, &w, w.other->rkey, w.mr->iova + 4096, 4096, 8192);
	/* an access by one window's key must not reach into the other window */
	ktest_write_fails(t, &w, w.mw->rkey, w.mr->iova + 8000, 193);
	ktest_write_fails(t, &w, w.other->rkey, w.mr->iova + 4000, 97);
out:
	ktest_windows_close(t, &w);
}

static void zero_based_window_begins_at_zero(struct ktest *t)
{
	struct ktest_windows w;

	if (ktest_windows_open(t, &w))
		goto out;
	ktest_mw_bind_ok(t, &w, w.mw, 5000, 5000, KTEST_REMOTE | IB_ZERO_BASED);
	ktest_write_lands(t, &w, w.mw->rkey, 0, 5000, 5000);
	ktest_write_lands(t, &w, w.mw->rkey, 4999, 9999, 1);
	ktest_write_fails(t, &w, w.mw->rkey, 5000, 1);
	ktest_write_fails(t, &w, w.mw->rkey, w.mr->iova + 5000, 8);
out:
	ktest_windows_close(t, &w);
}

static void window_is_of_the_queue_pair_it_was_bound_on(struct ktest *t)
{
	struct ktest_second first;
	struct ktest_windows w;

	if (ktest_windows_open(t, &w))
		goto out;
	ktest_mw_bind_ok(t, &w, w.mw, 0, KTEST_SIZE, KTEST_REMOTE);
	ktest_mw_bind_ok(t, &w, w.old, 0, KTEST_SIZE, KTEST_REMOTE);
	if (!ktest_second_open(t, &first)) {
		/* a type 1 window is valid for all queue pairs of its domain */
		ktest_write_lands(t, &w, w.old->rkey, w.mr->iova, 0, 100);
		ktest_write_fails(t, &w, w.mw->rkey, w.mr->iova, 100);
		EXPECT_EQ(t, ktest_inv(t, w.mw->rkey), IB_WC_LOC_QP_OP_ERR);
		EXPECT_EQ(t, t->wc.vendor_err, XRDMA_FAULT_QP);
	}
	ktest_second_close(t, &first);
	ktest_write_lands(t, &w, w.mw->rkey, w.mr->iova, 0, 100);
out:
	ktest_windows_close(t, &w);
}

static void window_is_of_its_protection_domain(struct ktest *t)
{
	struct ktest_second first;
	struct ktest_windows w;

	if (ktest_windows_open(t, &w))
		goto out;
	ktest_mw_bind_ok(t, &w, w.old, 0, KTEST_SIZE, KTEST_REMOTE);
	swap(t->pd, t->other_pd);
	if (!ktest_second_open(t, &first))
		ktest_write_fails(t, &w, w.old->rkey, w.mr->iova, 100);
	ktest_second_close(t, &first);
	swap(t->pd, t->other_pd);
	ktest_write_lands(t, &w, w.old->rkey, w.mr->iova, 0, 100);
out:
	ktest_windows_close(t, &w);
}

static void window_is_no_local_memory(struct ktest *t)
{
	struct ib_send_wr wr = { .opcode = IB_WR_SEND, .num_sge = 1 };
	struct ib_sge sge = { .length = 8 };
	struct ktest_windows w;

	if (ktest_windows_open(t, &w))
		goto out;
	ktest_mw_bind_ok(t, &w, w.mw, 0, KTEST_SIZE, KTEST_REMOTE);
	sge.addr = w.mr->iova;
	sge.lkey = w.mw->rkey;
	wr.sg_list = &sge;
	EXPECT_EQ(t, ktest_do(t, t->b.qp, &wr), IB_WC_LOC_PROT_ERR);
	EXPECT_EQ(t, t->wc.vendor_err, XRDMA_FAULT_TYPE);
out:
	ktest_windows_close(t, &w);
}

/* ---- binding a window again ---------------------------------------------- */

static void type_2_is_bound_again_after_invalidation(struct ktest *t)
{
	struct ktest_windows w;
	u32 key;
	int i;

	if (ktest_windows_open(t, &w))
		goto out;
	for (i = 0; i < 256; i++) {
		key = w.mw->rkey;
		ktest_mw_bind_ok(t, &w, w.mw, i, 4096, KTEST_REMOTE);
		EXPECT(t, w.mw->rkey != key);
		ktest_write_lands(t, &w, w.mw->rkey, w.mr->iova + i, i, 64);
		EXPECT_EQ(t, ktest_inv(t, w.mw->rkey), IB_WC_SUCCESS);
		if (t->failed)
			break;
	}
	ktest_write_fails(t, &w, w.mw->rkey, w.mr->iova + 255, 8);
out:
	ktest_windows_close(t, &w);
}

static void type_1_is_bound_again_at_once(struct ktest *t)
{
	struct ktest_windows w;
	u32 key;

	if (ktest_windows_open(t, &w))
		goto out;
	ktest_mw_bind_ok(t, &w, w.old, 0, 4096, KTEST_REMOTE);
	ktest_write_lands(t, &w, w.old->rkey, w.mr->iova, 0, 4096);
	key = w.old->rkey;
	ktest_mw_bind_ok(t, &w, w.old, 4096, 4096, KTEST_REMOTE);
	ktest_write_lands(t, &w, w.old->rkey, w.mr->iova + 4096, 4096, 4096);
	ktest_write_fails(t, &w, key, w.mr->iova + 4096, 8);
	ktest_write_fails(t, &w, w.old->rkey, w.mr->iova, 8);
	/* a bind of length 0 unbinds a type 1 window */
	EXPECT_EQ(t, ktest_bind(t, w.old, ib_inc_rkey(w.old->rkey), NULL, 0, 0,
				0), IB_WC_SUCCESS);
	ktest_write_fails(t, &w, w.old->rkey, w.mr->iova + 4096, 8);
	EXPECT_EQ(t, ktest_inv(t, w.mr->rkey), IB_WC_SUCCESS);
out:
	ktest_windows_close(t, &w);
}

/* One list: register, bind, and send the key, without waiting in between. */
static void list_registers_binds_and_invalidates(struct ktest *t)
{
	struct ib_send_wr inv = {
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
	};
	struct xrdma_bind_wr bnd = {
		.wr = { .opcode = IB_WR_BIND_MW, .next = &inv },
		.length = KTEST_SIZE,
		.access = KTEST_REMOTE,
	};
	struct ib_reg_wr reg = {
		.wr = { .opcode = IB_WR_REG_MR, .next = &bnd.wr },
		.access = KTEST_BINDABLE,
	};
	struct ktest_windows w;
	int i;

	if (ktest_windows_open(t, &w))
		goto out;
	EXPECT_EQ(t, ktest_inv(t, w.mr->rkey), IB_WC_SUCCESS);
	reg.mr = w.mr;
	reg.key = ib_inc_rkey(w.mr->rkey);
	ib_update_fast_reg_key(w.mr, reg.key);
	bnd.mw = w.mw;
	bnd.rkey = ib_inc_rkey(w.mw->rkey);
	bnd.mr = w.mr;
	bnd.addr = w.mr->iova;
	inv.ex.invalidate_rkey = bnd.rkey;
	reg.wr.wr_cqe = &ktest_op_init(&t->op[0])->cqe;
	bnd.wr.wr_cqe = &ktest_op_init(&t->op[1])->cqe;
	inv.wr_cqe = &ktest_op_init(&t->op[2])->cqe;
	EXPECT_EQ(t, ib_post_send(t->b.qp, &reg.wr, NULL), 0);
	for (i = 0; i < 3; i++) {
		EXPECT(t, ktest_wait(&t->op[i]));
		EXPECT_EQ(t, t->op[i].wc.status, IB_WC_SUCCESS);
	}
	w.mw->rkey = bnd.rkey;
	ktest_mw_bind_ok(t, &w, w.mw, 0, 4096, KTEST_REMOTE);
	ktest_write_lands(t, &w, w.mw->rkey, w.mr->iova, 0, 4096);
out:
	ktest_windows_close(t, &w);
}

static void peer_invalidates_window(struct ktest *t)
{
	struct ib_sge sge = ktest_sge(t, &t->a, 0, 64);
	struct ib_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IB_WR_SEND_WITH_INV,
	};
	struct ktest_windows w;

	if (ktest_windows_open(t, &w))
		goto out;
	ktest_mw_bind_ok(t, &w, w.mw, 0, KTEST_SIZE, KTEST_REMOTE);
	wr.ex.invalidate_rkey = w.mw->rkey;
	EXPECT_EQ(t, ktest_recv(t, &t->b, &t->op[0], 0, 4096), 0);
	EXPECT_EQ(t, ktest_do(t, t->a.qp, &wr), IB_WC_SUCCESS);
	EXPECT(t, ktest_wait(&t->op[0]));
	EXPECT_EQ(t, t->op[0].wc.wc_flags, IB_WC_WITH_INVALIDATE);
	EXPECT_EQ(t, t->op[0].wc.ex.invalidate_rkey, w.mw->rkey);
	ktest_write_fails(t, &w, w.mw->rkey, w.mr->iova, 8);
	/* succeeds because no window is bound to the region any more */
	EXPECT_EQ(t, ktest_inv(t, w.mr->rkey), IB_WC_SUCCESS);
out:
	ktest_windows_close(t, &w);
}

/* ---- deregistration and destruction ------------------------------------- */

static void region_with_windows_stays(struct ktest *t)
{
	struct ktest_windows w;

	if (ktest_windows_open(t, &w))
		goto out;
	ktest_mw_bind_ok(t, &w, w.mw, 0, 4096, KTEST_REMOTE);
	ktest_mw_bind_ok(t, &w, w.old, 0, 4096, KTEST_REMOTE);
	EXPECT_EQ(t, ib_dereg_mr(w.mr), -EBUSY);
	ktest_mw_close(t, &w.mw);
	EXPECT_EQ(t, ib_dereg_mr(w.mr), -EBUSY);
	ktest_write_lands(t, &w, w.old->rkey, w.mr->iova, 0, 4096);
	ktest_mw_close(t, &w.old);
out:
	/* deregisters the region, which succeeds now */
	ktest_windows_close(t, &w);
}

static void window_that_is_gone_grants_nothing(struct ktest *t)
{
	struct ktest_windows w;
	u32 key;

	if (ktest_windows_open(t, &w))
		goto out;
	ktest_mw_bind_ok(t, &w, w.mw, 0, 4096, KTEST_REMOTE);
	key = w.mw->rkey;
	ktest_mw_close(t, &w.mw);
	ktest_write_fails(t, &w, key, w.mr->iova, 8);
out:
	ktest_windows_close(t, &w);
}

/*
 * Type 2A: a queue pair with bound windows cannot be destroyed. Type 2B: it
 * can, and the window grants no access after that.
 */
static void queue_pair_with_windows_ends_by_its_type(struct ktest *t)
{
	bool stays = t->dev->attrs.device_cap_flags &
		     IB_DEVICE_MEM_WINDOW_TYPE_2A;
	struct ktest_windows w;

	if (ktest_windows_open(t, &w))
		goto out;
	ktest_mw_bind_ok(t, &w, w.mw, 0, 4096, KTEST_REMOTE);
	EXPECT_EQ(t, ktest_to_state(t->b.qp, IB_QPS_RESET),
		  stays ? -EBUSY : 0);
	EXPECT_EQ(t, ib_destroy_qp(t->b.qp), stays ? -EBUSY : 0);
	if (stays)
		ktest_write_lands(t, &w, w.mw->rkey, w.mr->iova, 0, 4096);
	else
		t->b.qp = NULL;
out:
	ktest_windows_close(t, &w);
}

const struct ktest_case ktest_mw_cases[] = {
	KTEST_CASE(window_grants_its_range_and_no_more),
	KTEST_CASE(window_grants_its_rights_and_no_more),
	KTEST_CASE(window_that_is_not_bound_grants_nothing),
	KTEST_CASE(windows_may_overlap),
	KTEST_CASE(zero_based_window_begins_at_zero),
	KTEST_CASE(window_is_of_the_queue_pair_it_was_bound_on),
	KTEST_CASE(window_is_of_its_protection_domain),
	KTEST_CASE(window_is_no_local_memory),
	KTEST_CASE(type_2_is_bound_again_after_invalidation),
	KTEST_CASE(type_1_is_bound_again_at_once),
	KTEST_CASE(list_registers_binds_and_invalidates),
	KTEST_CASE(peer_invalidates_window),
	KTEST_CASE(region_with_windows_stays),
	KTEST_CASE(window_that_is_gone_grants_nothing),
	KTEST_CASE(queue_pair_with_windows_ends_by_its_type),
	{}
};
