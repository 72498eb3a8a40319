// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases for UC and UD queue pairs and for shared receive queues, which the
 * kernel's connection manager and storage targets use. Reliable connections are
 * in ktest_verbs.c.
 */

#include <linux/delay.h>
#include <linux/etherdevice.h>
#include "ktest.h"

#define QKEY		0x11111111
#define GRH		((u32)sizeof(struct ib_grh))
#define DEPTH		16
#define LIMIT		4
#define SETTLE_MS	500
/* longer than the device needs, shorter than the core's time limit */
#define DRAIN		(4 * HZ)

/* ---- setup ------------------------------------------------------------- */

/**
 * struct queues - two queue pairs of a case, in addition to those of struct
 *	ktest
 * @near: queue pair that sends
 * @far: queue pair that receives
 * @srq: shared receive queue of @far, or NULL
 * @events: number of limit events of @srq
 */
struct queues {
	struct ib_qp *near;
	struct ib_qp *far;
	struct ib_srq *srq;
	atomic_t events;
};

static struct ib_qp *open_qp(struct ktest *t, struct ktest_side *side,
			     enum ib_qp_type type, struct ib_srq *srq)
{
	struct ib_qp_init_attr attr = {
		.send_cq = side->cq,
		.recv_cq = side->cq,
		.srq = srq,
		.cap = {
			.max_send_wr = DEPTH,
			.max_recv_wr = srq ? 0 : DEPTH,
			.max_send_sge = 1,
			.max_recv_sge = srq ? 0 : 1,
		},
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.qp_type = type,
	};

	return ib_create_qp(t->pd, &attr);
}

static void count_event(struct ib_event *event, void *context)
{
	struct queues *q = context;

	if (event->event == IB_EVENT_SRQ_LIMIT_REACHED)
		atomic_inc(&q->events);
}

static struct ib_srq *open_srq(struct ktest *t, struct queues *q)
{
	struct ib_srq_init_attr init = {
		.event_handler = count_event,
		.srq_context = q,
		.attr = { .max_wr = DEPTH, .max_sge = 1 },
		.srq_type = IB_SRQT_BASIC,
	};
	struct ib_srq *srq = ib_create_srq(t->pd, &init);

	EXPECT_EQ(t, PTR_ERR_OR_ZERO(srq), 0);
	EXPECT_EQ(t, init.attr.max_wr, DEPTH);
	return IS_ERR(srq) ? NULL : srq;
}

/* Return: false after a failure. close_queues() has to follow in any case. */
static bool open_queues(struct ktest *t, struct queues *q,
			enum ib_qp_type type, bool shared)
{
	memset(q, 0, sizeof(*q));
	if (shared)
		q->srq = open_srq(t, q);
	if (shared && !q->srq)
		return false;
	q->near = open_qp(t, &t->a, type, NULL);
	q->far = open_qp(t, &t->b, type, q->srq);
	EXPECT_EQ(t, PTR_ERR_OR_ZERO(q->near), 0);
	EXPECT_EQ(t, PTR_ERR_OR_ZERO(q->far), 0);
	return !IS_ERR(q->near) && !IS_ERR(q->far);
}

static void close_queues(struct queues *q)
{
	if (!IS_ERR_OR_NULL(q->near))
		ib_destroy_qp(q->near);
	if (!IS_ERR_OR_NULL(q->far))
		ib_destroy_qp(q->far);
	if (q->srq)
		ib_destroy_srq(q->srq);
}

static int post_recv(struct ktest *t, struct queues *q, struct ktest_op *op,
		     u32 off, u32 len)
{
	struct ib_sge sge = ktest_sge(t, &t->b, off, len);
	struct ib_recv_wr wr = {
		.wr_cqe = &ktest_op_init(op)->cqe,
		.sg_list = &sge,
		.num_sge = 1,
	};

	if (q->srq)
		return ib_post_srq_recv(q->srq, &wr, NULL);
	return ib_post_recv(q->far, &wr, NULL);
}

