// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Many events and many queues: what an interrupt may do in one go, and how long
 * it takes until queues have gone.
 */

#include "ktest.h"

#define MANY		128

/* ---- many queue pairs -------------------------------------------------------- */

/* Neither lasts longer than the other by much: no grace period for each. */
static void queue_pairs_go_as_fast_as_they_come(struct ktest *t)
{
	static struct ib_qp *qp[MANY];
	u64 begin = ktime_get_ns(), opened;
	struct ib_qp_init_attr attr = {
		.send_cq = t->a.cq,
		.recv_cq = t->b.cq,
		.cap = {
			.max_send_wr = 1,
			.max_recv_wr = 1,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IB_QPT_RC,
	};
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
	KTEST_CASE(queue_pairs_go_as_fast_as_they_come),
	{}
};
