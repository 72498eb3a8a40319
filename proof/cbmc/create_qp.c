// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Driver and device together: CREATE_QP. The driver's xrdma_qp_verbs.c, xrdma_qp.c,
 * xrdma_kqp.c and xrdma_uqp.c size the rings and fill the body of the command, the
 * device's core/qp.c makes a queue pair of the body; all are compiled unchanged.
 * Stubs stand for the command, of which commands.c proves that it arrives, for
 * memory, and for the objects that a queue pair names. The layout that the provider
 * chooses for a process is any layout.
 *
 * CBMC: -I proof/include -I include --unwind 9 --slice-formula
 */

#include "proof.h"
#include "kernel.h"
#include "xrdma_buf.h"

static void *record_at(const struct xrdma_buf *buf, size_t offset);
#define xrdma_buf_at(buf, offset)	record_at(buf, offset)

/* What a process sends with the request, and its doorbell page */
#define ib_copy_validate_udata_in(udata, req, last)			\
	((void)(udata), (req) = layout, 0)
#define rdma_udata_to_drv_context(udata, type, member)			\
	((void)(udata), &process)

#include "xrdma_qp.c"
#include "xrdma_ctx.h"

static struct xrdma_ureq_create_qp layout;
static struct xrdma_ucontext process;

#include "xrdma_kqp.c"
#include "xrdma_qp_verbs.c"
#include "xrdma_uqp.c"
#include "device_qp.h"
#include "no_faults.h"
#include "core/qp.c"

/* Objects of the driver, and the objects of the device with the same numbers */
static struct xrdma_ibdev xib;
static struct xrdma_qp qp;
static struct xrdma_pd pd;
static struct xrdma_xrcd xrcd;
static struct xrdma_cq send_cq, recv_cq;
static struct xrdma_srq srq;
static struct model_device dev;
static struct model_cq device_send_cq, device_recv_cq;
static struct model_srq device_srq;
static struct model_qp_transport *no_transport;

/* What the consumer asks for */
static struct ib_qp_init_attr asks;
static struct ib_udata udata;
static bool user;

static struct xrdma_qp_rec rec;
static u64 wr_ids[2];

#include "driver_rings.h"

/* ---- stubs for the kernel and other files of the driver ---- */

int xa_alloc_cyclic_irq(struct xarray *xa, u32 *id, void *entry,
			struct xa_limit limit, u32 *next, gfp_t flags)
{
	(void)entry;
	(void)next;
	(void)flags;
	PROVE(xa == &xib.qps);
	*id = nondet_u32();
	ASSUME(*id >= limit.min && *id <= limit.max);
	return nondet_truth() ? 0 : -EBUSY;
}

int xa_insert_irq(struct xarray *xa, unsigned long id, void *entry, gfp_t flags)
{
	(void)id;
	(void)entry;
	(void)flags;
	PROVE(xa == &xib.qps);
	return nondet_truth() ? 0 : -EBUSY;
}

void *xa_store_irq(struct xarray *xa, unsigned long id, void *entry,
		   gfp_t flags)
{
	(void)flags;
	PROVE(xa == &xib.qps && id == qp.qpn && entry == &qp);
	return NULL;
}

void *xa_erase_irq(struct xarray *xa, unsigned long id)
{
	PROVE(xa == &xib.qps && id == qp.qpn);
	return NULL;
}

void rb_add(struct rb_node *node, struct rb_root *tree,
	    bool (*less)(struct rb_node *a, const struct rb_node *b))
{
	(void)less;
	PROVE(node == &qp.send_node ? tree == &send_cq.send_qps :
				      tree == &recv_cq.recv_qps);
}

void *kvcalloc(size_t n, size_t bytes, gfp_t flags)
{
	(void)n;
	(void)bytes;
	(void)flags;
	return nondet_truth() ? wr_ids : NULL;
}

void kvfree(const void *mem)
{
	(void)mem;
}

int xrdma_ubuf_map(struct xrdma_ibdev *x, struct xrdma_ubuf *ubuf, u64 addr,
		   u64 bytes)
{
	PROVE(x == &xib && ubuf == &qp.user && addr == layout.buf_addr);
	any_root(bytes);
	ubuf->mtt.root = root;
	return nondet_truth() ? 0 : -ENOMEM;
}

