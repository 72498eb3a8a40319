// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases for verbs that the driver refuses: work requests, receives, creation
 * and modification of objects. The consumer gets an errno, and its other
 * objects continue to work. Requests that the device refuses are in ktest_reg.c
 * and ktest_mw_bad.c.
 */

#include <rdma/ib_mad.h>
#include "ktest.h"

/* NO_ACCESS is no access flag; TOO_MUCH is above each size and vector number */
#define NO_ACCESS	BIT(30)
#define TOO_MUCH	BIT(30)

/* ---- work requests -------------------------------------------------------- */

static int reg(struct ktest *t, struct ib_mr *mr, int access)
{
	return ktest_reg(t, mr, mr->rkey, access);
}

static void registrations_that_make_no_sense_are_not_posted(struct ktest *t)
{
	struct ib_mr *mr = ib_alloc_mr(t->pd, IB_MR_TYPE_MEM_REG, 1);
	struct scatterlist sg;

	EXPECT_EQ(t, PTR_ERR_OR_ZERO(mr), 0);
	if (IS_ERR(mr))
		return;
	sg_init_table(&sg, 1);
	sg_dma_address(&sg) = t->b.dma;
	sg_dma_len(&sg) = PAGE_SIZE;
	EXPECT_EQ(t, reg(t, mr, IB_ACCESS_REMOTE_READ), -EINVAL);
	EXPECT_EQ(t, ib_map_mr_sg(mr, &sg, 1, NULL, PAGE_SIZE), 1);
	EXPECT_EQ(t, reg(t, mr, NO_ACCESS), -EINVAL);
	EXPECT_EQ(t, reg(t, mr, IB_ACCESS_REMOTE_READ), IB_WC_SUCCESS);
	EXPECT_EQ(t, reg(t, t->mr, IB_ACCESS_REMOTE_READ), -EINVAL);
	ib_dereg_mr(mr);
}

static void requests_that_make_no_sense_are_not_posted(struct ktest *t)
{
	struct ib_sge sge = ktest_sge(t, &t->a, 0, 8);
	struct ib_rdma_wr read = {
		.wr = {
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = IB_WR_RDMA_READ,
			.send_flags = IB_SEND_INLINE,
		},
	};
	struct ib_atomic_wr atomic = {
		.wr.opcode = IB_WR_ATOMIC_FETCH_AND_ADD,
	};
	struct ib_send_wr send = { .opcode = IB_WR_SEND, .num_sge = -1 };

	EXPECT_EQ(t, ktest_do(t, t->a.qp, &send), -EINVAL);
	send.send_flags = IB_SEND_INLINE;
	EXPECT_EQ(t, ktest_do(t, t->a.qp, &send), -EINVAL);
	EXPECT_EQ(t, ktest_do(t, t->a.qp, &read.wr), -EINVAL);
	EXPECT_EQ(t, ktest_do(t, t->a.qp, &atomic.wr), -EINVAL);
	EXPECT_EQ(t, ktest_write(t, 0, 64, t->b.dma, t->mr->rkey),
		  IB_WC_SUCCESS);
}

static void receives_without_room_are_not_posted(struct ktest *t)
{
	struct ib_recv_wr negative = { .num_sge = -1 };
	int i;

	for (i = 0; i < KTEST_WRS; i++)
		EXPECT_EQ(t, ktest_recv(t, &t->b, &t->op[i], 0, 64), 0);
	EXPECT_EQ(t, ktest_recv(t, &t->b, &t->op[i], 0, 64), -ENOMEM);
	EXPECT_EQ(t, ib_post_recv(t->b.qp, &negative, NULL), -EINVAL);
	EXPECT_EQ(t, ktest_to_state(t->b.qp, IB_QPS_RESET), 0);
	EXPECT_EQ(t, ktest_recv(t, &t->b, &t->op[i], 0, 64), -EINVAL);
}

