// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of operations that only some types of queue pairs have: datagrams, XRC,
 * raw packets, FLUSH and ATOMIC_WRITE, by ibv_post_send() and ibv_wr_*(); and
 * of requests that a type or a state refuses. Prints TAP.
 */

#include <errno.h>
#include <string.h>

#include <ccan/array_size.h>

#include "fake_objects.h"
#include "golden_bytes.h"
#include "setup.h"

static struct xrdma_pd pd;
static struct xrdma_qp *qp;
static struct ibv_qp_ex *qpx;
static struct fake_qp dev;

static uint64_t all_ops(enum ibv_qp_type type)
{
	uint64_t send = IBV_QP_EX_WITH_SEND;
	uint64_t datagram = send | IBV_QP_EX_WITH_SEND_WITH_IMM;
	uint64_t uc = datagram | IBV_QP_EX_WITH_RDMA_WRITE |
		      IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
		      IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_LOCAL_INV;
	uint64_t xrc = uc | IBV_QP_EX_WITH_SEND_WITH_INV |
		       IBV_QP_EX_WITH_RDMA_READ |
		       IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
		       IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;

	switch (type) {
	case IBV_QPT_RAW_PACKET:
		return send;
	case IBV_QPT_UD:
		return datagram;
	case IBV_QPT_UC:
		return uc;
	case IBV_QPT_XRC_SEND:
		return xrc;
	default:
		return xrc | IBV_QP_EX_WITH_FLUSH |
		       IBV_QP_EX_WITH_ATOMIC_WRITE;
	}
}

static void begin(enum ibv_qp_type type)
{
	struct ibv_qp_init_attr_ex attr = {
		.cap = { .max_send_wr = 8, .max_recv_wr = 4,
			 .max_send_sge = 2, .max_recv_sge = 1 },
		.qp_type = type,
		.comp_mask = IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = all_ops(type),
	};

	setup(true, 16);
	pd.ibv_pd.context = &ctx->ibv_ctx.context;
	fake_next_qpn = 0x123455;
	qp = create_qp_of(&attr);
	qpx = &qp->verbs_qp.qp_ex;
	dev = fake_last_qp;
}

static void end(void)
{
	CHECK(!xrdma_destroy_qp(&qp->verbs_qp.qp));
	teardown();
}

/* The only entry that is posted; check that a doorbell was rung for it. */
static struct xrdma_sq_wqe *posted_entry(void)
{
	struct xrdma_sq_wqe *wqe;

	CHECK(fake_take_doorbell() ==
	      xrdma_make_sq_db(dev.qpn, le32toh(dev.rec->sq_pi)));
	dev.asleep = false;
	wqe = fake_next_send(&dev);
	CHECK(wqe && !fake_next_send(&dev));
	fake_sleep(&dev);
	atomic_store(&qp->sq.ci, qp->sq.pi);
	return wqe;
}

static int post(struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad = NULL;
	int err = xrdma_post_send(&qp->verbs_qp.qp, wr, &bad);

	CHECK(bad == (err ? wr : NULL));
	return err;
}

static void check_nothing_posted(void)
{
	CHECK(fake_take_doorbell() == FAKE_NO_DOORBELL);
	CHECK(le32toh(dev.rec->sq_pi) == dev.sq_ci);
	CHECK(qp->sq.pi == dev.sq_ci);
}

static void start(uint64_t wr_id, unsigned int flags)
{
	ibv_wr_start(qpx);
	qpx->wr_id = wr_id;
	qpx->wr_flags = flags;
}

/* ---- datagrams --------------------------------------------------------- */

static struct ibv_ah *create_ah(void)
{
	struct ibv_ah_attr attr = { .is_global = 1 };
	struct ibv_ah *ah;

	memcpy(&fake_av, xrdma_golden_av, sizeof(fake_av));
	ah = xrdma_create_ah(&pd.ibv_pd, &attr);
	CHECK(ah);
	return ah;
}

