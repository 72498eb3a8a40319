// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Where the calls ibv_wr_*() of the provider write. A theorem about one call begins
 * with any batch between two calls, and proves that what it assumes of the batch stays
 * true. So it holds for each sequence of calls. The begin of a batch is in wr_batch.c,
 * ibv_post_send() is in wqe_user.c.
 *
 * CBMC: -I proof/include/rdma-core -I rdma-core/providers/xrdma --unwind 9
 *	--slice-formula
 */

#include "wr_user.h"

/* Where the payload of an operation begins; NULL: it has none */
static void *payload_of(u32 opcode)
{
	u32 op_flags = xrdma_ops[opcode].flags;
	u32 head = op_flags & XRDMA_TAKES_ATOMIC ? 3 : 2;

	if (!(op_flags & XRDMA_TAKES_DATA))
		return NULL;
	return (struct xrdma_sge *)entry + head + (qp.datagram ? 2 : 0);
}

/* What an operation is asked for */
static struct asked {
	u32 opcode;
	u32 rkey;
	u32 imm;
	u64 addr;
	u64 operand;
	u64 compare;
	u8 type;
	u8 level;
} asked;

static struct ibv_mw_bind_info info;
static struct ibv_mr mr;

static void any_operation(void)
{
	struct ibv_mw_bind_info any_info;
	struct asked any;

	asked = any;	/* not initialised: any request */
	info = any_info;
	info.mr = nondet_truth() ? &mr : NULL;
	mr.lkey = nondet_u32();
	ASSUME(asked.opcode < XRDMA_NUM_OPS && qp.ops & BIT(asked.opcode));
}

static void call_access(const struct asked *a)
{
	switch (a->opcode) {
	case IBV_WR_RDMA_WRITE:
		ibv_wr_rdma_write(qpx, a->rkey, a->addr);
		break;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		ibv_wr_rdma_write_imm(qpx, a->rkey, a->addr, a->imm);
		break;
	case IBV_WR_RDMA_READ:
		ibv_wr_rdma_read(qpx, a->rkey, a->addr);
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		ibv_wr_atomic_cmp_swp(qpx, a->rkey, a->addr, a->compare,
				      a->operand);
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		ibv_wr_atomic_fetch_add(qpx, a->rkey, a->addr, a->operand);
		break;
	case IBV_WR_ATOMIC_WRITE:
		ibv_wr_atomic_write(qpx, a->rkey, a->addr, &a->operand);
		break;
	case IBV_WR_FLUSH:
		ibv_wr_flush(qpx, a->rkey, a->addr, a->operand, a->type,
			     a->level);
		break;
	}
}

static void call_operation(const struct asked *a)
{
	switch (a->opcode) {
	case IBV_WR_SEND:
		ibv_wr_send(qpx);
		break;
	case IBV_WR_SEND_WITH_IMM:
		ibv_wr_send_imm(qpx, a->imm);
		break;
	case IBV_WR_SEND_WITH_INV:
		ibv_wr_send_inv(qpx, a->rkey);
		break;
	case IBV_WR_LOCAL_INV:
		ibv_wr_local_inv(qpx, a->rkey);
		break;
	case IBV_WR_BIND_MW:
		ibv_wr_bind_mw(qpx, &mw, a->rkey, &info);
		break;
	default:
		call_access(a);
	}
}

/*
 * Theorem: An operation of a batch takes the next entry of the ring, if it is free, and
 *	writes nothing outside of it; if the operation fails, so does the batch.
 *	Then the batch knows which destination and which payload its last entry
 *	lacks, and can give its windows their earlier keys.
 * Form: long
 * Holds for: any number of earlier calls, all arguments, types of queue pairs and
 *	indexes; rings of 4 entries of 64 and of 128 bytes.
 * Assumes: the type of the queue pair permits the operation; theorem
 *	wr_batch.sizes_fit.
 */
