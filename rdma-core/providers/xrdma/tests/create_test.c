// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the creation of queues: capacities that fit into entries, attributes
 * that are refused, and numbers of queue pairs that are reused. Prints TAP.
 */

#include <errno.h>
#include <string.h>

#include <ccan/array_size.h>

#include "setup.h"

/* ---- queue pairs ------------------------------------------------------- */

static void refuse_cap(struct ibv_qp_cap cap)
{
	errno = 0;
	CHECK(!create_qp(&cap) && errno == EINVAL);
}

static void granted_capacities_fit_the_entries(void)
{
	struct ibv_qp_cap cap = { .max_send_wr = 5, .max_send_sge = 3,
				  .max_recv_wr = 3, .max_recv_sge = 2 };
	struct ibv_qp *ibqp;

	setup(true, 16);
	ibqp = create_qp(&cap);
	CHECK(ibqp && cap.max_send_wr == 8 && cap.max_recv_wr == 4);
	/* 128 = 32 + 6 * 16 = 32 + 96; 64 = 16 + 3 * 16 */
	CHECK(fake_last_qp.req.sq_units == 2 && cap.max_send_sge == 6);
	CHECK(cap.max_inline_data == 96);
	CHECK(fake_last_qp.req.log_rq_stride == 6 && cap.max_recv_sge == 3);
	CHECK(!xrdma_destroy_qp(ibqp));

	memset(&cap, 0, sizeof(cap));
	ibqp = create_qp(&cap);
	CHECK(ibqp && cap.max_send_wr == 1 && cap.max_recv_wr == 0);
	CHECK(fake_last_qp.req.sq_units == 1);
	CHECK(fake_last_qp.req.log_rq_stride == 0);
	CHECK(!xrdma_destroy_qp(ibqp));

	cap = (struct ibv_qp_cap){ .max_inline_data = 97 };
	ibqp = create_qp(&cap);
	CHECK(ibqp && fake_last_qp.req.sq_units == 3);
	CHECK(cap.max_inline_data == WORK_MAX_INLINE);
	CHECK(!xrdma_destroy_qp(ibqp));

	refuse_cap((struct ibv_qp_cap){ .max_send_wr = 65537 });
	refuse_cap((struct ibv_qp_cap){ .max_recv_wr = 65537 });
	refuse_cap((struct ibv_qp_cap){ .max_send_sge = WORK_MAX_SGE + 1 });
	refuse_cap((struct ibv_qp_cap){ .max_recv_sge = WORK_MAX_SGE + 1 });
	refuse_cap((struct ibv_qp_cap){
		.max_inline_data = WORK_MAX_INLINE + 1 });
	teardown();
}

/* 64 = 32 + 32: the entry of a datagram can end behind the address. */
static void datagrams_without_room_take_no_payload(void)
{
	struct ibv_qp_init_attr_ex attr = {
		.cap = { .max_send_wr = 4 },
		.qp_type = IBV_QPT_UD,
		.comp_mask = IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};
	const struct xrdma_sge *next;
	struct xrdma_ah ah = {};
	struct ibv_qp_ex *qpx;
	struct xrdma_qp *qp;

	setup(true, 16);
	qp = create_qp_of(&attr);
	CHECK(fake_last_qp.req.sq_units == 1 && !attr.cap.max_send_sge);
	next = qp->sq.ring + 64;
	qpx = &qp->verbs_qp.qp_ex;
	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_set_ud_addr(qpx, &ah.ibv_ah, 5, 6);
	ibv_wr_set_sge(qpx, 0x1122335a, 0x7f0012345678, 65536);
	CHECK(ibv_wr_complete(qpx) == EINVAL);
	CHECK(!next->addr && !next->length && !next->lkey);
	CHECK(!xrdma_destroy_qp(&qp->verbs_qp.qp));
	teardown();
}

/* Valid attributes of a queue pair, for a test to change. */
static struct ibv_qp_init_attr_ex qp_attr(struct xrdma_pd *pd)
{
	*pd = (struct xrdma_pd) {
		.ibv_pd.context = &ctx->ibv_ctx.context,
	};
	return (struct ibv_qp_init_attr_ex) {
		.send_cq = &cq->verbs_cq.cq,
		.recv_cq = &cq->verbs_cq.cq,
		.cap = { .max_send_wr = 4 },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = &pd->ibv_pd,
	};
}

