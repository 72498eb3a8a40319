/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Stands for model/core/device.h in the harness of events: the fields and functions
 * that the files use which fill and write events. CBMC is slow for the whole
 * structure, which has all objects. A file that uses another field does not compile.
 * The harness defines the functions that are only declared here.
 */

#ifndef MODEL_DEVICE_H
#define MODEL_DEVICE_H

#include "base/loop.h"
#include "core/chaos.h"
#include "core/cq.h"
#include "core/eq.h"
#include "core/inject.h"
#include "core/key.h"
#include "core/pager.h"
#include "core/qp.h"
#include "core/xlat.h"
#include "host/host_error.h"
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
	} params;
	struct {
		u32 status;
	} regs;
	bool bus_master;
	u64 caps;
	bool live;
	bool shadow_db;
	bool eqs_stalled;
	struct model_chaos chaos;
	struct model_injects inject;
	struct model_eq *eqs[MODEL_MAX_EQ];
	struct model_timer slow_timer;
	u64 slow_ns;
	struct {
		struct model_mem bus;
		struct model_mem null;
	} keys;
	struct model_pager pager;
};

u64 model_device_clock(const struct model_device *device);
void model_device_irq(struct model_device *device, unsigned int vector);
void model_device_fatal(struct model_device *device, u8 code);
void model_device_slow_work(struct model_device *device);
void model_stat_add(struct model_device *device, enum xrdma_stat stat, u64 n);
void model_qp_stat_add(const struct model_qp *qp, enum xrdma_stat stat, u64 n);
void model_set_stat_add(const struct model_qp *qp, enum xrdma_stat stat, u64 n);
struct model_qp *model_qp_get(struct model_device *device, u32 qpn);

static inline bool model_device_live(const struct model_device *device)
{
	return device->live;
}

#define model_dev_herr(dev, kind, ...) ((void)(dev))

#endif /* MODEL_DEVICE_H */