static void shared_receives_of_wrong_numbers_are_not_posted(struct ktest *t)
{
	struct ib_srq_init_attr init = {
		.attr = { .max_wr = 1, .max_sge = 1 },
	};
	struct ib_sge sge = ktest_sge(t, &t->a, 0, 8);
	struct ib_recv_wr wr = { .sg_list = &sge };
	struct ib_srq *srq = ib_create_srq(t->pd, &init);

	EXPECT_EQ(t, PTR_ERR_OR_ZERO(srq), 0);
	if (IS_ERR(srq))
		return;
	wr.num_sge = t->dev->attrs.max_srq_sge + 1;
	EXPECT_EQ(t, ib_post_srq_recv(srq, &wr, NULL), -EINVAL);
	wr.num_sge = -1;
	EXPECT_EQ(t, ib_post_srq_recv(srq, &wr, NULL), -EINVAL);
	wr.num_sge = 1;
	EXPECT_EQ(t, ib_post_srq_recv(srq, &wr, NULL), 0);
	ib_destroy_srq(srq);
}

/* ---- objects --------------------------------------------------------------- */

static int make_qp(struct ktest *t, struct ib_qp_init_attr attr)
{
	struct ib_qp *qp;

	qp = ib_create_qp(t->pd, &attr);
	if (!IS_ERR(qp))
		ib_destroy_qp(qp);
	return PTR_ERR_OR_ZERO(qp);
}

static void queue_pairs_out_of_range_are_not_made(struct ktest *t)
{
	struct ib_qp_init_attr attr = ktest_least_attr(t->a.cq, t->a.cq);
	struct ib_qp_init_attr other = attr;

	EXPECT_EQ(t, make_qp(t, attr), 0);
	other.cap.max_send_wr = TOO_MUCH;
	EXPECT_EQ(t, make_qp(t, other), -EINVAL);
	other = attr;
	other.cap.max_recv_wr = TOO_MUCH;
	EXPECT_EQ(t, make_qp(t, other), -EINVAL);
	other = attr;
	other.cap.max_inline_data = TOO_MUCH;
	EXPECT_EQ(t, make_qp(t, other), -EINVAL);
	other = attr;
	other.qp_type = IB_QPT_SMI;
	EXPECT_EQ(t, make_qp(t, other), -EOPNOTSUPP);
	other = attr;
	other.create_flags = IB_QP_CREATE_NETIF_QP;
	EXPECT_EQ(t, make_qp(t, other), -EOPNOTSUPP);
}

static int make_cq(struct ktest *t, u32 entries, u32 vector, u32 flags)
{
	struct ib_cq_init_attr attr = {
		.cqe = entries,
		.comp_vector = vector,
		.flags = flags,
	};
	struct ib_cq *cq = ib_create_cq(t->dev, NULL, NULL, NULL, &attr);

	if (!IS_ERR(cq))
		ib_destroy_cq(cq);
	return PTR_ERR_OR_ZERO(cq);
}

/* srq_limit is invalid here: only ib_modify_srq() may look at it. */
static int make_srq(struct ktest *t, enum ib_srq_type type, u32 entries)
{
	struct ib_srq_init_attr attr = {
		.attr = {
			.max_wr = entries,
			.max_sge = 1,
			.srq_limit = TOO_MUCH,
		},
		.srq_type = type,
		.ext.cq = t->a.cq,
	};
	struct ib_srq *srq = ib_create_srq(t->pd, &attr);

	if (!IS_ERR(srq))
		ib_destroy_srq(srq);
	return PTR_ERR_OR_ZERO(srq);
}

static void queues_out_of_range_are_not_made(struct ktest *t)
{
	EXPECT_EQ(t, make_cq(t, 1, 0, 0), 0);
	EXPECT_EQ(t, make_cq(t, TOO_MUCH, 0, 0), -EINVAL);
	EXPECT_EQ(t, make_cq(t, 1, TOO_MUCH, 0), -EINVAL);
	EXPECT_EQ(t, make_cq(t, 1, 0, IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN),
		  -EOPNOTSUPP);

	EXPECT_EQ(t, make_srq(t, IB_SRQT_BASIC, 4), 0);
	EXPECT_EQ(t, make_srq(t, IB_SRQT_BASIC, 0), -EINVAL);
	EXPECT_EQ(t, make_srq(t, IB_SRQT_BASIC, TOO_MUCH), -EINVAL);
	EXPECT_EQ(t, make_srq(t, IB_SRQT_TM, 4), -EOPNOTSUPP);
}

static int make_mr(struct ktest *t, enum ib_mr_type type, u32 pages)
{
	struct ib_mr *mr = ib_alloc_mr(t->pd, type, pages);

	if (!IS_ERR(mr))
		ib_dereg_mr(mr);
	return PTR_ERR_OR_ZERO(mr);
}

