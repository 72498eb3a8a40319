// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of work queues: producer indexes, malformed entries, completions.
 */
#include <errno.h>
#include <string.h>

#include "tests/lib/core_env.h"

static struct {
	struct core_env *env;
	struct core_qp cqp;
	u8 wqe[MODEL_WQE_MAX] __attribute__((aligned(8)));
} t;

static int setup(void **state)
{
	t.env = core_setup_qp(state, &t.cqp);
	return 0;
}

static void fatal_event(bool user)
{
	assert_int_equal(t.cqp.qp->state, XRDMA_QPS_ERR);
	assert_int_equal(core_eqe(t.env, 0, 0)->event, XRDMA_EVENT_QP_FATAL);
	assert_int_equal(le32_to_cpu(core_eqe(t.env, 0, 0)->number), 5);
	assert_null(core_eqe(t.env, 0, 1));
	assert_int_equal(t.env->dev->user_errors, user);
	/* no entry is completed, whatever the index is later */
	t.cqp.rec->sq_pi = cpu_to_le32(3);
	core_ring(t.env, 3, 5);
	core_run_ms(t.env, 5);
	assert_null(core_cqe(t.env, 1, 0));
}

static void sends_complete_in_order(void **state)
{
	unsigned int i;

	(void)state;
	core_post_send(&t.cqp, 0, 100);
	for (i = 1; i < 16; i++)
		core_post_send(&t.cqp, i % 3 ? 0 : XRDMA_WQE_SIGNALED, 100 + i);
	for (i = 0; i < 16; i++)
		model_device_poll(t.env->dev);
	for (i = 0; i < 5; i++) {
		assert_int_equal(le64_to_cpu(core_cqe(t.env, 1, i)->wr_id),
				 103 + 3 * i);
		assert_int_equal(le16_to_cpu(core_cqe(t.env, 1, i)->wqe_index),
				 3 + 3 * i);
		assert_int_equal(le16_to_cpu(core_cqe(t.env, 1, i)->flags),
				 XRDMA_CQE_SEND);
		assert_int_equal(le32_to_cpu(core_cqe(t.env, 1, i)->qpn), 5);
	}
	assert_null(core_cqe(t.env, 1, 5));
	assert_int_equal(t.cqp.qp->sq.ci, 16);
}

static void sig_all_signals_all(void **state)
{
	(void)state;
	t.cqp.qp->flags |= XRDMA_QP_SQ_SIG_ALL;
	core_post_send(&t.cqp, 0, 1);
	model_device_poll(t.env->dev);
	assert_non_null(core_cqe(t.env, 1, 0));
}

static void an_index_that_runs_ahead_is_fatal(void **state)
{
	(void)state;
	t.cqp.rec->sq_pi = cpu_to_le32(17);
	model_device_poll(t.env->dev);
	fatal_event(true);
}

static void an_index_that_goes_back_is_fatal(void **state)
{
	(void)state;
	mock_wire.hold = true;
	core_post_send(&t.cqp, 0, 1);
	core_post_send(&t.cqp, 0, 2);
	model_device_poll(t.env->dev);
	t.cqp.rec->sq_pi = cpu_to_le32(1);
	model_device_poll(t.env->dev);
	fatal_event(true);
}

static void a_kernel_index_is_a_host_error(void **state)
{
	(void)state;
	t.cqp.qp->flags |= XRDMA_QP_KERNEL;
	t.cqp.rec->sq_pi = cpu_to_le32(-1);
	model_device_poll(t.env->dev);
	core_expect(t.env, MODEL_HERR_WQ_INDEX, 1);
	fatal_event(false);
}

static void receives_are_taken_in_order(void **state)
{
	struct model_recv_done done = {
		.opcode = XRDMA_OP_RECV,
		.flags = XRDMA_CQE_IMM | XRDMA_CQE_SOLICITED,
		.byte_len = 1000,
		.imm = cpu_to_be32(0xdeadbeef),
	};
	const struct xrdma_rq_wqe *wqe = (void *)t.wqe;
	const struct xrdma_cqe *cqe;

	(void)state;
	assert_int_equal(model_qp_read_rq(t.cqp.qp, t.wqe), -EAGAIN);
	core_post_recv(&t.cqp, 50);
	core_post_recv(&t.cqp, 51);
	assert_int_equal(model_qp_read_rq(t.cqp.qp, t.wqe), 0);
	assert_int_equal(le64_to_cpu(wqe->wr_id), 50);
	assert_int_equal(model_qp_read_rq(t.cqp.qp, t.wqe), 0);
	assert_int_equal(le64_to_cpu(wqe->wr_id), 50);
	done.wr_id = wqe->wr_id;
	model_qp_complete_recv(t.cqp.qp, &done);
	assert_int_equal(model_qp_read_rq(t.cqp.qp, t.wqe), 0);
	assert_int_equal(le64_to_cpu(wqe->wr_id), 51);
	cqe = core_cqe(t.env, 2, 0);
	assert_int_equal(le64_to_cpu(cqe->wr_id), 50);
	assert_int_equal(le32_to_cpu(cqe->byte_len), 1000);
	assert_int_equal(be32_to_cpu(cqe->imm), 0xdeadbeef);
	assert_int_equal(cqe->status, 0);
}