static int post_send(struct ktest *t, struct ib_qp *qp, struct ktest_op *op,
		     struct ib_send_wr *wr, u32 off, u32 len)
{
	struct ib_sge sge = ktest_sge(t, &t->a, off, len);

	wr->wr_cqe = &ktest_op_init(op)->cqe;
	wr->sg_list = &sge;
	wr->num_sge = 1;
	return ib_post_send(qp, wr, NULL);
}

static void send_ok(struct ktest *t, struct ib_qp *qp, struct ktest_op *op,
		    u32 off, u32 len)
{
	struct ib_send_wr wr = { .opcode = IB_WR_SEND };

	EXPECT_EQ(t, post_send(t, qp, op, &wr, off, len), 0);
	EXPECT(t, ktest_wait(op));
	EXPECT_EQ(t, op->wc.status, IB_WC_SUCCESS);
}

/* ---- unreliable connections ----------------------------------------------- */

static void unreliable_connection_sends_and_writes(struct ktest *t)
{
	struct ktest_op *s = &t->op[0], *r = &t->op[1];
	struct ib_rdma_wr wr = {
		.wr = {
			.opcode = IB_WR_RDMA_WRITE_WITH_IMM,
			.ex.imm_data = cpu_to_be32(0xdeadbeef),
		},
		.remote_addr = t->b.dma + 70000,
		.rkey = t->mr->rkey,
	};
	struct queues q;

	if (open_queues(t, &q, IB_QPT_UC, false)) {
		EXPECT_EQ(t, ktest_connect(t, q.near, q.far), 0);
		EXPECT_EQ(t, post_recv(t, &q, r, 0, 10000), 0);
		send_ok(t, q.near, s, 0, 5000);
		EXPECT(t, ktest_wait(r));
		EXPECT_EQ(t, r->wc.byte_len, 5000);
		EXPECT(t, !memcmp(t->a.buf, t->b.buf, 5000));

		EXPECT_EQ(t, post_recv(t, &q, r, 0, 0), 0);
		EXPECT_EQ(t, post_send(t, q.near, s, &wr.wr, 100, 5000), 0);
		EXPECT(t, ktest_wait(s) && ktest_wait(r));
		EXPECT_EQ(t, r->wc.opcode, IB_WC_RECV_RDMA_WITH_IMM);
		EXPECT(t, r->wc.ex.imm_data == cpu_to_be32(0xdeadbeef));
		EXPECT(t, !memcmp(t->a.buf + 100, t->b.buf + 70000, 5000));
	}
	close_queues(&q);
}

/* ---- datagrams ------------------------------------------------------------- */

static int ud_to_rts(struct ib_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.qkey = QKEY,
	};
	int err;

	err = ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PORT |
			   IB_QP_PKEY_INDEX | IB_QP_QKEY);
	attr.qp_state = IB_QPS_RTR;
	err = err ?: ib_modify_qp(qp, &attr, IB_QP_STATE);
	attr.qp_state = IB_QPS_RTS;
	return err ?: ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_SQ_PSN);
}

static struct ib_ah *open_ah(struct ktest *t)
{
	struct rdma_ah_attr attr = {};
	struct ib_ah *ah;
	int err;

	err = ktest_own_address(t, &attr);
	ah = err ? ERR_PTR(err) :
		   rdma_create_ah(t->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	EXPECT_EQ(t, PTR_ERR_OR_ZERO(ah), 0);
	return IS_ERR(ah) ? NULL : ah;
}

/* Return: false after a failure. close_datagrams() has to follow anyway. */
static bool open_datagrams(struct ktest *t, struct queues *q, struct ib_ah **ah)
{
	*ah = open_ah(t);
	if (!open_queues(t, q, IB_QPT_UD, false) || !*ah)
		return false;
	EXPECT_EQ(t, ud_to_rts(q->near), 0);
	EXPECT_EQ(t, ud_to_rts(q->far), 0);
	return true;
}

static void close_datagrams(struct queues *q, struct ib_ah *ah)
{
	close_queues(q);
	if (ah)
		rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
}

static struct ib_ud_wr datagram(struct ib_ah *ah, struct ib_qp *to)
{
	return (struct ib_ud_wr) {
		.wr = {
			.opcode = IB_WR_SEND_WITH_IMM,
			.ex.imm_data = cpu_to_be32(0xdeadbeef),
		},
		.ah = ah,
		.remote_qpn = to->qp_num,
		.remote_qkey = QKEY,
	};
}

/* Checks the completion's fields that the connection manager needs. */
static void check_source(struct ktest *t, const struct ib_wc *wc,
			 struct ib_qp *from)
{
	union rdma_network_hdr *hdr = (union rdma_network_hdr *)t->b.buf;
	struct rdma_ah_attr back = {}, own = {};

