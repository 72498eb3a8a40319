// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Many completion events and many queue pairs: the number of events that one
 * interrupt handles, the delay of events, and the time to destroy queue pairs.
 * Notification of single completions is in ktest_verbs.c.
 */

#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/dim.h>
#include <linux/sort.h>
#include <linux/workqueue.h>
#include "ktest.h"

#define RING		512	/* entries of an event queue of the driver */
#define AT_ONCE		(RING / 4)
/*
 * More events than one interrupt handles, and few enough that soft interrupts handle
 * them within the 2 ms that the kernel allows those, also in an emulated machine.
 * Source: MAX_SOFTIRQ_TIME in kernel/softirq.c
 */
#define SOME		(RING / 4 + 1)
#define ROUNDS		60
#define MEASUREMENTS	5	/* before the test fails */
#define SPIN_US		1000000
#define MANY		128

/* ---- more events than one interrupt handles --------------------------------- */

/**
 * struct flood - a completion queue, and a queue pair whose sends complete at once,
 *	since it is in state ERR
 * @cq: the completion queue
 * @qp: the queue pair
 * @num: number of completions that flood() causes
 * @again: the handler arms the completion queue again
 * @events: number of calls of the handler
 * @hard: number of calls of the handler in hard interrupt context
 * @came: time of the handler's last call in ns
 * @missing: number of completions that did not come
 */
struct flood {
	struct ib_cq *cq;
	struct ib_qp *qp;
	int num;
	bool again;
	int events;
	int hard;
	u64 came;
	int missing;
};

static void on_event(struct ib_cq *cq, void *context)
{
	struct flood *f = context;

	f->events++;
	f->hard += !!in_hardirq();
	f->came = ktime_get_ns();
	if (f->again)
		ib_req_notify_cq(cq, IB_CQ_NEXT_COMP);
}

static bool open_flood(struct ktest *t, struct flood *f)
{
	memset(f, 0, sizeof(*f));
	if (!ktest_open_least(t, on_event, f, &f->cq, &f->qp))
		return false;
	EXPECT_EQ(t, ktest_to_err(f->qp), 0);
	return true;
}

static void close_flood(struct flood *f)
{
	if (!IS_ERR_OR_NULL(f->qp))
		ib_destroy_qp(f->qp);
	if (!IS_ERR_OR_NULL(f->cq))
		ib_destroy_cq(f->cq);
}

/* Arms the completion queue, then causes and polls one completion. */
static void complete_one(struct flood *f)
{
	struct ib_send_wr wr = { .opcode = IB_WR_SEND };
	struct ib_wc wc;
	int us;

	ib_req_notify_cq(f->cq, IB_CQ_NEXT_COMP);
	if (ib_post_send(f->qp, &wr, NULL)) {
		f->missing++;
		return;
	}
	for (us = 0; us < SPIN_US; us++) {
		if (ib_poll_cq(f->cq, 1, &wc) == 1)
			return;
		udelay(1);
	}
	f->missing++;
}

/*
 * Runs on the processor of the completion vector. Causes @num events while
 * interrupts are off, so that they are handled together when interrupts are on
 * again.
 */
static long flood(void *context)
{
	struct flood *f = context;
	int i;

	f->events = 0;
	f->hard = 0;
	local_irq_disable();
	for (i = 0; i < f->num && !f->missing; i++)
		complete_one(f);
	ib_req_notify_cq(f->cq, IB_CQ_NEXT_COMP);
	/* events so far mean that the vector belongs to another processor */
	f->missing += f->events;
	local_irq_enable();
	return 0;
}

static void await_events(struct flood *f, int events)
{
	int us;

	for (us = 0; us < SPIN_US && READ_ONCE(f->events) < events; us++)
		udelay(1);
}

/*
 * Runs on the processor of the completion vector. Return: microseconds from
 * posting a request to the event of its completion.
 */
static long event_delay(void *context)
{
	struct flood *f = context;
	u64 begin = ktime_get_ns();
	int events = f->events;

	complete_one(f);
	await_events(f, events + 1);
	f->missing += f->events == events;
	return (f->came - begin) / NSEC_PER_USEC;
}

static long flood_and_event_delay(void *context)
{
	flood(context);
	return event_delay(context);
}

/* The processor of completion vector 0, computed as the driver does */
static int vector_cpu(struct ktest *t)
{
	return cpumask_local_spread(0, dev_to_node(t->dev->dev.parent));
}

/*
 * The device checks whether the queue is armed after it has written the
 * completion. If the queue has been armed again by then, two completions share
 * an event. Therefore there may be fewer than RING events.
 */
static void interrupts_handle_a_part_of_a_full_ring(struct ktest *t)
{
	struct flood f;

	if (open_flood(t, &f)) {
		f.num = RING;
		f.again = true;
		work_on_cpu(vector_cpu(t), flood, &f);
		await_events(&f, RING);
		EXPECT_EQ(t, f.missing, 0);
		EXPECT(t, f.events > RING / 2);
		EXPECT(t, f.hard > 0);
		EXPECT(t, f.hard <= AT_ONCE);
	}
	close_flood(&f);
}

