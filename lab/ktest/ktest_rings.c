// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases for the rings of kernel queues: rings of the largest size, entries of
 * any size, and slots of a completion queue that become free when a queue pair
 * is destroyed. The cases poll completion queues of their own. Full rings of
 * ordinary size are in ktest_verbs.c.
 */

#include <linux/delay.h>
#include "ktest.h"

#define SLOTS		64
#define LAP_OFFSET	40
#define PATIENCE	(60 * HZ)
#define EVENT_WAIT	(10 * HZ)

/**
 * struct watched - a completion queue that the case polls
 * @cq: the queue
 * @event: completed by each completion event
 * @failed: true after an error event of the queue
 */
struct watched {
	struct ib_cq *cq;
	struct completion event;
	bool failed;
};

/**
 * struct pair - two queue pairs connected to each other
 * @near: queue pair that sends
 * @far: queue pair that receives
 * @sent: number of messages sent so far, which is also the number in a message
 * @seen: number of messages whose completion the case has polled
 */
struct pair {
	struct ib_qp *near;
	struct ib_qp *far;
	u32 sent;
	u32 seen;
};

/* ---- setup ------------------------------------------------------------- */

static void count_completion(struct ib_cq *cq, void *context)
{
	struct watched *w = context;

	complete(&w->event);
}

static void note_error(struct ib_event *event, void *context)
{
	struct watched *w = context;

	w->failed = true;
}

static bool open_watched(struct ktest *t, struct watched *w, u32 entries)
{
	struct ib_cq_init_attr attr = { .cqe = entries };

	memset(w, 0, sizeof(*w));
	init_completion(&w->event);
	w->cq = ib_create_cq(t->dev, count_completion, note_error, w, &attr);
	EXPECT_EQ(t, PTR_ERR_OR_ZERO(w->cq), 0);
	if (IS_ERR(w->cq))
		return false;
	EXPECT_EQ(t, w->cq->cqe, entries);
	return true;
}

static void close_watched(struct ktest *t, struct watched *w)
{
	EXPECT(t, !w->failed);
	if (!IS_ERR(w->cq))
		ib_destroy_cq(w->cq);
}

static struct ib_qp *open_qp(struct ktest *t, struct ib_cq *send_cq,
			     struct ib_cq *recv_cq,
			     const struct ib_qp_cap *cap)
{
	struct ib_qp_init_attr attr = {
		.send_cq = send_cq,
		.recv_cq = recv_cq,
		.cap = *cap,
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.qp_type = IB_QPT_RC,
	};
	struct ib_qp *qp = ib_create_qp(t->pd, &attr);

	EXPECT_EQ(t, PTR_ERR_OR_ZERO(qp), 0);
	EXPECT(t, attr.cap.max_send_wr >= cap->max_send_wr);
	EXPECT(t, attr.cap.max_recv_wr >= cap->max_recv_wr);
	return IS_ERR(qp) ? NULL : qp;
}

static void close_pair(struct pair *p)
{
	if (p->near)
		ib_destroy_qp(p->near);
	if (p->far)
		ib_destroy_qp(p->far);
}

/* Return: false after a failure. close_pair() has to follow in any case. */
static bool open_pair(struct ktest *t, struct pair *p, struct ib_cq *send_cq,
		      struct ib_cq *recv_cq, const struct ib_qp_cap *cap)
{
	memset(p, 0, sizeof(*p));
	p->near = open_qp(t, send_cq, send_cq, cap);
	p->far = open_qp(t, send_cq, recv_cq, cap);
	if (!p->near || !p->far)
		return false;
	EXPECT_EQ(t, ktest_connect(t, p->near, p->far), 0);
	return !t->failed;
}

static int post_empty_recv(struct pair *p, u64 wr_id)
{
	struct ib_recv_wr wr = { .wr_id = wr_id };

	return ib_post_recv(p->far, &wr, NULL);
}

static int post_number(struct pair *p, u64 wr_id, struct ib_cqe *cqe, int flags)
{
	struct ib_send_wr wr = {
		.opcode = IB_WR_SEND_WITH_IMM,
		.ex.imm_data = cpu_to_be32(p->sent),
		.send_flags = flags,
	};
	int err;

	if (cqe)
		wr.wr_cqe = cqe;
	else
		wr.wr_id = wr_id;
	err = ib_post_send(p->near, &wr, NULL);
	if (!err)
		p->sent++;
	return err;
}

/*
 * ---- slots of destroyed queue pairs
 * ------------------------------------------
 */