static void a_receive_index_that_runs_ahead_is_fatal(void **state)
{
	(void)state;
	t.cqp.rec->rq_pi = cpu_to_le32(17);
	assert_int_equal(model_qp_read_rq(t.cqp.qp, t.wqe), -EFAULT);
	fatal_event(true);
}

static void a_malformed_receive_completes_in_error(void **state)
{
	struct xrdma_rq_wqe *wqe = (void *)t.cqp.rq;

	(void)state;
	core_post_recv(&t.cqp, 50);
	core_post_recv(&t.cqp, 51);
	wqe->num_sge = cpu_to_le16(4); /* 16 + 4 * 16 bytes do not fit 64 */
	assert_int_equal(model_qp_read_rq(t.cqp.qp, t.wqe), -EFAULT);
	assert_int_equal(core_cqe(t.env, 2, 0)->status,
			 XRDMA_WC_LOC_QP_OP_ERR);
	assert_int_equal(core_cqe(t.env, 2, 1)->status, XRDMA_WC_WR_FLUSH_ERR);
	assert_int_equal(t.cqp.qp->state, XRDMA_QPS_ERR);
}

static void reserved_fields_of_a_receive(void **state)
{
	struct xrdma_rq_wqe *wqe = (void *)t.cqp.rq;

	(void)state;
	core_post_recv(&t.cqp, 50);
	wqe->num_sge = cpu_to_le16(3);
	assert_int_equal(model_qp_read_rq(t.cqp.qp, t.wqe), 0);
	wqe->reserved[2] = 1;
	assert_int_equal(model_qp_read_rq(t.cqp.qp, t.wqe), -EFAULT);
}

/* A receive entry that crosses a page boundary is read completely. */
static void entries_may_cross_pages(void **state)
{
	struct xrdma_cmd cmd = core_make_qp(t.env, 6);
	u64 addr = core_alloc(t.env, 0x8000, 0x8000);
	struct xrdma_qp_rec *rec;
	struct xrdma_rq_wqe *wqe;
	struct xrdma_sge *sge;
	u64 off = 3 * 1024;

	(void)state;
	memset(core_ptr(t.env, addr), 0, 0x8000);
	cmd.create_qp.root = cpu_to_le64(xrdma_make_root(addr, 0, 15));
	cmd.create_qp.log_sq_depth = 0;
	cmd.create_qp.log_rq_stride = 10;
	assert_int_equal(core_status(t.env, cmd), XRDMA_CMD_OK);
	rec = core_ptr(t.env, addr + xrdma_qp_rec_offset(0, 1, 4, 10));
	wqe = core_ptr(t.env, addr + off);
	wqe->num_sge = cpu_to_le16(30);
	sge = (struct xrdma_sge *)(wqe + 1);
	sge[29].lkey = cpu_to_le32(0x12345678);
	rec->rq_pi = cpu_to_le32(4);
	model_qp_get(t.env->dev, 6)->rq.ci = 3;
	model_qp_get(t.env->dev, 6)->rq.pi = 3;
	assert_int_equal(model_qp_read_rq(model_qp_get(t.env->dev, 6), t.wqe),
			 0);
	sge = (struct xrdma_sge *)(t.wqe + sizeof(*wqe));
	assert_int_equal(le32_to_cpu(sge[29].lkey), 0x12345678);
	wqe->num_sge = cpu_to_le16(31);
	assert_int_equal(model_qp_read_rq(model_qp_get(t.env->dev, 6), t.wqe),
			 -EFAULT);
}

