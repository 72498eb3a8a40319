// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases for verbs that all kernel consumers use, on reliable connections: the
 * operations in each polling context, full rings, notification, states, errors
 * and destruction of a queue pair. UC, UD and shared receive queues are in
 * ktest_queues.c, rings of the largest size in ktest_rings.c.
 */

#include <linux/delay.h>
#include <linux/random.h>
#include <linux/slab.h>
#include "ktest.h"

#define SETTLE_MS	500

/* ---- operations ---------------------------------------------------------- */

static int post(struct ktest *t, struct ktest_op *op, enum ib_wr_opcode opcode,
		u32 off, u32 len, u64 addr, int flags)
{
	struct ib_rdma_wr wr = {
		.wr = {
			.opcode = opcode,
			.send_flags = flags,
			.ex.imm_data = cpu_to_be32(0xdeadbeef),
		},
		.remote_addr = addr,
		.rkey = t->mr->rkey,
	};

	return ktest_rdma(t, &t->a, op, &wr, off, len);
}

static void send(struct ktest *t, enum ib_wr_opcode opcode, u32 len, int flags)
{
	struct ktest_op *s = &t->op[0], *r = &t->op[1];

	EXPECT_EQ(t, ktest_recv(t, &t->b, r, 0, 65536), 0);
	EXPECT_EQ(t, post(t, s, opcode, 0, len, 0, flags | IB_SEND_SIGNALED),
		  0);
	EXPECT(t, ktest_wait(s) && ktest_wait(r));
	EXPECT_EQ(t, s->wc.status, IB_WC_SUCCESS);
	EXPECT_EQ(t, s->wc.opcode, IB_WC_SEND);
	EXPECT_EQ(t, r->wc.status, IB_WC_SUCCESS);
	EXPECT_EQ(t, r->wc.opcode, IB_WC_RECV);
	EXPECT_EQ(t, r->wc.byte_len, len);
	EXPECT(t, r->wc.qp == t->b.qp);
	EXPECT(t, !memcmp(t->a.buf, t->b.buf, len));
}

static void sends(struct ktest *t)
{
	struct ib_wc *wc = &t->op[1].wc;

	send(t, IB_WR_SEND, 60000, 0);
	EXPECT_EQ(t, wc->wc_flags, 0);
	send(t, IB_WR_SEND_WITH_IMM, 100, IB_SEND_SOLICITED);
	EXPECT_EQ(t, wc->wc_flags, IB_WC_WITH_IMM);
	EXPECT(t, wc->ex.imm_data == cpu_to_be32(0xdeadbeef));
}

static void writes(struct ktest *t)
{
	struct ktest_op *s = &t->op[0], *r = &t->op[1];

	memset(t->b.buf, 0, KTEST_BUF_SIZE);
	EXPECT_EQ(t, ktest_write(t, 3, 200000, t->b.dma + 5, t->mr->rkey),
		  IB_WC_SUCCESS);
	EXPECT_EQ(t, t->wc.opcode, IB_WC_RDMA_WRITE);
	EXPECT(t, !t->b.buf[4] && !t->b.buf[200005]);
	EXPECT(t, !memcmp(t->a.buf + 3, t->b.buf + 5, 200000));

	EXPECT_EQ(t, ktest_recv(t, &t->b, r, 0, 0), 0);
	EXPECT_EQ(t, post(t, s, IB_WR_RDMA_WRITE_WITH_IMM, 0, 64,
			  t->b.dma + 300, IB_SEND_SIGNALED), 0);
	EXPECT(t, ktest_wait(s) && ktest_wait(r));
	EXPECT_EQ(t, r->wc.opcode, IB_WC_RECV_RDMA_WITH_IMM);
	EXPECT_EQ(t, r->wc.byte_len, 64);
	EXPECT(t, !memcmp(t->b.buf + 300, t->a.buf, 64));
}

static void reads(struct ktest *t)
{
	get_random_bytes(t->b.buf, KTEST_BUF_SIZE);
	EXPECT_EQ(t, ktest_read(t, 0, KTEST_BUF_SIZE, t->b.dma, t->mr->rkey),
		  IB_WC_SUCCESS);
	EXPECT_EQ(t, t->wc.opcode, IB_WC_RDMA_READ);
	EXPECT_EQ(t, t->wc.byte_len, KTEST_BUF_SIZE);
	EXPECT(t, !memcmp(t->a.buf, t->b.buf, KTEST_BUF_SIZE));
}

