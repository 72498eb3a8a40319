// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the calls ibv_wr_*() of the provider write into entries, and where. A theorem
 * about one call begins with any batch between two calls, and proves that what it
 * assumes of the batch stays true. So it holds for each sequence of calls. The begin and
 * the end of a batch are in wr_batch.c, ibv_post_send() is in wqe_user.c.
 *
 * CBMC: -I proof/include/rdma-core -I rdma-core/providers/xrdma --unwind 9
 *	--slice-formula
 */

#include "wr_user.h"

/* The place of the entry */
static u32 entry_place;

/* No call between begin and end of a batch reads another entry than the last one. */
static void *xrdma_sq_at(const struct xrdma_wq *sq, u32 place)
{
	PROVE(sq == &qp.sq && !"an entry of any place is read");
	(void)place;
	return entry;
}

/* The entry is an object of its own, so that CBMC finds each access outside of it. */
static void *xrdma_sq_entry(const struct xrdma_wq *sq)
{
	PROVE(sq == &qp.sq && sq->place == entry_place);
	return entry;
}

/* Where the payload of an operation begins; NULL: it has none */
static void *payload_of(u32 opcode)
{
	u32 op_flags = xrdma_ops[opcode].flags;
	u32 head = op_flags & XRDMA_TAKES_ATOMIC ? 3 : 2;

	if (!(op_flags & (XRDMA_TAKES_DATA | XRDMA_TAKES_ATOMIC)))
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
		xrdma_wr_rdma_write(qpx, a->rkey, a->addr);
		break;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		xrdma_wr_rdma_write_imm(qpx, a->rkey, a->addr, a->imm);
		break;
	case IBV_WR_RDMA_READ:
		xrdma_wr_rdma_read(qpx, a->rkey, a->addr);
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		xrdma_wr_atomic_cmp_swp(qpx, a->rkey, a->addr, a->compare,
					a->operand);
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		xrdma_wr_atomic_fetch_add(qpx, a->rkey, a->addr, a->operand);
		break;
	case IBV_WR_ATOMIC_WRITE:
		xrdma_wr_atomic_write(qpx, a->rkey, a->addr, &a->operand);
		break;
	case IBV_WR_FLUSH:
		xrdma_wr_flush(qpx, a->rkey, a->addr, a->operand, a->type,
			       a->level);
		break;
	}
}

static void call_operation(const struct asked *a)
{
	switch (a->opcode) {
	case IBV_WR_SEND:
		xrdma_wr_send(qpx);
		break;
	case IBV_WR_SEND_WITH_IMM:
		xrdma_wr_send_imm(qpx, a->imm);
		break;
	case IBV_WR_SEND_WITH_INV:
		xrdma_wr_send_inv(qpx, a->rkey);
		break;
	case IBV_WR_LOCAL_INV:
		xrdma_wr_local_inv(qpx, a->rkey);
		break;
	case IBV_WR_BIND_MW:
		xrdma_wr_bind_mw(qpx, &mw, a->rkey, &info);
		break;
	default:
		call_access(a);
	}
}

/*
 * Theorem: An operation of a batch takes the next entry of the ring, if it is free, and
 *	writes nothing outside of it; if the operation fails, so does the batch.
 *	The entry has one unit, and the next entry follows it. Then the batch knows
 *	which destination and which payload its last entry lacks, and can give its
 *	windows their earlier keys.
 * Holds for: any number of earlier calls, all arguments, types of queue pairs and
 *	indexes; rings of 4 entries of 64 and of 128 bytes.
 * Assumes: the type of the queue pair permits the operation; theorem
 *	wr_batch.sizes_fit.
 */