static void address_needs_a_grh(void)
{
	struct ibv_ah_attr attr = {};
	struct ibv_ah *ah;

	setup(true, 16);
	errno = 0;
	CHECK(!xrdma_create_ah(&pd.ibv_pd, &attr) && errno == EINVAL);
	CHECK(!fake_objects);
	ah = create_ah();
	CHECK_BYTES(&container_of(ah, struct xrdma_ah, ibv_ah)->av,
		    xrdma_golden_av);
	CHECK(!xrdma_destroy_ah(ah) && !fake_objects);
	attr.is_global = 1;
	fake_create_error = ENODEV;
	CHECK(!xrdma_create_ah(&pd.ibv_pd, &attr) && errno == ENODEV);
	fake_create_error = 0;
	teardown();
}

static void check_datagram(const struct xrdma_sq_wqe *wqe)
{
	CHECK_BYTES(wqe, xrdma_golden_wqe_send_ud);
	CHECK_BYTES((void *)wqe + 32, xrdma_golden_av);
	CHECK_BYTES((void *)wqe + 64, xrdma_golden_sge);
}

static void golden_datagram(void)
{
	struct ibv_sge sge = { 0x7f0012345678, 65536, 0x1122335a };
	struct ibv_send_wr wr = {
		.wr_id = 13,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { NULL, 0x123457, 0x11111111 },
	};
	struct ibv_ah *ah;

	begin(IBV_QPT_UD);
	ah = create_ah();
	wr.wr.ud.ah = ah;
	CHECK(!post(&wr));
	check_datagram(posted_entry());
	start(13, IBV_SEND_SIGNALED);
	ibv_wr_send(qpx);
	ibv_wr_set_ud_addr(qpx, ah, 0x123457, 0x11111111);
	ibv_wr_set_sge(qpx, 0x1122335a, 0x7f0012345678, 65536);
	CHECK(!ibv_wr_complete(qpx));
	check_datagram(posted_entry());
	/* the setters in the other order */
	start(13, IBV_SEND_SIGNALED);
	ibv_wr_send(qpx);
	ibv_wr_set_sge(qpx, 0x1122335a, 0x7f0012345678, 65536);
	ibv_wr_set_ud_addr(qpx, ah, 0x123457, 0x11111111);
	CHECK(!ibv_wr_complete(qpx));
	check_datagram(posted_entry());
	CHECK(!xrdma_destroy_ah(ah));
	end();
}

/* 128 = 64 + 4 * 16 = 64 + 64 */
static void datagram_entries_have_room_for_the_address(void)
{
	struct ibv_qp_init_attr_ex attr = { .qp_type = IBV_QPT_UD };
	struct xrdma_qp *other;
	uint8_t bytes[65] = { 1, 2, 3 };
	struct ibv_ah *ah;
	struct xrdma_sq_wqe *wqe;

	begin(IBV_QPT_UD);
	CHECK(dev.req.sq_units == 2);
	CHECK(qp->sq.max_sge == 4 && qp->max_inline == 64);
	ah = create_ah();
	start(1, 0);
	ibv_wr_send_imm(qpx, htobe32(0x01020304));
	ibv_wr_set_ud_addr(qpx, ah, 5, 6);
	ibv_wr_set_inline_data(qpx, bytes, 64);
	CHECK(!ibv_wr_complete(qpx));
	wqe = posted_entry();
	CHECK(wqe->opcode == 2 && wqe->flags == 0x18);
	CHECK(le16toh(wqe->num_sge) == 64 && be32toh(wqe->imm) == 0x01020304);
	CHECK(le32toh(wqe->dqpn) == 5 && le32toh(wqe->qkey) == 6);
	CHECK(!wqe->rkey && !wqe->ext);
	CHECK(!memcmp((void *)wqe + 64, bytes, 64));
	start(1, 0);
	ibv_wr_send(qpx);
	ibv_wr_set_ud_addr(qpx, ah, 5, 6);
	ibv_wr_set_inline_data(qpx, bytes, 65);
	CHECK(ibv_wr_complete(qpx) == EINVAL);
	check_nothing_posted();
	CHECK(!xrdma_destroy_ah(ah));

	other = create_qp_of(&attr);
	CHECK(fake_last_qp.req.sq_units == 1 && !attr.cap.max_send_sge);
	CHECK(!attr.cap.max_inline_data);
	CHECK(!xrdma_destroy_qp(&other->verbs_qp.qp));
	end();
}

