/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Stands for model/core/device.h in harnesses of the Ethernet port, the GID table and
 * RSS objects: the fields and functions that their files use. CBMC is slow for the
 * whole structure, which has all objects. A file that uses another field does not
 * compile.
 *
 * A harness defines the functions that are only declared here, and those of which
 * the file under proof uses the header.
 */

#ifndef MODEL_DEVICE_H
#define MODEL_DEVICE_H

#include <linux/bitfield.h>
#include "xrdma_hw.h"

/* Stands for model/core/qp.h, for the same reason. */
#define MODEL_QP_H
#define MODEL_MAX_QP		16

struct model_qp {
	u32 qpn;
	u8 type;
	u32 steer_users;
};

#include "core/eq.h"
#include "core/flow.h"
#include "core/gid.h"
#include "core/port.h"
#include "core/rss.h"
#include "host/dma.h"
#include "no_pcie.h"

/* CBMC is slow for large arrays: this device has few objects. */
#undef MODEL_MAX_GID
#define MODEL_MAX_GID		8
#undef MODEL_RSS_LOG_MAX
#define MODEL_RSS_LOG_MAX	3

struct model_device;

struct model_transport {
	bool (*carrier)(const struct model_device *dev);
	void (*port_changed)(struct model_device *dev);
};

struct model_device {
	struct {
		const struct model_transport *transport;
		struct model_dma *dma;
		u8 mac[6];
	} params;
	struct model_qp *qps[MODEL_MAX_QP];
	struct model_rss *rss[MODEL_MAX_QP];
	struct model_port port;
	struct model_gid gids[MODEL_MAX_GID];
};

struct model_qp *model_qp_get(struct model_device *dev, u32 qpn);
struct model_rss *model_rss_get(struct model_device *dev, u32 qpn);

#endif /* MODEL_DEVICE_H */
