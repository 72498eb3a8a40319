// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows, fast registration and invalidation: see wire_mw.h.
 */
#include <string.h>

#include "tests/lib/wire_mw.h"

void wire_start_over(void **state)
{
	assert_int_equal(wire_teardown(state), 0);
	wire_setup_1(state);
}

struct xrdma_mpt_entry *wire_mpt(struct wire_host *host, u32 index)
{
	return (struct xrdma_mpt_entry *)wire_ptr(host, host->mpt) + index;
}

u8 wire_state(struct wire_host *host, u32 key)
{
	u64 ctrl = le64_to_cpu(wire_mpt(host, xrdma_key_index(key))->ctrl);

	return FIELD_GET(XRDMA_MPT_STATE, ctrl);
}

u32 wire_bound(struct wire_host *host, u32 key)
{
	return le32_to_cpu(wire_mpt(host, xrdma_key_index(key))->bound);
}

/* Publish a free window or fast-register region. Return: its key. */
u32 wire_publish(struct wire_host *host, u32 index, u8 type)
{
	struct xrdma_mpt_entry *e = wire_mpt(host, index);
	u32 key = xrdma_make_key(index, 0xa5);

	memset(e, 0, sizeof(*e));
	e->ctrl = cpu_to_le64(xrdma_make_mpt_ctrl(XRDMA_MPT_FREE, type, key,
						  WIRE_PD, 0));
	return key;
}

void wire_post_bind(struct wire_qp *qp, u64 wr_id, const struct wire_bind *b)
{
	const struct xrdma_bind_seg seg = {
		.addr = cpu_to_le64(b->addr),
		.length = cpu_to_le64(b->length),
		.mr_key = cpu_to_le32(b->mr_key),
		.new_key = cpu_to_le32(b->new_key),
		.access = cpu_to_le32(b->access),
	};

	wire_post_send(qp, &(struct wire_wr) {
		.opcode = XRDMA_OP_BIND_MW, .flags = XRDMA_WQE_SIGNALED,
		.wr_id = wr_id, .inv_key = b->key, .seg = &seg,
	});
}

void wire_post_reg(struct wire_qp *qp, u64 wr_id, const struct wire_reg *r)
{
	const struct xrdma_reg_seg seg = {
		.iova = cpu_to_le64(r->iova),
		.length = cpu_to_le64(r->length),
		.root = cpu_to_le64(xrdma_make_root(WIRE_IOVA, 0, 27)),
		.offset = cpu_to_le32(r->addr - WIRE_IOVA),
		.access = cpu_to_le32(r->access),
	};

	wire_post_send(qp, &(struct wire_wr) {
		.opcode = XRDMA_OP_REG_MR, .flags = XRDMA_WQE_SIGNALED,
		.wr_id = wr_id, .inv_key = r->key, .seg = &seg,
	});
}

void wire_post_inval(struct wire_qp *qp, u64 wr_id, u32 key)
{
	wire_post_send(qp, &(struct wire_wr) {
		.opcode = XRDMA_OP_LOCAL_INV, .flags = XRDMA_WQE_SIGNALED,
		.wr_id = wr_id, .inv_key = key,
	});
}

void wire_expect_refused(struct wire_qp *qp, u64 wr_id, u8 status, u8 reason)
{
	struct xrdma_cqe cqe;

	assert_true(wire_wait(qp->env, &qp->send_cq, &cqe));
	assert_int_equal(le64_to_cpu(cqe.wr_id), wr_id);
	assert_int_equal(cqe.status, status);
	assert_int_equal(le16_to_cpu(cqe.vendor_err), reason);
	assert_int_equal(qp->qp->state, XRDMA_QPS_ERR);
}

const struct xrdma_eqe *wire_event(struct wire_host *host, u8 event, u32 n)
{
	struct model_eq *eq = model_eq_get(host->dev, 0);
	const struct xrdma_eqe *eqe =
		wire_ptr(host, eq->ring.root & XRDMA_ROOT_ADDR);
	u32 i;

	for (i = 0; xrdma_ring_valid(le32_to_cpu(eqe[i].own), i,
				     eq->log_depth); i++)
		if (eqe[i].event == event && !n--)
			return &eqe[i];
	return NULL;
}

void wire_expect_fault(struct wire_host *host, const struct wire_qp *qp, u32 n,
		       u8 reason, u8 opcode, u32 key)
{
	const struct xrdma_eqe *eqe = wire_event(host, XRDMA_EVENT_FAULT, n);

	assert_non_null(eqe);
	assert_int_equal(eqe->reason, reason);
	assert_int_equal(eqe->opcode, opcode);
	assert_int_equal(le32_to_cpu(eqe->key), key);
	assert_int_equal(le32_to_cpu(eqe->number), qp->qpn);
	assert_int_equal(le32_to_cpu(eqe->pd), WIRE_PD);
}
