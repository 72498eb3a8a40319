// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Measures verbs that kernel code calls, for bench/guest/kernel.sh. Each case
 * prints lines "interval NAME DEVICE" for intervals that bench/counter.c
 * counts, or lines "figure NAME DEVICE UNIT VALUE". A case runs only if the
 * module parameter names it.
 */

#include <linux/delay.h>
#include "../../bench/marker.h"
#include "ktest.h"

#define ROUNDS		20
#define BATCH		16
#define QPS		128
#define EVENTS		32
#define DESTROY_ROUNDS	5
/* Within this time the device writes the completions of all posted requests */
#define SETTLE_MS	20

static void interval(struct ktest *t, const char *name)
{
	ktest_say("interval %s %s\n", name, dev_name(&t->dev->dev));
}

/* ---- polling ---------------------------------------------------------------- */

/* Counts instructions of an ib_poll_cq() call that finds BATCH completions. */
static void count_poll(struct ktest *t, struct ib_cq *cq, const char *name)
{
	static struct ib_wc wc[BATCH];
	int num;

	msleep(SETTLE_MS);
	local_irq_disable();
	interval_begin();
	num = ib_poll_cq(cq, BATCH, wc);
	interval_end();
	local_irq_enable();
	interval(t, name);
	EXPECT_EQ(t, num, BATCH);
	EXPECT_EQ(t, wc[0].status, IB_WC_SUCCESS);
}

static int post_sends(struct ktest *t, struct ib_qp *qp)
{
	struct ib_sge sge = ktest_sge(t, &t->a, 0, 8);
	struct ib_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
	};
	int i, err = 0;

	for (i = 0; !err && i < BATCH; i++)
		err = ib_post_send(qp, &wr, NULL);
	return err;
}

static int post_receives(struct ktest *t, struct ib_qp *qp, struct ib_srq *srq)
{
	struct ib_sge sge = ktest_sge(t, &t->b, 0, 8);
	struct ib_recv_wr wr = { .sg_list = &sge, .num_sge = 1 };
	int i, err = 0;

	for (i = 0; !err && i < BATCH; i++)
		err = srq ? ib_post_srq_recv(srq, &wr, NULL) :
			    ib_post_recv(qp, &wr, NULL);
	return err;
}

static struct ib_qp *open_on_srq(struct ktest *t, struct ib_srq *srq)
{
	struct ib_qp_init_attr attr = {
		.send_cq = t->b.cq,
		.recv_cq = t->b.cq,
		.srq = srq,
		.cap = { .max_send_wr = 1, .max_send_sge = 1 },
		.qp_type = IB_QPT_RC,
	};

	return ib_create_qp(t->pd, &attr);
}

static void count_polls(struct ktest *t, struct ib_qp *far, struct ib_srq *srq,
			const char *send, const char *recv)
{
	int i;

	for (i = 0; !t->failed && i < ROUNDS; i++) {
		EXPECT_EQ(t, post_receives(t, far, srq), 0);
		EXPECT_EQ(t, post_sends(t, t->a.qp), 0);
		count_poll(t, t->a.cq, send);
		count_poll(t, t->b.cq, recv);
	}
}

static void bench_poll(struct ktest *t)
{
	struct ib_srq_init_attr init = {
		.attr = { .max_wr = 2 * BATCH, .max_sge = 1 },
	};
	struct ib_srq *srq;
	struct ib_qp *far;

	ktest_teardown(t);
	t->poll = IB_POLL_DIRECT;
	EXPECT_EQ(t, ktest_setup(t), 0);
	if (t->failed)
		return;
	count_polls(t, t->b.qp, NULL, "kernel/poll-send", "kernel/poll-recv");

	srq = ib_create_srq(t->pd, &init);
	EXPECT_EQ(t, PTR_ERR_OR_ZERO(srq), 0);
	if (IS_ERR(srq))
		return;
	far = open_on_srq(t, srq);
	EXPECT_EQ(t, PTR_ERR_OR_ZERO(far), 0);
	if (!IS_ERR(far)) {
		EXPECT_EQ(t, ktest_to_state(t->a.qp, IB_QPS_RESET), 0);
		EXPECT_EQ(t, ktest_connect(t, t->a.qp, far), 0);
		count_polls(t, far, srq, "kernel/poll-send", "kernel/poll-srq");
		ib_destroy_qp(far);
	}
	ib_destroy_srq(srq);
}

/* ---- events, and the end of many queue pairs ----------------------------------- */

struct many {
	struct ib_cq *cq[QPS];
	struct ib_qp *qp[QPS];
	int events;
};

static void count_event(struct ib_cq *cq, void *context)
{
	struct many *m = context;

	m->events++;
}

static bool open_one(struct ktest *t, struct many *m, int i)
{
	return ktest_open_least(t, count_event, m, &m->cq[i], &m->qp[i]);
}

/* Counts one interrupt that handles an event of each of the queues. */
static void count_events(struct ktest *t, struct many *m)
{
	struct ib_recv_wr wr = {};
	struct ib_wc wc;
	int i;

	m->events = 0;
	local_irq_disable();
	for (i = 0; i < EVENTS; i++) {
		ib_req_notify_cq(m->cq[i], IB_CQ_NEXT_COMP);
		EXPECT_EQ(t, ib_post_recv(m->qp[i], &wr, NULL), 0);
	}
	mdelay(SETTLE_MS);
	interval_begin();
	local_irq_enable();
	interval_end();
	interval(t, "kernel/events");
	EXPECT_EQ(t, m->events, EVENTS);
	for (i = 0; i < EVENTS; i++)
		EXPECT_EQ(t, ib_poll_cq(m->cq[i], 1, &wc), 1);
}

/* Return: nanoseconds. */
static u64 destroy_many(struct many *m)
{
	u64 begin = ktime_get_ns();
	int i;

	for (i = 0; i < QPS && !IS_ERR_OR_NULL(m->qp[i]); i++)
		ib_destroy_qp(m->qp[i]);
	for (i = 0; i < QPS && !IS_ERR_OR_NULL(m->cq[i]); i++)
		ib_destroy_cq(m->cq[i]);
	return ktime_get_ns() - begin;
}

static void bench_events(struct ktest *t)
{
	static struct many m;
	int i;

	memset(&m, 0, sizeof(m));
	for (i = 0; !t->failed && i < EVENTS; i++) {
		if (open_one(t, &m, i))
			EXPECT_EQ(t, ktest_to_err(m.qp[i]), 0);
	}
	for (i = 0; !t->failed && i < ROUNDS; i++)
		count_events(t, &m);
	destroy_many(&m);
}

/* Measures a time, so it has to run on a guest with several processors. */
static void bench_destroy(struct ktest *t)
{
	static struct many m;
	int i, round;
	u64 ns;

	for (round = 0; !t->failed && round < DESTROY_ROUNDS; round++) {
		memset(&m, 0, sizeof(m));
		for (i = 0; !t->failed && i < QPS; i++)
			open_one(t, &m, i);
		ns = destroy_many(&m);
		ktest_say("figure kernel/destroy-qps %s ms %llu.%03llu\n",
			  dev_name(&t->dev->dev), ns / NSEC_PER_MSEC,
			  ns / NSEC_PER_USEC % USEC_PER_MSEC);
	}
}

const struct ktest_case ktest_bench_cases[] = {
	KTEST_CASE(bench_poll),
	KTEST_CASE(bench_events),
	KTEST_CASE(bench_destroy),
	{}
};
