// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The connection that each case uses: two queue pairs connected to each other,
 * and functions that post work requests to them. ktest_do() and the functions
 * that call it post one request, wait, and return the status of its completion,
 * or a negative errno if it could not be posted or did not complete. The cases
 * are in other files.
 */

#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include "ktest.h"

#define KTEST_WAIT	(20 * HZ)
#define KTEST_PSN	0x111111

/* ---- connections -------------------------------------------------------- */

static int ktest_to_init(struct ib_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IB_ACCESS_REMOTE_WRITE |
				   IB_ACCESS_REMOTE_READ |
				   IB_ACCESS_REMOTE_ATOMIC,
	};

	return ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PORT |
			    IB_QP_PKEY_INDEX | IB_QP_ACCESS_FLAGS);
}

/**
 * ktest_own_address() - address of the device itself
 * @t: the case
 * @attr: all zero; filled in with the address
 *
 * Return: 0 or an errno.
 */
int ktest_own_address(struct ktest *t, struct rdma_ah_attr *attr)
{
	const struct ib_gid_attr *sgid;
	union ib_gid dgid;
	int err;

	sgid = rdma_get_gid_attr(t->dev, 1, t->gid_index);
	if (IS_ERR(sgid))
		return PTR_ERR(sgid);
	dgid = sgid->gid;
	attr->type = rdma_ah_find_type(t->dev, 1);
	rdma_ah_set_port_num(attr, 1);
	rdma_ah_set_grh(attr, &dgid, 0, t->gid_index, 64, 0);
	err = rdma_read_gid_l2_fields(sgid, NULL, attr->roce.dmac);
	rdma_put_gid_attr(sgid);
	return err;
}

static int ktest_to_rtr(struct ktest *t, struct ib_qp *qp, u32 dest_qpn)
{
	int mask = IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN |
		   IB_QP_RQ_PSN;
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR,
		.path_mtu = IB_MTU_1024,
		.dest_qp_num = dest_qpn,
		.rq_psn = KTEST_PSN,
		.max_dest_rd_atomic = 8,
		.min_rnr_timer = 12,
	};
	int err;

	if (qp->qp_type == IB_QPT_RC)
		mask |= IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER;
	err = ktest_own_address(t, &attr.ah_attr);
	return err ?: ib_modify_qp(qp, &attr, mask);
}

static int ktest_to_rts(struct ib_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS,
		.timeout = 18,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.sq_psn = KTEST_PSN,
		.max_rd_atomic = 8,
	};

	int mask = IB_QP_STATE | IB_QP_SQ_PSN;

	if (qp->qp_type == IB_QPT_RC)
		mask |= IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
			IB_QP_MAX_QP_RD_ATOMIC;
	return ib_modify_qp(qp, &attr, mask);
}

/**
 * ktest_connect() - connect two queue pairs: from state RESET to RTS
 * @t: the case
 * @a: one queue pair, RC or UC
 * @b: the other queue pair
 *
 * Return: 0 or an errno of modify_qp.
 */
int ktest_connect(struct ktest *t, struct ib_qp *a, struct ib_qp *b)
{
	int err;

	err = ktest_to_init(a) ?: ktest_to_init(b);
	err = err ?: ktest_to_rtr(t, a, b->qp_num);
	err = err ?: ktest_to_rtr(t, b, a->qp_num);
	return err ?: ktest_to_rts(a) ?: ktest_to_rts(b);
}

/**
 * ktest_to_state() - change to a state that needs no attributes
 * @qp: queue pair
 * @state: RESET or ERR
 *
 * Return: 0 or an errno of modify_qp.
 */
int ktest_to_state(struct ib_qp *qp, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };

	return ib_modify_qp(qp, &attr, IB_QP_STATE);
}

/**
 * ktest_to_err() - change from state RESET to ERR
 * @qp: queue pair; its requests then complete at once, with a flush error
 *
 * Return: 0 or an errno of modify_qp.
 */
int ktest_to_err(struct ib_qp *qp)
{
	return ktest_to_init(qp) ?: ktest_to_state(qp, IB_QPS_ERR);
}

/**
 * ktest_reconnect() - reset and connect both queue pairs, after an error
 * @t: the case
 *
 * Return: 0 or an errno of modify_qp.
 */
