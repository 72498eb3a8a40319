// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Functions of wire_env.h that post work requests, run the devices, advance the
 * time and take completions. Setup of devices is in wire_env.c.
 */
#include <string.h>

#include "tests/lib/wire_env.h"

/* Return: the place of the next send entry. */
u8 *wire_sq_entry(struct wire_qp *qp)
{
	if (!qp->rec->sq_pi)
		qp->place = 0;
	return qp->sq + qp->place * XRDMA_SQ_UNIT;
}

/*
 * Write the first 32 bytes of the next send entry, which has @bytes bytes, and ring the
 * doorbell. An entry that is too long for the queue gets the longest length, unless its
 * flags say another one.
 */
void wire_sq_post(struct wire_qp *qp, struct xrdma_sq_wqe hdr, u32 bytes)
{
	u32 units = xrdma_sq_units(bytes), pi = le32_to_cpu(qp->rec->sq_pi);
	__le64 db = cpu_to_le64(xrdma_make_sq_db(qp->qpn, pi + 1));
	u8 *wqe = wire_sq_entry(qp);

	if (xrdma_wqe_units(hdr.flags) > 1)
		units = xrdma_wqe_units(hdr.flags);
	if (units > WIRE_SQ_UNITS)
		units = WIRE_SQ_UNITS;
	if (xrdma_wqe_units(hdr.flags) == 1)
		hdr.flags |= xrdma_wqe_length(units);
	memcpy(wqe, &hdr, sizeof(hdr));
	qp->place = xrdma_sq_next(qp->place, units,
				  WIRE_SQ_UNITS << qp->log_depth);
	__atomic_store_n(&qp->rec->sq_pi, cpu_to_le32(pi + 1),
			 __ATOMIC_RELEASE);
	model_device_write(qp->host->dev, XRDMA_BAR_DB,
			   (u64)qp->qp->db_page * XRDMA_DB_PAGE_SIZE + XRDMA_DB_SQ,
			   &db, sizeof(db));
}

void wire_post_send(struct wire_qp *qp, const struct wire_wr *wr)
{
	u8 *wqe = wire_sq_entry(qp);
	struct xrdma_sq_wqe hdr = {
		.opcode = wr->opcode,
		.flags = wr->flags,
		.num_sge = cpu_to_le16(wr->num_sge),
		.imm = cpu_to_be32(wr->imm),
		.remote_addr = cpu_to_le64(wr->remote_addr),
		.rkey = cpu_to_le32(wr->rkey),
		.ext = cpu_to_le32(wr->ext),
		.wr_id = cpu_to_le64(wr->wr_id),
	};
	struct xrdma_atomic_seg atomic = {
		.swap_add = cpu_to_le64(wr->swap_add),
		.compare = cpu_to_le64(wr->compare),
	};
	u8 *body = wqe + sizeof(hdr);

	if (wr->inv_key)
		hdr.inv_key = cpu_to_le32(wr->inv_key);
	if (wr->opcode == XRDMA_OP_SEND_ETH) {
		memcpy(body, wr->seg, sizeof(struct xrdma_eth_seg));
		body += sizeof(struct xrdma_eth_seg);
	} else if (wr->seg) {
		memcpy(body, wr->seg, WIRE_SEG_BYTES);
		body += WIRE_SEG_BYTES;
	}
	if (wr->opcode == XRDMA_OP_CMP_SWAP ||
	    wr->opcode == XRDMA_OP_FETCH_ADD ||
	    wr->opcode == XRDMA_OP_ATOMIC_WRITE) {
		memcpy(body, &atomic, sizeof(atomic));
		body += sizeof(atomic);
	}
	if (wr->inline_data) {
		hdr.flags |= XRDMA_WQE_INLINE;
		hdr.num_sge = cpu_to_le16(wr->len);
		memcpy(body, wr->inline_data, wr->len);
		body += wr->len;
	} else if (wr->num_sge) {
		memcpy(body, wr->sges, wr->num_sge * sizeof(*wr->sges));
		body += wr->num_sge * sizeof(*wr->sges);
	}
	wire_sq_post(qp, hdr, body - wqe);
}

/* Post a signaled WRITE, READ or SEND with one scatter-gather entry. */
void wire_post_signaled(struct wire_qp *qp, u8 opcode, u64 wr_id,
			struct xrdma_sge sge, u64 remote_addr, u32 rkey)
{
	wire_post_send(qp, &(struct wire_wr) {
		.opcode = opcode, .flags = XRDMA_WQE_SIGNALED, .wr_id = wr_id,
		.sges = &sge, .num_sge = 1,
		.remote_addr = remote_addr, .rkey = rkey,
	});
}

