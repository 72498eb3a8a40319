// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of queue pairs with the mock transport: creation, states, attributes,
 * error states. Work queues are tested in test_wq.c.
 */
#include <string.h>

#include "tests/lib/core_env.h"

static u8 create_changed(struct core_env *env, size_t offset, u8 value)
{
	struct xrdma_cmd cmd = core_make_qp(env, 5);

	cmd.body[offset] = value;
	return core_status(env, cmd);
}

#define AT(field) offsetof(struct xrdma_cmd_create_qp, field)

static void create_checks_parameters(void **state)
{
	static const struct {
		size_t offset;
		u8 value;
	} bad[] = {
		{ AT(type), XRDMA_QP_XRC_INI }, { AT(type), XRDMA_QP_XRC_TGT },
		{ AT(type), 7 },
		{ AT(flags), XRDMA_QP_SRQ }, { AT(flags), 8 },
		{ AT(srqn), 1 }, { AT(xrcd), 1 },
		{ AT(reserved), 1 }, { AT(pd) + 2, 1 },
		{ AT(db_page) + 1, 0x10 },
		{ AT(log_sq_depth), 16 }, { AT(sq_units), 17 },
		{ AT(sq_units), 0 }, { AT(log_rq_depth), 16 },
		{ AT(log_rq_stride), 4 }, { AT(log_rq_stride), 11 },
		{ AT(log_rq_stride), 0 }, { AT(log_sq_depth), 6 },
		{ AT(root) + 1, 2 },
	};
	static const size_t numbers[] = {
		AT(qpn), AT(qpn) + 2, AT(send_cqn), AT(recv_cqn),
	};
	struct core_env *env = *state;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(create_changed(env, bad[i].offset,
						bad[i].value),
				 XRDMA_CMD_BAD_PARAM);
	core_expect(env, MODEL_HERR_CMD_PARAM, ARRAY_SIZE(bad));
	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		assert_int_equal(create_changed(env, numbers[i], i == 1),
				 XRDMA_CMD_BAD_NUMBER);
	core_expect(env, MODEL_HERR_CMD_NUMBER, ARRAY_SIZE(numbers));
	assert_int_equal(mock_wire.init, 0);
	mock_wire.init_error = -1;
	assert_int_equal(core_status(env, core_make_qp(env, 5)),
			 XRDMA_CMD_NO_RESOURCE);
	mock_wire.init_error = 0;
	assert_int_equal(core_status(env, core_make_qp(env, 5)), XRDMA_CMD_OK);
	assert_int_equal(core_status(env, core_make_qp(env, 5)),
			 XRDMA_CMD_BAD_NUMBER);
	core_expect(env, MODEL_HERR_CMD_NUMBER, 5);
	env->expected -= 4;
}

static void no_receive_queue(void **state)
{
	struct core_env *env = *state;
	struct xrdma_cmd cmd = core_make_qp(env, 5);
	u8 wqe[MODEL_WQE_MAX];
	struct model_qp *qp;

	cmd.create_qp.log_rq_depth = 0;
	cmd.create_qp.log_rq_stride = 0;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
	qp = model_qp_get(env->dev, 5);
	assert_int_equal(model_qp_read_rq(qp, wqe), -11);
	assert_int_equal(core_status(env, core_make_modify(5, XRDMA_QPS_ERR)),
			 XRDMA_CMD_OK);
	assert_false(qp->broken);
}

static u8 create_of_type(struct core_env *env, u32 qpn, u8 type)
{
	struct xrdma_cmd cmd = core_make_qp(env, qpn);

	cmd.create_qp.type = type;
	return core_status(env, cmd);
}