int ktest_reconnect(struct ktest *t)
{
	int err;

	err = ktest_to_state(t->a.qp, IB_QPS_RESET) ?:
	      ktest_to_state(t->b.qp, IB_QPS_RESET);
	return err ?: ktest_connect(t, t->a.qp, t->b.qp);
}

/**
 * ktest_open_qp() - create the queue pair of a side
 * @t: the case
 * @side: has a completion queue; set to the queue pair
 * @sig: which sends give a completion
 * @inline_data: maximum inline data in bytes
 *
 * Return: 0 or an errno of create_qp.
 */
int ktest_open_qp(struct ktest *t, struct ktest_side *side,
		  enum ib_sig_type sig, u32 inline_data)
{
	struct ib_qp_init_attr attr = {
		.send_cq = side->cq,
		.recv_cq = side->cq,
		.cap = {
			.max_send_wr = KTEST_WRS,
			.max_recv_wr = KTEST_WRS,
			.max_send_sge = 4,
			.max_recv_sge = 4,
			.max_inline_data = inline_data,
		},
		.sq_sig_type = sig,
		.qp_type = IB_QPT_RC,
	};

	side->qp = ib_create_qp(t->pd, &attr);
	return PTR_ERR_OR_ZERO(side->qp);
}

/**
 * ktest_least_attr() - attributes of the smallest queue pair
 * @send_cq: completion queue of its sends
 * @recv_cq: completion queue of its receives
 *
 * Return: those of a reliable connection that has room for one send and one receive
 * of one part each.
 */
struct ib_qp_init_attr ktest_least_attr(struct ib_cq *send_cq,
					struct ib_cq *recv_cq)
{
	return (struct ib_qp_init_attr) {
		.send_cq = send_cq,
		.recv_cq = recv_cq,
		.cap = {
			.max_send_wr = 1,
			.max_recv_wr = 1,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.qp_type = IB_QPT_RC,
	};
}

/**
 * ktest_open_least() - the smallest queue pair, with a completion queue of its own
 * @t: the case, which fails if one of the two cannot be made
 * @handler: handler of the completion queue's events
 * @context: argument of @handler
 * @cq: set to the completion queue, or to an error
 * @qp: set to the queue pair, or to an error; unchanged without a completion queue
 *
 * Return: whether both were made.
 */
bool ktest_open_least(struct ktest *t, ib_comp_handler handler, void *context,
		      struct ib_cq **cq, struct ib_qp **qp)
{
	struct ib_cq_init_attr cq_attr = { .cqe = 16 };
	struct ib_qp_init_attr attr;

	*cq = ib_create_cq(t->dev, handler, NULL, context, &cq_attr);
	EXPECT_EQ(t, PTR_ERR_OR_ZERO(*cq), 0);
	if (IS_ERR(*cq))
		return false;
	attr = ktest_least_attr(*cq, *cq);
	*qp = ib_create_qp(t->pd, &attr);
	EXPECT_EQ(t, PTR_ERR_OR_ZERO(*qp), 0);
	return !IS_ERR(*qp);
}

static int ktest_open_side(struct ktest *t, struct ktest_side *side,
			   enum ib_sig_type sig, u32 inline_data)
{
	u32 i;