static const struct ib_qp_cap slots_cap = {
	.max_send_wr = SLOTS,
	.max_recv_wr = SLOTS,
	.max_send_sge = 1,
	.max_recv_sge = 1,
};

/* Sends a message, and waits until its completion is in the watched queue. */
static void deliver(struct ktest *t, struct watched *w, struct pair *p)
{
	struct ktest_op *op = ktest_op_init(&t->op[0]);

	if (t->failed)
		return;
	reinit_completion(&w->event);
	EXPECT_EQ(t, post_empty_recv(p, p->sent), 0);
	EXPECT_EQ(t, ib_req_notify_cq(w->cq, IB_CQ_SOLICITED), 0);
	EXPECT_EQ(t, post_number(p, 0, &op->cqe, IB_SEND_SOLICITED), 0);
	EXPECT(t, ktest_wait(op));
	EXPECT(t, wait_for_completion_timeout(&w->event, EVENT_WAIT));
}

/* Expects @num completions of @p, in order, and no other completion. */
static void expect_only(struct ktest *t, struct watched *w, struct pair *p,
			u32 num)
{
	struct ib_wc wc;

	while (!t->failed && ib_poll_cq(w->cq, 1, &wc) == 1) {
		EXPECT(t, num);
		EXPECT(t, wc.qp == p->far);
		EXPECT_EQ(t, wc.status, IB_WC_SUCCESS);
		EXPECT_EQ(t, wc.wr_id, p->seen);
		EXPECT_EQ(t, be32_to_cpu(wc.ex.imm_data), p->seen);
		p->seen++;
		num--;
	}
	EXPECT_EQ(t, num, 0);
}

/**
 * struct slots - two pairs that share a watched queue
 * @w: the queue, which has SLOTS entries
 * @gone: the pair that is destroyed
 * @stays: the pair that is not destroyed
 */
struct slots {
	struct watched w;
	struct pair gone;
	struct pair stays;
};

/* Return: false after a failure. close_slots() has to follow in any case. */
static bool open_slots(struct ktest *t, struct slots *s)
{
	memset(s, 0, sizeof(*s));
	return open_watched(t, &s->w, SLOTS) &&
	       open_pair(t, &s->gone, t->a.cq, s->w.cq, &slots_cap) &&
	       open_pair(t, &s->stays, t->a.cq, s->w.cq, &slots_cap);
}

static void close_slots(struct ktest *t, struct slots *s)
{
	close_pair(&s->gone);
	close_pair(&s->stays);
	close_watched(t, &s->w);
}

static void slots_of_a_destroyed_queue_pair_are_free(struct ktest *t)
{
	struct slots s;
	int i;

	if (open_slots(t, &s)) {
		for (i = 0; i < SLOTS; i++)
			deliver(t, &s.w, &s.gone);
		EXPECT_EQ(t, ib_destroy_qp(s.gone.far), 0);
		s.gone.far = NULL;
		for (i = 0; i < SLOTS; i++)
			deliver(t, &s.w, &s.stays);
		expect_only(t, &s.w, &s.stays, SLOTS);
	}
	close_slots(t, &s);
}

/* Unpolled entries of both pairs are mixed, and wrap around the ring's end. */
static void completions_of_others_keep_their_order(struct ktest *t)
{
	struct slots s;
	int i;

	if (open_slots(t, &s)) {
		for (i = 0; i < LAP_OFFSET; i++)
			deliver(t, &s.w, &s.stays);
		expect_only(t, &s.w, &s.stays, LAP_OFFSET);

		for (i = 0; i < SLOTS; i++)
			deliver(t, &s.w, i * i % 7 & 1 ? &s.gone : &s.stays);
		EXPECT(t, s.gone.sent && s.gone.sent < SLOTS);
		EXPECT_EQ(t, ktest_to_state(s.gone.far, IB_QPS_RESET), 0);
		for (i = 0; i < s.gone.sent; i++)
			deliver(t, &s.w, &s.stays);
		expect_only(t, &s.w, &s.stays, SLOTS);
	}
	close_slots(t, &s);
}

/* ---- sizes ------------------------------------------------------------------ */

/* Checks the number of a completion: receives and sends complete in order. */
static void check_number(struct ktest *t, struct pair *p, const struct ib_wc *wc,
			 u32 *received)
{
	EXPECT_EQ(t, wc->status, IB_WC_SUCCESS);
	if (wc->opcode & IB_WC_RECV) {
		EXPECT_EQ(t, wc->wr_id, *received);
		EXPECT_EQ(t, be32_to_cpu(wc->ex.imm_data), *received);
		++*received;
	} else {
		EXPECT_EQ(t, wc->wr_id, p->seen);
		p->seen++;
	}
}