static int do_atomic(struct ktest *t, enum ib_wr_opcode opcode, u64 compare_add,
		     u64 swap)
{
	struct ib_sge sge = ktest_sge(t, &t->a, 0, 8);
	struct ib_atomic_wr wr = {
		.wr = {
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = opcode,
		},
		.remote_addr = t->b.dma + 64,
		.rkey = t->mr->rkey,
		.compare_add = compare_add,
		.swap = swap,
	};

	return ktest_do(t, t->a.qp, &wr.wr);
}

static void atomics(struct ktest *t)
{
	u64 *old = (u64 *)t->a.buf, *new = (u64 *)(t->b.buf + 64);

	*new = 1000;
	EXPECT_EQ(t, do_atomic(t, IB_WR_ATOMIC_FETCH_AND_ADD, 234, 0),
		  IB_WC_SUCCESS);
	EXPECT_EQ(t, t->wc.opcode, IB_WC_FETCH_ADD);
	EXPECT_EQ(t, *old, 1000);
	EXPECT_EQ(t, *new, 1234);
	EXPECT_EQ(t, do_atomic(t, IB_WR_ATOMIC_CMP_AND_SWP, 1234, 77),
		  IB_WC_SUCCESS);
	EXPECT_EQ(t, t->wc.opcode, IB_WC_COMP_SWAP);
	EXPECT_EQ(t, *old, 1234);
	EXPECT_EQ(t, *new, 77);
	EXPECT_EQ(t, do_atomic(t, IB_WR_ATOMIC_CMP_AND_SWP, 1234, 78),
		  IB_WC_SUCCESS);
	EXPECT_EQ(t, *old, 77);
	EXPECT_EQ(t, *new, 77);
}

static void all_operations(struct ktest *t)
{
	sends(t);
	writes(t);
	reads(t);
	atomics(t);
}

static void operations_move_the_right_bytes(struct ktest *t)
{
	all_operations(t);
	EXPECT_EQ(t, ktest_reconnect(t), 0);
	all_operations(t);
	ib_drain_qp(t->a.qp);
	ib_drain_qp(t->b.qp);
}

static void operations_complete_in_interrupt_context(struct ktest *t)
{
	ktest_teardown(t);
	t->poll = IB_POLL_SOFTIRQ;
	EXPECT_EQ(t, ktest_setup(t), 0);
	if (!t->failed)
		all_operations(t);
}

static void inline_data_is_sent(struct ktest *t)
{
	struct ib_sge sge[2] = {
		{ .addr = (uintptr_t)t->a.buf, .length = 33 },
		{ .addr = (uintptr_t)t->a.buf + 100, .length = 31 },
	};
	struct ib_send_wr wr = {
		.sg_list = sge,
		.num_sge = 2,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_INLINE,
	};
	struct ktest_op *r = &t->op[0];

	EXPECT_EQ(t, ktest_recv(t, &t->b, r, 0, 4096), 0);
	EXPECT_EQ(t, ktest_do(t, t->a.qp, &wr), IB_WC_SUCCESS);
	EXPECT(t, ktest_wait(r));
	EXPECT_EQ(t, r->wc.byte_len, 64);
	EXPECT(t, !memcmp(t->b.buf, t->a.buf, 33));
	EXPECT(t, !memcmp(t->b.buf + 33, t->a.buf + 100, 31));
	sge[1].length = 4000;
	EXPECT_EQ(t, ktest_do(t, t->a.qp, &wr), -EINVAL);
}

/* ---- rings --------------------------------------------------------------- */

/* One WRITE more than the ring holds; only the last but one is signaled. */
static void make_list(struct ktest *t, struct ib_rdma_wr *wr,
		      struct ib_sge *sge)
{
	int i;

