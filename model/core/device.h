/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The device: the structure that holds the registers, the command ring and all
 * objects.
 *
 * There are no locks, since the loop calls BAR accesses, timers, wire and the
 * polling of queues in one thread, one after the other. No pointer into guest
 * memory is kept from one of these calls to the next, except by struct
 * model_mem (see xlat.h).
 *
 * The core owns the objects. Packets, timers of connections and the execution
 * of work queue entries are in folder transport/, which the core calls through
 * struct model_transport and struct model_qp_ops.
 */
#ifndef MODEL_DEVICE_H
#define MODEL_DEVICE_H

#include <linux/bitfield.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/loop.h"
#include "core/access.h"
#include "core/cc.h"
#include "core/chaos.h"
#include "core/cmdq.h"
#include "core/counter.h"
#include "core/cq.h"
#include "core/dm.h"
#include "core/eq.h"
#include "core/flow.h"
#include "core/gid.h"
#include "core/inject.h"
#include "core/key.h"
#include "core/mcast.h"
#include "core/pager.h"
#include "core/pcie.h"
#include "core/port.h"
#include "core/push.h"
#include "core/qp.h"
#include "core/regs.h"
#include "core/rss.h"
#include "core/sgl.h"
#include "core/srq.h"
#include "host/dma.h"
#include "host/host_error.h"
#include "xrdma_regs.h"

struct model_wire;

/* Interval of the slow timer while it finds work. */
#define MODEL_SLOW_NS_MIN		1000000ULL

/* Capabilities of every device; init() adds those that depend on parameters */
#define MODEL_DEVICE_CAPS		(XRDMA_CAP_SHADOW_DB | \
					 XRDMA_CAP_MW_TYPE_1 | \
					 XRDMA_CAP_FAST_REG | \
					 XRDMA_CAP_SRQ | \
					 XRDMA_CAP_UD | \
					 XRDMA_CAP_MCAST | \
					 XRDMA_CAP_CC | \
					 XRDMA_CAP_UC | \
					 XRDMA_CAP_XRC | \
					 XRDMA_CAP_RAW_PACKET | \
					 XRDMA_CAP_ETH_PAUSE | \
					 XRDMA_CAP_ETH_CSUM | \
					 XRDMA_CAP_ETH_TSO | \
					 XRDMA_CAP_ETH_VLAN | \
					 XRDMA_CAP_ETH_RSS | \
					 XRDMA_CAP_ETH_GRO | \
					 XRDMA_CAP_FLUSH | \
					 XRDMA_CAP_COUNTERS | \
					 XRDMA_CAP_ATOMIC_WRITE | \
					 XRDMA_CAP_FLOW | \
					 XRDMA_CAP_ODP | \
					 XRDMA_CAP_CLOCK | \
					 XRDMA_CAP_NULL_KEY)

/**
 * struct model_transport - functions that send and receive for a device
 * @qp_ops: functions of queue pairs, by enum xrdma_qp_type
 * @init: initialize a new device, which has no queue pairs; may allocate;
 *	return 0 or -ENOMEM
 * @destroy: free the memory that @init allocated; called when all queue pairs
 *	are destroyed
 * @reset: drop all frames in flight; called after queue pairs were stopped
 * @poll: handle a bounded number of frames that have arrived; return true if a
 *	frame had arrived. Unless model_device_live(), drop the frames.
 * @carrier: return true if the wire can carry frames; the transport calls
 *	model_port_link_changed() when that changes
 * @port_changed: called after a change of flags, MTU or MAC of the port
 *
 * transport/transport.c implements this table.
 */
struct model_transport {
	const struct model_qp_ops *qp_ops[MODEL_NUM_QP_TYPES];
	int (*init)(struct model_device *dev);
	void (*destroy)(struct model_device *dev);
	void (*reset)(struct model_device *dev);
	bool (*poll)(struct model_device *dev);
	bool (*carrier)(const struct model_device *dev);
	void (*port_changed)(struct model_device *dev);
};

/**
 * struct model_device_params - parameters of a device
 * @loop: loop that runs the device, and its time
 * @dma: guest memory
 * @herr: record of host errors
 * @transport: functions that send and receive
 * @irq: function that raises an MSI-X vector
 * @irq_opaque: first argument of @irq
 * @vectors: number of MSI-X vectors
 * @mac: permanent MAC address of the port
 * @seed: seed of all random numbers
 * @mw_2a: windows of type 2 are 2A, else 2B
 * @no_shadow_db: the device does not have XRDMA_CAP_SHADOW_DB
 * @push: what the device does with pushed entries
 * @dm_size: bytes of device memory, as of model_dm_init()
 * @log_max_keys: log2 of the number of key indexes, at most XRDMA_LOG_MAX_KEYS
 */
