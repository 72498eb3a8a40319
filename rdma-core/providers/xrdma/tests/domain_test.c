// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of thread domains and parent domains, and of receive side scaling: work
 * queues, indirection tables, their queue pairs, and flow rules. Prints TAP.
 */

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <ccan/array_size.h>

#include "fake_objects.h"
#include "setup.h"

/* ---- the application's allocator ---------------------------------------- */

#define ARENA	0x100000

static uint8_t arena[ARENA] __attribute__((aligned(4096)));
static size_t arena_used;
static unsigned int allocated;
/* What arena_alloc() returns; NULL: memory; its own address: NULL. */
static void *forced_answer;
/* Domain that the provider has to pass to the allocator. */
static struct ibv_pd *expected_domain;

static void *arena_alloc(struct ibv_pd *pd, void *context, size_t size,
			 size_t alignment, uint64_t type)
{
	void *addr = arena + arena_used;

	CHECK(pd == expected_domain && context == &arena_used);
	CHECK(size && size % 4096 == 0 && alignment == 4096);
	if (forced_answer)
		return forced_answer == &forced_answer ? NULL : forced_answer;
	CHECK(arena_used + size <= ARENA);
	arena_used += size;
	allocated++;
	/* The provider has to clear the memory. */
	memset(addr, 0xa5, size);
	return addr;
}

static void arena_free(struct ibv_pd *pd, void *context, void *addr,
		       uint64_t type)
{
	CHECK(pd == expected_domain && context == &arena_used);
	CHECK(addr >= (void *)arena && addr < (void *)arena + ARENA);
	CHECK(allocated);
	allocated--;
}

static struct ibv_pd *pd;

static void begin(void)
{
	setup(true, 16);
	pd = xrdma_alloc_pd(&ctx->ibv_ctx.context);
	CHECK(pd);
	arena_used = 0;
	forced_answer = NULL;
}

static void end(void)
{
	CHECK(!allocated);
	CHECK(!xrdma_dealloc_pd(pd) && !fake_objects);
	teardown();
}

static struct ibv_pd *create_parent(struct ibv_td *td, bool allocator)
{
	struct ibv_parent_domain_init_attr attr = {
		.pd = pd,
		.td = td,
	};
	struct ibv_pd *parent;

	if (allocator) {
		attr.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS |
				 IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT;
		attr.alloc = arena_alloc;
		attr.free = arena_free;
		attr.pd_context = &arena_used;
	}
	parent = xrdma_alloc_parent_domain(&ctx->ibv_ctx.context, &attr);
	CHECK(parent && parent->handle == pd->handle);
	CHECK(parent->context == pd->context);
	expected_domain = parent;
	return parent;
}

/* One queue of each kind, all in one domain. */
struct queues {
	struct ibv_qp *qp;
	struct ibv_srq *srq;
	struct ibv_cq *cq;
	struct ibv_wq *wq;
};

static struct ibv_qp *create_qp_in(struct ibv_pd *in)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = &cq->verbs_cq.cq,
		.recv_cq = &cq->verbs_cq.cq,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4 },
		.qp_type = IBV_QPT_RC,
	};

	fake_next_qpn = 1;
	return xrdma_create_qp(in, &attr);
}

static struct ibv_srq *create_srq_in(struct ibv_pd *in)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 4 } };

	return xrdma_create_srq(in, &attr);
}

static struct ibv_cq *create_cq_in(struct ibv_pd *in)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 4,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD,
		.parent_domain = in,
	};
	struct ibv_cq_ex *cqx;

	cqx = xrdma_create_cq_ex(&ctx->ibv_ctx.context, &attr);
	return cqx ? ibv_cq_ex_to_cq(cqx) : NULL;
}

static struct ibv_wq *create_wq_in(struct ibv_pd *in)
{
	struct ibv_wq_init_attr attr = {
		.wq_type = IBV_WQT_RQ,
		.max_wr = 3,
		.max_sge = 2,
		.pd = in,
		.cq = &cq->verbs_cq.cq,
	};
	struct ibv_wq *wq;

	fake_next_qpn = 2;
	wq = xrdma_create_wq(&ctx->ibv_ctx.context, &attr);
	CHECK(!wq || (attr.max_wr == 4 && attr.max_sge == 3));
	return wq;
}

static struct queues create_queues(struct ibv_pd *in)
{
	struct queues q = {
		.qp = create_qp_in(in),
		.srq = create_srq_in(in),
		.cq = create_cq_in(in),
		.wq = create_wq_in(in),
	};

	CHECK(q.qp && q.srq && q.cq && q.wq);
	return q;
}