/* The GSI has number 1, and no other queue pair may have it. */
static void the_gsi_has_a_number_of_its_own(void **state)
{
	struct core_env *env = *state;

	assert_int_equal(create_of_type(env, 2, XRDMA_QP_GSI),
			 XRDMA_CMD_BAD_NUMBER);
	assert_int_equal(create_of_type(env, 1, XRDMA_QP_UD),
			 XRDMA_CMD_BAD_NUMBER);
	assert_int_equal(create_of_type(env, 0, XRDMA_QP_GSI),
			 XRDMA_CMD_BAD_NUMBER);
	core_expect(env, MODEL_HERR_CMD_NUMBER, 3);
	assert_int_equal(create_of_type(env, 1, XRDMA_QP_GSI), XRDMA_CMD_OK);
	assert_int_equal(core_object(env, XRDMA_CMD_DESTROY_QP, 1),
			 XRDMA_CMD_OK);
}

/* Only a raw packet queue pair with a receive queue may lack a send queue. */
static void no_send_queue(void **state)
{
	static const u8 types[] = { XRDMA_QP_RC, XRDMA_QP_UC, XRDMA_QP_UD };
	struct core_env *env = *state;
	struct xrdma_cmd cmd = core_make_qp(env, 5);
	struct model_qp *qp;
	unsigned int i;

	cmd.create_qp.log_sq_depth = 0;
	cmd.create_qp.sq_units = 0;
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		cmd.create_qp.type = types[i];
		assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	}
	cmd.create_qp.type = XRDMA_QP_RAW;
	cmd.create_qp.send_cqn = 0;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
	qp = model_qp_get(env->dev, 5);
	assert_int_equal(qp->rq.ring.base, 0);
	assert_int_equal(qp->rec.base, 16 * 64);
	assert_true(TAILQ_EMPTY(&model_cq_get(env->dev, 1)->senders));
	core_ring(env, 3, 5);
	assert_false(qp->active);
	cmd.create_qp.qpn = cpu_to_le32(6);
	cmd.create_qp.log_rq_depth = 0;
	cmd.create_qp.log_rq_stride = 0;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	core_expect(env, MODEL_HERR_CMD_PARAM, ARRAY_SIZE(types) + 1);
}

/* Required and optional attributes of each state change. */
static void attributes_of_datagrams(void **state)
{
	struct xrdma_cmd cmd = xrdma_make_cmd(XRDMA_CMD_MODIFY_QP);
	struct xrdma_cmd_modify_qp *p = &cmd.modify_qp;
	struct core_env *env = *state;

	create_of_type(env, 5, XRDMA_QP_UD);
	p->qpn = cpu_to_le32(5);
	p->attr.state = XRDMA_QPS_INIT;
	p->mask = cpu_to_le32(XRDMA_QPM_STATE | XRDMA_QPM_PKEY_INDEX);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	p->mask |= cpu_to_le32(XRDMA_QPM_QKEY);
	p->attr.qkey = cpu_to_le32(0xffffffff);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
	p->attr = (struct xrdma_qp_attr) { .state = XRDMA_QPS_RTR };
	p->mask = cpu_to_le32(XRDMA_QPM_STATE | XRDMA_QPM_PATH_MTU);
	p->attr.path_mtu = 3;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	p->attr.path_mtu = 0;
	p->mask = cpu_to_le32(XRDMA_QPM_STATE);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
	p->attr.state = XRDMA_QPS_RTS;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	p->mask |= cpu_to_le32(XRDMA_QPM_SQ_PSN);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
	p->mask = cpu_to_le32(XRDMA_QPM_ACCESS);
	p->attr.state = 0;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	p->mask = cpu_to_le32(XRDMA_QPM_QKEY);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
	core_expect(env, MODEL_HERR_CMD_PARAM, 4);
}

static void destroy_frees_everything(void **state)
{
	struct core_env *env = *state;
	struct core_qp cqp;

	core_create_qp(env, 5, &cqp);
	core_to_rts(env, &cqp);
	assert_true(cqp.qp->active);
	assert_int_equal(core_object(env, XRDMA_CMD_DESTROY_QP, 5),
			 XRDMA_CMD_OK);
	assert_int_equal(mock_wire.destroy, 1);
	assert_int_equal(env->dev->num_active, 0);
	assert_true(TAILQ_EMPTY(&model_cq_get(env->dev, 1)->senders));
	assert_int_equal(core_object(env, XRDMA_CMD_DESTROY_QP, 5),
			 XRDMA_CMD_BAD_NUMBER);
	core_expect(env, MODEL_HERR_CMD_NUMBER, 1);
}

