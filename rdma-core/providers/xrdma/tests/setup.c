// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the tests share: a context with one completion queue and a few queue
 * pairs, each with the provider's and the device's side; random numbers; and
 * the run of a list of tests. Requests and their checks are in work.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "setup.h"

#define ALL_SEND_OPS	(((uint64_t)IBV_QP_EX_WITH_TSO - 1) | \
			 IBV_QP_EX_WITH_FLUSH | IBV_QP_EX_WITH_ATOMIC_WRITE)

struct xrdma_context *ctx;
struct xrdma_cq *cq;
struct fake_cq dev_cq;
struct pair pairs[QPS];

static void create_cq(int entries)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = entries,
		.wc_flags = IBV_WC_STANDARD_FLAGS |
			    IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
	};
	struct ibv_cq_ex *cqx;

	cqx = xrdma_create_cq_ex(&ctx->ibv_ctx.context, &attr);
	CHECK(cqx && cqx->cqe >= entries);
	cq = container_of(cqx, struct xrdma_cq, verbs_cq.cq_ex);
	dev_cq = fake_last_cq;
}

/**
 * create_qp_of() - create a queue pair in state RTS
 * @attr: attributes; protection domain and completion queues are added
 *
 * Return: the queue pair.
 */
struct xrdma_qp *create_qp_of(struct ibv_qp_init_attr_ex *attr)
{
	static struct xrdma_pd pd;
	struct ibv_qp *ibqp;

	pd.ibv_pd.context = &ctx->ibv_ctx.context;
	attr->pd = &pd.ibv_pd;
	attr->send_cq = &cq->verbs_cq.cq;
	attr->recv_cq = &cq->verbs_cq.cq;
	attr->comp_mask |= IBV_QP_INIT_ATTR_PD;
	ibqp = xrdma_create_qp_ex(&ctx->ibv_ctx.context, attr);
	CHECK(ibqp);
	/* libibverbs does this in ibv_modify_qp(). */
	ibqp->state = IBV_QPS_RTS;
	return container_of(ibqp, struct xrdma_qp, verbs_qp.qp);
}

/**
 * create_qp() - create an RC queue pair with ibv_wr_*() functions, in state RTS
 * @cap: capacities; set to what the queue pair has
 *
 * Return: the queue pair, or NULL and errno.
 */
struct ibv_qp *create_qp(struct ibv_qp_cap *cap)
{
	struct xrdma_pd pd = { .ibv_pd.context = &ctx->ibv_ctx.context };
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = &cq->verbs_cq.cq,
		.recv_cq = &cq->verbs_cq.cq,
		.cap = *cap,
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = &pd.ibv_pd,
		.send_ops_flags = ALL_SEND_OPS,
	};
	struct ibv_qp *ibqp;

	ibqp = xrdma_create_qp_ex(&ctx->ibv_ctx.context, &attr);
	*cap = attr.cap;
	if (ibqp)
		ibqp->state = IBV_QPS_RTS;
	return ibqp;
}

/**
 * create_pair() - create a queue pair and its device side
 * @pair: set up
 * @qpn: number of the queue pair
 * @depth: number of entries of each of its queues
 */
void create_pair(struct pair *pair, uint32_t qpn, uint32_t depth)
{
	struct ibv_qp_cap cap = {
		.max_send_wr = depth,
		.max_recv_wr = depth,
		.max_send_sge = 3,
		.max_recv_sge = 2,
		.max_inline_data = 60,
	};
	struct ibv_qp *ibqp;

	fake_next_qpn = qpn;
	ibqp = create_qp(&cap);
	CHECK(ibqp);
	memset(pair, 0, sizeof(*pair));
	pair->qp = container_of(ibqp, struct xrdma_qp, verbs_qp.qp);
	pair->dev = fake_last_qp;
}

/**
 * destroy_pair() - destroy the queue pair of a pair
 * @pair: pair; the other members are not changed
 */
void destroy_pair(struct pair *pair)
{
	CHECK(!xrdma_destroy_qp(&pair->qp->verbs_qp.qp));
	pair->qp = NULL;
}

/**
 * setup() - create a context and a completion queue
 * @shadow_db: as in struct xrdma_context
 * @depth: depth of the queues of each queue pair that the test will create
 */
void setup(bool shadow_db, uint32_t depth)
{
	ctx = calloc(1, sizeof(*ctx));
	CHECK(ctx);
	ctx->db = fake_db_page;
	ctx->shadow_db = shadow_db;
	ctx->max_qp_wr = 65536;
	ctx->max_cqe = 65536 * 2;
	ctx->max_sge = WORK_MAX_SGE;
	ctx->max_inline = WORK_MAX_INLINE;
	pthread_mutex_init(&ctx->qp_mutex, NULL);
	fake_take_doorbell();
	create_cq(2 * QPS * depth);
}

/**
 * teardown() - destroy the context and all its objects
 */
void teardown(void)
{
	int i;

	for (i = 0; i < QPS; i++)
		if (pairs[i].qp)
			destroy_pair(&pairs[i]);
	for (i = 0; i < XRDMA_QP_TABLE_SIZE; i++)
		CHECK(!ctx->qp_table[i]);
	CHECK(!xrdma_destroy_cq(&cq->verbs_cq.cq));
	CHECK(!fake_buffers);
	pthread_mutex_destroy(&ctx->qp_mutex);
	free(ctx);
}

/**
 * refuse_qp() - check that a queue pair cannot be created
 * @attr: attributes
 * @error: errno that is expected
 */
void refuse_qp(struct ibv_qp_init_attr_ex attr, int error)
{
	errno = 0;
	CHECK(!xrdma_create_qp_ex(&ctx->ibv_ctx.context, &attr));
	CHECK(errno == error);
}

/**
 * start_cq_at() - set the indexes of the completion queue, which is empty
 * @index: producer and consumer index
 */
void start_cq_at(uint32_t index)
{
	uint32_t i, depth = 1U << cq->log_depth;

	cq->ci = index;
	cq->rec->ci = htole32(index);
	dev_cq.pi = index;
	for (i = index; i - index < depth; i++)
		cq->ring[i % depth].own = htole32(i / depth % 2);
}

/**
 * random_below() - pseudo-random number; each program has the same sequence
 * @limit: upper limit, excluded
 *
 * Return: the number.
 */
uint32_t random_below(uint32_t limit)
{
	static uint32_t state = 1;

	state = state * 1664525 + 1013904223;
	return ((uint64_t)state * limit) >> 32;
}

/**
 * run_tests() - run tests, and print TAP; a test that fails ends the program
 * @tests: tests, which run in this order
 * @num: number of @tests
 *
 * Return: 0.
 */
int run_tests(const struct test *tests, int num)
{
	int i;

	printf("1..%d\n", num);
	for (i = 0; i < num; i++) {
		tests[i].run();
		printf("ok %d - %s\n", i + 1, tests[i].name);
	}
	return 0;
}
