// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of shared receive queues. The fake device consumes each posted entry
 * once and in order, also while the queue is resized. Prints TAP.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ccan/array_size.h>

#include "setup.h"

static struct xrdma_pd pd;
static struct ibv_srq *ibsrq;
static struct xrdma_srq *srq;
static struct fake_srq *const dev = &fake_last_srq;
static uint64_t next_posted, next_taken;

static struct ibv_srq_init_attr_ex srq_attr(uint32_t max_wr, uint32_t max_sge)
{
	pd.ibv_pd.context = &ctx->ibv_ctx.context;
	return (struct ibv_srq_init_attr_ex) {
		.attr = { .max_wr = max_wr, .max_sge = max_sge },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_BASIC,
		.pd = &pd.ibv_pd,
	};
}

static void begin(uint32_t max_wr, uint32_t max_sge)
{
	struct ibv_srq_init_attr attr = {
		.attr = { .max_wr = max_wr, .max_sge = max_sge },
	};

	setup(true, 16);
	pd.ibv_pd.context = &ctx->ibv_ctx.context;
	ibsrq = xrdma_create_srq(&pd.ibv_pd, &attr);
	CHECK(ibsrq && attr.attr.max_wr >= max_wr);
	CHECK(attr.attr.max_sge >= max_sge);
	srq = container_of(ibsrq, struct xrdma_srq, verbs_srq.srq);
	next_posted = 0;
	next_taken = 0;
}

static void end(void)
{
	CHECK(!xrdma_destroy_srq(ibsrq));
	teardown();
}

/* Number of posted entries that the device has not consumed. */
static uint32_t held(void)
{
	return next_posted - next_taken;
}

/* Post a list of requests as far as there is room. */
static void post(int num)
{
	uint32_t free = srq->wq.depth - held();
	struct ibv_recv_wr *bad = NULL, wr[8] = {};
	struct ibv_sge sge[8];
	int i, err;

	for (i = 0; i < num; i++) {
		sge[i] = (struct ibv_sge) {
			.addr = work_mix(next_posted + i, 1),
			.length = work_mix(next_posted + i, 2),
			.lkey = work_mix(next_posted + i, 3),
		};
		wr[i].wr_id = next_posted + i;
		wr[i].sg_list = &sge[i];
		wr[i].num_sge = 1;
		wr[i].next = i + 1 < num ? &wr[i + 1] : NULL;
	}
	err = xrdma_post_srq_recv(ibsrq, wr, &bad);
	if (num > free) {
		CHECK(err == ENOMEM && bad == &wr[free]);
		num = free;
	} else {
		CHECK(!err && !bad);
	}
	next_posted += num;
	CHECK(fake_take_doorbell() == FAKE_NO_DOORBELL);
}

static void take_one(void)
{
	struct xrdma_rq_wqe *wqe = fake_next_srq_recv(dev);
	struct xrdma_sge *sge = (void *)(wqe + 1);

	CHECK(!wqe == !held());
	if (!wqe)
		return;
	CHECK(le64toh(wqe->wr_id) == next_taken);
	CHECK(le16toh(wqe->num_sge) == 1);
	CHECK(!wqe->reserved[0] && !wqe->reserved[1] && !wqe->reserved[2]);
	CHECK(le64toh(sge->addr) == work_mix(next_taken, 1));
	CHECK(le32toh(sge->length) == (uint32_t)work_mix(next_taken, 2));
	CHECK(le32toh(sge->lkey) == (uint32_t)work_mix(next_taken, 3));
	next_taken++;
}

static void take_some(void)
{
	uint32_t num = random_below(6);

	while (num--)
		take_one();
}

static int resize(uint32_t max_wr)
{
	struct ibv_srq_attr attr = { .max_wr = max_wr };
	int err;

	fake_during_command = take_some;
	err = xrdma_modify_srq(ibsrq, &attr, IBV_SRQ_MAX_WR);
	fake_during_command = NULL;
	return err;
}

static void random_traffic(uint32_t depth, uint32_t start, int steps)
{
	uint32_t wr, before;

	begin(depth, 1);
	srq->wq.pi = start;
	srq->wq.ci = start;
	dev->rec->pi = htole32(start);
	dev->rec->ci = htole32(start);
	while (steps--) {
		if (random_below(100) == 0) {
			wr = 1 + random_below(64);
			before = held();
			CHECK(resize(wr) ==
			      (before > 1U << xrdma_log2_ceil(wr) ? EINVAL :
			       0));
		} else if (random_below(2)) {
			post(1 + random_below(8));
		} else {
			take_some();
		}
		CHECK(le32toh(dev->rec->pi) == srq->wq.pi);
	}
	end();
}

static void entries_are_consumed_in_order(void)
{
	random_traffic(16, 0, 100000);
}

static void entries_are_consumed_in_order_while_indexes_wrap(void)
{
	int i;

	for (i = 0; i < 300; i++)
		random_traffic(8, (uint32_t)-100, 300);
}

static void queue_of_one_entry(void)
{
	begin(1, 1);
	CHECK(srq->wq.depth == 1);
	post(2);
	take_one();
	post(2);
	take_one();
	CHECK(!fake_next_srq_recv(dev));
	end();
}

static void failed_resize_changes_nothing(void)
{
	struct ibv_srq_attr attr = {};

	begin(8, 1);
	post(5);
	fake_create_error = ENOSPC;
	CHECK(resize(64) == ENOSPC);
	fake_create_error = 0;
	CHECK(srq->wq.depth == 8);
	CHECK(resize(4) == EINVAL && resize(0) == EINVAL);
	CHECK(resize(ctx->max_qp_wr + 1) == EINVAL);
	CHECK(!resize(64));
	CHECK(!xrdma_query_srq(ibsrq, &attr));
	CHECK(attr.max_wr == 64 && attr.max_sge == 1 && attr.srq_limit == 3);
	while (held())
		take_one();
	end();
}