	for (i = 0; i <= KTEST_WRS; i++) {
		int n = i % KTEST_WRS;

		sge[i] = ktest_sge(t, &t->a, 64 * n, 64);
		wr[i] = (struct ib_rdma_wr) {
			.wr = {
				.next = i < KTEST_WRS ? &wr[i + 1].wr : NULL,
				.wr_cqe = &ktest_op_init(&t->op[n])->cqe,
				.sg_list = &sge[i],
				.num_sge = 1,
				.opcode = IB_WR_RDMA_WRITE,
				.send_flags = n == KTEST_WRS - 1 ?
					      IB_SEND_SIGNALED : 0,
			},
			.remote_addr = t->b.dma + 64 * n,
			.rkey = t->mr->rkey,
		};
	}
}

static void rings_wrap(struct ktest *t, struct ib_rdma_wr *wr)
{
	struct ktest_op *last = &t->op[KTEST_WRS - 1];
	int lap, i;

	wr[KTEST_WRS - 1].wr.next = NULL;
	for (lap = 0; lap < 2000; lap++) {
		wr[KTEST_WRS - 1].wr.wr_cqe = &ktest_op_init(last)->cqe;
		if (ib_post_send(t->a.qp, &wr[lap % (KTEST_WRS - 1)].wr, NULL))
			break;
		if (!ktest_wait(last) || last->wc.status)
			break;
	}
	EXPECT_EQ(t, lap, 2000);
	/* requests that are not signaled give no completion */
	for (i = 0; i < KTEST_WRS - 1; i++)
		EXPECT_EQ(t, t->op[i].count, 0);
}

static void full_ring_says_so_and_goes_on(struct ktest *t)
{
	struct ktest_op *last = &t->op[KTEST_WRS - 1];
	const struct ib_send_wr *bad = NULL;
	struct ib_rdma_wr *wr;
	struct ib_sge *sge;

	wr = kcalloc(KTEST_WRS + 1, sizeof(*wr), GFP_KERNEL);
	sge = kcalloc(KTEST_WRS + 1, sizeof(*sge), GFP_KERNEL);
	EXPECT(t, wr && sge);
	if (t->failed)
		goto out;
	make_list(t, wr, sge);
	get_random_bytes(t->a.buf, KTEST_BUF_SIZE);
	EXPECT_EQ(t, ib_post_send(t->a.qp, &wr[0].wr, &bad), -ENOMEM);
	EXPECT(t, bad == &wr[KTEST_WRS].wr);
	EXPECT(t, ktest_wait(last) && !last->wc.status);
	EXPECT(t, !memcmp(t->a.buf, t->b.buf, 64 * KTEST_WRS));
	rings_wrap(t, wr);
out:
	kfree(sge);
	kfree(wr);
}

static void too_many_entries_are_not_posted(struct ktest *t)
{
	struct ib_sge sge[40];
	struct ib_send_wr wr = {
		.sg_list = sge,
		.num_sge = ARRAY_SIZE(sge),
		.opcode = IB_WR_SEND,
	};
	struct ib_recv_wr recv = {
		.sg_list = sge,
		.num_sge = ARRAY_SIZE(sge),
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(sge); i++)
		sge[i] = ktest_sge(t, &t->a, 0, 1);
	EXPECT_EQ(t, ktest_do(t, t->a.qp, &wr), -EINVAL);
	EXPECT_EQ(t, ib_post_recv(t->a.qp, &recv, NULL), -EINVAL);
	wr.num_sge = 1;
	wr.opcode = IB_WR_LSO;
	EXPECT_EQ(t, ktest_do(t, t->a.qp, &wr), -EOPNOTSUPP);
	wr.opcode = IB_WR_RESERVED1;
	EXPECT_EQ(t, ktest_do(t, t->a.qp, &wr), -EOPNOTSUPP);
}

/* ---- states -------------------------------------------------------------- */

