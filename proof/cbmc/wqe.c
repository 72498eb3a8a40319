// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The driver's encoding of work requests, xrdma_wqe.c, compiled unchanged with
 * the stand-ins for kernel headers in proof/include: where it writes. A stub
 * stands for memcpy(): it proves that the destination has room, and copies
 * nothing. What the driver writes is checked by golden bytes in kunit/.
 *
 * CBMC: -I proof/include -I include --unwind 9
 *	--slice-formula --no-array-field-sensitivity
 */

#include "proof.h"
#include "kernel.h"

#define memcpy(to, from, len)	PROVE(__CPROVER_w_ok(to, len))

#include "xrdma_wqe.c"

/*
 * The largest entry that the theorems are about, of at most 1024 bytes that the
 * device allows, and the number of
 * scatter-gather entries that have the same size together.
 */
#define LOG_STRIDE_MAX	7
#define ROOM		(1 << (LOG_STRIDE_MAX - 4))

/* The entry that is written ends where this object ends. */
static struct xrdma_sge room[ROOM];

u16 xrdma_mr_hw_access(int access)
{
	(void)access;
	return nondet_u16();
}

int xrdma_frmr_make_seg(struct ib_mr *ibmr, u16 access,
			struct xrdma_reg_seg *seg)
{
	(void)ibmr;
	(void)access;
	if (nondet_truth())
		return -EINVAL;
	*seg = (struct xrdma_reg_seg) { .access = 0 };
	return 0;
}

static void *entry_of(u8 log_stride)
{
	return &room[ROOM - (1 << (log_stride - 4))];
}

/* Any request of any opcode, with up to ROOM scatter-gather entries */
union any_wr {
	struct ib_send_wr wr;
	struct ib_rdma_wr rdma;
	struct ib_atomic_wr atomic;
	struct ib_ud_wr ud;
	struct ib_reg_wr reg;
	struct xrdma_bind_wr bind;
	struct xrdma_flush_wr flush;
};

static struct xrdma_dev xdev;
static struct ib_sge list[ROOM];
static struct xrdma_ah ah;
static struct ib_mr mr;
static struct ib_mw mw;

static void set_pointers(union any_wr *any)
{
	any->wr.sg_list = list;
	if (any->wr.opcode == IB_WR_REG_MR)
		any->reg.mr = &mr;
	else if (any->wr.opcode == IB_WR_BIND_MW)
		any->bind.mw = &mw;
	else if (any->wr.opcode == IB_WR_SEND ||
		 any->wr.opcode == IB_WR_SEND_WITH_IMM)
		any->ud.ah = nondet_truth() ? &ah.ibah : NULL;
	if (any->wr.opcode == IB_WR_BIND_MW)
		any->bind.mr = nondet_truth() ? &mr : NULL;
}

/* Limits of a queue pair as xrdma_qp_limits() sets them */
static struct xrdma_qp any_qp(u8 log_stride)
{
	struct xrdma_qp qp;
	u32 header = sizeof(struct xrdma_sq_wqe);

	if (qp.type == XRDMA_QP_UD || qp.type == XRDMA_QP_GSI)
		header += sizeof(struct xrdma_av);
	qp.xdev = &xdev;
	xdev.caps.flags = nondet_u64();
	ASSUME(qp.sq.max_sge <= ((1 << log_stride) - header) / 16);
	ASSUME(qp.max_inline <= (1 << log_stride) - header);
	return qp;
}

static bool is_datagram(u8 type)
{
	return type == XRDMA_QP_UD || type == XRDMA_QP_GSI;
}

/* The request of send_of() */
static struct ib_send_wr sent;

