/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA device layer: the PCI function, its command ring, event queues and
 * health. Must not know verbs objects: events go up through struct
 * xrdma_event_ops, numbers and bus addresses come down.
 */

#ifndef XRDMA_DEV_H
#define XRDMA_DEV_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "xrdma_encode.h"
#include "xrdma_ring.h"
#include "xrdma_xlat.h"

struct sg_table;
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
 * struct xrdma_mtt - a translation that has been built
 * @root: for key entries and commands
 * @offset: position of the first byte
 * @tables: pages of tables, in order of allocation; their private word holds
 *	the bus address
 * @num_tables: of them
 * @blocks: blocks by level of their entry; [0] is the block of the root
 * @leaf_shift: log2 of a block at level 1 (and 0)
 * @level: levels of tables
 */
struct xrdma_mtt {
	u64 root;
	u32 offset;
	struct list_head tables;
	u32 num_tables;
	u32 blocks[XRDMA_ROOT_MAX_LEVEL + 1];
	u8 leaf_shift;
	u8 level;
};

/**
 * struct xrdma_buf_frag - contiguous piece of a buffer
 * @cpu: kernel address
 * @dma: bus address
 */
struct xrdma_buf_frag {
	void *cpu;
	dma_addr_t dma;
};

/**
 * struct xrdma_buf - memory that the device shares: rings and their record
 * @mtt: translation of the fragments, from position 0
 * @size: bytes, whole pages
 * @shift: log2 of the bytes of a fragment; the last one may have fewer
 * @num: number of fragments
 * @held: entry in the quarantine, when the owner of the buffer is gone
 * @frag: the fragments
 */