static void query_gives_what_modify_set(struct ktest *t)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	EXPECT_EQ(t, ib_query_qp(t->a.qp, &attr, ~0, &init), 0);
	EXPECT_EQ(t, attr.qp_state, IB_QPS_RTS);
	EXPECT_EQ(t, attr.path_mtu, IB_MTU_1024);
	EXPECT_EQ(t, attr.dest_qp_num, t->b.qp->qp_num);
	EXPECT_EQ(t, attr.timeout, 18);
	EXPECT_EQ(t, attr.retry_cnt, 7);
	EXPECT_EQ(t, attr.rnr_retry, 7);
	EXPECT_EQ(t, attr.max_rd_atomic, 8);
	EXPECT_EQ(t, attr.max_dest_rd_atomic, 8);
	EXPECT_EQ(t, attr.min_rnr_timer, 12);
	EXPECT_EQ(t, init.cap.max_send_wr, KTEST_WRS);
	EXPECT(t, init.cap.max_send_sge >= 4 && init.cap.max_recv_sge >= 4);
	EXPECT_EQ(t, rdma_ah_read_grh(&attr.ah_attr)->sgid_index,
		  t->gid_index);
	EXPECT_EQ(t, attr.qp_access_flags, IB_ACCESS_REMOTE_WRITE |
		  IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC);
}

static void error_flushes_and_reset_recovers(struct ktest *t)
{
	int i, flushed = 0;

	for (i = 0; i < 8; i++)
		EXPECT_EQ(t, ktest_recv(t, &t->a, &t->op[i], 0, 64), 0);
	EXPECT_EQ(t, ktest_read(t, 0, 64, t->b.dma, t->mr->rkey ^ 0x5a),
		  IB_WC_REM_ACCESS_ERR);
	ib_drain_qp(t->a.qp);
	for (i = 0; i < 8; i++)
		flushed += t->op[i].count == 1 &&
			   t->op[i].wc.status == IB_WC_WR_FLUSH_ERR;
	EXPECT_EQ(t, flushed, 8);
	/* a request that is posted in state ERR completes, signaled or not */
	EXPECT_EQ(t, post(t, &t->op[0], IB_WR_SEND, 0, 64, 0, 0), 0);
	EXPECT(t, ktest_wait(&t->op[0]));
	EXPECT_EQ(t, t->op[0].wc.status, IB_WC_WR_FLUSH_ERR);

	EXPECT_EQ(t, ktest_to_state(t->a.qp, IB_QPS_RESET), 0);
	EXPECT_EQ(t, ktest_to_state(t->b.qp, IB_QPS_RESET), 0);
	EXPECT_EQ(t, post(t, &t->op[0], IB_WR_SEND, 0, 1, 0, 0), -EINVAL);
	EXPECT_EQ(t, ktest_connect(t, t->a.qp, t->b.qp), 0);
	all_operations(t);
}

static void completions_end_with_the_queue_pair(struct ktest *t)
{
	struct ib_wc wc[8];
	int i;

	ktest_teardown(t);
	t->poll = IB_POLL_DIRECT;
	EXPECT_EQ(t, ktest_setup(t), 0);
	if (t->failed)
		return;
	for (i = 0; i < 3; i++)
		EXPECT_EQ(t, post(t, &t->op[i], IB_WR_RDMA_WRITE, 0, 64,
				  t->b.dma, IB_SEND_SIGNALED), 0);
	msleep(SETTLE_MS);
	ib_destroy_qp(t->a.qp);
	t->a.qp = NULL;
	EXPECT_EQ(t, ib_poll_cq(t->a.cq, ARRAY_SIZE(wc), wc), 0);
}

/* ---- notification -------------------------------------------------------- */

static int notify(struct ib_cq *cq)
{
	return ib_req_notify_cq(cq, IB_CQ_NEXT_COMP |
				IB_CQ_REPORT_MISSED_EVENTS);
}

static void count_event(struct ib_cq *cq, void *events)
{
	atomic_inc(events);
}