/* Create a queue pair and move it to @state. */
static void bring_to(struct core_env *env, struct core_qp *cqp, u8 state)
{
	u8 next;

	core_create_qp(env, 5, cqp);
	if (state == XRDMA_QPS_ERR) {
		assert_int_equal(core_status(env, core_make_modify(5, state)),
				 XRDMA_CMD_OK);
		return;
	}
	for (next = XRDMA_QPS_INIT; next <= state; next++)
		assert_int_equal(core_status(env, core_make_modify(5, next)),
				 XRDMA_CMD_OK);
	assert_int_equal(cqp->qp->state, state);
}

/* Each pair of states of an RC queue pair: is the transition allowed? */
static void transitions(void **state)
{
	static const bool legal[7][7] = {
		/* to: RESET INIT RTR RTS SQD SQE ERR */
		{ 1, 1, 0, 0, 0, 0, 1 },
		{ 1, 1, 1, 0, 0, 0, 1 },
		{ 1, 0, 0, 1, 0, 0, 1 },
		{ 1, 0, 0, 1, 1, 0, 1 },
		{ 1, 0, 0, 1, 1, 0, 1 },
		{ 1, 0, 0, 0, 0, 0, 1 },
		{ 1, 0, 0, 0, 0, 0, 1 },
	};
	struct core_env *env = *state;
	struct xrdma_cmd cmd;
	struct core_qp cqp;
	u64 expected = 0;
	u8 from, to, status;

	for (from = XRDMA_QPS_RESET; from <= XRDMA_QPS_ERR; from++) {
		if (from == XRDMA_QPS_SQE)
			continue;
		for (to = XRDMA_QPS_RESET; to <= XRDMA_QPS_ERR; to++) {
			bring_to(env, &cqp, from);
			cmd = core_make_modify(5, to);
			if (to == XRDMA_QPS_RTS && from != XRDMA_QPS_RTR) {
				memset(&cmd.modify_qp.attr, 0,
				       sizeof(cmd.modify_qp.attr));
				cmd.modify_qp.attr.state = to;
				cmd.modify_qp.mask =
					cpu_to_le32(XRDMA_QPM_STATE);
			}
			status = core_status(env, cmd);
			assert_int_equal(status, legal[from][to] ?
					 XRDMA_CMD_OK : XRDMA_CMD_BAD_STATE);
			if (status && from != XRDMA_QPS_ERR)
				expected++;
			assert_int_equal(cqp.qp->state, status ? from : to);
			model_qp_destroy(env->dev, 5);
		}
	}
	core_expect(env, MODEL_HERR_CMD_STATE, expected);
}

static void required_attributes_are_required(void **state)
{
	struct core_env *env = *state;
	struct xrdma_cmd full = core_make_modify(5, XRDMA_QPS_RTR);
	u32 mask = le32_to_cpu(full.modify_qp.mask) & ~XRDMA_QPM_STATE;
	struct xrdma_cmd cmd;
	struct core_qp cqp;
	unsigned int n = 0;
	u32 bit;

	bring_to(env, &cqp, XRDMA_QPS_INIT);
	for (bit = 1; bit <= XRDMA_QPM_AV; bit <<= 1) {
		if (!(mask & bit))
			continue;
		cmd = full;
		cmd.modify_qp.mask &= ~cpu_to_le32(bit);
		if (bit == XRDMA_QPM_PATH_MTU)
			cmd.modify_qp.attr.path_mtu = 0;
		else if (bit == XRDMA_QPM_DEST_QPN)
			cmd.modify_qp.attr.dest_qpn = 0;
		else if (bit == XRDMA_QPM_MAX_DEST_RD_ATOMIC)
			cmd.modify_qp.attr.max_dest_rd_atomic = 0;
		else if (bit == XRDMA_QPM_MIN_RNR_TIMER)
			cmd.modify_qp.attr.min_rnr_timer = 0;
		else if (bit == XRDMA_QPM_AV)
			cmd.modify_qp.attr.av.hop_limit = 0;
		assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
		n++;
	}
	assert_int_equal(n, 6);
	core_expect(env, MODEL_HERR_CMD_PARAM, n);
	assert_int_equal(core_status(env, full), XRDMA_CMD_OK);
}

