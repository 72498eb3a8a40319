// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work on a device that dies: runs only by name, and somebody has to end the
 * device meanwhile.
 */

#include <linux/string.h>
#include "ktest_mw.h"

#define DEATH		(60 * HZ)
#define RECEIVES	8

/* One request of each kind that grants or revokes, and a WRITE */
struct requests {
	struct ib_reg_wr reg;
	struct xrdma_bind_wr bind;
	struct ib_send_wr inv;
	struct ib_send_wr send_inv;
	struct ib_rdma_wr write;
};

static void make_requests(struct ktest *t, struct ktest_windows *w,
			  struct requests *r)
{
	struct ib_send_wr *wr[] = {
		&r->reg.wr, &r->bind.wr, &r->inv, &r->send_inv, &r->write.wr,
	};
	int i;

	memset(r, 0, sizeof(*r));
	r->reg.wr.opcode = IB_WR_REG_MR;
	r->reg.mr = w->mr;
	r->reg.key = w->mr->rkey;
	r->reg.access = KTEST_ALL;
	r->bind.wr.opcode = IB_WR_BIND_MW;
	r->bind.mw = w->mw;
	r->bind.rkey = w->mw->rkey;
	r->bind.mr = w->mr;
	r->inv.opcode = IB_WR_LOCAL_INV;
	r->inv.ex.invalidate_rkey = w->mr->rkey;
	r->send_inv.opcode = IB_WR_SEND_WITH_INV;
	r->send_inv.ex.invalidate_rkey = w->mr->rkey;
	r->write.wr.opcode = IB_WR_RDMA_WRITE;
	for (i = 0; i < ARRAY_SIZE(wr); i++) {
		wr[i]->wr_cqe = &ktest_op_init(&t->op[RECEIVES + i])->cqe;
		wr[i]->next = i + 1 < ARRAY_SIZE(wr) ? wr[i + 1] : NULL;
	}
}

/* Everything ends: with a flush error, once, and without the device */
static void dead_device_ends_all_work(struct ktest *t)
{
	static struct requests r;
	struct ktest_windows w;
	int i;

	if (ktest_windows_open(t, &w))
		goto out;
	ktest_lend_ok(t, &w, w.mw, 0, 4096, KTEST_REMOTE);
	make_requests(t, &w, &r);
	for (i = 0; i < RECEIVES; i++)
		EXPECT_EQ(t, ktest_recv(t, &t->b, &t->op[i], 0, 64), 0);
	EXPECT(t, wait_for_completion_timeout(&t->op[0].done, DEATH));
	EXPECT_EQ(t, ib_post_send(t->b.qp, &r.reg.wr, NULL), 0);
	ib_drain_qp(t->b.qp);
	for (i = 0; i < RECEIVES + 5; i++) {
		EXPECT_EQ(t, t->op[i].count, 1);
		EXPECT_EQ(t, t->op[i].wc.status, IB_WC_WR_FLUSH_ERR);
	}
	EXPECT_EQ(t, PTR_ERR(ib_alloc_mr(t->pd, IB_MR_TYPE_MEM_REG, 1)), -EIO);
out:
	ktest_windows_close(t, &w);
}

const struct ktest_case ktest_dead_cases[] = {
	KTEST_CASE(dead_device_ends_all_work),
	{}
};
