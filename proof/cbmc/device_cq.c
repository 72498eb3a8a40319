// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The device against a hostile host: the ring and the record of a completion
 * queue, as model/core/cq.c uses them, compiled unchanged. Stubs stand for the
 * translated memory of ring and record, for timers and for events: the record has
 * any contents, and the stubs check where the device writes. The order of arming
 * and event is in proof/spin/arm_cq.pml.
 *
 * CBMC: --unwind 2 --slice-formula
 */

#include "proof.h"
#include "device_objects.h"
#include "no_faults.h"
#include "core/cq.c"

static struct model_device dev;
static struct model_cq cq;

/* Entries written, with the last one and its position */
static u32 writes;
static u64 write_off;
static struct xrdma_cqe slot;
/* Completion events; times that the device ended the queue */
static u32 completions, failures;

/* A word of the record, of any contents, or an entry of the ring */
void *model_mem_ptr(struct model_device *device, struct model_mem *mem, u64 off,
		    size_t *len, bool write)
{
	static __le32 word;

	PROVE(device == &dev && write == (mem == &cq.ring));
	if (nondet_truth())
		return NULL;
	if (mem == &cq.ring) {
		PROVE(*len == sizeof(slot));
		writes++;
		write_off = off;
		return &slot;
	}
	PROVE(mem == &cq.rec && *len == 4 && off % 4 == 0);
	PROVE(off + *len <= sizeof(struct xrdma_cq_rec));
	word = nondet_u32();
	return &word;
}

unsigned int model_chaos_cqe(struct model_chaos *chaos, struct xrdma_cqe *cqe)
{
	(void)chaos;
	(void)cqe;
	return 1;
}

u64 model_device_clock(const struct model_device *device)
{
	(void)device;
	return nondet_u64();
}

int model_timer_arm(struct model_loop *loop, struct model_timer *timer,
		    u64 deadline_ns)
{
	(void)loop;
	(void)timer;
	(void)deadline_ns;
	return nondet_int();
}

void model_timer_cancel(struct model_loop *loop, struct model_timer *timer)
{
	(void)loop;
	(void)timer;
}

void model_eq_comp(struct model_device *device, struct model_cq *queue)
{
	PROVE(device == &dev && queue == &cq);
	completions++;
}

void model_event(struct model_device *device, u8 event, u32 number)
{
	PROVE(device == &dev && event == XRDMA_EVENT_CQ_ERR);
	PROVE(number == cq.cqn);
}

static void failed(struct model_device *device, const struct model_cq *queue)
{
	PROVE(device == &dev && queue == &cq && cq.dead);
	failures++;
}

static void any_queue(void)
{
	struct model_cq any;

	cq = any;	/* not initialised: any contents */
	cq.dead = nondet_truth();
	dev.live = nondet_truth();
	dev.shadow_db = nondet_truth();
	dev.cq_failed = failed;
	ASSUME(cq.log_depth >= XRDMA_CQ_LOG_MIN);
	ASSUME(cq.log_depth <= MODEL_CQ_LOG_MAX);
	ASSUME(xrdma_ring_used(cq.pi, cq.ci) <= 1U << cq.log_depth);
	ASSUME(cq.held < UINT32_MAX);
}

static u8 byte_of(const void *object, size_t at)
{
	return ((const u8 *)object)[at];
}

/*
 * Theorem: Whatever consumer index the host writes, the device writes a completion
 *	only where the ring has room: at the producer index, inside of the ring,
 *	over no entry that the host has not read according to an index that it
 *	could have written. The entry is that of the caller, with the phase of
 *	this lap. Without room, with a wrong index or out of reach, the
 *	completion is lost, the queue enters the error state, and the device
 *	calls cq_failed() once. A queue in the error state writes nothing.
 * Holds for: all completions, indexes, contents of the record, depths and
 *	moderations.
 * Assumes: at most as many entries as the ring has are not read, which the theorem
 *	shows to stay true; model_chaos_cqe() changes nothing; fewer than
 *	2^32 - 1 events wait because of moderation.
 */
