/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA device as the objects layer sees it: defines struct xrdma_ibdev, and
 * describes the lifetimes of all objects and the order of all locks. Each kind
 * of object has a header of its own (xrdma_qp.h, xrdma_mr.h and so on).
 * The objects layer does not access registers (xrdma_regs.h): it controls the
 * device by the commands of xrdma_cmd.h.
 *
 * Lifetimes
 *
 * Device: xrdma_life_begin() allocates a struct xrdma_ibdev, then resets and
 * starts the device. xrdma_life_end() frees the structure when the driver
 * unbinds, and before the device is reset and started again. The network device
 * is the only object that is kept across resets (xrdma_netdev.c).
 *
 * Verbs objects: ib_core allocates and frees them. The driver enters queue
 * pairs, completion queues and shared receive queues into the xarrays
 * xrdma_ibdev.qps, .cqs and .srqs. Event handlers, which run in interrupt
 * context, look up in these xarrays the number that an event names.
 *
 * Queue pairs and shared receive queues have a reference count (xrdma_qp.refs,
 * xrdma_srq.refs). An event handler looks up the object and takes a reference
 * under the lock of the xarray. The destroy call removes the object from the
 * xarray, drops the first reference, and waits until all references are
 * dropped. It sends DESTROY_SRQ after the removal, but DESTROY_QP before: that
 * command may fail, and then the queue pair stays.
 *
 * Completion queues have no reference count: the handler of a completion event
 * takes neither lock nor reference of the queue. The destroy call removes the
 * queue from the xarray, sends the DESTROY command, and then waits until every
 * event handler that was running has returned (xrdma_eqs_sync()). Polling a
 * completion queue finds the queue pairs in xrdma_cq.send_qps and .recv_qps,
 * and uses them under xrdma_cq.lock only.
 *
 * Memory that the device can access is unpinned or freed only after (1) the
 * device has answered the command that ends the access, which is INVALIDATE of
 * the key or DESTROY of the queue, or (2) xrdma_hw_silence() has made sure that
 * the device sends no more DMA. If neither is possible the memory goes into
 * quarantine (xrdma_quarantine.h).
 *
 * Locks, the outermost first: a thread that holds a lock takes only locks that
 * are below it in this list. Those down to silence_lock are sleeping locks.
 *
 *	xrdma_function.lock	pointer to the current struct xrdma_ibdev
 *	the RTNL		queues of the netdev, state of the port
 *	xrdma_odp.ahead_lock	pages that are mapped ahead of a sequence
 *	xrdma_odp.scarce	memory of a process while it is short
 *	xrdma_odp.grow		spans of a paged region, tables above the spans;
 *				memory is allocated under it
 *	mmap_lock of a process	mappings
 *	xrdma_ibdev.bar_lock	pages of BARs that processes get
 *	a dma-buf's reservation	mapping of the dma-buf, xrdma_mr.revoked; held
 *				while its key is published or invalidated. The
 *				kernel orders it below mmap_lock, and above the
 *				allocation of memory (dma_resv_lockdep()). The
 *				exporter holds it while it moves the memory, and
 *				may do so while the kernel reclaims memory; so
 *				the notification of a move allocates nothing
 *	xrdma_span.lock		tables of a span; taken in MMU notifiers and in
 *				notifications of dma-bufs, so nothing is
 *				allocated under it
 *	xrdma_qp.modify_lock	state and attributes of a queue pair
 *	xrdma_srq.modify_lock	ring and limit of a shared receive queue
 *	xrdma_cq.resize_lock	ring and moderation of a completion queue, and
 *				its removal from xrdma_ibdev.cqs
 *	xrdma_counters.lock	allocation and totals of counter sets
 *	xrdma_cc_dir.lock	reading and writing back congestion parameters
 *	xrdma_dev.stats_lock	array that QUERY_STATS fills
 *	xrdma_keys.resize	size of the key table, order of its pieces
 *	xrdma_inval.sending	a semaphore: limits INVALIDATEs in progress
 *	xrdma_eth_clock.lock	device of the PTP hardware clock, and its time
 *	xrdma_dev.silence_lock	resets of a dead device
 *
 *	xrdma_inval.lock	batches of INVALIDATE
 *	xrdma_quarantine.lock	lists of memory in quarantine
 *	xrdma_ucontext.lock	lists of regions and windows of a user context
 *	xrdma_eq.lock		consumer side of an event queue; held while the
 *				completion handlers of consumers run
 *	xrdma_ibdev.cqs		the xarray's lock; held while the completion
 *				handlers of consumers run on a dead device
 *	xrdma_ibdev.qps, .srqs	the xarrays' locks: lookup with a reference
 *	xrdma_qp.sq_lock	send ring of a kernel queue pair
 *	xrdma_qp.rq_lock	receive ring of a kernel queue pair
 *	xrdma_cq.lock		consumer side of a kernel completion queue
 *	xrdma_srq.lock		ring and tags of a kernel shared receive queue
 *	xrdma_key_magazine.lock	indexes freed on one CPU (a local lock)
 *	xrdma_keys.lock		freed indexes of all CPUs
 *	xrdma_faults.lock	fault records
 *	xrdma_odp_dev.lock	page faults in progress
 *	xrdma_resume_ring.lock	resume ring
 *	xrdma_cmdq.lock		command ring and its waiters
 */

