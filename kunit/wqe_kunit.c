// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the encoding of work requests (xrdma_wqe.c): an entry does not depend
 * on what an earlier request has left in the ring, and negative numbers of
 * scatter-gather entries are refused. The bytes of the structures
 * are tested in encode_kunit.c, the segment of REG_MR in frmr_kunit.c.
 */

#include <kunit/test.h>
#include <rdma/xrdma-bind.h>
#include <rdma/xrdma-flush.h>
#include "xrdma_dev.h"
#include "xrdma_qp.h"
#include "xrdma_wqe.h"

#define WQE_BYTES	64

/**
 * union wqe_request - a work request of any operation
 * @wr: the part that all operations have
 * @rdma: WRITE, READ, ATOMIC_WRITE
 * @atomic: CMP_SWAP, FETCH_ADD
 * @bind: BIND_MW
 * @flush: FLUSH
 */
union wqe_request {
	struct ib_send_wr wr;
	struct ib_rdma_wr rdma;
	struct ib_atomic_wr atomic;
	struct xrdma_bind_wr bind;
	struct xrdma_flush_wr flush;
};

/**
 * struct wqe_case - an operation
 * @name: name of the operation
 * @opcode: its opcode
 * @flags: flags that it needs
 * @used: number of bytes of the entry that the device reads, if the request has
 *	one scatter-gather entry
 */
struct wqe_case {
	const char *name;
	enum ib_wr_opcode opcode;
	int flags;
	size_t used;
};

static const struct wqe_case wqe_cases[] = {
	{ "SEND", IB_WR_SEND, 0, 48 },
	{ "SEND_IMM", IB_WR_SEND_WITH_IMM, 0, 48 },
	{ "SEND_INV", IB_WR_SEND_WITH_INV, 0, 48 },
	{ "WRITE", IB_WR_RDMA_WRITE, 0, 48 },
	{ "WRITE_IMM", IB_WR_RDMA_WRITE_WITH_IMM, 0, 48 },
	{ "inline WRITE", IB_WR_RDMA_WRITE, IB_SEND_INLINE, 40 },
	{ "READ", IB_WR_RDMA_READ, 0, 48 },
	{ "CMP_SWAP", IB_WR_ATOMIC_CMP_AND_SWP, 0, 64 },
	{ "FETCH_ADD", IB_WR_ATOMIC_FETCH_AND_ADD, 0, 64 },
	{ "BIND_MW", IB_WR_BIND_MW, 0, 64 },
	{ "LOCAL_INV", IB_WR_LOCAL_INV, 0, 32 },
	{ "FLUSH", IB_WR_FLUSH, 0, 32 },
	{ "ATOMIC_WRITE", IB_WR_ATOMIC_WRITE, IB_SEND_INLINE, 48 },
};

static void wqe_case_name(const struct wqe_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(wqe, wqe_cases, wqe_case_name);

static u64 wqe_value = 0x1122334455667788;
static struct ib_sge wqe_sge = { .length = sizeof(wqe_value) };
static struct ib_mw wqe_mw = { .rkey = 0x500 };

/* Write the entry of a request of the operation into @wqe. */
static int wqe_test_make(struct kunit *test, void *wqe)
{
	const struct wqe_case *c = test->param_value;
	union wqe_request any = {};

	wqe_sge.addr = (uintptr_t)&wqe_value;
	if (c->opcode == IB_WR_BIND_MW) {
		any.bind.mw = &wqe_mw;
	} else if (c->opcode == IB_WR_FLUSH) {
		any.flush.type = IB_FLUSH_GLOBAL;
		any.flush.level = IB_FLUSH_MR;
	} else {
		any.wr.num_sge = 1;
		any.wr.sg_list = &wqe_sge;
	}
	any.wr.opcode = c->opcode;
	any.wr.send_flags = c->flags;
	return xrdma_make_send(test->priv, wqe, &any.wr);
}

/*
 * The device refuses an ATOMIC_WRITE whose second operand is not 0, and other
 * entries with a field that is not 0 although the operation does not use it. So
 * the driver has to write all fields: a ring is used again and again.
 */
static void entries_do_not_depend_on_earlier_ones(struct kunit *test)
{
	const struct wqe_case *c = test->param_value;
	u8 *first = kunit_kzalloc(test, WQE_BYTES, GFP_KERNEL);
	u8 *later = kunit_kmalloc(test, WQE_BYTES, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, first);
	KUNIT_ASSERT_NOT_NULL(test, later);
	memset(later, 0xff, WQE_BYTES);
	KUNIT_ASSERT_EQ(test, 0, wqe_test_make(test, first));
	KUNIT_ASSERT_EQ(test, 0, wqe_test_make(test, later));
	KUNIT_EXPECT_MEMEQ(test, first, later, c->used);
}

/*
 * num_sge is an int. A negative number is below each limit, and the entry would
 * claim scatter-gather entries that nobody has written.
 */
static void negative_numbers_of_entries_are_refused(struct kunit *test)
{
	static const enum ib_wr_opcode opcodes[] = {
		IB_WR_SEND, IB_WR_RDMA_WRITE, IB_WR_RDMA_READ,
		IB_WR_ATOMIC_CMP_AND_SWP,
	};
	void *wqe = kunit_kzalloc(test, WQE_BYTES, GFP_KERNEL);
	union wqe_request any = { .wr.num_sge = -1, .wr.sg_list = &wqe_sge };
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, wqe);
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		any.wr.opcode = opcodes[i];
		KUNIT_EXPECT_EQ(test, -EINVAL,
				xrdma_make_send(test->priv, wqe, &any.wr));
	}
}

static int wqe_test_init(struct kunit *test)
{
	struct xrdma_dev *xdev = kunit_kzalloc(test, sizeof(*xdev), GFP_KERNEL);
	struct xrdma_qp *qp = kunit_kzalloc(test, sizeof(*qp), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, xdev);
	KUNIT_ASSERT_NOT_NULL(test, qp);
	xdev->caps.flags = XRDMA_CAP_FAST_REG | XRDMA_CAP_FLUSH |
			   XRDMA_CAP_ATOMIC_WRITE;
	qp->xdev = xdev;
	qp->type = XRDMA_QP_RC;
	qp->sq.max_sge = 1;
	qp->max_inline = sizeof(wqe_value);
	test->priv = qp;
	return 0;
}

static struct kunit_case wqe_test_cases[] = {
	KUNIT_CASE_PARAM(entries_do_not_depend_on_earlier_ones, wqe_gen_params),
	KUNIT_CASE(negative_numbers_of_entries_are_refused),
	{}
};

static struct kunit_suite wqe_suite = {
	.name = "xrdma_wqe",
	.init = wqe_test_init,
	.test_cases = wqe_test_cases,
};

kunit_test_suite(wqe_suite);
