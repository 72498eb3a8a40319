// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Provider and device together: completions for a process. The device fills them in
 * core/completion.c; the provider reads them in poll.c and ring.h. All are compiled
 * unchanged. What the transports of the device fill in is in completions.c. All
 * theorems are about the first completion of a queue: device_cq.c proves where the
 * device writes the others, and ring.c that a reader finds them.
 *
 * CBMC: -I proof/include/rdma-core -I rdma-core/providers/xrdma --unwind 3
 *	--slice-formula
 */

#include "completions.h"
#undef memcpy
#include "poll.c"

/* The objects of the provider; the record of the completion queue */
static struct xrdma_context context;
static struct xrdma_cqe ring[DEPTH];
static struct xrdma_cq_rec rec;
static struct xrdma_cq cq = { .ring = ring, .rec = &rec };
static struct xrdma_qp qp;

/* What ibv_poll_cq() reports */
static struct ibv_wc wc;
static int num;

struct xrdma_qp *xrdma_find_qp(struct xrdma_context *ctx, uint32_t qpn)
{
	PROVE(ctx == &context && qpn == qp.qpn);
	return &qp;
}

/* The process polls until there is no completion. */
static void poll_host(const struct xrdma_cqe *cqe)
{
	ring[0] = *cqe;
	ring[0].own = cpu_to_le32(1);
	num = xrdma_poll_cq(&cq.verbs_cq.cq, 2, &wc);
}

/* A queue pair in provider and device. @done: index of its oldest work request */
static void any_queues(bool has_srq, u32 done)
{
	any_device(has_srq);
	context.ibv_ctx.context.device = NULL;
	cq.verbs_cq.cq.context = &context.ibv_ctx.context;
	cq.log_depth = LOG_DEPTH;
	cq.lock.elided = true;
	qp.qpn = device_qp.qpn;
	qp.sq.ci = done;
	qp.rq.ci = done;
	device_qp.rq.ci = done;
}

/* The provider reports one completion, of the queue pair. */
static void expect_one(u64 wr_id, u8 status, u16 reason)
{
	PROVE(num == 1 && pushed == 1 && le32_to_cpu(rec.ci) == 1);
	PROVE(wc.wr_id == wr_id && wc.qp_num == device_qp.qpn);
	PROVE((int)wc.status == status && wc.vendor_err == reason);
	PROVE(!wc.slid && !wc.dlid_path_bits);
	PROVE(!cq.consumed && !qp.sq.consumed && !qp.rq.consumed);
}

/*
 * Theorem: ibv_poll_cq() reports each send that the device completes with the work
 *	request ID of the entry, the operation, the status, the reason of a
 *	refused access and the number of bytes, and nothing that only receives
 *	have. The process may overwrite this entry and all before it.
 * Holds for: all operations of a process, states, reasons, lengths and indexes.
 * Assumes: the entry is at most 2^16 - 1 entries behind the oldest one.
 */
static void sends_arrive(void)
{
	u32 index = nondet_u32(), done = nondet_u32(), bytes = nondet_u32();
	u16 reason = nondet_u16();
	u8 status = nondet_u8();
	struct xrdma_sq_wqe wqe;

	any_queues(nondet_truth(), done);
	ASSUME(index - done < 0x10000 && is_status(status));
	ASSUME(wqe.opcode >= 1 && wqe.opcode <= 13 && wqe.opcode != 11);
	device_qp.sq.ci = index;
	model_qp_push_send(&device_qp, &wqe, status, reason, bytes);
	REACHABLE(index == 0x1fffe && done == 0xffff);
	REACHABLE(wqe.opcode == 13 && status == 21);
	expect_one(le64_to_cpu(wqe.wr_id), status, reason);
	PROVE((int)wc.opcode == wc_opcode(wqe.opcode));
	PROVE(wc.byte_len == bytes && !wc.wc_flags && !wc.sl);
	PROVE(qp.sq.ci == index + 1 && qp.rq.ci == done);
}

/*
 * Theorem: ibv_poll_cq() reports each receive that the device completes with the work
 *	request ID of the entry, the kind of operation, the status, the reason of
 *	a refused access, the number of bytes, the sender, the immediate data or
 *	the key that was invalidated, and whether a GRH precedes the data; "sl" is
 *	9 for a datagram over IPv6, 10 for one over IPv4, else 0. If the entry is
 *	of the queue pair, the process may overwrite one more entry.
 * Holds for: all completions of receives that the device can make.
 * Assumes: no completion has both immediate data and a key; the device sets the
 *	flag of IPv4 only with that of the GRH.
 */