static void destroy_queues(struct queues *q)
{
	CHECK(!xrdma_destroy_qp(q->qp) && !xrdma_destroy_srq(q->srq));
	CHECK(!xrdma_destroy_cq(q->cq) && !xrdma_destroy_wq(q->wq));
}

static void check_locks(const struct queues *q, bool elided)
{
	CHECK(to_xqp(q->qp)->sq.lock.elided == elided);
	CHECK(to_xqp(q->qp)->rq.lock.elided == elided);
	CHECK(to_xsrq(q->srq)->wq.lock.elided == elided);
	CHECK(to_xcq(q->cq)->lock.elided == elided);
	CHECK(to_xrwq(q->wq)->qp.rq.lock.elided == elided);
}

static void objects_of_a_thread_domain_take_no_locks(void)
{
	struct ibv_td_init_attr attr = {};
	struct ibv_pd *shared, *single;
	struct ibv_td *td;
	struct queues q;

	begin();
	td = xrdma_alloc_td(&ctx->ibv_ctx.context, &attr);
	CHECK(td && td->context == &ctx->ibv_ctx.context);
	shared = create_parent(NULL, false);
	q = create_queues(shared);
	check_locks(&q, false);
	destroy_queues(&q);
	single = create_parent(td, false);
	q = create_queues(single);
	check_locks(&q, true);
	CHECK(xrdma_dealloc_td(td) == EBUSY);
	destroy_queues(&q);
	CHECK(!xrdma_dealloc_pd(single) && !xrdma_dealloc_pd(shared));
	CHECK(!xrdma_dealloc_td(td));
	attr.comp_mask = 1;
	errno = 0;
	CHECK(!xrdma_alloc_td(&ctx->ibv_ctx.context, &attr));
	CHECK(errno == EOPNOTSUPP);
	end();
}

static void domains_in_use_cannot_be_deallocated(void)
{
	struct ibv_pd *parent;
	struct ibv_srq *srq;
	struct ibv_cq *other;
	struct ibv_wq *wq;
	struct ibv_qp *qp;

	begin();
	parent = create_parent(NULL, false);
	CHECK(xrdma_dealloc_pd(pd) == EBUSY);
	qp = create_qp_in(parent);
	CHECK(xrdma_dealloc_pd(parent) == EBUSY && !xrdma_destroy_qp(qp));
	srq = create_srq_in(parent);
	CHECK(xrdma_dealloc_pd(parent) == EBUSY && !xrdma_destroy_srq(srq));
	other = create_cq_in(parent);
	CHECK(xrdma_dealloc_pd(parent) == EBUSY && !xrdma_destroy_cq(other));
	wq = create_wq_in(parent);
	CHECK(xrdma_dealloc_pd(parent) == EBUSY && !xrdma_destroy_wq(wq));
	CHECK(!xrdma_dealloc_pd(parent));
	end();
}

static void rings_come_from_the_allocator(void)
{
	struct ibv_srq_attr attr = { .max_wr = 300 };
	struct xrdma_cq *other;
	struct ibv_pd *parent;
	struct queues q;

	begin();
	parent = create_parent(NULL, true);
	q = create_queues(parent);
	CHECK(allocated == 4);
	CHECK((void *)to_xqp(q.qp)->buf.addr == arena);
	CHECK(!to_xqp(q.qp)->rec->sq_pi && !to_xqp(q.qp)->rec->sq_event);
	other = to_xcq(q.cq);
	CHECK(!other->ring[0].own && !other->rec->ci);
	/* New rings come from the allocator too, and old ones are freed. */
	fake_resized_cq = &(struct fake_cq) { .rec = other->rec };
	CHECK(!xrdma_resize_cq(q.cq, 300) && other->buf.from_domain);
	CHECK(!xrdma_modify_srq(q.srq, &attr, IBV_SRQ_MAX_WR));
	CHECK(to_xsrq(q.srq)->buf.from_domain && allocated == 4);
	destroy_queues(&q);
	CHECK(!allocated);
	CHECK(!xrdma_dealloc_pd(parent));
	end();
}

