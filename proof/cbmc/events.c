// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Driver and device together: events. The device fills them in core/event.c,
 * access.c and pager.c, and writes them in core/event.c; the driver reads them in
 * xrdma_eq.c, and xrdma_events.c finds the handler. All are compiled unchanged.
 * Stubs stand for the handlers, and record what they get. All theorems are about
 * the first event of a queue: device_eq.c proves where the device writes the others,
 * and ring.c that a reader finds them.
 *
 * CBMC: -I proof/include -I include --unwind 9 --slice-formula
 */

#define CONFIG_INFINIBAND_ON_DEMAND_PAGING

#include "proof.h"
#include "kernel.h"
#include <stdlib.h>
#include <rdma/ib_verbs.h>
#include "xrdma_eq.c"
#include "xrdma_events.c"

#include "device_events.h"
#include "no_faults.h"

/* The device copies an event without its last word, which it writes afterwards. */
static void copy_event(struct xrdma_eqe *to, const struct xrdma_eqe *from,
		       size_t len)
{
	__le32 own = to->own;

	PROVE(len == offsetof(struct xrdma_eqe, own));
	*to = *from;
	to->own = own;
}

#include "core/access.c"
#define memcpy(to, from, len)	copy_event(to, from, len)
#include "core/event.c"
#undef memcpy
#include "core/pager.c"

/* The memory of the queue: the first two entries, and the record */
static struct {
	struct xrdma_eqe ring[2];
	struct xrdma_cq_rec rec;
} shared;

static struct model_device dev;
static struct model_eq device_eq;
static struct model_qp device_qp = { .dev = &dev };

static struct xrdma_ibdev xib;
static struct {
	struct xrdma_buf buf;
	struct xrdma_buf_frag frag;
} memory = { .buf.shift = 12, .frag.cpu = &shared };
static struct xrdma_eq eq;

/* The arm word with which the driver has armed the queue before the event */
static u32 armed, armings;

/* Interrupts; calls of handlers, with the arguments of the last one */
static u32 interrupts, calls;
static enum handler {
	NONE, COMPLETION, CQ, QP, SRQ, LINK, DEAD, FAULT, PAGE_FAULT
} handler;
static u32 number;
static u8 code;
static struct xrdma_eqe got;
static u64 now;
static u8 doorbells[XRDMA_DB_PAGE_SIZE];

void *model_mem_ptr(struct model_device *device, struct model_mem *mem, u64 off,
		    size_t *len, bool write)
{
	PROVE(device == &dev && write == (mem == &device_eq.ring));
	if (mem == &device_eq.ring) {
		PROVE(!off && *len == 64);
		return &shared.ring[0];
	}
	PROVE(mem == &device_eq.rec && *len == 4 && (!off || off == 4));
	return off ? &shared.rec.arm : &shared.rec.ci;
}

bool model_chaos_eqe(struct model_chaos *chaos, struct xrdma_eqe *eqe)
{
	(void)chaos;
	(void)eqe;
	return false;
}

u64 model_device_clock(const struct model_device *device)
{
	(void)device;
	return now;
}

void model_device_irq(struct model_device *device, unsigned int vector)
{
	PROVE(device == &dev && vector == device_eq.vector);
	interrupts++;
	PROVE(xrdma_eq_interrupt(0, &eq) == IRQ_HANDLED);
}

/* counters are no subject of the theorems */
void model_stat_add(struct model_device *device, enum xrdma_stat stat, u64 n)
{
	(void)device;
	(void)stat;
	(void)n;
}

void model_qp_stat_add(const struct model_qp *qp, enum xrdma_stat stat, u64 n)
{
	(void)qp;
	(void)stat;
	(void)n;
}

void model_set_stat_add(const struct model_qp *qp, enum xrdma_stat stat, u64 n)
{
	(void)qp;
	(void)stat;
	(void)n;
}

struct model_qp *model_qp_get(struct model_device *device, u32 qpn)
{
	PROVE(device == &dev);
	return qpn == device_qp.qpn ? &device_qp : NULL;
}

void xrdma_cmdq_poll(struct xrdma_dev *xdev)
{
	PROVE(xdev == &xib.hw && !eq.eqn);
}

bool queue_work(struct workqueue_struct *queue, struct work_struct *work)
{
	(void)queue;
	(void)work;
	PROVE(!"one event needs no work item");
	return true;
}

static void handle(struct xrdma_ibdev *x, enum handler which, u32 num, u8 event)
{
	PROVE(x == &xib);
	calls++;
	handler = which;
	number = num;
	code = event;
}

