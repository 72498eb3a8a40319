// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The device against a hostile host: the command ring and the reply ring, as
 * model/core/cmdq.c uses them, compiled unchanged. Stubs stand for the memory of
 * the rings, which has any contents, and for the execution of a command: they
 * check where the device reads and writes.
 *
 * CBMC: --unwind 3 --slice-formula
 * CBMC: --unwindset take_fault.0:17,list_is_free.0:17
 */

#include "proof.h"
#include "device_objects.h"
#include "core/cmdq.c"

/* Commands that wait in the ring when the device begins to execute them */
#define COMMANDS_MAX	2

static struct model_device dev;
static struct model_cmdq *const q = &dev.cmdq;

/* Commands read, executed and answered; index before the first one */
static u32 reads, runs, replies, interrupts;
static u32 first, first_reply;
static struct xrdma_rsp slot;
static u32 host_errors;

void model_host_error(struct model_host_errors *herr,
		      enum model_host_error_kind kind, const char *fmt, ...)
{
	(void)herr;
	(void)fmt;
	PROVE(kind == MODEL_HERR_CMD_INDEX);
	host_errors++;
}

static u64 place_of(u32 index, u64 size)
{
	return (index & ((1U << q->log_depth) - 1)) * size;
}

/* A command, of any contents */
int model_mem_read(struct model_device *device, struct model_mem *mem, u64 off,
		   void *buf, size_t len)
{
	(void)buf;
	PROVE(device == &dev && dev.live && mem == &q->ring);
	PROVE(len == sizeof(struct xrdma_cmd));
	PROVE(off == place_of(first + reads, len));
	if (nondet_truth())
		return -EFAULT;
	reads++;
	return 0;
}

/* The memory of a reply */
void *model_mem_ptr(struct model_device *device, struct model_mem *mem, u64 off,
		    size_t *len, bool write)
{
	PROVE(device == &dev && mem == &q->replies && write);
	PROVE(*len == sizeof(slot));
	PROVE(off == place_of(first_reply + replies, *len));
	if (nondet_truth())
		return NULL;
	replies++;
	return &slot;
}

void model_cmd_execute(struct model_device *device, const struct xrdma_cmd *cmd,
		       struct xrdma_rsp *rsp)
{
	PROVE(device == &dev && runs + 1 == reads);
	rsp->id = cmd->id;
	runs++;
}

unsigned int model_chaos_reply(struct model_chaos *chaos, struct xrdma_rsp *rsp)
{
	(void)chaos;
	(void)rsp;
	return 1;
}

void model_device_irq(struct model_device *device, unsigned int vector)
{
	PROVE(device == &dev && !vector);
	PROVE(le32_to_cpu(slot.own) ==
	      (~((first_reply + replies - 1) >> q->log_depth) & 1));
	interrupts++;
}

void model_device_fatal(struct model_device *device, u8 code)
{
	PROVE(device == &dev && code == XRDMA_FATAL_DMA);
	dev.live = false;
}

/* Commands that the device has not answered */
static u32 unanswered(void)
{
	return xrdma_ring_used(q->pi, q->rsp_pi - q->extra);
}

/* Commands that the device has not read */
static u32 unread(void)
{
	return xrdma_ring_used(q->pi, q->ci);
}

static void any_rings(void)
{
	q->log_depth = nondet_u8();
	q->pi = nondet_u32();
	q->ci = nondet_u32();
	q->rsp_pi = nondet_u32();
	q->extra = nondet_u32();
	dev.live = nondet_truth();
	ASSUME(q->log_depth <= 31);
	ASSUME(unread() <= unanswered() && unanswered() <= 1U << q->log_depth);
}

/*
 * Theorem: Whatever producer index the host writes into the command doorbell, the
 *	device accepts it only if the ring then holds at most as many commands
 *	without an answer as it has entries, and not less than before, so that
 *	no command is executed twice and no reply overwrites another one that
 *	the host awaits. A refused index is a host error and changes nothing.
 * Holds for: all indexes, rings of up to 2^31 entries.
 * Assumes: the same of the indexes before, which the theorem shows to stay true.
 */
static void producer_index_is_checked(void)
{
	u32 pi = nondet_u32(), before, waiting;
	bool live;

	any_rings();
	before = q->pi;
	waiting = unread();
	live = dev.live;
	model_cmdq_doorbell(&dev, pi);
	REACHABLE(q->pi != before && pi < before && q->log_depth == 31);
	REACHABLE(host_errors);
	PROVE(q->pi == pi || q->pi == before);
	PROVE(unread() >= waiting && unread() <= unanswered());
	PROVE(unanswered() <= 1U << q->log_depth);
	PROVE(!live || host_errors == (q->pi != pi));
	PROVE(live || (q->pi == before && !host_errors));
}

static bool list_is_free(void)
{
	u32 i;

	for (i = 0; i < MODEL_CMD_FAULTS; i++)
		if (q->faults[i].count)
			return false;
	return true;
}

/*
 * Theorem: The device reads each command once, in order, inside of the command
 *	ring, executes it once, and writes its reply once, with the phase of the
 *	lap, at the next place of the reply ring. It ends when a ring is out of
 *	reach.
 * Form: long
 * Solver: cadical
 * Holds for: up to 2 commands in the ring, of any contents, that are read and
 *	answered at any indexes; rings of up to 2^31 entries.
 * Assumes: what producer_index_is_checked shows of the indexes; no test has set a
 *	fault of commands.
 */
static void commands_are_executed_once(void)
{
	u32 waiting, open;
	bool worked;

	any_rings();
	first = q->ci;
	first_reply = q->rsp_pi;
	waiting = unread();
	open = unanswered();
	dev.live = true;
	ASSUME(waiting <= COMMANDS_MAX && list_is_free());
	worked = model_cmdq_poll(&dev);
	REACHABLE(replies == 2 && first == UINT32_MAX &&
		  first_reply == UINT32_MAX - 1);
	REACHABLE(waiting == 2 && reads == 1 && !dev.live);
	REACHABLE(waiting == 0);
	PROVE(worked == (reads > 0));
	PROVE(reads <= waiting && q->ci == first + reads && runs == reads);
	PROVE(replies <= runs && q->rsp_pi == first_reply + replies);
	PROVE(interrupts == replies);
	PROVE(!dev.live || (reads == waiting && replies == reads));
	PROVE(unread() <= unanswered() && unanswered() == open - replies);
}