static void allocator_may_fail_or_choose_the_default(void)
{
	struct ibv_pd *parent;
	struct queues q;

	begin();
	parent = create_parent(NULL, true);
	forced_answer = IBV_ALLOCATOR_USE_DEFAULT;
	q = create_queues(parent);
	CHECK(!to_xqp(q.qp)->buf.from_domain && to_xqp(q.qp)->buf.addr);
	destroy_queues(&q);
	/* The allocator returns NULL. */
	forced_answer = &forced_answer;
	errno = 0;
	CHECK(!create_qp_in(parent) && errno == ENOMEM);
	CHECK(!create_srq_in(parent) && errno == ENOMEM);
	CHECK(!create_cq_in(parent) && errno == ENOMEM);
	CHECK(!create_wq_in(parent) && errno == ENOMEM);
	forced_answer = NULL;
	fake_create_error = ENOSPC;
	CHECK(!create_qp_in(parent) && !create_srq_in(parent));
	CHECK(!create_cq_in(parent) && !create_wq_in(parent));
	CHECK(!allocated);
	fake_create_error = 0;
	CHECK(!xrdma_dealloc_pd(parent));
	end();
}

static void refuse_parent(struct ibv_parent_domain_init_attr attr, int error)
{
	errno = 0;
	CHECK(!xrdma_alloc_parent_domain(&ctx->ibv_ctx.context, &attr));
	CHECK(errno == error);
}

static void wrong_parents_are_refused(void)
{
	struct ibv_pd *parent;

	begin();
	parent = create_parent(NULL, false);
	refuse_parent((struct ibv_parent_domain_init_attr) {}, EINVAL);
	refuse_parent((struct ibv_parent_domain_init_attr) {
		.pd = parent }, EINVAL);
	refuse_parent((struct ibv_parent_domain_init_attr) {
		.pd = pd, .comp_mask = 4 }, EOPNOTSUPP);
	refuse_parent((struct ibv_parent_domain_init_attr) {
		.pd = pd, .alloc = arena_alloc,
		.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS }, EINVAL);
	CHECK(!xrdma_dealloc_pd(parent));
	end();
}

/* ---- receive side scaling ------------------------------------------------ */

static int post_wq(struct ibv_wq *wq, int num)
{
	struct ibv_recv_wr *bad, wr[8] = {};
	int i;

	for (i = 0; i < num; i++)
		wr[i].next = i + 1 < num ? &wr[i + 1] : NULL;
	return wq->post_recv(wq, wr, &bad);
}

static void work_queue_receives(void)
{
	struct ibv_wq_attr attr = { .attr_mask = IBV_WQ_ATTR_STATE };
	struct xrdma_cqe cqe = { .qpn = htole32(2), .opcode = XRDMA_OP_RECV };
	struct ibv_wc wc[8];
	struct ibv_wq *wq;
	struct fake_qp dev;
	int i;

	begin();
	wq = create_wq_in(pd);
	dev = fake_last_qp;
	CHECK(post_wq(wq, 1) == EINVAL);
	attr.wq_state = IBV_WQS_RDY;
	CHECK(!xrdma_modify_wq(wq, &attr));
	CHECK(post_wq(wq, 5) == ENOMEM && le32toh(dev.rec->rq_pi) == 4);
	for (i = 0; i < 4; i++)
		CHECK(fake_next_recv(&dev));
	CHECK(post_wq(wq, 1) == ENOMEM);
	for (i = 0; i < 4; i++)
		fake_write_cqe(&dev_cq, &cqe);
	CHECK(xrdma_poll_cq(&cq->verbs_cq.cq, 3, wc) == 3 && wc[0].qp_num == 2);
	CHECK(!post_wq(wq, 3) && post_wq(wq, 1) == ENOMEM);

	/* RESET removes the completion that was not polled. */
	attr.wq_state = IBV_WQS_RESET;
	CHECK(!xrdma_modify_wq(wq, &attr));
	CHECK(!xrdma_poll_cq(&cq->verbs_cq.cq, 8, wc));
	CHECK(!dev.rec->rq_pi && post_wq(wq, 1) == EINVAL);
	attr.wq_state = IBV_WQS_RDY;
	CHECK(!xrdma_modify_wq(wq, &attr) && !post_wq(wq, 4));
	fake_write_cqe(&dev_cq, &cqe);
	CHECK(!xrdma_destroy_wq(wq));
	CHECK(!xrdma_poll_cq(&cq->verbs_cq.cq, 8, wc));
	end();
}

static void refuse_wq(struct ibv_wq_init_attr attr, int error)
{
	attr.pd = pd;
	attr.cq = &cq->verbs_cq.cq;
	errno = 0;
	CHECK(!xrdma_create_wq(&ctx->ibv_ctx.context, &attr));
	CHECK(errno == error);
}

