// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of single requests and completions: entries are compared with the
 * golden bytes of the device specification, and invalid requests are refused.
 * Operations that only some types of queue pairs have are in types_test.c.
 * Prints TAP.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ccan/array_size.h>

#include "golden_bytes.h"
#include "setup.h"

#define DEPTH	16

static struct pair *const pair = &pairs[0];
static struct ibv_qp *ibqp;
static struct ibv_qp_ex *qpx;

/*
 * The region and the window of the golden bytes, and the attributes of a bind.
 */
static struct ibv_mr mr;
static struct ibv_mw mw;
static struct ibv_mw_bind_info info;

static void begin(void)
{
	setup(true, DEPTH);
	create_pair(pair, 0xabcde, DEPTH);
	ibqp = &pair->qp->verbs_qp.qp;
	qpx = ibv_qp_to_qp_ex(ibqp);
	CHECK(qpx);
	mr = (struct ibv_mr) { .lkey = 0x1122335a };
	mw = (struct ibv_mw) { .rkey = 0x445566a5, .type = IBV_MW_TYPE_2 };
	info = (struct ibv_mw_bind_info) {
		.mr = &mr,
		.addr = 0x7f0012346000,
		.length = 4096,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ,
	};
}

/* The only entry that is posted; check that a doorbell was rung for it. */
static struct xrdma_sq_wqe *posted_entry(void)
{
	struct xrdma_sq_wqe *wqe;

	CHECK(fake_take_doorbell() ==
	      xrdma_make_sq_db(pair->dev.qpn, pair->qp->sq.pi));
	pair->dev.asleep = false;
	wqe = fake_next_send(&pair->dev);
	CHECK(wqe && !fake_next_send(&pair->dev));
	fake_sleep(&pair->dev);
	return wqe;
}

static void check_nothing_posted(void)
{
	CHECK(fake_take_doorbell() == FAKE_NO_DOORBELL);
	CHECK(le32toh(pair->dev.rec->sq_pi) == pair->dev.sq_ci);
	CHECK(pair->qp->sq.pi == pair->dev.sq_ci);
}

static int post(struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad = NULL;
	int err = xrdma_post_send(ibqp, wr, &bad);

	CHECK(!err == !bad);
	return err;
}

/* ---- golden bytes ------------------------------------------------------ */

static void golden_write_imm(void)
{
	struct ibv_sge sge[2] = { { 0x7f0012345678, 65536, 0x1122335a } };
	struct ibv_send_wr wr = {
		.wr_id = 0x0123456789abcdef,
		.sg_list = sge,
		.num_sge = 2,
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED,
		.imm_data = htobe32(0xdeadbeef),
		.wr.rdma = { 0x7f0099990000, 0x4455667e },
	};
	struct xrdma_sq_wqe *wqe;

	begin();
	CHECK(!post(&wr));
	wqe = posted_entry();
	CHECK_BYTES(wqe, xrdma_golden_wqe_write_imm);
	CHECK_BYTES(wqe + 1, xrdma_golden_sge);

	ibv_wr_start(qpx);
	qpx->wr_id = wr.wr_id;
	qpx->wr_flags = wr.send_flags;
	ibv_wr_rdma_write_imm(qpx, 0x4455667e, 0x7f0099990000, wr.imm_data);
	ibv_wr_set_sge_list(qpx, 2, sge);
	CHECK(!ibv_wr_complete(qpx));
	wqe = posted_entry();
	CHECK_BYTES(wqe, xrdma_golden_wqe_write_imm);
	CHECK_BYTES(wqe + 1, xrdma_golden_sge);
	teardown();
}