static void operations_stay_inside(void)
{
	const struct xrdma_sq_wqe *wqe;
	u32 pi, own = nondet_u32();
	bool full, failed, binds;

	any_batch(own);
	any_operation();
	pi = qp.sq.pi;
	entry_index = pi;
	wqe = entry;
	full = pi - qp.sq.ci == DEPTH;
	failed = qp.batch.err || qp.batch.no_target;
	call_operation(&asked);
	REACHABLE(!qp.batch.err && asked.opcode == IBV_WR_BIND_MW && !qp.sq.pi);
	REACHABLE(!qp.batch.err && asked.opcode == IBV_WR_FLUSH);
	REACHABLE(!failed && full);
	PROVE(!(failed || full) || (qp.batch.err && qp.sq.pi == pi));
	PROVE(qp.batch.err || qp.sq.pi == pi + 1);
	PROVE(qp.sq.pi == pi || qp.sq.pi == pi + 1);
	PROVE(qp.batch.err || qp.batch.data == payload_of(asked.opcode));
	PROVE(qp.batch.err || (qp.batch.wqe == wqe &&
			       qp.batch.op == &xrdma_ops[asked.opcode]));
	PROVE(qp.batch.err || qp.batch.no_target ==
	      (payload_of(asked.opcode) && (qp.datagram || qp.xrc)));
	binds = qp.sq.pi != pi && wqe->opcode == XRDMA_OP_BIND_MW;
	PROVE(!binds || (qp.bound_mws && bound[pi % DEPTH] == &mw));
	PROVE(was_bound || (binds ? le32_to_cpu(wqe->inv_key) : mw.rkey) ==
			    old_key);
	PROVE(!rung && held == !qp.sq.lock.elided);
}

/* Arguments of a setter */
static struct set {
	u8 setter;
	u32 lkey;
	u32 number;
	u64 addr;
	u64 length;
} set;

static struct xrdma_ah ah;
static struct ibv_sge list[SGE_MAX];
static struct ibv_data_buf bufs[2];

static void call_setter(const struct set *s)
{
	switch (s->setter) {
	case 0:
		ibv_wr_set_ud_addr(qpx, &ah.ibv_ah, s->number, s->lkey);
		break;
	case 1:
		ibv_wr_set_xrc_srqn(qpx, s->number);
		break;
	case 2:
		ibv_wr_set_sge(qpx, s->lkey, s->addr, s->number);
		break;
	case 3:
		ibv_wr_set_sge_list(qpx, s->length, list);
		break;
	case 4:
		ibv_wr_set_inline_data(qpx, &mr, s->length);
		break;
	default:
		ibv_wr_set_inline_data_list(qpx, s->number % 3, bufs);
		break;
	}
}

/* Any batch whose last entry is that of an operation, and any arguments */
static void any_setter(void)
{
	struct xrdma_ah any_ah;
	struct set any;
	u32 own = nondet_u32(), i;

	any_batch(own);
	any_operation();
	set = any;	/* not initialised: any request */
	ah = any_ah;
	ASSUME(own && set.setter <= 5);
	entry_index = qp.sq.pi - 1;
	qp.batch.wqe = entry;
	qp.batch.op = &xrdma_ops[asked.opcode];
	qp.batch.data = nondet_truth() ? payload_of(asked.opcode) : NULL;
	for (i = 0; i < SGE_MAX; i++) {
		list[i].addr = nondet_u64();
		list[i].length = nondet_u32();
		list[i].lkey = nondet_u32();
	}
	bufs[0].length = nondet_u64();
	bufs[1].length = nondet_u64();
}

/*
 * Theorem: A setter of a destination or of a payload writes nothing outside of the last
 *	entry of the batch, and only what this entry still lacks; otherwise the
 *	batch fails. A batch that has failed stays so.
 * Form: long
 * Holds for: any number of earlier calls, all arguments, lists of any length and of up
 *	to 2 buffers of any size, types of queue pairs and indexes; rings of
 *	4 entries of 64 and of 128 bytes.
 * Assumes: the batch has an entry; theorem wr_batch.sizes_fit.
 */
static void setters_stay_inside(void)
{
	struct xrdma_wr_batch old;
	bool target;
	u32 pi;

	any_setter();
	old = qp.batch;
	pi = qp.sq.pi;
	target = set.setter < 2;
	/* only the setter that the type of the queue pair has */
	ASSUME(!target || set.setter == !qp.datagram);
	call_setter(&set);
	REACHABLE(qp.datagram && target && !qp.batch.err);
	REACHABLE(set.setter == 3 && set.length == SGE_MAX && !qp.batch.err);
	REACHABLE(set.setter == 5 && set.number == 2 && !qp.batch.err);
	PROVE(!old.err || qp.batch.err == old.err);
	PROVE(qp.batch.err || (target ? old.no_target : !!old.data));
	PROVE(qp.batch.err ||
	      qp.batch.no_target == (old.no_target && !target));
	PROVE(qp.batch.err || qp.batch.data == (target ? old.data : NULL));
	PROVE(qp.batch.start == old.start && qp.batch.wqe == old.wqe);
	PROVE(qp.batch.op == old.op && qp.sq.pi == pi && !rung);
}