static void datagram_without_address_is_refused(void)
{
	struct ibv_ah *ah;

	begin(IBV_QPT_UD);
	ah = create_ah();
	start(1, 0);
	ibv_wr_send(qpx);
	CHECK(ibv_wr_complete(qpx) == EINVAL);
	/* The first of two datagrams has no address. */
	start(1, 0);
	ibv_wr_send(qpx);
	ibv_wr_send(qpx);
	ibv_wr_set_ud_addr(qpx, ah, 5, 6);
	CHECK(ibv_wr_complete(qpx) == EINVAL);
	/* Two addresses of one datagram, or an address without a datagram. */
	start(1, 0);
	ibv_wr_send(qpx);
	ibv_wr_set_ud_addr(qpx, ah, 5, 6);
	ibv_wr_set_ud_addr(qpx, ah, 5, 6);
	CHECK(ibv_wr_complete(qpx) == EINVAL);
	start(1, 0);
	ibv_wr_set_ud_addr(qpx, ah, 5, 6);
	CHECK(ibv_wr_complete(qpx) == EINVAL);
	check_nothing_posted();
	/* The next batch is not affected. */
	start(1, 0);
	CHECK(!ibv_wr_complete(qpx));
	check_nothing_posted();
	CHECK(!xrdma_destroy_ah(ah));
	end();

	begin(IBV_QPT_RC);
	start(1, 0);
	ibv_wr_send(qpx);
	ibv_wr_set_ud_addr(qpx, ah, 5, 6);
	CHECK(ibv_wr_complete(qpx) == EINVAL);
	check_nothing_posted();
	end();
}

static void golden_recv_datagram(void)
{
	struct ibv_poll_cq_attr attr = {};
	struct ibv_cq_ex *cqx;
	struct ibv_wc wc;

	begin(IBV_QPT_UD);
	fake_write_cqe(&dev_cq, (const void *)xrdma_golden_cqe_recv_ud);
	fake_write_cqe(&dev_cq, (const void *)xrdma_golden_cqe_recv_ud);
	CHECK(xrdma_poll_cq(&cq->verbs_cq.cq, 1, &wc) == 1);
	CHECK(wc.opcode == IBV_WC_RECV && wc.status == IBV_WC_SUCCESS);
	CHECK(wc.wc_flags & IBV_WC_GRH && wc.src_qp && wc.byte_len > 40);
	/* RoCEv2 over IPv4: the priority in the VLAN tag is not reported. */
	CHECK(wc.sl == 0xa);
	cqx = &cq->verbs_cq.cq_ex;
	CHECK(!ibv_start_poll(cqx, &attr));
	CHECK(cqx->wr_id == wc.wr_id);
	CHECK(ibv_wc_read_wc_flags(cqx) == wc.wc_flags);
	CHECK(ibv_wc_read_src_qp(cqx) == wc.src_qp);
	CHECK(ibv_wc_read_sl(cqx) == wc.sl);
	CHECK(ibv_wc_read_byte_len(cqx) == wc.byte_len);
	ibv_end_poll(cqx);
	end();
}

/* ---- extended reliable connections ------------------------------------- */