static void golden_bind(void)
{
	struct ibv_send_wr wr = {
		.wr_id = 9,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct xrdma_sq_wqe *wqe;

	begin();
	wr.bind_mw.mw = &mw;
	wr.bind_mw.rkey = 0x44556601;
	wr.bind_mw.bind_info = info;
	CHECK(!post(&wr));
	CHECK(mw.rkey == 0x44556601);
	wqe = posted_entry();
	CHECK_BYTES(wqe, xrdma_golden_wqe_bind_mw);
	CHECK_BYTES(wqe + 1, xrdma_golden_bind_seg);

	mw.rkey = 0x445566a5;
	ibv_wr_start(qpx);
	qpx->wr_id = 9;
	qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_bind_mw(qpx, &mw, 0x44556601, &info);
	CHECK(!ibv_wr_complete(qpx));
	CHECK(mw.rkey == 0x44556601);
	wqe = posted_entry();
	CHECK_BYTES(wqe, xrdma_golden_wqe_bind_mw);
	CHECK_BYTES(wqe + 1, xrdma_golden_bind_seg);
	teardown();
}

static void golden_local_inv(void)
{
	struct ibv_send_wr wr = {
		.wr_id = 10,
		.opcode = IBV_WR_LOCAL_INV,
		.send_flags = IBV_SEND_FENCE,
		.invalidate_rkey = 0x44556601,
		/* The operation has no payload: num_sge is ignored. */
		.sg_list = NULL,
		.num_sge = 1,
	};

	begin();
	CHECK(!post(&wr));
	CHECK_BYTES(posted_entry(), xrdma_golden_wqe_local_inv);

	ibv_wr_start(qpx);
	qpx->wr_id = 10;
	qpx->wr_flags = IBV_SEND_FENCE;
	ibv_wr_local_inv(qpx, 0x44556601);
	CHECK(!ibv_wr_complete(qpx));
	CHECK_BYTES(posted_entry(), xrdma_golden_wqe_local_inv);
	teardown();
}

static void golden_recv_inv(void)
{
	struct ibv_cq_ex *cqx;
	struct ibv_poll_cq_attr attr = {};
	const void *golden = xrdma_golden_cqe_recv_inv;
	struct ibv_wc wc;

	begin();
	fake_write_cqe(&dev_cq, golden);
	CHECK(!memcmp(&dev_cq.ring[0], golden, sizeof(struct xrdma_cqe)));
	CHECK(xrdma_poll_cq(&cq->verbs_cq.cq, 1, &wc) == 1);
	CHECK(wc.status == IBV_WC_SUCCESS && wc.opcode == IBV_WC_RECV);
	CHECK(wc.wr_id == 11 && wc.byte_len == 16 && wc.qp_num == 0xabcde);
	CHECK(wc.wc_flags == IBV_WC_WITH_INV);
	CHECK(wc.invalidated_rkey == 0x44556601);

	cqx = &cq->verbs_cq.cq_ex;
	fake_write_cqe(&dev_cq, golden);
	CHECK(!ibv_start_poll(cqx, &attr));
	CHECK(cqx->status == IBV_WC_SUCCESS && cqx->wr_id == 11);
	CHECK(ibv_wc_read_opcode(cqx) == IBV_WC_RECV);
	CHECK(ibv_wc_read_wc_flags(cqx) == IBV_WC_WITH_INV);
	CHECK(ibv_wc_read_invalidated_rkey(cqx) == 0x44556601);
	CHECK(ibv_wc_read_completion_ts(cqx) == 5000000);
	ibv_end_poll(cqx);
	teardown();
}

/* ---- windows ----------------------------------------------------------- */

static void type_1_gets_another_key_with_each_bind(void)
{
	struct ibv_mw_bind bind = { .wr_id = 1 };
	struct xrdma_bind_seg *seg;
	struct xrdma_sq_wqe *wqe;
	uint32_t key;
	int i;

	begin();
	mw.type = IBV_MW_TYPE_1;
	bind.bind_info = info;
	for (i = 0; i < 600; i++) {
		key = mw.rkey;
		CHECK(!xrdma_bind_mw(ibqp, &mw, &bind));
		CHECK(mw.rkey != key && mw.rkey >> 8 == key >> 8);
		wqe = posted_entry();
		seg = (void *)(wqe + 1);
		CHECK(wqe->opcode == XRDMA_OP_BIND_MW && !wqe->flags);
		CHECK(le32toh(wqe->inv_key) == key);
		CHECK(le32toh(seg->new_key) == mw.rkey);
		atomic_store(&pair->qp->sq.ci, pair->qp->sq.pi);
	}
	teardown();
}

static void unbind(struct ibv_mr *region)
{
	struct ibv_mw_bind bind = { .bind_info = info };
	struct xrdma_bind_seg *seg, empty = {};

	bind.bind_info.mr = region;
	bind.bind_info.length = 0;
	CHECK(!xrdma_bind_mw(ibqp, &mw, &bind));
	seg = (void *)(posted_entry() + 1);
	CHECK(le32toh(seg->new_key) == mw.rkey);
	seg->new_key = 0;
	CHECK(!memcmp(seg, &empty, sizeof(empty)));
}

static void length_0_unbinds_type_1(void)
{
	begin();
	mw.type = IBV_MW_TYPE_1;
	unbind(&mr);
	unbind(NULL);
	teardown();
}

static void refuse_bind(int error)
{
	uint32_t key = mw.rkey;
	struct ibv_mw_bind bind = { .bind_info = info };
	struct ibv_send_wr wr = { .opcode = IBV_WR_BIND_MW };

	mw.type = IBV_MW_TYPE_1;
	CHECK(xrdma_bind_mw(ibqp, &mw, &bind) == error && mw.rkey == key);

	mw.type = IBV_MW_TYPE_2;
	wr.bind_mw.mw = &mw;
	wr.bind_mw.rkey = key + 1;
	wr.bind_mw.bind_info = info;
	CHECK(post(&wr) == error && mw.rkey == key);

	ibv_wr_start(qpx);
	qpx->wr_flags = 0;
	ibv_wr_bind_mw(qpx, &mw, key + 1, &info);
	CHECK(ibv_wr_complete(qpx) == error && mw.rkey == key);
}

static void wrong_binds_are_refused(void)
{
	struct ibv_mw_bind bind = { .bind_info = { .mr = &mr } };
	struct ibv_send_wr wr = { .opcode = IBV_WR_BIND_MW };
	static const unsigned int unknown[] = {
		IBV_ACCESS_MW_BIND, IBV_ACCESS_ON_DEMAND, IBV_ACCESS_HUGETLB,
		IBV_ACCESS_FLUSH_GLOBAL, 1U << 11, 1U << 31,
	};
	int i;

	begin();
	for (i = 0; i < ARRAY_SIZE(unknown); i++) {
		info.mw_access_flags = unknown[i];
		refuse_bind(EINVAL);
	}
	info.mw_access_flags = 0;
	info.mr = NULL;
	refuse_bind(EINVAL);

	/* Type 1 is bound by ibv_bind_mw(), type 2 by requests. */
	mw.type = IBV_MW_TYPE_2;
	CHECK(xrdma_bind_mw(ibqp, &mw, &bind) == EINVAL);
	mw.type = IBV_MW_TYPE_1;
	wr.bind_mw.mw = &mw;
	wr.bind_mw.bind_info.mr = &mr;
	CHECK(post(&wr) == EINVAL);
	ibv_wr_start(qpx);
	ibv_wr_bind_mw(qpx, &mw, 1, &wr.bind_mw.bind_info);
	CHECK(ibv_wr_complete(qpx) == EINVAL);
	bind.send_flags = IBV_SEND_INLINE;
	CHECK(xrdma_bind_mw(ibqp, &mw, &bind) == EINVAL);
	CHECK(mw.rkey == 0x445566a5);
	check_nothing_posted();

	/* The send queue is full. */
	info.mr = &mr;
	atomic_store(&pair->qp->sq.ci, pair->qp->sq.pi - DEPTH);
	refuse_bind(ENOMEM);
	check_nothing_posted();
	teardown();
}

/* ---- batches ----------------------------------------------------------- */

static void rebind(bool keep)
{
	struct xrdma_sq_wqe *wqe;

	mw.rkey = 0x100;
	ibv_wr_start(qpx);
	qpx->wr_flags = 0;
	ibv_wr_bind_mw(qpx, &mw, 0x101, &info);
	ibv_wr_local_inv(qpx, 0x101);
	ibv_wr_bind_mw(qpx, &mw, 0x102, &info);
	if (!keep) {
		ibv_wr_abort(qpx);
		CHECK(mw.rkey == 0x100);
		check_nothing_posted();
		return;
	}
	CHECK(!ibv_wr_complete(qpx) && mw.rkey == 0x102);
	CHECK(fake_take_doorbell() ==
	      xrdma_make_sq_db(pair->dev.qpn, pair->qp->sq.pi));
	pair->dev.asleep = false;
	wqe = fake_next_send(&pair->dev);
	CHECK(le32toh(wqe->inv_key) == 0x100);
	wqe = fake_next_send(&pair->dev);
	CHECK(wqe->opcode == XRDMA_OP_LOCAL_INV);
	wqe = fake_next_send(&pair->dev);
	CHECK(le32toh(wqe->inv_key) == 0x101);
}

static void aborted_batch_leaves_keys_as_they_were(void)
{
	begin();
	rebind(false);
	rebind(true);
	teardown();
}

static void empty_batch_posts_nothing(void)
{
	begin();
	ibv_wr_start(qpx);
	CHECK(!ibv_wr_complete(qpx));
	ibv_wr_start(qpx);
	ibv_wr_abort(qpx);
	check_nothing_posted();
	teardown();
}

/* Check that a batch fails: a valid request, then the given calls. */
#define REFUSED(error, ...)						\
	do {								\
		qpx->wr_flags = 0;					\
		ibv_wr_start(qpx);					\
		ibv_wr_send(qpx);					\
		ibv_wr_set_sge(qpx, 1, 2, 3);				\
		__VA_ARGS__;						\
		ibv_wr_send(qpx);					\
		CHECK(ibv_wr_complete(qpx) == (error));			\
		check_nothing_posted();					\
	} while (0)

static void fill_queue(void)
{
	int i;

	/* REFUSED() has posted one request. */
	for (i = 1; i < DEPTH; i++)
		ibv_wr_send(qpx);
}

static void wrong_batches_post_nothing(void)
{
	struct ibv_sge sge[WORK_MAX_SGE + 1] = {};
	uint8_t bytes[WORK_MAX_INLINE + 1] = {};
	struct ibv_data_buf list[2] = { { bytes, 1 }, { bytes, SIZE_MAX } };

	begin();
	/* two payloads, or a payload of an operation that has none */
	REFUSED(EINVAL, ibv_wr_set_sge(qpx, 1, 2, 3));
	REFUSED(EINVAL, ibv_wr_local_inv(qpx, 1);
		ibv_wr_set_sge(qpx, 1, 2, 3));
	REFUSED(EINVAL, ibv_wr_send(qpx);
		ibv_wr_local_inv(qpx, 1);
		ibv_wr_set_sge(qpx, 1, 2, 3));
	REFUSED(EINVAL, ibv_wr_bind_mw(qpx, &mw, 1, &info);
		ibv_wr_set_inline_data(qpx, bytes, 1));
	CHECK(mw.rkey == 0x445566a5);
	/* a payload that does not fit */
	REFUSED(EINVAL, ibv_wr_send(qpx);
		ibv_wr_set_sge_list(qpx, pair->qp->sq.max_sge + 1, sge));
	REFUSED(EINVAL, ibv_wr_send(qpx);
		ibv_wr_set_inline_data(qpx, bytes, pair->qp->max_inline + 1));
	REFUSED(EINVAL, ibv_wr_send(qpx);
		ibv_wr_set_inline_data_list(qpx, 2, list));
	REFUSED(EINVAL, ibv_wr_atomic_fetch_add(qpx, 1, 2, 3);
		ibv_wr_set_sge_list(qpx, 2, sge));
	/* inline data of an operation that cannot have it */
	REFUSED(EINVAL, ibv_wr_rdma_read(qpx, 1, 2);
		ibv_wr_set_inline_data(qpx, bytes, 1));
	REFUSED(EINVAL, ibv_wr_atomic_cmp_swp(qpx, 1, 2, 3, 4);
		ibv_wr_set_inline_data(qpx, bytes, 8));
	REFUSED(EINVAL, qpx->wr_flags = IBV_SEND_IP_CSUM);
	REFUSED(ENOMEM, fill_queue());

	ibv_wr_start(qpx);
	ibv_wr_set_sge(qpx, 1, 2, 3);
	CHECK(ibv_wr_complete(qpx) == EINVAL);
	check_nothing_posted();

	/* The next batch is not affected. */
	ibv_wr_start(qpx);
	qpx->wr_flags = 0;
	ibv_wr_send(qpx);
	CHECK(!ibv_wr_complete(qpx));
	CHECK(!posted_entry()->num_sge);
	teardown();
}

/*
 * IBV_SEND_INLINE in wr_flags is ignored: some applications copy the flags of
 * struct ibv_send_wr.
 */
static void setter_decides_what_is_inline(void)
{
	struct xrdma_sq_wqe *wqe;
	uint8_t byte = 7;

	begin();
	ibv_wr_start(qpx);
	qpx->wr_flags = IBV_SEND_INLINE;
	ibv_wr_send(qpx);
	ibv_wr_set_sge(qpx, 1, 2, 3);
	CHECK(!ibv_wr_complete(qpx));
	CHECK(!posted_entry()->flags);
	ibv_wr_start(qpx);
	qpx->wr_flags = 0;
	ibv_wr_send(qpx);
	ibv_wr_set_inline_data(qpx, &byte, 1);
	CHECK(!ibv_wr_complete(qpx));
	wqe = posted_entry();
	CHECK(wqe->flags == XRDMA_WQE_INLINE && le16toh(wqe->num_sge) == 1);
	CHECK(*(uint8_t *)(wqe + 1) == 7);
	teardown();
}

/* ---- struct ibv_send_wr ------------------------------------------------ */

static void wrong_requests_are_refused(void)
{
	struct ibv_sge sge[WORK_MAX_SGE + 1] = {};
	struct ibv_recv_wr *bad_recv, recv = { .sg_list = sge };
	struct ibv_send_wr *bad, first = { .sg_list = sge };
	struct ibv_send_wr second = { .sg_list = sge };

	begin();
	first.next = &second;
	first.opcode = IBV_WR_SEND;
	second.opcode = IBV_WR_TSO;
	CHECK(xrdma_post_send(ibqp, &first, &bad) == EINVAL && bad == &second);
	posted_entry();

	second.opcode = IBV_WR_FLUSH;
	CHECK(post(&second) == EINVAL);
	second.opcode = IBV_WR_RDMA_READ;
	second.send_flags = IBV_SEND_INLINE;
	CHECK(post(&second) == EINVAL);
	second.opcode = IBV_WR_LOCAL_INV;
	CHECK(post(&second) == EINVAL);
	second.opcode = IBV_WR_SEND;
	second.send_flags = IBV_SEND_IP_CSUM;
	CHECK(post(&second) == EINVAL);
	second.send_flags = IBV_SEND_INLINE;
	second.num_sge = 2;
	sge[0].addr = (uintptr_t)sge;
	sge[0].length = 1;
	sge[1].length = UINT32_MAX;
	CHECK(post(&second) == EINVAL);
	second.send_flags = 0;
	second.num_sge = pair->qp->sq.max_sge + 1;
	CHECK(post(&second) == EINVAL);
	second.num_sge = -1;
	CHECK(post(&second) == EINVAL);
	second.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	second.num_sge = 2;
	CHECK(post(&second) == EINVAL);
	check_nothing_posted();

	recv.num_sge = pair->qp->rq.max_sge + 1;
	CHECK(xrdma_post_recv(ibqp, &recv, &bad_recv) == EINVAL);
	recv.num_sge = -1;
	CHECK(xrdma_post_recv(ibqp, &recv, &bad_recv) == EINVAL);
	CHECK(le32toh(pair->dev.rec->rq_pi) == 0);
	teardown();
}

/* ---- struct ibv_cq_ex -------------------------------------------------- */

static void completion_is_consumed_before_it_is_read(void)
{
	struct ibv_poll_cq_attr wrong = { .comp_mask = 1 }, attr = {};
	struct ibv_cq_ex *cqx;
	struct xrdma_cqe cqe = { .qpn = htole32(0xabcde), .opcode = 5 };

	begin();
	cqx = &cq->verbs_cq.cq_ex;
	CHECK(ibv_start_poll(cqx, &wrong) == EINVAL);
	CHECK(ibv_start_poll(cqx, &attr) == ENOENT);
	CHECK(ibv_start_poll(cqx, &attr) == ENOENT);
	fake_write_cqe(&dev_cq, &cqe);
	fake_write_cqe(&dev_cq, &cqe);
	CHECK(!ibv_start_poll(cqx, &attr));
	CHECK(le32toh(dev_cq.rec->ci) == 1);
	/* The device may overwrite a consumed entry. */
	memset(&dev_cq.ring[0], 0xa5, sizeof(cqe));
	CHECK(ibv_wc_read_qp_num(cqx) == 0xabcde);
	CHECK(ibv_wc_read_opcode(cqx) == IBV_WC_RDMA_WRITE);
	CHECK(!ibv_wc_read_wc_flags(cqx) && !ibv_wc_read_imm_data(cqx));
	CHECK(!ibv_next_poll(cqx));
	CHECK(le32toh(dev_cq.rec->ci) == 2);
	CHECK(ibv_next_poll(cqx) == ENOENT);
	ibv_end_poll(cqx);
	CHECK(le32toh(dev_cq.rec->ci) == 2);
	CHECK(ibv_start_poll(cqx, &attr) == ENOENT);
	teardown();
}

static const struct test tests[] = {
	TEST(golden_write_imm),
	TEST(golden_bind),
	TEST(golden_local_inv),
	TEST(golden_recv_inv),
	TEST(type_1_gets_another_key_with_each_bind),
	TEST(length_0_unbinds_type_1),
	TEST(wrong_binds_are_refused),
	TEST(aborted_batch_leaves_keys_as_they_were),
	TEST(empty_batch_posts_nothing),
	TEST(wrong_batches_post_nothing),
	TEST(setter_decides_what_is_inline),
	TEST(wrong_requests_are_refused),
	TEST(completion_is_consumed_before_it_is_read),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}

/* The same as in libibverbs, which is not linked. */
struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	struct verbs_qp *vqp = container_of(qp, struct verbs_qp, qp);

	return vqp->comp_mask & VERBS_QP_EX ? &vqp->qp_ex : NULL;
}