static int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return x < y ? -1 : x > y;
}

/* The lower quartile of ROUNDS values. Sorts @values. */
static long lower_quartile(long *values)
{
	sort(values, ROUNDS, sizeof(*values), compare, NULL);
	return values[ROUNDS / 4];
}

/*
 * Return: how much longer an event takes after many others than without them, in
 * microseconds. If the rest of the events waited for the next timer tick, three of four
 * delays would be at least a quarter of a tick. Other causes of delays are rarer, so
 * the lower quartile shows only such a wait.
 */
static long pause_after_many(struct flood *f, int cpu)
{
	static long delay[ROUNDS], plain[ROUNDS];
	long plain_us, us;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		plain[i] = work_on_cpu(cpu, event_delay, f);
		delay[i] = work_on_cpu(cpu, flood_and_event_delay, f);
	}
	us = lower_quartile(delay);
	plain_us = lower_quartile(plain);
	ktest_say("# event after %ld us, after many others %ld us\n", plain_us,
		  us);
	return us - plain_us;
}

/*
 * On a machine with other work, most events of one measurement can be late. If an
 * interrupt left events to the next timer tick, most events of each measurement would
 * be late. So the test fails only if each of several measurements exceeds the limit.
 */
static void more_events_than_one_interrupt_handles_make_no_pause(struct ktest *t)
{
	const long limit_us = USEC_PER_SEC / HZ / 8;
	struct flood f;
	long us = limit_us;
	int i;

	if (open_flood(t, &f)) {
		f.num = SOME;
		for (i = 0; i < MEASUREMENTS && us >= limit_us; i++)
			us = pause_after_many(&f, vector_cpu(t));
		EXPECT_EQ(t, f.missing, 0);
		EXPECT(t, us < limit_us);
	}
	close_flood(&f);
}

/* ---- moderation -------------------------------------------------------------- */

#define BURST		32	/* requests of a large burst */
#define BURSTS		4000	/* before the test fails */
#define BURSTS_ALIKE	20	/* bursts of one size before the size changes */

static void burst(struct ktest *t, int num)
{
	struct ib_rdma_wr wr = {
		.wr = {
			.opcode = IB_WR_RDMA_WRITE,
			.send_flags = IB_SEND_SIGNALED,
		},
		.remote_addr = t->b.dma,
		.rkey = t->mr->rkey,
	};
	int i;

	for (i = 0; i < num; i++)
		EXPECT_EQ(t, ktest_rdma(t, &t->a, &t->op[i], &wr, 0, 8), 0);
	for (i = 0; i < num; i++)
		EXPECT(t, ktest_wait(&t->op[i]));
}

/*
 * The core (DIM) changes the moderation when the size of bursts changes. DIM decides once
 * in 64 interrupts, and by the rate of completions, which depends also on what else the
 * processor does. So a decision may change nothing, but not all of them.
 */
static void moderation_follows_the_load(struct ktest *t)
{
	struct dim *dim = t->a.cq->dim;
	u8 first = dim ? dim->profile_ix : 0;
	int i;

	EXPECT(t, dim);
	for (i = 0; dim && dim->profile_ix == first && i < BURSTS && !t->failed;
	     i++)
		burst(t, i / BURSTS_ALIKE & 1 ? 1 : BURST);
	EXPECT(t, dim && dim->profile_ix != first);
	ktest_say("# moderation changed after %d bursts\n", i);
}

/* ---- many queue pairs -------------------------------------------------------- */

/* Destroying takes at most 4 times as long as creating: no grace periods. */
static void queue_pairs_go_as_fast_as_they_come(struct ktest *t)
{
	static struct ib_qp *qp[MANY];
	u64 begin = ktime_get_ns(), opened;
	struct ib_qp_init_attr attr = ktest_least_attr(t->a.cq, t->b.cq);
	int i, num;

	for (num = 0; num < MANY; num++) {
		qp[num] = ib_create_qp(t->pd, &attr);
		EXPECT_EQ(t, PTR_ERR_OR_ZERO(qp[num]), 0);
		if (IS_ERR(qp[num]))
			break;
	}
	opened = ktime_get_ns();
	for (i = 0; i < num; i++)
		ib_destroy_qp(qp[i]);
	EXPECT(t, ktime_get_ns() - opened < 4 * (opened - begin));
	ktest_say("# %d queue pairs: made in %llu us, gone in %llu us\n", num,
		  (opened - begin) / NSEC_PER_USEC,
		  (ktime_get_ns() - opened) / NSEC_PER_USEC);
}

const struct ktest_case ktest_events_cases[] = {
	KTEST_CASE(interrupts_handle_a_part_of_a_full_ring),
	KTEST_CASE(more_events_than_one_interrupt_handles_make_no_pause),
	KTEST_CASE(moderation_follows_the_load),
	KTEST_CASE(queue_pairs_go_as_fast_as_they_come),
	{}
};