void xrdma_ubuf_release(struct xrdma_ibdev *x, struct xrdma_ubuf *ubuf,
			bool keep)
{
	(void)keep;
	PROVE(x == &xib && ubuf == &qp.user);
}

int xrdma_rss_create(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
		     struct ib_udata *u)
{
	(void)ibqp;
	(void)u;
	PROVE(attr->rwq_ind_tbl);
	return -EOPNOTSUPP;
}

/* ---- the command ---- */

static enum xrdma_cmd_status status;
static u32 executed;

int xrdma_cmd_create_qp(struct xrdma_dev *xdev,
			const struct xrdma_cmd_create_qp *body)
{
	PROVE(xdev == &xib.hw);
	executed++;
	status = model_qp_create(&dev, body);
	PROVE(status != XRDMA_CMD_BAD_PARAM && status != XRDMA_CMD_BAD_NUMBER);
	return status ? -EINVAL : 0;
}

/* ---- stubs for the device ---- */

struct model_cq *model_cq_get(struct model_device *device, u32 cqn)
{
	PROVE(device == &dev);
	TAILQ_INIT(&device_send_cq.senders);
	TAILQ_INIT(&device_recv_cq.senders);
	TAILQ_INIT(&device_send_cq.receivers);
	TAILQ_INIT(&device_recv_cq.receivers);
	TAILQ_INIT(&device_srq.qps);
	if (cqn == device_send_cq.cqn)
		return &device_send_cq;
	return cqn == device_recv_cq.cqn ? &device_recv_cq : NULL;
}

struct model_srq *model_srq_get(struct model_device *device, u32 srqn)
{
	PROVE(device == &dev);
	return srqn == device_srq.srqn ? &device_srq : NULL;
}

/* The memory that the queue pair of the device uses */
void model_mem_init(struct model_mem *mem, u64 mem_root, u64 base, u64 bytes,
		    u8 flags)
{
	mem->root = mem_root;
	mem->base = base;
	mem->size = bytes;
	mem->flags = flags;
}

int model_mem_probe(struct model_device *device, struct model_mem *mem,
		    bool write)
{
	PROVE(device == &dev && (!write || mem->size == 128));
	return nondet_truth() ? -EFAULT : 0;
}

void model_pager_init_qp(struct model_qp *q)
{
	PROVE(q->dev == &dev);
}

static int transport_init(struct model_qp *q)
{
	q->tp = no_transport;
	return nondet_truth() ? 0 : -ENOMEM;
}

static const struct model_qp_ops ops = { .init = transport_init };
static struct model_transport transport;

/* ---- inputs ---- */

static void start(bool is_user)
{
	struct xrdma_ureq_create_qp any_layout;
	struct ib_qp_init_attr any;
	int i;

	for (i = 0; i < MODEL_NUM_QP_TYPES; i++)
		transport.qp_ops[i] = &ops;
	dev.params.transport = &transport;
	dev.caps = nondet_u64();
	xib.hw.caps.flags = dev.caps;
	xib.hw.caps.max_qp = nondet_u32();
	xib.hw.caps.max_qp_wr = nondet_u32();
	xib.hw.caps.max_sge = nondet_u8();
	xib.hw.caps.max_inline = nondet_u16();
	ASSUME(xib.hw.caps.max_qp > 2 && xib.hw.caps.max_qp <= MODEL_MAX_QP);
	ASSUME(xib.hw.caps.max_qp_wr && xib.hw.caps.max_qp_wr <= 1 << 15);
	pd.pdn = nondet_u16();
	xrcd.xrcdn = nondet_u32();
	send_cq.cqn = nondet_u32();
	recv_cq.cqn = nondet_u32();
	srq.srqn = nondet_u32();
	device_send_cq.cqn = send_cq.cqn;
	device_recv_cq.cqn = recv_cq.cqn;
	device_srq.srqn = srq.srqn;
	process.db_page = nondet_u32();
	ASSUME(process.db_page < XRDMA_NUM_DB_PAGES);
	ASSUME(xrcd.xrcdn && xrcd.xrcdn <= XRDMA_XRCDN_MAX);
	layout = any_layout;
	user = is_user;
	asks = any;	/* not initialised: any request */
	asks.send_cq = &send_cq.ibcq;
	asks.recv_cq = &recv_cq.ibcq;
	asks.srq = nondet_truth() ? &srq.ibsrq : NULL;
	ASSUME(!asks.srq || dev.caps & XRDMA_CAP_SRQ);
	ASSUME(asks.qp_type != IB_QPT_XRC_TGT);
	asks.xrcd = NULL;
	asks.rwq_ind_tbl = NULL;
	qp.ibqp.device = &xib.ibdev;
	qp.ibqp.pd = &pd.ibpd;
	qp.ibqp.srq = asks.srq;
}