static void wrong_requests_are_refused(void)
{
	struct ibv_sge sge[WORK_MAX_SGE + 1] = {};
	struct ibv_recv_wr *bad, second = { .sg_list = sge };
	struct ibv_recv_wr first = { .sg_list = sge, .next = &second };

	begin(8, 2);
	/* 64 = 16 + 3 * 16 */
	CHECK(dev->req.log_stride == 6 && srq->wq.max_sge == 3);
	second.num_sge = 4;
	CHECK(xrdma_post_srq_recv(ibsrq, &first, &bad) == EINVAL);
	CHECK(bad == &second && le32toh(dev->rec->pi) == 1);
	second.num_sge = -1;
	CHECK(xrdma_post_srq_recv(ibsrq, &second, &bad) == EINVAL);
	end();
}

static void refuse(struct ibv_srq_init_attr_ex attr, int error)
{
	errno = 0;
	CHECK(!xrdma_create_srq_ex(&ctx->ibv_ctx.context, &attr));
	CHECK(errno == error);
}

static void unsupported_queues_are_refused(void)
{
	struct ibv_srq_init_attr_ex attr;

	setup(true, 16);
	refuse(srq_attr(0, 1), EINVAL);
	refuse(srq_attr(ctx->max_qp_wr + 1, 1), EINVAL);
	refuse(srq_attr(1, WORK_MAX_SGE + 1), EINVAL);
	attr = srq_attr(1, 1);
	attr.srq_type = IBV_SRQT_TM;
	refuse(attr, EOPNOTSUPP);
	attr = srq_attr(1, 1);
	attr.comp_mask |= IBV_SRQ_INIT_ATTR_TM;
	refuse(attr, EOPNOTSUPP);
	attr = srq_attr(1, 1);
	attr.comp_mask = IBV_SRQ_INIT_ATTR_TYPE;
	refuse(attr, EINVAL);
	fake_create_error = ENOSPC;
	refuse(srq_attr(1, 1), ENOSPC);
	fake_create_error = 0;
	teardown();
}

/* A completion with XRDMA_CQE_SRQ frees no entry of the queue pair. */
static void queue_pair_has_no_ring_of_its_own(void)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_recv_wr = 7, .max_recv_sge = 3 },
	};
	struct xrdma_cqe cqe = {
		.qpn = htole32(9),
		.opcode = XRDMA_OP_RECV,
		.flags = htole16(XRDMA_CQE_SRQ),
	};
	struct ibv_recv_wr *bad, recv = {};
	struct xrdma_qp *qp;
	struct ibv_wc wc;
	uint32_t srqn;

	begin(8, 1);
	CHECK(!xrdma_get_srq_num(ibsrq, &srqn) && srqn == 0x5ca1e);
	attr.srq = ibsrq;
	fake_next_qpn = 9;
	qp = create_qp_of(&attr);
	CHECK(!fake_last_qp.req.log_rq_stride);
	CHECK(!attr.cap.max_recv_wr && !attr.cap.max_recv_sge);
	CHECK(xrdma_post_recv(&qp->verbs_qp.qp, &recv, &bad) == EINVAL);
	fake_write_cqe(&dev_cq, &cqe);
	CHECK(xrdma_poll_cq(&cq->verbs_cq.cq, 1, &wc) == 1);
	CHECK(wc.qp_num == 9 && wc.opcode == IBV_WC_RECV);
	CHECK(qp->rq.ci == 0 && qp->sq.ci == 0);
	CHECK(!xrdma_destroy_qp(&qp->verbs_qp.qp));
	end();
}

/*
 * A completion of an XRC target has a QPN that is not in the table of queue
 * pairs. Another thread may have freed the leaf of that QPN.
 */
static void completion_of_a_shared_queue_is_not_looked_up(void)
{
	struct xrdma_qp_leaf **slot, *freed_leaf = malloc(sizeof(*freed_leaf));
	struct ibv_poll_cq_attr attr = {};
	struct xrdma_cqe cqe = {
		.qpn = htole32(9),
		.opcode = XRDMA_OP_RECV,
		.flags = htole16(XRDMA_CQE_SRQ),
	};
	struct ibv_wc wc;

	begin(8, 1);
	slot = &ctx->qp_table[9 >> XRDMA_QP_LEAF_SHIFT];
	*slot = freed_leaf;
	free(freed_leaf);
	fake_write_cqe(&dev_cq, &cqe);
	CHECK(xrdma_poll_cq(&cq->verbs_cq.cq, 1, &wc) == 1);
	fake_write_cqe(&dev_cq, &cqe);
	CHECK(!ibv_start_poll(&cq->verbs_cq.cq_ex, &attr));
	ibv_end_poll(&cq->verbs_cq.cq_ex);
	*slot = NULL;
	end();
}

static const struct test tests[] = {
	TEST(entries_are_consumed_in_order),
	TEST(entries_are_consumed_in_order_while_indexes_wrap),
	TEST(queue_of_one_entry),
	TEST(failed_resize_changes_nothing),
	TEST(wrong_requests_are_refused),
	TEST(unsupported_queues_are_refused),
	TEST(queue_pair_has_no_ring_of_its_own),
	TEST(completion_of_a_shared_queue_is_not_looked_up),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