static void operations_stay_inside(void)
{
	const struct xrdma_sq_wqe *wqe;
	u32 pi, place, num, own = nondet_u32();
	bool full, failed, binds;

	any_batch(own);
	any_operation();
	pi = qp.sq.pi;
	num = qp.batch.num_bound;
	place = qp.sq.place;
	entry_place = place;
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
	PROVE(qp.batch.err ||
	      qp.sq.place == (place + 1) % (DEPTH * qp.sq.units));
	PROVE(qp.sq.pi == pi ? qp.sq.place == place : wqe->flags < 16);
	PROVE(qp.batch.err || qp.batch.data == payload_of(asked.opcode));
	PROVE(qp.batch.err || (qp.batch.wqe == wqe &&
			       qp.batch.op == &xrdma_ops[asked.opcode]));
	PROVE(qp.batch.err || qp.batch.no_target ==
	      (payload_of(asked.opcode) && (qp.datagram || qp.xrc)));
	binds = !qp.batch.err && wqe->opcode == XRDMA_OP_BIND_MW;
	PROVE(qp.batch.num_bound == num + binds && num + binds <= DEPTH);
	PROVE(!binds || (qp.bound_mws && bound[num].mw == &mw));
	PROVE(was_bound || (binds ? bound[num].rkey : mw.rkey) == old_key);
	PROVE(!rung && held == !qp.sq.lock.elided);
}

/* The operation of the contract that an operation of the verbs is */
static u8 op_of(u32 opcode)
{
	static const u8 ops[] = {
		[IBV_WR_SEND] = 1,
		[IBV_WR_SEND_WITH_IMM] = 2,
		[IBV_WR_SEND_WITH_INV] = 3,
		[IBV_WR_RDMA_WRITE] = 4,
		[IBV_WR_RDMA_WRITE_WITH_IMM] = 5,
		[IBV_WR_RDMA_READ] = 6,
		[IBV_WR_ATOMIC_CMP_AND_SWP] = 7,
		[IBV_WR_ATOMIC_FETCH_AND_ADD] = 8,
		[IBV_WR_BIND_MW] = 9,
		[IBV_WR_LOCAL_INV] = 10,
		[IBV_WR_FLUSH] = 12,
		[IBV_WR_ATOMIC_WRITE] = 13,
	};

	return ops[opcode];
}

/* The first arguments of xrdma_make_head() */
static u8 flags_of(void)
{
	u32 flags = qpx->wr_flags;

	return (flags & 2 || qp.force_flags ? 1 : 0) | (flags & 1 ? 2 : 0) |
	       (flags & 4 ? 4 : 0);
}

/* The word of an entry that several operations share */
static u32 word_of(const struct asked *a)
{
	switch (a->opcode) {
	case IBV_WR_SEND_WITH_IMM:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return a->imm;
	case IBV_WR_SEND_WITH_INV:
	case IBV_WR_LOCAL_INV:
		return a->rkey;
	case IBV_WR_BIND_MW:
		return was_bound ? mw.rkey : old_key;
	case IBV_WR_FLUSH:
		return a->level ? 0 : low32(a->operand);
	default:
		return 0;
	}
}

/* The operands, or the range to bind, behind the first 32 bytes */
static void prove_operands(const struct asked *a, const void *behind)
{
	const struct xrdma_atomic_seg *seg = behind;
	const struct xrdma_bind_seg *bind = behind;

	if (a->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	    a->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		PROVE(le64_to_cpu(seg->swap_add) == a->operand);
		PROVE(le64_to_cpu(seg->compare) ==
		      (a->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ? a->compare : 0));
	} else if (a->opcode == IBV_WR_ATOMIC_WRITE) {
		PROVE(!seg->compare);
	} else if (a->opcode == IBV_WR_BIND_MW) {
		PROVE(le64_to_cpu(bind->length) == info.length);
		PROVE(le64_to_cpu(bind->addr) == (info.length ? info.addr : 0));
		PROVE(le32_to_cpu(bind->mr_key) == (info.length ? mr.lkey : 0));
		PROVE(le32_to_cpu(bind->access) ==
		      (info.length ? info.mw_access_flags & 0x2e : 0));
		PROVE(le32_to_cpu(bind->new_key) == a->rkey && !bind->reserved);
		PROVE(mw.rkey == a->rkey && mw.type == IBV_MW_TYPE_2);
	}
}