static void attribute_values_are_checked(void **state)
{
	struct core_env *env = *state;
	struct xrdma_cmd full = core_make_modify(5, XRDMA_QPS_RTR), cmd;
	struct xrdma_qp_attr *attr = &cmd.modify_qp.attr;
	struct core_qp cqp;

	bring_to(env, &cqp, XRDMA_QPS_INIT);
#define BAD(statement) do {						\
		cmd = full;						\
		statement;						\
		assert_int_equal(core_status(env, cmd),			\
				 XRDMA_CMD_BAD_PARAM);			\
	} while (0)
	BAD(attr->path_mtu = 6);
	BAD(attr->path_mtu = 0);
	BAD(attr->max_dest_rd_atomic = 17);
	BAD(attr->min_rnr_timer = 32);
	BAD(attr->rq_psn = cpu_to_le32(1 << 24));
	BAD(attr->dest_qpn = cpu_to_le32(1 << 24));
	BAD(attr->av.sgid_index = 1);
	BAD(memset(attr->av.dgid + 10, 0xff, 2)); /* an IPv4 address */
	BAD(attr->av.sl = 8);
	BAD(attr->av.flow_label = cpu_to_le32(1 << 20));
	BAD(attr->av.udp_sport = cpu_to_le16(0xbfff));
	BAD(attr->reserved[2] = 1);
	BAD(attr->retry_cnt = 1); /* the mask does not have this attribute */
	BAD(attr->qkey = cpu_to_le32(1));
	BAD(attr->flags = XRDMA_QPA_SQD_NOTIFY);
	BAD(cmd.modify_qp.mask |= cpu_to_le32(1 << 16));
	BAD(cmd.modify_qp.mask |= cpu_to_le32(XRDMA_QPM_QKEY));
	core_expect(env, MODEL_HERR_CMD_PARAM, 17);
#undef BAD
	cmd = full;
	attr->access = cpu_to_le16(XRDMA_ACCESS_LOCAL_WRITE);
	cmd.modify_qp.mask |= cpu_to_le32(XRDMA_QPM_ACCESS);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_PARAM);
	core_expect(env, MODEL_HERR_CMD_PARAM, 18);
	env->expected -= 17;
}

static void query_returns_what_modify_set(void **state)
{
	struct core_env *env = *state;
	struct xrdma_cmd query = xrdma_make_object_cmd(XRDMA_CMD_QUERY_QP, 5);
	const struct xrdma_rsp_query_qp *rsp;
	struct core_qp cqp;

	core_create_qp(env, 5, &cqp);
	core_to_rts(env, &cqp);
	core_post_send(&cqp, 0, 1);
	model_device_poll(env->dev);
	rsp = &core_cmd(env, &query)->query_qp;
	assert_int_equal(rsp->attr.state, XRDMA_QPS_RTS);
	assert_int_equal(rsp->attr.path_mtu, 3);
	assert_int_equal(rsp->attr.retry_cnt, 7);
	assert_int_equal(rsp->attr.timeout, 14);
	assert_int_equal(rsp->attr.av.hop_limit, 64);
	assert_int_equal(le16_to_cpu(rsp->attr.access),
			 XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ |
			 XRDMA_ACCESS_REMOTE_ATOMIC);
	assert_int_equal(le32_to_cpu(rsp->sq_ci), 1);
	assert_int_equal(le32_to_cpu(rsp->rq_ci), 0);
}

