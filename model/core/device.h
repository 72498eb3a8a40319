/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The device: what everything else hangs on.
 *
 * One thread, no locks: BAR accesses, timers, wire and the polling of queues
 * all come from the loop, one after the other. A pointer into guest memory is
 * never kept from one of these calls to the next, except under the epoch rule
 * of xlat.h.
 *
 * The core owns the objects. Packets, timers of connections and what a queue pair
 * does with its work queues are left to the transport, which the core reaches
 * through struct model_transport and struct model_qp_ops.
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
#include "core/key.h"
#include "core/mcast.h"
#include "core/port.h"
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

/* What always works; a personality of windows of type 2 is added. */
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
					 XRDMA_CAP_FLUSH | \
					 XRDMA_CAP_COUNTERS | \
					 XRDMA_CAP_ATOMIC_WRITE | \
					 XRDMA_CAP_FLOW)

/**
 * struct model_transport - what sends and receives for a device
 * @qp_ops: what queue pairs do, by enum xrdma_qp_type
 * @init: the device is new, and has no queue pairs. May allocate; 0 or -ENOMEM
 * @destroy: free what @init allocated; there are no queue pairs any more
 * @reset: forget all frames in flight; queue pairs have been stopped before
 * @poll: handle frames that have arrived, a bounded number; true if there were
 *	any. Unless model_device_live(), drop them.
 * @carrier: is there a link? model_port_link_changed() is to be called when that
 *	changes
 * @port_changed: flags, MTU or MAC of the port are new
 *
 * Implemented in folder transport/, which knows the core; the core knows nothing
 * of it but this table.
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
 * struct model_device_params - what a device is made of
 * @loop: runs it; gives the time
 * @dma: guest memory
 * @herr: gets the host errors
 * @transport: sends and receives
 * @irq: raises an MSI-X vector
 * @irq_opaque: first argument of @irq
 * @vectors: MSI-X vectors there are
 * @mac: permanent address of the port
 * @seed: of everything random
 * @mw_2a: windows of type 2 are 2A, else 2B
 * @dm_size: bytes of device memory, as of model_dm_init()
 * @log_max_keys: log2 of the key indexes, at most XRDMA_LOG_MAX_KEYS
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
	u64 dm_size;
	u8 log_max_keys;
};

/**
 * struct model_device - the device
 * @params: what it was made of
 * @caps: XRDMA_CAP_*
 * @epoch: moves on when pointers into guest memory become void
 * @gone: surprise removal: every register reads as ones, nothing works
 * @bus_master: DMA is possible
 * @live: enabled and not in the fatal state: host memory may be touched
 * @regs: registers
 * @lie: what one of them reads as instead; outlives a reset
 * @cmdq: command ring
 * @chaos: what is written wrong, for tests
 * @keys: key table
 * @dm: device memory
 * @eqs: event queues by number
 * @cqs: completion queues by number
 * @qps: queue pairs by number
 * @srqs: shared receive queues by number
 * @rss: RSS objects by number
 * @flows: flow rules
 * @eqs_stalled: events wait for room in an event queue
 * @active: queue pairs that are polled
 * @num_active: of them
 * @errors: queue pairs in ERR, whose work queues are flushed now and then
 * @slow_timer: looks at @errors and at event queues without room
 * @slow_ns: its present interval
 * @mcast: multicast groups
 * @port: the Ethernet port
 * @eth_fault: what tests have asked for; outlives a reset
 * @gids: GID table
 * @cc: congestion control
 * @stats: counters of the port; the device's life long
 * @counters: counter sets by number; 0 is not used
 * @db_errors: doorbells of user pages that were ignored
 * @user_errors: queue pairs that failed for a corrupt index or entry in user
 *	memory
 * @cq_died: a completion queue has overflowed or is out of reach: called by
 *	cq.c, which does not know the queue pairs that use it
 * @answering: queue pairs with answers to send, of the transport
 * @wire: the wire, of the transport
 */
struct model_device {
	struct model_device_params params;
	u64 caps;
	u64 epoch;
	bool gone;
	bool bus_master;
	bool live;
	struct model_regs regs;
	struct model_reg_lie lie;
	struct model_cmdq cmdq;
	struct model_chaos chaos;
	struct model_key_table keys;
	struct model_dm dm;
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
	u64 db_errors;
	u64 user_errors;
	void (*cq_died)(struct model_device *dev, const struct model_cq *cq);
	struct model_qp_list answering;
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

/* Has the driver enabled the device? From ENABLE to reset, fatal or not. */
static inline bool model_device_enabled(const struct model_device *dev)
{
	return dev->regs.status & XRDMA_STATUS_ENABLED;
}

/* May the device touch host memory? From ENABLE to reset or the fatal state. */
static inline bool model_device_live(const struct model_device *dev)
{
	return dev->live;
}

/* Nanoseconds; they move on from turn to turn of the loop. */
static inline u64 model_device_clock(const struct model_device *dev)
{
	return model_loop_now(dev->params.loop);
}

/* Raise an interrupt. */
static inline void model_device_irq(struct model_device *dev,
				    unsigned int vector)
{
	if (dev->live)
		dev->params.irq(dev->params.irq_opaque, vector);
}

/* Objects by number, which may be any. Each returns NULL if there is none. */
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

/* In the set of a queue pair only: the port has counted it before. */
static inline void model_set_stat_add(const struct model_qp *qp,
				      enum xrdma_stat stat, u64 n)
{
	if (qp->counters)
		qp->counters->stats[stat] += n;
}

/* What concerns a queue pair: for the port, and in its set. */
static inline void model_qp_stat_add(const struct model_qp *qp,
				     enum xrdma_stat stat, u64 n)
{
	model_stat_add(qp->dev, stat, n);
	model_set_stat_add(qp, stat, n);
}

#endif /* MODEL_DEVICE_H */