static void poll_all(struct ktest *t, struct watched *w, struct pair *p,
		     u32 *received)
{
	unsigned long end = jiffies + PATIENCE;
	static struct ib_wc wc[16];
	int i, num;

	while (!t->failed && (p->seen < p->sent || *received < p->sent)) {
		num = ib_poll_cq(w->cq, ARRAY_SIZE(wc), wc);
		for (i = 0; i < num; i++)
			check_number(t, p, &wc[i], received);
		if (!num)
			usleep_range(100, 200);
		EXPECT(t, time_before(jiffies, end));
	}
}

/* Fills all rings to the last entry, more than once. */
static void queues_of_the_largest_size_work(struct ktest *t)
{
	const struct ib_device_attr *attrs = &t->dev->attrs;
	struct ib_qp_cap cap = {
		.max_send_wr = attrs->max_qp_wr,
		.max_recv_wr = attrs->max_qp_wr,
		.max_send_sge = 1,
		.max_recv_sge = 1,
	};
	u32 received = 0, i, lap;
	struct pair p = {};
	struct watched w;

	if (!open_watched(t, &w, attrs->max_cqe))
		return;
	EXPECT(t, 2 * attrs->max_qp_wr <= attrs->max_cqe);
	if (open_pair(t, &p, w.cq, w.cq, &cap)) {
		for (lap = 0; lap < 2; lap++) {
			u32 num = lap ? SLOTS : attrs->max_qp_wr;

			for (i = 0; !t->failed && i < num; i++)
				EXPECT_EQ(t, post_empty_recv(&p, p.sent + i), 0);
			for (i = 0; !t->failed && i < num; i++)
				EXPECT_EQ(t, post_number(&p, p.sent, NULL, 0), 0);
			poll_all(t, &w, &p, &received);
		}
	}
	close_pair(&p);
	close_watched(t, &w);
}

/* Posts a request with the maximum number of SG entries, of one byte each. */
static int post_scattered(struct ktest *t, struct ib_qp *qp, u32 index)
{
	static struct ib_sge sge[64];
	struct ib_recv_wr wr = {
		.wr_cqe = &ktest_op_init(&t->op[index])->cqe,
		.sg_list = sge,
		.num_sge = min_t(u32, t->dev->attrs.max_recv_sge,
				 ARRAY_SIZE(sge)),
	};
	int i;

	for (i = 0; i < wr.num_sge; i++)
		sge[i] = ktest_sge(t, &t->b, index * wr.num_sge + i, 1);
	return ib_post_recv(qp, &wr, NULL);
}

/* The send ring, first in memory, is shorter than one receive entry. */
static void entries_longer_than_the_other_ring_work(struct ktest *t)
{
	u32 num_sge = min_t(u32, t->dev->attrs.max_recv_sge, 64);
	struct ib_qp_cap cap = {
		.max_send_wr = 1,
		.max_recv_wr = SLOTS,
		.max_send_sge = 1,
		.max_recv_sge = num_sge,
	};
	struct ktest_op *op = &t->op[SLOTS];
	struct pair p = {};
	u32 i;

	if (open_pair(t, &p, t->a.cq, t->b.cq, &cap)) {
		memset(t->b.buf, 0, SLOTS * num_sge);
		for (i = 0; i < SLOTS; i++)
			EXPECT_EQ(t, post_scattered(t, p.far, i), 0);
		for (i = 0; !t->failed && i < SLOTS; i++) {
			struct ib_sge sge = ktest_sge(t, &t->a, i * num_sge,
						      num_sge);
			struct ib_send_wr wr = {
				.wr_cqe = &ktest_op_init(op)->cqe,
				.opcode = IB_WR_SEND,
				.sg_list = &sge,
				.num_sge = 1,
			};

			EXPECT_EQ(t, ib_post_send(p.near, &wr, NULL), 0);
			EXPECT(t, ktest_wait(op) && ktest_wait(&t->op[i]));
			EXPECT_EQ(t, t->op[i].wc.status, IB_WC_SUCCESS);
			EXPECT_EQ(t, t->op[i].wc.byte_len, num_sge);
		}
		EXPECT(t, !memcmp(t->a.buf, t->b.buf, SLOTS * num_sge));
	}
	close_pair(&p);
}

const struct ktest_case ktest_rings_cases[] = {
	KTEST_CASE(slots_of_a_destroyed_queue_pair_are_free),
	KTEST_CASE(completions_of_others_keep_their_order),
	KTEST_CASE(queues_of_the_largest_size_work),
	KTEST_CASE(entries_longer_than_the_other_ring_work),
	{}
};