/*
 * Theorem: The entry of an operation has its operation, the flags and the work request
 *	ID of the queue pair, its remote address and key, immediate data, key to
 *	invalidate, operands, range to flush or to bind, and zeros in the other
 *	fields that the device reads; the entry of a bind has the key of the window,
 *	which gets the new one.
 * Holds for: as operations_stay_inside; the value of ATOMIC_WRITE is left out.
 * Assumes: as operations_stay_inside; the batch has not bound the window before.
 */
static void operations_hold_their_fields(void)
{
	const struct xrdma_sq_wqe *wqe;
	bool remote, flush;
	u32 word;

	any_batch(nondet_u32());
	any_operation();
	ASSUME(!was_bound);
	entry_place = qp.sq.place;
	wqe = entry;
	word = word_of(&asked);
	call_operation(&asked);
	ASSUME(!qp.batch.err);
	flush = asked.opcode == IBV_WR_FLUSH;
	remote = flush || asked.opcode == IBV_WR_ATOMIC_WRITE ||
		 asked.opcode == IBV_WR_RDMA_WRITE ||
		 asked.opcode == IBV_WR_RDMA_WRITE_WITH_IMM ||
		 asked.opcode == IBV_WR_RDMA_READ ||
		 asked.opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
		 asked.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
	REACHABLE(flush && wqe->length);
	REACHABLE(asked.opcode == IBV_WR_BIND_MW && !info.length);
	REACHABLE(qp.datagram && flags_of() == 7);
	PROVE(wqe->opcode == op_of(asked.opcode) && wqe->flags == flags_of());
	PROVE(le64_to_cpu(wqe->wr_id) == qpx->wr_id && !wqe->num_sge);
	PROVE(le32_to_cpu(wqe->inv_key) == word);
	PROVE(le64_to_cpu(wqe->remote_addr) == (remote ? asked.addr : 0));
	PROVE(le32_to_cpu(wqe->rkey) == (remote ? asked.rkey : 0));
	PROVE(!flush || (asked.type && asked.type < 4 && asked.level < 2));
	PROVE(le32_to_cpu(wqe->ext) ==
	      (flush ? asked.type | asked.level << 4 : 0));
	prove_operands(&asked, wqe + 1);
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
		xrdma_wr_set_ud_addr(qpx, &ah.ibv_ah, s->number, s->lkey);
		break;
	case 1:
		xrdma_wr_set_xrc_srqn(qpx, s->number);
		break;
	case 2:
		xrdma_wr_set_sge(qpx, s->lkey, s->addr, s->number);
		break;
	case 3:
		xrdma_wr_set_sge_list(qpx, s->length, list);
		break;
	case 4:
		xrdma_wr_set_inline_data(qpx, &mr, s->length);
		break;
	default:
		xrdma_wr_set_inline_data_list(qpx, s->number % 3, bufs);
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
	ASSUME(set.setter <= 5);
	qp.batch.wqe = entry;
	qp.batch.wqe->flags = nondet_u8();
	ASSUME(qp.batch.wqe->flags < 16);
	qp.batch.op = &xrdma_ops[asked.opcode];
	qp.batch.data = own && nondet_truth() ?
			payload_of(asked.opcode) : NULL;
	for (i = 0; i < SGE_MAX; i++) {
		list[i].addr = nondet_u64();
		list[i].length = nondet_u32();
		list[i].lkey = nondet_u32();
	}
	bufs[0].length = nondet_u64();
	bufs[1].length = nondet_u64();
}

/* Bytes of the payload of the last entry */
static u32 payload_bytes(void)
{
	u32 num = le16_to_cpu(qp.batch.wqe->num_sge);

	return qp.batch.wqe->flags & 8 && set.setter > 3 ? num : num * 16;
}