static void receives_arrive(void)
{
	bool has_srq = nondet_truth(), imm, inv, grh, ipv4;
	struct model_recv_done done;
	u32 oldest = nondet_u32();

	any_queues(has_srq, oldest);
	imm = done.flags >> 1 & 1;
	inv = done.flags >> 2 & 1;
	grh = done.flags >> 3 & 1;
	ipv4 = done.flags >> 7 & 1;
	done.opcode = nondet_truth() ? 128 : 129;
	ASSUME(is_status(done.status) && (!imm || !inv) && (grh || !ipv4));
	ASSUME(!(done.flags & ~0xee));	/* neither SEND nor SRQ */
	model_qp_complete_recv(&device_qp, &done);
	REACHABLE(has_srq && inv && done.opcode == 129);
	REACHABLE(imm && ipv4 && oldest == 0xffffffff);
	expect_one(le64_to_cpu(done.wr_id), done.status, done.vendor_err);
	PROVE((int)wc.opcode == wc_opcode(done.opcode));
	PROVE(wc.byte_len == done.byte_len && wc.src_qp == done.src_qpn);
	PROVE(wc.wc_flags == (grh ? IBV_WC_GRH : 0) +
			     (imm ? IBV_WC_WITH_IMM : 0) +
			     (inv ? IBV_WC_WITH_INV : 0));
	PROVE(!imm || wc.imm_data == done.imm);
	PROVE(!inv || wc.imm_data == done.inv_key);
	PROVE(wc.sl == (!grh ? 0 : ipv4 ? 10 : 9));
	PROVE(qp.rq.ci == oldest + !has_srq && qp.sq.ci == oldest);
	PROVE(device_qp.rq.ci == oldest + !has_srq && !device_qp.taken);
}

/*
 * Theorem: The calls of struct ibv_cq_ex report each completion as ibv_poll_cq() does,
 *	and the time at which the device has written it; and they let the process
 *	overwrite the same entries.
 * Holds for: all contents of a completion; all indexes.
 * Assumes: nothing.
 */
static void extended_calls_agree(void)
{
	struct ibv_cq_ex *cqx = &cq.verbs_cq.cq_ex;
	struct ibv_poll_cq_attr attr = {};
	u32 done = nondet_u32(), sq_ci, rq_ci;
	struct xrdma_cqe any;

	any_queues(false, done);
	any.qpn = cpu_to_le32(qp.qpn);
	poll_host(&any);
	sq_ci = qp.sq.ci;
	rq_ci = qp.rq.ci;
	cq.ci = 0;
	qp.sq.ci = done;
	qp.rq.ci = done;
	PROVE(num == 1 && !xrdma_start_poll(cqx, &attr));
	REACHABLE(sq_ci - done == 0x10000 && wc.opcode == IBV_WC_ATOMIC_WRITE);
	REACHABLE(rq_ci != done && wc.sl == 10);
	PROVE(cqx->wr_id == wc.wr_id && cqx->status == wc.status);
	PROVE(xrdma_read_opcode(cqx) == wc.opcode);
	PROVE(xrdma_read_vendor_err(cqx) == wc.vendor_err);
	PROVE(xrdma_read_byte_len(cqx) == wc.byte_len);
	PROVE(xrdma_read_imm_data(cqx) == wc.imm_data);
	PROVE(xrdma_read_qp_num(cqx) == wc.qp_num);
	PROVE(xrdma_read_src_qp(cqx) == wc.src_qp);
	PROVE(xrdma_read_wc_flags(cqx) == wc.wc_flags);
	PROVE(xrdma_read_slid(cqx) == wc.slid);
	PROVE(xrdma_read_sl(cqx) == wc.sl);
	PROVE(xrdma_read_dlid_path_bits(cqx) == wc.dlid_path_bits);
	PROVE(xrdma_read_completion_ts(cqx) == le64_to_cpu(any.timestamp));
	PROVE(qp.sq.ci == sq_ci && qp.rq.ci == rq_ci);
	PROVE(le32_to_cpu(rec.ci) == 1 && xrdma_next_poll(cqx) == ENOENT);
}