	EXPECT(t, wc->wc_flags & IB_WC_GRH);
	EXPECT(t, wc->wc_flags & IB_WC_WITH_SMAC);
	EXPECT(t, wc->wc_flags & IB_WC_WITH_NETWORK_HDR_TYPE);
	EXPECT(t, wc->wc_flags & IB_WC_WITH_IMM);
	EXPECT_EQ(t, wc->src_qp, from->qp_num);
	EXPECT_EQ(t, wc->pkey_index, 0);
	EXPECT_EQ(t, wc->port_num, 1);
	EXPECT_EQ(t, ktest_own_address(t, &own), 0);
	EXPECT(t, ether_addr_equal(wc->smac, own.roce.dmac));
	EXPECT_EQ(t, ib_init_ah_attr_from_wc(t->dev, 1, wc, &hdr->ibgrh, &back),
		  0);
	EXPECT(t, !memcmp(rdma_ah_read_grh(&back)->dgid.raw,
			  rdma_ah_read_grh(&own)->dgid.raw, 16));
	rdma_destroy_ah_attr(&back);
}

static void datagrams_say_where_they_come_from(struct ktest *t)
{
	struct ktest_op *s = &t->op[0], *r = &t->op[1];
	struct ib_ah *ah;
	struct ib_ud_wr wr;
	struct queues q;

	if (open_datagrams(t, &q, &ah)) {
		EXPECT_EQ(t, post_recv(t, &q, r, 0, GRH + 1024), 0);
		wr = datagram(ah, q.far);
		EXPECT_EQ(t, post_send(t, q.near, s, &wr.wr, 0, 1000), 0);
		EXPECT(t, ktest_wait(s) && ktest_wait(r));
		EXPECT_EQ(t, r->wc.status, IB_WC_SUCCESS);
		EXPECT_EQ(t, r->wc.byte_len, GRH + 1000);
		EXPECT(t, !memcmp(t->a.buf, t->b.buf + GRH, 1000));
		check_source(t, &r->wc, q.near);
	}
	close_datagrams(&q, ah);
}

/* Moves a queue pair from SQE, where an error has put it, back to RTS. */
static int back_to_rts(struct ib_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS,
		.cur_qp_state = IB_QPS_SQE,
	};

	return ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_CUR_STATE);
}

static void datagrams_that_cannot_go_are_refused(struct ktest *t)
{
	struct ktest_op *s = &t->op[0], *r = &t->op[1];
	struct ib_send_wr write = { .opcode = IB_WR_RDMA_WRITE };
	struct ib_ah *ah;
	struct ib_ud_wr wr;
	struct queues q;

	if (open_datagrams(t, &q, &ah)) {
		EXPECT_EQ(t, post_send(t, q.near, s, &write, 0, 8), -EINVAL);
		wr = datagram(NULL, q.far);
		EXPECT_EQ(t, post_send(t, q.near, s, &wr.wr, 0, 8), -EINVAL);
		wr = datagram(ah, q.far);
		wr.remote_qpn |= BIT(24);
		EXPECT_EQ(t, post_send(t, q.near, s, &wr.wr, 0, 8), -EINVAL);
		wr = datagram(ah, q.far);
		EXPECT_EQ(t, post_send(t, q.near, s, &wr.wr, 0, 8192), 0);
		EXPECT(t, ktest_wait(s));
		EXPECT_EQ(t, s->wc.status, IB_WC_LOC_LEN_ERR);
		EXPECT_EQ(t, back_to_rts(q.near), 0);

		EXPECT_EQ(t, post_recv(t, &q, r, 0, GRH + 1024), 0);
		wr.remote_qkey = QKEY ^ 1;
		EXPECT_EQ(t, post_send(t, q.near, s, &wr.wr, 0, 8), 0);
		EXPECT(t, ktest_wait(s));
		msleep(SETTLE_MS);
		EXPECT_EQ(t, r->count, 0);
		wr.remote_qkey = QKEY;
		EXPECT_EQ(t, post_send(t, q.near, s, &wr.wr, 0, 8), 0);
		EXPECT(t, ktest_wait(s) && ktest_wait(r));
	}
	close_datagrams(&q, ah);
}