static void reset_discards_all(void **state)
{
	struct xrdma_cmd query = xrdma_make_object_cmd(XRDMA_CMD_QUERY_QP, 5);
	struct core_env *env = *state;
	struct core_qp cqp;

	core_create_qp(env, 5, &cqp);
	core_to_rts(env, &cqp);
	core_post_send(&cqp, 0, 0);
	model_device_poll(env->dev);
	core_post_send(&cqp, XRDMA_WQE_SIGNALED, 1);
	core_post_recv(&cqp, 2);
	mock_wire.hold = true;
	model_device_poll(env->dev);
	assert_int_equal(cqp.qp->sq.ci, 1);
	assert_int_equal(cqp.qp->sq.pi, 2);
	assert_int_equal(core_status(env, core_make_modify(5, XRDMA_QPS_RESET)),
			 XRDMA_CMD_OK);
	memset(cqp.rec, 0, sizeof(*cqp.rec));
	assert_int_equal(cqp.qp->sq.ci, 0);
	assert_int_equal(cqp.qp->sq.pi, 0);
	assert_int_equal(core_cmd(env, &query)->query_qp.attr.path_mtu, 0);
	assert_int_equal(mock_wire.destroy, 1);
	assert_int_equal(mock_wire.init, 2);
	core_run_ms(env, 3);
	assert_null(core_cqe(env, 1, 0));
	assert_null(core_cqe(env, 2, 0));
	mock_wire.hold = false;
	core_to_rts(env, &cqp);
	core_post_send(&cqp, XRDMA_WQE_SIGNALED, 3);
	model_device_poll(env->dev);
	assert_int_equal(le64_to_cpu(core_cqe(env, 1, 0)->wr_id), 3);
}

static void error_flushes_both_queues(void **state)
{
	struct core_env *env = *state;
	struct core_qp cqp;

	core_create_qp(env, 5, &cqp);
	core_to_rts(env, &cqp);
	mock_wire.hold = true;
	core_post_send(&cqp, 0, 10);
	core_post_send(&cqp, XRDMA_WQE_SIGNALED, 11);
	core_post_recv(&cqp, 20);
	assert_int_equal(core_status(env, core_make_modify(5, XRDMA_QPS_ERR)),
			 XRDMA_CMD_OK);
	assert_int_equal(mock_wire.stop, 1);
	assert_int_equal(core_cqe(env, 1, 0)->status, XRDMA_WC_WR_FLUSH_ERR);
	assert_int_equal(le64_to_cpu(core_cqe(env, 1, 0)->wr_id), 10);
	assert_int_equal(le64_to_cpu(core_cqe(env, 1, 1)->wr_id), 11);
	assert_int_equal(le16_to_cpu(core_cqe(env, 1, 1)->wqe_index), 1);
	assert_int_equal(core_cqe(env, 2, 0)->status, XRDMA_WC_WR_FLUSH_ERR);
	assert_int_equal(core_cqe(env, 2, 0)->opcode, XRDMA_OP_RECV);
	assert_int_equal(le64_to_cpu(core_cqe(env, 2, 0)->wr_id), 20);
}

/* Entries posted in ERR are flushed: sends by doorbell, receives by polling. */
static void error_flushes_what_comes_later(void **state)
{
	struct core_env *env = *state;
	struct core_qp cqp;

	core_create_qp(env, 5, &cqp);
	core_to_rts(env, &cqp);
	assert_int_equal(core_status(env, core_make_modify(5, XRDMA_QPS_ERR)),
			 XRDMA_CMD_OK);
	core_post_send(&cqp, 0, 10);
	core_ring(env, 3, 5);
	assert_int_equal(le64_to_cpu(core_cqe(env, 1, 0)->wr_id), 10);
	core_post_recv(&cqp, 20);
	assert_null(core_cqe(env, 2, 0));
	core_run_ms(env, 5);
	assert_int_equal(le64_to_cpu(core_cqe(env, 2, 0)->wr_id), 20);
	core_run_ms(env, 200);
	core_post_recv(&cqp, 21);
	core_run_ms(env, 100);
	assert_int_equal(le64_to_cpu(core_cqe(env, 2, 1)->wr_id), 21);
	assert_int_equal(core_status(env, core_make_modify(5, XRDMA_QPS_RESET)),
			 XRDMA_CMD_OK);
	core_run_ms(env, 70);
	assert_false(model_timer_armed(&env->dev->slow_timer));
}