void xrdma_cq_completion(struct xrdma_ibdev *x, u32 cqn)
{
	handle(x, COMPLETION, cqn, 0);
}

void xrdma_cq_event(struct xrdma_ibdev *x, u32 cqn, u8 event)
{
	handle(x, CQ, cqn, event);
}

void xrdma_qp_event(struct xrdma_ibdev *x, u32 qpn, u8 event)
{
	handle(x, QP, qpn, event);
}

void xrdma_srq_event(struct xrdma_ibdev *x, u32 srqn, u8 event)
{
	handle(x, SRQ, srqn, event);
}

void xrdma_netdev_link(struct xrdma_ibdev *x, bool up)
{
	handle(x, LINK, 1, up);
}

u32 xrdma_hw_status(const struct xrdma_dev *xdev)
{
	PROVE(xdev == &xib.hw);
	return nondet_u32();
}

__printf(2, 3) void xrdma_fatal(struct xrdma_dev *xdev, const char *fmt, ...)
{
	(void)fmt;
	handle(xdev_to_xibdev(xdev), DEAD, 0, 0);
}

void xrdma_fault_report(struct xrdma_ibdev *x, const struct xrdma_eqe *eqe)
{
	handle(x, FAULT, le32_to_cpu(eqe->number), 0);
	got = *eqe;
}

void xrdma_odp_event(struct xrdma_ibdev *x, const struct xrdma_eqe *eqe)
{
	handle(x, PAGE_FAULT, le32_to_cpu(eqe->number), 0);
	got = *eqe;
}

/* The doorbell that arms the event queue reaches the device. */
void writeq(u64 value, void __iomem *addr)
{
	PROVE(addr == doorbells + XRDMA_DB_EQ && !dev.shadow_db);
	PROVE((value & XRDMA_QPN_MASK) == eq.eqn);
	PROVE(low32(value) >> XRDMA_DB_TYPE_SHIFT == XRDMA_ARM_NEXT);
	PROVE(model_eq_arm(&dev, &device_eq, xrdma_db_index(value)));
	armings++;
}

static u32 arm_word(void)
{
	return dev.shadow_db ? le32_to_cpu(shared.rec.arm) : device_eq.arm;
}

/* An empty event queue that the driver has armed */
static void start(void)
{
	now = nondet_u64();
	dev.shadow_db = nondet_truth();
	xib.hw.caps.flags = dev.shadow_db ? XRDMA_CAP_SHADOW_DB : 0;
	xib.hw.db = doorbells;
	dev.live = true;
	dev.eqs[0] = &device_eq;
	dev.pager.eq = &device_eq;
	device_eq.log_depth = XRDMA_EQ_LOG_DEPTH;
	device_eq.vector = nondet_u8();
	TAILQ_INIT(&device_eq.pending);
	device_qp.qpn = nondet_u32();
	device_qp.pd = nondet_u32();
	xib.hw.event_ops = &xrdma_event_ops;
	eq.xdev = &xib.hw;
	eq.eqn = nondet_u8();
	eq.buf = &memory.buf;
	eq.rec = &shared.rec;
	xrdma_eq_arm(&eq);
	armed = arm_word();
}

/* The driver has handled one event, once, and has armed the queue again. */
static void expect(enum handler which, u32 num)
{
	PROVE(interrupts == 1 && calls == 1);
	PROVE(handler == which && number == num);
	PROVE(le32_to_cpu(shared.rec.ci) == 1 && device_eq.pi == 1);
	PROVE(device_eq.fired == armed);
	PROVE(arm_word() != armed);
	PROVE(armings == (dev.shadow_db ? 0 : 2));
}

/*
 * Theorem: Each completion event that the device raises makes the driver call the
 *	handler of the completion queue that the event is of, once.
 * Holds for: all numbers of completion queues.
 * Assumes: the event queue is empty, armed and in reach; model_chaos_eqe() adds
 *	nothing.
 */
static void completion_events_arrive(void)
{
	static struct model_cq device_cq = { .eq = &device_eq };

	start();
	device_cq.cqn = nondet_u32();
	model_eq_comp(&dev, &device_cq);
	REACHABLE(number == 0xffffff && !eq.eqn);
	expect(COMPLETION, device_cq.cqn);
}

/*
 * Theorem: Each asynchronous event of the chapter "Event queues" makes the driver
 *	call the handler of the kind of object that the chapter names, once, with
 *	the number of the object and the event; a link that is up or down is
 *	reported as such, and a fatal device is declared dead. An event that the
 *	chapter does not have is ignored.
 * Holds for: all events except CQ_COMP, FAULT and PAGE_FAULT, all numbers.
 * Assumes: as completion_events_arrive.
 */
