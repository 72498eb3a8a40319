/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA PCI function as the device layer sees it: struct xrdma_dev with the
 * capabilities and the state of the device, the table of event handlers, and
 * the functions that reset, start and stop the device. The command ring is in
 * xrdma_cmdq.h, commands are in xrdma_cmd.h, event queues in xrdma_eq.h.
 *
 * The device layer does not use verbs objects. It reports events by number to
 * the handlers in struct xrdma_event_ops, and its callers pass it object
 * numbers and bus addresses.
 */

#ifndef XRDMA_DEV_H
#define XRDMA_DEV_H

#include <linux/io.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/workqueue.h>
#include "xrdma_hw.h"

struct p2pdma_provider;
struct ptp_system_timestamp;
struct xrdma_cmdq;
struct xrdma_dev;
struct xrdma_eqs;
struct xrdma_resume_ring;

/**
 * struct xrdma_caps - capabilities and limits of the device, in CPU byte order
 * @flags: XRDMA_CAP_*
 * @fw_version: firmware version, as in struct xrdma_rsp_query_device
 * @node_guid: node GUID, big-endian
 * @max_mr_size: largest memory region, in bytes
 * @max_qp: queue pair numbers are below this
 * @max_cq: completion queue numbers are below this
 * @max_srq: shared receive queue numbers are below this
 * @max_eq: number of event queues
 * @max_pd: protection domain numbers are below this
 * @max_gid: number of entries of the GID table
 * @max_mcast: number of multicast groups
 * @max_qp_wr: entries of the largest send or receive queue
 * @max_cqe: entries of the largest completion queue
 * @max_sge: largest number of scatter-gather entries of a work request
 * @max_rd_atomic: largest number of READs and atomics that a queue pair may
 *	have in progress, as requester and as responder
 * @log_max_keys: log2 of the number of key indexes
 * @max_mtu: largest Ethernet payload, in bytes
 * @max_inline: largest inline payload of a work request, in bytes
 * @device_memory: size of the device memory, in bytes
 * @max_counters: counter set numbers are below this; set 0 counts for the port
 * @max_flows: flow rule numbers are below this
 * @max_rss: entries of the largest RSS indirection table
 * @log_page_faults: log2 of the largest number of page faults without an answer
 */
struct xrdma_caps {
	u64 flags;
	u64 fw_version;
	__be64 node_guid;
	u64 max_mr_size;
	u32 max_qp;
	u32 max_cq;
	u32 max_srq;
	u32 max_eq;
	u32 max_pd;
	u32 max_gid;
	u32 max_mcast;
	u32 max_qp_wr;
	u32 max_cqe;
	u32 max_sge;
	u32 max_rd_atomic;
	u32 log_max_keys;
	u32 max_mtu;
	u32 max_inline;
	u64 device_memory;
	u32 max_counters;
	u32 max_flows;
	u32 max_rss;
	u32 log_page_faults;
};

/**
 * struct xrdma_event_ops - handlers of events, in a higher layer
 * @comp: handles a completion event of a CQ. Context: interrupts are off.
 * @async: handles any other event. Context: interrupts are off; @eqe is valid
 *	during the call only.
 * @fatal: handles the death of the device; called once, by a work item.
 *	Context: may sleep.
 */
struct xrdma_event_ops {
	void (*comp)(struct xrdma_dev *xdev, u32 cqn);
	void (*async)(struct xrdma_dev *xdev, const struct xrdma_eqe *eqe);
	void (*fatal)(struct xrdma_dev *xdev);
};

/**
 * struct xrdma_dev - device layer's state of a PCI function
 * @pdev: the PCI function
 * @regs: registers, BAR 0
 * @db: doorbell page of the kernel, page 0 of BAR 2
 * @db_phys: physical address of BAR 2
 * @num_db_pages: number of doorbell pages in BAR 2, with that of the kernel
 * @push_phys: physical address of the push pages, with XRDMA_CAP_PUSH
 * @dm: device memory, BAR 4, mapped write-combining; NULL: there is no BAR 4
 * @dm_phys: physical address of BAR 4
 * @dm_bus: bus address of BAR 4
 * @dm_size: size of BAR 4, in bytes
 * @dm_provider: exports BAR 4 for DMA by other PCI functions; NULL: this kernel
 *	cannot do that
 * @caps: capabilities and limits
 * @event_ops: handlers of events
 * @cmdq: command ring
 * @stats_lock: protects the contents of @stats, from QUERY_STATS until they are
 *	copied
 * @stats: array of XRDMA_NUM_STATS counters that QUERY_STATS fills
 * @stats_dma: bus address of @stats
 * @eqs: event queues; queue 0 reports asynchronous events
 * @resume: resume ring; NULL: the device has no on-demand paging
 * @reply_irq: true: the interrupt of vector 0 announces command replies; false:
 *	the callers of commands poll for replies
 * @dead: the driver sends no command any more; the device may still write
 *	completions until @quiet is set. Set once, read without a lock
 * @quiet: @dead is set, and the device cannot access host memory any more,
 *	because it has been reset since, is removed, or is no bus master. Set
 *	once, read with xrdma_quiet()
 * @writes_ended: @dead is set, and the device does not write host memory any
 *	more: it is quiet, or it is no bus master but may still wait for data
 *	that it has requested. Set once, read with xrdma_writes_ended()
 * @silence_failed: xrdma_hw_silence() has waited for the device in vain; later
 *	calls do not wait
 * @silence_lock: serialises the resets in xrdma_hw_silence()
 * @running: the watchdog runs, and xrdma_fatal() logs errors. Before that, the
 *	caller of a command that fails logs the error
 * @fatal_work: calls xrdma_event_ops.fatal
 * @watchdog: reads the STATUS register once a second
 */