static void a_failed_send_of_rc_is_fatal_to_it(void **state)
{
	struct core_env *env = *state;
	struct core_qp cqp;

	core_create_qp(env, 5, &cqp);
	core_to_rts(env, &cqp);
	mock_wire.fail = XRDMA_WC_REM_ACCESS_ERR;
	core_post_send(&cqp, 0, 10);
	core_post_send(&cqp, 0, 11);
	core_post_recv(&cqp, 20);
	model_device_poll(env->dev);
	assert_int_equal(cqp.qp->state, XRDMA_QPS_ERR);
	assert_int_equal(core_cqe(env, 1, 0)->status, XRDMA_WC_REM_ACCESS_ERR);
	assert_int_equal(core_cqe(env, 1, 1)->status, XRDMA_WC_WR_FLUSH_ERR);
	assert_int_equal(core_cqe(env, 2, 0)->status, XRDMA_WC_WR_FLUSH_ERR);
	/* the driver may not know of the state yet: no host error */
	assert_int_equal(core_status(env, core_make_modify(5, XRDMA_QPS_SQD)),
			 XRDMA_CMD_BAD_STATE);
}

static void a_second_attach_is_no_host_error(void **state)
{
	static const u8 gid[16] = { [10] = 0xff, 0xff, 239, 1, 2, 3 };
	struct xrdma_cmd cmd = xrdma_make_mcast(XRDMA_CMD_ATTACH_MCAST, 5, gid);
	struct core_env *env = *state;

	assert_int_equal(create_of_type(env, 5, XRDMA_QP_UD), XRDMA_CMD_OK);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_NUMBER);
	core_expect(env, MODEL_HERR_CMD_NUMBER, 0);
	cmd.mcast.qpn = cpu_to_le32(6);
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_BAD_NUMBER);
	core_expect(env, MODEL_HERR_CMD_NUMBER, 1);
}

static void raw_to_rts(struct core_env *env, struct core_qp *cqp)
{
	struct xrdma_cmd cmd = core_make_qp(env, 6);
	struct xrdma_cmd mod = xrdma_make_cmd(XRDMA_CMD_MODIFY_QP);
	u64 addr = le64_to_cpu(cmd.create_qp.root) & XRDMA_ROOT_ADDR;
	u8 state;

	cmd.create_qp.type = XRDMA_QP_RAW;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
	cqp->qp = model_qp_get(env->dev, 6);
	cqp->sq = core_ptr(env, addr + cqp->qp->sq.ring.base);
	cqp->rq = core_ptr(env, addr + cqp->qp->rq.ring.base);
	cqp->rec = core_ptr(env, addr + cqp->qp->rec.base);
	mod.modify_qp.qpn = cpu_to_le32(6);
	mod.modify_qp.mask = cpu_to_le32(XRDMA_QPM_STATE);
	for (state = XRDMA_QPS_INIT; state <= XRDMA_QPS_RTS; state++) {
		mod.modify_qp.attr.state = state;
		assert_int_equal(core_status(env, mod), XRDMA_CMD_OK);
	}
}

