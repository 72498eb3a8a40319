/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Stands for model/core/device.h in harnesses of command, completion, event and
 * shared receive queues: the fields and functions that their files use. CBMC is
 * slow for the whole structure, which has all objects. device.h is the same for
 * files that access memory. A file that uses another field does not compile.
 *
 * A harness defines the functions that are only declared here, and those of which
 * the file under proof uses the header.
 */

#ifndef MODEL_DEVICE_H
#define MODEL_DEVICE_H

#include <linux/bitfield.h>
#include <rdma/xrdma-ring.h>
#include "base/loop.h"
#include "core/chaos.h"
#include "core/cmdq.h"
#include "core/cq.h"
#include "core/eq.h"
#include "core/inject.h"
#include "core/qp.h"
#include "core/srq.h"
#include "core/xlat.h"
#include "host/host_error.h"
#include "xrdma_regs.h"
#include "no_pcie.h"

/* a proof executes one thread, in which each access is in order */
#define __atomic_load_n(ptr, order)		(*(ptr))
/* see __atomic_load_n() */
#define __atomic_store_n(ptr, value, order)	(*(ptr) = (value))
#define __atomic_thread_fence(order)		((void)0)

/* Interval of the slow timer while it finds work; no theorem depends on it. */
#define MODEL_SLOW_NS_MIN	1000000ULL

struct model_device {
	struct {
		struct model_loop *loop;
		struct model_host_errors *herr;
		unsigned int vectors;
		enum model_push_mode push;
	} params;
	struct {
		u32 status;
	} regs;
	u64 caps;
	bool bus_master;
	bool live;
	bool shadow_db;
	bool eqs_stalled;
	struct {
		struct model_eq *eq;
	} pager;
	struct model_push push;
	struct model_cmdq cmdq;
	struct model_chaos chaos;
	struct model_injects inject;
	struct model_eq *eqs[MODEL_MAX_EQ];
	struct model_cq *cqs[MODEL_MAX_CQ];
	struct model_srq *srqs[MODEL_MAX_SRQ];
	struct model_timer slow_timer;
	u64 slow_ns;
	u64 user_errors;
	void (*cq_failed)(struct model_device *dev, const struct model_cq *cq);
};

void model_device_fatal(struct model_device *dev, u8 code);
void model_device_slow_work(struct model_device *dev);
u64 model_device_clock(const struct model_device *dev);
void model_device_irq(struct model_device *dev, unsigned int vector);
struct model_eq *model_eq_get(struct model_device *dev, u32 eqn);
struct model_cq *model_cq_get(struct model_device *dev, u32 cqn);
struct model_srq *model_srq_get(struct model_device *dev, u32 srqn);

static inline bool model_device_live(const struct model_device *dev)
{
	return dev->live;
}

#define model_dev_herr(dev, kind, ...) \
	model_host_error((dev)->params.herr, MODEL_HERR_##kind, __VA_ARGS__)

#endif /* MODEL_DEVICE_H */