struct xrdma_dev {
	struct pci_dev *pdev;
	void __iomem *regs;
	void __iomem *db;
	phys_addr_t db_phys;
	u32 num_db_pages;
	phys_addr_t push_phys;
	void __iomem *dm;
	phys_addr_t dm_phys;
	u64 dm_bus;
	u64 dm_size;
	struct p2pdma_provider *dm_provider;
	struct xrdma_caps caps;
	const struct xrdma_event_ops *event_ops;
	struct xrdma_cmdq *cmdq;
	struct mutex stats_lock; /* @stats */
	__le64 *stats;
	dma_addr_t stats_dma;
	struct xrdma_eqs *eqs;
	struct xrdma_resume_ring *resume;
	bool reply_irq;
	int dead;
	bool quiet;
	bool writes_ended;
	bool silence_failed;
	struct mutex silence_lock; /* @quiet, @writes_ended, @silence_failed */
	bool running;
	struct work_struct fatal_work;
	struct delayed_work watchdog;
};

static inline struct device *xrdma_to_dev(struct xrdma_dev *xdev)
{
	return &xdev->pdev->dev;
}

/**
 * xrdma_dead() - has the device been declared dead?
 * @xdev: the device
 *
 * Context: any.
 * Return: true if no command may be sent to the device any more.
 */
static inline bool xrdma_dead(const struct xrdma_dev *xdev)
{
	return READ_ONCE(xdev->dead);
}

/**
 * xrdma_quiet() - has xrdma_hw_silence() ended all DMA of a dead device?
 * @xdev: the device
 *
 * Context: any.
 * Return: true if the device cannot access host memory any more.
 */
static inline bool xrdma_quiet(const struct xrdma_dev *xdev)
{
	/*
	 * Pairs with the release in xrdma_hw_silence(): the caller frees memory
	 * after the reset, not before.
	 */
	return smp_load_acquire(&xdev->quiet);
}

/**
 * xrdma_writes_ended() - does a dead device write host memory no more?
 * @xdev: the device, after a call of xrdma_hw_silence()
 *
 * Context: any.
 * Return: true if memory that the device can write may be used for something
 * else; xrdma_quiet() may still be false.
 */
static inline bool xrdma_writes_ended(const struct xrdma_dev *xdev)
{
	/* pairs with the release in xrdma_reset.c: the last write comes first */
	return smp_load_acquire(&xdev->writes_ended);
}

/**
 * xrdma_shadow_db() - do driver and device use shadow doorbells?
 * @xdev: the device
 *
 * The driver uses shadow doorbells if the device has them.
 *
 * Context: any.
 * Return: true if indexes and arm words are in memory.
 */
static inline bool xrdma_shadow_db(const struct xrdma_dev *xdev)
{
	return xdev->caps.flags & XRDMA_CAP_SHADOW_DB;
}

/**
 * xrdma_write_doorbell() - write to a doorbell of the kernel's page
 * @xdev: the device
 * @doorbell: XRDMA_DB_SQ, XRDMA_DB_CQ or XRDMA_DB_EQ
 * @value: word of xrdma_make_sq_db() or xrdma_make_arm_db()
 *
 * writeq() orders the caller's earlier writes to memory before the doorbell.
 *
 * Context: any.
 */
static inline void xrdma_write_doorbell(struct xrdma_dev *xdev, u32 doorbell,
					u64 value)
{
	writeq(value, xdev->db + doorbell);
}

/**
 * xrdma_may_dma() - may the device still access memory of an object?
 * @xdev: the device, after the command that ends the object has failed
 *
 * Context: any.
 * Return: true if the device is dead and xrdma_hw_silence() has not ended its
 * DMA.
 */
static inline bool xrdma_may_dma(const struct xrdma_dev *xdev)
{
	return xrdma_dead(xdev) && !xrdma_quiet(xdev);
}

/* Value that every register reads as when the device does not answer. */
#define XRDMA_GONE		(~0U)

/* xrdma_reset.c: registers that start and stop the device */
u32 xrdma_hw_status(const struct xrdma_dev *xdev);
bool xrdma_hw_present(const struct xrdma_dev *xdev);
int xrdma_hw_reset(struct xrdma_dev *xdev);
bool xrdma_hw_silence(struct xrdma_dev *xdev);
bool xrdma_hw_silence_unmapped(struct xrdma_dev *xdev);
int xrdma_hw_check(struct xrdma_dev *xdev);
int xrdma_hw_enable(struct xrdma_dev *xdev, u64 mpt_root);

/* xrdma_clock.c: device clock */
int xrdma_hw_clock(const struct xrdma_dev *xdev, u64 *clock,
		   struct ptp_system_timestamp *sts);

/* xrdma_health.c: declares the device dead; watchdog */
void xrdma_health_start(struct xrdma_dev *xdev);
void xrdma_health_stop(struct xrdma_dev *xdev);
__printf(2, 3) void xrdma_fatal(struct xrdma_dev *xdev, const char *fmt, ...);

#endif /* XRDMA_DEV_H */