static void completions_are_written_into_room(void)
{
	struct xrdma_cqe cqe;
	size_t at = nondet_u64();
	u32 pi, unread;
	bool dead;
	int err;

	any_queue();
	ASSUME(at < CQE_BODY);
	ASSUME(at < offsetof(struct xrdma_cqe, timestamp) ||
	       at >= offsetof(struct xrdma_cqe, timestamp) + 8);
	pi = cq.pi;
	unread = xrdma_ring_used(pi, cq.ci);
	dead = cq.dead || !dev.live;
	err = model_cq_push(&dev, &cq, &cqe);
	REACHABLE(!err && completions && unread == 1U << cq.log_depth);
	REACHABLE(!err && pi == UINT32_MAX && cq.log_depth == 16);
	REACHABLE(err && !dead && dev.user_errors);
	REACHABLE(!err && failures);
	PROVE(!err || err == -EPIPE);
	PROVE(xrdma_ring_used(cq.pi, cq.ci) <= 1U << cq.log_depth);
	PROVE(cq.pi == pi + !err && writes == !err);
	PROVE(xrdma_ring_used(pi, cq.ci) <= unread);
	PROVE(!dead || (err && !failures && !completions));
	PROVE(failures <= 1 && (failures || dead || !err));
	PROVE(failures == 0 || cq.dead);
	PROVE(completions <= 1);
	if (err)
		return;
	PROVE(xrdma_ring_used(pi, cq.ci) < 1U << cq.log_depth);
	PROVE(write_off == (u64)(pi & ((1U << cq.log_depth) - 1)) * sizeof(slot));
	PROVE(byte_of(&slot, at) == byte_of(&cqe, at));
	PROVE(le32_to_cpu(slot.own) == (~(pi >> cq.log_depth) & 1));
}

/*
 * Theorem: A doorbell that arms overlooks no completion: the queue fires at once
 *	exactly if a completion that asks for the event has been written to the
 *	index of the doorbell or behind it; otherwise the next such completion
 *	fires it, and the one after that does not. With type solicited, only a
 *	completion that is solicited or has failed asks for the event. A doorbell
 *	whose index is beyond the next completion is refused, and changes nothing.
 * Holds for: all indexes and types, all completions, all depths.
 * Assumes: no moderation; the queue has room for three completions and is in reach;
 *	the index is at most 2^31 entries behind.
 */
static void armings_overlook_no_completion(void)
{
	u32 type = nondet_truth() ? XRDMA_ARM_NEXT : XRDMA_ARM_SOLICITED;
	u32 index = nondet_u32(), first, before;
	struct xrdma_cqe cqe;
	bool asks;

	any_queue();
	dev.shadow_db = false;
	cq.dead = false;
	dev.live = true;
	cq.count = 0;
	cq.fired = cq.arm;
	ASSUME(xrdma_ring_used(cq.pi, cq.ci) <= (1U << cq.log_depth) - 3);
	cq.urgent = cq.pi;
	first = cq.pi;
	ASSUME(first - index < 1U << 31 || index - first < 1U << 31);

	cqe.status = nondet_u8();
	cqe.flags = cpu_to_le16(nondet_u16());
	asks = type == XRDMA_ARM_NEXT || cqe.status ||
	       le16_to_cpu(cqe.flags) & XRDMA_CQE_SOLICITED;
	if (nondet_truth()) {
		/* written before the doorbell comes */
		ASSUME(!model_cq_push(&dev, &cq, &cqe));
		PROVE(!completions);
		ASSUME(index == first || index == first + 1 ||
		       index == first + 2);
		PROVE(model_cq_arm(&dev, &cq, type, index) ==
		      (index != first + 2));
		before = completions;
		PROVE(before == (index == first && asks));
		REACHABLE(before && type == XRDMA_ARM_SOLICITED);
		if (index == first + 2)
			return;
	} else {
		ASSUME(index == first);
		PROVE(model_cq_arm(&dev, &cq, type, index));
		PROVE(!completions);
		before = 0;
	}
	ASSUME(!model_cq_push(&dev, &cq, &cqe));
	PROVE(completions == (before || asks));
	ASSUME(!model_cq_push(&dev, &cq, &cqe));
	PROVE(completions == (before || asks));
	REACHABLE(!completions);
	REACHABLE(completions && first == UINT32_MAX);
}
