// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Driver and device together: CREATE_SRQ and MODIFY_SRQ. The driver's xrdma_srq.c
 * sizes the ring and fills the bodies of the commands, the device's core/srq.c makes
 * and changes a shared receive queue; both are compiled unchanged. Stubs stand for the
 * commands, of which commands.c proves that they arrive, for memory, and for the
 * objects that the queue names. The layout that the provider chooses for a process is
 * any layout.
 *
 * CBMC: -I proof/include -I include --unwind 9 --slice-formula
 */

#include "proof.h"
#include "kernel.h"
#include "xrdma_buf.h"

static void *record_at(const struct xrdma_buf *buf, size_t offset);
#define xrdma_buf_at(buf, offset)	record_at(buf, offset)

/* What a process sends with the request */
#define ib_copy_validate_udata_in(udata, req, last)			\
	((void)(udata), (req) = layout, 0)

#include "xrdma_hw.h"

static struct xrdma_ureq_create_srq layout;

#include "xrdma_srq.c"
#include "device_qp.h"
#include "core/srq.c"

/* Objects of the driver, and the objects of the device with the same numbers */
static struct xrdma_ibdev xib;
static struct xrdma_srq srq;
static struct xrdma_pd pd;
static struct xrdma_xrcd xrcd;
static struct xrdma_cq cq;
static struct model_device dev;
static struct model_cq device_cq;

/* What the consumer asks for */
static struct ib_srq_init_attr asks;
static struct ib_udata udata;

static struct xrdma_srq_rec rec;

#include "driver_rings.h"

/* ---- stubs for the kernel and other files of the driver ---- */

int xa_alloc_cyclic_irq(struct xarray *xa, u32 *id, void *entry,
			struct xa_limit limit, u32 *next, gfp_t flags)
{
	(void)entry;
	(void)next;
	(void)flags;
	PROVE(xa == &xib.srqs);
	*id = nondet_u32();
	ASSUME(*id >= limit.min && *id <= limit.max);
	return nondet_truth() ? 0 : -EBUSY;
}

void *xa_store_irq(struct xarray *xa, unsigned long id, void *entry,
		   gfp_t flags)
{
	(void)flags;
	PROVE(xa == &xib.srqs && id == srq.srqn && entry == &srq);
	return NULL;
}

void *xa_erase_irq(struct xarray *xa, unsigned long id)
{
	PROVE(xa == &xib.srqs && id == srq.srqn);
	return NULL;
}

/* The theorems for the kernel are about queues of up to 8 entries. */
static struct xrdma_srq_tag tags[8];

void *kvcalloc(size_t n, size_t bytes, gfp_t flags)
{
	(void)bytes;
	(void)flags;
	PROVE(n <= ARRAY_SIZE(tags));
	return nondet_truth() ? tags : NULL;
}

void kvfree(const void *mem)
{
	PROVE(mem == tags);
}

int xrdma_ubuf_map(struct xrdma_ibdev *x, struct xrdma_ubuf *ubuf, u64 addr,
		   u64 bytes)
{
	PROVE(x == &xib && addr == layout.buf_addr);
	any_root(bytes);
	ubuf->mtt.root = root;
	return nondet_truth() ? 0 : -ENOMEM;
}

void xrdma_ubuf_release(struct xrdma_ibdev *x, struct xrdma_ubuf *ubuf,
			bool keep)
{
	(void)ubuf;
	(void)keep;
	PROVE(x == &xib);
}

void xrdma_ubuf_swap(struct xrdma_ubuf *a, struct xrdma_ubuf *b)
{
	PROVE(a == &srq.user && b != a);
}

/* ---- the commands ---- */

static enum xrdma_cmd_status status;
static u32 executed;

int xrdma_cmd_create_srq(struct xrdma_dev *xdev,
			 const struct xrdma_cmd_create_srq *body)
{
	PROVE(xdev == &xib.hw);
	executed++;
	status = model_srq_create(&dev, body);
	PROVE(status != XRDMA_CMD_BAD_PARAM && status != XRDMA_CMD_BAD_NUMBER);
	return status ? -EINVAL : 0;
}