static void xrc_entries_name_the_srq(void)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { 0x1000, 0x2000 },
		.qp_type.xrc.remote_srqn = 0xabcdef,
	};
	struct xrdma_sq_wqe *wqe;

	begin(IBV_QPT_XRC_SEND);
	CHECK(!dev.req.log_rq_stride && !dev.req.log_rq_depth);
	CHECK(!post(&wr));
	wqe = posted_entry();
	CHECK(wqe->opcode == 4 && le32toh(wqe->ext) == 0xabcdef);
	start(1, 0);
	ibv_wr_rdma_read(qpx, 1, 2);
	ibv_wr_set_sge(qpx, 3, 4, 5);
	ibv_wr_set_xrc_srqn(qpx, 0x123);
	CHECK(!ibv_wr_complete(qpx));
	wqe = posted_entry();
	CHECK(wqe->opcode == 6 && le32toh(wqe->ext) == 0x123);
	/* A local operation has no remote SRQ. */
	start(1, 0);
	ibv_wr_local_inv(qpx, 1);
	CHECK(!ibv_wr_complete(qpx));
	CHECK(!posted_entry()->ext);
	start(1, 0);
	ibv_wr_send(qpx);
	CHECK(ibv_wr_complete(qpx) == EINVAL);
	check_nothing_posted();
	end();
}

/* remote_srqn of a local operation may hold anything. */
static void xrc_entry_of_a_local_operation_names_no_srq(void)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_LOCAL_INV,
		.qp_type.xrc.remote_srqn = UINT32_MAX,
	};

	begin(IBV_QPT_XRC_SEND);
	CHECK(!post(&wr));
	CHECK(!posted_entry()->ext);
	end();
}

static void xrc_target_has_no_rings(void)
{
	struct ibv_xrcd_init_attr init = {};
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.cap = { .max_send_wr = 3, .max_recv_wr = 5 },
	};
	struct ibv_qp_open_attr open = { .qp_num = 0x99 };
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	struct ibv_recv_wr *bad_recv, recv = {};
	struct ibv_qp *ibqp, *same;

	setup(true, 16);
	attr.xrcd = xrdma_open_xrcd(&ctx->ibv_ctx.context, &init);
	CHECK(attr.xrcd && fake_objects == 1);
	fake_next_qpn = 0x99;
	fake_last_qp.rec = NULL;
	ibqp = xrdma_create_qp_ex(&ctx->ibv_ctx.context, &attr);
	CHECK(ibqp && !fake_last_qp.req.buf_addr);
	CHECK(!fake_last_qp.req.sq_units);
	CHECK(!fake_last_qp.req.log_sq_depth);
	CHECK(!fake_last_qp.req.log_rq_stride);
	CHECK(!attr.cap.max_send_wr && !attr.cap.max_recv_wr);
	ibqp->state = IBV_QPS_RTS;
	CHECK(xrdma_post_recv(ibqp, &recv, &bad_recv) == EINVAL);
	CHECK(!xrdma_modify_qp(ibqp, &reset, IBV_QP_STATE));
	same = xrdma_open_qp(&ctx->ibv_ctx.context, &open);
	CHECK(same);
	CHECK(!xrdma_destroy_qp(same) && !xrdma_destroy_qp(ibqp));
	CHECK(!xrdma_close_xrcd(attr.xrcd) && !fake_objects);
	teardown();
}

/* ---- FLUSH and ATOMIC_WRITE -------------------------------------------- */

static void golden_flush(void)
{
	struct xrdma_sq_wqe *wqe;

	begin(IBV_QPT_RC);
	start(12, IBV_SEND_SIGNALED);
	ibv_wr_flush(qpx, 0x4455667e, 0x7f0099990000, 4096,
		     IBV_FLUSH_GLOBAL | IBV_FLUSH_PERSISTENT, IBV_FLUSH_RANGE);
	CHECK(!ibv_wr_complete(qpx));
	CHECK_BYTES(posted_entry(), xrdma_golden_wqe_flush);
	/* IBV_FLUSH_MR: the length is ignored. */
	start(12, IBV_SEND_SIGNALED);
	ibv_wr_flush(qpx, 1, 2, 4096, IBV_FLUSH_GLOBAL, IBV_FLUSH_MR);
	CHECK(!ibv_wr_complete(qpx));
	wqe = posted_entry();
	CHECK(!wqe->length && le32toh(wqe->ext) == 0x11);
	end();
}