struct model_device_params {
	struct model_loop *loop;
	struct model_dma *dma;
	struct model_host_errors *herr;
	const struct model_transport *transport;
	void (*irq)(void *opaque, unsigned int vector);
	void *irq_opaque;
	unsigned int vectors;
	u8 mac[6];
	u64 seed;
	bool mw_2a;
	bool no_shadow_db;
	enum model_push_mode push;
	u64 dm_size;
	u8 log_max_keys;
};

/**
 * struct model_device - the device
 * @params: parameters of the device
 * @caps: XRDMA_CAP_* bits
 * @epoch: incremented when pointers into guest memory become invalid
 * @gone: the device was removed by surprise, for tests: every register reads as
 *	ones, writes are dropped
 * @deaf: writes to registers have no effect, for tests; a reset ends this, which
 *	cannot be one by register
 * @bus_master: DMA is possible
 * @live: enabled and not in the fatal state: host memory may be accessed
 * @shadow_db: the host has chosen shadow doorbells
 * @regs: registers
 * @lie: false value of one register, for tests; a reset keeps it
 * @cmdq: command ring and reply ring
 * @chaos: random corruption of what the device writes, for tests
 * @inject: faults that a user of verbs has asked for; a reset removes them
 * @keys: key table
 * @pager: page faults of paged regions
 * @dm: device memory
 * @push: push pages
 * @eqs: event queues by number
 * @cqs: completion queues by number
 * @qps: queue pairs by number
 * @srqs: shared receive queues by number
 * @rss: RSS objects by number
 * @flows: flow rules
 * @eqs_stalled: events wait for room in an event queue
 * @active: queue pairs that are polled
 * @num_active: number of queue pairs in @active
 * @errors: queue pairs in ERR or SQE, whose work queues @slow_timer flushes
 * @slow_timer: flushes @errors, and writes events that wait for room
 * @slow_ns: present interval of @slow_timer, in nanoseconds
 * @mcast: multicast groups
 * @port: the Ethernet port
 * @eth_fault: fault of the Ethernet port that a test has set; a reset keeps it
 * @gids: GID table
 * @cc: congestion control
 * @stats: counters of the port; a reset keeps them
 * @counters: counter sets by number; number 0 is not used
 * @pcie: operations on the bus, by what they are for; a reset keeps them
 * @db_errors: number of doorbells in user pages that were ignored
 * @user_errors: number of corrupt indexes found in user memory, and of shared
 *	receive queues that failed
 * @failed_cqs: completion queues that failed, and whose queue pairs have not all
 *	been moved to ERR; empty outside of @cq_failed
 * @cq_failed: called by cq.c when a completion queue has overflowed or is out
 *	of reach; moves the queue pairs that use it to ERR
 * @answering: queue pairs with answers to send; used by the transport
 * @replaying: queue pairs with packets that have waited for a page; used by the
 *	transport
 * @merging: queue pairs with received frames that are merged; empty outside of
 *	model_transport.poll(); used by the transport
 * @parked_bytes: memory of all packets that wait for a page, in bytes; used by
 *	the transport
 * @parked_of_pd: the same of one protection domain, by its number
 * @wire: the wire; used by the transport
 */
struct model_device {
	struct model_device_params params;
	u64 caps;
	u64 epoch;
	bool gone;
	bool deaf;
	bool bus_master;
	bool live;
	bool shadow_db;
	struct model_regs regs;
	struct model_reg_lie lie;
	struct model_cmdq cmdq;
	struct model_chaos chaos;
	struct model_injects inject;
	struct model_key_table keys;
	struct model_pager pager;
	struct model_dm dm;
	struct model_push push;
	struct model_eq *eqs[MODEL_MAX_EQ];
	struct model_cq *cqs[MODEL_MAX_CQ];
	struct model_qp *qps[MODEL_MAX_QP];
	struct model_srq *srqs[MODEL_MAX_SRQ];
	struct model_rss *rss[MODEL_MAX_QP];
	struct model_flows flows;
	bool eqs_stalled;
	struct model_qp_list active;
	u32 num_active;
	struct model_qp_list errors;
	struct model_timer slow_timer;
	u64 slow_ns;
	struct model_mcast mcast;
	struct model_port port;
	enum model_eth_fault eth_fault;
	struct model_gid gids[MODEL_MAX_GID];
	struct model_cc_conf cc;
	u64 stats[XRDMA_NUM_STATS];
	struct model_counter_set counters[MODEL_MAX_COUNTERS];
	struct model_pcie pcie[MODEL_NUM_PCIE_USES];
	u64 db_errors;
	u64 user_errors;
	struct model_cq_failed_list failed_cqs;
	void (*cq_failed)(struct model_device *dev, struct model_cq *cq);
	struct model_qp_list answering;
	struct model_qp_list replaying;
	struct model_qp_list merging;
	u32 parked_bytes;
	u32 parked_of_pd[MODEL_MAX_PD];
	struct model_wire *wire;
};