int xrdma_cmd_modify_srq(struct xrdma_dev *xdev,
			 const struct xrdma_cmd_modify_srq *body)
{
	PROVE(xdev == &xib.hw);
	executed++;
	status = model_srq_modify(&dev, body);
	PROVE(status != XRDMA_CMD_BAD_PARAM && status != XRDMA_CMD_BAD_NUMBER);
	return status ? -EINVAL : 0;
}

/* ---- stubs for the device ---- */

struct model_cq *model_cq_get(struct model_device *device, u32 cqn)
{
	TAILQ_INIT(&device_cq.srqs);
	PROVE(device == &dev);
	return cqn == device_cq.cqn ? &device_cq : NULL;
}

struct model_srq *model_srq_get(struct model_device *device, u32 srqn)
{
	PROVE(device == &dev);
	return srqn < MODEL_MAX_SRQ ? dev.srqs[srqn] : NULL;
}

/* The memory that the queue of the device uses */
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

/* A word of the record, which the host may change at any time */
void *model_mem_ptr(struct model_device *device, struct model_mem *mem, u64 off,
		    size_t *len, bool write)
{
	static __le32 word;

	(void)write;
	PROVE(device == &dev && off + *len <= mem->size && *len == sizeof(word));
	word = nondet_u32();
	return nondet_truth() ? &word : NULL;
}

/* Whether the device has raised SRQ_LIMIT */
static bool limit_reached;

void model_event(struct model_device *device, u8 type, u32 number)
{
	PROVE(device == &dev && number == srq.srqn);
	limit_reached = type == XRDMA_EVENT_SRQ_LIMIT;
}

/* ---- inputs ---- */

static void start(bool xrc)
{
	struct xrdma_ureq_create_srq any_layout;
	struct ib_srq_init_attr any;

	dev.caps = nondet_u64();
	xib.hw.caps.flags = dev.caps;
	xib.hw.caps.max_srq = nondet_u32();
	xib.hw.caps.max_qp_wr = nondet_u32();
	xib.hw.caps.max_sge = nondet_u8();
	ASSUME(xib.hw.caps.max_srq > 1 && xib.hw.caps.max_srq <= MODEL_MAX_SRQ);
	ASSUME(xib.hw.caps.max_qp_wr <= 1 << 15);
	pd.pdn = nondet_u16();
	xrcd.xrcdn = nondet_u32();
	ASSUME(xrcd.xrcdn && xrcd.xrcdn <= XRDMA_XRCDN_MAX);
	cq.cqn = nondet_u32();
	device_cq.cqn = cq.cqn;
	layout = any_layout;
	asks = any;	/* not initialised: any request */
	srq.ibsrq.device = &xib.ibdev;
	srq.ibsrq.pd = &pd.ibpd;
	srq.ibsrq.srq_type = xrc ? IB_SRQT_XRC : IB_SRQT_BASIC;
	ASSUME(asks.srq_type == srq.ibsrq.srq_type);
	srq.ibsrq.ext.cq = &cq.ibcq;
	srq.ibsrq.ext.xrc.xrcd = &xrcd.ibxrcd;
}

/* ---- theorems ---- */

/* The ring and the record behind it, in a buffer of their size */
static void expect_ring(const struct model_srq *s)
{
	u64 bytes = 1ULL << (s->wq.log_depth + s->wq.log_stride);

	PROVE(s->wq.ring.root == root && s->wq.ring.base == 0);
	PROVE(s->wq.ring.size == bytes && !s->wq.ring.flags);
	PROVE(s->rec.root == root && s->rec.size == 128 && !s->rec.flags);
	PROVE(s->rec.base >= bytes && s->rec.base < bytes + 128);
	PROVE(!(s->rec.base & 127) && s->rec.base + 128 == size);
	PROVE(srq.rq.log_depth == s->wq.log_depth);
	PROVE(srq.rq.log_stride == s->wq.log_stride);
}