static void refuse_flush(size_t length, uint8_t type, uint8_t level)
{
	start(1, 0);
	ibv_wr_flush(qpx, 1, 2, length, type, level);
	CHECK(ibv_wr_complete(qpx) == EINVAL);
	check_nothing_posted();
}

static void wrong_flushes_are_refused(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_FLUSH };

	begin(IBV_QPT_RC);
	refuse_flush(1, 0, IBV_FLUSH_RANGE);
	refuse_flush(1, 4, IBV_FLUSH_RANGE);
	refuse_flush(1, IBV_FLUSH_GLOBAL, 2);
	refuse_flush(1UL << 32, IBV_FLUSH_GLOBAL, IBV_FLUSH_RANGE);
	/* struct ibv_send_wr cannot give the placement type. */
	CHECK(post(&wr) == EINVAL);
	check_nothing_posted();
	end();
}

static void check_atomic_write(const struct xrdma_sq_wqe *wqe)
{
	const uint8_t expected[16] = "VALUE123";

	CHECK(wqe->opcode == 13 && wqe->flags == 1 && !wqe->num_sge);
	CHECK(!wqe->imm && !wqe->ext);
	CHECK(le64toh(wqe->remote_addr) == 0x1238);
	CHECK(le32toh(wqe->rkey) == 0x77);
	CHECK(!memcmp(wqe + 1, expected, 8));
	CHECK(!((const uint64_t *)(wqe + 1))[1]);
}

static void atomic_write_carries_its_value(void)
{
	char value[] = "VALUE123";
	struct ibv_sge sge[2] = {
		{ (uintptr_t)value, 3, 0 }, { (uintptr_t)value + 3, 5, 0 },
	};
	struct ibv_send_wr wr = {
		.sg_list = sge,
		.num_sge = 2,
		.opcode = IBV_WR_ATOMIC_WRITE,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
		.wr.rdma = { 0x1238, 0x77 },
	};

	begin(IBV_QPT_RC);
	start(0, IBV_SEND_SIGNALED);
	ibv_wr_atomic_write(qpx, 0x77, 0x1238, value);
	CHECK(!ibv_wr_complete(qpx));
	check_atomic_write(posted_entry());
	CHECK(!post(&wr));
	check_atomic_write(posted_entry());
	wr.send_flags = IBV_SEND_SIGNALED;
	CHECK(post(&wr) == EINVAL);
	wr.send_flags = IBV_SEND_INLINE;
	wr.num_sge = 1;
	CHECK(post(&wr) == EINVAL);
	wr.num_sge = 2;
	sge[1].length = 6;
	CHECK(post(&wr) == EINVAL);
	check_nothing_posted();
	end();
}

/* ---- refused requests --------------------------------------------------- */

static const enum ibv_qp_type types[] = {
	IBV_QPT_RC, IBV_QPT_XRC_SEND, IBV_QPT_UC, IBV_QPT_UD,
	IBV_QPT_RAW_PACKET,
};

/* In the order of enum ibv_qp_create_send_ops_flags; there is no TSO. */
static const enum ibv_wr_opcode opcodes[] = {
	IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_SEND,
	IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_READ, IBV_WR_ATOMIC_CMP_AND_SWP,
	IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WR_LOCAL_INV, IBV_WR_BIND_MW,
	IBV_WR_SEND_WITH_INV, IBV_WR_TSO, IBV_WR_FLUSH, IBV_WR_ATOMIC_WRITE,
};