static void unsupported_queue_pairs_are_refused(void)
{
	static const uint64_t no_ops[] = {
		IBV_QP_EX_WITH_TSO, 1ULL << 13, 1ULL << 63,
	};
	static const uint32_t no_masks[] = {
		IBV_QP_INIT_ATTR_MAX_TSO_HEADER, 1 << 20,
	};
	struct ibv_qp_init_attr_ex attr;
	struct xrdma_pd pd;
	int i;

	setup(true, 16);
	for (i = 0; i < ARRAY_SIZE(no_ops); i++) {
		attr = qp_attr(&pd);
		attr.send_ops_flags = no_ops[i] | IBV_QP_EX_WITH_SEND;
		refuse_qp(attr, EOPNOTSUPP);
	}
	for (i = 0; i < ARRAY_SIZE(no_masks); i++) {
		attr = qp_attr(&pd);
		attr.comp_mask |= no_masks[i];
		refuse_qp(attr, EOPNOTSUPP);
	}
	attr = qp_attr(&pd);
	attr.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
	attr.create_flags = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB;
	refuse_qp(attr, EOPNOTSUPP);
	attr = qp_attr(&pd);
	attr.qp_type = IBV_QPT_DRIVER;
	refuse_qp(attr, EOPNOTSUPP);
	attr = qp_attr(&pd);
	attr.qp_type = IBV_QPT_XRC_RECV;
	refuse_qp(attr, EINVAL);
	attr = qp_attr(&pd);
	attr.comp_mask = IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	refuse_qp(attr, EINVAL);
	teardown();
}

static struct xrdma_qp *create_qp_ex(struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_qp *ibqp;

	ibqp = xrdma_create_qp_ex(&ctx->ibv_ctx.context, attr);
	CHECK(ibqp);
	ibqp->state = IBV_QPS_RTS;
	return container_of(ibqp, struct xrdma_qp, verbs_qp.qp);
}

/* Members of the attributes that comp_mask does not name are ignored. */
static void only_asked_for_operations_can_be_posted(void)
{
	struct ibv_qp_init_attr_ex attr;
	struct xrdma_qp *qp;
	struct xrdma_pd pd;

	setup(true, 16);
	attr = qp_attr(&pd);
	attr.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS;
	attr.send_ops_flags = UINT64_MAX;
	qp = create_qp_ex(&attr);
	CHECK(!(qp->verbs_qp.comp_mask & VERBS_QP_EX));
	CHECK(!xrdma_destroy_qp(&qp->verbs_qp.qp));

	attr = qp_attr(&pd);
	attr.create_flags = UINT32_MAX;
	attr.send_ops_flags = IBV_QP_EX_WITH_SEND;
	qp = create_qp_ex(&attr);
	CHECK(qp->verbs_qp.comp_mask & VERBS_QP_EX);
	CHECK(attr.cap.max_send_sge == 2);
	/* BIND_MW was not asked for. */
	ibv_wr_start(&qp->verbs_qp.qp_ex);
	ibv_wr_bind_mw(&qp->verbs_qp.qp_ex, &(struct ibv_mw) {
		.type = IBV_MW_TYPE_2 }, 1, &(struct ibv_mw_bind_info) {});
	CHECK(ibv_wr_complete(&qp->verbs_qp.qp_ex) == EINVAL);
	CHECK(!xrdma_destroy_qp(&qp->verbs_qp.qp));
	teardown();
}

/* ---- completion queues -------------------------------------------------- */

static void refuse_cq(struct ibv_cq_init_attr_ex attr, int error)
{
	errno = 0;
	CHECK(!xrdma_create_cq_ex(&ctx->ibv_ctx.context, &attr));
	CHECK(errno == error);
}

static void unsupported_completion_queues_are_refused(void)
{
	static const uint64_t no_flags[] = {
		IBV_WC_EX_WITH_CVLAN, IBV_WC_EX_WITH_FLOW_TAG,
		IBV_WC_EX_WITH_TM_INFO, 1ULL << 63,
		IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK,
	};
	struct xrdma_pd plain = {};
	int i;

	setup(true, 16);
	for (i = 0; i < ARRAY_SIZE(no_flags); i++)
		refuse_cq((struct ibv_cq_init_attr_ex) {
			.cqe = 1, .wc_flags = no_flags[i] }, EOPNOTSUPP);
	refuse_cq((struct ibv_cq_init_attr_ex) { .cqe = 0 }, EINVAL);
	refuse_cq((struct ibv_cq_init_attr_ex) { .cqe = UINT32_MAX }, EINVAL);
	refuse_cq((struct ibv_cq_init_attr_ex) { .cqe = ctx->max_cqe + 1 },
		  EINVAL);
	refuse_cq((struct ibv_cq_init_attr_ex) {
		.cqe = 1, .comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN }, EOPNOTSUPP);
	refuse_cq((struct ibv_cq_init_attr_ex) {
		.cqe = 1, .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD }, EINVAL);
	refuse_cq((struct ibv_cq_init_attr_ex) {
		.cqe = 1, .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD,
		.parent_domain = &plain.ibv_pd }, EINVAL);
	teardown();
}

static struct xrdma_cq *create_cq_ex(uint32_t comp_mask, uint32_t flags)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 17,
		.comp_mask = comp_mask,
		.flags = flags,
	};
	struct ibv_cq_ex *cqx;

	cqx = xrdma_create_cq_ex(&ctx->ibv_ctx.context, &attr);
	CHECK(cqx && cqx->cqe == 32);
	return container_of(cqx, struct xrdma_cq, verbs_cq.cq_ex);
}