static void asynchronous_events_arrive(void)
{
	u8 event = nondet_u8();
	u32 object = nondet_u32();

	start();
	ASSUME(event != 0x01 && event != 0x40 && event != 0x41);
	model_event(&dev, event, object);
	REACHABLE(handler == QP && event == 0x15 && object == 0xffffff);
	REACHABLE(handler == LINK && code);
	REACHABLE(handler == NONE);
	if (event == 0x02)
		expect(CQ, object);
	else if (event >= 0x10 && event <= 0x15)
		expect(QP, object);
	else if (event == 0x20 || event == 0x21)
		expect(SRQ, object);
	else if (event == 0x30 || event == 0x31)
		expect(LINK, 1);
	else if (event == 0x32)
		expect(DEAD, 0);
	else
		PROVE(!calls && le32_to_cpu(shared.rec.ci) == 1);
	PROVE(handler != LINK || code == (event == 0x30));
	PROVE((handler != CQ && handler != QP && handler != SRQ) ||
	      code == event);
}

/*
 * Theorem: The driver gets each record of a refused access with the reason, the
 *	operation, the queue pair and its protection domain, the key, the first
 *	address and the length of the access, with FAULT_REMOTE if the peer asked
 *	for the access and FAULT_WRITE if the access would have changed memory,
 *	and with the number of records that were lost before.
 * Holds for: all accesses and reasons.
 * Assumes: as completion_events_arrive.
 */
static void fault_records_arrive(void)
{
	u8 reason = nondet_u8(), flags;
	struct model_access_req req;
	u32 lost = nondet_u32();

	start();
	req.qp = &device_qp;
	req.remote = nondet_truth();
	device_eq.lost = lost;
	flags = (req.remote ? 1 : 0) + (req.rights & 0xb ? 2 : 0);
	model_fault(&dev, &req, reason);
	REACHABLE(flags == 3 && reason == 14 && lost);
	expect(FAULT, device_qp.qpn);
	PROVE(got.event == 0x40 && got.reason == reason && got.flags == flags);
	PROVE(got.opcode == req.opcode && le32_to_cpu(got.key) == req.key);
	PROVE(le32_to_cpu(got.pd) == device_qp.pd);
	PROVE(le64_to_cpu(got.addr) == req.addr);
	PROVE(le64_to_cpu(got.length) == req.len);
	PROVE(le64_to_cpu(got.timestamp) == now);
	PROVE(le32_to_cpu(got.lost) == lost && !device_eq.lost);
	PROVE(!got.token && !got.expected && !got.reserved);
}

/*
 * Theorem: The driver gets each page fault with the key index of the region, the
 *	first position that misses, the bytes that the access needs and those that
 *	the message is going to access, the operation, the queue pair and its
 *	protection domain, with FAULT_REMOTE if the peer asked for the access and
 *	FAULT_WRITE if the access is a write, and with a token that names the page
 *	fault and its generation.
 * Holds for: all accesses, and all generations of one page fault.
 * Assumes: as completion_events_arrive.
 */
static void page_faults_arrive(void)
{
	struct model_page_fault *fault = &dev.pager.faults[3];
	struct model_miss miss;
	u8 flags;

	start();
	fault->generation = nondet_u32();
	ASSUME(fault->generation <= TOKEN_GENERATION);
	miss.write = nondet_truth();
	miss.remote = nondet_truth();
	fault->miss = miss;
	flags = (miss.remote ? 1 : 0) + (miss.write ? 2 : 0);
	write_event(&dev, fault);
	REACHABLE(flags == 3 && miss.len == ~0ULL);
	expect(PAGE_FAULT, miss.qpn);
	PROVE(got.event == 0x41 && got.flags == flags);
	PROVE(got.opcode == miss.opcode && le32_to_cpu(got.key) == miss.key);
	PROVE(le32_to_cpu(got.pd) == miss.pd);
	PROVE(le64_to_cpu(got.addr) == miss.pos);
	PROVE(le64_to_cpu(got.length) == miss.len);
	PROVE(le64_to_cpu(got.expected) == miss.expected);
	PROVE(le64_to_cpu(got.timestamp) == now);
	PROVE(le32_to_cpu(got.token) % MODEL_PAGE_FAULTS == 3);
	PROVE(le32_to_cpu(got.token) / MODEL_PAGE_FAULTS == fault->generation);
	PROVE(!got.reason && !got.lost && !got.reserved);
}