/* ---- theorems ---- */

/* A ring has room for @wr requests of @bytes bytes, if there are any. */
static void expect_room(const struct model_wq *wq, u32 wr, u32 bytes)
{
	u32 room = wq->log_stride ? 1U << wq->log_stride : wq->units * 64;

	PROVE(!wr || (room && 1U << wq->log_depth >= wr));
	PROVE(!wr || room >= bytes);
}

/*
 * The rings follow each other, and the record is behind them, in one buffer. As many of
 * the longest send entries fit as the queue is deep, and a tail.
 */
static void expect_buffer(const struct model_qp *q)
{
	u64 units = q->sq.units;
	u64 sq = units ? (units << q->sq.log_depth) * 64 + (units - 1) * 64 : 0;
	u64 rq = q->rq.log_stride ? 1ULL << (q->rq.log_depth + q->rq.log_stride) : 0;

	PROVE(q->rq.ring.root == root && q->rq.ring.base == 0);
	PROVE(q->sq.ring.root == root && q->sq.ring.base >= rq);
	PROVE(q->sq.ring.base < rq + 64 && !(q->sq.ring.base & 63));
	PROVE(q->sq.ring.size == sq && q->rq.ring.size == rq);
	PROVE(q->rec.root == root && q->rec.base >= q->sq.ring.base + sq);
	PROVE(q->rec.base < q->sq.ring.base + sq + 128 && !(q->rec.base & 127));
	PROVE(q->rec.size == 128 && q->rec.base + 128 == size);
	PROVE(!q->sq.ring.flags && !q->rq.ring.flags && !q->rec.flags);
}

/* The driver, or the provider, puts entries where the device reads them. */
static void expect_driver(const struct model_qp *q)
{
	PROVE(qp.sq.log_depth == q->sq.log_depth);
	PROVE(qp.sq.units == q->sq.units);
	PROVE(qp.rq.log_depth == q->rq.log_depth);
	PROVE(qp.rq.log_stride == q->rq.log_stride);
	PROVE(qp.type == q->type && qp.state == 0 && q->state == 0);
	PROVE(user || (qp.rq.offset == 0 && qp.sq.offset == q->sq.ring.base));
	PROVE(user || (record == q->rec.base && qp.rec == &rec));
	PROVE(qp.ibqp.qp_num == q->qpn && qp.qpn == q->qpn);
	PROVE(qp.xdev == &xib.hw);
}

static u8 type_of(enum ib_qp_type type)
{
	switch (type) {
	case IB_QPT_RC:
		return 0;
	case IB_QPT_UC:
		return 1;
	case IB_QPT_UD:
		return 2;
	case IB_QPT_GSI:
		return 3;
	case IB_QPT_XRC_INI:
		return 4;
	default:
		return 6;
	}
}

/* Domain, flags and the other objects of the queue pair */
static void expect_objects(const struct model_qp *q)
{
	bool has_rq = q->type != 4;
	u8 flags = 0;

	flags |= asks.sq_sig_type == IB_SIGNAL_ALL_WR ? 1 : 0;
	flags |= user ? 0 : 2;
	flags |= asks.srq ? 4 : 0;
	PROVE(q->type == type_of(asks.qp_type) && q->flags == flags);
	PROVE(q->pd == pd.pdn && !q->xrcd);
	PROVE(q->db_page == (user ? process.db_page : 0));
	PROVE(q->srq == (asks.srq ? &device_srq : NULL));
	PROVE(q->send_cq ? q->send_cq->cqn == send_cq.cqn : !q->sq.units);
	PROVE(q->recv_cq ? q->recv_cq->cqn == recv_cq.cqn : !has_rq);
	PROVE(!q->sq.units || q->send_cq);
	PROVE(!has_rq || q->recv_cq);
}