/* ---- shared receives ------------------------------------------------------- */

static void post_all(struct ktest *t, struct queues *q)
{
	int i;

	for (i = 0; i < DEPTH; i++)
		EXPECT_EQ(t, post_recv(t, q, &t->op[i], i * 1024, 1024), 0);
	EXPECT_EQ(t, post_recv(t, q, &t->op[DEPTH], 0, 1024), -ENOMEM);
}

/* Two queue pairs receive in turns from one shared receive queue. */
static void queue_pairs_share_receives(struct ktest *t)
{
	struct ktest_op *s = &t->op[2 * DEPTH];
	struct queues q, more = {};
	int i, lap;

	if (!open_queues(t, &q, IB_QPT_RC, true))
		goto out;
	more.near = open_qp(t, &t->a, IB_QPT_UC, NULL);
	more.far = open_qp(t, &t->b, IB_QPT_UC, q.srq);
	if (IS_ERR(more.near) || IS_ERR(more.far))
		goto out;
	EXPECT_EQ(t, ktest_connect(t, q.near, q.far), 0);
	EXPECT_EQ(t, ktest_connect(t, more.near, more.far), 0);

	for (lap = 0; !t->failed && lap < 3; lap++) {
		memset(t->b.buf, 0, DEPTH * 1024);
		post_all(t, &q);
		for (i = 0; i < DEPTH; i++) {
			send_ok(t, i & 1 ? more.near : q.near, s, i * 1024, 1000);
			EXPECT(t, ktest_wait(&t->op[i]));
			EXPECT(t, t->op[i].wc.qp == (i & 1 ? more.far : q.far));
			EXPECT_EQ(t, t->op[i].wc.byte_len, 1000);
			EXPECT(t, !memcmp(t->a.buf + i * 1024,
					  t->b.buf + i * 1024, 1000));
		}
	}
out:
	close_queues(&more);
	close_queues(&q);
}

static void limit_is_reported_once(struct ktest *t)
{
	struct ib_srq_attr attr = { .srq_limit = LIMIT };
	struct ktest_op *s = &t->op[2 * DEPTH];
	struct queues q;
	int i;

	if (open_queues(t, &q, IB_QPT_RC, true)) {
		EXPECT_EQ(t, ktest_connect(t, q.near, q.far), 0);
		post_all(t, &q);
		EXPECT_EQ(t, ib_modify_srq(q.srq, &attr, IB_SRQ_LIMIT), 0);
		EXPECT_EQ(t, ib_query_srq(q.srq, &attr), 0);
		EXPECT_EQ(t, attr.srq_limit, LIMIT);
		EXPECT_EQ(t, attr.max_wr, DEPTH);
		for (i = 0; i < DEPTH - LIMIT; i++)
			send_ok(t, q.near, s, 0, 8);
		msleep(SETTLE_MS);
		EXPECT_EQ(t, atomic_read(&q.events), 0);
		for (i = 0; i < LIMIT; i++)
			send_ok(t, q.near, s, 0, 8);
		msleep(SETTLE_MS);
		EXPECT_EQ(t, atomic_read(&q.events), 1);
		EXPECT_EQ(t, ib_query_srq(q.srq, &attr), 0);
		EXPECT_EQ(t, attr.srq_limit, 0);
	}
	close_queues(&q);
}