/*
 * Theorem: A setter of a destination or of a payload writes nothing outside of the last
 *	entry of the batch, and only what this entry still lacks; otherwise the
 *	batch fails. A batch that has failed stays so. After the setter the entry is
 *	as long as its payload needs, not longer than the queue allows, and the next
 *	entry follows it.
 * Holds for: any number of earlier calls, all arguments, lists of any length and of up
 *	to 2 buffers of any size, types of queue pairs and indexes; rings of
 *	4 entries of 64 and of 128 bytes.
 * Assumes: a setter of a destination is the one that the type of the queue pair has;
 *	theorem wr_batch.sizes_fit.
 */
static void setters_stay_inside(void)
{
	u32 pi, place, units, head;
	struct xrdma_wr_batch old;
	bool target;

	any_setter();
	old = qp.batch;
	pi = qp.sq.pi;
	place = qp.sq.place;
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
	units = old.wqe->flags / 16 + 1;
	PROVE(units <= qp.sq.units);
	PROVE(qp.sq.place == (place + units - 1) % (DEPTH * qp.sq.units));
	ASSUME(!target && !qp.batch.err);
	REACHABLE(units == 2 && qp.sq.place == 0);
	head = (u8 *)old.data - (u8 *)entry;
	PROVE(units == (head + payload_bytes() + 63) / 64);
}

/*
 * Theorem: After ibv_wr_set_ud_addr() the entry has the queue pair, the Q_Key and the
 *	address of the datagram, after ibv_wr_set_xrc_srqn() the remote SRQ, and
 *	after ibv_wr_set_sge() and ibv_wr_set_sge_list() exactly the scatter-gather
 *	entries of the call; after the two calls for inline data it has the sum of
 *	the lengths as their number of bytes.
 * Holds for: as setters_stay_inside.
 * Assumes: as setters_stay_inside.
 */
static void setters_hold_their_fields(void)
{
	const struct xrdma_sq_wqe *wqe;
	const struct xrdma_sge *sge;
	const struct xrdma_av *av;
	u32 i = nondet_u32();
	u64 bytes;

	any_setter();
	wqe = entry;
	sge = payload_of(asked.opcode);
	av = (const void *)(wqe + 1);
	ASSUME(set.setter > 1 || set.setter == !qp.datagram);
	call_setter(&set);
	ASSUME(!qp.batch.err && i < SGE_MAX);
	REACHABLE(set.setter == 3 && i == 5 && set.length == SGE_MAX);
	if (set.setter == 0) {
		PROVE(le32_to_cpu(wqe->dqpn) == set.number);
		PROVE(le32_to_cpu(wqe->qkey) == set.lkey);
		PROVE(av->dgid[i] == ah.av.dgid[i] && av->sl == ah.av.sl);
		PROVE(av->flow_label == ah.av.flow_label);
		PROVE(av->dmac[i] == ah.av.dmac[i]);
	} else if (set.setter == 1) {
		PROVE(le32_to_cpu(wqe->ext) == set.number);
	} else if (set.setter == 2) {
		PROVE(le16_to_cpu(wqe->num_sge) == 1);
		PROVE(le64_to_cpu(sge->addr) == set.addr);
		PROVE(le32_to_cpu(sge->length) == set.number);
		PROVE(le32_to_cpu(sge->lkey) == set.lkey);
	} else if (set.setter == 3) {
		PROVE(le16_to_cpu(wqe->num_sge) == set.length);
		ASSUME(i < set.length);
		PROVE(le64_to_cpu(sge[i].addr) == list[i].addr);
		PROVE(le32_to_cpu(sge[i].length) == list[i].length);
		PROVE(le32_to_cpu(sge[i].lkey) == list[i].lkey);
	} else {
		bytes = set.setter == 4 ? set.length :
			set.number % 3 == 0 ? 0 : set.number % 3 == 1 ?
			bufs[0].length : bufs[0].length + bufs[1].length;
		PROVE(wqe->flags & 8 && le16_to_cpu(wqe->num_sge) == bytes);
	}
}