/* A send queue of 4 entries of up to 3 units */
static u8 *create_units(struct model_qp **qp)
{
	struct xrdma_cmd cmd = core_make_qp(t.env, 6);
	u64 addr = le64_to_cpu(cmd.create_qp.root) & XRDMA_ROOT_ADDR;

	cmd.create_qp.sq_units = 3;
	cmd.create_qp.log_sq_depth = 2;
	assert_int_equal(core_status(t.env, cmd), XRDMA_CMD_OK);
	*qp = model_qp_get(t.env->dev, 6);
	assert_int_equal((*qp)->sq.ring.base, 1024);
	assert_int_equal((*qp)->rec.base, 1024 + 14 * 64);
	return core_ptr(t.env, addr + 1024);
}

/*
 * Send entries of different lengths follow each other, also through the tail of the
 * ring. The device reads no byte behind an entry.
 */
static void send_entries_follow_each_other(void **state)
{
	u32 i, units, place = 0, in_tail = 0;
	struct xrdma_sq_wqe *wqe;
	struct model_qp *qp;
	u8 *sq = create_units(&qp);

	(void)state;
	for (i = 0; i < 60; i++) {
		units = 1 + (i * i + i / 3) % 3;
		wqe = (void *)(sq + place * 64);
		memset(wqe, i + 1, units * 64);
		wqe->flags = (units - 1) << 4;
		memset(t.wqe, 0xee, sizeof(t.wqe));
		assert_int_equal(model_qp_read_sq(qp, i, qp->sq.place, t.wqe),
				 0);
		assert_memory_equal(t.wqe, wqe, units * 64);
		assert_int_equal(t.wqe[units * 64], 0xee);
		assert_int_equal(model_qp_check_send(qp, (void *)t.wqe), 0);
		model_qp_complete_send(qp, (void *)t.wqe, 0);
		in_tail += place + units > 12;
		place = (place + units) % 12;
		assert_int_equal(qp->sq.ci, i + 1);
		assert_int_equal(qp->sq.place, place);
	}
	assert_true(in_tail > 5);
}

/* An entry that is too long is refused, and the next one is behind the longest. */
static void a_length_above_that_of_the_queue_is_refused(void **state)
{
	const u32 *bytes = (const void *)t.wqe;
	struct model_qp *qp;
	u8 *sq = create_units(&qp);

	(void)state;
	memset(sq, 0x11, 14 * 64);
	sq[11 * 64 + 1] = 3 << 4;
	memset(t.wqe, 0xee, sizeof(t.wqe));
	assert_int_equal(model_qp_read_sq(qp, 0, 11, t.wqe), 0);
	assert_int_equal(bytes[47], 0x11111111);
	assert_int_equal(bytes[48], 0xeeeeeeee);
	assert_int_equal(model_qp_check_send(qp, (void *)t.wqe),
			 XRDMA_WC_LOC_QP_OP_ERR);
	qp->sq.place = 11;
	model_sq_pass(qp, (void *)t.wqe);
	assert_int_equal(qp->sq.place, 2);
}

/* The CQ overflows in the middle of a flush: no entry is completed twice. */
static void overflow_while_flushing(void **state)
{
	struct xrdma_cqe cqe = {};
	unsigned int i;

	(void)state;
	mock_wire.hold = true;
	for (i = 0; i < 16; i++)
		core_post_send(&t.cqp, 0, i);
	for (i = 0; i < 8; i++)
		model_cq_push(t.env->dev, t.cqp.qp->send_cq, &cqe);
	core_post_recv(&t.cqp, 50);
	model_qp_error(t.cqp.qp, 0);
	for (i = 0; i < 8; i++)
		assert_int_equal(le64_to_cpu(core_cqe(t.env, 1, 8 + i)->wr_id),
				 i);
	assert_int_equal(t.cqp.qp->sq.ci, 16);
	assert_int_equal(core_eqe(t.env, 0, 0)->event, XRDMA_EVENT_CQ_ERR);
	assert_null(core_eqe(t.env, 0, 1));
	assert_int_equal(le64_to_cpu(core_cqe(t.env, 2, 0)->wr_id), 50);
	assert_null(core_cqe(t.env, 2, 1));
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, core_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(sends_complete_in_order),
		T(sig_all_signals_all),
		T(an_index_that_runs_ahead_is_fatal),
		T(an_index_that_goes_back_is_fatal),
		T(a_kernel_index_is_a_host_error),
		T(receives_are_taken_in_order),
		T(a_receive_index_that_runs_ahead_is_fatal),
		T(a_malformed_receive_completes_in_error),
		T(reserved_fields_of_a_receive),
		T(entries_may_cross_pages),
		T(send_entries_follow_each_other),
		T(a_length_above_that_of_the_queue_is_refused),
		T(overflow_while_flushing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