static const struct model_srq *create(struct ib_udata *u)
{
	const struct ib_srq_attr want = asks.attr;
	bool xrc = srq.ibsrq.srq_type == IB_SRQT_XRC;
	const struct model_srq *s;

	ASSUME(!xrdma_create_srq(&srq.ibsrq, &asks, u));
	s = dev.srqs[srq.srqn];
	PROVE(executed == 1 && !status && s && s->srqn == srq.srqn);
	PROVE(s->pd == pd.pdn && s->xrcd == (xrc ? xrcd.xrcdn : 0));
	PROVE(s->cq == (xrc ? &device_cq : NULL) && !s->limit);
	expect_ring(s);
	PROVE(1U << s->wq.log_depth >= want.max_wr);
	PROVE(1U << s->wq.log_stride >= 16 + 16 * want.max_sge);
	PROVE(asks.attr.max_wr == 1U << s->wq.log_depth);
	PROVE(asks.attr.max_sge >= want.max_sge);
	return s;
}

/*
 * Theorem: The device makes of a shared receive queue of the kernel's consumers one
 *	with the number and the protection domain of the driver, without a limit;
 *	its ring has the depth and the stride of the driver, and holds as many
 *	requests of as many scatter-gather entries as the consumer asks for; the
 *	record is behind the ring, where the driver writes it, and inside of the
 *	buffer. The device refuses no number and no parameter.
 * Holds for: all requests of up to 8 entries; queues with the numbers 1 to 7.
 * Assumes: as create_qp.kernel_queue_pairs_are_made.
 */
static void kernel_queues_are_made(void)
{
	start(false);
	ASSUME(asks.attr.max_wr <= ARRAY_SIZE(tags));
	create(NULL);
	REACHABLE(asks.attr.max_wr == 8 && asks.attr.max_sge == 63);
	PROVE(srq.rec == &rec && record == dev.srqs[srq.srqn]->rec.base);
}

/*
 * Theorem: The same as kernel_queues_are_made, for a process and the ring that the
 *	provider has laid out; a queue for XRC has the XRC domain and the
 *	completion queue that the process has named.
 * Holds for: all requests and layouts; queues with and without XRC; numbers 1 to 7.
 * Assumes: as create_qp.kernel_queue_pairs_are_made.
 */
static void user_queues_are_made(void)
{
	bool xrc = nondet_truth();

	start(xrc);
	create(&udata);
	REACHABLE(xrc && xrcd.xrcdn > 0xffff);
	REACHABLE(!xrc && asks.attr.max_wr == 1 << 15);
	PROVE(!xrc || srq.ibsrq.ext.xrc.srq_num == srq.srqn);
}

/*
 * Theorem: If a change of a shared receive queue succeeds, the queue of the device has
 *	the limit that the process sets, or none if the event SRQ_LIMIT is raised
 *	at once, or the limit of before; and the new ring and record, or those of
 *	before; its stride, domain and number stay.
 * Holds for: all changes of the limit and the depth; queues of processes with the
 *	numbers 1 to 7.
 * Assumes: as user_queues_are_made.
 */
static void changes_are_made(void)
{
	u32 mask = nondet_u32(), old_limit = nondet_u32();
	struct ib_srq_attr attr;
	struct model_srq old;
	struct model_srq *s;
	u64 old_root;

	start(false);
	create(&udata);
	s = dev.srqs[srq.srqn];
	s->limit = old_limit;
	old = *s;
	old_root = root;
	layout.log_depth = nondet_u8();
	layout.buf_addr = nondet_u64();
	executed = 0;
	ASSUME(!xrdma_modify_srq(&srq.ibsrq, &attr, mask, &udata));
	REACHABLE(mask == 3 && s->wq.log_depth == 15 && root != old_root);
	PROVE(executed == (mask ? 1 : 0) && mask <= 3);
	PROVE(s->srqn == old.srqn && s->pd == old.pd && !s->xrcd && !s->cq);
	PROVE(s->wq.log_stride == old.wq.log_stride);
	PROVE(mask & 2 || s->limit == old_limit);
	PROVE(!(mask & 2) || s->limit == (limit_reached ? 0 : attr.srq_limit));
	PROVE(!(mask & 1) || 1U << s->wq.log_depth >= attr.max_wr);
	PROVE(mask & 1 || s->wq.log_depth == old.wq.log_depth);
	expect_ring(s);
}