static void a_failed_send_of_raw_is_not(void **state)
{
	struct xrdma_cmd mod = xrdma_make_cmd(XRDMA_CMD_MODIFY_QP);
	struct core_env *env = *state;
	struct core_qp cqp;

	raw_to_rts(env, &cqp);
	mock_wire.fail = XRDMA_WC_LOC_LEN_ERR;
	core_post_send(&cqp, 0, 10);
	core_post_send(&cqp, 0, 11);
	core_post_recv(&cqp, 20);
	model_device_poll(env->dev);
	assert_int_equal(cqp.qp->state, XRDMA_QPS_SQE);
	assert_int_equal(mock_wire.sq_only, 1);
	assert_int_equal(core_cqe(env, 1, 0)->status, XRDMA_WC_LOC_LEN_ERR);
	assert_int_equal(core_cqe(env, 1, 1)->status, XRDMA_WC_WR_FLUSH_ERR);
	core_run_ms(env, 3);
	assert_null(core_cqe(env, 2, 0));

	mod.modify_qp.qpn = cpu_to_le32(6);
	mod.modify_qp.mask = cpu_to_le32(XRDMA_QPM_STATE);
	mod.modify_qp.attr.state = XRDMA_QPS_RTS;
	assert_int_equal(core_status(env, mod), XRDMA_CMD_OK);
	assert_true(TAILQ_EMPTY(&env->dev->errors));
	core_post_send(&cqp, XRDMA_WQE_SIGNALED, 12);
	model_device_poll(env->dev);
	assert_int_equal(core_cqe(env, 1, 2)->status, XRDMA_WC_SUCCESS);
}

static void sqd_drains_and_tells(void **state)
{
	struct core_env *env = *state;
	struct xrdma_cmd cmd = core_make_modify(5, XRDMA_QPS_SQD);
	struct xrdma_cmd query = xrdma_make_object_cmd(XRDMA_CMD_QUERY_QP, 5);
	struct core_qp cqp;

	core_create_qp(env, 5, &cqp);
	core_to_rts(env, &cqp);
	mock_wire.hold = true;
	cmd.modify_qp.mask |= cpu_to_le32(XRDMA_QPM_SQD_NOTIFY);
	cmd.modify_qp.attr.flags = XRDMA_QPA_SQD_NOTIFY;
	assert_int_equal(core_status(env, cmd), XRDMA_CMD_OK);
	model_device_poll(env->dev);
	assert_null(core_eqe(env, 0, 0));
	assert_int_equal(core_cmd(env, &query)->query_qp.attr.flags,
			 XRDMA_QPA_SQ_DRAINING);
	mock_wire.hold = false;
	model_qp_activate(cqp.qp);
	model_device_poll(env->dev);
	model_device_poll(env->dev);
	assert_int_equal(core_eqe(env, 0, 0)->event,
			 XRDMA_EVENT_QP_SQ_DRAINED);
	assert_null(core_eqe(env, 0, 1));
	assert_int_equal(core_cmd(env, &query)->query_qp.attr.flags, 0);
}

static void comm_est_comes_once_in_rtr(void **state)
{
	struct core_env *env = *state;
	struct core_qp cqp;

	bring_to(env, &cqp, XRDMA_QPS_RTR);
	model_qp_comm_est(cqp.qp);
	model_qp_comm_est(cqp.qp);
	assert_int_equal(core_eqe(env, 0, 0)->event,
			 XRDMA_EVENT_QP_COMM_EST);
	assert_null(core_eqe(env, 0, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CORE_TEST(create_checks_parameters, queues),
		CORE_TEST(no_receive_queue, queues),
		CORE_TEST(no_send_queue, queues),
		CORE_TEST(the_gsi_has_a_number_of_its_own, queues),
		CORE_TEST(attributes_of_datagrams, queues),
		CORE_TEST(destroy_frees_everything, queues),
		CORE_TEST(transitions, queues),
		CORE_TEST(required_attributes_are_required, queues),
		CORE_TEST(attribute_values_are_checked, queues),
		CORE_TEST(query_returns_what_modify_set, queues),
		CORE_TEST(reset_discards_all, queues),
		CORE_TEST(error_flushes_both_queues, queues),
		CORE_TEST(error_flushes_what_comes_later, queues),
		CORE_TEST(a_failed_send_of_rc_is_fatal_to_it, queues),
		CORE_TEST(a_second_attach_is_no_host_error, queues),
		CORE_TEST(a_failed_send_of_raw_is_not, queues),
		CORE_TEST(sqd_drains_and_tells, queues),
		CORE_TEST(comm_est_comes_once_in_rtr, queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