struct xrdma_buf {
	struct xrdma_mtt mtt;
	size_t size;
	u32 num;
	u8 shift;
	struct list_head held;
	struct xrdma_buf_frag frag[] __counted_by(num);
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
 * xrdma_ring_doorbell() - tell the device to look at a send queue
 * @xdev: the device
 * @qpn: queue pair of the kernel
 *
 * Context: any. The record has been written; writel() orders it.
 */
static inline void xrdma_ring_doorbell(struct xrdma_dev *xdev, u32 qpn)
{
	writel(qpn, xdev->db + XRDMA_DB_SQ);
}

/**
 * xrdma_buf_at() - kernel address of a part of a buffer
 * @buf: the buffer
 * @offset: of the part, in bytes; the part ends in the same page
 *
 * Context: any.
 * Return: the address.
 */
static inline void *xrdma_buf_at(const struct xrdma_buf *buf, size_t offset)
{
	return buf->frag[offset >> buf->shift].cpu +
	       (offset & ((1UL << buf->shift) - 1));
}

/* xrdma_mtt.c: pieces of bus memory -> translation */
void xrdma_mtt_init(struct xrdma_mtt *mtt);
void xrdma_mtt_move(struct xrdma_mtt *to, struct xrdma_mtt *from);
u64 xrdma_mtt_flags(const struct xrdma_mtt *mtt);
struct page *xrdma_mtt_alloc_table(struct xrdma_dev *xdev,
				   struct xrdma_mtt *mtt);
int xrdma_mtt_build(struct xrdma_dev *xdev, struct xrdma_mtt *mtt,
		    struct sg_table *sgt, u64 first, u64 length, bool queue);
void xrdma_mtt_free(struct xrdma_dev *xdev, struct xrdma_mtt *mtt);

/* xrdma_buf.c: device-shared ring memory */
struct xrdma_buf *xrdma_buf_alloc(struct xrdma_dev *xdev, size_t size);
void xrdma_buf_free(struct xrdma_dev *xdev, struct xrdma_buf *buf);

/* xrdma_cmdq.c: post, wait, time out; blind to opcodes */
int xrdma_cmdq_create(struct xrdma_dev *xdev);
void xrdma_cmdq_destroy(struct xrdma_dev *xdev);
int xrdma_cmdq_exec(struct xrdma_dev *xdev, const struct xrdma_cmd *cmd,
		    struct xrdma_rsp *rsp);
void xrdma_cmdq_poll(struct xrdma_dev *xdev);
void xrdma_cmdq_abort(struct xrdma_dev *xdev);

/*
 * xrdma_cmd.c: one typed call for each opcode; may sleep. Destroy and
 * invalidate succeed on a device that is quiet; if they fail, the device may
 * still use the memory behind the object, which then goes into quarantine.
 */
int xrdma_cmd_exec(struct xrdma_dev *xdev, const struct xrdma_cmd *cmd,
		   struct xrdma_rsp *rsp);
int xrdma_cmd_do(struct xrdma_dev *xdev, const struct xrdma_cmd *cmd);
int xrdma_cmd_undo(struct xrdma_dev *xdev, const struct xrdma_cmd *cmd);
int xrdma_cmd_query_device(struct xrdma_dev *xdev);
int xrdma_cmd_create_eq(struct xrdma_dev *xdev, u32 eqn, u16 vector,
			u8 log_depth, u64 root);
int xrdma_cmd_create_cq(struct xrdma_dev *xdev, u32 cqn, u32 eqn, u8 log_depth,
			u64 root);
int xrdma_cmd_destroy_cq(struct xrdma_dev *xdev, u32 cqn);
int xrdma_cmd_resize_cq(struct xrdma_dev *xdev, u32 cqn, u8 log_depth, u64 root,
			u32 *index);
int xrdma_cmd_modify_cq(struct xrdma_dev *xdev, u32 cqn, u16 count, u16 period);
int xrdma_cmd_create_qp(struct xrdma_dev *xdev,
			const struct xrdma_cmd_create_qp *qp);
int xrdma_cmd_modify_qp(struct xrdma_dev *xdev, u32 qpn, u32 mask,
			const struct xrdma_qp_attr *attr);
int xrdma_cmd_query_qp(struct xrdma_dev *xdev, u32 qpn,
		       struct xrdma_rsp_query_qp *qp);
int xrdma_cmd_destroy_qp(struct xrdma_dev *xdev, u32 qpn, bool used);
int xrdma_cmd_create_srq(struct xrdma_dev *xdev,
			 const struct xrdma_cmd_create_srq *srq);
int xrdma_cmd_modify_srq(struct xrdma_dev *xdev,
			 const struct xrdma_cmd_modify_srq *srq);
int xrdma_cmd_query_srq(struct xrdma_dev *xdev, u32 srqn,
			struct xrdma_rsp_query_srq *srq);
int xrdma_cmd_destroy_srq(struct xrdma_dev *xdev, u32 srqn);
int xrdma_cmd_attach_mcast(struct xrdma_dev *xdev, u32 qpn, const u8 *gid);
int xrdma_cmd_detach_mcast(struct xrdma_dev *xdev, u32 qpn, const u8 *gid);
int xrdma_cmd_invalidate(struct xrdma_dev *xdev, dma_addr_t addr, u32 count);

/* xrdma_cmd_port.c: the same, about the port */
int xrdma_cmd_query_port(struct xrdma_dev *xdev,
			 struct xrdma_rsp_query_port *port);
int xrdma_cmd_modify_port(struct xrdma_dev *xdev,
			  const struct xrdma_cmd_modify_port *port);
int xrdma_cmd_set_gid(struct xrdma_dev *xdev,
		      const struct xrdma_cmd_set_gid *gid);
int xrdma_cmd_stats_alloc(struct xrdma_dev *xdev);
void xrdma_cmd_stats_free(struct xrdma_dev *xdev);
int xrdma_cmd_query_stats(struct xrdma_dev *xdev, u32 counter, u64 *values);
int xrdma_cmd_bind_counter(struct xrdma_dev *xdev, u32 qpn, u32 counter);
int xrdma_cmd_query_cc(struct xrdma_dev *xdev, struct xrdma_cc *cc);
int xrdma_cmd_modify_cc(struct xrdma_dev *xdev, const struct xrdma_cc *cc);
int xrdma_cmd_create_flow(struct xrdma_dev *xdev, u32 flow, u32 qpn,
			  u16 priority, u16 flags,
			  const struct xrdma_flow_rule *rule);
int xrdma_cmd_destroy_flow(struct xrdma_dev *xdev, u32 flow);
int xrdma_cmd_create_rss(struct xrdma_dev *xdev,
			 const struct xrdma_cmd_create_rss *rss,
			 const __le32 *table);
int xrdma_cmd_destroy_rss(struct xrdma_dev *xdev, u32 qpn);

/**
 * xrdma_read_entry() - copy an entry of a ring that the device writes
 * @copy: gets it
 * @entry: of the ring; the device may write to it at any time, if it lies
 * @size: bytes, a multiple of 8
 *
 * Each word is read once, so that what is checked is what is used. The caller has
 * read the phase, and orders this after it.
 */
static inline void xrdma_read_entry(void *copy, const void *entry, size_t size)
{
	const u64 *from = entry;
	u64 *to = copy;

	for (; size; size -= sizeof(*to))
		*to++ = READ_ONCE(*from++);
}

/* xrdma_eq.c: MSI-X vectors and event queues */
int xrdma_eqs_create(struct xrdma_dev *xdev);
void xrdma_eqs_stop(struct xrdma_dev *xdev);
void xrdma_eqs_destroy(struct xrdma_dev *xdev);
void xrdma_eqs_sync(struct xrdma_dev *xdev);
u32 xrdma_num_comp_vectors(const struct xrdma_dev *xdev);
u32 xrdma_comp_eqn(const struct xrdma_dev *xdev, u32 comp_vector);

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
void xrdma_fatal(struct xrdma_dev *xdev, const char *why);

#endif /* XRDMA_DEV_H */
