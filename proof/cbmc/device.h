/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Stands for model/core/device.h in harnesses of files that use little of the
 * device: CBMC is slow for the whole structure, which has all objects. A file
 * that uses another field or function does not compile.
 */

#ifndef MODEL_DEVICE_H
#define MODEL_DEVICE_H

#include "core/dm.h"
#include "core/inject.h"
#include "core/key.h"
#include "core/xlat.h"
#include "host/dma.h"
#include "host/host_error.h"
#include "no_pcie.h"

struct model_eq;

struct model_device {
	struct {
		struct model_dma *dma;
		struct model_host_errors *herr;
		u8 log_max_keys;
	} params;
	u64 caps;
	u64 epoch;
	bool live;
	bool shadow_db;
	struct model_injects inject;
	struct model_key_table keys;
	struct {
		struct model_eq *eq;
	} pager;
	struct model_dm dm;
	u64 stats[XRDMA_NUM_STATS];
	u64 user_errors;
};

static inline bool model_device_live(const struct model_device *dev)
{
	return dev->live;
}

static inline void model_stat_add(struct model_device *dev,
				  enum xrdma_stat stat, u64 n)
{
	dev->stats[stat] += n;
}

#define model_dev_herr(dev, kind, ...) \
	model_host_error((dev)->params.herr, MODEL_HERR_##kind, __VA_ARGS__)

#endif /* MODEL_DEVICE_H */
