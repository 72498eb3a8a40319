// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases for FLUSH and ATOMIC WRITE. Kernel consumers use these operations to
 * know when written data has reached memory.
 */

#include <rdma/xrdma-flush.h>
#include "ktest.h"

#define FLUSH	IB_ACCESS_FLUSH_GLOBAL
#define VALUE	0x1122334455667788ULL
#define AT	64

/* A region of all bus addresses whose rights include those for FLUSH. */
static struct ib_mr *open_flush(struct ktest *t)
{
	struct ib_qp_attr attr = {
		.qp_access_flags = IB_ACCESS_REMOTE_WRITE | FLUSH,
	};
	struct ib_mr *mr = t->dev->ops.get_dma_mr(t->pd, KTEST_ALL | FLUSH);

	EXPECT_EQ(t, PTR_ERR_OR_ZERO(mr), 0);
	EXPECT_EQ(t, ib_modify_qp(t->b.qp, &attr, IB_QP_ACCESS_FLAGS), 0);
	if (IS_ERR(mr))
		return NULL;
	mr->device = t->dev;
	mr->pd = t->pd;
	mr->type = IB_MR_TYPE_DMA;
	return mr;
}

static int flush(struct ktest *t, u32 key, u32 type, u32 level)
{
	struct xrdma_flush_wr wr = {
		.wr = { .opcode = IB_WR_FLUSH },
		.remote_addr = t->b.dma,
		.length = KTEST_BUF_SIZE,
		.rkey = key,
		.type = type,
		.level = level,
	};

	return ktest_do(t, t->a.qp, &wr.wr);
}

static void flush_completes(struct ktest *t)
{
	struct ib_mr *mr = open_flush(t);

	if (!mr)
		return;
	EXPECT_EQ(t, ktest_write(t, 0, 8192, t->b.dma, mr->rkey),
		  IB_WC_SUCCESS);
	EXPECT_EQ(t, flush(t, mr->rkey, IB_FLUSH_GLOBAL, IB_FLUSH_RANGE),
		  IB_WC_SUCCESS);
	EXPECT_EQ(t, t->wc.opcode, IB_WC_FLUSH);
	EXPECT(t, !memcmp(t->a.buf, t->b.buf, 8192));
	EXPECT_EQ(t, flush(t, mr->rkey, IB_FLUSH_GLOBAL, IB_FLUSH_MR),
		  IB_WC_SUCCESS);
	EXPECT_EQ(t, flush(t, mr->rkey, 4, IB_FLUSH_RANGE), -EINVAL);
	EXPECT_EQ(t, flush(t, mr->rkey, IB_FLUSH_GLOBAL, 2), -EINVAL);
	t->dev->ops.dereg_mr(mr, NULL);
}

/* Guests of the tests have no persistent memory. */
static void flush_to_persistence_needs_persistent_memory(struct ktest *t)
{
	struct ib_mr *mr = t->dev->ops.get_dma_mr(t->pd, KTEST_ALL |
						  IB_ACCESS_FLUSH_PERSISTENT);

	EXPECT(t, !(t->dev->attrs.device_cap_flags &
		    IB_DEVICE_FLUSH_PERSISTENT));
	EXPECT_EQ(t, PTR_ERR_OR_ZERO(mr), -EOPNOTSUPP);
	if (!IS_ERR(mr))
		t->dev->ops.dereg_mr(mr, NULL);
}

static void flush_needs_rights_of_the_key(struct ktest *t)
{
	struct ib_mr *mr = open_flush(t);

	EXPECT_EQ(t, flush(t, t->mr->rkey, IB_FLUSH_GLOBAL, IB_FLUSH_RANGE),
		  IB_WC_REM_ACCESS_ERR);
	EXPECT_EQ(t, t->wc.opcode, IB_WC_FLUSH);
	if (mr)
		t->dev->ops.dereg_mr(mr, NULL);
}

static void flush_needs_rights_of_the_queue_pair(struct ktest *t)
{
	struct ib_qp_attr attr = {
		.qp_access_flags = IB_ACCESS_REMOTE_WRITE,
	};
	struct ib_mr *mr = open_flush(t);

	if (!mr)
		return;
	EXPECT_EQ(t, ib_modify_qp(t->b.qp, &attr, IB_QP_ACCESS_FLAGS), 0);
	EXPECT_EQ(t, flush(t, mr->rkey, IB_FLUSH_GLOBAL, IB_FLUSH_RANGE),
		  IB_WC_REM_INV_REQ_ERR);
	t->dev->ops.dereg_mr(mr, NULL);
}

static int atomic_write(struct ktest *t, u64 *value, u64 addr, u32 len,
			int flags)
{
	struct ib_sge sge = { .addr = (uintptr_t)value, .length = len };
	struct ib_rdma_wr wr = {
		.wr = {
			.opcode = IB_WR_ATOMIC_WRITE,
			.sg_list = &sge,
			.num_sge = 1,
			.send_flags = flags,
		},
		.remote_addr = addr,
		.rkey = t->mr->rkey,
	};

	return ktest_do(t, t->a.qp, &wr.wr);
}

static void atomic_write_writes_eight_bytes(struct ktest *t)
{
	u64 value = VALUE;

	memset(t->b.buf, KTEST_UNTOUCHED, 2 * AT);
	EXPECT_EQ(t, atomic_write(t, &value, t->b.dma + AT, 8, IB_SEND_INLINE),
		  IB_WC_SUCCESS);
	EXPECT_EQ(t, t->wc.opcode, IB_WC_ATOMIC_WRITE);
	EXPECT_EQ(t, *(u64 *)(t->b.buf + AT), VALUE);
	EXPECT_EQ(t, t->b.buf[AT - 1], KTEST_UNTOUCHED);
	EXPECT_EQ(t, t->b.buf[AT + 8], KTEST_UNTOUCHED);
	EXPECT_EQ(t, atomic_write(t, &value, t->b.dma, 4, IB_SEND_INLINE),
		  -EINVAL);
	EXPECT_EQ(t, atomic_write(t, &value, t->b.dma, 8, 0), -EINVAL);
}

static void atomic_write_needs_an_aligned_address(struct ktest *t)
{
	u64 value = VALUE;

	memset(t->b.buf, KTEST_UNTOUCHED, 2 * AT);
	EXPECT(t, atomic_write(t, &value, t->b.dma + AT + 4, 8,
			       IB_SEND_INLINE) > IB_WC_SUCCESS);
	EXPECT(t, !memchr_inv(t->b.buf, KTEST_UNTOUCHED, 2 * AT));
}

const struct ktest_case ktest_place_cases[] = {
	KTEST_CASE(flush_completes),
	KTEST_CASE(flush_to_persistence_needs_persistent_memory),
	KTEST_CASE(flush_needs_rights_of_the_key),
	KTEST_CASE(flush_needs_rights_of_the_queue_pair),
	KTEST_CASE(atomic_write_writes_eight_bytes),
	KTEST_CASE(atomic_write_needs_an_aligned_address),
	{}
};