static void try_opcode(enum ibv_qp_type type, int op, struct ibv_ah *ah)
{
	struct ibv_mw mw = { .type = IBV_MW_TYPE_2 };
	struct ibv_send_wr wr = { .opcode = opcodes[op] };
	struct ibv_mw_bind bind = {};
	uint64_t value = 0;
	struct ibv_sge sge = { (uintptr_t)&value, 8, 0 };

	if (wr.opcode == IBV_WR_BIND_MW) {
		wr.bind_mw.mw = &mw;
	} else if (wr.opcode == IBV_WR_ATOMIC_WRITE) {
		wr.send_flags = IBV_SEND_INLINE;
		wr.sg_list = &sge;
		wr.num_sge = 1;
	} else if (type == IBV_QPT_UD) {
		wr.wr.ud.ah = ah;
	}
	if (all_ops(type) & 1ULL << op && wr.opcode != IBV_WR_FLUSH) {
		CHECK(!post(&wr));
		posted_entry();
	} else {
		CHECK(post(&wr) == EINVAL);
		check_nothing_posted();
	}
	mw.type = IBV_MW_TYPE_1;
	if (!(all_ops(type) & IBV_QP_EX_WITH_BIND_MW))
		CHECK(xrdma_bind_mw(&qp->verbs_qp.qp, &mw, &bind) == EINVAL);
}

static void refuse_op(enum ibv_qp_type type, uint64_t op)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = type,
		.send_cq = &cq->verbs_cq.cq,
		.recv_cq = &cq->verbs_cq.cq,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = op,
		.pd = &pd.ibv_pd,
	};

	errno = 0;
	CHECK(!xrdma_create_qp_ex(&ctx->ibv_ctx.context, &attr));
	CHECK(errno == EOPNOTSUPP);
}

static void each_type_has_its_operations(void)
{
	struct ibv_ah *ah;
	int type, op;

	for (type = 0; type < ARRAY_SIZE(types); type++) {
		begin(types[type]);
		ah = create_ah();
		for (op = 0; op < ARRAY_SIZE(opcodes); op++) {
			try_opcode(types[type], op, ah);
			if (!(all_ops(types[type]) & 1ULL << op))
				refuse_op(types[type], 1ULL << op);
		}
		CHECK(!xrdma_destroy_ah(ah));
		end();
	}
}

static void states_that_do_not_send_refuse(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct ibv_mw mw = { .type = IBV_MW_TYPE_1 };
	struct ibv_recv_wr *bad_recv, recv = {};
	struct ibv_mw_bind bind = {};
	enum ibv_qp_state state;
	bool sends, receives;

	begin(IBV_QPT_RC);
	for (state = IBV_QPS_RESET; state <= IBV_QPS_ERR; state++) {
		sends = state >= IBV_QPS_RTS;
		receives = state != IBV_QPS_RESET;
		qp->verbs_qp.qp.state = state;
		CHECK(post(&wr) == (sends ? 0 : EINVAL));
		if (sends)
			posted_entry();
		start(1, 0);
		ibv_wr_send(qpx);
		CHECK(ibv_wr_complete(qpx) == (sends ? 0 : EINVAL));
		if (sends)
			posted_entry();
		CHECK(xrdma_bind_mw(&qp->verbs_qp.qp, &mw, &bind) ==
		      (sends ? 0 : EINVAL));
		if (sends)
			posted_entry();
		check_nothing_posted();
		CHECK(xrdma_post_recv(&qp->verbs_qp.qp, &recv, &bad_recv) ==
		      (receives ? 0 : EINVAL));
		qp->rq.ci = qp->rq.pi;
	}
	end();
}

static const struct test tests[] = {
	TEST(address_needs_a_grh),
	TEST(golden_datagram),
	TEST(datagram_entries_have_room_for_the_address),
	TEST(datagram_without_address_is_refused),
	TEST(golden_recv_datagram),
	TEST(xrc_entries_name_the_srq),
	TEST(xrc_entry_of_a_local_operation_names_no_srq),
	TEST(xrc_target_has_no_rings),
	TEST(golden_flush),
	TEST(wrong_flushes_are_refused),
	TEST(atomic_write_carries_its_value),
	TEST(each_type_has_its_operations),
	TEST(states_that_do_not_send_refuse),
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