static void single_threaded_queue_does_not_take_its_lock(void)
{
	struct xrdma_cq *other;

	setup(true, 16);
	other = create_cq_ex(IBV_CQ_INIT_ATTR_MASK_FLAGS,
			     IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
	CHECK(other->lock.elided);
	CHECK(!xrdma_destroy_cq(&other->verbs_cq.cq));
	other = create_cq_ex(0, UINT32_MAX);
	CHECK(!other->lock.elided);
	CHECK(!xrdma_destroy_cq(&other->verbs_cq.cq));
	teardown();
}

/*
 * Buffers are freed if the driver refuses to create an object. Of other memory,
 * the sanitizer finds leaks.
 */
static void nothing_is_left_if_the_driver_refuses(void)
{
	struct ibv_qp_init_attr_ex attr;
	struct xrdma_pd pd;

	setup(true, 16);
	fake_create_error = ENOSPC;
	attr = qp_attr(&pd);
	attr.send_ops_flags = IBV_QP_EX_WITH_BIND_MW;
	refuse_qp(attr, ENOSPC);
	refuse_cq((struct ibv_cq_init_attr_ex) { .cqe = 1 }, ENOSPC);
	fake_create_error = 0;
	teardown();
}

/* ---- numbers ------------------------------------------------------------ */

#define REUSED	7

static enum ibv_qp_type successor_type;
static struct xrdma_qp *successor;

static void complete(uint64_t wr_id, uint16_t flags)
{
	struct xrdma_cqe cqe = {
		.wr_id = htole64(wr_id),
		.qpn = htole32(REUSED),
		.opcode = XRDMA_OP_RECV,
		.flags = htole16(flags),
	};

	fake_write_cqe(&dev_cq, &cqe);
}

/*
 * Create a queue pair with the number of one whose destruction waits for its
 * events. Another thread may do this before it acknowledges the events, since
 * the driver has freed the number.
 */
static void create_successor(void)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = successor_type,
		.cap = { .max_recv_wr = 4 },
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
	};

	fake_during_command = NULL;
	/* The mutex must be free: create_qp_of() would wait forever. */
	CHECK(!pthread_mutex_trylock(&ctx->qp_mutex));
	CHECK(!pthread_mutex_unlock(&ctx->qp_mutex));
	successor = create_qp_of(&attr);
	complete(2, successor_type == IBV_QPT_RC ? 0 : XRDMA_CQE_SRQ);
}

/* Check that only the completion of the new queue pair is polled. */
static void check_successor(void)
{
	struct ibv_wc wc[2];

	CHECK(!fake_during_command);
	CHECK(xrdma_poll_cq(&cq->verbs_cq.cq, 2, wc) == 1 && wc[0].wr_id == 2);
	CHECK(successor->rq.ci == (successor_type == IBV_QPT_RC));
	CHECK(!xrdma_destroy_qp(&successor->verbs_qp.qp));
	teardown();
}

static void begin_reuse(enum ibv_qp_type type)
{
	setup(true, 16);
	fake_next_qpn = REUSED;
	successor_type = type;
}

static void check_reuse_by(enum ibv_qp_type type)
{
	begin_reuse(type);
	create_pair(&pairs[0], REUSED, 4);
	complete(1, 0);
	fake_during_command = create_successor;
	destroy_pair(&pairs[0]);
	check_successor();
}

static void number_of_a_queue_pair_is_reused_during_destruction(void)
{
	check_reuse_by(IBV_QPT_RC);
	/* An XRC target is not in the table of queue pairs. */
	check_reuse_by(IBV_QPT_XRC_RECV);
}

static void number_of_a_work_queue_is_reused_during_destruction(void)
{
	struct ibv_wq_init_attr attr = { .wq_type = IBV_WQT_RQ, .max_wr = 4 };
	struct xrdma_pd pd = {};
	struct ibv_wq *wq;

	begin_reuse(IBV_QPT_RC);
	attr.pd = &pd.ibv_pd;
	attr.cq = &cq->verbs_cq.cq;
	wq = xrdma_create_wq(&ctx->ibv_ctx.context, &attr);
	CHECK(wq);
	complete(1, 0);
	fake_during_command = create_successor;
	CHECK(!xrdma_destroy_wq(wq));
	check_successor();
}

static const struct test tests[] = {
	TEST(granted_capacities_fit_the_entries),
	TEST(datagrams_without_room_take_no_payload),
	TEST(unsupported_queue_pairs_are_refused),
	TEST(only_asked_for_operations_can_be_posted),
	TEST(unsupported_completion_queues_are_refused),
	TEST(single_threaded_queue_does_not_take_its_lock),
	TEST(nothing_is_left_if_the_driver_refuses),
	TEST(number_of_a_queue_pair_is_reused_during_destruction),
	TEST(number_of_a_work_queue_is_reused_during_destruction),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
