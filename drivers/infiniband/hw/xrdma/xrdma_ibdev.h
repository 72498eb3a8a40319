/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRDMA device as the objects layer knows it: struct xrdma_ibdev, and what holds
 * for all objects: how long they live, and in which order locks nest. Each object
 * has a header of its own. Registers are for the device layer (xrdma_dev.h): the
 * objects layer asks the device by commands (xrdma_cmd.h).
 *
 * Lifetimes
 *
 * A struct xrdma_ibdev lives from one reset of the device to the next; xrdma_life.c
 * makes and ends it. Only the network device outlives it (xrdma_netdev.c).
 *
 * A call of ib_core creates a verbs object. When the device knows the object, the
 * driver publishes it to interrupt context in xrdma_ibdev.qps, .cqs or .srqs,
 * where the handlers of events look it up by its number.
 *
 * The handler of an event of a queue pair or shared receive queue takes the lock
 * of the xarray and a reference (xrdma_qp.refs, xrdma_srq.refs). The destroy call
 * sends the DESTROY command and removes the object from the xarray, drops its own
 * reference, and waits for the last one.
 *
 * The handler of an event of a completion queue takes neither lock nor reference:
 * the destroy call removes the queue from the xarray, sends the DESTROY command,
 * and waits until no handler runs (xrdma_eqs_sync()). Polling finds the queue
 * pairs of a completion queue in xrdma_cq.send_qps and .recv_qps, under
 * xrdma_cq.lock.
 *
 * Memory that the device was told of is released only after the device has
 * answered the command that ends its use, INVALIDATE of the key or DESTROY of the
 * queue, or has been reset; until then it is in quarantine (xrdma_quarantine.h).
 *
 * Locks, in the order in which they nest, the outermost first
 *
 *	xrdma_function.lock	whether there is a device (sleeping)
 *	the RTNL		queues of the netdev, state of the port (sleeping)
 *	a dma-buf's reservation	held while its key is made and invalidated
 *	xrdma_qp.modify_lock	state and attributes (sleeping)
 *	xrdma_srq.modify_lock	ring and limit (sleeping)
 *	xrdma_cq.resize_lock	ring of a user's completion queue, and whether a
 *				queue is there (sleeping)
 *	xrdma_counters.lock	counter sets (sleeping)
 *	xrdma_keys.resize	size of the key table (sleeping)
 *	xrdma_inval.sending	how many INVALIDATEs are in the device (sleeping)
 *	xrdma_dev.silence_lock	reset of a dead device (sleeping)
 *	xrdma_inval.lock	batches of INVALIDATE
 *	xrdma_quarantine.lock	lists of memory
 *	xrdma_ucontext.lock	keys of a user context
 *	an event queue's lock	held while consumers' handlers run
 *	xrdma_ibdev.cqs' lock	likewise, when the device is dead
 *	xrdma_qp.sq_lock	send ring of a kernel queue pair
 *	xrdma_qp.rq_lock	receive ring of a kernel queue pair
 *	xrdma_cq.lock		consumer side of a kernel completion queue
 *	xrdma_srq.lock		ring and tags of a kernel shared receive queue
 *	xrdma_keys.lock		freed indexes
 *	xrdma_cmdq.lock		command ring; innermost
 */

#ifndef XRDMA_IBDEV_H
#define XRDMA_IBDEV_H

#include <linux/idr.h>
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

/**
 * struct xrdma_ibdev - the RDMA device of a function, and what it shares with
 *	the netdev; one for each life, from reset to reset
 * @ibdev: verbs device
 * @hw: device layer
 * @keys: key table
 * @inval: batches of INVALIDATE
 * @quarantine: memory that a dead device may still use
 * @faults: records of refused accesses
 * @counters: counter sets, or NULL: the device has none
 * @cc: files of congestion control, or NULL: the device has none
 * @qps: struct xrdma_qp and the netdev's, by number; xrdma_numbers_init()
 * @cqs: struct xrdma_cq and the netdev's, by number; xrdma_numbers_init()
 * @srqs: struct xrdma_srq, by number; xrdma_numbers_init()
 * @next_qpn: where the search for a free QPN begins
 * @next_cqn: where the search for a free CQN begins
 * @next_srqn: where the search for a free SRQN begins
 * @flush_work: of xrdma_flush_dead()
 * @flushing: requests complete in software: xrdma_flush_begin(); set once, read
 *	without a lock
 * @pds: numbers of protection domains
 * @xrcds: numbers of XRC domains
 * @flows: numbers of flow rules
 * @db_pages: pages of the doorbell BAR; page 0 is the kernel's
 * @dm_pool: device memory that is free, by physical address; NULL: the device
 *	has none
 * @netdev: Ethernet port of the same function, or NULL: it is not attached
 */
struct xrdma_ibdev {
	struct ib_device ibdev;
	struct xrdma_dev hw;
	struct xrdma_keys *keys;
	struct xrdma_inval *inval;
	struct xrdma_quarantine quarantine;
	struct xrdma_faults *faults;
	struct xrdma_counters *counters;
	struct xrdma_cc_dir *cc;
	struct xarray qps;
	struct xarray cqs;
	struct xarray srqs;
	u32 next_qpn;
	u32 next_cqn;
	u32 next_srqn;
	struct work_struct flush_work;
	bool flushing;
	struct ida pds;
	struct ida xrcds;
	struct ida flows;
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
