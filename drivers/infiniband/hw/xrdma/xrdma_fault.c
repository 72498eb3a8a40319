// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRDMA fault records: counts the accesses that the device has refused, by
 * reason, and stores the last records of them. Creates the debugfs directories
 * of module and device. Consumers get errors as the status of a completion
 * (xrdma_poll.c); counters and records are for diagnosis, also in
 * xrdma_stats.c and xrdma_restrack.c.
 *
 * The debugfs file xrdma/<PCI function>/faults shows the records, oldest first.
 */

#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/ratelimit.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string_choices.h>
#include "xrdma_encode.h"
#include "xrdma_fault.h"
#include "xrdma_ibdev.h"
#include "xrdma_trace.h"

#define XRDMA_FAULT_KEPT	256 /* a power of two */
/*
 * Largest number of tracepoints in a second. Counters and records have no
 * limit.
 */
#define XRDMA_FAULT_TRACED	1000

/**
 * struct xrdma_faults - refused accesses of a device
 * @counts: number of refused accesses by reason; [0] counts unknown reasons
 * @traced: rate limit of the tracepoint
 * @dir: debugfs directory of the device
 * @lock: protects @num and @kept; taken in interrupts
 * @num: number of records since the device was started
 * @kept: ring of the last records; record n is at n modulo XRDMA_FAULT_KEPT
 */
struct xrdma_faults {
	atomic64_t counts[XRDMA_NUM_FAULTS];
	struct ratelimit_state traced;
	struct dentry *dir;
	spinlock_t lock; /* num, kept */
	u64 num;
	struct xrdma_eqe kept[XRDMA_FAULT_KEPT];
};

static struct dentry *xrdma_debugfs_root;

#define XRDMA_FAULT_NAME(symbol, name) [XRDMA_FAULT_##symbol] = name,

static const char *const xrdma_fault_names[XRDMA_NUM_FAULTS] = {
	XRDMA_FAULTS(XRDMA_FAULT_NAME)
};

static const char *const xrdma_op_names[] = {
	[XRDMA_OP_SEND] = "SEND",
	[XRDMA_OP_SEND_IMM] = "SEND_IMM",
	[XRDMA_OP_SEND_INV] = "SEND_INV",
	[XRDMA_OP_WRITE] = "WRITE",
	[XRDMA_OP_WRITE_IMM] = "WRITE_IMM",
	[XRDMA_OP_READ] = "READ",
	[XRDMA_OP_CMP_SWAP] = "CMP_SWAP",
	[XRDMA_OP_FETCH_ADD] = "FETCH_ADD",
	[XRDMA_OP_BIND_MW] = "BIND_MW",
	[XRDMA_OP_LOCAL_INV] = "LOCAL_INV",
	[XRDMA_OP_REG_MR] = "REG_MR",
	[XRDMA_OP_FLUSH] = "FLUSH",
	[XRDMA_OP_ATOMIC_WRITE] = "ATOMIC_WRITE",
	[XRDMA_OP_RECV] = "RECV",
	[XRDMA_OP_RECV_WRITE_IMM] = "RECV_WRITE_IMM",
};

/**
 * xrdma_fault_name() - name of a reason
 * @reason: enum xrdma_fault_reason, or an unknown value
 *
 * Context: any.
 * Return: the name; "unknown" for an unknown value.
 */
const char *xrdma_fault_name(u32 reason)
{
	return reason < XRDMA_NUM_FAULTS ? xrdma_fault_names[reason] :
					   "unknown";
}

static const char *xrdma_op_name(u8 opcode)
{
	if (opcode >= ARRAY_SIZE(xrdma_op_names) || !xrdma_op_names[opcode])
		return "unknown";
	return xrdma_op_names[opcode];
}

/**
 * xrdma_fault_report() - count, record and trace a refused access
 * @xib: the device
 * @eqe: the event XRDMA_EVENT_FAULT
 *
 * Context: any.
 */
void xrdma_fault_report(struct xrdma_ibdev *xib, const struct xrdma_eqe *eqe)
{
	struct xrdma_faults *faults = xib->faults;
	u32 reason = eqe->reason < XRDMA_NUM_FAULTS ? eqe->reason : 0;
	unsigned long flags;

	atomic64_inc(&faults->counts[reason]);
	spin_lock_irqsave(&faults->lock, flags);
	faults->kept[faults->num++ % XRDMA_FAULT_KEPT] = *eqe;
	spin_unlock_irqrestore(&faults->lock, flags);
	if (trace_xrdma_fault_enabled() && __ratelimit(&faults->traced))
		trace_xrdma_fault(xib, eqe);
}

/**
 * xrdma_fault_count() - number of refused accesses of a reason
 * @xib: the device
 * @reason: enum xrdma_fault_reason; 0: unknown reasons
 *
 * Context: any.
 * Return: the number since the device was started (xrdma_life_begin()).
 */
u64 xrdma_fault_count(const struct xrdma_ibdev *xib, u32 reason)
{
	return atomic64_read(&xib->faults->counts[reason]);
}

