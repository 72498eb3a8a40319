/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA PCI function as the device layer knows it: capabilities, the state of the
 * device, where its events go, and the functions that stop it. The command ring is
 * in xrdma_cmdq.h, commands are in xrdma_cmd.h, event queues in xrdma_eq.h.
 *
 * The device layer knows no verbs objects: events go up through struct
 * xrdma_event_ops, numbers and bus addresses come down.
 */

#ifndef XRDMA_DEV_H
#define XRDMA_DEV_H

#include <linux/io.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/workqueue.h>
#include "xrdma_hw.h"

struct p2pdma_provider;
struct xrdma_cmdq;
struct xrdma_dev;
struct xrdma_eqs;

/**
 * struct xrdma_caps - what the device offers, in CPU order
 * @flags: XRDMA_CAP_*
 * @fw_version: as in struct xrdma_rsp_query_device
 * @node_guid: as on the wire
 * @max_mr_size: bytes
 * @max_qp: queue pair numbers are below this
 * @max_cq: completion queue numbers are below this
 * @max_srq: shared receive queue numbers are below this
 * @max_eq: event queues
 * @max_pd: protection domain numbers are below this
 * @max_gid: entries of the GID table
 * @max_mcast: multicast groups
 * @max_qp_wr: deepest send or receive queue
 * @max_cqe: deepest completion queue
 * @max_sge: scatter-gather entries of a work request
 * @max_rd_atomic: READs and atomics in flight, per side
 * @log_max_keys: log2 of the key indexes
 * @max_mtu: largest Ethernet payload
 * @max_inline: inline bytes
 * @device_memory: bytes of device memory
 * @max_counters: counter set numbers are below this; 0 is the port's
 * @max_flows: flow rule numbers are below this
 * @max_rss: entries of the largest indirection table
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
};

/**
 * struct xrdma_event_ops - where events go; installed by the layer above
 * @comp: completion event of a CQ. Context: interrupts are off.
 * @async: any other event. Context: interrupts are off; @eqe is valid during
 *	the call.
 * @fatal: the device is dead: once, from a work item, may sleep.
 */
struct xrdma_event_ops {
	void (*comp)(struct xrdma_dev *xdev, u32 cqn);
	void (*async)(struct xrdma_dev *xdev, const struct xrdma_eqe *eqe);
	void (*fatal)(struct xrdma_dev *xdev);
};

/**
 * struct xrdma_dev - the PCI function
 * @pdev: the function
 * @regs: BAR 0
 * @db: kernel doorbell page, page 0 of BAR 2
 * @db_phys: physical address of BAR 2
 * @num_db_pages: doorbell pages in it, the kernel's included
 * @dm: BAR 4, write-combining, or NULL
 * @dm_phys: physical address of BAR 4
 * @dm_bus: its bus address
 * @dm_size: bytes of BAR 4
 * @dm_provider: BAR 4 for DMA of other functions, or NULL: not in this kernel
 * @caps: what the device offers
 * @event_ops: where events go
 * @cmdq: command ring
 * @stats_lock: protects the contents of @stats
 * @stats: array that QUERY_STATS fills, XRDMA_NUM_STATS counters
 * @stats_dma: bus address of @stats
 * @eqs: event queues; 0 is the asynchronous one
 * @reply_irq: command replies come by interrupt, since vector 0 has its handler;
 *	else the callers of commands poll for them
 * @dead: no command may be sent; completions may come until it is @quiet; set
 *	once, read without a lock
 * @quiet: @dead, and nothing of the device can touch host memory any more: it
 *	has been reset since, is no longer there, or is no bus master; set once,
 *	read without a lock
 * @silence_lock: serialises the resets that make it @quiet
 * @running: the watchdog runs; until then the caller of a failing command says
 *	what went wrong, and xrdma_fatal() is silent
 * @fatal_work: calls xrdma_event_ops.fatal
 * @watchdog: looks at the STATUS register once a second
 */
struct xrdma_dev {
	struct pci_dev *pdev;
	void __iomem *regs;
	void __iomem *db;
	phys_addr_t db_phys;
	u32 num_db_pages;
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
	bool reply_irq;
	int dead;
	bool quiet;
	struct mutex silence_lock; /* @quiet */
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
 * Return: true if nothing may be asked of it any more.
 */
static inline bool xrdma_dead(const struct xrdma_dev *xdev)
{
	return READ_ONCE(xdev->dead);
}

/**
 * xrdma_quiet() - can a dead device touch host memory no more?
 * @xdev: the device
 *
 * Context: any.
 * Return: true if all that it knew is forgotten and no DMA can come.
 */
static inline bool xrdma_quiet(const struct xrdma_dev *xdev)
{
	/* pairs with xrdma_hw_silence(): what it saw is over */
	return smp_load_acquire(&xdev->quiet);
}

/**
 * xrdma_write_doorbell() - tell the device to look at a send queue
 * @xdev: the device
 * @qpn: queue pair of the kernel
 *
 * Context: any. The record has been written; writel() orders it.
 */
static inline void xrdma_write_doorbell(struct xrdma_dev *xdev, u32 qpn)
{
	writel(qpn, xdev->db + XRDMA_DB_SQ);
}

/**
 * xrdma_may_touch() - may the device still use memory that it was told of?
 * @xdev: the device, after a command that was to end such a use has failed
 *
 * Context: any.
 * Return: true if the device is dead and has not been silenced.
 */
static inline bool xrdma_may_touch(const struct xrdma_dev *xdev)
{
	return xrdma_dead(xdev) && !xrdma_quiet(xdev);
}

/* What any register reads as when the device is gone. */
#define XRDMA_GONE		(~0U)

/* xrdma_reset.c: registers that start and stop the device */
u32 xrdma_hw_status(const struct xrdma_dev *xdev);
bool xrdma_hw_present(const struct xrdma_dev *xdev);
int xrdma_hw_reset(struct xrdma_dev *xdev);
bool xrdma_hw_silence(struct xrdma_dev *xdev);
int xrdma_hw_check(struct xrdma_dev *xdev);
int xrdma_hw_enable(struct xrdma_dev *xdev, u64 mpt_root);

/* xrdma_health.c: declares the device dead; watchdog */
void xrdma_health_start(struct xrdma_dev *xdev);
void xrdma_health_stop(struct xrdma_dev *xdev);
__printf(2, 3) void xrdma_fatal(struct xrdma_dev *xdev, const char *fmt, ...);

#endif /* XRDMA_DEV_H */