static int make_ah(struct ktest *t, u8 level)
{
	struct rdma_ah_attr attr = {};
	struct ib_ah *ah;
	int err = ktest_own_address(t, &attr);

	if (err)
		return err;
	rdma_ah_set_sl(&attr, level);
	ah = rdma_create_ah(t->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	if (!IS_ERR(ah))
		rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
	return PTR_ERR_OR_ZERO(ah);
}

static void regions_and_addresses_out_of_range_are_not_made(struct ktest *t)
{
	EXPECT_EQ(t, make_mr(t, IB_MR_TYPE_MEM_REG, 1), 0);
	EXPECT_EQ(t, make_mr(t, IB_MR_TYPE_MEM_REG, 0), -EINVAL);
	EXPECT_EQ(t, make_mr(t, IB_MR_TYPE_MEM_REG, TOO_MUCH), -EINVAL);
	EXPECT_EQ(t, make_mr(t, IB_MR_TYPE_SG_GAPS, 1), -EOPNOTSUPP);
	EXPECT_EQ(t, PTR_ERR(t->dev->ops.get_dma_mr(t->pd, IB_ACCESS_MW_BIND)),
		  -EOPNOTSUPP);
	EXPECT_EQ(t, make_ah(t, 15), 0);
	EXPECT_EQ(t, make_ah(t, 16), -EINVAL);
}

/* ---- changes ---------------------------------------------------------------- */

static void changes_that_cannot_be_are_refused(struct ktest *t)
{
	struct ib_srq_init_attr init = {
		.attr = { .max_wr = 4, .max_sge = 1 },
	};
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.path_mig_state = IB_MIG_ARMED,
	};
	struct ib_srq_attr limit = { .max_wr = 8, .srq_limit = 5 };
	struct ib_srq *srq = ib_create_srq(t->pd, &init);

	EXPECT_EQ(t, ib_modify_qp(t->a.qp, &attr, IB_QP_CAP), -EOPNOTSUPP);
	EXPECT_EQ(t, ib_modify_qp(t->a.qp, &attr, IB_QP_PATH_MIG_STATE),
		  -EOPNOTSUPP);
	EXPECT_EQ(t, ib_modify_qp(t->a.qp, &attr, IB_QP_STATE), -EINVAL);
	EXPECT_EQ(t, ktest_write(t, 0, 64, t->b.dma, t->mr->rkey),
		  IB_WC_SUCCESS);

	EXPECT_EQ(t, PTR_ERR_OR_ZERO(srq), 0);
	if (IS_ERR(srq))
		return;
	EXPECT_EQ(t, ib_modify_srq(srq, &limit, IB_SRQ_MAX_WR), -EOPNOTSUPP);
	EXPECT_EQ(t, ib_modify_srq(srq, &limit, IB_SRQ_LIMIT), -EINVAL);
	EXPECT_EQ(t, ib_query_srq(srq, &limit), 0);
	EXPECT_EQ(t, limit.max_wr, 4);
	EXPECT_EQ(t, limit.srq_limit, 0);
	ib_destroy_srq(srq);
}

static void there_is_one_partition(struct ktest *t)
{
	u16 key = 0;

	EXPECT_EQ(t, ib_query_pkey(t->dev, 1, 0, &key), 0);
	EXPECT_EQ(t, key, IB_DEFAULT_PKEY_FULL);
	EXPECT_EQ(t, ib_query_pkey(t->dev, 1, 1, &key), -EINVAL);
}

const struct ktest_case ktest_refused_cases[] = {
	KTEST_CASE(requests_that_make_no_sense_are_not_posted),
	KTEST_CASE(registrations_that_make_no_sense_are_not_posted),
	KTEST_CASE(receives_without_room_are_not_posted),
	KTEST_CASE(shared_receives_of_wrong_numbers_are_not_posted),
	KTEST_CASE(queue_pairs_out_of_range_are_not_made),
	KTEST_CASE(queues_out_of_range_are_not_made),
	KTEST_CASE(regions_and_addresses_out_of_range_are_not_made),
	KTEST_CASE(changes_that_cannot_be_are_refused),
	KTEST_CASE(there_is_one_partition),
	{}
};