/* Copy the last record in which the word at @offset & @mask equals @value. */
static bool xrdma_fault_find(struct xrdma_faults *faults, size_t offset,
			     __le32 mask, __le32 value, struct xrdma_eqe *eqe)
{
	unsigned long flags;
	bool found = false;
	u64 i;

	spin_lock_irqsave(&faults->lock, flags);
	for (i = faults->num; !found && i && i + XRDMA_FAULT_KEPT > faults->num;
	     i--) {
		struct xrdma_eqe *at = &faults->kept[(i - 1) %
						     XRDMA_FAULT_KEPT];
		__le32 word = *(__le32 *)((void *)at + offset);

		if ((word & mask) == value) {
			*eqe = *at;
			found = true;
		}
	}
	spin_unlock_irqrestore(&faults->lock, flags);
	return found;
}

/**
 * xrdma_fault_last_of_qp() - find the last refused access on a queue pair
 * @xib: the device
 * @qpn: number of the queue pair
 * @eqe: output: the record
 *
 * Context: any.
 * Return: false if there is no record.
 */
bool xrdma_fault_last_of_qp(struct xrdma_ibdev *xib, u32 qpn,
			    struct xrdma_eqe *eqe)
{
	return xrdma_fault_find(xib->faults, offsetof(struct xrdma_eqe, number),
				cpu_to_le32(~0U), cpu_to_le32(qpn), eqe);
}

/**
 * xrdma_fault_last_of_key() - find the last refused access under a key index
 * @xib: the device
 * @index: key index; the key byte is ignored
 * @eqe: output: the record
 *
 * Context: any.
 * Return: false if there is no record.
 */
bool xrdma_fault_last_of_key(struct xrdma_ibdev *xib, u32 index,
			     struct xrdma_eqe *eqe)
{
	return xrdma_fault_find(xib->faults, offsetof(struct xrdma_eqe, key),
				cpu_to_le32(XRDMA_KEY_INDEX),
				cpu_to_le32(xrdma_make_key(index, 0)), eqe);
}

static void xrdma_fault_show(struct seq_file *m, const struct xrdma_eqe *eqe)
{
	seq_printf(m, "reason=%s key=0x%08x addr=0x%llx length=%llu ",
		   xrdma_fault_name(eqe->reason), le32_to_cpu(eqe->key),
		   le64_to_cpu(eqe->addr), le64_to_cpu(eqe->length));
	seq_printf(m, "opcode=%s direction=%s-%s qpn=0x%x pd=0x%x time=%llu\n",
		   xrdma_op_name(eqe->opcode),
		   eqe->flags & XRDMA_FAULT_REMOTE ? "remote" : "local",
		   str_write_read(eqe->flags & XRDMA_FAULT_WRITE),
		   le32_to_cpu(eqe->number), le32_to_cpu(eqe->pd),
		   le64_to_cpu(eqe->timestamp));
}

static int xrdma_faults_show(struct seq_file *m, void *unused)
{
	struct xrdma_ibdev *xib = m->private;
	struct xrdma_faults *faults = xib->faults;
	struct xrdma_eqe *copy;
	u64 num, i;

	copy = kvmalloc_array(XRDMA_FAULT_KEPT, sizeof(*copy), GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	spin_lock_irq(&faults->lock);
	num = faults->num;
	memcpy(copy, faults->kept, sizeof(faults->kept));
	spin_unlock_irq(&faults->lock);

	i = num > XRDMA_FAULT_KEPT ? num - XRDMA_FAULT_KEPT : 0;
	for (; i < num; i++)
		xrdma_fault_show(m, &copy[i % XRDMA_FAULT_KEPT]);
	kvfree(copy);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(xrdma_faults);

/**
 * xrdma_faults_create() - allocate the fault records, and create debugfs
 *	entries
 * @xib: the device
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int xrdma_faults_create(struct xrdma_ibdev *xib)
{
	struct xrdma_faults *faults;

	faults = kvzalloc_obj(*faults);
	if (!faults)
		return -ENOMEM;
	spin_lock_init(&faults->lock);
	ratelimit_state_init(&faults->traced, HZ, XRDMA_FAULT_TRACED);
	ratelimit_set_flags(&faults->traced, RATELIMIT_MSG_ON_RELEASE);
	xib->faults = faults;
	faults->dir = debugfs_create_dir(pci_name(xib->hw.pdev),
					 xrdma_debugfs_root);
	debugfs_create_file("faults", 0400, faults->dir, xib,
			    &xrdma_faults_fops);
	return 0;
}

/**
 * xrdma_debugfs_dir() - debugfs directory of the device
 * @xib: the device, after xrdma_faults_create()
 *
 * Context: any.
 * Return: the directory, which xrdma_faults_destroy() removes with all files in
 * it.
 */
struct dentry *xrdma_debugfs_dir(const struct xrdma_ibdev *xib)
{
	return xib->faults->dir;
}

/**
 * xrdma_faults_destroy() - free the fault records, and remove debugfs entries
 * @xib: the device; its event handlers do not run any more
 *
 * Context: may sleep.
 */
void xrdma_faults_destroy(struct xrdma_ibdev *xib)
{
	debugfs_remove(xib->faults->dir);
	kvfree(xib->faults);
	xib->faults = NULL;
}

/**
 * xrdma_debugfs_init() - create the debugfs directory of the module
 *
 * Context: may sleep.
 */
void xrdma_debugfs_init(void)
{
	xrdma_debugfs_root = debugfs_create_dir("xrdma", NULL);
}

/**
 * xrdma_debugfs_exit() - remove the debugfs directory of the module
 *
 * Context: may sleep.
 */
void xrdma_debugfs_exit(void)
{
	debugfs_remove(xrdma_debugfs_root);
}