/*
 * Write a receive to a ring of 2^@log_depth entries, of a queue pair or of an
 * SRQ, and advance the producer index @pi of that ring.
 */
void wire_put_recv(u8 *ring, u8 log_depth, __le32 *pi, u64 wr_id,
		   const struct xrdma_sge *sges, u16 num)
{
	u32 at = le32_to_cpu(*pi);
	u8 *wqe = ring + ((u64)xrdma_ring_slot(at, log_depth) <<
			  WIRE_RQ_STRIDE_LOG);
	struct xrdma_rq_wqe hdr = {
		.num_sge = cpu_to_le16(num),
		.wr_id = cpu_to_le64(wr_id),
	};

	memcpy(wqe, &hdr, sizeof(hdr));
	if (num)
		memcpy(wqe + sizeof(hdr), sges, num * sizeof(*sges));
	__atomic_store_n(pi, cpu_to_le32(at + 1), __ATOMIC_RELEASE);
}

void wire_post_recv(struct wire_qp *qp, u64 wr_id, const struct xrdma_sge *sges,
		    u16 num)
{
	wire_put_recv(qp->rq, qp->log_depth, &qp->rec->rq_pi, wr_id, sges, num);
}

bool wire_poll_cq(struct wire_cq *cq, struct xrdma_cqe *cqe)
{
	const struct xrdma_cqe *at = cq->ring +
				     xrdma_ring_slot(cq->ci, cq->log_depth);

	if (!xrdma_ring_valid(le32_to_cpu(at->own), cq->ci, cq->log_depth))
		return false;
	*cqe = *at;
	cq->rec->ci = cpu_to_le32(++cq->ci);
	return true;
}

/* Poll each device once. Return: true if any had work. */
bool wire_turn(struct wire_env *env)
{
	bool worked = false;
	int i;

	for (i = 0; i < env->n; i++)
		worked |= model_device_poll(env->hosts[i].dev);
	if (env->n == 2) {
		fake_loop_watches(env->loop);
		for (i = 0; i < env->n; i++)
			worked |= env->hosts[i].dev->wire->arrived.count > 0;
	}
	return worked;
}

/* Poll until no device has work; the time does not advance. */
void wire_settle(struct wire_env *env)
{
	unsigned int quiet = 0;

	while (quiet < 3)
		quiet = wire_turn(env) ? 0 : quiet + 1;
}

/* Advance the time by @ns, and run devices and timers meanwhile. */
void wire_run(struct wire_env *env, u64 ns)
{
	u64 end = model_loop_now(env->loop) + ns;
	u64 next;

	wire_settle(env);
	while ((next = fake_loop_next(env->loop)) <= end) {
		fake_loop_advance(env->loop, next);
		wire_settle(env);
	}
	fake_loop_advance(env->loop, end);
	wire_settle(env);
}

/* Advance the time until there is a completion, by at most 100 s. */
bool wire_wait(struct wire_env *env, struct wire_cq *cq, struct xrdma_cqe *cqe)
{
	u64 end = model_loop_now(env->loop) + 100000 * WIRE_MS;
	u64 next;

	while (!wire_poll_cq(cq, cqe)) {
		if (wire_turn(env) || wire_turn(env))
			continue;
		if (wire_poll_cq(cq, cqe))
			return true;
		next = fake_loop_next(env->loop);
		if (next > end)
			return false;
		fake_loop_advance(env->loop, next);
	}
	return true;
}

void wire_expect_send(struct wire_qp *qp, u64 wr_id, u8 status)
{
	struct xrdma_cqe cqe;

	assert_true(wire_wait(qp->env, &qp->send_cq, &cqe));
	assert_int_equal(le64_to_cpu(cqe.wr_id), wr_id);
	assert_int_equal(cqe.status, status);
	assert_int_equal(le32_to_cpu(cqe.qpn), qp->qpn);
}

void wire_expect_recv(struct wire_qp *qp, u64 wr_id, u8 status,
		      struct xrdma_cqe *cqe)
{
	assert_true(wire_wait(qp->env, &qp->recv_cq, cqe));
	assert_int_equal(le64_to_cpu(cqe->wr_id), wr_id);
	assert_int_equal(cqe->status, status);
	assert_int_equal(le32_to_cpu(cqe->qpn), qp->qpn);
}