#ifndef XRDMA_IBDEV_H
#define XRDMA_IBDEV_H

#include <linux/idr.h>
#include <linux/rwsem.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include "xrdma_dev.h"
#include "xrdma_quarantine.h"

struct gen_pool;
struct xrdma_cc_dir;
struct xrdma_counters;
struct xrdma_faults;
struct xrdma_inval;
struct xrdma_keys;
struct xrdma_odp_dev;

/**
 * struct xrdma_share - numbers of a kind of object that only the netdev uses
 * @num: count of these numbers, which are the highest ones of the kind
 * @next: number at which the search for a free number begins
 *
 * The netdev needs new queues when the port goes up, when a queue has failed, and when
 * ethtool changes the queues. With numbers of its own, it gets them also while
 * processes have all other numbers.
 */
struct xrdma_share {
	u32 num;
	u32 next;
};

/**
 * xrdma_share_limit() - find the numbers that a new object may get
 * @share: numbers of the kind that only the netdev uses
 * @first: lowest number of the kind
 * @max: the numbers of the kind are below this
 * @port: the object is one of the netdev
 *
 * Context: any.
 * Return: the lowest number and the highest one.
 */
static inline struct xa_limit xrdma_share_limit(const struct xrdma_share *share,
						u32 first, u32 max, bool port)
{
	u32 split = max - share->num;

	return port ? XA_LIMIT(split, max - 1) : XA_LIMIT(first, split - 1);
}

/**
 * struct xrdma_ibdev - RDMA device of a PCI function, with all that the RDMA
 *	objects and the netdev share; a new one is allocated for each reset
 * @ibdev: verbs device
 * @hw: state of the device layer
 * @keys: key table
 * @inval: batches of INVALIDATE
 * @quarantine: memory that a dead device may still access
 * @faults: records of refused accesses
 * @odp: page faults; NULL: no on-demand paging
 * @counters: counter sets; NULL: the device has no counter sets
 * @cc: debugfs files of congestion control; NULL: the device has no congestion
 *	control
 * @qps: queue pairs of RDMA and of the netdev, by QPN
 * @cqs: completion queues of RDMA and of the netdev, by CQN
 * @srqs: shared receive queues, by SRQN
 * @next_qpn: QPN at which the search for a free QPN begins
 * @next_cqn: CQN at which the search for a free CQN begins
 * @next_srqn: SRQN at which the search for a free SRQN begins
 * @port_qpns: QPNs of the netdev
 * @port_cqns: CQNs of the netdev
 * @flush_work: runs xrdma_flush_dead()
 * @flush_retry: tries xrdma_flush_begin() again while the device may still write
 *	host memory
 * @flushing: true: the driver completes requests in software, since the device
 *	is dead. xrdma_flush_begin() sets it once; readers hold no lock
 * @pds: protection domain numbers in use
 * @xrcds: XRC domain numbers in use
 * @flows: flow rule numbers in use
 * @bar_lock: held for reading while pages of a BAR are mapped into a process, or
 *	written before that; xrdma_ctx_revoke() takes it for writing
 * @db_pages: pages of the doorbell BAR in use; page 0 belongs to the kernel
 * @dm_pool: free device memory, by physical address; NULL: the device has no
 *	memory
 * @netdev: Ethernet port of the same function; NULL: no netdev is attached
 */
struct xrdma_ibdev {
	struct ib_device ibdev;
	struct xrdma_dev hw;
	struct xrdma_keys *keys;
	struct xrdma_inval *inval;
	struct xrdma_quarantine quarantine;
	struct xrdma_faults *faults;
	struct xrdma_odp_dev *odp;
	struct xrdma_counters *counters;
	struct xrdma_cc_dir *cc;
	struct xarray qps;
	struct xarray cqs;
	struct xarray srqs;
	u32 next_qpn;
	u32 next_cqn;
	u32 next_srqn;
	struct xrdma_share port_qpns;
	struct xrdma_share port_cqns;
	struct work_struct flush_work;
	struct delayed_work flush_retry;
	bool flushing;
	struct ida pds;
	struct ida xrcds;
	struct ida flows;
	struct rw_semaphore bar_lock; /* see above */
	struct ida db_pages;
	struct gen_pool *dm_pool;
	struct net_device *netdev;
};

static inline struct xrdma_ibdev *to_xibdev(struct ib_device *ibdev)
{
	return container_of(ibdev, struct xrdma_ibdev, ibdev);
}

static inline struct xrdma_ibdev *xdev_to_xibdev(struct xrdma_dev *xdev)
{
	return container_of(xdev, struct xrdma_ibdev, hw);
}

#endif /* XRDMA_IBDEV_H */