static void unsupported_work_queues_are_refused(void)
{
	begin();
	refuse_wq((struct ibv_wq_init_attr) {
		.wq_type = IBV_WQT_RQ }, EINVAL);
	refuse_wq((struct ibv_wq_init_attr) {
		.wq_type = IBV_WQT_RQ + 1, .max_wr = 1 }, EINVAL);
	refuse_wq((struct ibv_wq_init_attr) {
		.wq_type = IBV_WQT_RQ, .max_wr = 65537 }, EINVAL);
	refuse_wq((struct ibv_wq_init_attr) {
		.wq_type = IBV_WQT_RQ, .max_wr = 1,
		.comp_mask = IBV_WQ_INIT_ATTR_FLAGS,
		.create_flags = IBV_WQ_FLAGS_CVLAN_STRIPPING }, EOPNOTSUPP);
	refuse_wq((struct ibv_wq_init_attr) {
		.wq_type = IBV_WQT_RQ, .max_wr = 1,
		.comp_mask = IBV_WQ_INIT_ATTR_RESERVED }, EOPNOTSUPP);
	end();
}

static uint8_t hash_key[40] = "forty bytes that the hash begins with";

static struct ibv_qp_init_attr_ex rss_attr(struct ibv_rwq_ind_table *table)
{
	return (struct ibv_qp_init_attr_ex) {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
			     IBV_QP_INIT_ATTR_RX_HASH |
			     IBV_QP_INIT_ATTR_CREATE_FLAGS,
		.pd = pd,
		.rwq_ind_tbl = table,
		.rx_hash_conf = {
			.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
			.rx_hash_key_len = 40,
			.rx_hash_key = hash_key,
			.rx_hash_fields_mask = IBV_RX_HASH_SRC_IPV4,
		},
	};
}

static void wrong_hashes_are_refused(struct ibv_rwq_ind_table *table)
{
	struct ibv_qp_init_attr_ex attr;

	attr = rss_attr(table);
	attr.rx_hash_conf.rx_hash_key_len = 39;
	refuse_qp(attr, EINVAL);
	attr = rss_attr(table);
	attr.rx_hash_conf.rx_hash_function = 2;
	refuse_qp(attr, EOPNOTSUPP);
	attr = rss_attr(table);
	attr.comp_mask &= ~IBV_QP_INIT_ATTR_RX_HASH;
	refuse_qp(attr, EINVAL);
	attr = rss_attr(table);
	attr.qp_type = IBV_QPT_RC;
	refuse_qp(attr, EINVAL);
	attr = rss_attr(table);
	attr.cap.max_send_wr = 1;
	refuse_qp(attr, EINVAL);
}

static void queue_pair_with_an_indirection_table(void)
{
	struct ibv_rwq_ind_table_init_attr init = {};
	struct ibv_recv_wr *bad_recv, recv = {};
	struct ibv_send_wr *bad, wr = {};
	struct ibv_rwq_ind_table *table;
	struct ibv_qp_init_attr_ex attr;
	struct ibv_flow_attr rule = {};
	struct ibv_flow *flow;
	struct ibv_qp *qp;

	begin();
	table = xrdma_create_rwq_ind_table(&ctx->ibv_ctx.context, &init);
	CHECK(table && fake_objects == 2);
	attr = rss_attr(table);
	qp = xrdma_create_qp_ex(&ctx->ibv_ctx.context, &attr);
	CHECK(qp && fake_last_attr.rwq_ind_tbl == table);
	CHECK(fake_last_rss.fields == IBV_RX_HASH_SRC_IPV4);
	CHECK(fake_last_rss.function == 1 && fake_last_rss.key_len == 40);
	CHECK(!memcmp(fake_last_rss.key, hash_key, 40));
	CHECK(!attr.cap.max_recv_wr && !attr.cap.max_send_wr);
	qp->state = IBV_QPS_RTS;
	CHECK(xrdma_post_recv(qp, &recv, &bad_recv) == EINVAL);
	CHECK(xrdma_post_send(qp, &wr, &bad));
	flow = xrdma_create_flow(qp, &rule);
	CHECK(flow && fake_objects == 3);
	CHECK(!xrdma_destroy_flow(flow));
	CHECK(!xrdma_destroy_qp(qp));
	wrong_hashes_are_refused(table);
	CHECK(!xrdma_destroy_rwq_ind_table(table));
	end();
}

static const struct test tests[] = {
	TEST(objects_of_a_thread_domain_take_no_locks),
	TEST(domains_in_use_cannot_be_deallocated),
	TEST(rings_come_from_the_allocator),
	TEST(allocator_may_fail_or_choose_the_default),
	TEST(wrong_parents_are_refused),
	TEST(work_queue_receives),
	TEST(unsupported_work_queues_are_refused),
	TEST(queue_pair_with_an_indirection_table),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