	side->buf = kmalloc(KTEST_BUF_SIZE, GFP_KERNEL);
	if (!side->buf)
		return -ENOMEM;
	for (i = 0; i < KTEST_BUF_SIZE; i++)
		side->buf[i] = (uintptr_t)side + i * 7 + (i >> 8);
	side->dma = ib_dma_map_single(t->dev, side->buf, KTEST_BUF_SIZE,
				      DMA_BIDIRECTIONAL);
	if (ib_dma_mapping_error(t->dev, side->dma)) {
		side->dma = 0;
		return -EIO;
	}
	side->cq = ib_alloc_cq(t->dev, side, KTEST_CQES, 0, t->poll);
	if (IS_ERR(side->cq))
		return PTR_ERR(side->cq);
	return ktest_open_qp(t, side, sig, inline_data);
}

static void ktest_close_side(struct ktest *t, struct ktest_side *side)
{
	if (!IS_ERR_OR_NULL(side->qp))
		ib_destroy_qp(side->qp);
	if (!IS_ERR_OR_NULL(side->cq))
		ib_free_cq(side->cq);
	if (side->dma)
		ib_dma_unmap_single(t->dev, side->dma, KTEST_BUF_SIZE,
				    DMA_BIDIRECTIONAL);
	kfree(side->buf);
	memset(side, 0, sizeof(*side));
}

/**
 * ktest_setup() - create the objects of both sides and connect the queue pairs
 * @t: the case
 *
 * Return: 0 or an errno; the caller calls ktest_teardown() in either case.
 */
int ktest_setup(struct ktest *t)
{
	int err;

	err = ktest_open_side(t, &t->a, IB_SIGNAL_REQ_WR, 96) ?:
	      ktest_open_side(t, &t->b, IB_SIGNAL_ALL_WR, 0);
	return err ?: ktest_connect(t, t->a.qp, t->b.qp);
}

/**
 * ktest_teardown() - free the objects of both sides
 * @t: the case
 */
void ktest_teardown(struct ktest *t)
{
	ktest_close_side(t, &t->a);
	ktest_close_side(t, &t->b);
}

/* ---- work requests ------------------------------------------------------ */

static void ktest_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct ktest_op *op = container_of(wc->wr_cqe, struct ktest_op, cqe);

	op->wc = *wc;
	op->count++;
	complete(&op->done);
}

/**
 * ktest_op_init() - prepare a structure for one work request
 * @op: the structure, not in use
 *
 * Return: @op.
 */
struct ktest_op *ktest_op_init(struct ktest_op *op)
{
	memset(op, 0, sizeof(*op));
	op->cqe.done = ktest_done;
	init_completion(&op->done);
	return op;
}

/**
 * ktest_wait() - wait for the completion of a work request
 * @op: the request, which was posted
 *
 * Return: false if none has come in 20 seconds.
 */
bool ktest_wait(struct ktest_op *op)
{
	return wait_for_completion_timeout(&op->done, KTEST_WAIT);
}

/**
 * ktest_sge() - scatter-gather entry for a part of a side's buffer
 * @t: the case
 * @side: side that has the buffer
 * @off: offset in the buffer, in bytes
 * @len: length in bytes
 *
 * Return: the entry.
 */
struct ib_sge ktest_sge(struct ktest *t, struct ktest_side *side, u32 off,
			u32 len)
{
	return (struct ib_sge) {
		.addr = side->dma + off,
		.length = len,
		.lkey = t->pd->local_dma_lkey,
	};
}

/**
 * ktest_recv() - post a receive into the side's buffer
 * @t: the case
 * @side: side that receives
 * @op: gets the completion
 * @off: offset of the received data in the buffer, in bytes
 * @len: room for the data in bytes
 *
 * Return: as ib_post_recv().
 */
int ktest_recv(struct ktest *t, struct ktest_side *side, struct ktest_op *op,
	       u32 off, u32 len)
{
	struct ib_sge sge = ktest_sge(t, side, off, len);
	struct ib_recv_wr wr = {
		.wr_cqe = &ktest_op_init(op)->cqe,
		.sg_list = &sge,
		.num_sge = 1,
	};

	return ib_post_recv(side->qp, &wr, NULL);
}

/**
 * ktest_rdma() - post a SEND, WRITE or READ of the side's buffer
 * @t: the case
 * @side: side that posts the request
 * @op: gets the completion
 * @wr: the request; the function adds the buffer and @op
 * @off: offset of the data in the buffer, in bytes
 * @len: length of the data in bytes
 *
 * Return: as ib_post_send().
 */
int ktest_rdma(struct ktest *t, struct ktest_side *side, struct ktest_op *op,
	       struct ib_rdma_wr *wr, u32 off, u32 len)
{
	struct ib_sge sge = ktest_sge(t, side, off, len);

	wr->wr.wr_cqe = &ktest_op_init(op)->cqe;
	wr->wr.sg_list = &sge;
	wr->wr.num_sge = 1;
	return ib_post_send(side->qp, &wr->wr, NULL);
}