static void check_notification(struct ktest *t, struct ib_cq *cq,
			       atomic_t *events)
{
	struct ktest_op *s = &t->op[0];
	struct ib_wc wc;

	EXPECT_EQ(t, notify(cq), 0);
	EXPECT_EQ(t, post(t, s, IB_WR_RDMA_WRITE, 0, 64, t->b.dma,
			  IB_SEND_SIGNALED), 0);
	msleep(SETTLE_MS);
	EXPECT_EQ(t, atomic_read(events), 1);
	/* arming reports a completion in the queue; no event comes */
	EXPECT_EQ(t, notify(cq), 1);
	EXPECT_EQ(t, ib_poll_cq(cq, 1, &wc), 1);
	EXPECT(t, wc.wr_cqe == &s->cqe);
	EXPECT_EQ(t, ib_poll_cq(cq, 1, &wc), 0);
	EXPECT_EQ(t, notify(cq), 0);
	EXPECT_EQ(t, atomic_read(events), 1);
	/* a queue armed for any completion stays so: its event comes */
	EXPECT_EQ(t, ib_req_notify_cq(cq, IB_CQ_SOLICITED), 0);
	EXPECT_EQ(t, post(t, s, IB_WR_RDMA_WRITE, 0, 64, t->b.dma,
			  IB_SEND_SIGNALED), 0);
	msleep(SETTLE_MS);
	EXPECT_EQ(t, atomic_read(events), 2);
	EXPECT_EQ(t, ib_poll_cq(cq, 1, &wc), 1);
	/* no event comes by an unsolicited completion if armed for solicited */
	EXPECT_EQ(t, ib_req_notify_cq(cq, IB_CQ_SOLICITED), 0);
	EXPECT_EQ(t, post(t, s, IB_WR_RDMA_WRITE, 0, 64, t->b.dma,
			  IB_SEND_SIGNALED), 0);
	msleep(SETTLE_MS);
	EXPECT_EQ(t, atomic_read(events), 2);
	EXPECT_EQ(t, ib_poll_cq(cq, 1, &wc), 1);
}

static void queue_notifies_once_per_arming(struct ktest *t)
{
	struct ib_cq_init_attr attr = { .cqe = 100 };
	atomic_t events = ATOMIC_INIT(0);
	struct ib_cq *cq, *old = t->a.cq;

	cq = ib_create_cq(t->dev, count_event, NULL, &events, &attr);
	EXPECT_EQ(t, PTR_ERR_OR_ZERO(cq), 0);
	if (IS_ERR(cq))
		return;
	EXPECT_EQ(t, cq->cqe, 128);
	ib_destroy_qp(t->a.qp);
	t->a.cq = cq;
	EXPECT_EQ(t, ktest_to_state(t->b.qp, IB_QPS_RESET), 0);
	EXPECT_EQ(t, ktest_open_qp(t, &t->a, IB_SIGNAL_REQ_WR, 0), 0);
	if (!t->failed)
		EXPECT_EQ(t, ktest_connect(t, t->a.qp, t->b.qp), 0);
	if (!t->failed)
		check_notification(t, cq, &events);
	if (!IS_ERR(t->a.qp))
		ib_destroy_qp(t->a.qp);
	t->a.qp = NULL;
	t->a.cq = old;
	ib_destroy_cq(cq);
}

/*
 * The device has one local key for all bus addresses, with which all cases name
 * local memory. As an rkey, or in an invalidation, that key is refused.
 */
static void a_domain_has_no_region_of_its_own(struct ktest *t)
{
	EXPECT(t, t->dev->attrs.kernel_cap_flags & IBK_LOCAL_DMA_LKEY);
	EXPECT_EQ(t, t->pd->local_dma_lkey, 1);
	EXPECT(t, !t->pd->__internal_mr);
	EXPECT_EQ(t, ktest_write(t, 0, 8, t->b.dma, t->pd->local_dma_lkey),
		  IB_WC_REM_ACCESS_ERR);
	EXPECT_EQ(t, ktest_reconnect(t), 0);
	EXPECT_EQ(t, ktest_inv(t, t->pd->local_dma_lkey), IB_WC_LOC_QP_OP_ERR);
	EXPECT_EQ(t, t->wc.vendor_err, XRDMA_FAULT_KEY_INVALID);
	EXPECT_EQ(t, ktest_reconnect(t), 0);
}

const struct ktest_case ktest_verbs_cases[] = {
	KTEST_CASE(a_domain_has_no_region_of_its_own),
	KTEST_CASE(operations_move_the_right_bytes),
	KTEST_CASE(operations_complete_in_interrupt_context),
	KTEST_CASE(inline_data_is_sent),
	KTEST_CASE(full_ring_says_so_and_goes_on),
	KTEST_CASE(too_many_entries_are_not_posted),
	KTEST_CASE(query_gives_what_modify_set),
	KTEST_CASE(error_flushes_and_reset_recovers),
	KTEST_CASE(completions_end_with_the_queue_pair),
	KTEST_CASE(queue_notifies_once_per_arming),
	{}
};
