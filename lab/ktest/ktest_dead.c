// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work requests on a device that dies or is shut down. A case runs only if the
 * module parameter names it, since the device cannot be used after the case.
 */

#include <linux/pci.h>
#include <linux/printk.h>
#include <linux/string.h>
#include "ktest_mw.h"

#define DEATH		(60 * HZ)
#define RECEIVES	8
/* less than the minute that the core waits for the device's event */
#define DRAIN		(20 * HZ)

/* REG_MR, BIND_MW, LOCAL_INV and a WRITE: requests that are never executed */
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

/* Two queue pairs connected to each other, with one shared receive queue */
struct shared {
	struct ib_srq *srq;
	struct ib_qp *qp[2];
};

/* Draining a queue pair must end within DRAIN although the device is dead. */
static void close_shared(struct ktest *t, struct shared *s)
{
	unsigned long begin = jiffies;
	int i;

	for (i = 0; i < ARRAY_SIZE(s->qp); i++) {
		if (IS_ERR_OR_NULL(s->qp[i]))
			continue;
		ib_drain_qp(s->qp[i]);
		EXPECT(t, time_before(jiffies, begin + DRAIN));
		EXPECT_EQ(t, ib_destroy_qp(s->qp[i]), 0);
	}
	if (!IS_ERR(s->srq))
		ib_destroy_srq(s->srq);
}

static void open_shared(struct ktest *t, struct shared *s)
{
	struct ib_srq_init_attr init = { .attr = { .max_wr = 1 } };
	struct ib_qp_init_attr attr = {
		.send_cq = t->a.cq,
		.recv_cq = t->a.cq,
		.cap = { .max_send_wr = 1, .max_send_sge = 1 },
		.qp_type = IB_QPT_RC,
	};
	int i;

	memset(s, 0, sizeof(*s));
	s->srq = ib_create_srq(t->pd, &init);
	EXPECT_EQ(t, PTR_ERR_OR_ZERO(s->srq), 0);
	if (IS_ERR(s->srq))
		return;
	attr.srq = s->srq;
	for (i = 0; i < ARRAY_SIZE(s->qp); i++) {
		s->qp[i] = ib_create_qp(t->pd, &attr);
		EXPECT_EQ(t, PTR_ERR_OR_ZERO(s->qp[i]), 0);
	}
	if (!t->failed)
		EXPECT_EQ(t, ktest_connect(t, s->qp[0], s->qp[1]), 0);
}

/* Each posted request completes once, with a flush error, after die(). */
static void all_work_ends(struct ktest *t, void (*die)(struct ktest *t))
{
	static struct requests r;
	struct ktest_windows w;
	struct shared s;
	int i;

	open_shared(t, &s);
	if (ktest_windows_open(t, &w))
		goto out;
	ktest_mw_bind_ok(t, &w, w.mw, 0, 4096, KTEST_REMOTE);
	make_requests(t, &w, &r);
	for (i = 0; i < RECEIVES; i++)
		EXPECT_EQ(t, ktest_recv(t, &t->b, &t->op[i], 0, 64), 0);
	die(t);
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
	close_shared(t, &s);
}

static void by_others(struct ktest *t)
{
	/* host_kernel.py waits for this message */
	pr_info("xrdma_ktest: the device may die now\n");
}

static void dead_device_ends_all_work(struct ktest *t)
{
	all_work_ends(t, by_others);
}

/* Calls the driver's shutdown(), as reboot does. Consumers are not notified. */
static void by_shutdown(struct ktest *t)
{
	struct pci_dev *pdev = to_pci_dev(t->dev->dev.parent);

	to_pci_driver(pdev->dev.driver)->shutdown(pdev);
}

static void shutdown_ends_all_work(struct ktest *t)
{
	all_work_ends(t, by_shutdown);
}

const struct ktest_case ktest_dead_cases[] = {
	KTEST_CASE(shutdown_ends_all_work),
	KTEST_CASE(dead_device_ends_all_work),
	{}
};