static void create(bool is_user)
{
	const struct ib_qp_cap want = asks.cap;
	u32 header, bytes;
	struct model_qp *q;

	ASSUME(!xrdma_create_qp(&qp.ibqp, &asks, user ? &udata : NULL));
	PROVE(executed == 1 && !status);
	q = dev.qps[qp.qpn];
	PROVE(q);
	header = q->type == 2 || q->type == 3 ? 64 : 32;
	bytes = want.max_send_sge * 16;
	bytes = header + max(bytes, want.max_inline_data);
	expect_objects(q);
	expect_driver(q);
	expect_buffer(q);
	expect_room(&q->sq, want.max_send_wr, bytes);
	if (q->type != 4 && !asks.srq)
		expect_room(&q->rq, want.max_recv_wr,
			    16 + 16 * want.max_recv_sge);
	PROVE(asks.cap.max_send_wr >= want.max_send_wr);
	REACHABLE(q->rq.log_stride == 10 && q->sq.log_depth == 15);
	REACHABLE(asks.srq && q->type == 2);
}

/*
 * Theorem: The device makes of a queue pair of the kernel's consumers one of the same
 *	type, with the number, the protection domain, the completion queues, the
 *	shared receive queue and the kind of signaling that the consumer has
 *	named, on doorbell page 0; its rings have the depths and sizes of
 *	entries of the driver, are where the driver writes them, and hold as many requests of as
 *	many scatter-gather entries or inline bytes as the consumer asks for; the
 *	record is behind the rings and inside of the buffer. The device refuses
 *	no number and no parameter.
 * Holds for: all requests; all types but XRC_TGT; all limits of the device; queue pairs
 *	with the numbers 1 to 7.
 * Assumes: the translation of the buffer covers the buffer, as harnesses xlat_shape
 *	and xlat_pieces prove; work queues of at most 2^15 entries (theorem
 *	commands.limits_are_taken); a consumer has a shared receive queue only of
 *	a device with the capability; theorem commands.bodies_arrive.
 */
static void kernel_queue_pairs_are_made(void)
{
	start(false);
	create(false);
}

/*
 * Theorem: The same as kernel_queue_pairs_are_made, for a process: the rings are those
 *	that the provider has laid out, and only the doorbell page of the process
 *	rings the queue pair, which may not use what is for the kernel only.
 * Holds for: all requests and layouts; all types but XRC_TGT; all limits.
 * Assumes: as kernel_queue_pairs_are_made.
 */
static void user_queue_pairs_are_made(void)
{
	start(true);
	create(true);
}

/*
 * Theorem: The device makes of an XRC_TGT queue pair one without rings, queues and
 *	protection domain, in the XRC domain that the consumer has named.
 * Holds for: all requests; queue pairs with the numbers 1 to 7.
 * Assumes: ib_core gives such a queue pair no other objects; theorem
 *	commands.bodies_arrive.
 */
static void xrc_targets_are_made(void)
{
	struct model_qp *q;

	start(false);
	asks.qp_type = IB_QPT_XRC_TGT;
	asks.xrcd = &xrcd.ibxrcd;
	asks.send_cq = NULL;
	asks.recv_cq = NULL;
	asks.srq = NULL;
	qp.ibqp.pd = NULL;
	ASSUME(!xrdma_create_qp(&qp.ibqp, &asks, NULL));
	REACHABLE(xrcd.xrcdn > 0xffff);
	q = dev.qps[qp.qpn];
	PROVE(executed == 1 && !status && q);
	PROVE(q->type == 5 && q->xrcd == xrcd.xrcdn && !q->pd && !q->db_page);
	PROVE(!q->send_cq && !q->recv_cq && !q->srq);
	PROVE(!q->sq.units && !q->rq.log_stride && !(q->flags & ~1));
	PROVE(qp.ibqp.qp_num == q->qpn && !asks.cap.max_send_wr);
}