/**
 * ktest_do() - post a request and wait for it
 * @t: the case; @t->wc gets the completion
 * @qp: queue pair
 * @wr: the request; the function makes it signaled
 *
 * Return: enum ib_wc_status, or an errno: that of ib_post_send(), or -ETIME.
 */
int ktest_do(struct ktest *t, struct ib_qp *qp, struct ib_send_wr *wr)
{
	struct ktest_op *op = &t->op[KTEST_OPS - 1];
	const struct ib_send_wr *bad = NULL;
	int err;

	memset(&t->wc, 0, sizeof(t->wc));
	wr->wr_cqe = &ktest_op_init(op)->cqe;
	wr->send_flags |= IB_SEND_SIGNALED;
	err = ib_post_send(qp, wr, &bad);
	if (err) {
		EXPECT(t, bad == wr);
		return err;
	}
	if (!ktest_wait(op))
		return -ETIME;
	EXPECT(t, op->wc.qp == qp);
	t->wc = op->wc;
	return op->wc.status;
}

static int ktest_do_rdma(struct ktest *t, enum ib_wr_opcode opcode, u32 off,
			 u32 len, u64 addr, u32 key)
{
	struct ib_sge sge = ktest_sge(t, &t->a, off, len);
	struct ib_rdma_wr wr = {
		.wr = {
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = opcode,
		},
		.remote_addr = addr,
		.rkey = key,
	};

	return ktest_do(t, t->a.qp, &wr.wr);
}

/**
 * ktest_write() - WRITE from the near side's buffer
 * @t: the case
 * @off: offset of the data in the buffer, in bytes
 * @len: length of the data in bytes
 * @addr: remote address
 * @key: rkey
 *
 * Return: as ktest_do().
 */
int ktest_write(struct ktest *t, u32 off, u32 len, u64 addr, u32 key)
{
	return ktest_do_rdma(t, IB_WR_RDMA_WRITE, off, len, addr, key);
}

/**
 * ktest_read() - READ into the near side's buffer
 * @t: the case
 * @off: offset of the read data in the buffer, in bytes
 * @len: length of the data in bytes
 * @addr: remote address
 * @key: rkey
 *
 * Return: as ktest_do().
 */
int ktest_read(struct ktest *t, u32 off, u32 len, u64 addr, u32 key)
{
	return ktest_do_rdma(t, IB_WR_RDMA_READ, off, len, addr, key);
}

/**
 * ktest_reg() - REG_MR on the far side
 * @t: the case
 * @mr: the region
 * @key: key of the registration
 * @access: enum ib_access_flags
 *
 * Return: as ktest_do().
 */
int ktest_reg(struct ktest *t, struct ib_mr *mr, u32 key, int access)
{
	struct ib_reg_wr wr = {
		.wr.opcode = IB_WR_REG_MR,
		.mr = mr,
		.key = key,
		.access = access,
	};

	return ktest_do(t, t->b.qp, &wr.wr);
}

/**
 * ktest_inv() - LOCAL_INV on the far side
 * @t: the case
 * @key: key of the region or window to invalidate
 *
 * Return: as ktest_do().
 */
int ktest_inv(struct ktest *t, u32 key)
{
	struct ib_send_wr wr = {
		.opcode = IB_WR_LOCAL_INV,
		.ex.invalidate_rkey = key,
	};

	return ktest_do(t, t->b.qp, &wr);
}

/**
 * ktest_bind() - BIND_MW on the far side
 * @t: the case
 * @mw: the window; gets the new key if the bind succeeds
 * @key: new key of the window
 * @mr: the region
 * @addr: address of the first byte of the window
 * @length: length of the window in bytes
 * @access: enum ib_access_flags
 *
 * Return: as ktest_do().
 */
int ktest_bind(struct ktest *t, struct ib_mw *mw, u32 key, struct ib_mr *mr,
	       u64 addr, u64 length, int access)
{
	struct xrdma_bind_wr wr = {
		.wr.opcode = IB_WR_BIND_MW,
		.mw = mw,
		.rkey = key,
		.mr = mr,
		.addr = addr,
		.length = length,
		.access = access,
	};
	int status = ktest_do(t, t->b.qp, &wr.wr);

	if (!status)
		mw->rkey = key;
	return status;
}