/* device.c: life, BARs, turns of the loop */
struct model_device *
model_device_create(const struct model_device_params *params);
void model_device_destroy(struct model_device *dev);
void model_device_bus_master(struct model_device *dev, bool on);
void model_device_dma_unmap(struct model_device *dev, u64 iova, u64 len);
void model_device_set_gone(struct model_device *dev, bool gone);
void model_device_read(struct model_device *dev, unsigned int bar, u64 off,
		       void *buf, size_t len);
void model_device_write(struct model_device *dev, unsigned int bar, u64 off,
			const void *buf, size_t len);
bool model_device_poll(struct model_device *dev);
bool model_device_park(struct model_device *dev);

/* reset.c */
void model_device_reset(struct model_device *dev);

/* event.c: the fatal state, and what the slow timer looks at */
void model_device_fatal(struct model_device *dev, u8 code);
void model_device_slow_work(struct model_device *dev);

/*
 * Whether the driver has enabled the device; true until reset, even if fatal.
 */
static inline bool model_device_enabled(const struct model_device *dev)
{
	return dev->regs.status & XRDMA_STATUS_ENABLED;
}

/* Whether the device may access host memory: until reset or the fatal state. */
static inline bool model_device_live(const struct model_device *dev)
{
	return dev->live;
}

/* Time of this turn of the loop, in nanoseconds. */
static inline u64 model_device_clock(const struct model_device *dev)
{
	return model_loop_now(dev->params.loop);
}

/*
 * The device clock: register CLOCK and time stamps of frames, in nanoseconds; 0
 * without XRDMA_CAP_CLOCK, then completions of frames have the time of the write.
 * Other completions have the time of the turn, since reading the clock costs
 * about as much as a tenth of a small message.
 */
static inline u64 model_device_time(const struct model_device *dev)
{
	return dev->caps & XRDMA_CAP_CLOCK ? model_loop_clock(dev->params.loop) :
					     0;
}

/* Raise an interrupt, which is a write of 4 bytes, if the device is live. */
static inline void model_device_irq(struct model_device *dev,
				    unsigned int vector)
{
	if (!dev->live)
		return;
	model_dev_pcie(dev, MODEL_PCIE_IRQ, true, sizeof(__le32));
	dev->params.irq(dev->params.irq_opaque, vector);
}

/* Look up an object by number. Return: NULL if the number names no object. */
static inline struct model_eq *model_eq_get(struct model_device *dev, u32 eqn)
{
	return eqn < MODEL_MAX_EQ ? dev->eqs[eqn] : NULL;
}

static inline struct model_cq *model_cq_get(struct model_device *dev, u32 cqn)
{
	return cqn < MODEL_MAX_CQ ? dev->cqs[cqn] : NULL;
}

static inline struct model_qp *model_qp_get(struct model_device *dev, u32 qpn)
{
	return qpn < MODEL_MAX_QP ? dev->qps[qpn] : NULL;
}

static inline struct model_srq *model_srq_get(struct model_device *dev,
					      u32 srqn)
{
	return srqn < MODEL_MAX_SRQ ? dev->srqs[srqn] : NULL;
}

static inline struct model_rss *model_rss_get(struct model_device *dev, u32 qpn)
{
	return qpn < MODEL_MAX_QP ? dev->rss[qpn] : NULL;
}

#define model_dev_herr(dev, kind, ...) \
	model_host_error((dev)->params.herr, MODEL_HERR_##kind, __VA_ARGS__)

static inline void model_stat_add(struct model_device *dev,
				  enum xrdma_stat stat, u64 n)
{
	dev->stats[stat] += n;
}

/* Count only in the counter set of a queue pair, not for the port. */
static inline void model_set_stat_add(const struct model_qp *qp,
				      enum xrdma_stat stat, u64 n)
{
	if (qp->counters)
		qp->counters->stats[stat] += n;
}

/* Count for the port, and in the counter set of a queue pair. */
static inline void model_qp_stat_add(const struct model_qp *qp,
				     enum xrdma_stat stat, u64 n)
{
	model_stat_add(qp->dev, stat, n);
	model_set_stat_add(qp, stat, n);
}

#endif /* MODEL_DEVICE_H */