/* Any request: the cases are separate, as CBMC needs long for all in one. */
static int send_of(u8 log_stride, bool datagram, bool is_inline)
{
	struct xrdma_qp qp = any_qp(log_stride);
	const struct xrdma_sq_wqe *wqe;
	union any_wr any;
	u32 i;
	int err;

	for (i = 0; i < ROOM; i++)
		list[i].length = nondet_u32();
	set_pointers(&any);
	ASSUME(any.wr.num_sge <= ROOM && is_datagram(qp.type) == datagram);
	ASSUME(!(any.wr.send_flags & IB_SEND_INLINE) == !is_inline);
	err = xrdma_make_send(&qp, entry_of(log_stride), &any.wr);
	sent = any.wr;
	wqe = entry_of(log_stride);
	PROVE(err <= 0);
	PROVE(err || (wqe->flags / 16 + 1) * 64 <= 1 << log_stride);
	PROVE(err || any.wr.num_sge >= 0 || any.wr.opcode == IB_WR_REG_MR ||
	      any.wr.opcode == IB_WR_BIND_MW || any.wr.opcode == IB_WR_FLUSH ||
	      any.wr.opcode == IB_WR_LOCAL_INV);
	return err;
}

/*
 * Theorem: The driver writes nothing behind the end of a send entry, whatever the
 *	work request of a kernel consumer without inline data asks for, and refuses
 *	a negative number of scatter-gather entries. The entry is not longer than the
 *	queue allows.
 * Holds for: all opcodes, other flags and types of queue pairs, entries of 64 and 128
 *	bytes, any negative number of scatter-gather entries or 0 to 8 of any
 *	lengths.
 * Assumes: max_sge and max_inline of the queue pair fit its entries, as
 *	xrdma_qp_limits() computes them; xrdma_frmr_make_seg() writes only its
 *	segment.
 */
static void sends_stay_inside(void)
{
	PROVE(LOG_STRIDE_MAX == 7);
	REACHABLE(!send_of(6, false, false) && sent.opcode == IB_WR_REG_MR);
	REACHABLE(!send_of(6, true, false) && !sent.num_sge);
	REACHABLE(!send_of(7, false, false) && sent.num_sge == 6);
	REACHABLE(!send_of(7, true, false) && sent.num_sge == 4);
}

/*
 * Theorem: The same as sends_stay_inside, for work requests with inline data and entries
 *	of 64 bytes.
 * Holds for: as sends_stay_inside.
 * Assumes: as sends_stay_inside.
 */
static void inline_data_stays_in_64_bytes(void)
{
	REACHABLE(!send_of(6, false, true) && list[0].length == 32);
	REACHABLE(!send_of(6, true, true) && sent.num_sge == 3);
}

/*
 * Theorem: The same as sends_stay_inside, for work requests with inline data and entries
 *	of 128 bytes.
 * Holds for: as sends_stay_inside.
 * Assumes: as sends_stay_inside.
 * Form: long
 */
static void inline_data_stays_in_128_bytes(void)
{
	REACHABLE(!send_of(7, false, true) && list[0].length == 1 &&
		  sent.num_sge == 3);
	REACHABLE(!send_of(7, true, true) && list[2].length == 64);
}

/*
 * Theorem: The driver writes nothing behind the end of a receive entry.
 * Holds for: entries of 32 to 128 bytes, all numbers of scatter-gather entries
 *	that the caller accepts.
 * Assumes: at most max_sge scatter-gather entries, as xrdma_post_one_recv()
 *	checks; max_sge fits the entry, as xrdma_qp_limits() computes it.
 */
static void receives_stay_inside(void)
{
	struct ib_recv_wr wr;
	u8 log, max_sge;

	for (log = XRDMA_RQ_LOG_STRIDE_MIN; log <= LOG_STRIDE_MAX; log++) {
		max_sge = ((1 << log) - sizeof(struct xrdma_rq_wqe)) / 16;
		wr.sg_list = list;
		wr.num_sge = nondet_int();
		ASSUME(wr.num_sge >= 0 && wr.num_sge <= max_sge);
		xrdma_make_recv(entry_of(log), &wr, nondet_u64());
		REACHABLE(log == 7 && wr.num_sge == 7);
		PROVE(wr.num_sge < ROOM);
	}
}