/*
 * Draining and destroying a queue pair leaves the receives that it has not
 * consumed to another queue pair.
 */
static void shared_receives_outlive_a_queue_pair(struct ktest *t)
{
	struct ktest_op *s = &t->op[2 * DEPTH];
	unsigned long begin = jiffies;
	struct queues q;

	if (!open_queues(t, &q, IB_QPT_RC, true))
		goto out;
	EXPECT_EQ(t, ktest_connect(t, q.near, q.far), 0);
	post_all(t, &q);
	send_ok(t, q.near, s, 0, 8);
	EXPECT(t, ktest_wait(&t->op[0]));
	ib_drain_qp(q.far);
	EXPECT(t, time_before(jiffies, begin + DRAIN));
	ib_destroy_qp(q.far);
	EXPECT_EQ(t, t->op[1].count, 0);

	q.far = open_qp(t, &t->b, IB_QPT_RC, q.srq);
	EXPECT_EQ(t, ktest_to_state(q.near, IB_QPS_RESET), 0);
	EXPECT_EQ(t, ktest_connect(t, q.near, q.far), 0);
	EXPECT_EQ(t, post_recv(t, &q, &t->op[0], 0, 1024), 0);
	send_ok(t, q.near, s, 0, 8);
	EXPECT(t, ktest_wait(&t->op[1]));
	EXPECT(t, t->op[1].wc.qp == q.far);
out:
	close_queues(&q);
}

/* Expects that exactly @count entries of the SRQ are free. */
static void refill(struct ktest *t, struct queues *q, int count)
{
	int i;

	for (i = 0; i < count; i++)
		EXPECT_EQ(t, post_recv(t, q, &t->op[i], 0, 1024), 0);
	EXPECT_EQ(t, post_recv(t, q, &t->op[DEPTH], 0, 1024), -ENOMEM);
}

/*
 * When a queue pair is reset or destroyed, its unpolled completions are
 * removed, and the entries of the shared receive queue that they belong to
 * become free.
 */
static void unpolled_receives_are_free_again(struct ktest *t)
{
	struct ib_cq *cq, *old = t->b.cq;
	struct ktest_op *s = &t->op[2 * DEPTH];
	struct queues q = {};
	int i;

	cq = ib_alloc_cq(t->dev, NULL, DEPTH, 0, IB_POLL_DIRECT);
	EXPECT_EQ(t, PTR_ERR_OR_ZERO(cq), 0);
	if (IS_ERR(cq))
		return;
	t->b.cq = cq;
	if (open_queues(t, &q, IB_QPT_RC, true)) {
		EXPECT_EQ(t, ktest_connect(t, q.near, q.far), 0);
		post_all(t, &q);
		for (i = 0; i < LIMIT; i++)
			send_ok(t, q.near, s, 0, 8);
		EXPECT_EQ(t, ktest_to_state(q.far, IB_QPS_RESET), 0);
		EXPECT_EQ(t, ib_process_cq_direct(cq, -1), 0);
		refill(t, &q, LIMIT);

		EXPECT_EQ(t, ktest_to_state(q.near, IB_QPS_RESET), 0);
		EXPECT_EQ(t, ktest_connect(t, q.near, q.far), 0);
		for (i = 0; i < LIMIT; i++)
			send_ok(t, q.near, s, 0, 8);
		ib_destroy_qp(q.far);
		q.far = NULL;
		refill(t, &q, LIMIT);
	}
	close_queues(&q);
	t->b.cq = old;
	ib_free_cq(cq);
}

const struct ktest_case ktest_queues_cases[] = {
	KTEST_CASE(unreliable_connection_sends_and_writes),
	KTEST_CASE(datagrams_say_where_they_come_from),
	KTEST_CASE(datagrams_that_cannot_go_are_refused),
	KTEST_CASE(queue_pairs_share_receives),
	KTEST_CASE(limit_is_reported_once),
	KTEST_CASE(shared_receives_outlive_a_queue_pair),
	KTEST_CASE(unpolled_receives_are_free_again),
	{}
};
